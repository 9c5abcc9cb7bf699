/* cuda-resident's device code: a block keeps its tile in registers for as many sweeps as the run has.
 *
 * A thread holds C columns by R rows of nodes, the first RR rows in registers, the others in its own slots of shared
 * memory. The 32 lanes of a warp lie side by side, the warps of a block one above the other:
 *
 *        lane    0    |    1    | ... |   31
 *      warp 1   C x R |  C x R  |     |  C x R      west and east: shuffles of the patches' outer columns
 *      warp 0   C x R |  C x R  |     |  C x R      south and north: rows in shared memory, one barrier a sweep
 *
 * Blocks meet every `depth` sweeps only: a block also holds `depth` rows and lanes of its neighbours and sweeps them,
 * and what is wrong at the outer edge moves inwards by one node a sweep. Then each block writes the outer border of its
 * tile to device memory (the second cache keeps it), raises its flag, waits for the flags of its up to eight
 * neighbours and reads their borders. Two sets of borders alternate: who writes the third has seen the flags that say that
 * the first has been read. Flags count on from launch to launch.
 *
 * Ways to update a warp's nodes (enum Path), found out once a launch. Uniform nodes have weights of 1/4, so the pair N+E of
 * a node is the pair S+W of its north-east neighbour, three operations a node; Dirichlet ones among them have a weight of 0.
 * A choice for every node would cost more than the arithmetic, and blocks wait for the slowest of their neighbours: so
 * the patches are laid such that walls fill whole columns of a thread, or a warp's first or last row. Anything else is
 * swept by its stencils, which are kept in registers until a row has others.
 *
 * A Dirichlet node is given a weight of 0, and a node outside the grid no stencil at all. That is what the reference computes
 * as long as sums of neighbours are finite. So a block that has seen a value or a stencil that is not bounded takes the
 * exact way from then on.
 *
 * Nodes outside the grid are kept at 0.
 */
#ifndef HS_KERNELS_RESIDENT_CUH
#define HS_KERNELS_RESIDENT_CUH

#include "primitives.cuh"
#include "resident/resident.h"
#include "resident/sweep.cuh"

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

/* --- one block ------------------------------------------------------------------------------- */

