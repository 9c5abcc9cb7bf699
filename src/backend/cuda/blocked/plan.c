/* The plan of cuda-blocked on the host: strips, row kinds and their table. blocked/schedule.c assigns rows to blocks.
 *
 * All windows have one width. The first begins and the last ends with the grid (rounded up to 16 bytes), and they are
 * spread evenly: none lies beside the grid, and no size of a grid is much worse than the next.
 */
#include "backend/cuda/blocked/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/blocked/schedule.h"
#include "base/memory.h"

_Static_assert(HS_BLOCKED_LINE == 32 * sizeof(uint32_t), "a word for each lane");

enum {
  LANES = 32,
  TABLE_SMALL = 16 << 20 /* elements that a table may have, however small the grid is */
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
  const int advance = width - 2 * HS_BLOCKED_STAGES;
  const int span = end - width; /* between the first columns of the first and the last window */
  hs_status status;
  layout->strips = span > 0 ? (span + advance - 1) / advance + 1 : 1;
  status = hs_array_create((void **)&layout->strip, (size_t)layout->strips, sizeof *layout->strip,
                           "the strips of sweeps", err);
  if (status) return status;
  for (int s = 0; s < layout->strips; s++) {
    struct hs_blocked_strip *strip = &layout->strip[s];
    strip->column0 = s ? (int)((int64_t)s * span / group / (layout->strips - 1)) * group : 0;
    strip->valid0 = s ? strip->column0 + HS_BLOCKED_STAGES : 0;
    strip->valid1 = end;
    if (s) strip[-1].valid1 = strip->valid0;
  }
  return HS_OK;
}

/* --- row kinds -------------------------------------------------------------------------------- */

/* Have rows j - 1 and j of a strip's window the same stencils? */
static bool row_repeats(const struct hs_system *system, const struct hs_blocked_layout *layout, int s, int j)
{
  const int width = hs_blocked_width(layout->single), from = layout->strip[s].column0;
  const int to = from + width < system->nx ? from + width : system->nx;
  const uint16_t *row = system->index + (size_t)j * (size_t)system->nx + from;
  return j > 0 && !memcmp(row - system->nx, row, (size_t)(to - from) * sizeof *row);
}

static hs_status kinds_check(int64_t kinds, struct hs_error *err)
{
  if (kinds < HS_BLOCKED_KIND_LIMIT) return HS_OK;
  return hs_error_set(err, HS_ERR_UNSUPPORTED,
                      "the grid has %lld different rows, and blocked sweeps know %d; use cuda-global", (long long)kinds,
                      HS_BLOCKED_KIND_LIMIT);
}

/* Finds the row kinds: origin, and each row's kind in its descriptor. */
static hs_status kinds_find(const struct hs_system *system, struct hs_blocked_layout *layout, struct hs_error *err)
{
  const int64_t ny = system->ny, rows = ny * layout->strips;
  hs_status status =
      hs_array_create((void **)&layout->row, (size_t)rows, sizeof *layout->row, "the kinds of rows", err);
  if (status) return status;
#pragma omp parallel for collapse(2) schedule(static)
  for (int s = 0; s < layout->strips; s++)
    for (int j = 0; j < (int)ny; j++) layout->row[s * ny + j] = !row_repeats(system, layout, s, j);
  layout->kinds = 1;
  for (int64_t n = 0; n < rows; n++) layout->kinds += layout->row[n];
  status = kinds_check(layout->kinds, err);
  if (status) return status;
  status = hs_array_create((void **)&layout->origin, (size_t)layout->kinds, sizeof *layout->origin, "the kinds of rows",
                           err);
  if (status) return status;
  status =
      hs_array_create((void **)&layout->path, (size_t)layout->kinds, sizeof *layout->path, "the kinds of rows", err);
  if (status) return status;
  status =
      hs_array_create((void **)&layout->kind, (size_t)layout->kinds, sizeof *layout->kind, "the kinds of rows", err);
  if (status) return status;
  layout->origin[0] = -1;
  for (int64_t n = 0, kind = 0; n < rows; n++) {
    if (layout->row[n]) layout->origin[++kind] = n;
    layout->row[n] = HS_BLOCKED_ROW(kind, HS_BLOCKED_PLAIN, 0);
  }
  return HS_OK;
}

/* Does the node take its constant whatever its neighbours are? Not with a constant of -0, to which a sum of 0 is added:
 * that is +0. */
static bool is_dirichlet(const struct hs_stencil_f64 *s, bool single)
{
  const double c = single ? (double)(float)s->c : s->c; /* what is left of a small one in single precision */
  return s->west == 0.0 && s->east == 0.0 && s->south == 0.0 && s->north == 0.0 && !(c == 0.0 && signbit(c));
}

