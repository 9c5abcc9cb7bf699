/* Norms of transposed rows, for one precision; included by rows/rows.c.
 *
 * In transposed rows (rows/transposed.h) the neighbours of a vector are vectors, so that one that has been loaded, and
 * made double, serves as the eastern neighbour, then as the node itself and then as the western one, and the pair N + E
 * of a node as S + W of another. A vector of single precision has two HALVES of double precision, which are gone
 * through one after the other.
 */

enum { PRECISION(HALF) = GROUP_BYTES / sizeof(double), PRECISION(HALVES) = sizeof(double) / sizeof(REAL) };

/* The stencils of a group in double precision; all bits set where a node is inside of the grid and not Dirichlet. What
 * is outside is 0 at every stage, so that its update counts nothing. */
struct PRECISION(norm_group) {
  double west[LANES], east[LANES], south[LANES], north[LANES], c[LANES], diagonal[LANES];
  uint64_t free[LANES];
};

static void PRECISION(norm_groups_pack)(const struct hs_system *system, const int32_t *entries, int count, void *groups)
{
  const struct hs_stencil_f64 outside = {0};
  struct PRECISION(norm_group) *group = groups;
  for (int g = 0; g < count; g++, group++, entries += LANES) {
    for (int k = 0; k < LANES; k++) {
      const struct hs_stencil_f64 *s = entries[k] < 0 ? &outside : &system->stencil[entries[k]];
      group->west[k] = s->west;
      group->east[k] = s->east;
      group->south[k] = s->south;
      group->north[k] = s->north;
      group->c[k] = s->c;
      group->diagonal[k] = s->diagonal;
      group->free[k] = s->diagonal != 0.0 ? ~(uint64_t)0 : 0;
    }
  }
}

/* --- sums and maxima -------------------------------------------------------------------------- */

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
  double added = 0.0;
  uint64_t start, units = 0;
  memcpy(&start, &split.m2, sizeof start);
  for (int k = 0; k < PRECISION(HALF); k++) added += s->high[k] - split.m1;
  for (int k = 0; k < PRECISION(HALF); k++) units += s->low[k] - (uint64_t)count * start;
  sum->high += added;
  sum->low += isfinite(added) ? (double)(int64_t)units * (nextafter(split.m2, INFINITY) - split.m2) : NAN;
}

struct PRECISION(vector_norms) {
  struct PRECISION(vector_sum) update, residual;
  vector_f64 update_max, residual_max, two_sweep_max, correction_max;
};

HS_INLINE_ALWAYS double PRECISION(greatest)(vector_f64 v, double most)
{
  for (int k = 0; k < PRECISION(HALF); k++) most = v[k] > most ? v[k] : most;
  return most;
}

/* Adds what `count` vectors have come to. */
static void PRECISION(vector_norms_add)(const struct PRECISION(vector_norms) * v, const struct hs_cpu_scales *scales,
                                        int count, struct hs_row_norms *norms)
{
  PRECISION(squares_total)(&v->update, scales->split, count, &norms->update);
  norms->update_max = PRECISION(greatest)(v->update_max, norms->update_max);
  if (!scales->full) return;
  PRECISION(squares_total)(&v->residual, scales->split, count, &norms->residual);
  norms->residual_max = PRECISION(greatest)(v->residual_max, norms->residual_max);
  norms->two_sweep_max = PRECISION(greatest)(v->two_sweep_max, norms->two_sweep_max);
  norms->correction_max = PRECISION(greatest)(v->correction_max, norms->correction_max);
}

/* --- segments --------------------------------------------------------------------------------- */

/* Vectors from .. to-1 of neighbouring rows. Those that a vector of row m is made of begin at row[m + 1] + i LANES, its
 * predecessor at before[m] + i LANES. */
struct PRECISION(norm_segment) {
  const struct PRECISION(norm_group) * group;
  const struct hs_cpu_scales *scales;
  const REAL *row[NORM_ROWS + 2], *before[NORM_ROWS];
  ptrdiff_t from, to;
};

/* One half of vectors of equal nodes in NORM_ROWS rows. Residuals are scaled before they are rounded: a power of two
 * changes nothing then. Since rounding keeps the order of numbers, the largest one is the diagonal times the largest
 * correction. */
