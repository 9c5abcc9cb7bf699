/* Solutions by steps with the V-cycle as preconditioner, Richardson's or of conjugate gradients, and when they end. */
#include "solve/multigrid.h"

#include <math.h>
#include <stdlib.h>

#include "base/timer.h"
#include "solve/gradients.h"
#include "solve/richardson.h"

static const double ASTRAY = 1e7;  /* a residual's energy over the least so far */
static const double TIGHTEN = 0.1; /* of the tolerance, where a field that meets it is not accepted */
static const double TIGHTEST = 1e-14;
static const double CAUTION_MOST = 1e4;   /* where the estimate at rest counts as it is; */
static const double RESERVE = 0.01;       /* elsewhere it has to be this share of the tolerance */
static const double SOLVED_SHARE = 1e-10; /* error of a start that counts as solved, of the temperature */

enum {
  FLAT_MOST = 20, /* steps on end in which the energy of the residual is no less than before: rounding; */
  REST_MOST = 2   /* and of Richardson's iteration at the floor of rounding */
};

/* Where a solution stands. */
struct iteration {
  struct hs_gradients g;
  const struct hs_solve_settings *settings;
  double tolerance;      /* what the field has to meet now */
  int64_t unbalanced_at; /* as in the outcome */
  double first_l2;
  double start_k;                 /* largest correction of the start */
  double least_zr;                /* energy of the residuals so far; 0: none yet */
  int flat;                       /* steps since then */
  int astray;                     /* directions that rounding has spoilt */
  struct hs_pieces_answer pieces; /* of z, where it was asked; */
  bool blind;                     /* and it does not know */
  struct hs_check *history;
  int history_count, history_room;
};

/* What rounding leaves unknown of the field that x becomes, which may be of single precision, as that is from which it
 * starts. */
static double field_floor_k(const struct iteration *it)
{
  return it->settings->single && it->g.steps > 0 ? 0x1p29 * it->g.floor_k : it->g.floor_k;
}

/* The estimated error of that field. */
static double error_k(const struct iteration *it)
{
  return it->g.estimate_k < field_floor_k(it) ? field_floor_k(it) : it->g.estimate_k;
}

/* The residual in terms of the first one. */
static double residual_relative(const struct iteration *it)
{
  return it->g.norms.l2 == 0.0 ? 0.0 : it->g.norms.l2 / it->first_l2;
}

static hs_status history_room(struct iteration *it, int count, struct hs_error *err)
{
  struct hs_check *more;
  if (count <= it->history_room) return HS_OK;
  more = realloc(it->history, (size_t)(2 * count + 64) * sizeof *more);
  if (!more) return hs_error_set(err, HS_ERR_MEMORY, "no memory for the history of %d cycles", count);
  it->history = more;
  it->history_room = 2 * count + 64;
  return HS_OK;
}

static hs_status remember(struct iteration *it, struct hs_error *err)
{
  struct hs_check check = {.sweeps = it->g.steps,
                           .error_estimate_k = hs_gradients_estimated(&it->g) ? error_k(it) : NAN};
  const bool corrected = it->g.corrections > 0 || it->g.norms.max == 0.0;
  check.norms = (struct hs_norms){NAN, NAN, it->g.norms.l2, it->g.norms.max, NAN, corrected ? it->g.z.max : NAN};
  check.residual_relative = residual_relative(it);
  hs_status status;
  if (it->history_count > 0 && it->history[it->history_count - 1].sweeps == it->g.steps) it->history_count--;
  status = history_room(it, it->history_count + 1, err);
  if (!status) it->history[it->history_count++] = check;
  return status;
}

/* Does the present x have an estimate? */
static bool estimate_exists(const struct iteration *it)
{
  return hs_gradients_estimated(&it->g) || it->g.norms.max == 0.0;
}

static bool tolerance_met(const struct iteration *it)
{
  if (it->settings->quantity == HS_STOP_RESIDUAL) return residual_relative(it) <= it->tolerance;
  return estimate_exists(it) && error_k(it) <= it->tolerance;
}

