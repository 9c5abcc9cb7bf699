/* Plain sweeps of transposed rows, for one precision; included by rows/body.h where there are vectors.
 *
 * A transposed row lets no vector hold neighbours: cut into as many pieces as a vector has elements, it is stored
 * column by column of the pieces. With four elements and pieces of `length` 5:
 *
 *      columns    0 1 2 3 4 | 5 6 7 8 9 | 10 11 12 13 14 | 15 16 17 18 19 | e f
 *      stored     0 5 10 15 | 1 6 11 16 | 2 7 12 17 | 3 8 13 18 | 4 9 14 19 | 5 10 15 e | 6 11 16 f
 *                 vector 0    vector 1    ...                     vector 4    two ghosts
 *
 * The neighbours west and east of a vector are the vectors beside it, without any shuffle; only the ghosts must be
 * renewed for each row, with the two elements that lie east of it.
 *
 * A new row lies one column further east than the three that it is made of: its vector i is of the columns of their
 * vector i + 1. It may take the place of the row south of it, for it is written where nothing is read any more. The
 * pair N + E of a vector is the pair S + W of the one north-east of it (node.h), so that four uniform rows cost 9
 * additions and 4 fma, 6 loads and 4 stores for 4 vectors. Eight rows need registers for twice as many vectors:
 * there are 32 with AVX-512, and 16 with AVX2.
 *
 * Dirichlet nodes among uniform ones are swept with them, with 0 for 1/4 (which makes NaN beside an infinite neighbour,
 * as node.h does), and what lies outside of the grid is masked: a vector of other stencils would cost as much as several
 * uniform ones.
 */

/* Ghosts of a row whose vectors have been written, and its first two elements. */
HS_INLINE_ALWAYS void PRECISION(skewed_finish)(ptrdiff_t length, const REAL *east, REAL *west, REAL *row)
{
  enum { W = PRECISION(WIDTH), GHOSTS = 2 };
  for (int k = 0; k < GHOSTS; k++) {
    PRECISION(vector_store)(row + (length + k) * W, PRECISION(vector_load)(row + k * W + 1));
    row[(length + k) * W + W - 1] = east[k];
  }
  for (int k = 0; k < GHOSTS; k++) west[k] = row[k * W];
}

/* The same of a row that zeros lie beyond: a ghost on either side, of vectors as they were written a moment ago, for
 * a load across two of them would wait until they have reached the cache. */
HS_INLINE_ALWAYS void PRECISION(full_width_finish)(ptrdiff_t length, REAL *row)
{
  enum { W = PRECISION(WIDTH) };
  PRECISION(vector_store)(row - W, PRECISION(vector_up)(PRECISION(vector_load)(row + (length - 1) * W)));
  PRECISION(vector_store)(row + length * W, PRECISION(vector_down)(PRECISION(vector_load)(row)));
}

/* Transposes a square matrix whose rows are WIDTH vectors. */
HS_INLINE_ALWAYS void PRECISION(square_transpose)(PRECISION(vector) * v)
{
  enum { W = PRECISION(WIDTH) };
  for (int step = 1; step < W; step *= 2) {
    PRECISION(vector) zipped[W];
    for (int k = 0; k < W / 2; k++) {
      zipped[2 * k] = PRECISION(vector_low)(v[k], v[k + W / 2]);
      zipped[2 * k + 1] = PRECISION(vector_high)(v[k], v[k + W / 2]);
    }
    for (int k = 0; k < W; k++) v[k] = zipped[k];
  }
}

static void PRECISION(transpose)(const REAL *row, int columns, const REAL *east, REAL *west, REAL *transposed)
{
  enum { W = PRECISION(WIDTH) };
  const ptrdiff_t length = columns / W;
  ptrdiff_t k = 0;
  for (; k + W <= length; k += W) {
    PRECISION(vector) v[W];
    for (int lane = 0; lane < W; lane++) v[lane] = PRECISION(vector_load)(row + lane * length + k);
    PRECISION(square_transpose)(v);
    for (int m = 0; m < W; m++) PRECISION(vector_store)(transposed + (k + m) * W, v[m]);
  }
  for (; k < length; k++)
    for (int lane = 0; lane < W; lane++) transposed[k * W + lane] = row[lane * length + k];
  if (east)
    PRECISION(skewed_finish)(length, east, west, transposed);
  else
    PRECISION(full_width_finish)(length, transposed);
}

static void PRECISION(transpose_back)(const REAL *transposed, int columns, REAL *row)
{
  enum { W = PRECISION(WIDTH) };
  const ptrdiff_t length = columns / W;
  ptrdiff_t k = 0;
  for (; k + W <= length; k += W) {
    PRECISION(vector) v[W];
    for (int m = 0; m < W; m++) v[m] = PRECISION(vector_load)(transposed + (k + m) * W);
    PRECISION(square_transpose)(v);
    for (int lane = 0; lane < W; lane++) PRECISION(vector_store)(row + lane * length + k, v[lane]);
  }
  for (; k < length; k++)
    for (int lane = 0; lane < W; lane++) row[lane * length + k] = transposed[k * W + lane];
  for (int m = 0; m < 2; m++) row[columns + m] = transposed[(length + m) * W + W - 1];
}

