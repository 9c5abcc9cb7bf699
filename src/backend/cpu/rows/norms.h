/* Norms of a row for one precision; included by rows/body.h.
 *
 * The sums of squares may be reordered freely, they are exact (numerics/exactsum.h). A segment of one stencil takes no
 * more than it must: four weights of 1/4 need no products, and since rounding keeps the order of numbers, the largest
 * residual is the diagonal times the largest correction.
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

/* What a node adds to the norms. */
struct PRECISION(node_norms) {
  struct hs_sum update_square, residual_square;
  double update, residual, two_sweep, correction; /* absolute values */
};

/* Of node i, by a stencil of `which`; `own` and `which` are constants. A Dirichlet node has the diagonal 0, so its
 * residual counts nothing; its two-sweep difference and its correction are masked. */
HS_INLINE_ALWAYS struct PRECISION(node_norms)
    PRECISION(norms_of)(bool own, enum PRECISION(norm_stencils) which, const struct hs_stencil_f64 *s,
                        const struct PRECISION(hs_rows) * rows, const REAL *before, int i,
                        const struct hs_cpu_scales *scales)
{
  const bool equal = which == PRECISION(NORM_EQUAL), alone = equal || which == PRECISION(NORM_ALONE);
  const double c = own ? s->c + (double)rows->r[i] : s->c;
  const double west = (double)rows->row[i - 1], east = (double)rows->row[i + 1];
  const double south = (double)rows->south[i], north = (double)rows->north[i];
  const double next =
      equal ? hs_node_uniform_f64(c, west, east, south, north) : hs_node_general_f64(s, c, west, east, south, north);
  const bool dirichlet = !alone && s->diagonal == 0.0;
  const double correction = dirichlet ? 0.0 : next - (double)rows->row[i];
  const double residual = s->diagonal * correction, update = (double)(rows->row[i] - before[i]);
  const struct PRECISION(node_norms)
      norms = {.update_square = hs_sum_square(scales->split, update * scales->update),
               .residual_square = hs_sum_square(scales->split, residual * scales->residual),
               .update = fabs(update),
               .residual = fabs(residual),
               .two_sweep = dirichlet ? 0.0 : fabs(next - (double)before[i]),
               .correction = fabs(correction)};
  return norms;
}

/* All norms of nodes from .. to-1; `own` and `which` as above. */
HS_INLINE_ALWAYS void PRECISION(norms_segment)(bool own, enum PRECISION(norm_stencils) which,
                                               const struct hs_stencil_f64 *stencil_table,
                                               const struct hs_row_schedule *schedule,
                                               const struct PRECISION(hs_rows) * rows, const REAL *before, int from,
                                               int to, const struct hs_cpu_scales *scales, struct hs_row_norms *norms)
{
  const bool alone = which == PRECISION(NORM_EQUAL) || which == PRECISION(NORM_ALONE);
  const struct PRECISION(hs_rows) near = *rows;
  const struct hs_cpu_scales by = *scales;
  const struct hs_stencil_f64 *restrict nodes =
      which == PRECISION(NORM_EACH) ? stencil_table + schedule->first : stencil_table;
  double high = norms->residual.high, low = norms->residual.low, two_sweep_maximum = norms->two_sweep_max;
  double update_high = norms->update.high, update_low = norms->update.low, update_maximum = norms->update_max;
  double maximum = alone ? 0.0 : norms->residual_max, correction_maximum = alone ? 0.0 : norms->correction_max;
#pragma omp simd reduction(+ : high, low, update_high, update_low)                                                     \
    reduction(max : maximum, two_sweep_maximum, correction_maximum, update_maximum)
  for (int i = from; i < to; i++) {
    const struct hs_stencil_f64 *s = &nodes[alone ? 0 : which == PRECISION(NORM_LISTED) ? schedule->index[i] : i];
    const struct PRECISION(node_norms) node = PRECISION(norms_of)(own, which, s, &near, before, i, &by);
    high += node.residual_square.high;
    low += node.residual_square.low;
    update_high += node.update_square.high;
    update_low += node.update_square.low;
    update_maximum = node.update > update_maximum ? node.update : update_maximum;
    if (!alone) maximum = node.residual > maximum ? node.residual : maximum;
    two_sweep_maximum = node.two_sweep > two_sweep_maximum ? node.two_sweep : two_sweep_maximum;
    correction_maximum = node.correction > correction_maximum ? node.correction : correction_maximum;
  }
  if (alone) maximum = fabs(stencil_table->diagonal * correction_maximum);
  norms->update.high = update_high;
  norms->update.low = update_low;
  norms->update_max = update_maximum;
  norms->residual.high = high;
  norms->residual.low = low;
  norms->residual_max = maximum > norms->residual_max ? maximum : norms->residual_max;
  norms->two_sweep_max = two_sweep_maximum;
  norms->correction_max = correction_maximum > norms->correction_max ? correction_maximum : norms->correction_max;
}

