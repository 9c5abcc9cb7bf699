/* Properties of a system: is it singular, which heat flows are negligible, how long an explicit step may be.
 *
 * Sums are taken row by row in parallel and added in the order of rows, so they do not depend on the number of
 * threads. A node of a periodic wall is stored twice in the vertex layout and counts half each time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "problem/assembly/build.h"
#include "problem/laws/laws.h"

/* Sums over the nodes of a row. */
struct row_sums {
  long double net_w_m, size_w_m;
  double conductance_w_mk;
};

struct range {
  double low_k, high_k;
};

static const double NET_SLACK = 1e-12;       /* of the sum of the sizes of all heat */
static const double FLOW_FLOOR_SHARE = 1e-8; /* of the heat that the largest temperature difference could drive */
static const double ROUNDING_SHARE = 1e-10;  /* of the heat that the largest temperature itself could drive: rounding
                                                makes 1e-15 of it, which must not count in a plate of one temperature */
static const double STEP_SLACK = 1e-12;

static void range_add(struct range *range, double temperature_k)
{
  range->low_k = fmin(range->low_k, temperature_k); /* NaN is ignored */
  range->high_k = fmax(range->high_k, temperature_k);
}

/* --- temperatures -------------------------------------------------------------------------------- */

static void range_of_map(const struct hs_problem *problem, struct range *range)
{
  const size_t nodes = (size_t)problem->nx * (size_t)problem->ny;
  double low = range->low_k, high = range->high_k;
  if (!problem->initial_map) return;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
  for (size_t n = 0; n < nodes; n++) {
    low = fmin(low, problem->initial_map[n]);
    high = fmax(high, problem->initial_map[n]);
  }
  range->low_k = low;
  range->high_k = high;
}

/* Held, ambient and initial temperatures. */
static struct range range_given(const struct hs_problem *problem, const struct hs_system *system)
{
  const struct hs_config *config = problem->config;
  struct range range = {INFINITY, -INFINITY};
  if (problem->initial_map)
    range_of_map(problem, &range);
  else
    range_add(&range, config->initial.temperature_k);
  for (int k = 0; k < config->region_count; k++) range_add(&range, config->regions[k].initial_k);
  for (int64_t k = 0; k < system->table_size; k++)
    if (system->law[k].dirichlet) range_add(&range, system->law[k].dirichlet_k);
  for (int64_t k = 0; k < system->contact_count; k++)
    if (system->contacts[k].conductance_w_mk > 0.0) range_add(&range, system->contacts[k].ambient_k);
  for (int k = 0; k < problem->class_count; k++)
    if (problem->classes[k].loss_w_m3k > 0.0)
      range_add(&range, problem->classes[k].loss_w_m3 / problem->classes[k].loss_w_m3k);
  return range;
}

/* Temperature difference whose heat flow is negligible. */
static double flow_floor_k(const struct range *range)
{
  return fmax(FLOW_FLOOR_SHARE * (range->high_k - range->low_k),
              ROUNDING_SHARE * fmax(fabs(range->low_k), fabs(range->high_k)));
}

/* --- sums over nodes ----------------------------------------------------------------------------- */

/* Conductances of Dirichlet node (i, j) to free neighbours. */
static double held_conductance(const struct hs_system *s, const struct hs_node_law *law, int i, int j)
{
  const size_t nx = (size_t)s->nx, row = (size_t)j * nx;
  const size_t west = row + (size_t)hs_system_beside(i, -1, s->nx, s->wrap_x);
  const size_t east = row + (size_t)hs_system_beside(i, 1, s->nx, s->wrap_x);
  const size_t south = (size_t)hs_system_beside(j, -1, s->ny, s->wrap_y) * nx + (size_t)i;
  const size_t north = (size_t)hs_system_beside(j, 1, s->ny, s->wrap_y) * nx + (size_t)i;
  double sum = 0.0;
  if (!s->law[hs_system_index(s, west)].dirichlet) sum += law->west;
  if (!s->law[hs_system_index(s, east)].dirichlet) sum += law->east;
  if (!s->law[hs_system_index(s, south)].dirichlet) sum += law->south;
  if (!s->law[hs_system_index(s, north)].dirichlet) sum += law->north;
  return sum;
}

static double share_of(int index, int n, int wrap)
{
  return wrap == 1 && (index == 0 || index == n - 1) ? 0.5 : 1.0;
}

/* What sums are to cover. */
struct asked {
  const bool *quiet; /* [table_size] nodes of this entry add nothing */
  bool heat;         /* net heat, too */
};

static void row_sum(const struct hs_system *s, const struct asked *asked, int j, struct row_sums *sums)
{
  const double share_y = share_of(j, s->ny, s->wrap_y);
  for (int i = 0; i < s->nx; i++) {
    const size_t n = (size_t)j * (size_t)s->nx + (size_t)i, entry = hs_system_index(s, n);
    const struct hs_node_law *law = &s->law[entry];
    double share, heat_w_m;
    if (asked->quiet[entry]) continue;
    share = share_y * share_of(i, s->nx, s->wrap_x);
    sums->conductance_w_mk += share * (law->dirichlet ? held_conductance(s, law, i, j) : law->ambient_w_mk);
    if (!asked->heat) continue;
    heat_w_m = share * (law->source_w_m + (s->source_w_m ? s->source_w_m[n] : 0.0));
    sums->net_w_m += heat_w_m;
    sums->size_w_m += fabs(heat_w_m);
  }
}

