/* The problem whose sweeps are timed: nx x ny nodes, cells filled by a pattern, a heated rectangle, four walls.
 *
 * It is made here and not from a configuration, so that grids of a gigabyte need a second and not a minute: a node's
 * law is the sum over the quarters of its control volume, and a row that repeats the one before takes over its stencil table
 * entries. Lengths in metres: cells are squares, the longer side is 1 m.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bench/rate.h"
#include "bench/rate_problem.h"
#include "problem/laws/law_table.h"

enum { WIDTH_CELLS = 50 }; /* of a stripe or a block */

/* Walls, all of a different temperature, none of them 0: no part of the field underflows while it is timed. */
static const double WEST_K = 10.0, EAST_K = 40.0, SOUTH_K = 20.0, NORTH_K = 30.0;
static const double SOURCE_W_M3 = 1e4;
static const double CONVECTION_W_M2K = 25.0, AMBIENT_K = 40.0, FLUX_W_M2 = 50.0;

/* A number for each cell that looks random. Source: the finaliser of splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t cell_bits(int ci, int cj)
{
  uint64_t bits = ((uint64_t)cj << 32 | (uint64_t)ci) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return bits ^ bits >> 31;
}

/* Conductivity of a cell, W/(m K); 0 outside the grid. */
static double conductivity_w_mk(const struct hs_rate_problem *problem, int ci, int cj)
{
  static const double materials_w_mk[8] = {1.0, 400.0, 0.2, 50.0, 0.04, 200.0, 1.5, 15.0};
  if (ci < 0 || cj < 0 || ci >= problem->nx - 1 || cj >= problem->ny - 1) return 0.0;
  switch (problem->pattern) {
  case HS_RATE_STRIPES: return materials_w_mk[ci / WIDTH_CELLS % 8];
  case HS_RATE_BLOCKS: return materials_w_mk[(ci / WIDTH_CELLS + 3 * (cj / WIDTH_CELLS)) % 8];
  case HS_RATE_NOISE: return materials_w_mk[cell_bits(ci, cj) % 8];
  case HS_RATE_MAP: return 1.0 + (double)(cell_bits(ci, cj) >> 11) * 0x1p-53;
  default: return 1.0;
  }
}

double hs_rate_cell_m(const struct hs_rate_problem *problem)
{
  return 1.0 / (double)((problem->nx > problem->ny ? problem->nx : problem->ny) - 1);
}

/* Is row or column c of the cells between n nodes in the source: the middle eighth, two of them at least? */
static bool in_middle(int c, int n)
{
  const int half = n < 32 ? 1 : n / 16;
  return c >= n / 2 - half && c < n / 2 + half;
}

/* The quarters of node (i, j)'s control volume that are heated. */
static int heated_quarters(const struct hs_rate_problem *problem, int i, int j)
{
  const int columns = in_middle(i - 1, problem->nx) + in_middle(i, problem->nx);
  const int rows = in_middle(j - 1, problem->ny) + in_middle(j, problem->ny);
  return problem->source ? columns * rows : 0;
}

/* The wall that holds node (i, j), west and east before south and north; *held_k is its temperature. */
static bool is_held(const struct hs_rate_problem *problem, int i, int j, double *dirichlet_k)
{
  const bool east = i == problem->nx - 1 && !problem->convection, south = j == 0 && !problem->convection;
  const bool north = j == problem->ny - 1;
  *dirichlet_k = i == 0 ? WEST_K : east ? EAST_K : south ? SOUTH_K : NORTH_K;
  return i == 0 || east || south || north;
}

static struct hs_node_law law_of(const struct hs_rate_problem *problem, int i, int j)
{
  const double cell_m = hs_rate_cell_m(problem);
  const double sw = conductivity_w_mk(problem, i - 1, j - 1), se = conductivity_w_mk(problem, i, j - 1);
  const double nw = conductivity_w_mk(problem, i - 1, j), ne = conductivity_w_mk(problem, i, j);
  const bool at_east = i == problem->nx - 1, at_south = j == 0;
  const double width_m = at_east ? 0.5 * cell_m : cell_m, height_m = at_south ? 0.5 * cell_m : cell_m;
  struct hs_node_law law = {.capacity_j_mk = width_m * height_m};
  if (is_held(problem, i, j, &law.dirichlet_k)) {
    law.dirichlet = true; /* conductances of Dirichlet nodes do not matter to a sweep */
    return law;
  }
  law.west = 0.5 * (sw + nw);
  law.east = 0.5 * (se + ne);
  law.south = 0.5 * (sw + se);
  law.north = 0.5 * (nw + ne);
  law.source_w_m = SOURCE_W_M3 * 0.25 * heated_quarters(problem, i, j) * cell_m * cell_m;
  if (at_south) law.source_w_m += FLUX_W_M2 * width_m;
  if (at_east) {
    law.ambient_w_mk = CONVECTION_W_M2K * height_m;
    law.ambient_w_m = law.ambient_w_mk * AMBIENT_K;
  }
  return law;
}

/* Has row j the laws of row j - 1, node by node? */
static bool row_repeats(const struct hs_rate_problem *problem, int j)
{
  if (j < 2 || j > problem->ny - 2) return false;
  if (problem->source && in_middle(j, problem->ny) != in_middle(j - 2, problem->ny)) return false;
  switch (problem->pattern) {
  case HS_RATE_UNIFORM:
  case HS_RATE_STRIPES: return true;
  case HS_RATE_BLOCKS: return (j - 2) / WIDTH_CELLS == j / WIDTH_CELLS;
  default: return false;
  }
}

