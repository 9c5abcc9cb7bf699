/* Vectors of the widest instructions, by one name whatever their width. Included by rows/rows.c alone.
 *
 *      a, b             a0 a1 a2 a3   b0 b1 b2 b3
 *      vector_low       a0 b0 a1 b1   the same within each of VECTOR_PARTS parts: a0 b0 a2 b2
 *      vector_high      a2 b2 a3 b3                                                a1 b1 a3 b3
 *      vector_front     a0 a1 b0 b1
 *      vector_back      a2 a3 b2 b3
 *      vector_up        0  a0 a1 a2
 *      vector_down      a1 a2 a3 0
 *
 * vector_wide loads numbers of either precision as vector_f64, vector_wide_minus the differences of such numbers in
 * their own precision. vector_most(a, b) is |a| > b ? |a| : b, where b is not negative. vector_and(a, b) is of the
 * bits, vector_choose(bits, a, b) has those of a where `bits` are set, else those of b; vector_bits are those of a
 * vector_f64 as whole numbers. Sums and products are written with + and *. Without AVX2 there are none of these, and
 * HAVE_VECTORS is not defined.
 */
#ifndef HS_BACKEND_CPU_ROWS_VECTOR_H
#define HS_BACKEND_CPU_ROWS_VECTOR_H

#include "numerics/node.h"

#if defined(__AVX512F__)

#include <immintrin.h>
#define HAVE_VECTORS

enum { VECTOR_PARTS = 1 };

typedef __m512d vector_f64;
typedef __m512 vector_f32;
typedef uint64_t vector_bits __attribute__((vector_size(64)));

#define vector_load_f64 _mm512_loadu_pd
#define vector_load_f32 _mm512_loadu_ps
#define vector_store_f64 _mm512_storeu_pd
#define vector_store_f32 _mm512_storeu_ps
#define vector_all_f64 _mm512_set1_pd
#define vector_all_f32 _mm512_set1_ps
#define vector_fma_f64 _mm512_fmadd_pd
#define vector_fma_f32 _mm512_fmadd_ps
#define vector_front_f64(a, b) _mm512_shuffle_f64x2(a, b, 0x44)
#define vector_front_f32(a, b) _mm512_shuffle_f32x4(a, b, 0x44)
#define vector_back_f64(a, b) _mm512_shuffle_f64x2(a, b, 0xee)
#define vector_back_f32(a, b) _mm512_shuffle_f32x4(a, b, 0xee)
#define vector_most_f64(a, b) _mm512_range_pd(a, b, 0xb) /* of absolute values, without sign */
#define vector_wide_f64 _mm512_loadu_pd
#define vector_wide_f32(a) _mm512_cvtps_pd(_mm256_loadu_ps(a))
#define vector_wide_minus_f64(a, b) (_mm512_loadu_pd(a) - _mm512_loadu_pd(b))
#define vector_wide_minus_f32(a, b) _mm512_cvtps_pd(_mm256_loadu_ps(a) - _mm256_loadu_ps(b))

HS_INLINE_ALWAYS vector_f64 vector_up_f64(vector_f64 a)
{
  return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(a), _mm512_setzero_si512(), 7));
}

HS_INLINE_ALWAYS vector_f32 vector_up_f32(vector_f32 a)
{
  return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(a), _mm512_setzero_si512(), 15));
}

HS_INLINE_ALWAYS vector_f64 vector_down_f64(vector_f64 a)
{
  return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_setzero_si512(), _mm512_castpd_si512(a), 1));
}

HS_INLINE_ALWAYS vector_f32 vector_down_f32(vector_f32 a)
{
  return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_setzero_si512(), _mm512_castps_si512(a), 1));
}

HS_INLINE_ALWAYS vector_f64 vector_and_f64(vector_f64 a, vector_f64 b)
{
  return _mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(a), _mm512_castpd_si512(b)));
}

HS_INLINE_ALWAYS vector_f32 vector_and_f32(vector_f32 a, vector_f32 b)
{
  return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(a), _mm512_castps_si512(b)));
}

HS_INLINE_ALWAYS vector_f64 vector_choose_f64(vector_f64 bits, vector_f64 a, vector_f64 b)
{
  const __m512i chosen =
      _mm512_ternarylogic_epi64(_mm512_castpd_si512(bits), _mm512_castpd_si512(a), _mm512_castpd_si512(b), 0xca);
  return _mm512_castsi512_pd(chosen);
}

