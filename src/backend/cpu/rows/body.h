/* Row functions for one precision; included by rows/rows.c with REAL, BITS, PRECISION and STENCIL set.
 *
 * The loops are written so that the compiler vectorises them: no branch, neighbours by index. Each
 * loop is written once and inlined with constant arguments for every form of sweep, with and without
 * per-node constants, so that a plain sweep pays for none of it.
 */

enum { PRECISION(WIDTH) = LANES };

#include "backend/cpu/rows/vector.h"

/* A packed group: struct hs_stencil_f64 or _f32 with a vector for each member, and all bits set where a node is inside
 * of the grid; quarter: 1/4, or 0 where the stencil has no weights. */
struct PRECISION(group) {
  REAL west[PRECISION(WIDTH)], east[PRECISION(WIDTH)], south[PRECISION(WIDTH)], north[PRECISION(WIDTH)];
  REAL c[PRECISION(WIDTH)], diagonal[PRECISION(WIDTH)], relax[PRECISION(WIDTH)], storage[PRECISION(WIDTH)];
  REAL quarter[PRECISION(WIDTH)];
  BITS inside[PRECISION(WIDTH)];
};

static void PRECISION(groups_pack)(const struct hs_system *system, const int32_t *entries, int count, void *groups)
{
  const struct PRECISION(hs_stencil) padding = {0, 0, 0, 0, 0, 0, 0, 0};
  struct PRECISION(group) *group = groups;
  for (int g = 0; g < count; g++, group++, entries += PRECISION(WIDTH)) {
    for (int k = 0; k < PRECISION(WIDTH); k++) {
      const struct PRECISION(hs_stencil) *s = entries[k] < 0 ? &padding : &system->STENCIL[entries[k]];
      group->west[k] = s->west;
      group->east[k] = s->east;
      group->south[k] = s->south;
      group->north[k] = s->north;
      group->c[k] = s->c;
      group->diagonal[k] = s->diagonal;
      group->relax[k] = s->relax;
      group->storage[k] = s->storage;
      group->inside[k] = entries[k] < 0 ? 0 : ~(BITS)0;
      group->quarter[k] = s->diagonal != 0 ? (REAL)0.25 : 0;
    }
  }
}

/* Groups with one stencil; `equal`, `form` and `own` (are there per-node constants?) are constants. */
HS_INLINE_ALWAYS void PRECISION(sweep_segment)(bool equal, enum hs_form form, bool own,
                                               const struct PRECISION(hs_stencil) * stencil,
                                               const struct PRECISION(hs_rows) * rows, REAL weight, REAL *restrict out,
                                               size_t from, size_t to)
{
  const size_t first = from * PRECISION(WIDTH), n = (to - from) * PRECISION(WIDTH);
  const REAL *restrict south = rows->south + first, *restrict row = rows->row + first;
  const REAL *restrict north = rows->north + first, *restrict r = own ? rows->r + first : NULL;
  const struct PRECISION(hs_stencil) s = *stencil;
  const REAL w = form == HS_FORM_WEIGHTED ? weight * s.relax : weight;
  out += first;
#pragma omp simd
  for (size_t i = 0; i < n; i++) {
    const REAL c = own ? s.c + r[i] : s.c;
    const REAL u = equal ? PRECISION(hs_node_uniform)(c, row[i - 1], row[i + 1], south[i], north[i])
                         : PRECISION(hs_node_general)(&s, c, row[i - 1], row[i + 1], south[i], north[i]);
    const REAL base = form == HS_FORM_WEIGHTED ? row[i] : out[i];
    out[i] = form == HS_FORM_JACOBI ? u : PRECISION(hs_node_relax)(w, u, base, 0);
  }
}

/* Packed groups; `form` and `own` are constants. */
HS_INLINE_ALWAYS void PRECISION(sweep_packed)(enum hs_form form, bool own, const struct PRECISION(group) * groups,
                                              const struct hs_row_packed *packed, const struct hs_row_packed *end,
                                              const struct PRECISION(hs_rows) * rows, REAL weight, REAL *restrict out)
{
  for (; packed < end; packed++) {
    const struct PRECISION(group) *restrict s = &groups[packed->number];
    const size_t first = (size_t)packed->group * PRECISION(WIDTH);
    const REAL *restrict south = rows->south + first, *restrict row = rows->row + first;
    const REAL *restrict north = rows->north + first, *restrict r = own ? rows->r + first : NULL;
    REAL *restrict to_row = out + first;
#pragma omp simd
    for (int i = 0; i < PRECISION(WIDTH); i++) {
      const struct PRECISION(hs_stencil) node = {s->west[i], s->east[i], s->south[i], s->north[i], s->c[i], 0, 0, 0};
      const REAL c = own ? node.c + r[i] : node.c;
      const REAL u = PRECISION(hs_node_general)(&node, c, row[i - 1], row[i + 1], south[i], north[i]);
      const REAL base = form == HS_FORM_WEIGHTED ? row[i] : to_row[i];
      const REAL w = form == HS_FORM_WEIGHTED ? weight * s->relax[i] : weight;
      to_row[i] = form == HS_FORM_JACOBI ? u : PRECISION(hs_node_relax)(w, u, base, s->diagonal[i] == 0);
    }
  }
}