/* The segments of rows that are swept jointly, and where: row m is made of in[m .. m + 2], and goes to in[m], the first
 * one to `out`. */
struct PRECISION(jam) {
  const struct PRECISION(group) * groups;
  void *const *in;
  REAL *out;
  ptrdiff_t shift, length;
};

/* Columns from .. to-1 of a segment, in elements of a new row. */
HS_INLINE_ALWAYS ptrdiff_t PRECISION(segment_from)(const struct PRECISION(jam) * jam,
                                                   const struct hs_row_segment *segment)
{
  return segment->from > jam->shift ? (segment->from - jam->shift) * PRECISION(WIDTH) : 0;
}

HS_INLINE_ALWAYS ptrdiff_t PRECISION(segment_to)(const struct PRECISION(jam) * jam,
                                                 const struct hs_row_segment *segment)
{
  return (segment->to - jam->shift < jam->length ? segment->to - jam->shift : jam->length) * PRECISION(WIDTH);
}

/* What jam_equal keeps in registers from vector to vector. */
struct PRECISION(jam_state) {
  PRECISION(vector) west, here[JAM_ROWS_MOST], pair[JAM_ROWS_MOST]; /* pair[m]: N + E of row m one vector west */
};

/* Vectors from .. to-1 of a segment of equal nodes; masked: Dirichlet ones among them, which have 0 for 1/4, or columns
 * outside of the grid. `rows` and `masked` are constants. */
HS_INLINE_ALWAYS void PRECISION(jam_vectors)(int rows, bool masked, const struct PRECISION(group) * group,
                                             REAL *const *row, REAL *out, ptrdiff_t from, ptrdiff_t to,
                                             struct PRECISION(jam_state) * state)
{
  typedef PRECISION(vector) vector;
  const vector quarter = masked ? PRECISION(vector_load)(group->quarter) : PRECISION(vector_all)((REAL)0.25);
  const vector c = PRECISION(vector_load)(group->c), inside = PRECISION(vector_load)((const REAL *)group->inside);
  const ptrdiff_t width = PRECISION(WIDTH);
  struct PRECISION(jam_state) t = *state;
#pragma GCC unroll 2
  for (ptrdiff_t i = from; i < to; i += width) {
    vector south_west = PRECISION(vector_load)(row[0] + i + width) + t.west;
    t.west = t.here[0];
#pragma GCC unroll 16
    for (int m = 0; m < rows; m++) {
      const bool between = m + 1 < rows;
      const vector north = between ? t.here[between ? m + 1 : m] : PRECISION(vector_load)(row[m + 2] + i + width);
      const vector east = PRECISION(vector_load)(row[m + 1] + i + 2 * width), north_east = north + east;
      const vector node = PRECISION(vector_fma)(quarter, north_east + south_west, c);
      PRECISION(vector_store)((m ? row[m] : out) + i, masked ? PRECISION(vector_and)(node, inside) : node);
      south_west = t.pair[m];
      t.pair[m] = north_east;
      t.here[m] = east;
    }
  }
  *state = t;
}

/* Segments of equal nodes. `rows` is a constant. */
HS_INLINE_ALWAYS void PRECISION(jam_equal)(int rows, const struct PRECISION(jam) * jam,
                                           const struct hs_row_segment *segment, const struct hs_row_segment *end)
{
  const struct PRECISION(jam) j = *jam; /* in registers: its members might be written otherwise */
  const ptrdiff_t width = PRECISION(WIDTH), begin = PRECISION(segment_from)(&j, segment);
  struct PRECISION(jam_state) t;
  REAL *row[JAM_ROWS_MOST + 2];
#pragma GCC unroll 16
  for (int m = 0; m < rows + 2; m++) row[m] = j.in[m];
  t.west = PRECISION(vector_load)(row[1] + begin);
#pragma GCC unroll 16
  for (int m = 0; m < rows; m++) t.here[m] = PRECISION(vector_load)(row[m + 1] + begin + width);
#pragma GCC unroll 16
  for (int m = 0; m + 1 < rows; m++) t.pair[m] = PRECISION(vector_load)(row[m + 2] + begin) + t.here[m];
  for (; segment < end; segment++) {
    const struct PRECISION(group) *group = &j.groups[segment->entry];
    const ptrdiff_t from = PRECISION(segment_from)(&j, segment), to = PRECISION(segment_to)(&j, segment);
    if (segment->kind == HS_SEGMENT_EQUAL)
      PRECISION(jam_vectors)(rows, false, group, row, j.out, from, to, &t);
    else
      PRECISION(jam_vectors)(rows, true, group, row, j.out, from, to, &t);
  }
}

