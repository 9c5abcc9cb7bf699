/* Answers about a field: extremes, means, heat content, materials; balance.c, outline.c and probe.c have the rest.
 *
 * Nodes are looked at first, then cells: each rank at its own, by threads. What they find is put together in no particular
 * order, which changes no bit (grid_sum.h).
 *
 * A cell of the vertex layout has the mean of its four corners' temperatures, so that the heat content, the sum over
 * materials of capacity, area and mean temperature, is the sum over the control volumes of the nodes.
 */
#include "answers/answers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers/parts.h"
#include "base/memory.h"
#include "comm/grid_sum.h"

/* Plain comparisons, which pass over what is no number: fmin and fmax are library calls. */
static double lower(double a, double b)
{
  return b < a ? b : a;
}

static double higher(double a, double b)
{
  return b > a ? b : a;
}

/* --- nodes --------------------------------------------------------------------------------------- */

struct node_sums {
  double minimum_k, maximum_k;
  struct hs_grid_sum area_temperature; /* sum of T times control volume, in units of dx dy */
  bool has_center;
  double center_k;
};

static struct node_sums no_nodes(void)
{
  struct node_sums none;
  memset(&none, 0, sizeof none);
  none.minimum_k = INFINITY;
  none.maximum_k = -INFINITY;
  none.area_temperature = hs_grid_sum_zero();
  return none;
}

static void node_sums_add(struct node_sums *sum, const struct node_sums *more)
{
  sum->minimum_k = lower(sum->minimum_k, more->minimum_k);
  sum->maximum_k = higher(sum->maximum_k, more->maximum_k);
  hs_grid_sum_merge(&sum->area_temperature, &more->area_temperature);
  if (more->has_center) sum->center_k = more->center_k;
}

/* The share of a spacing that the control volume of node i of n has in one direction. */
static double owned(enum hs_layout layout, int i, int n)
{
  return layout == HS_LAYOUT_VERTEX && (i == 0 || i == n - 1) ? 0.5 : 1.0;
}

static void row_assess(const struct hs_problem *p, const double *t, int j, struct node_sums *sums)
{
  const struct hs_rectangle own = hs_part_nodes(p);
  const int grid_nx = hs_part_grid_nx(p);
  const double *row = t + (size_t)j * (size_t)p->nx;
  const double height = owned(p->layout, p->first_y + j, hs_part_grid_ny(p));
  for (int i = own.x0; i < own.x0 + own.nx; i++) {
    sums->minimum_k = lower(sums->minimum_k, row[i]);
    sums->maximum_k = higher(sums->maximum_k, row[i]);
    hs_grid_sum_add(&sums->area_temperature, row[i] * (height * owned(p->layout, p->first_x + i, grid_nx)));
  }
}

/* Of this rank's nodes. */
static struct node_sums nodes_assess(const struct hs_problem *p, const double *t)
{
  const struct hs_rectangle own = hs_part_nodes(p);
  const int i = hs_part_grid_nx(p) / 2 - p->first_x, j = hs_part_grid_ny(p) / 2 - p->first_y;
  struct node_sums all = no_nodes();
#pragma omp parallel
  {
    struct node_sums mine = no_nodes();
#pragma omp for schedule(static)
    for (int row = own.y0; row < own.y0 + own.ny; row++) row_assess(p, t, row, &mine);
#pragma omp critical(hs_answers_nodes)
    node_sums_add(&all, &mine);
  }
  all.has_center = hs_part_holds(&own, i, j);
  if (all.has_center) all.center_k = t[(size_t)j * (size_t)p->nx + (size_t)i];
  return all;
}

/* Of all nodes. */
static hs_status nodes_gather(const struct hs_problem *p, const double *t, struct node_sums *sums, double *mean_k,
                              struct hs_error *err)
{
  const int ranks = hs_comm_size(hs_part_comm(p));
  struct node_sums *all = NULL;
  hs_status status;
  *sums = nodes_assess(p, t);
  status = hs_part_gather(p, sums, sizeof *sums, (void **)&all, err);
  *sums = no_nodes();
  for (int rank = 0; !status && rank < ranks; rank++) node_sums_add(sums, &all[rank]);
  *mean_k =
      hs_grid_sum_value(&sums->area_temperature) / ((double)hs_part_grid_cells_x(p) * (double)hs_part_grid_cells_y(p));
  free(all);
  return status;
}

