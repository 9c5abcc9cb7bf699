/* The plan of blocked sweeps.
 *
 * Strips have windows of one width; the first begins and the last ends with the grid (rounded up to 16 bytes), and
 * they are spread evenly, so that no window is wasted beside the grid and no size of a grid is much worse than the
 * next. The rows of all strips, one strip after another, are dealt to the blocks in equal shares of the expected time;
 * a share that reaches over the end of a strip is cut into pieces there.
 */
#include "backend/cuda_blocked_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
  LANES = 32,
  LANE_BYTES = 16,
  SPECIAL_COST = 4,  /* time of a row with special nodes beside that of a plain one */
  SEVERAL_COST = 24, /* where a lane has more than two kinds */
  PLAIN_RUN = 8      /* rows before a plain one that must be like it */
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
  layout->origin[0] = -1;
  for (int64_t n = 0, class = 0; n < rows; n++) {
    if (layout->row[n]) layout->origin[++class] = n;
    layout->row[n] = HS_BLOCKED_WORD(class, 0, 0);
  }
  return HS_OK;
}

static unsigned entry_at(const struct hs_system *system, int i, int j)
{
  return system->index[(size_t)j * (size_t)system->nx + (size_t)i];
}

static bool is_plain(const struct hs_system *system, unsigned entry)
{
  return HS_STENCIL_IS_UNIFORM(system->stencil[entry]);
}

/* What a lane's columns have in common, for either precision. */
struct lane {
  double c;
  uint32_t one, two;
  unsigned entry_one, entry_two;
};

/* Do two plain entries have the same constant? */
static bool constants_same(const struct hs_system *system, bool single, unsigned a, unsigned b)
{
  if (single) return !memcmp(&system->stencil_single[a].c, &system->stencil_single[b].c, sizeof(float));
  return !memcmp(&system->stencil[a].c, &system->stencil[b].c, sizeof(double));
}

/* `columns` columns from i0 on of row j, as far as they lie in the grid; -1: a row outside. */
static struct lane lane_describe(const struct hs_system *system, bool single, int i0, int columns, int j)
{
  struct lane lane = {.c = 0.0};
  int usual = -1;
  if (j < 0) return lane;
  if (columns > system->nx - i0) columns = system->nx - i0;
  for (int x = 0; x < columns && usual < 0; x++)
    if (is_plain(system, entry_at(system, i0 + x, j))) usual = (int)entry_at(system, i0 + x, j);
  if (usual >= 0) lane.c = system->stencil[usual].c;
  for (int x = 0; x < columns; x++) {
    const unsigned entry = entry_at(system, i0 + x, j);
    if (is_plain(system, entry) && constants_same(system, single, entry, (unsigned)usual)) continue;
    if (!lane.one || entry == lane.entry_one) {
      lane.entry_one = entry;
      lane.one |= 1u << x;
    } else {
      lane.entry_two = !lane.two || entry == lane.entry_two ? entry : HS_BLOCKED_SEVERAL;
      lane.two |= 1u << x;
    }
  }
  return lane;
}

/* A class's 32 lanes, and what a row of it costs. */
static int class_describe(const struct hs_system *system, struct hs_blocked_layout *layout, int64_t class)
{
  const int64_t origin = layout->origin[class];
  const int s = origin < 0 ? 0 : (int)(origin / system->ny), j = origin < 0 ? -1 : (int)(origin % system->ny);
  const int columns = hs_blocked_width(layout->single) / LANES;
  char *to = (char *)layout->lane + (size_t)class * LANES * LANE_BYTES;
  bool special = false, several = false;
  for (int k = 0; k < LANES; k++, to += LANE_BYTES) {
    const struct lane lane = lane_describe(system, layout->single, layout->strip[s].column0 + k * columns, columns, j);
    const uint16_t one = (uint16_t)lane.entry_one, two = (uint16_t)lane.entry_two;
    const struct hs_blocked_lane_f64 f64 = {lane.c, (uint16_t)lane.one, (uint16_t)lane.two, one, two};
    const struct hs_blocked_lane_f32 f32 = {(float)lane.c, lane.one, lane.two, one, two};
    special |= lane.one != 0;
    several |= lane.two && lane.entry_two == HS_BLOCKED_SEVERAL;
    memcpy(to, layout->single ? (const void *)&f32 : (const void *)&f64, LANE_BYTES);
  }
  return several ? SEVERAL_COST : special ? SPECIAL_COST : 1;
}

void hs_blocked_layout_renew(const struct hs_system *system, struct hs_blocked_layout *layout)
{
  const int64_t ny = system->ny;
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t class = 0; class < layout->classes; class ++) {
    layout->cost[class] = class_describe(system, layout, class);
    const int64_t origin = layout->origin[class];
    if (origin < 0) continue;
    /* the rows of a class follow one another within a strip */
    for (int64_t n = origin, run = 1; n < (origin / ny + 1) * ny && HS_BLOCKED_CLASS(layout->row[n]) == class;
         n++, run++) {
      const int64_t counted = run < HS_BLOCKED_RUN_LIMIT ? run : HS_BLOCKED_RUN_LIMIT;
      layout->row[n] = HS_BLOCKED_WORD(class, layout->cost[class] == 1, counted);
    }
  }
}

/* --- pieces ----------------------------------------------------------------------------------- */

static int row_cost(const struct hs_blocked_layout *layout, uint32_t word)
{
  const int cost = layout->cost[HS_BLOCKED_CLASS(word)];
  return HS_BLOCKED_RUN(word) > PLAIN_RUN || cost > SPECIAL_COST ? cost : SPECIAL_COST;
}

/* The expected time of rows in units of a plain row's: cost[n] of all rows before n. */
static hs_status costs_add(const struct hs_system *system, const struct hs_blocked_layout *layout, int64_t **cost,
                           struct hs_error *err)
{
  const int64_t rows = (int64_t)system->ny * layout->strips;
  const hs_status status = hs_array_create((void **)cost, (size_t)rows + 1, sizeof **cost, "the times of rows", err);
  for (int64_t n = 0; !status && n < rows; n++) (*cost)[n + 1] = (*cost)[n] + (row_cost(layout, layout->row[n]));
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
  if (system->palette_size >= HS_BLOCKED_PALETTE_LIMIT)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "the problem has %d different stencils, and blocked sweeps know %d",
                        system->palette_size, HS_BLOCKED_PALETTE_LIMIT - 1);
  status = strips_lay(system, layout, err);
  if (!status) status = classes_find(system, layout, err);
  if (!status)
    status = hs_array_create(&layout->lane, (size_t)layout->classes * LANES, LANE_BYTES, "the classes of rows", err);
  if (!status) hs_blocked_layout_renew(system, layout);
  if (!status) status = pieces_deal(system, layout, overhead, err);
  if (status) hs_blocked_layout_clear(layout);
  return status;
}

void hs_blocked_layout_clear(struct hs_blocked_layout *layout)
{
  free(layout->first);
  free(layout->piece);
  free(layout->lane);
  free(layout->cost);
  free(layout->origin);
  free(layout->row);
  free(layout->strip);
  *layout = (struct hs_blocked_layout){0};
}