template <typename Real, int C, int RR, int RS> struct Block {
  using Nodes = Patch<Real, C, RR, RS>;
  using Stencil = typename StencilOf<Real>::type;
  static constexpr int R = RR + RS;
  static constexpr int WIDTH = C % (16 / (int)sizeof(Real)) == 0 ? 16 / (int)sizeof(Real) : C % 2 == 0 ? 2 : 1;
  static constexpr unsigned NO_INDEX = ~0u, OUTSIDE = ~1u; /* no entries of a stencil table */

  const ResidentArguments<Real> &a;
  Nodes p;
  NodeKinds<Real, C> kinds;
  int tile_x, tile_y;
  int side_x; /* whose the lane's nodes are: the neighbour's in the west (-1), the tile's own (0), in the east (1);
                    2: nobody's */
  int set;    /* of edges, the present one */
  bool may_overflow;  /* some value or stencil in the block is not bounded */
  bool first_sweep;   /* Dirichlet nodes may not have their temperatures yet: the first sweep takes the stencils */
  int largest;        /* magnitude among the values that came from memory */
  unsigned exchanges; /* exchanges made since the flags were cleared */

  __device__ __forceinline__ Block(const ResidentArguments<Real> &arguments) : a(arguments)
  {
    const hs_resident_plan &plan = a.plan;
    Real *shared = dynamic_shared<Real>();
    const int tile = blockIdx.x;
    p.lane = threadIdx.x % 32;
    p.warp = threadIdx.x / 32;
    p.warps = blockDim.x / 32;
    p.s_edges = shared;
    p.s_rows = shared + (4 * p.warps + 1) * C * 32 + threadIdx.x;
    tile_x = tile % plan.tiles_x;
    tile_y = tile / plan.tiles_x;
    p.row0 = p.warp * R;
    p.i0 = (tile_x * plan.tile_lanes - plan.ghost_lanes + p.lane) * C;
    p.j0 = origin(tile_y) + p.row0;
    const int first = plan.ghost_lanes, end = first + plan.tile_lanes;
    side_x = p.lane < first ? -1 : p.lane < end ? 0 : p.lane < end + first ? 1 : 2;
    p.south = max(0, tile_y * plan.tile_rows - plan.depth - p.j0);
    p.north = min(R, min(a.system.ny, (tile_y + 1) * plan.tile_rows + plan.depth) - p.j0);
    p.columns = 0;
#pragma unroll
    for (int c = 0; c < C; c++)
      if (side_x != 2 && (unsigned)(p.i0 + c) < (unsigned)a.system.nx) p.columns |= 1u << c;
    set = 0;
    largest = 0;
    first_sweep = true;
    exchanges = flag_load_acquire(a.flags + tile * HS_RESIDENT_FLAG_STRIDE);
  }

  /* The grid's row with which a block in tile row y begins. Blocks at the south wall begin with it, and those at the
   * north wall end with it, so that the walls are a warp's first row and a warp's last one. */
  __device__ __forceinline__ int origin(int y) const
  {
    if (y == 0) return 0;
    return y + 1 < a.plan.tiles_y ? y * a.plan.tile_rows - a.plan.depth : a.system.ny - p.warps * R;
  }

  /* Whose row r is: -1, 0, 1 as side_x. Uniform in a warp. */
  __device__ __forceinline__ int side_y(int r) const
  {
    const int row = p.j0 + r - tile_y * a.plan.tile_rows;
    return row < 0 ? -1 : row < a.plan.tile_rows ? 0 : 1;
  }
  /* Which columns of row r are nodes of the tile itself: bit c. */
  __device__ __forceinline__ unsigned own(int r) const
  {
    return side_x == 0 && side_y(r) == 0 ? p.nodes(r) : 0;
  }

  __device__ __forceinline__ void load(const Real *from)
  {
    const Real *t = from + (int64_t)p.j0 * a.system.pitch + p.i0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const unsigned nodes = p.nodes(r);
      Real row[C];
#pragma unroll
      for (int c = 0; c < C; c++) {
        row[c] = nodes >> c & 1 ? t[r * a.system.pitch + c] : Real(0);
        largest = max(largest, magnitude(row[c]));
      }
      p.row_set(r, row);
    }
  }

  /* Own nodes to a field. */
  __device__ __forceinline__ void store(Real *to) const
  {
    constexpr int SIZE = Vector<Real>::SIZE;
    Real *t = to + (int64_t)p.j0 * a.system.pitch + p.i0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const unsigned nodes = own(r);
      Real row[C];
      p.row_get(r, row);
      if (C % SIZE == 0 && nodes == (1u << C) - 1) {
#pragma unroll
        for (int c = 0; c + SIZE <= C; c += SIZE) {
          Vector<Real> v;
#pragma unroll
          for (int k = 0; k < SIZE; k++) v.at[k] = row[c + k];
          v.store(t + r * a.system.pitch + c);
        }
      } else {
#pragma unroll
        for (int c = 0; c < C; c++)
          if (nodes >> c & 1) t[r * a.system.pitch + c] = row[c];
      }
    }
  }

  /* Finds out which way the warp's sweeps go; are all stencils bounded? The index passes through shared memory, so that
   * all of it is under way at once. */
  __device__ __forceinline__ bool classify()
  {
    const uint16_t *index = a.system.d_index + (int64_t)p.j0 * a.system.pitch + p.i0;
    uint16_t *s_index = dynamic_shared<uint16_t>() + threadIdx.x;
    bool kinds_suffice = true, bounded = true, fixed = true;
    unsigned last[C], seen = 0, other = 0; /* entries; columns with a first kind; columns now of the other kind */
    unsigned changes = 0;                  /* bit r: this thread's row r has other stencils than its row r - 1 */
    unsigned dirichlet_rows = ~0u;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const unsigned nodes = p.nodes(r);
#pragma unroll
      for (int c = 0; c < C; c++)
        s_index[(r * C + c) * blockDim.x] = nodes >> c & 1 ? __ldg(index + r * a.system.pitch + c) : 0;
    }
#pragma unroll
    for (int c = 0; c < C; c++) {
      last[c] = NO_INDEX;
      kinds.weight[c] = kinds.constant[c] = kinds.other_weight[c] = kinds.other_constant[c] = 0;
      kinds.other[c] = 0;
    }
    kinds.reload = 0;
