/* Sweeps of transposed rows, for one precision; included by rows/rows.c.
 *
 * The dimension-lifting transpose (Henretty 2011): a row is cut into as many pieces as a vector has lanes, and lane k
 * holds piece k. With four lanes and pieces of `length` 5:
 *
 *      columns    0 1 2 3 4 | 5 6 7 8 9 | 10 11 12 13 14 | 15 16 17 18 19 | e f
 *      stored     0 5 10 15 | 1 6 11 16 | 2 7 12 17 | 3 8 13 18 | 4 9 14 19 | 5 10 15 e | 6 11 16 f
 *                 vector 0    vector 1    ...                     vector 4    two ghosts
 *
 * The neighbours west and east of a vector are the vectors beside it, without any shuffle. Only the ghosts must be
 * renewed for each row: two behind it, for which two elements beyond its end are needed, or in a full-width row, beyond
 * which lie zeros, one on either side.
 *
 * A new row lies one column further east than the three that it is made of: its vector i is of the columns of their
 * vector i + 1. It may take the place of the row south of it, for it is written where nothing is read any more.
 *
 * Neighbouring rows with the same stencils are swept jointly (unroll and jam). The pair N + E of a vector is the pair
 * S + W of the one north-east of it (node.h), so that four rows of equal nodes cost 9 additions and 4 fma, 6 loads and 4
 * stores for 4 vectors.
 *
 * Source: T. Henretty et al., Data layout transformation for stencil computations on short-vector SIMD architectures,
 * Compiler Construction 2011.
 */

/* A group: the stencils of a vector. quarter: 1/4, or 0 for Dirichlet nodes; all bits of `inside` are set where a node is
 * in the grid, all bits of `free` where it is not a Dirichlet node. */
struct PRECISION(group) {
  REAL west[LANES], east[LANES], south[LANES], north[LANES], c[LANES], relax[LANES], quarter[LANES];
  BITS inside[LANES], free[LANES];
};

static void PRECISION(groups_pack)(const struct hs_system *system, const int32_t *entries, int count, void *groups)
{
  const struct PRECISION(hs_stencil) outside = {0};
  struct PRECISION(group) *group = groups;
  for (int g = 0; g < count; g++, group++, entries += LANES) {
    for (int k = 0; k < LANES; k++) {
      const struct PRECISION(hs_stencil) *s = entries[k] < 0 ? &outside : &system->STENCIL[entries[k]];
      group->west[k] = s->west;
      group->east[k] = s->east;
      group->south[k] = s->south;
      group->north[k] = s->north;
      group->c[k] = s->c;
      group->relax[k] = s->relax;
      group->quarter[k] = s->diagonal != 0 ? (REAL)0.25 : 0;
      group->inside[k] = entries[k] < 0 ? 0 : ~(BITS)0;
      group->free[k] = s->diagonal != 0 ? ~(BITS)0 : 0;
    }
  }
}

/* --- layout ----------------------------------------------------------------------------------- */

/* Transposes a square matrix whose rows are LANES vectors. */
HS_INLINE_ALWAYS void PRECISION(square_transpose)(PRECISION(vector) * v)
{
  for (int step = 1; step < LANES; step *= 2) {
    PRECISION(vector) zipped[LANES];
    for (int k = 0; k < LANES / 2; k++) {
      zipped[2 * k] = PRECISION(vector_low)(v[k], v[k + LANES / 2]);
      zipped[2 * k + 1] = PRECISION(vector_high)(v[k], v[k + LANES / 2]);
    }
    for (int k = 0; k < LANES; k++) v[k] = zipped[k];
  }
}

static void PRECISION(transpose)(const void *natural, int length, int vectors, void *transposed)
{
  const REAL *const row = natural;
  REAL *const out = transposed;
  int k = 0;
  for (; k + LANES <= vectors; k += LANES) {
    PRECISION(vector) v[LANES];
    for (int lane = 0; lane < LANES; lane++) v[lane] = PRECISION(vector_load)(row + lane * length + k);
    PRECISION(square_transpose)(v);
    for (int m = 0; m < LANES; m++) PRECISION(vector_store)(out + (k + m) * LANES, v[m]);
  }
  for (; k < vectors; k++)
    for (int lane = 0; lane < LANES; lane++) out[k * LANES + lane] = row[lane * length + k];
}

static void PRECISION(transpose_back)(const void *transposed, int columns, void *natural)
{
  const REAL *const in = transposed;
  REAL *const row = natural;
  const int length = columns / LANES;
  int k = 0;
  for (; k + LANES <= length; k += LANES) {
    PRECISION(vector) v[LANES];
    for (int m = 0; m < LANES; m++) v[m] = PRECISION(vector_load)(in + (k + m) * LANES);
    PRECISION(square_transpose)(v);
    for (int lane = 0; lane < LANES; lane++) PRECISION(vector_store)(row + lane * length + k, v[lane]);
  }
  for (; k < length; k++)
    for (int lane = 0; lane < LANES; lane++) row[lane * length + k] = in[k * LANES + lane];
}

