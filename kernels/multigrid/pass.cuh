/* What the two kinds of passes share: a node's coefficients, and weights of interpolation by coarse nodes. */
#ifndef HS_KERNELS_MULTIGRID_PASS_CUH
#define HS_KERNELS_MULTIGRID_PASS_CUH

#include "multigrid/node.cuh"

struct Weights {
  float first, second;
};

__device__ __forceinline__ bool in_grid(const hs_grid &grid, int i, int j)
{
  return (unsigned)i < (unsigned)grid.nx && (unsigned)j < (unsigned)grid.ny;
}

template <bool FINE> struct Coefficients;

template <> struct Coefficients<true> {
  hs_balance_f32 balance = {};

  __device__ hs_around_f32 around() const
  {
    return {balance.west, balance.east, balance.south, balance.north, 0.0f, 0.0f, 0.0f, 0.0f};
  }
  __device__ float row_sum() const
  {
    return balance.sum;
  }

  __device__ float inverse() const
  {
    return balance.inverse;
  }
  __device__ float residual(float f, float c, const hs_around_f32 &t) const
  {
    return hs_level_balance_fine(&balance, f, c, &t);
  }
  __device__ float relaxed(float weight, float f, float c, const hs_around_f32 &t) const
  {
    return fmaf(weight * inverse(), residual(f, c, t), c);
  }
};

template <> struct Coefficients<false> {
  hs_around_f32 couplings = {};
  float sum = 0.0f, inverted = 0.0f;

  __device__ const hs_around_f32 &around() const
  {
    return couplings;
  }
  __device__ float row_sum() const
  {
    return sum;
  }

  __device__ float inverse() const
  {
    return inverted;
  }
  __device__ float residual(float f, float c, const hs_around_f32 &t) const
  {
    return hs_level_balance(&couplings, sum, f, c, &t);
  }
  __device__ float relaxed(float weight, float f, float c, const hs_around_f32 &t) const
  {
    return fmaf(weight * inverse(), residual(f, c, t), c);
  }
};

__device__ __forceinline__ Coefficients<true> entry_of(const hs_device_level &level, size_t entry)
{
  const float4 *at = (const float4 *)&level.d_balance_single[entry];
  const float4 couplings = __ldg(at), rest = __ldg(at + 1);
  return {{couplings.x, couplings.y, couplings.z, couplings.w, rest.x, rest.y, {0.0f, 0.0f}}};
}

template <bool FINE>
__device__ __forceinline__ Coefficients<FINE> coefficients_of(const hs_device_level &level, MgNode at)
{
  if (!in_grid(level.grid, at.i, at.j)) return {};
  if constexpr (FINE) {
    return entry_of(level, mg_entry(level, at.i, at.j));
  } else {
    const size_t n = hs_grid_at(&level.grid, at.i, at.j);
    return {hs_couplings_around(&level.couplings, n, level.grid.pitch), level.couplings.sum[n],
            level.couplings.inverse[n]};
  }
}

/* --- condensation ---------------------------------------------------------------------------- */

/* What f gives a node between two coarse ones along x, or along y; */
template <bool FINE> __device__ __forceinline__ float line_of(const Coefficients<FINE> &g, bool along_x, float f)
{
  const hs_around_f32 around = g.around();
  return along_x ? hs_level_line_x(&around, f, g.row_sum(), g.inverse())
                 : hs_level_line_y(&around, f, g.row_sum(), g.inverse());
}

/* and one in the middle of four, with what lines give its neighbours. */
template <bool FINE>
__device__ __forceinline__ float middle_of(const Coefficients<FINE> &g, float f, float west, float east, float south,
                                           float north)
{
  const hs_around_f32 around = g.around();
  return hs_level_middle(&around, f, g.row_sum(), g.inverse(), west, east, south, north);
}

/* --- interpolation --------------------------------------------------------------------------- */

/* Weights of the three fine nodes that a coarse node has in the east, the north and the north-east. */
struct Cell {
  float2 east = {}, north = {};
  float4 northeast = {};
};

__device__ __forceinline__ Cell cell_of(const hs_device_parents &parents, size_t m)
{
  return {__ldg((const float2 *)parents.d_east + m), __ldg((const float2 *)parents.d_north + m),
          __ldg((const float4 *)parents.d_northeast + m)};
}

/* Weights for restriction to a coarse node from its own cell and those in the west, the south and the south-west; `free`:
 * 1 where the fine node at its place is not a Dirichlet node. */
__device__ __forceinline__ hs_nine_f32 nine_of(float free, const Cell &own, const Cell &west, const Cell &south,
                                               const Cell &southwest)
{
  return {free,
          {west.east.y, own.east.x, south.north.y, own.north.x, southwest.northeast.w, south.northeast.z,
           west.northeast.y, own.northeast.x}};
}

/* What the coarse grid gives to a fine node: its parents and their weights, with the node's weights. A node that coincides with
 * a coarse one has that as its only parent. */
struct Parents {
  float weight[4] = {1.0f, 0.0f, 0.0f, 0.0f}, value[4] = {};

  /* Weights of a node in the east or the north of a coarse one, and in the north-east. */
  __device__ __forceinline__ void weigh(float2 w, bool north)
  {
    weight[0] = w.x;
    weight[1] = north ? 0.0f : w.y;
    weight[2] = north ? w.y : 0.0f;
  }
  __device__ __forceinline__ void weigh(float4 w)
  {
    weight[0] = w.x;
    weight[1] = w.y;
    weight[2] = w.z;
    weight[3] = w.w;
  }

  /* m: the coarse node; p: the coarse grid's pitch. */
  __device__ __forceinline__ void read(const float *coarse_u, size_t m, size_t p, bool odd_x, bool odd_y)
  {
    value[0] = coarse_u[m];
    value[1] = odd_x ? coarse_u[m + 1] : 0.0f;
    value[2] = odd_y ? coarse_u[m + p] : 0.0f;
    value[3] = odd_x && odd_y ? coarse_u[m + p + 1] : 0.0f;
  }

  /* free: of the node. */
  __device__ __forceinline__ float correction(bool free, bool odd_x, bool odd_y) const
  {
    float t = (odd_x || odd_y ? weight[0] : free ? 1.0f : 0.0f) * value[0];
    for (int k = 1; k < 4; k++) t = fmaf(weight[k], value[k], t);
    return t;
  }
};

#endif
