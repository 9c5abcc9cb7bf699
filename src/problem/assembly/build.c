/* From the problem to the discrete system.
 *
 * The laws of all nodes (assembly.c) are stored as a table of distinct laws and an index. Where there are more than an
 * index can tell apart, or a conductivity map makes every node different, each node has a law of its own. Then what would
 * have no effect is refused (refusals.c), entries that depend on time are listed, and properties of the system are found
 * (assess.c).
 */
#include "problem/assembly/build.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory.h"
#include "problem/assembly/builder.h"

/* Lists the entries that depend on time, each with a node that has it. */
static hs_status timed_finish(struct hs_builder *b, struct hs_error *err)
{
  struct hs_system *s = b->system;
  bool *seen = NULL;
  hs_status status;
  if (b->timed_count == 0) return HS_OK;
  status = hs_array_create((void **)&s->timed_entries, (size_t)b->timed_count, sizeof(int64_t), "timed nodes", err);
  if (!status)
    status = hs_array_create((void **)&s->timed_nodes, (size_t)b->timed_count, sizeof(int64_t), "timed nodes", err);
  if (!status) status = hs_array_create((void **)&seen, (size_t)s->table_size, sizeof *seen, "timed nodes", err);
  for (int64_t k = 0; !status && k < b->timed_count; k++) {
    const size_t entry = hs_system_index(s, (size_t)b->timed[k]);
    if (seen[entry]) continue;
    seen[entry] = true;
    s->timed_entries[s->timed_count] = (int64_t)entry;
    s->timed_nodes[s->timed_count++] = b->timed[k];
  }
  free(seen);
  return status;
}

/* Heat of the source map in each control volume. */
static hs_status source_map_lay(struct hs_builder *b, struct hs_error *err)
{
  const struct hs_problem *p = b->problem;
  struct hs_system *s = b->system;
  const bool vertex = p->layout == HS_LAYOUT_VERTEX;
  const double area_m2 = (vertex ? 0.25 : 1.0) * (p->dx_m * p->dy_m);
  hs_status status;
  if (!p->source_map) return HS_OK;
  status = hs_array_create((void **)&s->source_w_m, (size_t)s->nx * (size_t)s->ny, sizeof *s->source_w_m,
                           "the heat of each node", err);
  if (status) return status;
#pragma omp parallel for schedule(static)
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      double heat[4] = {p->source_map[vertex ? 0 : n] * area_m2, 0.0, 0.0, 0.0};
      int64_t cells[4];
      hs_law_cells_around(&b->laws, i, j, cells);
      for (int k = 0; vertex && k < 4; k++) heat[k] = cells[k] < 0 ? 0.0 : p->source_map[cells[k]] * area_m2;
      s->source_w_m[n] = ((heat[0] + heat[1]) + (heat[2] + heat[3])) + 0.0;
    }
  return HS_OK;
}

static hs_status table_try(struct hs_builder *b, struct hs_error *err)
{
  struct hs_system *s = b->system;
  hs_status status = hs_array_create((void **)&s->index, (size_t)s->nx * (size_t)s->ny, sizeof *s->index,
                                     "the stencil of each node", err);
  if (!status) status = hs_law_table_create(&b->table, err);
  if (!status)
    status = hs_array_create((void **)&b->cache, HS_BUILDER_CACHE, sizeof *b->cache, "the cache of laws", err);
  if (!status) status = hs_builder_laws_make(b, err);
  if (!status) status = hs_law_table_finish(b->table, s, NULL, err);
  hs_law_table_destroy(b->table);
  b->table = NULL;
  if (status) {
    free(s->index);
    s->index = NULL;
  }
  return status;
}

/* Refuses a law for every node that free memory cannot hold, before any is touched. Only here it is known whether a problem
 * needs that. */
static hs_status each_law_room(const struct hs_builder *b, int64_t nodes, struct hs_error *err)
{
  const struct hs_system *s = b->system;
  const double available = hs_memory_available() / hs_comm_local_size(b->problem->subdomain.comm);
  const double needed = (double)nodes * (sizeof *s->law + sizeof *s->stencil + sizeof *s->stencil_single);
  if (needed <= available) return HS_OK;
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "%s: each of the %d x %d nodes needs a stencil of its own, since a conductivity map or more than "
      "%d distinct nodes are asked for; together they need %.3g GB of memory and %.3g GB are free. Use a "
      "smaller grid, fewer materials and values that vary from place to place, or a larger machine",
      b->problem->config->path, s->nx, s->ny, HS_LAW_TABLE_LIMIT, needed * 1e-9, available * 1e-9);
}

