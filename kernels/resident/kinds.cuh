/* cuda-resident: what a warp knows of its nodes' stencils, and the path by which it therefore sweeps them.
 *
 * On paths for kinds a node has no stencil but a kind, a pair of weight and constant: 1/4 and b / diagonal of a uniform
 * node, 0 and the temperature of a Dirichlet node, 0 and 0 outside the grid. A weight of 0 gives what the reference
 * computes as long as sums of neighbours are finite (HS_RESIDENT_LARGEST_*).
 */
#ifndef HS_KERNELS_RESIDENT_KINDS_CUH
#define HS_KERNELS_RESIDENT_KINDS_CUH

#include "primitives.cuh"
#include "resident/patch.cuh"

enum Path {
  PATH_FIXED,           /* no sweeps: all are Dirichlet nodes */
  PATH_COLUMNS,         /* each column of a thread is of one kind */
  PATH_FIRST_ROW,       /* the same but for the first row, which has Dirichlet nodes only */
  PATH_LAST_ROW,        /* the same but for the last row, which has Dirichlet nodes only */
  PATH_TWO_KINDS,       /* each column of a thread has two kinds */
  PATH_COLUMN_STENCILS, /* each column of a thread has one stencil */
  PATH_STENCILS         /* anything else */
};

/* What is best for patches of this size, by measurement: it depends on what the compiler keeps in registers.
 * COLUMN_STENCILS: they have a path; else PATH_STENCILS serves. STENCILS_STAY: PATH_STENCILS loads them once a call where
 * no row differs, else in each sweep. KINDS_CHOSEN_ANEW: PATH_TWO_KINDS chooses in each sweep, else before the first. */
template <int C, int RR, int RS> struct SweepForms {
  static constexpr bool COLUMN_STENCILS = RR <= 8 || RS > 0;
  static constexpr bool STENCILS_STAY = C * RR >= 32 && RS == 0;
  static constexpr bool KINDS_CHOSEN_ANEW = RR <= 4;
};

template <typename Real, int C> struct NodeKinds {
  Path path;                   /* uniform in a warp */
  Real weight[C], constant[C]; /* the first kind of each column, or the only one */
  Real other_weight[C], other_constant[C];
  unsigned other[C]; /* bit r: the node of row r is of the other kind */
  unsigned reload;   /* bit r: some lane's row r has other stencils than its row r - 1; uniform in a warp */
};

__device__ __forceinline__ bool same_bits(double a, double b)
{
  return __double_as_longlong(a) == __double_as_longlong(b);
}
__device__ __forceinline__ bool same_bits(float a, float b)
{
  return __float_as_uint(a) == __float_as_uint(b);
}

/* Weights and constant of an entry of the stencil table. */
__device__ __forceinline__ hs_stencil_f64 stencil_read(const hs_stencil_f64 *entry)
{
  const double2 *pairs = (const double2 *)entry;
  const double2 x = __ldg(pairs), y = __ldg(pairs + 1);
  return {x.x, x.y, y.x, y.y, __ldg(&entry->c), 0.0, 0.0, 0.0};
}
__device__ __forceinline__ hs_stencil_f32 stencil_read(const hs_stencil_f32 *entry)
{
  const float4 w = __ldg((const float4 *)entry);
  return {w.x, w.y, w.z, w.w, __ldg(&entry->c), 0.0f, 0.0f, 0.0f};
}

/* Does a node of this stencil keep its constant, whatever its (finite) neighbours? Not where the constant is -0: a sum
 * with it may be +0. */
template <typename Stencil> __device__ __forceinline__ bool stencil_is_dirichlet(const Stencil &s)
{
  const auto zero = s.c * 0;
  return s.west == 0 && s.east == 0 && s.south == 0 && s.north == 0 && !same_bits(s.c, -fabs(zero));
}

/* The stencils of row r; nothing outside the grid. */
template <typename Real, int C, int RR, int RS>
__device__ __forceinline__ void stencils_load(const Patch<Real, C, RR, RS> &p, const hs_device_system &system, int r,
                                              typename StencilOf<Real>::type (&stencil)[C])
{
  const uint16_t *index = system.d_index + ((int64_t)p.j0 + r) * system.pitch + p.i0;
  const unsigned nodes = p.nodes(r);
#pragma unroll
  for (int c = 0; c < C; c++) {
    stencil[c] = {};
    if (nodes >> c & 1) stencil[c] = stencil_read(&StencilOf<Real>::stencil_table(system)[__ldg(index + c)]);
  }
}

