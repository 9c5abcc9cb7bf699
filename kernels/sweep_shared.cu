/* cuda-shared: a tile with its halo in shared memory, loaded asynchronously.
 *
 *            . n n n n n n .          rows -1 and H: halo, whole rows of 16-byte copies
 *            w t t t t t t e          columns -1 and W: halo, one element a row
 *            w t t t t t t e          the four corners are not needed
 *            . s s s s s s .
 *
 * All copies of a tile are in flight together, and several blocks share a multiprocessor, so that
 * one block computes while others wait for memory. Each thread owns one column of a segment of the
 * tile and walks north, keeping south, centre and north in registers: per node three reads of
 * shared memory and one write to device memory.
 *
 * A general sweep (kernels.h) reads constants, predecessor and index straight from device memory, a few
 * rows ahead of their use, because a load must not wait for the store of the row before it. It keeps the
 * stencil from row to row as sweep_general.cu does, and therefore also serves grids with many mixed tiles.
 */
#ifndef HS_EMULATE
#include <cuda_pipeline.h>
#endif

#include "device.cuh"

static constexpr int THREADS = 256;
static constexpr int SEGMENTS = THREADS / HS_TILE_W; /* a segment: SEGMENT_H rows of a tile */
static constexpr int SEGMENT_H = HS_TILE_H / SEGMENTS;
static constexpr int WARPS = THREADS / 32;

/* Shared rows: column -1 lies at SIDE - 1, so that column 0 is aligned to 16 bytes. */
template <typename Real> struct Tile {
  static constexpr int SIDE = 16 / sizeof(Real);
  static constexpr int PITCH = HS_TILE_W + 2 * SIDE;
  static constexpr int ELEMENTS = (HS_TILE_H + 2) * PITCH;
};

/* Starts all copies of the tile whose node (0, 0) is at `origin`; rows above `last_row` are not read by any node. */
template <typename Real>
__device__ __forceinline__ void tile_load(Real *s_tile, const Real *origin, int64_t pitch, int last_row)
{
  constexpr int VECTOR = 16 / sizeof(Real);
  constexpr int SIDE = Tile<Real>::SIDE, PITCH = Tile<Real>::PITCH;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int row = warp; row < HS_TILE_H + 2; row += WARPS) {
    if (row - 1 > last_row) break;
    for (int chunk = lane; chunk < HS_TILE_W / VECTOR; chunk += 32)
      __pipeline_memcpy_async(&s_tile[row * PITCH + SIDE + chunk * VECTOR], origin + (row - 1) * pitch + chunk * VECTOR,
                              16);
  }
  if (threadIdx.x < 2 * HS_TILE_H) {
    const int row = threadIdx.x / 2, column = threadIdx.x % 2 ? HS_TILE_W : -1;
    if (row <= last_row)
      __pipeline_memcpy_async(&s_tile[(row + 1) * PITCH + SIDE + column], origin + row * pitch + column, sizeof(Real));
  }
  __pipeline_commit();
}

template <typename Real, bool NORMED>
__global__ void __launch_bounds__(THREADS)
    sweep_shared(const hs_device_system system, const Real *__restrict__ from, Real *__restrict__ to,
                 hs_norm_slot *d_slots, const hs_device_control *d_control, const int32_t *d_halt)
{
  constexpr int PITCH = Tile<Real>::PITCH;
  __shared__ __align__(16) Real s_tile[Tile<Real>::ELEMENTS];
  const int column = threadIdx.x % HS_TILE_W, segment = threadIdx.x / HS_TILE_W;
  const int i = blockIdx.x * HS_TILE_W + column;
  const int j0 = blockIdx.y * HS_TILE_H + segment * SEGMENT_H;
  const int64_t tile_origin = (int64_t)blockIdx.y * HS_TILE_H * system.pitch + blockIdx.x * HS_TILE_W;
  const double scale = NORMED ? d_control->update_scale : 0.0;
  const auto *stencil_table = StencilOf<Real>::stencil_table(system);
  ThreadNorms norms = {{0.0, 0.0}, 0.0};
  if (d_halt && *d_halt) return;

  tile_load(s_tile, from + tile_origin, system.pitch, system.ny - blockIdx.y * HS_TILE_H);
  const int code = system.d_tile_code[blockIdx.y * system.tiles_x + blockIdx.x];
  const int rows = min(SEGMENT_H, system.ny - j0);
  __pipeline_wait_prior(0);
  __syncthreads();

  if (i < system.nx && rows > 0) {
    const Real *s = s_tile + (segment * SEGMENT_H + 1) * PITCH + Tile<Real>::SIDE + column;
    Real *out = to + j0 * system.pitch + i;
    Real south = s[-PITCH], centre = s[0];
    auto walk = [&](auto update) {
#pragma unroll 8
      for (int row = 0; row < rows; row++) {
        const Real north = s[PITCH];
        const Real next = update(row, s[-1], s[1], south, north);
        *out = next;
        if (NORMED) norms_add(norms, system.split, (double)(next - centre), scale);
        south = centre;
        centre = north;
        s += PITCH;
        out += system.pitch;
      }
    };
    if (code % 4 == HS_TILE_EQUAL) {
      const Real c = stencil_table[code / 4].c;
      walk([&](int, Real west, Real east, Real south_, Real north) {
        return node_uniform(c, west, east, south_, north);
      });
    } else if (code % 4 == HS_TILE_STENCIL) {
      const auto stencil = stencil_table[code / 4];
      walk([&](int, Real west, Real east, Real south_, Real north) {
        return node_update(stencil, west, east, south_, north);
      });
    } else {
      const uint16_t *index = system.d_index + j0 * system.pitch + i;
      walk([&](int, Real west, Real east, Real south_, Real north) {
        const uint16_t entry = *index;
        index += system.pitch;
        return node_update(stencil_table[entry], west, east, south_, north);
      });
    }
  }
  if (NORMED) update_norms_publish(norms, d_slots, threadIdx.x);
}