/* The same of so few that vectors would not pay. */
HS_INLINE_ALWAYS void PRECISION(norms_few)(bool own, const struct hs_stencil_f64 *stencil_table,
                                           const struct hs_row_schedule *schedule,
                                           const struct PRECISION(hs_rows) * rows, const REAL *before, int from, int to,
                                           const struct hs_cpu_scales *scales, struct hs_row_norms *norms)
{
  for (int i = from; i < to; i++) {
    const struct PRECISION(node_norms) node =
        PRECISION(norms_of)(own, PRECISION(NORM_LISTED), &stencil_table[schedule->index[i]], rows, before, i, scales);
    norms->residual.high += node.residual_square.high;
    norms->residual.low += node.residual_square.low;
    norms->update.high += node.update_square.high;
    norms->update.low += node.update_square.low;
    if (node.update > norms->update_max) norms->update_max = node.update;
    if (node.residual > norms->residual_max) norms->residual_max = node.residual;
    if (node.two_sweep > norms->two_sweep_max) norms->two_sweep_max = node.two_sweep;
    if (node.correction > norms->correction_max) norms->correction_max = node.correction;
  }
}

/* Sums of squares (hs_sum_square). A multiple of u1 more or less in `high`, which begins at m1, is one less or more
 * in what is left to `low`, so the running sum may round, and so may the exact product. low: multiples of u2 as the
 * bits of m2 and such a multiple count them, those of m2 included. */
struct PRECISION(vector_sum) {
  vector_f64 high;
  vector_bits_f64 low;
};

/* exact: the square of `scaled` is a number of double precision. */
HS_INLINE_ALWAYS void PRECISION(squares_add)(bool exact, vector_f64 scaled, vector_f64 m2,
                                             struct PRECISION(vector_sum) * s)
{
  const vector_f64 sum = vector_fma_f64(scaled, scaled, s->high), less = m2 - (sum - s->high);
  const vector_f64 units = exact ? vector_fma_f64(scaled, scaled, less) : (vector_f64)(scaled * scaled + less);
  s->low += (vector_bits_f64)units;
  s->high = sum;
}

/* What `count` vectors of squares have added up to. */
HS_INLINE_ALWAYS void PRECISION(squares_total)(const struct PRECISION(vector_sum) * s, struct hs_sum_split split,
                                               int count, struct hs_sum *sum)
{
  enum { W = GROUP_BYTES / sizeof(double) };
  double high[W], added = 0.0;
  uint64_t low[W], start, units = 0;
  memcpy(&start, &split.m2, sizeof start);
  memcpy(low, &s->low, sizeof low);
  vector_store_f64(high, s->high);
  for (int k = 0; k < W; k++) added += high[k] - split.m1;
  for (int k = 0; k < W; k++) units += low[k] - (uint64_t)count * start;
  sum->high += added;
  sum->low += isfinite(added) ? (double)(int64_t)units * (nextafter(split.m2, INFINITY) - split.m2) : NAN;
}

/* Sums and maxima of vectors. */
struct PRECISION(vector_norms) {
  struct PRECISION(vector_sum) update, residual;
  vector_f64 update_max, residual_max, two_sweep_max, correction_max;
};

HS_INLINE_ALWAYS struct PRECISION(vector_norms) PRECISION(no_vector_norms)(struct hs_sum_split split)
{
  const vector_f64 none = vector_all_f64(0.0), m1 = vector_all_f64(split.m1);
  const struct PRECISION(vector_norms) v = {{m1, {0}}, {m1, {0}}, none, none, none, none};
  return v;
}

