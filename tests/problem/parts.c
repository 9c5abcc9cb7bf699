/* Parts of configurations, and what is seen in their systems; see parts.h. */
#include "problem/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct hs_config_value NO_VALUE = {.text = NULL};

/* --- configurations ------------------------------------------------------------------------------ */

void segment_add(struct hs_config *config, struct hs_config_boundary segment)
{
  enum { ROOM = 16 };
  static struct hs_config_boundary pool[64][ROOM];
  static unsigned next;
  struct hs_config_boundary *all = pool[next++ % 64];
  assert_true(config->boundary_count < ROOM);
  memcpy(all, config->boundaries, (size_t)config->boundary_count * sizeof *all);
  all[config->boundary_count++] = segment;
  config->boundaries = all;
}

struct hs_config_boundary held_segment(const char *name, int line, enum hs_side side, double from, double to, double k)
{
  const struct hs_config_boundary b = {.name = (char *)name,
                                       .line = line,
                                       .side = side,
                                       .from_m = from,
                                       .to_m = to,
                                       .kind = HS_WALL_TEMPERATURE,
                                       .temperature = test_value(k)};
  return b;
}

struct hs_config_boundary convective_segment(const char *name, enum hs_side side, double from, double to, double h,
                                             double ambient)
{
  struct hs_config_boundary b = held_segment(name, 30, side, from, to, ambient);
  b.kind = HS_WALL_CONVECTION;
  b.h = test_value(h);
  return b;
}

struct hs_config_region region(const char *name, struct hs_config_shape shape, const char *material,
                               struct hs_config_value temperature)
{
  const struct hs_config_region r = {.name = (char *)name,
                                     .line = 40,
                                     .shape = shape,
                                     .material = (char *)material,
                                     .initial_k = NAN,
                                     .temperature = temperature};
  return r;
}

struct hs_config insulated(int nx, int ny, double dx, double dy)
{
  struct hs_config config = test_config_spaced(nx, ny, dx, dy);
  for (int side = 0; side < HS_SIDES; side++) test_wall_insulated(&config, (enum hs_side)side);
  return config;
}

void cell_layout(struct hs_config *config)
{
  config->grid.layout = HS_LAYOUT_CELL;
  config->grid.lx_m = config->grid.nx * config->grid.dx_m;
  config->grid.ly_m = config->grid.ny * config->grid.dy_m;
  for (int side = 0; side < HS_SIDES; side++)
    config->boundaries[side].to_m = side < HS_SOUTH ? config->grid.ly_m : config->grid.lx_m;
}

void conductivity_set(struct hs_config *config, double kx, double ky)
{
  config->materials[0].conductivity_x_w_mk = kx;
  config->materials[0].conductivity_y_w_mk = ky;
}

struct hs_config walled_config(int nx, int ny)
{
  struct hs_config config = test_config(nx, ny);
  test_wall_temperature(&config, HS_WEST, 10.0);
  test_wall_temperature(&config, HS_EAST, 20.0);
  test_wall_temperature(&config, HS_SOUTH, 40.0);
  test_wall_temperature(&config, HS_NORTH, 80.0);
  return config;
}

struct hs_config timed_config(void)
{
  struct hs_config config = insulated(6, 5, 1.0, 1.0);
  config.materials[0] = test_material("", 1.0, 1.0, 1.0);
  config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  config.time.end_s = 10.0;
  config.time.step_s = 0.1;
  return config;
}

/* --- systems ------------------------------------------------------------------------------------- */

struct hs_system *system_with(struct hs_config *config, struct hs_config_source *sources, int count)
{
  config->sources = sources;
  config->source_count = count;
  return test_system(config);
}

const struct hs_node_law *law_at(const struct hs_system *s, int i, int j)
{
  return &s->law[hs_system_index(s, (size_t)j * (size_t)s->nx + (size_t)i)];
}

const struct hs_stencil_f64 *stencil_at(const struct hs_system *s, int i, int j)
{
  return &s->stencil[hs_system_index(s, (size_t)j * (size_t)s->nx + (size_t)i)];
}

double total_source(const struct hs_system *s, bool held_too)
{
  long double sum = 0.0L;
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++)
      if (held_too || !law_at(s, i, j)->dirichlet) sum += law_at(s, i, j)->source_w_m;
  return (double)sum;
}

void assert_table_sound(const struct hs_system *s)
{
  bool *used = calloc((size_t)s->table_size, sizeof *used);
  assert_non_null(used);
  for (size_t n = 0; n < (size_t)s->nx * (size_t)s->ny; n++) {
    assert_true(s->index[n] < s->table_size);
    used[s->index[n]] = true;
  }
  for (int k = 0; k < s->table_size; k++) {
    const struct hs_stencil_f64 *d = &s->stencil[k];
    const struct hs_stencil_f32 *f = &s->stencil_single[k];
    assert_true(used[k]);
    assert_true(f->west == (float)d->west && f->east == (float)d->east && f->south == (float)d->south);
    assert_true(f->north == (float)d->north && f->c == (float)d->c && f->diagonal == (float)d->diagonal);
    assert_true(f->relax == (float)d->relax && f->storage == (float)d->storage);
    if (s->table_size > 100) continue;
    for (int m = 0; m < k; m++)
      assert_false(!memcmp(d, &s->stencil[m], sizeof *d) && !memcmp(&s->law[k], &s->law[m], sizeof *s->law));
  }
  free(used);
}

double wall_temperature(const struct hs_system *s, int i, int j)
{
  const bool west = i == 0, east = i == s->nx - 1, south = j == 0, north = j == s->ny - 1;
  const double x_wall = west ? 10.0 : 20.0, y_wall = south ? 40.0 : 80.0;
  if ((west || east) && (south || north)) return 0.5 * (x_wall + y_wall);
  if (west || east) return x_wall;
  if (south || north) return y_wall;
  return -1.0;
}

/* --- refusals ------------------------------------------------------------------------------------ */

void expect_refusal(const struct hs_config *config, hs_status wanted, const char *const words[])
{
  struct hs_error err = {0};
  struct hs_problem *problem = NULL;
  struct hs_system *s = NULL;
  hs_status status = hs_problem_create(config, NULL, &problem, &err);
  if (!status) {
    status = hs_problem_build_system(problem, &s, &err);
    assert_null(s);
    hs_problem_destroy(problem);
  } else {
    assert_null(problem);
  }
  if (status != wanted) fail_msg("status %d, not %d: %s", (int)status, (int)wanted, err.text);
  for (int k = 0; words[k]; k++)
    if (!strstr(err.text, words[k])) fail_msg("\"%s\" is missing in: %s", words[k], err.text);
}