/* Has any rank been asked to stop, and is a point due on any? */
static hs_status wishes_hear(const struct iteration *it, const struct hs_solve_observer *observer, bool wishes[2],
                             struct hs_error *err)
{
  const struct hs_solve_keeper *keeper = &it->settings->keeper;
  wishes[0] = observer && observer->stop_requested && *observer->stop_requested;
  wishes[1] = it->g.steps > 0 && keeper->due && keeper->due(keeper->context);
  return hs_comm_any(hs_system_comm(it->g.m->system), wishes, 2, err);
}

static void show(const struct iteration *it, const struct hs_solve_observer *observer, double began_s)
{
  const struct hs_solve_progress progress = {.sweeps = it->g.steps,
                                             .max_sweeps = it->settings->max_iterations,
                                             .quantity = it->settings->quantity,
                                             .value = it->settings->quantity == HS_STOP_RESIDUAL ? residual_relative(it)
                                                      : hs_gradients_estimated(&it->g)           ? error_k(it)
                                                                                                 : NAN,
                                             .tolerance = it->tolerance,
                                             .expected_sweeps = it->settings->expected_sweeps,
                                             .elapsed_s = hs_time_s() - began_s};
  if (observer && observer->progress) observer->progress(observer->context, &progress);
}

/* Has r become 0? In a field of no error the estimate is that of rounding. */
static bool solved(struct iteration *it)
{
  if (it->g.norms.max != 0.0) return false;
  it->g.z.max = 0.0;
  it->g.estimate_k = it->g.floor_k;
  return true;
}

/* Is the error smaller than rounding? In single precision that of the field counts, once the cycles have shown how good they
 * are. A correction that is blind to a piece does not tell. */
static bool rounded(const struct iteration *it)
{
  if (!hs_gradients_estimated(&it->g) || it->blind) return false;
  if (it->g.estimate_k <= it->g.floor_k) return true;
  return it->settings->single && (it->g.m->system->storing || hs_gradients_tell(&it->g, false)) &&
         it->g.estimate_k <= field_floor_k(it) / it->g.m->caution;
}

/* Counts corrections that rest at the floor of rounding. A slow mode does not hide behind them: it would have kept earlier ones
 * above, unless its eigenvalue times its error was below that floor from the start. */
static void rest_count(struct iteration *it)
{
  it->flat = hs_richardson_rests(&it->g) ? it->flat + 1 : 0;
}

/* Counts steps of conjugate gradients without progress. A residual of much more energy than before is what rounding has made of
 * the direction: a new one begins. Richardson's iteration hands over as soon as it makes none. */
static void progress_count(struct iteration *it)
{
  const double zr = it->g.z.zr;
  const bool less = !(it->least_zr > 0.0) || zr < it->least_zr;
  it->flat = less ? 0 : it->flat + 1;
  if (less) it->least_zr = zr;
  if (!(zr > ASTRAY * it->least_zr)) return;
  it->astray++;
  it->g.has_direction = false;
}

/* Has rounding the last word? */
static bool is_flat(const struct iteration *it)
{
  return it->flat >= (it->g.richardson ? REST_MOST : FLAT_MOST) ||
         (it->astray > 1 && it->g.has_direction && it->g.z.zr >= it->g.zr);
}

/* Does z lead nowhere? */
static bool is_broken(const struct iteration *it)
{
  if (it->g.norms.max == 0.0) return true;
  if (it->g.richardson) return it->g.z.max == 0.0;
  return !(it->g.z.zr > 0.0) || (it->g.has_direction && !(it->g.alpha > 0.0));
}

/* What z says of a run that has not met its tolerance. */
static enum hs_verdict verdict_of(const struct iteration *it)
{
  if (!hs_is_finite(it->g.norms.l2)) return HS_VERDICT_DIVERGED;
  if (is_broken(it) || rounded(it) || is_flat(it)) return HS_VERDICT_STAGNATED;
  return it->g.steps >= it->settings->max_iterations ? HS_VERDICT_LIMIT : HS_VERDICT_RUNNING;
}

