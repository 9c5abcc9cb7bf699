/* Row functions of the cpu backend: one source, compiled once per instruction set.
 *
 * A row is cut into groups of as many nodes as a vector has elements. The first begins at column 0, which lies on a
 * cache line, and the last may reach into the padding:
 *
 *      h t t t | t t t t | t t t u | u u u u | u u h -      h held, t and u two materials, - padding
 *      packed    one stencil  packed   ...     packed
 *
 * so no loop has a remainder, and every vector that is written is aligned. Groups of one stencil form segments. A group
 * whose nodes differ is `packed`: its stencils are kept as vectors, one for each coefficient, and all groups of the
 * same stencils share them; a part needs few. Only what is too various for that is looked up node by node.
 * The set of functions is chosen at segment time.
 */
#ifndef HS_BACKEND_CPU_ROWS_ROWS_H
#define HS_BACKEND_CPU_ROWS_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "numerics/exactsum.h"
#include "numerics/relaxation.h"
#include "problem/system.h"

enum hs_segment_kind {
  HS_SEGMENT_DIRICHLET, /* zero weights: one stencil like the next but one, never relaxed, and no residual */
  HS_SEGMENT_EQUAL,     /* all weights times four are 1: two additions and one fma */
  HS_SEGMENT_STENCIL,   /* one stencil: six operations */
  HS_SEGMENT_MIXED,     /* stencil looked up node by node */
  HS_SEGMENT_MASKED     /* in transposed rows: nodes of HS_SEGMENT_EQUAL, Dirichlet ones and what lies outside */
};

/* Groups from <= g < to of a row. */
struct hs_row_segment {
  int32_t from, to;
  int32_t packed; /* packed groups of the row before this segment */
  uint16_t entry; /* in the stencil table, for the first three kinds; of transposed rows the number of a packed group */
  uint16_t kind;
};

/* Where a row has a packed group. */
struct hs_row_packed {
  int32_t group, number;
};

enum { HS_SEGMENT_LEAST = 6 }; /* vectors of a segment of transposed rows that is swept by itself */

enum { HS_NORM_COEFFICIENTS = 7 }; /* numbers of double precision that a node of a group has for norms */

enum { HS_GROUP_COEFFICIENTS = 10 }; /* vectors of a packed group: as in struct hs_stencil_f64, and two masks */

/* The stencils of one row. */
struct hs_row_schedule {
  int nx;
  const struct hs_row_segment *segments;
  int segment_count;
  const struct hs_row_packed *packed;
  int packed_count;
  const void *groups;    /* all packed groups, in the precision of the field */
  const uint16_t *index; /* coefficient index of column i; NULL: entry first + i */
  size_t first;          /* number of column 0's node */
};

/* Where a row's schedule begins; rows of equal stencils share one. */
struct hs_row_span {
  int64_t first_segment, first_packed;
  int32_t segment_count, packed_count;
  int32_t alike; /* of transposed rows: this one and those north of it that have the same schedule */
  int32_t
      row; /* of others: the first of neighbouring ones with the same coefficient indices, so that one is looked up */
};

/* Neighbouring transposed rows that are swept together, of elements as the function says. Row m, 0 <= m < count, is in
 * slot[m + 1]; its sweep goes to slot[m], over the row south of it, but the first one to `out`: what is south of the
 * first row and north of the last may be zeros that nothing is written to. */
struct hs_transposed_rows {
  void *const *slot;
  void *out;
  int count;
  /* [count]; segments are of groups with the same stencils: kind HS_SEGMENT_EQUAL or _STENCIL */
  const struct hs_row_span *spans;
  const struct hs_row_segment *segments;
  const void *groups;
  int columns; /* a multiple of a group's nodes */
  int shift;   /* first column of the new rows, as the segments count them */
  bool
      full_width; /* zeros lie beyond both ends; the new rows come to lie one vector further west than the columns do */
  const void *east; /* else [count][2] elements beyond the end of each new row; NULL: no ghosts are made */
  void *west;       /* [count][2] becomes the first two of each new row; may be `east` */
};

/* Three neighbouring rows of a field; element i of each is column i. Column -1 and as many as a group has from nx on
 * are readable. */
struct hs_rows_f64 {
  const double *south, *row, *north;
  const double *r; /* per-node constants in this row; NULL: none */
};
struct hs_rows_f32 {
  const float *south, *row, *north;
  const float *r;
};

/* How norms are summed. */
struct hs_cpu_scales {
  double update, residual; /* powers of two, hs_sum_scale */
  struct hs_sum_split split;
  bool full; /* else the update's norms only */
};

/* Norms under accumulation by one thread. */
struct hs_row_norms {
  struct hs_sum update, residual;
  double update_max, residual_max, two_sweep_max, correction_max;
};

/* Neighbouring transposed rows whose norms are taken, like those of struct hs_transposed_rows: row m is in slot[m +
 * 1], and in before[m] its predecessor, two vectors ahead of the slot. */
