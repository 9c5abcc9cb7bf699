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

/* Adds a term, or several of the same sign and exponent: `head` are the upper 12 bits of each, `mantissa` is the sum of the
 * others with their hidden bits. */
static inline void hs_grid_sum_add_bits(struct hs_grid_sum *sum, uint64_t head, uint64_t mantissa)
{
  enum { CARRY_AFTER = 1 << 29 }; /* less than 2^33 is added to a digit */
  const int exponent = (int)(head & 0x7ff);
  const int place = exponent > 0 ? exponent - 1 : 0; /* of the lowest bit, above HS_GRID_SUM_LOWEST */
  const int shift = place % 32;
  const int64_t sign = head >> 11 ? -1 : 1;
  const uint64_t low = (mantissa & 0xffffffff) << shift, high = (mantissa >> 32) << shift;
  int64_t *digit = sum->digit + place / 32;
  if (sum->terms++ >= CARRY_AFTER) hs_grid_sum_carry(sum);
  digit[0] += sign * (int64_t)(low & 0xffffffff);
  digit[1] += sign * (int64_t)((low >> 32) + (high & 0xffffffff));
  digit[2] += sign * (int64_t)(high >> 32);
}

static inline void hs_grid_sum_add(struct hs_grid_sum *sum, double term)
{
  uint64_t bits, hidden;
  memcpy(&bits, &term, sizeof bits);
  hidden = (bits >> 52 & 0x7ff) > 0 ? UINT64_C(1) << 52 : 0;
  if ((bits >> 52 & 0x7ff) == 0x7ff)
    sum->not_finite++;
  else
    hs_grid_sum_add_bits(sum, bits >> 52, (bits & ((UINT64_C(1) << 52) - 1)) | hidden);
}

/* Adds `count` terms: faster where neighbours are of the same sign and exponent, as temperatures mostly are. */
void hs_grid_sum_add_all(struct hs_grid_sum *sum, const double *terms, size_t count);

/* Adds another sum. */
void hs_grid_sum_merge(struct hs_grid_sum *sum, const struct hs_grid_sum *other);

/* The sum, rounded once or, seldom, twice. */
double hs_grid_sum_value(const struct hs_grid_sum *sum);

/* The sums of which each rank has a share become those of all ranks; their values, unless NULL. Collective. Errors: HS_ERR_IO. */
hs_status hs_grid_sums_join(struct hs_comm *comm, struct hs_grid_sum *sums, int count, double *values,
                            struct hs_error *err);

#endif
