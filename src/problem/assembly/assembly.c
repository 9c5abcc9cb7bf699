/* The laws of all nodes.
 *
 * Cells, sources on control volumes, walls and held shapes contribute in turn. The cells' contribution is looked up in a
 * cache by the classes of the cells around a node, so that the inside of a grid costs nanoseconds a node. The others
 * concern few nodes, or remember what they did to the node before. All of them change a law through law_get and law_put,
 * whether it is in the law table or, where there are too many distinct ones, in an array. So both give the same laws, and
 * the same as hs_law_at gives for a single node.
 */
#include <math.h>
#include <stdlib.h>

#include "problem/assembly/build.h"
#include "problem/assembly/builder.h"
#include "problem/cells/source.h"
#include "problem/value.h"

enum { NOTHING = 0xffff }; /* in place of a class where there is no cell, beyond an open wall */

/* What became of the last Dirichlet node inside a held shape. */
struct held_memo {
  int shape;
  uint16_t before, after;
};

/* --- laws of nodes ------------------------------------------------------------------------------- */

static struct hs_node_law law_get(const struct hs_builder *b, size_t n)
{
  return b->table ? *hs_law_table_law(b->table, b->system->index[n]) : b->system->law[n];
}

static hs_status law_put(struct hs_builder *b, size_t n, const struct hs_node_law *law, uint64_t variant,
                         struct hs_error *err)
{
  if (b->table) return hs_law_table_intern(b->table, law, variant, &b->system->index[n], err);
  b->system->law[n] = hs_law_tidy(law);
  return HS_OK;
}

/* --- cells --------------------------------------------------------------------------------------- */

static hs_status key_look_up(struct hs_builder *b, struct hs_class_key key, int i, int j, uint16_t *entry,
                             struct hs_error *err)
{
  const uint64_t hash = (key.around ^ ((uint64_t)key.own << 7)) * 0x9e3779b97f4a7c15ULL;
  struct hs_class_cached *cached = &b->cache[hash >> 48];
  struct hs_node_law law;
  hs_status status;
  if (cached->used && cached->key.around == key.around && cached->key.own == key.own) {
    *entry = cached->entry;
    return HS_OK;
  }
  hs_law_of_cells(&b->laws, i, j, &law);
  status = hs_law_table_intern(b->table, &law, 0, entry, err);
  cached->key = key;
  cached->entry = *entry;
  cached->used = !status;
  return status;
}

/* The key of any node, in any layout, with any walls. */
static struct hs_class_key key_of(const struct hs_builder *b, int i, int j)
{
  const struct hs_problem *p = b->problem;
  struct hs_class_key key = {0, 0};
  int64_t cells[4];
  hs_law_cells_around(&b->laws, i, j, cells);
  for (int k = 0; k < 4; k++) key.around |= (uint64_t)(cells[k] < 0 ? NOTHING : p->cell[cells[k]]) << (16 * k);
  if (p->layout == HS_LAYOUT_CELL) key.own = p->cell[(size_t)j * (size_t)p->cells_x + (size_t)i];
  return key;
}

/* The classes of a row of cells; a row beyond a periodic wall is the one at the opposite wall. */
static const uint16_t *cells_of_row(const struct hs_builder *b, int row)
{
  const struct hs_problem *p = b->problem;
  if (row < 0 || row >= p->cells_y) {
    if (b->laws.wrap_y < 0) return b->nothing;
    row = row < 0 ? p->cells_y - 1 : 0;
  }
  return p->cell + (size_t)row * (size_t)p->cells_x;
}

