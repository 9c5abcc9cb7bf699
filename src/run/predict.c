/* The work of steady and transient runs. */
#include "run/predict.h"

#include <math.h>

#include "backend/cost/cost.h"
#include "solve/multigrid/multigrid.h"

enum {
  FIRST_AND_LAST = 2,     /* norms before the first sweep and after the last */
  LAST_CYCLES = 1,        /* multigrid's cycle that finds the last error */
  FULL_NORMS_FROM = 16,   /* check_every below which a test takes the update's norms alone (solve.c) */
  TESTS_PER_SOLUTION = 12 /* of an inner solution, whose interval follows from the one before (time/inner.c) */
};

static const double UPDATE_ALONE = 0.25;     /* cost of such a test, in full ones */
static const double CHEBYSHEV_LOOKS = 120.0; /* at its estimate: measured 84 to 139 on grids of any size */
static const double LONGEST_INNER_INTERVAL = 256.0;

double hs_work_s(const struct hs_backend_cost *cost, const struct hs_work *work)
{
  return work->sweeps * cost->sweep_s + work->tests * cost->test_s + work->steps * cost->step_s +
         work->cycles * cost->cycle_s + work->levels * cost->levels_s;
}

double hs_work_sweeps(const struct hs_work *work)
{
  return work->sweeps + HS_CYCLE_WORK_SWEEPS * (work->cycles + HS_COST_LEVELS_CYCLES * work->levels);
}

struct hs_work hs_work_steady(const struct hs_solve_settings *settings, double sweeps, bool replayed)
{
  const bool chebyshev = settings->method == HS_METHOD_CHEBYSHEV;
  const double every = settings->check_every;
  const double looks = chebyshev ? fmin(CHEBYSHEV_LOOKS, 0.25 * sweeps) : 0.0; /* at least four sweeps apart */
  const double tests = ceil(fmax(sweeps / every, looks));
  const double share = settings->check_every < FULL_NORMS_FROM ? UPDATE_ALONE : 1.0;
  /* sweeps beyond the stop, and those made again to find it, add up to one interval */
  const struct hs_work work = {.sweeps = sweeps + (replayed && every > 1.0 ? every : 0.0),
                               .tests = share * tests + FIRST_AND_LAST};
  const struct hs_work cycles = {.cycles = sweeps + LAST_CYCLES, .levels = 1.0};
  return settings->method == HS_METHOD_MULTIGRID ? cycles : work;
}

struct hs_work hs_work_transient(const struct hs_transient_settings *settings, bool timed, double sweeps, double steps)
{
  struct hs_work work = {.sweeps = sweeps};
  const double solutions = settings->adaptive ? 3.0 * steps : steps; /* one step, and the same in two halves */
  const double inner = sweeps / fmax(solutions, 1.0);
  if (settings->scheme != HS_SCHEME_EXPLICIT && settings->method == HS_METHOD_MULTIGRID)
    return (struct hs_work){.cycles = sweeps + LAST_CYCLES * solutions,
                            .levels = settings->adaptive ? 2.0 * steps : 1.0}; /* another length: other levels */
  if (settings->scheme == HS_SCHEME_EXPLICIT) {
    work.steps = timed ? 0.25 * steps : 0.0; /* new constants alone */
    return work;
  }
  work.steps = solutions;
  work.tests = solutions *
               (FIRST_AND_LAST + UPDATE_ALONE * fmax(fmin(inner, TESTS_PER_SOLUTION), inner / LONGEST_INNER_INTERVAL));
  return work;
}

enum hs_form hs_work_form(enum hs_scheme scheme, enum hs_method method)
{
  if (scheme == HS_SCHEME_EXPLICIT) return HS_FORM_WEIGHTED;
  return method == HS_METHOD_WEIGHTED    ? HS_FORM_WEIGHTED
         : method == HS_METHOD_CHEBYSHEV ? HS_FORM_CHEBYSHEV
                                         : HS_FORM_JACOBI;
}
