/* The operations of cpu-reference. */
#include "backend/host/host.h"

static hs_status reference_create(const struct hs_system *system, const struct hs_backend_options *options,
                                  const struct hs_backend_state *state, struct hs_operator **op, struct hs_error *err)
{
  (void)options;
  (void)state;
  return hs_host_create(system, 1, false, op, err);
}

const struct hs_linear hs_linear_reference = {
    .create = reference_create,
    .update = hs_host_update,
    .destroy = hs_host_destroy,
    .grid = hs_host_grid,
    .shares = hs_host_shares,
    .coarsen = hs_host_coarsen,
    .rows = hs_host_rows,
    .invert = hs_host_invert,
    .settle = hs_host_settle,
    .vector_create = hs_host_vector_create,
    .vector_destroy = hs_host_vector_destroy,
    .put = hs_host_put,
    .fetch = hs_host_fetch,
    .pick = hs_host_pick,
    .load = hs_host_load,
    .clear = hs_host_clear,
    .copy = hs_host_copy,
    .cycle_start = hs_host_cycle_start,
    .cycle_relax = hs_host_cycle_relax,
    .cycle_segments = hs_host_cycle_segments,
    .cycle_restrict = hs_host_cycle_restrict,
    .cycle_condense = hs_host_cycle_condense,
    .cycle_prolong = hs_host_cycle_prolong,
    .cycle_solve = hs_host_cycle_solve,
    .residual = hs_host_residual,
    .round = hs_host_round,
    .examine = hs_host_examine,
    .advance = hs_host_advance,
    .richardson = hs_host_richardson,
    .change = hs_host_change,
    .largest = hs_host_largest,
};
