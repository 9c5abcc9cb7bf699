/* Conjugate gradients on the finest level. */
#include "multigrid/reduce.cuh"

/* Own nodes as a grid of their own: its node (0, 0) is `own_first` values from the level's. */
static hs_grid own_grid(const hs_device_level &level)
{
  return {level.own.x1 - level.own.x0, level.own.y1 - level.own.y0, level.grid.pitch, 0, 0};
}

static size_t own_first(const hs_device_level &level)
{
  return (size_t)level.own.y0 * level.grid.pitch + level.own.x0;
}

__device__ __forceinline__ bool is_own(const hs_device_own &own, int i, int j)
{
  return i >= own.x0 && i < own.x1 && j >= own.y0 && j < own.y1;
}

/* Calls what follows for all nodes of the thread: i, j, n are set. */
#define FOR_NODES(grid)                                                                                                \
  for (int i = blockIdx.x * MG_BLOCK_W + threadIdx.x; i < (grid).nx; i += gridDim.x * MG_BLOCK_W)                      \
    for (int j = blockIdx.y * MG_BLOCK_H + threadIdx.y; j < (grid).ny; j += rows_step())

__global__ void mg_inflow(const __grid_constant__ hs_device_level level, const double *__restrict__ x,
                          const double *__restrict__ start, const double *__restrict__ rest, double *__restrict__ r,
                          const __grid_constant__ hs_device_reduction reduction)
{
  Tally own = tally_zero();
  Adder adder, other;
  FOR_NODES(level.grid)
  {
    const size_t n = hs_grid_at(&level.grid, i, j);
    const hs_balance_f64 b = level.d_balance[mg_entry(level, i, j)];
    double inflow = hs_balance_inflow(&b, b.loss, x, n, level.grid.pitch) + b.heat;
    if (level.d_source_w_m) inflow += b.free * level.d_source_w_m[(size_t)j * level.index_pitch + i];
    if (rest) inflow += rest[n];
    if (start) inflow = fma(b.storage, start[n] - x[n], inflow);
    inflow = b.free > 0.0 ? inflow : 0.0;
    r[n] = inflow;
    if (!is_own(level.own, i, j)) continue;
    own.max = larger(fabs(inflow), own.max);
    adder.add(inflow * inflow);
  }
  own.total = adder.total;
  own.other_total = other.total;
  block_publish(own, reduction);
}

cudaError_t hs_kernel_mg_inflow(const hs_device_level *level, const double *x, const double *start, const double *rest,
                                double *r, const hs_device_reduction *reduction, cudaStream_t stream)
{
  return reduce<mg_inflow>(level->grid, stream, *level, x, start, rest, r, *reduction);
}

__global__ void mg_scale(const __grid_constant__ hs_grid grid, const double *__restrict__ r, double scale,
                         float *__restrict__ f)
{
  const MgNode at = mg_node();
  if (!mg_within(grid, at)) return;
  const size_t n = hs_grid_at(&grid, at.i, at.j);
  f[n] = (float)(r[n] * scale);
}

cudaError_t hs_kernel_mg_scale(const hs_grid *grid, const double *r, double scale, float *f, cudaStream_t stream)
{
  return mg_launch(mg_scale, grid->nx, grid->ny, stream, *grid, r, scale, f);
}

template <typename Real>
__global__ void mg_sum(const __grid_constant__ hs_grid grid, const Real *v,
                       const __grid_constant__ hs_device_reduction reduction)
{
  Tally own = tally_zero();
  Adder adder, other;
  FOR_NODES(grid) adder.add((double)v[hs_grid_at(&grid, i, j)]);
  own.total = adder.total;
  own.other_total = other.total;
  block_publish(own, reduction);
}

cudaError_t hs_kernel_mg_sum(const hs_device_level *level, int single, const void *v,
                             const hs_device_reduction *reduction, cudaStream_t stream)
{
  const hs_grid own = own_grid(*level);
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return reduce<mg_sum<Real>>(own, stream, own, (const Real *)v + own_first(*level), *reduction);
  });
}

template <typename Real>
__global__ void mg_drop(const __grid_constant__ hs_grid grid, const __grid_constant__ hs_device_own counted, Real *v,
                        double mean, const __grid_constant__ hs_device_reduction reduction)
{
  Tally own = tally_zero();
  Adder adder, other;
  FOR_NODES(grid)
  {
    const size_t n = hs_grid_at(&grid, i, j);
    v[n] -= (Real)mean;
    if (!is_own(counted, i, j)) continue;
    own.max = larger(fabs((double)v[n]), own.max);
    adder.add((double)v[n] * (double)v[n]);
  }
  own.total = adder.total;
  own.other_total = other.total;
  block_publish(own, reduction);
}

