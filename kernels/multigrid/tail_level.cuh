/* A level of a tail in shared memory, and its nodes. A thread has nodes TAIL_THREADS apart in the order of rows. */
#ifndef HS_KERNELS_MULTIGRID_TAIL_LEVEL_CUH
#define HS_KERNELS_MULTIGRID_TAIL_LEVEL_CUH

#include <algorithm>

#include "multigrid/pass.cuh"
#include "primitives.cuh"

static constexpr int TAIL_THREADS = 1024, TAIL_WARPS = TAIL_THREADS / 32;
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

/* Logarithm of the number of warps that so many lines need, up to a power of two. */
static inline int tail_line_bits(int lines)
{
  int bits = 0;
  while (32 << bits < lines) bits++;
  return bits;
}

/* Where the lines of a level that is smoothed on segments lie (tail_segments.cuh). Returns the values of a pass. No more than
 * TAIL_WARPS solve, on grids with at least 3 nodes either way. */
static inline int tail_place_lines(hs_device_tail_level *level, int *floats)
{
  const int nx = level->grid.nx, ny = level->grid.ny, more = HS_SEGMENT / 2 + HS_SEGMENT - 1;
  level->line_bits[0] = tail_line_bits(nx);
  level->line_bits[1] = tail_line_bits(ny);
  level->warps =
      std::max((ny + more) / HS_SEGMENT << level->line_bits[0], (nx + more) / HS_SEGMENT << level->line_bits[1]);
  level->lines_values = std::max(nx * (ny | 1), ny * (nx | 1));
  level->rows = tail_room(floats, HS_SEGMENT_PASSES * 4 * level->lines_values);
  level->after = tail_room(floats, HS_SEGMENT_PASSES * level->lines_values);
  return level->lines_values;
}

static inline void tail_place(hs_device_tail *tail)
{
  const hs_grid &last = tail->level[tail->count - 1].grid;
  const int solved = last.nx * last.ny;
  int floats = 0, lines = 0;
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
    if (level.segments) lines = std::max(lines, tail_place_lines(&level, &floats));
  }
  tail->residual = tail_room(&floats, lines);
  tail->solution = tail_room(&floats, lines);
  tail->inverse = tail_room(&floats, 2 * solved * solved);
  tail->right = tail_room(&floats, 2 * solved);
  tail->bytes = floats * (int)sizeof(float);
}

static inline bool tail_has_segments(const hs_device_tail &tail)
{
  return tail.residual < tail.solution;
}

/* A level in shared memory. */
struct TailLevel {
  hs_grid grid;
  unsigned reciprocal;
  hs_couplings_f32 couplings;
  const float2 *east, *north;
  const float4 *northeast;
  float *u, *other, *f;
  bool segments;

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
    segments = at.segments;
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
  __device__ __forceinline__ Coefficients<false> coefficients(int n) const
  {
    return {hs_couplings_around(&couplings, n, grid.pitch), couplings.sum[n], couplings.inverse[n]};
  }
  __device__ __forceinline__ Cell cell(int m) const
  {
    return {east[m], north[m], northeast[m]};
  }
};

/* The nodes of a thread on a level; coefficients of the first HELD of them are kept in registers. */
template <int ROUNDS, int HELD = ROUNDS> struct TailNodes {
  MgNode node[ROUNDS];
  int n[ROUNDS]; /* 0: none */
  Coefficients<false> held[HELD];

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
    for (int k = 0; k < HELD; k++)
      if (n[k]) held[k] = level.coefficients(n[k]);
  }
  __device__ __forceinline__ Coefficients<false> own(const TailLevel &level, int k) const
  {
    return k < HELD ? held[k] : level.coefficients(n[k]);
  }

  /* to = u + weight D^-1 (f - A u) */
  __device__ __forceinline__ void relax(const TailLevel &level, const float *u, float weight, float *to) const
  {
#pragma unroll
    for (int k = 0; k < ROUNDS; k++)
      if (n[k]) to[n[k]] = own(level, k).relaxed(weight, level.f[n[k]], u[n[k]], hs_around(u, n[k], level.grid.pitch));
  }

  /* f - A u, at the k-th node and at all of them */
  __device__ __forceinline__ float residual(const TailLevel &level, const float *u, int k) const
  {
    return own(level, k).residual(level.f[n[k]], u[n[k]], hs_around(u, n[k], level.grid.pitch));
  }
  __device__ __forceinline__ void residual(const TailLevel &level, const float *u, float *to) const
  {
#pragma unroll
    for (int k = 0; k < ROUNDS; k++)
      if (n[k]) to[n[k]] = residual(level, u, k);
  }

  __device__ __forceinline__ void copy(const float *from, float *to) const
  {
#pragma unroll
    for (int k = 0; k < ROUNDS; k++)
      if (n[k]) to[n[k]] = from[n[k]];
  }
};

#endif
