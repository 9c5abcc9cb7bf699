/* The row functions of operators for one instruction set; the build compiles this file once for each, with HS_ROWS_ISA
 * naming it.
 *
 * Loops are written for the compiler's vectoriser: `restrict`, no branches that depend on data, constants in place of
 * arguments where a function is inlined.
 */
#ifdef __FMA__
#include <immintrin.h>
#endif
#include <limits.h>
#include <math.h>
#include <string.h>

#include "backend/cpu/linear/rows.h"
#include "numerics/node.h"

#ifndef HS_ROWS_ISA
#define HS_ROWS_ISA baseline
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#define SIMD _Pragma("omp simd")

/* Entries that are looked up are copied so many at a time, for the compiler reads members of neighbouring structures by
 * shuffles, but gathers others one by one; fewer than the second number are not worth that. */
enum { LOOKED_UP = 128, LOOKED_UP_LEAST = 16 };

/* For each run of a row of the finest grid, or what of it lies in begin <= i < end: BODY with `s` the entry of node i. */
#define FINE_RUNS_WITHIN(g, begin, end, type, table, body)                                                             \
  for (const struct hs_linear_run *run = (g)->run; run < (g)->run + (g)->run_count; run++) {                           \
    const int run_from = run->from > (begin) ? run->from : (begin), run_to = run->to < (end) ? run->to : (end);        \
    if (run->entry >= 0) {                                                                                             \
      const struct type coefficients = (table)[run->entry], *const s = &coefficients;                                  \
      SIMD for (int i = run_from; i < run_to; i++) body;                                                               \
    } else if ((g)->index) {                                                                                           \
      const uint16_t *restrict index = (g)->index;                                                                     \
      struct type entries[LOOKED_UP];                                                                                  \
      int piece = run_from, stop;                                                                                      \
      for (; run_to - piece < LOOKED_UP_LEAST && piece < run_to; piece++) {                                            \
        const struct type *const s = &(table)[index[piece]];                                                           \
        const int i = piece;                                                                                           \
        body;                                                                                                          \
      }                                                                                                                \
      for (; piece < run_to; piece = stop) {                                                                           \
        stop = run_to - piece < LOOKED_UP ? run_to : piece + LOOKED_UP;                                                \
        for (int i = piece; i < stop; i++) entries[i - piece] = (table)[index[i]];                                     \
        SIMD for (int i = piece; i < stop; i++)                                                                        \
        {                                                                                                              \
          const struct type *const s = &entries[i - piece];                                                            \
          body;                                                                                                        \
        }                                                                                                              \
      }                                                                                                                \
    } else {                                                                                                           \
      const struct type *restrict own = (table) + (g)->first;                                                          \
      SIMD for (int i = run_from; i < run_to; i++)                                                                     \
      {                                                                                                                \
        const struct type *const s = &own[i];                                                                          \
        body;                                                                                                          \
      }                                                                                                                \
    }                                                                                                                  \
  }
#define FINE_RUNS(g, type, table, body) FINE_RUNS_WITHIN(g, INT_MIN, INT_MAX, type, table, body)

#include "backend/cpu/linear/coarsen_rows.h"
#include "backend/cpu/linear/cycle_rows.h"
#include "backend/cpu/linear/transfer_rows.h"
/* after what they use */
#include "backend/cpu/linear/cg_rows.h"
#include "backend/cpu/linear/segment_rows.h"

const struct hs_linear_rows JOIN(hs_linear_rows_, HS_ROWS_ISA) = {.isa = TEXT(HS_ROWS_ISA),
                                                                  .round = round_row,
                                                                  .start = start_row,
                                                                  .relax = relax_row,
                                                                  .residual = residual_row,
                                                                  .lines = lines_row,
                                                                  .middles = middles_row,
                                                                  .restricted = restrict_row,
                                                                  .prolonged = prolong_row,
                                                                  .segments = segments_block,
                                                                  .inflow = residual_row_f64,
                                                                  .examine = examine_row,
                                                                  .round_inflow = round_inflow_row,
                                                                  .advance = advance_row,
                                                                  .correct = correct_row,
                                                                  .found = found_row,
                                                                  .galerkin = galerkin_row,
                                                                  .shares = shares_row};
