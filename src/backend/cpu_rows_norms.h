/* Norms of a row for one precision; included by cpu_rows_body.h.
 *
 * The sums of squares may be reordered freely, they are exact (backend/exactsum.h). A run of one stencil takes no
 * more than it must: four weights of 1/4 need no products, and since rounding keeps the order of numbers, the largest
 * residual is the diagonal times the largest defect.
 */

/* Norms of now - before over n nodes. */
static void PRECISION(update_norms)(const REAL *now, const REAL *before, int n, double scale, struct hs_sum_split split,
                                    struct hs_row_norms *norms)
{
  double high = norms->update.high, low = norms->update.low, maximum = norms->update_max;
#pragma omp simd reduction(+ : high, low) reduction(max : maximum)
  for (int i = 0; i < n; i++) {
    const double update = (double)(now[i] - before[i]);
    const double size = fabs(update);
    const struct hs_sum square = hs_sum_square(split, update * scale);
    high += square.high;
    low += square.low;
    maximum = size > maximum ? size : maximum;
  }
  norms->update.high = high;
  norms->update.low = low;
  norms->update_max = maximum;
}

/* Where the stencils of residual norms come from. */
enum PRECISION(norm_stencils) {
  PRECISION(NORM_EQUAL), /* one stencil, all weights times four are 1 */
  PRECISION(NORM_ALONE), /* one stencil */
  PRECISION(NORM_LISTED),
  PRECISION(NORM_EACH) /* every node its own */
};

/* Residual norms of nodes from .. to-1 by the stencils of `which`; `own` and `which` are constants. A held node has the
 * diagonal 0, so its residual counts nothing; its other norms are masked. */
HS_INLINE_ALWAYS void PRECISION(residual_stretch)(bool own, enum PRECISION(norm_stencils) which,
                                                  const struct hs_stencil_f64 *palette, const struct hs_row_plan *plan,
                                                  const struct PRECISION(hs_rows) * rows, const REAL *before, int from,
                                                  int to, double scale, struct hs_sum_split split,
                                                  struct hs_row_norms *norms)
{
  const bool equal = which == PRECISION(NORM_EQUAL), alone = equal || which == PRECISION(NORM_ALONE);
  const REAL *restrict south = rows->south, *restrict row = rows->row, *restrict north = rows->north;
  const REAL *restrict r = rows->r;
  const struct hs_stencil_f64 *restrict nodes = which == PRECISION(NORM_EACH) ? palette + plan->first : palette;
  double high = norms->residual.high, low = norms->residual.low, two_sweep_maximum = norms->two_sweep_max;
  double maximum = alone ? 0.0 : norms->residual_max, defect_maximum = alone ? 0.0 : norms->defect_max;
#pragma omp simd reduction(+ : high, low) reduction(max : maximum, two_sweep_maximum, defect_maximum)
  for (int i = from; i < to; i++) {
    const struct hs_stencil_f64 *s = &nodes[alone ? 0 : which == PRECISION(NORM_LISTED) ? plan->index[i] : i];
    const double c = own ? s->c + (double)r[i] : s->c;
    const double west = (double)row[i - 1], east = (double)row[i + 1];
    const double next = equal ? hs_node_uniform_f64(c, west, east, (double)south[i], (double)north[i])
                              : hs_node_general_f64(s, c, west, east, (double)south[i], (double)north[i]);
    const bool held = !alone && s->diagonal == 0.0;
    const double defect = held ? 0.0 : next - (double)row[i];
    const double residual = s->diagonal * defect;
    const double size = fabs(residual), defect_size = fabs(defect);
    const double two_sweep = held ? 0.0 : fabs(next - (double)before[i]);
    const struct hs_sum square = hs_sum_square(split, residual * scale);
    high += square.high;
    low += square.low;
    if (!alone) maximum = size > maximum ? size : maximum;
    two_sweep_maximum = two_sweep > two_sweep_maximum ? two_sweep : two_sweep_maximum;
    defect_maximum = defect_size > defect_maximum ? defect_size : defect_maximum;
  }
  if (alone) maximum = fabs(palette->diagonal * defect_maximum);
  norms->residual.high = high;
  norms->residual.low = low;
  norms->residual_max = maximum > norms->residual_max ? maximum : norms->residual_max;
  norms->two_sweep_max = two_sweep_maximum;
  norms->defect_max = defect_maximum > norms->defect_max ? defect_maximum : norms->defect_max;
}

HS_INLINE_ALWAYS int PRECISION(between)(int least, int column, int most)
{
  return column < least ? least : column > most ? most : column;
}

HS_INLINE_ALWAYS void PRECISION(residual_runs)(bool own, const struct hs_system *system, const struct hs_row_plan *plan,
                                               const struct PRECISION(hs_rows) * rows, const REAL *before, int first,
                                               int end, double scale, struct hs_sum_split split,
                                               struct hs_row_norms *norms)
{
  const struct hs_stencil_f64 *palette = system->stencil;
  for (int k = 0; k < plan->turned_count; k++) {
    const int column = plan->turned[k].group * PRECISION(WIDTH);
    const int from = PRECISION(between)(first, column, end);
    const int to = PRECISION(between)(first, column + PRECISION(WIDTH), end);
    PRECISION(residual_stretch)
    (own, PRECISION(NORM_LISTED), palette, plan, rows, before, from, to, scale, split, norms);
  }
  for (int k = 0; k < plan->run_count; k++) {
    const struct hs_row_run run = plan->runs[k];
    const int from = PRECISION(between)(first, run.from * PRECISION(WIDTH), end);
    const int to = PRECISION(between)(first, run.to * PRECISION(WIDTH), end);
    const struct hs_stencil_f64 s = palette[run.kind == HS_RUN_MIXED ? 0 : run.entry];
    switch (run.kind) {
    case HS_RUN_HELD: break;
    case HS_RUN_EQUAL:
      PRECISION(residual_stretch)
      (own, PRECISION(NORM_EQUAL), &s, plan, rows, before, from, to, scale, split, norms);
      break;
    case HS_RUN_STENCIL:
      PRECISION(residual_stretch)
      (own, PRECISION(NORM_ALONE), &s, plan, rows, before, from, to, scale, split, norms);
      break;
    default:
      if (plan->index) PRECISION(residual_stretch)
      (own, PRECISION(NORM_LISTED), palette, plan, rows, before, from, to, scale, split, norms);
      else PRECISION(residual_stretch)(own, PRECISION(NORM_EACH), palette, plan, rows, before, from, to, scale, split,
                                       norms);
    }
  }
}

static void PRECISION(residual_norms)(const struct hs_system *system, const struct hs_row_plan *plan,
                                      const struct PRECISION(hs_rows) * rows, const REAL *before, int from, int to,
                                      double scale, struct hs_sum_split split, struct hs_row_norms *norms)
{
  if (rows->r)
    PRECISION(residual_runs)(true, system, plan, rows, before, from, to, scale, split, norms);
  else
    PRECISION(residual_runs)(false, system, plan, rows, before, from, to, scale, split, norms);
}
