/* Plain sweeps of woven rows, for one precision; included by rows/body.h where there are vectors.
 *
 * A woven row lets no vector hold neighbours: cut into as many pieces as a vector has elements, it is stored column by
 * column of the pieces. With four elements and pieces of `length` 5:
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
 * A run of uniform vectors goes over the few that hold nodes of walls as well, and these are patched afterwards, or
 * before they are stored where they are the ends of a whole row: a vector of other stencils would cost as much as
 * several uniform ones.
 */

/* Ghosts of a row whose vectors have been written, and its first two elements. */
HS_INLINE_ALWAYS void PRECISION(woven_finish)(ptrdiff_t length, const REAL *east, REAL *west, REAL *row)
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
HS_INLINE_ALWAYS void PRECISION(upright_finish)(ptrdiff_t length, REAL *row)
{
  enum { W = PRECISION(WIDTH) };
  PRECISION(vector_store)(row - W, PRECISION(vector_up)(PRECISION(vector_load)(row + (length - 1) * W)));
  PRECISION(vector_store)(row + length * W, PRECISION(vector_down)(PRECISION(vector_load)(row)));
}

/* Turns WIDTH vectors, rows of a square matrix, into its columns: within the parts of the vectors, then across. */
HS_INLINE_ALWAYS void PRECISION(square_turn)(PRECISION(vector) * v)
{
  enum { W = PRECISION(WIDTH), PART = W / VECTOR_PARTS };
  PRECISION(vector) turned[W];
  for (int stage = 1; stage < PART; stage *= 2) {
    for (int k = 0; k < W / 2; k++) {
      const int first = k / (PART / 2) * PART, within = k % (PART / 2);
      turned[2 * k] = PRECISION(vector_low)(v[first + within], v[first + within + PART / 2]);
      turned[2 * k + 1] = PRECISION(vector_high)(v[first + within], v[first + within + PART / 2]);
    }
    for (int k = 0; k < W; k++) v[k] = turned[k];
  }
  for (int k = 0; k < PART && PART < W; k++) {
    turned[k] = PRECISION(vector_front)(v[k], v[k + W / 2]);
    turned[k + PART] = PRECISION(vector_back)(v[k], v[k + W / 2]);
  }
  for (int k = 0; k < W; k++) v[k] = turned[k];
}

static void PRECISION(weave)(const REAL *row, int columns, const REAL *east, REAL *west, REAL *woven)
{
  enum { W = PRECISION(WIDTH) };
  const ptrdiff_t length = columns / W;
  ptrdiff_t k = 0;
  for (; k + W <= length; k += W) {
    PRECISION(vector) v[W];
    for (int piece = 0; piece < W; piece++) v[piece] = PRECISION(vector_load)(row + piece * length + k);
    PRECISION(square_turn)(v);
    for (int m = 0; m < W; m++) PRECISION(vector_store)(woven + (k + m) * W, v[m]);
  }
  for (; k < length; k++)
    for (int piece = 0; piece < W; piece++) woven[k * W + piece] = row[piece * length + k];
  if (east)
    PRECISION(woven_finish)(length, east, west, woven);
  else
    PRECISION(upright_finish)(length, woven);
}

static void PRECISION(unweave)(const REAL *woven, int columns, REAL *row)
{
  enum { W = PRECISION(WIDTH) };
  const ptrdiff_t length = columns / W;
  ptrdiff_t k = 0;
  for (; k + W <= length; k += W) {
    PRECISION(vector) v[W];
    for (int m = 0; m < W; m++) v[m] = PRECISION(vector_load)(woven + (k + m) * W);
    PRECISION(square_turn)(v);
    for (int piece = 0; piece < W; piece++) PRECISION(vector_store)(row + piece * length + k, v[piece]);
  }
  for (; k < length; k++)
    for (int piece = 0; piece < W; piece++) row[piece * length + k] = woven[k * W + piece];
  for (int m = 0; m < 2; m++) row[columns + m] = woven[(length + m) * W + W - 1];
}

/* What becomes of a vector of Dirichlet nodes, others and what is outside of the grid, after a uniform sweep that has not
 * spared any. The product by 0 is for an infinite neighbour: it makes NaN of a Dirichlet node (node.h). */
