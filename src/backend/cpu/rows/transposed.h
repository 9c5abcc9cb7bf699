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
 * A segment of uniform vectors goes over the few that hold nodes of walls as well, and these are patched afterwards, or
 * before they are stored where they are the ends of a whole row: a vector of other stencils would cost as much as
 * several uniform ones.
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

/* Transposes a square matrix whose rows are WIDTH vectors: within the parts of the vectors, then across. */
HS_INLINE_ALWAYS void PRECISION(square_transpose)(PRECISION(vector) * v)
{
  enum { W = PRECISION(WIDTH), PART = W / VECTOR_PARTS };
  PRECISION(vector) transposed[W];
  for (int step = 1; step < PART; step *= 2) {
    for (int k = 0; k < W / 2; k++) {
      const int first = k / (PART / 2) * PART, within = k % (PART / 2);
      transposed[2 * k] = PRECISION(vector_low)(v[first + within], v[first + within + PART / 2]);
      transposed[2 * k + 1] = PRECISION(vector_high)(v[first + within], v[first + within + PART / 2]);
    }
    for (int k = 0; k < W; k++) v[k] = transposed[k];
  }
  for (int k = 0; k < PART && PART < W; k++) {
    transposed[k] = PRECISION(vector_front)(v[k], v[k + W / 2]);
    transposed[k + PART] = PRECISION(vector_back)(v[k], v[k + W / 2]);
  }
  for (int k = 0; k < W; k++) v[k] = transposed[k];
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

/* What becomes of a vector of Dirichlet nodes, others and what is outside of the grid, after a uniform sweep that
 * has not spared any. The product by 0 is for an infinite neighbour: it makes NaN of a Dirichlet node (node.h). */
HS_INLINE_ALWAYS PRECISION(vector) PRECISION(patched)(const struct PRECISION(group) * group, PRECISION(vector) swept)
{
  typedef PRECISION(vector) vector;
  const vector uniform = PRECISION(vector_load)((const REAL *)group->uniform), c = PRECISION(vector_load)(group->c);
  const vector inside = PRECISION(vector_load)((const REAL *)group->inside);
  const vector dirichlet = PRECISION(vector_fma)(PRECISION(vector_all)((REAL)0), swept, c);
  return PRECISION(vector_and)(PRECISION(vector_choose)(uniform, swept, dirichlet), inside);
}

/* What a tile keeps in registers from vector to vector. */
struct PRECISION(jam_state) {
  PRECISION(vector) west, here[JAM_ROWS_MOST], pair[JAM_ROWS_MOST]; /* pair[m]: N + E of row m one vector west */
};

/* Before a tile's first vector, at row[]; `rows` is a constant. */
HS_INLINE_ALWAYS void PRECISION(jam_begin)(int rows, REAL *const *row, struct PRECISION(jam_state) * t)
{
  const ptrdiff_t width = PRECISION(WIDTH);
#pragma GCC unroll 16
  for (int m = 0; m < rows; m++) t->here[m] = PRECISION(vector_load)(row[m + 1] + width);
  t->west = PRECISION(vector_load)(row[1]);
#pragma GCC unroll 16
  for (int m = 0; m + 1 < rows; m++) t->pair[m] = PRECISION(vector_load)(row[m + 2]) + t->here[m];
}

/* A vector of each row, i elements further east; patch: NULL, or what patches them. Row m of the new ones goes to
 * row[m], the first to `first`. `rows`, `partial` and whether there is a patch are constants. */
HS_INLINE_ALWAYS void PRECISION(jam_step)(int rows, bool partial, const struct PRECISION(group) * group,
                                          const struct PRECISION(group) * patch, REAL *const *row, REAL *first,
                                          ptrdiff_t i, struct PRECISION(jam_state) * t)
{
  typedef PRECISION(vector) vector;
  const vector quarter = PRECISION(vector_all)((REAL)0.25), c = PRECISION(vector_load)(group->c);
  const vector inside = PRECISION(vector_load)((const REAL *)group->inside);
  const ptrdiff_t width = PRECISION(WIDTH);
  vector south_west = PRECISION(vector_load)(row[0] + i + width) + t->west;
  t->west = t->here[0];
#pragma GCC unroll 16
  for (int m = 0; m < rows; m++) {
    const bool between = m + 1 < rows;
    const vector north = between ? t->here[between ? m + 1 : m] : PRECISION(vector_load)(row[m + 2] + i + width);
    const vector east = PRECISION(vector_load)(row[m + 1] + i + 2 * width);
    const vector north_east = north + east;
    const vector swept = PRECISION(vector_fma)(quarter, north_east + south_west, c);
    const vector node = partial ? PRECISION(vector_and)(swept, inside) : swept;
    PRECISION(vector_store)((m ? row[m] : first) + i, patch ? PRECISION(patched)(patch, swept) : node);
    south_west = t->pair[m];
    t->pair[m] = north_east;
    t->here[m] = east;
  }
}

/* Vectors of uniform nodes in `rows` rows, c of each from its group; partial: 0 for those outside of the grid. Row m of
 * the new ones goes to in[m], the first to `out`. `rows` and `partial` are constants. */
HS_INLINE_ALWAYS void PRECISION(jam)(int rows, bool partial, const struct PRECISION(group) * group, void *const *in,
                                     REAL *out, ptrdiff_t from, ptrdiff_t to)
{
  const ptrdiff_t width = PRECISION(WIDTH);
  REAL *row[JAM_ROWS_MOST + 2], *const first = out + from * width; /* kept in registers: `in` might be written */
  struct PRECISION(jam_state) t;
#pragma GCC unroll 16
  for (int m = 0; m < rows + 2; m++) row[m] = (REAL *)in[m] + from * width;
  PRECISION(jam_begin)(rows, row, &t);
#pragma GCC unroll 2
  for (ptrdiff_t i = 0; i < (to - from) * width; i += width)
    PRECISION(jam_step)(rows, partial, group, NULL, row, first, i, &t);
}

/* Full-width rows from end to end, the vectors at both ends patched, and their ghosts: segment[0] .. segment[2]. */
HS_INLINE_ALWAYS void PRECISION(whole_jam)(int rows, const struct PRECISION(group) * groups,
                                           const struct hs_row_segment *segment, void *const *in, REAL *out,
                                           ptrdiff_t length)
{
  const struct PRECISION(group) *const group = &groups[segment[0].entry];
  const ptrdiff_t width = PRECISION(WIDTH), last = (length - 1) * width;
  REAL *row[JAM_ROWS_MOST + 2];
  struct PRECISION(jam_state) t;
#pragma GCC unroll 16
  for (int m = 0; m < rows + 2; m++) row[m] = in[m];
  PRECISION(jam_begin)(rows, row, &t);
  PRECISION(jam_step)(rows, false, group, &groups[segment[1].entry], row, out, 0, &t);
#pragma GCC unroll 2
  for (ptrdiff_t i = width; i < last; i += width) PRECISION(jam_step)(rows, false, group, NULL, row, out, i, &t);
  PRECISION(jam_step)(rows, false, group, &groups[segment[2].entry], row, out, last, &t);
#pragma GCC unroll 16
  for (int m = 0; m < rows; m++) PRECISION(full_width_finish)(length, m ? row[m] : out);
}

/* Is a row of that kind? Patches come last, and with one at either end the segment before them reaches from end to
 * end. */
HS_INLINE_ALWAYS bool PRECISION(is_whole)(const struct hs_row_segment *segment, const struct hs_row_segment *end,
                                          ptrdiff_t length)
{
  if (end - segment != 3 || segment[0].kind != HS_SEGMENT_EQUAL || segment[1].kind != HS_SEGMENT_PATCHED) return false;
  return segment[1].to == 1 && segment[2].from == length - 1;
}

#define JAM_FUNCTION(name, rows, partial)                                                                              \
  static NOT_INLINED void PRECISION(name)(const struct PRECISION(group) * group, void *const *in, REAL *out,           \
                                          ptrdiff_t from, ptrdiff_t to)                                                \
  {                                                                                                                    \
    PRECISION(jam)(rows, partial, group, in, out, from, to);                                                           \
  }
JAM_FUNCTION(row_equal, 1, false)
JAM_FUNCTION(jam_equal, JAM_ROWS, false)
JAM_FUNCTION(jam_partial, JAM_ROWS, true)
JAM_FUNCTION(large_jam_equal, JAM_ROWS_MOST, false)
JAM_FUNCTION(large_jam_partial, JAM_ROWS_MOST, true)
#undef JAM_FUNCTION

#define WHOLE_FUNCTION(name, rows)                                                                                     \
  static NOT_INLINED void PRECISION(name)(const struct PRECISION(group) * groups,                                      \
                                          const struct hs_row_segment *segment, void *const *in, REAL *out,            \
                                          ptrdiff_t length)                                                            \
  {                                                                                                                    \
    PRECISION(whole_jam)(rows, groups, segment, in, out, length);                                                      \
  }
WHOLE_FUNCTION(whole_together, JAM_ROWS)
WHOLE_FUNCTION(whole_large, JAM_ROWS_MOST)
#undef WHOLE_FUNCTION

/* Vectors of `rows` rows segment by segment, 0 for what is outside of the grid; places as above. `rows` is a
 * constant. */
HS_INLINE_ALWAYS void PRECISION(segments_jam)(int rows, const struct PRECISION(group) * groups,
                                              const struct hs_row_segment *segment, const struct hs_row_segment *end,
                                              void *const *in, REAL *out, ptrdiff_t shift, ptrdiff_t length)
{
  typedef PRECISION(vector) vector;
  const ptrdiff_t width = PRECISION(WIDTH);
  const vector quarter = PRECISION(vector_all)((REAL)0.25);
  REAL *row[JAM_ROWS_MOST + 2];
#pragma GCC unroll 16
  for (int m = 0; m < rows + 2; m++) row[m] = in[m];
  for (; segment < end; segment++) {
    const struct PRECISION(group) *group = &groups[segment->entry];
    const vector w = PRECISION(vector_load)(group->west), e = PRECISION(vector_load)(group->east);
    const vector s = PRECISION(vector_load)(group->south), n = PRECISION(vector_load)(group->north);
    const vector c = PRECISION(vector_load)(group->c), inside = PRECISION(vector_load)((const REAL *)group->inside);
    const ptrdiff_t from = segment->from > shift ? segment->from - shift : 0;
    const ptrdiff_t to = segment->to - shift < length ? segment->to - shift : length;
    for (ptrdiff_t i = from * width; i < to * width; i += width) {
#pragma GCC unroll 16
      for (int m = 0; m < rows; m++) {
        const vector west = PRECISION(vector_load)(row[m + 1] + i);
        const vector east = PRECISION(vector_load)(row[m + 1] + i + 2 * width);
        const vector south = PRECISION(vector_load)(row[m] + i + width);
        const vector north = PRECISION(vector_load)(row[m + 2] + i + width);
        const vector north_east = PRECISION(vector_fma)(e, east, n * north);
        const vector south_west = PRECISION(vector_fma)(s, south, w * west);
        const vector node = PRECISION(vector_fma)(quarter, north_east + south_west, c);
        PRECISION(vector_store)((m ? row[m] : out) + i, PRECISION(vector_and)(node, inside));
      }
    }
  }
}

#define RUNS_FUNCTION(name, rows)                                                                                      \
  static NOT_INLINED void PRECISION(name)(const struct PRECISION(group) * groups,                                      \
                                          const struct hs_row_segment *segment, const struct hs_row_segment *end,      \
                                          void *const *in, REAL *out, ptrdiff_t shift, ptrdiff_t length)               \
  {                                                                                                                    \
    PRECISION(segments_jam)(rows, groups, segment, end, in, out, shift, length);                                       \
  }
RUNS_FUNCTION(segments_alone, 1)
RUNS_FUNCTION(segments_together, JAM_ROWS)
RUNS_FUNCTION(segments_large, JAM_ROWS_MOST)
#undef RUNS_FUNCTION

/* All patches of `count` rows. */
HS_INLINE_ALWAYS void PRECISION(patches_make)(const struct PRECISION(group) * groups,
                                              const struct hs_row_segment *segment, const struct hs_row_segment *end,
                                              int count, void *const *in, REAL *out, ptrdiff_t shift, ptrdiff_t length)
{
  for (; segment < end; segment++) {
    const ptrdiff_t from = segment->from > shift ? segment->from - shift : 0;
    const ptrdiff_t to = segment->to - shift < length ? segment->to - shift : length;
    for (ptrdiff_t k = from * PRECISION(WIDTH); k < to * PRECISION(WIDTH); k += PRECISION(WIDTH))
#pragma GCC unroll 16
      for (int m = 0; m < count; m++) {
        REAL *const node = (m ? (REAL *)in[m] : out) + k;
        PRECISION(vector_store)(node, PRECISION(patched)(&groups[segment->entry], PRECISION(vector_load)(node)));
      }
  }
}

/* Is a segment for a tile? Short ones do as well among those of other stencils. */
HS_INLINE_ALWAYS bool PRECISION(is_jammed)(const struct hs_row_segment *segment)
{
  return segment->kind != HS_SEGMENT_STENCIL && segment->to - segment->from >= HS_SEGMENT_LEAST;
}

/* Can a segment be swept together with others of `count` rows? */
HS_INLINE_ALWAYS bool PRECISION(is_short)(int count, const struct hs_row_segment *segment)
{
  if (segment->kind == HS_SEGMENT_PATCHED) return false;
  return count == 1 ? segment->kind != HS_SEGMENT_EQUAL : !PRECISION(is_jammed)(segment);
}

/* Vectors of `count` rows with one schedule, JAM_ROWS_MOST, JAM_ROWS or 1, from row `first` on. `count` is a
 * constant. */
HS_INLINE_ALWAYS void PRECISION(sweep_alike)(const struct hs_transposed_rows *rows, int first, int count)
{
  const struct PRECISION(group) *groups = rows->groups;
  const struct hs_row_segment *segment = rows->segments + rows->spans[first].first_segment;
  const struct hs_row_segment *const end = segment + rows->spans[first].segment_count;
  const ptrdiff_t length = rows->columns / PRECISION(WIDTH), shift = rows->shift;
  const REAL *const east = rows->east;
  void *const *const in = rows->slot + first;
  REAL *const west = rows->west, *const out = first ? in[0] : rows->out;
  if (count > 1 && rows->full_width && PRECISION(is_whole)(segment, end, length)) {
    (count == JAM_ROWS ? PRECISION(whole_together) : PRECISION(whole_large))(groups, segment, in, out, length);
    return;
  }
  while (segment < end && segment->kind != HS_SEGMENT_PATCHED) {
    const ptrdiff_t from = segment->from > shift ? segment->from - shift : 0;
    const ptrdiff_t to = segment->to - shift < length ? segment->to - shift : length;
    const struct hs_row_segment *const begin = segment++;
    if (from >= to) continue;
    if (count == 1 && begin->kind == HS_SEGMENT_EQUAL) {
      PRECISION(row_equal)(&groups[begin->entry], in, out, from, to);
      continue;
    }
    if (count > 1 && PRECISION(is_jammed)(begin)) {
      const struct PRECISION(group) *group = &groups[begin->entry];
      if (begin->kind == HS_SEGMENT_EQUAL)
        (count == JAM_ROWS ? PRECISION(jam_equal) : PRECISION(large_jam_equal))(group, in, out, from, to);
      else
        (count == JAM_ROWS ? PRECISION(jam_partial) : PRECISION(large_jam_partial))(group, in, out, from, to);
      continue;
    }
    while (segment < end && segment->from - shift < length && PRECISION(is_short)(count, segment)) segment++;
    if (count == 1)
      PRECISION(segments_alone)(groups, begin, segment, in, out, shift, length);
    else
      (count == JAM_ROWS ? PRECISION(segments_together) : PRECISION(segments_large))(groups, begin, segment, in, out,
                                                                                     shift, length);
  }
  PRECISION(patches_make)(groups, segment, end, count, in, out, shift, length);
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
