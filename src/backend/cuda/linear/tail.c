/* The last levels of a cycle as one operation. */
#include "backend/cuda/linear/linear.h"

static struct hs_device_tail tail_of(struct hs_operator *const *op, const bool *segments, int count)
{
  struct hs_device_tail tail = {.count = count, .d_inverse = op[count - 1]->d_inverse};
  for (int k = 0; k < count; k++) {
    tail.level[k].grid = op[k]->level.grid;
    tail.level[k].d_couplings = op[k]->d_couplings;
    tail.level[k].d_cells = op[k]->d_cells;
    tail.level[k].segments = k + 1 < count && segments[k];
  }
  hs_kernel_mg_tail_place(&tail);
  return tail;
}

int hs_cuda_tail(struct hs_operator *const *op, const bool *segments, int count)
{
  int first = count - 1, most = 0;
  if (op[first]->level.grid.pitch % 4 || hs_kernel_mg_tail_prepare(&most) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  while (first > 0 && count - first < HS_TAIL_LEVELS && op[first - 1]->d_cells && hs_cuda_suits_tail(op[first - 1])) {
    const struct hs_device_tail tail = tail_of(op + first - 1, segments + first - 1, count - first + 1);
    if (tail.bytes > most) break;
    first--;
  }
  return count - first > 1 ? count - first : 0;
}

hs_status hs_cuda_cycle_tail(struct hs_operator *const *op, const bool *segments, int count, const struct hs_vector *f,
                             const double weights[3], struct hs_vector *u, struct hs_error *err)
{
  const float w[3] = {(float)weights[0], (float)weights[1], (float)weights[2]};
  const struct hs_device_tail tail = tail_of(op, segments, count);
  return hs_cuda_check(hs_kernel_mg_tail(&tail, hs_cuda_single(f), w, hs_cuda_single(u), op[0]->shared->stream),
                       "a multigrid cycle", err);
}
