/* The problem room: from a configuration to stencils, sources, walls and the initial field. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double CONDUCTIVITIES[] = {0.029, 1.0 / 3.0, 1.0, 230.0, 1e-300, 1e300};

static const struct hs_stencil_f64 *stencil_at(const struct hs_system *s, int i, int j)
{
  return &s->stencil[hs_system_index(s, (size_t)j * (size_t)s->nx + (size_t)i)];
}

static const struct hs_node_law *law_at(const struct hs_system *s, int i, int j)
{
  return &s->law[hs_system_index(s, (size_t)j * (size_t)s->nx + (size_t)i)];
}

/* Heat released in all control volumes or in the free ones, W/m. */
static double total_source(const struct hs_system *s, bool held_too)
{
  long double sum = 0.0L;
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++)
      if (held_too || !law_at(s, i, j)->dirichlet) sum += law_at(s, i, j)->source_w_m;
  return (double)sum;
}

/* Every coefficient index is used by a node, no two are equal, and the two precisions agree. */
static void assert_table_sound(const struct hs_system *s)
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

static void conductivity_set(struct hs_config *config, double kx, double ky)
{
  config->materials[0].conductivity_x_w_mk = kx;
  config->materials[0].conductivity_y_w_mk = ky;
}

/* --- weights and walls --------------------------------------------------------------------------- */

static void equal_spacing_gives_weights_of_exactly_one(void **state)
{
  static const double spacings_m[] = {1.0, 0.1, 1.0 / 3.0, 1e-7, 0.0005};
  (void)state;
  for (size_t k = 0; k < sizeof CONDUCTIVITIES / sizeof *CONDUCTIVITIES; k++) {
    for (size_t m = 0; m < sizeof spacings_m / sizeof *spacings_m; m++) {
      struct hs_config config = test_config_spaced(6, 5, spacings_m[m], spacings_m[m]);
      struct hs_system *s;
      conductivity_set(&config, CONDUCTIVITIES[k], CONDUCTIVITIES[k]);
      s = test_system(&config);
      for (int j = 1; j < 4; j++)
        for (int i = 1; i < 5; i++) assert_true(HS_STENCIL_IS_UNIFORM(*stencil_at(s, i, j)));
      assert_true(s->uniform);
      assert_true(s->symmetric);
      test_near("diagonal over conductivity", stencil_at(s, 2, 2)->diagonal / CONDUCTIVITIES[k], 4.0, 1e-15);
      hs_system_destroy(s);
    }
  }
}

/* wx = 1/(2 (1 + (dx/dy)^2)), wy = (dx/dy)^2 wx; the weights are stored times four. */
static void unequal_spacing_gives_the_formula(void **state)
{
  static const double ratios[] = {0.01, 0.5, 0.7, 1.1, 2.0, 3.0, 40.0};
  (void)state;
  for (size_t k = 0; k < sizeof CONDUCTIVITIES / sizeof *CONDUCTIVITIES; k++) {
    for (size_t m = 0; m < sizeof ratios / sizeof *ratios; m++) {
      const double r2 = ratios[m] * ratios[m], wx = 0.5 / (1.0 + r2);
      struct hs_config config = test_config_spaced(7, 6, 0.3 * ratios[m], 0.3);
      const struct hs_stencil_f64 *w;
      struct hs_system *s;
      conductivity_set(&config, CONDUCTIVITIES[k], CONDUCTIVITIES[k]);
      s = test_system(&config);
      w = stencil_at(s, 3, 3);
      test_near("west", w->west, 4.0 * wx, 1e-15 * 4.0);
      test_near("south", w->south, 4.0 * wx * r2, 1e-15 * 4.0);
      assert_true(w->west == w->east && w->south == w->north);
      test_near("row sum", ((w->west + w->east) + (w->south + w->north)) / 4.0, 1.0, 1e-15);
      test_near("conductance", law_at(s, 3, 3)->west / CONDUCTIVITIES[k], 1.0 / ratios[m], 1e-14 / ratios[m]);
      test_near("conductance", law_at(s, 3, 3)->north / CONDUCTIVITIES[k], ratios[m], 1e-14 * ratios[m]);
      assert_true(s->uniform && s->symmetric);
      hs_system_destroy(s);
    }
  }
}