/* A stencil table of laws and an index. */
static hs_status laws_intern(const struct hs_rate_problem *problem, struct hs_system *system, struct hs_error *err)
{
  const size_t nx = (size_t)problem->nx, nodes = nx * (size_t)problem->ny;
  struct hs_law_table *table = NULL;
  hs_status status = hs_law_table_create(&table, err);
  if (!status) status = hs_array_create((void **)&system->index, nodes, sizeof *system->index, "an index", err);
  for (int j = 0; !status && j < problem->ny; j++) {
    uint16_t *row = system->index + (size_t)j * nx;
    if (row_repeats(problem, j)) {
      memcpy(row, row - nx, nx * sizeof *row);
      continue;
    }
    for (int i = 0; !status && i < problem->nx; i++) {
      const struct hs_node_law law = law_of(problem, i, j);
      status = hs_law_table_intern(table, &law, 0, &row[i], err);
    }
  }
  if (!status) status = hs_law_table_finish(table, system, NULL, err);
  hs_law_table_destroy(table);
  return status;
}

/* A law for every node and no index. */
static hs_status laws_spread(const struct hs_rate_problem *problem, struct hs_system *system, struct hs_error *err)
{
  const size_t nx = (size_t)problem->nx, nodes = nx * (size_t)problem->ny;
  int64_t free_nodes = 0;
  hs_status status = hs_array_create((void **)&system->law, nodes, sizeof *system->law, "laws", err);
  if (!status) status = hs_array_create((void **)&system->stencil, nodes, sizeof *system->stencil, "stencils", err);
  if (!status)
    status = hs_array_create((void **)&system->stencil_single, nodes, sizeof *system->stencil_single, "stencils", err);
  if (status) return status;
  system->table_size = (int)nodes;
#pragma omp parallel for schedule(static) reduction(+ : free_nodes)
  for (int j = 0; j < problem->ny; j++)
    for (int i = 0; i < problem->nx; i++) {
      struct hs_node_law *law = &system->law[(size_t)j * nx + (size_t)i];
      *law = law_of(problem, i, j);
      free_nodes += !law->dirichlet;
    }
  system->free_nodes = free_nodes;
  return HS_OK;
}

/* Refuses what does not fit, before the machine starts to swap. */
static hs_status room_check(const struct hs_rate_problem *problem, struct hs_error *err)
{
  const double nodes = (double)problem->nx * problem->ny;
  const size_t map = sizeof(struct hs_node_law) + sizeof(struct hs_stencil_f64) + sizeof(struct hs_stencil_f32);
  const double bytes = nodes * (double)((problem->pattern == HS_RATE_MAP ? map : sizeof(uint16_t)) + sizeof(double));
  if (problem->pattern == HS_RATE_MAP && nodes > INT32_MAX)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "a law for every node is possible up to %d nodes", INT32_MAX);
  return hs_memory_check(1.1 * bytes, "the problem alone", err);
}

hs_status hs_rate_system(const struct hs_rate_problem *problem, struct hs_system **system, struct hs_error *err)
{
  struct hs_system *made = NULL;
  hs_status status = room_check(problem, err);
  *system = NULL;
  if (!status && problem->drawn) return hs_problem_build_system(problem->drawn, system, err);
  if (!status) status = hs_array_create((void **)&made, 1, sizeof *made, "a system", err);
  if (status) return status;
  made->nx = problem->nx;
  made->ny = problem->ny;
  made->dx_m = made->dy_m = hs_rate_cell_m(problem);
  made->wrap_x = made->wrap_y = -1;
  made->stable_step_s = INFINITY;
  status = problem->pattern == HS_RATE_MAP ? laws_spread(problem, made, err) : laws_intern(problem, made, err);
  if (status) {
    hs_system_destroy(made);
    return status;
  }
  hs_rate_system_form(problem->form, made);
  *system = made;
  return HS_OK;
}

void hs_rate_system_form(enum hs_rate_form form, struct hs_system *system)
{
  const double cell_m2 = system->dx_m * system->dy_m;
  if (form == HS_RATE_RHS)
    (void)hs_system_discretise(system, HS_SCHEME_BACKWARD_EULER, 1e3 * cell_m2, NULL, NULL, NULL);
  else
    (void)hs_system_discretise(system, HS_SCHEME_STEADY, NAN, NULL, NULL, NULL);
}

hs_status hs_rate_field(const struct hs_rate_problem *problem, const struct hs_system *system, double **field_k,
                        struct hs_error *err)
{
  const size_t nx = (size_t)problem->nx, nodes = nx * (size_t)problem->ny;
  double *bump = NULL, *field = NULL;
  hs_status status = hs_array_create((void **)&bump, nx, sizeof *bump, "a row", err);
  *field_k = NULL;
  if (!status && problem->drawn) status = hs_problem_initial_field(problem->drawn, system, field_k, err);
  if (status || problem->drawn) goto out;
  field = malloc(nodes * sizeof *field); /* its pages are touched first by the threads that fill it */
  if (!field) {
    status = hs_error_set(err, HS_ERR_MEMORY, "no memory for a field of %d x %d nodes", problem->nx, problem->ny);
    goto out;
  }
  for (int i = 0; i < problem->nx; i++) bump[i] = sin(M_PI * i / (problem->nx - 1));
#pragma omp parallel for schedule(static)
  for (int j = 0; j < problem->ny; j++) {
    const double height_k = 100.0 * sin(M_PI * j / (problem->ny - 1));
    for (int i = 0; i < problem->nx; i++) {
      double dirichlet_k;
      const bool held = is_held(problem, i, j, &dirichlet_k);
      field[(size_t)j * nx + (size_t)i] = held ? dirichlet_k : 20.0 + height_k * bump[i];
    }
  }
  *field_k = field;
out:
  free(bump);
  return status;
}
