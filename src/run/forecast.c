/* The forecast: the first update of the initial field projected on modes, and a bisection on the number of sweeps; or a
 * guess. */
#include "run/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/walls.h"
#include "time/steps.h"

enum { MODES = 16 };

/* Multigrid: decades that the error falls in a cycle (1.2 to 1.5 in the problems of doc/numerics.md), and how they shrink where
 * conductivities jump from cell to cell. */
static const double CYCLE_DECADES = 1.2, ROUGHNESS_COSTS = 1.7;
/* Of a steady run: those of nested iteration, which comes first, and cycles after which its estimate can be believed. */
static const double NESTED_DECADES = 2.4, CYCLES_LEAST = 4.0;
static const double ROUGH = 0.3;           /* decades */
static const double SMOOTHER_SWEEPS = 4.0; /* of Chebyshev's, that a cycle is worth at least */

/* The first update, projected on the modes (m, n) = 1 .. MODES and on their checkerboard partners. */
struct projection {
  double smooth[MODES][MODES], checkered[MODES][MODES]; /* amplitudes, K, by n - 1 and m - 1 */
  double rho[MODES][MODES];
  double weight;  /* of the sweeps; 1: plain */
  double squares; /* sum of the squared updates, K^2 */
  double mode_l2; /* 2-norm of a mode of amplitude 1 */
};

/* Interior nodes of the grid that this rank owns, by their place in the window. */
static struct hs_rectangle own_interior(const struct hs_problem *p, const struct hs_system *s)
{
  const struct hs_rectangle own = hs_system_own(s);
  const int west = 1 - p->first_x, east = p->grid_nx - 1 - p->first_x;
  const int south = 1 - p->first_y, north = p->grid_ny - 1 - p->first_y;
  const int x0 = own.x0 > west ? own.x0 : west, x1 = own.x0 + own.nx < east ? own.x0 + own.nx : east;
  const int y0 = own.y0 > south ? own.y0 : south, y1 = own.y0 + own.ny < north ? own.y0 + own.ny : north;
  return (struct hs_rectangle){x0, y0, x1 - x0, y1 - y0};
}

/* Adds `nodes` of row j; sine is [nodes->nx][MODES]. Most updates of a usual start are 0 and are skipped. */
static void row_project(const struct hs_problem *p, const struct hs_system *s, const double *t, const double *sine,
                        const struct hs_rectangle *nodes, int modes, int j, struct projection *sum)
{
  const int gj = p->first_y + j;
  double smooth[MODES] = {0.0}, checkered[MODES] = {0.0};
  for (int i = nodes->x0; i < nodes->x0 + nodes->nx; i++) {
    const double update = hs_first_update_at(s, t, i, j);
    const double *at = sine + (size_t)(i - nodes->x0) * MODES;
    if (update == 0.0) continue;
    sum->squares += update * update;
    for (int m = 0; m < modes; m++) {
      smooth[m] += update * at[m];
      checkered[m] += (p->first_x + i + gj) % 2 ? -update * at[m] : update * at[m];
    }
  }
  for (int n = 0; n < modes; n++) {
    const double row_sine = sin(M_PI * (n + 1) / (p->grid_ny - 1) * gj);
    for (int m = 0; m < modes; m++) {
      sum->smooth[n][m] += smooth[m] * row_sine;
      sum->checkered[n][m] += checkered[m] * row_sine;
    }
  }
}

static void projection_add(struct projection *sum, const struct projection *part)
{
  for (int n = 0; n < MODES; n++) {
    for (int m = 0; m < MODES; m++) {
      sum->smooth[n][m] += part->smooth[n][m];
      sum->checkered[n][m] += part->checkered[n][m];
    }
  }
  sum->squares += part->squares;
}

