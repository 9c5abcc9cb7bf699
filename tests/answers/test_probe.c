/* Probes: temperatures at points and along lines. */
#include "answers/plate.h"

#include <math.h>
#include <string.h>

static double bilinear(double x, double y)
{
  return 3.0 - 2.0 * x + 5.0 * y + 4.0 * x * y;
}

static void probes_reproduce_bilinear_fields(void **state)
{
  (void)state;
  for (int l = 0; l < 2; l++) {
    struct plate plate;
    struct hs_answers answers;
    int n = 0;
    plate_create(&plate, PLATE_LAYOUTS[l], plate_nodes(PLATE_LAYOUTS[l], 7), plate_nodes(PLATE_LAYOUTS[l], 5), 0.9,
                 1.1);
    plate_point(&plate, "inside", 0.31, 0.77, "");
    plate_point(&plate, "corner", 0.9, 1.1, "");
    plate_point(&plate, "wall", 0.0, 0.4, "");
    plate_line(&plate, "line", 0.9, 0.05, 0.1, 0.65, 9);
    plate_assemble(&plate);
    for (int j = 0; j < plate.problem.ny; j++)
      for (int i = 0; i < plate.problem.nx; i++)
        plate.field_k[n++] =
            bilinear(plate.problem.x0_m + i * plate.problem.dx_m, plate.problem.y0_m + j * plate.problem.dy_m);
    answers = plate_answers(&plate);
    for (int p = 0; p < 4; p++) {
      const struct hs_probe_answer *probe = &answers.probes[p];
      assert_int_equal(probe->count, p == 3 ? 9 : 1);
      for (int k = 0; k < probe->count; k++)
        test_near(plate.probes[p].name, probe->temperature_k[k], bilinear(probe->x_m[k], probe->y_m[k]), 1e-13);
    }
    test_near("line's end", answers.probes[3].distance_m[8], 1.0, 1e-15);
    assert_true(answers.probes[3].x_m[0] == 0.9 && answers.probes[3].x_m[8] == 0.1 && answers.probes[3].y_m[8] == 0.65);
    hs_answers_clear(&answers);
    plate_destroy(&plate);
  }
}

/* On a node a probe has the node's value, every bit of it, also where x / dx is not a whole number in floating point. */
static void probes_on_nodes_have_their_bits(void **state)
{
  struct test_random random = {11};
  (void)state;
  for (int l = 0; l < 2; l++) {
    struct plate plate;
    plate_create(&plate, PLATE_LAYOUTS[l], 50, 8, 0.7, 0.3);
    plate_point(&plate, "node", 0.0, 0.0, "");
    plate_assemble(&plate);
    for (int n = 0; n < 400; n++) plate.field_k[n] = test_random_between(&random, -1.0, 1.0);
    for (int n = 0; n < 400; n++) {
      struct hs_answers answers;
      plate.probes[0].x_m = plate.problem.x0_m + n % 50 * plate.problem.dx_m;
      plate.probes[0].y_m = plate.problem.y0_m + n / 50 * plate.problem.dy_m;
      answers = plate_answers(&plate);
      if (answers.probes[0].temperature_k[0] != plate.field_k[n]) fail_msg("node %d of layout %d", n, l);
      hs_answers_clear(&answers);
    }
    plate_destroy(&plate);
  }
}

/* Three layers; at their boundaries the temperature is known from the resistances in series. */
static void probes_are_exact_across_layers(void **state)
{
  static const double exact_at[] = {0.0, 0.1, 0.2, 0.45, 0.7, 1.0};
  static const char *const layer[] = {"background", "background", "wool", "wool", "steel", "steel"};
  const double flow = 100.0 / (0.2 / 1.0 + 0.5 / 0.05 + 0.3 / 50.0);
  (void)state;
  for (int l = 0; l < 2; l++) {
    struct plate plate;
    struct hs_answers answers;
    int wool, steel;
    plate_create(&plate, PLATE_LAYOUTS[l], plate_nodes(PLATE_LAYOUTS[l], 20), plate_nodes(PLATE_LAYOUTS[l], 4), 1.0,
                 0.4);
    wool = plate_material(&plate, "wool", 0.05);
    steel = plate_material(&plate, "steel", 50.0);
    plate_paint(&plate, 0.2, 0.7, 0.0, 0.4, (struct hs_cell_class){.material = wool});
    plate_paint(&plate, 0.7, 1.0, 0.0, 0.4, (struct hs_cell_class){.material = steel});
    plate_wall(&plate, HS_WEST, HS_WALL_TEMPERATURE, 100.0, 0.0);
    plate_wall(&plate, HS_EAST, HS_WALL_TEMPERATURE, 0.0, 0.0);
    for (int k = 0; k < 6; k++) plate_point(&plate, "free", exact_at[k], 0.2, "");
    plate_solve(&plate);
    for (int variant = 0; variant < 4; variant++) {
      for (int k = 0; k < 6; k++) {
        plate.probes[k].material = (char *)(variant % 2 ? layer[k] : "");
        plate.probes[k].y_m = variant / 2 ? 0.2 : 0.15; /* a line of cells' edges, and one of their centres */
      }
      answers = plate_answers(&plate);
      for (int k = 0; k < 6; k++) {
        const double x = exact_at[k];
        const double before = fmin(x, 0.2) + fmin(fmax(x - 0.2, 0.0), 0.5) / 0.05 + fmax(x - 0.7, 0.0) / 50.0;
        test_near("layer", answers.probes[k].temperature_k[0], 100.0 - flow * before, 1e-9);
      }
      hs_answers_clear(&answers);
    }
    plate_destroy(&plate);
  }
}

