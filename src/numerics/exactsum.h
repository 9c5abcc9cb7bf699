/* A sum of squares that does not depend on the order of summation.
 *
 * Each square q is split by two constants into a multiple of u1 and a multiple of u2 (what
 * remains, below u2/2, is dropped); sums of such multiples are exact in double precision as
 * long as they stay below 2^53 units, so any order, thread count, tile or rank gives the same
 * bits. This is the pre-rounding of Demmel and Nguyen, "Fast Reproducible Floating-Point
 * Summation" (ARITH 21, 2013), with two folds and a scale known beforehand.
 *
 * The scale: values are multiplied by a power of two such that the expected largest one is at
 * most 1. Up to HS_SUM_SLACK times that is still summed exactly; where the largest is beyond that, or
 * less than 1/HS_SUM_STALE of it, the caller measures again with the scale of the maximum found.
 */
#ifndef HS_NUMERICS_EXACTSUM_H
#define HS_NUMERICS_EXACTSUM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "numerics/node.h"

#define HS_SUM_SLACK 16.0

/* A largest value that is this many times smaller than expected leaves the sum too few digits: measure again, too. */
#define HS_SUM_STALE 64.0

/* The two splitting constants for sums of up to a given number of terms. */
struct hs_sum_split {
  double m1, m2;
};

/* With n <= 2^L terms q <= 2^8: u1 = 2^(8+L-51), and u2 = u1 2^(L-52). Relative to a value at
 * the expected maximum the resolution u2/2 is 2^(2L-96): 2^-64 for 256^2 nodes, 2^-40 for 16384^2. */
HS_INLINE struct hs_sum_split hs_sum_split_for(int64_t terms)
{
  int bits = 0;
  struct hs_sum_split split;
  while (((int64_t)1 << bits) < terms) bits++;
  split.m1 = ldexp(3.0, 8 + bits);
  split.m2 = ldexp(3.0, 8 + 2 * bits - 52);
  return split;
}

struct hs_sum {
  double high, low; /* multiples of u1 and of u2 */
};

/* The square of an already scaled value, as it is added. */
HS_INLINE_ALWAYS struct hs_sum hs_sum_square(struct hs_sum_split split, double scaled)
{
  const double q = scaled * scaled;
  const double high = (q + split.m1) - split.m1;
  const double low = q - high;
  const struct hs_sum square = {high, (low + split.m2) - split.m2};
  return square;
}

/* Adds the square of an already scaled value. */
HS_INLINE_ALWAYS void hs_sum_add_square(struct hs_sum *sum, struct hs_sum_split split, double scaled)
{
  const struct hs_sum square = hs_sum_square(split, scaled);
  sum->high += square.high;
  sum->low += square.low;
}

/* The power of two that brings values of at most bound to at most 1 (4 at the very end of the range);
 * 1 where bound is no positive number. Built from the exponent's bits: frexp and ldexp are slow on a device. */
HS_INLINE double hs_sum_scale(double bound)
{
  uint64_t bits;
  int64_t exponent;
  double scale;
  memcpy(&bits, &bound, sizeof bits);
  exponent = (int64_t)(bits >> 52); /* biased; the sign bit counts as huge */
  if (bits == 0 || exponent >= 0x7ff) return 1.0;
  if (exponent < 50) exponent = 50; /* the scale stays finite, and normal */
  if (exponent > 2044) exponent = 2044;
  bits = (uint64_t)(2045 - exponent) << 52;
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}

/* The 2-norm from the accumulated squares of values that were scaled by scale. */
HS_INLINE double hs_sum_norm(struct hs_sum sum, double scale)
{
  return sqrt(sum.high + sum.low) / scale;
}

#endif
