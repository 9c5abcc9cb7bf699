/* Snapshots: they come back, and survive what ends a run. */
#include "output/fixture.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "output/field/snapshots.h"
#include "output/output.h"

static void assert_snapshots(const struct fixture *fixture, int count)
{
  struct hs_error err = {HS_OK, ""};
  struct hs_snapshot_reader *reader = NULL;
  struct hs_snapshot_facts facts;
  double field_k[NY * NX];
  int k, n;
  if (hs_snapshot_reader_open(test_folder_path("snapshots.h5"), NX, NY, &reader, &err)) fail_msg("%s", err.text);
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
  fixture_fill(&fixture);
  fixture_make_transient(&fixture);
  fixture_take_all(&fixture, 600);
  assert_snapshots(&fixture, 600);
  fixture_take_all(&fixture, 3);
  assert_snapshots(&fixture, 3);
  file = H5Fopen(test_folder_path("snapshots.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(H5LTread_dataset_double(file, "time", time_s) >= 0);
  for (k = 0; k < 3; k++) assert_true(time_s[k] == k);
  assert_true(H5LTread_dataset_double(file, "x", x_m) >= 0);
  assert_true(x_m[1] == 0.25);
  dataset = H5Dopen2(file, "snapshots/2", H5P_DEFAULT);
  assert_text_attribute(dataset, "units", "K");
  assert_text_attribute(file, "configuration", fixture.config.text);
  H5Dclose(dataset);
  H5Fclose(file);
  text = test_file_get(test_folder_path("snapshots.xdmf"));
  assert_non_null(strstr(text, "GridType=\"Collection\" CollectionType=\"Temporal\""));
  assert_non_null(strstr(text, "<Time Value=\"2\"/>"));
  assert_non_null(strstr(text, "snapshots.h5:/snapshots/2<"));
  assert_null(strstr(text, "/snapshots/3"));
  free(text);
  assert_int_equal(test_folder_count(test_folder()), 2);
}

static void test_snapshots_are_not_made_in_vain(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct hs_snapshots *snapshots = NULL;
  (void)state;
  fixture_fill(&fixture);
  fixture.config.output.field = true;
  assert_int_equal(hs_snapshots_create(&fixture.problem, "", &snapshots, &err), HS_OK);
  assert_null(snapshots);
  assert_true(hs_snapshots_taker(snapshots).take == NULL);
  assert_int_equal(hs_snapshots_finish(snapshots, &err), HS_OK);
  hs_snapshots_destroy(snapshots);
  fixture_make_transient(&fixture);
  fixture.config.time.snapshot_every_s = NAN;
  assert_int_equal(hs_snapshots_create(&fixture.problem, "", &snapshots, &err), HS_OK);
  assert_null(snapshots);
  assert_int_equal(test_folder_count(test_folder()), 0);
}

static void test_snapshot_taken_twice_is_kept_once(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct hs_snapshots *snapshots = NULL;
  (void)state;
  fixture_fill(&fixture);
  fixture_make_transient(&fixture);
  assert_int_equal(hs_snapshots_create(&fixture.problem, "", &snapshots, &err), HS_OK);
  assert_int_equal(fixture_take(snapshots, &fixture, 0, &err), HS_OK);
  assert_int_equal(fixture_take(snapshots, &fixture, 0, &err), HS_OK);
  hs_snapshots_destroy(snapshots);
  assert_snapshots(&fixture, 1);
}

static void make_old(const char *path)
{
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), lists = H5Pcreate(H5P_LINK_CREATE);
  assert_true(H5Pset_create_intermediate_group(lists, 1) >= 0);
  for (int k = 0; k < 3; k++) {
    char from[64], to[64];
    snprintf(from, sizeof from, "/snapshots/%d", k);
    snprintf(to, sizeof to, "/snapshots/%06d/temperature", k);
    assert_true(H5Lmove(file, from, file, to, lists, H5P_DEFAULT) >= 0);
  }
  assert_true(H5Ldelete(file, "temperature", H5P_DEFAULT) >= 0);
  H5Pclose(lists);
  H5Fclose(file);
}

/* The form of earlier versions, a group for each snapshot, is read but not gone on with. */
static void test_snapshots_of_earlier_versions(void **state)
{
  static const double time_s[2] = {0.0, 1.0};
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct hs_snapshots *snapshots = NULL;
  (void)state;
  fixture_fill(&fixture);
  fixture_make_transient(&fixture);
  fixture_take_all(&fixture, 3);
  make_old(test_folder_path("snapshots.h5"));
  assert_snapshots(&fixture, 3);
  assert_int_equal(hs_snapshots_continue(&fixture.problem, "", time_s, 2, &snapshots, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "snapshots.h5: an earlier version of heatsolve began it"));
  assert_snapshots(&fixture, 3);
}

/* What is missing from a dataset reads as NaN. */
static void assert_nan_fills(hid_t file, const char *name)
{
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), creation = H5Dget_create_plist(dataset);
  double fill = 0.0;
  assert_true(H5Pget_fill_value(creation, H5T_NATIVE_DOUBLE, &fill) >= 0);
  assert_true(isnan(fill));
  H5Pclose(creation);
  H5Dclose(dataset);
}

