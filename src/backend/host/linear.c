/* Operators and vectors of the CPU backends: making, freeing, fields in and out. */
#include <stdlib.h>
#include <string.h>

#include "backend/host/host.h"
#include "base/memory.h"

enum { NODES_A_THREAD = 8192 }; /* below, waiting for each other costs more than the nodes */

int hs_host_threads(const struct hs_grid *grid, int most)
{
  const double nodes = (double)grid->nx * grid->ny;
  const double pay = nodes / NODES_A_THREAD;
  return pay < 1.0 ? 1 : pay < most ? (int)pay : most;
}

hs_status hs_host_array(void **array, size_t arrays, const struct hs_grid *grid, size_t size, int threads,
                        const int32_t *same, const char *what, struct hs_error *err)
{
  const size_t row = (size_t)grid->pitch * size, rows = (size_t)grid->ny + 2;
  const hs_status status = hs_array_reserve(array, arrays * hs_grid_values(grid), size, what, err);
  if (status) return status;
  for (size_t k = 0; k < arrays; k++) {
    char *values = (char *)*array + k * rows * row;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (size_t j = 0; j < rows; j++)
      if (!same || same[j] == (int32_t)j - 1) memset(values + j * row, 0, row);
  }
  return HS_OK;
}

static void table_fill(struct hs_operator *op, const struct hs_system *system)
{
  op->system = system;
  for (int k = 0; k < system->table_size; k++) {
    op->balance[k] = hs_balance_of_law(&system->law[k], hs_linear_storage(system, &system->law[k]));
    op->balance_single[k] = hs_balance_round(&op->balance[k]);
  }
}

/* Couplings of the finest operator as those of any: none to Dirichlet nodes, whose heat is in the row sum. */
static void couplings_spread(struct hs_operator *op)
{
  const struct hs_grid *g = &op->grid;
  const struct hs_couplings_f64 *e = &op->exact;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < g->nx && (!op->same || op->same[j + 1] == j); i++) {
    const struct hs_balance_f64 *s = &op->balance[hs_host_entry(op, i, j)];
    const int west = hs_coarsening_wrap(i - 1, g->nx, g->periodic_x),
              east = hs_coarsening_wrap(i + 1, g->nx, g->periodic_x);
    const int south = hs_coarsening_wrap(j - 1, g->ny, g->periodic_y),
              north = hs_coarsening_wrap(j + 1, g->ny, g->periodic_y);
    const bool to_west = west >= 0 && op->balance[hs_host_entry(op, west, j)].free > 0.0;
    const bool to_east = east >= 0 && op->balance[hs_host_entry(op, east, j)].free > 0.0;
    const bool to_south = south >= 0 && op->balance[hs_host_entry(op, i, south)].free > 0.0;
    const bool to_north = north >= 0 && op->balance[hs_host_entry(op, i, north)].free > 0.0;
    const size_t n = hs_grid_at(g, i, j);
    e->east[n] = to_east ? s->east : 0.0;
    e->north[n] = to_north ? s->north : 0.0;
    e->sum[n] = (s->loss + s->storage) + (((to_west ? 0.0 : s->west) + (to_east ? 0.0 : s->east)) +
                                          ((to_south ? 0.0 : s->south) + (to_north ? 0.0 : s->north)));
  }
}

hs_status hs_host_exact_create(struct hs_operator *op, struct hs_error *err)
{
  const size_t values = hs_grid_values(&op->grid);
  const hs_status status = hs_host_array((void **)&op->exact_memory, 5, &op->grid, sizeof(double), op->threads,
                                         op->same, "the levels of multigrid", err);
  double *m = op->exact_memory;
  if (status) return status;
  op->exact = (struct hs_couplings_f64){m, m + values, m + 2 * values, m + 3 * values, m + 4 * values};
  return HS_OK;
}

void hs_host_exact_ghosts(struct hs_operator *op)
{
  hs_host_ghosts_f64(&op->grid, op->exact.east);
  hs_host_ghosts_f64(&op->grid, op->exact.north);
  hs_host_ghosts_f64(&op->grid, op->exact.northeast);
  hs_host_ghosts_f64(&op->grid, op->exact.northwest);
  hs_host_ghosts_f64(&op->grid, op->exact.sum);
}

/* From the table: the exact couplings, from which the next coarser operator is made. */
static hs_status exact_fill(struct hs_operator *op, struct hs_error *err)
{
  hs_status status = hs_host_same_entries(op, err);
  if (!status) status = hs_host_exact_create(op, err);
  if (status) return status;
  couplings_spread(op);
  hs_host_exact_ghosts(op);
  return HS_OK;
}

hs_status hs_host_update(struct hs_operator *op, const struct hs_system *system, bool couplings, struct hs_error *err)
{
  table_fill(op, system);
  if (!couplings) return HS_OK;
  hs_host_settle(op);
  free(op->weights_memory);
  op->weights_memory = NULL;
  return exact_fill(op, err);
}

