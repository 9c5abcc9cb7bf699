/* cuda-global on large fields beyond plain Jacobi: relaxed forms, a field of constants, a stencil for every node, and
 * plain sweeps over grids where many tiles are mixed. A thread owns 16 bytes of several rows (rows.cuh).
 *
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
#include "rows.cuh"

/* Rows a thread, which divide HS_TILE_H, and the least number of blocks a multiprocessor, which bounds the registers; both
 * by measurement (doc/measurements.md). More rows share a stencil and overlap more loads; RELAXED reads up to
 * two further fields, which need registers and keep memory busy with fewer threads. */
template <typename Real, bool NORMED, bool RELAXED> struct GeneralShape {
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

/* A thread's stencils, one for each column, which serve from row to row. */
template <typename Real, int ROWS> struct Coefficients {
  static constexpr int SIZE = Vector<Real>::SIZE;
  using Stencil = typename StencilOf<Real>::type;
  bool mixed, indexed; /* the tile is mixed, and the system has an index */
  Entries<Real> entries[ROWS];
  unsigned kept[SIZE]; /* entry of stencil[v] */
  Stencil stencil[SIZE];

  /* The stencils of row 0. */
  __device__ __forceinline__ void begin(const hs_device_system &system, const Place<Real, ROWS> &at,
                                        const Step<Real> &step)
  {
    /* where most tiles are mixed, waiting for the tile's code before reading the index would not pay */
    const int code = system.mixed == HS_MIXED_MOST ? HS_TILE_MIXED
                                                   : system.d_tile_code[at.j / HS_TILE_H * system.tiles_x + at.tile_x];
    mixed = code % 4 == HS_TILE_MIXED;
    indexed = mixed && system.d_index;
    if (indexed) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) entries[r].load(system.d_index + at.n + r * system.pitch);
    }
#pragma unroll
    for (int v = 0; v < SIZE; v++) {
      kept[v] = indexed ? entries[0].at(v) : mixed ? own_index(system, at.i + v, at.j) : (unsigned)(code / 4);
      stencil[v] = stencil_load(StencilOf<Real>::stencil_table(system) + kept[v], step);
    }
  }

  /* Goes on to row r > 0 of column v. */
  __device__ __forceinline__ void go_on(const hs_device_system &system, const Place<Real, ROWS> &at,
                                        const Step<Real> &step, int r, int v)
  {
    const Stencil *stencil_table = StencilOf<Real>::stencil_table(system);
    if (indexed) {
      const unsigned entry = entries[r].at(v);
      if (entry != kept[v]) stencil[v] = stencil_load(stencil_table + entry, step);
      kept[v] = entry;
    } else if (mixed) {
      stencil[v] = stencil_load(stencil_table + own_index(system, at.i + v, at.j + r), step);
    }
  }
};

/* What general sweeps read beside the field: the constants r and the predecessor, where they need them. */
template <typename Real, int ROWS> struct Beside {
  Vector<Real> own[ROWS], before[ROWS];

  template <bool RELAXED>
  __device__ __forceinline__ void load(const hs_device_system &system, const Step<Real> &step, int64_t n,
                                       const Real *predecessor)
  {
    const Real *constants = (const Real *)system.d_constants;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
      for (int v = 0; v < Vector<Real>::SIZE; v++) {
        own[r].at[v] = Real(-0.0); /* adding it changes nothing, not even a zero's sign */
        before[r].at[v] = Real(0);
      }
    }
    if (RELAXED && constants) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) own[r].load(constants + n + r * system.pitch);
    }
    if (RELAXED && step.form == HS_FORM_CHEBYSHEV) {
#pragma unroll
      for (int r = 0; r < ROWS; r++) before[r].load(predecessor + n + r * system.pitch);
    }
  }
};

/* RELAXED: with a form and constants; else plain sweeps. */
template <typename Real, bool NORMED, bool RELAXED>
__global__ void __launch_bounds__(ROWS_BLOCK, (GeneralShape<Real, NORMED, RELAXED>::BLOCKS))
    sweep_rows_general(const __grid_constant__ hs_device_system system, const Real *__restrict__ from, Real *to,
                       int step_number, hs_norm_slot *d_slots, const hs_device_control *d_control,
                       const int32_t *d_halt)
{
  constexpr int SIZE = Vector<Real>::SIZE, ROWS = GeneralShape<Real, NORMED, RELAXED>::ROWS;
  const Place<Real, ROWS> at(system);
  const double scale = NORMED ? d_control->update_scale : 0.0;
  ThreadNorms norms = {{0.0, 0.0}, 0.0};
  if (d_halt && *d_halt) return;

  if (at.inside(system)) {
    Rows<Real, ROWS> rows;
    Beside<Real, ROWS> beside;
    Coefficients<Real, ROWS> coefficients;
    Step<Real> step = {HS_FORM_JACOBI, Real(1)};
    rows.load(from + at.n, system.pitch, at.lane);
    if (RELAXED) step = step_load<Real>(system, step_number);
    beside.template load<RELAXED>(system, step, at.n, to);
    coefficients.begin(system, at, step);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const Vector<Real> &south = rows.at[r], &centre = rows.at[r + 1], &north = rows.at[r + 2];
      Vector<Real> next;
      Real west, east;
      rows.sides(r, at.lane, west, east);
#pragma unroll
      for (int v = 0; v < SIZE; v++) {
        if (r > 0) coefficients.go_on(system, at, step, r, v);
        const auto &stencil = coefficients.stencil[v];
        const Real w = v ? centre.at[v - 1] : west, e = v < SIZE - 1 ? centre.at[v + 1] : east;
        const Real c = RELAXED ? stencil.c + beside.own[r].at[v] : stencil.c;
        const Real u = node_general(stencil, c, w, e, south.at[v], north.at[v]);
        next.at[v] = step_take(step, stencil, u, centre.at[v], beside.before[r].at[v]);
      }
      row_store<Real, NORMED>(system, next, centre, to + at.n + r * system.pitch, at.i, at.j + r, scale, norms);
    }
  }
  if (NORMED) update_norms_publish(norms, d_slots, threadIdx.x);
}

/* --- launch ---------------------------------------------------------------------------------- */

template <typename Real, bool NORMED, bool RELAXED>
static cudaError_t general_launch(const hs_device_system *system, const hs_device_sweep *sweep, cudaStream_t stream)
{
  return kernel_launch(sweep_rows_general<Real, NORMED, RELAXED>,
                       rows_grid<Real, GeneralShape<Real, NORMED, RELAXED>::ROWS>(system), ROWS_BLOCK, stream, *system,
                       (const Real *)sweep->from, (Real *)sweep->to, sweep->step, sweep->d_slots, sweep->d_control,
                       sweep->d_halt);
}

cudaError_t hs_kernel_sweep_general(const hs_device_system *system, int single, const hs_device_sweep *sweep,
                                    cudaStream_t stream)
{
  return launch_normed(single, sweep->d_slots, [&](auto real, auto normed) {
    using Real = decltype(real);
    constexpr bool NORMED = decltype(normed)::value;
    return system->relaxed ? general_launch<Real, NORMED, true>(system, sweep, stream)
                           : general_launch<Real, NORMED, false>(system, sweep, stream);
  });
}
