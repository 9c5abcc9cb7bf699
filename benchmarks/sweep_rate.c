/* Sweeps per second of every backend, with and without the stop test, beside the copy limit.
 *
 *   sweep_rate [-n SIZE,...] [-b BACKEND,...] [-p double|single|both] [-c CHECK_EVERY] [-s SECONDS] [-r REPEATS]
 *
 * The problem is the workshop's on SIZE x SIZE nodes (held walls, one source). Three modes, timed by
 * the wall clock including launches and the wait at the end:
 *
 *   plain     sweeps only
 *   tested    a run whose test, evaluated every CHECK_EVERY (256) sweeps, never holds
 *   norm      the update's norms in every sweep
 *
 * After one warm-up the median of the repeats is printed, with the spread (max - min)/median. A
 * sweep must read and write each node once: bytes = 2 sizeof(real) nodes; `GB/s` is that over the
 * time, to be compared with copy_rate's figure for the same bytes.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/memory.h"
#include "base/timer.h"
#include "problem/problem.h"

enum { MAX_ITEMS = 32, MAX_REPEATS = 101 };
static const double LONGEST_INTERVAL_S = 10.0; /* mode tested is left out beyond */

enum mode { PLAIN, TESTED, NORM, MODES };
static const char *const mode_names[MODES] = {"plain", "tested", "norm"};

struct options {
  int sizes[MAX_ITEMS], size_count;
  char *backends[MAX_ITEMS];
  int backend_count;
  bool do_double, do_single;
  double seconds;
  int repeats, check_every;
};

struct bench {
  const struct hs_backend *backend;
  struct hs_backend_state *state;
  const double *field_k;   /* every timed run starts from it */
  struct hs_norms *norms;  /* [n] of mode NORM */
  struct hs_bounds bounds; /* of the present field, for mode TESTED */
  struct hs_check history[2048];
};

static void fail(const char *text)
{
  fprintf(stderr, "sweep_rate: %s\n", text);
  exit(1);
}

/* What sums of the present field's norms must be scaled for. */
static struct hs_bounds bounds_of(struct bench *bench)
{
  struct hs_bounds bounds = {0.0, 0.0};
  struct hs_error err = {0};
  struct hs_norms norms;
  if (bench->backend->norms(bench->state, &bounds, &norms, &err)) fail(err.text);
  bounds.update_max = norms.two_sweep_max;
  bounds.residual_max = norms.residual_max;
  return bounds;
}

