/* Norms over all parts: exact sums and maxima, which have no order. */
#include "backend/distributed/state.h"

/* The sums and maxima of all parts of all ranks. */
static hs_status sums_join(struct hs_distributed_state *state, struct hs_norm_sums *sums, struct hs_error *err)
{
  double added[4] = {sums->update.high, sums->update.low, sums->residual.high, sums->residual.low};
  double largest[4] = {sums->update_max, sums->residual_max, sums->two_sweep_max, sums->correction_max};
  hs_status status = hs_comm_sum(state->comm, added, 4, err);
  if (!status) status = hs_comm_largest(state->comm, largest, 4, err);
  *sums =
      (struct hs_norm_sums){{added[0], added[1]}, {added[2], added[3]}, largest[0], largest[1], largest[2], largest[3]};
  return status;
}

hs_status hs_distributed_norms(struct hs_distributed_state *state, const struct hs_bounds *bounds, bool full,
                               struct hs_norms *norms, struct hs_error *err)
{
  struct hs_norm_sums all = {{0.0, 0.0}, {0.0, 0.0}, 0.0, 0.0, 0.0, 0.0};
  hs_status status = HS_OK;
  if (full && state->partition.ghost > 0 && state->right_now < 1) status = hs_distributed_exchange(state, 1, err);
  for (int k = 0; !status && k < state->part_count; k++) {
    struct hs_norm_sums sums;
    status = hs_part_enter(state, &state->parts[k], err);
    if (!status) status = state->inner->part->norm_sums(state->parts[k].state, bounds, full, &sums, err);
    if (!status) hs_norm_sums_merge(&all, &sums);
  }
  if (!status) status = sums_join(state, &all, err);
  if (!status) *norms = hs_norm_sums_finish(&all, bounds, full);
  return status;
}

/* The largest of what an operation finds in the parts. */
static hs_status largest_of(struct hs_distributed_state *state,
                            hs_status (*operation)(struct hs_backend_state *, double *, struct hs_error *),
                            double *largest, struct hs_error *err)
{
  double here;
  hs_status status = HS_OK;
  *largest = 0.0;
  for (int k = 0; !status && k < state->part_count; k++) {
    status = hs_part_enter(state, &state->parts[k], err);
    if (!status) status = operation(state->parts[k].state, &here, err);
    if (!status && here > *largest) *largest = here;
  }
  return status ? status : hs_comm_largest(state->comm, largest, 1, err);
}

hs_status hs_distributed_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err)
{
  struct hs_distributed_state *state = hs_distributed_state(backend);
  return largest_of(state, state->inner->distance, distance_k, err);
}

hs_status hs_distributed_largest(struct hs_backend_state *backend, double *largest_k, struct hs_error *err)
{
  struct hs_distributed_state *state = hs_distributed_state(backend);
  return largest_of(state, state->inner->largest, largest_k, err);
}
