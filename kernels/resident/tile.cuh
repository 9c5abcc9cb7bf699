/* cuda-resident: where a thread's nodes are in its block's tile, and the exchange of borders between blocks.
 *
 * Every `depth` sweeps each block writes the border of its tile, the outer `depth` rows and `ghost_lanes` lanes, to
 * device memory (the second cache keeps it), raises its flag, waits for the flags of its up to eight neighbours, and
 * reads its ghost zone from their borders. Two sets of borders alternate: a block that writes the third has seen the
 * flags that say that the first has been read. Flags count on from launch to launch.
 *
 * A border is stored as [rows][C / WIDTH][32 lanes][WIDTH], so that a lane's nodes lie side by side as far as one
 * access reaches.
 */
#ifndef HS_KERNELS_RESIDENT_TILE_CUH
#define HS_KERNELS_RESIDENT_TILE_CUH

#include "resident/patch.cuh"
#include "resident/resident.h"

#include "primitives.cuh"

template <typename Real> struct ResidentArguments {
  hs_device_system system;
  hs_resident_plan plan;
  hs_resident_work work;
  Real *exchange;
  unsigned *flags;
};

/* --- several elements in one access ---------------------------------------------------------- */

template <int COUNT> __device__ __forceinline__ void store_side_by_side(double *to, const double *value)
{
  if constexpr (COUNT == 2)
    __stcg((double2 *)to, make_double2(value[0], value[1]));
  else
    __stcg(to, value[0]);
}
template <int COUNT> __device__ __forceinline__ void store_side_by_side(float *to, const float *value)
{
  if constexpr (COUNT == 4)
    __stcg((float4 *)to, make_float4(value[0], value[1], value[2], value[3]));
  else if constexpr (COUNT == 2)
    __stcg((float2 *)to, make_float2(value[0], value[1]));
  else
    __stcg(to, value[0]);
}

template <int COUNT, typename Real>
__device__ __forceinline__ void load_side_by_side(bool wanted, Real *value, const Real *from)
{
  if constexpr (COUNT == 4)
    load_strong_if(wanted, value[0], value[1], value[2], value[3], from);
  else if constexpr (COUNT == 2)
    load_strong_if(wanted, value[0], value[1], from);
  else
    load_strong_if(wanted, value[0], from);
}

/* --- a tile ---------------------------------------------------------------------------------- */