HS_INLINE_ALWAYS void PRECISION(norms_equal)(int half, const struct PRECISION(norm_segment) * s,
                                             struct PRECISION(vector_norms) * norms)
{
  const ptrdiff_t at = half * PRECISION(HALF);
  const vector_f64 quarter = vector_all_f64(0.25), c = vector_load_f64(s->group->c + at);
  const vector_f64 diagonal = vector_load_f64(s->group->diagonal + at);
  const vector_f64 m2 = vector_all_f64(s->scales->split.m2), update_scale = vector_all_f64(s->scales->update);
  const vector_f64 residual_scale = diagonal * vector_all_f64(s->scales->residual);
  struct PRECISION(vector_norms) v = *norms;
  vector_f64 west, here[NORM_ROWS], pair[NORM_ROWS]; /* pair[m]: N + E of row m one vector west */
  const REAL *row[NORM_ROWS + 2], *before[NORM_ROWS];
#pragma GCC unroll 16
  for (int m = 0; m < NORM_ROWS + 2; m++) row[m] = s->row[m] + at;
#pragma GCC unroll 16
  for (int m = 0; m < NORM_ROWS; m++) before[m] = s->before[m] + at;
  v.correction_max = vector_all_f64(0.0);
  west = PRECISION(vector_wide)(row[1] + s->from * LANES);
#pragma GCC unroll 16
  for (int m = 0; m < NORM_ROWS; m++) here[m] = PRECISION(vector_wide)(row[m + 1] + (s->from + 1) * LANES);
#pragma GCC unroll 16
  for (int m = 0; m + 1 < NORM_ROWS; m++) pair[m] = PRECISION(vector_wide)(row[m + 2] + s->from * LANES) + here[m];
  for (ptrdiff_t i = s->from * LANES; i < s->to * LANES; i += LANES) {
    vector_f64 south_west = PRECISION(vector_wide)(row[0] + i + LANES) + west;
    west = here[0];
#pragma GCC unroll 16
    for (int m = 0; m < NORM_ROWS; m++) {
      const bool between = m + 1 < NORM_ROWS;
      const vector_f64 north = between ? here[between ? m + 1 : m] : PRECISION(vector_wide)(row[m + 2] + i + LANES);
      const vector_f64 east = PRECISION(vector_wide)(row[m + 1] + i + 2 * LANES), north_east = north + east;
      const vector_f64 next = vector_fma_f64(quarter, north_east + south_west, c), correction = next - here[m];
      const vector_f64 update = PRECISION(vector_wide_minus)(row[m + 1] + i + LANES, before[m] + i);
      PRECISION(squares_add)(sizeof(REAL) < sizeof(double), update * update_scale, m2, &v.update);
      PRECISION(squares_add)(false, correction * residual_scale, m2, &v.residual);
      v.update_max = vector_most_f64(update, v.update_max);
      v.two_sweep_max = vector_most_f64(next - PRECISION(vector_wide)(before[m] + i), v.two_sweep_max);
      v.correction_max = vector_most_f64(correction, v.correction_max);
      south_west = pair[m];
      pair[m] = north_east;
      here[m] = east;
    }
  }
  v.residual_max = vector_most_f64(diagonal * v.correction_max, v.residual_max);
  v.correction_max = vector_most_f64(norms->correction_max, v.correction_max);
  *norms = v;
}

/* One half of vectors of any nodes in one row; `full` is a constant. */
HS_INLINE_ALWAYS void PRECISION(norms_general)(bool full, int half, const struct PRECISION(norm_segment) * s,
                                               struct PRECISION(vector_norms) * norms)
{
  const ptrdiff_t at = half * PRECISION(HALF);
  const struct PRECISION(norm_group) *g = s->group;
  const vector_f64 w = vector_load_f64(g->west + at), e = vector_load_f64(g->east + at);
  const vector_f64 so = vector_load_f64(g->south + at), n = vector_load_f64(g->north + at);
  const vector_f64 quarter = vector_all_f64(0.25), c = vector_load_f64(g->c + at);
  const vector_f64 diagonal = vector_load_f64(g->diagonal + at), m2 = vector_all_f64(s->scales->split.m2);
  const vector_f64 free = vector_load_f64((const double *)g->free + at);
  const vector_f64 update_scale = vector_all_f64(s->scales->update);
  const vector_f64 residual_scale = vector_all_f64(s->scales->residual);
  const REAL *const south = s->row[0] + at, *const row = s->row[1] + at, *const north = s->row[2] + at;
  const REAL *const before = s->before[0] + at;
  struct PRECISION(vector_norms) v = *norms;
  for (ptrdiff_t i = s->from * LANES; i < s->to * LANES; i += LANES) {
    const vector_f64 here = PRECISION(vector_wide)(row + i + LANES);
    const vector_f64 north_east =
        vector_fma_f64(e, PRECISION(vector_wide)(row + i + 2 * LANES), n * PRECISION(vector_wide)(north + i + LANES));
    const vector_f64 south_west =
        vector_fma_f64(so, PRECISION(vector_wide)(south + i + LANES), w * PRECISION(vector_wide)(row + i));
    const vector_f64 next = vector_fma_f64(quarter, north_east + south_west, c);
    const vector_f64 correction = vector_and_f64(next - here, free), residual = diagonal * correction;
    const vector_f64 update = PRECISION(vector_wide_minus)(row + i + LANES, before + i);
    PRECISION(squares_add)(sizeof(REAL) < sizeof(double), update * update_scale, m2, &v.update);
    v.update_max = vector_most_f64(update, v.update_max);
    if (!full) continue;
    PRECISION(squares_add)(false, residual * residual_scale, m2, &v.residual);
    v.residual_max = vector_most_f64(residual, v.residual_max);
    v.two_sweep_max = vector_most_f64(vector_and_f64(next - PRECISION(vector_wide)(before + i), free), v.two_sweep_max);
    v.correction_max = vector_most_f64(correction, v.correction_max);
  }
  *norms = v;
}

