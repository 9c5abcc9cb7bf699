/* cuda-global beyond plain Jacobi: relaxed forms, a field of constants, a stencil for every node, and
 * plain sweeps over grids where many tiles are mixed.
 *
 * The same two shapes as in sweep_global.cu, one thread a node and 16 bytes of several rows a thread.
 * The form and the presence of constants are branches that the whole grid takes alike, so one kernel
 * serves all of them; it needs more registers than the plain one, and may: it has up to two further fields
 * to read, so fewer threads keep memory as busy.
 *
 * Mixed tiles. A lane reads the coefficient indices of its 16 bytes in one go, and keeps a stencil per
 * column from row to row: it goes to the stencil table again only where the entry differs from that of the
 * row below. Inside a material, and along an interface that runs north, no lane does, and a stripe that
 * runs east costs one look-up. The look-ups come from the L1 cache, where a stencil table of a thousand
 * entries has room, as three loads of 16 bytes, so that a warp with few different entries needs about as
 * many cycles of the cache as for its rows. What is left is the index: 2 bytes beside the 16 (double) or
 * 8 (single) that a sweep moves per node. Whole tiles are the same code with an entry known beforehand.
 *
 * The fields' values are the same bits as those of the plain kernels: where all weights are 1 the general
 * update equals the uniform one (node.h).
 */
#include "device.cuh"

/* --- one thread a node ----------------------------------------------------------------------- */

static constexpr int NODE_BLOCK_W = 128, NODE_BLOCK_H = 2; /* threads */

template <typename Real, bool NORMED>
__global__ void __launch_bounds__(NODE_BLOCK_W *NODE_BLOCK_H)
    sweep_node_general(const __grid_constant__ hs_device_system system, const Real *__restrict__ from, Real *to,
                       int step_number, hs_norm_slot *d_slots, const hs_device_control *d_control,
                       const int32_t *d_halt)
{
  const int i = blockIdx.x * NODE_BLOCK_W + threadIdx.x;
  const int j = block_row() * NODE_BLOCK_H + threadIdx.y;
  ThreadNorms norms = {{0.0, 0.0}, 0.0};
  if (d_halt && *d_halt) return;

  if (i < system.nx && j < system.ny) {
    const int64_t n = j * system.pitch + i;
    const Step<Real> step = step_load<Real>(system, step_number);
    const Real *t = from + n, *constants = (const Real *)system.d_constants;
    const auto stencil = stencil_load(StencilOf<Real>::stencil_table(system) + node_index(system, i, j, n), step);
    const Real c = constants ? stencil.c + constants[n] : stencil.c;
    const Real before = step.form == HS_FORM_CHEBYSHEV ? to[n] : Real(0);
    const Real u = node_general(stencil, c, t[-1], t[1], t[-system.pitch], t[system.pitch]);
    const Real next = step_take(step, stencil, u, t[0], before);
    to[n] = next;
    if (NORMED) norms_add(norms, system.split, (double)(next - t[0]), d_control->update_scale);
  }
  if (NORMED) update_norms_publish(norms, d_slots, threadIdx.y * NODE_BLOCK_W + threadIdx.x);
}

/* --- 16 bytes of several rows a thread ------------------------------------------------------- */

static constexpr int ROWS_BLOCK = 64; /* threads */

/* Rows a thread, which divide HS_TILE_H, and the least number of blocks a multiprocessor, which bounds the registers; both
 * by measurement (doc/measurements.md). More rows share a stencil and overlap more loads; RELAXED reads up to
 * two further fields, which need registers and keep memory busy with fewer threads. */
template <typename Real, bool NORMED, bool RELAXED> struct RowsShape {
  static constexpr bool WIDE = sizeof(Real) == 8 ? !(NORMED && RELAXED) : NORMED && !RELAXED;
  static constexpr int ROWS = WIDE ? 8 : 4;
  static constexpr int BLOCKS = NORMED || RELAXED ? (WIDE && RELAXED ? 6 : 8) : WIDE ? 6 : 12;
};

