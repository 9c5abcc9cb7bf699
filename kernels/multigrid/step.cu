/* A step of conjugate gradients, and what a correction says. A warp goes through the rows of a strip and keeps three rows in
 * registers. A lane has an odd column and the even one in its east; those at the strip's edges belong to its neighbours, too. */
#include "multigrid/pass.cuh"
#include "multigrid/reduce.cuh"

static constexpr int STRIP = 62; /* columns */
static constexpr int CHUNK = 3;  /* rows that are read at once, ahead of their use */

/* The strip of a warp: its first column less one, and rows low <= j < high. */
struct Strip {
  int i, low, high;
};

__device__ __forceinline__ int strips_of(const hs_grid &g)
{
  return (g.nx + STRIP - 1) / STRIP;
}

/* Strips number blockIdx.x, ... of all that are `height` rows high. */
#define FOR_STRIPS(g, height, strip)                                                                                   \
  for (int item = blockIdx.x * MG_BLOCK_H + threadIdx.y, across = strips_of(g),                                        \
           items = across * (((g).ny + (height)-1) / (height));                                                        \
       item < items; item += gridDim.x * MG_BLOCK_H)                                                                   \
    if (const Strip strip = {item % across * STRIP - 1 + 2 * (int)threadIdx.x, item / across * (height),               \
                             min(item / across * (height) + (height), (g).ny)};                                        \
        true)

/* Table entries of a row's two columns; 0 outside. */
__device__ __forceinline__ int2 entries_of(const hs_device_level &level, int i, int j)
{
  const hs_grid &g = level.grid;
  if (j < 0 || j >= g.ny) return {0, 0};
  return {i >= 0 && i < g.nx ? (int)mg_entry(level, i, j) : 0, i + 1 < g.nx ? (int)mg_entry(level, i + 1, j) : 0};
}

template <typename Pair, typename Real> __device__ __forceinline__ Pair pair_at(const Real *array, size_t n)
{
  return __ldg((const Pair *)(array + n));
}

/* --- what a correction says ------------------------------------------------------------------ */

/* z of a row, and what else is asked of the row in its south. */
struct ExamineAhead {
  float2 z, f, p;
  int2 entry;

  __device__ __forceinline__ void read(const hs_device_level &level, const hs_device_examination &of, int i, int j)
  {
    const hs_grid &g = level.grid;
    const size_t n = hs_grid_at(&g, i, j), own = n - g.pitch;
    z = f = p = {0.0f, 0.0f};
    entry = {0, 0};
    if (i > g.nx || j > g.ny) return; /* the ghosts are there */
    z = pair_at<float2>(of.z, n);
    if (j < 1) return;
    f = pair_at<float2>(of.f, own);
    if (of.p) p = pair_at<float2>(of.p, own);
    entry = entries_of(level, i, j - 1);
  }
};

/* Magnitudes as bits, which have their order, with NaN above all. */
__device__ __forceinline__ void raise_to(unsigned &largest, float value)
{
  largest = max(largest, __float_as_uint(value) & 0x7fffffffu);
}

/* What the nodes of a lane say. */
struct Examination {
  unsigned max_z = 0, max_r = 0, max_behind = 0;
  Adder zr, rr, z_az, p_az;

  __device__ __forceinline__ void add(float behind, float inflow, float z, float f, float p)
  {
    const hs_terms_f32 t = hs_correction_terms(z, inflow, f, p);
    raise_to(max_z, z);
    raise_to(max_r, f);
    raise_to(max_behind, fmaf(behind, p, z));
    zr.add((double)t.zr);
    rr.add((double)t.rr);
    z_az.add((double)t.z_az);
    p_az.add((double)t.p_az);
  }

  __device__ __forceinline__ Tally tally() const
  {
    Tally t = hs_tally_zero();
    t.max[HS_MAX_Z] = (double)__uint_as_float(max_z);
    t.max[HS_MAX_R] = (double)__uint_as_float(max_r);
    t.max[HS_MAX_BEHIND] = (double)__uint_as_float(max_behind);
    t.sum[HS_SUM_ZR] = zr.total;
    t.sum[HS_SUM_RR] = rr.total;
    t.sum[HS_SUM_Z_AZ] = z_az.total;
    t.sum[HS_SUM_P_AZ] = p_az.total;
    return t;
  }
};