HS_INLINE_ALWAYS PRECISION(vector) PRECISION(patched)(const struct PRECISION(group) * group, PRECISION(vector) swept)
{
  typedef PRECISION(vector) vector;
  const vector uniform = PRECISION(vector_load)((const REAL *)group->uniform), c = PRECISION(vector_load)(group->c);
  const vector inside = PRECISION(vector_load)((const REAL *)group->inside);
  const vector dirichlet = PRECISION(vector_fma)(PRECISION(vector_all)((REAL)0), swept, c);
  return PRECISION(vector_and)(PRECISION(vector_choose)(uniform, swept, dirichlet), inside);
}

/* What a tile keeps in registers from vector to vector. */
struct PRECISION(tile_state) {
  PRECISION(vector) west, here[TILE_ROWS_MOST], pair[TILE_ROWS_MOST]; /* pair[m]: N + E of row m one vector west */
};

/* Before a tile's first vector, at row[]; `rows` is a constant. */
HS_INLINE_ALWAYS void PRECISION(tile_begin)(int rows, REAL *const *row, struct PRECISION(tile_state) * t)
{
  const ptrdiff_t width = PRECISION(WIDTH);
#pragma GCC unroll 16
  for (int m = 0; m < rows; m++) t->here[m] = PRECISION(vector_load)(row[m + 1] + width);
  t->west = PRECISION(vector_load)(row[1]);
#pragma GCC unroll 16
  for (int m = 0; m + 1 < rows; m++) t->pair[m] = PRECISION(vector_load)(row[m + 2]) + t->here[m];
}

/* A vector of each row, i elements further east; patch: NULL, or what patches them. Row m of the new ones goes to
 * row[m], the first to `first`. `rows`, `partly` and whether there is a patch are constants. */
HS_INLINE_ALWAYS void PRECISION(tile_step)(int rows, bool partly, const struct PRECISION(group) * group,
                                           const struct PRECISION(group) * patch, REAL *const *row, REAL *first,
                                           ptrdiff_t i, struct PRECISION(tile_state) * t)
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
    const vector node = partly ? PRECISION(vector_and)(swept, inside) : swept;
    PRECISION(vector_store)((m ? row[m] : first) + i, patch ? PRECISION(patched)(patch, swept) : node);
    south_west = t->pair[m];
    t->pair[m] = north_east;
    t->here[m] = east;
  }
}

/* Vectors of uniform nodes in `rows` rows, c of each from its group; partly: 0 for those outside of the grid. Row m of
 * the new ones goes to in[m], the first to `out`. `rows` and `partly` are constants. */
HS_INLINE_ALWAYS void PRECISION(tile)(int rows, bool partly, const struct PRECISION(group) * group, void *const *in,
                                      REAL *out, ptrdiff_t from, ptrdiff_t to)
{
  const ptrdiff_t width = PRECISION(WIDTH);
  REAL *row[TILE_ROWS_MOST + 2], *const first = out + from * width; /* kept in registers: `in` might be written */
  struct PRECISION(tile_state) t;
#pragma GCC unroll 16
  for (int m = 0; m < rows + 2; m++) row[m] = (REAL *)in[m] + from * width;
  PRECISION(tile_begin)(rows, row, &t);
#pragma GCC unroll 2
  for (ptrdiff_t i = 0; i < (to - from) * width; i += width)
    PRECISION(tile_step)(rows, partly, group, NULL, row, first, i, &t);
}

/* Upright rows from end to end, the vectors at both ends patched, and their ghosts: run[0] .. run[2]. */
HS_INLINE_ALWAYS void PRECISION(whole_tile)(int rows, const struct PRECISION(group) * groups,
                                            const struct hs_row_run *run, void *const *in, REAL *out, ptrdiff_t length)
{
  const struct PRECISION(group) *const group = &groups[run[0].entry];
  const ptrdiff_t width = PRECISION(WIDTH), last = (length - 1) * width;
  REAL *row[TILE_ROWS_MOST + 2];
  struct PRECISION(tile_state) t;
#pragma GCC unroll 16
  for (int m = 0; m < rows + 2; m++) row[m] = in[m];
  PRECISION(tile_begin)(rows, row, &t);
  PRECISION(tile_step)(rows, false, group, &groups[run[1].entry], row, out, 0, &t);
#pragma GCC unroll 2
  for (ptrdiff_t i = width; i < last; i += width) PRECISION(tile_step)(rows, false, group, NULL, row, out, i, &t);
  PRECISION(tile_step)(rows, false, group, &groups[run[2].entry], row, out, last, &t);
#pragma GCC unroll 16
  for (int m = 0; m < rows; m++) PRECISION(upright_finish)(length, m ? row[m] : out);
}

