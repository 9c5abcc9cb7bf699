/* The field that a run starts from. */
#include "problem/parts.h"
#include "runs.h"

#include <math.h>
#include <stdlib.h>

/* Of a cell in the following; beyond the walls the same as beside them. */
static double start_of(int ci, int cj)
{
  const int i = ci < 0 ? 0 : ci > 7 ? 7 : ci, j = cj < 0 ? 0 : cj > 7 ? 7 : cj;
  return i >= 3 && i < 6 && j >= 3 && j < 6 ? 40.0 : i < 4 ? 30.0 : 20.0;
}

static void initial_field_is_painted_in_order(void **state)
{
  struct hs_config config = insulated(9, 9, 1.0, 1.0);
  struct hs_config_region regions[3];
  struct hs_system *s;
  double *field_k;
  (void)state;
  test_wall_temperature(&config, HS_WEST, 80.0);
  config.initial.temperature_k = 20.0;
  regions[0] = region("warm", rectangle(0.0, 4.0, 0.0, 8.0), "", NO_VALUE);
  regions[0].initial_k = 30.0;
  regions[1] = region("hot", rectangle(3.0, 6.0, 3.0, 6.0), "", NO_VALUE);
  regions[1].initial_k = 40.0;
  regions[2] = region("held", rectangle(5.5, 6.0, 3.0, 3.0), "", test_value(50.0));
  regions[2].shape.y1_m = 3.5;
  config.regions = regions;
  config.region_count = 3;
  s = test_system(&config);
  field_k = test_field_initial(&config, s);
  for (int j = 0; j < 9; j++)
    for (int i = 0; i < 9; i++) {
      const double painted = 0.25 * (start_of(i - 1, j - 1) + start_of(i, j - 1) + start_of(i - 1, j) + start_of(i, j));
      assert_true(field_k[9 * j + i] == (i == 6 && j == 3 ? 50.0 : i == 0 ? 80.0 : painted));
    }
  free(field_k);
  hs_system_destroy(s);
}

static void initial_map_comes_before_shapes(void **state)
{
  struct hs_config config = insulated(4, 3, 1.0, 1.0);
  struct hs_config_region warm = region("warm", rectangle(0.0, 1.0, 0.0, 1.0), "", NO_VALUE);
  struct hs_problem *p;
  struct hs_system *s;
  struct hs_error err = {0};
  double *field_k;
  (void)state;
  warm.initial_k = 30.0;
  config.regions = &warm;
  config.region_count = 1;
  test_wall_periodic(&config, HS_WEST);
  test_wall_periodic(&config, HS_EAST);
  p = test_problem(&config);
  p->initial_map = calloc(12, sizeof *p->initial_map);
  assert_non_null(p->initial_map);
  for (int n = 0; n < 12; n++) p->initial_map[n] = 100.0 + n;
  test_ok(hs_problem_build_system(p, &s, &err), &err);
  test_ok(hs_problem_initial_field(p, s, &field_k, &err), &err);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 4; i++) {
      const int c = i == 3 ? 0 : i; /* the east wall is the west one */
      const double warm_part = (c <= 1 ? 0.5 : 0.0) * (j == 0 ? 1.0 : j == 1 ? 0.5 : 0.0);
      test_near("start", field_k[4 * j + i], warm_part * 30.0 + (1.0 - warm_part) * (100.0 + 4 * j + c), 1e-13);
    }
  free(field_k);
  hs_system_destroy(s);
  hs_problem_destroy(p);
}

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

/* A plate of 2 m x 0.6 m: random rectangles on grid lines, of two materials, with start temperatures. */
static struct hs_config painted_plate(struct test_random *random, enum hs_layout layout,
                                      struct hs_config_region *regions)
{
  struct hs_config config = insulated(11, 7, 0.2, 0.1);
  config.materials[0] = test_material("", 1.0, 2.0, 3.0);
  test_material_add(&config, test_material("iron", 50.0, 7.0, 11.0));
  config.initial.temperature_k = 300.0;
  config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  config.time.end_s = 1.0;
  config.time.step_s = 0.5;
  for (int k = 0; k < 3; k++) {
    const int i = test_random_integer(random, 0, 8), j = test_random_integer(random, 0, 4);
    const int i1 = test_random_integer(random, i + 1, 10), j1 = test_random_integer(random, j + 1, 6);
    regions[k] = region("part", rectangle(0.2 * i, 0.2 * i1, 0.1 * j, 0.1 * j1), k == 1 ? "" : "iron", NO_VALUE);
    regions[k].initial_k = test_random_between(random, 0.0, 500.0);
  }
  config.regions = regions;
  config.region_count = 3;
  if (layout == HS_LAYOUT_CELL) cell_layout(&config);
  return config;
}

