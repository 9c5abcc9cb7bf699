/* Refusals: parts of a configuration that would have no effect, and materials without heat capacity.
 *
 * A source whose nodes are all held, or a held shape between the nodes, changes nothing. Whoever wrote it expects an effect,
 * so it is an error with its name and line.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "problem/assembly/build.h"
#include "problem/cells/source.h"
#include "problem/laws/laws.h"

static bool pieces_reach(const struct hs_laws *laws, const struct hs_config_source *pieces, int count, int i, int j)
{
  for (int k = 0; k < count; k++)
    if (hs_law_source_extent(laws, &pieces[k], true, i) > 0.0 && hs_law_source_extent(laws, &pieces[k], false, j) > 0.0)
      return true;
  return false;
}

/* A cell's column or row, that may lie beyond a periodic wall, in the whole grid. */
static int around(int cell, int cells)
{
  return cell < 0 ? cell + cells : cell < cells ? cell : cell - cells;
}

/* Does that source heat node (i, j)? */
static bool source_reaches(const struct hs_laws *laws, int number, int i, int j)
{
  const struct hs_problem *p = laws->problem;
  const struct hs_config_source *source = &p->config->sources[number];
  struct hs_config_source pieces[HS_SOURCE_PIECES];
  int64_t cells[4];
  if (!hs_source_is_painted(p->config, number))
    return pieces_reach(laws, pieces, hs_source_pieces(p, number, pieces), i, j);
  if (p->layout == HS_LAYOUT_CELL)
    return hs_problem_cell_in(p, &source->shape, hs_problem_column(p, i), hs_problem_row(p, j));
  hs_law_cells_around(laws, i, j, cells);
  for (int k = 0; k < 4; k++) {
    const int ci = p->first_x + (int)(cells[k] % p->cells_x), cj = p->first_y + (int)(cells[k] / p->cells_x);
    if (cells[k] >= 0 &&
        hs_problem_cell_in(p, &source->shape, around(ci, p->grid_cells_x), around(cj, p->grid_cells_y)))
      return true;
  }
  return false;
}

/* Cuts first .. last, in the whole grid, to a rank's own columns or rows, and makes them those of the window. */
static void own_range(int grid_first, int own, int own_count, int *first, int *last)
{
  *first -= grid_first;
  *last -= grid_first;
  if (*first < own) *first = own;
  if (*last > own + own_count - 1) *last = own + own_count - 1;
}

/* Is there a free node of this rank that the source heats? */
static bool source_acts(const struct hs_laws *laws, const struct hs_system *system, int k)
{
  const struct hs_problem *p = laws->problem;
  const struct hs_config_source *source = &p->config->sources[k];
  const struct hs_rectangle own = hs_system_own(system);
  double bounds_m[4] = {0.0, p->lx_m, 0.0, p->ly_m};
  int i0 = source->shape.i, i1 = i0, j0 = source->shape.j, j1 = j0;
  if (source->shape.kind != HS_SHAPE_NODE) {
    if (source->shape.kind != HS_SHAPE_EVERYWHERE) hs_shape_bounds(&source->shape, bounds_m);
    hs_index_range(bounds_m[0] - p->x0_m, bounds_m[1] - p->x0_m, p->dx_m, p->grid_nx, &i0, &i1);
    hs_index_range(bounds_m[2] - p->y0_m, bounds_m[3] - p->y0_m, p->dy_m, p->grid_ny, &j0, &j1);
  }
  own_range(p->first_x, own.x0, own.nx, &i0, &i1);
  own_range(p->first_y, own.y0, own.ny, &j0, &j1);
  for (int j = j0; j <= j1; j++)
    for (int i = i0; i <= i1; i++)
      if (!system->law[hs_system_index(system, (size_t)j * (size_t)p->nx + (size_t)i)].dirichlet &&
          source_reaches(laws, k, i, j))
        return true;
  return false;
}

static hs_status sources_check(const struct hs_laws *laws, const double *acts, struct hs_error *err)
{
  const struct hs_config *config = laws->problem->config;
  for (int k = 0; k < config->source_count; k++) {
    const struct hs_config_source *source = &config->sources[k];
    if (acts[k] > 0.0) continue;
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s:%d: [source %s] heats no node: all nodes it reaches are held at a temperature, so it would "
                        "have no effect; move it inside (columns 1 to %d, rows 1 to %d lie off the walls) or remove it",
                        config->path, source->line, source->name, config->grid.nx - 2, config->grid.ny - 2);
  }
  return HS_OK;
}

static int line_of(const struct hs_config *config, const struct hs_held *held)
{
  for (int k = 0; k < config->region_count; k++)
    if (&config->regions[k].shape == held->shape) return config->regions[k].line;
  return 0;
}

static hs_status shapes_check(const struct hs_laws *laws, const double *holds, struct hs_error *err)
{
  const struct hs_problem *p = laws->problem;
  for (int k = 0; k < p->held_count; k++)
    if (holds[k] == 0.0)
      return hs_error_set(
          err, HS_ERR_CONFIG,
          "%s:%d: [shape %s] has a temperature, but no node lies in it, so it would hold none: nodes are "
          "%.6g m apart in x and %.6g m in y; make it larger, move it onto a node, or take a finer grid",
          p->config->path, line_of(p->config, &p->held[k]), p->held[k].name, p->dx_m, p->dy_m);
  return HS_OK;
}

hs_status hs_capacities_check(const struct hs_problem *p, struct hs_error *err)
{
  if (p->config->time.scheme == HS_SCHEME_STEADY) return HS_OK;
  for (int k = 0; k < p->material_count; k++) {
    const struct hs_material *m = &p->materials[k];
    if (!m->used || !isnan(m->capacity_j_m3k)) continue;
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s:%d: [material%s%s] needs density and heat_capacity, because the problem depends on time "
                        "([time] scheme = %s) and cells are made of it",
                        p->config->path, p->config->materials[k].line, m->name[0] ? " " : "", m->name,
                        hs_scheme_name(p->config->time.scheme));
  }
  return HS_OK;
}

hs_status hs_build_check(const struct hs_laws *laws, const struct hs_system *system, const bool *holds,
                         struct hs_error *err)
{
  const struct hs_problem *p = laws->problem;
  const struct hs_config *config = p->config;
  const int shapes = p->held_count, sources = config->source_count;
  struct hs_comm *comm = p->subdomain.comm;
  double *seen = NULL; /* [shapes + sources] 1 where a shape holds a node, a source heats one */
  hs_status status = hs_array_create((void **)&seen, (size_t)shapes + (size_t)sources + 1, sizeof *seen, "checks", err);
  for (int k = 0; !status && k < shapes; k++) seen[k] = holds[k];
  for (int k = 0; !status && k < sources; k++) {
    const bool silent = config->sources[k].density_w_m3 == 0.0 || config->sources[k].power_w_m == 0.0;
    seen[shapes + k] = silent || source_acts(laws, system, k);
  }
  status = hs_comm_agree(comm, status, err);
  if (!status) status = hs_comm_largest(comm, seen, shapes + sources, err);
  if (!status) status = shapes_check(laws, seen, err);
  if (!status) status = sources_check(laws, seen + shapes, err);
  free(seen);
  return status;
}