static hs_status sums_take(const struct hs_system *s, bool heat, struct row_sums *total, struct hs_error *err)
{
  struct row_sums *rows = NULL;
  bool *quiet = NULL;
  const struct asked *asked;
  hs_status status = hs_array_create((void **)&rows, (size_t)s->ny, sizeof *rows, "sums of the rows", err);
  if (!status) status = hs_array_create((void **)&quiet, (size_t)s->table_size, sizeof *quiet, "sums of the rows", err);
  if (status) goto out;
  for (int64_t k = 0; k < s->table_size; k++)
    quiet[k] = !s->law[k].dirichlet && s->law[k].ambient_w_mk == 0.0 &&
               !(heat && (s->law[k].source_w_m != 0.0 || s->source_w_m));
  asked = &(struct asked){quiet, heat};
#pragma omp parallel for schedule(static)
  for (int j = 0; j < s->ny; j++) row_sum(s, asked, j, &rows[j]);
  for (int j = 0; j < s->ny; j++) {
    total->net_w_m += rows[j].net_w_m;
    total->size_w_m += rows[j].size_w_m;
    total->conductance_w_mk += rows[j].conductance_w_mk;
  }
out:
  free(quiet);
  free(rows);
  return status;
}

/* --- properties ---------------------------------------------------------------------------------- */

static bool is_singular(const struct hs_system *system)
{
  for (int64_t k = 0; k < system->table_size; k++)
    if (system->law[k].dirichlet || system->law[k].ambient_w_mk > 0.0) return false;
  return true;
}

static double stable_step(const struct hs_system *system)
{
  double step_s = INFINITY;
  for (int64_t k = 0; k < system->table_size; k++)
    if (!system->law[k].dirichlet)
      step_s = fmin(step_s, system->law[k].capacity_j_mk / hs_law_diagonal(&system->law[k]));
  return step_s;
}

static hs_status net_heat_check(const struct hs_problem *problem, const struct row_sums *sums, struct hs_error *err)
{
  if (fabsl(sums->net_w_m) <= (long double)NET_SLACK * sums->size_w_m) return HS_OK;
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "%s: no temperature is held and no wall or loss leads to an ambient, so a steady temperature exists "
      "only if sources and wall fluxes add up to nothing; their net heat is %.10g W/m. Change a source or "
      "flux by that amount, hold a wall at a temperature, add convection or a [loss], or set [time] "
      "scheme = backward_euler to see the plate warm up",
      problem->config->path, (double)sums->net_w_m);
}

/* The step to discretise with, s; 0 when steady. */
static hs_status step_choose(const struct hs_problem *problem, const struct hs_system *system, double *step_s,
                             struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  char more[64] = "";
  *step_s = config->time.scheme == HS_SCHEME_STEADY ? 0.0 : config->time.step_s;
  if (config->time.scheme != HS_SCHEME_EXPLICIT) return HS_OK;
  if (isnan(*step_s)) *step_s = fmin(system->stable_step_s, config->time.end_s - config->time.start_s);
  if (config->time.end_s / *step_s > HS_STEPS_MOST)
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s: [time] end = %.10g s is %.3g steps of the explicit scheme away, whose longest stable step "
                        "is %.10g s. Set scheme = backward_euler or crank_nicolson, which are stable with any step",
                        config->path, config->time.end_s, config->time.end_s / *step_s, system->stable_step_s);
  if (*step_s <= system->stable_step_s * (1.0 + STEP_SLACK)) return HS_OK;
  if (config->time.steps)
    snprintf(more, sizeof more, " (steps = %.0f or more)",
             ceil((config->time.end_s - config->time.start_s) / system->stable_step_s));
  return hs_error_set(err, HS_ERR_CONFIG,
                      "%s: [time] step = %.10g s is too long for the explicit scheme: beyond %.10g s temperatures grow "
                      "without bound. Take at most that%s, leave %s out for the longest stable one, or set scheme = "
                      "backward_euler or crank_nicolson, which are stable with any step",
                      config->path, *step_s, system->stable_step_s * (1.0 - 1e-10), more,
                      config->time.steps ? "steps" : "step");
}

hs_status hs_system_assess(const struct hs_problem *problem, struct hs_system *system, struct hs_error *err)
{
  const enum hs_scheme scheme = problem->config->time.scheme;
  struct row_sums sums = {0};
  struct range range;
  double step_s = 0.0;
  hs_status status;
  system->singular = is_singular(system);
  status = sums_take(system, system->singular && scheme == HS_SCHEME_STEADY, &sums, err);
  if (status) return status;
  system->stable_step_s = stable_step(system);
  system->flow_kelvin_w_mk = sums.conductance_w_mk;
  range = range_given(problem, system);
  system->given_range_k = range.high_k - range.low_k;
  system->flow_floor_w_m = flow_floor_k(&range) * sums.conductance_w_mk;
  if (system->singular && scheme == HS_SCHEME_STEADY) status = net_heat_check(problem, &sums, err);
  if (!status) status = step_choose(problem, system, &step_s, err);
  if (!status) hs_system_discretise(system, scheme, step_s, NULL, NULL);
  return status;
}
