/* Timing of sweeps.
 *
 * Method: a backend is created, loaded and warmed up. The number of sweeps of a repeat is then raised until one repeat
 * takes the wanted time (caches, clocks and whatever a backend prepares on first use are warm by then), and the median
 * of the repeats is taken. Should a repeat end sooner than wanted after all, all begin again with more sweeps. Every
 * repeat starts from the same field, by the backend's own save and restore; runs with a stop test, which save for
 * themselves, load it anew, and often enough that their update never stops falling (a test would then answer
 * "stagnated").
 *
 * Limits: one process, one device; the clock is the wall's, so other programs disturb.
 */
#include "bench/rate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "bench/rate_problem.h"

enum {
  PASS = 32, /* sweeps; passes of every backend are fast that have as many, or multiples */
  FEW = 64,  /* sweeps whose number is left as it is */
  MOST_REPEATS = 101,
  MOST_RESTARTS = 8,  /* of all repeats, when one was too short */
  NORM_SWEEPS = 4096, /* of one call with norms in every sweep */
  HISTORY = 2048
};
static const double LONGEST_INTERVAL_S = 10.0; /* between two tests */
static const int64_t MOST_SWEEPS = INT64_C(1) << 40;

/* One backend under measurement. */
struct rating {
  const struct hs_backend *backend;
  struct hs_backend_state *state;
  const struct hs_rate_problem *problem;
  const struct hs_rate_settings *settings;
  struct hs_relaxation relaxation;
  double *field_k;
  struct hs_norms *norms;   /* [NORM_SWEEPS] */
  struct hs_check *history; /* [HISTORY] */
  int64_t unit;             /* sweeps come in multiples of it */
  int64_t leg;              /* and at most so many are timed from one loaded field */
};

const char *hs_rate_pattern_name(enum hs_rate_pattern pattern)
{
  static const char *const names[HS_RATE_PATTERNS + 1] = {"uniform", "stripes", "blocks", "noise", "map", "file"};
  return names[pattern];
}

const char *hs_rate_form_name(enum hs_rate_form form)
{
  static const char *const names[HS_RATE_FORMS] = {"plain", "weighted", "chebyshev", "rhs", "multigrid"};
  return names[form];
}

const char *hs_rate_mode_name(enum hs_rate_mode mode)
{
  static const char *const names[HS_RATE_MODES] = {"sweep", "tested", "norm"};
  return names[mode];
}

double hs_rate_bytes_per_node(enum hs_rate_form form, bool single)
{
  if (form == HS_RATE_MULTIGRID) return NAN;
  const double fields = form == HS_RATE_CHEBYSHEV || form == HS_RATE_RHS ? 3.0 : 2.0;
  return fields * (single ? sizeof(float) : sizeof(double));
}

static struct hs_relaxation relaxation_of(const struct hs_rate_problem *problem)
{
  const int longest = problem->nx > problem->ny ? problem->nx : problem->ny;
  switch (problem->form) {
  case HS_RATE_WEIGHTED: return (struct hs_relaxation){.form = HS_FORM_WEIGHTED, .weight = 0.8};
  case HS_RATE_CHEBYSHEV:
    return (struct hs_relaxation){.form = HS_FORM_CHEBYSHEV, .weight = 1.0, .rho = cos(M_PI / (longest - 1))};
  default: return (struct hs_relaxation){.form = HS_FORM_JACOBI, .weight = 1.0};
  }
}

/* What sums of the present field's norms must be scaled for. */
static hs_status bounds_of(struct rating *rating, struct hs_bounds *bounds, struct hs_error *err)
{
  const struct hs_bounds unscaled = {0.0, 0.0};
  struct hs_norms norms;
  const hs_status status = rating->backend->norms(rating->state, &unscaled, &norms, err);
  if (status) return status;
  bounds->update_max = norms.two_sweep_max;
  bounds->residual_max = norms.residual_max;
  return HS_OK;
}

/* n sweeps with norms in each. */
static hs_status sweep_normed(struct rating *rating, int64_t n, struct hs_error *err)
{
  const struct hs_bounds bounds = {1.0, 1.0};
  hs_status status = HS_OK;
  for (int64_t done = 0; !status && done < n; done += NORM_SWEEPS) {
    const int64_t now = n - done < NORM_SWEEPS ? n - done : NORM_SWEEPS;
    status = rating->backend->sweep_normed(rating->state, now, &bounds, rating->norms, err);
  }
  return status;
}