__global__ void __launch_bounds__(THREADS, 2)
    mg_examine(const __grid_constant__ hs_device_level level, const __grid_constant__ hs_device_examination of,
               int height, const __grid_constant__ hs_device_reduction reduction)
{
  const hs_grid &g = level.grid;
  const int lane = threadIdx.x;
  Examination found;
  FOR_STRIPS(g, height, strip)
  {
    const int i = strip.i;
    const bool odd_owned = lane > 0 && i >= level.own.x0 && i < level.own.x1;
    const bool even_owned = lane < 31 && i + 1 >= level.own.x0 && i + 1 < level.own.x1;
    ExamineAhead ahead[CHUNK];
    MgLine line[3] = {};
    Coefficients<true> held; /* of the entry that was read last */
    int held_entry = -1;
    const auto inflow_of = [&](int entry, float c, const hs_around_f32 &around) {
      if (entry != held_entry) held = entry_of(level, entry);
      held_entry = entry;
      return held.residual(0.0f, c, around);
    };
#pragma unroll
    for (int k = 0; k < CHUNK; k++) ahead[k].read(level, of, i, strip.low - 1 + k);
    for (int j = strip.low - 1; j <= strip.high; j += CHUNK) {
      ExamineAhead arrived[CHUNK];
#pragma unroll
      for (int k = 0; k < CHUNK; k++) arrived[k] = ahead[k];
#pragma unroll
      for (int k = 0; k < CHUNK; k++) ahead[k].read(level, of, i, j + CHUNK + k);
#pragma unroll
      for (int k = 0; k < CHUNK; k++) { /* row j + k completes what the one before it needs */
        const int before = (k + 2) % 3, last = (k + 1) % 3, now = j + k;
        const MgLine &m = line[before];
        line[k] = mg_line(arrived[k].z.x, arrived[k].z.y);
        if (now <= strip.low || now > strip.high || now <= level.own.y0 || now > level.own.y1) continue;
        if (odd_owned)
          found.add(of.behind, inflow_of(arrived[k].entry.x, m.odd, {m.west, m.even, line[last].odd, line[k].odd}),
                    m.odd, arrived[k].f.x, arrived[k].p.x);
        if (even_owned)
          found.add(of.behind, inflow_of(arrived[k].entry.y, m.even, {m.odd, m.east, line[last].even, line[k].even}),
                    m.even, arrived[k].f.y, arrived[k].p.y);
      }
    }
  }
  block_publish<HS_TALLY_MAXIMA, HS_TALLY_SUMS>(found.tally(), reduction);
}

cudaError_t hs_kernel_mg_examine(const hs_device_level *level, const hs_device_examination *of,
                                 const hs_device_reduction *reduction, cudaStream_t stream)
{
  const int strips = (level->grid.nx + STRIP - 1) / STRIP, resident = mg_resident_blocks<mg_examine>(THREADS);
  const int height = mg_strip_rows(strips, level->grid.ny, 2, 3, resident * MG_BLOCK_H);
  const int pieces = (level->grid.ny + height - 1) / height;
  const int blocks = (strips * pieces + MG_BLOCK_H - 1) / MG_BLOCK_H;
  return kernel_launch(mg_examine, dim3(blocks < HS_TALLY_BLOCKS ? blocks : HS_TALLY_BLOCKS),
                       dim3(MG_BLOCK_W, MG_BLOCK_H), stream, *level, *of, height, *reduction);
}

/* --- the step -------------------------------------------------------------------------------- */

/* Likewise for the step. */
struct StepAhead {
  float2 z, p;
  double2 x, start;
  int2 entry;

  __device__ __forceinline__ void read(const hs_device_level &level, const hs_device_cg_step &step, bool stores, int i,
                                       int j)
  {
    const hs_grid &g = level.grid;
    const size_t n = hs_grid_at(&g, i, j);
    z = p = {0.0f, 0.0f};
    x = start = {0.0, 0.0};
    entry = {0, 0};
    if (i > g.nx || j > g.ny) return; /* the ghosts are there */
    z = pair_at<float2>(step.z, n);
    p = pair_at<float2>(step.p, n);
    x = pair_at<double2>(step.x, n);
    if (j < 1) return;
    if (stores) start = pair_at<double2>(step.start, n - g.pitch);
    entry = entries_of(level, i, j - 1);
  }
};

/* Values of the lane's two columns, and of those beside them, in double precision. */
struct Line {
  double west, odd, even, east;
};

__device__ __forceinline__ Line line_of(double odd, double even)
{
  return {__shfl_up_sync(0xffffffffu, even, 1), odd, even, __shfl_down_sync(0xffffffffu, odd, 1)};
}

