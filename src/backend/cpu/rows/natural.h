/* Sweeps of natural rows, for one precision; included by rows/rows.c.
 *
 * Passes (rows/transposed.h) make most sweeps; these make what is left: single ones, and all where walls are periodic.
 * Long segments of one stencil are loops without a branch, which the compiler vectorises; the others' nodes are looked
 * up one by one.
 */

/* The stencil of node i. */
HS_INLINE_ALWAYS size_t PRECISION(entry)(const struct hs_row_schedule *schedule, int i)
{
  return schedule->index ? schedule->index[i] : schedule->first + (size_t)i;
}

/* A segment of one stencil; `equal`, `form` and `own` (are there per-node constants?) are constants. */
HS_INLINE_ALWAYS void PRECISION(sweep_segment)(bool equal, enum hs_form form, bool own,
                                               const struct PRECISION(hs_stencil) * stencil, const struct hs_rows *rows,
                                               REAL weight, REAL *restrict out, int from, int to)
{
  const REAL *restrict south = rows->south, *restrict row = rows->row, *restrict north = rows->north;
  const REAL *restrict r = rows->r;
  const struct PRECISION(hs_stencil) s = *stencil;
  const REAL w = form == HS_FORM_WEIGHTED ? weight * s.relax : weight;
#pragma omp simd
  for (int i = from; i < to; i++) {
    const REAL c = own ? s.c + r[i] : s.c;
    const REAL u = equal ? PRECISION(hs_node_uniform)(c, row[i - 1], row[i + 1], south[i], north[i])
                         : PRECISION(hs_node_general)(&s, c, row[i - 1], row[i + 1], south[i], north[i]);
    const REAL base = form == HS_FORM_WEIGHTED ? row[i] : out[i];
    out[i] = form == HS_FORM_JACOBI ? u : PRECISION(hs_node_relax)(w, u, base, 0);
  }
}

/* Nodes with stencils of their own; `form` and `own` are constants. */
HS_INLINE_ALWAYS void PRECISION(sweep_nodes)(enum hs_form form, bool own,
                                             const struct PRECISION(hs_stencil) * stencil_table,
                                             const struct hs_row_schedule *schedule, const struct hs_rows *rows,
                                             REAL weight, REAL *out, int from, int to)
{
  const REAL *south = rows->south, *row = rows->row, *north = rows->north, *r = rows->r;
  for (int i = from; i < to; i++) {
    const struct PRECISION(hs_stencil) *s = &stencil_table[PRECISION(entry)(schedule, i)];
    const REAL c = own ? s->c + r[i] : s->c;
    const REAL u = PRECISION(hs_node_general)(s, c, row[i - 1], row[i + 1], south[i], north[i]);
    const REAL base = form == HS_FORM_WEIGHTED ? row[i] : out[i];
    const REAL w = form == HS_FORM_WEIGHTED ? weight * s->relax : weight;
    out[i] = form == HS_FORM_JACOBI ? u : PRECISION(hs_node_relax)(w, u, base, s->diagonal == 0);
  }
}

/* A row; `form` and `own` are constants. A Dirichlet node takes the temperature that its stencil gives, however the
 * others are relaxed. */
HS_INLINE_ALWAYS void PRECISION(sweep_row)(enum hs_form form, bool own,
                                           const struct PRECISION(hs_stencil) * stencil_table,
                                           const struct hs_row_schedule *schedule, const struct hs_rows *rows,
                                           REAL weight, REAL *out)
{
  int done = 0;
  for (int k = 0; k < schedule->segment_count; k++) {
    const struct hs_row_segment segment = schedule->segments[k];
    const struct PRECISION(hs_stencil) *s = &stencil_table[segment.entry];
    PRECISION(sweep_nodes)(form, own, stencil_table, schedule, rows, weight, out, done, segment.from);
    done = segment.to;
    if (HS_STENCIL_IS_UNIFORM(*s))
      PRECISION(sweep_segment)(true, form, own, s, rows, weight, out, segment.from, done);
    else if (s->diagonal != 0)
      PRECISION(sweep_segment)(false, form, own, s, rows, weight, out, segment.from, done);
    else
      PRECISION(sweep_segment)(false, HS_FORM_JACOBI, own, s, rows, weight, out, segment.from, done);
  }
  PRECISION(sweep_nodes)(form, own, stencil_table, schedule, rows, weight, out, done, schedule->nx);
}

static void PRECISION(sweep)(const struct hs_system *system, const struct hs_row_schedule *schedule,
                             const struct hs_rows *rows, enum hs_form form, double weight, void *out)
{
  const struct PRECISION(hs_stencil) *table = system->STENCIL;
  const REAL w = (REAL)weight;
#define SWEEP(form)                                                                                                    \
  (rows->r ? PRECISION(sweep_row)(form, true, table, schedule, rows, w, out)                                           \
           : PRECISION(sweep_row)(form, false, table, schedule, rows, w, out))
  switch (form) {
  case HS_FORM_JACOBI: SWEEP(HS_FORM_JACOBI); break;
  case HS_FORM_WEIGHTED: SWEEP(HS_FORM_WEIGHTED); break;
  case HS_FORM_CHEBYSHEV: SWEEP(HS_FORM_CHEBYSHEV); break;
  }
#undef SWEEP
}

/* Once per time step, so node by node. */
static void PRECISION(step)(const struct hs_system *system, const struct hs_row_schedule *schedule,
                            const struct hs_rows *rows, bool trapezoid, const double *source_w_m, void *out)
{
  const REAL *south = rows->south, *row = rows->row, *north = rows->north;
  REAL *const r = out;
  for (int i = 0; i < schedule->nx; i++) {
    const size_t entry = PRECISION(entry)(schedule, i);
    const struct PRECISION(hs_stencil) *s = &system->STENCIL[entry];
    const bool dirichlet = system->stencil[entry].diagonal == 0.0;
    const REAL base = source_w_m && !dirichlet ? (REAL)(source_w_m[i] / system->stencil[entry].diagonal) : 0;
    const REAL j = PRECISION(hs_node_general)(s, s->c + base, row[i - 1], row[i + 1], south[i], north[i]);
    r[i] = dirichlet ? 0 : PRECISION(hs_node_step)(trapezoid, s->storage, row[i], j, base);
  }
}