/* Ghosts of a row whose vectors have been written, and its first two elements. */
HS_INLINE_ALWAYS void PRECISION(ghosts_make)(ptrdiff_t length, const REAL *east, REAL *west, REAL *row)
{
  enum { GHOSTS = 2 };
  for (int k = 0; k < GHOSTS; k++) {
    PRECISION(vector_store)(row + (length + k) * LANES, PRECISION(vector_load)(row + k * LANES + 1));
    row[(length + k) * LANES + LANES - 1] = east[k];
  }
  for (int k = 0; k < GHOSTS; k++) west[k] = row[k * LANES];
}

/* The same of a full-width row, of vectors as they were written a moment ago, for a load across two of them would wait
 * until they have reached the cache. */
HS_INLINE_ALWAYS void PRECISION(full_width_ghosts_make)(ptrdiff_t length, REAL *row)
{
  PRECISION(vector_store)(row - LANES, PRECISION(vector_up)(PRECISION(vector_load)(row + (length - 1) * LANES)));
  PRECISION(vector_store)(row + length * LANES, PRECISION(vector_down)(PRECISION(vector_load)(row)));
}

/* --- sweeps ----------------------------------------------------------------------------------- */

/* Rows that are swept jointly: new row m is made of in[m .. m + 2] and goes to out[m]. */
struct PRECISION(jam) {
  const struct PRECISION(group) * groups;
  void *const *in, *const *out;
  ptrdiff_t shift, length;
  const void *const *r;
  REAL weight;
};

/* Elements from .. to-1 of a new row that belong to a segment. */
HS_INLINE_ALWAYS ptrdiff_t PRECISION(segment_from)(const struct PRECISION(jam) * jam,
                                                   const struct hs_row_segment *segment)
{
  return segment->from > jam->shift ? (segment->from - jam->shift) * LANES : 0;
}

HS_INLINE_ALWAYS ptrdiff_t PRECISION(segment_to)(const struct PRECISION(jam) * jam,
                                                 const struct hs_row_segment *segment)
{
  return (segment->to - jam->shift < jam->length ? segment->to - jam->shift : jam->length) * LANES;
}

/* What jam_equal keeps in registers from vector to vector. */
struct PRECISION(jam_state) {
  PRECISION(vector) west, here[JAM_ROWS_MOST], pair[JAM_ROWS_MOST]; /* pair[m]: N + E of row m one vector west */
};

/* Elements from .. to-1, of a segment of equal nodes; masked: Dirichlet nodes or columns outside of the grid are among
 * them. Without a mask row m goes to row[m], the first one to `out`. `rows` and `masked` are constants.
 *
 * A product by 0 makes NaN beside an infinite neighbour, as the formula of a Dirichlet node does (node.h). */
HS_INLINE_ALWAYS void PRECISION(jam_vectors)(int rows, bool masked, const struct PRECISION(group) * group,
                                             REAL *const *row, REAL *out, ptrdiff_t from, ptrdiff_t to,
                                             struct PRECISION(jam_state) * state)
{
  typedef PRECISION(vector) vector;
  const vector quarter = masked ? PRECISION(vector_load)(group->quarter) : PRECISION(vector_all)((REAL)0.25);
  const vector c = PRECISION(vector_load)(group->c), inside = PRECISION(vector_load)((const REAL *)group->inside);
  struct PRECISION(jam_state) t = *state;
#pragma GCC unroll 2
  for (ptrdiff_t i = from; i < to; i += LANES) {
    vector south_west = PRECISION(vector_load)(row[0] + i + LANES) + t.west;
    t.west = t.here[0];
#pragma GCC unroll 16
    for (int m = 0; m < rows; m++) {
      const bool between = m + 1 < rows;
      const vector north = between ? t.here[between ? m + 1 : m] : PRECISION(vector_load)(row[m + 2] + i + LANES);
      const vector east = PRECISION(vector_load)(row[m + 1] + i + 2 * LANES), north_east = north + east;
      const vector node = PRECISION(vector_fma)(quarter, north_east + south_west, c);
      PRECISION(vector_store)((m ? row[m] : out) + i, masked ? PRECISION(vector_and)(node, inside) : node);
      south_west = t.pair[m];
      t.pair[m] = north_east;
      t.here[m] = east;
    }
  }
  *state = t;
}

