/* Smoothing on segments within a tail, with the bits of hs_segment_solve. What a pass solves by depends on coefficients only,
 * so it is made once, before the tail waits for its right-hand side. Stages of a pass, with a barrier after each:
 *
 *     residuals; a thread a segment: solution, and the correction of its nodes
 *
 * The second one takes as long as the chain of operations along a segment. So a quotient by a pivot is made of products with
 * its inverse (see quotient), and rows are read before their turn.
 */
#ifndef HS_KERNELS_MULTIGRID_TAIL_SEGMENTS_CUH
#define HS_KERNELS_MULTIGRID_TAIL_SEGMENTS_CUH

#include "multigrid/tail_level.cuh"

static constexpr int TAIL_AHEAD = 4; /* rows that are read before their turn */

/* Pivots and numerators with which nothing underflows. */
static constexpr float TAIL_PIVOT_LEAST = 0x1p-40f, TAIL_PIVOT_MOST = 0x1p40f, TAIL_NUMERATOR_LEAST = 0x1p-80f;

/* --- where rows lie -------------------------------------------------------------------------- */

/* What a row is solved by: the coupling to the row before, the pivot, and 1 / pivot in two parts. The inverse is 0 without a
 * pivot, NaN with one that quotients are not made of. */
struct alignas(16) TailRow {
  float before, pivot, inverse, rest;
};

/* The lines of a pass. Rows lie line beside line, so that lanes have neighbours; those of a line lie an odd number apart, so
 * that neither way of the grid meets one bank of shared memory again and again. */
struct TailLines {
  hs_segments segments;
  int length, count, stride; /* nodes of a line; lines; from row to row */
  int bits;                  /* see hs_device_tail_level */
  TailRow *row;
  float *after, *residual, *solution; /* after: coupling to the row after, by the pivot */

  __device__ __forceinline__ TailLines(const hs_device_tail &tail, int k, int pass, float *shared)
      : segments(hs_segments_of_pass(pass, 0.0))
  {
    const hs_device_tail_level &at = tail.level[k];
    length = segments.along_x ? at.grid.nx : at.grid.ny;
    count = segments.along_x ? at.grid.ny : at.grid.nx;
    stride = count | 1;
    bits = at.line_bits[segments.along_x];
    row = (TailRow *)(shared + at.rows) + pass * at.lines_values;
    after = shared + at.after + pass * at.lines_values;
    residual = shared + tail.residual;
    solution = shared + tail.solution;
  }

  __device__ __forceinline__ int at(MgNode node) const
  {
    return segments.along_x ? node.i * stride + node.j : node.j * stride + node.i;
  }
};

/* The segment of a lane; a warp has those of 32 lines at one place. */
struct TailSegment {
  int rows = 0, first = 0; /* 0: none; the node of the line where they begin */
  int node = 0, step = 0;  /* the first in fields, and from one to the next */
  int row = 0, stride = 0; /* likewise in the lines' arrays */

  TailSegment() = default;
  __device__ __forceinline__ TailSegment(const TailLevel &level, const TailLines &lines, unsigned warp)
  {
    const int line = (int)(warp & ((1u << lines.bits) - 1u)) * 32 + (int)threadIdx.x % 32;
    const int begin = (int)(warp >> lines.bits) * HS_SEGMENT - lines.segments.shift;
    const int end = min(begin + HS_SEGMENT, lines.length);
    first = max(begin, 0);
    rows = line < lines.count ? max(end - first, 0) : 0;
    node = level.at(lines.segments.along_x ? MgNode{first, line} : MgNode{line, first});
    step = lines.segments.along_x ? 1 : level.grid.pitch;
    row = first * lines.stride + line;
    stride = lines.stride;
  }

  __device__ __forceinline__ void factorise(const TailLevel &level, const TailLines &lines) const;
  __device__ __forceinline__ bool eliminate(const TailLines &lines) const;
  __device__ __forceinline__ void eliminate_exactly(const TailLines &lines) const;
  __device__ __forceinline__ void correct(const TailLines &lines, float weight, float *u) const;
};