/* Has everything become so small that no part can have been missed? */
static bool all_small(const struct iteration *it)
{
  const double caution = it->g.m->caution;
  if (it->settings->quantity != HS_STOP_ERROR) return caution == 1.0;
  return it->g.estimate_k <= fmax(fmax(it->tolerance, field_floor_k(it)) / caution, 2.0 * it->g.floor_k);
}

/* Does the estimate leave no part of the plate out? Where cycles are poor, other modes hide as well as those of pieces. */
static bool nothing_missed(const struct iteration *it)
{
  if (!it->g.m->pieces) return all_small(it);
  return it->pieces.known && (it->g.richardson || all_small(it));
}

/* Is nothing left but rounding, by the estimate? */
static bool estimate_is_floor(const struct iteration *it)
{
  return hs_gradients_estimated(&it->g) && it->g.estimate_k <= it->g.floor_k;
}

/* Can the estimate be believed? */
static bool estimate_known(const struct iteration *it)
{
  if (it->g.m->system->storing || it->g.norms.max == 0.0) return true;
  if (estimate_is_floor(it)) return !it->g.m->pieces || it->pieces.known;
  return hs_gradients_tell(&it->g, false) && nothing_missed(it);
}

/* Has rounding brought the steps to an end? The estimate then counts as it is; with some reserve, where cycles hardly tell all
 * parts apart, or z leads nowhere. Not where a piece is certainly off. */
static bool is_at_rest(const struct iteration *it)
{
  if (!hs_gradients_tell(&it->g, false) || (it->g.m->pieces && it->pieces.off)) return false;
  if (is_flat(it) && it->g.m->caution <= CAUTION_MOST) return true;
  return (is_flat(it) || is_broken(it)) && error_k(it) <= RESERVE * it->tolerance;
}

/* What follows from a field that seems to meet the tolerance: the end; or more steps, where too few have been made for an
 * estimate, or for the eigenvalues of B A to say how good the cycles are. */
static enum hs_verdict confirm(const struct iteration *it)
{
  const bool by_error = it->settings->quantity == HS_STOP_ERROR;
  const enum hs_verdict otherwise = verdict_of(it);
  if (estimate_known(it) || (by_error ? is_at_rest(it) : estimate_exists(it) || otherwise != HS_VERDICT_RUNNING))
    return tolerance_met(it) ? HS_VERDICT_CONVERGED : HS_VERDICT_STAGNATED;
  return otherwise;
}

/* The end is near: what rounding leaves unknown is asked of the present x, which Richardson's iteration always does. */
static hs_status floor_renew(struct iteration *it, struct hs_error *err)
{
  return !it->g.richardson && (tolerance_met(it) || rounded(it)) ? hs_gradients_floor(&it->g, err) : HS_OK;
}

/* Gives the point before the next step to its keeper. */
static hs_status point_keep(const struct iteration *it, struct hs_error *err)
{
  const struct hs_solve_keeper *keeper = &it->settings->keeper;
  struct hs_solve_point point = {.stop = {.sweeps = it->g.steps, .verdict = HS_VERDICT_RUNNING},
                                 .stride = 1,
                                 .history = it->history,
                                 .history_count = it->history_count,
                                 .has_saved = true};
  if (!keeper->keep) return HS_OK;
  hs_gradients_point(&it->g, &point.cycles);
  point.cycles.flat = it->flat;
  point.cycles.astray = it->astray;
  point.cycles.first_l2 = it->first_l2;
  point.cycles.start_k = it->start_k;
  point.cycles.least_zr = it->least_zr;
  point.cycles.tolerance = it->tolerance;
  point.unbalanced_at = it->unbalanced_at;
  return keeper->keep(keeper->context, &point, NULL, err);
}

/* From a point: its step. */
static hs_status iteration_resume(struct iteration *it, const struct hs_solve_point *from, struct hs_error *err)
{
  hs_status status = history_room(it, from->history_count, err);
  if (status) return status;
  for (int k = 0; k < from->history_count; k++) it->history[it->history_count++] = from->history[k];
  it->tolerance = from->cycles.tolerance;
  it->unbalanced_at = from->unbalanced_at;
  it->first_l2 = from->cycles.first_l2;
  it->flat = from->cycles.flat;
  it->astray = from->cycles.astray;
  it->start_k = from->cycles.start_k;
  it->least_zr = from->cycles.least_zr;
  status = hs_gradients_resume(&it->g, &from->cycles, err);
  return status ? status : hs_gradients_step(&it->g, err);
}