static struct hs_config walled_config(int nx, int ny)
{
  struct hs_config config = test_config(nx, ny);
  test_wall_temperature(&config, HS_WEST, 10.0);
  test_wall_temperature(&config, HS_EAST, 20.0);
  test_wall_temperature(&config, HS_SOUTH, 40.0);
  test_wall_temperature(&config, HS_NORTH, 80.0);
  return config;
}

/* What a Dirichlet node must be; -1 asks for a free one. */
static double wall_temperature(const struct hs_system *s, int i, int j)
{
  const bool west = i == 0, east = i == s->nx - 1, south = j == 0, north = j == s->ny - 1;
  const double x_wall = west ? 10.0 : 20.0, y_wall = south ? 40.0 : 80.0;
  if ((west || east) && (south || north)) return 0.5 * (x_wall + y_wall);
  if (west || east) return x_wall;
  if (south || north) return y_wall;
  return -1.0;
}

static void walls_are_held_and_the_rest_is_free(void **state)
{
  static const int sizes[][2] = {{2, 2}, {2, 5}, {5, 2}, {3, 3}, {3, 500}, {500, 3}, {9, 7}};
  (void)state;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const struct hs_config config = walled_config(sizes[k][0], sizes[k][1]);
    struct hs_system *s = test_system(&config);
    assert_int_equal(s->nx, sizes[k][0]);
    assert_int_equal(s->ny, sizes[k][1]);
    assert_true(s->dx_m == config.grid.dx_m && s->dy_m == config.grid.dy_m);
    assert_int_equal(s->free_nodes, (s->nx - 2) * (s->ny - 2));
    for (int j = 0; j < s->ny; j++) {
      for (int i = 0; i < s->nx; i++) {
        const struct hs_stencil_f64 *w = stencil_at(s, i, j);
        const double dirichlet_k = wall_temperature(s, i, j);
        if (dirichlet_k < 0.0) {
          assert_true(w->diagonal > 0.0 && w->c == 0.0 && HS_STENCIL_IS_UNIFORM(*w));
          continue;
        }
        assert_true(w->c == dirichlet_k && w->diagonal == 0.0);
        assert_true(w->west == 0.0 && w->east == 0.0 && w->south == 0.0 && w->north == 0.0);
        assert_true(law_at(s, i, j)->dirichlet && law_at(s, i, j)->dirichlet_k == dirichlet_k);
      }
    }
    assert_table_sound(s);
    assert_true(s->table_size <= 9);
    hs_system_destroy(s);
  }
}

static void table_is_as_small_as_the_problem(void **state)
{
  struct hs_config config = test_config(50, 40);
  struct hs_config_source sources[2];
  struct hs_system *s = test_system(&config);
  (void)state;
  assert_int_equal(s->table_size, 9); /* the inside; walls and corners differ in their conductances */
  assert_table_sound(s);
  hs_system_destroy(s);

  config = walled_config(50, 40);
  s = test_system(&config);
  assert_int_equal(s->table_size, 9);
  assert_table_sound(s);
  hs_system_destroy(s);

  config = walled_config(3, 3); /* one free node, four walls, four corners */
  s = test_system(&config);
  assert_int_equal(s->table_size, 9);
  assert_table_sound(s);
  hs_system_destroy(s);

  /* a source everywhere leaves no entry of the unheated inside behind, nor does a second one of the first */
  config = test_config(50, 40);
  sources[0] = test_source_everywhere(1.0);
  sources[1] = test_source_everywhere(2.0);
  config.sources = sources;
  config.source_count = 2;
  s = test_system(&config);
  assert_int_equal(s->table_size, 9);
  assert_table_sound(s);
  hs_system_destroy(s);
}

