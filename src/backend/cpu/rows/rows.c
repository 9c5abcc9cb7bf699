/* The row functions for one instruction set; the build compiles this file once for each, with
 * HS_ROWS_ISA naming it, and includes what is the same in both precisions twice.
 */
#include <math.h>
#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "backend/cpu/rows/rows.h"
#include "numerics/node.h"

#ifndef HS_ROWS_ISA
#define HS_ROWS_ISA baseline
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

#define NOT_INLINED __attribute__((noinline))

/* JAM_ROWS_MOST: transposed rows that are swept at once where they are alike, JAM_ROWS where fewer are; NORM_ROWS:
 * those whose norms are taken at once. */
#ifdef __AVX512F__
enum { GROUP_BYTES = 64, JAM_ROWS = 4, JAM_ROWS_MOST = 8, NORM_ROWS = 4 };
#define LANES_F64 8
#define LANES_F32 16
#else
enum { GROUP_BYTES = 32, JAM_ROWS = 4, JAM_ROWS_MOST = 4, NORM_ROWS = 2 };
#define LANES_F64 4
#define LANES_F32 8
#endif

/* --- what rows/vector.h needs ----------------------------------------------------------------- */

#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (PRECISION(vector_bits)){__VA_ARGS__})
#pragma GCC diagnostic ignored "-Wpsabi" /* functions that pass vectors are inlined */
#endif

#define ORDER(name) JOIN(JOIN(name, _), LANES)
#define LOW_4 0, 4, 1, 5
#define LOW_8 0, 8, 1, 9, 2, 10, 3, 11
#define LOW_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_4 2, 6, 3, 7
#define HIGH_8 4, 12, 5, 13, 6, 14, 7, 15
#define HIGH_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define UP_4 4, 0, 1, 2
#define UP_8 8, 0, 1, 2, 3, 4, 5, 6
#define UP_16 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14
#define DOWN_4 1, 2, 3, 4
#define DOWN_8 1, 2, 3, 4, 5, 6, 7, 8
#define DOWN_16 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16

#if defined(__AVX512F__)
#define vector_fused_f64 _mm512_fmadd_pd
#define vector_fused_f32 _mm512_fmadd_ps
#define vector_larger_f64 _mm512_max_pd
#define vector_larger_f32 _mm512_max_ps
#elif defined(__AVX2__)
#define vector_fused_f64 _mm256_fmadd_pd
#define vector_fused_f32 _mm256_fmadd_ps
#define vector_larger_f64 _mm256_max_pd
#define vector_larger_f32 _mm256_max_ps
#endif
#define fused_f64 fma
#define fused_f32 fmaf

#define REAL double
#define BITS uint64_t
#define PRECISION(name) name##_f64
#define STENCIL stencil
#define LANES LANES_F64
#include "backend/cpu/rows/precision.h"
#undef REAL
#undef BITS
#undef PRECISION
#undef STENCIL
#undef LANES

#define REAL float
#define BITS uint32_t
#define PRECISION(name) name##_f32
#define STENCIL stencil_single
#define LANES LANES_F32
#include "backend/cpu/rows/precision.h"

#define ROWS(suffix)                                                                                                   \
  {                                                                                                                    \
    .isa = TEXT(HS_ROWS_ISA), .width = WIDTH_##suffix, .sweep = sweep_##suffix, .step = step_##suffix,                 \
    .norms = norms_##suffix, .groups_pack = groups_pack_##suffix, .norm_groups_pack = norm_groups_pack_##suffix,       \
    .transpose = transpose_##suffix, .transpose_back = transpose_back_##suffix,                                        \
    .transposed_sweep = transposed_sweep_##suffix, .transposed_norms = transposed_norms_##suffix                       \
  }

const struct hs_cpu_rows JOIN(hs_cpu_rows_, HS_ROWS_ISA)[2] = {ROWS(f64), ROWS(f32)};
