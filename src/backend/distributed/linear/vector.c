/* Vectors in parts; fields in and out. */
#include <stdlib.h>
#include <string.h>

#include "backend/distributed/linear/linear.h"
#include "base/memory.h"

static const char WHAT[] = "the vectors of multigrid";

static hs_status vector_create(const struct hs_parted *op, bool single, struct hs_parted_vector **result,
                               struct hs_error *err)
{
  struct hs_parted_vector *v = NULL;
  hs_status status = hs_array_create((void **)&v, 1, sizeof *v + (size_t)op->count * sizeof v->inner[0], WHAT, err);
  *result = v;
  if (status) return status;
  v->team = op->team;
  v->single = single;
  v->count = op->count;
  v->right = op->blocks.depth;
  HS_PARTED_EACH(op, k, status, op->team->linear->vector_create(op->inner[k], single, &v->inner[k], err))
  return status;
}

/* All ranks have one, or none has: a rank without memory must not leave the others waiting. */
hs_status hs_parted_vector_create(const struct hs_operator *any, bool single, struct hs_vector **result,
                                  struct hs_error *err)
{
  const struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *v;
  const hs_status status = hs_comm_agree(op->team->comm, vector_create(op, single, &v, err), err);
  *result = NULL;
  if (status) {
    hs_parted_vector_destroy((struct hs_vector *)v);
    return status;
  }
  *result = (struct hs_vector *)v;
  return HS_OK;
}

void hs_parted_vector_destroy(struct hs_vector *any)
{
  struct hs_parted_vector *v = hs_parted_vector(any);
  if (!v) return;
  for (int k = 0; k < v->count; k++) {
    (void)hs_parted_enter(v->team, k, NULL);
    v->team->linear->vector_destroy(v->inner[k]);
  }
  free(v);
}

hs_status hs_parted_clear(const struct hs_operator *any, struct hs_vector *v, struct hs_error *err)
{
  const struct hs_parted *op = hs_parted(any);
  hs_status status = HS_OK;
  HS_PARTED_EACH(op, k, status, op->team->linear->clear(op->inner[k], hs_parted_vector(v)->inner[k], err))
  hs_parted_vector(v)->right = op->blocks.depth;
  return status;
}

hs_status hs_parted_copy(const struct hs_operator *any, const struct hs_vector *from, struct hs_vector *to,
                         struct hs_error *err)
{
  const struct hs_parted *op = hs_parted(any);
  const struct hs_parted_vector *f = hs_parted_vector(from);
  struct hs_parted_vector *t = hs_parted_vector(to);
  hs_status status = HS_OK;
  HS_PARTED_EACH(op, k, status, op->team->linear->copy(op->inner[k], f->inner[k], t->inner[k], err))
  t->right = f->right;
  return status;
}

/* --- fields of the given system --------------------------------------------------------------- */

static bool is_given(const struct hs_parted *op)
{
  return hs_blocks_whole(&op->blocks); /* the inner operator's system is the given one */
}

static bool several_ranks(const struct hs_parted *op)
{
  return hs_comm_size(op->team->comm) > 1;
}

/* Room for the values of a part's window; NULL where none is needed. */
static hs_status values_create(const struct hs_parted *op, double **values, struct hs_error *err)
{
  size_t most = 0;
  *values = NULL;
  if (is_given(op)) return HS_OK;
  for (int k = 0; k < op->count; k++) {
    const size_t nodes = (size_t)op->cuts[k]->nx * (size_t)op->cuts[k]->ny;
    if (nodes > most) most = nodes;
  }
  return hs_array_create((void **)values, most, sizeof **values, WHAT, err);
}

/* The column, or row, of a rank's window that is number `index` of its given system, whose first one is `given`. */
static size_t column_of(const struct hs_axis *axis, int part, int given, int index)
{
  if (axis->count == 1) return (size_t)(index % axis->n);
  return (size_t)(given + index - axis->first[part]);
}

/* A rank's given system has fewer ghosts than its window. inward: into the window, else out of it. */
static void given_copy(const struct hs_parted *op, bool inward, double *window, double *values)
{
  const struct hs_blocks *b = &op->blocks;
  const int part = op->team->number, nx = op->system->nx;
  for (int j = 0; j < op->system->ny; j++) {
    const size_t row = column_of(&b->y, part / b->x.count, op->given.y0, j) * (size_t)op->cuts[0]->nx;
    for (int i = 0; i < nx; i++) {
      double *const inside = &window[row + column_of(&b->x, part % b->x.count, op->given.x0, i)];
      double *const value = &values[(size_t)j * (size_t)nx + (size_t)i];
      if (inward)
        *inside = *value;
      else
        *value = *inside;
    }
  }
}