static void negative_zero_is_zero(void **state)
{
  struct hs_config config = test_config(6, 5);
  struct hs_config_source source = test_source_everywhere(-0.0);
  struct hs_system *s;
  double *field_k;
  (void)state;
  test_wall_temperature(&config, HS_WEST, -0.0);
  test_wall_temperature(&config, HS_NORTH, -0.0);
  config.initial.temperature_k = -0.0;
  config.sources = &source;
  config.source_count = 1;
  s = test_system(&config);
  field_k = test_field_initial(&config, s);
  assert_int_equal(s->table_size, 9);
  for (int k = 0; k < s->table_size; k++) {
    assert_false(signbit(s->stencil[k].c));
    assert_false(signbit(s->stencil_single[k].c));
  }
  for (int n = 0; n < 30; n++) assert_false(signbit(field_k[n]));
  free(field_k);
  hs_system_destroy(s);
}

/* --- sources ------------------------------------------------------------------------------------- */

static struct hs_system *system_with(struct hs_config *config, struct hs_config_source *sources, int count)
{
  config->sources = sources;
  config->source_count = count;
  return test_system(config);
}

static void node_source_heats_one_control_volume(void **state)
{
  struct hs_config config = test_config_spaced(9, 8, 0.25, 0.125);
  struct hs_config_source source = test_source_node(1, 6, 3000.0);
  struct hs_system *s;
  (void)state;
  conductivity_set(&config, 7.0, 7.0);
  s = system_with(&config, &source, 1);
  for (int j = 0; j < 8; j++)
    for (int i = 0; i < 9; i++) {
      const bool here = i == 1 && j == 6;
      assert_true(law_at(s, i, j)->source_w_m == (here ? 3000.0 * 0.25 * 0.125 : 0.0));
    }
  test_near("c", stencil_at(s, 1, 6)->c, 3000.0 * 0.25 * 0.125 / (7.0 * 2.0 * (0.5 + 2.0)), 1e-13);
  assert_table_sound(s);
  assert_true(s->uniform && s->symmetric);
  hs_system_destroy(s);
}

/* The workshop's update adds dx^2 f / 4. */
static void workshop_constant_is_a_quarter_of_dx2_f(void **state)
{
  struct hs_config_source spot;
  const struct hs_config config = test_config_workshop(256, &spot);
  struct hs_system *s = test_system(&config);
  (void)state;
  assert_true(stencil_at(s, 128, 128)->c == 0.25 * (1.0 / 256) * (1.0 / 256) * 10000.0);
  assert_int_equal(s->table_size, 10);
  hs_system_destroy(s);
}

static void everywhere_source_heats_every_free_node(void **state)
{
  struct hs_config config = test_config_spaced(20, 30, 0.01, 0.02);
  struct hs_config_source source = test_source_everywhere(-5e4);
  struct hs_system *s = system_with(&config, &source, 1);
  (void)state;
  for (int j = 1; j < 29; j++)
    for (int i = 1; i < 19; i++) assert_true(law_at(s, i, j)->source_w_m == -5e4 * (0.01 * 0.02));
  test_near("total of free nodes", total_source(s, false), -5e4 * 0.01 * 0.02 * 18 * 28, 1e-9);
  test_near("total", total_source(s, true), -5e4 * 0.01 * 0.02 * 19 * 29, 1e-9);
  assert_table_sound(s);
  hs_system_destroy(s);
}

/* Length of [a, b] that lies in the control volumes of the free nodes. */
static double free_length(double a, double b, int n, double spacing)
{
  const double low = fmax(a, 0.5 * spacing), high = fmin(b, (n - 1.5) * spacing);
  return fmax(0.0, high - low);
}

