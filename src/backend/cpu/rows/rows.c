/* The row functions for one instruction set; the build compiles this file once for each, with
 * HS_ROWS_ISA naming it. Both precisions come from rows/body.h.
 */
#include <string.h>

#include "backend/cpu/rows/lookup.h"
#include "backend/cpu/rows/rows.h"
#include "backend/cpu/rows/vector.h"

#ifndef HS_ROWS_ISA
#define HS_ROWS_ISA baseline
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

#define NOT_INLINED __attribute__((noinline))

#ifdef HAVE_VECTORS
#define WITH_VECTORS(function) function
#else
#define WITH_VECTORS(function) NULL
#endif

/* JAM_ROWS_MOST: transposed rows that are swept at once where they are alike, JAM_ROWS where fewer are; NORM_ROWS_MOST:
 * those whose norms are taken at once. */
#ifdef __AVX512F__
enum { GROUP_BYTES = 64, JAM_ROWS = 4, JAM_ROWS_MOST = 8, NORM_ROWS_MOST = 4 };
#else
enum { GROUP_BYTES = 32, JAM_ROWS = 4, JAM_ROWS_MOST = 4, NORM_ROWS_MOST = 2 };
#endif

#define REAL double
#define BITS uint64_t
#define PRECISION(name) name##_f64
#define STENCIL stencil
#include "backend/cpu/rows/body.h"
#undef REAL
#undef BITS
#undef PRECISION
#undef STENCIL

#define REAL float
#define BITS uint32_t
#define PRECISION(name) name##_f32
#define STENCIL stencil_single
#include "backend/cpu/rows/body.h"

const struct hs_cpu_rows JOIN(hs_cpu_rows_, HS_ROWS_ISA) = {
    .isa = TEXT(HS_ROWS_ISA),
    .group_bytes = GROUP_BYTES,
    .turn_f64 = groups_pack_f64,
    .turn_f32 = groups_pack_f32,
    .sweep_f64 = sweep_f64,
    .sweep_f32 = sweep_f32,
    .transpose_f64 = WITH_VECTORS(transpose_f64),
    .transpose_f32 = WITH_VECTORS(transpose_f32),
    .transpose_back_f64 = WITH_VECTORS(transpose_back_f64),
    .transpose_back_f32 = WITH_VECTORS(transpose_back_f32),
    .sweep_transposed_f64 = WITH_VECTORS(sweep_transposed_f64),
    .sweep_transposed_f32 = WITH_VECTORS(sweep_transposed_f32),
    .norm_groups_pack_f64 = WITH_VECTORS(norm_groups_pack_f64),
    .norm_groups_pack_f32 = WITH_VECTORS(norm_groups_pack_f32),
    .norms_transposed_f64 = WITH_VECTORS(norms_transposed_f64),
    .norms_transposed_f32 = WITH_VECTORS(norms_transposed_f32),
    .step_f64 = step_f64,
    .step_f32 = step_f32,
    .update_norms_f64 = update_norms_f64,
    .update_norms_f32 = update_norms_f32,
    .all_norms_f64 = all_norms_f64,
    .all_norms_f32 = all_norms_f32,
};