/* The projections of all ranks. */
static hs_status projections_join(const struct hs_problem *p, struct projection *sum, struct hs_error *err)
{
  const int ranks = hs_comm_size(p->subdomain.comm);
  struct projection *all = NULL;
  hs_status status = hs_array_create((void **)&all, (size_t)ranks, sizeof *all, "the forecast", err);
  if (!status) status = hs_comm_gather(p->subdomain.comm, sum, sizeof *sum, all, err);
  memset(sum, 0, sizeof *sum);
  for (int rank = 0; !status && rank < ranks; rank++) projection_add(sum, &all[rank]);
  free(all);
  return status;
}

/* Projects the first update of the interior nodes on the modes that the grid has. */
static hs_status first_update_project(const struct hs_problem *p, const struct hs_system *s, const double *t, int modes,
                                      struct projection *sum, struct hs_error *err)
{
  const double nx = p->grid_nx - 1.0, ny = p->grid_ny - 1.0, norm = 4.0 / (nx * ny);
  const struct hs_rectangle nodes = own_interior(p, s);
  double *sine = NULL;
  hs_status status = hs_array_create((void **)&sine, (size_t)s->nx * MODES, sizeof *sine, "the forecast", err);
  if (status) return status;
  for (int i = 0; i < nodes.nx; i++)
    for (int m = 0; m < modes; m++)
      sine[(size_t)i * MODES + (size_t)m] = sin(M_PI * (m + 1) / nx * (p->first_x + nodes.x0 + i));
#pragma omp parallel
  {
    struct projection mine;
    memset(&mine, 0, sizeof mine);
#pragma omp for schedule(static)
    for (int j = nodes.y0; j < nodes.y0 + nodes.ny; j++) row_project(p, s, t, sine, &nodes, modes, j, &mine);
#pragma omp critical(hs_forecast)
    projection_add(sum, &mine);
  }
  free(sine);
  status = projections_join(p, sum, err);
  for (int n = 0; n < modes; n++) {
    for (int m = 0; m < modes; m++) {
      sum->smooth[n][m] *= norm;
      sum->checkered[n][m] *= norm;
    }
  }
  sum->mode_l2 = 0.5 * sqrt(nx * ny);
  return status;
}

/* Factor of mode (m, n) per plain sweep on the interior of a uniform system. */
static double mode_factor(const struct hs_stencil_f64 *interior, int nx, int ny, int m, int n)
{
  return 0.5 * interior->west + 0.5 * interior->south - 0.5 * interior->west * (1.0 - cos(M_PI * m / (nx - 1))) -
         0.5 * interior->south * (1.0 - cos(M_PI * n / (ny - 1)));
}

/* The tested quantity after k sweeps, as the modes give it: 2-norms exactly, maxima as sums of amplitudes. */
static double value_after(const struct projection *p, int modes, enum hs_stop_quantity quantity, double k)
{
  const double w = p->weight, slowest = 1.0 - w + w * p->rho[0][0];
  double squares = 0.0, update = 0.0, error = 0.0;
  for (int n = 0; n < modes; n++) {
    for (int m = 0; m < modes; m++) {
      const double mu = 1.0 - w * (1.0 - p->rho[n][m]), nu = 1.0 - w * (1.0 + p->rho[n][m]);
      const double smooth = fabs(p->smooth[n][m]) * pow(fabs(mu), k - 1.0);
      const double checkered = fabs(p->checkered[n][m]) * pow(fabs(nu), k - 1.0);
      squares += smooth * smooth + checkered * checkered;
      update += smooth + checkered;
      error += fabs(mu) * smooth / (1.0 - mu) + fabs(nu) * checkered / (1.0 - nu);
    }
  }
  switch (quantity) {
  case HS_STOP_UPDATE_L2: return w * p->mode_l2 * sqrt(squares);
  case HS_STOP_UPDATE_MAX:
  case HS_STOP_CORRECTION: return w * update;
  case HS_STOP_RESIDUAL: return p->squares > 0.0 ? slowest * p->mode_l2 * sqrt(squares / p->squares) : 0.0;
  case HS_STOP_ERROR: return w * error;
  }
  return NAN;
}