static void rectangle_power_is_density_times_area(void **state)
{
  struct test_random random = {20260101};
  (void)state;
  for (int trial = 0; trial < 400; trial++) {
    const int nx = test_random_integer(&random, 3, 40), ny = test_random_integer(&random, 3, 40);
    const double dx_m = test_random_between(&random, 0.01, 2.0), dy_m = test_random_between(&random, 0.01, 2.0);
    const double lx_m = (nx - 1) * dx_m, ly_m = (ny - 1) * dy_m;
    double x[2], y[2], power;
    struct hs_config config = test_config_spaced(nx, ny, dx_m, dy_m);
    struct hs_config_source source;
    struct hs_system *s;
    for (int k = 0; k < 2; k++) {
      x[k] = test_random_between(&random, 0.0, lx_m);
      y[k] = test_random_between(&random, 0.0, ly_m);
    }
    if (trial % 5 == 0) x[0] = 0.0; /* at the wall */
    if (trial % 7 == 0) {           /* in the corner */
      x[1] = lx_m;
      y[1] = ly_m;
    }
    if (trial % 3 == 0) y[0] = dy_m * (int)(y[0] / dy_m); /* on a grid line */
    source = test_source_rectangle(fmin(x[0], x[1]), fmax(x[0], x[1]), fmin(y[0], y[1]), fmax(y[0], y[1]), 1234.5);
    power = 1234.5 * free_length(source.shape.x0_m, source.shape.x1_m, nx, dx_m) *
            free_length(source.shape.y0_m, source.shape.y1_m, ny, dy_m);
    if (power < 1e-9) continue;
    s = system_with(&config, &source, 1);
    test_near("power", total_source(s, false), power, 1e-12 * 1234.5 * lx_m * ly_m);
    hs_system_destroy(s);
  }
}

static void rectangle_heats_by_overlap(void **state)
{
  struct hs_config config = test_config_spaced(7, 7, 1.0, 1.0);
  /* x: nodes 2 (a quarter: 2.25 to 2.5), 3 (all), 4 (3.5 to 3.75); y: node 1 (all of 0.5 to 1.5) only */
  struct hs_config_source source = test_source_rectangle(2.25, 3.75, 0.5, 1.5, 8.0);
  struct hs_system *s = system_with(&config, &source, 1);
  (void)state;
  for (int j = 0; j < 7; j++)
    for (int i = 0; i < 7; i++) {
      const double share = j != 1 ? 0.0 : i == 3 ? 1.0 : i == 2 || i == 4 ? 0.25 : 0.0;
      assert_true(law_at(s, i, j)->source_w_m == 8.0 * share);
    }
  assert_int_equal(s->table_size, 11);
  hs_system_destroy(s);
}

/* The whole plate as a rectangle: the strip of half a spacing along the walls belongs to Dirichlet nodes. */
static void rectangle_to_the_walls_is_everywhere(void **state)
{
  struct hs_config config = test_config_spaced(17, 9, 0.125, 0.25);
  struct hs_config_source rectangle = test_source_rectangle(0.0, 2.0, 0.0, 2.0, 640.0);
  struct hs_config_source everywhere = test_source_everywhere(640.0);
  struct hs_system *a = system_with(&config, &rectangle, 1), *b = system_with(&config, &everywhere, 1);
  (void)state;
  for (int j = 0; j < 9; j++)
    for (int i = 0; i < 17; i++) assert_true(law_at(a, i, j)->source_w_m == law_at(b, i, j)->source_w_m);
  assert_int_equal(a->table_size, 9);
  assert_table_sound(a);
  hs_system_destroy(a);
  hs_system_destroy(b);
}

static void overlapping_sources_add(void **state)
{
  struct hs_config config = test_config_spaced(9, 9, 0.5, 0.5);
  struct hs_config_source sources[] = {test_source_everywhere(16.0),
                                       test_source_rectangle(0.75, 2.25, 0.75, 2.25, 32.0),
                                       test_source_node(3, 3, 64.0), test_source_node(3, 3, -8.0)};
  struct hs_system *s = system_with(&config, sources, 4);
  (void)state;
  for (int j = 1; j < 8; j++)
    for (int i = 1; i < 8; i++) {
      const bool block = i >= 2 && i <= 4 && j >= 2 && j <= 4;
      const double density = 16.0 + (block ? 32.0 : 0.0) + (i == 3 && j == 3 ? 56.0 : 0.0);
      assert_true(law_at(s, i, j)->source_w_m == density * 0.25);
      assert_true(stencil_at(s, i, j)->c == density * 0.25 / 4.0);
    }
  assert_int_equal(s->table_size, 11);
  assert_table_sound(s);
  hs_system_destroy(s);
}

