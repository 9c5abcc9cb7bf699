/* Which nodes and cells of the grid a rank answers for. */
#include "answers/parts.h"
#include "base/memory.h"
#include "problem/walls.h"

struct hs_comm *hs_part_comm(const struct hs_problem *problem)
{
  return problem->subdomain.comm ? problem->subdomain.comm : hs_comm_alone();
}

int hs_part_grid_nx(const struct hs_problem *problem)
{
  const int nx = problem->subdomain.partition.grid_nx;
  return nx > 0 ? nx : problem->nx;
}

int hs_part_grid_ny(const struct hs_problem *problem)
{
  const int ny = problem->subdomain.partition.grid_ny;
  return ny > 0 ? ny : problem->ny;
}

int hs_part_grid_cells_x(const struct hs_problem *problem)
{
  return hs_part_grid_nx(problem) - (problem->layout == HS_LAYOUT_VERTEX ? 1 : 0);
}

int hs_part_grid_cells_y(const struct hs_problem *problem)
{
  return hs_part_grid_ny(problem) - (problem->layout == HS_LAYOUT_VERTEX ? 1 : 0);
}

struct hs_rectangle hs_part_nodes(const struct hs_problem *problem)
{
  const struct hs_rectangle all = {0, 0, problem->nx, problem->ny};
  return problem->own.nx > 0 ? problem->own : all;
}

struct hs_rectangle hs_part_cells(const struct hs_problem *problem)
{
  struct hs_rectangle cells = hs_part_nodes(problem);
  if (problem->first_x + cells.x0 + cells.nx > hs_part_grid_cells_x(problem)) cells.nx--;
  if (problem->first_y + cells.y0 + cells.ny > hs_part_grid_cells_y(problem)) cells.ny--;
  return cells;
}

hs_status hs_part_gather(const struct hs_problem *problem, const void *mine, size_t bytes, void **all,
                         struct hs_error *err)
{
  struct hs_comm *comm = hs_part_comm(problem);
  const hs_status status =
      hs_array_create(all, (size_t)hs_comm_size(comm) * bytes, 1, "what the ranks have found", err);
  return status ? status : hs_comm_gather(comm, mine, bytes, *all, err);
}

bool hs_part_wraps_x(const struct hs_problem *problem)
{
  return problem->subdomain.partition.count_x <= 1 && hs_wall_is_periodic(problem, HS_WEST);
}

bool hs_part_wraps_y(const struct hs_problem *problem)
{
  return problem->subdomain.partition.count_y <= 1 && hs_wall_is_periodic(problem, HS_SOUTH);
}

struct hs_twice hs_part_twice(const struct hs_problem *problem)
{
  struct hs_twice twice = {-1, -1, -1, -1};
  if (problem->layout != HS_LAYOUT_VERTEX) return twice;
  if (hs_wall_is_periodic(problem, HS_WEST)) {
    twice.west = -problem->first_x;
    twice.east = hs_part_grid_nx(problem) - 1 - problem->first_x;
  }
  if (hs_wall_is_periodic(problem, HS_SOUTH)) {
    twice.south = -problem->first_y;
    twice.north = hs_part_grid_ny(problem) - 1 - problem->first_y;
  }
  return twice;
}
