/* A problem in windows, one a rank, has the bits of the whole problem (src/problem). */
#include "problem/windows.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "folder.h"
#include "problem/parts.h"
#include "problem/random.h"

static const struct {
  int count_x, count_y, ghost;
} cuts[] = {{2, 1, 1}, {1, 2, 3}, {3, 1, 2}, {2, 2, 1}, {1, 4, 2}, {3, 2, 4}, {4, 3, 1}};
enum { CUTS = sizeof cuts / sizeof *cuts };

/* Compares all cuts that the grid allows; returns whether the problem was taken. */
static bool compare_all(const struct hs_config *config)
{
  bool taken = false;
  for (int k = 0; k < CUTS; k++) {
    struct hs_partition partition;
    if (windows_cut(config, cuts[k].count_x, cuts[k].count_y, cuts[k].ghost, &partition))
      taken = windows_compare(config, &partition);
  }
  return taken;
}

/* --- random problems ----------------------------------------------------------------------------- */

static void random_problems_in_windows(void **state)
{
  const int trials = 400 / test_every(8);
  struct test_random random = {20261123};
  int taken = 0;
  (void)state;
  for (int trial = 0; trial < trials; trial++) {
    struct random_parts parts;
    const struct hs_config config = random_config(&random, &parts);
    taken += compare_all(&config);
  }
  assert_in_range(taken, trials / 2, trials - trials / 20); /* both outcomes are compared */
}

/* --- maps ---------------------------------------------------------------------------------------- */

/* Numbers that differ from place to place, in a dataset. */
static void dataset_put(hid_t file, const char *name, int rows, int columns)
{
  const hsize_t extent[2] = {(hsize_t)rows, (hsize_t)columns};
  double *values = calloc((size_t)rows * (size_t)columns, sizeof *values);
  assert_non_null(values);
  for (int n = 0; n < rows * columns; n++) values[n] = 1.0 + 0.01 * n + sin(n);
  assert_true(H5LTmake_dataset_double(file, name, 2, extent, values) >= 0);
  free(values);
}

