/* Plain sweeps of woven rows, for one precision; included by cpu_rows_body.h where there are vectors.
 *
 * A woven row lets no vector hold neighbours: cut into as many pieces as a vector has elements, it is stored column by
 * column of the pieces. With four elements and pieces of `length` 5:
 *
 *      columns    0 1 2 3 4 | 5 6 7 8 9 | 10 11 12 13 14 | 15 16 17 18 19
 *      stored     . 4 9 14 | 0 5 10 15 | 1 6 11 16 | 2 7 12 17 | 3 8 13 18 | 4 9 14 19 | 5 10 15 .
 *                 ghost      vector 0    vector 1    ...                     vector 4     ghost
 *
 * The neighbours west and east of a vector are the vectors beside it, without any shuffle; only the two ghosts must be
 * renewed for each row. The pair N + E of a vector is the pair S + W of the one north-east of it (node.h), so that four
 * uniform rows cost 9 additions and 4 fma, 6 loads and 4 stores for 4 vectors. Columns from plan->nx on fill the last
 * pieces; they are 0.
 *
 * A new row may take the place of the row south of it: a vector is written when nothing but what is west of the next
 * vectors is still needed of its place, and that is in registers. From stretch to stretch of a row it is handed on.
 */

/* Ghosts and filling of a row whose vectors have been written. */
HS_INLINE_ALWAYS void PRECISION(woven_finish)(int columns, REAL *row)
{
  enum { W = PRECISION(WIDTH) };
  const ptrdiff_t length = (columns + W - 1) / W;
  for (ptrdiff_t column = columns; column < W * length; column++) {
    const ptrdiff_t piece = column >= (W - 1) * length ? W - 1 : column / length; /* short ones may be filling, too */
    row[(column - piece * length) * W + piece] = 0;
  }
  PRECISION(vector_store)(row - W, PRECISION(vector_load)(row + (length - 1) * W - 1));
  PRECISION(vector_store)(row + length * W, PRECISION(vector_load)(row + 1));
  row[-W] = row[length * W + W - 1] = 0;
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

static void PRECISION(weave)(const REAL *row, int columns, REAL *woven)
{
  enum { W = PRECISION(WIDTH) };
  const ptrdiff_t length = (columns + W - 1) / W;
  ptrdiff_t k = 0;
  for (; k + W <= length; k += W) {
    PRECISION(vector) v[W];
    for (int piece = 0; piece < W; piece++) v[piece] = PRECISION(vector_load)(row + piece * length + k);
    PRECISION(square_turn)(v);
    for (int m = 0; m < W; m++) PRECISION(vector_store)(woven + (k + m) * W, v[m]);
  }
  for (; k < length; k++)
    for (int piece = 0; piece < W; piece++) woven[k * W + piece] = row[piece * length + k];
  PRECISION(woven_finish)(columns, woven);
}

static void PRECISION(unweave)(const REAL *woven, int columns, REAL *row)
{
  enum { W = PRECISION(WIDTH) };
  const ptrdiff_t length = (columns + W - 1) / W;
  ptrdiff_t k = 0;
  for (; k + W <= length; k += W) {
    PRECISION(vector) v[W];
    for (int m = 0; m < W; m++) v[m] = PRECISION(vector_load)(woven + (k + m) * W);
    PRECISION(square_turn)(v);
    for (int piece = 0; piece < W; piece++) PRECISION(vector_store)(row + piece * length + k, v[piece]);
  }
  for (; k < length; k++)
    for (int piece = 0; piece < W; piece++) row[piece * length + k] = woven[k * W + piece];
  row[columns] = 0;
}

/* Vectors of uniform nodes in HS_TILE_ROWS rows, c of each from its group. beside[m]: the vector west of the first in
 * row m. */
static NOT_INLINED void PRECISION(woven_tile)(const struct PRECISION(group) * group, const REAL *const *in,
                                              REAL *const *out, ptrdiff_t from, ptrdiff_t to,
                                              const PRECISION(vector) * beside)
{
  typedef PRECISION(vector) vector;
  const vector quarter = PRECISION(vector_all)((REAL)0.25), c = PRECISION(vector_load)(group->c);
  const ptrdiff_t width = PRECISION(WIDTH);
  const REAL *row[HS_TILE_ROWS + 2]; /* kept in registers: in itself might be what out points to */
  REAL *to_row[HS_TILE_ROWS];
  vector west, here[HS_TILE_ROWS], pair[HS_TILE_ROWS]; /* pair[m]: N + E of row m one vector west */
  for (int m = 0; m < HS_TILE_ROWS + 2; m++) row[m] = in[m] + from * width;
  for (int m = 0; m < HS_TILE_ROWS; m++) {
    to_row[m] = out[m] + from * width;
    here[m] = PRECISION(vector_load)(row[m + 1]);
  }
  west = beside[0];
  for (int m = 0; m + 1 < HS_TILE_ROWS; m++) pair[m] = beside[m + 1] + here[m];
#pragma GCC unroll 2
  for (ptrdiff_t i = 0; i < (to - from) * width; i += width) {
    vector south_west = PRECISION(vector_load)(row[0] + i) + west;
    west = here[0];
    for (int m = 0; m < HS_TILE_ROWS; m++) {
      const bool inside = m + 1 < HS_TILE_ROWS;
      const vector north = inside ? here[inside ? m + 1 : m] : PRECISION(vector_load)(row[m + 2] + i);
      const vector east = PRECISION(vector_load)(row[m + 1] + i + width);
      const vector north_east = north + east;
      PRECISION(vector_store)(to_row[m] + i, PRECISION(vector_fma)(quarter, north_east + south_west, c));
      south_west = pair[m];
      pair[m] = north_east;
      here[m] = east;
    }
  }
}

/* Vectors of one row with the stencils of one group. west: the vector beside the first one. */
static void PRECISION(woven_stretch)(const struct PRECISION(group) * group, const REAL *const *in, REAL *out,
                                     ptrdiff_t from, ptrdiff_t to, PRECISION(vector) west)
{
  typedef PRECISION(vector) vector;
  const ptrdiff_t width = PRECISION(WIDTH), end = to * width;
  const vector w = PRECISION(vector_load)(group->west), e = PRECISION(vector_load)(group->east);
  const vector s = PRECISION(vector_load)(group->south), n = PRECISION(vector_load)(group->north);
  const vector c = PRECISION(vector_load)(group->c), quarter = PRECISION(vector_all)((REAL)0.25);
  const REAL *const south = in[0], *const row = in[1], *const north = in[2];
  vector here = PRECISION(vector_load)(row + from * width);
  for (ptrdiff_t i = from * width; i < end; i += width) {
    const vector east = PRECISION(vector_load)(row + i + width);
    const vector north_east = PRECISION(vector_fma)(e, east, n * PRECISION(vector_load)(north + i));
    const vector south_west = PRECISION(vector_fma)(s, PRECISION(vector_load)(south + i), w * west);
    PRECISION(vector_store)(out + i, PRECISION(vector_fma)(quarter, north_east + south_west, c));
    west = here;
    here = east;
  }
}

static void PRECISION(sweep_woven)(const struct hs_row_plan *plan, int count, const REAL *const *in, REAL *const *out)
{
  const struct PRECISION(group) *groups = plan->groups;
  const ptrdiff_t width = PRECISION(WIDTH);
  PRECISION(vector) beside[HS_TILE_ROWS], last[HS_TILE_ROWS]; /* of each row: west of a run, and its last one */
  for (int m = 0; m < count; m++) beside[m] = PRECISION(vector_load)(in[m + 1] - width);
  for (int k = 0; k < plan->run_count; k++) {
    const struct hs_row_run run = plan->runs[k];
    const struct PRECISION(group) *group = &groups[run.entry];
    for (int m = 0; m < count; m++) last[m] = PRECISION(vector_load)(in[m + 1] + (run.to - 1) * width);
    if (run.kind == HS_RUN_EQUAL && count == HS_TILE_ROWS)
      PRECISION(woven_tile)(group, in, out, run.from, run.to, beside);
    else
      for (int m = 0; m < count; m++) PRECISION(woven_stretch)(group, in + m, out[m], run.from, run.to, beside[m]);
    for (int m = 0; m < count; m++) beside[m] = last[m];
  }
  for (int m = 0; m < count; m++) PRECISION(woven_finish)(plan->nx, out[m]);
}
