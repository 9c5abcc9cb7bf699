/* Answers about a field: extremes, means, heat content, materials; balance.c, outline.c and probe.c have the rest.
 *
 * Nodes are looked at first, then cells. Rows are gathered in blocks whose number does not depend on the threads; sums are
 * taken along neighbouring cells of one material, then within a block, then over the blocks in order.
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

enum { BLOCKS_MAX = 256 };

/* Rows first .. end - 1 of block b out of `blocks`. */
static void block_rows(int b, int blocks, int rows, int *first, int *end)
{
  *first = (int)((int64_t)rows * b / blocks);
  *end = (int)((int64_t)rows * (b + 1) / blocks);
}

/* --- nodes --------------------------------------------------------------------------------------- */

struct node_sums {
  double minimum_k, maximum_k;
  double area_temperature; /* sum of T times control volume, in units of dx dy */
};

/* The share of a spacing that the control volume of node i of n has in one direction. */
static double owned(enum hs_layout layout, int i, int n)
{
  return layout == HS_LAYOUT_VERTEX && (i == 0 || i == n - 1) ? 0.5 : 1.0;
}

static void row_assess(const struct hs_problem *p, const double *t, int j, struct node_sums *sums)
{
  const double *row = t + (size_t)j * (size_t)p->nx, height = owned(p->layout, j, p->ny);
  sums->minimum_k = INFINITY;
  sums->maximum_k = -INFINITY;
  sums->area_temperature = 0.0;
  for (int i = 0; i < p->nx; i++) {
    if (row[i] < sums->minimum_k) sums->minimum_k = row[i];
    if (row[i] > sums->maximum_k) sums->maximum_k = row[i];
    sums->area_temperature += row[i] * (height * owned(p->layout, i, p->nx));
  }
}

static hs_status nodes_take(const struct hs_problem *p, const double *t, struct hs_answers *answers,
                            struct hs_error *err)
{
  struct node_sums *rows = NULL;
  double area_temperature = 0.0;
  const hs_status status = hs_array_create((void **)&rows, (size_t)p->ny, sizeof *rows, "the sums of each row", err);
  if (status) return status;
#pragma omp parallel for schedule(static)
  for (int j = 0; j < p->ny; j++) row_assess(p, t, j, &rows[j]);
  answers->minimum_k = INFINITY;
  answers->maximum_k = -INFINITY;
  for (int j = 0; j < p->ny; j++) {
    answers->minimum_k = fmin(answers->minimum_k, rows[j].minimum_k);
    answers->maximum_k = fmax(answers->maximum_k, rows[j].maximum_k);
    area_temperature += rows[j].area_temperature;
  }
  answers->mean_k = area_temperature / ((double)p->cells_x * p->cells_y);
  answers->center_k = t[(size_t)(p->ny / 2) * (size_t)p->nx + (size_t)(p->nx / 2)];
  free(rows);
  return HS_OK;
}

/* --- materials ----------------------------------------------------------------------------------- */

struct cell_sums {
  int64_t cells;
  double temperature; /* sum over cells */
  double minimum_k, maximum_k;
};

/* Plain comparisons: fmin and fmax are library calls. */
static double lower(double a, double b)
{
  return b < a ? b : a;
}

static double higher(double a, double b)
{
  return b > a ? b : a;
}

static void cell_sums_add(struct cell_sums *sum, const struct cell_sums *more)
{
  sum->cells += more->cells;
  sum->temperature += more->temperature;
  sum->minimum_k = lower(sum->minimum_k, more->minimum_k);
  sum->maximum_k = higher(sum->maximum_k, more->maximum_k);
}

static const struct cell_sums NO_CELLS = {0, 0.0, INFINITY, -INFINITY};

static void cell_add(const struct hs_problem *p, const double *t, int ci, int cj, struct cell_sums *sum)
{
  const double *south = t + (size_t)cj * (size_t)p->nx + (size_t)ci, *north = south + p->nx;
  sum->cells++;
  if (p->layout == HS_LAYOUT_CELL) {
    sum->temperature += south[0];
    sum->minimum_k = lower(sum->minimum_k, south[0]);
    sum->maximum_k = higher(sum->maximum_k, south[0]);
    return;
  }
  sum->temperature += 0.25 * ((south[0] + north[1]) + (south[1] + north[0]));
  sum->minimum_k = lower(sum->minimum_k, lower(lower(south[0], south[1]), lower(north[0], north[1])));
  sum->maximum_k = higher(sum->maximum_k, higher(higher(south[0], south[1]), higher(north[0], north[1])));
}

/* Adds a row of cells to sums[material_count], neighbours of one material together. */
static void cell_row_add(const struct hs_problem *p, const double *t, int cj, struct cell_sums *sums)
{
  int ci = 0;
  while (ci < p->cells_x) {
    const int material = hs_problem_cell_material(p, ci, cj);
    struct cell_sums span = NO_CELLS;
    while (ci < p->cells_x && hs_problem_cell_material(p, ci, cj) == material) cell_add(p, t, ci++, cj, &span);
    cell_sums_add(&sums[material], &span);
  }
}

/* sums: of all blocks, [blocks][material_count]. */
static void cells_gather(const struct hs_problem *p, const double *t, int blocks, struct cell_sums *sums)
{
  const size_t materials = (size_t)p->material_count;
#pragma omp parallel for schedule(dynamic)
  for (int b = 0; b < blocks; b++) {
    struct cell_sums *mine = sums + (size_t)b * materials;
    int first, end;
    block_rows(b, blocks, p->cells_y, &first, &end);
    for (size_t m = 0; m < materials; m++) mine[m] = NO_CELLS;
    for (int cj = first; cj < end; cj++) cell_row_add(p, t, cj, mine);
  }
}

static hs_status materials_take(const struct hs_problem *p, const double *t, struct hs_answers *answers,
                                struct hs_error *err)
{
  const int blocks = p->cells_y < BLOCKS_MAX ? p->cells_y : BLOCKS_MAX;
  const size_t materials = (size_t)p->material_count;
  const double plate_m2 = p->lx_m * p->ly_m, all_cells = (double)p->cells_x * p->cells_y;
  struct cell_sums *sums = NULL;
  const hs_status status =
      hs_array_create((void **)&sums, (size_t)blocks * materials, sizeof *sums, "the sums of materials", err);
  if (status) return status;
  cells_gather(p, t, blocks, sums);
  answers->content_j_m = 0.0;
  for (size_t m = 0; m < materials; m++) {
    struct hs_material_answer *answer = &answers->materials[m];
    struct cell_sums sum = NO_CELLS;
    for (int b = 0; b < blocks; b++) cell_sums_add(&sum, &sums[(size_t)b * materials + m]);
    answer->area_m2 = (double)sum.cells / all_cells * plate_m2;
    answer->mean_k = sum.cells ? sum.temperature / (double)sum.cells : NAN;
    answer->minimum_k = sum.cells ? sum.minimum_k : NAN;
    answer->maximum_k = sum.cells ? sum.maximum_k : NAN;
    if (sum.cells) answers->content_j_m += p->materials[m].capacity_j_m3k * (sum.temperature / all_cells * plate_m2);
  }
  free(sums);
  return HS_OK;
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
  if (!status) hs_surfaces_take(problem, system, field_k, answers->surface_w_m);
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
