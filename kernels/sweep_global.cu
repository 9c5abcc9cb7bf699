/* cuda-global: straight from global memory; nothing is shared but the lanes of a warp.
 *
 * Two kernels. `sweep_node`, one thread a node, is the readable baseline and the fastest for small grids, which it
 * spreads over as many threads as possible. `sweep_rows` is for grids that device memory limits (rows.cuh). Where a
 * tile is of the kind that the kernel was compiled for, the stencil is a constant of the warp, elsewhere every node
 * looks up its own.
 *
 * sweep_rows makes plain sweeps only; sweep_general.cu has all others of large fields.
 */
#include "rows.cuh"

/* --- one thread a node ----------------------------------------------------------------------- */

/* GENERAL: with form and constants, and perhaps a stencil for every node; else a plain sweep, whose whole tiles need no
 * index. */
template <typename Real, bool NORMED, bool GENERAL>
__global__ void __launch_bounds__(NODE_BLOCK_W *NODE_BLOCK_H)
    sweep_node(const __grid_constant__ hs_device_system system, const Real *__restrict__ from, Real *to,
               int step_number, hs_norm_slot *d_slots, const hs_device_control *d_control, const int32_t *d_halt)
{
  const int i = blockIdx.x * NODE_BLOCK_W + threadIdx.x;
  const int j = block_row() * NODE_BLOCK_H + threadIdx.y;
  ThreadNorms norms = {{0.0, 0.0}, 0.0};
  if (d_halt && *d_halt) return;

  if (i < system.nx && j < system.ny) {
    const int64_t n = j * system.pitch + i;
    const Real *t = from + n, *constants = GENERAL ? (const Real *)system.d_constants : nullptr;
    const Real west = t[-1], east = t[1], south = t[-system.pitch], north = t[system.pitch];
    Step<Real> step = {HS_FORM_JACOBI, Real(1)};
    if (GENERAL) step = step_load<Real>(system, step_number);
    const int code = GENERAL ? HS_TILE_MIXED : system.d_tile_code[j / HS_TILE_H * system.tiles_x + blockIdx.x];
    const size_t entry = code % 4 == HS_TILE_MIXED ? node_index(system, i, j, n) : (size_t)(code / 4);
    const auto stencil = stencil_load(StencilOf<Real>::stencil_table(system) + entry, step);
    const Real c = constants ? stencil.c + constants[n] : stencil.c;
    const Real before = step.form == HS_FORM_CHEBYSHEV ? to[n] : Real(0);
    const Real next = step_take(step, stencil, node_general(stencil, c, west, east, south, north), t[0], before);
    to[n] = next;
    if (NORMED) norms_add(norms, system.split, (double)(next - t[0]), d_control->update_scale);
  }
  if (NORMED) update_norms_publish(norms, d_slots, threadIdx.y * NODE_BLOCK_W + threadIdx.x);
}

/* --- 16 bytes of several rows a thread ------------------------------------------------------- */

/* With norms more rows a thread, because a reduction costs as much as several rows. The least number of blocks a
 * multiprocessor bounds the registers. Both by measurement. */
template <typename Real, bool NORMED> struct RowsShape {
  static constexpr int ROWS = NORMED ? 8 : 4; /* divides HS_TILE_H */
  static constexpr int BLOCKS = !NORMED ? 16 : sizeof(Real) == 8 ? 10 : 12;
};