/* Rows whose constants and predecessors a thread reads together. */
static constexpr int GROUP = 4; /* divides SEGMENT_H */

template <typename Real, bool NORMED>
__global__ void __launch_bounds__(THREADS)
    sweep_shared_general(const __grid_constant__ hs_device_system system, const Real *__restrict__ from, Real *to,
                         int step_number, hs_norm_slot *d_slots, const hs_device_control *d_control,
                         const int32_t *d_halt)
{
  constexpr int PITCH = Tile<Real>::PITCH;
  __shared__ __align__(16) Real s_tile[Tile<Real>::ELEMENTS];
  const int column = threadIdx.x % HS_TILE_W, segment = threadIdx.x / HS_TILE_W;
  const int i = blockIdx.x * HS_TILE_W + column;
  const int j0 = blockIdx.y * HS_TILE_H + segment * SEGMENT_H;
  const int64_t tile_origin = (int64_t)blockIdx.y * HS_TILE_H * system.pitch + blockIdx.x * HS_TILE_W;
  const double scale = NORMED ? d_control->update_scale : 0.0;
  const auto *stencil_table = StencilOf<Real>::stencil_table(system);
  ThreadNorms norms = {{0.0, 0.0}, 0.0};
  if (d_halt && *d_halt) return;

  tile_load(s_tile, from + tile_origin, system.pitch, system.ny - blockIdx.y * HS_TILE_H);
  const Step<Real> step = step_load<Real>(system, step_number);
  const int code = system.d_tile_code[blockIdx.y * system.tiles_x + blockIdx.x];
  const bool mixed = code % 4 == HS_TILE_MIXED;
  const int rows = min(SEGMENT_H, system.ny - j0);
  __pipeline_wait_prior(0);
  __syncthreads();

  if (i < system.nx && rows > 0) {
    const Real *s = s_tile + (segment * SEGMENT_H + 1) * PITCH + Tile<Real>::SIDE + column;
    const Real *constants = (const Real *)system.d_constants;
    Real south = s[-PITCH], centre = s[0];
    size_t kept = mixed ? node_index(system, i, j0, j0 * system.pitch + i) : (size_t)(code / 4); /* of stencil */
    auto stencil = stencil_load(stencil_table + kept, step);
    for (int row0 = 0; row0 < rows; row0 += GROUP) {
      const int64_t n = (j0 + row0) * system.pitch + i;
      Real own[GROUP], before[GROUP];
      size_t entry[GROUP];
#pragma unroll
      for (int k = 0; k < GROUP; k++) { /* rows beyond the grid are readable, but have no entry */
        const int64_t node = n + k * system.pitch;
        own[k] = constants ? constants[node] : Real(-0.0);
        before[k] = step.form == HS_FORM_CHEBYSHEV ? to[node] : Real(0);
        entry[k] = mixed && row0 + k < rows ? node_index(system, i, j0 + row0 + k, node) : kept;
      }
#pragma unroll
      for (int k = 0; k < GROUP; k++) {
        if (row0 + k >= rows) break;
        if (entry[k] != kept) stencil = stencil_load(stencil_table + entry[k], step);
        kept = entry[k];
        const Real north = s[PITCH];
        const Real u = node_general(stencil, stencil.c + own[k], s[-1], s[1], south, north);
        const Real next = step_take(step, stencil, u, centre, before[k]);
        to[n + k * system.pitch] = next;
        if (NORMED) norms_add(norms, system.split, (double)(next - centre), scale);
        south = centre;
        centre = north;
        s += PITCH;
      }
    }
  }
  if (NORMED) update_norms_publish(norms, d_slots, threadIdx.x);
}

cudaError_t hs_kernel_sweep_shared(const hs_device_system *system, int single, const hs_device_sweep *sweep,
                                   cudaStream_t stream)
{
  const dim3 grid(system->tiles_x, system->tiles_y);
  const bool general = system->general || system->mixed != HS_MIXED_FEW;
  return launch_normed(single, sweep->d_slots, [&](auto real, auto normed) {
    using Real = decltype(real);
    constexpr bool NORMED = decltype(normed)::value;
    const Real *from = (const Real *)sweep->from;
    Real *to = (Real *)sweep->to;
    return general ? kernel_launch(sweep_shared_general<Real, NORMED>, grid, THREADS, stream, *system, from, to,
                                   sweep->step, sweep->d_slots, sweep->d_control, sweep->d_halt)
                   : kernel_launch(sweep_shared<Real, NORMED>, grid, THREADS, stream, *system, from, to, sweep->d_slots,
                                   sweep->d_control, sweep->d_halt);
  });
}