cudaError_t hs_kernel_mg_drop(const hs_device_level *level, int single, void *v, double mean,
                              const hs_device_reduction *reduction, cudaStream_t stream)
{
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return reduce<mg_drop<Real>>(level->grid, stream, level->grid, level->own, (Real *)v, mean, *reduction);
  });
}

__global__ void mg_examine(const __grid_constant__ hs_grid grid, const float *__restrict__ z, double unscale,
                           const double *__restrict__ r, const float *__restrict__ p, double zr_before,
                           const __grid_constant__ hs_device_reduction reduction)
{
  constexpr int ROWS = 4; /* that are read before the first one is used */
  const double alpha = step_length(reduction, zr_before);
  const int step = rows_step();
  const size_t apart = (size_t)step * grid.pitch;
  Tally own = tally_zero();
  Adder adder, other;
  own.alpha = alpha;
  for (int i = blockIdx.x * MG_BLOCK_W + threadIdx.x; i < grid.nx; i += gridDim.x * MG_BLOCK_W) {
    for (int j = blockIdx.y * MG_BLOCK_H + threadIdx.y; j < grid.ny; j += ROWS * step) {
      const size_t n = hs_grid_at(&grid, i, j);
      float correction[ROWS], direction[ROWS];
      double rest[ROWS];
#pragma unroll
      for (int k = 0; k < ROWS; k++) {
        const bool here = j + k * step < grid.ny;
        correction[k] = here ? z[n + k * apart] : 0.0f;
        rest[k] = here ? r[n + k * apart] : 0.0;
        direction[k] = here && p ? p[n + k * apart] : 0.0f;
      }
#pragma unroll
      for (int k = 0; k < ROWS; k++) {
        const double value = (double)correction[k] * unscale;
        own.max = larger(fabs(value), own.max);
        own.other_max = larger(fabs(fma(alpha, (double)direction[k], value)), own.other_max);
        own.third_max = larger(fabs(rest[k]), own.third_max);
        adder.add(value * rest[k]);
        other.add(rest[k] * rest[k]);
      }
    }
  }
  own.total = adder.total;
  own.other_total = other.total;
  block_publish(own, reduction);
}

cudaError_t hs_kernel_mg_examine(const hs_device_level *level, const float *z, double unscale, const double *r,
                                 const float *p, double zr_before, const hs_device_reduction *reduction,
                                 cudaStream_t stream)
{
  const hs_grid own = own_grid(*level);
  const size_t first = own_first(*level);
  return reduce<mg_examine>(own, stream, own, z + first, unscale, r + first, p ? p + first : p, zr_before, *reduction);
}

/* The new direction and its product with A: a warp goes through the rows of a strip, and keeps three rows of the direction in
 * registers. A lane has an odd column and the even one in its east; those at the strip's edges belong to its neighbours. */
static constexpr int STRIP = 62;

struct DirectionAhead {
  float2 z, p;
  int odd, even; /* entries of the table */

  __device__ __forceinline__ void read(const hs_device_level &level, const float *z_of, const float *p_of, int i, int j)
  {
    const hs_grid &g = level.grid;
    const size_t n = hs_grid_at(&g, i, j);
    z = p = {0.0f, 0.0f};
    odd = even = 0;
    if (i > g.nx || j > g.ny) return; /* the ghosts are there */
    z = __ldg((const float2 *)(z_of + n));
    p = __ldg((const float2 *)(p_of + n));
    if (j < 0 || j >= g.ny) return;
    if (i >= 0 && i < g.nx) odd = (int)mg_entry(level, i, j);
    if (i + 1 < g.nx) even = (int)mg_entry(level, i + 1, j);
  }
};

