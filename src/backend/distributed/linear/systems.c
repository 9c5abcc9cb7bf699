/* The systems of parts, over windows as deep as multigrid needs them.
 *
 * A process that has the whole system cuts them from it. A rank has its own nodes and a ghost zone that is made for sweeps; what
 * its window lacks the owners of the nodes tell it: law and source of each. Laws get an entry for each of their owner's that a
 * node has, whatever their values, so that tables keep their size as laws change with time.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/distributed/linear/linear.h"
#include "base/memory.h"
#include "problem/laws/law_table.h"

static const char WHAT[] = "the operators of multigrid";

/* What ranks tell each other of a node. */
struct record {
  struct hs_node_law law;
  double source_w_m;
  uint64_t owner; /* which law of which rank it is */
};

/* A window's system under construction. */
struct assembly {
  const struct hs_parted *op;
  struct hs_rectangle window, own; /* as of blocks.h */
  struct hs_system *c;
  struct hs_law_table *table; /* NULL: a law for every node */
  int32_t *entry;             /* [table_size of the given system] number in the table, -1: not yet */
  int entries;
};

/* The given system's node that is node (i, j) of the window, one of its own. */
static size_t given_node(const struct assembly *a, int i, int j)
{
  const struct hs_parted *op = a->op;
  return (size_t)(a->window.y0 + j - op->given.y0) * (size_t)op->system->nx + (size_t)(a->window.x0 + i - op->given.x0);
}

/* From a table to a law for every node: there are too many different ones. */
static hs_status laws_spread(struct assembly *a, struct hs_error *err)
{
  const size_t nodes = (size_t)a->c->nx * (size_t)a->c->ny;
  const hs_status status = hs_array_create((void **)&a->c->law, nodes, sizeof *a->c->law, WHAT, err);
  for (size_t n = 0; !status && a->entries > 0 && n < nodes; n++)
    a->c->law[n] = *hs_law_table_law(a->table, a->c->index[n]);
  hs_law_table_destroy(a->table);
  a->table = NULL;
  free(a->c->index);
  a->c->index = NULL;
  return status;
}

static hs_status node_put(struct assembly *a, size_t n, const struct record *record, struct hs_error *err)
{
  hs_status status = HS_OK;
  uint16_t index = 0;
  if (a->c->source_w_m) a->c->source_w_m[n] = record->source_w_m;
  if (a->table) {
    struct hs_error why = {0};
    status = hs_law_table_intern(a->table, &record->law, record->owner, &index, &why);
    if (!status) {
      a->c->index[n] = index;
      if (index >= a->entries) a->entries = index + 1;
      return HS_OK;
    }
    if (status != HS_ERR_UNSUPPORTED) return hs_error_set(err, status, "%s", why.text);
    status = laws_spread(a, err);
  }
  if (!status) a->c->law[n] = record->law;
  return status;
}

static struct record record_of(const struct assembly *a, size_t given)
{
  const struct hs_system *s = a->op->system;
  const size_t entry = hs_system_index(s, given);
  const struct record record = {s->law[entry], s->source_w_m ? s->source_w_m[given] : 0.0,
                                ((uint64_t)a->op->team->number << 32) + entry};
  return record;
}

/* Own nodes: each law of the given table is looked up once. */
static hs_status own_take(struct assembly *a, struct hs_error *err)
{
  const struct hs_system *s = a->op->system;
  hs_status status = HS_OK;
  for (int j = a->own.y0; !status && j < a->own.y0 + a->own.ny; j++)
    for (int i = a->own.x0; !status && i < a->own.x0 + a->own.nx; i++) {
      const size_t given = given_node(a, i, j), n = (size_t)j * (size_t)a->c->nx + (size_t)i;
      int32_t *entry = a->table && s->index ? &a->entry[s->index[given]] : NULL;
      if (entry && *entry >= 0) {
        a->c->index[n] = (uint16_t)*entry;
        if (a->c->source_w_m) a->c->source_w_m[n] = s->source_w_m ? s->source_w_m[given] : 0.0;
        continue;
      }
      {
        const struct record record = record_of(a, given);
        status = node_put(a, n, &record, err);
      }
      if (entry && a->table) *entry = a->c->index[n];
    }
  return status;
}

static hs_status records_get(const struct hs_carrier *carrier, const struct hs_rectangle *block, void *values,
                             struct hs_error *err)
{
  const struct assembly *a = carrier->context;
  struct record *record = values;
  (void)err;
  for (int j = 0; j < block->ny; j++)
    for (int i = 0; i < block->nx; i++) *record++ = record_of(a, given_node(a, block->x0 + i, block->y0 + j));
  return HS_OK;
}