/* Node x of the window in the rows of a kind; NULL: outside the grid. */
static const struct hs_stencil_f64 *node_at(const struct hs_system *system, const struct hs_blocked_layout *layout,
                                            int64_t kind, int x)
{
  const int64_t origin = layout->origin[kind], j = origin % system->ny;
  const int i = origin < 0 ? system->nx : layout->strip[origin / system->ny].column0 + x;
  return i < system->nx ? &system->stencil[system->index[j * system->nx + i]] : NULL;
}

/* Does a node need weights? At the first and the last column equal ones do, too: there is 0 beyond, and no ghost zone. */
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

/* The path of a kind's rows. */
static enum hs_blocked_path kind_path(const struct hs_system *system, const struct hs_blocked_layout *layout,
                                      int64_t kind)
{
  const int columns = hs_blocked_width(layout->single) / LANES;
  const int64_t origin = layout->origin[kind];
  const int column0 = origin < 0 ? 0 : layout->strip[origin / system->ny].column0;
  enum hs_blocked_path path = HS_BLOCKED_PLAIN;
  for (int n = 0; n < LANES * columns; n++) {
    const struct hs_stencil_f64 *s = node_at(system, layout, kind, n);
    if (is_general(system, s, column0 + n, layout->single)) return HS_BLOCKED_WEIGHED;
    if (!s || is_dirichlet(s, layout->single) ||
        !constants_same(s, node_at(system, layout, kind, n / columns * columns)))
      path = HS_BLOCKED_ALIKE;
  }
  return path;
}

/* --- the table -------------------------------------------------------------------------------- */

/* Sets one constant or weight. */
static void table_set(const struct hs_blocked_layout *layout, char *entry, int n, double value)
{
  if (layout->single)
    ((float *)entry)[n] = (float)value;
  else
    ((double *)entry)[n] = value;
}

/* The weights of all nodes of a kind; unit: 1, as all kinds share that need none. */
static void weights_tabulate(const struct hs_system *system, struct hs_blocked_layout *layout, int64_t kind, bool unit)
{
  static const struct hs_stencil_f64 NOWHERE = {.c = 0.0},
                                     UNIT = {.west = 1.0, .south = 1.0, .east = 1.0, .north = 1.0};
  const int columns = hs_blocked_width(layout->single) / LANES;
  char *entry = (char *)layout->table + (size_t)layout->kind[kind].weights * HS_BLOCKED_LINE;
  for (int x = 0; x < columns; x++) {
    for (int k = 0; k < LANES; k++) {
      const struct hs_stencil_f64 *found = unit ? &UNIT : node_at(system, layout, kind, k * columns + x),
                                  *s = found ? found : &NOWHERE;
      table_set(layout, entry, 4 * x * LANES + k, s->west);
      table_set(layout, entry, (4 * x + 1) * LANES + k, s->south);
      table_set(layout, entry, (4 * x + 2) * LANES + k, s->east);
      table_set(layout, entry, (4 * x + 3) * LANES + k, s->north);
    }
  }
}

/* Dirichlet nodes, constants and weights of a kind. */
static void kind_tabulate(const struct hs_system *system, struct hs_blocked_layout *layout, int64_t kind)
{
  const int columns = hs_blocked_width(layout->single) / LANES;
  char *entry = (char *)layout->table + (size_t)layout->kind[kind].place * HS_BLOCKED_LINE;
  for (int k = 0; k < LANES; k++) {
    uint32_t dirichlet = 0;
    for (int x = 0; x < columns; x++) {
      const struct hs_stencil_f64 *s = node_at(system, layout, kind, k * columns + x);
      if (!s || is_dirichlet(s, layout->single)) dirichlet |= 1u << x;
      table_set(layout, entry + HS_BLOCKED_LINE, x * LANES + k, s ? s->c : 0.0);
    }
    ((uint32_t *)entry)[k] = dirichlet;
  }
  if (layout->path[kind] == HS_BLOCKED_WEIGHED) weights_tabulate(system, layout, kind, false);
}

/* Most elements of a table: as many as two fields have, or TABLE_SMALL. */
static int64_t table_most(const struct hs_system *system)
{
  const int64_t nodes = (int64_t)system->nx * system->ny;
  return nodes > TABLE_SMALL ? 2 * nodes : 2 * (int64_t)TABLE_SMALL;
}

/* Bytes of the constants of a kind; its weights take four times as many. */
static int64_t constants_bytes(bool single)
{
  return hs_blocked_width(single) * (int64_t)(single ? sizeof(float) : sizeof(double));
}

/* Finds the paths of all kinds, and gives each kind its places in the table; the shared weights come first. The bytes
 * of the table, or HS_ERR_UNSUPPORTED where it is too large. */
