/* A window of a system as a system of its own.
 *
 * It has a copy of the stencil table, and the indices and sources of the window's nodes. Nodes at a cut edge keep their
 * weights: what lies beyond counts as 0, and no node that is used depends on it.
 */
#include <string.h>

#include "backend/distributed/state.h"
#include "base/memory.h"

static const char what[] = "a part of the grid";

/* The row or column of the grid that number `index` is, around periodic walls. The last one is the first where it is the same
 * node; it keeps its number unless `once`. */
static size_t around(int index, int n, int wrap, bool once)
{
  const int period = n - wrap, turn = index % period;
  if (wrap < 0 || (index >= 0 && index < (once ? period : n))) return (size_t)index;
  return (size_t)(turn < 0 ? turn + period : turn);
}

void hs_cut_nodes(const struct hs_system *system, const struct hs_rectangle *window, bool once, const void *from,
                  size_t size, void *to)
{
  const size_t nx = (size_t)window->nx;
  const bool plain = window->x0 >= 0 && window->x0 + window->nx <= system->nx - (once && system->wrap_x > 0);
  for (int j = 0; j < window->ny; j++) {
    const char *row =
        (const char *)from + around(window->y0 + j, system->ny, system->wrap_y, once) * (size_t)system->nx * size;
    char *target = (char *)to + (size_t)j * nx * size;
    if (plain) {
      memcpy(target, row + (size_t)window->x0 * size, nx * size);
      continue;
    }
    for (int i = 0; i < window->nx; i++)
      memcpy(target + (size_t)i * size, row + around(window->x0 + i, system->nx, system->wrap_x, once) * size, size);
  }
}

/* The window's nodes of an array of elements of `size` bytes, [ny*nx] of the system; NULL stays NULL. */
static hs_status nodes_copy(const struct hs_system *system, const struct hs_rectangle *window, bool once,
                            const void *from, size_t size, void **to, struct hs_error *err)
{
  const size_t nx = (size_t)window->nx;
  hs_status status;
  *to = NULL;
  if (!from) return HS_OK;
  status = hs_array_create(to, nx * (size_t)window->ny, size, what, err);
  if (!status) hs_cut_nodes(system, window, once, from, size, *to);
  return status;
}

/* The same of a table's array, or of one with an element for every node. */
static hs_status entries_copy(const struct hs_system *system, const struct hs_rectangle *window, bool once,
                              const void *from, size_t size, void **to, struct hs_error *err)
{
  hs_status status;
  if (!system->index) return nodes_copy(system, window, once, from, size, to, err);
  status = hs_array_create(to, (size_t)system->table_size, size, what, err);
  if (!status) memcpy(*to, from, (size_t)system->table_size * size);
  return status;
}

/* What does not change with time. */
static hs_status nodes_take(const struct hs_system *system, const struct hs_rectangle *window, bool once,
                            struct hs_system *before, struct hs_system *c, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (before) {
    c->index = before->index;
    c->source_w_m = before->source_w_m;
    before->index = NULL;
    before->source_w_m = NULL;
    return HS_OK;
  }
  status = nodes_copy(system, window, once, system->index, sizeof *c->index, (void **)&c->index, err);
  if (!status)
    status = nodes_copy(system, window, once, system->source_w_m, sizeof *c->source_w_m, (void **)&c->source_w_m, err);
  return status;
}

hs_status hs_cut_create(const struct hs_system *system, const struct hs_rectangle *window,
                        const struct hs_rectangle *own, bool once, struct hs_system *before, struct hs_system **cut,
                        struct hs_error *err)
{
  struct hs_system *c = NULL;
  hs_status status = hs_array_create((void **)&c, 1, sizeof *c, what, err);
  *cut = NULL;
  if (status) return status;
  *c = *system;
  c->base = NULL;
  c->nx = window->nx;
  c->ny = window->ny;
  c->own = *own;
  c->grid_nodes = hs_system_grid_nodes(system);
  if (own->nx < system->nx) c->wrap_x = -1;
  if (own->ny < system->ny) c->wrap_y = -1;
  if (!system->index) c->table_size = window->nx * window->ny;
  c->law = NULL;
  c->stencil = NULL;
  c->stencil_single = NULL;
  c->index = NULL;
  c->source_w_m = NULL;
  c->owned = NULL; /* unused by backends */
  c->contacts = NULL;
  c->contact_count = 0;
  c->timed_entries = c->timed_nodes = NULL;
  c->timed_count = 0;
  status = entries_copy(system, window, once, system->law, sizeof *c->law, (void **)&c->law, err);
  if (!status)
    status = entries_copy(system, window, once, system->stencil, sizeof *c->stencil, (void **)&c->stencil, err);
  if (!status)
    status = entries_copy(system, window, once, system->stencil_single, sizeof *c->stencil_single,
                          (void **)&c->stencil_single, err);
  if (!status) status = nodes_take(system, window, once, before, c, err);
  if (status)
    hs_system_destroy(c);
  else
    *cut = c;
  return status;
}
