/* cuda-resident's sweeps: the nodes of a thread, what it knows of their stencils, and one sweep of a warp. resident.cuh
 * has the method.
 */
#ifndef HS_KERNELS_RESIDENT_SWEEP_CUH
#define HS_KERNELS_RESIDENT_SWEEP_CUH

#include "device.cuh"

static constexpr unsigned WHOLE_WARP = 0xffffffffu;

/* The upper bits of a value without its sign: in the order of magnitudes, NaN above all. */
__device__ __forceinline__ int magnitude(double value)
{
  return __double2hiint(value) & 0x7fffffff;
}
__device__ __forceinline__ int magnitude(float value)
{
  return __float_as_int(value) & 0x7fffffff;
}

/* From this size of a value on, sums of a few might overflow. */
template <typename Real> __device__ __forceinline__ int magnitude_limit()
{
  return magnitude(Real(sizeof(Real) == 8 ? 1e200 : 1e25));
}

__device__ __forceinline__ bool same_bits(double a, double b)
{
  return __double_as_longlong(a) == __double_as_longlong(b);
}
__device__ __forceinline__ bool same_bits(float a, float b)
{
  return __float_as_uint(a) == __float_as_uint(b);
}

/* Weights and constant of an entry. */
__device__ __forceinline__ hs_stencil_f64 stencil_read(const hs_stencil_f64 *entry)
{
  const double2 *parts = (const double2 *)entry;
  const double2 x = __ldg(parts), y = __ldg(parts + 1);
  return {x.x, x.y, y.x, y.y, __ldg(&entry->c), 0.0, 0.0, 0.0};
}
__device__ __forceinline__ hs_stencil_f32 stencil_read(const hs_stencil_f32 *entry)
{
  const float4 w = __ldg((const float4 *)entry);
  return {w.x, w.y, w.z, w.w, __ldg(&entry->c), 0.0f, 0.0f, 0.0f};
}

/* Does a node of this stencil keep its constant, whatever its (finite) neighbours? A sum with -0 may change sign. */
template <typename Stencil> __device__ __forceinline__ bool stencil_is_dirichlet(const Stencil &s)
{
  const auto zero = s.c * 0;
  return s.west == 0 && s.east == 0 && s.south == 0 && s.north == 0 && !same_bits(s.c, -fabs(zero));
}

/* The nodes of one thread, and where they are. */
template <typename Real, int C, int RR, int RS> struct Patch {
  static constexpr int R = RR + RS;
  Real x[RR][C];
  Real *s_rows;  /* row RR, column 0, of this thread; a column further is blockDim.x elements further */
  Real *s_edges; /* [2 sets][2: bottom, top][warps][C][32], and a row of zeros */
  int lane, warp, warps;
  int i0, j0;       /* first column and row in the grid */
  int row0;         /* first row in the block */
  unsigned columns; /* of the thread that are nodes: bit c */
  int south, north; /* rows of the thread that are nodes, uniform in a warp */

  __device__ __forceinline__ void row_get(int r, Real (&to)[C]) const
  {
#pragma unroll
    for (int c = 0; c < C; c++) to[c] = r < RR ? x[r < RR ? r : 0][c] : s_rows[((r - RR) * C + c) * blockDim.x];
  }
  __device__ __forceinline__ void row_set(int r, const Real (&from)[C])
  {
#pragma unroll
    for (int c = 0; c < C; c++) {
      if (r < RR)
        x[r < RR ? r : 0][c] = from[c];
      else
        s_rows[((r - RR) * C + c) * blockDim.x] = from[c];
    }
  }
  /* Which columns of row r are nodes: bit c. */
  __device__ __forceinline__ unsigned nodes(int r) const
  {
    return r >= south && r < north ? columns : 0;
  }
  /* This lane's place in the edge row `top` of a warp. */
  __device__ __forceinline__ Real *edge(int set, int top, int of_warp) const
  {
    return s_edges + ((set * 2 + top) * warps + of_warp) * C * 32 + lane;
  }
  __device__ __forceinline__ void edge_put(int set, int top, const Real (&row)[C]) const
  {
    Real *s = edge(set, top, warp);
#pragma unroll
    for (int c = 0; c < C; c++) s[c * 32] = row[c];
  }
  /* The row below this warp's, and the one above; 0 at the block's edge, which may be the grid's. */
  __device__ __forceinline__ void edges_get(int set, Real (&below)[C], Real (&above)[C]) const
  {
    const Real *b = warp > 0 ? edge(set, 1, warp - 1) : edge(2, 0, 0);
    const Real *a = warp + 1 < warps ? edge(set, 0, warp + 1) : edge(2, 0, 0);
#pragma unroll
    for (int c = 0; c < C; c++) {
      below[c] = b[c * 32];
      above[c] = a[c * 32];
    }
  }
  __device__ __forceinline__ void edges_put(int set) const
  {
    Real row[C];
    row_get(0, row);
    edge_put(set, 0, row);
    row_get(R - 1, row);
    edge_put(set, 1, row);
  }
};