/* Columns 1 .. nx - 2 of a row, whose keys need no look at walls. */
static hs_status inner_cells_lay(struct hs_builder *b, int j, struct hs_error *err)
{
  const bool vertex = b->problem->layout == HS_LAYOUT_VERTEX;
  const uint16_t *south = cells_of_row(b, j - 1), *here = cells_of_row(b, j);
  const uint16_t *north = vertex ? here : cells_of_row(b, j + 1);
  uint16_t *index = b->system->index + (size_t)j * (size_t)b->system->nx, entry = 0;
  struct hs_class_key last = {0, UINT32_MAX};
  for (int i = 1; i < b->system->nx - 1; i++) {
    struct hs_class_key key;
    if (vertex) {
      key.around =
          (uint64_t)south[i - 1] | (uint64_t)south[i] << 16 | (uint64_t)north[i - 1] << 32 | (uint64_t)north[i] << 48;
      key.own = 0;
    } else {
      key.around =
          (uint64_t)here[i - 1] | (uint64_t)here[i + 1] << 16 | (uint64_t)south[i] << 32 | (uint64_t)north[i] << 48;
      key.own = here[i];
    }
    if (key.around != last.around || key.own != last.own) {
      const hs_status status = key_look_up(b, key, i, j, &entry, err);
      if (status) return status;
      last = key;
    }
    index[i] = entry;
  }
  return HS_OK;
}

static hs_status cells_lay(struct hs_builder *b, struct hs_error *err)
{
  struct hs_system *s = b->system;
  hs_status status = HS_OK;
  for (int j = 0; !status && j < s->ny; j++) {
    uint16_t *row = s->index + (size_t)j * (size_t)s->nx;
    status = inner_cells_lay(b, j, err);
    if (!status) status = key_look_up(b, key_of(b, 0, j), 0, j, &row[0], err);
    if (!status) status = key_look_up(b, key_of(b, s->nx - 1, j), s->nx - 1, j, &row[s->nx - 1], err);
  }
  return status;
}

static void cells_lay_each(struct hs_builder *b)
{
  struct hs_system *s = b->system;
#pragma omp parallel for schedule(static)
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) {
      struct hs_node_law law;
      hs_law_of_cells(&b->laws, i, j, &law);
      s->law[(size_t)j * (size_t)s->nx + (size_t)i] = hs_law_tidy(&law);
    }
}

/* --- sources that heat control volumes ----------------------------------------------------------- */

/* Adds a source to a row. Neighbours mostly have the same law and get the same heat, so the last change is kept. */
static hs_status source_row_add(struct hs_builder *b, const struct hs_config_source *source, int j, double extent_y_m,
                                struct hs_error *err)
{
  uint16_t *index = b->table ? b->system->index + (size_t)j * (size_t)b->system->nx : NULL;
  int32_t last_old = -1;
  uint16_t last_new = 0;
  double last_extent_m = 0.0, power_w_m = 0.0;
  for (int i = 0; i < b->system->nx; i++) {
    const size_t n = (size_t)j * (size_t)b->system->nx + (size_t)i;
    const bool same_extent = b->extent_x_m[i] == last_extent_m;
    if (b->extent_x_m[i] == 0.0) continue;
    if (!same_extent) power_w_m = hs_law_source_power(&b->laws, source, b->extent_x_m[i], extent_y_m);
    last_extent_m = b->extent_x_m[i];
    if (index && same_extent && index[i] == last_old) {
      index[i] = last_new;
    } else {
      struct hs_node_law law = law_get(b, n);
      hs_status status;
      if (index) last_old = index[i];
      law.source_w_m += power_w_m;
      status = law_put(b, n, &law, 0, err);
      if (status) return status;
      if (index) last_new = index[i];
    }
  }
  return HS_OK;
}

static void extents_fill(struct hs_builder *b, const struct hs_config_source *source)
{
  for (int i = 0; i < b->system->nx; i++) b->extent_x_m[i] = hs_law_source_extent(&b->laws, source, true, i);
}

/* Adds a rectangle, or a node and its copies on periodic walls. */
static hs_status source_add(struct hs_builder *b, const struct hs_config_source *source, struct hs_error *err)
{
  hs_status status = HS_OK;
  extents_fill(b, source);
  for (int j = 0; !status && j < b->system->ny; j++) {
    const double extent_y_m = hs_law_source_extent(&b->laws, source, false, j);
    if (extent_y_m > 0.0) status = source_row_add(b, source, j, extent_y_m, err);
  }
  return status;
}

