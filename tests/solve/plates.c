/* See plates.h. */
#include "solve/plates.h"

#include <math.h>

enum { MATERIALS = 4 };

static void wall_at_random(struct hs_config *config, struct test_random *random, enum hs_side side)
{
  switch (test_random_integer(random, 0, 3)) {
  case 0: test_wall_insulated(config, side); break;
  case 1: test_wall_flux(config, side, test_random_between(random, -100, 100)); break;
  case 2:
    test_wall_convection(config, side, pow(10, test_random_between(random, -3, 3)),
                         test_random_between(random, -20, 20));
    break;
  default: test_wall_temperature(config, side, test_random_between(random, -20, 20));
  }
}

static void walls_at_random(struct hs_config *config, struct test_random *random)
{
  for (int side = 0; side < HS_SIDES; side++) wall_at_random(config, random, (enum hs_side)side);
  if (test_random_integer(random, 0, 4) == 0) {
    test_wall_periodic(config, HS_WEST);
    test_wall_periodic(config, HS_EAST);
  }
  if (test_random_integer(random, 0, 6) == 0) {
    test_wall_periodic(config, HS_SOUTH);
    test_wall_periodic(config, HS_NORTH);
  }
}

static struct hs_config_shape shape_at_random(struct test_random *random, double lx_m, double ly_m)
{
  struct hs_config_shape shape = {.kind = test_random_integer(random, 0, 1) ? HS_SHAPE_RECTANGLE : HS_SHAPE_CIRCLE};
  shape.x0_m = test_random_between(random, 0.0, 0.7) * lx_m;
  shape.y0_m = test_random_between(random, 0.0, 0.7) * ly_m;
  shape.x1_m = shape.x0_m + test_random_between(random, 0.1, 0.6) * lx_m;
  shape.y1_m = shape.y0_m + test_random_between(random, 0.1, 0.6) * ly_m;
  shape.x_m = test_random_between(random, 0.2, 0.8) * lx_m;
  shape.y_m = test_random_between(random, 0.2, 0.8) * ly_m;
  shape.radius_m = test_random_between(random, 0.15, 0.4) * fmin(lx_m, ly_m);
  return shape;
}

struct hs_config test_plate(struct test_random *random, double decades,
                            struct hs_config_region regions[TEST_PLATE_REGIONS], struct hs_config_source *source)
{
  return test_plate_sized(random, TEST_PLATE_LARGEST, decades, regions, source);
}

struct hs_config test_plate_sized(struct test_random *random, int largest, double decades,
                                  struct hs_config_region regions[TEST_PLATE_REGIONS], struct hs_config_source *source)
{
  static char names[MATERIALS][2] = {"a", "b", "c", "d"}, title[] = "r";
  const int nx = test_random_integer(random, 6, largest), ny = test_random_integer(random, 6, largest);
  const double dx_m = 0.1, dy_m = test_random_integer(random, 0, 2) ? 0.1 : 0.1 * test_random_between(random, 0.2, 4);
  struct hs_config config = test_config_spaced(nx, ny, dx_m, dy_m);
  const double lx_m = (nx - 1) * dx_m, ly_m = (ny - 1) * dy_m;
  const int held = test_random_integer(random, 0, TEST_PLATE_REGIONS - 1);
  for (int k = 0; k < MATERIALS; k++) {
    test_material_add(&config,
                      test_material(names[k], pow(10, test_random_between(random, -decades, decades)), NAN, NAN));
    if (test_random_integer(random, 0, 3) == 0)
      config.materials[config.material_count - 1].conductivity_y_w_mk *= pow(10, test_random_between(random, -2, 2));
  }
  for (int k = 0; k < TEST_PLATE_REGIONS; k++) {
    regions[k] = (struct hs_config_region){.name = title,
                                           .shape = shape_at_random(random, lx_m, ly_m),
                                           .material = names[test_random_integer(random, 0, MATERIALS - 1)],
                                           .initial_k = NAN};
    if (k == held) regions[k].temperature = test_value(test_random_between(random, -20, 20));
  }
  config.regions = regions;
  config.region_count = TEST_PLATE_REGIONS;
  config.grid.layout = test_random_integer(random, 0, 1) ? HS_LAYOUT_CELL : HS_LAYOUT_VERTEX;
  walls_at_random(&config, random);
  *source = test_source_everywhere(test_random_between(random, -10, 10));
  config.sources = source;
  config.source_count = test_random_integer(random, 0, 1);
  config.initial.temperature_k = test_random_between(random, -50, 50);
  return config;
}

double test_range(const double *field_k, size_t nodes)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t n = 0; n < nodes; n++) {
    low = fmin(low, field_k[n]);
    high = fmax(high, field_k[n]);
  }
  return fmax(high - low, 1e-3 * fmax(fabs(low), fabs(high))); /* an isothermal plate has none */
}
