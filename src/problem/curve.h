/* A curve through points, read from a CSV file of two columns. */
#ifndef HS_PROBLEM_CURVE_H
#define HS_PROBLEM_CURVE_H

#include <stdbool.h>

#include "base/status.h"

enum { HS_CURVE_POINTS_MOST = 10000000 };

struct hs_curve {
  double *x, *y; /* [count], x ascending */
  int count;
};

/* Reads path, in the form of io/csv_read.h, with at most HS_CURVE_POINTS_MOST points. where ("wall.ini:7: [boundary
 * top] temperature") begins the messages. The caller clears *curve also after a failure. Errors: HS_ERR_IO
 * (unreadable), HS_ERR_CONFIG (with file and line), HS_ERR_MEMORY. */
hs_status hs_curve_read(const char *path, const char *where, struct hs_curve *curve, struct hs_error *err);

void hs_curve_clear(struct hs_curve *curve); /* frees what it owns */

/* Linear between the points, constant outside. */
double hs_curve_at(const struct hs_curve *curve, double x);

#endif
