/* A sum of signed terms that does not depend on the order of summation, nor needs to know their size beforehand.
 *
 * The exponents of double precision are cut into bins of 24 bits. A term is split at the boundaries of the bins, and a total
 * keeps three bins: that of the largest term so far and the two below; what belongs to lower bins is dropped. In each bin
 * up to 2^29 terms add up exactly, so order, threads and tiles change no bit (indexed summation: Ahrens, Demmel and Nguyen,
 * "Algorithms for Efficient Reproducible Floating Point Summation", ACM TOMS 46, 2020, without their carries). What is
 * dropped of a term is at most 2^-48 of the largest one.
 */
#ifndef HS_NUMERICS_TOTAL_H
#define HS_NUMERICS_TOTAL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "numerics/node.h"

enum { HS_TOTAL_BIN_BITS = 24, HS_TOTAL_LOWEST = -38, HS_TOTAL_HIGHEST = 38 };

struct hs_total {
  double sum[3]; /* of the bins top, top - 1, top - 2 */
  int top;       /* HS_TOTAL_LOWEST at the start */
};

HS_INLINE struct hs_total hs_total_zero(void)
{
  const struct hs_total zero = {{0.0, 0.0, 0.0}, HS_TOTAL_LOWEST};
  return zero;
}

/* 2^exponent, -1022 <= exponent <= 1023, from its bits: ldexp is slow on a device. */
HS_INLINE double hs_power_of_two(int exponent)
{
  const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The bin of a term; infinities and NaN count as the highest. */
HS_INLINE int hs_total_bin(double term)
{
  uint64_t bits;
  int exponent, bin;
  memcpy(&bits, &term, sizeof bits);
  exponent =
      (int)(bits >> 52 & 0x7ff) - 1022; /* a term is less than half a unit of the next bin: it rounds to 0 there */
  bin = exponent >= 0 ? exponent / HS_TOTAL_BIN_BITS : -((HS_TOTAL_BIN_BITS - 1 - exponent) / HS_TOTAL_BIN_BITS);
  if (bin < HS_TOTAL_LOWEST) return HS_TOTAL_LOWEST;
  return bin > HS_TOTAL_HIGHEST ? HS_TOTAL_HIGHEST : bin;
}

/* Makes `top` the highest bin, if it is above. */
HS_INLINE void hs_total_raise(struct hs_total *total, int top)
{
  const int by = top - total->top;
  if (by <= 0) return;
  total->sum[2] = by == 1 ? total->sum[1] : by == 2 ? total->sum[0] : 0.0;
  total->sum[1] = by == 1 ? total->sum[0] : 0.0;
  total->sum[0] = 0.0;
  total->top = top;
}

/* The constant that rounds to multiples of the unit of a bin. */
HS_INLINE double hs_total_splitter(int bin)
{
  return 1.5 * hs_power_of_two(52 + HS_TOTAL_BIN_BITS * bin);
}

/* Adds a term to sums whose top bin, with these splitters, is not below that of the term. */
HS_INLINE_ALWAYS void hs_total_split(double term, const double splitter[3], double *high, double *middle, double *low)
{
  const double h = (term + splitter[0]) - splitter[0], rest = term - h;
  const double m = (rest + splitter[1]) - splitter[1], last = rest - m;
  *high += h;
  *middle += m;
  *low += (last + splitter[2]) - splitter[2];
}

HS_INLINE void hs_total_merge(struct hs_total *total, const struct hs_total *other)
{
  struct hs_total o = *other;
  hs_total_raise(total, o.top);
  hs_total_raise(&o, total->top);
  total->sum[0] += o.sum[0];
  total->sum[1] += o.sum[1];
  total->sum[2] += o.sum[2];
}

HS_INLINE double hs_total_value(const struct hs_total *total)
{
  return total->sum[0] + (total->sum[1] + total->sum[2]);
}

/* Largest magnitudes and sums: of a thread, of a part of the grid, or of all. */
enum { HS_TALLY_MAXIMA = 3, HS_TALLY_SUMS = 4 };

struct hs_tally {
  double max[HS_TALLY_MAXIMA];
  struct hs_total sum[HS_TALLY_SUMS];
};

/* Those of a correction z, its residual r and the direction p behind it; the first ones of what else is tallied. */
enum { HS_MAX_Z, HS_MAX_R, HS_MAX_BEHIND, HS_MAX_X = HS_MAX_BEHIND /* of a step: its iterate */ };
enum { HS_SUM_ZR, HS_SUM_RR, HS_SUM_Z_AZ, HS_SUM_P_AZ };

HS_INLINE struct hs_tally hs_tally_zero(void)
{
  struct hs_tally zero;
  int k;
  for (k = 0; k < HS_TALLY_MAXIMA; k++) zero.max[k] = 0.0;
  for (k = 0; k < HS_TALLY_SUMS; k++) zero.sum[k] = hs_total_zero();
  return zero;
}

/* The upper half of a magnitude: all but its last 32 bits. Maxima of these are those of magnitudes but for 2^-20 of them. */
HS_INLINE uint32_t hs_magnitude_upper(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint32_t)(bits >> 32) & 0x7fffffffu;
}

HS_INLINE double hs_magnitude_of_upper(uint32_t upper)
{
  const uint64_t bits = (uint64_t)upper << 32;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The larger one; NaN wins. */
HS_INLINE double hs_tally_larger(double a, double b)
{
  return a >= b ? a : isnan(a) ? a : b;
}

HS_INLINE void hs_tally_merge(struct hs_tally *all, const struct hs_tally *other)
{
  int k;
  for (k = 0; k < HS_TALLY_MAXIMA; k++) all->max[k] = hs_tally_larger(fabs(other->max[k]), all->max[k]);
  for (k = 0; k < HS_TALLY_SUMS; k++) hs_total_merge(&all->sum[k], &other->sum[k]);
}

#endif