/* A few nodes, each with its own stencil; `form` and `own` are constants. */
HS_INLINE_ALWAYS void PRECISION(sweep_few)(enum hs_form form, bool own,
                                           const struct PRECISION(hs_stencil) * stencil_table,
                                           const struct hs_row_schedule *schedule,
                                           const struct PRECISION(hs_rows) * rows, REAL weight, REAL *out, int from,
                                           int to)
{
  const struct PRECISION(hs_stencil) *nodes = schedule->index ? stencil_table : stencil_table + schedule->first;
  const REAL *row = rows->row;
  for (int i = from; i < to; i++) {
    const struct PRECISION(hs_stencil) *s = LOOKUP_AT(nodes, schedule->index, i);
    const REAL c = own ? s->c + rows->r[i] : s->c;
    const REAL u = PRECISION(hs_node_general)(s, c, row[i - 1], row[i + 1], rows->south[i], rows->north[i]);
    const REAL base = form == HS_FORM_WEIGHTED ? row[i] : out[i];
    const REAL w = form == HS_FORM_WEIGHTED ? weight * s->relax : weight;
    out[i] = form == HS_FORM_JACOBI ? u : PRECISION(hs_node_relax)(w, u, base, s->diagonal == 0);
  }
}

/* Stencils looked up node by node; `form` and `own` are constants. Where the look-up can transpose stencils into
 * arrays, a vectorised loop takes them. */
HS_INLINE_ALWAYS void PRECISION(sweep_mixed)(enum hs_form form, bool own,
                                             const struct PRECISION(hs_stencil) * stencil_table,
                                             const struct hs_row_schedule *schedule,
                                             const struct PRECISION(hs_rows) * rows, REAL weight, REAL *restrict out,
                                             int from, int to)
{
  const struct PRECISION(hs_stencil) *nodes = schedule->index ? stencil_table : stencil_table + schedule->first + from;
  struct PRECISION(lookup) packed;
  int n;
  for (; from < to; from += n) {
    const REAL *restrict south = rows->south + from, *restrict row = rows->row + from;
    const REAL *restrict north = rows->north + from, *restrict r = own ? rows->r + from : NULL;
    REAL *restrict to_row = out + from;
    n = PRECISION(lookup)(nodes, schedule->index ? schedule->index + from : NULL, to - from, form != HS_FORM_JACOBI,
                          &packed);
    if (!n) break;
#pragma omp simd
    for (int i = 0; i < n; i++) {
      const struct PRECISION(hs_stencil)
          s = {packed.west[i], packed.east[i], packed.south[i], packed.north[i], packed.c[i], 0, 0, 0};
      const REAL u = PRECISION(hs_node_general)(&s, own ? s.c + r[i] : s.c, row[i - 1], row[i + 1], south[i], north[i]);
      const REAL base = form == HS_FORM_WEIGHTED ? row[i] : to_row[i];
      const REAL w = form == HS_FORM_WEIGHTED ? weight * packed.relax[i] : weight;
      to_row[i] = form == HS_FORM_JACOBI ? u : PRECISION(hs_node_relax)(w, u, base, packed.diagonal[i] == 0);
    }
    nodes += schedule->index ? 0 : n;
  }
  PRECISION(sweep_few)(form, own, stencil_table, schedule, rows, weight, out, from, to);
}

/* First column of a group, or the end of the row where the group lies beyond. */
HS_INLINE_ALWAYS int PRECISION(column)(const struct hs_row_schedule *schedule, int group)
{
  return group * PRECISION(WIDTH) < schedule->nx ? group * PRECISION(WIDTH) : schedule->nx;
}

typedef void (*PRECISION(mixed_function))(const struct PRECISION(hs_stencil) * stencil_table,
                                          const struct hs_row_schedule *schedule,
                                          const struct PRECISION(hs_rows) * rows, REAL weight, REAL *out, int from,
                                          int to);

/* All groups of a row, in their order: packed ones at the end would save time in the second cache, but leave gaps
 * that cost a quarter of the speed beyond it. `form`, `own` and `mixed` are constants. A Dirichlet node takes the
 * temperature that its stencil gives, however the others are relaxed. */