__global__ void mg_direct(const __grid_constant__ hs_device_level level, const float *__restrict__ z, double unscale,
                          double beta, const float *__restrict__ p, float *__restrict__ to, int height,
                          const __grid_constant__ hs_device_reduction reduction)
{
  constexpr int CHUNK = 3; /* rows that are read at once, ahead of their use */
  const hs_grid &g = level.grid;
  const int lane = threadIdx.x, strips = (g.nx + STRIP - 1) / STRIP, pieces = (g.ny + height - 1) / height;
  Tally own = tally_zero();
  Adder adder, other;
  for (int item = blockIdx.x * MG_BLOCK_H + threadIdx.y; item < strips * pieces; item += gridDim.x * MG_BLOCK_H) {
    const int i = item % strips * STRIP - 1 + 2 * lane, low = item / strips * height;
    const int high = min(low + height, g.ny);
    const bool odd_owned = lane > 0 && i >= level.own.x0 && i < level.own.x1;
    const bool even_owned = lane < 31 && i + 1 >= level.own.x0 && i + 1 < level.own.x1;
    DirectionAhead ahead[CHUNK];
    MgLine line[3] = {};
    int odd_entry[3] = {}, even_entry[3] = {};
    MgHeld odd_held, even_held;
#pragma unroll
    for (int k = 0; k < CHUNK; k++) ahead[k].read(level, z, p, i, low - 1 + k);
    for (int j = low - 1; j <= high; j += CHUNK) {
      DirectionAhead arrived[CHUNK];
#pragma unroll
      for (int k = 0; k < CHUNK; k++) arrived[k] = ahead[k];
#pragma unroll
      for (int k = 0; k < CHUNK; k++) ahead[k].read(level, z, p, i, j + CHUNK + k);
#pragma unroll
      for (int k = 0; k < CHUNK; k++) { /* row j + k completes what the one before it needs */
        const int before = (k + 2) % 3, last = (k + 1) % 3, row = j + k;
        const float2 value = {hs_direction(beta, arrived[k].p.x, arrived[k].z.x, unscale),
                              hs_direction(beta, arrived[k].p.y, arrived[k].z.y, unscale)};
        const MgLine &m = line[before];
        odd_entry[k] = arrived[k].odd;
        even_entry[k] = arrived[k].even;
        line[k] = mg_line(value.x, value.y);
        if (i <= g.nx && row >= low && row < high) *(float2 *)(to + hs_grid_at(&g, i, row)) = value;
        if (row <= low || row > high || row <= level.own.y0 || row > level.own.y1) continue;
        if (odd_owned) {
          const hs_balance_f64 &b = odd_held.of(level, odd_entry[before]);
          adder.add(-((double)m.odd *
                      hs_balance_flow(&b, b.loss + b.storage, m.odd, m.west, m.even, line[last].odd, line[k].odd)));
        }
        if (even_owned) {
          const hs_balance_f64 &b = even_held.of(level, even_entry[before]);
          adder.add(-((double)m.even *
                      hs_balance_flow(&b, b.loss + b.storage, m.even, m.odd, m.east, line[last].even, line[k].even)));
        }
      }
    }
  }
  own.total = adder.total;
  own.other_total = other.total;
  block_publish(own, reduction, HS_TALLY_STEP);
}

cudaError_t hs_kernel_mg_direct(const hs_device_level *level, const float *z, double unscale, double beta,
                                const float *p, float *to, const hs_device_reduction *reduction, cudaStream_t stream)
{
  const int strips = (level->grid.nx + STRIP - 1) / STRIP, resident = mg_resident_blocks<mg_direct>(THREADS);
  const int height = mg_strip_rows(strips, level->grid.ny, 2, 3, resident * MG_BLOCK_H);
  const int pieces = (level->grid.ny + height - 1) / height;
  const int blocks = (strips * pieces + MG_BLOCK_H - 1) / MG_BLOCK_H;
  return kernel_launch(mg_direct, dim3(blocks < HS_TALLY_BLOCKS ? blocks : HS_TALLY_BLOCKS),
                       dim3(MG_BLOCK_W, MG_BLOCK_H), stream, *level, z, unscale, beta, p, to, height, *reduction);
}

/* A thread has ADVANCE_ROWS nodes of a column. */
static constexpr int ADVANCE_ROWS = 4;

__global__ void mg_advance(const __grid_constant__ hs_device_level level, const float *__restrict__ p,
                           double *__restrict__ x, double *__restrict__ r, float *__restrict__ f, double zr,
                           double scale, const __grid_constant__ hs_device_reduction reduction)
{
  const hs_grid &g = level.grid;
  const int i = blockIdx.x * MG_BLOCK_W + threadIdx.x;
  const int j = ((blockIdx.z * gridDim.y + blockIdx.y) * MG_BLOCK_H + threadIdx.y) * ADVANCE_ROWS;
  const size_t n = hs_grid_at(&g, i, j), pitch = g.pitch;
  float middle[ADVANCE_ROWS + 2], west[ADVANCE_ROWS], east[ADVANCE_ROWS];
  double field[ADVANCE_ROWS], rest[ADVANCE_ROWS];
  int entry[ADVANCE_ROWS];
  MgHeld held;
  if (i >= g.nx || j >= g.ny) return;
#pragma unroll
  for (int k = 0; k < ADVANCE_ROWS + 2; k++) middle[k] = j + k <= g.ny + 1 ? p[n + (k - 1) * pitch] : 0.0f;
#pragma unroll
  for (int k = 0; k < ADVANCE_ROWS; k++) {
    const bool here = j + k < g.ny;
    const size_t at = n + k * pitch;
    west[k] = here ? p[at - 1] : 0.0f;
    east[k] = here ? p[at + 1] : 0.0f;
    field[k] = here ? x[at] : 0.0;
    rest[k] = here ? r[at] : 0.0;
    entry[k] = here ? (int)mg_entry(level, i, j + k) : 0;
  }
  const double alpha = step_length(reduction, zr);
#pragma unroll
  for (int k = 0; k < ADVANCE_ROWS; k++) {
    const size_t at = n + k * pitch;
    const hs_balance_f64 &b = held.of(level, entry[k]);
    const double inflow =
        hs_balance_flow(&b, b.loss + b.storage, middle[k + 1], west[k], east[k], middle[k], middle[k + 2]);
    const double left = fma(alpha, inflow, rest[k]);
    if (j + k >= g.ny) break;
    x[at] = fma(alpha, (double)middle[k + 1], field[k]);
    r[at] = left;
    f[at] = (float)(left * scale);
  }
}

