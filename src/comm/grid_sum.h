/* A sum over the nodes of a grid, whatever threads and ranks hold them: no bit depends on the order of the terms.
 *
 * As numerics/total.h, with a fourth bin, so that what is dropped of a term is at most 2^-72 of the largest one: a balance of
 * heat may have a few large flows beside very many small ones. What the bins hold is carried to integers in time, so that
 * there may be 2^39 terms. A term that is not finite, or beyond 1e281, makes the sum NaN.
 */
#ifndef HS_COMM_GRID_SUM_H
#define HS_COMM_GRID_SUM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "comm/comm.h"
#include "numerics/total.h"

enum { HS_GRID_SUM_BINS = 4, HS_GRID_SUM_ROOM = 1 << 29 };

struct hs_grid_sum {
  double part[HS_GRID_SUM_BINS];     /* of the terms since the last carry, multiples of the bins' units */
  double splitter[HS_GRID_SUM_BINS]; /* of the bins top, top - 1, ... */
  double below;                      /* terms that are smaller have no bin above top */
  int64_t units[HS_GRID_SUM_BINS];   /* what was carried, in the bins' units */
  int top;
  int room; /* for so many terms before the next carry */
  bool lost;
};

struct hs_grid_sum hs_grid_sum_zero(void);

/* For hs_grid_sum_add: carries, and makes room for a term of any size. False: it cannot be added. */
bool hs_grid_sum_prepare(struct hs_grid_sum *sum, double term);

static inline void hs_grid_sum_add(struct hs_grid_sum *sum, double term)
{
  double rest = term;
  if ((!(fabs(term) < sum->below) || sum->room == 0) && !hs_grid_sum_prepare(sum, term)) return;
  sum->room--;
  for (int k = 0; k < HS_GRID_SUM_BINS; k++) {
    const double share = (rest + sum->splitter[k]) - sum->splitter[k];
    sum->part[k] += share;
    rest -= share;
  }
}

/* Adds another sum. */
void hs_grid_sum_merge(struct hs_grid_sum *sum, const struct hs_grid_sum *other);

double hs_grid_sum_value(const struct hs_grid_sum *sum);

/* The values of `count` sums of which each rank has a share. Collective. Errors: HS_ERR_MEMORY, HS_ERR_IO. */
hs_status hs_grid_sums_join(struct hs_comm *comm, const struct hs_grid_sum *sums, int count, double *values,
                            struct hs_error *err);

#endif
