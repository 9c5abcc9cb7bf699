#include "problem/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "problem/parts.h"

static char names[RANDOM_SHAPES][2] = {"a", "b", "c", "d"};

static struct hs_config_value random_value(struct test_random *random, bool timed)
{
  static char moving[] = "50+4*sin(3*t)", sloping[] = "70+x-y+t", still[] = "110+2*x+y";
  const int kind = test_random_integer(random, 0, 4);
  if (kind == 0 && timed) return test_formula(moving);
  if (kind == 1 && timed) return test_formula(sloping);
  if (kind == 2) return test_formula(still);
  return test_value(test_random_integer(random, 1, 5) * 10.0);
}

static void random_walls(struct test_random *random, struct hs_config *config, bool timed)
{
  static char segments[HS_SIDES][8] = {"s0", "s1", "s2", "s3"};
  for (int side = 0; side < HS_SIDES; side++) {
    const double length_m = side < HS_SOUTH ? config->grid.ly_m : config->grid.lx_m;
    struct hs_config_boundary *b = &config->boundaries[side];
    if (side % 2 == 0 && test_random_integer(random, 0, 2) == 0) {
      test_wall_periodic(config, (enum hs_side)side);
      test_wall_periodic(config, (enum hs_side)(side + 1));
      side++;
      continue;
    }
    b->kind = (enum hs_wall)test_random_integer(random, 0, 3);
    b->temperature = random_value(random, timed);
    b->flux = random_value(random, timed);
    b->h = random_value(random, timed);
    if (test_random_integer(random, 0, 1)) {
      struct hs_config_boundary segment = *b;
      segment.name = segments[side];
      segment.kind = (enum hs_wall)test_random_integer(random, 0, 3);
      segment.from_m = length_m * 0.3 * test_random_unit(random);
      segment.to_m = segment.from_m + 0.6 * length_m;
      segment.temperature = random_value(random, timed);
      segment_add(config, segment);
    }
  }
}

static struct hs_config_shape random_part(struct test_random *random, struct hs_point points[7])
{
  struct hs_config_shape shape = random_shape(random, points);
  if (test_random_integer(random, 0, 5) == 0) shape.part = HS_PART_OUTSIDE;
  return shape;
}

static void random_sources(struct test_random *random, struct random_parts *parts, struct hs_config *config)
{
  config->sources = parts->sources;
  config->source_count = test_random_integer(random, 0, RANDOM_SHAPES);
  for (int k = 0; k < config->source_count; k++) {
    struct hs_config_source *source = &parts->sources[k];
    *source = test_source_everywhere(3.0 + k);
    source->name = names[k];
    switch (test_random_integer(random, 0, 3)) {
    case 0:
      source->shape = test_source_node(test_random_integer(random, 0, config->grid.nx - 1),
                                       test_random_integer(random, 0, config->grid.ny - 1), 1.0)
                          .shape;
      break;
    case 1: source->shape = rectangle(0.123, 0.7, 0.05, 0.41); break;
    case 2: source->shape = random_part(random, parts->points[k]); break;
    default: break;
    }
    source->replaces = source->shape.kind != HS_SHAPE_NODE && test_random_integer(random, 0, 4) == 0;
    if (test_random_integer(random, 0, 1)) {
      source->power_w_m = 7.0;
      source->density_w_m3 = NAN;
    }
  }
}

static void random_regions(struct test_random *random, struct random_parts *parts, struct hs_config *config, bool timed)
{
  config->regions = parts->regions;
  config->region_count = test_random_integer(random, 0, RANDOM_SHAPES);
  for (int k = 0; k < config->region_count; k++) {
    const bool held = test_random_integer(random, 0, 3) == 0;
    parts->regions[k] = region(names[k], random_part(random, parts->points[RANDOM_SHAPES + k]),
                               held ? "" : names[k % 2], held ? random_value(random, timed) : NO_VALUE);
    if (!held && test_random_integer(random, 0, 1)) parts->regions[k].initial_k = 300.0 + k;
  }
}

