/* Rows of transfers between two grids; included by rows.c. Where the compiler's vectoriser takes every second value of a row
 * one by one, vectors are written in its notation. */

#ifdef __FMA__
enum { TRANSFERRED = 8 }; /* values of a vector */
typedef float transfer_vector __attribute__((vector_size(TRANSFERRED * sizeof(float))));
typedef float transfer_anywhere
    __attribute__((vector_size(TRANSFERRED * sizeof(float)), aligned(sizeof(float)), may_alias));
#if defined(__clang__) || __GNUC__ >= 12
#define TRANSFER_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef int32_t transfer_order __attribute__((vector_size(TRANSFERRED * sizeof(int32_t))));
#define TRANSFER_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (transfer_order){__VA_ARGS__})
#endif

HS_INLINE_ALWAYS transfer_vector transfer_load(const float *from)
{
  return *(const transfer_anywhere *)from;
}

HS_INLINE_ALWAYS void transfer_store(float *to, transfer_vector values)
{
  *(transfer_anywhere *)to = values;
}

HS_INLINE_ALWAYS transfer_vector transfer_fma(transfer_vector a, transfer_vector b, transfer_vector c)
{
  return (transfer_vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

/* Of 16 values the even ones, and the odd ones, in the order 0 1 4 5 2 3 6 7: no value changes its half of a vector. */
HS_INLINE_ALWAYS transfer_vector transfer_even(const float *from)
{
  return TRANSFER_SHUFFLE(transfer_load(from), transfer_load(from + TRANSFERRED), 0, 2, 8, 10, 4, 6, 12, 14);
}

HS_INLINE_ALWAYS transfer_vector transfer_odd(const float *from)
{
  return TRANSFER_SHUFFLE(transfer_load(from), transfer_load(from + TRANSFERRED), 1, 3, 9, 11, 5, 7, 13, 15);
}

HS_INLINE_ALWAYS transfer_vector transfer_ordered(transfer_vector values)
{
  return TRANSFER_SHUFFLE(values, values, 0, 1, 4, 5, 2, 3, 6, 7);
}

/* Four values, each twice. */
HS_INLINE_ALWAYS transfer_vector transfer_twice(const float *from)
{
  const transfer_vector of = {from[0], from[1], from[2], from[3]};
  return TRANSFER_SHUFFLE(of, of, 0, 0, 1, 1, 2, 2, 3, 3);
}
#endif

/* --- to the coarser grid --------------------------------------------------------------------- */

/* What nodes 2 i - 1, 2 i and 2 i + 1 of three fine rows give a node i; see hs_level_restrict. */
HS_INLINE_ALWAYS float restrict_node(const struct hs_transfer *t, bool x, bool y, int i)
{
  const float *const *r = t->fine;
  const int n = x ? 2 * i : i;
  float sum = t->weight[0][1][n] * r[1][n];
  if (x) sum = fmaf(t->weight[1][1][n - 1], r[1][n - 1], fmaf(t->weight[0][1][n + 1], r[1][n + 1], sum));
  if (y) sum = fmaf(t->weight[2][0][n], r[0][n], fmaf(t->weight[0][2][n], r[2][n], sum));
  if (x && y) sum = fmaf(t->weight[3][0][n - 1], r[0][n - 1], fmaf(t->weight[2][0][n + 1], r[0][n + 1], sum));
  if (x && y) sum = fmaf(t->weight[1][2][n - 1], r[2][n - 1], fmaf(t->weight[0][2][n + 1], r[2][n + 1], sum));
  return sum;
}

#ifdef __FMA__
/* As many nodes as vectors can take, from the first one on, which is taken alone: nothing is in the west of its ghost. */
HS_INLINE_ALWAYS int restrict_vectors(const struct hs_transfer *t, int nx, float *restrict coarse)
{
  const float *r0 = t->fine[0], *r1 = t->fine[1], *r2 = t->fine[2];
  const float *own = t->weight[0][1], *west = t->weight[1][1];
  const float *own_2 = t->weight[0][2], *west_2 = t->weight[1][2];
  const float *north_0 = t->weight[2][0], *corner_0 = t->weight[3][0];
  int i = 1;
  coarse[0] = restrict_node(t, true, true, 0);
  for (; i + TRANSFERRED < nx; i += TRANSFERRED) {
    const int n = 2 * i, w = n - 2;
    transfer_vector sum = transfer_even(own + n) * transfer_even(r1 + n);
    sum = transfer_fma(transfer_odd(own + n), transfer_odd(r1 + n), sum);
    sum = transfer_fma(transfer_odd(west + w), transfer_odd(r1 + w), sum);
    sum = transfer_fma(transfer_even(own_2 + n), transfer_even(r2 + n), sum);
    sum = transfer_fma(transfer_even(north_0 + n), transfer_even(r0 + n), sum);
    sum = transfer_fma(transfer_odd(north_0 + n), transfer_odd(r0 + n), sum);
    sum = transfer_fma(transfer_odd(corner_0 + w), transfer_odd(r0 + w), sum);
    sum = transfer_fma(transfer_odd(own_2 + n), transfer_odd(r2 + n), sum);
    sum = transfer_fma(transfer_odd(west_2 + w), transfer_odd(r2 + w), sum);
    transfer_store(coarse + i, transfer_ordered(sum));
  }
  return i;
}
#endif

HS_INLINE_ALWAYS void restrict_any(const struct hs_transfer *t, bool x, bool y, int nx, float *restrict coarse)
{
  int from = 0;
#ifdef __FMA__
  if (x && y) from = restrict_vectors(t, nx, coarse);
#endif
  SIMD for (int i = from; i < nx; i++) coarse[i] = restrict_node(t, x, y, i);
}

static void restrict_row(const struct hs_transfer *t, int coarse_nx, float *coarse)
{
  if (t->coarsen_x && t->coarsen_y)
    restrict_any(t, true, true, coarse_nx, coarse);
  else if (t->coarsen_x)
    restrict_any(t, true, false, coarse_nx, coarse);
  else
    restrict_any(t, false, true, coarse_nx, coarse);
}

/* --- to the finer grid ----------------------------------------------------------------------- */

/* See hs_level_prolong. Only y is coarsened. */
static void prolong_column(const struct hs_transfer *t, int nx, const float *const c[2], const float *u, float *to)
{
  const float *restrict c0 = c[0], *restrict c1 = c[1], *restrict w0 = t->weight[0][1], *restrict w2 = t->weight[2][1];
  SIMD for (int n = 0; n < nx; n++) to[n] = u[n] + fmaf(w2[n], c1[n], w0[n] * c0[n]);
}

/* x is coarsened: nodes 2 m and 2 m + 1 have the same parents. `to` may be u. */
HS_INLINE_ALWAYS void prolong_pairs(const struct hs_transfer *t, bool y, int nx, const float *const c[2],
                                    const float *u, float *to)
{
  const float *c0 = c[0], *c1 = c[1];
  const float *w0 = t->weight[0][1], *w1 = t->weight[1][1], *w2 = t->weight[2][1], *w3 = t->weight[3][1];
  int from = 0;
#ifdef __FMA__
  for (; from + TRANSFERRED <= nx; from += TRANSFERRED) {
    const int n = from, m = n / 2;
    transfer_vector sum = transfer_load(w0 + n) * transfer_twice(c0 + m);
    sum = transfer_fma(transfer_load(w1 + n), transfer_twice(c0 + m + 1), sum);
    if (y) sum = transfer_fma(transfer_load(w2 + n), transfer_twice(c1 + m), sum);
    if (y) sum = transfer_fma(transfer_load(w3 + n), transfer_twice(c1 + m + 1), sum);
    transfer_store(to + n, transfer_load(u + n) + sum);
  }
#endif
  SIMD for (int n = from; n < nx; n++)
  {
    const int m = n / 2;
    float sum = fmaf(w1[n], c0[m + 1], w0[n] * c0[m]);
    if (y) sum = fmaf(w3[n], c1[m + 1], fmaf(w2[n], c1[m], sum));
    to[n] = u[n] + sum;
  }
}

static void prolong_row(const struct hs_transfer *t, int nx, const float *const c[2], const float *u, float *to)
{
  if (t->coarsen_x && t->coarsen_y)
    prolong_pairs(t, true, nx, c, u, to);
  else if (t->coarsen_x)
    prolong_pairs(t, false, nx, c, u, to);
  else
    prolong_column(t, nx, c, u, to);
}
