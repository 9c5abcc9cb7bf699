/* Shapes of configurations made in code; see shapes.h. */
#include "problem/shapes.h"

const struct hs_config_shape EVERYWHERE = {.kind = HS_SHAPE_EVERYWHERE};

struct hs_config_shape rectangle(double x0_m, double x1_m, double y0_m, double y1_m)
{
  return (struct hs_config_shape){.kind = HS_SHAPE_RECTANGLE, .x0_m = x0_m, .x1_m = x1_m, .y0_m = y0_m, .y1_m = y1_m};
}

struct hs_config_shape circle(double x_m, double y_m, double radius_m)
{
  return (struct hs_config_shape){.kind = HS_SHAPE_CIRCLE, .x_m = x_m, .y_m = y_m, .radius_m = radius_m};
}

struct hs_config_shape ellipse(double x_m, double y_m, double rx_m, double ry_m, double angle_deg)
{
  return (struct hs_config_shape){
      .kind = HS_SHAPE_ELLIPSE, .x_m = x_m, .y_m = y_m, .rx_m = rx_m, .ry_m = ry_m, .angle_deg = angle_deg};
}

struct hs_config_shape bar(double x0_m, double y0_m, double x1_m, double y1_m, double width_m)
{
  return (struct hs_config_shape){
      .kind = HS_SHAPE_LINE, .x0_m = x0_m, .y0_m = y0_m, .x1_m = x1_m, .y1_m = y1_m, .width_m = width_m};
}

struct hs_config_shape polygon(struct hs_point *points, int count)
{
  return (struct hs_config_shape){.kind = HS_SHAPE_POLYGON, .points = points, .point_count = count};
}

struct hs_config_shape random_shape(struct test_random *random, struct hs_point points[7])
{
  const double x = test_random_between(random, -0.2, 1.2), y = test_random_between(random, -0.1, 0.7);
  const double a = test_random_between(random, 0.001, 0.5), b = test_random_between(random, 0.001, 0.5);
  const double angle = test_random_between(random, -400.0, 400.0);
  int count;
  switch (test_random_integer(random, 0, 4)) {
  case 0: return rectangle(x, x + a, y, y + b);
  case 1: return circle(x, y, a);
  case 2: return ellipse(x, y, a, b, angle);
  case 3: return bar(x, y, test_random_between(random, 0.0, 1.0), test_random_between(random, 0.0, 0.6), 0.3 * a);
  default: break;
  }
  count = test_random_integer(random, 3, 7);
  for (int k = 0; k < count; k++)
    points[k] = (struct hs_point){test_random_between(random, 0.0, 1.0), test_random_between(random, 0.0, 0.6)};
  return polygon(points, count);
}
