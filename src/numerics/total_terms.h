/* Batches of terms of a total (total.h), on the host. */
#ifndef HS_NUMERICS_TOTAL_TERMS_H
#define HS_NUMERICS_TOTAL_TERMS_H

#include "numerics/total.h"

/* Adds `count` terms: the largest one decides the bin once. */
static inline void hs_total_add(struct hs_total *total, const double *term, int count)
{
  double largest = 0.0, splitter[3], high = 0.0, middle = 0.0, low = 0.0;
  for (int k = 0; k < count; k++) largest = hs_tally_larger(fabs(term[k]), largest);
  hs_total_raise(total, hs_total_bin(largest));
  for (int k = 0; k < 3; k++) splitter[k] = hs_total_splitter(total->top - k);
#pragma omp simd reduction(+ : high, middle, low)
  for (int k = 0; k < count; k++) hs_total_split(term[k], splitter, &high, &middle, &low);
  total->sum[0] += high;
  total->sum[1] += middle;
  total->sum[2] += low;
}

#endif