static void compare_maps(enum hs_layout layout, bool periodic)
{
  const bool cell = layout == HS_LAYOUT_CELL;
  struct hs_config config = test_config_spaced(29, 23, 0.1, 0.2);
  const hid_t file = H5Fcreate(test_folder_path("maps.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  char *place[3];
  assert_true(file >= 0);
  if (cell) cell_layout(&config);
  for (int side = 0; periodic && side < HS_SIDES; side++) test_wall_periodic(&config, (enum hs_side)side);
  config.materials[0] = test_material("", 1.5, 2.0, 3.0);
  config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  config.time.end_s = 1.0;
  config.time.step_s = 0.1;
  dataset_put(file, "k", cell ? 23 : 22, cell ? 29 : 28);
  dataset_put(file, "q", cell ? 23 : 22, cell ? 29 : 28);
  dataset_put(file, "t", 23, 29);
  (void)H5Fclose(file);
  for (int k = 0; k < 3; k++) {
    place[k] = malloc(500);
    assert_non_null(place[k]);
    snprintf(place[k], 500, "%s:/%c", test_folder_path("maps.h5"), "kqt"[k]);
  }
  config.map.initial = place[2];
  config.map.source = place[1];
  assert_true(compare_all(&config));
  config.map.conductivity = place[0];
  assert_true(compare_all(&config));
  for (int k = 0; k < 3; k++) free(place[k]);
}

static void maps_are_read_by_windows(void **state)
{
  (void)state;
  compare_maps(HS_LAYOUT_VERTEX, false);
  compare_maps(HS_LAYOUT_VERTEX, true);
  compare_maps(HS_LAYOUT_CELL, false);
  compare_maps(HS_LAYOUT_CELL, true);
}

/* A number that cannot be used is named by its place in the file. */
static void a_bad_number_of_a_map_is_refused_by_all(void **state)
{
  struct hs_config config = test_config(20, 20);
  const hid_t file = H5Fcreate(test_folder_path("bad.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  double values[19 * 19] = {0.0};
  const hsize_t extent[2] = {19, 19};
  char place[500];
  (void)state;
  assert_true(file >= 0);
  values[13 * 19 + 17] = NAN;
  assert_true(H5LTmake_dataset_double(file, "q", 2, extent, values) >= 0);
  (void)H5Fclose(file);
  snprintf(place, sizeof place, "%s:/q", test_folder_path("bad.h5"));
  config.map.source = place;
  assert_false(compare_all(&config));
}

/* --- the examples -------------------------------------------------------------------------------- */

static void every_example_in_windows(void **state)
{
  (void)state;
  for (int k = 0; k < EXAMPLES; k++) {
    struct hs_config *config = example_read(k);
    if (!compare_all(config)) fail_msg("%s was refused", config->path);
    hs_config_destroy(config);
  }
}

/* --- laws ---------------------------------------------------------------------------------------- */

/* Nodes that are all held differently: the whole problem has a law for each, a window has few enough for a table. */
static void windows_have_a_table_where_the_whole_has_none(void **state)
{
  struct hs_config config = test_config(300, 300);
  struct hs_config_region slope =
      region("slope", rectangle(0.05, 0.95, 0.05, 0.95), "", test_formula("300 + 10*x + 0.0317*y"));
  struct hs_partition partition;
  struct hs_system *whole;
  (void)state;
  config.regions = &slope;
  config.region_count = 1;
  whole = test_system(&config);
  assert_null(whole->index);
  hs_system_destroy(whole);
  assert_true(windows_cut(&config, 2, 2, 3, &partition));
  assert_true(windows_compare(&config, &partition));
}

/* The wall's h is below 0 at the end of the last rank's part alone, from t = 0.5 s on. */
static void late_body(struct hs_comm *comm, void *context)
{
  const struct hs_config *config = context;
  struct hs_subdomain subdomain = {.comm = comm, .part = hs_comm_rank(comm)};
  struct hs_problem *p;
  struct hs_system *s;
  double *initial_k;
  struct hs_error err = {0};
  test_rank_require(comm, windows_cut(config, hs_comm_size(comm), 1, 2, &subdomain.partition));
  test_rank_require(comm, windows_make(config, &subdomain, &p, &s, &initial_k, &err) == HS_OK);
  test_rank_require(comm, hs_problem_time_set(p, s, 0.4, &err) == HS_OK);
  test_rank_require(comm, hs_problem_time_set(p, s, 0.9, &err) == HS_ERR_CONFIG);
  test_rank_require(comm, strstr(err.text, "it must not be below 0") != NULL);
  free(initial_k);
  hs_system_destroy(s);
  hs_problem_destroy(p);
}

static void what_fails_later_on_one_rank_fails_on_all(void **state)
{
  struct hs_config config = test_config(40, 40);
  (void)state;
  config.materials[0] = test_material("", 1.5, 2.0, 3.0);
  test_wall_convection(&config, HS_SOUTH, 1.0, 300.0);
  config.boundaries[HS_SOUTH].h = test_formula("1.5 - 2*t*x*x");
  config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  config.time.end_s = 1.0;
  config.time.step_s = 0.1;
  for (int ranks = 1; ranks <= 4; ranks++) test_ranks_run(ranks, late_body, &config);
}

/* --- refusals ------------------------------------------------------------------------------------ */

/* What only one rank can see is refused by all: a source in one corner whose node is held, a shape between the nodes. */
static void what_one_rank_refuses_all_refuse(void **state)
{
  struct hs_config config = walled_config(24, 24);
  struct hs_config_source source = test_source_node(0, 3, 1.0);
  struct hs_config_region speck = region("speck", circle(0.51, 0.53, 0.001), "", test_value(5.0));
  (void)state;
  config.sources = &source;
  config.source_count = 1;
  assert_false(compare_all(&config));
  config = walled_config(24, 24);
  config.regions = &speck;
  config.region_count = 1;
  assert_false(compare_all(&config));
}

/* A held bar from wall to periodic wall: where these meet its nodes have contacts, although shape lies all around them. */
static void a_shape_is_held_around_periodic_walls(void **state)
{
  (void)state;
  for (int cell = 0; cell < 2; cell++) {
    struct hs_config config = test_config(24, 24);
    struct hs_config_region bar = region("bar", rectangle(0.0, 1.0, 0.2, 0.6), "", test_value(5.0));
    if (cell) cell_layout(&config);
    test_wall_periodic(&config, HS_WEST);
    test_wall_periodic(&config, HS_EAST);
    config.regions = &bar;
    config.region_count = 1;
    assert_true(compare_all(&config));
  }
}

/* Net heat is added up over all ranks: a source and a sink in different corners. */
static void insulated_plates_are_balanced_as_a_whole(void **state)
{
  struct hs_config config = insulated(24, 24, 0.1, 0.1);
  struct hs_config_source sources[2] = {test_source_node(3, 3, NAN), test_source_node(20, 20, NAN)};
  (void)state;
  config.sources = sources;
  config.source_count = 2;
  sources[0].power_w_m = 7.0;
  sources[1].power_w_m = -7.0;
  assert_true(compare_all(&config));
  sources[1].power_w_m = -6.9;
  assert_false(compare_all(&config));
}

/* A window of 4e10 nodes, which nobody has memory for. */
static void a_window_needs_no_room_for_the_whole_grid(void **state)
{
  const struct hs_subdomain middle = {
      hs_comm_alone(),
      {.grid_nx = 200000, .grid_ny = 200000, .count_x = 500, .count_y = 500, .align = 1, .ghost = 8},
      500 * 250 + 250};
  struct hs_config config = test_config(200000, 200000);
  struct hs_config_region disc = region("disc", circle(0.5, 0.5, 0.3), "steel", NO_VALUE);
  struct hs_problem *p;
  struct hs_system *s;
  struct hs_error err = {0};
  double *initial_k;
  struct rusage before, after;
  (void)state;
  config.materials[0] = test_material("", 1.5, 2.0, 3.0);
  test_material_add(&config, test_material("steel", 10.0, 4.0, 1.0));
  config.regions = &disc;
  config.region_count = 1;
  disc.initial_k = 350.0;
  config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  config.time.end_s = 1.0;
  config.time.step_s = 0.1;
  assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
  test_ok(windows_make(&config, &middle, &p, &s, &initial_k, &err), &err);
  assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
  assert_int_equal(p->nx, 416);
  assert_true(after.ru_maxrss - before.ru_maxrss < 50 * 1024); /* kB; the grid's cells alone have 8e7 */
  free(initial_k);
  hs_system_destroy(s);
  hs_problem_destroy(p);
}

/* --- all of it ----------------------------------------------------------------------------------- */

static int folder_make(void **state)
{
  (void)state;
  return test_folder_create("window");
}

static int folder_remove(void **state)
{
  static const char *const files[] = {"maps.h5", "bad.h5", NULL};
  (void)state;
  return test_folder_remove(files);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_problems_in_windows),
      cmocka_unit_test(maps_are_read_by_windows),
      cmocka_unit_test(a_bad_number_of_a_map_is_refused_by_all),
      cmocka_unit_test(every_example_in_windows),
      cmocka_unit_test(windows_have_a_table_where_the_whole_has_none),
      cmocka_unit_test(what_fails_later_on_one_rank_fails_on_all),
      cmocka_unit_test(what_one_rank_refuses_all_refuse),
      cmocka_unit_test(a_shape_is_held_around_periodic_walls),
      cmocka_unit_test(a_window_needs_no_room_for_the_whole_grid),
      cmocka_unit_test(insulated_plates_are_balanced_as_a_whole),
  };
  return cmocka_run_group_tests_name("window", tests, folder_make, folder_remove);
}
