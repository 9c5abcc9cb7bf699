/* The V-cycle's operations, a thread a node. FINE: the finest level, whose couplings come from the table. */
#include "multigrid/pass.cuh"
#include "primitives.cuh"

template <bool FINE>
__device__ __forceinline__ float residual_at(const hs_device_level &level, const float *u, const float *f, size_t n,
                                             MgNode at)
{
  if constexpr (FINE)
    return hs_level_residual_fine(&level.d_balance_single[mg_entry(level, at.i, at.j)], u, f[n], n, level.grid.pitch);
  else
    return hs_level_residual(&level.couplings, u, f[n], n, level.grid.pitch);
}

template <bool FINE> __device__ __forceinline__ float inverse_at(const hs_device_level &level, size_t n, MgNode at)
{
  if constexpr (FINE)
    return level.d_balance_single[mg_entry(level, at.i, at.j)].inverse;
  else
    return level.couplings.inverse[n];
}

template <bool FINE>
__global__ void mg_start(const __grid_constant__ hs_device_level level, const float *f, float weight, float *u)
{
  const MgNode at = mg_node();
  if (!mg_within(level.grid, at)) return;
  const size_t n = hs_grid_at(&level.grid, at.i, at.j);
  u[n] = weight * inverse_at<FINE>(level, n, at) * f[n];
}

cudaError_t hs_kernel_mg_start(const hs_device_level *level, const float *f, float weight, float *u,
                               cudaStream_t stream)
{
  return launch_level(level, [&](auto fine) {
    return mg_launch(mg_start<fine>, level->grid.nx, level->grid.ny, stream, *level, f, weight, u);
  });
}

template <bool FINE>
__global__ void mg_relax(const __grid_constant__ hs_device_level level, const float *__restrict__ u,
                         const float *__restrict__ f, float weight, float *__restrict__ to)
{
  const MgNode at = mg_node();
  if (!mg_within(level.grid, at)) return;
  const size_t n = hs_grid_at(&level.grid, at.i, at.j);
  to[n] = fmaf(weight * inverse_at<FINE>(level, n, at), residual_at<FINE>(level, u, f, n, at), u[n]);
}

cudaError_t hs_kernel_mg_relax(const hs_device_level *level, const float *u, const float *f, float weight, float *to,
                               cudaStream_t stream)
{
  return launch_level(level, [&](auto fine) {
    return mg_launch(mg_relax<fine>, level->grid.nx, level->grid.ny, stream, *level, u, f, weight, to);
  });
}

template <bool FINE>
__global__ void mg_residual(const __grid_constant__ hs_device_level level, const float *__restrict__ u,
                            const float *__restrict__ f, float *__restrict__ r)
{
  const MgNode at = mg_node();
  if (!mg_within(level.grid, at)) return;
  const size_t n = hs_grid_at(&level.grid, at.i, at.j);
  r[n] = residual_at<FINE>(level, u, f, n, at);
}

cudaError_t hs_kernel_mg_residual(const hs_device_level *level, const float *u, const float *f, float *r,
                                  cudaStream_t stream)
{
  return launch_level(level, [&](auto fine) {
    return mg_launch(mg_residual<fine>, level->grid.nx, level->grid.ny, stream, *level, u, f, r);
  });
}

__global__ void mg_restrict(const __grid_constant__ hs_device_level level, const float *__restrict__ r,
                            const __grid_constant__ hs_grid coarse, float *__restrict__ coarse_f)
{
  const MgNode at = mg_node();
  if (!mg_within(coarse, at)) return;
  coarse_f[hs_grid_at(&coarse, at.i, at.j)] =
      hs_level_restrict(&level.interpolation, r, &level.grid, level.coarsen_x, level.coarsen_y, at.i, at.j);
}

cudaError_t hs_kernel_mg_restrict(const hs_device_level *level, const float *r, const hs_grid *coarse, float *coarse_f,
                                  cudaStream_t stream)
{
  return mg_launch(mg_restrict, coarse->nx, coarse->ny, stream, *level, r, *coarse, coarse_f);
}