/* Segments of any nodes. `rows` is a constant. */
HS_INLINE_ALWAYS void PRECISION(jam_general)(int rows, const struct PRECISION(jam) * jam,
                                             const struct hs_row_segment *segment, const struct hs_row_segment *end)
{
  typedef PRECISION(vector) vector;
  const struct PRECISION(jam) j = *jam;
  const ptrdiff_t width = PRECISION(WIDTH);
  const vector quarter = PRECISION(vector_all)((REAL)0.25);
  REAL *row[JAM_ROWS_MOST + 2];
#pragma GCC unroll 16
  for (int m = 0; m < rows + 2; m++) row[m] = j.in[m];
  for (; segment < end; segment++) {
    const struct PRECISION(group) *group = &j.groups[segment->entry];
    const vector w = PRECISION(vector_load)(group->west), e = PRECISION(vector_load)(group->east);
    const vector s = PRECISION(vector_load)(group->south), n = PRECISION(vector_load)(group->north);
    const vector c = PRECISION(vector_load)(group->c), inside = PRECISION(vector_load)((const REAL *)group->inside);
    const ptrdiff_t to = PRECISION(segment_to)(&j, segment);
    for (ptrdiff_t i = PRECISION(segment_from)(&j, segment); i < to; i += width) {
#pragma GCC unroll 16
      for (int m = 0; m < rows; m++) {
        const vector west = PRECISION(vector_load)(row[m + 1] + i);
        const vector east = PRECISION(vector_load)(row[m + 1] + i + 2 * width);
        const vector south = PRECISION(vector_load)(row[m] + i + width);
        const vector north = PRECISION(vector_load)(row[m + 2] + i + width);
        const vector north_east = PRECISION(vector_fma)(e, east, n * north);
        const vector south_west = PRECISION(vector_fma)(s, south, w * west);
        const vector node = PRECISION(vector_fma)(quarter, north_east + south_west, c);
        PRECISION(vector_store)((m ? row[m] : j.out) + i, PRECISION(vector_and)(node, inside));
      }
    }
  }
}

#define JAM_FUNCTION(kind, rows)                                                                                       \
  static NOT_INLINED void PRECISION(kind##_##rows)(                                                                    \
      const struct PRECISION(jam) * jam, const struct hs_row_segment *segment, const struct hs_row_segment *end)       \
  {                                                                                                                    \
    PRECISION(kind)(rows, jam, segment, end);                                                                          \
  }
JAM_FUNCTION(jam_equal, 1)
JAM_FUNCTION(jam_equal, JAM_ROWS)
JAM_FUNCTION(jam_equal, JAM_ROWS_MOST)
JAM_FUNCTION(jam_general, 1)
JAM_FUNCTION(jam_general, JAM_ROWS)
JAM_FUNCTION(jam_general, JAM_ROWS_MOST)
#undef JAM_FUNCTION

/* Vectors of `count` rows with one schedule, JAM_ROWS_MOST, JAM_ROWS or 1, from row `first` on. */
static void PRECISION(sweep_alike)(const struct hs_transposed_rows *rows, int first, int count)
{
  const struct hs_row_segment *segment = rows->segments + rows->spans[first].first_segment;
  const struct hs_row_segment *const end = segment + rows->spans[first].segment_count;
  const ptrdiff_t length = rows->columns / PRECISION(WIDTH), shift = rows->shift;
  const REAL *const east = rows->east;
  void *const *const in = rows->slot + first;
  REAL *const west = rows->west, *const out = first ? in[0] : rows->out;
  const struct PRECISION(jam) jam = {rows->groups, in, out, shift, length};
  while (segment < end && segment->to <= shift) segment++;
  while (segment < end && segment->from - shift < length) {
    const struct hs_row_segment *const begin = segment;
    const bool general = begin->kind == HS_SEGMENT_STENCIL;
    while (segment < end && segment->from - shift < length && (segment->kind == HS_SEGMENT_STENCIL) == general)
      segment++;
    if (general)
      (count == 1          ? PRECISION(jam_general_1)
       : count == JAM_ROWS ? PRECISION(jam_general_JAM_ROWS)
                           : PRECISION(jam_general_JAM_ROWS_MOST))(&jam, begin, segment);
    else
      (count == 1          ? PRECISION(jam_equal_1)
       : count == JAM_ROWS ? PRECISION(jam_equal_JAM_ROWS)
                           : PRECISION(jam_equal_JAM_ROWS_MOST))(&jam, begin, segment);
  }
  for (int m = 0; rows->full_width && m < count; m++) PRECISION(full_width_finish)(length, m ? (REAL *)in[m] : out);
  for (int m = 0; east && m < count; m++)
    PRECISION(skewed_finish)(length, east + 2 * (first + m), west + 2 * (first + m), m ? (REAL *)in[m] : out);
}

static void PRECISION(sweep_transposed)(const struct hs_transposed_rows *rows)
{
  for (int first = 0; first < rows->count;) {
    const int left = rows->count - first, like = rows->spans[first].alike, alike = like < left ? like : left;
    if (alike >= JAM_ROWS_MOST)
      PRECISION(sweep_alike)(rows, first, JAM_ROWS_MOST);
    else if (alike >= JAM_ROWS)
      PRECISION(sweep_alike)(rows, first, JAM_ROWS);
    else
      PRECISION(sweep_alike)(rows, first, 1);
    first += alike >= JAM_ROWS_MOST ? JAM_ROWS_MOST : alike >= JAM_ROWS ? JAM_ROWS : 1;
  }
}
