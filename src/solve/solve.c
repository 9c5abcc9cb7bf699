/* The run: sweeps in stretches between events until the stop test holds.
 *
 * Method. The test is evaluated every check_every sweeps. Where the tested norm falls
 * monotonically, the first sweep at which it holds lies in the interval before the first
 * evaluation that holds: the field at that interval's start was saved, the interval is replayed
 * with the norm of every sweep, and the run ends at the first sweep that meets the tolerance. So a
 * test at every sweep costs a test at every interval.
 *
 * Events (progress, signals) come about ten times a second. While an interval is short against
 * that, the backend is left alone for many intervals (its own `advance` if it has one); a long
 * interval is swept in pieces. Neither changes a bit of the result.
 */
#include "solve/solve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"

static const double EVENT_PERIOD_S = 0.1;

enum {
  HISTORY_CAPACITY = 8192, /* rows kept; when full, every second one is dropped */
  ADVANCE_CAPACITY = 2048, /* evaluations between two events */
  FULL_NORMS_FROM = 16,    /* check_every from which an evaluation computes all norms */
  ADVANCE_LONGEST = 1024   /* check_every up to which a backend's own advance is used */
};

struct run {
  const struct hs_backend *backend;
  struct hs_backend_state *state;
  const struct hs_solve_observer *observer;
  struct hs_stop_test test;
  struct hs_stop_state stop;
  bool keep; /* save the field at every interval's start, for the replay */
  struct hs_bounds bounds_at_save;
  double value_at_save; /* of the tested quantity */
  double decay_before;  /* of the interval before the last one */
  double rate_sweeps_s; /* measured, 0 while unknown */
  double started_s;
  struct hs_check *fresh;   /* [ADVANCE_CAPACITY] evaluations since the last event */
  struct hs_check *history; /* [HISTORY_CAPACITY] */
  int history_count;
  int64_t checks_seen, stride; /* every stride-th evaluation is kept */
};

bool hs_solve_stop_is_exact(const struct hs_system *system, enum hs_stop_quantity quantity)
{
  return quantity == HS_STOP_UPDATE_MAX || (quantity == HS_STOP_UPDATE_L2 && system->symmetric);
}

const char *hs_verdict_name(enum hs_verdict verdict)
{
  switch (verdict) {
  case HS_VERDICT_CONVERGED: return "converged";
  case HS_VERDICT_LIMIT: return "iteration-limit";
  case HS_VERDICT_DIVERGED: return "diverged";
  case HS_VERDICT_STAGNATED: return "stagnated";
  case HS_VERDICT_INTERRUPTED: return "interrupted";
  default: return "running";
  }
}

int hs_verdict_exit_code(enum hs_verdict verdict)
{
  switch (verdict) {
  case HS_VERDICT_CONVERGED: return HS_EXIT_OK;
  case HS_VERDICT_LIMIT: return HS_EXIT_LIMIT;
  case HS_VERDICT_STAGNATED: return HS_EXIT_LIMIT;
  case HS_VERDICT_DIVERGED: return HS_EXIT_DIVERGED;
  case HS_VERDICT_INTERRUPTED: return HS_EXIT_INTERRUPTED;
  default: return HS_EXIT_DIFFERENT;
  }
}

/* Keeps every stride-th evaluation; a full history drops every second row and doubles the stride. */
static void history_add(struct run *run, const struct hs_check *check)
{
  if (run->checks_seen++ % run->stride) return;
  if (run->history_count == HISTORY_CAPACITY) {
    for (int k = 0; k < HISTORY_CAPACITY / 2; k++) run->history[k] = run->history[2 * k];
    run->history_count = HISTORY_CAPACITY / 2;
    run->stride *= 2;
  }
  run->history[run->history_count++] = *check;
}

/* All norms with sums scaled for the maxima found, whatever was expected. */
static hs_status norms_measure(struct run *run, struct hs_norms *norms, struct hs_error *err)
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
static hs_status check_norms(struct run *run, int64_t sweeps, struct hs_norms *norms, struct hs_error *err)
{
  hs_status status;
  if (run->test.full_norms) {
    status = run->backend->sweep(run->state, sweeps, err);
    return status ? status : run->backend->norms(run->state, &run->stop.bounds, norms, err);
  }
  status = run->backend->sweep(run->state, sweeps - 1, err);
  return status ? status : run->backend->sweep_normed(run->state, 1, &run->stop.bounds, norms, err);
}

