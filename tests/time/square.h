/* A square of diffusivity 1 with walls at 0, whose modes shrink as closed forms say. */
#ifndef HS_TESTS_TIME_SQUARE_H
#define HS_TESTS_TIME_SQUARE_H

#include "runs.h"
#include "time/transient.h"

enum { SQUARE_N = 24 }; /* intervals */
#define SQUARE_H (1.0 / SQUARE_N)

struct hs_system *square_system(enum hs_scheme scheme, double step_s);

/* The slowest mode, and its rate in the discrete space: dT/dt = -rate T. */
double *square_mode(const struct hs_system *system);
double square_mode_rate(void);

/* Tight tolerances and plenty of sweeps. */
struct hs_transient_settings square_settings(enum hs_scheme scheme, double end_s, double step_s);

/* The discretisations of a run without timed values. */
struct hs_discretisation square_steps(const struct hs_system *system, const struct hs_transient_settings *settings);

/* Runs a system without timed values on cpu-reference from field_k, which receives the field at the end. */
struct hs_transient_outcome square_run(struct hs_system *system, const struct hs_transient_settings *settings,
                                       double *field_k, const struct hs_snapshot_taker *taker);

/* Ends the test unless field_k is the slowest mode times factor. */
void square_assert_mode(const struct hs_system *system, const double *field_k, double factor, double tolerance);

#endif
