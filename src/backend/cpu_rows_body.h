/* Row functions for one precision; included by cpu_rows.c with REAL, PRECISION and STENCIL set.
 *
 * The loops are written so that the compiler vectorises them: no look-up, no branch, neighbours
 * by index. The sums of squares may be reordered freely, they are exact (backend/exactsum.h).
 */

static void PRECISION(sweep_equal)(REAL c, struct PRECISION(hs_rows) rows, REAL *restrict out, int from, int to)
{
  const REAL *restrict south = rows.south, *restrict row = rows.row, *restrict north = rows.north;
#pragma omp simd
  for (int i = from; i < to; i++) out[i] = PRECISION(hs_node_uniform)(c, row[i - 1], row[i + 1], south[i], north[i]);
}

static void PRECISION(sweep_stencil)(const struct PRECISION(hs_stencil) * stencil, struct PRECISION(hs_rows) rows,
                                     REAL *restrict out, int from, int to)
{
  const REAL *restrict south = rows.south, *restrict row = rows.row, *restrict north = rows.north;
  const struct PRECISION(hs_stencil) s = *stencil;
#pragma omp simd
  for (int i = from; i < to; i++) out[i] = PRECISION(hs_node_update)(&s, row[i - 1], row[i + 1], south[i], north[i]);
}

static void PRECISION(sweep)(const struct hs_system *system, const struct hs_row_run *runs, int run_count,
                             const uint16_t *index, struct PRECISION(hs_rows) rows, REAL *out)
{
  for (int k = 0; k < run_count; k++) {
    const struct hs_row_run run = runs[k];
    const struct PRECISION(hs_stencil) *palette = system->STENCIL;
    switch (run.kind) {
    case HS_RUN_EQUAL: PRECISION(sweep_equal)(palette[run.entry].c, rows, out, run.from, run.to); break;
    case HS_RUN_HELD:
    case HS_RUN_STENCIL: PRECISION(sweep_stencil)(&palette[run.entry], rows, out, run.from, run.to); break;
    default:
      for (int i = run.from; i < run.to; i++)
        out[i] = PRECISION(hs_node_update)(&palette[index[i]], rows.row[i - 1], rows.row[i + 1], rows.south[i],
                                           rows.north[i]);
    }
  }
}

static void PRECISION(update_norms)(const REAL *now, const REAL *before, int n, double scale, struct hs_sum_split split,
                                    struct hs_row_norms *norms)
{
  double high = norms->update.high, low = norms->update.low, maximum = norms->update_max;
#pragma omp simd reduction(+ : high, low) reduction(max : maximum)
  for (int i = 0; i < n; i++) {
    const double update = (double)(now[i] - before[i]);
    const double size = fabs(update);
    struct hs_sum square = {0.0, 0.0};
    hs_sum_add_square(&square, split, update * scale);
    high += square.high;
    low += square.low;
    maximum = size > maximum ? size : maximum;
  }
  norms->update.high = high;
  norms->update.low = low;
  norms->update_max = maximum;
}

/* Residual norms of a stretch with one stencil. */
static void PRECISION(residual_stretch)(const struct hs_stencil_f64 *stencil, struct PRECISION(hs_rows) rows,
                                        const REAL *before, int from, int to, double scale, struct hs_sum_split split,
                                        struct hs_row_norms *norms)
{
  const struct hs_stencil_f64 s = *stencil;
  double high = norms->residual.high, low = norms->residual.low;
  double maximum = norms->residual_max, two_sweep_maximum = norms->two_sweep_max;
#pragma omp simd reduction(+ : high, low) reduction(max : maximum, two_sweep_maximum)
  for (int i = from; i < to; i++) {
    const double next = hs_node_update_f64(&s, (double)rows.row[i - 1], (double)rows.row[i + 1], (double)rows.south[i],
                                           (double)rows.north[i]);
    const double residual = s.diagonal * (next - (double)rows.row[i]);
    const double size = fabs(residual), two_sweep = fabs(next - (double)before[i]);
    struct hs_sum square = {0.0, 0.0};
    hs_sum_add_square(&square, split, residual * scale);
    high += square.high;
    low += square.low;
    maximum = size > maximum ? size : maximum;
    two_sweep_maximum = two_sweep > two_sweep_maximum ? two_sweep : two_sweep_maximum;
  }
  norms->residual.high = high;
  norms->residual.low = low;
  norms->residual_max = maximum;
  norms->two_sweep_max = two_sweep_maximum;
}

static void PRECISION(residual_norms)(const struct hs_system *system, const struct hs_row_run *runs, int run_count,
                                      const uint16_t *index, struct PRECISION(hs_rows) rows, const REAL *before,
                                      double scale, struct hs_sum_split split, struct hs_row_norms *norms)
{
  for (int k = 0; k < run_count; k++) {
    const struct hs_row_run run = runs[k];
    if (run.kind == HS_RUN_HELD) continue;
    if (run.kind != HS_RUN_MIXED) {
      PRECISION(residual_stretch)
      (&system->stencil[run.entry], rows, before, run.from, run.to, scale, split, norms);
      continue;
    }
    for (int i = run.from; i < run.to; i++)
      if (system->stencil[index[i]].diagonal != 0.0) PRECISION(residual_stretch)
    (&system->stencil[index[i]], rows, before, i, i + 1, scale, split, norms);
  }
}