/* Evaluates the test on norms of the present field, measuring again where a sum was scaled too low. */
static hs_status check_evaluate(struct run *run, struct hs_norms *norms, struct hs_error *err)
{
  hs_status status = HS_OK;
  const double decay = run->stop.decay;
  if (hs_stop_evaluate(&run->test, &run->stop, norms) == HS_VERDICT_RESCALE) {
    status = norms_measure(run, norms, err);
    if (status) return status;
    run->stop.bounds.update_max = norms->update_max;
    run->stop.bounds.residual_max = norms->residual_max;
    (void)hs_stop_evaluate(&run->test, &run->stop, norms);
  }
  run->decay_before = decay;
  history_add(run, &run->stop.check);
  return status;
}

static bool stop_requested(const struct run *run)
{
  return run->observer && run->observer->stop_requested && *run->observer->stop_requested;
}

static void progress_report(const struct run *run)
{
  struct hs_solve_progress progress = {
      .sweeps = run->stop.sweeps,
      .max_sweeps = run->test.max_sweeps,
      .quantity = run->test.quantity,
      .value = run->stop.last_sweeps ? hs_stop_value(run->test.quantity, &run->stop.check) : NAN,
      .tolerance = run->test.tolerance,
      .decay = run->stop.decay,
      .elapsed_s = hs_time_s() - run->started_s,
  };
  if (run->observer && run->observer->progress) run->observer->progress(run->observer->context, &progress);
}

static void rate_update(struct run *run, int64_t sweeps, double elapsed_s)
{
  if (elapsed_s > 1e-4) run->rate_sweeps_s = (double)sweeps / elapsed_s;
}

/* Sweeps of the interval that starts now. */
static int64_t interval_length(const struct run *run)
{
  const int64_t left = run->test.max_sweeps - run->stop.sweeps;
  return left < run->test.check_every ? left : run->test.check_every;
}

/* Saves the field at an interval's start, once for the replay. */
static hs_status interval_begin(struct run *run, struct hs_error *err)
{
  run->bounds_at_save = run->stop.bounds;
  run->value_at_save = hs_stop_value(run->test.quantity, &run->stop.check);
  return run->keep ? run->backend->save(run->state, err) : HS_OK;
}

/* One interval in pieces of about an event period, looking for events between them. The first
 * pieces double in size until the rate is known. */
static hs_status interval_in_pieces(struct run *run, struct hs_error *err)
{
  const int64_t length = interval_length(run);
  struct hs_norms norms;
  int64_t done = 0, piece = 1;
  hs_status status = interval_begin(run, err);
  while (!status && length - done > 1) {
    const double before_s = hs_time_s();
    double elapsed_s;
    if (piece > length - done - 1) piece = length - done - 1;
    status = run->backend->sweep(run->state, piece, err);
    done += piece;
    run->stop.sweeps += piece;
    elapsed_s = hs_time_s() - before_s;
    rate_update(run, piece, elapsed_s);
    piece = elapsed_s < 0.5 * EVENT_PERIOD_S ? 2 * piece : (int64_t)fmax(1.0, EVENT_PERIOD_S * run->rate_sweeps_s);
    if (elapsed_s > 0.01) progress_report(run);
    if (!status && stop_requested(run)) {
      run->stop.verdict = HS_VERDICT_INTERRUPTED;
      return HS_OK;
    }
  }
  if (!status) status = check_norms(run, length - done, &norms, err);
  run->stop.sweeps += length - done;
  if (!status) status = check_evaluate(run, &norms, err);
  return status;
}

/* Whole intervals up to `until` through the general operations. */
static hs_status advance_plainly(struct run *run, int64_t until, struct hs_error *err)
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

/* The same where the backend takes the test itself. The bounds and the decay before the last
 * evaluation are those of the evaluation before it. */
