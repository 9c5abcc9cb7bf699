/* Stencils of consecutive nodes, looked up in the stencil table and packed into one array per coefficient, so that
 * mixed segments vectorise as well; included by rows/rows.c alone.
 *
 * With AVX2 a stencil is one or two vector loads, and a few shuffles transpose four (double) or eight (single
 * precision) of them. On Zen 3, in G nodes/s of 256 x 256 nodes with 4096 stencils, double and single: 0.60 and
 * 1.04 so, 0.49 and 0.53 node by node, 0.36 and 0.56 with gather instructions. Without AVX2 nothing is packed,
 * and the caller goes node by node.
 */
#ifndef HS_BACKEND_CPU_ROWS_LOOKUP_H
#define HS_BACKEND_CPU_ROWS_LOOKUP_H

#include "problem/system.h"

enum { LOOKUP_CHUNK = 64 }; /* nodes at a time: a few KB, well within the first cache */

struct lookup_f64 {
  double west[LOOKUP_CHUNK], east[LOOKUP_CHUNK], south[LOOKUP_CHUNK], north[LOOKUP_CHUNK];
  double c[LOOKUP_CHUNK], diagonal[LOOKUP_CHUNK], relax[LOOKUP_CHUNK];
};

struct lookup_f32 {
  float west[LOOKUP_CHUNK], east[LOOKUP_CHUNK], south[LOOKUP_CHUNK], north[LOOKUP_CHUNK];
  float c[LOOKUP_CHUNK], diagonal[LOOKUP_CHUNK], relax[LOOKUP_CHUNK];
};

/* Node k's stencil is nodes[index[k]], or nodes[k] without index. */
#define LOOKUP_AT(nodes, index, k) (&(nodes)[(index) ? (size_t)(index)[k] : (size_t)(k)])

/* lookup_f64, lookup_f32(nodes, index, count, relaxed, to): turns as many of the count nodes as it can, at most a
 * chunk, and returns their number; 0 when there are too few left. diagonal and relax are only set where `relaxed`. */

#ifdef __AVX2__

#include <immintrin.h>

/* Packs the halves of four stencils that begin at `first`; each array receives four values. NULL: not wanted. */
HS_INLINE_ALWAYS void turn_f64(const double *const first[4], double *a, double *b, double *c, double *d)
{
  const __m256d s0 = _mm256_loadu_pd(first[0]), s1 = _mm256_loadu_pd(first[1]);
  const __m256d s2 = _mm256_loadu_pd(first[2]), s3 = _mm256_loadu_pd(first[3]);
  const __m256d even_low = _mm256_unpacklo_pd(s0, s1), odd_low = _mm256_unpackhi_pd(s0, s1);
  const __m256d even_high = _mm256_unpacklo_pd(s2, s3), odd_high = _mm256_unpackhi_pd(s2, s3);
  _mm256_storeu_pd(a, _mm256_permute2f128_pd(even_low, even_high, 0x20));
  if (b) _mm256_storeu_pd(b, _mm256_permute2f128_pd(odd_low, odd_high, 0x20));
  if (c) _mm256_storeu_pd(c, _mm256_permute2f128_pd(even_low, even_high, 0x31));
  if (d) _mm256_storeu_pd(d, _mm256_permute2f128_pd(odd_low, odd_high, 0x31));
}

HS_INLINE_ALWAYS int lookup_f64(const struct hs_stencil_f64 *nodes, const uint16_t *index, int count, bool relaxed,
                                struct lookup_f64 *to)
{
  const int whole = (count < LOOKUP_CHUNK ? count : LOOKUP_CHUNK) / 4 * 4;
  for (int k = 0; k < whole; k += 4) {
    const double *weights[4], *rest[4];
    for (int m = 0; m < 4; m++) {
      weights[m] = &LOOKUP_AT(nodes, index, k + m)->west;
      rest[m] = &LOOKUP_AT(nodes, index, k + m)->c;
    }
    turn_f64(weights, to->west + k, to->east + k, to->south + k, to->north + k);
    if (relaxed)
      turn_f64(rest, to->c + k, to->diagonal + k, to->relax + k, NULL);
    else
      turn_f64(rest, to->c + k, NULL, NULL, NULL);
  }
  return whole;
}

/* Packs eight stencils: first within the two halves of a vector, then across. */
HS_INLINE_ALWAYS void turn_f32(const struct hs_stencil_f32 *const s[8], bool relaxed, struct lookup_f32 *to, int k)
{
  __m256 pairs[8], fours[8];
  for (int m = 0; m < 8; m += 2) { /* west and east, south and north of two stencils */
    const __m256 a = _mm256_loadu_ps(&s[m]->west), b = _mm256_loadu_ps(&s[m + 1]->west);
    pairs[m] = _mm256_unpacklo_ps(a, b);
    pairs[m + 1] = _mm256_unpackhi_ps(a, b);
  }
  for (int m = 0; m < 2; m++) { /* one coefficient of four stencils, and the one four further on */
    const int p = 4 * m;
    fours[p] = _mm256_shuffle_ps(pairs[p], pairs[p + 2], 0x44);
    fours[p + 1] = _mm256_shuffle_ps(pairs[p], pairs[p + 2], 0xee);
    fours[p + 2] = _mm256_shuffle_ps(pairs[p + 1], pairs[p + 3], 0x44);
    fours[p + 3] = _mm256_shuffle_ps(pairs[p + 1], pairs[p + 3], 0xee);
  }
  _mm256_storeu_ps(to->west + k, _mm256_permute2f128_ps(fours[0], fours[4], 0x20));
  _mm256_storeu_ps(to->east + k, _mm256_permute2f128_ps(fours[1], fours[5], 0x20));
  _mm256_storeu_ps(to->south + k, _mm256_permute2f128_ps(fours[2], fours[6], 0x20));
  _mm256_storeu_ps(to->north + k, _mm256_permute2f128_ps(fours[3], fours[7], 0x20));
  _mm256_storeu_ps(to->c + k, _mm256_permute2f128_ps(fours[0], fours[4], 0x31));
  if (!relaxed) return;
  _mm256_storeu_ps(to->diagonal + k, _mm256_permute2f128_ps(fours[1], fours[5], 0x31));
  _mm256_storeu_ps(to->relax + k, _mm256_permute2f128_ps(fours[2], fours[6], 0x31));
}

HS_INLINE_ALWAYS int lookup_f32(const struct hs_stencil_f32 *nodes, const uint16_t *index, int count, bool relaxed,
                                struct lookup_f32 *to)
{
  const int whole = (count < LOOKUP_CHUNK ? count : LOOKUP_CHUNK) / 8 * 8;
  for (int k = 0; k < whole; k += 8) {
    const struct hs_stencil_f32 *s[8];
    for (int m = 0; m < 8; m++) s[m] = LOOKUP_AT(nodes, index, k + m);
    turn_f32(s, relaxed, to, k);
  }
  return whole;
}

#else

HS_INLINE_ALWAYS int lookup_f64(const struct hs_stencil_f64 *nodes, const uint16_t *index, int count, bool relaxed,
                                struct lookup_f64 *to)
{
  (void)nodes, (void)index, (void)count, (void)relaxed, (void)to;
  return 0;
}

HS_INLINE_ALWAYS int lookup_f32(const struct hs_stencil_f32 *nodes, const uint16_t *index, int count, bool relaxed,
                                struct lookup_f32 *to)
{
  (void)nodes, (void)index, (void)count, (void)relaxed, (void)to;
  return 0;
}

#endif

#endif
