/* How many sweeps to ask a backend for between two looks at events (progress, signals).
 *
 * A piece is about a period's sweeps, at the rate that the piece before had; pieces double until one takes half a
 * period. It is not shorter than the backend's stretch (backend.h), though that may take longer: a rate that was
 * measured on a piece of one sweep would ask for one sweep again.
 */
#ifndef HS_SOLVE_PACE_H
#define HS_SOLVE_PACE_H

#include <stdint.h>

#include "backend/backend.h"

#define HS_PACE_PERIOD_S 0.1

struct hs_pace {
  const struct hs_backend *backend;
  const struct hs_backend_state *state;
  double rate_sweeps_s; /* expected, which counts for little, then measured; 0 while unknown */
  int64_t piece;        /* 0: not chosen yet */
};

/* Sweeps of the next piece, at least 1. */
int64_t hs_pace_piece(struct hs_pace *pace);

/* Notes that a piece of `sweeps` sweeps took elapsed_s, and chooses the next one. */
void hs_pace_made(struct hs_pace *pace, int64_t sweeps, double elapsed_s);

/* Notes the rate alone. */
void hs_pace_rate(struct hs_pace *pace, int64_t sweeps, double elapsed_s);

#endif