struct hs_transposed_norms {
  void *const *slot;
  void *const *before;
  int count;
  const struct hs_row_span *spans; /* [count] */
  const struct hs_row_segment *segments;
  const void *groups; /* of norm_groups_pack */
  int columns, shift;
  const struct hs_cpu_scales *scales;
};

struct hs_cpu_rows {
  const char *isa;
  int group_bytes; /* of a group's nodes in a field: a vector */
  /* Packs stencils into groups: entries[count][nodes of a group] of the stencil table, -1 for the padding's zeros. */
  void (*turn_f64)(const struct hs_system *system, const int32_t *entries, int count, void *groups);
  void (*turn_f32)(const struct hs_system *system, const int32_t *entries, int count, void *groups);
  /* out[i] = sweep of node i; for Chebyshev's form out holds the predecessor before. Where the last group reaches
   * into the padding, zeros are written there. */
  void (*sweep_f64)(const struct hs_system *system, const struct hs_row_schedule *schedule,
                    const struct hs_rows_f64 *rows, enum hs_form form, double weight, double *out);
  void (*sweep_f32)(const struct hs_system *system, const struct hs_row_schedule *schedule,
                    const struct hs_rows_f32 *rows, enum hs_form form, double weight, float *out);
  /* Rows to transposed layout (rows/transposed.h) and back; NULL: there are none. A transposed row has two groups of
   * ghosts behind it, and so has a natural one two elements. east: the two elements beyond the row's end; west
   * becomes its first two. NULL: zeros lie beyond both ends, and there is one group of ghosts on either side; of the
   * two elements the second then means nothing. */
  void (*transpose_f64)(const double *row, int columns, const double *east, double *west, double *transposed);
  void (*transpose_f32)(const float *row, int columns, const float *east, float *west, float *transposed);
  void (*transpose_back_f64)(const double *transposed, int columns, double *row);
  void (*transpose_back_f32)(const float *transposed, int columns, float *row);
  /* Plain sweep of transposed rows, one column further east than they are. */
  void (*sweep_transposed_f64)(const struct hs_transposed_rows *rows);
  void (*sweep_transposed_f32)(const struct hs_transposed_rows *rows);
  /* Packs the stencils of groups once more, in double precision whatever the fields have, for the norms of transposed
   * rows, and adds these. */
  void (*norm_groups_pack_f64)(const struct hs_system *system, const int32_t *entries, int count, void *groups);
  void (*norm_groups_pack_f32)(const struct hs_system *system, const int32_t *entries, int count, void *groups);
  void (*norms_transposed_f64)(const struct hs_transposed_norms *rows, struct hs_row_norms *norms);
  void (*norms_transposed_f32)(const struct hs_transposed_norms *rows, struct hs_row_norms *norms);
  /* r[i] = right-hand side of an implicit step; source_w_m is the row of the source map, or NULL; rows->r is unused. */
  void (*step_f64)(const struct hs_system *system, const struct hs_row_schedule *schedule,
                   const struct hs_rows_f64 *rows, bool trapezoid, const double *source_w_m, double *r);
  void (*step_f32)(const struct hs_system *system, const struct hs_row_schedule *schedule,
                   const struct hs_rows_f32 *rows, bool trapezoid, const double *source_w_m, float *r);
  /* Adds the norms of now - before over n nodes. */
  void (*update_norms_f64)(const double *now, const double *before, int n, double scale, struct hs_sum_split split,
                           struct hs_row_norms *norms);
  void (*update_norms_f32)(const float *now, const float *before, int n, double scale, struct hs_sum_split split,
                           struct hs_row_norms *norms);
  /* Adds all norms of columns from .. to-1 of a row; but for the update's in double precision. */
  void (*all_norms_f64)(const struct hs_system *system, const struct hs_row_schedule *schedule,
                        const struct hs_rows_f64 *rows, const double *before, int from, int to,
                        const struct hs_cpu_scales *scales, struct hs_row_norms *norms);
  void (*all_norms_f32)(const struct hs_system *system, const struct hs_row_schedule *schedule,
                        const struct hs_rows_f32 *rows, const float *before, int from, int to,
                        const struct hs_cpu_scales *scales, struct hs_row_norms *norms);
};

extern const struct hs_cpu_rows hs_cpu_rows_baseline;
extern const struct hs_cpu_rows hs_cpu_rows_avx2; /* where the compiler can build it */
extern const struct hs_cpu_rows hs_cpu_rows_avx512;

/* The widest set that this processor runs, or the one of that name (baseline, avx2, avx512; NULL: the widest). Errors:
 * HS_ERR_UNSUPPORTED when that one cannot run here. */
hs_status hs_cpu_rows_choose(const char *isa, const struct hs_cpu_rows **rows, struct hs_error *err);

#endif