template <typename Real, int C, int RR, int RS> struct Tile {
  using Nodes = Patch<Real, C, RR, RS>;
  static constexpr int R = RR + RS;
  static constexpr int WIDTH = C % (16 / (int)sizeof(Real)) == 0 ? 16 / (int)sizeof(Real) : C % 2 == 0 ? 2 : 1;
  static constexpr int NOWHERE = 2; /* a side */

  const ResidentArguments<Real> &a;
  int x, y;           /* the tile's place among all */
  int side;           /* where the lane's nodes are: west of the tile (-1), in its columns (0), east (1), NOWHERE */
  unsigned exchanges; /* made since the flags were cleared */

  __device__ __forceinline__ Tile(const ResidentArguments<Real> &arguments, Nodes &p) : a(arguments)
  {
    const hs_resident_plan &plan = a.plan;
    x = blockIdx.x % plan.tiles_x;
    y = blockIdx.x / plan.tiles_x;
    p.i0 = (x * plan.tile_lanes - plan.ghost_lanes + p.lane) * C;
    p.j0 = origin(y, p.warps) + p.warp * R;
    const int first = plan.ghost_lanes, end = first + plan.tile_lanes;
    side = p.lane < first ? -1 : p.lane < end ? 0 : p.lane < end + first ? 1 : NOWHERE;
    p.south = max(0, y * plan.tile_rows - plan.depth - p.j0);
    p.north = min(R, min(a.system.ny, (y + 1) * plan.tile_rows + plan.depth) - p.j0);
    p.columns = 0;
#pragma unroll
    for (int c = 0; c < C; c++)
      if (side != NOWHERE && (unsigned)(p.i0 + c) < (unsigned)a.system.nx) p.columns |= 1u << c;
    exchanges = flag_load_acquire(flag(0, 0));
  }

  /* The grid's row with which blocks in row `of` of the tiles begin. Blocks at the south wall begin with it, and those
   * at the north wall end with it, so that the walls are a warp's first row and a warp's last one. */
  __device__ __forceinline__ int origin(int of, int warps) const
  {
    if (of == 0) return 0;
    return of + 1 < a.plan.tiles_y ? of * a.plan.tile_rows - a.plan.depth : a.system.ny - warps * R;
  }

  /* Which nodes of row r are the tile's own: bit c. */
  __device__ __forceinline__ unsigned own(const Nodes &p, int r) const
  {
    const int row = p.j0 + r - y * a.plan.tile_rows;
    return side == 0 && row >= 0 && row < a.plan.tile_rows ? p.nodes(r) : 0;
  }

  __device__ __forceinline__ unsigned *flag(int dx, int dy) const
  {
    return a.flags + ((y + dy) * a.plan.tiles_x + x + dx) * HS_RESIDENT_FLAG_STRIDE;
  }

  /* Rows first .. end-1 of this thread: bit r. A vote among lanes that agree, for the compiler would otherwise work out
   * all rows' bits before the first sweep and keep them through all sweeps. */
  static __device__ __forceinline__ unsigned rows_between(int first, int end)
  {
    const unsigned below_first = (1u << min(max(first, 0), R)) - 1u, below_end = (1u << min(max(end, 0), R)) - 1u;
    return warp_or(below_end & ~below_first);
  }

  /* The present set of borders. */
  __device__ __forceinline__ Real *borders(const Nodes &p) const
  {
    const int blocks = a.plan.tiles_x * a.plan.tiles_y;
    return a.exchange + (exchanges & 1) * (int64_t)blocks * p.warps * R * C * 32;
  }
  /* Where in a set of borders the first row of this lane is, as a node of the tile that is `dx`, `dy` tiles away. */
  __device__ __forceinline__ int border(const Nodes &p, int dx, int dy) const
  {
    const int block = (y + dy) * a.plan.tiles_x + x + dx;
    const int row = p.j0 - origin(y + dy, p.warps), lane = p.lane - dx * a.plan.tile_lanes;
    return (block * p.warps * R + row) * C * 32 + lane * WIDTH;
  }

  __device__ __forceinline__ void border_put(const Nodes &p) const
  {
    const hs_resident_plan &plan = a.plan;
    const int lane = p.lane - plan.ghost_lanes, bottom = y * plan.tile_rows - p.j0, top = bottom + plan.tile_rows;
    const bool outer = lane < plan.ghost_lanes || lane >= plan.tile_lanes - plan.ghost_lanes;
    const unsigned all = rows_between(bottom, top), inner = rows_between(bottom + plan.depth, top - plan.depth);
    const unsigned rows = side != 0 ? 0 : outer ? all : all & ~inner;
    Real *to = borders(p) + border(p, 0, 0);
    p.rows_visit([&](int r, const Real(&row)[C]) {
      if (!(rows >> r & 1)) return;
#pragma unroll
      for (int c = 0; c < C; c += WIDTH) store_side_by_side<WIDTH>(to + r * C * 32 + c * 32, &row[c]);
    });
  }

  /* One lane for each of the up to eight neighbours. */
  __device__ __forceinline__ void neighbours_wait(const Nodes &p) const
  {
    const int dx = p.lane % 3 - 1, dy = p.lane / 3 - 1;
    const bool there =
        p.lane < 9 && (unsigned)(x + dx) < (unsigned)a.plan.tiles_x && (unsigned)(y + dy) < (unsigned)a.plan.tiles_y;
    if (there) flag_wait_strong(flag(dx, dy), exchanges + 1);
    __syncwarp();
  }

  __device__ __forceinline__ void ghosts_get(Nodes &p) const
  {
    const int bottom = y * a.plan.tile_rows - p.j0, top = bottom + a.plan.tile_rows;
    const bool here = side != NOWHERE && (unsigned)(x + side) < (unsigned)a.plan.tiles_x;
    const unsigned down = rows_between(p.south, min(bottom, p.north)), up = rows_between(max(p.south, top), p.north);
    const unsigned beside = rows_between(max(p.south, bottom), min(top, p.north));
    const unsigned rows = !here ? 0 : side != 0 ? down | beside | up : down | up;
    const int at_down = border(p, side, -1), at_beside = border(p, side, 0), at_up = border(p, side, 1);
    const Real *from = borders(p);
    p.rows_change([&](int r, Real(&row)[C]) {
      const int at = choose(down >> r & 1, at_down, choose(up >> r & 1, at_up, at_beside));
#pragma unroll
      for (int c = 0; c < C; c += WIDTH)
        load_side_by_side<WIDTH>(rows >> r & 1, &row[c], from + at + (r * C * 32 + c * 32));
    });
  }

  __device__ __forceinline__ void exchange(Nodes &p)
  {
    border_put(p);
    __syncthreads();
    if (threadIdx.x == 0) flag_store_release(flag(0, 0), exchanges + 1);
    neighbours_wait(p);
    ghosts_get(p);
    exchanges++;
  }
};

#endif
