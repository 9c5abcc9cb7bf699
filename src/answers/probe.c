/* Temperatures at points.
 *
 * Vertex layout: bilinear between the corners of the cell, exactly the node's value on a node. The temperature is
 * continuous, so a probe's material changes nothing; it only has to touch the point.
 *
 * Cell layout: values are those of cell centres, and the gradient jumps where materials meet. Between the centre of the
 * point's cell P and a neighbour E the temperature is linear up to the common face and from there on. The face's
 * temperature is the one with equal heat flux on both sides, (kP TP + kE TE) / (kP + kE); the corner of four cells has
 * their mean weighted by conductivity. Between centre, two faces and corner the temperature is bilinear. With one
 * conductivity this is the bilinear value between four centres; for heat across layers it is exact. In the half cell at a
 * wall the line from the opposite face through the centre is extrapolated: exact for a linear temperature, otherwise of
 * second order.
 *
 * A probe with a material uses only cells of that material that touch the point. Each is extrapolated to the point with
 * the difference to the next cell of its material (towards the point, else away from it, else none), and the mean is
 * taken.
 *
 * Places, lines and cells are those of the whole grid; a rank gives the temperature of the points in its cells, and what its
 * cells contribute to points of a material.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers/parts.h"
#include "base/memory.h"
#include "problem/cells/materials.h"
#include "problem/walls.h"

#define ON_NODE 1e-9 /* of a spacing: a point this near to a grid line lies on it */

/* A point's place along one direction: the grid line at or before it, and the distance from there in spacings. */
struct place {
  int line;
  double fraction; /* 0 <= fraction < 1 */
};

static struct place place_on(double position)
{
  const double nearest = round(position);
  struct place place;
  if (fabs(position - nearest) <= ON_NODE) position = nearest;
  place.line = (int)floor(position);
  place.fraction = position - place.line;
  return place;
}

static double between(double a, double b, double fraction)
{
  return (1.0 - fraction) * a + fraction * b;
}

/* --- vertex layout ------------------------------------------------------------------------------- */

/* The last grid line is the end of the last cell. */
static struct place place_in_cells(double position, int cells)
{
  struct place place = place_on(position);
  if (place.line < 0) place = (struct place){0, 0.0};
  if (place.line >= cells) place = (struct place){cells - 1, 1.0};
  return place;
}

/* False: the point lies in a cell of another rank. */
static bool vertex_at(const struct hs_problem *p, const double *field_k, double x_m, double y_m, double *t_k)
{
  const struct hs_rectangle own = hs_part_cells(p);
  const struct place x = place_in_cells(x_m / p->dx_m, hs_part_grid_cells_x(p));
  const struct place y = place_in_cells(y_m / p->dy_m, hs_part_grid_cells_y(p));
  const int i = x.line - p->first_x, j = y.line - p->first_y;
  const double *south, *north;
  if (!hs_part_holds(&own, i, j)) return false;
  south = field_k + (size_t)j * (size_t)p->nx + (size_t)i;
  north = south + p->nx;
  *t_k = between(between(south[0], south[1], x.fraction), between(north[0], north[1], x.fraction), y.fraction);
  return true;
}

/* --- cell layout --------------------------------------------------------------------------------- */

/* The cells of a window, by their place in it. */
struct cell_view {
  const struct hs_problem *problem;
  const double *field_k;
  struct hs_rectangle own;
  bool wraps_x, wraps_y;
};

/* Puts a cell beyond a periodic wall back into the window; false beyond an open one. Neighbours of a rank's own cells that
 * other ranks have are in the window. */
static bool cell_exists(const struct cell_view *v, int *ci, int *cj)
{
  const int nx = v->problem->cells_x, ny = v->problem->cells_y;
  if (v->wraps_x) *ci = (*ci + nx) % nx;
  if (v->wraps_y) *cj = (*cj + ny) % ny;
  return *ci >= 0 && *ci < nx && *cj >= 0 && *cj < ny;
}

static double value_of(const struct cell_view *v, int ci, int cj)
{
  return v->field_k[(size_t)cj * (size_t)v->problem->nx + (size_t)ci];
}

/* Mean of the cells p, p + (a, 0), p + (0, b), p + (a, b), those that exist, weighted by conductivity (in the
 * direction of the neighbour; the mean of both directions for a corner). */
static double shared_value(const struct cell_view *v, int ci, int cj, int a, int b)
{
  double heat = 0.0, weight = 0.0;
  for (int q = 0; q < 4; q++) {
    int i = ci + (q & 1 ? a : 0), j = cj + (q >> 1 ? b : 0);
    double kx, ky, k;
    if ((q & 1 && a == 0) || (q >> 1 && b == 0) || !cell_exists(v, &i, &j)) continue;
    hs_problem_cell_conductivity(v->problem, i, j, &kx, &ky);
    k = b == 0 ? kx : a == 0 ? ky : 0.5 * (kx + ky);
    heat += k * value_of(v, i, j);
    weight += k;
  }
  return heat / weight;
}