/* Looks at a warp's nodes row by row, from south to north, once a launch. */
template <typename Real, int C, int RR, int RS> struct KindSearch {
  static constexpr int R = RR + RS;
  static constexpr unsigned NONE = ~0u, OUTSIDE = ~1u; /* no coefficient indices */

  const Patch<Real, C, RR, RS> &p;
  const hs_device_system &system;
  NodeKinds<Real, C> &kinds;
  unsigned last[C]; /* coefficient index in the row before */
  unsigned seen;    /* bit c: column c has a first kind */
  unsigned other;   /* bit c: column c was of the other kind in the row before */
  unsigned changes; /* bit r: a column of this thread has another stencil in row r than in row r - 1 */
  unsigned free;    /* bit r: row r has a node of this thread that is no Dirichlet node */
  bool kinds_suffice;

  __device__ __forceinline__ KindSearch(const Patch<Real, C, RR, RS> &patch, const hs_device_system &of,
                                        NodeKinds<Real, C> &found)
      : p(patch), system(of), kinds(found), seen(0), other(0), changes(0), free(0), kinds_suffice(true)
  {
#pragma unroll
    for (int c = 0; c < C; c++) {
      last[c] = NONE;
      kinds.weight[c] = kinds.constant[c] = kinds.other_weight[c] = kinds.other_constant[c] = 0;
      kinds.other[c] = 0;
    }
    kinds.reload = 0;
  }

  /* A column's stencil has changed to one of this kind. */
  __device__ __forceinline__ void kind_take(int c, Real weight, Real constant)
  {
    if (!(seen & 1u << c)) {
      seen |= 1u << c;
      kinds.weight[c] = kinds.other_weight[c] = weight;
      kinds.constant[c] = kinds.other_constant[c] = constant;
    } else if (weight == kinds.weight[c] && same_bits(constant, kinds.constant[c])) {
      other &= ~(1u << c);
    } else {
      if (kinds.other[c] == 0) {
        kinds.other_weight[c] = weight;
        kinds.other_constant[c] = constant;
      }
      kinds_suffice = kinds_suffice && weight == kinds.other_weight[c] && same_bits(constant, kinds.other_constant[c]);
      other |= 1u << c;
    }
  }

  __device__ __forceinline__ void node_take(int r, int c, unsigned index)
  {
    if (index != last[c]) {
      typename StencilOf<Real>::type s = {};
      if (index != OUTSIDE) s = stencil_read(&StencilOf<Real>::stencil_table(system)[index]);
      const bool dirichlet = stencil_is_dirichlet(s);
      kinds_suffice = kinds_suffice && (dirichlet || HS_STENCIL_IS_UNIFORM(s));
      if (!dirichlet) free |= 1u << r;
      kind_take(c, dirichlet ? Real(0) : Real(0.25), s.c);
      last[c] = index;
      changes |= 1u << r;
    } else if (choose(other & 1u << c, kinds.other_weight[c], kinds.weight[c]) != 0) {
      free |= 1u << r;
    }
    if (other & 1u << c) kinds.other[c] |= 1u << r;
  }

  /* s_index: shared memory for the coefficient indices of the block's nodes, through which they pass so that all
   * loads are under way at once. */
  __device__ __forceinline__ void run(uint16_t *s_index)
  {
    const uint16_t *index = system.d_index + (int64_t)p.j0 * system.pitch + p.i0;
#pragma unroll(RS ? 4 : R)
    for (int r = 0; r < R; r++) {
      const unsigned nodes = p.nodes(r);
#pragma unroll
      for (int c = 0; c < C; c++)
        s_index[(r * C + c) * blockDim.x] = nodes >> c & 1 ? __ldg(index + r * system.pitch + c) : 0;
    }
#pragma unroll 1
    for (int r = 0; r < R; r++) {
      const bool inside = r >= p.south && r < p.north;
      if (!inside && p.j0 + r >= 0 && p.j0 + r < system.ny) continue; /* beyond the ghost zone: of no use to anyone */
#pragma unroll
      for (int c = 0; c < C; c++)
        if (p.columns >> c & 1) node_take(r, c, inside ? (unsigned)s_index[(r * C + c) * blockDim.x] : OUTSIDE);
      if (__any_sync(WHOLE_WARP, changes >> r & 1)) kinds.reload |= 1u << r;
    }
    path_find();
  }

  __device__ __forceinline__ Path path_of_kinds() const
  {
    constexpr unsigned LAST = 1u << (R - 1);
    const unsigned begin = 1u << p.south;
    if (__all_sync(WHOLE_WARP, (changes & ~begin) == 0)) return PATH_COLUMNS;
    if (__all_sync(WHOLE_WARP, (changes & ~3u) == 0 && !(free & 1u))) return PATH_FIRST_ROW;
    if (__all_sync(WHOLE_WARP, (changes & ~(begin | LAST)) == 0 && !(free & LAST))) return PATH_LAST_ROW;
    return PATH_TWO_KINDS;
  }

  __device__ __forceinline__ void path_find()
  {
    if (__all_sync(WHOLE_WARP, free == 0))
      kinds.path = PATH_FIXED;
    else if (__all_sync(WHOLE_WARP, kinds_suffice))
      kinds.path = path_of_kinds();
    else
      kinds.path = SweepForms<C, RR, RS>::COLUMN_STENCILS && kinds.reload == 1 ? PATH_COLUMN_STENCILS : PATH_STENCILS;
    if (kinds.path != PATH_FIRST_ROW) return;
#pragma unroll
    for (int c = 0; c < C; c++) { /* the kind of the other rows counts */
      if (!(kinds.other[c] & 2u)) continue;
      kinds.weight[c] = kinds.other_weight[c];
      kinds.constant[c] = kinds.other_constant[c];
    }
  }
};

#endif
