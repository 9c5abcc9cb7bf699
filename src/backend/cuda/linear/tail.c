/* The last levels of a cycle as one operation. */
#include "backend/cuda/linear/linear.h"

static struct hs_device_tail tail_of(struct hs_operator *const *op, int count)
{
  struct hs_device_tail tail = {.count = count, .d_inverse = op[count - 1]->d_inverse};
  for (int k = 0; k < count; k++) {
    tail.level[k].grid = op[k]->level.grid;
    tail.level[k].d_couplings = op[k]->d_couplings;
    tail.level[k].d_cells = op[k]->d_cells;
  }
  hs_kernel_mg_tail_place(&tail);
  return tail;
}

/* Can the kernel have it as a level beside the coarsest one? */
static bool level_fits(const struct hs_operator *op)
{
  const struct hs_grid *g = &op->level.grid;
  return op->d_couplings && op->d_cells && (double)g->nx * g->ny <= HS_TAIL_NODES && g->pitch % 4 == 0;
}

int hs_cuda_tail(struct hs_operator *const *op, int count)
{
  int first = count - 1, most = 0;
  if (op[first]->level.grid.pitch % 4 || hs_kernel_mg_tail_prepare(&most) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  while (first > 0 && count - first < HS_TAIL_LEVELS && level_fits(op[first - 1])) {
    const struct hs_device_tail tail = tail_of(op + first - 1, count - first + 1);
    if (tail.bytes > most) break;
    first--;
  }
  return count - first > 1 ? count - first : 0;
}

hs_status hs_cuda_cycle_tail(struct hs_operator *const *op, int count, const struct hs_vector *f,
                             const double weights[2], struct hs_vector *u, struct hs_error *err)
{
  const float w[2] = {(float)weights[0], (float)weights[1]};
  const struct hs_device_tail tail = tail_of(op, count);
  return hs_cuda_check(hs_kernel_mg_tail(&tail, hs_cuda_single(f), w, hs_cuda_single(u), op[0]->shared->stream),
                       "a multigrid cycle", err);
}
