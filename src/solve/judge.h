/* Who finds the error of a run's field by multigrid cycles, whatever method made it.
 *
 * The levels are made when they are first needed, and kept. Where memory for them is short, the judge says so and finds
 * nothing from then on: what the history of the iteration tells has to do.
 */
#ifndef HS_SOLVE_JUDGE_H
#define HS_SOLVE_JUDGE_H

#include "backend/backend.h"
#include "solve/multigrid/multigrid.h"

/* backend, system and options are the caller's; all else is 0 to begin with. */
struct hs_judge {
  const struct hs_backend *backend;
  const struct hs_system *system; /* steady */
  const struct hs_backend_options *options;
  struct hs_multigrid *multigrid; /* NULL: not made yet */
  bool given_up;
  struct hs_error why; /* then: what was short */
  int asked, cycles;
  double time_s; /* that it has taken */
};

/* Bytes that the levels take on the host and on the device. */
void hs_judge_bytes(const struct hs_judge *judge, double *host, double *device);

/* The error of the present field of a state, which stays as it is; around_k and
 * estimate as in hs_multigrid_estimate. error_k is NaN where it cannot be found. Errors:
 * HS_ERR_MEMORY, HS_ERR_DEVICE of what is not the levels' memory. */
hs_status hs_judge_ask(struct hs_judge *judge, struct hs_backend_state *state, double around_k, bool with_gap,
                       struct hs_estimate *estimate, struct hs_error *err);

/* Frees the levels. */
void hs_judge_clear(struct hs_judge *judge);

#endif
