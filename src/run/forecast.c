/* The forecast: the first update of the initial field projected on modes, and a bisection on the number of sweeps; or a
 * guess. */
#include "run/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "time/steps.h"

enum { MODES = 16 };

/* Multigrid: decades that the error falls in a cycle (1.2 to 1.5 in the problems of doc/numerics.md), and how they shrink where
 * conductivities jump from cell to cell. */
static const double CYCLE_DECADES = 1.2, ROUGHNESS_COSTS = 1.7, CYCLES_LEAST = 2.0;
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

/* J(t) - t at a node. Beyond an open wall any value will do: its weight is 0. */
static double update_at(const struct hs_system *s, const double *t, int i, int j)
{
  const size_t nx = (size_t)s->nx, n = (size_t)j * nx + (size_t)i;
  const struct hs_stencil_f64 *node = &s->stencil[hs_system_index(s, n)];
  const double own = s->source_w_m && node->diagonal != 0.0 ? s->source_w_m[n] / node->diagonal : 0.0;
  const size_t west = (size_t)hs_system_beside(i, -1, s->nx, s->wrap_x);
  const size_t east = (size_t)hs_system_beside(i, 1, s->nx, s->wrap_x);
  const size_t south = (size_t)hs_system_beside(j, -1, s->ny, s->wrap_y);
  const size_t north = (size_t)hs_system_beside(j, 1, s->ny, s->wrap_y);
  return hs_node_general_f64(node, node->c + own, t[(size_t)j * nx + west], t[(size_t)j * nx + east],
                             t[south * nx + (size_t)i], t[north * nx + (size_t)i]) -
         t[n];
}

