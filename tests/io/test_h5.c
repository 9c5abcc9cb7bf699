/* What is found in HDF5 files, and that the library says nothing on its own. */
#include "support.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "io/h5_put.h"
#include "io/h5_read.h"

/* A file with a dataset in a group, attributes, a dataset that is never written, and text. */
static void make(const char *path)
{
  const hsize_t grid[2] = {2, 3}, line[1] = {4};
  const double values[6] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0};
  const int32_t integers[4] = {1, 2, 3, 4};
  const char *const texts[2] = {"a", "b"};
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t group = H5Gcreate2(file, "maps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t dataset = hs_h5_put_dataset(group, "k", 2, grid, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, values, "W/(m K)");
  assert_true(dataset >= 0);
  assert_true(hs_h5_put_number(dataset, "time_s", 1.5) >= 0 && hs_h5_put_integer(dataset, "steps", 7) >= 0);
  assert_true(hs_h5_put_texts(dataset, "names", texts, 2) >= 0);
  H5Dclose(dataset);
  H5Dclose(hs_h5_put_dataset(file, "line", 1, line, H5T_STD_I32LE, H5T_NATIVE_INT32, integers, "1"));
  H5Dclose(hs_h5_put_dataset(file, "never", 2, grid, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, NULL, "K"));
  assert_true(hs_h5_put_text(file, "title",
                             "Gr\xc3\xbc\xc3\x9f"
                             "e") >= 0);
  H5Gclose(group);
  H5Fclose(file);
}

static void datasets_are_described_and_read_as_double(void **state)
{
  const char *path = test_folder_path("made.h5");
  struct hs_h5_file file;
  struct hs_h5_dataset dataset;
  char reason[HS_H5_REASON];
  double values[6];
  (void)state;
  make(path);
  assert_int_equal(hs_h5_open(path, &file, reason), HS_H5_OPENED);
  assert_true(hs_h5_dataset_open(&file, "/maps/k", &dataset));
  assert_int_equal(dataset.numbers, HS_H5_FLOATS);
  assert_int_equal(dataset.rank, 2);
  assert_true(dataset.extent[0] == 2 && dataset.extent[1] == 3 && dataset.count == 6 && dataset.written);
  assert_true(hs_h5_dataset_read(&dataset, values));
  for (int k = 0; k < 6; k++) assert_true(values[k] == k);
  hs_h5_dataset_close(&dataset);
  assert_true(hs_h5_dataset_open(&file, "line", &dataset));
  assert_true(dataset.numbers == HS_H5_INTEGERS && dataset.rank == 1 && dataset.count == 4);
  assert_true(dataset.extent[0] == 0 && dataset.extent[1] == 0);
  assert_true(hs_h5_dataset_read(&dataset, values) && values[3] == 4.0);
  hs_h5_dataset_close(&dataset);
  assert_true(hs_h5_dataset_open(&file, "never", &dataset));
  assert_false(dataset.written);
  hs_h5_dataset_close(&dataset);
  assert_false(hs_h5_dataset_open(&file, "maps", &dataset));
  assert_false(hs_h5_dataset_open(&file, "nowhere/k", &dataset));
  hs_h5_close(&file);
  hs_h5_close(&file);
}

