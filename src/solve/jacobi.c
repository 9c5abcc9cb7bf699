/* Sweeps of plain and weighted Jacobi until the stop test holds.
 *
 * Events come about ten times a second (pace.h). Where the interval between two evaluations of the test is short against
 * that, the backend makes many intervals between two events (by its own `advance` if it has one); a long interval is
 * swept in several calls. Neither changes a bit of the result.
 */
#include "solve/solution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"

enum {
  HISTORY_FIRST = 64,      /* rows to begin with */
  ADVANCE_CAPACITY = 2048, /* evaluations between two events */
  ADVANCE_LONGEST = 4096   /* check_every up to which a backend's own advance is used */
};

/* Makes room for one more row. */
static hs_status history_grow(struct hs_run *run, struct hs_error *err)
{
  const int room = run->history_room ? 2 * run->history_room : HISTORY_FIRST;
  struct hs_check *rows = NULL;
  const hs_status status = hs_array_create((void **)&rows, (size_t)room, sizeof *rows, "the history", err);
  if (status) return status;
  if (run->history_count) memcpy(rows, run->history, (size_t)run->history_count * sizeof *rows);
  free(run->history);
  run->history = rows;
  run->history_room = room;
  return HS_OK;
}

hs_status hs_run_remember(struct hs_run *run, const struct hs_check *check, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (run->checks_seen++ % run->stride) return HS_OK;
  if (run->history_count == HS_RUN_HISTORY) {
    for (int k = 0; k < HS_RUN_HISTORY / 2; k++) run->history[k] = run->history[2 * k];
    run->history_count = HS_RUN_HISTORY / 2;
    run->stride *= 2;
  }
  if (run->history_count == run->history_room) status = history_grow(run, err);
  if (!status) run->history[run->history_count++] = *check;
  return status;
}

hs_status hs_run_norms(struct hs_run *run, struct hs_norms *norms, struct hs_error *err)
{
  struct hs_bounds bounds = run->stop.bounds;
  hs_status status = run->backend->norms(run->state, &bounds, norms, err);
  if (!status && hs_stop_needs_rescale(norms, &bounds)) {
    bounds.update_max = norms->update_max;
    bounds.residual_max = norms->residual_max;
    status = run->backend->norms(run->state, &bounds, norms, err);
  }
  return status;
}

/* The norms a check needs: all of them, or only the update's when tests are frequent. */
static hs_status check_norms(struct hs_run *run, int64_t sweeps, struct hs_norms *norms, struct hs_error *err)
{
  hs_status status;
  if (run->test.full_norms) {
    status = run->backend->sweep(run->state, sweeps, err);
    return status ? status : run->backend->norms(run->state, &run->stop.bounds, norms, err);
  }
  status = run->backend->sweep(run->state, sweeps - 1, err);
  return status ? status : run->backend->sweep_normed(run->state, 1, &run->stop.bounds, norms, err);
}

/* Evaluates the test on norms of the present field; measures again where a sum had a wrong scale. */
static hs_status check_evaluate(struct hs_run *run, struct hs_norms *norms, struct hs_error *err)
{
  hs_status status = HS_OK;
  const double convergence_rate = run->stop.convergence_rate;
  if (hs_stop_evaluate(&run->test, &run->stop, norms) == HS_VERDICT_RESCALE) {
    status = hs_run_norms(run, norms, err);
    if (status) return status;
    run->stop.bounds.update_max = norms->update_max;
    run->stop.bounds.residual_max = norms->residual_max;
    (void)hs_stop_evaluate(&run->test, &run->stop, norms);
  }
  run->convergence_rate_before = convergence_rate;
  return hs_run_remember(run, &run->stop.check, err);
}

void hs_run_progress(const struct hs_run *run)
{
  struct hs_solve_progress progress = {
      .sweeps = run->stop.sweeps,
      .max_sweeps = run->test.max_sweeps,
      .quantity = run->test.quantity,
      .value = run->stop.last_sweeps ? hs_stop_value(run->test.quantity, &run->stop.check) : NAN,
      .tolerance = run->settings->tolerance,
      .convergence_rate = run->stop.convergence_rate,
      .expected_sweeps = run->settings->expected_sweeps,
      .elapsed_s = hs_time_s() - run->started_s,
  };
  if (run->observer && run->observer->progress) run->observer->progress(run->observer->context, &progress);
}

