/* Sweeps per second of every backend, with and without the stop test, beside the copy limit.
 *
 *   sweep_rate [-n SIZE,...] [-b BACKEND,...] [-p double|single|both] [-f FORM,...] [-m PATTERN,...] [-w CELLS]
 *              [-c CHECK_EVERY] [-s SECONDS] [-r REPEATS]
 *
 * The problem is the workshop's on SIZE x SIZE nodes (held walls, one source), its cells filled by a pattern:
 *
 *   uniform   one material
 *   stripes   eight materials in turn, in stripes of CELLS (50) cells that run north
 *   blocks    the same in squares of CELLS x CELLS cells
 *   noise     one of eight materials for each cell, at random
 *   map       a conductivity that varies from cell to cell: a law for every node
 *
 * Forms of sweeps (default plain alone):
 *
 *   plain, weighted (0.8), chebyshev, rhs: plain ones within an implicit time step, with a right-hand side of its own
 *
 * Three modes, timed by the wall clock including launches and the wait at the end:
 *
 *   sweep     sweeps only
 *   tested    a run whose test, evaluated every CHECK_EVERY (256) sweeps, never holds; not for chebyshev
 *   norm      the update's norms in every sweep
 *
 * After one warm-up the median of the repeats is printed, with the spread (max - min)/median. A plain sweep must
 * read and write each node once, chebyshev and rhs read one more field: bytes = 2 or 3 times sizeof(real) nodes;
 * `GB/s` is that over the time, to be compared with copy_rate's figure for the same bytes. The last column but one is
 * the time beside mode `sweep` of the same form.
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
#include "problem/palette.h"
#include "problem/system.h"

enum { MAX_ITEMS = 32, MAX_REPEATS = 101 };
static const double LONGEST_INTERVAL_S = 10.0; /* mode tested is left out beyond */

enum mode { PLAIN, TESTED, NORM, MODES };
static const char *const mode_names[MODES] = {"sweep", "tested", "norm"};

enum form { FORM_PLAIN, FORM_WEIGHTED, FORM_CHEBYSHEV, FORM_RHS, FORMS };
static const char *const form_names[FORMS] = {"plain", "weighted", "chebyshev", "rhs"};

enum pattern { UNIFORM, STRIPES, BLOCKS, NOISE, MAP, PATTERNS };
static const char *const pattern_names[PATTERNS] = {"uniform", "stripes", "blocks", "noise", "map"};

struct options {
  int sizes[MAX_ITEMS], size_count;
  int forms[MAX_ITEMS], form_count;
  int patterns[MAX_ITEMS], pattern_count;
  int width_cells;
  char *backends[MAX_ITEMS];
  int backend_count;
  bool do_double, do_single;
  double seconds;
  int repeats, check_every;
};

