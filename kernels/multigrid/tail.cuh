/* The last levels of a cycle in one block, which waits at its own barriers only: at a few hundred nodes a level launches and
 * first reads of memory take longer than all else. Coefficients come to shared memory at once, while the first level begins;
 * fields never leave it. A thread has nodes TAIL_THREADS apart in the order of rows, and holds their coefficients from one
 * barrier to the next. Stages of a level, with a barrier after each:
 *
 *     down: relax; residual; restrict, and the next level's start
 *     up:   prolong; relax; relax
 *
 * Ghosts of fields are 0, as the grids are open.
 */
#ifndef HS_KERNELS_MULTIGRID_TAIL_CUH
#define HS_KERNELS_MULTIGRID_TAIL_CUH

#ifndef HS_EMULATE
#include <cuda_pipeline.h>
#endif

#include "multigrid/pass.cuh"
#include "primitives.cuh"

static constexpr int TAIL_THREADS = 1024;
static constexpr int TAIL_ROUNDS = HS_TAIL_NODES / TAIL_THREADS; /* nodes of a thread on the first level; then one */
static_assert(HS_TAIL_NODES % TAIL_THREADS == 0 && HS_TAIL_NODES <= 2 * TAIL_THREADS, "see TAIL_ROUNDS");

/* --- where all lies -------------------------------------------------------------------------- */

/* The next `count` floats, in whole pieces of 16 bytes. */
static inline int tail_room(int *floats, int count)
{
  const int at = *floats;
  *floats += (count + 3) / 4 * 4;
  return at;
}

static inline void tail_place(hs_device_tail *tail)
{
  const hs_grid &last = tail->level[tail->count - 1].grid;
  const int solved = last.nx * last.ny;
  int floats = 0;
  for (int k = 0; k < tail->count; k++) {
    hs_device_tail_level &level = tail->level[k];
    level.reciprocal = (1u << HS_TAIL_SHIFT) / (unsigned)level.grid.nx + 1u;
    level.fields = tail_room(&floats, 3 * (int)hs_grid_values(&level.grid));
  }
  tail->cleared = floats;
  for (int k = 0; k + 1 < tail->count; k++) {
    hs_device_tail_level &level = tail->level[k];
    level.couplings = tail_room(&floats, 6 * (int)hs_grid_values(&level.grid));
    level.cells = tail_room(&floats, 8 * (int)hs_grid_values(&tail->level[k + 1].grid));
  }
  tail->inverse = tail_room(&floats, 2 * solved * solved);
  tail->right = tail_room(&floats, 2 * solved);
  tail->bytes = floats * (int)sizeof(float);
}

/* A level in shared memory. */
struct TailLevel {
  hs_grid grid;
  unsigned reciprocal;
  hs_couplings_f32 couplings;
  const float2 *east, *north;
  const float4 *northeast;
  float *u, *other, *f;

  __device__ __forceinline__ TailLevel(const hs_device_tail &tail, int k, float *shared)
      : grid(tail.level[k].grid), reciprocal(tail.level[k].reciprocal)
  {
    const hs_device_tail_level &at = tail.level[k];
    const int values = (int)hs_grid_values(&grid), below = k + 1 < tail.count ? (int)hs_grid_values(&(&at)[1].grid) : 0;
    const float *c = shared + at.couplings;
    couplings = {c, c + values, c + 2 * values, c + 3 * values, c + 4 * values, c + 5 * values};
    east = (const float2 *)(shared + at.cells);
    north = (const float2 *)(shared + at.cells + 2 * below);
    northeast = (const float4 *)(shared + at.cells + 4 * below);
    u = shared + at.fields;
    other = u + values;
    f = other + values;
  }

  /* Node k in the order of rows, which may lie behind the last one. */
  __device__ __forceinline__ MgNode node(unsigned k) const
  {
    const int j = (int)(k * reciprocal >> HS_TAIL_SHIFT);
    return {(int)k - j * grid.nx, j};
  }
  __device__ __forceinline__ int at(MgNode node) const
  {
    return (node.j + 1) * grid.pitch + node.i + 1;
  }
  __device__ __forceinline__ Cell cell(int m) const
  {
    return {east[m], north[m], northeast[m]};
  }
};