/* --- pivots ---------------------------------------------------------------------------------- */

__device__ __forceinline__ float inverse_of(float pivot)
{
  if (!(pivot > 0.0f)) return 0.0f;
  return pivot >= TAIL_PIVOT_LEAST && pivot <= TAIL_PIVOT_MOST ? 1.0f / pivot : NAN;
}

/* level.other: diagonals. */
__device__ __forceinline__ void TailSegment::factorise(const TailLevel &level, const TailLines &lines) const
{
  const float *along = lines.segments.along_x ? level.couplings.east : level.couplings.north;
  float after = 0.0f;
#pragma unroll 1
  for (int m = 0; m < rows; m++) {
    const int n = node + m * step, at = row + m * stride;
    const struct hs_segment_row r =
        hs_segment_row(along[n - step], along[n], level.other[n], 0.0f, first + m, &lines.segments, lines.length);
    const float pivot = fmaf(-r.before, after, r.diagonal), inverse = inverse_of(pivot);
    after = pivot > 0.0f ? r.after / pivot : 0.0f;
    lines.row[at] = {r.before, pivot, inverse, fmaf(-pivot, inverse, 1.0f) * inverse};
    lines.after[at] = after;
  }
}

/* Of all levels that have segments. Passes and levels begin with other warps, as few of these have any. */
__device__ __forceinline__ void tail_factorise(const hs_device_tail &tail, float *shared)
{
  for (int k = 0; k + 1 < tail.count; k++) {
    const TailLevel level(tail, k, shared);
    const TailNodes<TAIL_ROUNDS> nodes(level);
    if (!level.segments) continue;
    for (int r = 0; r < TAIL_ROUNDS; r++)
      if (const int n = nodes.n[r])
        level.other[n] = level.couplings.sum[n] + hs_level_total(&level.couplings, n, level.grid.pitch);
  }
  __syncthreads();
  for (int k = 0; k + 1 < tail.count; k++) {
    const TailLevel level(tail, k, shared);
    for (int pass = 0; level.segments && pass < HS_SEGMENT_PASSES; pass++) {
      const TailLines lines(tail, k, pass, shared);
      const TailSegment segment(level, lines, (threadIdx.x / 32 + 8 * pass + 4 * k) % TAIL_WARPS);
      segment.factorise(level, lines);
    }
  }
}

/* --- passes ---------------------------------------------------------------------------------- */

/* a / pivot, if nothing underflows: the product with the inverse's parts is within an ulp of it, and then one correction gives
 * the rounded quotient (Markstein, IBM J. Res. Dev. 34, 1990). 0 without a pivot. */
__device__ __forceinline__ float quotient(float a, const TailRow &row)
{
  const float q = fmaf(a, row.inverse, a * row.rest);
  return fmaf(fmaf(-row.pivot, q, a), row.inverse, q);
}

/* A number that grows with |a|, but is the largest for a = 0. */
__device__ __forceinline__ unsigned magnitude(float a)
{
  return 2u * __float_as_uint(a) - 1u;
}

/* The solution of the rows from the first one on. False: not surely. A quotient that overflows, or with an inverse of NaN,
 * makes all after it NaN. */