int64_t hs_run_patience(struct hs_run *run, int64_t start)
{
  /* the first evaluation that may count is that at the end of the interval */
  const int64_t wait = run->ask_from - run->test.check_every - start;
  const bool counts = run->ask_from == 0 || wait <= 0;
  run->test.tolerance = counts ? run->settings->tolerance : -1.0; /* which no norm meets */
  return counts ? 0 : wait;
}

/* Sweeps of the present interval that have been made: 0 but for a run that goes on in the middle of one. */
static int64_t interval_done(const struct hs_run *run)
{
  return run->stop.sweeps % run->test.check_every;
}

/* Sweeps of the present interval. */
static int64_t interval_length(const struct hs_run *run)
{
  const int64_t left = run->test.max_sweeps - (run->stop.sweeps - interval_done(run));
  return left < run->test.check_every ? left : run->test.check_every;
}

/* Saves what a replay of the interval that starts now would need. */
static hs_status interval_begin(struct hs_run *run, struct hs_error *err)
{
  run->bounds_at_save = run->stop.bounds;
  run->value_at_save = hs_stop_value(run->test.quantity, &run->stop.check);
  return run->keep ? run->backend->save(run->state, err) : HS_OK;
}

/* One interval in several calls, with a look at events between them. */
static hs_status interval_in_calls(struct hs_run *run, struct hs_error *err)
{
  const int64_t length = interval_length(run);
  struct hs_norms norms;
  int64_t done = interval_done(run);
  hs_status status = done == 0 ? interval_begin(run, err) : HS_OK;
  for (int64_t sweeps; !status && (sweeps = hs_pace_sweeps(&run->pace)) < length - done; done += sweeps) {
    const double before_s = hs_time_s();
    double elapsed_s = 0.0;
    status = run->backend->sweep(run->state, sweeps, err);
    run->stop.sweeps += sweeps;
    if (!status) status = hs_pace_since(run->comm, before_s, &elapsed_s, err);
    hs_pace_made(&run->pace, sweeps, elapsed_s);
    if (elapsed_s > 0.01) hs_run_progress(run);
    if (!status) status = hs_run_event(run, err);
    if (run->stop.verdict != HS_VERDICT_RUNNING) return status;
  }
  if (!status && done == 0) {
    const double before_s = hs_time_s();
    double elapsed_s = 0.0;
    status = check_norms(run, length, &norms, err);
    if (!status) status = hs_pace_since(run->comm, before_s, &elapsed_s, err);
    hs_pace_made(&run->pace, length, elapsed_s);
  } else if (!status) {
    status = check_norms(run, length - done, &norms, err);
  }
  run->stop.sweeps += length - done;
  if (!status) status = check_evaluate(run, &norms, err);
  return status;
}

/* Whole intervals up to `until` through the general operations. */
static hs_status advance_plainly(struct hs_run *run, int64_t until, struct hs_error *err)
{
  hs_status status = HS_OK;
  while (!status && run->stop.verdict == HS_VERDICT_RUNNING && run->stop.sweeps < until) {
    const int64_t length = interval_length(run);
    struct hs_norms norms;
    status = interval_begin(run, err);
    if (!status) status = check_norms(run, length, &norms, err);
    run->stop.sweeps += length;
    if (!status) status = check_evaluate(run, &norms, err);
  }
  return status;
}

/* The same where the backend takes the test itself. Its evaluations are gone through one by one, so that bounds and
 * convergence rate before the last one are known as after advance_plainly. */