#define SEGMENT_FUNCTION(name, of_half)                                                                                \
  static NOT_INLINED void PRECISION(name)(const struct PRECISION(norm_segment) * s,                                    \
                                          struct PRECISION(vector_norms) * norms)                                      \
  {                                                                                                                    \
    for (int half = 0; half < PRECISION(HALVES); half++) of_half;                                                      \
  }
SEGMENT_FUNCTION(norms_of_equal, PRECISION(norms_equal)(half, s, norms))
SEGMENT_FUNCTION(norms_of_any, PRECISION(norms_general)(true, half, s, norms))
SEGMENT_FUNCTION(norms_of_update, PRECISION(norms_general)(false, half, s, norms))
#undef SEGMENT_FUNCTION

/* Can residuals of all nodes be scaled before they are rounded? Not those of Dirichlet nodes, whose diagonal is 0. */
HS_INLINE bool PRECISION(are_scalable)(const struct PRECISION(norm_group) * group, const struct hs_cpu_scales *scales)
{
  for (int k = 0; k < LANES; k++)
    if (!isnormal(group->diagonal[k] * scales->residual)) return false;
  return true;
}

/* Norms of a segment in `count` rows from `first` on, 1 or NORM_ROWS; returns the number of vectors. */
static int PRECISION(segment_norms)(const struct hs_transposed_norms *rows, int first, int count,
                                    const struct hs_row_segment *segment, struct PRECISION(vector_norms) * v)
{
  const struct PRECISION(norm_group) *const group = (const struct PRECISION(norm_group) *)rows->groups + segment->entry;
  const ptrdiff_t length = rows->columns / LANES, from = segment->from - rows->shift, to = segment->to - rows->shift;
  const bool full = rows->scales->full;
  const bool equal =
      full && count > 1 && segment->kind == HS_SEGMENT_EQUAL && PRECISION(are_scalable)(group, rows->scales);
  const int together = equal ? count : 1;
  struct PRECISION(norm_segment) s = {.group = group, .scales = rows->scales};
  s.from = from > 0 ? from : 0;
  s.to = to < length ? to : length;
  if (s.from >= s.to) return 0;
  for (int m = first; m < first + count; m += together) {
    for (int k = 0; k < together + 2; k++) s.row[k] = rows->in[m + k];
    for (int k = 0; k < together; k++) s.before[k] = rows->before[m + k];
    (equal ? PRECISION(norms_of_equal) : full ? PRECISION(norms_of_any) : PRECISION(norms_of_update))(&s, v);
  }
  return (int)(s.to - s.from) * count;
}

static void PRECISION(transposed_norms)(const struct hs_transposed_norms *rows, struct hs_row_norms *norms)
{
  const vector_f64 none = {0}, m1 = vector_all_f64(rows->scales->split.m1);
  struct PRECISION(vector_norms) v = {{m1, {0}}, {m1, {0}}, none, none, none, none};
  int vectors = 0;
  for (int first = 0, count; first < rows->count; first += count) {
    const struct hs_row_span *span = &rows->spans[first];
    count = span->alike >= NORM_ROWS && rows->count - first >= NORM_ROWS ? NORM_ROWS : 1;
    for (int k = 0; k < span->count; k++)
      vectors += PRECISION(segment_norms)(rows, first, count, &rows->segments[span->first + k], &v);
  }
  PRECISION(vector_norms_add)(&v, rows->scales, PRECISION(HALVES) * vectors, norms);
}