static hs_status sources_add(struct hs_builder *b, struct hs_error *err)
{
  const struct hs_config *config = b->problem->config;
  hs_status status = HS_OK;
  for (int k = 0; !status && k < config->source_count; k++) {
    struct hs_config_source pieces[HS_SOURCE_PIECES];
    const int count = hs_source_is_painted(config, k) ? 0 : hs_source_pieces(b->problem, k, pieces);
    for (int piece = 0; !status && piece < count; piece++) status = source_add(b, &pieces[piece], err);
  }
  return status;
}

/* --- walls and held shapes ----------------------------------------------------------------------- */

/* The ordinates of row j, two where periodic walls make the first and last row the same; returns how many. */
static int row_places(const struct hs_builder *b, int j, double y_m[2])
{
  const struct hs_problem *p = b->problem;
  const int row = hs_problem_row(p, j);
  y_m[0] = hs_problem_y(p, j);
  if (!b->laws.twins_y || (row != 0 && row != p->grid_ny - 1)) return 1;
  y_m[0] = p->y0_m;
  y_m[1] = p->y0_m + (p->grid_ny - 1) * p->dy_m;
  return 2;
}

/* Notes the nodes of a row at y_m that shape k holds. */
static void held_row_mark(struct hs_builder *b, int k, const double bounds_m[4], double y_m, int32_t *held)
{
  const struct hs_problem *p = b->problem;
  int first, last;
  hs_index_range(bounds_m[0] - p->x0_m, bounds_m[1] - p->x0_m, p->dx_m, p->grid_nx, &first, &last);
  for (int s = 0; s < b->column_count; s++) {
    const struct hs_stretch *columns = &b->columns[s];
    const int shift = columns->from - columns->grid, end = columns->grid + columns->count - 1;
    const int from = first > columns->grid ? first : columns->grid, to = last < end ? last : end;
    for (int i = from; i <= to; i++)
      if (hs_shape_contains(p->held[k].shape, p->x0_m + i * p->dx_m, y_m)) {
        held[i + shift] = k;
        b->holds[k] = true;
      }
  }
}

/* Which shape holds the nodes of row j; a row beyond the window is held by none. */
static void held_row_fill(struct hs_builder *b, int j, int32_t *held)
{
  const struct hs_problem *p = b->problem;
  double y_m[2];
  int places;
  for (int i = 0; i < p->nx; i++) held[i] = -1;
  if (j < 0 || j >= p->ny) return;
  places = row_places(b, j, y_m);
  for (int k = 0; k < p->held_count; k++) {
    double bounds_m[4];
    hs_shape_bounds(p->held[k].shape, bounds_m);
    for (int place = 0; place < places; place++)
      if (y_m[place] >= bounds_m[2] - p->dy_m && y_m[place] <= bounds_m[3] + p->dy_m)
        held_row_mark(b, k, bounds_m, y_m[place], held);
  }
  for (int i = 0; b->laws.twins_x && i < p->nx; i++) {
    const int column = hs_problem_column(p, i);
    if (column == 0 || column == p->grid_nx - 1) held[i] = hs_law_held_by(&b->laws, i, j);
  }
}

/* Does the node give off no heat at any time, since its neighbours are held by the same shape? Then it needs no contact. */
static bool enclosed(const struct hs_builder *b, int i, const struct hs_node_law *law)
{
  const int32_t k = b->held[1][i];
  return b->held[1][i - 1] == k && b->held[1][i + 1] == k && b->held[0][i] == k && b->held[2][i] == k &&
         law->source_w_m == 0.0 && law->ambient_w_mk == 0.0;
}

static hs_status timed_add(struct hs_builder *b, int64_t n, struct hs_error *err)
{
  if (b->timed_count == b->timed_room) {
    const int64_t room = b->timed_room ? 2 * b->timed_room : 64;
    int64_t *timed = realloc(b->timed, (size_t)room * sizeof *timed);
    if (!timed) return hs_error_set(err, HS_ERR_MEMORY, "out of memory for %lld nodes that change", (long long)room);
    b->timed = timed;
    b->timed_room = room;
  }
  b->timed[b->timed_count++] = n;
  return HS_OK;
}

