/* Where nodes and cells are, and what they are like. */
#include <math.h>

#include "problem/problem.h"

double hs_problem_node_area(const struct hs_problem *problem, int i, int j)
{
  const bool vertex = problem->layout == HS_LAYOUT_VERTEX;
  const int column = hs_problem_column(problem, i), row = hs_problem_row(problem, j);
  const double x = vertex && (column == 0 || column == problem->grid_nx - 1) ? 0.5 : 1.0;
  const double y = vertex && (row == 0 || row == problem->grid_ny - 1) ? 0.5 : 1.0;
  return (x * problem->dx_m) * (y * problem->dy_m);
}

void hs_problem_cell_conductivity(const struct hs_problem *problem, int ci, int cj, double *kx_w_mk, double *ky_w_mk)
{
  const size_t n = (size_t)cj * (size_t)problem->cells_x + (size_t)ci;
  const struct hs_material *material = &problem->materials[problem->classes[problem->cell[n]].material];
  *kx_w_mk = problem->conductivity_map ? problem->conductivity_map[n] : material->conductivity_x_w_mk;
  *ky_w_mk = problem->conductivity_map ? problem->conductivity_map[n] : material->conductivity_y_w_mk;
}

void hs_index_range(double low_m, double high_m, double spacing_m, int n, int *first, int *last)
{
  const double from = floor(low_m / spacing_m) - 2.0, to = ceil(high_m / spacing_m) + 2.0;
  *first = from > 0.0 ? (int)fmin(from, n) : 0;
  *last = to < n - 1 ? (int)fmax(to, -1.0) : n - 1;
}

/* Appends a column or row to the last stretch, or to a new one. */
static int stretch_add(struct hs_stretch *stretches, int count, int at, int grid)
{
  struct hs_stretch *last = count > 0 ? &stretches[count - 1] : NULL;
  if (last && last->grid + last->count == grid) {
    last->count++;
    return count;
  }
  stretches[count] = (struct hs_stretch){at, 1, grid};
  return count + 1;
}

int hs_problem_cell_stretches(const struct hs_problem *problem, bool along_x, struct hs_stretch stretches[HS_STRETCHES])
{
  const int first = along_x ? problem->first_x : problem->first_y;
  const int cells = along_x ? problem->cells_x : problem->cells_y;
  const int grid = along_x ? problem->grid_cells_x : problem->grid_cells_y; /* also the period, where there is one */
  int count = 0;
  for (int k = 0; k < cells; k++) {
    const int cell = first + k;
    count = stretch_add(stretches, count, k, cell < 0 ? cell + grid : cell < grid ? cell : cell - grid);
  }
  return count;
}

int hs_problem_node_stretches(const struct hs_problem *problem, bool along_x, bool join,
                              struct hs_stretch stretches[HS_STRETCHES])
{
  const struct hs_partition *partition = &problem->subdomain.partition;
  const int nodes = along_x ? problem->nx : problem->ny, grid = along_x ? problem->grid_nx : problem->grid_ny;
  const bool joined = join && (along_x ? partition->period_x : partition->period_y) == grid - 1;
  int count = 0;
  for (int k = 0; k < nodes; k++) {
    const int node = along_x ? hs_problem_column(problem, k) : hs_problem_row(problem, k);
    count = stretch_add(stretches, count, k, joined && node == grid - 1 ? 0 : node);
  }
  return count;
}
