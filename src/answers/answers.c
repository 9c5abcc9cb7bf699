/* Answers about a field: extremes, means, heat content, materials; balance.c, outline.c and probe.c have the rest.
 *
 * Nodes are looked at first, then cells: each rank at its own, by threads. What they find is put together in no particular
 * order, which changes no bit (comm/grid_sum.h).
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

enum { BLOCK = 256 }; /* terms that are added up together */

/* --- nodes --------------------------------------------------------------------------------------- */

struct node_sums {
  double minimum_k, maximum_k;
  struct hs_grid_sum area_temperature; /* sum of T times control volume, in units of dx dy */
};

static const struct node_sums NO_NODES = {.minimum_k = INFINITY, .maximum_k = -INFINITY};

/* The share of a spacing that the control volume of node i of n has in one direction. */
static double owned(enum hs_layout layout, int i, int n)
{
  return layout == HS_LAYOUT_VERTEX && (i == 0 || i == n - 1) ? 0.5 : 1.0;
}

static void row_assess(const struct hs_problem *p, const double *t, int j, struct node_sums *sums)
{
  const struct hs_rectangle own = hs_own_nodes(p);
  const double height = owned(p->layout, p->first_y + j, p->grid_ny);
  for (int first = own.x0, count; first < own.x0 + own.nx; first += count) {
    const double *row = t + (size_t)j * (size_t)p->nx + (size_t)first;
    const int here = p->first_x + first;
    double terms[BLOCK], low = sums->minimum_k, high = sums->maximum_k;
    count = own.x0 + own.nx - first < BLOCK ? own.x0 + own.nx - first : BLOCK;
#pragma omp simd reduction(min : low) reduction(max : high)
    for (int k = 0; k < count; k++) {
      low = row[k] < low ? row[k] : low;
      high = row[k] > high ? row[k] : high;
      terms[k] = row[k] * height;
    }
    terms[0] = row[0] * (height * owned(p->layout, here, p->grid_nx));
    terms[count - 1] = row[count - 1] * (height * owned(p->layout, here + count - 1, p->grid_nx));
    sums->minimum_k = low;
    sums->maximum_k = high;
    hs_grid_sum_add_all(&sums->area_temperature, terms, (size_t)count);
  }
}

/* This rank's nodes. */
static struct node_sums nodes_assess(const struct hs_problem *p, const double *t)
{
  const struct hs_rectangle own = hs_own_nodes(p);
  struct node_sums all = NO_NODES;
#pragma omp parallel
  {
    struct node_sums mine = NO_NODES;
#pragma omp for schedule(static)
    for (int j = own.y0; j < own.y0 + own.ny; j++) row_assess(p, t, j, &mine);
#pragma omp critical(hs_answers_nodes)
    {
      all.minimum_k = lower(all.minimum_k, mine.minimum_k);
      all.maximum_k = higher(all.maximum_k, mine.maximum_k);
      hs_grid_sum_merge(&all.area_temperature, &mine.area_temperature);
    }
  }
  return all;
}

static hs_status mean_join(const struct hs_problem *p, struct node_sums *sums, double *mean_k, struct hs_error *err)
{
  double area_temperature = 0.0;
  const hs_status status = hs_grid_sums_join(hs_own_comm(p), &sums->area_temperature, 1, &area_temperature, err);
  *mean_k = area_temperature / ((double)p->grid_cells_x * (double)p->grid_cells_y);
  return status;
}

hs_status hs_answers_mean(const struct hs_problem *problem, const double *field_k, double *mean_k, struct hs_error *err)
{
  struct node_sums sums = nodes_assess(problem, field_k);
  return mean_join(problem, &sums, mean_k, err);
}

/* The node in the middle of the grid, from the rank that has it. */
static hs_status center_take(const struct hs_problem *p, const double *t, double *center_k, struct hs_error *err)
{
  const struct hs_rectangle own = hs_own_nodes(p);
  const int i = p->grid_nx / 2 - p->first_x, j = p->grid_ny / 2 - p->first_y;
  *center_k = hs_own_holds(&own, i, j) ? t[(size_t)j * (size_t)p->nx + (size_t)i] : 0.0;
  return hs_comm_sum(hs_own_comm(p), center_k, 1, err);
}

