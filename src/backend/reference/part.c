/* cpu-reference as a part of a grid. */
#include "backend/part.h"

#include <string.h>

#include "backend/reference/state.h"

static hs_status part_sweep(struct hs_backend_state *backend, int64_t n, bool predecessor, struct hs_error *err)
{
  (void)predecessor; /* it is there anyway */
  return hs_reference_sweep(backend, n, err);
}

/* Byte of node (i, j) in a field. */
static char *field_at(struct hs_reference_state *state, enum hs_field_role role, int i, int j)
{
  const size_t n = hs_reference_node(state->system, i, j);
  if (state->single) return (char *)((role == HS_FIELD_NOW ? state->now_single : state->before_single) + n);
  return (char *)((role == HS_FIELD_NOW ? state->now : state->before) + n);
}

static hs_status part_block_get(struct hs_backend_state *backend, enum hs_field_role role,
                                const struct hs_rectangle *block, void *values, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  const size_t row = (size_t)block->nx * (state->single ? sizeof(float) : sizeof(double));
  (void)err;
  for (int j = 0; j < block->ny; j++)
    memcpy((char *)values + (size_t)j * row, field_at(state, role, block->x0, block->y0 + j), row);
  return HS_OK;
}

static hs_status part_block_put(struct hs_backend_state *backend, enum hs_field_role role,
                                const struct hs_rectangle *block, const void *values, struct hs_error *err)
{
  struct hs_reference_state *state = hs_reference_state(backend);
  const size_t row = (size_t)block->nx * (state->single ? sizeof(float) : sizeof(double));
  (void)err;
  for (int j = 0; j < block->ny; j++)
    memcpy(field_at(state, role, block->x0, block->y0 + j), (const char *)values + (size_t)j * row, row);
  return HS_OK;
}

const struct hs_part_operations hs_part_reference = {
    .sweep = part_sweep,
    .block_get = part_block_get,
    .block_put = part_block_put,
    .norm_sums = hs_reference_norm_sums,
    .linear = &hs_part_linear_reference,
};