hs_status hs_answers_mean(const struct hs_problem *problem, const double *field_k, double *mean_k, struct hs_error *err)
{
  struct node_sums sums;
  return nodes_gather(problem, field_k, &sums, mean_k, err);
}

static hs_status nodes_take(const struct hs_problem *p, const double *t, struct hs_answers *answers,
                            struct hs_error *err)
{
  struct node_sums sums;
  const hs_status status = nodes_gather(p, t, &sums, &answers->mean_k, err);
  answers->minimum_k = sums.minimum_k;
  answers->maximum_k = sums.maximum_k;
  answers->center_k = sums.center_k;
  return status;
}

/* --- materials ----------------------------------------------------------------------------------- */

struct cell_sums {
  int64_t cells;
  double minimum_k, maximum_k;
  struct hs_grid_sum temperature; /* sum over cells */
};

/* Sums of no cells: [material_count]. */
static hs_status cell_sums_create(const struct hs_problem *p, struct cell_sums **sums, struct hs_error *err)
{
  const hs_status status =
      hs_array_create((void **)sums, (size_t)p->material_count, sizeof **sums, "the sums of materials", err);
  for (int m = 0; !status && m < p->material_count; m++) {
    (*sums)[m].minimum_k = INFINITY;
    (*sums)[m].maximum_k = -INFINITY;
    (*sums)[m].temperature = hs_grid_sum_zero();
  }
  return status;
}

static void cell_sums_add(struct cell_sums *sum, const struct cell_sums *more)
{
  sum->cells += more->cells;
  sum->minimum_k = lower(sum->minimum_k, more->minimum_k);
  sum->maximum_k = higher(sum->maximum_k, more->maximum_k);
  hs_grid_sum_merge(&sum->temperature, &more->temperature);
}

static void cell_add(const struct hs_problem *p, const double *t, int ci, int cj, struct cell_sums *sum)
{
  const double *south = t + (size_t)cj * (size_t)p->nx + (size_t)ci, *north = south + p->nx;
  sum->cells++;
  if (p->layout == HS_LAYOUT_CELL) {
    hs_grid_sum_add(&sum->temperature, south[0]);
    sum->minimum_k = lower(sum->minimum_k, south[0]);
    sum->maximum_k = higher(sum->maximum_k, south[0]);
    return;
  }
  hs_grid_sum_add(&sum->temperature, 0.25 * ((south[0] + north[1]) + (south[1] + north[0])));
  sum->minimum_k = lower(sum->minimum_k, lower(lower(south[0], south[1]), lower(north[0], north[1])));
  sum->maximum_k = higher(sum->maximum_k, higher(higher(south[0], south[1]), higher(north[0], north[1])));
}

/* Adds this rank's cells to sums[material_count]. */
static hs_status cells_assess(const struct hs_problem *p, const double *t, struct cell_sums *sums, struct hs_error *err)
{
  const struct hs_rectangle own = hs_part_cells(p);
  hs_status status = HS_OK;
#pragma omp parallel
  {
    struct hs_error why = {0};
    struct cell_sums *mine = NULL;
    const hs_status made = cell_sums_create(p, &mine, &why);
#pragma omp for schedule(static)
    for (int cj = own.y0; cj < own.y0 + own.ny; cj++)
      for (int ci = own.x0; !made && ci < own.x0 + own.nx; ci++)
        cell_add(p, t, ci, cj, &mine[hs_problem_cell_material(p, ci, cj)]);
#pragma omp critical(hs_answers_cells)
    {
      if (made) status = hs_error_set(err, made, "%s", why.text);
      for (int m = 0; !made && m < p->material_count; m++) cell_sums_add(&sums[m], &mine[m]);
    }
    free(mine);
  }
  return status;
}

