/* Levels on first need; see judge.h. */
#include "solve/judge.h"

#include <math.h>

#include "base/memory.h"
#include "base/timer.h"

/* Beside the levels and their vectors, a field on its way and the right-hand side. */
void hs_judge_bytes(const struct hs_judge *judge, double *host, double *device)
{
  const double field = (double)judge->system->nx * judge->system->ny * sizeof(double);
  const struct hs_backend *backend = judge->backend->linear ? judge->backend : &hs_backend_cpu;
  struct hs_backend_options options = *judge->options;
  struct hs_backend_cost with, without;
  options.testing.overlap = -1; /* what sweeps take beside is theirs */
  options.multigrid = true;
  with = backend->cost(judge->system, &options);
  options.multigrid = false;
  without = backend->cost(judge->system, &options);
  *host = with.host_bytes - without.host_bytes + field;
  *device = with.device_bytes - without.device_bytes;
  *(*device > 0.0 ? device : host) += field;
}

static void levels_make(struct hs_judge *judge, const struct hs_backend_state *state)
{
  double host, device;
  if (!judge->backend->linear && hs_system_grid_nodes(judge->system) > (int64_t)judge->system->nx * judge->system->ny) {
    hs_error_set(&judge->why, HS_ERR_UNSUPPORTED, "cycles are not made by several ranks");
    judge->given_up = true;
    return;
  }
  hs_judge_bytes(judge, &host, &device);
  if (hs_comm_agree(hs_system_comm(judge->system),
                    hs_memory_check(host, "the estimate of the error by cycles", &judge->why), &judge->why) ||
      hs_multigrid_create_beside(judge->backend, judge->system, judge->options, state, &judge->multigrid, &judge->why))
    judge->given_up = true;
}

hs_status hs_judge_ask(struct hs_judge *judge, struct hs_backend_state *state, double around_k, bool with_gap,
                       struct hs_estimate *estimate, struct hs_error *err)
{
  const double began_s = hs_time_s();
  hs_status status = HS_OK;
  *estimate = (struct hs_estimate){.error_k = NAN, .least = estimate->least, .gap = NAN};
  if (!judge->multigrid && !judge->given_up) levels_make(judge, state);
  if (judge->multigrid) status = hs_multigrid_take(judge->multigrid, state, err);
  if (judge->multigrid && !status) status = hs_multigrid_estimate(judge->multigrid, around_k, with_gap, estimate, err);
  judge->asked++;
  judge->cycles += estimate->cycles;
  judge->time_s += hs_time_s() - began_s;
  return status;
}

void hs_judge_clear(struct hs_judge *judge)
{
  hs_multigrid_destroy(judge->multigrid);
  judge->multigrid = NULL;
}