static void compressed_chunks_need_buffers(void **state)
{
  const hsize_t dims[2] = {10, 10}, most[2] = {H5S_UNLIMITED, H5S_UNLIMITED}, chunk[2] = {300, 200};
  const hid_t file = H5Fcreate(test_folder_path("made.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(2, dims, most);
  (void)state;
  for (int filtered = 0; filtered < 2; filtered++) {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    struct hs_h5_dataset dataset = {.id = -1};
    assert_true(H5Pset_chunk(creation, 2, chunk) >= 0);
    if (filtered) assert_true(H5Pset_deflate(creation, 9) >= 0);
    dataset.id =
        H5Dcreate2(file, filtered ? "packed" : "plain", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(dataset.id >= 0);
    assert_true(hs_h5_dataset_buffers(&dataset) == filtered * 2.0 * 300 * 200 * sizeof(float));
    hs_h5_dataset_close(&dataset);
    H5Pclose(creation);
  }
  H5Sclose(space);
  H5Fclose(file);
}

static void names_end_where_there_is_no_room(void **state)
{
  const char *path = test_folder_path("made.h5");
  struct hs_h5_file file;
  char reason[HS_H5_REASON], names[64];
  (void)state;
  make(path);
  assert_int_equal(hs_h5_open(path, &file, reason), HS_H5_OPENED);
  hs_h5_dataset_names(&file, names, sizeof names);
  assert_string_equal(names, "/line, /maps/k, /never");
  hs_h5_dataset_names(&file, names, 22);
  assert_string_equal(names, "/line, /maps/k, ...");
  hs_h5_close(&file);
}

static void attributes_are_read_where_they_fit(void **state)
{
  const char *path = test_folder_path("made.h5");
  struct hs_h5_file file;
  struct hs_h5_dataset dataset;
  char reason[HS_H5_REASON], text[16];
  (void)state;
  make(path);
  assert_int_equal(hs_h5_open(path, &file, reason), HS_H5_OPENED);
  assert_true(hs_h5_dataset_open(&file, "maps/k", &dataset));
  assert_true(hs_h5_number(dataset.id, "time_s") == 1.5 && hs_h5_number(dataset.id, "steps") == 7.0);
  assert_true(isnan(hs_h5_number(dataset.id, "absent")));
  assert_true(isnan(hs_h5_number(dataset.id, "names")));
  hs_h5_text(dataset.id, "units", text, sizeof text);
  assert_string_equal(text, "W/(m K)");
  hs_h5_text(dataset.id, "names", text, sizeof text);
  assert_string_equal(text, "");
  hs_h5_text(dataset.id, "time_s", text, sizeof text);
  assert_string_equal(text, "");
  hs_h5_text(file.id, "title", text, 6);
  assert_string_equal(text, "Gr\xc3\xbc"); /* no half character */
  hs_h5_dataset_close(&dataset);
  hs_h5_close(&file);
}

/* Counts what the library would print. */
static herr_t count_print(hid_t stack, void *count)
{
  (void)stack;
  ++*(int *)count;
  return 0;
}

static void failures_have_a_reason_and_print_nothing(void **state)
{
  const char *path = test_folder_path("made.h5");
  struct hs_h5_file file;
  struct hs_h5_dataset dataset;
  char reason[HS_H5_REASON];
  int printed = 0;
  (void)state;
  assert_true(H5Eset_auto2(H5E_DEFAULT, count_print, &printed) >= 0);
  make(path);
  assert_int_equal(hs_h5_open(path, &file, reason), HS_H5_OPENED);
  assert_false(hs_h5_dataset_open(&file, "absent", &dataset));
  hs_h5_close(&file);
  assert_int_equal(hs_h5_open(test_folder_path("absent.h5"), &file, reason), HS_H5_UNREADABLE);
  assert_string_equal(reason, "No such file or directory");
  assert_int_equal(hs_h5_open(test_folder(), &file, reason), HS_H5_UNREADABLE);
  test_file_put(test_folder_path("text.h5"), "text\n");
  assert_int_equal(hs_h5_open(test_folder_path("text.h5"), &file, reason), HS_H5_FOREIGN);
  assert_int_equal(truncate(test_folder_path("made.h5"), 1000), 0);
  assert_int_equal(hs_h5_open(test_folder_path("made.h5"), &file, reason), HS_H5_DAMAGED);
  if (!strstr(reason, "truncated")) fail_msg("\"%s\" does not say truncated", reason);
  assert_int_equal(printed, 0);
  assert_true(H5Fopen(test_folder_path("absent.h5"), H5F_ACC_RDONLY, H5P_DEFAULT) <
              0); /* the caller's printing is back */
  assert_int_equal(printed, 1);
}

static int folder_create(void **state)
{
  (void)state;
  return test_folder_create("h5");
}

static int folder_remove(void **state)
{
  static const char *const files[] = {"made.h5", "text.h5", NULL};
  (void)state;
  return test_folder_remove(files);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(datasets_are_described_and_read_as_double), cmocka_unit_test(compressed_chunks_need_buffers),
      cmocka_unit_test(names_end_where_there_is_no_room),          cmocka_unit_test(attributes_are_read_where_they_fit),
      cmocka_unit_test(failures_have_a_reason_and_print_nothing),
  };
  return cmocka_run_group_tests_name("h5", tests, folder_create, folder_remove);
}