/* Fewest sweeps, at least `from`, after which the value meets the tolerance: doubling, then bisection. */
static double sweeps_until(const struct projection *p, int modes, const struct hs_solve_settings *settings, double from)
{
  double low = from, high = from;
  if (value_after(p, modes, settings->quantity, from) <= settings->tolerance) return from;
  while (value_after(p, modes, settings->quantity, high) > settings->tolerance && high < 1e18) high *= 2.0;
  while (high - low > 1.0) {
    const double middle = floor(0.5 * (low + high));
    if (value_after(p, modes, settings->quantity, middle) <= settings->tolerance)
      high = middle;
    else
      low = middle;
  }
  return ceil(high);
}

/* Is some outermost node of the grid that this rank owns free? */
static bool wall_is_open(const struct hs_problem *p, const struct hs_system *s)
{
  const struct hs_rectangle own = hs_system_own(s);
  const int nx = p->grid_nx, ny = p->grid_ny;
  for (int j = own.y0; j < own.y0 + own.ny; j++) {
    const bool whole_row = p->first_y + j == 0 || p->first_y + j == ny - 1;
    const int step = whole_row || own.nx < 2 ? 1 : own.nx - 1;
    for (int i = own.x0; i < own.x0 + own.nx; i += step) {
      if (!whole_row && p->first_x + i != 0 && p->first_x + i != nx - 1) continue;
      if (s->stencil[hs_system_index(s, (size_t)j * (size_t)s->nx + (size_t)i)].diagonal != 0.0) return true;
    }
  }
  return false;
}

/* Are the outermost nodes held, and no others, and all others equal? Then their stencil is *interior. */
static hs_status plain_rectangle_find(const struct hs_problem *p, const struct hs_system *s, bool *plain,
                                      struct hs_stencil_f64 *interior, struct hs_error *err)
{
  const int nx = p->grid_nx, ny = p->grid_ny;
  bool open;
  hs_status status;
  *plain = false;
  if (!s->uniform || hs_wall_is_periodic(p, HS_WEST) || hs_wall_is_periodic(p, HS_SOUTH) || nx < 3 || ny < 3)
    return HS_OK;
  if (s->free_nodes != (int64_t)(nx - 2) * (ny - 2)) return HS_OK;
  open = wall_is_open(p, s);
  status = hs_comm_any(p->subdomain.comm, &open, 1, err);
  if (hs_comm_rank(p->subdomain.comm) == 0) /* which has node (1, 1) */
    *interior = s->stencil[hs_system_index(s, (size_t)(1 - p->first_y) * (size_t)s->nx + (size_t)(1 - p->first_x))];
  if (!status) status = hs_comm_broadcast(p->subdomain.comm, 0, interior, sizeof *interior, err);
  *plain = !open && interior->west == interior->east && interior->south == interior->north;
  return status;
}

static hs_status forecast_modes(const struct hs_problem *problem, const struct hs_system *s,
                                const struct hs_solve_settings *settings, const struct hs_stencil_f64 *interior,
                                const double *field_k, struct hs_forecast *forecast, struct hs_error *err)
{
  const int nx = problem->grid_nx, ny = problem->grid_ny, narrow = nx < ny ? nx : ny;
  const int modes = narrow - 2 < MODES ? narrow - 2 : MODES;
  struct projection *p = NULL;
  double from = 1.0;
  hs_status status = hs_array_create((void **)&p, 1, sizeof *p, "the forecast", err);
  if (!status) status = first_update_project(problem, s, field_k, modes, p, err);
  if (status) goto out;
  p->weight = settings->method == HS_METHOD_WEIGHTED ? settings->weight : 1.0;
  for (int n = 0; n < modes; n++)
    for (int m = 0; m < modes; m++) p->rho[n][m] = mode_factor(interior, nx, ny, m + 1, n + 1);
  forecast->spectral_radius = p->rho[0][0];
  if (modes < narrow - 2) from = ceil(3.0 / (p->weight * (1.0 - mode_factor(interior, nx, ny, modes + 1, 1))));
  if (p->squares == 0.0)
    forecast->sweeps = 1.0; /* solved already */
  else if (narrow == 3 && nx == ny && p->weight == 1.0)
    forecast->sweeps = 2.0; /* one free node: solved by the first sweep, confirmed by the second */
  else
    forecast->sweeps = fmax(1.0, sweeps_until(p, modes, settings, from));
out:
  free(p);
  return status;
}