/* Is a row of that kind? Patches come last, and with one at either end the run before them reaches from end to end. */
HS_INLINE_ALWAYS bool PRECISION(is_whole)(const struct hs_row_run *run, const struct hs_row_run *end, ptrdiff_t length)
{
  if (end - run != 3 || run[0].kind != HS_RUN_EQUAL || run[1].kind != HS_RUN_PATCHED) return false;
  return run[1].to == 1 && run[2].from == length - 1;
}

#define TILE_FUNCTION(name, rows, partly)                                                                              \
  static NOT_INLINED void PRECISION(name)(const struct PRECISION(group) * group, void *const *in, REAL *out,           \
                                          ptrdiff_t from, ptrdiff_t to)                                                \
  {                                                                                                                    \
    PRECISION(tile)(rows, partly, group, in, out, from, to);                                                           \
  }
TILE_FUNCTION(row_equal, 1, false)
TILE_FUNCTION(tile_equal, TILE_ROWS, false)
TILE_FUNCTION(tile_partly, TILE_ROWS, true)
TILE_FUNCTION(large_tile_equal, TILE_ROWS_MOST, false)
TILE_FUNCTION(large_tile_partly, TILE_ROWS_MOST, true)
#undef TILE_FUNCTION

#define WHOLE_FUNCTION(name, rows)                                                                                     \
  static NOT_INLINED void PRECISION(name)(const struct PRECISION(group) * groups, const struct hs_row_run *run,        \
                                          void *const *in, REAL *out, ptrdiff_t length)                                \
  {                                                                                                                    \
    PRECISION(whole_tile)(rows, groups, run, in, out, length);                                                         \
  }
WHOLE_FUNCTION(whole_together, TILE_ROWS)
WHOLE_FUNCTION(whole_large, TILE_ROWS_MOST)
#undef WHOLE_FUNCTION

