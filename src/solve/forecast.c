/* The forecast: one pass over the initial field, in parallel, and a bisection on the number of sweeps. */
#include "solve/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MODES = 16 };

/* The first update, projected on the modes (m, n) = 1 .. MODES and on their checkerboard partners. */
struct projection {
  double smooth[MODES][MODES], checkered[MODES][MODES]; /* amplitudes, K, by n - 1 and m - 1 */
  double rho[MODES][MODES];
  double squares; /* sum of the squared updates, K^2 */
  double mode_l2; /* 2-norm of a mode of amplitude 1 */
};

static double update_at(const struct hs_system *s, const double *t, size_t n)
{
  const size_t nx = (size_t)s->nx;
  return hs_node_update_f64(&s->stencil[s->index[n]], t[n - 1], t[n + 1], t[n - nx], t[n + nx]) - t[n];
}

/* Adds row j; sine is [nx][MODES]. Most updates of a usual start are 0 and cost nothing. */
static void row_project(const struct hs_system *s, const double *t, const double *sine, int modes, int j,
                        struct projection *sum)
{
  double smooth[MODES] = {0.0}, checkered[MODES] = {0.0};
  for (int i = 1; i < s->nx - 1; i++) {
    const double update = update_at(s, t, (size_t)j * (size_t)s->nx + (size_t)i);
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

/* Factor of mode (m, n) per sweep. */
static double mode_factor(const struct hs_system *s, int m, int n)
{
  const struct hs_stencil_f64 *interior = &s->stencil[s->index[(size_t)s->nx + 1]];
  return 1.0 - 0.5 * interior->west * (1.0 - cos(M_PI * m / (s->nx - 1))) -
         0.5 * interior->south * (1.0 - cos(M_PI * n / (s->ny - 1)));
}

/* The tested quantity after k sweeps, as the modes give it: 2-norms exactly, maxima as sums of amplitudes. */
static double value_after(const struct projection *p, int modes, enum hs_stop_quantity quantity, double k)
{
  double squares = 0.0, update = 0.0, error = 0.0;
  for (int n = 0; n < modes; n++) {
    for (int m = 0; m < modes; m++) {
      const double rho = p->rho[n][m], decay = pow(fabs(rho), k - 1.0);
      const double smooth = fabs(p->smooth[n][m]) * decay, checkered = fabs(p->checkered[n][m]) * decay;
      squares += smooth * smooth + checkered * checkered;
      update += smooth + checkered;
      error += rho * (smooth / (1.0 - rho) + checkered / (1.0 + rho));
    }
  }
  switch (quantity) {
  case HS_STOP_UPDATE_L2: return p->mode_l2 * sqrt(squares);
  case HS_STOP_UPDATE_MAX: return update;
  case HS_STOP_RESIDUAL: return p->squares > 0.0 ? p->rho[0][0] * p->mode_l2 * sqrt(squares / p->squares) : 0.0;
  case HS_STOP_ERROR: return error;
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

hs_status hs_forecast(const struct hs_system *system, const struct hs_solve_settings *settings, const double *field_k,
                      struct hs_forecast *forecast, struct hs_error *err)
{
  const int narrow = system->nx < system->ny ? system->nx : system->ny;
  const int modes = narrow - 2 < MODES ? narrow - 2 : MODES;
  struct projection *p = NULL;
  double from = 1.0;
  hs_status status;

  forecast->known = (system->uniform && modes > 0) || system->free_nodes == 0;
  forecast->spectral_radius = NAN;
  forecast->sweeps = (double)settings->max_iterations;
  if (system->free_nodes == 0) forecast->sweeps = 1.0;
  if (!forecast->known || system->free_nodes == 0) return HS_OK;

  status = hs_array_create((void **)&p, 1, sizeof *p, "the forecast", err);
  if (!status) status = first_update_project(system, field_k, modes, p, err);
  if (status) goto out;
  for (int n = 0; n < modes; n++)
    for (int m = 0; m < modes; m++) p->rho[n][m] = mode_factor(system, m + 1, n + 1);
  forecast->spectral_radius = p->rho[0][0];
  if (modes < narrow - 2) from = ceil(3.0 / (1.0 - mode_factor(system, modes + 1, 1)));
  if (p->squares == 0.0)
    forecast->sweeps = 1.0; /* solved already */
  else if (narrow == 3 && system->nx == system->ny)
    forecast->sweeps = 2.0; /* one free node: solved by the first sweep, confirmed by the second */
  else
    forecast->sweeps = fmax(1.0, sweeps_until(p, modes, settings, from));
out:
  free(p);
  return status;
}
