/* Forecast of a run's length, for `heatsolve check` and for the choice of a backend. */
#ifndef HS_RUN_FORECAST_H
#define HS_RUN_FORECAST_H

#include "problem/problem.h"
#include "problem/system.h"
#include "run/first_update.h"
#include "solve/solve.h"
#include "time/transient.h"

struct hs_forecast {
  bool known;             /* false: sweeps is a guess, right within a factor of ten or so */
  bool rough;             /* multigrid: conductivities jump from cell to cell, which takes more cycles */
  double spectral_radius; /* of the Jacobi iteration matrix; NaN: not known */
  double sweeps;          /* or cycles of multigrid, until the test holds, or until a transient run's end */
};

/* Plain and weighted Jacobi on a uniform rectangle whose outermost nodes are held, and no others, are forecast from
 * their slowest modes
 *
 *     sin(m pi i/(nx-1)) sin(n pi j/(ny-1)),   m, n = 1 .. 16,
 *     rho = s - 2 wx (1 - cos(m pi/(nx-1))) - 2 wy (1 - cos(n pi/(ny-1))),   s = 2 wx + 2 wy <= 1
 *
 * and their checkerboard partners, whose factor is -rho (Saad, Iterative Methods for Sparse Linear
 * Systems, 2003, ch. 13): the first update is projected on all of them, and the tested quantity of
 * their sum is followed until it meets the tolerance. While faster modes than these may still
 * matter, no stop is forecast. Weighted sweeps have the factors 1 - w + w rho and 1 - w - w rho.
 *
 * Any other system gets a guess: the tested quantity falls from its first value at the rate of the rectangle's slowest
 * mode. Where a wall is not held, the slowest mode is taken to be twice as long, so that it decays four times more slowly.
 * Chebyshev's rate is acosh(1/rho), with a third more sweeps for finding rho. Limit: materials of very different
 * conductivity take far longer. Multigrid's cycles gain about a decade each on any grid, less where conductivities jump from
 * cell to cell.
 * field_k is the initial field, [ny*nx] K; *first is measured where it is needed and not known yet. Collective over the
 * problem's ranks. Errors: HS_ERR_MEMORY, HS_ERR_IO. */
hs_status hs_forecast(const struct hs_problem *problem, const struct hs_system *system,
                      const struct hs_solve_settings *settings, const double *field_k, struct hs_first_update *first,
                      struct hs_forecast *forecast, struct hs_error *err);

/* That guess alone, for any steady system, whatever settings->max_iterations: sweeps, or cycles. */
double hs_forecast_guess(const struct hs_problem *problem, const struct hs_system *system,
                         const struct hs_solve_settings *settings, const struct hs_first_update *first);

/* Steps of a transient run. Those of an adaptive one are taken to be as long as the geometric mean of its first and its
 * longest step. At least 1. */
double hs_forecast_steps(const struct hs_transient_settings *settings);

/* A guess of the sweeps, or cycles, of an implicit step, the mean of all: inner solutions begin 1 K away. Sweeps converge by the contraction
 * of the weights; cycles gain as in steady problems, or what four of Chebyshev's sweeps would where that is more. */
double hs_forecast_step(const struct hs_system *system, const struct hs_transient_settings *settings);

/* The sweeps of all time steps. Known for the explicit scheme, a guess for implicit ones. */
void hs_forecast_transient(const struct hs_system *system, const struct hs_transient_settings *settings,
                           struct hs_forecast *forecast);

#endif
