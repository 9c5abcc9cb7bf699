/* Numbers about the final field: extremes, mean, centre, heat flows.
 *
 * Computed on the host from the fetched field, row by row in parallel; the rows' partial sums are
 * added in a fixed order, so the figures do not depend on the number of threads or the backend.
 */
#include "solve/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* What one row contributes. */
struct row_sums {
  double minimum_k, maximum_k;
  double area_temperature; /* sum of T times control volume, in units of dx dy */
  double side_w_m[HS_SIDES];
  double source_w_m, in_w_m, out_w_m;
};

/* The part of a spacing that a node owns in one direction. */
static double share(int i, int n)
{
  return i == 0 || i == n - 1 ? 0.5 : 1.0;
}

/* Counts a flow into a free node, from `side` or, where side is HS_SIDES, from a source. */
static void flow_add(struct row_sums *sums, int side, double flow_w_m)
{
  if (side < HS_SIDES)
    sums->side_w_m[side] += flow_w_m;
  else
    sums->source_w_m += flow_w_m;
  if (flow_w_m > 0.0)
    sums->in_w_m += flow_w_m;
  else
    sums->out_w_m -= flow_w_m;
}

/* Heat into free node (i, j) from its held neighbours and its source. */
static void node_flows(const struct hs_system *s, const double *t, int i, int j, struct row_sums *sums)
{
  const size_t nx = (size_t)s->nx, n = (size_t)j * nx + (size_t)i;
  const struct hs_conductances *g = &s->conductances[s->index[n]];
  if (g->source != 0.0) flow_add(sums, HS_SIDES, g->source);
  if (i == 1 && s->stencil[s->index[n - 1]].diagonal == 0.0) flow_add(sums, HS_WEST, g->west * (t[n - 1] - t[n]));
  if (i == s->nx - 2 && s->stencil[s->index[n + 1]].diagonal == 0.0)
    flow_add(sums, HS_EAST, g->east * (t[n + 1] - t[n]));
  if (j == 1 && s->stencil[s->index[n - nx]].diagonal == 0.0) flow_add(sums, HS_SOUTH, g->south * (t[n - nx] - t[n]));
  if (j == s->ny - 2 && s->stencil[s->index[n + nx]].diagonal == 0.0)
    flow_add(sums, HS_NORTH, g->north * (t[n + nx] - t[n]));
}

static void row_assess(const struct hs_system *s, const double *t, int j, struct row_sums *sums)
{
  const double height = share(j, s->ny);
  memset(sums, 0, sizeof *sums);
  sums->minimum_k = INFINITY;
  sums->maximum_k = -INFINITY;
  for (int i = 0; i < s->nx; i++) {
    const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
    if (t[n] < sums->minimum_k) sums->minimum_k = t[n];
    if (t[n] > sums->maximum_k) sums->maximum_k = t[n];
    sums->area_temperature += t[n] * (height * share(i, s->nx));
    if (s->stencil[s->index[n]].diagonal != 0.0) node_flows(s, t, i, j, sums);
  }
}

static void balance_finish(struct hs_balance *balance)
{
  const double larger = fmax(balance->in_w_m, balance->out_w_m);
  balance->imbalance_relative = larger == 0.0 ? 0.0 : fabs(balance->in_w_m - balance->out_w_m) / larger;
}

hs_status hs_result_assess(struct hs_result *result, const struct hs_system *system, struct hs_error *err)
{
  struct hs_balance *balance = &result->balance;
  struct row_sums *rows = NULL;
  double area_temperature = 0.0;
  const hs_status status =
      hs_array_create((void **)&rows, (size_t)system->ny, sizeof *rows, "the heat balance of each row", err);
  if (status) return status;

#pragma omp parallel for schedule(static)
  for (int j = 0; j < system->ny; j++) row_assess(system, result->field_k, j, &rows[j]);

  memset(balance, 0, sizeof *balance);
  result->temperature_min_k = INFINITY;
  result->temperature_max_k = -INFINITY;
  for (int j = 0; j < system->ny; j++) {
    result->temperature_min_k = fmin(result->temperature_min_k, rows[j].minimum_k);
    result->temperature_max_k = fmax(result->temperature_max_k, rows[j].maximum_k);
    area_temperature += rows[j].area_temperature;
    for (int side = 0; side < HS_SIDES; side++) balance->side_w_m[side] += rows[j].side_w_m[side];
    balance->source_w_m += rows[j].source_w_m;
    balance->in_w_m += rows[j].in_w_m;
    balance->out_w_m += rows[j].out_w_m;
  }
  balance_finish(balance);
  result->temperature_mean_k = area_temperature / ((system->nx - 1.0) * (system->ny - 1.0));
  result->center_temperature_k =
      result->field_k[(size_t)(system->ny / 2) * (size_t)system->nx + (size_t)(system->nx / 2)];
  free(rows);
  return HS_OK;
}

void hs_result_clear(struct hs_result *result)
{
  hs_solve_outcome_clear(&result->outcome);
  free(result->field_k);
  result->field_k = NULL;
}
