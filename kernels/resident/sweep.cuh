/* cuda-resident: one sweep of a warp. Each path (kinds.cuh) has a form of its own.
 *
 * Rows are swept in place from south to north. The rows of the warps below and above are read from set `set` of the
 * edges in shared memory, and the new first and last row are left in the other set.
 */
#ifndef HS_KERNELS_RESIDENT_SWEEP_CUH
#define HS_KERNELS_RESIDENT_SWEEP_CUH

#include "resident/kinds.cuh"

/* Replaces each row by what row_sweep(r, end, above, next) leaves in next. above: the row above r, which is `north` for
 * the last one; end: r is the last one. */
template <typename Real, int C, int RR, int RS, typename RowSweep>
__device__ __forceinline__ void rows_sweep(Patch<Real, C, RR, RS> &p, int set, const Real (&north)[C],
                                           RowSweep row_sweep)
{
  Real above[C], next[C];
#pragma unroll
  for (int r = 0; r < RR; r++) {
#pragma unroll
    for (int c = 0; c < C; c++) above[c] = r + 1 < RR ? p.x[r + 1 < RR ? r + 1 : 0][c] : north[c];
    if (RS > 0 && r + 1 == RR) p.shared_get(0, above);
    row_sweep(r, r + 1 == RR + RS, above, next);
#pragma unroll
    for (int c = 0; c < C; c++) p.x[r][c] = next[c];
    if (r == 0) p.edge_put(set ^ 1, 0, next);
  }
#pragma unroll 1
  for (int s = 0; s < RS; s++) {
#pragma unroll
    for (int c = 0; c < C; c++) above[c] = north[c];
    if (s + 1 < RS) p.shared_get(s + 1, above);
    row_sweep(RR + s, s + 1 == RS, above, next);
    p.shared_set(s, next);
  }
  p.edge_put(set ^ 1, 1, next);
}

/* For nodes that have kinds. The sum north + east of a node is the sum west + south of its north-east neighbour, so a
 * node takes three operations. */
template <Path PATH, typename Real, int C, int RR, int RS>
__device__ __forceinline__ void sweep_kinds(Patch<Real, C, RR, RS> &p, const NodeKinds<Real, C> &kinds, int set)
{
  Real now[C], pair[C], north[C]; /* pair[c] = south + west of node c */
  unsigned others[C];
  p.edges_get(set, pair, north);
#pragma unroll
  for (int c = 0; c < C; c++) {
    others[c] = kinds.other[c];
    /* To the compiler a new value, by which it cannot choose before the first sweep. */
    if (PATH == PATH_TWO_KINDS && SweepForms<C, RR, RS>::KINDS_CHOSEN_ANEW) asm volatile("" : "+r"(others[c]));
  }
#pragma unroll
  for (int c = 0; c < C; c++) now[c] = p.x[0][c];
#pragma unroll
  for (int c = C - 1; c > 0; c--) pair[c] = pair[c] + now[c - 1];
  pair[0] = pair[0] + __shfl_up_sync(WHOLE_WARP, now[C - 1], 1);
  rows_sweep(p, set, north, [&](int r, bool end, const Real(&above)[C], Real(&next)[C]) {
    const Real east = __shfl_down_sync(WHOLE_WARP, now[0], 1);
    Real ne[C];
#pragma unroll
    for (int c = 0; c < C; c++) {
      ne[c] = above[c] + (c + 1 < C ? now[c + 1] : east);
      const bool other = PATH == PATH_TWO_KINDS && (others[c] >> r & 1);
      const Real weight = choose(other, kinds.other_weight[c], kinds.weight[c]);
      const Real constant = choose(other, kinds.other_constant[c], kinds.constant[c]);
      next[c] = fma(weight, ne[c] + pair[c], constant); /* node_uniform */
      if ((PATH == PATH_FIRST_ROW && r == 0) || (PATH == PATH_LAST_ROW && end)) next[c] = now[c];
    }
    if (end) return;
    pair[0] = now[0] + __shfl_up_sync(WHOLE_WARP, above[C - 1], 1);
#pragma unroll
    for (int c = 1; c < C; c++) pair[c] = ne[c - 1];
#pragma unroll
    for (int c = 0; c < C; c++) now[c] = above[c];
  });
}

/* For any nodes. stencil_renew(r) sees to it that `stencil` holds those of row r; it held those of the row before. */
template <typename Real, int C, int RR, int RS, typename Renew>
__device__ __forceinline__ void sweep_stencils(Patch<Real, C, RR, RS> &p, int set,
                                               const typename StencilOf<Real>::type (&stencil)[C], Renew stencil_renew)
{
  Real below[C], now[C], north[C];
  p.edges_get(set, below, north);
#pragma unroll
  for (int c = 0; c < C; c++) now[c] = p.x[0][c];
  Real east = __shfl_down_sync(WHOLE_WARP, now[0], 1), west = __shfl_up_sync(WHOLE_WARP, now[C - 1], 1);
  rows_sweep(p, set, north, [&](int r, bool end, const Real(&above)[C], Real(&next)[C]) {
    Real next_east = 0, next_west = 0;
    if (!end) {
      next_east = __shfl_down_sync(WHOLE_WARP, above[0], 1);
      next_west = __shfl_up_sync(WHOLE_WARP, above[C - 1], 1);
    }
    stencil_renew(r);
#pragma unroll
    for (int c = 0; c < C; c++)
      next[c] = node_update(stencil[c], c > 0 ? now[c - 1] : west, c + 1 < C ? now[c + 1] : east, below[c], above[c]);
    east = next_east;
    west = next_west;
#pragma unroll
    for (int c = 0; c < C; c++) {
      below[c] = now[c];
      now[c] = above[c];
    }
  });
}

#endif
