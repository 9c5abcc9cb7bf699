/* The plan of blocked sweeps.
 *
 * Strips have windows of one width; the first begins and the last ends with the grid (rounded up to 16 bytes), and
 * they are spread evenly, so that no window is wasted beside the grid and no size of a grid is much worse than the
 * next. The rows of all strips, one strip after another, are dealt to the blocks in equal shares of the expected time;
 * a share that reaches over the end of a strip is cut into pieces there.
 */
#include "backend/cuda_blocked_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
  LANES = 32,
  TABLE_SMALL = 16 << 20, /* elements */
  PLAIN_COST = 8,         /* expected time of a row, as measured (doc/measurements.md): of plain ones in groups, */
  MIXED_COST = 13,        /* with constants of their own or held nodes, */
  SINGLE_COST = 640,      /* both where they do not make a group, */
  GENERAL_COST = 60,      /* with nodes of unequal weights, */
  COLUMN_COST = 2         /* and for each column of these */
};

/* Elements of 16 bytes. */
static int group_of(bool single)
{
  return single ? 4 : 2;
}

static int round_down(int value, int group)
{
  return value >= 0 ? value / group * group : -((-value + group - 1) / group * group);
}

/* --- strips ----------------------------------------------------------------------------------- */

static hs_status strips_lay(const struct hs_system *system, struct hs_blocked_layout *layout, struct hs_error *err)
{
  const int group = group_of(layout->single), width = hs_blocked_width(layout->single), nx = system->nx;
  const int end = -round_down(-nx, group);                       /* nx rounded up */
  const int advance = width - 2 * HS_BLOCKED_LEVELS - 4 * group; /* the rest goes to roundings */
  const int span = end - width; /* between the first columns of the first and the last window */
  hs_status status;
  layout->strips = span > 0 ? (span + advance - 1) / advance + 1 : 1;
  status = hs_array_create((void **)&layout->strip, (size_t)layout->strips, sizeof *layout->strip,
                           "the strips of sweeps", err);
  if (status) return status;
  for (int s = 0; s < layout->strips; s++) {
    struct hs_blocked_strip *strip = &layout->strip[s];
    strip->column0 = s ? round_down((int)((int64_t)s * span / (layout->strips - 1)), group) : 0;
    strip->valid0 = s ? round_down((strip[-1].column0 + strip->column0 + width) / 2, group) : 0;
    strip->valid1 = end;
    if (s) strip[-1].valid1 = strip->valid0;
  }
  return HS_OK;
}

/* --- classes of rows -------------------------------------------------------------------------- */

/* Are rows j - 1 and j of a window alike? */
static bool row_repeats(const struct hs_system *system, const struct hs_blocked_layout *layout, int s, int j)
{
  const int width = hs_blocked_width(layout->single), column0 = layout->strip[s].column0;
  const int from = column0 > 0 ? column0 : 0, to = column0 + width < system->nx ? column0 + width : system->nx;
  const uint16_t *row = system->index + (size_t)j * (size_t)system->nx + from;
  return j > 0 && !memcmp(row - system->nx, row, (size_t)(to - from) * sizeof *row);
}

/* layout->row has the classes; origin. */
static hs_status classes_find(const struct hs_system *system, struct hs_blocked_layout *layout, struct hs_error *err)
{
  const int64_t ny = system->ny, rows = ny * layout->strips;
  hs_status status =
      hs_array_create((void **)&layout->row, (size_t)rows, sizeof *layout->row, "the classes of rows", err);
  if (status) return status;
#pragma omp parallel for collapse(2) schedule(static)
  for (int s = 0; s < layout->strips; s++)
    for (int j = 0; j < (int)ny; j++) layout->row[s * ny + j] = !row_repeats(system, layout, s, j);
  layout->classes = 1;
  for (int64_t n = 0; n < rows; n++) layout->classes += layout->row[n];
  if (layout->classes >= HS_BLOCKED_CLASS_LIMIT)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "the grid has %lld different rows, and blocked sweeps know %d",
                        (long long)layout->classes, HS_BLOCKED_CLASS_LIMIT);
  status = hs_array_create((void **)&layout->origin, (size_t)layout->classes, sizeof *layout->origin,
                           "the classes of rows", err);
  if (status) return status;
  status = hs_array_create((void **)&layout->cost, (size_t)layout->classes, sizeof *layout->cost, "the classes of rows",
                           err);
  if (status) return status;
  status = hs_array_create((void **)&layout->common, (size_t)layout->classes, sizeof *layout->common,
                           "the classes of rows", err);
  if (status) return status;
  layout->origin[0] = -1;
  for (int64_t n = 0, class = 0; n < rows; n++) {
    if (layout->row[n]) layout->origin[++class] = n;
    layout->row[n] = HS_BLOCKED_WORD(class, 0, 0, 0);
  }
  return HS_OK;
}