/* The coefficient indices of a lane's 16 bytes, as they lie in the index. */
template <typename Real> struct Entries;
template <> struct Entries<double> {
  unsigned packed;
  __device__ void load(const uint16_t *d_index)
  {
    packed = __ldg((const unsigned *)d_index);
  }
  __device__ unsigned at(int v) const
  {
    return v ? packed >> 16 : packed & 0xffffu;
  }
};
template <> struct Entries<float> {
  uint2 packed;
  __device__ void load(const uint16_t *d_index)
  {
    packed = __ldg((const uint2 *)d_index);
  }
  __device__ unsigned at(int v) const
  {
    const unsigned half = v / 2 ? packed.y : packed.x;
    return v % 2 ? half >> 16 : half & 0xffffu;
  }
};

/* Entry of node (i, j) where every node has a stencil of its own; any valid one beside the grid. */
__device__ __forceinline__ unsigned own_index(const hs_device_system &system, int i, int j)
{
  return i < system.nx && j < system.ny ? (unsigned)j * (unsigned)system.nx + (unsigned)i : 0u;
}

/* Stores the nodes of `next` that lie in the grid, and adds up their norms. */
template <typename Real, bool NORMED>
__device__ __forceinline__ void row_store(const hs_device_system &system, const Vector<Real> &next,
                                          const Vector<Real> &centre, Real *out, int i, int j, double scale,
                                          ThreadNorms &norms)
{
  constexpr int SIZE = Vector<Real>::SIZE;
  const int inside = j < system.ny ? system.nx - i : 0; /* nodes from i on in the grid */
  if (inside >= SIZE) next.store(out);
#pragma unroll
  for (int v = 0; v < SIZE; v++) {
    if (inside < SIZE && v < inside) out[v] = next.at[v];
    if (NORMED && v < inside) norms_add(norms, system.split, (double)(next.at[v] - centre.at[v]), scale);
  }
}

/* RELAXED: with a form and constants; else plain sweeps. */
template <typename Real, bool NORMED, bool RELAXED>
__global__ void __launch_bounds__(ROWS_BLOCK, (RowsShape<Real, NORMED, RELAXED>::BLOCKS))
    sweep_rows_general(const __grid_constant__ hs_device_system system, const Real *__restrict__ from, Real *to,
                       int step_number, hs_norm_slot *d_slots, const hs_device_control *d_control,
                       const int32_t *d_halt)
{
  constexpr int SIZE = Vector<Real>::SIZE, ROWS = RowsShape<Real, NORMED, RELAXED>::ROWS;
  const int lane = threadIdx.x % 32;
  const int i = (blockIdx.x * ROWS_BLOCK + threadIdx.x) * SIZE; /* first column of this thread */
  const int j0 = block_row() * ROWS;                            /* first row */
  const int tile_x = (i - lane * SIZE) / HS_TILE_W;
  const double scale = NORMED ? d_control->update_scale : 0.0;
  ThreadNorms norms = {{0.0, 0.0}, 0.0};
  if (d_halt && *d_halt) return;

  if (tile_x < system.tiles_x && j0 < system.ny) { /* else the whole warp lies beside the grid */
    const int64_t n = j0 * system.pitch + i;
    const Real *t = from + n, *constants = (const Real *)system.d_constants;
    Vector<Real> rows[ROWS + 2], own[ROWS], before[ROWS];
    Real edge[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS + 2; r++) rows[r].load(t + (r - 1) * system.pitch);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      edge[r] = 0;
      if (lane == 0 || lane == 31) edge[r] = t[r * system.pitch + (lane ? SIZE : -1)];
#pragma unroll
      for (int v = 0; v < SIZE; v++) {
        own[r].at[v] = Real(-0.0); /* adding it changes nothing, not even a zero's sign */
        before[r].at[v] = Real(0);
      }
    }
    Step<Real> step = {HS_FORM_JACOBI, Real(1)};
    if (RELAXED) step = step_load<Real>(system, step_number);
    if (RELAXED && constants) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) own[r].load(constants + n + r * system.pitch);
    }
    if (RELAXED && step.form == HS_FORM_CHEBYSHEV) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) before[r].load(to + n + r * system.pitch);
    }

    /* where most tiles are mixed, waiting for the tile's code before reading the index would not pay */
    const auto *stencil_table = StencilOf<Real>::stencil_table(system);
    const int code =
        system.mixed == HS_MIXED_MOST ? HS_TILE_MIXED : system.d_tile_code[j0 / HS_TILE_H * system.tiles_x + tile_x];
    const bool mixed = code % 4 == HS_TILE_MIXED, indexed = mixed && system.d_index;
    Entries<Real> entries[ROWS];
    if (indexed) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) entries[r].load(system.d_index + n + r * system.pitch);
    }
    unsigned kept[SIZE]; /* entry of stencil[v] */
    typename StencilOf<Real>::type stencil[SIZE];