HS_INLINE_ALWAYS double PRECISION(greatest)(vector_f64 v, double most)
{
  double lane[GROUP_BYTES / sizeof(double)];
  vector_store_f64(lane, v);
  for (size_t k = 0; k < sizeof lane / sizeof *lane; k++) most = lane[k] > most ? lane[k] : most;
  return most;
}

/* Adds what `count` vectors have come to. */
HS_INLINE_ALWAYS void PRECISION(vector_norms_add)(const struct PRECISION(vector_norms) * v,
                                                  const struct hs_cpu_scales *scales, int count,
                                                  struct hs_row_norms *norms)
{
  PRECISION(squares_total)(&v->update, scales->split, count, &norms->update);
  norms->update_max = PRECISION(greatest)(v->update_max, norms->update_max);
  if (!scales->full) return;
  PRECISION(squares_total)(&v->residual, scales->split, count, &norms->residual);
  norms->residual_max = PRECISION(greatest)(v->residual_max, norms->residual_max);
  norms->two_sweep_max = PRECISION(greatest)(v->two_sweep_max, norms->two_sweep_max);
  norms->correction_max = PRECISION(greatest)(v->correction_max, norms->correction_max);
}

/* What all vectors of a segment share. */
struct PRECISION(norm_constants) {
  vector_f64 c, m2, update_scale, residual_scale; /* the last one times the diagonal */
};

/* Adds the norms of a vector from column i on; taken: NULL, or all bits of the nodes that count. Whether there is
 * one is a constant. The square of a difference of single precision is exact. */
HS_INLINE_ALWAYS void PRECISION(norms_vector)(const struct PRECISION(norm_constants) * k,
                                              const struct PRECISION(hs_rows) * rows, const REAL *before, int i,
                                              const vector_f64 *taken, struct PRECISION(vector_norms) * v)
{
  const vector_f64 west = PRECISION(vector_wide)(rows->row + i - 1), east = PRECISION(vector_wide)(rows->row + i + 1);
  const vector_f64 south = PRECISION(vector_wide)(rows->south + i), north = PRECISION(vector_wide)(rows->north + i);
  const vector_f64 next = vector_fma_f64(vector_all_f64(0.25), (north + east) + (south + west), k->c);
  vector_f64 correction = next - PRECISION(vector_wide)(rows->row + i);
  vector_f64 two_sweep = next - PRECISION(vector_wide)(before + i);
  vector_f64 update = PRECISION(vector_wide_minus)(rows->row + i, before + i);
  if (taken) {
    correction = vector_and_f64(correction, *taken);
    two_sweep = vector_and_f64(two_sweep, *taken);
    update = vector_and_f64(update, *taken);
  }
  PRECISION(squares_add)(sizeof(REAL) < sizeof(double), update * k->update_scale, k->m2, &v->update);
  PRECISION(squares_add)(false, correction * k->residual_scale, k->m2, &v->residual);
  v->update_max = vector_most_f64(update, v->update_max);
  v->two_sweep_max = vector_most_f64(two_sweep, v->two_sweep_max);
  v->correction_max = vector_most_f64(correction, v->correction_max);
}

/* Can residuals be scaled before they are rounded? A power of two changes nothing then. */
HS_INLINE bool PRECISION(is_scalable)(const struct hs_stencil_f64 *stencil, const struct hs_cpu_scales *scales)
{
  return isnormal(stencil->diagonal * scales->residual);
}

/* The norms of nodes with one uniform stencil that is_scalable, and no constants of their own. */
static NOT_INLINED void PRECISION(norms_uniform)(const struct hs_stencil_f64 *stencil,
                                                 const struct PRECISION(hs_rows) * rows, const REAL *before, int from,
                                                 int to, const struct hs_cpu_scales *scales, struct hs_row_norms *norms)
{
  enum { W = GROUP_BYTES / sizeof(double) };
  static const uint64_t taken[2 * W] = {
      ~0ull, ~0ull, ~0ull, ~0ull, W > 4 ? ~0ull : 0, W > 4 ? ~0ull : 0, W > 4 ? ~0ull : 0, W > 4 ? ~0ull : 0};
  const struct PRECISION(norm_constants)
      constants = {vector_all_f64(stencil->c), vector_all_f64(scales->split.m2), vector_all_f64(scales->update),
                   vector_all_f64(stencil->diagonal * scales->residual)};
  struct PRECISION(vector_norms) v = PRECISION(no_vector_norms)(scales->split);
  int i = from;
  for (; i + W <= to; i += W) PRECISION(norms_vector)(&constants, rows, before, i, NULL, &v);
  if (i < to) {
    const vector_f64 rest = vector_load_f64((const double *)(taken + W - (to - i)));
    PRECISION(norms_vector)(&constants, rows, before, i, &rest, &v);
  }
  v.residual_max = vector_most_f64(vector_all_f64(stencil->diagonal) * v.correction_max, v.residual_max);
  PRECISION(vector_norms_add)(&v, scales, (to - from + W - 1) / W, norms);
}