/* All of them as one dataset, with the scales that it needs. */
static void test_snapshots_are_one_dataset(void **state)
{
  struct fixture fixture;
  double field_k[3][NY * NX];
  hsize_t extent[3];
  hid_t file, dataset, space;
  (void)state;
  fixture_fill(&fixture);
  fixture_make_transient(&fixture);
  fixture_make_two_materials(&fixture);
  fixture.config.output.xdmf = HS_XDMF_MESH;
  fixture_take_all(&fixture, 3);
  file = H5Fopen(test_folder_path("snapshots.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  dataset = H5Dopen2(file, "temperature", H5P_DEFAULT);
  space = H5Dget_space(dataset);
  assert_int_equal(H5Sget_simple_extent_dims(space, extent, NULL), 3);
  assert_true(extent[0] == 3 && extent[1] == NY && extent[2] == NX);
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, field_k) >= 0);
  for (int n = 0; n < 3 * NY * NX; n++)
    assert_true((&field_k[0][0])[n] == fixture.field_k[n % (NY * NX)] + n / (NY * NX));
  assert_nan_fills(file, "time");
  for (unsigned k = 0; k < 3; k++) assert_int_equal(H5DSget_num_scales(dataset, k), 1);
  assert_text_attribute(dataset, "units", "K");
  assert_true(H5Lexists(file, "material", H5P_DEFAULT) > 0 && H5Lexists(file, "mesh", H5P_DEFAULT) > 0);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
}

/* Whenever the program dies, what was taken can be read. */
static void test_snapshots_survive_a_kill(void **state)
{
  struct fixture fixture;
  char *text;
  int k;
  (void)state;
  fixture_fill(&fixture);
  fixture_make_transient(&fixture);
  for (k = 0; k < 4; k++) {
    int status = -1;
    pid_t child;
    fflush(NULL);
    child = fork();
    if (child == 0) {
      struct hs_error err = {HS_OK, ""};
      struct hs_snapshots *snapshots = NULL;
      int taken;
      if (hs_snapshots_create(&fixture.problem, "", &snapshots, &err)) _exit(1);
      for (taken = 0; taken < k; taken++)
        if (fixture_take(snapshots, &fixture, taken, &err)) _exit(2);
      (void)raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_snapshots(&fixture, k);
  }
  text = test_file_get(test_folder_path("snapshots.xdmf"));
  assert_non_null(strstr(text, "/snapshots/0<"));
  free(text);
}

/* A disk that is full costs the snapshot that does not fit; the earlier ones stay readable. */
static void test_snapshots_survive_a_full_disk(void **state)
{
  struct fixture fixture;
  rlim_t bytes;
  (void)state;
  fixture_fill(&fixture);
  fixture_make_transient(&fixture);
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
      if (hs_snapshots_create(&fixture.problem, "", &snapshots, &err)) exit(101);
      while (taken < 100 && !fixture_take(snapshots, &fixture, taken, &err)) taken++;
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_snapshots_come_back),
      TEST(test_snapshots_are_not_made_in_vain),
      TEST(test_snapshot_taken_twice_is_kept_once),
      TEST(test_snapshots_of_earlier_versions),
      TEST(test_snapshots_are_one_dataset),
      TEST(test_snapshots_survive_a_kill),
      TEST(test_snapshots_survive_a_full_disk),
  };
  return cmocka_run_group_tests_name("snapshots", tests, NULL, NULL);
}
