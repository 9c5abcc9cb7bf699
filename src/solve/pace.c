/* The rate of the latest call decides on the next one. */
#include "solve/pace.h"

#include <stdbool.h>

#include "base/timer.h"

static const double FIRST_SHARE = 0.05; /* of a period that the first call is to take, by what is expected */

/* Many sweeps are rounded to whole passes and one single sweep, with which a backend ends every call. */
static int64_t rounded(const struct hs_pace *pace, double sweeps)
{
  enum { PASS = 32, FEW = 2 * PASS };
  const int64_t least = pace->backend->sweeps_per_call ? pace->backend->sweeps_per_call(pace->state) : 1;
  const int64_t n = sweeps < 1e15 ? (int64_t)sweeps : (int64_t)1e15;
  if (least > 1 && n < 2 * least) return least;
  if (n < FEW) return n < 1 ? 1 : n;
  return n / PASS * PASS + 1;
}

int64_t hs_pace_sweeps(struct hs_pace *pace)
{
  if (!pace->sweeps) pace->sweeps = rounded(pace, FIRST_SHARE * HS_PACE_PERIOD_S * pace->rate_sweeps_s);
  return pace->sweeps;
}

hs_status hs_pace_since(struct hs_comm *comm, double since_s, double *elapsed_s, struct hs_error *err)
{
  *elapsed_s = hs_time_s() - since_s;
  return hs_comm_largest(comm, elapsed_s, 1, err);
}

void hs_pace_rate(struct hs_pace *pace, int64_t sweeps, double elapsed_s)
{
  if (elapsed_s > 1e-4) pace->rate_sweeps_s = (double)sweeps / elapsed_s;
}

void hs_pace_made(struct hs_pace *pace, int64_t sweeps, double elapsed_s)
{
  const bool quick = elapsed_s < 0.5 * HS_PACE_PERIOD_S;
  hs_pace_rate(pace, sweeps, elapsed_s);
  if (!quick)
    pace->sweeps = rounded(pace, HS_PACE_PERIOD_S * pace->rate_sweeps_s);
  else if (sweeps == pace->sweeps)
    pace->sweeps = rounded(pace, 2.0 * (double)sweeps);
}