/* How a warp's nodes are swept. A kind is a pair of weight and constant: 1/4 and b / diagonal of a uniform node, 0 and
 * the temperature of a Dirichlet one, 0 and 0 outside the grid. */
enum Path {
  PATH_FIXED,           /* all are held */
  PATH_COLUMNS,         /* each column of a thread is of one kind */
  PATH_FIRST_ROW,       /* the same but for the first row, all of which is held */
  PATH_LAST_ROW,        /* the same but for the last row, all of which is held */
  PATH_TWO_KINDS,       /* each column of a thread has two kinds */
  PATH_COLUMN_STENCILS, /* each column of a thread has one stencil */
  PATH_STENCILS
};

/* What a thread knows of its nodes' stencils. */
template <typename Real, int C> struct NodeKinds {
  Path path;                   /* uniform in a warp */
  Real weight[C], constant[C]; /* the first kind of each column, or the only one */
  Real other_weight[C], other_constant[C];
  unsigned other[C]; /* bit r: the node of row r is of the other kind */
  unsigned reload;   /* bit r: some lane's row r has other stencils than its row r - 1; uniform in a warp */
};

/* By value: a choice between two variables would be one between their addresses. */
template <typename Real> __device__ __forceinline__ Real choose(bool first, Real a, Real b)
{
  return first ? a : b;
}

/* Something that is the same for all lanes of a warp. The vote tells the compiler so: shuffles that it cannot prove to
 * be executed by whole warps cost several instructions more, and cannot be moved. */
__device__ __forceinline__ bool warp_agrees(bool same)
{
  return __any_sync(WHOLE_WARP, same);
}

