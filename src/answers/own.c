/* Which nodes and cells of the grid a rank answers for. */
#include "answers/parts.h"
#include "problem/walls.h"

struct hs_comm *hs_own_comm(const struct hs_problem *problem)
{
  return problem->subdomain.comm ? problem->subdomain.comm : hs_comm_alone();
}

struct hs_rectangle hs_own_nodes(const struct hs_problem *problem)
{
  const struct hs_rectangle all = {0, 0, problem->nx, problem->ny};
  return problem->own.nx > 0 ? problem->own : all;
}

struct hs_rectangle hs_own_cells(const struct hs_problem *problem)
{
  struct hs_rectangle cells = hs_own_nodes(problem);
  if (problem->first_x + cells.x0 + cells.nx > problem->grid_cells_x) cells.nx--;
  if (problem->first_y + cells.y0 + cells.ny > problem->grid_cells_y) cells.ny--;
  return cells;
}

bool hs_own_wraps_x(const struct hs_problem *problem)
{
  return !hs_problem_cut(problem, true) && hs_wall_is_periodic(problem, HS_WEST);
}

bool hs_own_wraps_y(const struct hs_problem *problem)
{
  return !hs_problem_cut(problem, false) && hs_wall_is_periodic(problem, HS_SOUTH);
}

struct hs_twice hs_own_twice(const struct hs_problem *problem)
{
  struct hs_twice twice = {-1, -1, -1, -1};
  if (problem->layout != HS_LAYOUT_VERTEX) return twice;
  if (hs_wall_is_periodic(problem, HS_WEST)) {
    twice.west = -problem->first_x;
    twice.east = problem->grid_nx - 1 - problem->first_x;
  }
  if (hs_wall_is_periodic(problem, HS_SOUTH)) {
    twice.south = -problem->first_y;
    twice.north = problem->grid_ny - 1 - problem->first_y;
  }
  return twice;
}
