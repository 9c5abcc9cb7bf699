/* A pass: the sweeps between two exchanges.
 *
 *     plain        exchange; sweep the parts
 *     overlapped   sweep the strips; send what they have found, and sweep the part meanwhile; take in what has come
 *
 * Overlapped passes sweep the strips twice. Whether that is less than the time of an exchange depends on the network and on what
 * else it carries, so that it is tried out: ranks time a few passes of each kind and keep to the faster one. The bits are the
 * same.
 */
#include <math.h>

#include "backend/cost/spread.h"
#include "backend/distributed/state.h"
#include "base/timer.h"

enum { PLAIN = 3, OVERLAPPED = 3 }; /* passes of a trial; the first of each kind does not count */

static const double EXCHANGE_LEAST = 0.1; /* of a pass: less is not worth a trial */
static const double GAIN_LEAST = 0.05;

static int at_most(int a, int b)
{
  return a < b ? a : b;
}

/* Chebyshev's form reads the predecessor, too. */
static int fields_of(const struct hs_distributed_state *state)
{
  return state->relaxation.form == HS_FORM_CHEBYSHEV ? 2 : 1;
}

/* Layers of ghosts that are right, of all that sweeps read; of a predecessor one layer less will do. */
static int layers_right(const struct hs_distributed_state *state)
{
  return fields_of(state) > 1 ? at_most(state->right_now, state->right_before + 1) : state->right_now;
}

static int sweeps_most(const struct hs_distributed_state *state)
{
  return hs_spread_sweeps(state->partition.ghost);
}

/* Calls that are no whole passes leave layers that are right: the next one uses them up, if that is half a pass or more. Passes of
 * devices are whole ones. */
int hs_distributed_together(const struct hs_distributed_state *state, int64_t n)
{
  const int most = sweeps_most(state), right = layers_right(state);
  const bool rest = right < most && 2 * right >= most && !state->inner->part->device_use;
  const int together = rest ? right : most;
  return n < together ? (int)n : together;
}

/* Ghosts that are right for `wanted` more sweeps, or as many as they can be. */
static hs_status ghosts_renew(struct hs_distributed_state *state, int wanted, struct hs_error *err)
{
  const int fields = fields_of(state);
  state->right_now = layers_right(state);
  return state->right_now >= wanted ? HS_OK : hs_distributed_exchange(state, fields, err);
}

/* After sweeps: the layers of ghosts that are right, and where Chebyshev's recursion stands. */
static void sweeps_count(struct hs_distributed_state *state, int sweeps)
{
  double weight;
  state->right_before = at_most(state->right_now - sweeps + 1, state->partition.ghost);
  state->right_now -= sweeps;
  for (int k = 0; k < sweeps && fields_of(state) > 1; k++)
    (void)hs_relaxation_next(&state->relaxation, &state->relaxation.omega, &weight);
}

static hs_status sweep(struct hs_distributed_state *state, const struct hs_distributed_part *part, int sweeps,
                       bool predecessor, struct hs_error *err)
{
  const hs_status status = hs_part_enter(state, part, err);
  return status ? status : state->inner->part->sweep(part->state, sweeps, predecessor, err);
}

static hs_status plain_pass(struct hs_distributed_state *state, int sweeps, bool predecessor, struct hs_error *err)
{
  hs_status status = ghosts_renew(state, sweeps, err);
  for (int k = 0; !status && k < state->part_count; k++)
    status = sweep(state, &state->parts[k], sweeps, predecessor, err);
  sweeps_count(state, sweeps);
  return status;
}

/* Where sweeps are under way on return, the part's are called for before the host waits for the strips. */
static hs_status overlapped_pass(struct hs_distributed_state *state, int sweeps, bool predecessor, struct hs_error *err)
{
  const int fields = fields_of(state);
  const bool at_once = state->inner->part->wait != NULL, both = predecessor || fields > 1;
  hs_status status = ghosts_renew(state, sweeps, err), ended;
  if (!status) status = hs_strips_load(state, fields, err);
  for (int k = 0; !status && k < state->strip_count; k++) {
    if (fields > 1) status = state->inner->relax(state->strips[k].state, &state->relaxation, err);
    if (!status) status = sweep(state, &state->strips[k], sweeps, fields > 1, err);
  }
  if (!status && at_once) status = sweep(state, &state->parts[0], sweeps, both, err);
  if (!status) status = hs_crossings_begin(state, fields, true, err);
  if (status) return status;
  if (!at_once) status = sweep(state, &state->parts[0], sweeps, both, err);
  ended = hs_crossings_end(state, fields, true, status ? NULL : err);
  sweeps_count(state, sweeps);
  state->right_now = state->partition.ghost;
  if (fields > 1) state->right_before = state->partition.ghost;
  return status ? status : ended;
}

