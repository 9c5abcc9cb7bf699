/* The difference of two fields of the same size, for verify and compare. */
#ifndef HS_CLI_DIFFERENCE_H
#define HS_CLI_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

struct hs_difference {
  double largest_k, rms_k;  /* NaN when a field holds NaN that the other does not */
  int largest_i, largest_j; /* node of the largest difference */
  size_t different;         /* nodes whose bits differ; NaN, whose bits depend on the processor, equals NaN */
};

/* Compares a and b, [ny*nx] K each. */
struct hs_difference hs_difference_of(const double *a, const double *b, int nx, int ny);

void hs_difference_print(const struct hs_difference *difference, int nx, int ny);

#endif
