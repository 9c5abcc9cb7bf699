/* cuda-resident's device code: a block keeps its tile on the chip for as many sweeps as the run has.
 *
 * A thread holds a patch of C columns by R rows of nodes. The 32 lanes of a warp lie side by side, the warps of a block
 * one above the other:
 *
 *        lane    0    |    1    | ... |   31
 *      warp 1   C x R |  C x R  |     |  C x R      west and east: shuffles of the patches' outer columns
 *      warp 0   C x R |  C x R  |     |  C x R      south and north: rows in shared memory, one barrier a sweep
 *
 * Blocks exchange borders every `depth` sweeps only. A block also holds a ghost zone of that width around its tile and
 * sweeps it redundantly: its outermost nodes lack neighbours, and what is wrong there moves inwards by one node a sweep.
 *
 * A choice for every node would cost more than the arithmetic, and blocks wait for the slowest of their neighbours. So
 * each warp sweeps by one of several paths (kinds.cuh), and tiles are laid such that walls fill whole columns of a
 * thread, or a warp's first or last row.
 *
 * Nodes outside the grid are kept at 0.
 */
#ifndef HS_KERNELS_RESIDENT_BLOCK_CUH
#define HS_KERNELS_RESIDENT_BLOCK_CUH

#include "resident/sweep.cuh"
#include "resident/tile.cuh"

template <typename Real, int C, int RR, int RS> struct Block {
  static constexpr int R = RR + RS;
  using Forms = SweepForms<C, RR, RS>;

  const ResidentArguments<Real> &a;
  Patch<Real, C, RR, RS> p;
  Tile<Real, C, RR, RS> tile;
  NodeKinds<Real, C> kinds;
  int set;    /* of edges, the present one */
  bool first; /* Dirichlet nodes may not have their temperatures yet: the first sweep takes the stencils */

  __device__ __forceinline__ Block(const ResidentArguments<Real> &arguments)
      : a(arguments), p(patch_place()), tile(arguments, p), set(0), first(true)
  {
  }

  static __device__ __forceinline__ Patch<Real, C, RR, RS> patch_place()
  {
    Patch<Real, C, RR, RS> p;
    Real *shared = dynamic_shared<Real>();
    p.lane = threadIdx.x % 32;
    p.warp = threadIdx.x / 32;
    p.warps = blockDim.x / 32;
    p.s_edges = shared;
    p.s_rows = shared + (4 * p.warps + 1) * C * 32 + threadIdx.x;
    return p;
  }

  __device__ __forceinline__ void load(const Real *from)
  {
    const Real *t = from + (int64_t)p.j0 * a.system.pitch + p.i0;
    p.rows_change([&](int r, Real(&row)[C]) {
      const unsigned nodes = p.nodes(r);
#pragma unroll
      for (int c = 0; c < C; c++) row[c] = nodes >> c & 1 ? t[r * a.system.pitch + c] : Real(0);
    });
  }

  /* The tile's own nodes to a field. */
  __device__ __forceinline__ void store(Real *to) const
  {
    constexpr int SIZE = Vector<Real>::SIZE;
    Real *t = to + (int64_t)p.j0 * a.system.pitch + p.i0;
    p.rows_visit([&](int r, const Real(&row)[C]) {
      const unsigned nodes = tile.own(p, r);
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
    });
  }

  /* What a launch begins with. */
  __device__ __forceinline__ void start(const Real *from)
  {
    KindSearch<Real, C, RR, RS>(p, a.system, kinds).run(dynamic_shared<uint16_t>() + threadIdx.x);
    __syncthreads();
    if (p.warp == 0) p.zeros_put();
    load(from);
    edges_put();
    __syncthreads();
  }

  /* Edges of the present set; a warp that makes no sweeps puts both. */
  __device__ __forceinline__ void edges_put() const
  {
    p.edges_put(set);
    if (kinds.path == PATH_FIXED) p.edges_put(set ^ 1);
  }

  __device__ __forceinline__ void exchange()
  {
    tile.exchange(p);
    edges_put();
    __syncthreads();
  }

  template <typename Sweep> __device__ __forceinline__ void repeat(int count, Sweep sweep_once)
  {
    for (int k = 0; k < count; k++) {
      sweep_once(k, set ^ (k & 1));
      __syncthreads();
    }
  }

  /* Is the path of this warp's sweeps that one? The vote tells the compiler that all lanes agree: shuffles that it
   * cannot prove to be executed by whole warps cost several instructions more, and cannot be moved. */
  __device__ __forceinline__ bool takes(Path path) const
  {
    return __any_sync(WHOLE_WARP, (first ? PATH_STENCILS : kinds.path) == path);
  }

  /* The stencils of a row are loaded only where they differ from those of the row before. */
  __device__ __forceinline__ void stencils_sweep(int count)
  {
    typename StencilOf<Real>::type stencil[C];
    repeat(count, [&](int k, int from) {
      sweep_stencils(p, from, stencil, [&](int r) {
        const bool first_row_differs = !Forms::STENCILS_STAY || k == 0 || kinds.reload > 1;
        if (r > 0 ? kinds.reload >> r & 1 : first_row_differs) stencils_load(p, a.system, r, stencil);
      });
    });
  }
  __device__ __forceinline__ void column_stencils_sweep(int count)
  {
    typename StencilOf<Real>::type stencil[C];
    stencils_load(p, a.system, 0, stencil);
    repeat(count, [&](int, int from) { sweep_stencils(p, from, stencil, [](int) {}); });
  }

  /* `count` sweeps without an exchange. Each path has a loop of its own, so that nodes stay in their registers. */
  __device__ __forceinline__ void sweep(int count)
  {
    if (takes(PATH_STENCILS))
      stencils_sweep(count);
    else if (Forms::COLUMN_STENCILS && takes(PATH_COLUMN_STENCILS))
      column_stencils_sweep(count);
    else if (takes(PATH_COLUMNS))
      repeat(count, [&](int, int from) { sweep_kinds<PATH_COLUMNS>(p, kinds, from); });
    else if (takes(PATH_FIRST_ROW))
      repeat(count, [&](int, int from) { sweep_kinds<PATH_FIRST_ROW>(p, kinds, from); });
    else if (takes(PATH_LAST_ROW))
      repeat(count, [&](int, int from) { sweep_kinds<PATH_LAST_ROW>(p, kinds, from); });
    else if (takes(PATH_TWO_KINDS))
      repeat(count, [&](int, int from) { sweep_kinds<PATH_TWO_KINDS>(p, kinds, from); });
    else
      repeat(count, [](int, int) {});
    set ^= count & 1;
    if (first && kinds.path == PATH_FIXED) p.edges_put(set ^ 1);
    first = false;
  }
};

template <typename Real, int C, int RR, int RS>
__device__ __forceinline__ void resident_body(const ResidentArguments<Real> &a)
{
  if (a.work.d_halt && *a.work.d_halt) return;
  Block<Real, C, RR, RS> block(a);
  const int64_t between = gridDim.x > 1 ? a.plan.depth : a.work.sweeps; /* sweeps between two exchanges */
  int64_t until_exchange = between;
  block.start((const Real *)a.work.from);
  for (int64_t left = a.work.sweeps; left > 0;) {
    if (until_exchange == 0) {
      block.exchange();
      until_exchange = between;
    }
    const int count = block.first ? 1 : (int)(left < until_exchange ? left : until_exchange);
    block.sweep(count);
    left -= count;
    until_exchange -= count;
  }
  block.store((Real *)a.work.to);
}

#endif