HS_INLINE_ALWAYS void PRECISION(sweep_segments)(enum hs_form form, bool own,
                                                const struct PRECISION(hs_stencil) * stencil_table,
                                                const struct hs_row_schedule *schedule,
                                                const struct PRECISION(hs_rows) * rows, REAL weight, REAL *out,
                                                PRECISION(mixed_function) mixed)
{
  const struct PRECISION(hs_rows) here = *rows;
  const struct hs_row_packed *packed = schedule->packed;
  for (int k = 0; k < schedule->segment_count; k++) {
    const struct hs_row_segment segment = schedule->segments[k];
    const struct PRECISION(hs_stencil) *s = &stencil_table[segment.entry];
    const size_t from = (size_t)segment.from, to = (size_t)segment.to;
    PRECISION(sweep_packed)(form, own, schedule->groups, packed, schedule->packed + segment.packed, &here, weight, out);
    packed = schedule->packed + segment.packed;
    switch (segment.kind) {
    case HS_SEGMENT_EQUAL: PRECISION(sweep_segment)(true, form, own, s, &here, weight, out, from, to); break;
    case HS_SEGMENT_STENCIL: PRECISION(sweep_segment)(false, form, own, s, &here, weight, out, from, to); break;
    case HS_SEGMENT_DIRICHLET:
      PRECISION(sweep_segment)(false, HS_FORM_JACOBI, own, s, &here, weight, out, from, to);
      break;
    default:
      mixed(stencil_table, schedule, rows, weight, out, segment.from * PRECISION(WIDTH),
            PRECISION(column)(schedule, segment.to));
    }
  }
  PRECISION(sweep_packed)
  (form, own, schedule->groups, packed, schedule->packed + schedule->packed_count, &here, weight, out);
  if (schedule->nx % PRECISION(WIDTH)) memset(out + schedule->nx, 0, PRECISION(WIDTH) * sizeof *out);
}

/* One function for each form, without and with per-node constants. Mixed segments stay outside of it: their buffer
 * on the stack would cost every row. */
#define ROW_FUNCTION(name, form, own)                                                                                  \
  static NOT_INLINED void PRECISION(name##_mixed)(                                                                     \
      const struct PRECISION(hs_stencil) * stencil_table, const struct hs_row_schedule *schedule,                      \
      const struct PRECISION(hs_rows) * rows, REAL weight, REAL * out, int from, int to)                               \
  {                                                                                                                    \
    PRECISION(sweep_mixed)(form, own, stencil_table, schedule, rows, weight, out, from, to);                           \
  }                                                                                                                    \
  static void PRECISION(name)(const struct PRECISION(hs_stencil) * stencil_table,                                      \
                              const struct hs_row_schedule *schedule, const struct PRECISION(hs_rows) * rows,          \
                              REAL weight, REAL * out)                                                                 \
  {                                                                                                                    \
    PRECISION(sweep_segments)(form, own, stencil_table, schedule, rows, weight, out, PRECISION(name##_mixed));         \
  }
ROW_FUNCTION(jacobi, HS_FORM_JACOBI, false)
ROW_FUNCTION(jacobi_own, HS_FORM_JACOBI, true)
ROW_FUNCTION(weighted, HS_FORM_WEIGHTED, false)
ROW_FUNCTION(weighted_own, HS_FORM_WEIGHTED, true)
ROW_FUNCTION(chebyshev, HS_FORM_CHEBYSHEV, false)
ROW_FUNCTION(chebyshev_own, HS_FORM_CHEBYSHEV, true)
#undef ROW_FUNCTION

static void PRECISION(sweep)(const struct hs_system *system, const struct hs_row_schedule *schedule,
                             const struct PRECISION(hs_rows) * rows, enum hs_form form, double weight, REAL *out)
{
  static void (*const functions[3][2])(const struct PRECISION(hs_stencil) *, const struct hs_row_schedule *,
                                       const struct PRECISION(hs_rows) *, REAL, REAL *) = {
      {PRECISION(jacobi), PRECISION(jacobi_own)},
      {PRECISION(weighted), PRECISION(weighted_own)},
      {PRECISION(chebyshev), PRECISION(chebyshev_own)},
  };
  functions[form][rows->r != NULL](system->STENCIL, schedule, rows, (REAL)weight, out);
}

#include "backend/cpu/rows/transposed.h"

/* Once per time step, so node by node. */
static void PRECISION(step)(const struct hs_system *system, const struct hs_row_schedule *schedule,
                            const struct PRECISION(hs_rows) * rows, bool trapezoid, const double *source_w_m, REAL *r)
{
  for (int i = 0; i < system->nx; i++) {
    const size_t entry = schedule->index ? schedule->index[i] : schedule->first + (size_t)i;
    const struct PRECISION(hs_stencil) *s = &system->STENCIL[entry];
    const bool dirichlet = system->stencil[entry].diagonal == 0.0;
    const REAL base = source_w_m && !dirichlet ? (REAL)(source_w_m[i] / system->stencil[entry].diagonal) : 0;
    const REAL j =
        PRECISION(hs_node_general)(s, s->c + base, rows->row[i - 1], rows->row[i + 1], rows->south[i], rows->north[i]);
    r[i] = dirichlet ? 0 : PRECISION(hs_node_step)(trapezoid, s->storage, rows->row[i], j, base);
  }
}

#include "backend/cpu/rows/norms.h"

#include "backend/cpu/rows/transposed_norms.h"
