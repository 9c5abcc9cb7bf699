/* Operators and vectors of the CPU backends as parts of a grid. */
#include <string.h>

#include "backend/host/host.h"
#include "base/memory.h"

void hs_host_own(struct hs_operator *op, const struct hs_rectangle *own)
{
  op->own = *own;
}

hs_status hs_host_tally(struct hs_operator *op, struct hs_tally *tally, struct hs_error *err)
{
  (void)err;
  *tally = op->tally;
  return HS_OK;
}

/* --- couplings ------------------------------------------------------------------------------- */

hs_status hs_host_window(struct hs_operator *model, const struct hs_grid *grid, struct hs_operator **result,
                         struct hs_error *err)
{
  struct hs_operator *op = NULL;
  hs_status status = hs_array_create((void **)&op, 1, sizeof *op, "the operators of multigrid", err);
  *result = NULL;
  if (status) return status;
  op->grid = *grid;
  op->grid.pitch = (grid->nx + 3 + 15) / 16 * 16;
  op->own = (struct hs_rectangle){0, 0, grid->nx, grid->ny};
  op->singular = model->singular;
  op->repeats = model->repeats;
  op->threads_most = model->threads_most;
  op->threads = hs_host_threads(&op->grid, op->threads_most);
  status = hs_host_exact_create(op, err);
  if (status) {
    hs_host_destroy(op);
    return status;
  }
  *result = op;
  return HS_OK;
}

hs_status hs_host_couplings_get(struct hs_operator *op, const struct hs_rectangle *block, double (*values)[5],
                                struct hs_error *err)
{
  const struct hs_couplings_f64 *e = &op->exact;
  (void)err;
  hs_host_exact_complete(op);
  for (int j = 0; j < block->ny; j++)
    for (int i = 0; i < block->nx; i++) {
      const size_t n = hs_grid_at(&op->grid, block->x0 + i, block->y0 + j);
      const double row[5] = {e->east[n], e->northeast[n], e->north[n], e->northwest[n], e->sum[n]};
      memcpy(values[(size_t)j * (size_t)block->nx + (size_t)i], row, sizeof row);
    }
  return HS_OK;
}

hs_status hs_host_couplings_put(struct hs_operator *op, const struct hs_rectangle *block, const double (*values)[5],
                                struct hs_error *err)
{
  const struct hs_couplings_f64 *e = &op->exact;
  (void)err;
  for (int j = 0; j < block->ny; j++)
    for (int i = 0; i < block->nx; i++) {
      const size_t n = hs_grid_at(&op->grid, block->x0 + i, block->y0 + j);
      const double *row = values[(size_t)j * (size_t)block->nx + (size_t)i];
      e->east[n] = row[0];
      e->northeast[n] = row[1];
      e->north[n] = row[2];
      e->northwest[n] = row[3];
      e->sum[n] = row[4];
    }
  return HS_OK;
}

/* --- blocks of vectors ----------------------------------------------------------------------- */

/* The first of the values of row j of a block. */
static char *row_of(const struct hs_vector *v, const struct hs_rectangle *block, int j)
{
  const size_t n = hs_grid_at(&v->grid, block->x0, block->y0 + j);
  return v->single ? (char *)(v->single + n) : (char *)(v->twice + n);
}

static size_t row_bytes(const struct hs_vector *v, const struct hs_rectangle *block)
{
  return (size_t)block->nx * (v->single ? sizeof *v->single : sizeof *v->twice);
}

hs_status hs_host_block_get(struct hs_operator *op, const struct hs_vector *v, const struct hs_rectangle *block,
                            void *values, struct hs_error *err)
{
  const size_t bytes = row_bytes(v, block);
  (void)op;
  (void)err;
  for (int j = 0; j < block->ny; j++) memcpy((char *)values + (size_t)j * bytes, row_of(v, block, j), bytes);
  return HS_OK;
}

hs_status hs_host_block_put(struct hs_operator *op, struct hs_vector *v, const struct hs_rectangle *block,
                            const void *values, struct hs_error *err)
{
  const size_t bytes = row_bytes(v, block);
  (void)op;
  (void)err;
  for (int j = 0; j < block->ny; j++) memcpy(row_of(v, block, j), (const char *)values + (size_t)j * bytes, bytes);
  return HS_OK;
}

hs_status hs_host_block_copy(struct hs_operator *op, struct hs_vector *v, const struct hs_rectangle *block,
                             struct hs_operator *from_op, const struct hs_vector *from, int x0, int y0,
                             struct hs_error *err)
{
  const struct hs_rectangle source = {x0, y0, block->nx, block->ny};
  const size_t bytes = row_bytes(v, block);
  (void)op;
  (void)from_op;
  (void)err;
  for (int j = 0; j < block->ny; j++) memcpy(row_of(v, block, j), row_of(from, &source, j), bytes);
  return HS_OK;
}

hs_status hs_host_wrap(struct hs_operator *op, struct hs_vector *v, struct hs_error *err)
{
  (void)err;
  if (v->single)
    hs_host_ghosts_f32(&op->grid, v->single);
  else
    hs_host_ghosts_f64(&op->grid, v->twice);
  return HS_OK;
}

const struct hs_part_linear hs_part_linear_reference = {
    .own = hs_host_own,
    .tally = hs_host_tally,
    .total = hs_host_total,
    .lower = hs_host_lower,
    .window = hs_host_window,
    .complete = hs_host_coarse_end,
    .couplings_get = hs_host_couplings_get,
    .couplings_put = hs_host_couplings_put,
    .block_get = hs_host_block_get,
    .block_put = hs_host_block_put,
    .wrap = hs_host_wrap,
    .block_copy = hs_host_block_copy,
};
