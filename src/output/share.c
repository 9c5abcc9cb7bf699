/* Few numbers of a large field become known to all ranks as sums: whoever owns a node puts its number in, all others 0. Sums of
 * integers are exact, so that a double travels as the integer of its bits. */
#include "output/share.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int least(int a, int b)
{
  return a < b ? a : b;
}

struct hs_share hs_share_whole(int nodes_x, int nodes_y, bool cell_layout)
{
  const int fewer = cell_layout ? 0 : 1, cells_x = nodes_x - fewer, cells_y = nodes_y - fewer;
  return (struct hs_share){.comm = hs_comm_alone(),
                           .nodes_x = nodes_x,
                           .nodes_y = nodes_y,
                           .cells_x = cells_x,
                           .cells_y = cells_y,
                           .nodes = {0, 0, nodes_x, nodes_y},
                           .cells = {0, 0, cells_x, cells_y},
                           .row_nodes = nodes_x,
                           .row_cells = cells_x};
}

struct hs_share hs_share_of(const struct hs_problem *problem)
{
  const struct hs_subdomain *subdomain = &problem->subdomain;
  const bool cell_layout = problem->layout == HS_LAYOUT_CELL;
  struct hs_share share = hs_share_whole(problem->nx, problem->ny, cell_layout);
  if (!subdomain->comm || hs_comm_size(subdomain->comm) == 1) return share;
  share = hs_share_whole(subdomain->partition.grid_nx, subdomain->partition.grid_ny, cell_layout);
  share.comm = subdomain->comm;
  share.nodes = share.cells = (struct hs_rectangle){0, 0, 0, 0};
  if (subdomain->part < hs_partition_parts(&subdomain->partition)) {
    share.nodes = share.cells = hs_partition_own(&subdomain->partition, subdomain->part);
    share.cells.nx = least(share.nodes.nx, share.cells_x - share.nodes.x0);
    share.cells.ny = least(share.nodes.ny, share.cells_y - share.nodes.y0);
  }
  share.first_x = problem->first_x;
  share.first_y = problem->first_y;
  share.row_nodes = problem->nx;
  share.row_cells = problem->cells_x;
  return share;
}

hs_status hs_share_join(const struct hs_share *share, int64_t *numbers, size_t count, struct hs_error *err)
{
  hs_status status = HS_OK;
  while (!status && count > 0) {
    const int piece = count < INT_MAX ? (int)count : INT_MAX;
    status = hs_comm_count(share->comm, numbers, piece, err);
    numbers += piece;
    count -= (size_t)piece;
  }
  return status;
}

/* Room for numbers to be joined, cleared; the same status on all ranks. */
static hs_status numbers_create(const struct hs_share *share, const struct hs_lattice *lattice, int64_t **numbers,
                                struct hs_error *err)
{
  const size_t count = (size_t)lattice->column_count * (size_t)lattice->row_count;
  const hs_status status = hs_array_create((void **)numbers, count, sizeof **numbers, "some nodes of a field", err);
  return hs_comm_agree(share->comm, status, err);
}

hs_status hs_share_sample(const struct hs_share *share, const double *field_k, const struct hs_lattice *lattice,
                          double *values_k, struct hs_error *err)
{
  const size_t columns = (size_t)lattice->column_count, count = columns * (size_t)lattice->row_count;
  int64_t *bits = NULL;
  hs_status status = numbers_create(share, lattice, &bits, err);
  for (int r = 0; !status && r < lattice->row_count; r++)
    for (int c = 0; c < lattice->column_count; c++)
      if (hs_rectangle_has(&share->nodes, lattice->columns[c], lattice->rows[r]))
        memcpy(&bits[(size_t)r * columns + (size_t)c],
               &field_k[hs_share_node(share, lattice->columns[c], lattice->rows[r])], sizeof *bits);
  if (!status) status = hs_share_join(share, bits, count, err);
  if (!status) memcpy(values_k, bits, count * sizeof *bits);
  free(bits);
  return status;
}

hs_status hs_share_sample_materials(const struct hs_share *share, const struct hs_problem *problem,
                                    const struct hs_lattice *lattice, uint16_t *material, struct hs_error *err)
{
  const size_t columns = (size_t)lattice->column_count, count = columns * (size_t)lattice->row_count;
  int64_t *numbers = NULL;
  hs_status status = numbers_create(share, lattice, &numbers, err);
  for (int r = 0; !status && r < lattice->row_count; r++)
    for (int c = 0; c < lattice->column_count; c++)
      if (hs_rectangle_has(&share->cells, lattice->columns[c], lattice->rows[r]))
        numbers[(size_t)r * columns + (size_t)c] =
            problem->classes[problem->cell[hs_share_cell(share, lattice->columns[c], lattice->rows[r])]].material;
  if (!status) status = hs_share_join(share, numbers, count, err);
  for (size_t k = 0; !status && k < count; k++) material[k] = (uint16_t)numbers[k];
  free(numbers);
  return status;
}

hs_status hs_share_extremes(const struct hs_share *share, const double *field_k, double *low_k, double *high_k,
                            int64_t *not_finite, struct hs_error *err)
{
  const struct hs_rectangle *own = &share->nodes;
  double low = INFINITY, high = -INFINITY, outermost[2];
  int64_t others = 0;
  hs_status status;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high) reduction(+ : others)     \
    if (hs_share_is_large(share))
  for (int j = own->y0; j < own->y0 + own->ny; j++) {
    const double *row = field_k + hs_share_node(share, own->x0, j);
#pragma omp simd reduction(min : low) reduction(max : high) reduction(+ : others)
    for (int i = 0; i < own->nx; i++) {
      const bool finite = fabs(row[i]) <= DBL_MAX;
      others += !finite;
      low = finite && row[i] < low ? row[i] : low;
      high = finite && row[i] > high ? row[i] : high;
    }
  }
  outermost[0] = -low;
  outermost[1] = high;
  *not_finite = others;
  status = hs_comm_largest(share->comm, outermost, 2, err);
  if (!status) status = hs_comm_count(share->comm, not_finite, 1, err);
  *low_k = isfinite(outermost[0]) ? 0.0 - outermost[0] : NAN; /* never -0, which would depend on the order */
  *high_k = isfinite(outermost[1]) ? 0.0 + outermost[1] : NAN;
  return status;
}
