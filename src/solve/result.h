/* The result: the final field and every number about it. Const to all outputs. */
#ifndef HS_SOLVE_RESULT_H
#define HS_SOLVE_RESULT_H

#include "config/config.h"
#include "problem/system.h"
#include "solve/solve.h"

/* Heat flows of the field, W per metre of depth, positive into the domain. */
struct hs_balance {
  double side_w_m[HS_SIDES]; /* from the held nodes of each side to free nodes */
  double source_w_m;         /* released in free control volumes */
  double in_w_m, out_w_m;    /* sums of the positive and of the negative flows, both >= 0 */
  double imbalance_relative; /* |in - out| / max(in, out), 0 when both are 0 */
};

struct hs_result {
  const struct hs_config *config; /* not owned */
  int nx, ny;
  double dx_m, dy_m;
  double *field_k; /* [ny*nx], owned, row 0 in the south */
  struct hs_solve_outcome outcome;
  struct hs_balance balance;
  double temperature_min_k, temperature_max_k;
  double temperature_mean_k;   /* weighted by control volume area */
  double center_temperature_k; /* node (nx/2, ny/2) */
  const char *backend;         /* name */
  char backend_reason[512];    /* why this one, "" when it was asked for by name */
  struct hs_backend_place place;
  double time_total_s, time_solve_s;
  double node_updates_per_s; /* free nodes times sweeps over time_solve_s */
  char started_utc[32];
};

/* Computes extremes, mean, centre and balance of result->field_k, which the caller has set.
 * Errors: HS_ERR_MEMORY. */
hs_status hs_result_assess(struct hs_result *result, const struct hs_system *system, struct hs_error *err);

/* Frees what the result owns: field and history. */

void hs_result_clear(struct hs_result *result);

#endif
