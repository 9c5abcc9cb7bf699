/* The stencils of a system: weights, held walls, laws of any kind. */
#include "problem/parts.h"

#include "problem/laws/law_table.h"

static const double CONDUCTIVITIES[] = {0.029, 1.0 / 3.0, 1.0, 230.0, 1e-300, 1e300};

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
      cmocka_unit_test(laws_become_stencils),
      cmocka_unit_test(destroy_accepts_null),
  };
  return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