/* One interval and its test, by the operations that a backend without `advance` leaves to the solver. */
static hs_status interval_test(struct rating *rating, const struct hs_stop_test *test, struct hs_stop_state *stop,
                               struct hs_error *err)
{
  const struct hs_backend *backend = rating->backend;
  struct hs_norms norms;
  hs_status status = backend->save(rating->state, err);
  if (!status) status = backend->sweep(rating->state, test->check_every, err);
  if (!status) status = backend->norms(rating->state, &stop->bounds, &norms, err);
  if (status) return status;
  stop->sweeps += test->check_every;
  (void)hs_stop_evaluate(test, stop, &norms);
  return HS_OK;
}

/* n sweeps with a test that never holds; its verdict is ignored. */
static hs_status sweep_tested(struct rating *rating, int64_t n, const struct hs_bounds *bounds, struct hs_error *err)
{
  const struct hs_backend *backend = rating->backend;
  const struct hs_stop_test test = {.quantity = HS_STOP_UPDATE_L2,
                                    .tolerance = -1.0,
                                    .residual_initial_l2 = 1.0,
                                    .update_first_max = 1e300,
                                    .max_sweeps = INT64_MAX,
                                    .check_every = rating->settings->check_every,
                                    .full_norms = 1};
  struct hs_stop_state stop = {.bounds = *bounds};
  struct hs_intervals intervals = {
      .test = &test, .keep = true, .until = n, .stop = &stop, .history = rating->history, .capacity = HISTORY};
  hs_status status = HS_OK;
  while (!status && stop.sweeps < n) {
    if (backend->advance)
      status = backend->advance(rating->state, &intervals, err);
    else
      status = interval_test(rating, &test, &stop, err);
    if (!status && stop.verdict == HS_VERDICT_RESCALE) status = bounds_of(rating, &stop.bounds, err);
    stop.verdict = HS_VERDICT_RUNNING;
  }
  return status;
}

static hs_status field_load(struct rating *rating, struct hs_error *err)
{
  hs_status status = rating->backend->load(rating->state, rating->field_k, err);
  if (!status && rating->problem->form == HS_RATE_RHS) status = rating->backend->step(rating->state, false, err);
  if (!status) status = rating->backend->relax(rating->state, &rating->relaxation, err);
  return status;
}

/* Back to the field that every run starts from; one sweep makes sure that nothing of it is still under way. */
static hs_status field_reset(struct rating *rating, struct hs_error *err)
{
  hs_status status = rating->backend->restore(rating->state, err);
  if (!status) status = rating->backend->relax(rating->state, &rating->relaxation, err);
  if (!status) status = rating->backend->sweep(rating->state, 1, err);
  return status;
}

/* The field that intervals with tests start from: one interval after loading, and with scales of its norms, which
 * change most before the first test. A run measures its norms twice there, and seldom after. */
static hs_status field_tested(struct rating *rating, struct hs_bounds *bounds, struct hs_error *err)
{
  hs_status status = field_load(rating, err);
  if (!status) status = bounds_of(rating, bounds, err);
  if (!status) status = sweep_tested(rating, rating->unit, bounds, err);
  return status ? status : bounds_of(rating, bounds, err);
}

/* Seconds of n sweeps from one loaded field. */
static hs_status leg_time(struct rating *rating, int64_t n, double *elapsed_s, struct hs_error *err)
{
  const bool tested = rating->settings->mode == HS_RATE_TESTED;
  struct hs_bounds bounds = {0.0, 0.0};
  double start_s;
  hs_status status = tested ? field_tested(rating, &bounds, err) : field_reset(rating, err);
  if (status) return status;
  start_s = hs_time_s();
  switch (rating->settings->mode) {
  case HS_RATE_TESTED: status = sweep_tested(rating, n, &bounds, err); break;
  case HS_RATE_NORM: status = sweep_normed(rating, n, err); break;
  default: status = rating->backend->sweep(rating->state, n, err); break;
  }
  *elapsed_s = hs_time_s() - start_s;
  return status;
}

