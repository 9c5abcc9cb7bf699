/* Shapes of configurations made in code, coordinates in metres. */
#ifndef HS_TESTS_PROBLEM_SHAPES_H
#define HS_TESTS_PROBLEM_SHAPES_H

#include "support.h"

extern const struct hs_config_shape EVERYWHERE;

struct hs_config_shape rectangle(double x0_m, double x1_m, double y0_m, double y1_m);
struct hs_config_shape circle(double x_m, double y_m, double radius_m);
struct hs_config_shape ellipse(double x_m, double y_m, double rx_m, double ry_m, double angle_deg);
struct hs_config_shape bar(double x0_m, double y0_m, double x1_m, double y1_m, double width_m);
struct hs_config_shape polygon(struct hs_point *points, int count); /* the points stay the caller's */

/* A shape of any of these kinds, partly outside of a plate of 1 m by 0.6 m; points are for a polygon's corners. */
struct hs_config_shape random_shape(struct test_random *random, struct hs_point points[7]);

#endif