/* Norms of nodes from .. to-1 with stencils of the stencil table. */
HS_INLINE_ALWAYS void PRECISION(norms_listed)(bool own, const struct hs_stencil_f64 *stencil_table,
                                              const struct hs_row_schedule *schedule,
                                              const struct PRECISION(hs_rows) * rows, const REAL *before, int from,
                                              int to, const struct hs_cpu_scales *scales, struct hs_row_norms *norms)
{
  enum { FEW = 16 };
  if (to - from < FEW)
    PRECISION(norms_few)(own, stencil_table, schedule, rows, before, from, to, scales, norms);
  else
    PRECISION(norms_segment)
  (own, PRECISION(NORM_LISTED), stencil_table, schedule, rows, before, from, to, scales, norms);
}

/* Norms of columns first .. end-1: segments, with the nodes beside them that have the same stencil, and what lies
 * between. */
HS_INLINE_ALWAYS void PRECISION(norms_segments)(bool own, const struct hs_system *system,
                                                const struct hs_row_schedule *schedule,
                                                const struct PRECISION(hs_rows) * rows, const REAL *before, int first,
                                                int end, const struct hs_cpu_scales *scales, struct hs_row_norms *norms)
{
  const struct hs_stencil_f64 *stencil_table = system->stencil;
  const uint16_t *index = schedule->index;
  int done = first;
  if (!index) {
    PRECISION(norms_segment)
    (own, PRECISION(NORM_EACH), stencil_table, schedule, rows, before, first, end, scales, norms);
    return;
  }
  for (int k = 0; k < schedule->segment_count; k++) {
    const struct hs_row_segment segment = schedule->segments[k];
    struct hs_stencil_f64 stencil; /* kept in registers */
    int from = segment.from * PRECISION(WIDTH), to = segment.to * PRECISION(WIDTH);
    if (from < done) from = done;
    if (to > end) to = end;
    if (segment.kind == HS_SEGMENT_MIXED || from >= to) continue;
    stencil = stencil_table[segment.entry];
    while (from > done && index[from - 1] == segment.entry) from--;
    while (to < end && index[to] == segment.entry) to++;
    PRECISION(norms_listed)(own, stencil_table, schedule, rows, before, done, from, scales, norms);
    done = to;
    if (segment.kind == HS_SEGMENT_EQUAL && !own && PRECISION(is_scalable)(&stencil, scales)) {
      PRECISION(norms_uniform)(&stencil, rows, before, from, to, scales, norms);
      continue;
    }
    if (segment.kind == HS_SEGMENT_DIRICHLET)
      PRECISION(update_norms)(rows->row + from, before + from, to - from, scales->update, scales->split, norms);
    else if (segment.kind == HS_SEGMENT_EQUAL)
      PRECISION(norms_segment)(own, PRECISION(NORM_EQUAL), &stencil, schedule, rows, before, from, to, scales, norms);
    else
      PRECISION(norms_segment)(own, PRECISION(NORM_ALONE), &stencil, schedule, rows, before, from, to, scales, norms);
  }
  PRECISION(norms_listed)(own, stencil_table, schedule, rows, before, done, end, scales, norms);
}

static void PRECISION(all_norms)(const struct hs_system *system, const struct hs_row_schedule *schedule,
                                 const struct PRECISION(hs_rows) * rows, const REAL *before, int from, int to,
                                 const struct hs_cpu_scales *scales, struct hs_row_norms *norms)
{
  if (rows->r)
    PRECISION(norms_segments)(true, system, schedule, rows, before, from, to, scales, norms);
  else
    PRECISION(norms_segments)(false, system, schedule, rows, before, from, to, scales, norms);
}