/* Does nested iteration improve x first? A time step begins with the change of the step before. */
static bool nests(const struct iteration *it)
{
  return it->g.richardson && !it->g.m->system->storing && it->settings->max_iterations > 0 && it->g.norms.max > 0.0 &&
         isfinite(it->first_l2);
}

/* From x. */
static hs_status iteration_begin(struct iteration *it, struct hs_error *err)
{
  hs_status status;
  it->g.richardson = hs_richardson_can(&it->g);
  status = hs_gradients_residual(&it->g, err);
  it->first_l2 = it->g.norms.l2;
  if (status) return status;
  if (!nests(it))
    return it->g.m->has_change && it->g.norms.max > 0.0 ? hs_gradients_project(&it->g, err)
                                                        : hs_gradients_floor(&it->g, err);
  status = remember(it, err);
  if (!status) status = hs_richardson_nested(&it->g, err);
  it->start_k = it->g.z.max;
  return status;
}

/* The residual of a start whose error is a small share of the temperature, or rounding, hardly becomes smaller, and need
 * not. */
static bool was_solved(const struct iteration *it)
{
  const double largest_k = it->g.floor_k / hs_gradients_floor_of(1.0);
  const double small_k = fmax(2.0 * field_floor_k(it), SOLVED_SHARE * largest_k);
  return it->settings->quantity == HS_STOP_RESIDUAL && it->start_k <= small_k &&
         !(estimate_exists(it) && error_k(it) > small_k);
}

/* A second criterion for a field that meets the tolerance, or has stagnated below one that was not enough: where it is not
 * accepted, steps go on to a smaller tolerance, if there is anywhere to go. */
static hs_status acceptance_ask(struct iteration *it, enum hs_verdict *verdict, struct hs_error *err)
{
  const struct hs_solve_accept *opinion = &it->settings->accept;
  const bool stagnated = *verdict == HS_VERDICT_STAGNATED, ended = stagnated || is_broken(it);
  bool accepted = true;
  hs_status status;
  if (!opinion->accept || !(*verdict == HS_VERDICT_CONVERGED || (stagnated && it->unbalanced_at > 0))) return HS_OK;
  status = opinion->accept(opinion->context, NULL, ended ? error_k(it) : 0.0, &accepted, err);
  if (status) return status;
  *verdict = accepted ? HS_VERDICT_CONVERGED : HS_VERDICT_STAGNATED;
  if (accepted) return HS_OK;
  if (it->unbalanced_at == 0) it->unbalanced_at = it->g.steps;
  if (ended) return HS_OK;
  it->tolerance *= TIGHTEN;
  if (it->g.steps >= it->settings->max_iterations)
    *verdict = HS_VERDICT_LIMIT;
  else if (it->tolerance >= TIGHTEST * it->settings->tolerance)
    *verdict = HS_VERDICT_RUNNING;
  return HS_OK;
}

/* Where the end is near: does z know of the pieces? Where it does not, steps go on, by conjugate gradients once Richardson's
 * iteration has nothing left to do. */
static hs_status pieces_ask(struct iteration *it, bool exact, struct hs_error *err)
{
  struct hs_multigrid *m = it->g.m;
  const bool by_tolerance = it->settings->quantity == HS_STOP_ERROR && tolerance_met(it);
  const bool near = tolerance_met(it) || verdict_of(it) != HS_VERDICT_RUNNING;
  hs_status status;
  it->pieces = (struct hs_pieces_answer){.known = exact};
  it->blind = false;
  if (exact || !near) return HS_OK;
  status = hs_multigrid_pieces(m, err);
  if (status || !m->pieces || !(hs_gradients_tell(&it->g, false) || estimate_is_floor(it))) return status;
  status = hs_pieces_ask(m->pieces, m->x, m->levels.level[0].u, 1.0 / it->g.scale,
                         by_tolerance ? it->tolerance : error_k(it), &it->pieces, err);
  it->blind = !status && !it->pieces.known;
  if (it->blind && it->g.richardson && (it->flat > 0 || estimate_is_floor(it))) it->g.told = it->flat = 0;
  return status;
}