static unsigned entry_at(const struct hs_system *system, int i, int j)
{
  return system->index[(size_t)j * (size_t)system->nx + (size_t)i];
}

/* A held node takes its constant whatever its neighbours are; but a quarter of nothing and -0 are +0. */
static bool is_held(const struct hs_stencil_f64 *s, bool single)
{
  const double c = single ? (double)(float)s->c : s->c; /* what is left of a small one in single precision */
  return s->west == 0.0 && s->east == 0.0 && s->south == 0.0 && s->north == 0.0 && !(c == 0.0 && signbit(c));
}

/* Node x of the window of a class's row; NULL: outside the grid. */
static const struct hs_stencil_f64 *node_at(const struct hs_system *system, const struct hs_blocked_layout *layout,
                                            int64_t class, int x)
{
  const int64_t origin = layout->origin[class];
  if (origin < 0) return NULL;
  const int s = (int)(origin / system->ny), j = (int)(origin % system->ny), i = layout->strip[s].column0 + x;
  return i < system->nx ? &system->stencil[entry_at(system, i, j)] : NULL;
}

/* Nodes outside the grid have the constant 0. */
static bool constants_same(const struct hs_stencil_f64 *a, const struct hs_stencil_f64 *b)
{
  const double a_c = a ? a->c : 0.0, b_c = b ? b->c : 0.0;
  return !memcmp(&a_c, &b_c, sizeof a_c);
}

/* What all lanes have in common, their held columns, and what a row of the class costs. */
static void class_describe(const struct hs_system *system, struct hs_blocked_layout *layout, int64_t class)
{
  const int columns = hs_blocked_width(layout->single) / LANES;
  const int64_t origin = layout->origin[class];
  const int column0 = origin < 0 ? 0 : layout->strip[origin / system->ny].column0;
  bool plain = true;
  layout->common[class].general = layout->common[class].varied = 0;
  for (int k = 0; k < LANES; k++) {
    const struct hs_stencil_f64 *first = node_at(system, layout, class, k * columns);
    uint32_t held = 0, general = 0;
    for (int x = 0; x < columns; x++) {
      const int i = column0 + k * columns + x;
      const bool border = i == 0 || i == system->nx - 1; /* there equal weights need care, too: of what is not there */
      const struct hs_stencil_f64 *s = node_at(system, layout, class, k * columns + x);
      if (!s || is_held(s, layout->single))
        held |= 1u << x;
      else if (border || !HS_STENCIL_IS_UNIFORM(*s))
        general |= 1u << x;
      if (!constants_same(s, first)) layout->common[class].varied |= 1u << x;
    }
    layout->held[class * LANES + k] = held;
    layout->common[class].general |= general;
    plain &= !(held | general);
  }
  plain &= !layout->common[class].varied;
  layout->cost[class] = plain ? PLAIN_COST : MIXED_COST;
  if (layout->common[class].general)
    layout->cost[class] = GENERAL_COST + COLUMN_COST * __builtin_popcount(layout->common[class].general);
}

/* One constant or weight of the table. */
static void table_set(struct hs_blocked_layout *layout, int64_t n, double value)
{
  if (layout->single)
    ((float *)layout->constant)[n] = (float)value;
  else
    ((double *)layout->constant)[n] = value;
}

static void class_tabulate(const struct hs_system *system, struct hs_blocked_layout *layout, int64_t class)
{
  static const struct hs_stencil_f64 NOWHERE = {.c = 0.0};
  const int columns = hs_blocked_width(layout->single) / LANES;
  int64_t weights = layout->common[class].constants + columns * LANES;
  for (int x = 0; x < columns; x++) {
    const bool general = layout->common[class].general >> x & 1;
    for (int k = 0; k < LANES; k++) {
      const struct hs_stencil_f64 *found = node_at(system, layout, class, k * columns + x),
                                  *s = found ? found : &NOWHERE;
      table_set(layout, layout->common[class].constants + x * LANES + k, s->c);
      if (!general) continue;
      table_set(layout, weights + k, s->west);
      table_set(layout, weights + LANES + k, s->east);
      table_set(layout, weights + 2 * LANES + k, s->south);
      table_set(layout, weights + 3 * LANES + k, s->north);
    }
    if (general) weights += 4 * LANES;
  }
}