/* The residual at node (i, j) from the flow into it, as mg_inflow has it. */
template <bool STORES>
__device__ __forceinline__ float residual_of(const hs_device_level &level, const hs_device_cg_step &step,
                                             const hs_balance_f64 &b, double flow, double x, double start, int i, int j)
{
  double inflow = flow;
  if (!step.alone) {
    inflow += b.heat;
    if (level.d_source_w_m) inflow += b.free * level.d_source_w_m[(size_t)j * level.index_pitch + i];
  }
  if (step.rest) inflow += step.rest[hs_grid_at(&level.grid, i, j)];
  if (STORES) inflow = fma(b.storage, start - x, inflow);
  inflow = b.free > 0.0 ? inflow : 0.0;
  return (float)((inflow - step.mean) * step.scale);
}

template <bool STORES>
__global__ void __launch_bounds__(THREADS, 2) mg_advance(const __grid_constant__ hs_device_level level,
                                                         const __grid_constant__ hs_device_cg_step step, int height)
{
  const hs_grid &g = level.grid;
  const int lane = threadIdx.x;
  FOR_STRIPS(g, height, strip)
  {
    const int i = strip.i;
    const bool odd_owned = lane > 0 && i < g.nx, even_owned = lane < 31 && i + 1 < g.nx;
    StepAhead ahead[CHUNK];
    Line line[3] = {};
    MgHeld held; /* for both columns */
#pragma unroll
    for (int k = 0; k < CHUNK; k++) ahead[k].read(level, step, STORES, i, strip.low - 1 + k);
    for (int j = strip.low - 1; j <= strip.high; j += CHUNK) {
      StepAhead arrived[CHUNK];
#pragma unroll
      for (int k = 0; k < CHUNK; k++) arrived[k] = ahead[k];
#pragma unroll
      for (int k = 0; k < CHUNK; k++) ahead[k].read(level, step, STORES, i, j + CHUNK + k);
#pragma unroll
      for (int k = 0; k < CHUNK; k++) { /* row j + k completes what the one before it needs */
        const int before = (k + 2) % 3, last = (k + 1) % 3, now = j + k;
        const StepAhead &a = arrived[k];
        const float2 p = {hs_direction(step.beta, a.p.x, a.z.x, step.unscale),
                          hs_direction(step.beta, a.p.y, a.z.y, step.unscale)};
        const double2 x = {fma(step.alpha, (double)p.x, a.x.x), fma(step.alpha, (double)p.y, a.x.y)};
        const Line &m = line[before];
        line[k] = line_of(x.x, x.y);
        if (i <= g.nx && now >= strip.low && now < strip.high) {
          *(float2 *)(step.p_to + hs_grid_at(&g, i, now)) = p;
          *(double2 *)(step.x_to + hs_grid_at(&g, i, now)) = x;
        }
        if (now <= strip.low || now > strip.high) continue;
        if (odd_owned) {
          const hs_balance_f64 &b = held.of(level, a.entry.x);
          const double flow = hs_balance_flow(&b, b.loss, m.odd, m.west, m.even, line[last].odd, line[k].odd);
          step.f[hs_grid_at(&g, i, now - 1)] = residual_of<STORES>(level, step, b, flow, m.odd, a.start.x, i, now - 1);
        }
        if (even_owned) {
          const hs_balance_f64 &b = held.of(level, a.entry.y);
          const double flow = hs_balance_flow(&b, b.loss, m.even, m.odd, m.east, line[last].even, line[k].even);
          step.f[hs_grid_at(&g, i + 1, now - 1)] =
              residual_of<STORES>(level, step, b, flow, m.even, a.start.y, i + 1, now - 1);
        }
      }
    }
  }
}

template <bool STORES>
static cudaError_t advance(const hs_device_level *level, const hs_device_cg_step *step, cudaStream_t stream)
{
  const int strips = (level->grid.nx + STRIP - 1) / STRIP, resident = mg_resident_blocks<mg_advance<STORES>>(THREADS);
  const int height = mg_strip_rows(strips, level->grid.ny, 2, 3, resident * MG_BLOCK_H);
  const int pieces = (level->grid.ny + height - 1) / height;
  return kernel_launch(mg_advance<STORES>, dim3((strips * pieces + MG_BLOCK_H - 1) / MG_BLOCK_H),
                       dim3(MG_BLOCK_W, MG_BLOCK_H), stream, *level, *step, height);
}

cudaError_t hs_kernel_mg_advance(const hs_device_level *level, const hs_device_cg_step *step, cudaStream_t stream)
{
  return step->start ? advance<true>(level, step, stream) : advance<false>(level, step, stream);
}
