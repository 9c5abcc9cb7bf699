/* What the files that make remarks share; see hs_problem_remarks. */
#ifndef HS_PROBLEM_REMARK_H
#define HS_PROBLEM_REMARK_H

#include <math.h>

#include "problem/problem.h"

#define HS_ON_LINE 1e-6 /* of a spacing: an edge this near to a line lies on it */

/* Appends one. */
hs_status hs_remark(struct hs_remarks *remarks, bool warning, struct hs_error *err, const char *format, ...)
    HS_PRINTF(4, 5);

/* How well the nodes that a shape holds show it. title: its section. */
hs_status hs_held_remark(const struct hs_problem *problem, const char *title, const struct hs_config_shape *shape,
                         struct hs_remarks *remarks, struct hs_error *err);

/* Distance of a place from the nearest of the lines that are one spacing apart, in spacings. */
static inline double hs_off_line(double place_m, double spacing_m)
{
  const double lines = place_m / spacing_m;
  return fabs(lines - round(lines));
}

/* How far from a line, in spacings, a place may be to lie on it: places far from 0 are known less well. */
static inline double hs_line_slack(double place_m, double spacing_m)
{
  return HS_ON_LINE * fmax(1.0, 1e-3 * fabs(place_m) / spacing_m);
}

#endif