/* Most elements of a table: as many as two fields have, and some for small grids. */
static int64_t table_most(const struct hs_system *system)
{
  const int64_t nodes = (int64_t)system->nx * system->ny;
  return nodes > TABLE_SMALL ? 2 * nodes : 2 * (int64_t)TABLE_SMALL;
}

/* Gives each class its place in the table. */
static hs_status table_lay(const struct hs_system *system, struct hs_blocked_layout *layout, struct hs_error *err)
{
  const int columns = hs_blocked_width(layout->single) / LANES;
  int64_t n = 0;
  hs_status status;
  for (int64_t class = 0; class < layout->classes; class ++) {
    layout->common[class].constants = n;
    n += LANES * (columns + 4 * __builtin_popcount(layout->common[class].general));
  }
  if (n > table_most(system))
    return hs_error_set(
        err, HS_ERR_UNSUPPORTED,
        "the grid's %lld different rows need more constants than blocked sweeps keep (%lld); cuda-global "
        "looks them up node by node",
        (long long)layout->classes, (long long)table_most(system));
  if (layout->constants == n) return HS_OK;
  free(layout->constant);
  layout->constant = NULL;
  layout->constants = 0;
  status = hs_array_create(&layout->constant, (size_t)n, layout->single ? sizeof(float) : sizeof(double),
                           "the constants of sweeps", err);
  if (!status) layout->constants = n;
  return status;
}

/* Sweeping a piece computes as many rows around it as there are levels. */
static void general_mark(const struct hs_blocked_layout *layout, int64_t ny)
{
  const int count = layout->first[layout->blocks];
#pragma omp parallel for schedule(static)
  for (int p = 0; p < count; p++) {
    struct hs_blocked_piece *piece = &layout->piece[p];
    const int64_t first = piece->row0 - HS_BLOCKED_LEVELS, end = piece->row1 + HS_BLOCKED_LEVELS;
    piece->general = 0;
    for (int64_t j = first > 0 ? first : 0; j < end && j < ny; j++)
      piece->general |= layout->common[HS_BLOCKED_CLASS(layout->row[piece->strip * ny + j])].general != 0;
  }
}

hs_status hs_blocked_layout_renew(const struct hs_system *system, struct hs_blocked_layout *layout,
                                  struct hs_error *err)
{
  const int64_t ny = system->ny;
  hs_status status;
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t class = 0; class < layout->classes; class ++) {
    const int64_t origin = layout->origin[class];
    const int64_t end = class + 1 < layout->classes ? layout->origin[class + 1] : ny * layout->strips;
    class_describe(system, layout, class);
    if (origin < 0) continue;
    for (int64_t n = origin; n < end; n++) {
      const bool alike = n - origin >= HS_BLOCKED_WARP_LEVELS;
      const int64_t ahead = end - n < HS_BLOCKED_AHEAD_LIMIT ? end - n : HS_BLOCKED_AHEAD_LIMIT;
      layout->row[n] = HS_BLOCKED_WORD(class, layout->cost[class] > PLAIN_COST, alike,
                                       alike && !layout->common[class].general ? ahead : 0);
    }
  }
  status = table_lay(system, layout, err);
  if (status) return status;
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t class = 0; class < layout->classes; class ++) class_tabulate(system, layout, class);
  if (layout->piece) general_mark(layout, ny);
  return HS_OK;
}

/* --- pieces ----------------------------------------------------------------------------------- */

static int row_cost(const struct hs_blocked_layout *layout, uint32_t word)
{
  const int cost = layout->cost[HS_BLOCKED_CLASS(word)];
  return cost >= GENERAL_COST || HS_BLOCKED_AHEAD(word) ? cost : SINGLE_COST;
}

