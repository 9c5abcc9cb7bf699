/* The arithmetic of one node, written once for every backend.
 *
 * Host and device code include this header, so that all backends, thread counts and tiles
 * give the same bits. It is compiled without implicit contraction (-ffp-contract=off,
 * --fmad=false); every fused multiply-add is written as one.
 *
 * The Jacobi update of a node with weights w = G / diagonal is computed from v = 4 w as
 *
 *     t' = fma(1/4, fma(vE, E, vN*N) + fma(vS, S, vW*W), c),     c = b / diagonal.
 *
 * Where all four weights are 1/4, v is exactly 1 and the inner terms are the plain sums
 * N+E and S+W, so
 *
 *     t' = fma(1/4, (N + E) + (S + W), c)
 *
 * has the same bits for every input, subnormal numbers included (a product by a stored
 * weight of 1/4 would round there). The pair N+E of a node is the pair W+S of its
 * north-east neighbour, so a sweep over such nodes costs two additions and one fma.
 * A Dirichlet node has v = 0 and c = its temperature: fma(1/4, 0, c) = c, no branch.
 */
#ifndef HS_NUMERICS_NODE_H
#define HS_NUMERICS_NODE_H

#include <math.h>

#ifdef __CUDACC__
#define HS_INLINE __host__ __device__ static inline
#define HS_INLINE_ALWAYS __host__ __device__ static __forceinline__
#else
#define HS_INLINE static inline
#define HS_INLINE_ALWAYS static inline __attribute__((always_inline)) /* also into clones for other targets */
#endif

/* Marks a function that gives the same bits on processors with and without fused multiply-add instructions, and uses
 * them where they exist. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(HS_FAST_FMA)
#define HS_FAST_FMA __attribute__((target_clones("fma", "default")))
#elif !defined(HS_FAST_FMA)
#define HS_FAST_FMA
#endif

#ifdef __CUDA_ARCH__
#define HS_UNROLL _Pragma("unroll")
#else
#define HS_UNROLL
#endif

/* One entry of the stencil table, 64 or 32 bytes. The diagonal (W/(m K), 0 for a Dirichlet node) turns an update into a
 * residual. */
struct hs_stencil_f64 {
  double west, east, south, north; /* four times G / diagonal */
  double c;                        /* b / diagonal, or the temperature of a Dirichlet node, K; never -0 */
  double diagonal;                 /* implicit time steps: with the storage term */
  double relax;                    /* share of the way to J(t) that a relaxed sweep goes: 1, or the explicit
                                      scheme's dt * diagonal / capacity */
  double storage;                  /* implicit time steps: storage term / diagonal, else 0 */
};

struct hs_stencil_f32 {
  float west, east, south, north;
  float c;
  float diagonal;
  float relax;
  float storage;
};

/* Is the entry one that the uniform update may take? */
#define HS_STENCIL_IS_UNIFORM(s) ((s).west == 1 && (s).east == 1 && (s).south == 1 && (s).north == 1)

/* The update with a constant c of the node's own. */
HS_INLINE_ALWAYS double hs_node_general_f64(const struct hs_stencil_f64 *s, double c, double west, double east,
                                            double south, double north)
{
  return fma(0.25, fma(s->east, east, s->north * north) + fma(s->south, south, s->west * west), c);
}

HS_INLINE_ALWAYS double hs_node_update_f64(const struct hs_stencil_f64 *s, double west, double east, double south,
                                           double north)
{
  return hs_node_general_f64(s, s->c, west, east, south, north);
}

HS_INLINE_ALWAYS double hs_node_uniform_f64(double c, double west, double east, double south, double north)
{
  return fma(0.25, (north + east) + (south + west), c);
}

/* Relaxed sweeps. A step from `base` towards u = J(t): base is t itself (weighted Jacobi with weight w, the
 * explicit time scheme with w = relax) or the predecessor of t (Chebyshev's three-term form). A Dirichlet node
 * takes u, its temperature, whatever the weight. */
HS_INLINE_ALWAYS double hs_node_relax_f64(double w, double u, double base, int dirichlet)
{
  return dirichlet ? u : fma(w, u - base, base);
}

HS_INLINE_ALWAYS float hs_node_relax_f32(float w, float u, float base, int dirichlet)
{
  return dirichlet ? u : fmaf(w, u - base, base);
}

/* Right-hand side r of an implicit time step from the field t before it. base (K) is the node's share of a source map; j is
 * J(t) with the constants of the old time plus base. Backward Euler: storage t + base. Crank-Nicolson:
 * J(t) + (2 storage - 1) t + base. */
HS_INLINE_ALWAYS double hs_node_step_f64(int trapezoid, double storage, double t, double j, double base)
{
  return trapezoid ? fma(fma(2.0, storage, -1.0), t, j) + base : fma(storage, t, base);
}

HS_INLINE_ALWAYS float hs_node_step_f32(int trapezoid, float storage, float t, float j, float base)
{
  return trapezoid ? fmaf(fmaf(2.0f, storage, -1.0f), t, j) + base : fmaf(storage, t, base);
}

/* The update with a constant c of the node's own. */
HS_INLINE_ALWAYS float hs_node_general_f32(const struct hs_stencil_f32 *s, float c, float west, float east, float south,
                                           float north)
{
  return fmaf(0.25f, fmaf(s->east, east, s->north * north) + fmaf(s->south, south, s->west * west), c);
}

HS_INLINE_ALWAYS float hs_node_update_f32(const struct hs_stencil_f32 *s, float west, float east, float south,
                                          float north)
{
  return hs_node_general_f32(s, s->c, west, east, south, north);
}

HS_INLINE_ALWAYS float hs_node_uniform_f32(float c, float west, float east, float south, float north)
{
  return fmaf(0.25f, (north + east) + (south + west), c);
}

#endif