HS_INLINE_ALWAYS vector_f32 vector_choose_f32(vector_f32 bits, vector_f32 a, vector_f32 b)
{
  const __m512i chosen =
      _mm512_ternarylogic_epi32(_mm512_castps_si512(bits), _mm512_castps_si512(a), _mm512_castps_si512(b), 0xca);
  return _mm512_castsi512_ps(chosen);
}

HS_INLINE_ALWAYS vector_f64 vector_low_f64(vector_f64 a, vector_f64 b)
{
  return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), b);
}

HS_INLINE_ALWAYS vector_f64 vector_high_f64(vector_f64 a, vector_f64 b)
{
  return _mm512_permutex2var_pd(a, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), b);
}

HS_INLINE_ALWAYS vector_f32 vector_low_f32(vector_f32 a, vector_f32 b)
{
  return _mm512_permutex2var_ps(a, _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), b);
}

HS_INLINE_ALWAYS vector_f32 vector_high_f32(vector_f32 a, vector_f32 b)
{
  return _mm512_permutex2var_ps(a, _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), b);
}

#elif defined(__AVX2__)

#include <immintrin.h>
#define HAVE_VECTORS

enum { VECTOR_PARTS = 2 };

typedef __m256d vector_f64;
typedef __m256 vector_f32;
typedef uint64_t vector_bits __attribute__((vector_size(32)));

#define vector_load_f64 _mm256_loadu_pd
#define vector_load_f32 _mm256_loadu_ps
#define vector_store_f64 _mm256_storeu_pd
#define vector_store_f32 _mm256_storeu_ps
#define vector_all_f64 _mm256_set1_pd
#define vector_all_f32 _mm256_set1_ps
#define vector_fma_f64 _mm256_fmadd_pd
#define vector_fma_f32 _mm256_fmadd_ps
#define vector_and_f64 _mm256_and_pd
#define vector_and_f32 _mm256_and_ps
#define vector_choose_f64(bits, a, b) _mm256_blendv_pd(b, a, bits)
#define vector_choose_f32(bits, a, b) _mm256_blendv_ps(b, a, bits)
#define vector_low_f64 _mm256_unpacklo_pd
#define vector_low_f32 _mm256_unpacklo_ps
#define vector_high_f64 _mm256_unpackhi_pd
#define vector_high_f32 _mm256_unpackhi_ps
#define vector_front_f64(a, b) _mm256_permute2f128_pd(a, b, 0x20)
#define vector_front_f32(a, b) _mm256_permute2f128_ps(a, b, 0x20)
#define vector_back_f64(a, b) _mm256_permute2f128_pd(a, b, 0x31)
#define vector_back_f32(a, b) _mm256_permute2f128_ps(a, b, 0x31)
#define vector_most_f64(a, b) _mm256_max_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), a), b)
#define vector_wide_f64 _mm256_loadu_pd
#define vector_wide_f32(a) _mm256_cvtps_pd(_mm_loadu_ps(a))
#define vector_wide_minus_f64(a, b) (_mm256_loadu_pd(a) - _mm256_loadu_pd(b))
#define vector_wide_minus_f32(a, b) _mm256_cvtps_pd(_mm_loadu_ps(a) - _mm_loadu_ps(b))

HS_INLINE_ALWAYS vector_f64 vector_up_f64(vector_f64 a)
{
  return _mm256_blend_pd(_mm256_permute4x64_pd(a, 0x90), _mm256_setzero_pd(), 0x1);
}

HS_INLINE_ALWAYS vector_f32 vector_up_f32(vector_f32 a)
{
  const __m256i order = _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6);
  return _mm256_blend_ps(_mm256_permutevar8x32_ps(a, order), _mm256_setzero_ps(), 0x1);
}

HS_INLINE_ALWAYS vector_f64 vector_down_f64(vector_f64 a)
{
  return _mm256_blend_pd(_mm256_permute4x64_pd(a, 0x39), _mm256_setzero_pd(), 0x8);
}

HS_INLINE_ALWAYS vector_f32 vector_down_f32(vector_f32 a)
{
  const __m256i order = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 7);
  return _mm256_blend_ps(_mm256_permutevar8x32_ps(a, order), _mm256_setzero_ps(), 0x80);
}

#endif

#endif