static hs_status advance_on_backend(struct run *run, int64_t until, struct hs_error *err)
{
  int count = 0;
  struct hs_stop_state before = run->stop;
  double value = hs_stop_value(run->test.quantity, &run->stop.check);
  hs_status status = run->backend->advance(run->state, &run->test, run->keep, until, &run->stop, run->fresh,
                                           ADVANCE_CAPACITY, &count, err);
  if (status) return status;
  for (int k = 0; k < count; k++) {
    const struct hs_check *check = &run->fresh[k];
    run->bounds_at_save = before.bounds;
    run->value_at_save = value;
    run->decay_before = before.decay;
    value = hs_stop_value(run->test.quantity, check);
    before.decay = hs_stop_decay(before.last_update_l2, check->norms.update_l2, check->sweeps - before.last_sweeps);
    before.last_update_l2 = check->norms.update_l2;
    before.last_sweeps = check->sweeps;
    before.bounds.update_max = check->norms.update_max;
    if (run->test.full_norms) before.bounds.residual_max = check->norms.residual_max;
    history_add(run, check);
  }
  if (run->stop.verdict == HS_VERDICT_RESCALE) {
    struct hs_norms norms;
    run->bounds_at_save = before.bounds;
    run->value_at_save = value;
    status = norms_measure(run, &norms, err);
    if (status) return status;
    run->stop.bounds.update_max = norms.update_max;
    run->stop.bounds.residual_max = norms.residual_max;
    status = check_evaluate(run, &norms, err);
  }
  return status;
}

/* Intervals for about one event period; `chunk` intervals, adapted to the time they take. */
static hs_status stretch(struct run *run, int64_t *chunk, struct hs_error *err)
{
  const int64_t start = run->stop.sweeps;
  const double before_s = hs_time_s();
  const int64_t until = start + *chunk * run->test.check_every;
  double elapsed_s;
  hs_status status;
  if (run->backend->advance && run->test.check_every <= ADVANCE_LONGEST &&
      run->test.max_sweeps - start >= run->test.check_every)
    status = advance_on_backend(run, until < run->test.max_sweeps ? until : run->test.max_sweeps, err);
  else
    status = advance_plainly(run, until, err);
  elapsed_s = hs_time_s() - before_s;
  rate_update(run, run->stop.sweeps - start, elapsed_s);
  if (elapsed_s < 0.5 * EVENT_PERIOD_S && *chunk < ADVANCE_CAPACITY)
    *chunk *= 2;
  else if (elapsed_s > 1.5 * EVENT_PERIOD_S)
    *chunk = (int64_t)fmax(1.0, (double)*chunk * EVENT_PERIOD_S / elapsed_s);
  return status;
}

/* Intervals of the first stretch: a small part of an event period, since the rate is only expected. */
static int64_t first_chunk(const struct run *run)
{
  const double chunk = 0.05 * EVENT_PERIOD_S * run->rate_sweeps_s / run->test.check_every;
  return chunk < 1.0 ? 1 : chunk < ADVANCE_CAPACITY ? (int64_t)chunk : ADVANCE_CAPACITY;
}

static hs_status sweeps_until_verdict(struct run *run, struct hs_error *err)
{
  int64_t chunk = first_chunk(run);
  hs_status status = HS_OK;
  while (!status && run->stop.verdict == HS_VERDICT_RUNNING) {
    const bool long_interval = run->rate_sweeps_s * EVENT_PERIOD_S < run->test.check_every;
    status = long_interval ? interval_in_pieces(run, err) : stretch(run, &chunk, err);
    progress_report(run);
    if (!status && run->stop.verdict == HS_VERDICT_RUNNING && stop_requested(run))
      run->stop.verdict = HS_VERDICT_INTERRUPTED;
  }
  return status;
}

/* First of `count` sweeps, 1-based, whose update meets the tolerance; 0 if none does. */
static int64_t first_met(const struct run *run, const struct hs_norms *norms, int64_t count)
{
  for (int64_t k = 0; k < count; k++) {
    const double value = run->test.quantity == HS_STOP_UPDATE_MAX ? norms[k].update_max : norms[k].update_l2;
    if (value <= run->test.tolerance) return k + 1;
  }
  return 0;
}