/* Temperature at the centre of cell (ci, cj) (a = b = 0), in the middle of a face, or in a corner. */
static double lattice_value(const struct cell_view *v, int ci, int cj, int a, int b)
{
  int i = ci + a, j = cj, i2 = ci, j2 = cj + b;
  if (a == 0 && b == 0) return value_of(v, ci, cj);
  if (!cell_exists(v, &i, &j)) return 2.0 * lattice_value(v, ci, cj, 0, b) - lattice_value(v, ci, cj, -a, b);
  if (!cell_exists(v, &i2, &j2)) return 2.0 * lattice_value(v, ci, cj, a, 0) - lattice_value(v, ci, cj, a, -b);
  return shared_value(v, ci, cj, a, b);
}

/* Offset of a position (in spacings from the first centre) from centre c: within -1/2 .. 1/2, exact on the lattice. */
static double offset_from(double position, int c)
{
  const double doubled = 2.0 * position, nearest = round(doubled);
  if (fabs(doubled - nearest) <= ON_NODE) position = 0.5 * nearest;
  return fmax(-0.5, fmin(0.5, position - c));
}

static int home_of(double position, int cells)
{
  const double c = floor(position + 0.5);
  return c < 0.0 ? 0 : c > cells - 1 ? cells - 1 : (int)c;
}

/* False: the point lies in a cell of another rank. */
static bool cell_at(const struct cell_view *v, double x_m, double y_m, double *t_k)
{
  const struct hs_problem *p = v->problem;
  const double x = x_m / p->dx_m - 0.5, y = y_m / p->dy_m - 0.5;
  const int home_i = home_of(x, hs_part_grid_cells_x(p)), home_j = home_of(y, hs_part_grid_cells_y(p));
  const double dx = offset_from(x, home_i), dy = offset_from(y, home_j);
  const int a = dx < 0.0 ? -1 : dx > 0.0 ? 1 : 0, b = dy < 0.0 ? -1 : dy > 0.0 ? 1 : 0;
  const int ci = home_i - p->first_x, cj = home_j - p->first_y;
  if (!hs_part_holds(&v->own, ci, cj)) return false;
  *t_k =
      between(between(lattice_value(v, ci, cj, 0, 0), lattice_value(v, ci, cj, a, 0), 2.0 * fabs(dx)),
              between(lattice_value(v, ci, cj, 0, b), lattice_value(v, ci, cj, a, b), 2.0 * fabs(dx)), 2.0 * fabs(dy));
  return true;
}

/* --- cells that touch a point -------------------------------------------------------------------- */

enum { TOUCHED_MOST = 4 };

/* First and last cell that touches a position (in spacings from the wall). */
static void cells_touching(double position, int cells, int *first, int *last)
{
  const struct place place = place_on(position);
  *last = place.line < cells ? place.line : cells - 1;
  *first = place.fraction == 0.0 && place.line > 0 ? place.line - 1 : *last;
}

/* Cell k, of TOUCHED_MOST, of those that touch a point, in the whole grid; false: there are fewer. */
static bool touching(const struct hs_problem *p, double x_m, double y_m, int k, int *gi, int *gj)
{
  int i1, j1;
  cells_touching(x_m / p->dx_m, hs_part_grid_cells_x(p), gi, &i1);
  cells_touching(y_m / p->dy_m, hs_part_grid_cells_y(p), gj, &j1);
  *gi += k & 1;
  *gj += k >> 1;
  return *gi <= i1 && *gj <= j1;
}

/* The same where it is this rank's, in the window, and of the material. */
static bool touching_here(const struct hs_problem *p, double x_m, double y_m, int material, int k, int *ci, int *cj)
{
  const struct hs_rectangle own = hs_part_cells(p);
  if (!touching(p, x_m, y_m, k, ci, cj)) return false;
  *ci -= p->first_x;
  *cj -= p->first_y;
  return hs_part_holds(&own, *ci, *cj) && hs_problem_cell_material(p, *ci, *cj) == material;
}

/* Slope per spacing of cell (ci, cj) in direction (a, b) within its material, towards the point if possible. */
static double slope_within(const struct cell_view *v, int ci, int cj, int a, int b)
{
  const int material = hs_problem_cell_material(v->problem, ci, cj);
  for (int sign = 1; sign >= -1; sign -= 2) {
    int i = ci + sign * a, j = cj + sign * b;
    if (cell_exists(v, &i, &j) && hs_problem_cell_material(v->problem, i, j) == material)
      return sign * (value_of(v, i, j) - value_of(v, ci, cj));
  }
  return 0.0;
}

