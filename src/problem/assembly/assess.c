/* Properties of a system: is it singular, which heat flows are negligible, how long an explicit step may be.
 *
 * All of them are those of the whole plate, in every rank: largest and smallest values, and sums that no order changes, so
 * that neither threads nor ranks change a bit. A node of a periodic wall is stored twice in the vertex layout and counts half
 * each time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/grid_sum.h"
#include "problem/assembly/build.h"
#include "problem/laws/laws.h"

/* Sums over nodes: net heat, the sum of its sizes, and what would flow per kelvin. */
enum { NET, SIZE, CONDUCTANCE, SUMS };

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

/* Held, ambient and initial temperatures of the whole plate. */
static hs_status range_given(const struct hs_problem *problem, const struct hs_system *system, struct range *range,
                             struct hs_error *err)
{
  const struct hs_config *config = problem->config;
  double ends_k[2];
  hs_status status;
  *range = (struct range){INFINITY, -INFINITY};
  if (problem->initial_map)
    range_of_map(problem, range);
  else
    range_add(range, config->initial.temperature_k);
  for (int k = 0; k < config->region_count; k++) range_add(range, config->regions[k].initial_k);
  for (int64_t k = 0; k < system->table_size; k++)
    if (system->law[k].dirichlet && hs_system_owns(system, k)) range_add(range, system->law[k].dirichlet_k);
  for (int64_t k = 0; k < system->contact_count; k++)
    if (system->contacts[k].conductance_w_mk > 0.0) range_add(range, system->contacts[k].ambient_k);
  for (int k = 0; k < problem->class_count; k++)
    if (problem->classes[k].loss_w_m3k > 0.0)
      range_add(range, problem->classes[k].loss_w_m3 / problem->classes[k].loss_w_m3k);
  ends_k[0] = -range->low_k;
  ends_k[1] = range->high_k;
  status = hs_comm_largest(hs_system_comm(system), ends_k, 2, err);
  *range = (struct range){-ends_k[0], ends_k[1]};
  return status;
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

/* The part of a node that counts: half where periodic walls make two nodes of one. */
static double share_of(const struct hs_problem *problem, int i, int j)
{
  const struct hs_partition *whole = &problem->subdomain.partition;
  const int column = hs_problem_column(problem, i), row = hs_problem_row(problem, j);
  const bool twin_x = whole->period_x == problem->grid_nx - 1 && column % whole->period_x == 0;
  const bool twin_y = whole->period_y == problem->grid_ny - 1 && row % whole->period_y == 0;
  return (twin_x ? 0.5 : 1.0) * (twin_y ? 0.5 : 1.0);
}

/* What sums are to cover. */
struct asked {
  const struct hs_problem *problem;
  const struct hs_system *system;
  bool *quiet; /* [table_size] nodes of this entry add nothing */
  bool heat;   /* net heat, too */
};

static void row_sum(const struct asked *asked, int j, struct hs_grid_sum sums[SUMS])
{
  const struct hs_system *s = asked->system;
  const struct hs_rectangle own = hs_system_own(s);
  for (int i = own.x0; i < own.x0 + own.nx; i++) {
    const size_t n = (size_t)j * (size_t)s->nx + (size_t)i, entry = hs_system_index(s, n);
    const struct hs_node_law *law = &s->law[entry];
    double share, heat_w_m;
    if (asked->quiet[entry]) continue;
    share = share_of(asked->problem, i, j);
    hs_grid_sum_add(&sums[CONDUCTANCE], share * (law->dirichlet ? held_conductance(s, law, i, j) : law->ambient_w_mk));
    if (!asked->heat) continue;
    heat_w_m = share * (law->source_w_m + (s->source_w_m ? s->source_w_m[n] : 0.0));
    hs_grid_sum_add(&sums[NET], heat_w_m);
    hs_grid_sum_add(&sums[SIZE], fabs(heat_w_m));
  }
}

/* The sums over the own nodes. */
static void rows_sum(const struct asked *asked, struct hs_grid_sum total[SUMS])
{
  const struct hs_rectangle own = hs_system_own(asked->system);
  memset(total, 0, SUMS * sizeof *total);
#pragma omp parallel
  {
    struct hs_grid_sum part[SUMS] = {{{0}, 0, 0}};
#pragma omp for schedule(static)
    for (int j = own.y0; j < own.y0 + own.ny; j++) row_sum(asked, j, part);
#pragma omp critical(hs_assess_sums)
    for (int k = 0; k < SUMS; k++) hs_grid_sum_merge(&total[k], &part[k]);
  }
}

static hs_status sums_take(const struct hs_problem *problem, const struct hs_system *s, bool heat, double sums[SUMS],
                           struct hs_error *err)
{
  struct asked asked = {problem, s, NULL, heat};
  struct hs_grid_sum own[SUMS];
  hs_status status =
      hs_array_create((void **)&asked.quiet, (size_t)s->table_size, sizeof *asked.quiet, "the sums of heat", err);
  status = hs_comm_agree(hs_system_comm(s), status, err);
  if (status) goto out;
  for (int64_t k = 0; k < s->table_size; k++)
    asked.quiet[k] = !s->law[k].dirichlet && s->law[k].ambient_w_mk == 0.0 &&
                     !(heat && (s->law[k].source_w_m != 0.0 || s->source_w_m));
  rows_sum(&asked, own);
  status = hs_grid_sums_join(hs_system_comm(s), own, SUMS, sums, err);
out:
  free(asked.quiet);
  return status;
}

/* --- properties ---------------------------------------------------------------------------------- */

static bool is_fixed(const struct hs_system *system)
{
  for (int64_t k = 0; k < system->table_size; k++)
    if (hs_system_owns(system, k) && (system->law[k].dirichlet || system->law[k].ambient_w_mk > 0.0)) return true;
  return false;
}

static double stable_step(const struct hs_system *system)
{
  double step_s = INFINITY;
  for (int64_t k = 0; k < system->table_size; k++)
    if (hs_system_owns(system, k) && !system->law[k].dirichlet)
      step_s = fmin(step_s, system->law[k].capacity_j_mk / hs_law_diagonal(&system->law[k]));
  return step_s;
}

/* Sets singular and stable_step_s. */
static hs_status properties_find(struct hs_system *system, struct hs_error *err)
{
  double found[2] = {is_fixed(system), -stable_step(system)};
  const hs_status status = hs_comm_largest(hs_system_comm(system), found, 2, err);
  system->singular = found[0] == 0.0;
  system->stable_step_s = -found[1];
  return status;
}

static hs_status net_heat_check(const struct hs_problem *problem, const double sums[SUMS], struct hs_error *err)
{
  if (fabs(sums[NET]) <= NET_SLACK * sums[SIZE]) return HS_OK;
  return hs_error_set(
      err, HS_ERR_CONFIG,
      "%s: no temperature is held and no wall or loss leads to an ambient, so a steady temperature exists "
      "only if sources and wall fluxes add up to nothing; their net heat is %.10g W/m. Change a source or "
      "flux by that amount, hold a wall at a temperature, add convection or a [loss], or set [time] "
      "scheme = backward_euler to see the plate warm up",
      problem->config->path, sums[NET]);
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
  struct range range;
  double step_s = 0.0, sums[SUMS];
  bool undefined;
  hs_status status = properties_find(system, err);
  undefined = system->singular && scheme == HS_SCHEME_STEADY;
  if (!status) status = sums_take(problem, system, undefined, sums, err);
  if (!status) status = range_given(problem, system, &range, err);
  if (status) return status;
  system->flow_kelvin_w_mk = sums[CONDUCTANCE];
  system->given_range_k = range.high_k - range.low_k;
  system->flow_floor_w_m = flow_floor_k(&range) * system->flow_kelvin_w_mk;
  if (undefined) status = net_heat_check(problem, sums, err);
  if (!status) status = step_choose(problem, system, &step_s, err);
  return status ? status : hs_system_discretise(system, scheme, step_s, NULL, NULL, err);
}