struct hs_config random_config(struct test_random *random, struct random_parts *parts)
{
  const bool timed = test_random_integer(random, 0, 1);
  const int nx = test_random_integer(random, 4, 40), ny = test_random_integer(random, 4, 33);
  struct hs_config config = test_config_spaced(nx, ny, 1.0 / (nx - 1), 0.6 / (ny - 1));
  if (test_random_integer(random, 0, 2) == 0) cell_layout(&config);
  config.materials[0] = test_material("", 1.5, 2.0, 3.0);
  test_material_add(&config, test_material(names[0], 10.0, 4.0, 1.0));
  test_material_add(&config, test_material(names[1], 0.1, 1.0, 7.0));
  config.materials[1].conductivity_y_w_mk = 3.0;
  config.initial.temperature_k = 281.0;
  random_walls(random, &config, timed);
  random_regions(random, parts, &config, timed);
  random_sources(random, parts, &config);
  config.losses = parts->losses;
  config.loss_count = test_random_integer(random, 0, 1);
  parts->losses[0] = (struct hs_config_loss){.name = names[0],
                                             .shape = random_part(random, parts->points[2 * RANDOM_SHAPES]),
                                             .h_w_m2k = 1.3,
                                             .ambient_k = 3.0,
                                             .thickness_m = 0.5};
  config.time.end_s = 1.0;
  config.time.step_s = 0.1;
  if (timed || test_random_integer(random, 0, 1)) {
    config.time.scheme = (enum hs_scheme)test_random_integer(random, 1, 3);
    if (config.time.scheme == HS_SCHEME_EXPLICIT) config.time.step_s = NAN;
  }
  return config;
}

/* --- the examples -------------------------------------------------------------------------------- */

enum { LARGE = 150000 };

static const char *const examples[EXAMPLES] = {"configs/laplace2d.ini",
                                               "configs/plate.ini",
                                               "configs/wall.ini",
                                               "configs/workshop.ini",
                                               "configs/validation/csc-heat.ini",
                                               "configs/validation/disc.ini",
                                               "configs/validation/iso-10211-1.ini",
                                               "configs/validation/iso-10211-2.ini",
                                               "configs/validation/laplace2d.ini",
                                               "configs/validation/nafems-t3.ini",
                                               "configs/validation/poisson.ini",
                                               "configs/validation/sine-side.ini",
                                               "configs/validation/slab-convection.ini",
                                               "configs/validation/slab.ini",
                                               "configs/validation/square-side.ini",
                                               "configs/validation/tealeaf-10.ini",
                                               "configs/validation/tealeaf-250.ini",
                                               "configs/validation/workshop.ini",
                                               "examples/gallery/chip.ini",
                                               "examples/gallery/circuit.ini",
                                               "examples/gallery/composite-wall.ini",
                                               "examples/gallery/fin.ini",
                                               "examples/gallery/ground.ini",
                                               "examples/gallery/pipe.ini",
                                               "examples/gallery/quench.ini",
                                               "examples/gallery/thermal-bridge.ini"};

struct hs_config *example_read(int k)
{
  char lx[60], ly[60];
  const char *const smaller[] = {"grid.nx=66", "grid.ny=67", lx, ly};
  const char *source = getenv("HS_TEST_SRCDIR");
  char path[1000];
  struct hs_config *config = NULL;
  struct hs_error err = {0};
  snprintf(path, sizeof path, "%s/../%s", source ? source : ".", examples[k]);
  test_ok(hs_config_read(path, NULL, 0, &config, &err), &err);
  if ((double)config->grid.nx * config->grid.ny <= LARGE) return config;
  snprintf(lx, sizeof lx, "grid.lx=%.17g", config->grid.lx_m);
  snprintf(ly, sizeof ly, "grid.ly=%.17g", config->grid.ly_m);
  hs_config_destroy(config);
  test_ok(hs_config_read(path, smaller, 4, &config, &err), &err);
  return config;
}
