/* cuda-global: straight from global memory; nothing is shared but the lanes of a warp.
 *
 * Two kernels. `sweep_node`, one thread a node, is the readable baseline and the fastest for small
 * grids, which it spreads over as many threads as possible. `sweep_rows` is for grids that device
 * memory limits: a thread owns 16 bytes of a row (2 doubles, 4 floats) in ROWS rows, a warp 32 such
 * columns:
 *
 *        lane   0     1     2          31
 *             . n n | n n | n n | ... | n n .      row ROWS: read only
 *             w t t | t t | t t | ... | t t e      ROWS rows: read and updated
 *             . s s | s s | s s | ... | s s .      row -1: read only
 *
 * All its loads are independent and 16 bytes wide, so a few warps keep device memory busy. West and
 * east come from the neighbouring lane by shuffle; only the first and the last lane read one more
 * element (w, e). Rows -1 and ROWS are read twice, the second time from the L2 cache. A warp lies
 * within one tile; where the tile is of the kind the kernel was compiled for, the stencil is a
 * constant of the warp, elsewhere every node looks up its own.
 *
 * Both are plain sweeps; sweep_general.cu has everything else.
 */
#include "device.cuh"

/* --- one thread a node ----------------------------------------------------------------------- */

static constexpr int NODE_BLOCK_W = 128, NODE_BLOCK_H = 2; /* threads; a tile is NODE_BLOCK_W columns wide */

template <typename Real, bool NORMED>
__global__ void __launch_bounds__(NODE_BLOCK_W *NODE_BLOCK_H)
    sweep_node(const __grid_constant__ hs_device_system system, const Real *__restrict__ from, Real *__restrict__ to,
               hs_norm_slot *d_slots, const hs_device_control *d_control, const int32_t *d_halt)
{
  const int i = blockIdx.x * NODE_BLOCK_W + threadIdx.x;
  const int j = block_row() * NODE_BLOCK_H + threadIdx.y;
  ThreadNorms norms = {{0.0, 0.0}, 0.0};
  if (d_halt && *d_halt) return;

  if (i < system.nx && j < system.ny) {
    const Real *t = from + j * system.pitch + i;
    const Real west = t[-1], east = t[1], south = t[-system.pitch], north = t[system.pitch];
    const auto *stencil_table = StencilOf<Real>::stencil_table(system);
    const int code = system.d_tile_code[j / HS_TILE_H * system.tiles_x + blockIdx.x];
    Real next;
    if (code % 4 == HS_TILE_EQUAL)
      next = node_uniform(stencil_table[code / 4].c, west, east, south, north);
    else if (code % 4 == HS_TILE_STENCIL)
      next = node_update(stencil_table[code / 4], west, east, south, north);
    else
      next = node_update(stencil_table[system.d_index[j * system.pitch + i]], west, east, south, north);
    to[j * system.pitch + i] = next;
    if (NORMED) norms_add(norms, system.split, (double)(next - t[0]), d_control->update_scale);
  }
  if (NORMED) update_norms_publish(norms, d_slots, threadIdx.y * NODE_BLOCK_W + threadIdx.x);
}

template <typename Real, bool NORMED>
static cudaError_t launch_node(const hs_device_system *system, const Real *from, Real *to, hs_norm_slot *d_slots,
                               const hs_device_control *d_control, const int32_t *d_halt, cudaStream_t stream)
{
  const dim3 block(NODE_BLOCK_W, NODE_BLOCK_H);
  const dim3 grid = grid_of(system->tiles_x, (system->ny + NODE_BLOCK_H - 1) / NODE_BLOCK_H);
  sweep_node<Real, NORMED><<<grid, block, 0, stream>>>(*system, from, to, d_slots, d_control, d_halt);
  return cudaGetLastError();
}

/* --- 16 bytes of several rows a thread ------------------------------------------------------- */

/* Small blocks, because a block's loads stop while it reduces its norms; with norms more rows a
 * thread, because a reduction costs as much as several rows. The least number of blocks a
 * multiprocessor bounds the registers. All three by measurement (doc/measurements.md). */
static constexpr int ROWS_BLOCK = 64; /* threads */
template <typename Real, bool NORMED> struct RowsShape {
  static constexpr int ROWS = NORMED ? 8 : 4; /* divides HS_TILE_H */
  static constexpr int BLOCKS = !NORMED ? 16 : sizeof(Real) == 8 ? 10 : 12;
};

/* Any stencil, node by node; kept out of line so that it costs the fast path no registers. */
template <typename Real, bool NORMED, int ROWS>
__device__ __noinline__ ThreadNorms nodes_update(const typename StencilOf<Real>::type *stencil_table,
                                                 const uint16_t *d_index, int nx, int ny, int64_t pitch,
                                                 hs_sum_split split, const Real *from, Real *to, int i0, int j0,
                                                 double scale)
{
  ThreadNorms norms = {{0.0, 0.0}, 0.0};
  for (int j = j0; j < min(j0 + ROWS, ny); j++) {
    for (int i = i0; i < min(i0 + Vector<Real>::SIZE, nx); i++) {
      const Real *t = from + j * pitch + i;
      const Real next = node_update(stencil_table[d_index[j * pitch + i]], t[-1], t[1], t[-pitch], t[pitch]);
      to[j * pitch + i] = next;
      if (NORMED) norms_add(norms, split, (double)(next - t[0]), scale);
    }
  }
  return norms;
}

