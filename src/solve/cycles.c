/* A solution by multigrid: fields between the backend and the vectors of the cycles, points, the outcome. */
#include <math.h>

#include "base/timer.h"
#include "solve/multigrid/multigrid.h"
#include "solve/solution.h"

static bool due(void *context)
{
  const struct hs_solve_keeper *keeper = &((const struct hs_run *)context)->settings->keeper;
  return keeper->due && keeper->due(keeper->context);
}

/* A point of the solution, with the time of the whole run. */
static hs_status keep(void *context, const struct hs_solve_point *point, struct hs_backend_state *state,
                      struct hs_error *err)
{
  const struct hs_run *run = context;
  struct hs_solve_point whole = *point;
  (void)state;
  whole.solve_s = hs_time_s() - run->started_s;
  return run->settings->keeper.keep(run->settings->keeper.context, &whole, run->state, err);
}

/* A run, and whether its field, which then is in the backend, was accepted. */
struct asking {
  const struct hs_run *run;
  bool accepted;
};

/* Is the field, which goes to the backend, accepted? */
static hs_status accept(void *context, struct hs_backend_state *none, double left_k, bool *accepted,
                        struct hs_error *err)
{
  struct asking *asking = context;
  const struct hs_run *run = asking->run;
  const struct hs_solve_accept *opinion = &run->settings->accept;
  hs_status status = hs_multigrid_give(run->settings->multigrid, run->state, err);
  (void)none;
  if (!status) status = opinion->accept(opinion->context, run->state, left_k, accepted, err);
  asking->accepted = !status && *accepted;
  return status;
}

hs_status hs_run_multigrid(struct hs_run *run, struct hs_solve_outcome *outcome, struct hs_error *err)
{
  struct hs_solve_settings settings = *run->settings;
  struct asking asking = {run, false};
  hs_status status = HS_OK;
  if (settings.keeper.keep) settings.keeper = (struct hs_solve_keeper){due, keep, run};
  if (settings.accept.accept) settings.accept = (struct hs_solve_accept){accept, &asking};
  if (settings.from)
    run->started_s -= settings.from->solve_s;
  else
    status = hs_multigrid_take(settings.multigrid, run->state, err);
  if (!status) status = hs_multigrid_solve(settings.multigrid, &settings, run->observer, outcome, err);
  if (!status && !asking.accepted) status = hs_multigrid_give(settings.multigrid, run->state, err);
  if (!status) status = hs_run_norms(run, &outcome->norms, err);
  outcome->norms.update_l2 = outcome->norms.update_max = outcome->norms.two_sweep_max = NAN;
  return status;
}
