/* Carries, values and the sums of all ranks; see grid_sum.h. */
#include "comm/grid_sum.h"

#include <math.h>
#include <stdbool.h>

void hs_grid_sum_carry(struct hs_grid_sum *sum)
{
  for (int k = 0; k + 1 < HS_GRID_SUM_DIGITS; k++) {
    const int64_t digit = sum->digit[k] & 0xffffffff;
    sum->digit[k + 1] += (sum->digit[k] - digit) / (INT64_C(1) << 32);
    sum->digit[k] = digit;
  }
  sum->terms = 0;
}

void hs_grid_sum_add_all(struct hs_grid_sum *sum, const double *terms, size_t count)
{
  enum { TOGETHER = 1 << 11 }; /* so many mantissas of 53 bits add up to less than 2^64 */
  size_t next;
  for (size_t first = 0; first < count; first = next) {
    const size_t end = count - first < TOGETHER ? count : first + TOGETHER;
    uint64_t bits, head, mantissas = 0;
    memcpy(&bits, &terms[first], sizeof bits);
    head = bits >> 52;
    for (next = first; next < end; next++) {
      memcpy(&bits, &terms[next], sizeof bits);
      if (bits >> 52 != head) break;
      mantissas += bits & ((UINT64_C(1) << 52) - 1);
    }
    if ((head & 0x7ff) == 0x7ff)
      sum->not_finite += (int64_t)(next - first);
    else
      hs_grid_sum_add_bits(sum, head, mantissas + ((head & 0x7ff) > 0 ? (uint64_t)(next - first) << 52 : 0));
  }
}

void hs_grid_sum_merge(struct hs_grid_sum *sum, const struct hs_grid_sum *other)
{
  struct hs_grid_sum more = *other;
  hs_grid_sum_carry(&more);
  hs_grid_sum_carry(sum);
  for (int k = 0; k < HS_GRID_SUM_DIGITS; k++) sum->digit[k] += more.digit[k];
  sum->not_finite += more.not_finite;
  hs_grid_sum_carry(sum);
}

double hs_grid_sum_value(const struct hs_grid_sum *sum)
{
  struct hs_grid_sum s = *sum;
  long double value = 0.0L;
  int top = HS_GRID_SUM_DIGITS - 1;
  bool negative;
  if (sum->not_finite) return NAN;
  hs_grid_sum_carry(&s);
  negative = s.digit[HS_GRID_SUM_DIGITS - 1] < 0;
  for (int k = 0; negative && k < HS_GRID_SUM_DIGITS; k++) s.digit[k] = -s.digit[k];
  if (negative) hs_grid_sum_carry(&s);
  while (top > 0 && s.digit[top] == 0) top--;
  for (int k = top > 3 ? top - 3 : 0; k <= top; k++)
    value += ldexpl((long double)s.digit[k], 32 * k + HS_GRID_SUM_LOWEST);
  return (double)(negative ? -value : value);
}

/* Carried digits leave room for those of 2^31 ranks. */
hs_status hs_grid_sums_join(struct hs_comm *comm, struct hs_grid_sum *sums, int count, double *values,
                            struct hs_error *err)
{
  const int numbers = count * (int)(sizeof *sums / sizeof(int64_t));
  hs_status status;
  for (int k = 0; k < count; k++) hs_grid_sum_carry(&sums[k]);
  status = hs_comm_count(comm, (int64_t *)sums, numbers, err);
  for (int k = 0; values && k < count; k++) values[k] = hs_grid_sum_value(&sums[k]);
  return status;
}
