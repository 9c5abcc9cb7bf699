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

/* Forecasts plain Jacobi on a uniform rectangle with held walls from the slowest pair of modes,
 * sin(pi i/(nx-1)) sin(pi j/(ny-1)) and its checkerboard partner, whose factors are +-rho,
 *
 *     rho = 1 - 2 wx (1 - cos(pi/(nx-1))) - 2 wy (1 - cos(pi/(ny-1))),   2 wx + 2 wy = 1
 *
 * (Saad, Iterative Methods for Sparse Linear Systems, 2003, ch. 13): the first update is projected
 * on both, and the tested quantity is that of the two modes after k sweeps. field_k is the initial
 * field, [ny*nx] K. Errors: HS_ERR_MEMORY. */
hs_status hs_forecast(const struct hs_system *system, const struct hs_solve_settings *settings, const double *field_k,
                      struct hs_forecast *forecast, struct hs_error *err);

#endif