#pragma unroll
    for (int v = 0; v < SIZE; v++) {
      kept[v] = indexed ? entries[0].at(v) : mixed ? own_index(system, i + v, j0) : (unsigned)(code / 4);
      stencil[v] = stencil_load(stencil_table + kept[v], step);
    }

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
        if (indexed && r > 0) {
          const unsigned entry = entries[r].at(v);
          if (entry != kept[v]) stencil[v] = stencil_load(stencil_table + entry, step);
          kept[v] = entry;
        } else if (mixed && r > 0) {
          stencil[v] = stencil_load(stencil_table + own_index(system, i + v, j0 + r), step);
        }
        const Real w = v ? centre.at[v - 1] : west, e = v < SIZE - 1 ? centre.at[v + 1] : east;
        const Real u = node_general(stencil[v], RELAXED ? stencil[v].c + own[r].at[v] : stencil[v].c, w, e, south.at[v],
                                    north.at[v]);
        next.at[v] = step_take(step, stencil[v], u, centre.at[v], before[r].at[v]);
      }
      row_store<Real, NORMED>(system, next, centre, to + n + r * system.pitch, i, j0 + r, scale, norms);
    }
  }
  if (NORMED) update_norms_publish(norms, d_slots, threadIdx.x);
}

/* --- launch ---------------------------------------------------------------------------------- */

template <typename Real, bool NORMED, bool RELAXED>
static void launch_rows(const hs_device_system *system, const void *from, void *to, int step, hs_norm_slot *d_slots,
                        const hs_device_control *d_control, const int32_t *d_halt, cudaStream_t stream)
{
  constexpr int ROWS = RowsShape<Real, NORMED, RELAXED>::ROWS;
  const int width = system->tiles_x * HS_TILE_W / Vector<Real>::SIZE; /* threads across the grid */
  const dim3 grid = grid_of((width + ROWS_BLOCK - 1) / ROWS_BLOCK, (system->ny + ROWS - 1) / ROWS);
  sweep_rows_general<Real, NORMED, RELAXED>
      <<<grid, ROWS_BLOCK, 0, stream>>>(*system, (const Real *)from, (Real *)to, step, d_slots, d_control, d_halt);
}

template <typename Real, bool NORMED>
static cudaError_t launch(const hs_device_system *system, const void *from, void *to, int step, hs_norm_slot *d_slots,
                          const hs_device_control *d_control, const int32_t *d_halt, cudaStream_t stream)
{
  if (field_is_large<Real>(*system)) {
    const auto rows = system->relaxed ? launch_rows<Real, NORMED, true> : launch_rows<Real, NORMED, false>;
    rows(system, from, to, step, d_slots, d_control, d_halt, stream);
  } else {
    const dim3 block(NODE_BLOCK_W, NODE_BLOCK_H);
    const dim3 grid = grid_of(system->tiles_x, (system->ny + NODE_BLOCK_H - 1) / NODE_BLOCK_H);
    sweep_node_general<Real, NORMED>
        <<<grid, block, 0, stream>>>(*system, (const Real *)from, (Real *)to, step, d_slots, d_control, d_halt);
  }
  return cudaGetLastError();
}

cudaError_t hs_kernel_sweep_general(const hs_device_system *system, int single, const void *from, void *to, int step,
                                    hs_norm_slot *d_slots, const hs_device_control *d_control, const int32_t *d_halt,
                                    cudaStream_t stream)
{
  const auto function = single    ? d_slots ? launch<float, true> : launch<float, false>
                           : d_slots ? launch<double, true>
                                  : launch<double, false>;
  return function(system, from, to, step, d_slots, d_control, d_halt, stream);
}
