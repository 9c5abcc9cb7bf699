/* The square of the tests over time; see square.h. */
#include "time/square.h"

#include "solve/multigrid/multigrid.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

static struct hs_node_law square_law(void *context, int i, int j)
{
  struct hs_node_law law = {.west = 1.0, .east = 1.0, .south = 1.0, .north = 1.0, .capacity_j_mk = SQUARE_H * SQUARE_H};
  (void)context;
  if (i == 0 || j == 0 || i == SQUARE_N || j == SQUARE_N) law.dirichlet = true;
  return law;
}

struct hs_system *square_system(enum hs_scheme scheme, double step_s)
{
  struct hs_system *system = test_system_of_laws(SQUARE_N + 1, SQUARE_N + 1, SQUARE_H, SQUARE_H, square_law, NULL);
  (void)hs_system_discretise(system, scheme, step_s, NULL, NULL, NULL);
  return system;
}

double *square_mode(const struct hs_system *system)
{
  double *field_k = test_field(system);
  for (int j = 1; j < SQUARE_N; j++)
    for (int i = 1; i < SQUARE_N; i++)
      field_k[j * (SQUARE_N + 1) + i] = sin(PI * i * SQUARE_H) * sin(PI * j * SQUARE_H);
  return field_k;
}

double square_mode_rate(void)
{
  return 8.0 * sin(0.5 * PI * SQUARE_H) * sin(0.5 * PI * SQUARE_H) / (SQUARE_H * SQUARE_H);
}

struct hs_transient_settings square_settings(enum hs_scheme scheme, double end_s, double step_s)
{
  const struct hs_transient_settings settings = {.scheme = scheme,
                                                 .end_s = end_s,
                                                 .step_s = step_s,
                                                 .step_tolerance_k = 1e-3,
                                                 .step_min_s = 1e-12,
                                                 .step_max_s = 1e12,
                                                 .inner_tolerance_k = 1e-11,
                                                 .weight = 0.8,
                                                 .max_iterations = 100000};
  return settings;
}

struct hs_discretisation square_steps(const struct hs_system *system, const struct hs_transient_settings *settings)
{
  struct hs_discretisation steps;
  struct hs_error err = {0};
  test_ok(hs_discretisation_begin(&steps, NULL, system, settings->scheme, 0.0, settings->step_s, &err), &err);
  return steps;
}

struct hs_transient_outcome square_run(struct hs_system *system, const struct hs_transient_settings *settings,
                                       double *field_k, const struct hs_snapshot_taker *taker)
{
  const struct hs_backend_options options = {.single = settings->single, .threads = 1};
  const struct hs_backend *backend = &hs_backend_reference;
  struct hs_backend_state *state = NULL;
  struct hs_transient_outcome outcome;
  struct hs_discretisation steps = square_steps(system, settings);
  struct hs_transient_settings own = *settings;
  struct hs_error err = {0};
  test_ok(backend->create(steps.now, &options, &state, &err), &err);
  test_ok(backend->load(state, field_k, &err), &err);
  if (own.method == HS_METHOD_MULTIGRID)
    test_ok(hs_multigrid_create(backend, steps.now, &options, NULL, &own.multigrid, &err), &err);
  test_ok(hs_transient_run(&steps, &own, backend, state, NULL, taker, &outcome, &err), &err);
  hs_multigrid_destroy(own.multigrid);
  test_ok(backend->fetch(state, field_k, &err), &err);
  backend->destroy(state);
  hs_discretisation_clear(&steps);
  return outcome;
}

void square_assert_mode(const struct hs_system *system, const double *field_k, double factor, double tolerance)
{
  double *wanted = square_mode(system);
  for (int n = 0; n < (SQUARE_N + 1) * (SQUARE_N + 1); n++) wanted[n] *= factor;
  test_near("eigenmode", test_difference(wanted, field_k, (SQUARE_N + 1) * (SQUARE_N + 1)), 0.0, tolerance);
  free(wanted);
}