/* Sweeps of the next batch of a replay, after one of `batch` sweeps that began at `bound`: more while the
 * norms fall slowly, so that all of a batch suit the scale of its start; single ones stay single. */
static int64_t next_batch(int64_t batch, double bound, double now)
{
  return batch > 1 && now * 4.0 > bound ? 2 * batch : batch;
}

/* Sweeps of an interval that can be made without a look, by geometric interpolation between the norm at
 * its start and at its end: a few less than where the test should hold. */
static int64_t replay_skip(const struct run *run, int64_t length)
{
  const struct hs_norms *end = &run->stop.check.norms;
  const double from = run->value_at_save;
  const double to = run->test.quantity == HS_STOP_UPDATE_MAX ? end->update_max : end->update_l2;
  double skip;
  if (!(from > run->test.tolerance) || !(to > 0.0)) return 0;
  skip = floor((double)length * log(from / run->test.tolerance) / log(from / to)) - 4.0;
  return skip > 0.0 && skip < (double)length ? (int64_t)skip : 0;
}

/* Sweeps of an interval of `length`, 1-based, after which the test first holds: after `skip` sweeps
 * without a look, norm by norm. norms is [length], its first `skip` rows are left alone. *met is 0 when
 * the test held before the first look, so that too much was skipped. */
static hs_status replay_search(struct run *run, int64_t length, int64_t skip, struct hs_norms *norms, int64_t *met,
                               struct hs_error *err)
{
  struct hs_bounds bounds = run->bounds_at_save;
  int64_t done = skip, batch = skip > 0 ? 1 : 8; /* close to the end, no sweep too many */
  hs_status status = run->backend->restore(run->state, err);
  if (!status) status = run->backend->sweep(run->state, skip, err);
  *met = 0;
  while (!status && !*met && done < length) {
    int64_t found;
    if (batch > length - done) batch = length - done;
    status = run->backend->sweep_normed(run->state, batch, &bounds, norms + done, err);
    if (status) return status;
    found = first_met(run, norms + done, batch);
    if (found == 1 && skip > 0 && done == skip) return HS_OK;
    if (found) *met = done + found;
    done += batch;
    batch = next_batch(batch, bounds.update_max, norms[done - 1].update_max);
    bounds.update_max = norms[done - 1].update_max;
  }
  if (!*met) *met = length;
  if (!status && *met < done) {
    status = run->backend->restore(run->state, err);
    if (!status) status = run->backend->sweep(run->state, *met, err);
  }
  return status;
}

/* Back to the last interval's start, and forward to the first sweep at which the test holds. */
static hs_status replay(struct run *run, int64_t interval_start, struct hs_error *err)
{
  const int64_t length = run->stop.sweeps - interval_start;
  struct hs_norms *norms = NULL;
  int64_t met = 0;
  hs_status status = hs_array_create((void **)&norms, (size_t)length, sizeof *norms, "the norms of a replay", err);
  if (!status && interval_start > 0) status = replay_search(run, length, replay_skip(run, length), norms, &met, err);
  if (!status && !met) status = replay_search(run, length, 0, norms, &met, err);
  if (status) goto out;
  run->stop.sweeps = interval_start + met;
  if (interval_start == 0 && met >= 3) {
    /* no earlier evaluation to take the decay from: use the halves of the interval */
    const int64_t middle = met / 2;
    run->decay_before = hs_stop_decay(norms[0].update_l2, norms[middle].update_l2, middle);
    run->stop.decay = hs_stop_decay(norms[middle].update_l2, norms[met - 1].update_l2, met - 1 - middle);
  }
out:
  free(norms);
  return status;
}

/* Sweeps between the two looks that the last two decays were taken from. */
static int64_t interval_before(const struct run *run)
{
  return run->stop.sweeps < run->test.check_every ? run->stop.sweeps / 2 : run->test.check_every;
}