/* The expected time of rows: cost[n] of all rows before n. */
static hs_status costs_add(const struct hs_system *system, const struct hs_blocked_layout *layout, int64_t **cost,
                           struct hs_error *err)
{
  const int64_t rows = (int64_t)system->ny * layout->strips;
  const hs_status status = hs_array_create((void **)cost, (size_t)rows + 1, sizeof **cost, "the times of rows", err);
  for (int64_t n = 0; !status && n < rows; n++) (*cost)[n + 1] = (*cost)[n] + row_cost(layout, layout->row[n]);
  return status;
}

/* First row from n on that a share of `most` does not reach. */
static int64_t share_end(const int64_t *cost, int64_t n, int64_t limit, int64_t most)
{
  int64_t low = n, high = limit; /* rows [n, low) fit, [n, high + 1) do not */
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    if (cost[middle] - cost[n] <= most)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Deals all rows in shares of at most `most`, pieces' overheads included; piece NULL: only counts. Returns the number
 * of blocks needed, or `blocks` + 1 when they do not suffice. */
static int rows_deal(const struct hs_blocked_layout *layout, int64_t ny, const int64_t *cost, int overhead,
                     int64_t most, struct hs_blocked_piece *piece, int32_t *first)
{
  int64_t n = 0;
  int32_t pieces = 0;
  int block = 0;
  for (; n < ny * layout->strips; block++) {
    int64_t left = most;
    if (block == layout->blocks) return block + 1;
    if (first) first[block] = pieces;
    while (left > overhead && n < ny * layout->strips) {
      const int64_t strip_end = (n / ny + 1) * ny, end = share_end(cost, n, strip_end, left - overhead);
      if (end == n) break;
      if (piece)
        piece[pieces] =
            (struct hs_blocked_piece){(int32_t)(n / ny), (int32_t)(n % ny), (int32_t)((end - 1) % ny + 1), 0};
      pieces++;
      left -= overhead + cost[end] - cost[n];
      n = end;
    }
  }
  for (int b = block; first && b <= layout->blocks; b++) first[b] = pieces;
  return block;
}

static hs_status pieces_deal(const struct hs_system *system, struct hs_blocked_layout *layout, int overhead,
                             struct hs_error *err)
{
  const int64_t ny = system->ny;
  const size_t most_pieces = (size_t)layout->blocks + (size_t)layout->strips;
  int64_t *cost = NULL, low, high;
  hs_status status = costs_add(system, layout, &cost, err);
  overhead *= PLAIN_COST;
  if (!status)
    status = hs_array_create((void **)&layout->piece, most_pieces, sizeof *layout->piece, "the pieces of strips", err);
  if (!status)
    status = hs_array_create((void **)&layout->first, (size_t)layout->blocks + 1, sizeof *layout->first,
                             "the pieces of strips", err);
  if (status) goto out;
  low = overhead + 1; /* the smallest share that suffices lies in (low - 1, high] */
  high = cost[ny * layout->strips] + (int64_t)(layout->strips + 1) * overhead;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (rows_deal(layout, ny, cost, overhead, middle, NULL, NULL) <= layout->blocks)
      high = middle;
    else
      low = middle + 1;
  }
  (void)rows_deal(layout, ny, cost, overhead, high, layout->piece, layout->first);
  general_mark(layout, ny);
out:
  free(cost);
  return status;
}

/* --- the plan --------------------------------------------------------------------------------- */

hs_status hs_blocked_layout_create(const struct hs_system *system, bool single, int blocks, int overhead,
                                   struct hs_blocked_layout *layout, struct hs_error *err)
{
  hs_status status;
  *layout = (struct hs_blocked_layout){.single = single, .blocks = blocks};
  status = strips_lay(system, layout, err);
  if (!status) status = classes_find(system, layout, err);
  if (!status)
    status = hs_array_create((void **)&layout->held, (size_t)layout->classes * LANES, sizeof *layout->held,
                             "the classes of rows", err);
  if (!status) status = hs_blocked_layout_renew(system, layout, err);
  if (!status) status = pieces_deal(system, layout, overhead, err);
  if (status) hs_blocked_layout_clear(layout);
  return status;
}

void hs_blocked_layout_clear(struct hs_blocked_layout *layout)
{
  free(layout->first);
  free(layout->piece);
  free(layout->constant);
  free(layout->held);
  free(layout->common);
  free(layout->cost);
  free(layout->origin);
  free(layout->row);
  free(layout->strip);
  *layout = (struct hs_blocked_layout){0};
}