/* The nodes of a thread on a level. */
template <int ROUNDS> struct TailNodes {
  MgNode node[ROUNDS];
  int n[ROUNDS]; /* 0: none */
  Coefficients<false> own[ROUNDS];

  __device__ __forceinline__ explicit TailNodes(const TailLevel &level)
  {
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
      node[k] = level.node(threadIdx.x + k * TAIL_THREADS);
      n[k] = node[k].j < level.grid.ny ? level.at(node[k]) : 0;
    }
  }

  __device__ __forceinline__ void couple(const TailLevel &level)
  {
#pragma unroll
    for (int k = 0; k < ROUNDS; k++)
      if (n[k])
        own[k] = {hs_couplings_around(&level.couplings, n[k], level.grid.pitch), level.couplings.sum[n[k]],
                  level.couplings.inverse[n[k]]};
  }

  /* to = u + weight D^-1 (f - A u) */
  __device__ __forceinline__ void relax(const TailLevel &level, const float *u, float weight, float *to) const
  {
#pragma unroll
    for (int k = 0; k < ROUNDS; k++)
      if (n[k]) to[n[k]] = own[k].relaxed(weight, level.f[n[k]], u[n[k]], hs_around(u, n[k], level.grid.pitch));
  }

  __device__ __forceinline__ void residual(const TailLevel &level, const float *u, float *to) const
  {
#pragma unroll
    for (int k = 0; k < ROUNDS; k++)
      if (n[k]) to[n[k]] = own[k].residual(level.f[n[k]], u[n[k]], hs_around(u, n[k], level.grid.pitch));
  }
};

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

/* --- stages ---------------------------------------------------------------------------------- */

/* Restriction to the thread's node of a coarser grid. */
struct TailRestriction {
  int n, m; /* the node, finer and coarser; 0: none */
  hs_nine_f32 nine;
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

/* Down to level k + 1 and to what it starts from. right: where it is solved for, what it is solved for. */
template <int ROUNDS>
__device__ __forceinline__ void tail_down(const hs_device_tail &tail, int k, float *shared, Weights weights)
{
  const TailLevel level(tail, k, shared), coarse(tail, k + 1, shared);
  const bool solved = k + 2 == tail.count;
  TailNodes<ROUNDS> nodes(level);
  nodes.couple(level);
  __syncthreads();
  nodes.relax(level, level.other, weights.second, level.u);
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
    coarse.other[to.m] = weights.first * to.inverse * f;
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

/* Up from level k + 1, which the first barrier completes. to: for the result. */
template <int ROUNDS>
__device__ __forceinline__ void tail_up(const hs_device_tail &tail, int k, float *shared, Weights weights, float *to)
{
  const TailLevel level(tail, k, shared), coarse(tail, k + 1, shared);
  TailNodes<ROUNDS> nodes(level);
  Parents parents[ROUNDS];
  nodes.couple(level);
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    const int m = coarse.at({nodes.node[r].i / 2, nodes.node[r].j / 2});
    const bool odd_x = nodes.node[r].i % 2, odd_y = nodes.node[r].j % 2;
    if (!nodes.n[r]) continue;
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
    level.u[nodes.n[r]] += parents[r].correction(nodes.own[r].inverse() > 0.0f, odd_x, odd_y);
  }
  __syncthreads();
  nodes.relax(level, level.u, weights.second, level.other);
  __syncthreads();
  nodes.relax(level, level.other, weights.first, to ? to : level.u);
}

__global__ void __launch_bounds__(TAIL_THREADS)
    mg_tail(const __grid_constant__ hs_device_tail tail, const float *f, Weights weights, float *u)
{
  float *const shared = dynamic_shared<float>();
  const TailLevel level(tail, 0, shared);
  const TailNodes<TAIL_ROUNDS> nodes(level);
  float right[TAIL_ROUNDS];
  tail_fetch(tail, shared);
  await_predecessor();
#pragma unroll
  for (int k = 0; k < TAIL_ROUNDS; k++) right[k] = nodes.n[k] ? f[nodes.n[k]] : 0.0f;
  tail_clear(tail, shared);
  __pipeline_wait_prior(1);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < TAIL_ROUNDS; k++)
    if (nodes.n[k]) {
      level.f[nodes.n[k]] = right[k];
      level.other[nodes.n[k]] = weights.first * level.couplings.inverse[nodes.n[k]] * right[k];
    }
  __pipeline_wait_prior(0);
  tail_down<TAIL_ROUNDS>(tail, 0, shared, weights);
  for (int k = 1; k + 1 < tail.count; k++) tail_down<1>(tail, k, shared, weights);
  tail_solve(tail, shared);
  for (int k = tail.count - 2; k > 0; k--) tail_up<1>(tail, k, shared, weights, nullptr);
  tail_up<TAIL_ROUNDS>(tail, 0, shared, weights, u);
}

#endif