/* Seconds of n sweeps, without those that loading takes. */
static hs_status run_time(struct rating *rating, int64_t n, double *elapsed_s, struct hs_error *err)
{
  hs_status status = HS_OK;
  *elapsed_s = 0.0;
  for (int64_t done = 0; !status && done < n; done += rating->leg) {
    double leg_s = 0.0;
    status = leg_time(rating, n - done < rating->leg ? n - done : rating->leg, &leg_s, err);
    *elapsed_s += leg_s;
  }
  return status;
}

/* More than n sweeps, which took elapsed_s: as many as take the wanted time and a fifth more. Many sweeps without a test are
 * whole passes and the single sweep with which each call ends, as those of long runs are. */
static int64_t sweeps_raised(const struct rating *rating, int64_t n, double elapsed_s)
{
  const double factor = 1.2 * rating->settings->seconds / fmax(elapsed_s, 1e-7);
  const int64_t units = (int64_t)ceil((double)(n / rating->unit) * fmin(16.0, fmax(1.25, factor)));
  if (rating->unit == 1 && units > FEW) return (units + PASS - 2) / PASS * PASS + 1;
  return units * rating->unit;
}

/* Refuses intervals between tests that are too long to be timed, judged by the sweeps of a pass after a first sweep, which
 * may prepare something. */
static hs_status interval_check(struct rating *rating, struct hs_error *err)
{
  double sweep_s = 0.0;
  hs_status status = field_load(rating, err);
  if (!status) status = rating->backend->save(rating->state, err);
  for (int k = 0; !status && k < 2; k++) {
    const int64_t together = k == 0 || sweep_s * PASS > LONGEST_INTERVAL_S ? 1 : PASS;
    const double start_s = hs_time_s();
    status = rating->backend->sweep(rating->state, together, err);
    sweep_s = (hs_time_s() - start_s) / (double)together;
  }
  if (!status && sweep_s * (double)rating->unit > LONGEST_INTERVAL_S)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "%lld sweeps between two tests take more than %.0f s",
                        (long long)rating->unit, LONGEST_INTERVAL_S);
  return status;
}

/* The number of sweeps that one repeat needs. */
static hs_status sweeps_find(struct rating *rating, int64_t *sweeps, struct hs_error *err)
{
  double elapsed_s = 0.0;
  int64_t n = rating->unit;
  hs_status status = rating->unit > 1 ? interval_check(rating, err) : HS_OK;
  if (!status) status = run_time(rating, n, &elapsed_s, err); /* the warm-up */
  while (!status) {
    status = run_time(rating, n, &elapsed_s, err);
    if (elapsed_s >= rating->settings->seconds || n > MOST_SWEEPS) break;
    n = sweeps_raised(rating, n, elapsed_s);
  }
  *sweeps = n;
  return status;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* All repeats of n sweeps; *shortest_s is the time of the shortest. */
static hs_status repeats_time(struct rating *rating, int64_t n, double *times_s, double *shortest_s,
                              struct hs_error *err)
{
  hs_status status = HS_OK;
  *shortest_s = INFINITY;
  for (int k = 0; !status && k < rating->settings->repeats; k++) {
    status = run_time(rating, n, &times_s[k], err);
    *shortest_s = fmin(*shortest_s, times_s[k]);
    if (*shortest_s < rating->settings->seconds) break;
  }
  return status;
}

static hs_status rate_find(struct rating *rating, struct hs_rate *rate, struct hs_error *err)
{
  const int repeats = rating->settings->repeats;
  double times_s[MOST_REPEATS] = {0}, shortest_s = 0.0;
  int64_t n = 0;
  hs_status status = sweeps_find(rating, &n, err);
  for (int k = 0; !status && k <= MOST_RESTARTS; k++) {
    status = repeats_time(rating, n, times_s, &shortest_s, err);
    if (shortest_s >= rating->settings->seconds) break;
    n = sweeps_raised(rating, n, shortest_s);
  }
  if (status) return status;
  if (shortest_s < rating->settings->seconds)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "the clock stands still: no repeat reached %g s",
                        rating->settings->seconds);
  qsort(times_s, (size_t)repeats, sizeof *times_s, compare);
  rate->sweeps = n;
  rate->sweep_s =
      (repeats % 2 ? times_s[repeats / 2] : 0.5 * (times_s[repeats / 2 - 1] + times_s[repeats / 2])) / (double)n;
  rate->spread = (times_s[repeats - 1] - times_s[0]) / ((double)n * rate->sweep_s);
  rate->nodes_per_s = (double)rating->problem->nx * rating->problem->ny / rate->sweep_s;
  return HS_OK;
}

