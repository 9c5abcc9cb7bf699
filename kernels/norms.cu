/* All norms of a field and its predecessor in one pass: the update t_k - t_(k-1), the residual
 * b - A t_k, the correction J(t_k) - t_k, and the difference over two sweeps J(t_k) - t_(k-1). J is the plain
 * update whatever the form of the sweeps, with the node's own constants where there are any.
 *
 * The further update J(t_k) is computed in double precision whatever the field's, so that the
 * residual is that of the stored field and not of single-precision arithmetic. It runs once every
 * check_every sweeps and reads two fields: about the price of one sweep.
 */
#include "device.cuh"

static constexpr int64_t SMALL_GRID = 1 << 20; /* nodes; below, more threads matter more than fewer reductions */
static constexpr int ROWS_LARGE = 16,
                     ROWS_SMALL = 2; /* rows of a thread: a tile's height is a multiple of both blocks */

struct NodeNorms {
  ThreadNorms update, residual;
  double two_sweep_max, correction_max;
};

/* c: the constant of the node's own. */
template <typename Real>
__device__ __forceinline__ void node_norms(const hs_device_system &system, const hs_stencil_f64 &stencil, double c,
                                           const Real *t, Real previous, double update_scale, double residual_scale,
                                           NodeNorms &norms)
{
  norms_add(norms.update, system.split, (double)(t[0] - previous), update_scale);
  if (stencil.diagonal == 0.0) return;
  const double next =
      node_general(stencil, c, (double)t[-1], (double)t[1], (double)t[-system.pitch], (double)t[system.pitch]);
  const double correction = next - (double)t[0], two_sweep = fabs(next - (double)previous);
  norms_add(norms.residual, system.split, stencil.diagonal * correction, residual_scale);
  norms.two_sweep_max = two_sweep > norms.two_sweep_max ? two_sweep : norms.two_sweep_max;
  norms.correction_max = fabs(correction) > norms.correction_max ? fabs(correction) : norms.correction_max;
}

template <typename Real>
__global__ void __launch_bounds__(NODE_BLOCK_W *NODE_BLOCK_H)
    all_norms(const __grid_constant__ hs_device_system system, const Real *__restrict__ now,
              const Real *__restrict__ before, int rows, hs_norm_slot *d_slots, const hs_device_control *d_control,
              const int32_t *d_halt)
{
  const int i = blockIdx.x * NODE_BLOCK_W + threadIdx.x;
  const int j_block = (block_row() * NODE_BLOCK_H + threadIdx.y) * rows;
  const int j0 = max(j_block, system.ghost_south), j1 = min(j_block + rows, system.ny - system.ghost_north);
  NodeNorms norms = {{{0.0, 0.0}, 0.0}, {{0.0, 0.0}, 0.0}, 0.0, 0.0};
  if (d_halt && *d_halt) return;

  if (i >= system.ghost_west && i < system.nx - system.ghost_east && j0 < j1) {
    const double update_scale = d_control->update_scale, residual_scale = d_control->residual_scale;
    const int code = system.d_tile_code[j0 / HS_TILE_H * system.tiles_x + blockIdx.x];
    const bool mixed = code % 4 == HS_TILE_MIXED;
    const hs_stencil_f64 common =
        mixed || code / 4 == system.main_index ? system.main_stencil : system.d_stencil[code / 4];
    const Real *constants = (const Real *)system.d_constants;
#pragma unroll 4
    for (int j = j0; j < j1; j++) {
      const int64_t n = j * system.pitch + i;
      const double own =
          constants ? (double)constants[n] : -0.0; /* adding -0 changes nothing, not even a zero's sign */
      if (mixed) {
        const hs_stencil_f64 &stencil = system.d_stencil[node_index(system, i, j, n)];
        node_norms(system, stencil, stencil.c + own, now + n, before[n], update_scale, residual_scale, norms);
      } else {
        node_norms(system, common, common.c + own, now + n, before[n], update_scale, residual_scale, norms);
      }
    }
  }

  hs_norm_slot *slot = slot_of_block(d_slots);
  double sums[4] = {norms.update.sum.high, norms.update.sum.low, norms.residual.sum.high, norms.residual.sum.low};
  const double maxima[4] = {norms.update.maximum, norms.residual.maximum, norms.two_sweep_max, norms.correction_max};
  block_publish<4, 4>(sums, {&slot->update_high, &slot->update_low, &slot->residual_high, &slot->residual_low}, maxima,
                      {&slot->update_max, &slot->residual_max, &slot->two_sweep_max, &slot->correction_max},
                      threadIdx.y * NODE_BLOCK_W + threadIdx.x);
}

cudaError_t hs_kernel_norms(const hs_device_system *system, int single, const void *now, const void *before,
                            hs_norm_slot *d_slots, const hs_device_control *d_control, const int32_t *d_halt,
                            cudaStream_t stream)
{
  const int rows = (int64_t)system->nx * system->ny < SMALL_GRID ? ROWS_SMALL : ROWS_LARGE;
  const dim3 block(NODE_BLOCK_W, NODE_BLOCK_H);
  const dim3 grid = grid_of(system->tiles_x, (system->ny + NODE_BLOCK_H * rows - 1) / (NODE_BLOCK_H * rows));
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return kernel_launch(all_norms<Real>, grid, block, stream, *system, (const Real *)now, (const Real *)before, rows,
                         d_slots, d_control, d_halt);
  });
}
