/* The loop over the points of all curves, smallest grids first.
 *
 * Systems of one size are made once for all backends; the four kinds on one material share a system. A curve ends when
 * a point took longer than LONGEST_POINT_S, its set-up included, or LONGEST_QUICK_S: the next one, of four times the nodes,
 * would take four times as long, and beyond its end a curve grows like the nodes anyway. The whole ends at LONGEST_S, whatever
 * is left.
 */
#include "bench/tune.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "bench/bench.h"

enum { DEVICE_SIZE = 16384, QUICK_SIZE = 1024, MOST_BACKENDS = 16 };
static const int sizes[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, DEVICE_SIZE};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };
static const double LONGEST_POINT_S = 1.5, LONGEST_QUICK_S = 0.3, LONGEST_S = 150.0;

/* What each kind measures. */
static const struct {
  enum hs_rate_pattern pattern;
  enum hs_rate_form form;
} kinds[HS_TUNING_KINDS] = {
    [HS_TUNING_UNIFORM] = {HS_RATE_UNIFORM, HS_RATE_PLAIN},
    [HS_TUNING_MIXED] = {HS_RATE_STRIPES, HS_RATE_PLAIN},
    [HS_TUNING_WEIGHTED] = {HS_RATE_UNIFORM, HS_RATE_WEIGHTED},
    [HS_TUNING_CHEBYSHEV] = {HS_RATE_UNIFORM, HS_RATE_CHEBYSHEV},
    [HS_TUNING_RHS] = {HS_RATE_UNIFORM, HS_RATE_RHS},
    [HS_TUNING_MAP] = {HS_RATE_MAP, HS_RATE_PLAIN},
    [HS_TUNING_CYCLE] = {HS_RATE_UNIFORM, HS_RATE_MULTIGRID},
};

struct tuner {
  const struct hs_tune_settings *settings;
  const struct hs_tune_observer *observer;
  struct hs_tuning *tuning;
  bool usable[MOST_BACKENDS], on_device[MOST_BACKENDS];
  bool ended[MOST_BACKENDS][HS_TUNING_KINDS][2]; /* curves that grow no longer */
  double started_s;
  int done, total; /* points */
};

/* Number of sizes to measure. */
static int size_count(const struct hs_tune_settings *settings)
{
  int count = 0;
  while (count < SIZE_COUNT && (!settings->quick || sizes[count] <= QUICK_SIZE)) count++;
  return count;
}

static bool must_stop(const struct tuner *tuner)
{
  return (tuner->observer->stop && *tuner->observer->stop) || hs_time_s() - tuner->started_s > LONGEST_S;
}

/* One point. A case that cannot be measured ends its curve. */
static hs_status point_run(struct tuner *tuner, const struct hs_rate_problem *problem, const struct hs_system *system,
                           int b, enum hs_tuning_kind kind, bool single, struct hs_error *err)
{
  const struct hs_backend *backend = tuner->settings->backend[b];
  const struct hs_backend_options options = {
      .single = single, .threads_most = hs_backend_processors(), .threads_stay = true};
  const struct hs_rate_settings settings = {
      .mode = HS_RATE_SWEEP, .check_every = 256, .seconds = tuner->settings->quick ? 0.004 : 0.03, .repeats = 3};
  struct hs_tune_point point = {backend->name, kind, single, problem->nx, NAN};
  const double start_s = hs_time_s(), longest_s = tuner->settings->quick ? LONGEST_QUICK_S : LONGEST_POINT_S;
  struct hs_error why = {0};
  struct hs_rate rate;
  hs_status status = HS_OK;
  if (!hs_rate_measure(problem, system, backend, &options, &settings, &rate, &why)) {
    point.sweep_s = rate.sweep_s;
    status =
        hs_tuning_add(tuner->tuning, backend->name, kind, single, (double)problem->nx * problem->ny, rate.sweep_s, err);
  }
  if (isnan(point.sweep_s) || hs_time_s() - start_s > longest_s) tuner->ended[b][kind][single] = true;
  if (tuner->observer->point)
    tuner->observer->point(tuner->observer->context, &point, (double)tuner->done / tuner->total);
  return status;
}

/* Does a backend's curve go on at this size? */
static bool is_due(const struct tuner *tuner, int b, enum hs_tuning_kind kind, bool single, int size)
{
  return tuner->usable[b] && !tuner->ended[b][kind][single] && (size < DEVICE_SIZE || tuner->on_device[b]);
}

