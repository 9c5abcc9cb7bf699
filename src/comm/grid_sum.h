/* A sum over the nodes of a grid, whatever threads and ranks hold them: exact, so that no bit depends on the order of the terms.
 *
 * A fixed-point number as wide as the range of double precision, in digits of 32 bits (Kulisch and Miranker, "The Arithmetic of
 * the Digital Computer: A New Approach", SIAM Review 28, 1986). A digit is kept in 64 bits, so that carries can wait. For host
 * code; numerics/total.h is for terms by the row and for devices. A sum whose members are all 0 has no terms yet.
 */
#ifndef HS_COMM_GRID_SUM_H
#define HS_COMM_GRID_SUM_H

#include <stdint.h>
#include <string.h>

#include "comm/comm.h"

enum { HS_GRID_SUM_LOWEST = -1074, HS_GRID_SUM_DIGITS = 68 };

struct hs_grid_sum {
  int64_t digit[HS_GRID_SUM_DIGITS]; /* digit k counts units of 2^(32 k + HS_GRID_SUM_LOWEST) */
  int64_t not_finite;                /* terms that are infinite or no number, which make the sum NaN */
  int64_t terms;                     /* since the last carry */
};

/* Makes all digits but the highest 0 to 2^32 - 1. */
void hs_grid_sum_carry(struct hs_grid_sum *sum);

static inline void hs_grid_sum_add(struct hs_grid_sum *sum, double term)
{
  enum { CARRY_AFTER = 1 << 29 }; /* a term adds less than 2^33 to a digit */
  uint64_t bits, mantissa, low, high;
  int exponent, place, shift;
  int64_t *digit, sign;
  memcpy(&bits, &term, sizeof bits);
  exponent = (int)(bits >> 52 & 0x7ff);
  mantissa = bits & ((UINT64_C(1) << 52) - 1);
  if (exponent == 0x7ff) {
    sum->not_finite++;
    return;
  }
  if (sum->terms++ >= CARRY_AFTER) hs_grid_sum_carry(sum);
  if (exponent > 0) mantissa |= UINT64_C(1) << 52;
  place = exponent > 0 ? exponent - 1 : 0; /* of the lowest bit, above HS_GRID_SUM_LOWEST */
  sign = bits >> 63 ? -1 : 1;
  shift = place % 32;
  digit = sum->digit + place / 32;
  low = (mantissa & 0xffffffff) << shift;
  high = (mantissa >> 32) << shift;
  digit[0] += sign * (int64_t)(low & 0xffffffff);
  digit[1] += sign * (int64_t)((low >> 32) + (high & 0xffffffff));
  digit[2] += sign * (int64_t)(high >> 32);
}

/* Adds another sum. */
void hs_grid_sum_merge(struct hs_grid_sum *sum, const struct hs_grid_sum *other);

/* The sum, rounded once or, seldom, twice. */
double hs_grid_sum_value(const struct hs_grid_sum *sum);

/* The sums of which each rank has a share become those of all ranks; their values, unless NULL. Collective. Errors: HS_ERR_IO. */
hs_status hs_grid_sums_join(struct hs_comm *comm, struct hs_grid_sum *sums, int count, double *values,
                            struct hs_error *err);

#endif
