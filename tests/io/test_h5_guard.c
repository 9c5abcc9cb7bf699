/* What is not read from HDF5 files: each with its reason, and nothing of it opened. */
#include "support.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "io/h5_put.h"
#include "io/h5_read.h"

static const double numbers[12] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
static const hsize_t shape[2] = {3, 4};

static hid_t file_make(const char *name)
{
  const hid_t file = H5Fcreate(test_folder_path(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

/* The dataset "k", of this type and made in this way; values may be NULL. */
static void dataset_make(hid_t file, hid_t type, const hsize_t *extent, hid_t how, const double *values)
{
  const hid_t space = H5Screate_simple(2, extent, NULL);
  const hid_t dataset = H5Dcreate2(file, "k", type, space, H5P_DEFAULT, how, H5P_DEFAULT);
  assert_true(dataset >= 0);
  if (values) assert_true(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Dclose(dataset);
  H5Sclose(space);
}

/* Is the dataset `name` of a file refused with a reason in which this stands? */
static void refused(const char *file_name, const char *name, const char *reason)
{
  struct hs_h5_file file;
  struct hs_h5_dataset dataset;
  char ignored[HS_H5_REASON];
  assert_int_equal(hs_h5_open(test_folder_path(file_name), &file, ignored), HS_H5_OPENED);
  assert_false(hs_h5_dataset_open(&file, name, &dataset));
  assert_true(dataset.id < 0);
  if (!strstr(dataset.refusal, reason)) fail_msg("\"%s\" does not say \"%s\"", dataset.refusal, reason);
  hs_h5_close(&file);
}

static void numbers_in_other_files_are_refused(void **state)
{
  hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, shape, NULL), file;
  (void)state;
  file = file_make("virtual.h5");
  assert_true(H5Pset_virtual(how, space, "other.h5", "k", space) >= 0);
  dataset_make(file, H5T_IEEE_F64LE, shape, how, NULL);
  H5Fclose(file);
  H5Pclose(how);
  refused("virtual.h5", "k", "is a virtual dataset");
  how = H5Pcreate(H5P_DATASET_CREATE);
  file = file_make("external.h5");
  assert_true(H5Pset_external(how, "/etc/passwd", 0, sizeof numbers) >= 0);
  dataset_make(file, H5T_IEEE_F64LE, shape, how, NULL);
  H5Fclose(file);
  H5Pclose(how);
  H5Sclose(space);
  refused("external.h5", "k", "keeps its numbers in another file");
}

static void links_to_other_files_are_refused(void **state)
{
  const hid_t other = file_make("other.h5"), file = file_make("links.h5");
  (void)state;
  dataset_make(other, H5T_IEEE_F64LE, shape, H5P_DEFAULT, numbers);
  H5Fclose(other);
  assert_true(H5Lcreate_external("other.h5", "k", file, "out", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  assert_true(H5Lcreate_external("other.h5", "/", file, "root", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  assert_true(H5Lcreate_soft("/out", file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  assert_true(H5Lcreate_soft("/b", file, "a", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  assert_true(H5Lcreate_soft("/a", file, "b", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  H5Fclose(file);
  refused("links.h5", "out", "link to another file");
  refused("links.h5", "root/k", "link to another file");
  refused("links.h5", "soft", "link to another file");
  refused("links.h5", "a", "in a circle");
  refused("links.h5", "absent", "");
}

/* Takes the place of a filter that is loaded from elsewhere. */
static size_t filter_pass(unsigned flags, size_t count, const unsigned *values, size_t bytes, size_t *size,
                          void **buffer)
{
  (void)flags;
  (void)count;
  (void)values;
  (void)size;
  (void)buffer;
  return bytes;
}

static void foreign_and_doubled_filters_are_refused(void **state)
{
  static const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, 32015, 1, 1, "pass", NULL, NULL, filter_pass};
  const hsize_t chunk[2] = {2, 2};
  hid_t how = H5Pcreate(H5P_DATASET_CREATE), file = file_make("filter.h5");
  (void)state;
  assert_true(H5Zregister(&filter) >= 0);
  assert_true(H5Pset_chunk(how, 2, chunk) >= 0 && H5Pset_filter(how, 32015, H5Z_FLAG_OPTIONAL, 0, NULL) >= 0);
  dataset_make(file, H5T_IEEE_F64LE, shape, how, numbers);
  H5Fclose(file);
  H5Pclose(how);
  assert_true(H5Zunregister(32015) >= 0);
  refused("filter.h5", "k", "is packed by filter 32015");
  how = H5Pcreate(H5P_DATASET_CREATE);
  file = file_make("twice.h5");
  assert_true(H5Pset_chunk(how, 2, chunk) >= 0 && H5Pset_deflate(how, 9) >= 0);
  assert_true(H5Pset_shuffle(how) >= 0 && H5Pset_deflate(how, 9) >= 0);
  dataset_make(file, H5T_IEEE_F64LE, shape, how, numbers);
  H5Fclose(file);
  H5Pclose(how);
  refused("twice.h5", "k", "more than once");
}

static void chunks_too_large_and_too_many_are_refused(void **state)
{
  const hsize_t wide[2] = {100000, 100000}, large[2] = {20000, 20000}, small[2] = {1, 1};
  (void)state;
  for (int k = 0; k < 2; k++) {
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE), file = file_make("chunks.h5");
    assert_true(H5Pset_chunk(how, 2, k ? small : large) >= 0);
    dataset_make(file, H5T_IEEE_F64LE, wide, how, NULL);
    H5Fclose(file);
    H5Pclose(how);
    refused("chunks.h5", "k", k ? "has 10000000000 chunks" : "has 25 chunks of 3.2 GB");
  }
}

/* The product of these extents is 0 modulo 2^64, which the library takes for the number of values. */
static void the_number_of_values_does_not_wrap(void **state)
{
  const hsize_t extent[2] = {(hsize_t)1 << 62, 4};
  const hid_t space = H5Screate_simple(2, extent, NULL);
  uint64_t found[2];
  int rank;
  (void)state;
  assert_true(space >= 0);
  assert_int_equal(hs_h5_guard_space(space, &rank, found), -1);
  assert_true(rank == 2 && found[0] == extent[0] && found[1] == 4);
  assert_int_equal(hs_h5_guard_space(-1, &rank, found), -1);
  H5Sclose(space);
}

static void numbers_of_odd_types_are_none(void **state)
{
  const hid_t wide = H5Tcopy(H5T_STD_I64LE), half = H5Tcopy(H5T_IEEE_F32LE), text = H5Tcopy(H5T_C_S1);
  (void)state;
  assert_int_equal(hs_h5_guard_type(H5T_IEEE_F32BE), HS_H5_FLOATS);
  assert_int_equal(hs_h5_guard_type(H5T_NATIVE_LDOUBLE), HS_H5_FLOATS);
  assert_int_equal(hs_h5_guard_type(H5T_STD_U8LE), HS_H5_INTEGERS);
  assert_true(H5Tset_fields(half, 15, 10, 5, 0, 10) >= 0 && H5Tset_precision(half, 16) >= 0 &&
              H5Tset_size(half, 2) >= 0);
  assert_int_equal(hs_h5_guard_type(half), HS_H5_FLOATS);
  assert_true(H5Tset_size(wide, 1000) >= 0);
  assert_int_equal(hs_h5_guard_type(wide), HS_H5_NO_NUMBERS);
  assert_int_equal(hs_h5_guard_type(text), HS_H5_NO_NUMBERS);
  assert_int_equal(hs_h5_guard_type(-1), HS_H5_NO_NUMBERS);
  H5Tclose(text);
  H5Tclose(half);
  H5Tclose(wide);
}

/* A group within itself, and one of very many objects. */
static void names_are_taken_from_a_limited_number_of_objects(void **state)
{
  const hid_t file = file_make("many.h5"), group = H5Gcreate2(file, "b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t dataset = hs_h5_put_dataset(file, "a", 2, shape, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, numbers, "K");
  struct hs_h5_file opened;
  char reason[HS_H5_REASON], name[32], *names = malloc(1 << 16);
  int count = 0;
  (void)state;
  assert_true(H5Lcreate_hard(file, "/", group, "again", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  for (int k = 0; k < 1000; k++) {
    snprintf(name, sizeof name, "c%04d", k);
    assert_true(H5Lcreate_hard(file, "a", group, name, H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  H5Dclose(dataset);
  H5Gclose(group);
  H5Fclose(file);
  assert_int_equal(hs_h5_open(test_folder_path("many.h5"), &opened, reason), HS_H5_OPENED);
  hs_h5_dataset_names(&opened, names, 1 << 16);
  for (const char *at = names; (at = strchr(at, '/')); at += strcspn(at, ",")) count++;
  if (count < 200 || count > 256 || !strstr(names, "/b/c0000")) fail_msg("%d names: %.200s", count, names);
  hs_h5_close(&opened);
  free(names);
}

static int folder_create(void **state)
{
  (void)state;
  return test_folder_create("h5-guard");
}

static int folder_remove(void **state)
{
  (void)state;
  return test_folder_remove_all();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_in_other_files_are_refused),
      cmocka_unit_test(links_to_other_files_are_refused),
      cmocka_unit_test(foreign_and_doubled_filters_are_refused),
      cmocka_unit_test(chunks_too_large_and_too_many_are_refused),
      cmocka_unit_test(the_number_of_values_does_not_wrap),
      cmocka_unit_test(numbers_of_odd_types_are_none),
      cmocka_unit_test(names_are_taken_from_a_limited_number_of_objects),
  };
  return cmocka_run_group_tests_name("h5_guard", tests, folder_create, folder_remove);
}
