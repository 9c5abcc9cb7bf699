/* Tests of the output room: what a file holds, that it appears complete or not at all, and that pictures show
 * the field the right way round. The results are made by hand, so no solver is needed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <jansson.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "io/file.h"
#include "output/output.h"
#include "output/snapshots.h"

#define NX 7
#define NY 5
#define CHECKS 3

static char folder[256]; /* of this run of the tests */

/* --- A result made by hand ------------------------------------------------------------------------ */

struct fixture {
  struct hs_config config;
  struct hs_config_material config_materials[2];
  struct hs_problem problem;
  struct hs_material materials[2];
  struct hs_cell_class classes[2];
  uint16_t cell[(NY - 1) * (NX - 1)];
  struct hs_material_answer material_answers[2];
  struct hs_result result;
  double field_k[NY * NX];
  struct hs_check history[CHECKS];
};

/* A drawing of one material; make_two_materials makes it two. */
static void fill_problem(struct fixture *fixture)
{
  struct hs_problem *problem = &fixture->problem;
  int m;
  fixture->config.grid.nx = NX;
  fixture->config.grid.ny = NY;
  fixture->config.grid.dx_m = 0.25;
  fixture->config.grid.dy_m = 0.1;
  fixture->config.grid.lx_m = (NX - 1) * 0.25;
  fixture->config.grid.ly_m = (NY - 1) * 0.1;
  fixture->config.materials = fixture->config_materials;
  fixture->config.material_count = 1;
  for (m = 0; m < 2; m++) {
    fixture->config_materials[m] = (struct hs_config_material){.name = (char *)(m ? "w\xc3\xa4rmer" : ""),
                                                               .conductivity_x_w_mk = 1.0,
                                                               .conductivity_y_w_mk = 1.0,
                                                               .density_kg_m3 = NAN,
                                                               .heat_capacity_j_kgk = NAN,
                                                               .color = (char *)""};
    fixture->materials[m] = (struct hs_material){.name = fixture->config_materials[m].name,
                                                 .conductivity_x_w_mk = 1.0,
                                                 .conductivity_y_w_mk = 1.0,
                                                 .density_kg_m3 = NAN,
                                                 .capacity_j_m3k = NAN};
    fixture->classes[m].material = m;
    fixture->material_answers[m] = (struct hs_material_answer){0.3, 273.4, 273.0, 274.0};
  }
  problem->config = &fixture->config;
  problem->nx = NX;
  problem->ny = NY;
  problem->dx_m = 0.25;
  problem->dy_m = 0.1;
  problem->lx_m = fixture->config.grid.lx_m;
  problem->ly_m = fixture->config.grid.ly_m;
  problem->cells_x = NX - 1;
  problem->cells_y = NY - 1;
  problem->materials = fixture->materials;
  problem->material_count = 1;
  problem->cell = fixture->cell;
  problem->classes = fixture->classes;
  problem->class_count = 2;
  fixture->result.problem = problem;
  fixture->result.answers.materials = fixture->material_answers;
}

/* The northern half of the cells becomes of the second material. */
static void make_two_materials(struct fixture *fixture)
{
  int c;
  fixture->config.material_count = fixture->problem.material_count = 2;
  for (c = 0; c < (NY - 1) * (NX - 1); c++) fixture->cell[c] = c >= (NY - 1) / 2 * (NX - 1);
}

static void fill_fixture(struct fixture *fixture)
{
  struct hs_result *result = &fixture->result;
  int k;
  memset(fixture, 0, sizeof *fixture);
  fill_problem(fixture);
  fixture->config.path = (char *)"plate.ini";
  fixture->config.text = (char *)"[grid]\nnx = 7\n# W\xc3\xa4rme\n";
  fixture->config.solver.criterion = HS_CRITERION_UPDATE_L2;
  fixture->config.solver.tolerance = 1e-4;
  fixture->config.solver.max_iterations = 100000;
  result->check_every = 10;
  fixture->config.output.directory = folder;
  fixture->config.output.title = (char *)"A <plate>";
  fixture->config.output.colormap = (char *)"viridis";
  fixture->config.solver.balance_tolerance = 0.01;
  fixture->config.time.snapshot_every_s = fixture->config.time.step_s = NAN;
  fixture->config.output.unit = (char *)"K";
  fixture->config.output.range_min_k = fixture->config.output.range_max_k = NAN;
  for (k = 0; k < NY * NX; k++) fixture->field_k[k] = 273.15 + 1.0 / (k + 3.0);
  for (k = 0; k < CHECKS; k++) {
    fixture->history[k].sweeps = 10 * (k + 1);
    fixture->history[k].norms =
        (struct hs_norms){pow(10.0, -k), 0.5 * pow(10.0, -k), NAN, NAN, 0.25 * pow(10.0, -k), NAN};
    fixture->history[k].residual_relative = NAN;
    fixture->history[k].error_estimate_k = k == 0 ? NAN : 3.0 * pow(10.0, -k);
  }
  result->config = &fixture->config;
  result->nx = NX;
  result->ny = NY;
  result->dx_m = 0.25;
  result->dy_m = 0.1;
  result->field_k = fixture->field_k;
  result->outcome.verdict = HS_VERDICT_CONVERGED;
  result->outcome.sweeps = 30;
  result->outcome.norms = fixture->history[CHECKS - 1].norms;
  result->outcome.residual_relative = NAN;
  result->outcome.residual_initial_l2 = 2.0;
  result->outcome.error_estimate_k = 0.03;
  result->outcome.estimate_converged = true;
  result->outcome.convergence_rate = 0.25;
  result->outcome.exact_stop = true;
  result->outcome.history = fixture->history;
  result->outcome.history_count = CHECKS;
  result->answers.balance = (struct hs_balance){.side_w_m = {1.0, -2.0, 3.0, -4.0},
                                                .source_w_m = 2.5,
                                                .in_w_m = 6.5,
                                                .out_w_m = 6.0,
                                                .imbalance_relative = 0.5 / 6.5};
  result->answers.minimum_k = 273.0;
  result->answers.maximum_k = 274.0;
  result->answers.mean_k = 273.4;
  result->answers.center_k = 0.1;
  result->answers.content_j_m = NAN;
  result->backend = "cpu-reference";
  snprintf(result->place.device, sizeof result->place.device, "a \"quoted\" device");
  result->place.threads = 1;
  result->time_total_s = 1.5;
  result->time_solve_s = INFINITY;
  snprintf(result->started_utc, sizeof result->started_utc, "2026-01-31T12:00:00Z");
}

static const char *path_of(const char *name)
{
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static int count_entries(const char *path)
{
  DIR *directory = opendir(path);
  int count = 0;
  assert_non_null(directory);
  while (readdir(directory)) count++;
  closedir(directory);
  return count - 2;
}

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
  (void)status;
  (void)flag;
  (void)ftw;
  return remove(path);
}