#pragma unroll 1
    for (int r = 0; r < R; r++) {
      const bool inside = r >= p.south && r < p.north;
      if (!inside && p.j0 + r >= 0 && p.j0 + r < a.system.ny) continue; /* nobody's row */
      bool changed = false;
#pragma unroll
      for (int c = 0; c < C; c++) {
        const unsigned entry = inside ? (unsigned)s_index[(r * C + c) * blockDim.x] : OUTSIDE;
        if (!(p.columns >> c & 1)) continue;
        if (entry != last[c]) {
          Stencil s = {};
          if (inside) s = stencil_read(&StencilOf<Real>::stencil_table(a.system)[entry]);
          const bool dirichlet = stencil_is_dirichlet(s);
          const Real weight = dirichlet ? Real(0) : Real(0.25);
          bounded = bounded && magnitude(s.c) < magnitude_limit<Real>() &&
                    fabs(s.west) + fabs(s.east) + fabs(s.south) + fabs(s.north) <= Real(4.001);
          kinds_suffice = kinds_suffice && (dirichlet || HS_STENCIL_IS_UNIFORM(s));
          fixed = fixed && dirichlet;
          if (!dirichlet) dirichlet_rows &= ~(1u << r);
          if (!(seen & 1u << c)) {
            seen |= 1u << c;
            kinds.weight[c] = kinds.other_weight[c] = weight;
            kinds.constant[c] = kinds.other_constant[c] = s.c;
          } else if (weight == kinds.weight[c] && same_bits(s.c, kinds.constant[c])) {
            other &= ~(1u << c);
          } else {
            if (kinds.other[c] == 0) {
              kinds.other_weight[c] = weight;
              kinds.other_constant[c] = s.c;
            }
            kinds_suffice = kinds_suffice && weight == kinds.other_weight[c] && same_bits(s.c, kinds.other_constant[c]);
            other |= 1u << c;
          }
          last[c] = entry;
          changed = true;
        } else if (choose(other & 1u << c, kinds.other_weight[c], kinds.weight[c]) != 0) {
          dirichlet_rows &= ~(1u << r);
        }
        if (other & 1u << c) kinds.other[c] |= 1u << r;
      }
      if (changed) changes |= 1u << r;
      if (__any_sync(WHOLE_WARP, changed)) kinds.reload |= 1u << r;
    }
    kinds.path = path_find(changes, dirichlet_rows, kinds_suffice, fixed);
    if (kinds.path == PATH_FIRST_ROW) { /* then the kind of the other rows counts */
#pragma unroll
      for (int c = 0; c < C; c++) {
        if (!(kinds.other[c] & 2u)) continue;
        kinds.weight[c] = kinds.other_weight[c];
        kinds.constant[c] = kinds.other_constant[c];
      }
    }
    return bounded;
  }

  __device__ __forceinline__ Path path_find(unsigned changes, unsigned dirichlet_rows, bool kinds_suffice,
                                            bool fixed) const
  {
    constexpr unsigned LAST = 1u << (R - 1);
    const unsigned begin = 1u << p.south;
    if (__all_sync(WHOLE_WARP, fixed)) return PATH_FIXED;
    if (__all_sync(WHOLE_WARP, kinds_suffice)) {
      if (__all_sync(WHOLE_WARP, (changes & ~begin) == 0)) return PATH_COLUMNS;
      if (__all_sync(WHOLE_WARP, (changes & ~3u) == 0 && dirichlet_rows & 1)) return PATH_FIRST_ROW;
      if (__all_sync(WHOLE_WARP, (changes & ~(begin | LAST)) == 0 && dirichlet_rows & LAST)) return PATH_LAST_ROW;
      return PATH_TWO_KINDS;
    }
    return kinds.reload == 1 ? PATH_COLUMN_STENCILS : PATH_STENCILS;
  }

  /* What a launch begins with. */
  __device__ __forceinline__ void start(const Real *from)
  {
    const bool bounded = classify();
    __syncthreads();
    if (p.warp == 0)
      for (int c = 0; c < C; c++) p.edge(2, 0, 0)[c * 32] = 0;
    load(from);
    edges_put();
    may_overflow = block_any(!bounded || largest >= magnitude_limit<Real>());
  }

  /* Edges of the present set; into both where the warp is fixed, which leaves them alone. A barrier follows. */
  __device__ __forceinline__ void edges_put() const
  {
    p.edges_put(set);
    if (kinds.path == PATH_FIXED) p.edges_put(set ^ 1);
  }

  /* `count` sweeps without an exchange. Each way has a loop of its own, so that nodes stay in their registers. */
  template <typename Visit> __device__ __forceinline__ void sweep(int count, Visit visit)
  {
    Stencil stencil[C];
    if (warp_agrees(may_overflow)) {
      for (int k = 0; k < count; k++) {
        sweep_stencils<true, false>(p, kinds, a.system, set ^ (k & 1), true, stencil, visit);
        __syncthreads();
      }
    } else if (warp_agrees(first_sweep || kinds.path == PATH_STENCILS)) {
      for (int k = 0; k < count; k++) {
        sweep_stencils<false, false>(p, kinds, a.system, set ^ (k & 1), true, stencil, visit);
        __syncthreads();
      }
    } else if (warp_agrees(kinds.path == PATH_COLUMN_STENCILS)) {
      for (int k = 0; k < count; k++) {
        sweep_stencils<false, true>(p, kinds, a.system, set ^ (k & 1), k == 0, stencil, visit);
        __syncthreads();
      }
    } else if (warp_agrees(kinds.path == PATH_COLUMNS)) {
      for (int k = 0; k < count; k++) {
        sweep_columns<PATH_COLUMNS>(p, kinds, set ^ (k & 1), visit);
        __syncthreads();
      }
    } else if (warp_agrees(kinds.path == PATH_FIRST_ROW)) {
      for (int k = 0; k < count; k++) {
        sweep_columns<PATH_FIRST_ROW>(p, kinds, set ^ (k & 1), visit);
        __syncthreads();
      }
    } else if (warp_agrees(kinds.path == PATH_LAST_ROW)) {
      for (int k = 0; k < count; k++) {
        sweep_columns<PATH_LAST_ROW>(p, kinds, set ^ (k & 1), visit);
        __syncthreads();
      }
    } else if (warp_agrees(kinds.path == PATH_TWO_KINDS)) {
      for (int k = 0; k < count; k++) {
        sweep_columns<PATH_TWO_KINDS>(p, kinds, set ^ (k & 1), visit);
        __syncthreads();
      }
    } else {
      for (int k = 0; k < count; k++) __syncthreads();
    }
    set ^= count & 1;
    if (first_sweep && kinds.path == PATH_FIXED) p.edges_put(set ^ 1);
    first_sweep = false;
  }

  /* Rows first .. end-1 of this thread: bit r. A vote among lanes that agree, for the compiler would otherwise work out
   * all rows' bits before the first sweep and keep them through all sweeps. */
  static __device__ __forceinline__ unsigned rows_between(int first, int end)
  {
    const unsigned below_first = (1u << min(max(first, 0), R)) - 1u, below_end = (1u << min(max(end, 0), R)) - 1u;
    return warp_or(below_end & ~below_first);
  }

  /* Where this lane's first row is in the border of a block `dx`, `dy` tiles away, from the start of a set of borders.
   * Rings are [rows][C / WIDTH][32 lanes][WIDTH], so that a lane's nodes lie side by side as far as one
   * access reaches. */
  __device__ __forceinline__ int border(int dx, int dy) const
  {
    const int block = (tile_y + dy) * a.plan.tiles_x + tile_x + dx;
    const int row = p.j0 - origin(tile_y + dy), lane = p.lane - dx * a.plan.tile_lanes;
    return (block * p.warps * R + row) * C * 32 + lane * WIDTH;
  }
  /* The present set of borders. */
  __device__ __forceinline__ Real *borders() const
  {
    const int blocks = a.plan.tiles_x * a.plan.tiles_y;
    return a.exchange + (exchanges & 1) * (int64_t)blocks * p.warps * R * C * 32;
  }

  /* The outer nodes of the tile, for the neighbours. */
  __device__ __forceinline__ void border_put() const
  {
    const hs_resident_plan &plan = a.plan;
    const int x = p.lane - plan.ghost_lanes, bottom = tile_y * plan.tile_rows - p.j0, top = bottom + plan.tile_rows;
    const bool side = x < plan.ghost_lanes || x >= plan.tile_lanes - plan.ghost_lanes;
    const unsigned all = rows_between(bottom, top), inner = rows_between(bottom + plan.depth, top - plan.depth);
    const unsigned rows = side_x != 0 ? 0 : side ? all : all & ~inner;
    Real *to = borders() + border(0, 0);
#pragma unroll
    for (int r = 0; r < R; r++) {
      Real row[C];
      p.row_get(r, row);
      if (!(rows >> r & 1)) continue;
#pragma unroll
      for (int c = 0; c < C; c += WIDTH) store_side_by_side<WIDTH>(to + r * C * 32 + c * 32, &row[c]);
    }
  }

  /* The ghost zone from the neighbours' borders. */
  __device__ __forceinline__ void ghosts_get()
  {
    constexpr int GROUP = 4; /* rows in shared memory whose loads are under way together */
    const int bottom = tile_y * a.plan.tile_rows - p.j0, top = bottom + a.plan.tile_rows;
    const bool here = side_x != 2 && (unsigned)(tile_x + side_x) < (unsigned)a.plan.tiles_x;
    const unsigned down = rows_between(p.south, min(bottom, p.north)), up = rows_between(max(p.south, top), p.north);
    const unsigned beside = rows_between(max(p.south, bottom), min(top, p.north));
    const unsigned rows = !here ? 0 : side_x != 0 ? down | beside | up : down | up;
    const int at_down = border(side_x, -1), at_beside = border(side_x, 0), at_up = border(side_x, 1);
    const Real *from = borders();
    const auto row_load = [&](int r, Real(&row)[C]) {
      const int at = choose(down >> r & 1, at_down, choose(up >> r & 1, at_up, at_beside));
#pragma unroll
      for (int c = 0; c < C; c += WIDTH)
        load_side_by_side<WIDTH>(rows >> r & 1, &row[c], from + at + (r * C * 32 + c * 32));
    };
#pragma unroll
    for (int r = 0; r < RR; r++) row_load(r, p.x[r]);
#pragma unroll
    for (int r0 = RR; r0 < R; r0 += GROUP) {
      Real row[GROUP][C];
#pragma unroll
      for (int r = r0; r < r0 + GROUP && r < R; r++) {
        p.row_get(r, row[r - r0]);
        row_load(r, row[r - r0]);
      }
#pragma unroll
      for (int r = r0; r < r0 + GROUP && r < R; r++) p.row_set(r, row[r - r0]);
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
      Real row[C];
      p.row_get(r, row);
#pragma unroll
      for (int c = 0; c < C; c++) largest = max(largest, magnitude(row[c]));
    }
  }

  /* Waits for the flags of the up to eight neighbours: one lane for each. */
  __device__ __forceinline__ void neighbours_wait() const
  {
    const int dx = p.lane % 3 - 1, dy = p.lane / 3 - 1;
    const bool there = p.lane < 9 && (unsigned)(tile_x + dx) < (unsigned)a.plan.tiles_x &&
                       (unsigned)(tile_y + dy) < (unsigned)a.plan.tiles_y;
    if (there)
      flag_wait_strong(a.flags + ((tile_y + dy) * a.plan.tiles_x + tile_x + dx) * HS_RESIDENT_FLAG_STRIDE,
                       exchanges + 1);
    __syncwarp();
  }

  __device__ __forceinline__ void exchange()
  {
    border_put();
    __syncthreads();
    if (threadIdx.x == 0) flag_store_release(a.flags + blockIdx.x * HS_RESIDENT_FLAG_STRIDE, exchanges + 1);
    neighbours_wait();
    ghosts_get();
    exchanges++;
    edges_put();
    may_overflow = block_any(may_overflow || largest >= magnitude_limit<Real>());
  }
};

/* --- the kernel ------------------------------------------------------------------------------ */

struct VisitNothing {
  template <typename Real> __device__ __forceinline__ void operator()(int, int, Real, Real) const
  {
  }
};

template <typename Real, int C, int RR, int RS>
__device__ __forceinline__ void resident_body(const ResidentArguments<Real> &a)
{
  if (a.work.d_halt && *a.work.d_halt) return;
  Block<Real, C, RR, RS> block(a);
  const int64_t reach = gridDim.x > 1 ? a.plan.depth : a.work.sweeps; /* sweeps that a fresh ghost zone is good for */
  int64_t fresh = reach;
  block.start((const Real *)a.work.from);
  for (int64_t left = a.work.sweeps; left > 0;) {
    if (fresh == 0) {
      block.exchange();
      fresh = reach;
    }
    const int count = block.first_sweep ? 1 : (int)(left < fresh ? left : fresh);
    block.sweep(count, VisitNothing());
    left -= count;
    fresh -= count;
  }
  block.store((Real *)a.work.to);
}

#endif