/* What follows from the present x and its correction z. exact: its residual is 0. */
static hs_status verdict_find(struct iteration *it, bool exact, enum hs_verdict *verdict, struct hs_error *err)
{
  const hs_status status = pieces_ask(it, exact || solved(it), err);
  if (status) return status;
  *verdict = exact || solved(it) || tolerance_met(it) ? confirm(it) : verdict_of(it);
  if (*verdict == HS_VERDICT_STAGNATED && it->unbalanced_at == 0 && was_solved(it)) *verdict = HS_VERDICT_CONVERGED;
  return acceptance_ask(it, verdict, err);
}

/* Before the next step: the point, where one is due; the end, where somebody asks for it. */
static hs_status events_hear(struct iteration *it, const struct hs_solve_observer *observer, enum hs_verdict *verdict,
                             struct hs_error *err)
{
  bool wishes[2];
  const hs_status status = wishes_hear(it, observer, wishes, err);
  if (status) return status;
  if (wishes[0]) *verdict = HS_VERDICT_INTERRUPTED;
  return wishes[0] || wishes[1] ? point_keep(it, err) : HS_OK;
}

/* Steps until a verdict. */
static hs_status iterate(struct iteration *it, const struct hs_solve_observer *observer, enum hs_verdict *verdict,
                         struct hs_error *err)
{
  const double began_s = hs_time_s();
  const struct hs_solve_point *from = it->settings->from;
  hs_status status = from ? iteration_resume(it, from, err) : iteration_begin(it, err);
  *verdict = HS_VERDICT_RUNNING;
  while (!status && *verdict == HS_VERDICT_RUNNING) {
    const bool exact = solved(it);
    if (!exact) status = hs_gradients_correct(&it->g, err);
    if (status) break;
    if (!exact && it->g.richardson) rest_count(it);
    if (!exact && !it->g.richardson) progress_count(it);
    status = floor_renew(it, err);
    if (status) break;
    if (it->g.steps == 0) it->start_k = it->g.z.max;
    status = remember(it, err);
    if (status) break;
    show(it, observer, began_s);
    if (!hs_is_finite(it->g.norms.l2) || !hs_is_finite(it->g.z.max)) {
      *verdict = HS_VERDICT_DIVERGED;
      continue;
    }
    status = verdict_find(it, exact, verdict, err);
    if (!status && *verdict == HS_VERDICT_RUNNING) status = events_hear(it, observer, verdict, err);
    if (!status && *verdict == HS_VERDICT_RUNNING) status = hs_gradients_step(&it->g, err);
  }
  return status;
}

hs_status hs_multigrid_solve(struct hs_multigrid *m, const struct hs_solve_settings *settings,
                             const struct hs_solve_observer *observer, struct hs_solve_outcome *outcome,
                             struct hs_error *err)
{
  struct iteration it = {.g = {.m = m, .estimate_k = NAN}, .settings = settings, .tolerance = settings->tolerance};
  hs_status status = iterate(&it, observer, &outcome->verdict, err);
  if (!status) status = hs_multigrid_pieces(m, err);
  if (status) {
    free(it.history);
    return status;
  }
  outcome->sweeps = it.g.steps;
  outcome->work_sweeps = hs_gradients_work(&it.g);
  outcome->residual_initial_l2 = it.first_l2;
  outcome->residual_relative = residual_relative(&it);
  outcome->unbalanced_at = it.unbalanced_at;
  outcome->error_estimate_k = error_k(&it);
  outcome->estimate_converged =
      estimate_known(&it) || (settings->quantity == HS_STOP_ERROR && outcome->verdict == HS_VERDICT_CONVERGED);
  outcome->history = it.history;
  outcome->history_count = it.history_count;
  return HS_OK;
}
