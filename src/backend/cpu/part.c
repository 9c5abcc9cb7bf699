/* cpu as a part of a grid: blocks of fields in natural layout. */
#include "backend/part.h"

#include <string.h>

#include "backend/cpu/state.h"

static hs_status part_sweep(struct hs_backend_state *backend, int64_t n, bool predecessor, struct hs_error *err)
{
  return hs_cpu_sweep(hs_cpu_state(backend), n, predecessor, err);
}

/* The field of that role, natural. */
static hs_status field_of(struct hs_cpu_state *state, enum hs_field_role role, char **field, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (role == HS_FIELD_NOW) hs_cpu_make_natural(state);
  if (role == HS_FIELD_BEFORE) status = hs_cpu_predecessor(state, err);
  *field = (char *)(role == HS_FIELD_NOW ? state->now : state->before);
  return status;
}

static hs_status part_block_get(struct hs_backend_state *backend, enum hs_field_role role,
                                const struct hs_rectangle *block, void *values, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  const size_t size = hs_cpu_element_size(state), bytes = (size_t)block->nx * size;
  char *field;
  const hs_status status = field_of(state, role, &field, err);
  for (int j = 0; !status && j < block->ny; j++)
    memcpy((char *)values + (size_t)j * bytes, field + (hs_cpu_row(state, block->y0 + j) + (size_t)block->x0) * size,
           bytes);
  return status;
}

/* A remembered field may be the same memory: its ghosts become those of its time, too. */
static hs_status part_block_put(struct hs_backend_state *backend, enum hs_field_role role,
                                const struct hs_rectangle *block, const void *values, struct hs_error *err)
{
  struct hs_cpu_state *state = hs_cpu_state(backend);
  const size_t size = hs_cpu_element_size(state), bytes = (size_t)block->nx * size;
  char *field;
  const hs_status status = field_of(state, role, &field, err);
  for (int j = 0; !status && j < block->ny; j++) {
    memcpy(field + (hs_cpu_row(state, block->y0 + j) + (size_t)block->x0) * size,
           (const char *)values + (size_t)j * bytes, bytes);
    hs_cpu_row_wrap(state, field, block->y0 + j);
  }
  return status;
}

const struct hs_part_operations hs_part_cpu = {
    .sweep = part_sweep,
    .block_get = part_block_get,
    .block_put = part_block_put,
    .norm_sums = hs_cpu_norm_sums,
    .linear = &hs_part_linear_cpu,
};