/* Adds row j; sine is [nx][MODES]. Most updates of a usual start are 0 and are skipped. */
static void row_project(const struct hs_system *s, const double *t, const double *sine, int modes, int j,
                        struct projection *sum)
{
  double smooth[MODES] = {0.0}, checkered[MODES] = {0.0};
  for (int i = 1; i < s->nx - 1; i++) {
    const double update = update_at(s, t, i, j);
    const double *at = sine + (size_t)i * MODES;
    if (update == 0.0) continue;
    sum->squares += update * update;
    for (int m = 0; m < modes; m++) {
      smooth[m] += update * at[m];
      checkered[m] += (i + j) % 2 ? -update * at[m] : update * at[m];
    }
  }
  for (int n = 0; n < modes; n++) {
    const double row_sine = sin(M_PI * (n + 1) / (s->ny - 1) * j);
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

/* Projects the first update of the interior nodes on the modes that the grid has. */
static hs_status first_update_project(const struct hs_system *s, const double *t, int modes, struct projection *sum,
                                      struct hs_error *err)
{
  const double norm = 4.0 / ((s->nx - 1.0) * (s->ny - 1.0));
  double *sine = NULL;
  const hs_status status = hs_array_create((void **)&sine, (size_t)s->nx * MODES, sizeof *sine, "the forecast", err);
  if (status) return status;
  for (int i = 0; i < s->nx; i++)
    for (int m = 0; m < modes; m++) sine[(size_t)i * MODES + (size_t)m] = sin(M_PI * (m + 1) / (s->nx - 1) * i);
#pragma omp parallel
  {
    struct projection mine;
    memset(&mine, 0, sizeof mine);
#pragma omp for schedule(static)
    for (int j = 1; j < s->ny - 1; j++) row_project(s, t, sine, modes, j, &mine);
#pragma omp critical(hs_forecast)
    projection_add(sum, &mine);
  }
  for (int n = 0; n < modes; n++) {
    for (int m = 0; m < modes; m++) {
      sum->smooth[n][m] *= norm;
      sum->checkered[n][m] *= norm;
    }
  }
  sum->mode_l2 = 0.5 * sqrt((s->nx - 1.0) * (s->ny - 1.0));
  free(sine);
  return HS_OK;
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

/* Are the outermost nodes held, and no others, and all others equal? */
static bool is_plain_rectangle(const struct hs_system *s)
{
  const size_t nx = (size_t)s->nx;
  const struct hs_stencil_f64 *node;
  if (!s->uniform || s->wrap_x >= 0 || s->wrap_y >= 0 || s->nx < 3 || s->ny < 3) return false;
  if (s->free_nodes != (int64_t)(s->nx - 2) * (s->ny - 2)) return false;
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i += j == 0 || j == s->ny - 1 ? 1 : s->nx - 1)
      if (s->stencil[hs_system_index(s, (size_t)j * nx + (size_t)i)].diagonal != 0.0) return false;
  }
  node = &s->stencil[hs_system_index(s, nx + 1)];
  return node->west == node->east && node->south == node->north;
}

static hs_status forecast_modes(const struct hs_system *s, const struct hs_solve_settings *settings,
                                const double *field_k, struct hs_forecast *forecast, struct hs_error *err)
{
  const struct hs_stencil_f64 *interior = &s->stencil[hs_system_index(s, (size_t)s->nx + 1)];
  const int narrow = s->nx < s->ny ? s->nx : s->ny;
  const int modes = narrow - 2 < MODES ? narrow - 2 : MODES;
  struct projection *p = NULL;
  double from = 1.0;
  hs_status status = hs_array_create((void **)&p, 1, sizeof *p, "the forecast", err);
  if (!status) status = first_update_project(s, field_k, modes, p, err);
  if (status) goto out;
  p->weight = settings->method == HS_METHOD_WEIGHTED ? settings->weight : 1.0;
  for (int n = 0; n < modes; n++)
    for (int m = 0; m < modes; m++) p->rho[n][m] = mode_factor(interior, s->nx, s->ny, m + 1, n + 1);
  forecast->spectral_radius = p->rho[0][0];
  if (modes < narrow - 2) from = ceil(3.0 / (p->weight * (1.0 - mode_factor(interior, s->nx, s->ny, modes + 1, 1))));
  if (p->squares == 0.0)
    forecast->sweeps = 1.0; /* solved already */
  else if (narrow == 3 && s->nx == s->ny && p->weight == 1.0)
    forecast->sweeps = 2.0; /* one free node: solved by the first sweep, confirmed by the second */
  else
    forecast->sweeps = fmax(1.0, sweeps_until(p, modes, settings, from));
out:
  free(p);
  return status;
}

struct hs_first_update hs_first_update_measure(const struct hs_system *s, const double *t)
{
  enum { BLOCKS = 256 }; /* of rows, whose sums are added in order */
  double squares[BLOCKS] = {0.0}, maximum = 0.0, sum = 0.0;
#pragma omp parallel for schedule(static) reduction(max : maximum)
  for (int block = 0; block < BLOCKS; block++) {
    const int from = (int)((int64_t)s->ny * block / BLOCKS), to = (int)((int64_t)s->ny * (block + 1) / BLOCKS);
    for (int j = from; j < to; j++) {
      for (int i = 0; i < s->nx; i++) {
        const double update = fabs(update_at(s, t, i, j));
        squares[block] += update * update;
        maximum = fmax(maximum, update);
      }
    }
  }
  for (int block = 0; block < BLOCKS; block++) sum += squares[block];
  return (struct hs_first_update){true, sqrt(sum), maximum};
}

/* 1 - rho of the rectangle, halved in its wave numbers where a wall is not held. */
static double gap_guess(const struct hs_system *s)
{
  const struct hs_stencil_f64 quarter = {1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0};
  const bool open = s->free_nodes > (int64_t)(s->nx > 2 ? s->nx - 2 : 1) * (s->ny > 2 ? s->ny - 2 : 1);
  const int nx = s->nx > 2 ? s->nx : 3, ny = s->ny > 2 ? s->ny : 3;
  const double gap = 1.0 - mode_factor(&quarter, nx, ny, 1, 1);
  return open ? 0.25 * gap : gap;
}

/* Is the exact stop sweep found, or the next multiple of check_every? */
static bool stops_exactly(const struct hs_system *s, const struct hs_solve_settings *settings)
{
  return settings->exact_stop && settings->method != HS_METHOD_CHEBYSHEV &&
         hs_solve_stop_is_exact(s, settings->quantity);
}

static double sweeps_guess(const struct hs_system *s, const struct hs_solve_settings *settings,
                           const struct hs_first_update *first)
{
  const double gap = gap_guess(s), plain_rate = settings->method == HS_METHOD_WEIGHTED ? settings->weight * gap : gap;
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

/* Mean magnitude, in decades, of the ratio of each node's couplings on opposite sides: of what changes from node to node,
 * smooth maps and blocks leave little. From up to 64 rows. */
static double roughness(const struct hs_system *s)
{
  const int every = 1 + s->ny / 64;
  double sum = 0.0;
  int64_t count = 0;
  for (int j = 0; j < s->ny; j += every)
    for (int i = 0; i < s->nx; i++) {
      const struct hs_stencil_f64 *node = &s->stencil[hs_system_index(s, (size_t)j * (size_t)s->nx + (size_t)i)];
      if (!(node->west > 0.0 && node->east > 0.0 && node->south > 0.0 && node->north > 0.0)) continue;
      sum += 0.5 * (fabs(log10(node->west / node->east)) + fabs(log10(node->south / node->north)));
      count++;
    }
  return count ? sum / (double)count : 0.0;
}

/* Cycles of multigrid: a gain in decades each, from the first error, which is taken for the slowest mode's. */
static double cycles_guess(const struct hs_system *s, const struct hs_solve_settings *settings,
                           const struct hs_first_update *first)
{
  const double rough = roughness(s), gain = CYCLE_DECADES / (1.0 + ROUGHNESS_COSTS * rough * rough);
  double from = 1.0;
  if (!(first->largest_k > 0.0)) return 1.0;
  if (settings->quantity == HS_STOP_ERROR)
    from = fmax(first->largest_k, first->l2_k / sqrt((double)s->nx * s->ny) / gap_guess(s));
  return fmax(CYCLES_LEAST, ceil(log10(fmax(from / settings->tolerance, 1.0)) / gain));
}

double hs_forecast_guess(const struct hs_system *system, const struct hs_solve_settings *settings,
                         const struct hs_first_update *first)
{
  if (settings->method == HS_METHOD_MULTIGRID) return cycles_guess(system, settings, first);
  return sweeps_guess(system, settings, first);
}

hs_status hs_forecast(const struct hs_system *system, const struct hs_solve_settings *settings, const double *field_k,
                      struct hs_first_update *first, struct hs_forecast *forecast, struct hs_error *err)
{
  const bool cycles = settings->method == HS_METHOD_MULTIGRID;
  forecast->known = true;
  forecast->rough = false;
  forecast->spectral_radius = NAN;
  forecast->sweeps = 1.0;
  if (system->free_nodes == 0) return HS_OK;
  if (settings->method != HS_METHOD_CHEBYSHEV && !cycles && is_plain_rectangle(system))
    return forecast_modes(system, settings, field_k, forecast, err);
  if (!first->known) *first = hs_first_update_measure(system, field_k);
  forecast->known = false;
  forecast->rough = cycles && roughness(system) > ROUGH;
  forecast->sweeps = fmax(1.0, fmin(hs_forecast_guess(system, settings, first), (double)settings->max_iterations));
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
  return hs_steps_count(settings->end_s - settings->start_s, step_length(settings), INFINITY);
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
  const double solutions = settings->adaptive ? 3.0 : 1.0; /* the step, and its two halves */
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
