/* The tables: operators in parts differ in the backend that they are made of. */
#include "backend/distributed/linear/linear.h"

#define PARTED(name_)                                                                                                  \
  static hs_status name_##_create(const struct hs_system *system, const struct hs_backend_options *options,            \
                                  const struct hs_backend_state *state, struct hs_operator **op, struct hs_error *err) \
  {                                                                                                                    \
    (void)state;                                                                                                       \
    return hs_parted_create(&hs_backend_##name_, system, options, op, err);                                            \
  }                                                                                                                    \
  const struct hs_linear hs_distributed_linear_##name_ = {                                                             \
      .create = name_##_create,                                                                                        \
      .update = hs_parted_update,                                                                                      \
      .destroy = hs_parted_destroy,                                                                                    \
      .grid = hs_parted_grid,                                                                                          \
      .given = hs_parted_given,                                                                                        \
      .shares = hs_parted_shares,                                                                                      \
      .coarsen = hs_parted_coarsen,                                                                                    \
      .rows = hs_parted_rows,                                                                                          \
      .invert = hs_parted_invert,                                                                                      \
      .settle = hs_parted_settle,                                                                                      \
      .vector_create = hs_parted_vector_create,                                                                        \
      .vector_destroy = hs_parted_vector_destroy,                                                                      \
      .takes = hs_parted_takes,                                                                                        \
      .take = hs_parted_take,                                                                                          \
      .give = hs_parted_give,                                                                                          \
      .put = hs_parted_put,                                                                                            \
      .fetch = hs_parted_fetch,                                                                                        \
      .pick = hs_parted_pick,                                                                                          \
      .load = hs_parted_load,                                                                                          \
      .clear = hs_parted_clear,                                                                                        \
      .copy = hs_parted_copy,                                                                                          \
      .cycle_start = hs_parted_cycle_start,                                                                            \
      .cycle_relax = hs_parted_cycle_relax,                                                                            \
      .cycle_segments = hs_parted_cycle_segments,                                                                      \
      .cycle_restrict = hs_parted_cycle_restrict,                                                                      \
      .cycle_condense = hs_parted_cycle_condense,                                                                      \
      .cycle_prolong = hs_parted_cycle_prolong,                                                                        \
      .cycle_down = hs_parted_cycle_down,                                                                              \
      .cycle_up = hs_parted_cycle_up,                                                                                  \
      .cycle_solve = hs_parted_cycle_solve,                                                                            \
      .residual = hs_parted_residual,                                                                                  \
      .round = hs_parted_round,                                                                                        \
      .examine = hs_parted_examine,                                                                                    \
      .advance = hs_parted_advance,                                                                                    \
      .richardson = hs_parted_richardson,                                                                              \
      .change = hs_parted_change,                                                                                      \
      .largest = hs_parted_largest,                                                                                    \
  };

PARTED(reference)
PARTED(cpu)
PARTED(cuda_global)
PARTED(cuda_shared)
PARTED(cuda_resident)
PARTED(cuda_blocked)
