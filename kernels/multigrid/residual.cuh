/* Of steps: the residual at a node of a new iterate, and the tally of those of Richardson's iteration. */
#ifndef HS_KERNELS_MULTIGRID_RESIDUAL_CUH
#define HS_KERNELS_MULTIGRID_RESIDUAL_CUH

#include "multigrid/pass.cuh"
#include "multigrid/reduce.cuh"

/* Values of the lane's two columns, and of those beside them, in double precision. */
struct DoubleLine {
  double west, odd, even, east;
};

/* All lanes call it. */
__device__ __forceinline__ DoubleLine double_line(double odd, double even)
{
  return {__shfl_up_sync(0xffffffffu, even, 1), odd, even, __shfl_down_sync(0xffffffffu, odd, 1)};
}

/* The scaled residual at node (i, j) from the flow into it, as mg_inflow has it. PLAIN: nothing else counts but storage. */
template <bool PLAIN, bool STORES>
__device__ __forceinline__ float residual_of(const hs_device_level &level, const hs_device_right &right,
                                             const hs_balance_f64 &b, bool free, double flow, double x, double start,
                                             int i, int j)
{
  double inflow = flow;
  if (PLAIN || !right.alone) inflow += b.heat;
  if (!PLAIN && !right.alone && level.d_source_w_m && free)
    inflow += b.free * level.d_source_w_m[(size_t)j * level.index_pitch + i];
  if (!PLAIN && right.rest && free) inflow += right.rest[hs_grid_at(&level.grid, i, j)];
  if (STORES) inflow = fma(b.storage, start - x, inflow);
  inflow = free ? inflow : 0.0;
  return (float)((PLAIN ? inflow : inflow - right.mean) * right.scale);
}

/* Magnitudes as bits, which have their order, with NaN above all. */
__device__ __forceinline__ void raise_to(unsigned &largest, float value)
{
  largest = max(largest, __float_as_uint(value) & 0x7fffffffu);
}

/* What the nodes of a thread say about a step of Richardson's iteration. */
struct Progress {
  unsigned max_z = 0, max_f = 0, max_x = 0;
  Adder ff;

  /* Of two nodes; the masks leave the magnitude, or 0. */
  __device__ __forceinline__ void add(float2 z, float2 f, double2 x, unsigned odd, unsigned even)
  {
    const unsigned f_odd = __float_as_uint(f.x) & odd, f_even = __float_as_uint(f.y) & even;
    const float a = __uint_as_float(f_odd), b = __uint_as_float(f_even);
    max_z = max(max_z, max(__float_as_uint(z.x) & odd, __float_as_uint(z.y) & even));
    max_f = max(max_f, max(f_odd, f_even));
    max_x = max(max_x, max((unsigned)__double2hiint(x.x) & odd, (unsigned)__double2hiint(x.y) & even));
    ff.add((double)(a * a), (double)(b * b));
  }

  __device__ __forceinline__ Tally tally() const
  {
    Tally t = hs_tally_zero();
    t.max[HS_MAX_Z] = (double)__uint_as_float(max_z);
    t.max[HS_MAX_R] = (double)__uint_as_float(max_f);
    t.max[HS_MAX_X] = hs_magnitude_of_upper(max_x);
    t.sum[0] = ff.total;
    return t;
  }
};

#endif
