/* Norms of natural rows, for one precision; included by rows/rows.c.
 *
 * The sums of squares may be reordered freely, they are exact (numerics/exactsum.h), so that the compiler may vectorise
 * these loops. Tests of plain and weighted sweeps take their norms in passes (rows/transposed_norms.h).
 */

/* Norms of now - before over n nodes. */
static void PRECISION(update_norms)(const REAL *now, const REAL *before, int n, const struct hs_cpu_scales *scales,
                                    struct hs_row_norms *norms)
{
  const struct hs_cpu_scales by = *scales;
  double high = norms->update.high, low = norms->update.low, maximum = norms->update_max;
#pragma omp simd reduction(+ : high, low) reduction(max : maximum)
  for (int i = 0; i < n; i++) {
    const double update = (double)(now[i] - before[i]);
    const double size = fabs(update);
    const struct hs_sum square = hs_sum_square(by.split, update * by.update);
    high += square.high;
    low += square.low;
    maximum = size > maximum ? size : maximum;
  }
  norms->update.high = high;
  norms->update.low = low;
  norms->update_max = maximum;
}

/* The residual's norms of nodes from .. to-1, and what else needs one more sweep. alone: they have one stencil; index:
 * entries of the stencil table, else each has its own. `own`, `alone` and whether there is an index are constants. A
 * Dirichlet node has the diagonal 0, so its residual counts nothing; the other differences are masked. */
HS_INLINE_ALWAYS void PRECISION(residual_norms)(bool own, bool alone, const struct hs_stencil_f64 *nodes,
                                                const uint16_t *index, const struct hs_rows *rows, const REAL *before,
                                                int from, int to, const struct hs_cpu_scales *scales,
                                                struct hs_row_norms *norms)
{
  const REAL *south = rows->south, *row = rows->row, *north = rows->north, *r = rows->r;
  const struct hs_cpu_scales by = *scales;
  struct hs_row_norms n = *norms; /* in registers */
  double high = n.residual.high, low = n.residual.low;
  double residual_max = n.residual_max, two_sweep_max = n.two_sweep_max, correction_max = n.correction_max;
#pragma omp simd reduction(+ : high, low) reduction(max : residual_max, two_sweep_max, correction_max)
  for (int i = from; i < to; i++) {
    const struct hs_stencil_f64 *s = &nodes[alone ? 0 : index ? index[i] : i];
    const double c = own ? s->c + (double)r[i] : s->c;
    const double next =
        hs_node_general_f64(s, c, (double)row[i - 1], (double)row[i + 1], (double)south[i], (double)north[i]);
    const bool dirichlet = s->diagonal == 0.0;
    const double correction = dirichlet ? 0.0 : next - (double)row[i];
    const double two_sweep = dirichlet ? 0.0 : fabs(next - (double)before[i]);
    const double residual = s->diagonal * correction;
    const struct hs_sum square = hs_sum_square(by.split, residual * by.residual);
    high += square.high;
    low += square.low;
    residual_max = fabs(residual) > residual_max ? fabs(residual) : residual_max;
    two_sweep_max = two_sweep > two_sweep_max ? two_sweep : two_sweep_max;
    correction_max = fabs(correction) > correction_max ? fabs(correction) : correction_max;
  }
  n.residual = (struct hs_sum){high, low};
  n.residual_max = residual_max;
  n.two_sweep_max = two_sweep_max;
  n.correction_max = correction_max;
  *norms = n;
}

/* The same of a row: segments, and what lies between them. `own` is a constant. */
HS_INLINE_ALWAYS void PRECISION(residual_norms_row)(bool own, const struct hs_stencil_f64 *table,
                                                    const struct hs_row_schedule *schedule, const struct hs_rows *rows,
                                                    const REAL *before, const struct hs_cpu_scales *scales,
                                                    struct hs_row_norms *norms)
{
  const uint16_t *const index = schedule->index;
  const int nx = schedule->nx;
  int done = 0;
  if (!index) {
    PRECISION(residual_norms)(own, false, table + schedule->first, NULL, rows, before, 0, nx, scales, norms);
    return;
  }
  for (int k = 0; k <= schedule->segment_count; k++) {
    const bool last = k == schedule->segment_count;
    const struct hs_row_segment segment = last ? (struct hs_row_segment){.from = nx, .to = nx} : schedule->segments[k];
    const struct hs_stencil_f64 stencil = table[segment.entry];
    PRECISION(residual_norms)(own, false, table, index, rows, before, done, segment.from, scales, norms);
    PRECISION(residual_norms)(own, true, &stencil, NULL, rows, before, segment.from, segment.to, scales, norms);
    done = segment.to;
  }
}

static void PRECISION(norms)(const struct hs_system *system, const struct hs_row_schedule *schedule,
                             const struct hs_rows *rows, const void *before, const struct hs_cpu_scales *scales,
                             struct hs_row_norms *norms)
{
  PRECISION(update_norms)(rows->row, before, schedule->nx, scales, norms);
  if (!scales->full) return;
  if (rows->r)
    PRECISION(residual_norms_row)(true, system->stencil, schedule, rows, before, scales, norms);
  else
    PRECISION(residual_norms_row)(false, system->stencil, schedule, rows, before, scales, norms);
}
