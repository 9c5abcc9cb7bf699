/* Segments, many at once: each lane of a vector has one of its own; included by rows.c.
 *
 * The rows of a block's segments lie beside each other, node m of all of them in a line of HS_LINEAR_LINES values. Along x
 * they are made the other way round, as rows of the grid are, and transposed. See hs_segment_row and hs_segment_solve in
 * numerics/multigrid.h.
 */

/* before, after, diagonal and residual of hs_segment_rows. */
enum { BEFORE, AFTER, DIAGONAL, RESIDUAL, SEGMENT_VALUES };
enum { LINES = HS_LINEAR_LINES };
typedef float segment_values[SEGMENT_VALUES][HS_SEGMENT * LINES];

/* Those of the nodes of one row, as if nothing were cut; node `from` goes to [0]. */
HS_INLINE_ALWAYS void segment_row_fill(const struct hs_segment_block *b, bool along_x, int k, float *restrict before,
                                       float *restrict after, float *restrict diagonal, float *restrict residual)
{
  const struct hs_linear_row *g = &b->row[k];
  const float *restrict f = b->f + k * b->pitch;
  const float *row = b->u + k * b->pitch;
  const struct hs_rows_f32 u = {row - b->pitch, row, row + b->pitch};
  const int first = b->from;
  if (g->run) {
    FINE_RUNS_WITHIN(g, first, b->to, hs_balance_f32, g->single, {
      before[i - first] = along_x ? s->west : s->south;
      after[i - first] = along_x ? s->east : s->north;
      diagonal[i - first] = ((s->west + s->east) + (s->south + s->north)) + s->sum;
      residual[i - first] = residual_five(s, f[i], u.south, u.row, u.north, i);
    })
    return;
  }
  SIMD for (int i = first; i < b->to; i++)
  {
    const float x = g->east[i] + g->east[i - 1], y = g->north[i] + g->south[i];
    const float rising = g->northeast[i] + g->southwest[i - 1], falling = g->northwest[i] + g->southeast[i + 1];
    before[i - first] = along_x ? g->east[i - 1] : g->south[i];
    after[i - first] = along_x ? g->east[i] : g->north[i];
    diagonal[i - first] = g->sum[i] + ((x + y) + (rising + falling));
    residual[i - first] = residual_nine(g, &u, f[i], i);
  }
}

/* What the cuts at both ends sever goes to the diagonals there. */
static void segments_cut(segment_values v, int nodes, int lines)
{
  float *first = v[DIAGONAL], *last = v[DIAGONAL] + (nodes - 1) * LINES;
  const float *restrict before = v[BEFORE];
  float *restrict after = v[AFTER] + (nodes - 1) * LINES;
  SIMD for (int k = 0; k < lines; k++) first[k] += fabsf(before[k]);
  SIMD for (int k = 0; k < lines; k++)
  {
    last[k] += fabsf(after[k]);
    after[k] = 0.0f;
  }
}

/* Nothing is before the first nodes. */
static void segments_solve(segment_values v, int nodes, int lines)
{
  for (int m = 0; m < nodes; m++) {
    const float *restrict before = v[BEFORE] + m * LINES, *restrict after = v[AFTER] + m * LINES;
    float *diagonal = v[DIAGONAL] + m * LINES, *residual = v[RESIDUAL] + m * LINES;
    const float *rooms = m > 0 ? diagonal - LINES : diagonal, *values = m > 0 ? residual - LINES : residual;
    SIMD for (int k = 0; k < lines; k++)
    {
      const float pivot = m > 0 ? fmaf(-before[k], rooms[k], diagonal[k]) : diagonal[k];
      const float right = m > 0 ? fmaf(before[k], values[k], residual[k]) : residual[k];
      const float divisor = pivot > 0.0f ? pivot : 1.0f;
      const float room = after[k] / divisor, value = right / divisor;
      diagonal[k] = pivot > 0.0f ? room : 0.0f;
      residual[k] = pivot > 0.0f ? value : 0.0f;
    }
  }
  for (int m = nodes - 1; m >= 0; m--) {
    const float *room = v[DIAGONAL] + m * LINES;
    float *residual = v[RESIDUAL] + m * LINES, *next = m < nodes - 1 ? residual + LINES : residual;
    SIMD for (int k = 0; k < lines; k++) residual[k] = fmaf(room[k], m < nodes - 1 ? next[k] : 0.0f, residual[k]);
  }
}

static void segments_correct(const struct hs_segment_block *b, int k, const float *restrict correction)
{
  const float *restrict u = b->u + k * b->pitch + b->from;
  float *restrict to = b->relaxed + k * b->pitch + b->from;
  SIMD for (int i = 0; i < b->to - b->from; i++) to[i] = fmaf(b->weight, correction[i], u[i]);
}

static void segments_along_y(const struct hs_segment_block *b)
{
  segment_values v;
  for (int k = 0; k < b->count; k++) {
    const int n = k * LINES;
    segment_row_fill(b, false, k, v[BEFORE] + n, v[AFTER] + n, v[DIAGONAL] + n, v[RESIDUAL] + n);
  }
  segments_cut(v, b->count, b->to - b->from);
  segments_solve(v, b->count, b->to - b->from);
  for (int k = 0; k < b->count; k++) segments_correct(b, k, v[RESIDUAL] + k * LINES);
}

/* Transposes 32 x 32 values by five perfect shuffles, each of which interleaves the halves; `from` is room. */
static void transpose(float *restrict from, float *restrict to)
{
  enum { HALF = HS_SEGMENT * LINES / 2 };
  for (int step = 1; step <= LINES; step *= 4) {
    SIMD for (int k = 0; k < HALF; k++)
    {
      to[2 * k] = from[k];
      to[2 * k + 1] = from[k + HALF];
    }
    if (2 * step > LINES) break;
    SIMD for (int k = 0; k < HALF; k++)
    {
      from[2 * k] = to[k];
      from[2 * k + 1] = to[k + HALF];
    }
  }
}

static void segments_along_x(const struct hs_segment_block *b)
{
  const int nodes = b->to - b->from;
  segment_values rows, v;
  for (int k = 0; k < b->count; k++) {
    const int n = k * HS_SEGMENT;
    segment_row_fill(b, true, k, rows[BEFORE] + n, rows[AFTER] + n, rows[DIAGONAL] + n, rows[RESIDUAL] + n);
  }
  for (int k = 0; k < SEGMENT_VALUES; k++) transpose(rows[k], v[k]);
  segments_cut(v, nodes, b->count);
  segments_solve(v, nodes, b->count);
  transpose(v[RESIDUAL], rows[RESIDUAL]);
  for (int k = 0; k < b->count; k++) segments_correct(b, k, rows[RESIDUAL] + k * HS_SEGMENT);
}

static void segments_block(const struct hs_segment_block *b)
{
  if (b->along_x)
    segments_along_x(b);
  else
    segments_along_y(b);
}
