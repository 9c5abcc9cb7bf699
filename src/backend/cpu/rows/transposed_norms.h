/* Norms of transposed rows, for one precision; included by rows/body.h where there are vectors.
 *
 * In transposed rows (rows/transposed.h) the neighbours of a vector are vectors, so that one that has been loaded, and
 * made double, serves as the eastern neighbour, then as the node itself and then as the western one, and the pair N + E
 * of a node as S + W of another. A vector of single precision has two HALVES of double precision, which are gone
 * through one after the other. All else is as in rows/norms.h.
 */

enum { PRECISION(HALF) = GROUP_BYTES / sizeof(double), PRECISION(HALVES) = sizeof(double) / sizeof(REAL) };

/* The stencils of a packed group in double precision; all bits set where a node is inside of the grid and not held.
 * What is outside is 0 at every stage, so that its update counts nothing. */
struct PRECISION(norm_group) {
  double west[PRECISION(WIDTH)], east[PRECISION(WIDTH)], south[PRECISION(WIDTH)], north[PRECISION(WIDTH)];
  double c[PRECISION(WIDTH)], diagonal[PRECISION(WIDTH)];
  uint64_t free[PRECISION(WIDTH)];
};

static void PRECISION(norm_groups_pack)(const struct hs_system *system, const int32_t *entries, int count, void *groups)
{
  const struct hs_stencil_f64 padding = {0, 0, 0, 0, 0, 0, 0, 0};
  struct PRECISION(norm_group) *group = groups;
  for (int g = 0; g < count; g++, group++, entries += PRECISION(WIDTH)) {
    for (int k = 0; k < PRECISION(WIDTH); k++) {
      const struct hs_stencil_f64 *s = entries[k] < 0 ? &padding : &system->stencil[entries[k]];
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

/* Vectors from <= i < to of neighbouring rows with one schedule. Those that a vector of row m is made of begin at
 * row[m + 1] + i WIDTH, its predecessor at before[m] + i WIDTH. */
struct PRECISION(norm_segment) {
  const struct PRECISION(norm_group) * group;
  const struct hs_cpu_scales *scales;
  const REAL *row[NORM_ROWS_MOST + 2], *before[NORM_ROWS_MOST];
  ptrdiff_t from, to;
};

/* Adds the norms of a vector; `full` and `scaled`, whether the scale of residuals holds the diagonal, are constants. */
HS_INLINE_ALWAYS void PRECISION(transposed_add)(bool full, bool scaled, const struct PRECISION(norm_constants) * k,
                                                vector_f64 diagonal, vector_f64 update, vector_f64 correction,
                                                vector_f64 two_sweep, struct PRECISION(vector_norms) * v)
{
  PRECISION(squares_add)(sizeof(REAL) < sizeof(double), update * k->update_scale, k->m2, &v->update);
  v->update_max = vector_most_f64(update, v->update_max);
  if (!full) return;
  v->two_sweep_max = vector_most_f64(two_sweep, v->two_sweep_max);
  v->correction_max = vector_most_f64(correction, v->correction_max);
  if (!scaled) correction = diagonal * correction;
  PRECISION(squares_add)(false, correction * k->residual_scale, k->m2, &v->residual);
  if (!scaled) v->residual_max = vector_most_f64(correction, v->residual_max);
}

/* One half (of a wide vector) of uniform nodes in `rows` rows; masked: but for Dirichlet ones and what is outside of
 * the grid. Without a mask residuals are scaled before they are rounded. rows, masked and half are constants. */
HS_INLINE_ALWAYS void PRECISION(transposed_uniform)(int rows, bool masked, int half,
                                                    const struct PRECISION(norm_segment) * s,
                                                    struct PRECISION(vector_norms) * norms)
{
  const ptrdiff_t width = PRECISION(WIDTH), at = half * PRECISION(HALF);
  const vector_f64 quarter = vector_all_f64(0.25), diagonal = vector_load_f64(s->group->diagonal + at);
  const vector_f64 free = vector_load_f64((const double *)s->group->free + at);
  const vector_f64 scale = vector_all_f64(s->scales->residual);
  const struct PRECISION(norm_constants)
      k = {vector_load_f64(s->group->c + at), vector_all_f64(s->scales->split.m2), vector_all_f64(s->scales->update),
           masked ? scale : (vector_f64)(diagonal * scale)};
  struct PRECISION(vector_norms) v = *norms;
  vector_f64 west, here[NORM_ROWS_MOST], pair[NORM_ROWS_MOST]; /* pair[m]: N + E of row m one vector west */
  const REAL *row[NORM_ROWS_MOST + 2], *before[NORM_ROWS_MOST];
#pragma GCC unroll 16
  for (int m = 0; m < rows + 2; m++) row[m] = s->row[m] + at;
#pragma GCC unroll 16
  for (int m = 0; m < rows; m++) before[m] = s->before[m] + at;
  if (!masked) v.correction_max = vector_all_f64(0.0);
  west = PRECISION(vector_wide)(row[1] + s->from * width);
#pragma GCC unroll 16
  for (int m = 0; m < rows; m++) here[m] = PRECISION(vector_wide)(row[m + 1] + (s->from + 1) * width);
#pragma GCC unroll 16
  for (int m = 0; m + 1 < rows; m++) pair[m] = PRECISION(vector_wide)(row[m + 2] + s->from * width) + here[m];
  for (ptrdiff_t i = s->from * width; i < s->to * width; i += width) {
    vector_f64 south_west = PRECISION(vector_wide)(row[0] + i + width) + west;
    west = here[0];
#pragma GCC unroll 16
    for (int m = 0; m < rows; m++) {
      const bool between = m + 1 < rows;
      const vector_f64 north = between ? here[between ? m + 1 : m] : PRECISION(vector_wide)(row[m + 2] + i + width);
      const vector_f64 east = PRECISION(vector_wide)(row[m + 1] + i + 2 * width), north_east = north + east;
      const vector_f64 next = vector_fma_f64(quarter, north_east + south_west, k.c);
      const vector_f64 update = PRECISION(vector_wide_minus)(row[m + 1] + i + width, before[m] + i);
      const vector_f64 correction = next - here[m], two_sweep = next - PRECISION(vector_wide)(before[m] + i);
      PRECISION(transposed_add)
      (true, !masked, &k, diagonal, update, masked ? vector_and_f64(correction, free) : correction,
       masked ? vector_and_f64(two_sweep, free) : two_sweep, &v);
      south_west = pair[m];
      pair[m] = north_east;
      here[m] = east;
    }
  }
  if (!masked) {
    v.residual_max = vector_most_f64(diagonal * v.correction_max, v.residual_max);
    v.correction_max = vector_most_f64(norms->correction_max, v.correction_max);
  }
  *norms = v;
}

/* One half (of a wide vector) of nodes of any stencils in one row; full and half are constants. */
HS_INLINE_ALWAYS void PRECISION(transposed_general)(bool full, int half, const struct PRECISION(norm_segment) * s,
                                                    struct PRECISION(vector_norms) * norms)
{
  const ptrdiff_t width = PRECISION(WIDTH), at = half * PRECISION(HALF);
  const struct PRECISION(norm_group) *g = s->group;
  const vector_f64 w = vector_load_f64(g->west + at), e = vector_load_f64(g->east + at);
  const vector_f64 so = vector_load_f64(g->south + at), n = vector_load_f64(g->north + at);
  const vector_f64 quarter = vector_all_f64(0.25), diagonal = vector_load_f64(g->diagonal + at);
  const vector_f64 free = vector_load_f64((const double *)g->free + at);
  const struct PRECISION(norm_constants) k = {vector_load_f64(g->c + at), vector_all_f64(s->scales->split.m2),
                                              vector_all_f64(s->scales->update), vector_all_f64(s->scales->residual)};
  const REAL *const south_row = s->row[0] + at, *const row = s->row[1] + at, *const north_row = s->row[2] + at;
  const REAL *const before = s->before[0] + at;
  struct PRECISION(vector_norms) v = *norms;
  for (ptrdiff_t i = s->from * width; i < s->to * width; i += width) {
    const vector_f64 west = PRECISION(vector_wide)(row + i), here = PRECISION(vector_wide)(row + i + width);
    const vector_f64 east = PRECISION(vector_wide)(row + i + 2 * width);
    const vector_f64 south = PRECISION(vector_wide)(south_row + i + width);
    const vector_f64 north = PRECISION(vector_wide)(north_row + i + width);
    const vector_f64 north_east = vector_fma_f64(e, east, n * north), south_west = vector_fma_f64(so, south, w * west);
    const vector_f64 next = vector_fma_f64(quarter, north_east + south_west, k.c);
    const vector_f64 update = PRECISION(vector_wide_minus)(row + i + width, before + i);
    const vector_f64 two_sweep = next - PRECISION(vector_wide)(before + i);
    PRECISION(transposed_add)
    (full, false, &k, diagonal, update, vector_and_f64(next - here, free), vector_and_f64(two_sweep, free), &v);
  }
  *norms = v;
}

#define SEGMENT_FUNCTION(name, of_part)                                                                                \
  static NOT_INLINED void PRECISION(name)(const struct PRECISION(norm_segment) * s,                                    \
                                          struct PRECISION(vector_norms) * norms)                                      \
  {                                                                                                                    \
    of_part(0);                                                                                                        \
    if (PRECISION(HALVES) == 2) of_part(1);                                                                            \
  }
#define EQUAL_PART(half) PRECISION(transposed_uniform)(1, false, half, s, norms)
SEGMENT_FUNCTION(norms_equal, EQUAL_PART)
#undef EQUAL_PART
#define TOGETHER_PART(half) PRECISION(transposed_uniform)(NORM_ROWS_MOST, false, half, s, norms)
SEGMENT_FUNCTION(norms_together, TOGETHER_PART)
#undef TOGETHER_PART
#define MASKED_PART(half) PRECISION(transposed_uniform)(1, true, half, s, norms)
SEGMENT_FUNCTION(norms_masked, MASKED_PART)
#undef MASKED_PART
#define GENERAL_PART(half) PRECISION(transposed_general)(true, half, s, norms)
SEGMENT_FUNCTION(norms_general, GENERAL_PART)
#undef GENERAL_PART
#define UPDATE_PART(half) PRECISION(transposed_general)(false, half, s, norms)
SEGMENT_FUNCTION(norms_of_update, UPDATE_PART)
#undef UPDATE_PART
#undef SEGMENT_FUNCTION

/* Can residuals of all nodes be scaled before they are rounded? */
HS_INLINE bool PRECISION(are_scalable)(const struct PRECISION(norm_group) * group, const struct hs_cpu_scales *scales)
{
  bool all = true;
  for (int k = 0; k < PRECISION(WIDTH); k++) all = all && isnormal(group->diagonal[k] * scales->residual);
  return all;
}

/* The norms of a segment, of one row or of NORM_ROWS_MOST. */
typedef void (*PRECISION(segment_norms))(const struct PRECISION(norm_segment) *, struct PRECISION(vector_norms) *);

/* Norms of a segment in `count` rows from `first` on, 1 or NORM_ROWS_MOST; returns the number of vectors. */
static int PRECISION(segment_sum)(const struct hs_transposed_norms *rows, int first, int count,
                                  struct hs_row_segment segment, struct PRECISION(vector_norms) * v)
{
  const struct PRECISION(norm_group) *const groups = rows->groups, *const group = &groups[segment.entry];
  const ptrdiff_t length = rows->columns / PRECISION(WIDTH), from = segment.from - rows->shift,
                  to = segment.to - rows->shift;
  struct PRECISION(norm_segment) s = {.group = group, .scales = rows->scales};
  const bool full = rows->scales->full, uniform = segment.kind != HS_SEGMENT_STENCIL;
  const bool equal = full && segment.kind == HS_SEGMENT_EQUAL && PRECISION(are_scalable)(group, rows->scales);
  const PRECISION(segment_norms) one = equal     ? PRECISION(norms_equal)
                                       : !full   ? PRECISION(norms_of_update)
                                       : uniform ? PRECISION(norms_masked)
                                                 : PRECISION(norms_general);
  const int together = equal ? count : 1;
  s.from = from > 0 ? from : 0;
  s.to = to < length ? to : length;
  if (s.from >= s.to) return 0;
  for (int m = 0; m < count; m += together) {
    for (int k = 0; k < together + 2; k++) s.row[k] = rows->slot[first + m + k];
    for (int k = 0; k < together; k++) s.before[k] = rows->before[first + m + k];
    (together > 1 ? PRECISION(norms_together) : one)(&s, v);
  }
  return (int)(s.to - s.from) * count;
}

static void PRECISION(norms_transposed)(const struct hs_transposed_norms *rows, struct hs_row_norms *norms)
{
  struct PRECISION(vector_norms) v = PRECISION(no_vector_norms)(rows->scales->split);
  int vectors = 0;
  for (int first = 0, count; first < rows->count; first += count) {
    const struct hs_row_span *span = &rows->spans[first];
    const struct hs_row_segment *const segments = rows->segments + span->first_segment, *const end =
                                                                                            segments +
                                                                                            span->segment_count;
    count = span->alike >= NORM_ROWS_MOST && rows->count - first >= NORM_ROWS_MOST ? NORM_ROWS_MOST : 1;
    for (const struct hs_row_segment *segment = segments; segment < end; segment++)
      vectors += PRECISION(segment_sum)(rows, first, count, *segment, &v);
  }
  PRECISION(vector_norms_add)(&v, rows->scales, PRECISION(HALVES) * vectors, norms);
}
