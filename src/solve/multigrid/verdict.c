/* When a solution by multigrid ends, and how; see verdict.h. */
#include "solve/multigrid/verdict.h"

#include <math.h>

#include "solve/multigrid/richardson.h"

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

/* What rounding leaves unknown of the field that x becomes, which may be of single precision, as that is from which it
 * starts. */
static double field_floor_k(const struct hs_iteration *it)
{
  return it->settings->single && it->g.steps > 0 ? 0x1p29 * it->g.floor_k : it->g.floor_k;
}

double hs_verdict_error_k(const struct hs_iteration *it)
{
  return it->g.estimate_k < field_floor_k(it) ? field_floor_k(it) : it->g.estimate_k;
}

double hs_verdict_residual_relative(const struct hs_iteration *it)
{
  return it->g.norms.l2 == 0.0 ? 0.0 : it->g.norms.l2 / it->first_l2;
}

/* Does the present x have an estimate? */
static bool estimate_exists(const struct hs_iteration *it)
{
  return hs_gradients_estimated(&it->g) || it->g.norms.max == 0.0;
}

bool hs_verdict_tolerance_met(const struct hs_iteration *it)
{
  if (it->settings->quantity == HS_STOP_RESIDUAL) return hs_verdict_residual_relative(it) <= it->tolerance;
  return estimate_exists(it) && hs_verdict_error_k(it) <= it->tolerance;
}

bool hs_verdict_solved(struct hs_iteration *it)
{
  if (it->g.norms.max != 0.0) return false;
  it->g.z.max = 0.0;
  it->g.estimate_k = it->g.floor_k;
  return true;
}

bool hs_verdict_rounded(const struct hs_iteration *it)
{
  if (!hs_gradients_estimated(&it->g) || it->blind) return false;
  if (it->g.estimate_k <= it->g.floor_k) return true;
  return it->settings->single && (it->g.m->system->storing || hs_gradients_tell(&it->g, false)) &&
         it->g.estimate_k <= field_floor_k(it) / it->g.m->caution;
}

/* Counts corrections that rest at the floor of rounding. A slow mode does not hide behind them: it would have kept earlier ones
 * above, unless its eigenvalue times its error was below that floor from the start. */
static void rest_count(struct hs_iteration *it)
{
  it->flat = hs_richardson_rests(&it->g) ? it->flat + 1 : 0;
}

/* Counts steps of conjugate gradients without progress. A residual of much more energy than before is what rounding has made of
 * the direction: a new one begins. Richardson's iteration hands over as soon as it makes none. */
static void progress_count(struct hs_iteration *it)
{
  const double zr = it->g.z.zr;
  const bool less = !(it->least_zr > 0.0) || zr < it->least_zr;
  it->flat = less ? 0 : it->flat + 1;
  if (less) it->least_zr = zr;
  if (!(zr > ASTRAY * it->least_zr)) return;
  it->astray++;
  it->g.has_direction = false;
}

void hs_verdict_count(struct hs_iteration *it)
{
  if (it->g.richardson)
    rest_count(it);
  else
    progress_count(it);
}

/* Has rounding the last word? */
static bool is_flat(const struct hs_iteration *it)
{
  return it->flat >= (it->g.richardson ? REST_MOST : FLAT_MOST) ||
         (it->astray > 1 && it->g.has_direction && it->g.z.zr >= it->g.zr);
}

/* Does z lead nowhere? */
static bool is_broken(const struct hs_iteration *it)
{
  if (it->g.norms.max == 0.0) return true;
  if (it->g.richardson) return it->g.z.max == 0.0;
  return !(it->g.z.zr > 0.0) || (it->g.has_direction && !(it->g.alpha > 0.0));
}

/* What z says of a run that has not met its tolerance. */
static enum hs_verdict verdict_of(const struct hs_iteration *it)
{
  if (!hs_is_finite(it->g.norms.l2)) return HS_VERDICT_DIVERGED;
  if (is_broken(it) || hs_verdict_rounded(it) || is_flat(it)) return HS_VERDICT_STAGNATED;
  return it->g.steps >= it->settings->max_iterations ? HS_VERDICT_LIMIT : HS_VERDICT_RUNNING;
}

/* Has everything become so small that no part can have been missed? */
static bool all_small(const struct hs_iteration *it)
{
  const double caution = it->g.m->caution;
  if (it->settings->quantity != HS_STOP_ERROR) return caution == 1.0;
  return it->g.estimate_k <= fmax(fmax(it->tolerance, field_floor_k(it)) / caution, 2.0 * it->g.floor_k);
}

/* Does the estimate leave no part of the plate out? Where cycles are poor, other modes hide as well as those of pieces. */
static bool nothing_missed(const struct hs_iteration *it)
{
  if (!it->g.m->pieces) return all_small(it);
  return it->pieces.known && (it->g.richardson || all_small(it));
}