/* Own nodes of part k into the values of a process that has all parts. */
static void own_copy(const struct hs_parted *op, int k, const double *part, double *values)
{
  const struct hs_rectangle window = hs_blocks_window(&op->blocks, k), own = hs_blocks_own(&op->blocks, k);
  for (int j = own.y0; j < own.y0 + own.ny; j++)
    memcpy(values + (size_t)(window.y0 + j) * (size_t)op->system->nx + (size_t)(window.x0 + own.x0),
           part + (size_t)j * (size_t)window.nx + (size_t)own.x0, (size_t)own.nx * sizeof *values);
}

/* The nodes that periodic walls have twice. */
static void twins_copy(const struct hs_system *s, double *values)
{
  const size_t nx = (size_t)s->nx, ny = (size_t)s->ny;
  for (size_t j = 0; s->wrap_x > 0 && j < ny; j++) values[j * nx + nx - 1] = values[j * nx];
  if (s->wrap_y > 0) memcpy(values + (ny - 1) * nx, values, nx * sizeof *values);
}

/* Ranks get the ghosts of their given systems, too. */
hs_status hs_parted_fetch(const struct hs_operator *any, const struct hs_vector *vector, double *values,
                          struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *v = hs_parted_vector(vector);
  double *part = NULL;
  hs_status status = values_create(op, &part, err);
  status = hs_comm_agree(op->team->comm, status, err);
  if (!status && several_ranks(op)) status = hs_parted_renew(op, v, op->blocks.depth, err);
  for (int k = 0; !status && k < op->count; k++) {
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->linear->fetch(op->inner[k], v->inner[k], part ? part : values, err);
    if (!status && part && several_ranks(op))
      given_copy(op, false, part, values);
    else if (!status && part)
      own_copy(op, k, part, values);
  }
  if (!status && part && !several_ranks(op)) twins_copy(op->system, values);
  free(part);
  return status;
}

/* Node `node` of the given system in the system of inner operator k; -1: another part owns it. A rank's window has all of them. */
static int64_t inner_node(const struct hs_parted *op, int k, int64_t node)
{
  const struct hs_blocks *b = &op->blocks;
  const int i = (int)(node % op->system->nx), j = (int)(node / op->system->nx), part = op->team->number + k;
  struct hs_rectangle window, own;
  int column, row;
  if (is_given(op)) return node;
  if (several_ranks(op))
    return (int64_t)column_of(&b->y, part / b->x.count, op->given.y0, j) * op->cuts[k]->nx +
           (int64_t)column_of(&b->x, part % b->x.count, op->given.x0, i);
  window = hs_blocks_window(b, part);
  own = hs_blocks_own(b, part);
  column = i % b->x.n - window.x0;
  row = j % b->y.n - window.y0;
  if (column < own.x0 || column >= own.x0 + own.nx || row < own.y0 || row >= own.y0 + own.ny) return -1;
  return (int64_t)row * op->cuts[k]->nx + column;
}

/* Those of the nodes that part k has: where in the list, and where in the part. */
static int64_t inner_nodes(const struct hs_parted *op, int k, const int64_t *node, int64_t count, int64_t *place,
                           int64_t *inner)
{
  int64_t found = 0;
  for (int64_t c = 0; c < count; c++) {
    const int64_t there = inner_node(op, k, node[c]);
    if (there < 0) continue;
    place[found] = c;
    inner[found++] = there;
  }
  return found;
}

static hs_status part_pick(struct hs_parted *op, int k, const struct hs_vector *const v[HS_PICKED], const int64_t *node,
                           int64_t count, double *const values[HS_PICKED], struct hs_error *err)
{
  const struct hs_vector *inner[HS_PICKED];
  hs_status status = hs_parted_enter(op->team, k, err);
  for (int n = 0; n < HS_PICKED; n++) inner[n] = hs_parted_vector(v[n])->inner[k];
  return status ? status : op->team->linear->pick(op->inner[k], inner, node, count, values, err);
}

hs_status hs_parted_pick(const struct hs_operator *any, const struct hs_vector *const v[HS_PICKED], const int64_t *node,
                         int64_t count, double *const values[HS_PICKED], struct hs_error *err)
{
  struct hs_parted *op = hs_parted(any);
  const size_t room = (size_t)count + 1;
  int64_t *place = NULL, *inner = NULL;
  double *picked[HS_PICKED] = {NULL};
  hs_status status = hs_array_create((void **)&place, room, sizeof *place, WHAT, err);
  if (!status) status = hs_array_create((void **)&inner, room, sizeof *inner, WHAT, err);
  for (int n = 0; !status && n < HS_PICKED; n++)
    status = hs_array_create((void **)&picked[n], room, sizeof *picked[n], WHAT, err);
  status = hs_comm_agree(op->team->comm, status, err);
  for (int n = 0; !status && n < HS_PICKED && several_ranks(op); n++)
    status = hs_parted_renew(op, hs_parted_vector(v[n]), op->blocks.depth, err);
  for (int k = 0; !status && k < op->count; k++) {
    const int64_t found = inner_nodes(op, k, node, count, place, inner);
    status = part_pick(op, k, v, inner, found, picked, err);
    for (int n = 0; !status && n < HS_PICKED; n++)
      for (int64_t c = 0; c < found; c++) values[n][place[c]] = picked[n][c];
  }
  for (int n = 0; n < HS_PICKED; n++) free(picked[n]);
  free(inner);
  free(place);
  return status;
}

