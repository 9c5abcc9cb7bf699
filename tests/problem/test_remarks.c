/* Remarks on what the grid makes of a drawing. */
#include "problem/plain.h"

#include <string.h>

/* The number of remarks with all the words; a NULL ends them. */
static int count_remarks(const struct hs_remarks *remarks, bool warning, const char *const *words)
{
  int count = 0;
  for (int k = 0; k < remarks->count; k++) {
    bool all = remarks->warning[k] == warning;
    for (int w = 0; words[w]; w++) all = all && strstr(remarks->text[k], words[w]);
    count += all;
  }
  return count;
}

#define REMARKED(warning, ...) count_remarks(&remarks, warning, (const char *const[]){__VA_ARGS__, NULL})

static void remarks_tell_what_the_grid_does(void **state)
{
  struct hs_config config = plain_config(21, 21, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_region regions[] = {plain_region("base", EVERYWHERE, "foam"),
                                       plain_region("fits", rectangle(0.1, 0.5, 0.1, 0.3), "steel"),
                                       plain_region("over", rectangle(0.1, 0.3, 0.1, 0.3), "copper"),
                                       plain_region("askew", rectangle(0.61, 0.9, 0.6, 0.9), "steel"),
                                       plain_region("round", circle(0.5, 0.5, 0.08), "steel"),
                                       plain_region("wire", bar(0.02, 0.95, 0.9, 0.95, 0.01), "steel"),
                                       plain_region("foil", rectangle(0.0, 1.0, 0.005, 0.01), "steel"),
                                       plain_region("hidden", circle(0.75, 0.75, 0.1), "steel"),
                                       plain_region("cover", rectangle(0.6, 0.95, 0.6, 0.9), "copper"),
                                       plain_region("blank", rectangle(0.3, 0.4, 0.3, 0.4), ""),
                                       plain_region("speck", circle(0.52, 0.52, 0.001), "")};
  struct hs_problem problem;
  struct hs_remarks remarks;
  struct hs_error err = {0};
  (void)state;
  regions[10].initial_k = 5.0;
  config.regions = regions;
  config.region_count = 11;
  problem = plain_painted(&config);
  test_ok(hs_problem_remarks(&problem, &remarks, &err), &err);
  assert_int_equal(REMARKED(false, "[shape fits]", "lie on grid lines"), 1);
  assert_int_equal(REMARKED(true, "[shape askew]", "x0 by 0.01 m", "0.2 of a cell"), 1);
  assert_int_equal(REMARKED(true, "[shape round]", "circle", "% of its area"), 1);
  assert_int_equal(REMARKED(true, "[shape wire]", "thinner than a cell", "nx = 201, ny = 201"), 1);
  assert_int_equal(REMARKED(true, "[shape foil]", "no cell"), 1);
  assert_int_equal(REMARKED(true, "[shape foil]", "thinner", "nx = 21, ny = 401"), 1);
  assert_int_equal(REMARKED(false, "[shape over] lies over 50 % of [shape fits]"), 1);
  assert_int_equal(REMARKED(true, "[shape hidden] lies wholly under the later [shape cover]"), 1);
  assert_int_equal(REMARKED(true, "[shape blank] paints nothing"), 1);
  assert_int_equal(REMARKED(true, "[shape speck] contains the centre of no cell", "no initial temperature"), 1);
  assert_int_equal(REMARKED(false, "background", "fills no cell"), 1);
  assert_int_equal(REMARKED(false, "[shape base]"), 0);
  assert_int_equal(REMARKED(true, "[shape fits]"), 0);
  hs_remarks_clear(&remarks);
  plain_clear(&problem);
}

static void remarks_tell_of_crossing_sides_and_of_what_no_grid_resolves(void **state)
{
  struct hs_config config = plain_config(21, 21, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_point bow_tie[] = {{0.1, 0.1}, {0.9, 0.9}, {0.9, 0.1}, {0.1, 0.9}};
  struct hs_point star[] = {{0.1, 0.1}, {0.5, 0.2}, {0.9, 0.1}, {0.5, 0.9}};
  struct hs_config_region regions[] = {plain_region("tie", EVERYWHERE, "steel"), plain_region("held", EVERYWHERE, ""),
                                       plain_region("dart", EVERYWHERE, "steel"),
                                       plain_region("hair", rectangle(0.51, 0.51 + 1e-11, 0.0, 1.0), "steel")};
  struct hs_problem problem;
  struct hs_remarks remarks;
  struct hs_error err = {0};
  (void)state;
  for (int k = 0; k < 3; k++) {
    regions[k].shape.kind = HS_SHAPE_POLYGON;
    regions[k].shape.points = k < 2 ? bow_tie : star;
    regions[k].shape.point_count = 4;
  }
  regions[1].initial_k = 5.0;
  config.regions = regions;
  config.region_count = 4;
  problem = plain_painted(&config);
  test_ok(hs_problem_remarks(&problem, &remarks, &err), &err);
  assert_int_equal(REMARKED(true, "[shape tie]", "corner 1 to 2", "corner 3 to 4", "cross"), 1);
  assert_int_equal(REMARKED(true, "[shape held]", "cross"), 1);
  assert_int_equal(REMARKED(true, "[shape dart]", "cross"), 0);
  assert_int_equal(REMARKED(true, "[shape hair]", "no grid of up to 1000000 nodes"), 1);
  hs_remarks_clear(&remarks);
  plain_clear(&problem);
}

static void a_plain_problem_has_no_remarks(void **state)
{
  struct hs_config config = plain_config(21, 21, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_problem problem;
  struct hs_remarks remarks;
  struct hs_error err = {0};
  (void)state;
  config.material_count = 1;
  problem = plain_painted(&config);
  test_ok(hs_problem_remarks(&problem, &remarks, &err), &err);
  assert_int_equal(remarks.count, 0);
  hs_remarks_clear(&remarks);
  plain_clear(&problem);
}

static void lengths_in_millimetres_are_asked_about(void **state)
{
  struct hs_config config = plain_config(21, 21, 120.0, 80.0, HS_LAYOUT_VERTEX);
  struct hs_problem problem;
  struct hs_remarks remarks;
  struct hs_error err = {0};
  (void)state;
  config.material_count = 1;
  problem = plain_painted(&config);
  test_ok(hs_problem_remarks(&problem, &remarks, &err), &err);
  assert_int_equal(REMARKED(false, "The plate is 120 m by 80 m", "1 mm is 0.001"), 1);
  hs_remarks_clear(&remarks);
  plain_clear(&problem);
}

/* Shapes that hold a temperature are shown by nodes, which are cells' corners or their centres. */
static void remarks_tell_what_nodes_hold(void **state)
{
  struct hs_config config = plain_config(21, 21, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_region regions[] = {plain_region("fits", rectangle(0.1, 0.5, 0.1, 0.3), ""),
                                       plain_region("border", rectangle(-1.0, 0.1, 0.5, 2.0), ""),
                                       plain_region("askew", rectangle(0.61, 0.9, 0.6, 0.89), ""),
                                       plain_region("foil", rectangle(0.6, 0.9, 0.04, 0.06), ""),
                                       plain_region("hole", circle(0.5, 0.5, 0.1), ""),
                                       plain_region("round", circle(0.5, 0.5, 0.5), ""),
                                       plain_region("all", circle(0.5, 0.5, 5.0), "")};
  struct hs_problem problem;
  struct hs_remarks remarks;
  struct hs_error err = {0};
  (void)state;
  for (int k = 0; k < 7; k++) regions[k].temperature = test_value(5.0);
  config.regions = regions;
  config.region_count = 7;
  problem = plain_painted(&config);
  test_ok(hs_problem_remarks(&problem, &remarks, &err), &err);
  assert_int_equal(REMARKED(false, "[shape fits]: its edges lie on nodes"), 1);
  assert_int_equal(REMARKED(false, "[shape border]: its edges lie on nodes"), 1);
  assert_int_equal(REMARKED(true, "[shape askew]",
                            "x0 by 0.04 m (0.8 of a spacing), y1 by 0.04 m (0.8 of a spacing); they span 74.32 %"),
                   1);
  assert_int_equal(REMARKED(true, "[shape foil]", "y0 by 0.01 m (0.2 of a spacing), y1 by 0.01 m", "0 % of its area"),
                   1);
  assert_int_equal(
      REMARKED(true, "[shape hole]", "edge of the circle runs between nodes", "inside", "It is 4 spacings across"), 1);
  assert_int_equal(REMARKED(false, "[shape round]", "falls with the spacing, not with its square"), 1);
  assert_int_equal(REMARKED(true, "[shape all] covers the plate"), 1);
  hs_remarks_clear(&remarks);
  plain_clear(&problem);

  /* nodes in the middle of cells: edges on grid lines lie between them */
  config = plain_config(20, 20, 1.0, 1.0, HS_LAYOUT_CELL);
  config.regions = regions;
  config.region_count = 1;
  problem = plain_painted(&config);
  test_ok(hs_problem_remarks(&problem, &remarks, &err), &err);
  assert_int_equal(REMARKED(true, "[shape fits]", "x0 by 0.025 m (0.5 of a spacing)", "they span 65.6"), 1);
  hs_remarks_clear(&remarks);
  plain_clear(&problem);
  regions[0].shape = rectangle(0.001, 0.525, 0.0, 1.0); /* between the wall and the first node */
  regions[1].shape = rectangle(0.0, 0.025, 0.2, 0.8);   /* from the wall to the first node */
  config.region_count = 2;
  problem = plain_painted(&config);
  test_ok(hs_problem_remarks(&problem, &remarks, &err), &err);
  assert_int_equal(REMARKED(true, "[shape fits]", "edges: x0 by 0.024 m (0.48 of a spacing); they span 95.42 %"), 1);
  assert_int_equal(REMARKED(true, "[shape border]", "edges: y0 by 0.025 m", "they span 91.67 %"), 1);
  hs_remarks_clear(&remarks);
  plain_clear(&problem);
}

static void remarks_know_shapes_on_nodes(void **state)
{
  struct hs_config config = plain_config(21, 21, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_point square[] = {{0.1, 0.1}, {0.4, 0.1}, {0.4, 0.4}, {0.1, 0.4}};
  struct hs_point kite[] = {{0.5, 0.4}, {0.9, 0.5}, {0.6, 0.8}};
  struct hs_config_region regions[] = {
      plain_region("square", polygon(square, 4), ""), plain_region("kite", polygon(kite, 3), ""),
      plain_region("frame", rectangle(0.1, 0.9, 0.1, 0.9), ""), plain_region("rim", circle(0.5, 0.5, 0.4), "")};
  struct hs_problem problem;
  struct hs_remarks remarks;
  struct hs_error err = {0};
  (void)state;
  for (int k = 0; k < 4; k++) regions[k].temperature = test_value(5.0);
  regions[2].shape.part = regions[3].shape.part = HS_PART_OUTSIDE;
  config.regions = regions;
  config.region_count = 4;
  problem = plain_painted(&config);
  test_ok(hs_problem_remarks(&problem, &remarks, &err), &err);
  assert_int_equal(REMARKED(false, "[shape square]: its edges lie on nodes"), 1);
  assert_int_equal(REMARKED(false, "[shape kite]", "edge of the polygon runs between nodes"), 1);
  assert_int_equal(REMARKED(false, "[shape frame]: its edges lie on nodes"), 1);
  assert_int_equal(REMARKED(false, "[shape rim]", "nearest ones outside hold it"), 1);
  hs_remarks_clear(&remarks);
  plain_clear(&problem);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(remarks_tell_what_the_grid_does),
      cmocka_unit_test(remarks_tell_what_nodes_hold),
      cmocka_unit_test(remarks_know_shapes_on_nodes),
      cmocka_unit_test(remarks_tell_of_crossing_sides_and_of_what_no_grid_resolves),
      cmocka_unit_test(a_plain_problem_has_no_remarks),
      cmocka_unit_test(lengths_in_millimetres_are_asked_about),
  };
  return cmocka_run_group_tests_name("remarks", tests, NULL, NULL);
}