static hs_status each_law_make(struct hs_builder *b, struct hs_error *err)
{
  static const char what[] = "a law for every node";
  struct hs_system *s = b->system;
  const struct hs_rectangle own = hs_system_own(s);
  const int64_t nodes = (int64_t)s->nx * s->ny;
  hs_status status;
  if (nodes > INT_MAX)
    return hs_error_set(
        err, HS_ERR_CONFIG,
        "%s: the problem has more than %d distinct nodes, and then at most %d nodes are possible; a grid "
        "of %d x %d has %lld",
        b->problem->config->path, HS_LAW_TABLE_LIMIT, INT_MAX, s->nx, s->ny, (long long)nodes);
  status = each_law_room(b, nodes, err);
  if (!status) status = hs_array_create((void **)&s->law, (size_t)nodes, sizeof *s->law, what, err);
  if (!status) status = hs_array_create((void **)&s->stencil, (size_t)nodes, sizeof *s->stencil, what, err);
  if (!status)
    status = hs_array_create((void **)&s->stencil_single, (size_t)nodes, sizeof *s->stencil_single, what, err);
  if (!status) status = hs_builder_laws_make(b, err);
  if (status) return status;
  s->table_size = (int)nodes;
  for (int j = own.y0; j < own.y0 + own.ny; j++)
    for (int i = own.x0; i < own.x0 + own.nx; i++) s->free_nodes += !s->law[(int64_t)j * s->nx + i].dirichlet;
  return HS_OK;
}

/* Lists the entries that own nodes have, where the window has other nodes. */
static hs_status owned_mark(struct hs_system *s, struct hs_error *err)
{
  const struct hs_rectangle own = hs_system_own(s);
  const hs_status status =
      own.nx == s->nx && own.ny == s->ny
          ? HS_OK
          : hs_array_create((void **)&s->owned, (size_t)s->table_size, sizeof *s->owned, "the stencils of nodes", err);
  for (int j = own.y0; s->owned && j < own.y0 + own.ny; j++)
    for (int i = own.x0; i < own.x0 + own.nx; i++)
      s->owned[hs_system_index(s, (size_t)j * (size_t)s->nx + (size_t)i)] = true;
  return status;
}

static hs_status builder_start(struct hs_builder *b, struct hs_error *err)
{
  static const char what[] = "the system's rows";
  const struct hs_problem *p = b->problem;
  hs_status status = hs_array_create((void **)&b->extent_x_m, (size_t)p->nx, sizeof *b->extent_x_m, what, err);
  if (!status) status = hs_array_create((void **)&b->nothing, (size_t)p->cells_x, sizeof *b->nothing, what, err);
  if (!status) status = hs_array_create((void **)&b->holds, (size_t)p->held_count + 1, sizeof *b->holds, what, err);
  for (int k = 0; !status && k < 3; k++)
    status = hs_array_create((void **)&b->held[k], (size_t)p->nx, sizeof *b->held[k], what, err);
  if (status) return status;
  memset(b->nothing, 0xff, (size_t)p->cells_x * sizeof *b->nothing);
  hs_laws_prepare(p, &b->laws);
  b->column_count = hs_problem_node_stretches(p, true, false, b->columns);
  b->system->comm = p->subdomain.comm;
  b->system->twins = b->laws.twins_x || b->laws.twins_y;
  b->system->again_x = b->laws.twins_x && p->first_x + p->own.x0 + p->own.nx == p->grid_nx;
  b->system->again_y = b->laws.twins_y && p->first_y + p->own.y0 + p->own.ny == p->grid_ny;
  b->system->nx = p->nx;
  b->system->ny = p->ny;
  b->system->own = p->own;
  b->system->grid_nodes = (int64_t)p->subdomain.partition.grid_nx * p->subdomain.partition.grid_ny;
  b->system->dx_m = p->dx_m;
  b->system->dy_m = p->dy_m;
  b->system->wrap_x = b->laws.wrap_x;
  b->system->wrap_y = b->laws.wrap_y;
  return HS_OK;
}

static void builder_clear(struct hs_builder *b)
{
  free(b->timed);
  free(b->contacts.items);
  for (int k = 0; k < 3; k++) free(b->held[k]);
  free(b->holds);
  free(b->nothing);
  free(b->extent_x_m);
  free(b->cache);
}

/* All that this rank makes for itself. */
static hs_status laws_make(struct hs_builder *b, struct hs_error *err)
{
  hs_status status = HS_ERR_UNSUPPORTED;
  if (!b->problem->conductivity_map) status = table_try(b, err);
  if (status == HS_ERR_UNSUPPORTED) status = each_law_make(b, err);
  if (!status) status = owned_mark(b->system, err);
  if (!status) status = source_map_lay(b, err);
  if (!status) status = timed_finish(b, err);
  if (status) return status;
  b->system->contacts = b->contacts.items;
  b->system->contact_count = b->contacts.count;
  b->contacts.items = NULL;
  return HS_OK;
}

hs_status hs_problem_build_system(const struct hs_problem *problem, struct hs_system **system, struct hs_error *err)
{
  struct hs_comm *comm = problem->subdomain.comm;
  struct hs_builder b = {.problem = problem};
  hs_status status = hs_array_create((void **)&b.system, 1, sizeof *b.system, "the system", err);
  if (!status) status = hs_capacities_check(problem, err);
  if (!status) status = builder_start(&b, err);
  if (!status) status = laws_make(&b, err);
  status = hs_comm_agree(comm, status, err);
  if (!status) status = hs_build_check(&b.laws, b.system, b.holds, err);
  if (!status) status = hs_comm_count(comm, &b.system->free_nodes, 1, err);
  if (!status) status = hs_system_assess(problem, b.system, err);
  builder_clear(&b);
  if (status) {
    hs_system_destroy(b.system);
    b.system = NULL;
  }
  *system = b.system;
  return status;
}