/* --- a guess ------------------------------------------------------------------------------------- */

/* 1 - rho of the rectangle, halved in its wave numbers where a wall is not held. */
static double gap_guess(const struct hs_problem *p, const struct hs_system *s)
{
  const struct hs_stencil_f64 quarter = {1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0};
  const int nx = p->grid_nx > 2 ? p->grid_nx : 3, ny = p->grid_ny > 2 ? p->grid_ny : 3;
  const bool open = s->free_nodes > (int64_t)(nx - 2) * (ny - 2);
  const double gap = 1.0 - mode_factor(&quarter, nx, ny, 1, 1);
  return open ? 0.25 * gap : gap;
}

/* Is the exact stop sweep found, or the next multiple of check_every? */
static bool stops_exactly(const struct hs_system *s, const struct hs_solve_settings *settings)
{
  return settings->exact_stop && settings->method != HS_METHOD_CHEBYSHEV &&
         hs_solve_stop_is_exact(s, settings->quantity);
}

static double sweeps_guess(const struct hs_problem *p, const struct hs_system *s,
                           const struct hs_solve_settings *settings, const struct hs_first_update *first)
{
  const double gap = gap_guess(p, s),
               plain_rate = settings->method == HS_METHOD_WEIGHTED ? settings->weight * gap : gap;
  double from = 1.0, rate = plain_rate, sweeps;
  switch (settings->quantity) {
  case HS_STOP_UPDATE_L2: from = first->l2_k; break;
  case HS_STOP_UPDATE_MAX:
  case HS_STOP_CORRECTION: from = first->largest_k; break;
  case HS_STOP_RESIDUAL: from = first->largest_k > 0.0 ? 1.0 : 0.0; break;
  case HS_STOP_ERROR: from = first->largest_k / plain_rate; break;
  }
  if (settings->method == HS_METHOD_CHEBYSHEV) rate = 0.75 * acosh(1.0 / (1.0 - gap));
  sweeps = from > settings->tolerance ? ceil(log(from / settings->tolerance) / rate) : 1.0;
  if (stops_exactly(s, settings) || settings->check_every < 1) return sweeps;
  return settings->check_every * ceil(sweeps / settings->check_every);
}

/* Cycles of multigrid, nested iteration included: a gain in decades each, from the first error, which is taken for the
 * slowest mode's. */
static double cycles_guess(const struct hs_problem *p, const struct hs_system *s,
                           const struct hs_solve_settings *settings, const struct hs_first_update *first)
{
  const double rough = first->roughness, gain = CYCLE_DECADES / (1.0 + ROUGHNESS_COSTS * rough * rough);
  double from = 1.0;
  if (!(first->largest_k > 0.0)) return 1.0;
  if (settings->quantity == HS_STOP_ERROR)
    from = fmax(first->largest_k, first->l2_k / sqrt((double)hs_system_grid_nodes(s)) / gap_guess(p, s));
  return fmax(CYCLES_LEAST, 1.0 + ceil((log10(fmax(from / settings->tolerance, 1.0)) - NESTED_DECADES) / gain));
}

double hs_forecast_guess(const struct hs_problem *problem, const struct hs_system *system,
                         const struct hs_solve_settings *settings, const struct hs_first_update *first)
{
  if (settings->method == HS_METHOD_MULTIGRID) return cycles_guess(problem, system, settings, first);
  return sweeps_guess(problem, system, settings, first);
}

