/* The forecast: one pass over the initial field, in parallel, and the logarithm of a ratio. */
#include "solve/forecast.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* The first update and what the slowest modes hold of it. */
struct first_update {
  double slow, fast; /* amplitude, K, of the smooth mode (+rho) and of its checkerboard partner (-rho) */
  double squares;    /* sum of the squared updates, K^2 */
};

static double update_at(const struct hs_system *s, const double *t, size_t n)
{
  const size_t nx = (size_t)s->nx;
  return hs_node_update_f64(&s->stencil[s->index[n]], t[n - 1], t[n + 1], t[n - nx], t[n + nx]) - t[n];
}

/* One row's part of the projection; sine is that of the column angle. */
static struct first_update row_project(const struct hs_system *s, const double *t, const double *sine, int j)
{
  const double row_sine = sin(M_PI / (s->ny - 1) * j);
  struct first_update row = {0.0, 0.0, 0.0};
  for (int i = 1; i < s->nx - 1; i++) {
    const double update = update_at(s, t, (size_t)j * (size_t)s->nx + (size_t)i);
    const double part = update * sine[i];
    row.slow += part;
    row.fast += (i + j) % 2 ? -part : part;
    row.squares += update * update;
  }
  row.slow *= row_sine;
  row.fast *= row_sine;
  return row;
}

/* Projects the first update of the interior nodes on the two modes. */
static hs_status first_update_project(const struct hs_system *s, const double *t, struct first_update *first,
                                      struct hs_error *err)
{
  const double norm = 4.0 / ((s->nx - 1.0) * (s->ny - 1.0));
  double slow = 0.0, fast = 0.0, squares = 0.0;
  double *sine = NULL;
  const hs_status status = hs_array_create((void **)&sine, (size_t)s->nx, sizeof *sine, "the forecast", err);
  if (status) return status;
  for (int i = 0; i < s->nx; i++) sine[i] = sin(M_PI / (s->nx - 1) * i);
#pragma omp parallel for schedule(static) reduction(+ : slow, fast, squares)
  for (int j = 1; j < s->ny - 1; j++) {
    const struct first_update row = row_project(s, t, sine, j);
    slow += row.slow;
    fast += row.fast;
    squares += row.squares;
  }
  first->slow = norm * slow;
  first->fast = norm * fast;
  first->squares = squares;
  free(sine);
  return HS_OK;
}

/* The tested quantity of the two modes at sweep 0, as if they were all there is. */
static double start_value(const struct hs_system *s, enum hs_stop_quantity quantity, double rho,
                          const struct first_update *first)
{
  const double mode_l2 = 0.5 * sqrt((s->nx - 1.0) * (s->ny - 1.0)); /* 2-norm of a mode of amplitude 1 */
  const double amplitude_l2 = mode_l2 * hypot(first->slow, first->fast);
  switch (quantity) {
  case HS_STOP_UPDATE_L2: return amplitude_l2 / rho;
  case HS_STOP_UPDATE_MAX: return (fabs(first->slow) + fabs(first->fast)) / rho;
  case HS_STOP_RESIDUAL: return first->squares > 0.0 ? amplitude_l2 / sqrt(first->squares) : 0.0;
  case HS_STOP_ERROR: return fabs(first->slow) / (1.0 - rho) + fabs(first->fast) / (1.0 + rho);
  }
  return NAN;
}

hs_status hs_forecast(const struct hs_system *system, const struct hs_solve_settings *settings, const double *field_k,
                      struct hs_forecast *forecast, struct hs_error *err)
{
  const struct hs_stencil_f64 *interior;
  struct first_update first;
  double rho, start;
  hs_status status;

  forecast->known = system->uniform && system->nx > 2 && system->ny > 2;
  forecast->spectral_radius = NAN;
  forecast->sweeps = (double)settings->max_iterations;
  if (!forecast->known) return HS_OK;

  interior = &system->stencil[system->index[(size_t)system->nx + 1]];
  rho = 1.0 - 0.5 * interior->west * (1.0 - cos(M_PI / (system->nx - 1))) -
        0.5 * interior->south * (1.0 - cos(M_PI / (system->ny - 1)));
  forecast->spectral_radius = rho;
  status = first_update_project(system, field_k, &first, err);
  if (status) return status;
  start = start_value(system, settings->quantity, rho, &first);
  if (rho < 1e-12)
    forecast->sweeps = 2.0; /* one free node, solved by the first sweep and confirmed by the second */
  else if (!(start > settings->tolerance))
    forecast->sweeps = 1.0;
  else
    forecast->sweeps = fmax(1.0, ceil(log(start / settings->tolerance) / -log(rho)));
  return HS_OK;
}