template <typename Real, bool NORMED, int KIND>
__global__ void __launch_bounds__(ROWS_BLOCK, (RowsShape<Real, NORMED>::BLOCKS))
    sweep_rows(const __grid_constant__ hs_device_system system, const Real *__restrict__ from, Real *__restrict__ to,
               hs_norm_slot *d_slots, const hs_device_control *d_control, const int32_t *d_halt)
{
  constexpr int SIZE = Vector<Real>::SIZE, ROWS = RowsShape<Real, NORMED>::ROWS;
  const int lane = threadIdx.x % 32;
  const int i = (blockIdx.x * ROWS_BLOCK + threadIdx.x) * SIZE; /* first column of this thread */
  const int j0 = block_row() * ROWS;                            /* first row */
  const int tile_x = (i - lane * SIZE) / HS_TILE_W;
  const double scale = NORMED ? d_control->update_scale : 0.0;
  ThreadNorms norms = {{0.0, 0.0}, 0.0};
  if (d_halt && *d_halt) return;

  if (tile_x < system.tiles_x && j0 < system.ny) { /* else the whole warp lies beside the grid */
    const Real *t = from + (int64_t)j0 * system.pitch + i;
    Vector<Real> rows[ROWS + 2];
    Real edge[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++) rows[r].load(t + (r - 1) * system.pitch);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      edge[r] = 0;
      if (lane == 0 || lane == 31) edge[r] = t[r * system.pitch + (lane ? SIZE : -1)];
    }
    const int code = system.d_tile_code[j0 / HS_TILE_H * system.tiles_x + tile_x];
    if (code % 4 != KIND) {
      norms = nodes_update<Real, NORMED, ROWS>(StencilOf<Real>::stencil_table(system), system.d_index, system.nx,
                                               system.ny, system.pitch, system.split, from, to, i, j0, scale);
    } else {
      const auto stencil = code / 4 == system.main_index ? StencilOf<Real>::main(system)
                                                         : StencilOf<Real>::stencil_table(system)[code / 4];
      Real *out = to + (int64_t)j0 * system.pitch + i;
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        const Vector<Real> &south = rows[r], &centre = rows[r + 1], &north = rows[r + 2];
        Real west = __shfl_up_sync(0xffffffffu, centre.at[SIZE - 1], 1);
        Real east = __shfl_down_sync(0xffffffffu, centre.at[0], 1);
        if (lane == 0) west = edge[r];
        if (lane == 31) east = edge[r];
        Vector<Real> next;
#pragma unroll
        for (int v = 0; v < SIZE; v++) {
          const Real w = v ? centre.at[v - 1] : west, e = v < SIZE - 1 ? centre.at[v + 1] : east;
          next.at[v] = KIND == HS_TILE_EQUAL ? node_uniform(stencil.c, w, e, south.at[v], north.at[v])
                                             : node_update(stencil, w, e, south.at[v], north.at[v]);
        }
        next.store(out + r * system.pitch);
#pragma unroll
        for (int v = 0; v < SIZE; v++)
          if (NORMED) norms_add(norms, system.split, (double)(next.at[v] - centre.at[v]), scale);
      }
    }
  }
  if (NORMED) update_norms_publish(norms, d_slots, threadIdx.x);
}

template <typename Real, bool NORMED, int KIND>
static cudaError_t launch_rows(const hs_device_system *system, const Real *from, Real *to, hs_norm_slot *d_slots,
                               const hs_device_control *d_control, const int32_t *d_halt, cudaStream_t stream)
{
  constexpr int ROWS = RowsShape<Real, NORMED>::ROWS;
  const int width = system->tiles_x * HS_TILE_W / Vector<Real>::SIZE; /* threads across the grid */
  const dim3 grid = grid_of((width + ROWS_BLOCK - 1) / ROWS_BLOCK, (system->ny + ROWS - 1) / ROWS);
  sweep_rows<Real, NORMED, KIND><<<grid, ROWS_BLOCK, 0, stream>>>(*system, from, to, d_slots, d_control, d_halt);
  return cudaGetLastError();
}

template <typename Real, bool NORMED>
static cudaError_t launch(const hs_device_system *system, const void *from, void *to, hs_norm_slot *d_slots,
                          const hs_device_control *d_control, const int32_t *d_halt, cudaStream_t stream)
{
  const auto function = !field_is_large<Real>(*system)       ? launch_node<Real, NORMED>
                        : system->main_kind == HS_TILE_EQUAL ? launch_rows<Real, NORMED, HS_TILE_EQUAL>
                                                             : launch_rows<Real, NORMED, HS_TILE_STENCIL>;
  return function(system, (const Real *)from, (Real *)to, d_slots, d_control, d_halt, stream);
}

/* Mixed tiles of a large field are the business of the general kernel (nodes_update is slow), unless they are few:
 * mostly those along the walls. */
static bool goes_general(const hs_device_system *system, int single)
{
  const bool large = single ? field_is_large<float>(*system) : field_is_large<double>(*system);
  return system->general || (system->mixed && large);
}

cudaError_t hs_kernel_sweep_global(const hs_device_system *system, int single, const void *from, void *to, int step,
                                   hs_norm_slot *d_slots, const hs_device_control *d_control, const int32_t *d_halt,
                                   cudaStream_t stream)
{
  const auto function = single    ? d_slots ? launch<float, true> : launch<float, false>
                           : d_slots ? launch<double, true>
                                  : launch<double, false>;
  if (goes_general(system, single))
    return hs_kernel_sweep_general(system, single, from, to, step, d_slots, d_control, d_halt, stream);
  return function(system, from, to, d_slots, d_control, d_halt, stream);
}