static hs_status table_measure(const struct hs_system *system, struct hs_blocked_layout *layout, int64_t *bytes,
                               struct hs_error *err)
{
  const int64_t constants = constants_bytes(layout->single), most = table_most(system);
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t kind = 0; kind < layout->kinds; kind++) layout->path[kind] = (uint8_t)kind_path(system, layout, kind);
  *bytes = 4 * constants;
  for (int64_t kind = 0; kind < layout->kinds; kind++) {
    layout->kind[kind].place = (uint32_t)(*bytes / HS_BLOCKED_LINE);
    *bytes += HS_BLOCKED_LINE + constants;
    layout->kind[kind].weights = 0;
    if (layout->path[kind] != HS_BLOCKED_WEIGHED) continue;
    layout->kind[kind].weights = (uint32_t)(*bytes / HS_BLOCKED_LINE);
    *bytes += 4 * constants;
  }
  if (*bytes <= most * (int64_t)(layout->single ? sizeof(float) : sizeof(double))) return HS_OK;
  return hs_error_set(err, HS_ERR_UNSUPPORTED,
                      "the grid's %lld different rows need more constants than blocked sweeps keep (%lld); cuda-global "
                      "looks them up node by node",
                      (long long)layout->kinds, (long long)most);
}

static hs_status table_need(struct hs_blocked_layout *layout, int64_t bytes, struct hs_error *err)
{
  hs_status status;
  if (layout->table_bytes == bytes) return HS_OK;
  free(layout->table);
  layout->table = NULL;
  layout->table_bytes = 0;
  status = hs_array_create(&layout->table, (size_t)bytes, 1, "the constants of sweeps", err);
  if (!status) layout->table_bytes = bytes;
  return status;
}

/* Descriptors of the rows of a kind. */
static void rows_describe(struct hs_blocked_layout *layout, int64_t kind, int64_t rows)
{
  const int64_t origin = layout->origin[kind], end = kind + 1 < layout->kinds ? layout->origin[kind + 1] : rows;
  for (int64_t n = origin; origin >= 0 && n < end; n++) {
    const int64_t left = end - n < HS_BLOCKED_AHEAD_LIMIT ? end - n : HS_BLOCKED_AHEAD_LIMIT;
    const int64_t ahead = n - origin >= HS_BLOCKED_WARP_STAGES ? left : 0;
    layout->row[n] = HS_BLOCKED_ROW(kind, layout->path[kind], ahead);
  }
}

hs_status hs_blocked_layout_renew(const struct hs_system *system, struct hs_blocked_layout *layout,
                                  struct hs_error *err)
{
  int64_t bytes;
  hs_status status = table_measure(system, layout, &bytes, err);
  if (!status) status = table_need(layout, bytes, err);
  if (status) return status;
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t kind = 0; kind < layout->kinds; kind++) {
    rows_describe(layout, kind, (int64_t)system->ny * layout->strips);
    kind_tabulate(system, layout, kind);
  }
  weights_tabulate(system, layout, 0, true); /* kind 0, outside the grid, has the shared ones */
  if (layout->item) hs_blocked_items_mark(layout, system->ny);
  return HS_OK;
}

/* --- the plan --------------------------------------------------------------------------------- */

hs_status hs_blocked_layout_measure(const struct hs_system *system, bool single, int blocks,
                                    struct hs_blocked_size *size, struct hs_error *err)
{
  struct hs_blocked_layout layout = {.single = single, .blocks = blocks};
  int64_t table = 0;
  hs_status status = strips_lay(system, &layout, err);
  *size = (struct hs_blocked_size){0.0, 0.0};
  if (!status) status = kinds_find(system, &layout, err);
  if (!status) status = table_measure(system, &layout, &table, err);
  if (!status) {
    const double strips = layout.strips, rows = strips * system->ny, kinds = (double)layout.kinds;
    size->device_bytes = strips * sizeof *layout.strip + rows * sizeof *layout.row +
                         (blocks + strips) * sizeof *layout.item + (blocks + 1.0) * sizeof *layout.first +
                         kinds * sizeof *layout.kind + (double)table;
    size->host_bytes = size->device_bytes + kinds * (sizeof *layout.origin + sizeof *layout.path) +
                       (rows + 1.0) * sizeof(int64_t); /* the times of rows, while they are assigned */
  }
  hs_blocked_layout_clear(&layout);
  return status;
}

hs_status hs_blocked_layout_create(const struct hs_system *system, bool single, int blocks,
                                   struct hs_blocked_layout *layout, struct hs_error *err)
{
  hs_status status;
  *layout = (struct hs_blocked_layout){.single = single, .blocks = blocks};
  status = strips_lay(system, layout, err);
  if (!status) status = kinds_find(system, layout, err);
  if (!status) status = hs_blocked_layout_renew(system, layout, err);
  if (!status) status = hs_blocked_schedule(system, layout, err);
  if (status) hs_blocked_layout_clear(layout);
  return status;
}

void hs_blocked_layout_clear(struct hs_blocked_layout *layout)
{
  free(layout->first);
  free(layout->item);
  free(layout->table);
  free(layout->kind);
  free(layout->path);
  free(layout->origin);
  free(layout->row);
  free(layout->strip);
  *layout = (struct hs_blocked_layout){0};
}