__global__ void mg_prolong(const __grid_constant__ hs_device_level level, const __grid_constant__ hs_grid coarse,
                           const float *__restrict__ coarse_u, float *__restrict__ u)
{
  const MgNode at = mg_node();
  if (!mg_within(level.grid, at)) return;
  const size_t n = hs_grid_at(&level.grid, at.i, at.j);
  const float correction =
      hs_level_prolong(&level.interpolation, coarse_u, n, &coarse, level.coarsen_x, level.coarsen_y, at.i, at.j);
  /* not kept in the L1 cache, where the next kernel, which may begin early, would read it */
  u[n] = __ldcg(u + n) + correction;
}

cudaError_t hs_kernel_mg_prolong(const hs_device_level *level, const hs_grid *coarse, const float *coarse_u, float *u,
                                 cudaStream_t stream)
{
  return mg_launch(mg_prolong, level->grid.nx, level->grid.ny, stream, *level, *coarse, coarse_u, u);
}

/* --- condensation: nodes on lines, then those in the middle of four --------------------------- */

template <bool FINE> __global__ void mg_lines(const __grid_constant__ hs_device_level level, const float *f, float *u)
{
  const MgNode at = mg_node();
  if (!mg_within(level.grid, at)) return;
  const size_t n = hs_grid_at(&level.grid, at.i, at.j);
  const bool x = level.coarsen_x && at.i % 2 == 1, y = level.coarsen_y && at.j % 2 == 1;
  u[n] = x != y ? line_of<FINE>(coefficients_of<FINE>(level, at), x, f[n]) : 0.0f;
}

template <bool FINE> __global__ void mg_middles(const __grid_constant__ hs_device_level level, const float *f, float *u)
{
  const MgNode at = mg_node();
  if (!mg_within(level.grid, at) || at.i % 2 == 0 || at.j % 2 == 0) return;
  const size_t n = hs_grid_at(&level.grid, at.i, at.j), pitch = level.grid.pitch;
  u[n] = middle_of<FINE>(coefficients_of<FINE>(level, at), f[n], u[n - 1], u[n + 1], u[n - pitch], u[n + pitch]);
}

cudaError_t hs_kernel_mg_lines(const hs_device_level *level, const float *f, float *u, cudaStream_t stream)
{
  return launch_level(level, [&](auto fine) {
    return mg_launch(mg_lines<fine>, level->grid.nx, level->grid.ny, stream, *level, f, u);
  });
}

cudaError_t hs_kernel_mg_middles(const hs_device_level *level, const float *f, float *u, cudaStream_t stream)
{
  return launch_level(level, [&](auto fine) {
    return mg_launch(mg_middles<fine>, level->grid.nx, level->grid.ny, stream, *level, f, u);
  });
}

/* --- segments: a block gathers 32 of them that lie side by side, and a warp solves them ------ */

template <bool FINE>
__device__ __forceinline__ struct hs_segment_row couplings_at(const hs_device_level &level, const hs_segments &s,
                                                              size_t n, MgNode at)
{
  const int m = s.along_x ? at.i : at.j, end = hs_segments_end(&s, &level.grid);
  if constexpr (FINE) {
    const hs_balance_f32 b = level.d_balance_single[mg_entry(level, at.i, at.j)];
    const float diagonal = ((b.west + b.east) + (b.south + b.north)) + b.sum;
    return hs_segment_row(s.along_x ? b.west : b.south, s.along_x ? b.east : b.north, diagonal, 0.0f, m, &s, end);
  } else {
    const hs_couplings_f32 &g = level.couplings;
    const size_t pitch = level.grid.pitch;
    return hs_segment_row(s.along_x ? g.east[n - 1] : g.north[n - pitch], s.along_x ? g.east[n] : g.north[n],
                          g.sum[n] + hs_level_total(&g, n, pitch), 0.0f, m, &s, end);
  }
}

__device__ __forceinline__ struct hs_segment_row row_of(const hs_segment_rows &s, int m)
{
  const int k = m * s.stride;
  return {s.before[k], s.after[k], s.diagonal[k], s.residual[k]};
}