/* --- refusals ------------------------------------------------------------------------------------ */

/* The configuration is refused, at either stage, and the sentence contains the words (NULL ends them). */
static void expect_refusal(const struct hs_config *config, hs_status wanted, const char *const words[])
{
  struct hs_error err = {0};
  struct hs_problem *problem = NULL;
  struct hs_system *s = NULL;
  hs_status status = hs_problem_create(config, &problem, &err);
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

#define EXPECT_REFUSAL(config, ...) expect_refusal((config), HS_ERR_CONFIG, (const char *const[]){__VA_ARGS__, NULL})

static void source_without_effect_is_refused_by_name(void **state)
{
  struct hs_config config = test_config_spaced(9, 6, 0.5, 0.5);
  struct hs_config_source sources[2] = {test_source_node(4, 3, 1.0), test_source_node(0, 3, 1.0)};
  (void)state;
  config.sources = sources;
  config.source_count = 2;
  EXPECT_REFUSAL(&config, "test.ini:7:", "spot", "held", "1 to 7", "1 to 4");
  sources[1] = test_source_node(4, 5, 1.0);
  EXPECT_REFUSAL(&config, "test.ini:7:", "spot", "held", "1 to 7", "1 to 4");
  sources[1] = test_source_rectangle(0.0, 4.0, 0.0, 0.25, 1.0);
  EXPECT_REFUSAL(&config, "test.ini:11:", "block");

  config = test_config_spaced(2, 6, 0.5, 0.5); /* no free node at all */
  sources[0] = test_source_everywhere(1.0);
  config.sources = sources;
  config.source_count = 1;
  EXPECT_REFUSAL(&config, "test.ini:13:", "glow");
}

static void source_of_zero_density_is_accepted(void **state)
{
  struct hs_config config = test_config(9, 6);
  struct hs_config_source source = test_source_node(0, 0, 0.0);
  struct hs_system *s = system_with(&config, &source, 1);
  (void)state;
  assert_true(total_source(s, true) == 0.0);
  assert_int_equal(s->table_size, 9);
  hs_system_destroy(s);
}

/* Node sources of `count` different densities on a grid with that many free nodes, and a wall. */
static struct hs_config many_sources(int nx, int ny, int count, struct hs_config_source **sources)
{
  struct hs_config config = test_config_spaced(nx, ny, 1.0, 1.0);
  *sources = calloc((size_t)count, sizeof **sources);
  assert_non_null(*sources);
  for (int k = 0; k < count; k++) (*sources)[k] = test_source_node(1 + k % (nx - 2), 1 + k / (nx - 2), 1.0 + k);
  config.sources = *sources;
  config.source_count = count;
  return config;
}

/* With more distinct nodes than a stencil table holds every node has a law of its own. */
static void too_many_distinct_nodes_have_a_law_each(void **state)
{
  struct hs_config_source *sources;
  struct hs_config config = many_sources(258, 258, 65000, &sources);
  struct hs_system *s = test_system(&config);
  (void)state;
  assert_non_null(s->index);
  assert_int_equal(s->table_size, 65000 + 9);
  assert_table_sound(s);
  hs_system_destroy(s);
  free(sources);

  config = many_sources(258, 258, 65536, &sources);
  s = test_system(&config);
  assert_null(s->index);
  assert_int_equal(s->table_size, 258 * 258);
  assert_int_equal(s->free_nodes, 256 * 256);
  for (int j = 1; j < 257; j++)
    for (int i = 1; i < 257; i++) assert_true(law_at(s, i, j)->source_w_m == 1.0 + (i - 1) + 256.0 * (j - 1));
  assert_true(law_at(s, 0, 5)->dirichlet && law_at(s, 257, 257)->dirichlet && !law_at(s, 1, 1)->dirichlet);
  assert_true(s->uniform && s->symmetric && !s->singular);
  hs_system_destroy(s);
  free(sources);
}

/* --- the initial field --------------------------------------------------------------------------- */

static void initial_field_has_walls_and_the_inside(void **state)
{
  struct hs_config config = walled_config(9, 7);
  struct hs_system *s = test_system(&config);
  double *field_k;
  (void)state;
  config.initial.temperature_k = 293.15;
  field_k = test_field_initial(&config, s);
  for (int j = 0; j < 7; j++)
    for (int i = 0; i < 9; i++) {
      const double dirichlet_k = wall_temperature(s, i, j);
      assert_true(field_k[j * 9 + i] == (dirichlet_k < 0.0 ? 293.15 : dirichlet_k));
    }
  free(field_k);
  hs_system_destroy(s);
}

/* --- the stencil table itself -------------------------------------------------------------------------- */

/* A column of heat conductors between a wall at 3 K and free ends with their neighbours missing. */
static struct hs_node_law bar_law(void *context, int i, int j)
{
  struct hs_node_law law = {.west = 2.0, .east = 1.0, .south = 0.5, .north = 0.5};
  (void)context;
  if (i == 0) {
    law.dirichlet = true;
    law.dirichlet_k = 3.0;
    law.west = 99.0; /* no weight: a Dirichlet node does not move */
  }
  if (i == 4) law.east = 0.0;
  if (j == 0) law.south = 0.0;
  if (j == 2) law.north = -0.0;
  return law;
}

static void laws_become_stencils(void **state)
{
  struct hs_system *s = test_system_of_laws(5, 3, 1.0, 1.0, bar_law, NULL);
  const struct hs_stencil_f64 *w = stencil_at(s, 4, 0);
  (void)state;
  assert_int_equal(s->table_size, 9);
  assert_int_equal(s->free_nodes, 12);
  assert_false(s->uniform);
  assert_false(s->symmetric);
  test_near("west", w->west, 4.0 * 2.0 / 2.5, 1e-15);
  test_near("north", w->north, 4.0 * 0.5 / 2.5, 1e-15);
  assert_true(w->east == 0.0 && w->south == 0.0 && w->diagonal == 2.5);
  assert_true(stencil_at(s, 0, 1)->c == 3.0 && stencil_at(s, 0, 1)->west == 0.0);
  assert_table_sound(s);
  hs_system_destroy(s);
}

static void destroy_accepts_null(void **state)
{
  (void)state;
  hs_system_destroy(NULL);
  hs_law_table_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_spacing_gives_weights_of_exactly_one),
      cmocka_unit_test(unequal_spacing_gives_the_formula),
      cmocka_unit_test(walls_are_held_and_the_rest_is_free),
      cmocka_unit_test(table_is_as_small_as_the_problem),
      cmocka_unit_test(negative_zero_is_zero),
      cmocka_unit_test(node_source_heats_one_control_volume),
      cmocka_unit_test(workshop_constant_is_a_quarter_of_dx2_f),
      cmocka_unit_test(everywhere_source_heats_every_free_node),
      cmocka_unit_test(rectangle_power_is_density_times_area),
      cmocka_unit_test(rectangle_heats_by_overlap),
      cmocka_unit_test(rectangle_to_the_walls_is_everywhere),
      cmocka_unit_test(overlapping_sources_add),
      cmocka_unit_test(source_without_effect_is_refused_by_name),
      cmocka_unit_test(source_of_zero_density_is_accepted),
      cmocka_unit_test(too_many_distinct_nodes_have_a_law_each),
      cmocka_unit_test(initial_field_has_walls_and_the_inside),
      cmocka_unit_test(laws_become_stencils),
      cmocka_unit_test(destroy_accepts_null),
  };
  return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