/* Sums over the cells of all ranks, [material_count], owned by the caller. */
static hs_status cells_gather(const struct hs_problem *p, const double *t, struct cell_sums **sums,
                              struct hs_error *err)
{
  const int ranks = hs_comm_size(hs_part_comm(p)), materials = p->material_count;
  struct cell_sums *mine = NULL, *all = NULL;
  hs_status status = cell_sums_create(p, &mine, err);
  if (!status) status = cells_assess(p, t, mine, err);
  if (!status) status = hs_part_gather(p, mine, (size_t)materials * sizeof *mine, (void **)&all, err);
  if (!status) status = cell_sums_create(p, sums, err);
  for (int k = 0; !status && k < ranks * materials; k++) cell_sums_add(&(*sums)[k % materials], &all[k]);
  free(all);
  free(mine);
  return status;
}

static hs_status materials_take(const struct hs_problem *p, const double *t, struct hs_answers *answers,
                                struct hs_error *err)
{
  const double plate_m2 = p->lx_m * p->ly_m;
  const double all_cells = (double)hs_part_grid_cells_x(p) * (double)hs_part_grid_cells_y(p);
  struct cell_sums *sums = NULL;
  const hs_status status = cells_gather(p, t, &sums, err);
  answers->content_j_m = 0.0;
  for (int m = 0; !status && m < p->material_count; m++) {
    struct hs_material_answer *answer = &answers->materials[m];
    const struct cell_sums *sum = &sums[m];
    const double temperature = hs_grid_sum_value(&sum->temperature);
    answer->area_m2 = (double)sum->cells / all_cells * plate_m2;
    answer->mean_k = sum->cells ? temperature / (double)sum->cells : NAN;
    answer->minimum_k = sum->cells ? sum->minimum_k : NAN;
    answer->maximum_k = sum->cells ? sum->maximum_k : NAN;
    if (sum->cells) answers->content_j_m += p->materials[m].capacity_j_m3k * (temperature / all_cells * plate_m2);
  }
  free(sums);
  return status;
}

/* --- all ----------------------------------------------------------------------------------------- */

static hs_status arrays_create(const struct hs_problem *p, struct hs_answers *answers, struct hs_error *err)
{
  const size_t surfaces = (size_t)p->surface_count, regions = (size_t)p->config->region_count;
  hs_status status = hs_array_create((void **)&answers->materials, (size_t)p->material_count,
                                     sizeof *answers->materials, "the answers about materials", err);
  if (!status && surfaces)
    status = hs_array_create((void **)&answers->surface_w_m, surfaces, sizeof(double), "the heat flows of walls", err);
  if (!status && regions)
    status = hs_array_create((void **)&answers->region_out_w_m, regions, sizeof(double), "the heat of shapes", err);
  return status;
}

hs_status hs_answers_take(const struct hs_problem *problem, const struct hs_system *system, const double *field_k,
                          bool transient, struct hs_answers *answers, struct hs_error *err)
{
  hs_status status;
  memset(answers, 0, sizeof *answers);
  answers->given_range_k = system->given_range_k;
  status = arrays_create(problem, answers, err);
  if (!status) status = nodes_take(problem, field_k, answers, err);
  if (!status) status = materials_take(problem, field_k, answers, err);
  if (!status) status = hs_balance_take(problem, system, field_k, transient, &answers->balance, err);
  if (!status) status = hs_surfaces_take(problem, system, field_k, answers->surface_w_m, err);
  if (!status) status = hs_outlines_take(problem, system, field_k, answers->region_out_w_m, err);
  if (!status) status = hs_probes_take(problem, field_k, &answers->probes, err);
  if (status) hs_answers_clear(answers);
  return status;
}

void hs_answers_clear(struct hs_answers *answers)
{
  free(answers->surface_w_m);
  free(answers->materials);
  free(answers->probes); /* with the arrays of all probes */
  free(answers->region_out_w_m);
  answers->surface_w_m = NULL;
  answers->materials = NULL;
  answers->probes = NULL;
  answers->region_out_w_m = NULL;
}
