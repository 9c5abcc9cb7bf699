/* An exact sum: any terms, in any order, give the same number, and nothing is lost however different they are.
 *
 * The accumulator is a fixed-point number as wide as the range of double precision, in digits of 32 bits (Kulisch and Miranker,
 * "The Arithmetic of the Digital Computer: A New Approach", SIAM Review 28, 1986). A digit is kept in 64 bits, so that carries can
 * wait. Slower than numerics/total.h, which drops what is small beside the largest term; for host code that sums once.
 * Limits: 2^31 terms between two calls of hs_accumulator_carry; infinities and NaN make the sum NaN.
 */
#ifndef HS_NUMERICS_ACCUMULATOR_H
#define HS_NUMERICS_ACCUMULATOR_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { HS_ACCUMULATOR_LOWEST = -1074, HS_ACCUMULATOR_DIGITS = 68 };

struct hs_accumulator {
  int64_t digit[HS_ACCUMULATOR_DIGITS]; /* digit k counts units of 2^(32 k + HS_ACCUMULATOR_LOWEST) */
  int64_t not_finite;                   /* terms */
};

static inline void hs_accumulator_add(struct hs_accumulator *sum, double term)
{
  uint64_t bits, mantissa, low, high;
  int64_t sign;
  int exponent, place, shift;
  int64_t *digit;
  memcpy(&bits, &term, sizeof bits);
  exponent = (int)(bits >> 52 & 0x7ff);
  mantissa = bits & ((UINT64_C(1) << 52) - 1);
  if (exponent == 0x7ff) {
    sum->not_finite++;
    return;
  }
  if (exponent > 0) mantissa |= UINT64_C(1) << 52;
  place = exponent > 0 ? exponent - 1 : 0; /* of the lowest bit, above HS_ACCUMULATOR_LOWEST */
  sign = bits >> 63 ? -1 : 1;
  shift = place % 32;
  digit = sum->digit + place / 32;
  low = (mantissa & 0xffffffff) << shift;
  high = (mantissa >> 32) << shift;
  digit[0] += sign * (int64_t)(low & 0xffffffff);
  digit[1] += sign * (int64_t)((low >> 32) + (high & 0xffffffff));
  digit[2] += sign * (int64_t)(high >> 32);
}

/* Makes all digits but the highest 0 to 2^32 - 1. */
static inline void hs_accumulator_carry(struct hs_accumulator *sum)
{
  for (int k = 0; k + 1 < HS_ACCUMULATOR_DIGITS; k++) {
    const int64_t digit = sum->digit[k] & 0xffffffff;
    sum->digit[k + 1] += (sum->digit[k] - digit) / (INT64_C(1) << 32);
    sum->digit[k] = digit;
  }
}

/* Adds another sum, whose digits have been carried, as those of *sum have; carries. */
static inline void hs_accumulator_merge(struct hs_accumulator *sum, const struct hs_accumulator *other)
{
  for (int k = 0; k < HS_ACCUMULATOR_DIGITS; k++) sum->digit[k] += other->digit[k];
  sum->not_finite += other->not_finite;
  hs_accumulator_carry(sum);
}

/* The sum in long double, rounded from its highest 96 bits or more; NaN where a term was not finite. */
static inline long double hs_accumulator_value(const struct hs_accumulator *sum)
{
  struct hs_accumulator s = *sum;
  long double value = 0.0L;
  int top = HS_ACCUMULATOR_DIGITS - 1;
  bool negative;
  if (sum->not_finite) return NAN;
  hs_accumulator_carry(&s);
  negative = s.digit[HS_ACCUMULATOR_DIGITS - 1] < 0;
  for (int k = 0; negative && k < HS_ACCUMULATOR_DIGITS; k++) s.digit[k] = -s.digit[k];
  if (negative) hs_accumulator_carry(&s);
  while (top > 0 && s.digit[top] == 0) top--;
  for (int k = top > 3 ? top - 3 : 0; k <= top; k++)
    value += ldexpl((long double)s.digit[k], 32 * k + HS_ACCUMULATOR_LOWEST);
  return negative ? -value : value;
}

#endif