cudaError_t hs_kernel_mg_advance(const hs_device_level *level, const hs_device_advance *step,
                                 const hs_device_reduction *reduction, cudaStream_t stream)
{
  const int rows = (level->grid.ny + ADVANCE_ROWS - 1) / ADVANCE_ROWS;
  return mg_launch(mg_advance, level->grid.nx, rows, stream, *level, step->p, step->x, step->r, step->f, step->zr,
                   step->scale, *reduction);
}

__global__ void mg_largest(const __grid_constant__ hs_grid grid, const double *x,
                           const __grid_constant__ hs_device_reduction reduction)
{
  Tally own = tally_zero();
  Adder adder, other;
  FOR_NODES(grid) own.max = larger(fabs(x[hs_grid_at(&grid, i, j)]), own.max);
  own.total = adder.total;
  own.other_total = other.total;
  block_publish(own, reduction);
}

cudaError_t hs_kernel_mg_largest(const hs_device_level *level, const double *x, const hs_device_reduction *reduction,
                                 cudaStream_t stream)
{
  const hs_grid own = own_grid(*level);
  return reduce<mg_largest>(own, stream, own, x + own_first(*level), *reduction);
}

/* --- fields of the sweeps -------------------------------------------------------------------- */

/* Dirichlet nodes get the temperature that the operator has for them. */
template <typename Real>
__global__ void mg_take(const __grid_constant__ hs_device_level level, const Real *field, int64_t pitch, double *x)
{
  const MgNode at = mg_node();
  if (!mg_within(level.grid, at)) return;
  const hs_balance_f64 b = level.d_balance[mg_entry(level, at.i, at.j)];
  x[hs_grid_at(&level.grid, at.i, at.j)] = b.free > 0.0 ? (double)field[at.j * pitch + at.i] : b.heat;
}

cudaError_t hs_kernel_mg_take(const hs_device_level *level, int single, const void *field, int64_t pitch, double *x,
                              cudaStream_t stream)
{
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return mg_launch(mg_take<Real>, level->grid.nx, level->grid.ny, stream, *level, (const Real *)field, pitch, x);
  });
}

/* Dirichlet nodes do not change by themselves. */
__global__ void mg_change(const __grid_constant__ hs_device_level level, const double *__restrict__ x,
                          const double *__restrict__ start, float *__restrict__ d)
{
  const MgNode at = mg_node();
  if (!mg_within(level.grid, at)) return;
  const size_t n = hs_grid_at(&level.grid, at.i, at.j);
  const bool is_free = level.d_balance[mg_entry(level, at.i, at.j)].free > 0.0;
  d[n] = is_free ? (float)(x[n] - start[n]) : 0.0F;
}

cudaError_t hs_kernel_mg_change(const hs_device_level *level, const double *x, const double *start, float *d,
                                cudaStream_t stream)
{
  return mg_launch(mg_change, level->grid.nx, level->grid.ny, stream, *level, x, start, d);
}

template <typename Real>
__global__ void mg_give(const __grid_constant__ hs_grid grid, const double *x, Real *field, int64_t pitch, int nx,
                        int ny)
{
  const MgNode at = mg_node();
  if (at.i >= nx || at.j >= ny) return;
  field[at.j * pitch + at.i] = (Real)x[hs_grid_at(&grid, at.i % grid.nx, at.j % grid.ny)];
}

cudaError_t hs_kernel_mg_give(const hs_device_level *level, int single, const double *x, void *field, int64_t pitch,
                              int nx, int ny, cudaStream_t stream)
{
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return mg_launch(mg_give<Real>, nx, ny, stream, level->grid, x, (Real *)field, pitch, nx, ny);
  });
}