/* hs_segment_solve, whose rows are read before their turn. */
__device__ __forceinline__ void segment_solve(const hs_segment_rows &s, int n)
{
  float value = 0.0f, room = 0.0f;
  struct hs_segment_row next = row_of(s, 0);
#pragma unroll 2
  for (int m = 0; m < n; m++) {
    const struct hs_segment_row row = next;
    if (m + 1 < n) next = row_of(s, m + 1);
    const float pivot = m > 0 ? fmaf(-row.before, room, row.diagonal) : row.diagonal;
    const float right = m > 0 ? fmaf(row.before, value, row.residual) : row.residual;
    room = pivot > 0.0f ? row.after / pivot : 0.0f;
    value = pivot > 0.0f ? right / pivot : 0.0f;
    s.diagonal[m * s.stride] = room;
    s.residual[m * s.stride] = value;
  }
  value = 0.0f;
  next = row_of(s, n - 1);
#pragma unroll 4
  for (int m = n - 1; m >= 0; m--) {
    const struct hs_segment_row row = next;
    if (m > 0) next = row_of(s, m - 1);
    s.residual[m * s.stride] = value = fmaf(row.diagonal, value, row.residual);
  }
}

static constexpr int SEGMENT_LINES = 32;

/* Block (x, y): segment x of the lines from y SEGMENT_LINES on. Memory is read and written along x, whichever way the segments
 * lie. FEW blocks wait for memory and for each operation. So they have a thread a node, couplings before the kernel before
 * ends, and rows before their turn. Where there are many, a thread has four nodes. */
template <bool FINE, bool FEW>
__global__ void __launch_bounds__(SEGMENT_LINES *(FEW ? HS_SEGMENT : MG_BLOCK_H), FEW ? 0 : 8)
    mg_segments(const __grid_constant__ hs_device_level level, const float *__restrict__ u, const float *__restrict__ f,
                const __grid_constant__ hs_segments s, float *__restrict__ to)
{
  constexpr int PITCH = SEGMENT_LINES + 1; /* no bank conflict either way */
  constexpr int STEP = FEW ? HS_SEGMENT : MG_BLOCK_H;
  __shared__ float values[4][HS_SEGMENT * PITCH];
  const int line_end = hs_segments_end(&s, &level.grid), lines = s.along_x ? level.grid.ny : level.grid.nx;
  const int first_line = (blockIdx.z * gridDim.y + blockIdx.y) * SEGMENT_LINES;
  const int begin = max((int)blockIdx.x * HS_SEGMENT - s.shift, s.first);
  const int end = min(((int)blockIdx.x + 1) * HS_SEGMENT - s.shift, line_end), x = threadIdx.x;
  struct hs_segment_row held = {};
  if constexpr (FEW) {
    const int line = s.along_x ? (int)threadIdx.y : x, m = s.along_x ? x : (int)threadIdx.y;
    const MgNode at = s.along_x ? MgNode{begin + m, first_line + line} : MgNode{first_line + line, begin + m};
    if (begin + m < end && first_line + line < lines)
      held = couplings_at<FINE>(level, s, hs_grid_at(&level.grid, at.i, at.j), at);
    await_predecessor();
  }
  for (int y = threadIdx.y; y < SEGMENT_LINES; y += STEP) {
    const int line = s.along_x ? y : x, m = s.along_x ? x : y;
    const hs_segment_rows segment = {values[0] + line, values[1] + line, values[2] + line, values[3] + line, PITCH};
    if (begin + m >= end || first_line + line >= lines) continue;
    const MgNode at = s.along_x ? MgNode{begin + m, first_line + line} : MgNode{first_line + line, begin + m};
    const size_t n = hs_grid_at(&level.grid, at.i, at.j);
    struct hs_segment_row row = FEW ? held : couplings_at<FINE>(level, s, n, at);
    row.residual = residual_at<FINE>(level, u, f, n, at);
    hs_segment_put(&segment, m, &row);
  }
  __syncthreads();
  if (threadIdx.y == 0 && first_line + x < lines && begin < end) {
    const hs_segment_rows segment = {values[0] + x, values[1] + x, values[2] + x, values[3] + x, PITCH};
    if (FEW)
      segment_solve(segment, end - begin);
    else
      hs_segment_solve(&segment, end - begin);
  }
  __syncthreads();
  for (int y = threadIdx.y; y < SEGMENT_LINES; y += STEP) {
    const int line = s.along_x ? y : x, m = s.along_x ? x : y;
    if (begin + m >= end || first_line + line >= lines) continue;
    const size_t n = s.along_x ? hs_grid_at(&level.grid, begin + m, first_line + line)
                               : hs_grid_at(&level.grid, first_line + line, begin + m);
    to[n] = fmaf((float)s.weight, values[3][m * PITCH + line], u[n]);
  }
}

