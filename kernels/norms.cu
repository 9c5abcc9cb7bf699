/* All norms of a field and its predecessor in one pass: the update t_k - t_(k-1), the residual
 * b - A t_k, and the difference over two sweeps J(t_k) - t_(k-1).
 *
 * The further update J(t_k) is computed in double precision whatever the field's, so that the
 * residual is that of the stored field and not of single-precision arithmetic. It runs once every
 * check_every sweeps and reads two fields: about the price of one sweep.
 */
#include "device.cuh"

static constexpr int THREADS = 256;
static constexpr int STRIPS = THREADS / HS_TILE_W;
static constexpr int STRIP_H = HS_TILE_H / STRIPS;

struct NodeNorms {
  ThreadNorms update, residual;
  double two_sweep_max;
};

template <typename Real>
__device__ __forceinline__ void node_norms(const hs_device_system &system, const hs_stencil_f64 &stencil,
                                           const Real *t, Real previous, double update_scale, double residual_scale,
                                           NodeNorms &norms)
{
  norms_add(norms.update, system.split, (double)(t[0] - previous), update_scale);
  if (stencil.diagonal == 0.0) return;
  const double next = node_update(stencil, (double)t[-1], (double)t[1], (double)t[-system.pitch], (double)t[system.pitch]);
  const double two_sweep = fabs(next - (double)previous);
  norms_add(norms.residual, system.split, stencil.diagonal * (next - (double)t[0]), residual_scale);
  norms.two_sweep_max = two_sweep > norms.two_sweep_max ? two_sweep : norms.two_sweep_max;
}

template <typename Real>
__global__ void __launch_bounds__(THREADS)
    all_norms(const hs_device_system system, const Real *__restrict__ now, const Real *__restrict__ before,
              hs_norm_slot *d_slots, const hs_device_control *d_control, const int32_t *d_halt)
{
  const int column = threadIdx.x % HS_TILE_W, strip = threadIdx.x / HS_TILE_W;
  const int i = blockIdx.x * HS_TILE_W + column;
  const int j0 = blockIdx.y * HS_TILE_H + strip * STRIP_H;
  const int code = system.d_tile_code[blockIdx.y * system.tiles_x + blockIdx.x];
  const double update_scale = d_control->update_scale, residual_scale = d_control->residual_scale;
  NodeNorms norms = {{{0.0, 0.0}, 0.0}, {{0.0, 0.0}, 0.0}, 0.0};
  if (d_halt && *d_halt) return;

  if (i < system.nx) {
    const int rows = min(STRIP_H, system.ny - j0);
    const bool mixed = code % 4 == HS_TILE_MIXED;
    const hs_stencil_f64 common = system.d_stencil[mixed ? 0 : code / 4];
#pragma unroll 4
    for (int row = 0; row < rows; row++) {
      const int64_t n = (j0 + row) * system.pitch + i;
      if (mixed)
        node_norms(system, system.d_stencil[system.d_index[(int64_t)(j0 + row) * system.nx + i]], now + n, before[n],
                   update_scale, residual_scale, norms);
      else
        node_norms(system, common, now + n, before[n], update_scale, residual_scale, norms);
    }
  }

  const ThreadNorms two_sweep = block_reduce({{0.0, 0.0}, norms.two_sweep_max}, threadIdx.x, THREADS);
  const ThreadNorms residual = block_reduce(norms.residual, threadIdx.x, THREADS);
  if (threadIdx.x == 0) {
    hs_norm_slot *slot = slot_of_block(d_slots);
    atomic_max(&slot->two_sweep_max, two_sweep.maximum);
    atomicAdd(&slot->residual_high, residual.sum.high);
    atomicAdd(&slot->residual_low, residual.sum.low);
    atomic_max(&slot->residual_max, residual.maximum);
  }
  update_norms_publish(norms.update, d_slots, threadIdx.x, THREADS);
}

cudaError_t hs_kernel_norms(const hs_device_system *system, int single, const void *now, const void *before,
                            hs_norm_slot *d_slots, const hs_device_control *d_control, const int32_t *d_halt,
                            cudaStream_t stream)
{
  const dim3 grid(system->tiles_x, system->tiles_y);
  if (single)
    all_norms<float><<<grid, THREADS, 0, stream>>>(*system, (const float *)now, (const float *)before, d_slots,
                                                   d_control, d_halt);
  else
    all_norms<double><<<grid, THREADS, 0, stream>>>(*system, (const double *)now, (const double *)before, d_slots,
                                                    d_control, d_halt);
  return cudaGetLastError();
}
