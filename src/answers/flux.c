/* The heat flux, cell by cell.
 *
 * Within a cell the material is one, so that the flux has one value in its middle even beside another material. Second
 * order in the spacing.
 *
 * Vertex layout: the temperatures at the cell's four corners give the gradient in its middle, and the flux is the mean of
 * the two half faces that conduct within the cell. Cell layout: the mean of the fluxes through the cell's faces, which are
 * those of the discretisation. Behind an open wall there is no neighbour: the flux through it is continued linearly from the
 * two faces before it, so the values at the walls are not exactly those of heat.csv.
 */
#include "answers/flux.h"

#include "answers/parts.h"
#include "problem/laws/laws.h"

static void vertex_cell(const struct hs_problem *p, const double *field_k, int ci, int cj, double *x_w_m2,
                        double *y_w_m2)
{
  const double *south = field_k + (size_t)cj * (size_t)p->nx + ci, *north = south + p->nx;
  double kx, ky;
  hs_problem_cell_conductivity(p, ci, cj, &kx, &ky);
  *x_w_m2 = -kx * (0.5 * ((south[1] - south[0]) + (north[1] - north[0])) / p->dx_m);
  *y_w_m2 = -ky * (0.5 * ((north[0] - south[0]) + (north[1] - south[1])) / p->dy_m);
}

/* A row or a column of cells. */
struct line {
  const struct hs_problem *problem;
  const double *field_k;
  int64_t first, stride; /* cell k of the line is cell first + k stride */
  int count;
  bool along_x, periodic;
};

/* Flux through the face between cells k and k + 1, which may lie beyond a periodic wall. */
static double face(const struct line *line, int k)
{
  const struct hs_problem *p = line->problem;
  const int64_t a = line->first + (k + line->count) % line->count * line->stride;
  const int64_t b = line->first + (k + 1) % line->count * line->stride;
  const double length_m = line->along_x ? p->dy_m : p->dx_m;
  return hs_law_face(p, a, b, line->along_x) * (line->field_k[a] - line->field_k[b]) / length_m;
}

static double line_flux(const struct line *line, int k)
{
  const int last = line->count - 1;
  const int before = k - 1, behind = k; /* faces */
  if (line->periodic || (k > 0 && k < last)) return 0.5 * (face(line, before) + face(line, behind));
  if (last < 2) return face(line, 0);
  return k == 0 ? 1.5 * face(line, 0) - 0.5 * face(line, 1) : 1.5 * face(line, last - 1) - 0.5 * face(line, last - 2);
}

void hs_answers_flux_rows(const struct hs_problem *problem, const double *field_k, int first, int rows, double *x_w_m2,
                          double *y_w_m2)
{
  const int columns = problem->cells_x;
  const bool vertex = problem->layout == HS_LAYOUT_VERTEX;
  const bool wrap_x = hs_own_wraps_x(problem), wrap_y = hs_own_wraps_y(problem);
#pragma omp parallel for schedule(static)
  for (int j = first; j < first + rows; j++) {
    const struct line row = {problem, field_k, (int64_t)j * columns, 1, columns, true, wrap_x};
    const size_t begin = (size_t)(j - first) * (size_t)columns;
    for (int i = 0; i < columns; i++) {
      const struct line column = {problem, field_k, i, columns, problem->cells_y, false, wrap_y};
      if (vertex) {
        vertex_cell(problem, field_k, i, j, &x_w_m2[begin + (size_t)i], &y_w_m2[begin + (size_t)i]);
      } else {
        x_w_m2[begin + (size_t)i] = line_flux(&row, i);
        y_w_m2[begin + (size_t)i] = line_flux(&column, j);
      }
    }
  }
}