static hs_status records_put(const struct hs_carrier *carrier, const struct hs_rectangle *block, const void *values,
                             struct hs_error *err)
{
  struct assembly *a = carrier->context;
  const struct record *record = values;
  hs_status status = HS_OK;
  for (int j = 0; !status && j < block->ny; j++)
    for (int i = 0; !status && i < block->nx; i++)
      status = node_put(a, (size_t)(block->y0 + j) * (size_t)a->c->nx + (size_t)(block->x0 + i), record++, err);
  return status;
}

/* A system without nodes that has the given one's time step. */
static hs_status assembly_begin(struct assembly *a, bool tables, bool sources, struct hs_error *err)
{
  const struct hs_system *s = a->op->system;
  const size_t nodes = (size_t)a->window.nx * (size_t)a->window.ny;
  hs_status status = hs_array_create((void **)&a->c, 1, sizeof *a->c, WHAT, err);
  if (status) return status;
  a->c->nx = a->window.nx;
  a->c->ny = a->window.ny;
  a->c->scheme = s->scheme;
  a->c->step_s = s->step_s;
  a->c->storing = s->storing;
  if (tables) status = hs_array_create((void **)&a->c->index, nodes, sizeof *a->c->index, WHAT, err);
  if (!status && tables)
    status = hs_array_create((void **)&a->entry, (size_t)s->table_size, sizeof *a->entry, WHAT, err);
  for (int k = 0; !status && tables && k < s->table_size; k++) a->entry[k] = -1;
  if (!status && tables) status = hs_law_table_create(&a->table, err);
  if (!status && !tables) status = hs_array_create((void **)&a->c->law, nodes, sizeof *a->c->law, WHAT, err);
  if (!status && sources)
    status = hs_array_create((void **)&a->c->source_w_m, nodes, sizeof *a->c->source_w_m, WHAT, err);
  return status;
}

static hs_status assembly_end(struct assembly *a, struct hs_error *err)
{
  hs_status status = HS_OK;
  a->c->table_size = a->table ? a->entries : a->c->nx * a->c->ny;
  if (!a->table) return HS_OK;
  status = hs_array_create((void **)&a->c->law, (size_t)a->entries, sizeof *a->c->law, WHAT, err);
  for (int k = 0; !status && k < a->entries; k++) a->c->law[k] = *hs_law_table_law(a->table, (uint16_t)k);
  return status;
}

/* The window of a rank. */
static hs_status assemble(struct hs_parted *op, struct hs_system **cut, struct hs_error *err)
{
  struct hs_parted_team *team = op->team;
  struct assembly a = {
      .op = op, .window = hs_blocks_window(&op->blocks, team->number), .own = hs_blocks_own(&op->blocks, team->number)};
  struct hs_carrier carrier = {.count = 1, .element = sizeof(struct record), .get = records_get, .put = records_put};
  double found[2] = {op->system->index ? 0.0 : 1.0, op->system->source_w_m ? 1.0 : 0.0};
  hs_status status = hs_comm_largest(team->comm, found, 2, err);
  carrier.context = &a;
  if (!status) status = assembly_begin(&a, found[0] == 0.0, found[1] > 0.0, err);
  if (!status) status = own_take(&a, err);
  status = hs_comm_agree(team->comm, status, err);
  if (!status) status = hs_moves_run(team, &op->ghosts, &carrier, &carrier, err);
  if (!status) status = assembly_end(&a, err);
  hs_law_table_destroy(a.table);
  free(a.entry);
  if (status) {
    hs_system_destroy(a.c);
    a.c = NULL;
  }
  *cut = a.c;
  return status;
}

hs_status hs_parted_system_create(struct hs_parted *op, int k, struct hs_system *before, struct hs_system **cut,
                                  struct hs_error *err)
{
  const struct hs_blocks *blocks = &op->blocks;
  const struct hs_rectangle window = hs_blocks_window(blocks, op->team->number + k);
  const struct hs_rectangle own = hs_blocks_own(blocks, op->team->number + k);
  hs_status status;
  *cut = NULL;
  if (hs_blocks_whole(blocks)) {
    status = hs_array_create((void **)cut, 1, sizeof **cut, WHAT, err);
    if (!status) **cut = *op->system;
  } else if (hs_comm_size(op->team->comm) == 1) {
    status = hs_cut_create(op->system, &window, &own, true, before, cut, err);
  } else {
    status = assemble(op, cut, err);
  }
  if (status) return status;
  (*cut)->singular = false;
  if (hs_blocks_whole(blocks)) return HS_OK;
  (*cut)->wrap_x = blocks->x.count == 1 && blocks->x.periodic ? 0 : -1;
  (*cut)->wrap_y = blocks->y.count == 1 && blocks->y.periodic ? 0 : -1;
  return HS_OK;
}

void hs_parted_system_destroy(const struct hs_parted *op, struct hs_system *cut)
{
  if (hs_blocks_whole(&op->blocks))
    free(cut);
  else
    hs_system_destroy(cut);
}