/* Vectors of `rows` rows run by run, 0 for what is outside of the grid; places as above. `rows` is a constant. */
HS_INLINE_ALWAYS void PRECISION(runs_tile)(int rows, const struct PRECISION(group) * groups,
                                           const struct hs_row_run *run, const struct hs_row_run *end, void *const *in,
                                           REAL *out, ptrdiff_t shift, ptrdiff_t length)
{
  typedef PRECISION(vector) vector;
  const ptrdiff_t width = PRECISION(WIDTH);
  const vector quarter = PRECISION(vector_all)((REAL)0.25);
  REAL *row[TILE_ROWS_MOST + 2];
#pragma GCC unroll 16
  for (int m = 0; m < rows + 2; m++) row[m] = in[m];
  for (; run < end; run++) {
    const struct PRECISION(group) *group = &groups[run->entry];
    const vector w = PRECISION(vector_load)(group->west), e = PRECISION(vector_load)(group->east);
    const vector s = PRECISION(vector_load)(group->south), n = PRECISION(vector_load)(group->north);
    const vector c = PRECISION(vector_load)(group->c), inside = PRECISION(vector_load)((const REAL *)group->inside);
    const ptrdiff_t from = run->from > shift ? run->from - shift : 0;
    const ptrdiff_t to = run->to - shift < length ? run->to - shift : length;
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
  static NOT_INLINED void PRECISION(name)(const struct PRECISION(group) * groups, const struct hs_row_run *run,        \
                                          const struct hs_row_run *end, void *const *in, REAL *out, ptrdiff_t shift,   \
                                          ptrdiff_t length)                                                            \
  {                                                                                                                    \
    PRECISION(runs_tile)(rows, groups, run, end, in, out, shift, length);                                              \
  }
RUNS_FUNCTION(runs_alone, 1)
RUNS_FUNCTION(runs_together, TILE_ROWS)
RUNS_FUNCTION(runs_large, TILE_ROWS_MOST)
#undef RUNS_FUNCTION

/* All patches of `count` rows. */
HS_INLINE_ALWAYS void PRECISION(patches_make)(const struct PRECISION(group) * groups, const struct hs_row_run *run,
                                              const struct hs_row_run *end, int count, void *const *in, REAL *out,
                                              ptrdiff_t shift, ptrdiff_t length)
{
  for (; run < end; run++) {
    const ptrdiff_t from = run->from > shift ? run->from - shift : 0;
    const ptrdiff_t to = run->to - shift < length ? run->to - shift : length;
    for (ptrdiff_t k = from * PRECISION(WIDTH); k < to * PRECISION(WIDTH); k += PRECISION(WIDTH))
#pragma GCC unroll 16
      for (int m = 0; m < count; m++) {
        REAL *const node = (m ? (REAL *)in[m] : out) + k;
        PRECISION(vector_store)(node, PRECISION(patched)(&groups[run->entry], PRECISION(vector_load)(node)));
      }
  }
}

/* Is a run for a tile? Short ones do as well among those of other stencils. */
HS_INLINE_ALWAYS bool PRECISION(is_tile)(const struct hs_row_run *run)
{
  return run->kind != HS_RUN_STENCIL && run->to - run->from >= HS_RUN_LEAST;
}

/* Can a run be swept together with others of `count` rows? */
HS_INLINE_ALWAYS bool PRECISION(is_short)(int count, const struct hs_row_run *run)
{
  if (run->kind == HS_RUN_PATCHED) return false;
  return count == 1 ? run->kind != HS_RUN_EQUAL : !PRECISION(is_tile)(run);
}

/* Vectors of `count` rows with one plan, TILE_ROWS_MOST, TILE_ROWS or 1, from row `first` on. `count` is a constant. */
HS_INLINE_ALWAYS void PRECISION(sweep_alike)(const struct hs_woven_rows *rows, int first, int count)
{
  const struct PRECISION(group) *groups = rows->groups;
  const struct hs_row_run *run = rows->runs + rows->plan[first].first_run;
  const struct hs_row_run *const end = run + rows->plan[first].run_count;
  const ptrdiff_t length = rows->columns / PRECISION(WIDTH), shift = rows->shift;
  const REAL *const east = rows->east;
  void *const *const in = rows->slot + first;
  REAL *const west = rows->west, *const out = first ? in[0] : rows->out;
  if (count > 1 && rows->upright && PRECISION(is_whole)(run, end, length)) {
    (count == TILE_ROWS ? PRECISION(whole_together) : PRECISION(whole_large))(groups, run, in, out, length);
    return;
  }
  while (run < end && run->kind != HS_RUN_PATCHED) {
    const ptrdiff_t from = run->from > shift ? run->from - shift : 0;
    const ptrdiff_t to = run->to - shift < length ? run->to - shift : length;
    const struct hs_row_run *const begin = run++;
    if (from >= to) continue;
    if (count == 1 && begin->kind == HS_RUN_EQUAL) {
      PRECISION(row_equal)(&groups[begin->entry], in, out, from, to);
      continue;
    }
    if (count > 1 && PRECISION(is_tile)(begin)) {
      const struct PRECISION(group) *group = &groups[begin->entry];
      if (begin->kind == HS_RUN_EQUAL)
        (count == TILE_ROWS ? PRECISION(tile_equal) : PRECISION(large_tile_equal))(group, in, out, from, to);
      else
        (count == TILE_ROWS ? PRECISION(tile_partly) : PRECISION(large_tile_partly))(group, in, out, from, to);
      continue;
    }
    while (run < end && run->from - shift < length && PRECISION(is_short)(count, run)) run++;
    if (count == 1)
      PRECISION(runs_alone)(groups, begin, run, in, out, shift, length);
    else
      (count == TILE_ROWS ? PRECISION(runs_together) : PRECISION(runs_large))(groups, begin, run, in, out, shift,
                                                                              length);
  }
  PRECISION(patches_make)(groups, run, end, count, in, out, shift, length);
  for (int m = 0; rows->upright && m < count; m++) PRECISION(upright_finish)(length, m ? (REAL *)in[m] : out);
  for (int m = 0; east && m < count; m++)
    PRECISION(woven_finish)(length, east + 2 * (first + m), west + 2 * (first + m), m ? (REAL *)in[m] : out);
}

static void PRECISION(sweep_woven)(const struct hs_woven_rows *rows)
{
  for (int first = 0; first < rows->count;) {
    const int left = rows->count - first, like = rows->plan[first].alike, alike = like < left ? like : left;
    if (alike >= TILE_ROWS_MOST)
      PRECISION(sweep_alike)(rows, first, TILE_ROWS_MOST);
    else if (alike >= TILE_ROWS)
      PRECISION(sweep_alike)(rows, first, TILE_ROWS);
    else
      PRECISION(sweep_alike)(rows, first, 1);
    first += alike >= TILE_ROWS_MOST ? TILE_ROWS_MOST : alike >= TILE_ROWS ? TILE_ROWS : 1;
  }
}
