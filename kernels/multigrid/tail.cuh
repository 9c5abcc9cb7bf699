/* The last levels of a cycle in one block, which waits at its own barriers only: at a few hundred nodes a level launches and
 * first reads of memory take longer than all else. Coefficients come to shared memory at once, while the first level begins;
 * fields never leave it. A thread has nodes TAIL_THREADS apart in the order of rows, and holds their coefficients from one
 * barrier to the next. Stages of a level, with a barrier after each:
 *
 *     down: relax; residual; restrict, and the next level's start
 *     up:   prolong; relax; relax
 *
 * On a level with segments their passes (tail_segments.cuh) are in the place of relaxations. Ghosts of fields are 0, as the
 * grids are open.
 */
#ifndef HS_KERNELS_MULTIGRID_TAIL_CUH
#define HS_KERNELS_MULTIGRID_TAIL_CUH

#ifndef HS_EMULATE
#include <cuda_pipeline.h>
#endif

#include "multigrid/tail_segments.cuh"

/* --- beginning ------------------------------------------------------------------------------- */

/* Begins to copy, 16 bytes at a time. */
__device__ __forceinline__ void tail_copy(float *to, const float *from, int values)
{
  for (int k = 4 * threadIdx.x; k < values; k += 4 * TAIL_THREADS) __pipeline_memcpy_async(to + k, from + k, 16);
}

/* Begins to copy all coefficients: the first level's couplings, then the rest. */
__device__ __forceinline__ void tail_fetch(const hs_device_tail &tail, float *shared)
{
  const hs_grid &last = tail.level[tail.count - 1].grid;
  double *inverse = (double *)(shared + tail.inverse);
  for (int k = 0; k + 1 < tail.count; k++) {
    const hs_device_tail_level &at = tail.level[k];
    tail_copy(shared + at.couplings, at.d_couplings, 6 * (int)hs_grid_values(&at.grid));
    if (k == 0) __pipeline_commit();
  }
  for (int k = 0; k + 1 < tail.count; k++) {
    const hs_device_tail_level &at = tail.level[k];
    tail_copy(shared + at.cells, at.d_cells, 8 * (int)hs_grid_values(&(&at)[1].grid));
  }
  for (int k = threadIdx.x; k < last.nx * last.ny * last.nx * last.ny; k += TAIL_THREADS)
    __pipeline_memcpy_async(inverse + k, tail.d_inverse + k, sizeof *inverse);
  __pipeline_commit();
}

/* Fields and their ghosts become 0. */
__device__ __forceinline__ void tail_clear(const hs_device_tail &tail, float *shared)
{
  for (int k = 4 * threadIdx.x; k < tail.cleared; k += 4 * TAIL_THREADS)
    *(float4 *)(shared + k) = {0.0f, 0.0f, 0.0f, 0.0f};
}

/* Of two relaxations, and of the passes over segments. */
struct TailWeights {
  float first, second, segments;
};

/* --- stages ---------------------------------------------------------------------------------- */

/* Restriction to the thread's node of a coarser grid. All threads set the weights ({}): registers of what only some set would be
 * kept from one level to the next. */
struct TailRestriction {
  int n, m; /* the node, finer and coarser; 0: none */
  hs_nine_f32 nine = {};
  float inverse; /* of the coarser one */

  __device__ __forceinline__ TailRestriction(const TailLevel &level, const TailLevel &coarse, bool solved)
      : n(0), m(0), inverse(0.0f)
  {
    const MgNode node = coarse.node(threadIdx.x);
    const int p = coarse.grid.pitch;
    if (node.j >= coarse.grid.ny) return;
    m = coarse.at(node);
    n = level.at({2 * node.i, 2 * node.j});
    nine = nine_of(level.couplings.inverse[n] > 0.0f ? 1.0f : 0.0f, level.cell(m), level.cell(m - 1), level.cell(m - p),
                   level.cell(m - p - 1));
    if (!solved) inverse = coarse.couplings.inverse[m];
  }
};

/* To level k + 1 and to what it starts from. right: where it is solved for, what it is solved for. */
template <typename Nodes>
__device__ __forceinline__ void tail_restrict(const hs_device_tail &tail, int k, float *shared, const Nodes &nodes,
                                              float weight)
{
  const TailLevel level(tail, k, shared), coarse(tail, k + 1, shared);
  const bool solved = k + 2 == tail.count;
  const TailRestriction to(level, coarse, solved);
  __syncthreads();
  nodes.residual(level, level.u, level.other);
  __syncthreads();
  if (!to.m) return;
  const hs_nine_f32 r = {level.other[to.n], hs_around(level.other, to.n, level.grid.pitch)};
  const float f = hs_level_gather(&to.nine, &r);
  if (solved) {
    ((double *)(shared + tail.right))[threadIdx.x] = (double)f;
  } else {
    coarse.f[to.m] = f;
    coarse.other[to.m] = weight * to.inverse * f;
  }
}

__device__ __forceinline__ void tail_solve(const hs_device_tail &tail, float *shared)
{
  const TailLevel level(tail, tail.count - 1, shared);
  const double *inverse = (const double *)(shared + tail.inverse), *right = (const double *)(shared + tail.right);
  const int k = threadIdx.x, nodes = level.grid.nx * level.grid.ny;
  double sum = 0.0;
  __syncthreads();
  if (k >= nodes) return;
#pragma unroll 8
  for (int m = 0; m < nodes; m++) sum = fma(inverse[m * nodes + k], right[m], sum);
  level.u[level.at(level.node(k))] = (float)sum;
}