/* What this rank's cells of a material say about a point: value[k] and told[k] of touching cell k. */
static void material_at(const struct cell_view *v, double x_m, double y_m, int material, double value[TOUCHED_MOST],
                        double told[TOUCHED_MOST])
{
  const struct hs_problem *p = v->problem;
  for (int k = 0; k < TOUCHED_MOST; k++) {
    int ci, cj;
    double dx, dy;
    if (!touching_here(p, x_m, y_m, material, k, &ci, &cj)) continue;
    dx = offset_from(x_m / p->dx_m - 0.5, p->first_x + ci);
    dy = offset_from(y_m / p->dy_m - 0.5, p->first_y + cj);
    value[k] = value_of(v, ci, cj);
    if (dx != 0.0) value[k] += fabs(dx) * slope_within(v, ci, cj, dx < 0.0 ? -1 : 1, 0);
    if (dy != 0.0) value[k] += fabs(dy) * slope_within(v, ci, cj, 0, dy < 0.0 ? -1 : 1);
    told[k] = 1.0;
  }
}

/* --- probes -------------------------------------------------------------------------------------- */

/* The material a probe names, -1 where it names none or (*known false) an unknown one. */
static int material_of(const struct hs_problem *p, const struct hs_config_probe *probe, bool *known)
{
  *known = true;
  if (!probe->material || !probe->material[0]) return -1;
  for (int m = 0; m < p->material_count; m++)
    if (!strcmp(hs_material_title(p, m), probe->material)) return m;
  *known = false;
  return -1;
}

static int point_count(const struct hs_config_probe *probe)
{
  return probe->is_line ? probe->points : 1;
}

/* Point k of a probe; both ends are exact. */
static void point_of(const struct hs_config_probe *probe, int k, double *x_m, double *y_m)
{
  const double fraction = probe->is_line && probe->points > 1 ? (double)k / (probe->points - 1) : 0.0;
  *x_m = fraction == 0.0 ? probe->x_m : between(probe->x_m, probe->x1_m, fraction);
  *y_m = fraction == 0.0 ? probe->y_m : between(probe->y_m, probe->y1_m, fraction);
}

/* A point, as the ranks tell it: one value, or one of each cell that touches it; 0 where another rank knows. */
struct telling {
  double value[TOUCHED_MOST], told[TOUCHED_MOST];
};

static void place_points(const struct hs_config_probe *probe, struct hs_probe_answer *answer)
{
  for (int k = 0; k < answer->count; k++) {
    point_of(probe, k, &answer->x_m[k], &answer->y_m[k]);
    answer->distance_m[k] = hypot(answer->x_m[k] - probe->x_m, answer->y_m[k] - probe->y_m);
  }
}

/* What this rank knows about the points of a probe. */
static void points_tell(const struct cell_view *view, const struct hs_config_probe *probe,
                        const struct hs_probe_answer *answer, struct telling *tellings)
{
  const struct hs_problem *p = view->problem;
  bool known;
  const int material = material_of(p, probe, &known);
  for (int k = 0; k < answer->count; k++) {
    const double x_m = answer->x_m[k], y_m = answer->y_m[k];
    struct telling *telling = &tellings[k];
    if (p->layout == HS_LAYOUT_CELL && material >= 0)
      material_at(view, x_m, y_m, material, telling->value, telling->told);
    else if (p->layout == HS_LAYOUT_CELL ? cell_at(view, x_m, y_m, &telling->value[0])
                                         : vertex_at(p, view->field_k, x_m, y_m, &telling->value[0]))
      telling->told[0] = 1.0;
  }
}

/* The mean of what is told. */
static double told_mean(const struct telling *telling)
{
  double sum = 0.0, count = 0.0;
  for (int k = 0; k < TOUCHED_MOST; k++) {
    sum += telling->value[k];
    count += telling->told[k];
  }
  return count > 0.0 ? sum / count : NAN;
}

/* Temperatures of all points of all probes. */
static hs_status temperatures_take(const struct hs_problem *p, const double *field_k, int points,
                                   struct hs_probe_answer *probes, struct hs_error *err)
{
  const struct cell_view view = {p, field_k, hs_part_cells(p), hs_part_wraps_x(p), hs_part_wraps_y(p)};
  const int count = p->config->probe_count, numbers = points * 2 * TOUCHED_MOST;
  struct telling *tellings = NULL, *next;
  hs_status status = hs_array_create((void **)&tellings, (size_t)points, sizeof *tellings, "the points of probes", err);
  if (status) return status;
  next = tellings;
  for (int k = 0; k < count; next += probes[k++].count) points_tell(&view, &p->config->probes[k], &probes[k], next);
  status = hs_comm_sum(hs_part_comm(p), (double *)(void *)tellings, numbers, err); /* a number and zeros: exact */
  next = tellings;
  for (int k = 0; !status && k < count; k++)
    for (int point = 0; point < probes[k].count; point++) probes[k].temperature_k[point] = told_mean(next++);
  free(tellings);
  return status;
}

