/* Problems to be solved; see cases.h. */
#include "solve/cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

struct hs_config poisson_config(int n, struct hs_config_source *glow)
{
  struct hs_config config = test_config(n + 1, n + 1);
  *glow = test_source_everywhere(1.0);
  config.sources = glow;
  config.source_count = 1;
  return config;
}

struct hs_config poisson_to_residual(int n, struct hs_config_source *glow)
{
  struct hs_config config = poisson_config(n, glow);
  config.solver.criterion = HS_CRITERION_RESIDUAL;
  config.solver.tolerance = 1e-6;
  config.solver.check_every = 1;
  return config;
}

struct hs_config random_plate(struct test_random *random, struct hs_config_source sources[2])
{
  const int nx = test_random_integer(random, 3, 40), ny = test_random_integer(random, 3, 40);
  struct hs_config config =
      test_config_spaced(nx, ny, 1.0 / nx, test_random_integer(random, 0, 1) ? 1.0 / nx : 1.3 / nx);
  for (int side = 0; side < HS_SIDES; side++)
    test_wall_temperature(&config, (enum hs_side)side,
                          test_random_integer(random, 0, 1) ? test_random_between(random, -50, 50) : 0.0);
  sources[0] = test_source_node(test_random_integer(random, 1, nx - 2), test_random_integer(random, 1, ny - 2),
                                test_random_between(random, 10, 1e4));
  sources[1] = test_source_everywhere(test_random_between(random, -20, 20));
  config.sources = sources;
  config.source_count = test_random_integer(random, 1, 2);
  config.solver.criterion = test_random_integer(random, 0, 1) ? HS_CRITERION_UPDATE_L2 : HS_CRITERION_UPDATE_MAX;
  config.solver.tolerance = pow(10.0, -test_random_between(random, 0, 11));
  return config;
}

/* Sine modes along x, and a tridiagonal system along y for each. */
double *workshop_exact(int n)
{
  const double period = n - 1, source = 10000.0 / ((double)n * n);
  double *field_k = calloc((size_t)n * (size_t)n, sizeof *field_k), *mode = calloc((size_t)n, sizeof *mode);
  double *ratio = calloc((size_t)n, sizeof *ratio);
  assert_true(field_k && mode && ratio);
  for (int k = 1; k < n - 1; k++) {
    const double diagonal = 4.0 - 2.0 * cos(PI * k / period);
    for (int j = 1; j < n - 1; j++) {
      const double pivot = diagonal - (j > 1 ? ratio[j - 1] : 0.0);
      const double right = j == n / 2 ? 2.0 / period * source * sin(PI * k * (n / 2) / period) : 0.0;
      ratio[j] = 1.0 / pivot;
      mode[j] = (right + mode[j - 1]) / pivot;
    }
    for (int j = n - 3; j >= 1; j--) mode[j] += ratio[j] * mode[j + 1];
    for (int i = 1; i < n - 1; i++) {
      const double sine = sin(PI * (k * i % (2 * (n - 1))) / period);
      for (int j = 1; j < n - 1; j++) field_k[j * n + i] += mode[j] * sine;
    }
    memset(mode, 0, (size_t)n * sizeof *mode);
  }
  free(ratio);
  free(mode);
  return field_k;
}

/* Heat through a bar of two materials with a bridge, convection on both ends. */
static struct hs_config bridge_config(struct hs_config_region *bridge, struct hs_config_source *glow)
{
  static char brass[] = "brass", name[] = "bridge";
  struct hs_config config = test_config_spaced(61, 31, 0.002, 0.001);
  config.materials[0] = test_material("", 0.05, NAN, NAN);
  test_material_add(&config, test_material(brass, 120.0, NAN, NAN));
  memset(bridge, 0, sizeof *bridge);
  bridge->name = name;
  bridge->shape =
      (struct hs_config_shape){.kind = HS_SHAPE_RECTANGLE, .x0_m = 0.0, .x1_m = 0.1, .y0_m = 0.012, .y1_m = 0.016};
  bridge->material = brass;
  bridge->initial_k = NAN;
  config.regions = bridge;
  config.region_count = 1;
  *glow = test_source_everywhere(100.0);
  config.sources = glow;
  config.source_count = 1;
  test_wall_convection(&config, HS_WEST, 8.0, 293.0);
  test_wall_convection(&config, HS_EAST, 20.0, 263.0);
  test_wall_insulated(&config, HS_SOUTH);
  test_wall_insulated(&config, HS_NORTH);
  config.initial.temperature_k = 280.0;
  return config;
}

struct hs_config problem_of(int which, struct hs_config_region *region, struct hs_config_source *source)
{
  struct hs_config config;
  switch (which) {
  case 0: return poisson_to_residual(48, source);
  case 1: return test_config_workshop(64, source);
  case 2: return bridge_config(region, source);
  case 3:
    config = test_config_spaced(70, 40, 1.0, 2.0);
    for (int side = 0; side < HS_NORTH; side++) test_wall_insulated(&config, (enum hs_side)side);
    *source = test_source_rectangle(3.0, 20.0, 0.0, 30.0, 2.0);
    config.sources = source;
    config.source_count = 1;
    return config;
  default:
    config = test_config(41, 41);
    test_wall_temperature(&config, HS_WEST, 100.0);
    test_wall_periodic(&config, HS_SOUTH);
    test_wall_periodic(&config, HS_NORTH);
    return config;
  }
}

struct hs_config iso_case_2(struct hs_config_region regions[5])
{
  static char concrete[] = "concrete", wood[] = "wood", metal[] = "aluminium";
  static const struct {
    char *material;
    double x1, y0, y1; /* mm */
  } parts[] = {{concrete, 500, 41.5, 47.5},
               {wood, 15, 36.5, 41.5},
               {metal, 500, 0, 1.5},
               {metal, 1.5, 1.5, 36.5},
               {metal, 15, 35, 36.5}};
  struct hs_config config = test_config_spaced(1001, 96, 0.5e-3, 0.5e-3);
  config.materials[0] = test_material("", 0.029, NAN, NAN);
  test_material_add(&config, test_material(concrete, 1.15, NAN, NAN));
  test_material_add(&config, test_material(wood, 0.12, NAN, NAN));
  test_material_add(&config, test_material(metal, 230.0, NAN, NAN));
  memset(regions, 0, 5 * sizeof *regions);
  for (int k = 0; k < 5; k++) {
    regions[k].name = parts[k].material;
    regions[k].material = parts[k].material;
    regions[k].initial_k = NAN;
    regions[k].shape = (struct hs_config_shape){
        .kind = HS_SHAPE_RECTANGLE, .x1_m = parts[k].x1 * 1e-3, .y0_m = parts[k].y0 * 1e-3, .y1_m = parts[k].y1 * 1e-3};
  }
  config.regions = regions;
  config.region_count = 5;
  test_wall_convection(&config, HS_SOUTH, 1.0 / 0.11, 20.0);
  test_wall_convection(&config, HS_NORTH, 1.0 / 0.06, 0.0);
  test_wall_insulated(&config, HS_WEST);
  test_wall_insulated(&config, HS_EAST);
  return config;
}

int64_t sweeps_of(const struct hs_config *config)
{
  struct test_run run;
  int64_t sweeps;
  test_run_start(&run, config, NULL);
  assert_int_equal(run.result.outcome.verdict, HS_VERDICT_CONVERGED);
  sweeps = run.result.outcome.sweeps;
  test_run_clear(&run);
  return sweeps;
}
