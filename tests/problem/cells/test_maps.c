/* Maps of numbers from HDF5 files. */
#include "problem/plain.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "folder.h"

static void map_file_create(const char *path, const double *values, int rows, int columns)
{
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t dims[2] = {(hsize_t)rows, (hsize_t)columns}, flat[1] = {dims[0] * dims[1]};
  float *single = calloc((size_t)(rows * columns), sizeof *single);
  int *whole = calloc((size_t)(rows * columns), sizeof *whole);
  hid_t group;
  assert_true(file >= 0);
  assert_non_null(single);
  assert_non_null(whole);
  for (int n = 0; n < rows * columns; n++) single[n] = (float)values[n];
  for (int n = 0; n < rows * columns; n++) whole[n] = (int)values[n];
  group = H5Gcreate2(file, "deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5LTmake_dataset_double(file, "double", 2, dims, values);
  H5LTmake_dataset_float(group, "float", 2, dims, single);
  H5LTmake_dataset_int(file, "int", 2, dims, whole);
  H5LTmake_dataset_double(file, "flat", 1, flat, values);
  H5LTmake_dataset_string(file, "words", "no numbers");
  H5Gclose(group);
  H5Fclose(file);
  free(whole);
  free(single);
}

static void maps_are_read_from_the_south(void **state)
{
  static const char *const datasets[] = {"/double", "/deep/float", "int", "deep/float"};
  struct hs_config config = plain_config(5, 4, 1.0, 1.0, HS_LAYOUT_VERTEX);
  double values[4 * 3], kx, ky;
  (void)state;
  for (int n = 0; n < 12; n++) values[n] = n + 1.0;
  map_file_create(test_folder_path("maps.h5"), values, 3, 4);
  for (size_t k = 0; k < sizeof datasets / sizeof *datasets; k++) {
    char place[600];
    struct hs_problem problem;
    snprintf(place, sizeof place, "%s:%s", test_folder_path("maps.h5"), datasets[k]);
    config.map.conductivity = config.map.source = place;
    problem = plain_painted(&config);
    hs_problem_cell_conductivity(&problem, 1, 2, &kx, &ky);
    assert_true(kx == 10.0 && ky == 10.0);
    for (int n = 0; n < 12; n++) assert_true(problem.source_map[n] == n + 1.0);
    assert_null(problem.initial_map);
    plain_clear(&problem);
  }
}

static void initial_maps_have_a_value_a_node(void **state)
{
  struct hs_config config = plain_config(4, 3, 1.0, 1.0, HS_LAYOUT_VERTEX);
  double values[4 * 3];
  char place[600];
  struct hs_problem problem;
  (void)state;
  for (int n = 0; n < 12; n++) values[n] = -1.0 * n;
  map_file_create(test_folder_path("maps.h5"), values, 3, 4);
  snprintf(place, sizeof place, "%s:/double", test_folder_path("maps.h5"));
  config.map.initial = place;
  problem = plain_painted(&config);
  for (int n = 0; n < 12; n++) assert_true(problem.initial_map[n] == values[n]);
  plain_clear(&problem);
}

/* A source map heats every control volume, those of Dirichlet nodes and the parts of volumes at walls included. */
static void source_maps_heat_all_of_the_plate(void **state)
{
  struct hs_config config = test_config(5, 4);
  double values[4 * 3], heat = 0.0;
  char place[600];
  struct hs_system *system;
  (void)state;
  for (int n = 0; n < 12; n++) values[n] = n + 1.0;
  map_file_create(test_folder_path("maps.h5"), values, 3, 4);
  snprintf(place, sizeof place, "%s:/double", test_folder_path("maps.h5"));
  config.map.source = place;
  system = test_system(&config);
  for (int n = 0; n < 20; n++) heat += system->source_w_m[n];
  test_near("heat", heat, 78.0 / 16, 1e-13);
  test_near("corner", system->source_w_m[0], 1.0 / 64, 1e-16);
  test_near("wall", system->source_w_m[1], (1.0 + 2.0) / 64, 1e-16);
  hs_system_destroy(system);
}

static void wrong_maps_are_refused(void **state)
{
  struct hs_config config = plain_config(5, 4, 1.0, 1.0, HS_LAYOUT_VERTEX);
  double values[4 * 3];
  char place[600];
  (void)state;
  for (int n = 0; n < 12; n++) values[n] = n + 1.0;
  values[6] = NAN;
  map_file_create(test_folder_path("maps.h5"), values, 3, 4);
  config.map.source = place;
  snprintf(place, sizeof place, "%s:/double", test_folder_path("maps.h5"));
  REFUSED(&config, HS_ERR_CONFIG, "[map] source", "maps.h5", "/double", "nan", "row 1", "column 2");
  config.map.conductivity = place;
  values[6] = 0.0;
  map_file_create(test_folder_path("maps.h5"), values, 3, 4);
  REFUSED(&config, HS_ERR_CONFIG, "[map] conductivity", "has 0 in row 1", "above 0");
  config.map.conductivity = NULL;
  config.grid.nx = 6;
  REFUSED(&config, HS_ERR_CONFIG, "(3, 4)", "6 x 4 nodes", "(3, 5)");
  config.grid.nx = 5;
  snprintf(place, sizeof place, "%s:/deep/double", test_folder_path("maps.h5"));
  REFUSED(&config, HS_ERR_IO, "no dataset \"/deep/double\"", "/double", "/deep/float");
  snprintf(place, sizeof place, "%s:/nowhere/at/all", test_folder_path("maps.h5"));
  REFUSED(&config, HS_ERR_IO, "no dataset \"/nowhere/at/all\"");
  snprintf(place, sizeof place, "%s:/deep", test_folder_path("maps.h5"));
  REFUSED(&config, HS_ERR_IO, "no dataset \"/deep\"");
  snprintf(place, sizeof place, "%s:/flat", test_folder_path("maps.h5"));
  REFUSED(&config, HS_ERR_CONFIG, "1 dimensions", "(3, 4)");
  snprintf(place, sizeof place, "%s:/words", test_folder_path("maps.h5"));
  REFUSED(&config, HS_ERR_IO, "does not hold numbers");
  snprintf(place, sizeof place, "%s", test_folder_path("maps.h5"));
  REFUSED(&config, HS_ERR_CONFIG, "does not name a dataset", "FILE.h5:/DATASET");
  snprintf(place, sizeof place, "/no/such/maps.h5:/double");
  REFUSED(&config, HS_ERR_IO, "/no/such/maps.h5", "No such file");
  assert_int_equal(truncate(test_folder_path("maps.h5"), 700), 0);
  snprintf(place, sizeof place, "%s:/double", test_folder_path("maps.h5"));
  REFUSED(&config, HS_ERR_IO, "maps.h5");
}

/* Names in a file may hold anything; a terminal would take some of it for commands. */
static void names_are_shown_without_control_characters(void **state)
{
  struct hs_config config = plain_config(5, 4, 1.0, 1.0, HS_LAYOUT_VERTEX);
  const hsize_t dims[2] = {1, 1};
  const double value = 1.0;
  char place[600];
  const hid_t file = H5Fcreate(test_folder_path("maps.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  (void)state;
  assert_true(file >= 0);
  H5LTmake_dataset_double(file, "a\x1b[31m\n", 2, dims, &value);
  H5LTmake_dataset_double(file, "u\xc2\x9b\x9b", 2, dims, &value);
  H5Fclose(file);
  config.map.source = place;
  snprintf(place, sizeof place, "%s:/b", test_folder_path("maps.h5"));
  REFUSED(&config, HS_ERR_IO, "it has /a\\x1b[31m\\x0a, /u\\xc2\\x9b\\x9b");
}

static int folder_create(void **state)
{
  (void)state;
  return test_folder_create("maps");
}

static int folder_remove(void **state)
{
  static const char *const files[] = {"maps.h5", NULL};
  (void)state;
  return test_folder_remove(files);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(maps_are_read_from_the_south),
      cmocka_unit_test(initial_maps_have_a_value_a_node),
      cmocka_unit_test(source_maps_heat_all_of_the_plate),
      cmocka_unit_test(wrong_maps_are_refused),
      cmocka_unit_test(names_are_shown_without_control_characters),
  };
  return cmocka_run_group_tests_name("maps", tests, folder_create, folder_remove);
}