static void remove_tree(const char *path)
{
  (void)nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void put_text(const char *path, const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static char *get_text(const char *path)
{
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 16);
  assert_non_null(file);
  assert_non_null(text);
  (void)!fread(text, 1, (1 << 16) - 1, file);
  fclose(file);
  return text;
}

/* Every test has a fresh folder and must leave no temporary file in it. */
static int set_up(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "%s/test-output-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
  return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
  DIR *directory = opendir(folder);
  const struct dirent *entry;
  int leftovers = 0;
  (void)state;
  while (directory && (entry = readdir(directory)))
    if (entry->d_name[0] == '.' && strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) leftovers++;
  if (directory) closedir(directory);
  (void)umount2(folder, MNT_DETACH); /* left by a test that failed on its full disk */
  remove_tree(folder);
  return leftovers;
}

/* --- HDF5 ----------------------------------------------------------------------------------------- */

static void test_h5_double_comes_back_bit_for_bit(void **state)
{
  struct fixture fixture;
  struct hs_output_field field;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  fill_fixture(&fixture);
  fixture.field_k[3] = -0.0;
  fixture.field_k[4] = 5e-324;
  fixture.field_k[5] = NAN;
  assert_int_equal(hs_output_h5_write(path_of("a.h5"), &fixture.result, &err), HS_OK);
  assert_int_equal(hs_output_h5_read(path_of("a.h5"), &field, &err), HS_OK);
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
  fill_fixture(&fixture);
  fixture.config.solver.precision = HS_SINGLE;
  for (k = 0; k < NY * NX; k++) fixture.field_k[k] = (float)fixture.field_k[k];
  assert_int_equal(hs_output_h5_write(path_of("a.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(path_of("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  dataset = H5Dopen2(file, "temperature", H5P_DEFAULT);
  type = H5Dget_type(dataset);
  assert_true(H5Tequal(type, H5T_IEEE_F32LE) > 0);
  H5Tclose(type);
  H5Dclose(dataset);
  H5Fclose(file);
  assert_int_equal(hs_output_h5_read(path_of("a.h5"), &field, &err), HS_OK);
  assert_string_equal(field.precision, "single");
  assert_memory_equal(field.field_k, fixture.field_k, sizeof fixture.field_k);
  hs_output_field_clear(&field);
}

static void assert_text_attribute(hid_t object, const char *name, const char *expected)
{
  char *value = NULL;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type;
  if (attribute < 0) fail_msg("no attribute %s", name);
  type = H5Aget_type(attribute);
  assert_true(H5Tis_variable_str(type) > 0);
  assert_int_equal(H5Tget_cset(type), H5T_CSET_UTF8);
  assert_true(H5Aread(attribute, type, &value) >= 0);
  assert_string_equal(value, expected);
  H5free_memory(value);
  H5Tclose(type);
  H5Aclose(attribute);
}

static void test_h5_carries_attributes_scales_and_history(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  double x_m[NX], estimate_k[CHECKS];
  int64_t sweeps[CHECKS];
  hid_t file, field;
  (void)state;
  fill_fixture(&fixture);
  assert_int_equal(hs_output_h5_write(path_of("a.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(path_of("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
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
  fill_fixture(&fixture);
  fixture.config.text = text;
  fixture.result.outcome.history = NULL;
  fixture.result.outcome.history_count = 0;
  assert_int_equal(hs_output_h5_write(path_of("a.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(path_of("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
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
  fill_fixture(&fixture);
  assert_int_equal(hs_output_h5_write(path_of("one.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(path_of("one.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_int_equal(H5Lexists(file, "material", H5P_DEFAULT), 0);
  H5Fclose(file);
  make_two_materials(&fixture);
  assert_int_equal(hs_output_h5_write(path_of("two.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(path_of("two.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
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

static void test_h5_places_nodes_in_cells(void **state)
{
  struct fixture fixture;
  struct hs_output_field field;
  struct hs_error err = {HS_OK, ""};
  double y_m[NY];
  hid_t file;
  (void)state;
  fill_fixture(&fixture);
  assert_int_equal(hs_output_h5_write(path_of("a.h5"), &fixture.result, &err), HS_OK);
  assert_int_equal(hs_output_h5_read(path_of("a.h5"), &field, &err), HS_OK);
  assert_false(field.cells);
  assert_string_equal(field.unit, "K");
  hs_output_field_clear(&field);
  fixture.config.grid.layout = HS_LAYOUT_CELL;
  fixture.config.output.unit = (char *)"degC";
  assert_int_equal(hs_output_h5_write(path_of("a.h5"), &fixture.result, &err), HS_OK);
  assert_int_equal(hs_output_h5_read(path_of("a.h5"), &field, &err), HS_OK);
  assert_true(field.cells);
  assert_string_equal(field.unit, "degC");
  hs_output_field_clear(&field);
  file = H5Fopen(path_of("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
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
  fill_fixture(&fixture);
  fixture.config.time.scheme = HS_SCHEME_CRANK_NICOLSON;
  fixture.result.transient.verdict = HS_VERDICT_INTERRUPTED;
  fixture.result.transient.time_s = 12.5;
  fixture.result.transient.sweeps = 77;
  assert_int_equal(hs_output_h5_write(path_of("a.h5"), &fixture.result, &err), HS_OK);
  file = H5Fopen(path_of("a.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
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
  assert_int_equal(hs_output_h5_read(path_of(name), &field, &err), HS_ERR_IO);
  if (!strstr(err.text, part) || !strstr(err.text, name)) fail_msg("\"%s\" lacks \"%s\" or the path", err.text, part);
  assert_null(field.field_k);
}

static void make_dataset(const char *name, const char *dataset, int rank, const hsize_t *dims, hid_t type)
{
  hid_t file = H5Fcreate(path_of(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
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
  put_text(path_of("text.h5"), "not an HDF5 file\n");
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
  fill_fixture(&fixture);
  assert_int_equal(hs_output_h5_write(path_of("cut.h5"), &fixture.result, &err), HS_OK);
  assert_int_equal(truncate(path_of("cut.h5"), 3000), 0);
  assert_h5_refused("cut.h5", "truncated");
}

/* --- Complete or not at all ------------------------------------------------------------------------ */

/* Writes name with every writer's common way to fail: a limit of file sizes stands for the full disk. */
static hs_status write_named(const char *name, const struct hs_result *result, struct hs_error *err)
{
  const struct hs_picture picture = {result->field_k, NX, NY, 1.0, 1.0, "t", "viridis", NAN, NAN, 2, "K", false};
  if (strstr(name, ".h5")) return hs_output_h5_write(path_of(name), result, err);
  if (strstr(name, ".xdmf")) return hs_output_xdmf_write(path_of(name), "field.h5", result, err);
  if (strstr(name, "temp")) return hs_output_picture_write(path_of(name), &picture, err);
  if (strstr(name, "conv")) return hs_output_convergence_write(path_of(name), result, err);
  return hs_output_report_write(path_of(name), result, err);
}

static const char *const names[] = {"field.h5", "field.xdmf", "temperature.png", "convergence.png", "report.json"};
#define NAMES 5

/* In a child, so that HDF5's shutdown at exit is part of the test. */
static void child_writes_with_limit(rlim_t bytes, const char *expected)
{
  const struct rlimit limit = {bytes, RLIM_INFINITY};
  struct fixture fixture;
  int k, bad = 0;
  fill_fixture(&fixture);
  (void)signal(SIGXFSZ, SIG_IGN);
  if (bytes && setrlimit(RLIMIT_FSIZE, &limit) != 0) exit(100);
  for (k = 0; k < NAMES; k++) {
    struct hs_error err = {HS_OK, ""};
    if (write_named(names[k], &fixture.result, &err) != HS_ERR_IO || !strstr(err.text, names[k]) ||
        !strstr(err.text, expected)) {
      fprintf(stderr, "# %s: %d \"%s\" lacks \"%s\"\n", names[k], err.status, err.text, expected);
      bad++;
    }
  }
  exit(bad);
}

static void assert_children_fail(rlim_t bytes, const char *expected)
{
  int status = -1;
  pid_t child;
  fflush(NULL);
  child = fork();
  if (child == 0) child_writes_with_limit(bytes, expected);
  assert_true(child > 0);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

static void assert_old_files_intact(void)
{
  int k;
  for (k = 0; k < NAMES; k++) {
    char *text = get_text(path_of(names[k]));
    assert_string_equal(text, "old");
    free(text);
  }
  assert_int_equal(count_entries(folder), NAMES);
}

static void test_file_size_limit_leaves_no_half_file(void **state)
{
  const rlim_t limits[] = {1, 100, 300};
  size_t k;
  (void)state;
  for (k = 0; k < sizeof limits / sizeof limits[0]; k++) {
    assert_children_fail(limits[k], "File too large");
    assert_int_equal(count_entries(folder), 0);
  }
  for (k = 0; k < NAMES; k++) put_text(path_of(names[k]), "old");
  assert_children_fail(100, "File too large");
  assert_old_files_intact();
}

/* The metadata fit, the field does not: at every limit up to the file's size the writer must fail cleanly. */
static void test_h5_fails_cleanly_wherever_space_ends(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct stat size;
  rlim_t bytes;
  (void)state;
  fill_fixture(&fixture);
  assert_int_equal(hs_output_h5_write(path_of("field.h5"), &fixture.result, &err), HS_OK);
  assert_int_equal(stat(path_of("field.h5"), &size), 0);
  assert_int_equal(unlink(path_of("field.h5")), 0);
  for (bytes = 1; bytes < (rlim_t)size.st_size; bytes += 509) {
    int status = -1;
    pid_t child;
    fflush(NULL);
    child = fork();
    if (child == 0) {
      const struct rlimit limit = {bytes, RLIM_INFINITY};
      (void)signal(SIGXFSZ, SIG_IGN);
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) exit(100);
      exit(hs_output_h5_write(path_of("field.h5"), &fixture.result, &err) == HS_ERR_IO ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      fail_msg("limit %lu: status %x", (unsigned long)bytes, (unsigned)status);
    assert_int_equal(count_entries(folder), 0);
  }
}

static void test_full_disk_leaves_no_half_file(void **state)
{
  int filler, k;
  char block[4096] = {0};
  (void)state;
  if (mount("tmpfs", folder, "tmpfs", 0, "size=64k") != 0) {
    print_message("# no tmpfs can be mounted (%s): the limit of file sizes alone stands for the full disk\n",
                  strerror(errno));
    return;
  }
  for (k = 0; k < NAMES; k++) put_text(path_of(names[k]), "old");
  filler = open(path_of("filler"), O_CREAT | O_WRONLY, 0600);
  while (write(filler, block, sizeof block) > 0) continue;
  close(filler);
  assert_children_fail(0, "No space left on device");
  assert_int_equal(unlink(path_of("filler")), 0);
  assert_old_files_intact();
  assert_int_equal(umount(folder), 0);
}

static void test_unwritable_folder_is_reported(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  char inside[600];
  int k;
  (void)state;
  fill_fixture(&fixture);
  put_text(path_of("file"), "x");
  snprintf(inside, sizeof inside, "%s/sub", path_of("file"));
  assert_int_equal(hs_output_prepare(inside, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "Not a directory"));
  assert_int_equal(hs_output_prepare("/proc/heatsolve", &err), HS_ERR_IO);
  for (k = 0; k < NAMES; k++) {
    snprintf(inside, sizeof inside, "missing/%s", names[k]);
    assert_int_equal(write_named(inside, &fixture.result, &err), HS_ERR_IO);
    assert_non_null(strstr(err.text, "No such file or directory"));
  }
  assert_int_equal(hs_output_report_write("/dev/null", &fixture.result, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "not a regular file"));
}

static void test_prepare_makes_the_whole_path(void **state)
{
  struct hs_error err = {HS_OK, ""};
  char path[600];
  struct stat status;
  (void)state;
  snprintf(path, sizeof path, "%s/a//b/c/", folder);
  assert_int_equal(hs_output_prepare(path, &err), HS_OK);
  assert_int_equal(hs_output_prepare(path, &err), HS_OK);
  assert_int_equal(stat(path, &status), 0);
  assert_true(S_ISDIR(status.st_mode));
  assert_int_equal(count_entries(path), 0);
}

static void test_write_makes_the_files_that_are_asked_for(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  int k;
  (void)state;
  fill_fixture(&fixture);
  fixture.config.output.field = fixture.config.output.xdmf = fixture.config.output.report = true;
  fixture.config.output.picture = fixture.config.output.convergence = true;
  assert_int_equal(hs_output_write(&fixture.result, NULL, &err), HS_OK);
  for (k = 0; k < NAMES; k++) assert_int_equal(access(path_of(names[k]), R_OK), 0);
  assert_int_equal(count_entries(folder), NAMES);
}

static void test_write_goes_on_after_a_failure(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  json_t *report, *files;
  (void)state;
  fill_fixture(&fixture);
  fixture.config.output.field = fixture.config.output.xdmf = fixture.config.output.report = true;
  assert_int_equal(mkdir(path_of("field.h5"), 0777), 0);
  assert_int_equal(hs_output_write(&fixture.result, NULL, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "field.h5"));
  assert_int_equal(access(path_of("field.xdmf"), F_OK), -1);
  report = json_load_file(path_of("report.json"), 0, NULL);
  files = json_object_get(report, "files");
  assert_int_equal(json_array_size(files), 1);
  assert_string_equal(json_string_value(json_array_get(files, 0)), "report.json");
  json_decref(report);
}

static void test_unknown_colormap_is_refused_before_the_run(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  fill_fixture(&fixture);
  assert_int_equal(hs_output_config_check(&fixture.config, &err), HS_OK);
  fixture.config.output.colormap = (char *)"jet";
  assert_int_equal(hs_output_config_check(&fixture.config, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "jet"));
  assert_non_null(strstr(err.text, "cividis"));
}

/* --- XDMF ------------------------------------------------------------------------------------------- */

static void test_xdmf_describes_the_dataset(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  char *text;
  (void)state;
  fill_fixture(&fixture);
  assert_int_equal(hs_output_xdmf_write(path_of("field.xdmf"), "a&b<c>.h5", &fixture.result, &err), HS_OK);
  text = get_text(path_of("field.xdmf"));
  assert_non_null(strstr(text, "TopologyType=\"3DCoRectMesh\" Dimensions=\"1 5 7\""));
  assert_non_null(strstr(text, "0.25 0.10000000000000001 0.25</DataItem>"));
  assert_non_null(strstr(
      text,
      "Dimensions=\"1 5 7\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">a&amp;b&lt;c&gt;.h5:/temperature<"));
  free(text);
}

static void test_xdmf_begins_at_the_first_cell_centre(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  char *text;
  (void)state;
  fill_fixture(&fixture);
  assert_int_equal(hs_output_xdmf_write(path_of("field.xdmf"), "field.h5", &fixture.result, &err), HS_OK);
  text = get_text(path_of("field.xdmf"));
  assert_non_null(strstr(text, ">0 0 0</DataItem>"));
  free(text);
  fixture.config.grid.layout = HS_LAYOUT_CELL;
  assert_int_equal(hs_output_xdmf_write(path_of("field.xdmf"), "field.h5", &fixture.result, &err), HS_OK);
  text = get_text(path_of("field.xdmf"));
  assert_non_null(strstr(text, ">0 0.050000000000000003 0.125</DataItem>"));
  free(text);
}

/* --- Pictures --------------------------------------------------------------------------------------- */

struct image {
  int width, height;
  unsigned char *rgb;
  char title[64], software[64];
};

static void read_image(const char *path, struct image *image)
{
  FILE *file = fopen(path, "rb");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  png_textp texts;
  png_bytepp rows;
  int k, count = 0;
  assert_non_null(file);
  memset(image, 0, sizeof *image);
  if (setjmp(png_jmpbuf(png))) fail_msg("%s is not a PNG that libpng can read", path);
  png_init_io(png, file);
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
  image->width = (int)png_get_image_width(png, info);
  image->height = (int)png_get_image_height(png, info);
  assert_int_equal(png_get_color_type(png, info), PNG_COLOR_TYPE_RGB);
  assert_true(png_get_valid(png, info, PNG_INFO_sRGB) != 0);
  image->rgb = malloc((size_t)image->width * (size_t)image->height * 3);
  rows = png_get_rows(png, info);
  for (k = 0; k < image->height; k++)
    memcpy(image->rgb + (size_t)k * (size_t)image->width * 3, rows[k], (size_t)image->width * 3);
  png_get_text(png, info, &texts, &count);
  for (k = 0; k < count; k++) {
    char *target = strcmp(texts[k].key, "Title") == 0 ? image->title : image->software;
    snprintf(target, sizeof image->title, "%s", texts[k].text);
  }
  png_destroy_read_struct(&png, &info, NULL);
  fclose(file);
}

static const unsigned char *pixel(const struct image *image, int x, int y)
{
  assert_true(x >= 0 && y >= 0 && x < image->width && y < image->height);
  return image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

static bool has_color(const unsigned char *rgb, double position, const char *map)
{
  unsigned char expected[3];
  hs_colormap_rgb(hs_colormap_find(map), position, expected);
  return memcmp(rgb, expected, 3) == 0;
}

/* The plot's inner rectangle, found by walking from a pixel inside it to the black frame. */
struct area {
  int left, right, top, bottom;
};

static bool is_frame(const unsigned char *rgb)
{
  return rgb[0] < 8 && rgb[1] < 8 && rgb[2] < 8;
}

static struct area find_plot(const struct image *image, int x, int y)
{
  struct area area = {x, x, y, y};
  while (!is_frame(pixel(image, area.left - 1, y))) area.left--;
  while (!is_frame(pixel(image, area.right + 1, y))) area.right++;
  while (!is_frame(pixel(image, x, area.top - 1))) area.top--;
  while (!is_frame(pixel(image, x, area.bottom + 1))) area.bottom++;
  return area;
}

static void draw(const struct hs_picture *picture, struct image *image)
{
  struct hs_error err = {HS_OK, ""};
  if (hs_output_picture_write(path_of("p.png"), picture, &err)) fail_msg("%s", err.text);
  read_image(path_of("p.png"), image);
  assert_in_range(image->width, 200, 2000);
  assert_in_range(image->height, 200, 2000);
}

static void test_picture_has_north_at_the_top(void **state)
{
  double field_k[32 * 32];
  const struct hs_picture picture = {field_k, 32, 32, 1.0, 1.0, "Plate \xc3\xbc", "viridis", NAN, NAN, 0, NULL, false};
  struct image image;
  struct area area;
  int k;
  (void)state;
  for (k = 0; k < 32 * 32; k++) field_k[k] = 300.0 + (k / 32) + 0.01 * (k % 32);
  draw(&picture, &image);
  assert_string_equal(image.title, "Plate u");
  assert_true(strncmp(image.software, "heatsolve ", 10) == 0);
  area = find_plot(&image, image.width / 2, image.height / 2);
  assert_in_range(abs((area.right - area.left) - (area.bottom - area.top)), 0, 1);
  assert_true(has_color(pixel(&image, area.right, area.top), 1.0, "viridis"));
  assert_true(has_color(pixel(&image, area.left, area.bottom), 0.0, "viridis"));
  free(image.rgb);
}

static void test_picture_of_two_by_two_shows_blocks(void **state)
{
  const double field_k[4] = {0.0, 1.0, 2.0, 3.0};
  const struct hs_picture picture = {field_k, 2, 2, 1.0, 1.0, "", "magma", NAN, NAN, 0, NULL, false};
  struct image image;
  struct area area;
  (void)state;
  draw(&picture, &image);
  area = find_plot(&image, image.width / 2, image.height / 4);
  assert_true(has_color(pixel(&image, area.left + 5, area.top + 5), 2.0 / 3.0, "magma"));
  assert_true(has_color(pixel(&image, area.right - 5, area.top + 5), 1.0, "magma"));
  assert_true(has_color(pixel(&image, area.right - 5, area.bottom - 5), 1.0 / 3.0, "magma"));
  assert_true(has_color(pixel(&image, (area.left + area.right) / 2 - 2, area.top + 5), 2.0 / 3.0, "magma"));
  assert_string_equal(image.title, "");
  free(image.rgb);
}

/* Cells fill the plot evenly: each half of a picture of two by two cells has one colour, the middle the boundary. */
static void test_picture_of_cells_fills_the_plot(void **state)
{
  static double field_k[100 * 100];
  const double four_k[4] = {0.0, 1.0, 2.0, 3.0};
  const struct hs_picture four = {four_k, 2, 2, 1.0, 1.0, "", "viridis", NAN, NAN, 0, NULL, true};
  const struct hs_picture many = {field_k, 100, 100, 1.0, 1.0, "", "viridis", NAN, NAN, 3, NULL, true};
  struct image image;
  struct area area;
  int k, middle;
  (void)state;
  draw(&four, &image);
  area = find_plot(&image, image.width / 2 + 40, image.height / 4);
  middle = (area.left + area.right) / 2;
  assert_true(has_color(pixel(&image, middle - 2, area.top + 5), 2.0 / 3.0, "viridis"));
  assert_true(has_color(pixel(&image, middle + 3, area.top + 5), 1.0, "viridis"));
  free(image.rgb);
  for (k = 0; k < 100 * 100; k++) field_k[k] = k % 100;
  draw(&many, &image);
  area = find_plot(&image, image.width / 2, image.height / 2 + 9);
  assert_true(has_color(pixel(&image, area.left, area.top + 5), 0.0, "viridis"));
  assert_true(has_color(pixel(&image, area.left + (area.right - area.left) / 400, area.top + 5), 0.0, "viridis"));
  assert_true(has_color(pixel(&image, area.right, area.top + 5), 1.0, "viridis"));
  free(image.rgb);
}

static void test_picture_averages_many_cells(void **state)
{
  const int n = 1999;
  double *field_k = malloc((size_t)n * (size_t)n * sizeof *field_k);
  const struct hs_picture picture = {field_k, n, n, 1.0, 1.0, "", "gray", 0.0, 1.0, 0, NULL, true};
  struct image image;
  const unsigned char *corner;
  int k;
  (void)state;
  assert_non_null(field_k);
  for (k = 0; k < n * n; k++) field_k[k] = k / n < n / 2 ? 0.0 : 1.0;
  draw(&picture, &image);
  corner = pixel(&image, image.width / 2, image.height / 2 + 60);
  assert_true(has_color(corner, 0.0, "gray"));
  assert_true(has_color(pixel(&image, image.width / 2, image.height / 2 - 60), 1.0, "gray"));
  free(image.rgb);
  free(field_k);
}

static void test_picture_shows_the_unit(void **state)
{
  double field_k[4] = {0.0, 1.0, 2.0, 3.0};
  struct hs_picture picture = {field_k, 2, 2, 1.0, 1.0, "", "gray", NAN, NAN, 0, NULL, false};
  const char *const units[] = {"K", "", "degC",
                               "\xc2\xb0"
                               "C"};
  char *first, *other;
  struct hs_error err = {HS_OK, ""};
  int u;
  (void)state;
  assert_int_equal(hs_output_picture_write(path_of("p.png"), &picture, &err), HS_OK);
  first = get_text(path_of("p.png"));
  for (u = 0; u < 4; u++) {
    picture.unit = units[u];
    assert_int_equal(hs_output_picture_write(path_of("p.png"), &picture, &err), HS_OK);
    other = get_text(path_of("p.png"));
    assert_int_equal(memcmp(first, other, 1 << 16) == 0, u < 2);
    free(other);
  }
  free(first);
}

static void test_picture_of_a_constant_field_has_one_color(void **state)
{
  const double values_k[] = {0.0, 293.15, -1e308, 5e-324};
  double field_k[20 * 20];
  const struct hs_picture picture = {field_k, 20, 20, 1.0, 1.0, "", "viridis", NAN, NAN, 5, NULL, false};
  struct image image;
  size_t v;
  int k;
  (void)state;
  for (v = 0; v < sizeof values_k / sizeof values_k[0]; v++) {
    for (k = 0; k < 400; k++) field_k[k] = values_k[v];
    draw(&picture, &image);
    assert_true(has_color(pixel(&image, image.width / 2, image.height / 2), 0.5, "viridis"));
    free(image.rgb);
  }
}

static void test_picture_marks_what_is_not_finite(void **state)
{
  double field_k[40 * 40];
  const struct hs_picture picture = {field_k, 40, 40, 1.0, 1.0, "", "viridis", NAN, NAN, 3, NULL, false};
  struct image image;
  const unsigned char *middle;
  int k;
  (void)state;
  for (k = 0; k < 1600; k++) field_k[k] = k / 1600.0;
  for (k = 0; k < 1600; k++)
    if (k / 40 >= 15 && k / 40 <= 25) field_k[k] = k % 2 ? NAN : INFINITY;
  draw(&picture, &image);
  middle = pixel(&image, image.width / 2, image.height / 2);
  assert_true(middle[0] == 0x8c && middle[1] == 0x8c && middle[2] == 0x8c);
  free(image.rgb);
  for (k = 0; k < 1600; k++) field_k[k] = NAN;
  draw(&picture, &image);
  free(image.rgb);
}

static void test_picture_stands_any_shape_and_range(void **state)
{
  static double field_k[3000 * 4];
  static const int shapes[][2] = {{3000, 2}, {2, 3000}, {1, 1}, {1, 3000}, {3000, 4}};
  static const double ranges_k[][2] = {
      {0, 1}, {-1.7e308, 1.7e308}, {293.15, 293.15 + 1e-6}, {1e-320, 3e-320}, {1e22, 2e22}};
  struct image image;
  size_t s, r;
  int k;
  (void)state;
  for (s = 0; s < 5; s++)
    for (r = 0; r < 5; r++) {
      const int nx = shapes[s][0], ny = shapes[s][1];
      const struct hs_picture picture = {
          field_k, nx, ny, (nx - 1) * 1e-3, (ny - 1) * 1e-3, "shape", "gray", NAN, NAN, 4, NULL, false};
      for (k = 0; k < nx * ny; k++) field_k[k] = k % 2 ? ranges_k[r][0] : ranges_k[r][1];
      draw(&picture, &image);
      free(image.rgb);
    }
}

static void test_picture_fixed_range_clamps(void **state)
{
  double field_k[32 * 32];
  const struct hs_picture picture = {field_k, 32, 32, 1.0, 1.0, "", "plasma", 310.0, 320.0, 0, NULL, false};
  struct image image;
  struct area area;
  int k;
  (void)state;
  for (k = 0; k < 32 * 32; k++) field_k[k] = 300.0 + (k / 32);
  draw(&picture, &image);
  area = find_plot(&image, image.width / 2, image.height / 2);
  assert_true(has_color(pixel(&image, area.left, area.top + 40), 1.0, "plasma"));
  assert_true(has_color(pixel(&image, area.left, area.bottom - 40), 0.0, "plasma"));
  free(image.rgb);
}

static void test_picture_averages_a_large_field(void **state)
{
  const int n = 3000;
  double *field_k = malloc((size_t)n * (size_t)n * sizeof *field_k);
  const struct hs_picture picture = {field_k, n, n, 1.0, 1.0, "", "gray", NAN, NAN, 0, NULL, false};
  struct image image;
  const unsigned char *middle;
  int k;
  (void)state;
  assert_non_null(field_k);
  for (k = 0; k < n * n; k++) field_k[k] = (k / n + k % n) % 2;
  draw(&picture, &image);
  middle = pixel(&image, image.width / 2, image.height / 2);
  assert_in_range(middle[0], 95, 160);
  free(image.rgb);
  free(field_k);
}

static void test_picture_is_the_same_bytes_twice(void **state)
{
  double field_k[32 * 32];
  const struct hs_picture picture = {field_k, 32, 32, 1.0, 1.0, "same", "cividis", NAN, NAN, 7, NULL, false};
  struct hs_error err = {HS_OK, ""};
  char *first, *second;
  int k;
  (void)state;
  for (k = 0; k < 32 * 32; k++) field_k[k] = sin(0.1 * k);
  assert_int_equal(hs_output_picture_write(path_of("p.png"), &picture, &err), HS_OK);
  first = get_text(path_of("p.png"));
  assert_int_equal(hs_output_picture_write(path_of("p.png"), &picture, &err), HS_OK);
  second = get_text(path_of("p.png"));
  assert_memory_equal(first, second, 1 << 16);
  free(second);
  free(first);
}

static void test_convergence_draws_any_history(void **state)
{
  static const int counts[] = {0, 1, 2, 3, 100000};
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct hs_check *history = calloc(100000, sizeof *history);
  struct image image;
  size_t c;
  int k;
  (void)state;
  assert_non_null(history);
  fill_fixture(&fixture);
  for (k = 0; k < 100000; k++) {
    history[k].sweeps = k + 1;
    history[k].norms = (struct hs_norms){exp(-1e-4 * k), k % 2 ? NAN : 0.0, INFINITY, NAN, -1.0, NAN};
    history[k].residual_relative = 1.0;
    history[k].error_estimate_k = NAN;
  }
  fixture.result.outcome.history = history;
  for (c = 0; c < 5; c++) {
    fixture.result.outcome.history_count = counts[c];
    assert_int_equal(hs_output_convergence_write(path_of("c.png"), &fixture.result, &err), HS_OK);
    read_image(path_of("c.png"), &image);
    free(image.rgb);
  }
  free(history);
}

static int count_green(const struct image *image)
{
  int k, count = 0;
  for (k = 0; k < image->width * image->height; k++)
    if (image->rgb[3 * k] == 0 && image->rgb[3 * k + 1] > image->rgb[3 * k + 2] + 20) count++;
  return count;
}

/* Residuals that were computed at every tenth check still make a line across the plot. */
static void test_convergence_connects_sparse_norms(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct hs_check *history = calloc(1000, sizeof *history);
  struct image image;
  int k;
  (void)state;
  assert_non_null(history);
  fill_fixture(&fixture);
  for (k = 0; k < 1000; k++) {
    history[k].sweeps = k + 1;
    history[k].norms.update_l2 = 1.0;
    history[k].residual_relative = k % 10 == 5 ? 0.01 : NAN;
    history[k].error_estimate_k = NAN;
  }
  fixture.result.outcome.history = history;
  fixture.result.outcome.history_count = 1000;
  assert_int_equal(hs_output_convergence_write(path_of("c.png"), &fixture.result, &err), HS_OK);
  read_image(path_of("c.png"), &image);
  assert_true(count_green(&image) > 800);
  free(image.rgb);
  free(history);
}

/* --- Colour maps ------------------------------------------------------------------------------------ */

static double luminance(const struct hs_colormap *map, double position)
{
  static const double weight[3] = {0.2126, 0.7152, 0.0722};
  unsigned char rgb[3];
  double sum = 0.0;
  int k;
  hs_colormap_rgb(map, position, rgb);
  for (k = 0; k < 3; k++) {
    const double c = rgb[k] / 255.0;
    sum += weight[k] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

static void test_colormaps_rise_in_luminance(void **state)
{
  static const char *const sequential[] = {"viridis", "inferno", "magma", "plasma", "cividis", "gray"};
  const struct hs_colormap *map;
  size_t m;
  int k;
  (void)state;
  for (m = 0; m < 6; m++) {
    map = hs_colormap_find(sequential[m]);
    assert_non_null(map);
    assert_non_null(strstr(hs_colormap_names(), sequential[m]));
    for (k = 1; k <= 64; k++)
      if (!(luminance(map, k / 64.0) > luminance(map, (k - 1) / 64.0))) fail_msg("%s falls at %d/64", sequential[m], k);
  }
  map = hs_colormap_find("cool-warm");
  assert_non_null(map);
  for (k = 1; k <= 32; k++) {
    assert_true(luminance(map, k / 64.0) > luminance(map, (k - 1) / 64.0));
    assert_true(luminance(map, 1.0 - k / 64.0) > luminance(map, 1.0 - (k - 1) / 64.0));
  }
  assert_null(hs_colormap_find("jet"));
  assert_null(hs_colormap_find(NULL));
}

/* Ends as published: viridis runs from #440154 to #fde725. */
static void test_colormaps_have_the_published_ends(void **state)
{
  static const unsigned char low[3] = {0x44, 0x01, 0x54}, high[3] = {0xfd, 0xe7, 0x25};
  unsigned char rgb[3];
  (void)state;
  hs_colormap_rgb(hs_colormap_find("viridis"), -1e300, rgb);
  assert_memory_equal(rgb, low, 3);
  hs_colormap_rgb(hs_colormap_find("viridis"), NAN, rgb);
  assert_memory_equal(rgb, low, 3);
  hs_colormap_rgb(hs_colormap_find("viridis"), INFINITY, rgb);
  assert_memory_equal(rgb, high, 3);
}

/* --- Snapshots and animations ------------------------------------------------------------------------ */

/* Makes the fixture transient; its snapshots are asked for. */
static void make_transient(struct fixture *fixture)
{
  fixture->config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  fixture->config.time.end_s = 4.0;
  fixture->config.time.snapshot_every_s = 1.0;
  fixture->config.output.field = true;
}

/* Snapshot k is the fixture's field plus k kelvin at k seconds. */
static hs_status take_snapshot(struct hs_snapshots *snapshots, const struct fixture *fixture, int k,
                               struct hs_error *err)
{
  const struct hs_snapshot_taker taker = hs_snapshots_taker(snapshots);
  double field_k[NY * NX];
  const struct hs_snapshot snapshot = {(double)k, 10 * k, field_k};
  int n;
  for (n = 0; n < NY * NX; n++) field_k[n] = fixture->field_k[n] + k;
  return taker.take(taker.context, &snapshot, err);
}

static void take_snapshots(const struct fixture *fixture, int count)
{
  struct hs_error err = {HS_OK, ""};
  struct hs_snapshots *snapshots = NULL;
  int k;
  if (hs_snapshots_create(&fixture->config, &snapshots, &err)) fail_msg("%s", err.text);
  assert_non_null(snapshots);
  for (k = 0; k < count; k++)
    if (take_snapshot(snapshots, fixture, k, &err)) fail_msg("%s", err.text);
  if (hs_snapshots_finish(snapshots, &err)) fail_msg("%s", err.text);
  hs_snapshots_destroy(snapshots);
}

static void assert_snapshots(const struct fixture *fixture, int count)
{
  struct hs_error err = {HS_OK, ""};
  struct hs_snapshot_reader *reader = NULL;
  struct hs_snapshot_facts facts;
  double field_k[NY * NX];
  int k, n;
  if (hs_snapshot_reader_open(path_of("snapshots.h5"), NX, NY, &reader, &err)) fail_msg("%s", err.text);
  assert_int_equal(hs_snapshot_reader_count(reader), count);
  for (k = 0; k < count; k++) {
    if (hs_snapshot_reader_get(reader, k, &facts, field_k, &err)) fail_msg("%s", err.text);
    assert_true(facts.time_s == k);
    assert_true(facts.maximum_k == fixture->field_k[0] + k);
    assert_true(facts.minimum_k == fixture->field_k[NY * NX - 1] + k);
    for (n = 0; n < NY * NX; n++) assert_true(field_k[n] == fixture->field_k[n] + k);
  }
  hs_snapshot_reader_close(reader);
}

static void test_snapshots_come_back(void **state)
{
  struct fixture fixture;
  double time_s[600], x_m[NX];
  char *text;
  hid_t file, dataset;
  int k;
  (void)state;
  fill_fixture(&fixture);
  make_transient(&fixture);
  take_snapshots(&fixture, 600);
  assert_snapshots(&fixture, 600);
  take_snapshots(&fixture, 3);
  assert_snapshots(&fixture, 3);
  file = H5Fopen(path_of("snapshots.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(H5LTread_dataset_double(file, "time", time_s) >= 0);
  for (k = 0; k < 3; k++) assert_true(time_s[k] == k);
  assert_true(H5LTread_dataset_double(file, "x", x_m) >= 0);
  assert_true(x_m[1] == 0.25);
  dataset = H5Dopen2(file, "snapshots/000002/temperature", H5P_DEFAULT);
  assert_text_attribute(dataset, "units", "K");
  assert_text_attribute(file, "configuration", fixture.config.text);
  H5Dclose(dataset);
  H5Fclose(file);
  text = get_text(path_of("snapshots.xdmf"));
  assert_non_null(strstr(text, "GridType=\"Collection\" CollectionType=\"Temporal\""));
  assert_non_null(strstr(text, "<Time Value=\"2\"/>"));
  assert_non_null(strstr(text, "snapshots.h5:/snapshots/000002/temperature<"));
  assert_null(strstr(text, "000003"));
  free(text);
  assert_int_equal(count_entries(folder), 2);
}

static void test_snapshots_are_not_made_in_vain(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct hs_snapshots *snapshots = NULL;
  (void)state;
  fill_fixture(&fixture);
  fixture.config.output.field = true;
  assert_int_equal(hs_snapshots_create(&fixture.config, &snapshots, &err), HS_OK);
  assert_null(snapshots);
  assert_true(hs_snapshots_taker(snapshots).take == NULL);
  assert_int_equal(hs_snapshots_finish(snapshots, &err), HS_OK);
  hs_snapshots_destroy(snapshots);
  make_transient(&fixture);
  fixture.config.time.snapshot_every_s = NAN;
  assert_int_equal(hs_snapshots_create(&fixture.config, &snapshots, &err), HS_OK);
  assert_null(snapshots);
  assert_int_equal(count_entries(folder), 0);
}

static void test_snapshot_taken_twice_is_kept_once(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct hs_snapshots *snapshots = NULL;
  (void)state;
  fill_fixture(&fixture);
  make_transient(&fixture);
  assert_int_equal(hs_snapshots_create(&fixture.config, &snapshots, &err), HS_OK);
  assert_int_equal(take_snapshot(snapshots, &fixture, 0, &err), HS_OK);
  assert_int_equal(take_snapshot(snapshots, &fixture, 0, &err), HS_OK);
  hs_snapshots_destroy(snapshots);
  assert_snapshots(&fixture, 1);
}

/* Whenever the program dies, what was taken can be read. */
static void test_snapshots_survive_a_kill(void **state)
{
  struct fixture fixture;
  char *text;
  int k;
  (void)state;
  fill_fixture(&fixture);
  make_transient(&fixture);
  for (k = 0; k < 4; k++) {
    int status = -1;
    pid_t child;
    fflush(NULL);
    child = fork();
    if (child == 0) {
      struct hs_error err = {HS_OK, ""};
      struct hs_snapshots *snapshots = NULL;
      int taken;
      if (hs_snapshots_create(&fixture.config, &snapshots, &err)) _exit(1);
      for (taken = 0; taken < k; taken++)
        if (take_snapshot(snapshots, &fixture, taken, &err)) _exit(2);
      (void)raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_snapshots(&fixture, k);
  }
  text = get_text(path_of("snapshots.xdmf"));
  assert_non_null(strstr(text, "000000/temperature"));
  free(text);
}

/* A disk that is full costs the snapshot that does not fit; the earlier ones stay readable. */
static void test_snapshots_survive_a_full_disk(void **state)
{
  struct fixture fixture;
  rlim_t bytes;
  (void)state;
  fill_fixture(&fixture);
  make_transient(&fixture);
  for (bytes = 14000; bytes < 60000; bytes += 1777) {
    int status = -1;
    pid_t child;
    fflush(NULL);
    child = fork();
    if (child == 0) {
      const struct rlimit limit = {bytes, RLIM_INFINITY};
      struct hs_error err = {HS_OK, ""};
      struct hs_snapshots *snapshots = NULL;
      int taken = 0;
      (void)signal(SIGXFSZ, SIG_IGN);
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) exit(100);
      if (hs_snapshots_create(&fixture.config, &snapshots, &err)) exit(101);
      while (taken < 100 && !take_snapshot(snapshots, &fixture, taken, &err)) taken++;
      if (!strstr(err.text, "File too large") || !strstr(err.text, "snapshots.")) exit(102);
      if (hs_snapshots_finish(snapshots, &err) == HS_OK && taken == 100) exit(103);
      hs_snapshots_destroy(snapshots);
      exit(taken);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) >= 100) fail_msg("limit %lu: %d", (unsigned long)bytes, WEXITSTATUS(status));
    assert_snapshots(&fixture, WEXITSTATUS(status));
  }
}

static unsigned read_u32(const unsigned char *from)
{
  return (unsigned)from[0] << 24 | (unsigned)from[1] << 16 | (unsigned)from[2] << 8 | from[3];
}

/* What the chunks of an animated PNG say. */
struct film {
  unsigned frames, controls, next_sequence, width, height;
  int data_before_control; /* acTL must precede the first IDAT */
};

/* Walks through the chunks; every check sum, and the running number of fcTL and fdAT, must be right. */
static void read_film(const char *path, struct film *film)
{
  FILE *file = fopen(path, "rb");
  static unsigned char data[1 << 22];
  size_t at = 8, size;
  memset(film, 0, sizeof *film);
  assert_non_null(file);
  size = fread(data, 1, sizeof data, file);
  fclose(file);
  assert_true(size > 100 && size < sizeof data);
  while (at < size) {
    const unsigned length = read_u32(data + at);
    const unsigned char *type = data + at + 4, *body = type + 4;
    assert_true(at + 12 + length <= size);
    assert_true(crc32(0, type, length + 4) == read_u32(body + length));
    if (!memcmp(type, "acTL", 4)) film->frames = read_u32(body);
    if (!memcmp(type, "IDAT", 4)) film->data_before_control |= film->frames == 0 || film->controls != 1;
    if (!memcmp(type, "fcTL", 4)) {
      assert_int_equal(length, 26);
      film->controls++;
      film->width = read_u32(body + 4);
      film->height = read_u32(body + 8);
    }
    if (!memcmp(type, "fcTL", 4) || !memcmp(type, "fdAT", 4)) assert_int_equal(read_u32(body), film->next_sequence++);
    at += 12 + length;
  }
  assert_memory_equal(data + size - 8, "IEND", 4);
}

static void test_animation_has_a_frame_for_each_snapshot(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct film film;
  struct image image;
  struct area area;
  (void)state;
  fill_fixture(&fixture);
  make_transient(&fixture);
  fixture.config.output.animation = HS_ANIMATION_APNG;
  fixture.config.output.field = false;
  take_snapshots(&fixture, 5);
  assert_int_equal(hs_output_write(&fixture.result, NULL, &err), HS_OK);
  read_film(path_of("animation.png"), &film);
  assert_int_equal(film.frames, 5);
  assert_int_equal(film.controls, 5);
  assert_false(film.data_before_control);
  read_image(path_of("animation.png"), &image);
  assert_int_equal(image.width, film.width);
  assert_int_equal(image.height, film.height);
  assert_string_equal(image.title, "A <plate>");
  /* One scale for all: the first field lies at its cold end. */
  area = find_plot(&image, image.width / 2, image.height / 2);
  assert_true(has_color(pixel(&image, area.right - 2, area.top + 2), 0.0, "viridis"));
  free(image.rgb);
}

static void test_animation_as_single_pictures(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct image first, last;
  unsigned files = 0;
  (void)state;
  fill_fixture(&fixture);
  make_transient(&fixture);
  fixture.config.output.animation = HS_ANIMATION_SERIES;
  fixture.config.output.field = false;
  take_snapshots(&fixture, 3);
  assert_int_equal(hs_output_write(&fixture.result, &files, &err), HS_OK);
  assert_int_equal(count_entries(folder), 2 + 3);
  read_image(path_of("frame-000000.png"), &first);
  read_image(path_of("frame-000002.png"), &last);
  assert_string_equal(first.title, "A <plate>, t = 0 s");
  assert_string_equal(last.title, "A <plate>, t = 2 s");
  assert_int_equal(first.width, last.width);
  free(first.rgb);
  free(last.rgb);
}

static void test_animation_of_nothing_is_refused(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  fill_fixture(&fixture);
  fixture.config.output.animation = HS_ANIMATION_APNG;
  assert_int_equal(hs_output_config_check(&fixture.config, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "time.scheme"));
  make_transient(&fixture);
  assert_int_equal(hs_output_config_check(&fixture.config, &err), HS_OK);
  fixture.config.output.field = false;
  assert_int_equal(hs_output_write(&fixture.result, NULL, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "snapshots.h5"));
  take_snapshots(&fixture, 0);
  assert_int_equal(unlink(path_of("snapshots.xdmf")), -1);
  put_text(path_of("snapshots.xdmf"), "old");
  assert_int_equal(hs_output_write(&fixture.result, NULL, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "holds no snapshot"));
}

/* --- Report and progress ---------------------------------------------------------------------------- */

static void assert_real(json_t *report, const char *key, double expected)
{
  json_t *value = json_object_get(report, key);
  if (!json_is_real(value) || json_real_value(value) != expected) fail_msg("%s is %.17g", key, json_real_value(value));
}

static void test_report_parses_back_exactly(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  json_t *report;
  (void)state;
  fill_fixture(&fixture);
  fixture.result.answers.center_k = 0.15152741700107639;
  fixture.config.path = (char *)"caf\xe9.ini";
  assert_int_equal(hs_output_report_write(path_of("report.json"), &fixture.result, &err), HS_OK);
  report = json_load_file(path_of("report.json"), 0, NULL);
  assert_non_null(report);
  assert_string_equal(json_string_value(json_object_get(report, "status")), "converged");
  assert_int_equal(json_integer_value(json_object_get(report, "iterations")), 30);
  assert_int_equal(json_integer_value(json_object_get(report, "stop_index")), 29);
  assert_real(report, "center_temperature_k", 0.15152741700107639);
  assert_real(report, "error_estimate_relative", 0.03);
  assert_real(report, "error_estimate_relative_to_center", 0.03 / (0.15152741700107639 + 0.03));
  assert_real(report, "heat_north_w_m", -4.0);
  assert_real(report, "convergence_factor", exp(-0.25));
  assert_true(json_is_null(json_object_get(report, "residual_relative_l2")));
  assert_true(json_is_null(json_object_get(report, "time_solve_s")));
  assert_string_equal(json_string_value(json_object_get(report, "device")), "a \"quoted\" device");
  assert_string_equal(json_string_value(json_object_get(report, "config")), "caf?.ini");
  json_decref(report);
}

static void test_report_has_no_stop_index_without_sweeps(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  json_t *report;
  (void)state;
  fill_fixture(&fixture);
  fixture.result.outcome.sweeps = 0;
  assert_int_equal(hs_output_report_write(path_of("report.json"), &fixture.result, &err), HS_OK);
  report = json_load_file(path_of("report.json"), 0, NULL);
  assert_true(json_is_null(json_object_get(report, "stop_index")));
  json_decref(report);
}

static char *printed_report(const struct fixture *fixture)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  hs_output_report_print(out, &fixture->result, ~0u);
  fclose(out);
  return text;
}

static void test_report_warns_exactly_when_it_must(void **state)
{
  struct fixture fixture;
  char *text;
  (void)state;
  fill_fixture(&fixture);
  text = printed_report(&fixture);
  assert_non_null(strstr(text, "The update is small, the error is not"));
  assert_non_null(strstr(text, "heat in and heat out differ"));
  assert_null(strstr(text, "not converged"));
  free(text);
  fixture.result.outcome.error_estimate_k = 0.009;
  fixture.result.answers.balance.imbalance_relative = 0.009;
  text = printed_report(&fixture);
  assert_null(strstr(text, "Warning"));
  free(text);
  fixture.config.solver.balance_tolerance = 1e-4;
  text = printed_report(&fixture);
  assert_non_null(strstr(text, "solver.balance_tolerance = 0.0001"));
  free(text);
  fixture.config.solver.balance_tolerance = 1.0;
  fixture.result.outcome.estimate_converged = false;
  text = printed_report(&fixture);
  assert_non_null(strstr(text, "not converged"));
  free(text);
  fixture.result.outcome.error_estimate_k = NAN;
  fixture.result.outcome.verdict = HS_VERDICT_LIMIT;
  text = printed_report(&fixture);
  assert_non_null(strstr(text, "cannot be estimated"));
  assert_non_null(strstr(text, "max_iterations"));
  free(text);
}

static void test_progress_is_silent_without_a_terminal(void **state)
{
  const struct hs_solve_progress progress = {.sweeps = 100,
                                             .max_sweeps = 1000,
                                             .quantity = HS_STOP_UPDATE_L2,
                                             .value = 0.5,
                                             .tolerance = 1e-4,
                                             .convergence_rate = 0.01,
                                             .elapsed_s = 1.0};
  struct hs_progress_line line;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  (void)state;
  assert_non_null(out);
  hs_progress_line_start(&line, out, false);
  assert_false(line.enabled);
  hs_progress_line_draw(&line, &progress);
  hs_progress_line_clear(&line);
  line.enabled = true;
  hs_progress_line_draw(&line, &progress);
  fflush(out);
  assert_non_null(strstr(text, "\r100 sweeps, update_l2 5.00e-01 -> 0.0001, 9 s left, 100 sweeps/s"));
  assert_true(line.width < 80);
  hs_progress_line_clear(&line);
  fclose(out);
  assert_int_equal(text[strlen(text) - 1], '\r');
  free(text);
}

static void test_progress_of_a_transient(void **state)
{
  const struct hs_solve_progress progress = {
      .sweeps = 3000, .max_sweeps = 100, .elapsed_s = 2.0, .time_s = 2.5, .end_s = 10.0, .steps = 200};
  struct hs_progress_line line;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  (void)state;
  assert_non_null(out);
  hs_progress_line_start(&line, out, false);
  line.enabled = true;
  hs_progress_line_draw(&line, &progress);
  fflush(out);
  assert_non_null(strstr(text, "\rt = 2.5 of 10 s, 200 steps, 15 sweeps/step, 6 s left, 1500 sweeps/s"));
  fclose(out);
  free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_h5_double_comes_back_bit_for_bit),
      TEST(test_h5_single_is_stored_as_float32),
      TEST(test_h5_carries_attributes_scales_and_history),
      TEST(test_h5_takes_a_long_configuration_and_no_history),
      TEST(test_h5_tells_materials_and_their_names),
      TEST(test_h5_places_nodes_in_cells),
      TEST(test_h5_tells_the_time_of_a_transient),
      TEST(test_h5_read_refuses_what_is_no_field),
      TEST(test_file_size_limit_leaves_no_half_file),
      TEST(test_h5_fails_cleanly_wherever_space_ends),
      TEST(test_full_disk_leaves_no_half_file),
      TEST(test_unwritable_folder_is_reported),
      TEST(test_prepare_makes_the_whole_path),
      TEST(test_write_makes_the_files_that_are_asked_for),
      TEST(test_write_goes_on_after_a_failure),
      TEST(test_unknown_colormap_is_refused_before_the_run),
      TEST(test_xdmf_describes_the_dataset),
      TEST(test_xdmf_begins_at_the_first_cell_centre),
      TEST(test_picture_of_cells_fills_the_plot),
      TEST(test_picture_averages_many_cells),
      TEST(test_picture_shows_the_unit),
      TEST(test_picture_has_north_at_the_top),
      TEST(test_picture_of_two_by_two_shows_blocks),
      TEST(test_picture_of_a_constant_field_has_one_color),
      TEST(test_picture_marks_what_is_not_finite),
      TEST(test_picture_stands_any_shape_and_range),
      TEST(test_picture_fixed_range_clamps),
      TEST(test_picture_averages_a_large_field),
      TEST(test_picture_is_the_same_bytes_twice),
      TEST(test_convergence_draws_any_history),
      TEST(test_convergence_connects_sparse_norms),
      TEST(test_colormaps_rise_in_luminance),
      TEST(test_colormaps_have_the_published_ends),
      TEST(test_snapshots_come_back),
      TEST(test_snapshots_are_not_made_in_vain),
      TEST(test_snapshot_taken_twice_is_kept_once),
      TEST(test_snapshots_survive_a_kill),
      TEST(test_snapshots_survive_a_full_disk),
      TEST(test_animation_has_a_frame_for_each_snapshot),
      TEST(test_animation_as_single_pictures),
      TEST(test_animation_of_nothing_is_refused),
      TEST(test_report_parses_back_exactly),
      TEST(test_report_has_no_stop_index_without_sweeps),
      TEST(test_report_warns_exactly_when_it_must),
      TEST(test_progress_is_silent_without_a_terminal),
      TEST(test_progress_of_a_transient),
  };
  return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
