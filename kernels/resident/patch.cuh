/* cuda-resident: the nodes that a thread holds, and the rows that its warp shows to the warps above and below.
 *
 * A thread holds C columns by RR + RS rows. The first RR rows are in registers, so every access to them has a constant
 * index and loops over them are unrolled. The other RS rows are in slots of shared memory that only this thread uses,
 * and loops over them stay loops, which keeps the code short.
 */
#ifndef HS_KERNELS_RESIDENT_PATCH_CUH
#define HS_KERNELS_RESIDENT_PATCH_CUH

#include "device.cuh"

static constexpr unsigned WHOLE_WARP = 0xffffffffu;

/* By value: a choice between two variables would be one between their addresses. */
template <typename Real> __device__ __forceinline__ Real choose(bool first, Real a, Real b)
{
  return first ? a : b;
}

template <typename Real, int C, int RR, int RS> struct Patch {
  static constexpr int R = RR + RS;
  Real x[RR][C];
  Real *s_rows;  /* row RR, column 0, of this thread; a column further is blockDim.x elements further */
  Real *s_edges; /* [2 sets][2: bottom, top][warps][C][32], and a row of zeros */
  int lane, warp, warps;
  int i0, j0;       /* first column and row in the grid */
  unsigned columns; /* bit c: column c is in the grid, and in the tile or its ghost zone */
  int south, north; /* rows south .. north - 1 are, too; uniform in a warp */

  __device__ __forceinline__ void shared_get(int s, Real (&to)[C]) const
  {
#pragma unroll
    for (int c = 0; c < C; c++) to[c] = s_rows[(s * C + c) * blockDim.x];
  }
  __device__ __forceinline__ void shared_set(int s, const Real (&from)[C])
  {
#pragma unroll
    for (int c = 0; c < C; c++) s_rows[(s * C + c) * blockDim.x] = from[c];
  }

  /* Calls visit(r, row) for all rows from south to north. */
  template <typename Visit> __device__ __forceinline__ void rows_visit(Visit visit) const
  {
#pragma unroll
    for (int r = 0; r < RR; r++) visit(r, x[r]);
#pragma unroll 1
    for (int s = 0; s < RS; s++) {
      Real row[C];
      shared_get(s, row);
      visit(RR + s, row);
    }
  }
  /* The same for a visit that changes the row. */
  template <typename Visit> __device__ __forceinline__ void rows_change(Visit visit)
  {
#pragma unroll
    for (int r = 0; r < RR; r++) visit(r, x[r]);
#pragma unroll 1
    for (int s = 0; s < RS; s++) {
      Real row[C];
      shared_get(s, row);
      visit(RR + s, row);
      shared_set(s, row);
    }
  }

  /* Which nodes of row r there are: bit c. */
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
  __device__ __forceinline__ void edges_put(int set) const
  {
    edge_put(set, 0, x[0]);
    if constexpr (RS > 0) {
      Real row[C];
      shared_get(RS - 1, row);
      edge_put(set, 1, row);
    } else {
      edge_put(set, 1, x[RR - 1]);
    }
  }
  /* The row of zeros that the block's first and last warp see beyond the block. */
  __device__ __forceinline__ void zeros_put() const
  {
    for (int c = 0; c < C; c++) edge(2, 0, 0)[c * 32] = 0;
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
};

#endif