/* Any stencil, node by node; kept out of line so that it costs the fast path no registers. */
template <typename Real, bool NORMED, int ROWS>
__device__ __noinline__ ThreadNorms nodes_update(const hs_device_system &system, const Real *from, Real *to, int i0,
                                                 int j0, double scale)
{
  const auto *stencil_table = StencilOf<Real>::stencil_table(system);
  const int64_t pitch = system.pitch;
  ThreadNorms norms = {{0.0, 0.0}, 0.0};
  for (int j = j0; j < min(j0 + ROWS, system.ny); j++) {
    for (int i = i0; i < min(i0 + Vector<Real>::SIZE, system.nx); i++) {
      const Real *t = from + j * pitch + i;
      const Real next = node_update(stencil_table[system.d_index[j * pitch + i]], t[-1], t[1], t[-pitch], t[pitch]);
      to[j * pitch + i] = next;
      if (NORMED) norms_add(norms, system.split, (double)(next - t[0]), scale);
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
  const Place<Real, ROWS> at(system);
  const double scale = NORMED ? d_control->update_scale : 0.0;
  ThreadNorms norms = {{0.0, 0.0}, 0.0};
  if (d_halt && *d_halt) return;

  if (at.inside(system)) {
    Rows<Real, ROWS> rows;
    rows.load(from + at.n, system.pitch, at.lane);
    const int code = system.d_tile_code[at.j / HS_TILE_H * system.tiles_x + at.tile_x];
    if (code % 4 != KIND) {
      norms = nodes_update<Real, NORMED, ROWS>(system, from, to, at.i, at.j, scale);
    } else {
      const auto stencil = code / 4 == system.main_index ? StencilOf<Real>::main(system)
                                                         : StencilOf<Real>::stencil_table(system)[code / 4];
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        const Vector<Real> &south = rows.at[r], &centre = rows.at[r + 1], &north = rows.at[r + 2];
        Real west, east;
        rows.sides(r, at.lane, west, east);
        Vector<Real> next;
#pragma unroll
        for (int v = 0; v < SIZE; v++) {
          const Real w = v ? centre.at[v - 1] : west, e = v < SIZE - 1 ? centre.at[v + 1] : east;
          next.at[v] = KIND == HS_TILE_EQUAL ? node_uniform(stencil.c, w, e, south.at[v], north.at[v])
                                             : node_update(stencil, w, e, south.at[v], north.at[v]);
        }
        next.store(to + at.n + r * system.pitch);
#pragma unroll
        for (int v = 0; v < SIZE; v++)
          if (NORMED) norms_add(norms, system.split, (double)(next.at[v] - centre.at[v]), scale);
      }
    }
  }
  if (NORMED) update_norms_publish(norms, d_slots, threadIdx.x);
}

/* --- launch ---------------------------------------------------------------------------------- */

template <typename Real, bool NORMED>
static cudaError_t nodes_launch(const hs_device_system *system, const hs_device_sweep *sweep, cudaStream_t stream)
{
  const auto kernel = system->general ? sweep_node<Real, NORMED, true> : sweep_node<Real, NORMED, false>;
  return kernel_launch(kernel, nodes_grid(system), dim3(NODE_BLOCK_W, NODE_BLOCK_H), stream, *system,
                       (const Real *)sweep->from, (Real *)sweep->to, sweep->step, sweep->d_slots, sweep->d_control,
                       sweep->d_halt);
}

template <typename Real, bool NORMED>
static cudaError_t rows_launch(const hs_device_system *system, const hs_device_sweep *sweep, cudaStream_t stream)
{
  const auto kernel = system->main_kind == HS_TILE_EQUAL ? sweep_rows<Real, NORMED, HS_TILE_EQUAL>
                                                         : sweep_rows<Real, NORMED, HS_TILE_STENCIL>;
  return kernel_launch(kernel, rows_grid<Real, RowsShape<Real, NORMED>::ROWS>(system), ROWS_BLOCK, stream, *system,
                       (const Real *)sweep->from, (Real *)sweep->to, sweep->d_slots, sweep->d_control, sweep->d_halt);
}

/* Mixed tiles of a large field are the business of the general kernel (nodes_update is slow), unless they are few:
 * mostly those along the walls. */
cudaError_t hs_kernel_sweep_global(const hs_device_system *system, int single, const hs_device_sweep *sweep,
                                   cudaStream_t stream)
{
  const bool large = field_is_large(*system, single);
  if (large && (system->general || system->mixed)) return hs_kernel_sweep_general(system, single, sweep, stream);
  return launch_normed(single, sweep->d_slots, [&](auto real, auto normed) {
    using Real = decltype(real);
    constexpr bool NORMED = decltype(normed)::value;
    return large ? rows_launch<Real, NORMED>(system, sweep, stream) : nodes_launch<Real, NORMED>(system, sweep, stream);
  });
}
