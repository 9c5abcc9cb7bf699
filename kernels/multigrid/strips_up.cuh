/* The way up over a large grid by strips (strips.cuh). */
#ifndef HS_KERNELS_MULTIGRID_STRIPS_UP_CUH
#define HS_KERNELS_MULTIGRID_STRIPS_UP_CUH

#include "multigrid/strips.cuh"

static constexpr int STRIP_UP = 58; /* columns of a strip */

/* What is read of an even row and the odd one in its north ahead of their use on the way up: the coarse row at the even one
 * and weights for the odd column of the even row, the even column of the odd row and the odd column of the odd row. */
template <bool FINE> struct AheadUp {
  Ahead<FINE> node[2];
  float2 u[2];
  float parent;
  float2 west, north;
  float4 southwest;

  /* alike: rows j and j + 1, and the weights, have the coefficients that are there. */
  __device__ __forceinline__ void read(const hs_device_level &level, const hs_grid &coarse, const float *coarse_u,
                                       const float *f, const float *field, int i, int j, bool here,
                                       const bool (&alike)[3])
  {
    const int coarse_i = (i + 1) / 2, coarse_j = j / 2;
    const size_t m = hs_grid_at(&coarse, coarse_i, coarse_j);
    const bool even_row = here && j >= 0 && j < level.grid.ny, odd_row = here && j + 1 >= 0 && j + 1 < level.grid.ny;
    node[0].read(level, f, i, j, even_row, alike[0]);
    node[1].read(level, f, i, j + 1, odd_row, alike[1]);
    u[0] = even_row ? both(field, hs_grid_at(&level.grid, i, j)) : float2{0.0f, 0.0f};
    u[1] = odd_row ? both(field, hs_grid_at(&level.grid, i, j + 1)) : float2{0.0f, 0.0f};
    parent = here && coarse_j >= 0 && coarse_j < coarse.ny ? __ldg(coarse_u + m) : 0.0f; /* or a ghost in the east */
    if (alike[2]) return;
    west = north = {0.0f, 0.0f};
    southwest = {0.0f, 0.0f, 0.0f, 0.0f};
    if (even_row && i > 0) west = __ldg((const float2 *)level.parents.d_east + m - 1);
    if (odd_row && coarse_i < coarse.nx) north = __ldg((const float2 *)level.parents.d_north + m);
    if (odd_row && i > 0) southwest = __ldg((const float4 *)level.parents.d_northeast + m - 1);
  }
};

