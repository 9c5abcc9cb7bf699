/* Forecast of a run's length, for `heatsolve check` and for the choice of a backend. */
#ifndef HS_SOLVE_FORECAST_H
#define HS_SOLVE_FORECAST_H

#include "problem/system.h"
#include "solve/solve.h"

struct hs_forecast {
  bool known;             /* false: no forecast for this system, sweeps is then max_iterations */
  double spectral_radius; /* of the Jacobi iteration matrix */
  double sweeps;          /* until the test holds */
};

/* Forecasts plain Jacobi on a uniform rectangle with held walls from its slowest modes
 *
 *     sin(m pi i/(nx-1)) sin(n pi j/(ny-1)),   m, n = 1 .. 16,
 *     rho = 1 - 2 wx (1 - cos(m pi/(nx-1))) - 2 wy (1 - cos(n pi/(ny-1))),   2 wx + 2 wy = 1
 *
 * and their checkerboard partners, whose factor is -rho (Saad, Iterative Methods for Sparse Linear
 * Systems, 2003, ch. 13): the first update is projected on all of them, and the tested quantity of
 * their sum is followed until it meets the tolerance. While faster modes than these may still
 * matter, no stop is forecast. field_k is the initial field, [ny*nx] K. Errors: HS_ERR_MEMORY. */
hs_status hs_forecast(const struct hs_system *system, const struct hs_solve_settings *settings, const double *field_k,
                      struct hs_forecast *forecast, struct hs_error *err);

#endif