/* The first of this rank's nodes at a temperature, counted row by row over the whole grid; INFINITY: none. */
static double node_first(const struct hs_problem *p, const double *t, double temperature_k)
{
  const struct hs_rectangle own = hs_own_nodes(p);
  double first = INFINITY;
#pragma omp parallel for schedule(static) reduction(min : first)
  for (int j = own.y0; j < own.y0 + own.ny; j++) {
    const double *row = t + (size_t)j * (size_t)p->nx;
    const double begin = (double)hs_problem_row(p, j) * p->grid_nx;
    int any = 0;
    if (begin > first) continue;
#pragma omp simd reduction(| : any)
    for (int i = own.x0; i < own.x0 + own.nx; i++) any |= row[i] == temperature_k;
    for (int i = own.x0; any && i < own.x0 + own.nx; i++) {
      const double node = begin + hs_problem_column(p, i);
      if (row[i] == temperature_k && node < first) first = node;
    }
  }
  return first;
}

hs_status hs_answers_places(const struct hs_problem *problem, const double *field_k, struct hs_answers *answers,
                            struct hs_error *err)
{
  double first[2] = {-node_first(problem, field_k, answers->minimum_k),
                     -node_first(problem, field_k, answers->maximum_k)};
  double *const at_m[2] = {answers->minimum_at_m, answers->maximum_at_m};
  const hs_status status = hs_comm_largest(hs_own_comm(problem), first, 2, err);
  for (int k = 0; k < 2; k++) {
    const double row = floor(-first[k] / problem->grid_nx), column = -first[k] - row * problem->grid_nx;
    at_m[k][0] = isfinite(first[k]) ? problem->x0_m + column * problem->dx_m : NAN;
    at_m[k][1] = isfinite(first[k]) ? problem->y0_m + row * problem->dy_m : NAN;
  }
  return status;
}

static hs_status nodes_take(const struct hs_problem *p, const double *t, struct hs_answers *answers,
                            struct hs_error *err)
{
  struct node_sums sums = nodes_assess(p, t);
  double extremes_k[2] = {-sums.minimum_k, sums.maximum_k};
  hs_status status = mean_join(p, &sums, &answers->mean_k, err);
  if (!status) status = hs_comm_largest(hs_own_comm(p), extremes_k, 2, err);
  answers->minimum_k = 0.0 - extremes_k[0]; /* never -0, which would depend on the order */
  answers->maximum_k = 0.0 + extremes_k[1];
  for (int k = 0; k < 2; k++) answers->minimum_at_m[k] = answers->maximum_at_m[k] = NAN;
  return status ? status : center_take(p, t, &answers->center_k, err);
}

/* --- materials ----------------------------------------------------------------------------------- */

/* Of the cells of each material. */
struct cell_sums {
  int materials;
  int64_t *cells;                  /* [materials] */
  double *extremes_k;              /* [2*materials] for each the lowest temperature, negative, and the highest */
  struct hs_grid_sum *temperature; /* [materials] sum over cells */
};

static void cell_sums_free(struct cell_sums *sums)
{
  free(sums->temperature);
  free(sums->extremes_k);
  free(sums->cells);
}

static hs_status cell_sums_create(const struct hs_problem *p, struct cell_sums *sums, struct hs_error *err)
{
  const size_t materials = (size_t)p->material_count;
  const char *what = "the sums of materials";
  hs_status status;
  *sums = (struct cell_sums){.materials = p->material_count};
  status = hs_array_create((void **)&sums->cells, materials, sizeof *sums->cells, what, err);
  if (!status) status = hs_array_create((void **)&sums->extremes_k, 2 * materials, sizeof *sums->extremes_k, what, err);
  if (!status) status = hs_array_create((void **)&sums->temperature, materials, sizeof *sums->temperature, what, err);
  for (size_t k = 0; !status && k < 2 * materials; k++) sums->extremes_k[k] = -INFINITY;
  return status;
}

/* Adds the sums of a thread. */
static void cell_sums_add(struct cell_sums *sums, const struct cell_sums *more)
{
  for (int m = 0; m < sums->materials; m++) {
    sums->cells[m] += more->cells[m];
    hs_grid_sum_merge(&sums->temperature[m], &more->temperature[m]);
  }
  for (int k = 0; k < 2 * sums->materials; k++) sums->extremes_k[k] = higher(sums->extremes_k[k], more->extremes_k[k]);
}