/* --- fields of the sweeps --------------------------------------------------------------------- */

/* Around periodic walls the last node may be the first one. */
bool hs_parted_takes(const struct hs_operator *any)
{
  const struct hs_parted *op = hs_parted(any);
  return op->team->part->take && !hs_blocks_whole(&op->blocks) && !op->blocks.x.periodic && !op->blocks.y.periodic;
}

/* Parts of both have the same own nodes. */
hs_status hs_parted_take(const struct hs_operator *any, const struct hs_backend_state *state, struct hs_vector *vector,
                         struct hs_error *err)
{
  const struct hs_parted *op = hs_parted(any);
  struct hs_distributed_state *sweeps = hs_distributed_state((struct hs_backend_state *)(uintptr_t)state);
  struct hs_parted_vector *v = hs_parted_vector(vector);
  hs_status status = hs_distributed_wait(sweeps, err);
  for (int k = 0; !status && k < op->count; k++) {
    const struct hs_distributed_part *part = &sweeps->parts[k];
    const struct hs_rectangle own = hs_blocks_own(&op->blocks, op->team->number + k);
    status = hs_parted_enter(op->team, k, err);
    if (!status)
      status = op->team->part->take(op->inner[k], v->inner[k], &own, part->state, part->own.x0, part->own.y0, err);
  }
  v->right = 0;
  return status;
}

hs_status hs_parted_give(const struct hs_operator *any, const struct hs_vector *vector, struct hs_backend_state *state,
                         struct hs_error *err)
{
  const struct hs_parted *op = hs_parted(any);
  struct hs_distributed_state *sweeps = hs_distributed_state(state);
  const struct hs_parted_vector *v = hs_parted_vector(vector);
  hs_status status = hs_distributed_wait(sweeps, err);
  for (int k = 0; !status && k < op->count; k++) {
    struct hs_distributed_part *part = &sweeps->parts[k];
    const struct hs_rectangle own = hs_blocks_own(&op->blocks, op->team->number + k);
    status = hs_parted_enter(op->team, k, err);
    if (!status)
      status = op->team->part->give(op->inner[k], v->inner[k], &own, part->state, part->own.x0, part->own.y0, err);
  }
  sweeps->right_now = sweeps->right_before = 0;
  return status;
}

/* --- fields of the host ------------------------------------------------------------------------ */

/* What other ranks have computed is asked of them when it is needed. */
hs_status hs_parted_load(const struct hs_operator *any, const double *values, struct hs_vector *vector,
                         struct hs_error *err)
{
  const struct hs_parted *op = hs_parted(any);
  struct hs_parted_vector *v = hs_parted_vector(vector);
  double *part = NULL;
  hs_status status = values_create(op, &part, err);
  for (int k = 0; !status && k < op->count; k++) {
    const struct hs_rectangle window = hs_blocks_window(&op->blocks, k);
    if (part && several_ranks(op))
      given_copy(op, true, part, (double *)(uintptr_t)values); /* only read */
    else if (part)
      hs_cut_nodes(op->system, &window, true, values, sizeof *values, part);
    status = hs_parted_enter(op->team, k, err);
    if (!status) status = op->team->linear->load(op->inner[k], part ? part : values, v->inner[k], err);
  }
  v->right = several_ranks(op) ? 0 : op->blocks.depth;
  free(part);
  return status;
}

hs_status hs_parted_put(const struct hs_operator *any, const double *field_k, struct hs_vector *v, struct hs_error *err)
{
  const struct hs_system *s = hs_parted(any)->system;
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  double *held_k = NULL;
  hs_status status = hs_array_create((void **)&held_k, nodes, sizeof *held_k, WHAT, err);
  for (size_t n = 0; !status && n < nodes; n++) {
    const struct hs_node_law *law = &s->law[hs_system_index(s, n)];
    held_k[n] = law->dirichlet ? law->dirichlet_k : field_k[n];
  }
  if (!status) status = hs_parted_load(any, held_k, v, err);
  free(held_k);
  return status;
}
