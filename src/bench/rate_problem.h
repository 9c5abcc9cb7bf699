/* What rate.c needs to know of the problem beside its system. */
#ifndef HS_BENCH_RATE_PROBLEM_H
#define HS_BENCH_RATE_PROBLEM_H

#include "bench/rate.h"

/* Side of a cell, m. */
double hs_rate_cell_m(const struct hs_rate_problem *problem);

/* The field that timed sweeps start from, [ny*nx] K, owned by the caller: held walls at their temperatures, a bump with
 * all bits in use between them; of a configuration, its initial one. Errors: HS_ERR_MEMORY. */
hs_status hs_rate_field(const struct hs_rate_problem *problem, const struct hs_system *system, double **field_k,
                        struct hs_error *err);

/* What the timing of multigrid needs: a state of the backend with the field loaded. */
struct hs_rate_cycles {
  const struct hs_backend *backend;
  const struct hs_system *system;
  const struct hs_backend_options *options;
  const struct hs_rate_settings *settings;
  const struct hs_config *config; /* of the problem, or NULL */
  struct hs_backend_state *state;
};

/* Times levels and solutions; fills rate but for threads. Errors: HS_ERR_MEMORY, HS_ERR_DEVICE; HS_ERR_UNSUPPORTED where a
 * solution does not converge. */
hs_status hs_rate_cycles(const struct hs_rate_cycles *cycles, struct hs_rate *rate, struct hs_error *err);

#endif