struct bench {
  const struct hs_backend *backend;
  struct hs_backend_state *state;
  const double *field_k; /* every timed run starts from it */
  enum form form;
  struct hs_relaxation relaxation; /* of the form */
  struct hs_norms *norms;          /* [n] of mode NORM */
  struct hs_bounds bounds;         /* of the present field, for mode TESTED */
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
  if (bench->form == FORM_RHS && bench->backend->step(bench->state, false, &err)) fail(err.text);
  if (bench->backend->relax(bench->state, &bench->relaxation, &err)) fail(err.text);
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

static struct hs_relaxation relaxation_of(enum form form, int size)
{
  struct hs_relaxation relaxation = {HS_FORM_JACOBI, 1.0, 0.0};
  if (form == FORM_WEIGHTED) relaxation = (struct hs_relaxation){HS_FORM_WEIGHTED, 0.8, 0.0};
  if (form == FORM_CHEBYSHEV) relaxation = (struct hs_relaxation){HS_FORM_CHEBYSHEV, 1.0, cos(M_PI / (size - 1))};
  return relaxation;
}

/* One line per mode. label: pattern and precision. */
static void bench_modes(struct bench *bench, const struct hs_system *system, const char *label, bool single,
                        const struct options *options)
{
  const double nodes = (double)system->nx * system->ny;
  const double fields = bench->form == FORM_CHEBYSHEV || bench->form == FORM_RHS ? 3.0 : 2.0;
  double sweep_s = 0.0;
  for (enum mode mode = PLAIN; mode < MODES; mode++) {
    double spread;
    if (mode == TESTED && sweep_s * options->check_every > LONGEST_INTERVAL_S) continue;
    if (mode == TESTED && bench->form == FORM_CHEBYSHEV) continue; /* solvers test it in their own way */
    const double seconds = sweep_time(bench, mode, options, &spread);
    if (mode == PLAIN) sweep_s = seconds;
    printf("%6d %-15s %-14s %-9s %-6s %12.4g sweeps/s %10.3f us %9.3f G nodes/s %9.1f GB/s %+7.1f %% "
           "(spread %.1f %%)\n",
           system->nx, label, bench->backend->name, form_names[bench->form], mode_names[mode], 1.0 / seconds,
           1e6 * seconds, 1e-9 * nodes / seconds, 1e-9 * nodes * fields * (single ? 4.0 : 8.0) / seconds,
           100.0 * (seconds / sweep_s - 1.0), 100.0 * spread);
    fflush(stdout);
  }
}

static void bench_backend(struct hs_system *system, const double *field, const struct hs_backend *backend,
                          enum pattern pattern, bool single, const struct options *options)
{
  const struct hs_backend_options wanted = {.single = single, .threads = 0};
  struct bench bench = {.backend = backend, .field_k = field};
  struct hs_error err = {0};
  char label[32];
  snprintf(label, sizeof label, "%s %s", pattern_names[pattern], single ? "single" : "double");
  bench.norms = calloc(8192, sizeof *bench.norms);
  if (!bench.norms) fail("out of memory");
  for (int f = 0; f < options->form_count; f++) {
    const double cell_m2 = system->dx_m * system->dy_m;
    bench.form = (enum form)options->forms[f];
    bench.relaxation = relaxation_of(bench.form, system->nx);
    hs_system_discretise(system, bench.form == FORM_RHS ? HS_SCHEME_BACKWARD_EULER : HS_SCHEME_STEADY, 1e3 * cell_m2,
                         NULL);
    if (backend->probe(system, &wanted, &err)) {
      printf("%6d %-15s %-14s skipped: %s\n", system->nx, label, backend->name, err.text);
      break;
    }
    if (backend->create(system, &wanted, &bench.state, &err)) fail(err.text);
    bench_modes(&bench, system, label, single, options);
    backend->destroy(bench.state);
  }
  free(bench.norms);
}

/* --- the problem ----------------------------------------------------------------------------- */

/* Conductivity of a cell, W/(m K). */
static double conductivity_w_mk(enum pattern pattern, int width_cells, int ci, int cj)
{
  static const double materials_w_mk[8] = {1.0, 400.0, 0.2, 50.0, 0.04, 200.0, 1.5, 15.0};
  uint64_t bits = ((uint64_t)cj << 32 | (uint64_t)ci) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  bits ^= bits >> 31;
  switch (pattern) {
  case STRIPES: return materials_w_mk[ci / width_cells % 8];
  case BLOCKS: return materials_w_mk[(ci / width_cells + 3 * (cj / width_cells)) % 8];
  case NOISE: return materials_w_mk[bits % 8];
  case MAP: return 1.0 + (double)(bits >> 11) * 0x1p-53;
  default: return 1.0;
  }
}

/* The law of node (i, j) of size x size: walls held at 0, a source in the middle. */
static struct hs_node_law law_of(enum pattern pattern, const struct options *options, int size, double cell_m, int i,
                                 int j)
{
  const int w = options->width_cells;
  struct hs_node_law law = {.capacity_j_mk = cell_m * cell_m};
  if (i == 0 || j == 0 || i == size - 1 || j == size - 1) {
    law.held = true; /* conductances of held nodes do not matter to a sweep */
    return law;
  }
  const double sw = conductivity_w_mk(pattern, w, i - 1, j - 1), se = conductivity_w_mk(pattern, w, i, j - 1);
  const double nw = conductivity_w_mk(pattern, w, i - 1, j), ne = conductivity_w_mk(pattern, w, i, j);
  law.west = 0.5 * (sw + nw);
  law.east = 0.5 * (se + ne);
  law.south = 0.5 * (sw + se);
  law.north = 0.5 * (nw + ne);
  if (i == size / 2 && j == size / 2) law.source_w_m = 10000.0 * cell_m * cell_m;
  return law;
}

/* A law for every node and no index. */
static hs_status laws_spread(struct hs_system *system, enum pattern pattern, const struct options *options,
                             struct hs_error *err)
{
  const int size = system->nx;
  const size_t nodes = (size_t)size * (size_t)size;
  hs_status status = hs_array_create((void **)&system->law, nodes, sizeof *system->law, "laws", err);
  if (!status) status = hs_array_create((void **)&system->stencil, nodes, sizeof *system->stencil, "stencils", err);
  if (!status)
    status = hs_array_create((void **)&system->stencil_single, nodes, sizeof *system->stencil_single, "stencils", err);
  if (status) return status;
  system->palette_size = (int)nodes;
  for (size_t n = 0; n < nodes; n++)
    system->law[n] = law_of(pattern, options, size, system->dx_m, (int)(n % (size_t)size), (int)(n / (size_t)size));
  return HS_OK;
}

/* A palette of laws and an index. */
static hs_status laws_intern(struct hs_system *system, enum pattern pattern, const struct options *options,
                             struct hs_error *err)
{
  const int size = system->nx;
  const size_t nodes = (size_t)size * (size_t)size;
  struct hs_palette *palette = NULL;
  hs_status status = hs_palette_create(&palette, err);
  if (!status) status = hs_array_create((void **)&system->index, nodes, sizeof *system->index, "an index", err);
  for (size_t n = 0; !status && n < nodes; n++) {
    const struct hs_node_law law =
        law_of(pattern, options, size, system->dx_m, (int)(n % (size_t)size), (int)(n / (size_t)size));
    status = hs_palette_intern(palette, &law, 0, &system->index[n], err);
  }
  if (!status) status = hs_palette_finish(palette, system, NULL, err);
  hs_palette_destroy(palette);
  return status;
}

static struct hs_system *system_of(enum pattern pattern, const struct options *options, int size)
{
  struct hs_system *system = NULL;
  struct hs_error err = {0};
  hs_status status = hs_array_create((void **)&system, 1, sizeof *system, "a system", &err);
  if (status) fail(err.text);
  system->nx = system->ny = size;
  system->dx_m = system->dy_m = 1.0 / size;
  system->wrap_x = system->wrap_y = -1;
  status = pattern == MAP ? laws_spread(system, pattern, options, &err) : laws_intern(system, pattern, options, &err);
  if (status) fail(err.text);
  hs_system_discretise(system, HS_SCHEME_STEADY, NAN, NULL);
  return system;
}

static void bench_size(int size, enum pattern pattern, const struct options *options)
{
  struct hs_system *system = system_of(pattern, options, size);
  const size_t nodes = (size_t)size * (size_t)size;
  struct hs_error err = {0};
  double *field = NULL;
  if (hs_array_create((void **)&field, nodes, sizeof *field, "a field", &err)) fail(err.text);
  /* not zeros: the slowest mode, a field with all its bits in use that falls for a long time */
  for (size_t n = 0; n < nodes; n++) {
    const double x = (double)(n % (size_t)size) / (size - 1), y = (double)(n / (size_t)size) / (size - 1);
    if (!system->law[hs_system_entry(system, n)].held) field[n] = 100.0 * sin(M_PI * x) * sin(M_PI * y);
  }
  for (int k = 0; k < options->backend_count; k++) {
    const struct hs_backend *backend = hs_backend_find(options->backends[k], &err);
    if (!backend) fail(err.text);
    if (options->do_double) bench_backend(system, field, backend, pattern, false, options);
    if (options->do_single) bench_backend(system, field, backend, pattern, true, options);
  }
  free(field);
  hs_system_destroy(system);
}

/* --- options --------------------------------------------------------------------------------- */

/* Reads a list of names out of `known`[count] into items; their number. */
static int names_read(char *text, const char *const *known, int count, int *items)
{
  int found = 0;
  for (char *item = strtok(text, ","); item && found < MAX_ITEMS; item = strtok(NULL, ",")) {
    int k = 0;
    while (k < count && strcmp(item, known[k]) != 0) k++;
    if (k == count) fail("-f takes plain, weighted, chebyshev, rhs; -m takes uniform, stripes, blocks, noise, map");
    items[found++] = k;
  }
  return found;
}

static void options_read(int argc, char **argv, struct options *options)
{
  int code;
  while ((code = getopt(argc, argv, "n:b:p:f:m:w:c:s:r:")) != -1) {
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
    case 'f': options->form_count = names_read(optarg, form_names, FORMS, options->forms); break;
    case 'm': options->pattern_count = names_read(optarg, pattern_names, PATTERNS, options->patterns); break;
    case 'w': options->width_cells = atoi(optarg); break;
    case 'c': options->check_every = atoi(optarg); break;
    case 's': options->seconds = atof(optarg); break;
    case 'r': options->repeats = atoi(optarg); break;
    default:
      fail("usage: sweep_rate [-n SIZE,...] [-b BACKEND,...] [-p double|single|both] [-f FORM,...] [-m PATTERN,...] "
           "[-w CELLS] [-c CHECK_EVERY] [-s SECONDS] [-r REPEATS]");
    }
  }
  if (options->width_cells < 1) fail("-w takes 1 or more");
  if (options->check_every < 1) fail("-c takes 1 or more");
  if (options->repeats < 1 || options->repeats > MAX_REPEATS) fail("-r takes 1 to 101");
}

int main(int argc, char **argv)
{
  struct options options = {.sizes = {256, 1024, 4096},
                            .size_count = 3,
                            .form_count = 1,
                            .pattern_count = 1,
                            .width_cells = 50,
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
    for (int m = 0; m < options.pattern_count; m++)
      bench_size(options.sizes[k], (enum pattern)options.patterns[m], &options);
  }
  return 0;
}
