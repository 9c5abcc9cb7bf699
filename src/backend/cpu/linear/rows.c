/* The row functions of operators for one instruction set; the build compiles this file once for each, with HS_ROWS_ISA
 * naming it.
 *
 * Loops are written for the compiler's vectoriser: `restrict`, no branches that depend on data, constants in place of
 * arguments where a function is inlined.
 */
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

/* For each run of a row of the finest grid: BODY with `s` the entry of node i. */
#define FINE_RUNS(g, type, table, body)                                                                                \
  for (const struct hs_linear_run *run = (g)->run; run < (g)->run + (g)->run_count; run++) {                           \
    if (run->entry >= 0) {                                                                                             \
      const struct type coefficients = (table)[run->entry], *const s = &coefficients;                                  \
      SIMD for (int i = run->from; i < run->to; i++) body;                                                             \
    } else if ((g)->index) {                                                                                           \
      const uint16_t *restrict index = (g)->index;                                                                     \
      SIMD for (int i = run->from; i < run->to; i++)                                                                   \
      {                                                                                                                \
        const struct type *const s = &(table)[index[i]];                                                               \
        body;                                                                                                          \
      }                                                                                                                \
    } else {                                                                                                           \
      const struct type *restrict own = (table) + (g)->first;                                                          \
      SIMD for (int i = run->from; i < run->to; i++)                                                                   \
      {                                                                                                                \
        const struct type *const s = &own[i];                                                                          \
        body;                                                                                                          \
      }                                                                                                                \
    }                                                                                                                  \
  }

#include "backend/cpu/linear/cg_rows.h"
#include "backend/cpu/linear/coarsen_rows.h"
#include "backend/cpu/linear/cycle_rows.h"

const struct hs_linear_rows JOIN(hs_linear_rows_, HS_ROWS_ISA) = {.isa = TEXT(HS_ROWS_ISA),
                                                                  .round = round_row,
                                                                  .start = start_row,
                                                                  .relax = relax_row,
                                                                  .residual = residual_row,
                                                                  .restricted = restrict_row,
                                                                  .prolonged = prolong_row,
                                                                  .inflow = inflow_row,
                                                                  .examine = examine_row,
                                                                  .direct = direct_row,
                                                                  .widen = widen_row,
                                                                  .multiply = multiply_row,
                                                                  .advance = advance_row,
                                                                  .galerkin = galerkin_row,
                                                                  .shares = shares_row};
