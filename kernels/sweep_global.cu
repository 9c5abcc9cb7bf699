/* cuda-global: one thread a node, global memory; the readable CUDA baseline.
 *
 * Neighbours are read through the cache: of the five loads of a node, four hit lines that other
 * threads of the block bring, so device memory sees each node once per sweep but for the tile's rim.
 */
#include "device.cuh"

static constexpr int BLOCK_W = 128, BLOCK_H = 2; /* threads; a tile is BLOCK_W x HS_TILE_H nodes */

template <typename Real, bool NORMED>
__global__ void __launch_bounds__(BLOCK_W *BLOCK_H)
    sweep_global(const hs_device_system system, const Real *__restrict__ from, Real *__restrict__ to,
                 hs_norm_slot *d_slots, const hs_device_control *d_control, const int32_t *d_halt)
{
  const int i = blockIdx.x * BLOCK_W + threadIdx.x;
  const int j = blockIdx.y * BLOCK_H + threadIdx.y;
  ThreadNorms norms = {{0.0, 0.0}, 0.0};
  if (d_halt && *d_halt) return;

  if (i < system.nx && j < system.ny) {
    const Real *t = from + j * system.pitch + i;
    const Real west = t[-1], east = t[1], south = t[-system.pitch], north = t[system.pitch];
    const auto *palette = StencilOf<Real>::palette(system);
    const int code = system.d_tile_code[blockIdx.y / (HS_TILE_H / BLOCK_H) * system.tiles_x + blockIdx.x];
    Real next;
    if (code % 4 == HS_TILE_EQUAL)
      next = node_uniform(palette[code / 4].c, west, east, south, north);
    else if (code % 4 == HS_TILE_STENCIL)
      next = node_update(palette[code / 4], west, east, south, north);
    else
      next = node_update(palette[system.d_index[(int64_t)j * system.nx + i]], west, east, south, north);
    to[j * system.pitch + i] = next;
    if (NORMED) norms_add(norms, system.split, (double)(next - t[0]), d_control->update_scale);
  }
  if (NORMED) update_norms_publish(norms, d_slots, threadIdx.y * BLOCK_W + threadIdx.x, BLOCK_W * BLOCK_H);
}

template <typename Real>
static cudaError_t launch(const hs_device_system *system, const void *from, void *to, hs_norm_slot *d_slots,
                          const hs_device_control *d_control, const int32_t *d_halt, cudaStream_t stream)
{
  const dim3 block(BLOCK_W, BLOCK_H);
  const dim3 grid(system->tiles_x, (system->ny + BLOCK_H - 1) / BLOCK_H);
  if (d_slots)
    sweep_global<Real, true>
        <<<grid, block, 0, stream>>>(*system, (const Real *)from, (Real *)to, d_slots, d_control, d_halt);
  else
    sweep_global<Real, false>
        <<<grid, block, 0, stream>>>(*system, (const Real *)from, (Real *)to, d_slots, d_control, d_halt);
  return cudaGetLastError();
}

cudaError_t hs_kernel_sweep_global(const hs_device_system *system, int single, const void *from, void *to,
                                   hs_norm_slot *d_slots, const hs_device_control *d_control, const int32_t *d_halt,
                                   cudaStream_t stream)
{
  return single ? launch<float>(system, from, to, d_slots, d_control, d_halt, stream)
                : launch<double>(system, from, to, d_slots, d_control, d_halt, stream);
}
