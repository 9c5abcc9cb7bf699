/* The plan of blocked sweeps.
 *
 * Strips have windows of one width; the first begins and the last ends with the grid (rounded up to 16 bytes), and
 * they are spread evenly, so that no window is wasted beside the grid and no size of a grid is much worse than the
 * next. blocked/schedule.c deals their rows to the blocks.
 */
#include "backend/cuda/blocked/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/blocked/schedule.h"
#include "base/memory.h"

/* The first words of a class's part. */
_Static_assert(HS_BLOCKED_PART == 32 * sizeof(uint32_t), "a word for each lane");

enum {
  LANES = 32,
  TABLE_SMALL = 16 << 20 /* elements */
};

/* Elements of 16 bytes. */
static int group_of(bool single)
{
  return single ? 4 : 2;
}

static int round_up(int value, int group)
{
  return (value + group - 1) / group * group;
}

/* --- strips ----------------------------------------------------------------------------------- */

static hs_status strips_lay(const struct hs_system *system, struct hs_blocked_layout *layout, struct hs_error *err)
{
  const int group = group_of(layout->single), width = hs_blocked_width(layout->single), nx = system->nx;
  const int end = round_up(nx, group); /* nx rounded up */
  const int advance = width - 2 * HS_BLOCKED_LEVELS;
  const int span = end - width; /* between the first columns of the first and the last window */
  hs_status status;
  layout->strips = span > 0 ? (span + advance - 1) / advance + 1 : 1;
  status = hs_array_create((void **)&layout->strip, (size_t)layout->strips, sizeof *layout->strip,
                           "the strips of sweeps", err);
  if (status) return status;
  for (int s = 0; s < layout->strips; s++) {
    struct hs_blocked_strip *strip = &layout->strip[s];
    strip->column0 = s ? (int)((int64_t)s * span / group / (layout->strips - 1)) * group : 0;
    strip->valid0 = s ? strip->column0 + HS_BLOCKED_LEVELS : 0;
    strip->valid1 = end;
    if (s) strip[-1].valid1 = strip->valid0;
  }
  return HS_OK;
}

/* --- classes of rows -------------------------------------------------------------------------- */

/* Are rows j - 1 and j of a window alike? */
static bool row_repeats(const struct hs_system *system, const struct hs_blocked_layout *layout, int s, int j)
{
  const int width = hs_blocked_width(layout->single), from = layout->strip[s].column0;
  const int to = from + width < system->nx ? from + width : system->nx;
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
  status = hs_array_create((void **)&layout->kind, (size_t)layout->classes, sizeof *layout->kind, "the classes of rows",
                           err);
  if (status) return status;
  status = hs_array_create((void **)&layout->common, (size_t)layout->classes, sizeof *layout->common,
                           "the classes of rows", err);
  if (status) return status;
  layout->origin[0] = -1;
  for (int64_t n = 0, class = 0; n < rows; n++) {
    if (layout->row[n]) layout->origin[++class] = n;
    layout->row[n] = HS_BLOCKED_WORD(class, HS_BLOCKED_PLAIN, 0);
  }
  return HS_OK;
}

static unsigned entry_at(const struct hs_system *system, int i, int j)
{
  return system->index[(size_t)j * (size_t)system->nx + (size_t)i];
}

/* A Dirichlet node takes its constant whatever its neighbours are; but a quarter of nothing and -0 are +0. */
static bool is_dirichlet(const struct hs_stencil_f64 *s, bool single)
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
  return node && !is_dirichlet(node, single) && (border || !HS_STENCIL_IS_UNIFORM(*node));
}

/* Nodes outside the grid have the constant 0. */
static bool constants_same(const struct hs_stencil_f64 *a, const struct hs_stencil_f64 *b)
{
  const double a_c = a ? a->c : 0.0, b_c = b ? b->c : 0.0;
  return !memcmp(&a_c, &b_c, sizeof a_c);
}

/* The kind of a class's rows. */
static enum hs_blocked_kind class_kind(const struct hs_system *system, const struct hs_blocked_layout *layout,
                                       int64_t class)
{
  const int columns = hs_blocked_width(layout->single) / LANES;
  const int64_t origin = layout->origin[class];
  const int column0 = origin < 0 ? 0 : layout->strip[origin / system->ny].column0;
  enum hs_blocked_kind kind = HS_BLOCKED_PLAIN;
  for (int n = 0; n < LANES * columns; n++) {
    const struct hs_stencil_f64 *s = node_at(system, layout, class, n);
    if (is_general(system, s, column0 + n, layout->single)) return HS_BLOCKED_WEIGHED;
    if (!s || is_dirichlet(s, layout->single) ||
        !constants_same(s, node_at(system, layout, class, n / columns * columns)))
      kind = HS_BLOCKED_ALIKE;
  }
  return kind;
}