/* Few: all blocks run at the same time. Many leave no room for those of the next kernel. */
cudaError_t hs_kernel_mg_segments(const hs_device_level *level, const float *u, const float *f, const hs_segments *s,
                                  float *to, cudaStream_t stream)
{
  const int length = s->along_x ? level->grid.nx : level->grid.ny, lines = s->along_x ? level->grid.ny : level->grid.nx;
  const dim3 blocks =
      grid_of((length + s->shift + HS_SEGMENT - 1) / HS_SEGMENT, (lines + SEGMENT_LINES - 1) / SEGMENT_LINES);
  return launch_level(level, [&](auto fine) {
    const int most = mg_resident_blocks<mg_segments<fine, true>>(SEGMENT_LINES * HS_SEGMENT);
    if ((double)blocks.x * blocks.y * blocks.z <= most)
      return kernel_launch_dependent(mg_segments<fine, true>, blocks, dim3(SEGMENT_LINES, HS_SEGMENT), 0, stream,
                                     *level, u, f, *s, to);
    return kernel_launch(mg_segments<fine, false>, blocks, dim3(SEGMENT_LINES, MG_BLOCK_H), stream, *level, u, f, *s,
                         to);
  });
}

/* --- the coarsest level: one block ----------------------------------------------------------- */

static constexpr int SOLVE_MOST = 64; /* unknowns */

__global__ void mg_solve(const __grid_constant__ hs_device_level level, const float *f, float *u)
{
  __shared__ double right[SOLVE_MOST];
  const int k = threadIdx.x, nx = level.grid.nx, nodes = nx * level.grid.ny;
  const size_t n = hs_grid_at(&level.grid, k % nx, k / nx);
  double sum = 0.0;
  if (k < nodes) right[k] = (double)f[n];
  __syncthreads();
  if (k >= nodes) return;
#pragma unroll 8
  for (int m = 0; m < nodes; m++) sum = fma(level.d_inverse[m * nodes + k], right[m], sum);
  u[n] = (float)sum;
}

cudaError_t hs_kernel_mg_solve(const hs_device_level *level, const float *f, float *u, cudaStream_t stream)
{
  if (level->grid.nx * level->grid.ny > SOLVE_MOST) return cudaErrorInvalidValue;
  return kernel_launch(mg_solve, dim3(1), dim3(SOLVE_MOST), stream, *level, f, u);
}

/* --- ghosts ---------------------------------------------------------------------------------- */

/* West and east first: the corners come from rows that have them. */
template <typename Real> __global__ void mg_ghosts(const __grid_constant__ hs_grid grid, int along_y, Real *v)
{
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (!along_y) {
    if (k >= grid.ny) return;
    v[hs_grid_at(&grid, -1, k)] = v[hs_grid_at(&grid, grid.nx - 1, k)];
    v[hs_grid_at(&grid, grid.nx, k)] = v[hs_grid_at(&grid, 0, k)];
  } else {
    if (k >= grid.nx + 2) return;
    v[hs_grid_at(&grid, k - 1, -1)] = v[hs_grid_at(&grid, k - 1, grid.ny - 1)];
    v[hs_grid_at(&grid, k - 1, grid.ny)] = v[hs_grid_at(&grid, k - 1, 0)];
  }
}

cudaError_t hs_kernel_mg_ghosts(const hs_grid *grid, int single, void *v, cudaStream_t stream)
{
  cudaError_t code = cudaSuccess;
  for (int along_y = 0; along_y <= 1 && code == cudaSuccess; along_y++) {
    const int count = along_y ? grid->nx + 2 : grid->ny;
    if (!(along_y ? grid->periodic_y : grid->periodic_x)) continue;
    code = launch_typed(single, [&](auto real) {
      using Real = decltype(real);
      return kernel_launch(mg_ghosts<Real>, dim3((count + 127) / 128), dim3(128), stream, *grid, along_y, (Real *)v);
    });
  }
  return code;
}