/* From level k + 1, which the barrier completes. */
template <int ROUNDS, int HELD>
__device__ __forceinline__ void tail_prolong(const TailLevel &level, const TailLevel &coarse,
                                             const TailNodes<ROUNDS, HELD> &nodes)
{
  Parents parents[ROUNDS];
  bool held[ROUNDS] = {};
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    const int m = coarse.at({nodes.node[r].i / 2, nodes.node[r].j / 2});
    const bool odd_x = nodes.node[r].i % 2, odd_y = nodes.node[r].j % 2;
    if (!nodes.n[r]) continue;
    held[r] = !(level.couplings.inverse[nodes.n[r]] > 0.0f);
    if (odd_x && odd_y)
      parents[r].weigh(level.northeast[m]);
    else if (odd_x || odd_y)
      parents[r].weigh((odd_y ? level.north : level.east)[m], odd_y);
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    const int m = coarse.at({nodes.node[r].i / 2, nodes.node[r].j / 2});
    const bool odd_x = nodes.node[r].i % 2, odd_y = nodes.node[r].j % 2;
    if (!nodes.n[r]) continue;
    parents[r].read(coarse.u, m, coarse.grid.pitch, odd_x, odd_y);
    level.u[nodes.n[r]] += parents[r].correction(!held[r], odd_x, odd_y);
  }
}

/* --- levels ---------------------------------------------------------------------------------- */

template <int ROUNDS>
__device__ __forceinline__ void tail_down(const hs_device_tail &tail, int k, float *shared, TailWeights weights)
{
  const TailLevel level(tail, k, shared);
  TailNodes<ROUNDS> nodes(level);
  nodes.couple(level);
  __syncthreads();
  nodes.relax(level, level.other, weights.second, level.u);
  tail_restrict(tail, k, shared, nodes, weights.first);
}

/* to: for the result. */
template <int ROUNDS>
__device__ __forceinline__ void tail_up(const hs_device_tail &tail, int k, float *shared, TailWeights weights,
                                        float *to)
{
  const TailLevel level(tail, k, shared), coarse(tail, k + 1, shared);
  TailNodes<ROUNDS> nodes(level);
  nodes.couple(level);
  tail_prolong(level, coarse, nodes);
  __syncthreads();
  nodes.relax(level, level.u, weights.second, level.other);
  __syncthreads();
  nodes.relax(level, level.other, weights.first, to ? to : level.u);
}

/* Either, of a level with segments or without: one copy of the code for all, which is larger than what the others have. */
__device__ __forceinline__ void tail_visit(const hs_device_tail &tail, int k, bool up, float *shared,
                                           TailWeights weights, float *to)
{
  const TailLevel level(tail, k, shared), coarse(tail, k + 1, shared);
  TailNodes<TAIL_ROUNDS, 1> nodes(level);
  if (up) tail_prolong(level, coarse, nodes);
  nodes.couple(level);
  if (level.segments) {
    tail_segments(tail, k, shared, level, nodes, weights.segments, up);
    if (to) {
      __syncthreads();
      nodes.copy(level.u, to);
    }
  } else {
    __syncthreads();
    if (up) nodes.relax(level, level.u, weights.second, level.other);
    if (up) __syncthreads();
    nodes.relax(level, level.other, up ? weights.first : weights.second, to ? to : level.u);
  }
  if (!up) tail_restrict(tail, k, shared, nodes, weights.first);
}

/* SEGMENTS: are there levels that are smoothed on them. */
template <bool SEGMENTS>
__global__ void __launch_bounds__(TAIL_THREADS)
    mg_tail(const __grid_constant__ hs_device_tail tail, const float *f, TailWeights weights, float *u)
{
  float *const shared = dynamic_shared<float>();
  const TailLevel level(tail, 0, shared);
  const TailNodes<TAIL_ROUNDS> nodes(level);
  const int last = tail.count - 1;
  float right[TAIL_ROUNDS];
  tail_fetch(tail, shared);
  tail_clear(tail, shared);
  if constexpr (SEGMENTS) {
    __pipeline_wait_prior(0);
    __syncthreads();
    tail_factorise(tail, shared);
  }
  await_predecessor();
#pragma unroll
  for (int k = 0; k < TAIL_ROUNDS; k++) right[k] = nodes.n[k] ? f[nodes.n[k]] : 0.0f;
  __pipeline_wait_prior(1);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < TAIL_ROUNDS; k++)
    if (nodes.n[k]) {
      level.f[nodes.n[k]] = right[k];
      level.other[nodes.n[k]] = weights.first * level.couplings.inverse[nodes.n[k]] * right[k];
    }
  __pipeline_wait_prior(0);
  if constexpr (SEGMENTS) {
#pragma unroll 1
    for (int k = 0; k < 2 * last; k++) {
      if (k == last) tail_solve(tail, shared);
      tail_visit(tail, k < last ? k : 2 * last - 1 - k, k >= last, shared, weights, k == 2 * last - 1 ? u : nullptr);
    }
  } else {
    tail_down<TAIL_ROUNDS>(tail, 0, shared, weights);
    for (int k = 1; k < last; k++) tail_down<1>(tail, k, shared, weights);
    tail_solve(tail, shared);
    for (int k = last - 1; k > 0; k--) tail_up<1>(tail, k, shared, weights, nullptr);
    tail_up<TAIL_ROUNDS>(tail, 0, shared, weights, u);
  }
}

#endif