/* Heat content of the cells, from what a user would draw. */
static double content_of_cells(const struct hs_problem *p)
{
  double content = 0.0;
  for (int cj = 0; cj < p->cells_y; cj++)
    for (int ci = 0; ci < p->cells_x; ci++) {
      double start_k = p->config->initial.temperature_k;
      for (int k = 0; k < p->config->region_count; k++)
        if (hs_problem_cell_in(p, &p->config->regions[k].shape, ci, cj)) start_k = p->config->regions[k].initial_k;
      content += p->materials[hs_problem_cell_material(p, ci, cj)].capacity_j_m3k * start_k;
    }
  return content * p->dx_m * p->dy_m;
}

static void a_start_has_the_heat_content_of_its_cells(void **state)
{
  struct test_random random = {20261123};
  (void)state;
  for (int c = 0; c < 40; c++) {
    struct hs_config_region regions[3];
    struct hs_config config = painted_plate(&random, c % 2 ? HS_LAYOUT_CELL : HS_LAYOUT_VERTEX, regions);
    struct hs_problem *problem = test_problem(&config);
    struct hs_error err = {0};
    struct hs_system *system;
    double *field_k, content = 0.0;
    test_ok(hs_problem_build_system(problem, &system, &err), &err);
    test_ok(hs_problem_initial_field(problem, system, &field_k, &err), &err);
    for (size_t n = 0; n < (size_t)problem->nx * (size_t)problem->ny; n++)
      content += system->law[hs_system_index(system, n)].capacity_j_mk * field_k[n];
    test_near("content", content, content_of_cells(problem), 1e-12 * content);
    free(field_k);
    hs_system_destroy(system);
    hs_problem_destroy(problem);
  }
}

/* Largest error in a bar of two materials, one at 300 K, one at 400 K, that touch at x = 1 m. Until the heat has reached the
 * bar's ends (Carslaw and Jaeger, Conduction of Heat in Solids, 1959, 2.15), with e = sqrt(k C) and the diffusivities a,
 *
 *     T = T_contact + (T_part - T_contact) erf(|x - 1| / (2 sqrt(a t))),   T_contact = (e1 300 + e2 400) / (e1 + e2). */
static double contact_error(int cells)
{
  const double k[2] = {1.0, 4.0}, c[2] = {1.0, 2.0}, start_k[2] = {300.0, 400.0}, end_s = 0.01;
  const double e1 = sqrt(k[0] * c[0]), e2 = sqrt(k[1] * c[1]);
  const double contact_k = (e1 * start_k[0] + e2 * start_k[1]) / (e1 + e2);
  struct hs_config config = test_config_spaced(cells + 1, 2, 2.0 / cells, 2.0 / cells);
  struct hs_config_region right = region("right", rectangle(1.0, 2.0, 0.0, 2.0 / cells), "other", NO_VALUE);
  struct test_run run;
  double worst = 0.0;
  for (int side = 0; side < HS_SIDES; side++) test_wall_insulated(&config, (enum hs_side)side);
  config.materials[0] = test_material("", k[0], c[0], 1.0);
  test_material_add(&config, test_material("other", k[1], c[1], 1.0));
  config.initial.temperature_k = start_k[0];
  right.initial_k = start_k[1];
  config.regions = &right;
  config.region_count = 1;
  config.time.scheme = HS_SCHEME_EXPLICIT;
  config.time.end_s = end_s;
  test_run_start(&run, &config, NULL);
  for (int i = 0; i <= cells; i++) {
    const double x = 2.0 * i / cells - 1.0;
    const int part = x > 0.0;
    const double exact_k =
        contact_k + (start_k[part] - contact_k) * erf(fabs(x) / (2.0 * sqrt(k[part] / c[part] * end_s)));
    worst = fmax(worst, fabs(run.result.field_k[i] - exact_k));
  }
  test_run_clear(&run);
  return worst;
}

static void a_contact_of_two_bodies_is_of_second_order(void **state)
{
  const double coarse = contact_error(40), fine = contact_error(80);
  (void)state;
  assert_true(fine < 0.1);
  test_near("order", log2(coarse / fine), 2.0, 0.2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(initial_field_is_painted_in_order),
      cmocka_unit_test(initial_map_comes_before_shapes),
      cmocka_unit_test(initial_field_has_walls_and_the_inside),
      cmocka_unit_test(a_start_has_the_heat_content_of_its_cells),
      cmocka_unit_test(a_contact_of_two_bodies_is_of_second_order),
  };
  return cmocka_run_group_tests_name("problem", tests, NULL, NULL);
}