/* Adds `count` cells of material m from (ci, cj) on, BLOCK at most. */
static void cells_add(const struct hs_problem *p, const double *t, int ci, int cj, int count, int m,
                      struct cell_sums *sums)
{
  const double *south = t + (size_t)cj * (size_t)p->nx + (size_t)ci, *north = south + p->nx;
  double means[BLOCK], low = INFINITY, high = -INFINITY;
  if (p->layout == HS_LAYOUT_VERTEX)
#pragma omp simd reduction(min : low) reduction(max : high)
    for (int k = 0; k < count; k++) {
      low = lower(low, lower(lower(south[k], south[k + 1]), lower(north[k], north[k + 1])));
      high = higher(high, higher(higher(south[k], south[k + 1]), higher(north[k], north[k + 1])));
      means[k] = 0.25 * ((south[k] + north[k + 1]) + (south[k + 1] + north[k]));
    }
  else
#pragma omp simd reduction(min : low) reduction(max : high)
    for (int k = 0; k < count; k++) {
      low = lower(low, south[k]);
      high = higher(high, south[k]);
      means[k] = south[k];
    }
  sums->extremes_k[2 * m] = higher(sums->extremes_k[2 * m], -low);
  sums->extremes_k[2 * m + 1] = higher(sums->extremes_k[2 * m + 1], high);
  hs_grid_sum_add_all(&sums->temperature[m], means, (size_t)count);
  sums->cells[m] += count;
}

/* Adds the cells `from` to end - 1 of a row. */
static void cell_row_add(const struct hs_problem *p, const double *t, int from, int end, int cj, struct cell_sums *sums)
{
  for (int ci = from, next; ci < end; ci = next) {
    const int m = hs_problem_cell_material(p, ci, cj), last = end - ci < BLOCK ? end : ci + BLOCK;
    for (next = ci + 1; next < last && hs_problem_cell_material(p, next, cj) == m;) next++;
    cells_add(p, t, ci, cj, next - ci, m, sums);
  }
}

/* Adds this rank's cells. */
static hs_status cells_assess(const struct hs_problem *p, const double *t, struct cell_sums *sums, struct hs_error *err)
{
  const struct hs_rectangle own = hs_own_cells(p);
  hs_status status = HS_OK;
#pragma omp parallel
  {
    struct hs_error why = {0};
    struct cell_sums mine;
    const hs_status made = cell_sums_create(p, &mine, &why);
#pragma omp for schedule(static)
    for (int cj = own.y0; cj < own.y0 + own.ny; cj++)
      if (!made) cell_row_add(p, t, own.x0, own.x0 + own.nx, cj, &mine);
#pragma omp critical(hs_answers_cells)
    {
      if (made) status = hs_error_set(err, made, "%s", why.text);
      if (!made) cell_sums_add(sums, &mine);
    }
    cell_sums_free(&mine);
  }
  return status;
}

/* Adds those of the other ranks. */
static hs_status cells_join(const struct hs_problem *p, struct cell_sums *sums, struct hs_error *err)
{
  struct hs_comm *comm = hs_own_comm(p);
  hs_status status = hs_comm_count(comm, sums->cells, sums->materials, err);
  if (!status) status = hs_comm_largest(comm, sums->extremes_k, 2 * sums->materials, err);
  return status ? status : hs_grid_sums_join(comm, sums->temperature, sums->materials, NULL, err);
}

static hs_status materials_take(const struct hs_problem *p, const double *t, struct hs_answers *answers,
                                struct hs_error *err)
{
  const double plate_m2 = p->lx_m * p->ly_m, all_cells = (double)p->grid_cells_x * (double)p->grid_cells_y;
  struct cell_sums sums;
  hs_status status = cell_sums_create(p, &sums, err);
  if (!status) status = cells_assess(p, t, &sums, err);
  if (!status) status = cells_join(p, &sums, err);
  answers->content_j_m = 0.0;
  for (int m = 0; !status && m < p->material_count; m++) {
    struct hs_material_answer *answer = &answers->materials[m];
    const double temperature = hs_grid_sum_value(&sums.temperature[m]), cells = (double)sums.cells[m];
    answer->area_m2 = cells / all_cells * plate_m2;
    answer->mean_k = sums.cells[m] ? temperature / cells : NAN;
    answer->minimum_k = sums.cells[m] ? 0.0 - sums.extremes_k[2 * m] : NAN;
    answer->maximum_k = sums.cells[m] ? 0.0 + sums.extremes_k[2 * m + 1] : NAN;
    if (sums.cells[m]) answers->content_j_m += p->materials[m].capacity_j_m3k * (temperature / all_cells * plate_m2);
  }
  cell_sums_free(&sums);
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
