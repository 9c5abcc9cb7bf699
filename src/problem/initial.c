/* The field that a run starts from.
 *
 * A shape gives its start temperature to its cells, those whose centres lie in it, as it does with its material. In the vertex
 * layout a node starts at the mean of the parts of its control volume, weighted by their heat capacities: the heat content of
 * the start is that of the cells. Where capacities are not given, as in steady problems, parts of equal size count alike.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/cells/shape.h"
#include "problem/laws/laws.h"
#include "problem/problem.h"

struct start {
  const struct hs_problem *problem;
  struct hs_laws laws;
  int32_t *shape; /* [cells_y*cells_x] the shape that sets a cell's temperature, or -1; NULL: no shape sets any */
};

static hs_status shape_lay(struct start *start, int r, struct hs_error *err)
{
  const struct hs_problem *p = start->problem;
  struct hs_cell_scan scan;
  int row, from, to;
  const hs_status status = hs_cell_scan_start(&scan, p, &p->config->regions[r].shape, err);
  while (!status && hs_cell_scan_next(&scan, &row, &from, &to))
    for (int ci = from; ci <= to; ci++) start->shape[(size_t)row * (size_t)p->cells_x + (size_t)ci] = r;
  hs_cell_scan_end(&scan);
  return status;
}

/* Finds the shape of each cell, the last one where several lie on it. */
static hs_status shapes_lay(struct start *start, struct hs_error *err)
{
  const struct hs_problem *p = start->problem;
  const size_t cells = (size_t)p->cells_x * (size_t)p->cells_y;
  hs_status status = HS_OK;
  for (int r = 0; !status && r < p->config->region_count; r++) {
    if (isnan(p->config->regions[r].initial_k)) continue;
    if (!start->shape) {
      status = hs_array_create((void **)&start->shape, cells, sizeof *start->shape, "the start temperatures", err);
      for (size_t n = 0; !status && n < cells; n++) start->shape[n] = -1;
    }
    if (!status) status = shape_lay(start, r, err);
  }
  return status;
}

static double cell_start(const struct start *start, int64_t cell, double elsewhere_k)
{
  const int32_t r = start->shape[cell];
  return r < 0 ? elsewhere_k : start->problem->config->regions[r].initial_k;
}

/* elsewhere_k: temperature where no shape sets one. */
static double node_start(const struct start *start, int i, int j, double elsewhere_k)
{
  const struct hs_problem *p = start->problem;
  double content = 0.0, capacity = 0.0, sum_k = 0.0, first_k = 0.0;
  int64_t cells[4];
  int parts = 0;
  bool alike = true;
  if (!start->shape) return elsewhere_k;
  if (p->layout == HS_LAYOUT_CELL) return cell_start(start, (int64_t)j * p->cells_x + i, elsewhere_k);
  hs_law_cells_around(&start->laws, i, j, cells);
  for (int k = 0; k < 4; k++) {
    double part, start_k;
    if (cells[k] < 0) continue;
    part = p->materials[p->classes[p->cell[cells[k]]].material].capacity_j_m3k;
    start_k = cell_start(start, cells[k], elsewhere_k);
    if (parts++ == 0) first_k = start_k;
    alike = alike && start_k == first_k;
    content += part * start_k;
    capacity += part;
    sum_k += start_k;
  }
  if (alike) return first_k;
  return isnan(capacity) ? sum_k / parts : content / capacity;
}

static void row_fill(const struct start *start, int j, double *row)
{
  const struct hs_problem *p = start->problem;
  const double *map = p->initial_map ? p->initial_map + (size_t)j * (size_t)p->nx : NULL;
  for (int i = 0; i < p->nx; i++) row[i] = node_start(start, i, j, map ? map[i] : p->config->initial.temperature_k);
}

/* A node that two periodic walls share is stored twice; both copies get the temperature of the west or south wall. (In a window
 * that ends there the map has it already: hs_problem_node_stretches.) */
static void copies_set(const struct hs_system *system, double *field_k)
{
  const size_t nx = (size_t)system->nx, ny = (size_t)system->ny;
  if (system->wrap_x == 1)
    for (size_t j = 0; j < ny; j++) field_k[j * nx + nx - 1] = field_k[j * nx];
  if (system->wrap_y == 1) memcpy(field_k + (ny - 1) * nx, field_k, nx * sizeof *field_k);
}

hs_status hs_problem_initial_field(const struct hs_problem *problem, const struct hs_system *system, double **field_k,
                                   struct hs_error *err)
{
  const size_t nodes = (size_t)problem->nx * (size_t)problem->ny;
  struct start start = {.problem = problem};
  double *field = NULL;
  hs_status status = hs_array_create((void **)&field, nodes, sizeof *field, "the temperature field", err);
  *field_k = field;
  if (!status) status = shapes_lay(&start, err);
  status = hs_comm_agree(problem->subdomain.comm, status, err);
  if (status) goto out;
  hs_laws_prepare(problem, &start.laws);
#pragma omp parallel for schedule(static)
  for (int j = 0; j < problem->ny; j++) row_fill(&start, j, field + (size_t)j * (size_t)problem->nx);
  copies_set(system, field);
#pragma omp parallel for schedule(static)
  for (size_t n = 0; n < nodes; n++) {
    const struct hs_node_law *law = &system->law[hs_system_index(system, n)];
    field[n] = (law->dirichlet ? law->dirichlet_k : field[n]) + 0.0;
  }
out:
  free(start.shape);
  return status;
}