/* Is nothing left but rounding, by the estimate? */
static bool estimate_is_floor(const struct hs_iteration *it)
{
  return hs_gradients_estimated(&it->g) && it->g.estimate_k <= it->g.floor_k;
}

bool hs_verdict_estimate_known(const struct hs_iteration *it)
{
  if (it->g.m->system->storing || it->g.norms.max == 0.0) return true;
  if (estimate_is_floor(it)) return !it->g.m->pieces || it->pieces.known;
  return hs_gradients_tell(&it->g, false) && nothing_missed(it);
}

/* Has rounding brought the steps to an end? The estimate then counts as it is; with some reserve, where cycles hardly tell all
 * parts apart, or z leads nowhere. Not where a piece is certainly off. */
static bool is_at_rest(const struct hs_iteration *it)
{
  if (!hs_gradients_tell(&it->g, false) || (it->g.m->pieces && it->pieces.off)) return false;
  if (is_flat(it) && it->g.m->caution <= CAUTION_MOST) return true;
  return (is_flat(it) || is_broken(it)) && hs_verdict_error_k(it) <= RESERVE * it->tolerance;
}

/* What follows from a field that seems to meet the tolerance: the end; or more steps, where too few have been made for an
 * estimate, or for the eigenvalues of B A to say how good the cycles are. */
static enum hs_verdict confirm(const struct hs_iteration *it)
{
  const bool by_error = it->settings->quantity == HS_STOP_ERROR;
  const enum hs_verdict otherwise = verdict_of(it);
  if (hs_verdict_estimate_known(it) ||
      (by_error ? is_at_rest(it) : estimate_exists(it) || otherwise != HS_VERDICT_RUNNING))
    return hs_verdict_tolerance_met(it) ? HS_VERDICT_CONVERGED : HS_VERDICT_STAGNATED;
  return otherwise;
}

/* The residual of a start whose error is a small share of the temperature, or rounding, hardly becomes smaller, and need
 * not. */
static bool was_solved(const struct hs_iteration *it)
{
  const double largest_k = it->g.floor_k / hs_gradients_floor_of(1.0);
  const double small_k = fmax(2.0 * field_floor_k(it), SOLVED_SHARE * largest_k);
  return it->settings->quantity == HS_STOP_RESIDUAL && it->start_k <= small_k &&
         !(estimate_exists(it) && hs_verdict_error_k(it) > small_k);
}

/* A second criterion for a field that meets the tolerance, or has stagnated below one that was not enough: where it is not
 * accepted, steps go on to a smaller tolerance, if there is anywhere to go. */
static hs_status acceptance_ask(struct hs_iteration *it, enum hs_verdict *verdict, struct hs_error *err)
{
  const struct hs_solve_accept *opinion = &it->settings->accept;
  const bool stagnated = *verdict == HS_VERDICT_STAGNATED, ended = stagnated || is_broken(it);
  bool accepted = true;
  hs_status status;
  if (!opinion->accept || !(*verdict == HS_VERDICT_CONVERGED || (stagnated && it->unbalanced_at > 0))) return HS_OK;
  status = opinion->accept(opinion->context, NULL, ended ? hs_verdict_error_k(it) : 0.0, &accepted, err);
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
static hs_status pieces_ask(struct hs_iteration *it, bool exact, struct hs_error *err)
{
  struct hs_multigrid *m = it->g.m;
  const bool by_tolerance = it->settings->quantity == HS_STOP_ERROR && hs_verdict_tolerance_met(it);
  const bool near = hs_verdict_tolerance_met(it) || verdict_of(it) != HS_VERDICT_RUNNING;
  hs_status status;
  it->pieces = (struct hs_pieces_answer){.known = exact};
  it->blind = false;
  if (exact || !near) return HS_OK;
  status = hs_multigrid_pieces(m, err);
  if (status || !m->pieces || !(hs_gradients_tell(&it->g, false) || estimate_is_floor(it))) return status;
  status = hs_pieces_ask(m->pieces, m->x, m->levels.level[0].u, 1.0 / it->g.scale,
                         by_tolerance ? it->tolerance : hs_verdict_error_k(it), &it->pieces, err);
  it->blind = !status && !it->pieces.known;
  if (it->blind && it->g.richardson && (it->flat > 0 || estimate_is_floor(it))) it->g.told = it->flat = 0;
  return status;
}

hs_status hs_verdict_find(struct hs_iteration *it, bool exact, enum hs_verdict *verdict, struct hs_error *err)
{
  const hs_status status = pieces_ask(it, exact || hs_verdict_solved(it), err);
  if (status) return status;
  *verdict = exact || hs_verdict_solved(it) || hs_verdict_tolerance_met(it) ? confirm(it) : verdict_of(it);
  if (*verdict == HS_VERDICT_STAGNATED && it->unbalanced_at == 0 && was_solved(it)) *verdict = HS_VERDICT_CONVERGED;
  return acceptance_ask(it, verdict, err);
}