/* A lane on the way up. */
template <bool FINE> struct WayUp {
  AheadUp<FINE> arrived, ahead;
  Rows rows;
  Walk<FINE> walk;
  AlikeRows rows_alike, cells_alike;

  /* i: of the warp's first lane. */
  __device__ __forceinline__ WayUp(const hs_device_level &level, int i)
      : rows_alike(level.alike.d_rows, level.alike.row_words, level.grid, (i + 1) / 2, 32),
        cells_alike(level.alike.d_cells, level.alike.cell_words, level.grid, (i + 1) / 2 - 1, 33)
  {
  }

  /* Reads rows j and j + 1 ahead. */
  __device__ __forceinline__ void read(const hs_device_level &level, const hs_device_way_up &from, int i, int j,
                                       bool here)
  {
    const bool even_row = (unsigned)j < (unsigned)level.grid.ny, odd_row = (unsigned)(j + 1) < (unsigned)level.grid.ny;
    const bool alike[3] = {even_row && rows_alike.is(j), odd_row && rows_alike.is(j + 1),
                           even_row && cells_alike.is(j / 2)};
    ahead.read(level, from.coarse, from.coarse_u, from.f, from.u, i, j, here, alike);
  }

  /* j: the first row, an even one. */
  __device__ __forceinline__ void begin(const hs_device_level &level, const hs_device_way_up &from, int i, int j,
                                        bool here)
  {
    const bool none[3] = {};
    arrived.node[0].read(level, from.f, i, j - 1, here && j - 1 >= 0 && j - 1 < level.grid.ny, false);
    walk.arrive(level, 2, arrived.node[0], i, j - 1);
    ahead.read(level, from.coarse, from.coarse_u, from.f, from.u, i, j, here, none);
  }

  /* Row j arrives, the k-th one, and others are read ahead. */
  __device__ __forceinline__ void arrive(const hs_device_level &level, const hs_device_way_up &from, int k, int i,
                                         int j, bool here)
  {
    if (k % 2 == 0) {
      arrived = ahead;
      read(level, from, i, j + 2, here);
    }
    walk.arrive(level, k % 3, arrived.node[k % 2], i, j);
  }

  /* Both columns of row j - 2, smoothed. All lanes call it. */
  template <bool STEADY>
  __device__ __forceinline__ float2 smoothed(const hs_device_level &level, const float *weights, int k, int i, int j)
  {
    const int now = k % 3, before = (k + 2) % 3, last = (k + 1) % 3;
    float odd, even; /* corrections */
    if (k % 2 == 0) {
      const bool is_free = walk.template at<STEADY>(level, now, i, j).even.inverse() > 0.0f;
      even = (is_free ? 1.0f : 0.0f) * arrived.parent;
      odd = fmaf(arrived.west.y, arrived.parent, arrived.west.x * mg_from_west(arrived.parent));
    } else {
      even = fmaf(arrived.north.y, ahead.parent, arrived.north.x * arrived.parent);
      odd = fmaf(arrived.southwest.y, arrived.parent, arrived.southwest.x * mg_from_west(arrived.parent));
      odd = fmaf(arrived.southwest.w, ahead.parent, fmaf(arrived.southwest.z, mg_from_west(ahead.parent), odd));
    }
    rows.f[now] = arrived.node[k % 2].f;
    rows.first[now] = mg_line(arrived.u[k % 2].x + odd, arrived.u[k % 2].y + even);
    const float2 relaxed = relaxed_row<FINE>(walk.template at<STEADY>(level, before, i, j - 1), weights[0],
                                             rows.f[before], rows.first[last], rows.first[before], rows.first[now]);
    rows.second[before] = mg_line(relaxed.x, relaxed.y);
    return relaxed_row<FINE>(walk.template at<STEADY>(level, last, i, j - 2), weights[1], rows.f[last],
                             rows.second[now], rows.second[last], rows.second[before]);
  }
};

template <bool FINE>
__global__ void __launch_bounds__(32 * STRIP_WARPS, FINE ? 4 : 3)
    mg_up_strips(const __grid_constant__ hs_device_level level, const __grid_constant__ hs_device_way_up from,
                 float *__restrict__ to, int height)
{
  await_predecessor();
  const int lane = threadIdx.x, first = (blockIdx.x * STRIP_WARPS + threadIdx.y) * STRIP_UP - 1;
  const int i = first - 4 + 2 * lane;
  const int low = (blockIdx.z * gridDim.y + blockIdx.y) * height, high = min(low + height, level.grid.ny);
  const bool here = i >= -1 && i < level.grid.nx, stores = here && lane > 1 && lane < 31;
  if (first >= level.grid.nx) return;
  int j = low - 2; /* even */
  WayUp<FINE> up(level, first - 4);
  up.begin(level, from, i, j, here);
  for (; j <= high + 1; j += PERIOD) {
#pragma unroll
    for (int k = 0; k < PERIOD; k++) {
      const int row = j + k;
      up.arrive(level, from, k, i, row, here);
      const float2 smoothed = up.walk.steady(3) ? up.template smoothed<true>(level, from.weights, k, i, row)
                                                : up.template smoothed<false>(level, from.weights, k, i, row);
      if (stores && row - 2 >= low && row - 2 < high) *(float2 *)(to + hs_grid_at(&level.grid, i, row - 2)) = smoothed;
    }
  }
}

#endif
