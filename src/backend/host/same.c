/* Rows that hold the same values as others. Most rows of most problems do: their nodes have the table entries of the rows
 * beside them. The cpu backend makes such a row once, and neither fills nor reads the places of the others.
 *
 * A map names for each row the first of those on end that are the same. What a row depends on tells it beforehand; where
 * that says nothing, values that have been made are compared. Grids with a seam have no maps of exact couplings. How far a row
 * looks follows from the formulas; a row less often gives the same bits, too, so that tests do not see all of it.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/host/host.h"
#include "base/memory.h"

static hs_status map_create(const struct hs_grid *grid, int32_t **map, struct hs_error *err)
{
  const hs_status status =
      hs_array_create((void **)map, (size_t)grid->ny + 2, sizeof **map, "the rows of an operator", err);
  for (int j = -1; !status && j <= grid->ny; j++) (*map)[j + 1] = j;
  return status;
}

/* Does a map say that the rows from j + first to j + last are the same as those `step` rows before? They lie within the
 * grid. */
static bool repeat(const int32_t *map, const struct hs_grid *grid, int j, int first, int last, int step)
{
  if (j + first - step < 0 || j + last > grid->ny - 1) return false;
  for (int k = j + first; k <= j + last; k++)
    if (map[k + 1] != map[k - step + 1]) return false;
  return true;
}

hs_status hs_host_same_entries(struct hs_operator *op, struct hs_error *err)
{
  const struct hs_system *s = op->system;
  const size_t nx = (size_t)s->nx;
  int32_t *entries = NULL;
  bool *like = NULL;
  hs_status status;
  free(op->same);
  op->same = NULL;
  if (!op->repeats || !s->index || op->grid.periodic_x || op->grid.periodic_y) return HS_OK;
  status = map_create(&op->grid, &entries, err);
  if (!status) status = map_create(&op->grid, &op->same, err);
  if (!status)
    status = hs_array_create((void **)&like, (size_t)op->grid.ny, sizeof *like, "the rows of an operator", err);
  if (!status) {
    HS_HOST_ROWS(op, j)
    like[j] = j > 0 && memcmp(s->index + (size_t)j * nx, s->index + (size_t)(j - 1) * nx, nx * sizeof *s->index) == 0;
    for (int j = 1; j < op->grid.ny; j++)
      if (like[j]) entries[j + 1] = entries[j];
    for (int j = 0; j < op->grid.ny; j++) /* a coupling ends at Dirichlet nodes in the rows beside it */
      if (repeat(entries, &op->grid, j, -1, 1, 1)) op->same[j + 1] = op->same[j];
  }
  free(like);
  free(entries);
  return status;
}

hs_status hs_host_same_weights(struct hs_operator *op, struct hs_error *err)
{
  const int step = op->coarsen_y ? 2 : 1;
  hs_status status;
  free(op->same_weights);
  op->same_weights = NULL;
  if (!op->repeats) return HS_OK;
  status = map_create(&op->grid, &op->same_weights, err);
  for (int j = 0; !status && op->same && j < op->grid.ny; j++) /* the rows of weights beside it reach one row further */
    if (repeat(op->same, &op->grid, j, -2, 2, step)) op->same_weights[j + 1] = op->same_weights[j + 1 - step];
  return status;
}

hs_status hs_host_same_product(const struct hs_operator *fine, struct hs_operator *coarse, struct hs_error *err)
{
  const int step = fine->coarsen_y ? 2 : 1;
  hs_status status;
  if (!fine->same) return HS_OK;
  status = map_create(&coarse->grid, &coarse->same, err);
  for (int j = 1; !status && j < coarse->grid.ny; j++)
    if (repeat(fine->same, &fine->grid, step * j, -2, 2, step) &&
        repeat(fine->same_weights, &fine->grid, step * j, -2, 2, step))
      coarse->same[j + 1] = coarse->same[j];
  return status;
}

hs_status hs_host_same_couplings(struct hs_operator *op, struct hs_error *err)
{
  hs_status status;
  if (!op->repeats) return HS_OK;
  status = map_create(&op->grid, &op->same_couplings, err);
  for (int j = 1; !status && op->same && j < op->grid.ny; j++) /* an inverse sums couplings of the row in the south */
    if (repeat(op->same, &op->grid, j, -1, 0, 1)) op->same_couplings[j + 1] = op->same_couplings[j];
  return status;
}

/* Is row j of so many arrays, ghosts included, the same bits as another one? */
static bool rows_equal(const struct hs_grid *grid, const float *arrays, int count, int j, int other)
{
  const size_t values = hs_grid_values(grid), bytes = (size_t)(grid->nx + 2) * sizeof *arrays;
  for (int k = 0; k < count; k++)
    if (memcmp(arrays + (size_t)k * values + hs_grid_at(grid, -1, j),
               arrays + (size_t)k * values + hs_grid_at(grid, -1, other), bytes) != 0)
      return false;
  return true;
}

void hs_host_same_find(const struct hs_grid *grid, const float *arrays, int count, int step, int32_t *map)
{
  for (int j = -1; map && j <= grid->ny; j++) {
    const int other = j - step < -1 ? j : map[j - step + 1];
    if (map[j + 1] != j)
      map[j + 1] = map[map[j + 1] + 1];
    else if (other != j && rows_equal(grid, arrays, count, j, other))
      map[j + 1] = other;
  }
}

void hs_host_exact_complete(struct hs_operator *op)
{
  const size_t pitch = (size_t)op->grid.pitch;
  if (!op->same || !op->exact_memory) return;
  for (int k = 0; k < 5; k++)
    for (int j = 0; j < op->grid.ny; j++) {
      double *values = op->exact_memory + (size_t)k * hs_grid_values(&op->grid);
      const size_t to = (size_t)(j + 1) * pitch, from = (size_t)(op->same[j + 1] + 1) * pitch;
      if (from != to) memcpy(values + to, values + from, pitch * sizeof *values);
    }
  free(op->same);
  op->same = NULL;
}