/* A number that differs for laws which change differently in time; 0 where nothing changes. */
static uint64_t variant_of(const struct hs_builder *b, int64_t n, const struct hs_law_change *change)
{
  const uint64_t base = b->table ? b->system->index[n] : 0;
  uint64_t hash;
  if (!change->timed) return 0;
  if (change->placed) return UINT64_C(1) << 63 | (uint64_t)n;
  hash = (change->fingerprint ^ base) * 0x94d049bb133111ebULL;
  return ((hash ^ (hash >> 31)) & (UINT64_MAX >> 1)) | 1;
}

/* Is the node neither on a wall nor where periodic walls meet? */
static bool off_walls(const struct hs_problem *p, int i, int j)
{
  const int column = hs_problem_column(p, i), row = hs_problem_row(p, j);
  return column > 0 && column < p->grid_nx - 1 && row > 0 && row < p->grid_ny - 1;
}

static bool is_own(const struct hs_builder *b, int i, int j)
{
  const struct hs_rectangle own = hs_system_own(b->system);
  return i >= own.x0 && i < own.x0 + own.nx && j >= own.y0 && j < own.y0 + own.ny;
}

/* Walls and held shape of one node. */
static hs_status node_finish(struct hs_builder *b, int i, int j, struct held_memo *memo, struct hs_error *err)
{
  const int64_t n = (int64_t)j * b->system->nx + i;
  const int held = b->held[1][i];
  const bool inside = i > 0 && i < b->system->nx - 1 && j > 0 && j < b->system->ny - 1 && off_walls(b->problem, i, j);
  struct hs_node_law law = law_get(b, (size_t)n);
  const bool alike = inside && held >= 0 && !hs_value_placed(b->problem->held[held].temperature);
  const bool silent = alike && !b->problem->source_map && enclosed(b, i, &law);
  const struct hs_law_node node = {i, j, held, b->problem->config->time.start_s};
  struct hs_law_change change;
  hs_status status;
  if (b->table && silent && memo->shape == held && memo->before == b->system->index[n]) {
    b->system->index[n] = memo->after;
    return HS_OK;
  }
  status = hs_law_add_walls(&b->laws, &node, &law, silent || !is_own(b, i, j) ? NULL : &b->contacts, &change, err);
  if (!status && change.timed) status = timed_add(b, n, err);
  if (status) return status;
  if (silent && b->table) {
    memo->shape = held;
    memo->before = b->system->index[n];
  }
  status = law_put(b, (size_t)n, &law, variant_of(b, n, &change), err);
  if (silent && b->table) memo->after = b->system->index[n];
  return status;
}

static void held_rows_advance(struct hs_builder *b, int j)
{
  int32_t *oldest = b->held[0];
  b->held[0] = b->held[1];
  b->held[1] = b->held[2];
  b->held[2] = oldest;
  held_row_fill(b, j + 1, oldest);
}

static hs_status walls_add(struct hs_builder *b, struct hs_error *err)
{
  const int nx = b->system->nx, ny = b->system->ny;
  struct held_memo memo = {-1, 0, 0};
  hs_status status = HS_OK;
  b->contacts.count = b->timed_count = 0;
  for (int row = -1; row <= 1; row++) held_rows_advance(b, row - 1);
  for (int j = 0; !status && j < ny; j++) {
    const bool wall_row = hs_law_on_wall(&b->laws, nx / 2, j);
    if (j) held_rows_advance(b, j);
    for (int i = 0; !status && i < nx; i++) {
      if (b->held[1][i] < 0 && !wall_row) {
        if (i > 0 && i < nx - 1 && b->problem->held_count == 0) {
          i = nx - 2;
          continue;
        }
        if (!hs_law_on_wall(&b->laws, i, j)) continue;
      }
      status = node_finish(b, i, j, &memo, err);
    }
  }
  return status;
}

/* --- all of it ----------------------------------------------------------------------------------- */

hs_status hs_builder_laws_make(struct hs_builder *b, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (b->table)
    status = cells_lay(b, err);
  else
    cells_lay_each(b);
  if (!status) status = sources_add(b, err);
  return status ? status : walls_add(b, err);
}