/* One block of memory: the answers, then the arrays of all probes. */
hs_status hs_probes_take(const struct hs_problem *problem, const double *field_k, struct hs_probe_answer **probes,
                         struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  const size_t head = (size_t)config->probe_count * sizeof **probes;
  int points = 0;
  double *next;
  hs_status status;
  *probes = NULL;
  if (config->probe_count == 0) return HS_OK;
  for (int k = 0; k < config->probe_count; k++) points += point_count(&config->probes[k]);
  status = hs_array_create((void **)probes, head + 4 * (size_t)points * sizeof(double), 1, "the probes", err);
  if (status) return status;
  next = (double *)(void *)((char *)*probes + head);
  for (int k = 0; k < config->probe_count; k++) {
    struct hs_probe_answer *answer = &(*probes)[k];
    answer->count = point_count(&config->probes[k]);
    answer->x_m = next;
    answer->y_m = answer->x_m + answer->count;
    answer->distance_m = answer->y_m + answer->count;
    answer->temperature_k = answer->distance_m + answer->count;
    next = answer->temperature_k + answer->count;
    place_points(&config->probes[k], answer);
  }
  status = temperatures_take(problem, field_k, points, *probes, err);
  if (!status) return HS_OK;
  free(*probes);
  *probes = NULL;
  return status;
}

static bool outside(double position_m, double length_m)
{
  return !(position_m >= -ON_NODE * length_m && position_m <= (1.0 + ON_NODE) * length_m);
}

/* How many cells of a material touch each point of a probe: [point_count], owned by the caller. */
static hs_status touching_count(const struct hs_problem *p, const struct hs_config_probe *probe, int material,
                                int64_t **touched, struct hs_error *err)
{
  const int points = point_count(probe);
  const hs_status status =
      hs_array_create((void **)touched, (size_t)points, sizeof **touched, "the points of probes", err);
  if (status) return status;
  for (int k = 0; k < points; k++) {
    double x_m, y_m;
    point_of(probe, k, &x_m, &y_m);
    for (int cell = 0; cell < TOUCHED_MOST; cell++) {
      int ci, cj;
      (*touched)[k] += touching_here(p, x_m, y_m, material, cell, &ci, &cj);
    }
  }
  return hs_comm_count(hs_part_comm(p), *touched, points, err);
}

/* touched: as touching_count says; NULL: the probe names no material. */
static hs_status points_check(const struct hs_problem *p, const struct hs_config_probe *probe, const int64_t *touched,
                              struct hs_error *err)
{
  const char *path = p->config->path;
  for (int k = 0; k < point_count(probe); k++) {
    double x_m, y_m;
    point_of(probe, k, &x_m, &y_m);
    if (outside(x_m, p->lx_m) || outside(y_m, p->ly_m))
      return hs_error_set(
          err, HS_ERR_CONFIG,
          "%s:%d: [probe %s] lies at x = %.9g m, y = %.9g m, outside the domain (0 to %.9g m, 0 to %.9g "
          "m); move it inside",
          path, probe->line, probe->name, x_m, y_m, p->lx_m, p->ly_m);
    if (touched && touched[k] == 0)
      return hs_error_set(err, HS_ERR_CONFIG,
                          "%s:%d: [probe %s] material = %s: no cell of that material touches x = %.9g m, y = %.9g m; "
                          "move the probe, leave material out, or take a grid whose lines meet the material's edge",
                          path, probe->line, probe->name, probe->material, x_m, y_m);
  }
  return HS_OK;
}

static hs_status probe_check(const struct hs_problem *p, const struct hs_config_probe *probe, struct hs_error *err)
{
  bool known;
  const int material = material_of(p, probe, &known);
  int64_t *touched = NULL;
  hs_status status = HS_OK;
  if (!known)
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s:%d: [probe %s] material = %s: there is no such material; name a [material] section, or "
                        "\"background\"",
                        p->config->path, probe->line, probe->name, probe->material);
  if (material >= 0) status = touching_count(p, probe, material, &touched, err);
  if (!status) status = points_check(p, probe, touched, err);
  free(touched);
  return status;
}

hs_status hs_answers_check(const struct hs_problem *problem, struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  hs_status status = HS_OK;
  for (int k = 0; !status && k < config->probe_count; k++) status = probe_check(problem, &config->probes[k], err);
  return status;
}