/* Sweeps of a repeat and the longest run from one field, a first interval apart (field_tested). An update falls by a
 * factor e in about n^2/5 sweeps; where an interval is longer than n^2 sweeps, nothing is left of it, and tests are
 * no dearer. */
static void units_set(struct rating *rating)
{
  const struct hs_rate_problem *problem = rating->problem;
  const int64_t narrow = problem->nx < problem->ny ? problem->nx : problem->ny;
  rating->unit = 1;
  rating->leg = INT64_MAX / 2;
  if (rating->settings->mode != HS_RATE_TESTED) return;
  rating->unit = rating->settings->check_every;
  rating->leg = (narrow * narrow / rating->unit - 1) * rating->unit;
  if (rating->leg < rating->unit) rating->leg = rating->unit;
}

/* Refuses what a mode, the backend or the memory cannot take. */
static hs_status case_check(const struct rating *rating, const struct hs_system *system,
                            const struct hs_backend_options *options, struct hs_error *err)
{
  const double nodes = (double)rating->problem->nx * rating->problem->ny;
  double bytes;
  hs_status status;
  if (rating->settings->mode == HS_RATE_TESTED && rating->problem->form == HS_RATE_CHEBYSHEV)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "chebyshev has no test within a run of sweeps");
  if (rating->settings->mode != HS_RATE_SWEEP && rating->problem->form == HS_RATE_MULTIGRID)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "a solution by multigrid has one mode alone, sweep");
  if (rating->problem->form == HS_RATE_MULTIGRID && !rating->backend->linear)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "this backend has no multigrid");
  if (rating->problem->form == HS_RATE_RHS && rating->problem->drawn)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "the problem is steady and has no time step");
  status = rating->backend->probe(system, options, err);
  if (status) return status;
  bytes = rating->backend->cost(system, options).host_bytes + nodes * sizeof(double);
  return hs_memory_check(1.1 * bytes, "the run", err);
}

hs_status hs_rate_measure(const struct hs_rate_problem *problem, const struct hs_system *system,
                          const struct hs_backend *backend, const struct hs_backend_options *options,
                          const struct hs_rate_settings *settings, struct hs_rate *rate, struct hs_error *err)
{
  struct rating rating = {
      .backend = backend, .problem = problem, .settings = settings, .relaxation = relaxation_of(problem)};
  struct hs_backend_options of_form = *options;
  hs_status status;
  of_form.form = rating.relaxation.form;
  of_form.multigrid = problem->form == HS_RATE_MULTIGRID;
  status = case_check(&rating, system, &of_form, err);
  memset(rate, 0, sizeof *rate);
  if (status) return status;
  units_set(&rating);
  status = hs_array_create((void **)&rating.norms, NORM_SWEEPS, sizeof *rating.norms, "norms", err);
  if (!status) status = hs_array_create((void **)&rating.history, HISTORY, sizeof *rating.history, "checks", err);
  if (!status) status = hs_rate_field(problem, system, &rating.field_k, err);
  if (!status) status = backend->create(system, &of_form, &rating.state, err);
  if (!status) status = field_load(&rating, err);
  if (!status) status = backend->save(rating.state, err);
  if (!status && of_form.multigrid)
    status = hs_rate_cycles(&(struct hs_rate_cycles){backend, system, &of_form, settings,
                                                     problem->drawn ? problem->drawn->config : NULL, rating.state},
                            rate, err);
  else if (!status)
    status = rate_find(&rating, rate, err);
  if (!status) {
    struct hs_backend_place place;
    backend->place(rating.state, &place);
    rate->threads = place.threads;
  }
  if (rating.state) backend->destroy(rating.state);
  free(rating.field_k);
  free(rating.history);
  free(rating.norms);
  return status;
}