hs_status hs_distributed_wait(struct hs_distributed_state *state, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && state->inner->part->wait && k < state->part_count; k++) {
    status = hs_part_enter(state, &state->parts[k], err);
    if (!status) status = state->inner->part->wait(state->parts[k].state, err);
  }
  return status;
}

/* --- the trial ------------------------------------------------------------------------------- */

typedef hs_status pass_function(struct hs_distributed_state *state, int sweeps, bool predecessor, struct hs_error *err);

/* Seconds from when all ranks are there until all of them are done; the least of several passes. */
static hs_status timed(struct hs_distributed_state *state, pass_function *pass, int sweeps, bool predecessor,
                       double *least_s, struct hs_error *err)
{
  hs_status status = hs_comm_barrier(state->comm, err);
  double s = -hs_time_s();
  if (!status) status = pass(state, sweeps, predecessor, err);
  if (!status) status = hs_distributed_wait(state, err);
  s += hs_time_s();
  if (!status) status = hs_comm_largest(state->comm, &s, 1, err);
  *least_s = fmin(*least_s, s);
  return status;
}

static hs_status exchange_alone(struct hs_distributed_state *state, int sweeps, bool predecessor, struct hs_error *err)
{
  (void)sweeps;
  (void)predecessor;
  return hs_distributed_exchange(state, fields_of(state), err);
}

/* After the plain passes: is an exchange worth a trial? */
static hs_status strips_try(struct hs_distributed_state *state, int sweeps, struct hs_error *err)
{
  double exchange_s = INFINITY;
  hs_status status = timed(state, exchange_alone, 0, false, &exchange_s, err);
  if (status) return status;
  state->trial.over = exchange_s < EXCHANGE_LEAST * state->trial.plain_s;
  if (!state->trial.over) status = hs_strips_create(state, sweeps, err);
  if (state->strip_count == 0) state->trial.over = true;
  return status;
}

static hs_status trial_pass(struct hs_distributed_state *state, int sweeps, bool predecessor, struct hs_error *err)
{
  struct hs_trial *trial = &state->trial;
  const int number = trial->passes++;
  double unused_s = INFINITY;
  hs_status status = HS_OK;
  if (number == 0) trial->plain_s = trial->overlapped_s = INFINITY;
  if (number == PLAIN) status = strips_try(state, sweeps, err);
  if (status) return status;
  if (number < PLAIN)
    state->right_now = 0; /* a plain pass that counts has an exchange; an overlapped one ends with it */
  if (number < PLAIN || trial->over)
    return timed(state, plain_pass, sweeps, predecessor, number == 0 ? &unused_s : &trial->plain_s, err);
  status = timed(state, overlapped_pass, sweeps, predecessor, number == PLAIN ? &unused_s : &trial->overlapped_s, err);
  if (status || trial->passes < PLAIN + OVERLAPPED) return status;
  trial->over = true;
  if (trial->overlapped_s > (1.0 - GAIN_LEAST) * trial->plain_s) hs_strips_destroy(state);
  return HS_OK;
}

/* What is tried out are whole passes; few sweeps, for which no exchange may be due, are not overlapped. */
hs_status hs_distributed_pass(struct hs_distributed_state *state, int sweeps, bool predecessor, struct hs_error *err)
{
  const int most = sweeps_most(state);
  hs_status status = HS_OK;
  if (2 * sweeps < most || (sweeps < most && !state->trial.over) || hs_comm_size(state->comm) == 1 ||
      !hs_strips_possible(state->inner, state->system, &state->options))
    return plain_pass(state, sweeps, predecessor, err);
  if (!state->trial.over && state->options.testing.overlap == 0) return trial_pass(state, sweeps, predecessor, err);
  if (!state->trial.over) status = hs_strips_create(state, sweeps, err);
  state->trial.over = true;
  if (status) return status;
  return (state->strip_count > 0 ? overlapped_pass : plain_pass)(state, sweeps, predecessor, err);
}
