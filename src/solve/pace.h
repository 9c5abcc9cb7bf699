/* How many sweeps to ask a backend for in one call, between two looks at events (progress, signals).
 *
 * A call makes the sweeps of about one period, at the rate of the call before; calls double until one takes half a
 * period. No call is shorter than the backend's sweeps_per_call (backend.h), though that may take longer than a period:
 * a rate measured on a single sweep would ask for a single sweep again.
 */
#ifndef HS_SOLVE_PACE_H
#define HS_SOLVE_PACE_H

#include <stdint.h>

#include "backend/backend.h"
#include "comm/comm.h"

#define HS_PACE_PERIOD_S 0.1

struct hs_pace {
  const struct hs_backend *backend;
  const struct hs_backend_state *state;
  double rate_sweeps_s; /* expected, which counts for little, then measured; 0 while unknown */
  int64_t sweeps;       /* of the next call; 0: not chosen yet */
};

/* Sweeps of the next call, at least 1. */
int64_t hs_pace_sweeps(struct hs_pace *pace);

/* Seconds since then, those of the rank that has waited longest, so that all ranks do the same. Collective. */
hs_status hs_pace_since(struct hs_comm *comm, double since_s, double *elapsed_s, struct hs_error *err);

/* Notes that a call of `sweeps` sweeps took elapsed_s, and chooses the next one. */
void hs_pace_made(struct hs_pace *pace, int64_t sweeps, double elapsed_s);

/* Notes the rate alone. */
void hs_pace_rate(struct hs_pace *pace, int64_t sweeps, double elapsed_s);

#endif