hs_status hs_host_create(const struct hs_system *system, int threads, bool repeats, struct hs_operator **result,
                         struct hs_error *err)
{
  struct hs_operator *op = NULL;
  const char *what = "the operators of multigrid";
  hs_status status = hs_array_create((void **)&op, 1, sizeof *op, what, err);
  *result = NULL;
  if (status) return status;
  op->grid = hs_linear_grid(system, 16);
  op->own = (struct hs_rectangle){0, 0, op->grid.nx, op->grid.ny};
  op->threads_most = threads;
  op->threads = hs_host_threads(&op->grid, threads);
  op->singular = system->singular && !system->storing;
  op->repeats = repeats;
  status = hs_array_create((void **)&op->balance, (size_t)system->table_size, sizeof *op->balance, what, err);
  if (!status)
    status = hs_array_create((void **)&op->balance_single, (size_t)system->table_size, sizeof *op->balance_single, what,
                             err);
  if (!status) table_fill(op, system);
  if (!status) status = exact_fill(op, err);
  if (status) {
    hs_host_destroy(op);
    return status;
  }
  *result = op;
  return HS_OK;
}

void hs_host_destroy(struct hs_operator *op)
{
  if (!op) return;
  free(op->balance);
  free(op->balance_single);
  free(op->exact_memory);
  free(op->couplings_memory);
  free(op->weights_memory);
  free(op->same);
  free(op->same_weights);
  free(op->same_couplings);
  free(op->inverse);
  free(op);
}

void hs_host_settle(struct hs_operator *op)
{
  free(op->exact_memory);
  free(op->same);
  op->exact_memory = NULL;
  op->same = NULL;
}

struct hs_grid hs_host_grid(const struct hs_operator *op)
{
  return op->grid;
}

/* --- vectors --------------------------------------------------------------------------------- */

void hs_host_vector_destroy(struct hs_vector *v)
{
  if (!v) return;
  free(v->single);
  free(v->twice);
  free(v);
}

hs_status hs_host_vector_create(const struct hs_operator *op, bool single, struct hs_vector **result,
                                struct hs_error *err)
{
  struct hs_vector *v = NULL;
  const char *what = "the vectors of multigrid";
  hs_status status = hs_array_create((void **)&v, 1, sizeof *v, what, err);
  *result = NULL;
  if (status) return status;
  v->grid = op->grid;
  status = single ? hs_host_array((void **)&v->single, 1, &v->grid, sizeof(float), op->threads, NULL, what, err)
                  : hs_host_array((void **)&v->twice, 1, &v->grid, sizeof(double), op->threads, NULL, what, err);
  if (status) {
    hs_host_vector_destroy(v);
    return status;
  }
  *result = v;
  return HS_OK;
}

hs_status hs_host_put(const struct hs_operator *op, const double *field_k, struct hs_vector *v, struct hs_error *err)
{
  const struct hs_system *s = op->system;
  (void)err;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) {
    const struct hs_node_law *law = &s->law[hs_host_entry(op, i, j)];
    v->twice[hs_grid_at(&op->grid, i, j)] =
        law->dirichlet ? law->dirichlet_k : field_k[(size_t)j * (size_t)s->nx + (size_t)i];
  }
  hs_host_ghosts_f64(&op->grid, v->twice);
  return HS_OK;
}

hs_status hs_host_fetch(const struct hs_operator *op, const struct hs_vector *v, double *values, struct hs_error *err)
{
  const struct hs_system *s = op->system;
  (void)err;
#pragma omp parallel for schedule(static) num_threads(hs_host_threads_now(op)) if (op->threads > 1)
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) {
      const size_t n = hs_grid_at(&op->grid, i % op->grid.nx, j % op->grid.ny);
      values[(size_t)j * (size_t)s->nx + (size_t)i] = v->single ? (double)v->single[n] : v->twice[n];
    }
  return HS_OK;
}

hs_status hs_host_pick(const struct hs_operator *op, const struct hs_vector *const v[HS_PICKED], const int64_t *node,
                       int64_t count, double *const values[HS_PICKED], struct hs_error *err)
{
  (void)err;
  for (int64_t c = 0; c < count; c++) {
    const int i = (int)(node[c] % op->system->nx), j = (int)(node[c] / op->system->nx);
    const size_t n = hs_grid_at(&op->grid, i % op->grid.nx, j % op->grid.ny);
    for (int k = 0; k < HS_PICKED; k++) values[k][c] = v[k]->single ? (double)v[k]->single[n] : v[k]->twice[n];
  }
  return HS_OK;
}

hs_status hs_host_load(const struct hs_operator *op, const double *values, struct hs_vector *v, struct hs_error *err)
{
  (void)err;
  for (int j = 0; j < op->grid.ny; j++)
    for (int i = 0; i < op->grid.nx; i++) {
      const double value = values[(size_t)j * (size_t)op->system->nx + (size_t)i];
      if (v->single)
        v->single[hs_grid_at(&op->grid, i, j)] = (float)value;
      else
        v->twice[hs_grid_at(&op->grid, i, j)] = value;
    }
  if (v->single)
    hs_host_ghosts_f32(&op->grid, v->single);
  else
    hs_host_ghosts_f64(&op->grid, v->twice);
  return HS_OK;
}

hs_status hs_host_clear(const struct hs_operator *op, struct hs_vector *v, struct hs_error *err)
{
  (void)err;
  if (v->single)
    memset(v->single, 0, hs_grid_values(&op->grid) * sizeof *v->single);
  else
    memset(v->twice, 0, hs_grid_values(&op->grid) * sizeof *v->twice);
  return HS_OK;
}

hs_status hs_host_copy(const struct hs_operator *op, const struct hs_vector *from, struct hs_vector *to,
                       struct hs_error *err)
{
  (void)err;
  if (from->single)
    memcpy(to->single, from->single, hs_grid_values(&op->grid) * sizeof *from->single);
  else
    memcpy(to->twice, from->twice, hs_grid_values(&op->grid) * sizeof *from->twice);
  return HS_OK;
}
