/* The exact stop sweep: the interval before the first evaluation that holds is swept once more, with a test at every
 * sweep.
 *
 * Where the tested norm falls monotonically, the first sweep at which the test holds lies in that interval, and the field
 * at its start was saved. So the result is that of a test at every sweep, for the price of a test at every interval.
 */
#include "solve/solution.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/timer.h"

/* First of `count` sweeps, 1-based, whose update meets the tolerance; 0 if none does. */
static int64_t first_met(const struct hs_run *run, const struct hs_norms *norms, int64_t count)
{
  for (int64_t k = 0; k < count; k++) {
    const double value = run->test.quantity == HS_STOP_UPDATE_MAX ? norms[k].update_max : norms[k].update_l2;
    if (value <= run->test.tolerance) return k + 1;
  }
  return 0;
}

/* Sweeps of the next batch of a replay, after one of `batch` sweeps whose norm fell from `bound` to `now`. All sums of a
 * batch have the scale of its start, so batches grow only while norms fall slowly. A batch of one stays one. */
static int64_t next_batch(int64_t batch, double bound, double now)
{
  return batch > 1 && now * 4.0 > bound ? 2 * batch : batch;
}

/* Sweeps of an interval that need no test, by geometric interpolation between the norms at its start and its end: a few less
 * than where the test should hold. */
static int64_t replay_skip(const struct hs_run *run, int64_t length)
{
  const struct hs_norms *end = &run->stop.check.norms;
  const double from = run->value_at_save;
  const double to = run->test.quantity == HS_STOP_UPDATE_MAX ? end->update_max : end->update_l2;
  double skip;
  if (!(from > run->test.tolerance) || !(to > 0.0)) return 0;
  skip = floor((double)length * log(from / run->test.tolerance) / log(from / to)) - 4.0;
  return skip > 0.0 && skip < (double)length ? (int64_t)skip : 0;
}

static bool is_interrupted(const struct hs_run *run)
{
  return run->stop.verdict == HS_VERDICT_INTERRUPTED;
}

hs_status hs_run_forward(struct hs_run *run, int64_t sweeps, int64_t *made, struct hs_error *err)
{
  int64_t done = 0;
  hs_status status = run->backend->restore(run->state, err);
  while (!status && done < sweeps && !is_interrupted(run)) {
    const int64_t most = hs_pace_sweeps(&run->pace), count = most < sweeps - done ? most : sweeps - done;
    const double before_s = hs_time_s();
    double elapsed_s = 0.0;
    status = run->backend->sweep(run->state, count, err);
    if (!status) status = hs_pace_since(run->comm, before_s, &elapsed_s, err);
    hs_pace_made(&run->pace, count, elapsed_s);
    done += count;
    if (!status && done < sweeps) status = hs_run_event(run, err);
  }
  *made = done;
  return status;
}

/* Finds *met, the sweeps of an interval of `length` after which the test first holds, by testing every sweep but the first
 * `skip`. norms is [length], its first `skip` rows are not set. *met is 0 where the first tested sweep meets the test
 * already, so that too much was skipped. Where the run is interrupted, *met is what has been swept. */
static hs_status replay_search(struct hs_run *run, int64_t length, int64_t skip, struct hs_norms *norms, int64_t *met,
                               struct hs_error *err)
{
  struct hs_bounds bounds = run->bounds_at_save;
  int64_t done = skip, batch = skip > 0 ? 1 : 8; /* near the end: no sweep too many */
  hs_status status = hs_run_forward(run, skip, met, err);
  if (is_interrupted(run)) return status;
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
    if (!found && done < length) status = hs_run_event(run, err);
    if (is_interrupted(run)) {
      *met = done;
      return status;
    }
    batch = next_batch(batch, bounds.update_max, norms[done - 1].update_max);
    bounds.update_max = norms[done - 1].update_max;
  }
  if (!*met) *met = length;
  return status || *met == done ? status : hs_run_forward(run, *met, met, err);
}

hs_status hs_run_replay(struct hs_run *run, int64_t length, struct hs_error *err)
{
  const int64_t interval_start = run->stop.sweeps - length;
  struct hs_norms *norms = NULL;
  int64_t met = 0;
  hs_status status = hs_array_create((void **)&norms, (size_t)length, sizeof *norms, "the norms of a replay", err);
  if (!status && interval_start > 0) status = replay_search(run, length, replay_skip(run, length), norms, &met, err);
  if (!status && !met && !is_interrupted(run)) status = replay_search(run, length, 0, norms, &met, err);
  if (status) goto out;
  run->stop.sweeps = interval_start + met;
  if (is_interrupted(run)) goto out;
  if (interval_start == 0 && met >= 3) {
    /* there is no earlier evaluation for the convergence rate: take the two halves of the interval */
    const int64_t middle = met / 2;
    run->convergence_rate_before = hs_stop_convergence_rate(norms[0].update_l2, norms[middle].update_l2, middle);
    run->stop.convergence_rate =
        hs_stop_convergence_rate(norms[middle].update_l2, norms[met - 1].update_l2, met - 1 - middle);
  }
out:
  free(norms);
  return status;
}
