/* The file of the field: what it holds, and what is refused when it is read. */
#include "output/fixture.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "output/output.h"

static void test_h5_double_comes_back_bit_for_bit(void **state)
{
  struct fixture fixture;
  struct hs_output_field field;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  fixture_fill(&fixture);
  fixture.field_k[3] = -0.0;
  fixture.field_k[4] = 5e-324;
  fixture.field_k[5] = NAN;
  assert_int_equal(hs_output_h5_write(test_folder_path("a.h5"), &fixture.result, &err), HS_OK);
  assert_int_equal(hs_output_h5_read(test_folder_path("a.h5"), &field, &err), HS_OK);
  assert_int_equal(field.nx, NX);
  assert_int_equal(field.ny, NY);
  assert_true(field.dx_m == 0.25 && field.dy_m == 0.1);
  assert_string_equal(field.title, "A <plate>");
  assert_string_equal(field.precision, "double");
  assert_memory_equal(field.field_k, fixture.field_k, sizeof fixture.field_k);
  hs_output_field_clear(&field);
  hs_output_field_clear(&field);
}

static void test_h5_single_is_stored_as_float32(void **state)
{
  struct fixture fixture;
  struct hs_output_field field;
  struct hs_error err = {HS_OK, ""};
  hid_t file, dataset, type;
  int k;
  (void)state;
  fixture_fill(&fixture);
  fixture.config.solver.precision = HS_SINGLE;
  for (k = 0; k < NY * NX; k++) fixture.field_k[k] = (float)fixture.field_k[k];
  assert_int_equal(hs_output_h5_write(test_folder_path("a.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(test_folder_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  dataset = H5Dopen2(file, "temperature", H5P_DEFAULT);
  type = H5Dget_type(dataset);
  assert_true(H5Tequal(type, H5T_IEEE_F32LE) > 0);
  H5Tclose(type);
  H5Dclose(dataset);
  H5Fclose(file);
  assert_int_equal(hs_output_h5_read(test_folder_path("a.h5"), &field, &err), HS_OK);
  assert_string_equal(field.precision, "single");
  assert_memory_equal(field.field_k, fixture.field_k, sizeof fixture.field_k);
  hs_output_field_clear(&field);
}

static void test_h5_carries_attributes_scales_and_history(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  double x_m[NX], estimate_k[CHECKS];
  int64_t sweeps[CHECKS];
  hid_t file, field;
  (void)state;
  fixture_fill(&fixture);
  assert_int_equal(hs_output_h5_write(test_folder_path("a.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(test_folder_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  field = H5Dopen2(file, "temperature", H5P_DEFAULT);
  assert_text_attribute(file, "configuration", fixture.config.text);
  assert_text_attribute(file, "backend", "cpu-reference");
  assert_text_attribute(file, "device", fixture.result.place.device);
  assert_text_attribute(file, "status", "converged");
  assert_text_attribute(field, "units", "K");
  assert_int_equal(H5DSget_num_scales(field, 0), 1);
  assert_int_equal(H5DSget_num_scales(field, 1), 1);
  assert_true(H5LTread_dataset_double(file, "x", x_m) >= 0);
  assert_true(x_m[0] == 0.0 && x_m[NX - 1] == (NX - 1) * 0.25);
  assert_true(H5LTread_dataset(file, "convergence/sweeps", H5T_NATIVE_INT64, sweeps) >= 0);
  assert_int_equal(sweeps[2], 30);
  assert_true(H5LTread_dataset_double(file, "convergence/error_estimate", estimate_k) >= 0);
  assert_true(isnan(estimate_k[0]) && estimate_k[1] == fixture.history[1].error_estimate_k);
  H5Dclose(field);
  H5Fclose(file);
}

static void test_h5_takes_a_long_configuration_and_no_history(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  const size_t length = 300000;
  char *text = malloc(length + 1);
  hid_t file;
  (void)state;
  assert_non_null(text);
  memset(text, '#', length);
  text[length] = '\0';
  fixture_fill(&fixture);
  fixture.config.text = text;
  fixture.result.outcome.history = NULL;
  fixture.result.outcome.history_count = 0;
  assert_int_equal(hs_output_h5_write(test_folder_path("a.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(test_folder_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_text_attribute(file, "configuration", text);
  H5Fclose(file);
  free(text);
}

static void test_h5_tells_materials_and_their_names(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  unsigned char material[(NY - 1) * (NX - 1)];
  char *found[2] = {NULL, NULL};
  hid_t file, dataset, attribute, type;
  (void)state;
  fixture_fill(&fixture);
  assert_int_equal(hs_output_h5_write(test_folder_path("one.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(test_folder_path("one.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_int_equal(H5Lexists(file, "material", H5P_DEFAULT), 0);
  H5Fclose(file);
  fixture_make_two_materials(&fixture);
  assert_int_equal(hs_output_h5_write(test_folder_path("two.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(test_folder_path("two.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(H5LTread_dataset(file, "material", H5T_NATIVE_UCHAR, material) >= 0);
  assert_int_equal(material[0], 0);
  assert_int_equal(material[(NY - 1) * (NX - 1) - 1], 1);
  dataset = H5Dopen2(file, "material", H5P_DEFAULT);
  type = H5Dget_type(dataset);
  assert_int_equal(H5Tget_size(type), 1);
  H5Tclose(type);
  attribute = H5Aopen(dataset, "names", H5P_DEFAULT);
  type = H5Aget_type(attribute);
  assert_true(H5Aread(attribute, type, found) >= 0);
  assert_string_equal(found[0], "background");
  assert_string_equal(found[1], "w\xc3\xa4rmer");
  H5free_memory(found[0]);
  H5free_memory(found[1]);
  H5Tclose(type);
  H5Aclose(attribute);
  H5Dclose(dataset);
  H5Fclose(file);
}

/* The numbers of a dataset, and its scales. */
static void assert_on_cells(hid_t file, const char *name, const char *units, double *values)
{
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(dataset >= 0);
  assert_text_attribute(dataset, "units", units);
  assert_int_equal(H5DSget_num_scales(dataset, 0), 1);
  assert_int_equal(H5DSget_num_scales(dataset, 1), 1);
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Dclose(dataset);
}

static void test_h5_has_heat_flux_and_mesh(void **state)
{
  static const int first[4] = {0, 1, NX + 1, NX};
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  double east[(NY - 1) * (NX - 1)], north[(NY - 1) * (NX - 1)], x_m[NX - 1], points_m[2 * NX * NY];
  int quads[4 * (NY - 1) * (NX - 1)];
  const double *t = fixture.field_k;
  hid_t file;
  (void)state;
  fixture_fill(&fixture);
  fixture.config.output.flux = HS_WISH_YES;
  fixture.config.output.xdmf = HS_XDMF_MESH;
  assert_int_equal(hs_output_h5_write(test_folder_path("a.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(test_folder_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_text_attribute(file, "Conventions", "CF-1.11");
  assert_on_cells(file, "heat_flux_x", "W m-2", east);
  assert_on_cells(file, "heat_flux_y", "W m-2", north);
  assert_true(fabs(east[0] + 0.5 * ((t[1] - t[0]) + (t[NX + 1] - t[NX])) / 0.25) < 1e-12);
  assert_true(fabs(north[0] + 0.5 * ((t[NX] - t[0]) + (t[NX + 1] - t[1])) / 0.1) < 1e-12);
  assert_true(H5LTread_dataset_double(file, "x_cell", x_m) >= 0);
  assert_true(x_m[0] == 0.125);
  assert_true(H5LTread_dataset_double(file, "mesh/points", points_m) >= 0);
  assert_true(points_m[2 * NX] == 0.0 && points_m[2 * NX + 1] == 0.1 && points_m[2] == 0.25);
  assert_true(H5LTread_dataset_int(file, "mesh/quads", quads) >= 0);
  for (int k = 0; k < 4; k++) assert_int_equal(quads[k], first[k]);
  assert_int_equal(quads[4 * (NY - 1) * (NX - 1) - 2], NX * NY - 1);
  H5Fclose(file);
  fixture.config.output.flux = HS_WISH_NO;
  fixture.config.output.xdmf = HS_XDMF_GRID;
  assert_int_equal(hs_output_h5_write(test_folder_path("a.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(test_folder_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_int_equal(H5Lexists(file, "heat_flux_x", H5P_DEFAULT), 0);
  assert_int_equal(H5Lexists(file, "mesh", H5P_DEFAULT), 0);
  H5Fclose(file);
}

static void test_h5_places_nodes_in_cells(void **state)
{
  struct fixture fixture;
  struct hs_output_field field;
  struct hs_error err = {HS_OK, ""};
  double y_m[NY];
  hid_t file;
  (void)state;
  fixture_fill(&fixture);
  assert_int_equal(hs_output_h5_write(test_folder_path("a.h5"), &fixture.result, &err), HS_OK);
  assert_int_equal(hs_output_h5_read(test_folder_path("a.h5"), &field, &err), HS_OK);
  assert_false(field.cells);
  assert_string_equal(field.unit, "K");
  hs_output_field_clear(&field);
  fixture.config.grid.layout = HS_LAYOUT_CELL;
  fixture.config.output.unit = (char *)"degC";
  assert_int_equal(hs_output_h5_write(test_folder_path("a.h5"), &fixture.result, &err), HS_OK);
  assert_int_equal(hs_output_h5_read(test_folder_path("a.h5"), &field, &err), HS_OK);
  assert_true(field.cells);
  assert_string_equal(field.unit, "degC");
  hs_output_field_clear(&field);
  file = H5Fopen(test_folder_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(H5LTread_dataset_double(file, "y", y_m) >= 0);
  assert_true(y_m[0] == 0.05 && y_m[NY - 1] == (NY - 0.5) * 0.1);
  H5Fclose(file);
}

static void test_h5_tells_the_time_of_a_transient(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  double time_s = 0.0;
  hid_t file;
  (void)state;
  fixture_fill(&fixture);
  fixture.config.time.scheme = HS_SCHEME_CRANK_NICOLSON;
  fixture.result.transient.verdict = HS_VERDICT_INTERRUPTED;
  fixture.result.transient.time_s = 12.5;
  fixture.result.transient.sweeps = 77;
  assert_int_equal(hs_output_h5_write(test_folder_path("a.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(test_folder_path("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_text_attribute(file, "status", "interrupted");
  assert_text_attribute(file, "scheme", hs_scheme_name(HS_SCHEME_CRANK_NICOLSON));
  assert_true(H5LTget_attribute_double(file, "/", "time_s", &time_s) >= 0);
  assert_true(time_s == 12.5);
  assert_true(H5LTget_attribute_double(file, "/", "iterations", &time_s) >= 0);
  assert_true(time_s == 77.0);
  H5Fclose(file);
}

static void assert_h5_refused(const char *name, const char *part)
{
  struct hs_output_field field;
  struct hs_error err = {HS_OK, ""};
  assert_int_equal(hs_output_h5_read(test_folder_path(name), &field, &err), HS_ERR_IO);
  if (!strstr(err.text, part) || !strstr(err.text, name)) fail_msg("\"%s\" lacks \"%s\" or the path", err.text, part);
  assert_null(field.field_k);
}

static void make_dataset(const char *name, const char *dataset, int rank, const hsize_t *dims, hid_t type)
{
  hid_t file = H5Fcreate(test_folder_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(rank, dims, NULL);
  hid_t made = H5Dcreate2(file, dataset, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(made >= 0);
  H5Dclose(made);
  H5Sclose(space);
  H5Fclose(file);
}

static void test_h5_read_refuses_what_is_no_field(void **state)
{
  const hsize_t cube[3] = {2, 2, 2}, huge[2] = {(hsize_t)1 << 40, 2}, wide[2] = {1 << 30, 1 << 30}, plain[2] = {2, 2};
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  assert_h5_refused("missing.h5", "No such file");
  test_file_put(test_folder_path("text.h5"), "not an HDF5 file\n");
  assert_h5_refused("text.h5", "not an HDF5 file");
  make_dataset("other.h5", "pressure", 2, plain, H5T_IEEE_F64LE);
  assert_h5_refused("other.h5", "no dataset \"temperature\"");
  make_dataset("cube.h5", "temperature", 3, cube, H5T_IEEE_F64LE);
  assert_h5_refused("cube.h5", "3 dimensions");
  make_dataset("integer.h5", "temperature", 2, plain, H5T_STD_I32LE);
  assert_h5_refused("integer.h5", "floating-point");
  make_dataset("huge.h5", "temperature", 2, huge, H5T_IEEE_F64LE);
  assert_h5_refused("huge.h5", "1099511627776");
  make_dataset("wide.h5", "temperature", 2, wide, H5T_IEEE_F64LE);
  assert_h5_refused("wide.h5", "never written");
  fixture_fill(&fixture);
  assert_int_equal(hs_output_h5_write(test_folder_path("cut.h5"), &fixture.result, &err), HS_OK);
  assert_int_equal(truncate(test_folder_path("cut.h5"), 3000), 0);
  assert_h5_refused("cut.h5", "truncated");
}

/* A small file of a large field, of which a chunk was written. */
static void test_h5_read_refuses_what_memory_cannot_hold(void **state)
{
  static const double value = 1.0;
  const hsize_t dims[2] = {500000, 1000000}, chunk[2] = {4000, 4000}, from[2] = {0, 0}, one[2] = {1, 1};
  const hid_t file = H5Fcreate(test_folder_path("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(2, dims, NULL), memory = H5Screate_simple(2, one, NULL);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  struct hs_output_field field;
  struct hs_error err = {HS_OK, ""};
  hid_t dataset;
  (void)state;
  H5Pset_chunk(creation, 2, chunk);
  H5Pset_deflate(creation, 9);
  dataset = H5Dcreate2(file, "temperature", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, one, NULL);
  assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value) >= 0);
  H5Dclose(dataset);
  H5Pclose(creation);
  H5Sclose(memory);
  H5Sclose(space);
  H5Fclose(file);
  assert_int_equal(hs_output_h5_read(test_folder_path("a.h5"), &field, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "its field of 1000000 x 500000 nodes needs 4.4e+03 GB of memory and "));
  assert_non_null(strstr(err.text, " GB are free."));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_h5_double_comes_back_bit_for_bit),
      TEST(test_h5_single_is_stored_as_float32),
      TEST(test_h5_carries_attributes_scales_and_history),
      TEST(test_h5_takes_a_long_configuration_and_no_history),
      TEST(test_h5_tells_materials_and_their_names),
      TEST(test_h5_has_heat_flux_and_mesh),
      TEST(test_h5_places_nodes_in_cells),
      TEST(test_h5_tells_the_time_of_a_transient),
      TEST(test_h5_read_refuses_what_is_no_field),
      TEST(test_h5_read_refuses_what_memory_cannot_hold),
  };
  return cmocka_run_group_tests_name("field", tests, NULL, NULL);
}