/* Plain sweeps of segments of equal nodes; out[m] is in[m] but for the first. `rows` is a constant. */
HS_INLINE_ALWAYS void PRECISION(jam_equal)(int rows, const struct PRECISION(jam) * jam,
                                           const struct hs_row_segment *segment, const struct hs_row_segment *end)
{
  const struct PRECISION(jam) j = *jam; /* in registers: its members might be written otherwise */
  const ptrdiff_t begin = PRECISION(segment_from)(&j, segment);
  struct PRECISION(jam_state) t;
  REAL *row[JAM_ROWS_MOST + 2], *const out = j.out[0];
#pragma GCC unroll 16
  for (int m = 0; m < rows + 2; m++) row[m] = j.in[m];
  t.west = PRECISION(vector_load)(row[1] + begin);
#pragma GCC unroll 16
  for (int m = 0; m < rows; m++) t.here[m] = PRECISION(vector_load)(row[m + 1] + begin + LANES);
#pragma GCC unroll 16
  for (int m = 0; m + 1 < rows; m++) t.pair[m] = PRECISION(vector_load)(row[m + 2] + begin) + t.here[m];
  for (; segment < end; segment++) {
    const struct PRECISION(group) *group = &j.groups[segment->entry];
    const ptrdiff_t from = PRECISION(segment_from)(&j, segment), to = PRECISION(segment_to)(&j, segment);
    if (segment->kind == HS_SEGMENT_EQUAL)
      PRECISION(jam_vectors)(rows, false, group, row, out, from, to, &t);
    else
      PRECISION(jam_vectors)(rows, true, group, row, out, from, to, &t);
  }
}

/* Sweeps of segments of any nodes. Chebyshev's form finds the predecessor where the new row goes, two columns further
 * west. `rows`, `form` and `own` (are there per-node constants?) are constants. */
HS_INLINE_ALWAYS void PRECISION(jam_general)(int rows, enum hs_form form, bool own, const struct PRECISION(jam) * jam,
                                             const struct hs_row_segment *segment, const struct hs_row_segment *end)
{
  typedef PRECISION(vector) vector;
  const struct PRECISION(jam) j = *jam;
  const bool in_place = form != HS_FORM_CHEBYSHEV;
  const vector quarter = PRECISION(vector_all)((REAL)0.25), weight = PRECISION(vector_all)(j.weight);
  REAL *row[JAM_ROWS_MOST + 2], *out[JAM_ROWS_MOST];
  const REAL *r[JAM_ROWS_MOST];
#pragma GCC unroll 16
  for (int m = 0; m < rows + 2; m++) row[m] = j.in[m];
#pragma GCC unroll 16
  for (int m = 0; m < rows; m++) out[m] = in_place && m ? row[m] : j.out[m];
#pragma GCC unroll 16
  for (int m = 0; own && m < rows; m++) r[m] = (const REAL *)j.r[m] + j.shift * LANES;
  for (; segment < end; segment++) {
    const struct PRECISION(group) *group = &j.groups[segment->entry];
    const vector w = PRECISION(vector_load)(group->west), e = PRECISION(vector_load)(group->east);
    const vector s = PRECISION(vector_load)(group->south), n = PRECISION(vector_load)(group->north);
    const vector c = PRECISION(vector_load)(group->c), inside = PRECISION(vector_load)((const REAL *)group->inside);
    const vector free = PRECISION(vector_load)((const REAL *)group->free);
    const vector relax = form == HS_FORM_WEIGHTED ? weight * PRECISION(vector_load)(group->relax) : weight;
    const ptrdiff_t to = PRECISION(segment_to)(&j, segment);
    for (ptrdiff_t i = PRECISION(segment_from)(&j, segment); i < to; i += LANES) {
#pragma GCC unroll 16
      for (int m = 0; m < rows; m++) {
        const vector west = PRECISION(vector_load)(row[m + 1] + i);
        const vector east = PRECISION(vector_load)(row[m + 1] + i + 2 * LANES);
        const vector south = PRECISION(vector_load)(row[m] + i + LANES);
        const vector north = PRECISION(vector_load)(row[m + 2] + i + LANES);
        const vector north_east = PRECISION(vector_fma)(e, east, n * north);
        const vector south_west = PRECISION(vector_fma)(s, south, w * west);
        const vector constant = own ? c + PRECISION(vector_load)(r[m] + i) : c;
        vector node = PRECISION(vector_fma)(quarter, north_east + south_west, constant);
        if (form != HS_FORM_JACOBI) {
          const vector base = PRECISION(vector_load)(in_place ? row[m + 1] + i + LANES : out[m] + i + 2 * LANES);
          node = PRECISION(vector_choose)(free, PRECISION(vector_fma)(relax, node - base, base), node);
        }
        PRECISION(vector_store)(out[m] + i, PRECISION(vector_and)(node, inside));
      }
    }
  }
}

typedef void (*PRECISION(jam_function))(const struct PRECISION(jam) * jam, const struct hs_row_segment *segment,
                                        const struct hs_row_segment *end);