/* A barrier: does any thread of the block say so? */
__device__ __forceinline__ bool block_any(bool mine)
{
  return warp_agrees(__syncthreads_or(mine));
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* Both read the neighbours' rows from edge set `set` and leave the new ones in the other. `visit(r, c, old, next)` sees
 * every value. */
template <Path PATH, typename Real, int C, int RR, int RS, typename Visit>
__device__ __forceinline__ void sweep_columns(Patch<Real, C, RR, RS> &p, const NodeKinds<Real, C> &kinds, int set,
                                              Visit visit)
{
  constexpr int R = RR + RS;
  Real now[C], above[C], pair[C], last[C];
  p.edges_get(set, pair, last);
  p.row_get(0, now);
#pragma unroll
  for (int c = C - 1; c > 0; c--) pair[c] = pair[c] + now[c - 1];
  pair[0] = pair[0] + __shfl_up_sync(WHOLE_WARP, now[C - 1], 1);
#pragma unroll
  for (int r = 0; r < R; r++) { /* pair[c] = south + west of node c */
    const Real east = __shfl_down_sync(WHOLE_WARP, now[0], 1);
    Real ne[C], next[C];
#pragma unroll
    for (int c = 0; c < C; c++) above[c] = last[c];
    if (r + 1 < R) p.row_get(r + 1, above);
#pragma unroll
    for (int c = 0; c < C; c++) {
      ne[c] = above[c] + (c + 1 < C ? now[c + 1] : east);
      const bool other = PATH == PATH_TWO_KINDS && (kinds.other[c] >> r & 1);
      const Real weight = choose(other, kinds.other_weight[c], kinds.weight[c]);
      next[c] =
          fma(weight, ne[c] + pair[c], choose(other, kinds.other_constant[c], kinds.constant[c])); /* node_uniform */
      if ((PATH == PATH_FIRST_ROW && r == 0) || (PATH == PATH_LAST_ROW && r == R - 1)) next[c] = now[c];
      visit(r, c, now[c], next[c]);
    }
    p.row_set(r, next);
    if (r == 0) p.edge_put(set ^ 1, 0, next);
    if (r == R - 1) p.edge_put(set ^ 1, 1, next);
    if (r + 1 < R) {
      pair[0] = now[0] + __shfl_up_sync(WHOLE_WARP, above[C - 1], 1);
#pragma unroll
      for (int c = 1; c < C; c++) pair[c] = ne[c - 1];
#pragma unroll
      for (int c = 0; c < C; c++) now[c] = above[c];
    }
  }
}

/* The stencils of row r; nothing outside the grid. */
template <typename Real, int C, int RR, int RS>
__device__ __forceinline__ void stencils_load(const Patch<Real, C, RR, RS> &p, const hs_device_system &system, int r,
                                              typename StencilOf<Real>::type (&stencil)[C])
{
  const uint16_t *index = system.d_index + ((int64_t)p.j0 + r) * system.pitch + p.i0;
  const unsigned nodes = p.nodes(r);
#pragma unroll
  for (int c = 0; c < C; c++) {
    stencil[c] = {};
    if (nodes >> c & 1) stencil[c] = stencil_read(&StencilOf<Real>::stencil_table(system)[__ldg(index + c)]);
  }
}

/* EXACT: nothing is assumed of the values. COLUMN_STENCILS: all rows have the same stencils. stencil: of the last row, on entry
 * and on return; row 0 takes it over unless `fresh`. */
template <bool EXACT, bool COLUMN_STENCILS, typename Real, int C, int RR, int RS, typename Visit>
__device__ __forceinline__ void sweep_stencils(Patch<Real, C, RR, RS> &p, const NodeKinds<Real, C> &kinds,
                                               const hs_device_system &system, int set, bool fresh,
                                               typename StencilOf<Real>::type (&stencil)[C], Visit visit)
{
  constexpr int R = RR + RS;
  Real below[C], now[C], above[C], last[C];
  p.edges_get(set, below, last);
  p.row_get(0, now);
  Real east = __shfl_down_sync(WHOLE_WARP, now[0], 1), west = __shfl_up_sync(WHOLE_WARP, now[C - 1], 1);
#pragma unroll
  for (int r = 0; r < R; r++) {
    Real next[C], next_east = 0, next_west = 0;
#pragma unroll
    for (int c = 0; c < C; c++) above[c] = last[c];
    if (r + 1 < R) {
      p.row_get(r + 1, above);
      next_east = __shfl_down_sync(WHOLE_WARP, above[0], 1);
      next_west = __shfl_up_sync(WHOLE_WARP, above[C - 1], 1);
    }
    if (COLUMN_STENCILS ? r == 0 && fresh : r == 0 ? fresh : kinds.reload >> r & 1)
      stencils_load(p, system, r, stencil);
#pragma unroll
    for (int c = 0; c < C; c++) {
      next[c] = node_update(stencil[c], c > 0 ? now[c - 1] : west, c + 1 < C ? now[c + 1] : east, below[c], above[c]);
      if (EXACT && !(p.nodes(r) >> c & 1)) next[c] = now[c];
      visit(r, c, now[c], next[c]);
    }
    p.row_set(r, next);
    if (r == 0) p.edge_put(set ^ 1, 0, next);
    if (r == R - 1) p.edge_put(set ^ 1, 1, next);
    east = next_east;
    west = next_west;
#pragma unroll
    for (int c = 0; c < C; c++) {
      below[c] = now[c];
      now[c] = above[c];
    }
  }
}

#endif