/* One constant or weight of the table. */
static void table_set(const struct hs_blocked_layout *layout, char *part, int n, double value)
{
  if (layout->single)
    ((float *)part)[n] = (float)value;
  else
    ((double *)part)[n] = value;
}

/* The weights of all nodes of a class, or 1. */
static void weights_tabulate(const struct hs_system *system, struct hs_blocked_layout *layout, int64_t class, bool unit)
{
  static const struct hs_stencil_f64 NOWHERE = {.c = 0.0},
                                     UNIT = {.west = 1.0, .south = 1.0, .east = 1.0, .north = 1.0};
  const int columns = hs_blocked_width(layout->single) / LANES;
  char *part = (char *)layout->table + (size_t)layout->common[class].weights * HS_BLOCKED_PART;
  for (int x = 0; x < columns; x++) {
    for (int k = 0; k < LANES; k++) {
      const struct hs_stencil_f64 *found = unit ? &UNIT : node_at(system, layout, class, k * columns + x),
                                  *s = found ? found : &NOWHERE;
      table_set(layout, part, 4 * x * LANES + k, s->west);
      table_set(layout, part, (4 * x + 1) * LANES + k, s->south);
      table_set(layout, part, (4 * x + 2) * LANES + k, s->east);
      table_set(layout, part, (4 * x + 3) * LANES + k, s->north);
    }
  }
}

static void class_tabulate(const struct hs_system *system, struct hs_blocked_layout *layout, int64_t class)
{
  const int columns = hs_blocked_width(layout->single) / LANES;
  char *part = (char *)layout->table + (size_t)layout->common[class].place * HS_BLOCKED_PART;
  for (int k = 0; k < LANES; k++) {
    uint32_t dirichlet = 0;
    for (int x = 0; x < columns; x++) {
      const struct hs_stencil_f64 *s = node_at(system, layout, class, k * columns + x);
      if (!s || is_dirichlet(s, layout->single)) dirichlet |= 1u << x;
      table_set(layout, part + HS_BLOCKED_PART, x * LANES + k, s ? s->c : 0.0);
    }
    ((uint32_t *)part)[k] = dirichlet;
  }
  if (layout->kind[class] == HS_BLOCKED_WEIGHED) weights_tabulate(system, layout, class, false);
}

/* Most elements of a table: as many as two fields have, and some for small grids. */
static int64_t table_most(const struct hs_system *system)
{
  const int64_t nodes = (int64_t)system->nx * system->ny;
  return nodes > TABLE_SMALL ? 2 * nodes : 2 * (int64_t)TABLE_SMALL;
}

/* bytes: of the table. */
static hs_status table_check(const struct hs_system *system, bool single, int64_t classes, int64_t bytes,
                             struct hs_error *err)
{
  if (bytes <= table_most(system) * (int64_t)(single ? sizeof(float) : sizeof(double))) return HS_OK;
  return hs_error_set(err, HS_ERR_UNSUPPORTED,
                      "the grid's %lld different rows need more constants than blocked sweeps keep (%lld); cuda-global "
                      "looks them up node by node",
                      (long long)classes, (long long)table_most(system));
}

/* Bytes of the constants of a class; its weights take four times as many. */
static int64_t constants_bytes(bool single)
{
  return hs_blocked_width(single) * (int64_t)(single ? sizeof(float) : sizeof(double));
}

