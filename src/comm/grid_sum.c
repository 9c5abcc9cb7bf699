/* Carries, larger bins and the sums of other ranks; see grid_sum.h. */
#include "comm/grid_sum.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The exponent of a bin's unit. */
static int unit_exponent(int bin)
{
  return HS_TOTAL_BIN_BITS * bin;
}

/* Sets what follows from the highest bin. */
static void splitters_set(struct hs_grid_sum *sum)
{
  for (int k = 0; k < HS_GRID_SUM_BINS; k++) sum->splitter[k] = hs_total_splitter(sum->top - k);
  sum->below = hs_power_of_two(unit_exponent(sum->top + 1) - 1);
}

struct hs_grid_sum hs_grid_sum_zero(void)
{
  struct hs_grid_sum zero;
  memset(&zero, 0, sizeof zero);
  zero.top = HS_TOTAL_LOWEST;
  zero.room = HS_GRID_SUM_ROOM;
  splitters_set(&zero);
  return zero;
}

static void carry(struct hs_grid_sum *sum)
{
  for (int k = 0; k < HS_GRID_SUM_BINS; k++) {
    sum->units[k] += (int64_t)(sum->part[k] * hs_power_of_two(-unit_exponent(sum->top - k)));
    sum->part[k] = 0.0;
  }
  sum->room = HS_GRID_SUM_ROOM;
}

/* Makes `top` the highest bin, if it is above. Nothing must be left to carry. */
static void raise(struct hs_grid_sum *sum, int top)
{
  const int by = top - sum->top;
  if (by <= 0) return;
  for (int k = HS_GRID_SUM_BINS - 1; k >= 0; k--) sum->units[k] = k >= by ? sum->units[k - by] : 0;
  sum->top = top;
  splitters_set(sum);
}

bool hs_grid_sum_prepare(struct hs_grid_sum *sum, double term)
{
  const double most = hs_power_of_two(unit_exponent(HS_TOTAL_HIGHEST + 1) - 1);
  if (!(fabs(term) < most)) {
    sum->lost = true;
    return false;
  }
  carry(sum);
  raise(sum, hs_total_bin(term));
  return true;
}

void hs_grid_sum_merge(struct hs_grid_sum *sum, const struct hs_grid_sum *other)
{
  struct hs_grid_sum more = *other;
  carry(sum);
  carry(&more);
  raise(sum, more.top);
  raise(&more, sum->top);
  for (int k = 0; k < HS_GRID_SUM_BINS; k++) sum->units[k] += more.units[k];
  sum->lost = sum->lost || more.lost;
}

double hs_grid_sum_value(const struct hs_grid_sum *sum)
{
  struct hs_grid_sum all = *sum;
  double value = 0.0;
  carry(&all);
  for (int k = HS_GRID_SUM_BINS - 1; k >= 0; k--)
    value += (double)all.units[k] * hs_power_of_two(unit_exponent(all.top - k));
  return all.lost ? NAN : value;
}

hs_status hs_grid_sums_join(struct hs_comm *comm, const struct hs_grid_sum *sums, int count, double *values,
                            struct hs_error *err)
{
  const int ranks = hs_comm_size(comm);
  struct hs_grid_sum *all = NULL;
  hs_status status =
      hs_array_create((void **)&all, (size_t)ranks * (size_t)count + 1, sizeof *all, "the sums of all ranks", err);
  status = hs_comm_agree(comm, status, err);
  if (!status) status = hs_comm_gather(comm, sums, (size_t)count * sizeof *sums, all, err);
  for (int k = 0; !status && k < count; k++) {
    for (int rank = 1; rank < ranks; rank++) hs_grid_sum_merge(&all[k], &all[rank * count + k]);
    values[k] = hs_grid_sum_value(&all[k]);
  }
  free(all);
  return status;
}
