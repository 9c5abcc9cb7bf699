/* What a correction says, and a step of conjugate gradients or of Richardson's iteration. A warp goes through the rows of a
 * strip and keeps three rows in registers. A lane has an odd column and the even one in its east; those at the strip's edges
 * belong to its neighbours, too. */
#include "multigrid/residual.cuh"

static constexpr int STRIP = 62; /* columns */
static constexpr int CHUNK = 3;  /* rows that are read at once, ahead of their use */

/* The strip of a warp: its first column less one, and rows low <= j < high. */
struct Strip {
  int i, low, high;
};

/* Strips number blockIdx.x, ... of all that are `width` of so many columns wide and `height` rows high. */
#define FOR_STRIPS(g, height, width, columns, strip)                                                                   \
  for (int item = blockIdx.x * MG_BLOCK_H + threadIdx.y, across = ((columns) + (width)-1) / (width),                   \
           items = across * (((g).ny + (height)-1) / (height));                                                        \
       item < items; item += gridDim.x * MG_BLOCK_H)                                                                   \
    if (const Strip strip = {item % across * (width)-1 + 2 * (int)threadIdx.x, item / across * (height),               \
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
  FOR_STRIPS(g, height, STRIP, g.nx, strip)
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

static constexpr int STEP_STRIP = 60; /* columns of lanes 1 to 30, which know all neighbours of both */

/* What a step reads of a row, and of the row in its south. */
template <bool STORES, bool ALONG_Z> struct StepAhead {
  float2 z, p;
  double2 x, start = {0.0, 0.0};
  unsigned entries = 0; /* as they lie in memory: nothing waits for them here */

  /* n: where the row is; south: is there one? */
  __device__ __forceinline__ void read(const hs_device_level &level, const hs_device_linear_step &step, size_t n,
                                       bool south)
  {
    z = pair_at<float2>(step.z, n);
    if (!ALONG_Z) p = pair_at<float2>(step.p, n);
    x = pair_at<double2>(step.x, n);
    if (!south) return;
    if (STORES) start = pair_at<double2>(step.right.start, n - level.grid.pitch);
    if (level.d_index) entries = __ldg((const unsigned *)(level.d_index + (n - level.grid.pitch)));
  }

  /* The direction, and the iterate after the step. */
  __device__ __forceinline__ float2 direction(const hs_device_linear_step &step) const
  {
    if (ALONG_Z) return z;
    return {hs_direction(step.beta, p.x, z.x, step.unscale), hs_direction(step.beta, p.y, z.y, step.unscale)};
  }
  __device__ __forceinline__ double2 corrected(double along, float2 by) const
  {
    return {hs_corrected(along, by.x, x.x), hs_corrected(along, by.y, x.y)};
  }
};

/* A lane's columns: i and the next. */
struct StepLane {
  int i;
  bool stores, odd_owned, even_owned; /* nodes; stores: or ghosts */
  unsigned odd_counts, even_counts;   /* bits of a magnitude that counts, or 0 */
  unsigned entries;                   /* bits of the entries of nodes */

  __device__ __forceinline__ StepLane(const hs_device_level &level, int column) : i(column)
  {
    const int nx = level.grid.nx;
    stores = threadIdx.x > 0 && threadIdx.x < 31 && i >= -1 && i <= nx;
    odd_owned = stores && i >= 0 && i < nx;
    even_owned = stores && i + 1 < nx;
    odd_counts = odd_owned && i >= level.own.x0 && i < level.own.x1 ? 0x7fffffffu : 0;
    even_counts = even_owned && i + 1 >= level.own.x0 && i + 1 < level.own.x1 ? 0x7fffffffu : 0;
    entries = (odd_owned ? 0xffffu : 0) | (even_owned ? 0xffff0000u : 0);
  }
};

/* The balance that a lane's two columns share, but for Dirichlet nodes, which need none. */
struct StepHeld {
  hs_balance_f64 balance = {};
  unsigned entries = 0;
  bool shared = false; /* and known */
  bool odd_free = false, even_free = false;

  /* Reads that of the odd column, where there is one; gives the entry of the even one. */
  __device__ __forceinline__ size_t read(const hs_device_level &level, const StepLane &lane, unsigned both, int j)
  {
    const size_t node = (size_t)j * level.index_pitch + lane.i;
    const size_t odd = level.d_index ? both & 0xffff : node, even = level.d_index ? both >> 16 : node + 1;
    hs_balance_f64 of_even = {};
    balance = {};
    if (lane.odd_owned) balance = mg_balance(level, odd);
    if (lane.even_owned) of_even = mg_balance(level, even);
    odd_free = balance.free > 0.0;
    even_free = of_even.free > 0.0;
    entries = both;
    shared = level.d_index && (!odd_free || !even_free || odd == even);
    if (!odd_free) balance = of_even;
    return even;
  }
};

/* Residuals of a row: m, and the rows in its south and north. STEADY: the balance held is that of both columns. */
template <bool PLAIN, bool STORES, bool STEADY>
__device__ __forceinline__ float2 residuals(const hs_device_level &level, const hs_device_right &right, StepHeld &held,
                                            const StepLane &lane, unsigned entries, const DoubleLine &m, double2 south,
                                            double2 north, double2 start, int j)
{
  const hs_balance_f64 &b = held.balance;
  size_t even = 0;
  float2 f;
  if (!STEADY) even = held.read(level, lane, entries, j);
  f.x = residual_of<PLAIN, STORES>(level, right, b, held.odd_free,
                                   hs_balance_flow(&b, b.loss, m.odd, m.west, m.even, south.x, north.x), m.odd, start.x,
                                   lane.i, j);
  if (!STEADY && !held.shared && held.even_free) held.balance = mg_balance(level, even);
  f.y = residual_of<PLAIN, STORES>(level, right, b, held.even_free,
                                   hs_balance_flow(&b, b.loss, m.even, m.odd, m.east, south.y, north.y), m.even,
                                   start.y, lane.i + 1, j);
  return f;
}

/* PLAIN: nothing counts but the balance and storage. ALONG_Z: Richardson's iteration, which is tallied. */
template <bool PLAIN, bool STORES, bool ALONG_Z>
__global__ void __launch_bounds__(THREADS, 2)
    mg_advance(const __grid_constant__ hs_device_level level, const __grid_constant__ hs_device_linear_step step,
               int height, const __grid_constant__ hs_device_reduction reduction)
{
  const hs_grid &g = level.grid;
  Progress found;
  FOR_STRIPS(g, height, STEP_STRIP, g.nx + 2, strip)
  {
    const StepLane lane(level, strip.i - 2);
    StepAhead<STORES && PLAIN, ALONG_Z> ahead[CHUNK]; /* registers are few */
    StepHeld held;
    double2 x[3];
    float2 by;
    size_t from = hs_grid_at(&g, min(max(lane.i, -1), (g.nx - 1) | 1), strip.low - 1), to = from + g.pitch;
    const auto arrive = [&](int k, int j) { /* row j, and the one that is read instead */
                                            by = ahead[k].direction(step);
                                            x[k] = ahead[k].corrected(step.along, by);
                                            if (j + CHUNK <= strip.high) ahead[k].read(level, step, from, true);
                                            from += g.pitch;
    };
#pragma unroll
    for (int k = 0; k < CHUNK; k++, from += g.pitch) ahead[k].read(level, step, from, k == 2);
    arrive(0, strip.low - 1);
    arrive(1, strip.low);
    for (int j = strip.low; j < strip.high; j += 3) {
#pragma unroll
      for (int k = 0; k < 3; k++) { /* row now + 1 completes what this one needs */
        const int now = j + k, north = (k + 2) % 3, own = (k + 1) % 3, south = k;
        const unsigned entries = ahead[north].entries & lane.entries;
        double2 start = ahead[north].start;
        const float2 along = by;
        float2 f;
        if (now >= strip.high) break;
        if (STORES && !PLAIN && lane.stores) start = pair_at<double2>(step.right.start, to);
        arrive(north, now + 1);
        const DoubleLine m = double_line(x[own].x, x[own].y);
        if (__all_sync(0xffffffffu, held.shared && entries == held.entries))
          f = residuals<PLAIN, STORES, true>(level, step.right, held, lane, entries, m, x[south], x[north], start, now);
        else
          f = residuals<PLAIN, STORES, false>(level, step.right, held, lane, entries, m, x[south], x[north], start,
                                              now);
        if (lane.stores) {
          if (!ALONG_Z) *(float2 *)(step.p_to + to) = along;
          *(double2 *)(step.x_to + to) = x[own];
        }
        if (lane.odd_owned && lane.even_owned) {
          *(float2 *)(step.f + to) = f;
        } else {
          if (lane.odd_owned) step.f[to] = f.x;
          if (lane.even_owned) step.f[to + 1] = f.y;
        }
        to += g.pitch;
        if (ALONG_Z && now >= level.own.y0 && now < level.own.y1)
          found.add(along, f, x[own], lane.odd_counts, lane.even_counts);
      }
    }
  }
  if constexpr (ALONG_Z) block_publish<3, 1>(found.tally(), reduction);
}

template <bool PLAIN, bool STORES, bool ALONG_Z>
static cudaError_t advance(const hs_device_level *level, const hs_device_linear_step *step,
                           const hs_device_reduction *reduction, cudaStream_t stream)
{
  constexpr auto KERNEL = mg_advance<PLAIN, STORES, ALONG_Z>;
  const int strips = (level->grid.nx + 2 + STEP_STRIP - 1) / STEP_STRIP, resident = mg_resident_blocks<KERNEL>(THREADS);
  const int height = mg_strip_rows(strips, level->grid.ny, 2, 3, resident * MG_BLOCK_H);
  const int pieces = (level->grid.ny + height - 1) / height;
  const int blocks = (strips * pieces + MG_BLOCK_H - 1) / MG_BLOCK_H;
  return kernel_launch(KERNEL, dim3(ALONG_Z && blocks > HS_TALLY_BLOCKS ? HS_TALLY_BLOCKS : blocks),
                       dim3(MG_BLOCK_W, MG_BLOCK_H), stream, *level, *step, height, *reduction);
}

template <bool ALONG_Z>
static cudaError_t advance_by_kind(const hs_device_level *level, const hs_device_linear_step *step,
                                   const hs_device_reduction *reduction, cudaStream_t stream)
{
  const hs_device_right *right = &step->right;
  const bool plain = !right->alone && !right->rest && right->mean == 0.0 && !level->d_source_w_m;
  if (right->start)
    return plain ? advance<true, true, ALONG_Z>(level, step, reduction, stream)
                 : advance<false, true, ALONG_Z>(level, step, reduction, stream);
  return plain ? advance<true, false, ALONG_Z>(level, step, reduction, stream)
               : advance<false, false, ALONG_Z>(level, step, reduction, stream);
}

cudaError_t hs_kernel_mg_advance(const hs_device_level *level, const hs_device_linear_step *step, cudaStream_t stream)
{
  const hs_device_reduction none = {};
  return advance_by_kind<false>(level, step, &none, stream);
}

cudaError_t hs_kernel_mg_richardson(const hs_device_level *level, const hs_device_linear_step *step,
                                    const hs_device_reduction *reduction, cudaStream_t stream)
{
  return advance_by_kind<true>(level, step, reduction, stream);
}