__device__ __forceinline__ bool TailSegment::eliminate(const TailLines &lines) const
{
  const TailRow *r = lines.row + row;
  const float *from = lines.residual + row;
  float *to = lines.solution + row, right[TAIL_AHEAD] = {}, value = 0.0f;
  TailRow ahead[TAIL_AHEAD] = {};
  unsigned least = ~0u;
  int left = rows;
#pragma unroll 1
  for (; left % TAIL_AHEAD; left--, r += stride, from += stride, to += stride) {
    const float a = fmaf(r->before, value, *from);
    *to = value = quotient(a, *r);
    least = min(least, magnitude(a));
  }
#pragma unroll
  for (int k = 0; k < TAIL_AHEAD; k++, r += stride, from += stride)
    if (left) {
      ahead[k] = *r;
      right[k] = *from;
    }
#pragma unroll 1
  for (; left; left -= TAIL_AHEAD) {
#pragma unroll
    for (int k = 0; k < TAIL_AHEAD; k++, r += stride, from += stride, to += stride) {
      const float a = fmaf(ahead[k].before, value, right[k]);
      *to = value = quotient(a, ahead[k]);
      least = min(least, magnitude(a));
      if (left > TAIL_AHEAD) {
        ahead[k] = *r;
        right[k] = *from;
      }
    }
  }
  return value == value && least >= magnitude(TAIL_NUMERATOR_LEAST);
}

__device__ __forceinline__ void TailSegment::eliminate_exactly(const TailLines &lines) const
{
  float value = 0.0f;
#pragma unroll 1
  for (int m = 0, at = row; m < rows; m++, at += stride) {
    const TailRow r = lines.row[at];
    const float a = fmaf(r.before, value, lines.residual[at]);
    lines.solution[at] = value = r.pivot > 0.0f ? a / r.pivot : 0.0f;
  }
}

/* The solution of all rows, from the last one on: u += weight solution. */
__device__ __forceinline__ void TailSegment::correct(const TailLines &lines, float weight, float *u) const
{
  const float *after = lines.after + row + rows * stride, *from = lines.solution + row + rows * stride;
  float *to = u + node + rows * step, value = 0.0f;
  float factor[TAIL_AHEAD] = {}, right[TAIL_AHEAD] = {}, own[TAIL_AHEAD] = {};
  int left = rows;
#pragma unroll 1
  for (; left % TAIL_AHEAD; left--) {
    value = fmaf(*(after -= stride), value, *(from -= stride));
    to -= step;
    *to = fmaf(weight, value, *to);
  }
#pragma unroll
  for (int k = 0; k < TAIL_AHEAD; k++)
    if (left) {
      factor[k] = *(after -= stride);
      right[k] = *(from -= stride);
      own[k] = to[-(k + 1) * step];
    }
#pragma unroll 1
  for (; left; left -= TAIL_AHEAD) {
#pragma unroll
    for (int k = 0; k < TAIL_AHEAD; k++) {
      value = fmaf(factor[k], value, right[k]);
      *(to -= step) = fmaf(weight, value, own[k]);
      if (left > TAIL_AHEAD) {
        factor[k] = *(after -= stride);
        right[k] = *(from -= stride);
        own[k] = to[-TAIL_AHEAD * step];
      }
    }
  }
}

/* All passes of level k, backwards on the way up. On the way down u is 0 before the first one. The first barrier completes f
 * and u; u wants another one. */
template <int ROUNDS, int HELD>
__device__ __forceinline__ void tail_segments(const hs_device_tail &tail, int k, float *shared, const TailLevel &level,
                                              const TailNodes<ROUNDS, HELD> &nodes, float weight, bool up)
{
#pragma unroll 1
  for (int pass = 0; pass < HS_SEGMENT_PASSES; pass++) {
    const TailLines lines(tail, k, up ? HS_SEGMENT_PASSES - 1 - pass : pass, shared);
    const unsigned warp = threadIdx.x / 32;
    TailSegment segment;
    if (warp < (unsigned)tail.level[k].warps) segment = {level, lines, warp};
    __syncthreads();
#pragma unroll
    for (int r = 0; r < ROUNDS; r++)
      if (const int n = nodes.n[r])
        lines.residual[lines.at(nodes.node[r])] = up || pass > 0 ? nodes.residual(level, level.u, r) : level.f[n];
    __syncthreads();
    if (!segment.rows) continue;
    if (!segment.eliminate(lines)) segment.eliminate_exactly(lines);
    segment.correct(lines, weight, level.u);
  }
}

#endif
