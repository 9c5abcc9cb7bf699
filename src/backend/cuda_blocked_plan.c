/* The plan of blocked sweeps.
 *
 * Strips have windows of one width; the first begins and the last ends with the grid (rounded up to 16 bytes), and
 * they are spread evenly, so that no window is wasted beside the grid and no size of a grid is much worse than the
 * next. cuda_blocked_deal.c deals their rows to the blocks.
 */
#include "backend/cuda_blocked_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda_blocked_deal.h"
#include "base/memory.h"

enum {
  LANES = 32,
  TABLE_SMALL = 16 << 20 /* elements */
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

static hs_status classes_check(int64_t classes, struct hs_error *err)
{
  if (classes < HS_BLOCKED_CLASS_LIMIT) return HS_OK;
  return hs_error_set(err, HS_ERR_UNSUPPORTED,
                      "the grid has %lld different rows, and blocked sweeps know %d; use cuda-global",
                      (long long)classes, HS_BLOCKED_CLASS_LIMIT);
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
  status = classes_check(layout->classes, err);
  if (status) return status;
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

/* Node x of the window of strip s in row j; NULL: outside the grid. */
static const struct hs_stencil_f64 *window_node(const struct hs_system *system, const struct hs_blocked_layout *layout,
                                                int s, int j, int x)
{
  const int i = layout->strip[s].column0 + x;
  return i < system->nx ? &system->stencil[entry_at(system, i, j)] : NULL;
}

/* The same of a class's row. */
static const struct hs_stencil_f64 *node_at(const struct hs_system *system, const struct hs_blocked_layout *layout,
                                            int64_t class, int x)
{
  const int64_t origin = layout->origin[class];
  if (origin < 0) return NULL;
  return window_node(system, layout, (int)(origin / system->ny), (int)(origin % system->ny), x);
}

/* Is a node swept by weights of its own? At the border equal weights need care, too: of what is not there. */
static bool is_general(const struct hs_system *system, const struct hs_stencil_f64 *node, int i, bool single)
{
  const bool border = i == 0 || i == system->nx - 1;
  return node && !is_held(node, single) && (border || !HS_STENCIL_IS_UNIFORM(*node));
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
      const struct hs_stencil_f64 *s = node_at(system, layout, class, k * columns + x);
      if (!s || is_held(s, layout->single))
        held |= 1u << x;
      else if (is_general(system, s, column0 + k * columns + x, layout->single))
        general |= 1u << x;
      if (!constants_same(s, first)) layout->common[class].varied |= 1u << x;
    }
    layout->held[class * LANES + k] = held;
    layout->common[class].general |= general;
    plain &= !(held | general);
  }
  plain &= !layout->common[class].varied;
  layout->cost[class] = plain ? HS_BLOCKED_PLAIN_COST : HS_BLOCKED_MIXED_COST;
  if (layout->common[class].general)
    layout->cost[class] =
        HS_BLOCKED_GENERAL_COST + HS_BLOCKED_COLUMN_COST * __builtin_popcount(layout->common[class].general);
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

static hs_status table_check(const struct hs_system *system, int64_t classes, int64_t constants, struct hs_error *err)
{
  if (constants <= table_most(system)) return HS_OK;
  return hs_error_set(err, HS_ERR_UNSUPPORTED,
                      "the grid's %lld different rows need more constants than blocked sweeps keep (%lld); cuda-global "
                      "looks them up node by node",
                      (long long)classes, (long long)table_most(system));
}

/* Elements that a class has in the table; general: its general columns. */
static int64_t table_part(const struct hs_blocked_layout *layout, uint32_t general)
{
  const int columns = hs_blocked_width(layout->single) / LANES;
  return LANES * (columns + 4 * __builtin_popcount(general));
}

/* Gives each class its place in the table. */
static hs_status table_lay(const struct hs_system *system, struct hs_blocked_layout *layout, struct hs_error *err)
{
  int64_t n = 0;
  hs_status status;
  for (int64_t class = 0; class < layout->classes; class ++) {
    layout->common[class].constants = n;
    n += table_part(layout, layout->common[class].general);
  }
  status = table_check(system, layout->classes, n, err);
  if (status) return status;
  if (layout->constants == n) return HS_OK;
  free(layout->constant);
  layout->constant = NULL;
  layout->constants = 0;
  status = hs_array_create(&layout->constant, (size_t)n, layout->single ? sizeof(float) : sizeof(double),
                           "the constants of sweeps", err);
  if (!status) layout->constants = n;
  return status;
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
      layout->row[n] = HS_BLOCKED_WORD(class, layout->cost[class] > HS_BLOCKED_PLAIN_COST, alike,
                                       alike && !layout->common[class].general ? ahead : 0);
    }
  }
  status = table_lay(system, layout, err);
  if (status) return status;
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t class = 0; class < layout->classes; class ++) class_tabulate(system, layout, class);
  if (layout->piece) hs_blocked_mark(layout, ny);
  return HS_OK;
}

/* --- its size --------------------------------------------------------------------------------- */

/* The columns of a lane, as bits, where row j of strip s has a general node. */
static uint32_t row_general(const struct hs_system *system, const struct hs_blocked_layout *layout, int s, int j)
{
  const int width = hs_blocked_width(layout->single), columns = width / LANES;
  uint32_t general = 0;
  for (int x = 0; x < width; x++)
    if (is_general(system, window_node(system, layout, s, j, x), layout->strip[s].column0 + x, layout->single))
      general |= 1u << x % columns;
  return general;
}

/* Classes of rows, class 0 included, and the elements of their table. */
static void classes_count(const struct hs_system *system, const struct hs_blocked_layout *layout, int64_t *classes,
                          int64_t *constants)
{
  int64_t found = 1, elements = table_part(layout, 0);
#pragma omp parallel for collapse(2) schedule(dynamic, 64) reduction(+ : found, elements)
  for (int s = 0; s < layout->strips; s++) {
    for (int j = 0; j < system->ny; j++) {
      if (row_repeats(system, layout, s, j)) continue;
      found++;
      elements += table_part(layout, row_general(system, layout, s, j));
    }
  }
  *classes = found;
  *constants = elements;
}

hs_status hs_blocked_layout_measure(const struct hs_system *system, bool single, int blocks,
                                    struct hs_blocked_size *size, struct hs_error *err)
{
  struct hs_blocked_layout layout = {.single = single, .blocks = blocks};
  int64_t classes, constants;
  double rows;
  hs_status status = strips_lay(system, &layout, err);
  *size = (struct hs_blocked_size){0.0, 0.0};
  if (status) goto out;
  classes_count(system, &layout, &classes, &constants);
  status = classes_check(classes, err);
  if (!status) status = table_check(system, classes, constants, err);
  if (status) goto out;
  rows = (double)layout.strips * system->ny;
  size->device_bytes = (double)layout.strips * sizeof *layout.strip + rows * sizeof *layout.row +
                       ((double)blocks + layout.strips) * sizeof *layout.piece +
                       ((double)blocks + 1.0) * sizeof *layout.first +
                       (double)classes * (sizeof *layout.common + LANES * sizeof *layout.held) +
                       (double)constants * (single ? sizeof(float) : sizeof(double));
  size->host_bytes = size->device_bytes + (double)classes * (sizeof *layout.origin + sizeof *layout.cost) +
                     (rows + 1.0) * sizeof(int64_t); /* the times of rows, while they are dealt */
out:
  hs_blocked_layout_clear(&layout);
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
  if (!status) status = hs_blocked_deal(system, layout, overhead, err);
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
