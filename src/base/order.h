/* Comparisons for qsort. */
#ifndef HS_BASE_ORDER_H
#define HS_BASE_ORDER_H

/* Ascending doubles. */
static inline int hs_double_order(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

#endif