static hs_status advance_on_backend(struct hs_run *run, int64_t until, struct hs_error *err)
{
  struct hs_intervals intervals = {
      .test = &run->test, .keep = run->keep, .until = until, .stop = &run->stop, .capacity = ADVANCE_CAPACITY};
  struct hs_stop_state before = run->stop;
  double value = hs_stop_value(run->test.quantity, &run->stop.check);
  hs_status status = HS_OK;
  if (!run->fresh) {
    status = hs_array_create((void **)&run->fresh, ADVANCE_CAPACITY, sizeof *run->fresh, "the evaluations", err);
    if (status) return status;
  }
  intervals.history = run->fresh;
  status = run->backend->advance(run->state, &intervals, err);
  if (status) return status;
  for (int k = 0; k < intervals.count; k++) {
    const struct hs_check *check = &run->fresh[k];
    run->bounds_at_save = before.bounds;
    run->value_at_save = value;
    run->convergence_rate_before = before.convergence_rate;
    value = hs_stop_value(run->test.quantity, check);
    before.convergence_rate =
        hs_stop_convergence_rate(before.last_update_l2, check->norms.update_l2, check->sweeps - before.last_sweeps);
    before.last_update_l2 = check->norms.update_l2;
    before.last_sweeps = check->sweeps;
    before.bounds.update_max = check->norms.update_max;
    if (run->test.full_norms) before.bounds.residual_max = check->norms.residual_max;
    status = hs_run_remember(run, check, err);
    if (status) return status;
  }
  if (run->stop.verdict == HS_VERDICT_RESCALE) {
    struct hs_norms norms;
    run->bounds_at_save = before.bounds;
    run->value_at_save = value;
    status = hs_run_norms(run, &norms, err);
    if (status) return status;
    run->stop.bounds.update_max = norms.update_max;
    run->stop.bounds.residual_max = norms.residual_max;
    status = check_evaluate(run, &norms, err);
  }
  return status;
}

/* Makes *chunk intervals, and adapts their number to about one event period. */
static hs_status batch(struct hs_run *run, int64_t *chunk, struct hs_error *err)
{
  const int64_t start = run->stop.sweeps;
  const double before_s = hs_time_s();
  const int64_t patience = hs_run_patience(run, start);
  int64_t until = start + *chunk * run->test.check_every;
  double elapsed_s = 0.0;
  hs_status status;
  if (patience > 0 && until > start + patience) until = start + patience;
  if (run->backend->advance && run->test.check_every <= ADVANCE_LONGEST &&
      run->test.max_sweeps - start >= run->test.check_every)
    status = advance_on_backend(run, until < run->test.max_sweeps ? until : run->test.max_sweeps, err);
  else
    status = advance_plainly(run, until, err);
  if (!status) status = hs_pace_since(run->comm, before_s, &elapsed_s, err);
  hs_pace_rate(&run->pace, run->stop.sweeps - start, elapsed_s);
  if (elapsed_s < 0.5 * HS_PACE_PERIOD_S && *chunk < ADVANCE_CAPACITY)
    *chunk *= 2;
  else if (elapsed_s > 1.5 * HS_PACE_PERIOD_S)
    *chunk = (int64_t)fmax(1.0, (double)*chunk * HS_PACE_PERIOD_S / elapsed_s);
  return status;
}

/* Number of intervals to begin with: those of a small share of an event period, since the rate is only expected. */
static int64_t first_chunk(const struct hs_run *run)
{
  const double chunk = 0.05 * HS_PACE_PERIOD_S * run->pace.rate_sweeps_s / run->test.check_every;
  return chunk < 1.0 ? 1 : chunk < ADVANCE_CAPACITY ? (int64_t)chunk : ADVANCE_CAPACITY;
}

hs_status hs_run_sweep(struct hs_run *run, struct hs_error *err)
{
  int64_t chunk = first_chunk(run);
  hs_status status = HS_OK;
  while (!status && run->stop.verdict == HS_VERDICT_RUNNING) {
    const int64_t done = interval_done(run);
    const bool long_interval = run->pace.rate_sweeps_s * HS_PACE_PERIOD_S < run->test.check_every;
    (void)hs_run_patience(run, run->stop.sweeps - done);
    status = long_interval || done > 0 ? interval_in_calls(run, err) : batch(run, &chunk, err);
    hs_run_progress(run);
    if (!status && run->stop.verdict == HS_VERDICT_RUNNING) status = hs_run_event(run, err);
  }
  return status;
}