/* n sweeps in one mode. */
static void sweeps_run(struct bench *bench, enum mode mode, int check_every, int64_t n)
{
  struct hs_error err = {0};
  const struct hs_bounds bounds = {1.0, 1.0};
  hs_status status = HS_OK;
  if (mode == PLAIN) {
    status = bench->backend->sweep(bench->state, n, &err);
  } else if (mode == NORM) {
    status = bench->backend->sweep_normed(bench->state, n, &bounds, bench->norms, &err);
  } else {
    struct hs_stop_test test = {.quantity = HS_STOP_UPDATE_L2,
                                .tolerance = -1.0,
                                .residual_initial_l2 = 1.0,
                                .update_first_max = 1e300,
                                .max_sweeps = INT64_MAX,
                                .check_every = check_every,
                                .full_norms = 1};
    struct hs_stop_state stop = {.bounds = bench->bounds};
    int count = 0;
    while (!status && stop.sweeps < n) {
      struct hs_norms norms;
      if (bench->backend->advance) {
        status = bench->backend->advance(bench->state, &test, true, n, &stop, bench->history, 2048, &count, &err);
        if (stop.verdict == HS_VERDICT_RESCALE) stop.bounds = bounds_of(bench);
        stop.verdict = HS_VERDICT_RUNNING;
        continue;
      }
      status = bench->backend->save(bench->state, &err);
      if (!status) status = bench->backend->sweep(bench->state, check_every, &err);
      if (!status) status = bench->backend->norms(bench->state, &stop.bounds, &norms, &err);
      stop.sweeps += check_every;
      (void)hs_stop_evaluate(&test, &stop, &norms);
    }
  }
  if (status) fail(err.text);
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Seconds of n sweeps from the bench's field on; loading it is not counted. */
static double run_time(struct bench *bench, enum mode mode, const struct options *options, int64_t n)
{
  struct hs_error err = {0};
  double start;
  if (bench->backend->load(bench->state, bench->field_k, &err)) fail(err.text);
  bench->bounds = bounds_of(bench);
  start = hs_time_s();
  sweeps_run(bench, mode, options->check_every, n);
  return hs_time_s() - start;
}

/* Seconds per sweep: median over repeats of runs that take about the wanted time. */
static double sweep_time(struct bench *bench, enum mode mode, const struct options *options, double *spread)
{
  const int64_t unit = mode == TESTED ? options->check_every : 1;
  double times[MAX_REPEATS];
  int64_t n = unit;
  for (;;) {
    const double elapsed = run_time(bench, mode, options, n);
    if (elapsed >= 0.5 * options->seconds || n >= (mode == NORM ? 8192 : 1 << 20)) break;
    n = (int64_t)(n * fmin(8.0, fmax(1.5, options->seconds / fmax(elapsed, 1e-6)))) / unit * unit;
    if (mode == NORM && n > 8192) n = 8192;
  }
  for (int k = 0; k < options->repeats; k++) times[k] = run_time(bench, mode, options, n) / (double)n;
  qsort(times, (size_t)options->repeats, sizeof *times, compare);
  *spread = (times[options->repeats - 1] - times[0]) / times[options->repeats / 2];
  return times[options->repeats / 2];
}

static void bench_backend(const struct hs_system *system, const double *field, const struct hs_backend *backend,
                          bool single, const struct options *options)
{
  const struct hs_backend_options wanted = {.single = single, .threads = 0};
  const double nodes = (double)system->nx * system->ny;
  struct bench bench = {.backend = backend, .field_k = field};
  struct hs_error err = {0};
  double plain_s = 0.0;
  if (backend->probe(system, &wanted, &err)) {
    printf("%6d %-7s %-14s skipped: %s\n", system->nx, single ? "single" : "double", backend->name, err.text);
    return;
  }
  bench.norms = calloc(8192, sizeof *bench.norms);
  if (!bench.norms || backend->create(system, &wanted, &bench.state, &err)) fail(err.text);
  for (enum mode mode = PLAIN; mode < MODES; mode++) {
    double spread;
    if (mode == TESTED && plain_s * options->check_every > LONGEST_INTERVAL_S) continue;
    const double seconds = sweep_time(&bench, mode, options, &spread);
    if (mode == PLAIN) plain_s = seconds;
    printf("%6d %-7s %-14s %-8s %12.4g sweeps/s %10.3f us %9.3f G nodes/s %9.1f GB/s %+7.1f %% (spread %.1f %%)\n",
           system->nx, single ? "single" : "double", backend->name, mode_names[mode], 1.0 / seconds, 1e6 * seconds,
           1e-9 * nodes / seconds, 1e-9 * nodes * 2.0 * (single ? 4.0 : 8.0) / seconds,
           100.0 * (seconds / plain_s - 1.0), 100.0 * spread);
    fflush(stdout);
  }
  backend->destroy(bench.state);
  free(bench.norms);
}

static void bench_size(int size, const struct options *options)
{
  struct hs_config_source source = {
      .name = (char *)"spot", .shape = HS_SOURCE_NODE, .i = size / 2, .j = size / 2, .density_w_m3 = 10000.0};
  struct hs_config config = {.path = (char *)"workshop", .sources = &source, .source_count = 1};
  struct hs_system *system = NULL;
  struct hs_error err = {0};
  double *field = NULL;
  config.grid.nx = config.grid.ny = size;
  config.grid.dx_m = config.grid.dy_m = 1.0 / size;
  config.material.conductivity_w_mk = 1.0;
  if (hs_problem_build_system(&config, &system, &err) || hs_problem_initial_field(&config, system, &field, &err))
    fail(err.text);
  /* not zeros: the slowest mode, a field with all its bits in use that falls for a long time */
  for (size_t n = 0; n < (size_t)size * (size_t)size; n++) {
    const double x = (double)(n % (size_t)size) / (size - 1), y = (double)(n / (size_t)size) / (size - 1);
    if (system->stencil[system->index[n]].diagonal != 0.0) field[n] = 100.0 * sin(M_PI * x) * sin(M_PI * y);
  }
  for (int k = 0; k < options->backend_count; k++) {
    const struct hs_backend *backend = hs_backend_find(options->backends[k], &err);
    if (!backend) fail(err.text);
    if (options->do_double) bench_backend(system, field, backend, false, options);
    if (options->do_single) bench_backend(system, field, backend, true, options);
  }
  free(field);
  hs_system_destroy(system);
}

static void options_read(int argc, char **argv, struct options *options)
{
  int code;
  while ((code = getopt(argc, argv, "n:b:p:c:s:r:")) != -1) {
    switch (code) {
    case 'n':
      options->size_count = 0;
      for (char *item = strtok(optarg, ","); item && options->size_count < MAX_ITEMS; item = strtok(NULL, ","))
        options->sizes[options->size_count++] = atoi(item);
      break;
    case 'b':
      options->backend_count = 0;
      for (char *item = strtok(optarg, ","); item && options->backend_count < MAX_ITEMS; item = strtok(NULL, ","))
        options->backends[options->backend_count++] = item;
      break;
    case 'p':
      options->do_double = strcmp(optarg, "single") != 0;
      options->do_single = strcmp(optarg, "double") != 0;
      break;
    case 'c': options->check_every = atoi(optarg); break;
    case 's': options->seconds = atof(optarg); break;
    case 'r': options->repeats = atoi(optarg); break;
    default:
      fail("usage: sweep_rate [-n SIZE,...] [-b BACKEND,...] [-p double|single|both] [-c CHECK_EVERY] [-s SECONDS] [-r "
           "REPEATS]");
    }
  }
  if (options->check_every < 1) fail("-c takes 1 or more");
  if (options->repeats < 1 || options->repeats > MAX_REPEATS) fail("-r takes 1 to 101");
}

int main(int argc, char **argv)
{
  struct options options = {.sizes = {256, 1024, 4096},
                            .size_count = 3,
                            .do_double = true,
                            .do_single = true,
                            .seconds = 0.1,
                            .repeats = 5,
                            .check_every = 256};
  for (const struct hs_backend *const *b = hs_backend_list(); *b && options.backend_count < MAX_ITEMS; b++)
    options.backends[options.backend_count++] = (char *)(*b)->name;
  options_read(argc, argv, &options);
  for (int k = 0; k < options.size_count; k++) {
    if (options.sizes[k] < 3) fail("-n takes sizes from 3");
    bench_size(options.sizes[k], &options);
  }
  return 0;
}
