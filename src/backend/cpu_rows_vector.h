/* Vectors with neighbours from registers: a group of nodes and the groups beside it give those one column west and east
 * of it, so that a row is loaded once. Included by cpu_rows.c alone.
 *
 *      here                 a b c d
 *      next                         e f g h
 *      middle                   c d e f           where a shift crosses the halves of a vector (AVX2), else unused
 *      east of here           b c d e
 *      west of next               d e f g
 *
 * Without AVX2 there are none of these, and HAVE_VECTORS is not defined.
 */
#ifndef HS_BACKEND_CPU_ROWS_VECTOR_H
#define HS_BACKEND_CPU_ROWS_VECTOR_H

#include "backend/node.h"

#if defined(__AVX512F__)

#include <immintrin.h>
#define HAVE_VECTORS

typedef __m512d vector_f64;
typedef __m512 vector_f32;

#define vector_load_f64 _mm512_loadu_pd
#define vector_load_f32 _mm512_loadu_ps
#define vector_store_f64 _mm512_storeu_pd
#define vector_store_f32 _mm512_storeu_ps
#define vector_all_f64 _mm512_set1_pd
#define vector_all_f32 _mm512_set1_ps
#define vector_fma_f64 _mm512_fmadd_pd
#define vector_fma_f32 _mm512_fmadd_ps

HS_INLINE_ALWAYS vector_f64 vector_middle_f64(vector_f64 here, vector_f64 next)
{
  (void)here;
  return next;
}

HS_INLINE_ALWAYS vector_f32 vector_middle_f32(vector_f32 here, vector_f32 next)
{
  (void)here;
  return next;
}

HS_INLINE_ALWAYS vector_f64 vector_east_f64(vector_f64 here, vector_f64 middle, vector_f64 next)
{
  (void)middle;
  return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(next), _mm512_castpd_si512(here), 1));
}

HS_INLINE_ALWAYS vector_f32 vector_east_f32(vector_f32 here, vector_f32 middle, vector_f32 next)
{
  (void)middle;
  return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(next), _mm512_castps_si512(here), 1));
}

HS_INLINE_ALWAYS vector_f64 vector_west_f64(vector_f64 here, vector_f64 middle, vector_f64 next)
{
  (void)middle;
  return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(next), _mm512_castpd_si512(here), 7));
}

HS_INLINE_ALWAYS vector_f32 vector_west_f32(vector_f32 here, vector_f32 middle, vector_f32 next)
{
  (void)middle;
  return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(next), _mm512_castps_si512(here), 15));
}

#elif defined(__AVX2__)

#include <immintrin.h>
#define HAVE_VECTORS

typedef __m256d vector_f64;
typedef __m256 vector_f32;

#define vector_load_f64 _mm256_loadu_pd
#define vector_load_f32 _mm256_loadu_ps
#define vector_store_f64 _mm256_storeu_pd
#define vector_store_f32 _mm256_storeu_ps
#define vector_all_f64 _mm256_set1_pd
#define vector_all_f32 _mm256_set1_ps
#define vector_fma_f64 _mm256_fmadd_pd
#define vector_fma_f32 _mm256_fmadd_ps

HS_INLINE_ALWAYS vector_f64 vector_middle_f64(vector_f64 here, vector_f64 next)
{
  return _mm256_permute2f128_pd(here, next, 0x21);
}

HS_INLINE_ALWAYS vector_f32 vector_middle_f32(vector_f32 here, vector_f32 next)
{
  return _mm256_permute2f128_ps(here, next, 0x21);
}

HS_INLINE_ALWAYS vector_f64 vector_east_f64(vector_f64 here, vector_f64 middle, vector_f64 next)
{
  (void)next;
  return _mm256_shuffle_pd(here, middle, 0x5);
}

HS_INLINE_ALWAYS vector_f32 vector_east_f32(vector_f32 here, vector_f32 middle, vector_f32 next)
{
  (void)next;
  return _mm256_castsi256_ps(_mm256_alignr_epi8(_mm256_castps_si256(middle), _mm256_castps_si256(here), 4));
}

HS_INLINE_ALWAYS vector_f64 vector_west_f64(vector_f64 here, vector_f64 middle, vector_f64 next)
{
  (void)here;
  return _mm256_shuffle_pd(middle, next, 0x5);
}

HS_INLINE_ALWAYS vector_f32 vector_west_f32(vector_f32 here, vector_f32 middle, vector_f32 next)
{
  (void)here;
  return _mm256_castsi256_ps(_mm256_alignr_epi8(_mm256_castps_si256(next), _mm256_castps_si256(middle), 12));
}

#endif

#endif