#define JAM_FUNCTION(name, kind, ...)                                                                                  \
  static NOT_INLINED void PRECISION(name)(const struct PRECISION(jam) * jam, const struct hs_row_segment *segment,     \
                                          const struct hs_row_segment *end)                                            \
  {                                                                                                                    \
    PRECISION(kind)(__VA_ARGS__, jam, segment, end);                                                                   \
  }
#define JAM_FUNCTIONS(name, kind, ...)                                                                                 \
  JAM_FUNCTION(name##_1, kind, 1, ##__VA_ARGS__)                                                                       \
  JAM_FUNCTION(name##_few, kind, JAM_ROWS, ##__VA_ARGS__)                                                              \
  JAM_FUNCTION(name##_most, kind, JAM_ROWS_MOST, ##__VA_ARGS__)
JAM_FUNCTIONS(equal, jam_equal)
JAM_FUNCTIONS(plain, jam_general, HS_FORM_JACOBI, false)
JAM_FUNCTIONS(plain_own, jam_general, HS_FORM_JACOBI, true)
JAM_FUNCTIONS(weighted, jam_general, HS_FORM_WEIGHTED, false)
JAM_FUNCTIONS(weighted_own, jam_general, HS_FORM_WEIGHTED, true)
JAM_FUNCTIONS(chebyshev, jam_general, HS_FORM_CHEBYSHEV, false)
JAM_FUNCTIONS(chebyshev_own, jam_general, HS_FORM_CHEBYSHEV, true)
#undef JAM_FUNCTIONS
#undef JAM_FUNCTION

/* Functions for 1, JAM_ROWS and JAM_ROWS_MOST rows: of equal nodes in plain sweeps, and of any nodes. */
#define OF_COUNTS(name)                                                                                                \
  {                                                                                                                    \
    PRECISION(name##_1), PRECISION(name##_few), PRECISION(name##_most)                                                 \
  }
static const PRECISION(jam_function) PRECISION(equal_functions)[3] = OF_COUNTS(equal);
static const PRECISION(jam_function) PRECISION(functions)[3][2][3] = {{OF_COUNTS(plain), OF_COUNTS(plain_own)},
                                                                      {OF_COUNTS(weighted), OF_COUNTS(weighted_own)},
                                                                      {OF_COUNTS(chebyshev), OF_COUNTS(chebyshev_own)}};
#undef OF_COUNTS

/* Rows with one schedule: `size` says how many, and picks the functions. */
static void PRECISION(sweep_alike)(const struct hs_transposed_rows *rows, int first, int count, int size)
{
  const bool plain = rows->form == HS_FORM_JACOBI && !rows->r;
  const PRECISION(jam_function) of_any = PRECISION(functions)[rows->form][rows->r != NULL][size];
  const PRECISION(jam_function) of_equal = plain ? PRECISION(equal_functions)[size] : of_any;
  const struct hs_row_segment *segment = rows->segments + rows->spans[first].first;
  const struct hs_row_segment *const end = segment + rows->spans[first].count;
  void *const *const out = rows->out + first;
  const bool full_width = rows->full_width;
  const ptrdiff_t length = rows->columns / LANES, shift = rows->shift;
  const struct PRECISION(jam) jam = {.groups = rows->groups,
                                     .in = rows->in + first,
                                     .out = out,
                                     .shift = shift,
                                     .length = length,
                                     .r = rows->r ? rows->r + first : NULL,
                                     .weight = (REAL)rows->weight};
  while (segment < end && segment->to <= shift) segment++;
  while (segment < end && segment->from - shift < length) {
    const struct hs_row_segment *const begin = segment;
    const bool general = begin->kind == HS_SEGMENT_GENERAL;
    while (segment < end && segment->from - shift < length && (segment->kind == HS_SEGMENT_GENERAL) == general)
      segment++;
    (general ? of_any : of_equal)(&jam, begin, segment);
  }
  for (int m = 0; full_width && m < count; m++) PRECISION(full_width_ghosts_make)(length, out[m]);
  for (int m = 0; rows->east && m < count; m++) PRECISION(ghosts_make)
  (length, (const REAL *)rows->east + 2 * (first + m), (REAL *)rows->west + 2 * (first + m), out[m]);
}

static void PRECISION(transposed_sweep)(const struct hs_transposed_rows *rows)
{
  for (int first = 0, count; first < rows->count; first += count) {
    const int left = rows->count - first, like = rows->spans[first].alike, alike = like < left ? like : left;
    const int size = alike >= JAM_ROWS_MOST ? 2 : alike >= JAM_ROWS ? 1 : 0;
    count = size == 2 ? JAM_ROWS_MOST : size == 1 ? JAM_ROWS : 1;
    PRECISION(sweep_alike)(rows, first, count, size);
  }
}
