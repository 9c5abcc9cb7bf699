/* Row functions of the cpu backend: one source, compiled once per instruction set, for both precisions. The set is chosen
 * at run time.
 *
 * Fields lie in the natural layout: element i of a row is column i, and column 0 lies on a cache line. Their rows are
 * swept one by one: segments of one stencil by a loop that the compiler vectorises, all other nodes by look-up.
 *
 * Passes of several sweeps take rows in the transposed layout (rows/transposed.h), where a vector holds nodes that lie far
 * apart. Their stencils are packed: a group has a vector for each coefficient, and vectors of the same stencils share a
 * group and form segments. Most problems need few groups.
 */
#ifndef HS_BACKEND_CPU_ROWS_ROWS_H
#define HS_BACKEND_CPU_ROWS_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "numerics/exactsum.h"
#include "numerics/relaxation.h"
#include "problem/system.h"

/* Segments of transposed rows. */
enum hs_segment_kind {
  HS_SEGMENT_EQUAL,  /* all weights times four are 1: two additions and one fma */
  HS_SEGMENT_MASKED, /* such nodes, Dirichlet ones and what lies outside of the grid */
  HS_SEGMENT_GENERAL /* any nodes: six operations */
};

/* Nodes from <= i < to of a natural row, or vectors of a transposed one, with the same stencils. */
struct hs_row_segment {
  int32_t from, to;
  uint16_t entry; /* coefficient index, or number of a group */
  uint16_t kind;  /* of transposed rows */
};

/* A row's segments in an array; rows of equal stencils share them. */
struct hs_row_span {
  int64_t first;
  int32_t count;
  int32_t alike; /* this row and those north of it that share its segments */
};

enum {
  HS_SEGMENT_LEAST = 6,          /* vectors of a segment that is swept apart from others */
  HS_GROUP_COEFFICIENTS = 9,     /* vectors of a group */
  HS_NORM_GROUP_COEFFICIENTS = 7 /* numbers of double precision that a node of a group has for norms */
};

/* The stencils of a natural row. */
struct hs_row_schedule {
  const struct hs_row_segment *segments;
  int segment_count;
  int nx;
  const uint16_t *index; /* coefficient index of column i; NULL: first + i */
  size_t first;          /* number of column 0's node */
};

/* A natural row and those beside it; columns -1 and nx are readable. */
struct hs_rows {
  const void *south, *row, *north;
  const void *r; /* per-node constants in this row; NULL: none */
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

/* Neighbouring transposed rows. Row m of the new ones is made of in[m] (south), in[m + 1] and in[m + 2] (north) and goes
 * to out[m], which may be in[m]. What is south of the first row and north of the last may be zeros. */
struct hs_transposed_rows {
  void *const *in;
  void *const *out;
  int count;
  const struct hs_row_span *spans; /* [count] */
  const struct hs_row_segment *segments;
  const void *groups;
  int columns;      /* of the tile: a multiple of a vector's elements */
  int shift;        /* first vector of the new rows, as the segments count them */
  bool full_width;  /* zeros lie beyond both ends of the rows */
  const void *east; /* else [count][2] elements beyond the end of each new row; NULL: no ghosts are made */
  void *west;       /* [count][2] becomes the first two of each new row; may be `east` */
  enum hs_form form;
  double weight;
  const void *const *r; /* [count] per-node constants, vector 0 being that of the segments; NULL: none */
};

/* Neighbouring transposed rows whose norms are taken: row m is in[m + 1], before[m] its predecessor, from the vector on
 * that a new row would be written to. */
struct hs_transposed_norms {
  void *const *in;
  void *const *before;
  int count;
  const struct hs_row_span *spans; /* [count] */
  const struct hs_row_segment *segments;
  const void *groups; /* of norm_groups_pack */
  int columns, shift;
  const struct hs_cpu_scales *scales;
};

/* The functions for fields of one precision. */
struct hs_cpu_rows {
  const char *isa;
  int width; /* elements of a vector */

  /* out[i] = sweep of node i; for Chebyshev's form out holds the predecessor before. */
  void (*sweep)(const struct hs_system *system, const struct hs_row_schedule *schedule, const struct hs_rows *rows,
                enum hs_form form, double weight, void *out);
  /* r[i] = right-hand side of an implicit step; source_w_m is the row of the source map, or NULL; rows->r is unused. */
  void (*step)(const struct hs_system *system, const struct hs_row_schedule *schedule, const struct hs_rows *rows,
               bool trapezoid, const double *source_w_m, void *r);
  /* Adds the norms of rows->row - before; all but the update's in double precision. */
  void (*norms)(const struct hs_system *system, const struct hs_row_schedule *schedule, const struct hs_rows *rows,
                const void *before, const struct hs_cpu_scales *scales, struct hs_row_norms *norms);

  /* Packs stencils into groups: entries[count][width] of the stencil table, -1 for zeros outside of the grid. For norms
   * once more, in double precision whatever the fields have. */
  void (*groups_pack)(const struct hs_system *system, const int32_t *entries, int count, void *groups);
  void (*norm_groups_pack)(const struct hs_system *system, const int32_t *entries, int count, void *groups);
  /* So many vectors of a row in transposed layout: element k of vector v is row[k * length + v]. */
  void (*transpose)(const void *row, int length, int vectors, void *transposed);
  /* Back: of the columns of a tile. */
  void (*transpose_back)(const void *transposed, int columns, void *row);
  /* The new rows lie one column further east than the old ones, and are stored from where those begin. */
  void (*transposed_sweep)(const struct hs_transposed_rows *rows);
  void (*transposed_norms)(const struct hs_transposed_norms *rows, struct hs_row_norms *norms);
};

/* [2] in double and in single precision. */
extern const struct hs_cpu_rows hs_cpu_rows_baseline[];
extern const struct hs_cpu_rows hs_cpu_rows_avx2[]; /* where the compiler can build it */
extern const struct hs_cpu_rows hs_cpu_rows_avx512[];

/* The widest set that this processor runs, or the one of that name (baseline, avx2, avx512; NULL: the widest). Errors:
 * HS_ERR_UNSUPPORTED when that one cannot run here. */
hs_status hs_cpu_rows_choose(const char *isa, bool single, const struct hs_cpu_rows **rows, struct hs_error *err);

#endif