/* Norms, error estimate and history of the field where the run ended. */
static hs_status outcome_fill(struct run *run, struct hs_solve_outcome *outcome, struct hs_error *err)
{
  struct hs_check *last = run->history_count ? &run->history[run->history_count - 1] : NULL;
  struct hs_norms *norms = &outcome->norms;
  hs_status status = norms_measure(run, norms, err);
  if (status) return status;
  outcome->verdict = (enum hs_verdict)run->stop.verdict;
  outcome->sweeps = run->stop.sweeps;
  outcome->residual_initial_l2 = run->test.residual_initial_l2;
  outcome->residual_relative = norms->residual_l2 == 0.0 ? 0.0 : norms->residual_l2 / run->test.residual_initial_l2;
  outcome->decay = run->stop.decay > 0.0 ? run->stop.decay : run->stop.decay_settled; /* of before a stagnation */
  outcome->error_estimate_k = hs_stop_error_estimate(norms->two_sweep_max, outcome->decay);
  outcome->error_settled = norms->two_sweep_max == 0.0 ||
                           hs_stop_settled(run->stop.decay, run->decay_before, interval_before(run), run->stop.sweeps);
  outcome->exact_stop = run->keep || run->test.check_every == 1;

  while (last && last->sweeps >= run->stop.sweeps && run->history_count > 0) {
    run->history_count--;
    last = run->history_count ? &run->history[run->history_count - 1] : NULL;
  }
  if (run->history_count == HISTORY_CAPACITY) run->history_count--;
  last = &run->history[run->history_count++];
  last->sweeps = run->stop.sweeps;
  last->norms = *norms;
  last->residual_relative = outcome->residual_relative;
  last->error_estimate_k = outcome->error_estimate_k;
  outcome->history = run->history;
  outcome->history_count = run->history_count;
  run->history = NULL;
  return HS_OK;
}

/* The first norms: what later residuals and growth are measured against, and the first bounds. */
static hs_status test_begin(struct run *run, const struct hs_solve_settings *settings, struct hs_error *err)
{
  struct hs_norms norms;
  hs_status status;
  run->test.quantity = settings->quantity;
  run->test.tolerance = settings->tolerance;
  run->test.max_sweeps = settings->max_iterations;
  run->test.check_every = settings->check_every;
  run->test.full_norms = settings->quantity == HS_STOP_RESIDUAL || settings->quantity == HS_STOP_ERROR ||
                         settings->check_every >= FULL_NORMS_FROM;
  status = norms_measure(run, &norms, err);
  run->test.residual_initial_l2 = norms.residual_l2;
  run->test.update_first_max = norms.two_sweep_max;
  run->stop.bounds.update_max = norms.two_sweep_max;
  run->stop.bounds.residual_max = norms.residual_max;
  return status;
}

hs_status hs_solve(const struct hs_system *system, const struct hs_solve_settings *settings,
                   const struct hs_backend *backend, struct hs_backend_state *state,
                   const struct hs_solve_observer *observer, struct hs_solve_outcome *outcome, struct hs_error *err)
{
  struct run run = {.backend = backend, .state = state, .observer = observer, .stride = 1};
  hs_status status;
  memset(outcome, 0, sizeof *outcome);
  status = hs_array_create((void **)&run.fresh, ADVANCE_CAPACITY, sizeof *run.fresh, "the evaluations", err);
  if (!status)
    status = hs_array_create((void **)&run.history, HISTORY_CAPACITY, sizeof *run.history, "the history", err);
  if (status) goto out;

  run.started_s = hs_time_s();
  if (settings->sweep_s > 0.0) run.rate_sweeps_s = 1.0 / settings->sweep_s;
  run.keep = hs_solve_stop_is_exact(system, settings->quantity) && settings->check_every > 1;
  status = test_begin(&run, settings, err);
  if (!status) status = sweeps_until_verdict(&run, err);
  if (!status && run.stop.verdict == HS_VERDICT_CONVERGED && run.keep) {
    const int64_t length = (run.stop.sweeps - 1) % run.test.check_every + 1;
    status = replay(&run, run.stop.sweeps - length, err);
  }
  if (!status) status = outcome_fill(&run, outcome, err);
  outcome->solve_s = hs_time_s() - run.started_s;
out:
  free(run.history);
  free(run.fresh);
  return status;
}

void hs_solve_outcome_clear(struct hs_solve_outcome *outcome)
{
  free(outcome->history);
  outcome->history = NULL;
  outcome->history_count = 0;
}
