/* Largest and root-mean-square difference of two fields, and whether they are the same bits. */
#include "cli/difference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct hs_difference hs_difference_of(const double *a, const double *b, int nx, int ny)
{
  struct hs_difference d = {0.0, 0.0, 0, 0, 0};
  double squares = 0.0;
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++) {
      const size_t n = (size_t)j * (size_t)nx + (size_t)i;
      double size;
      if (!memcmp(&a[n], &b[n], sizeof a[n]) || (isnan(a[n]) && isnan(b[n]))) continue;
      d.different++;
      size = fabs(a[n] - b[n]);
      squares += size * size;
      if (size > d.largest_k || (isnan(size) && !isnan(d.largest_k))) {
        d.largest_k = size;
        d.largest_i = i;
        d.largest_j = j;
      }
    }
  }
  d.rms_k = sqrt(squares / ((double)nx * ny));
  return d;
}

void hs_difference_print(const struct hs_difference *difference, int nx, int ny)
{
  if (!difference->different) {
    printf("same bits           yes, all %.0f nodes\n", (double)nx * ny);
    printf("largest difference  0 K\n");
    return;
  }
  printf("same bits           no, %zu of %.0f nodes differ\n", difference->different, (double)nx * ny);
  if (isnan(difference->largest_k)) {
    printf("largest difference  not a number, first at node (%d, %d)\n", difference->largest_i, difference->largest_j);
    return;
  }
  printf("largest difference  %.3e K at node (%d, %d)\n", difference->largest_k, difference->largest_i,
         difference->largest_j);
  printf("rms difference      %.3e K\n", difference->rms_k);
}