hs_status hs_forecast(const struct hs_problem *problem, const struct hs_system *system,
                      const struct hs_solve_settings *settings, const double *field_k, struct hs_first_update *first,
                      struct hs_forecast *forecast, struct hs_error *err)
{
  const bool cycles = settings->method == HS_METHOD_MULTIGRID;
  struct hs_stencil_f64 interior;
  bool plain = false;
  hs_status status = HS_OK;
  *forecast = (struct hs_forecast){.known = true, .spectral_radius = NAN, .sweeps = 1.0};
  if (system->free_nodes == 0) return HS_OK;
  if (settings->method != HS_METHOD_CHEBYSHEV && !cycles)
    status = plain_rectangle_find(problem, system, &plain, &interior, err);
  if (!status && plain) return forecast_modes(problem, system, settings, &interior, field_k, forecast, err);
  if (!status && !first->known) status = hs_first_update_measure(problem, system, field_k, first, err);
  if (status) return status;
  forecast->known = false;
  forecast->rough = cycles && first->roughness > ROUGH;
  forecast->sweeps =
      fmax(1.0, fmin(hs_forecast_guess(problem, system, settings, first), (double)settings->max_iterations));
  return HS_OK;
}

/* --- time steps ------------------------------------------------------------------------------ */

/* Length of the steps that an adaptive run is taken to make. */
static double step_length(const struct hs_transient_settings *settings)
{
  const double longest_s = fmin(settings->step_max_s, settings->end_s - settings->start_s);
  if (!settings->adaptive || !(longest_s > settings->step_s)) return settings->step_s;
  return sqrt(settings->step_s * longest_s);
}

double hs_forecast_steps(const struct hs_transient_settings *settings)
{
  return fmax(1.0, hs_steps_count(settings->end_s - settings->start_s, step_length(settings), INFINITY));
}

/* Sweeps of an inner solution for steps `longer` times as long as the system's. */
static double inner_sweeps(const struct hs_system *system, const struct hs_transient_settings *settings, double longer)
{
  const double c = fmin(system->contraction, 1.0 - 1e-12),
               w = settings->method == HS_METHOD_WEIGHTED ? settings->weight : 1.0;
  const double gap = w * (1.0 - c) / (1.0 - c + longer * c);
  const double rate = settings->method == HS_METHOD_WEIGHTED || settings->method == HS_METHOD_JACOBI
                          ? -log1p(-gap)
                          : acosh(1.0 / (1.0 - gap));
  if (!(gap < 1.0)) return 1.0;
  return ceil(fmax(1.0, log(1.0 / (settings->inner_tolerance_k * gap)) / rate));
}

double hs_forecast_step(const struct hs_system *system, const struct hs_transient_settings *settings)
{
  const double steps = hs_forecast_steps(settings), damped = fmin((double)settings->damped_steps, steps);
  const double solutions =
      settings->adaptive ? 3.0 : 1.0 + damped / steps; /* the step, and two halves; or these alone */
  const double sweeps = inner_sweeps(system, settings, step_length(settings) / settings->step_s);
  double cycles;
  if (settings->method != HS_METHOD_MULTIGRID) return solutions * fmin(sweeps, (double)settings->max_iterations);
  cycles = log10(1.0 / settings->inner_tolerance_k) / CYCLE_DECADES;
  return solutions * fmax(1.0, ceil(fmin(cycles, sweeps / SMOOTHER_SWEEPS)));
}

void hs_forecast_transient(const struct hs_system *system, const struct hs_transient_settings *settings,
                           struct hs_forecast *forecast)
{
  const double steps = hs_forecast_steps(settings);
  forecast->known = settings->scheme == HS_SCHEME_EXPLICIT;
  forecast->spectral_radius = NAN;
  forecast->sweeps = forecast->known ? steps : steps * hs_forecast_step(system, settings);
}