/* Gives each class its places in the table; the common weights have the first one. */
static hs_status table_lay(const struct hs_system *system, struct hs_blocked_layout *layout, struct hs_error *err)
{
  const int64_t constants = constants_bytes(layout->single);
  int64_t bytes = 4 * constants;
  hs_status status;
  for (int64_t class = 0; class < layout->classes; class ++) {
    layout->common[class].place = (uint32_t)(bytes / HS_BLOCKED_PART);
    bytes += HS_BLOCKED_PART + constants;
    layout->common[class].weights = 0;
    if (layout->kind[class] != HS_BLOCKED_WEIGHED) continue;
    layout->common[class].weights = (uint32_t)(bytes / HS_BLOCKED_PART);
    bytes += 4 * constants;
  }
  status = table_check(system, layout->single, layout->classes, bytes, err);
  if (status || layout->table_bytes == bytes) return status;
  free(layout->table);
  layout->table = NULL;
  layout->table_bytes = 0;
  status = hs_array_create(&layout->table, (size_t)bytes, 1, "the constants of sweeps", err);
  if (!status) layout->table_bytes = bytes;
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
    const enum hs_blocked_kind kind = class_kind(system, layout, class);
    layout->kind[class] = (uint8_t)kind;
    if (origin < 0) continue;
    for (int64_t n = origin; n < end; n++) {
      const bool alike = n - origin >= HS_BLOCKED_WARP_LEVELS; /* as many rows before are of the class */
      const int64_t ahead = end - n < HS_BLOCKED_AHEAD_LIMIT ? end - n : HS_BLOCKED_AHEAD_LIMIT;
      layout->row[n] = HS_BLOCKED_WORD(class, kind, alike ? ahead : 0);
    }
  }
  status = table_lay(system, layout, err);
  if (status) return status;
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t class = 0; class < layout->classes; class ++) class_tabulate(system, layout, class);
  weights_tabulate(system, layout, 0, true); /* class 0 is outside the grid and has the common ones */
  if (layout->piece) hs_blocked_mark(layout, ny);
  return HS_OK;
}

/* --- its size --------------------------------------------------------------------------------- */

/* Has row j of strip s nodes of any weights? */
static bool row_weighed(const struct hs_system *system, const struct hs_blocked_layout *layout, int s, int j)
{
  const int width = hs_blocked_width(layout->single);
  for (int x = 0; x < width; x++)
    if (is_general(system, window_node(system, layout, s, j, x), layout->strip[s].column0 + x, layout->single))
      return true;
  return false;
}

/* Classes of rows, class 0 included, and the bytes of their table. */
static void classes_count(const struct hs_system *system, const struct hs_blocked_layout *layout, int64_t *classes,
                          int64_t *bytes)
{
  int64_t found = 1, weighed = 1; /* the common weights */
#pragma omp parallel for collapse(2) schedule(dynamic, 64) reduction(+ : found, weighed)
  for (int s = 0; s < layout->strips; s++) {
    for (int j = 0; j < system->ny; j++) {
      if (row_repeats(system, layout, s, j)) continue;
      found++;
      weighed += row_weighed(system, layout, s, j);
    }
  }
  *classes = found;
  *bytes = found * (HS_BLOCKED_PART + constants_bytes(layout->single)) + weighed * 4 * constants_bytes(layout->single);
}

hs_status hs_blocked_layout_measure(const struct hs_system *system, bool single, int blocks,
                                    struct hs_blocked_size *size, struct hs_error *err)
{
  struct hs_blocked_layout layout = {.single = single, .blocks = blocks};
  int64_t classes, table;
  double rows;
  hs_status status = strips_lay(system, &layout, err);
  *size = (struct hs_blocked_size){0.0, 0.0};
  if (status) goto out;
  classes_count(system, &layout, &classes, &table);
  status = classes_check(classes, err);
  if (!status) status = table_check(system, single, classes, table, err);
  if (status) goto out;
  rows = (double)layout.strips * system->ny;
  size->device_bytes = (double)layout.strips * sizeof *layout.strip + rows * sizeof *layout.row +
                       ((double)blocks + layout.strips) * sizeof *layout.piece +
                       ((double)blocks + 1.0) * sizeof *layout.first + (double)classes * sizeof *layout.common +
                       (double)table;
  size->host_bytes = size->device_bytes + (double)classes * (sizeof *layout.origin + sizeof *layout.kind) +
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
  if (!status) status = hs_blocked_layout_renew(system, layout, err);
  if (!status) status = hs_blocked_deal(system, layout, overhead, err);
  if (status) hs_blocked_layout_clear(layout);
  return status;
}

void hs_blocked_layout_clear(struct hs_blocked_layout *layout)
{
  free(layout->first);
  free(layout->piece);
  free(layout->table);
  free(layout->common);
  free(layout->kind);
  free(layout->origin);
  free(layout->row);
  free(layout->strip);
  *layout = (struct hs_blocked_layout){0};
}