/* Is any point of a pattern due? Else its system need not be made. */
static bool pattern_due(const struct tuner *tuner, enum hs_rate_pattern pattern, int size)
{
  bool due = false;
  for (int b = 0; b < tuner->settings->backend_count; b++)
    for (int k = 0; k < HS_TUNING_KINDS; k++)
      for (int single = 0; single < 2; single++)
        due = due || (kinds[k].pattern == pattern && is_due(tuner, b, (enum hs_tuning_kind)k, single, size));
  return due;
}

/* All curves of one kind at one size. */
static hs_status kind_run(struct tuner *tuner, struct hs_rate_problem *problem, struct hs_system *system,
                          enum hs_tuning_kind kind, struct hs_error *err)
{
  hs_status status = HS_OK;
  problem->form = kinds[kind].form;
  if (system) hs_rate_system_form(problem->form, system);
  for (int b = 0; b < tuner->settings->backend_count; b++)
    for (int single = 0; single < 2; single++) {
      tuner->done += tuner->usable[b];
      if (status || !system || must_stop(tuner) || !is_due(tuner, b, kind, single, problem->nx)) continue;
      status = point_run(tuner, problem, system, b, kind, single, err);
    }
  return status;
}

/* All kinds on one pattern. Where its system does not fit, its curves end. */
static hs_status pattern_run(struct tuner *tuner, enum hs_rate_pattern pattern, int size, struct hs_error *err)
{
  struct hs_rate_problem problem = {.nx = size, .ny = size, .pattern = pattern, .source = true};
  struct hs_system *system = NULL;
  struct hs_error ignored = {0};
  hs_status status = HS_OK;
  if (!must_stop(tuner) && pattern_due(tuner, pattern, size)) (void)hs_rate_system(&problem, &system, &ignored);
  for (int kind = 0; !status && kind < HS_TUNING_KINDS; kind++)
    if (kinds[kind].pattern == pattern) status = kind_run(tuner, &problem, system, (enum hs_tuning_kind)kind, err);
  hs_system_destroy(system);
  return status;
}

/* Which backends can run here; refused when none can. */
static hs_status backends_find(struct tuner *tuner, struct hs_error *err)
{
  const struct hs_backend_options options = {.threads = 0};
  int usable = 0;
  hs_status first = HS_ERR_UNSUPPORTED;
  char reasons[512] = "";
  for (int b = 0; b < tuner->settings->backend_count && b < MOST_BACKENDS; b++) {
    struct hs_error why = {0};
    const hs_status status = hs_bench_place(tuner->settings->backend[b], &options, &tuner->on_device[b], &why);
    tuner->usable[b] = status == HS_OK;
    usable += tuner->usable[b];
    if (!status) continue;
    if (!reasons[0]) first = status;
    snprintf(reasons + strlen(reasons), sizeof reasons - strlen(reasons), "%s%s: %.120s", reasons[0] ? "; " : "",
             tuner->settings->backend[b]->name, why.text);
  }
  if (!usable) return hs_error_set(err, first, "there is nothing to measure; %s", reasons);
  tuner->total = usable * 2 * HS_TUNING_KINDS * size_count(tuner->settings);
  return HS_OK;
}

hs_status hs_tune_run(const struct hs_tune_settings *settings, const struct hs_tune_observer *observer,
                      struct hs_tuning *tuning, bool *stopped, struct hs_error *err)
{
  struct tuner *tuner = calloc(1, sizeof *tuner);
  hs_status status;
  *stopped = false;
  if (!tuner) return hs_error_set(err, HS_ERR_MEMORY, "not enough memory to measure");
  tuner->settings = settings;
  tuner->observer = observer;
  tuner->tuning = tuning;
  tuner->started_s = hs_time_s();
  hs_backend_threads_use(hs_backend_processors()); /* for which the measured costs stand */
  status = backends_find(tuner, err);
  for (int s = 0; s < size_count(settings); s++)
    for (int pattern = 0; !status && pattern < HS_RATE_PATTERNS; pattern++)
      status = pattern_run(tuner, (enum hs_rate_pattern)pattern, sizes[s], err);
  *stopped = observer->stop && *observer->stop;
  free(tuner);
  return status;
}