static void periodic_probe_reads_across_the_seam(void **state)
{
  struct plate plate;
  struct hs_answers answers;
  (void)state;
  plate_create(&plate, HS_LAYOUT_CELL, 4, 2, 4.0, 2.0);
  plate_wall(&plate, HS_WEST, HS_WALL_PERIODIC, 0.0, 0.0);
  plate_wall(&plate, HS_EAST, HS_WALL_PERIODIC, 0.0, 0.0);
  plate_point(&plate, "seam", 0.0, 1.0, "");
  plate_point(&plate, "near", 3.75, 1.0, "");
  plate_assemble(&plate);
  for (int n = 0; n < 8; n++) plate.field_k[n] = n % 4;
  answers = plate_answers(&plate);
  test_near("seam", answers.probes[0].temperature_k[0], 1.5, 1e-14);
  test_near("near", answers.probes[1].temperature_k[0], 2.25, 1e-14);
  hs_answers_clear(&answers);
  plate_destroy(&plate);
}

static void impossible_probes_are_refused(void **state)
{
  struct plate plate;
  struct hs_error err;
  static const struct {
    double x, y;
    const char *material, *words;
  } bad[] = {{1.2, 0.5, "", "outside the domain"},
             {0.5, -0.01, "", "outside the domain"},
             {0.5, 0.5, "gold", "no such material"},
             {0.5, 0.5, "wool", "no cell of that material touches"},
             {0.1, 0.5, "background", "no cell of that material touches"}};
  (void)state;
  plate_create(&plate, HS_LAYOUT_VERTEX, 11, 11, 1.0, 1.0);
  plate_paint(&plate, 0.0, 0.3, 0.0, 1.0, (struct hs_cell_class){.material = plate_material(&plate, "wool", 0.05)});
  plate_point(&plate, "A", 0.3, 0.5, "wool");
  assert_int_equal(hs_answers_check(&plate.problem, &err), HS_OK);
  plate.probes[0].material = (char *)"background";
  assert_int_equal(hs_answers_check(&plate.problem, &err), HS_OK);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    plate.probes[0].x_m = bad[k].x;
    plate.probes[0].y_m = bad[k].y;
    plate.probes[0].material = (char *)bad[k].material;
    assert_int_equal(hs_answers_check(&plate.problem, &err), HS_ERR_CONFIG);
    if (!strstr(err.text, bad[k].words) || !strstr(err.text, "plate.ini:40: [probe A]")) fail_msg("%s", err.text);
  }
  plate.config.probe_count = 0;
  plate_line(&plate, "L", 0.1, 0.1, 0.5, 0.1, 5);
  assert_int_equal(hs_answers_check(&plate.problem, &err), HS_OK);
  plate.probes[0].material = (char *)"wool"; /* its last points leave the wool */
  assert_int_equal(hs_answers_check(&plate.problem, &err), HS_ERR_CONFIG);
  plate.probes[0].x1_m = 1.1;
  plate.probes[0].material = (char *)"";
  assert_int_equal(hs_answers_check(&plate.problem, &err), HS_ERR_CONFIG);
  plate_destroy(&plate);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(probes_reproduce_bilinear_fields), cmocka_unit_test(probes_on_nodes_have_their_bits),
      cmocka_unit_test(probes_are_exact_across_layers),   cmocka_unit_test(periodic_probe_reads_across_the_seam),
      cmocka_unit_test(impossible_probes_are_refused),
  };
  return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
