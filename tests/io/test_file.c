/* Files appear complete or not at all, whatever writes them. */
#include "output/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "io/file.h"
#include "output/output.h"

enum { NAMES = 5 };
static const char *const names[] = {"field.h5", "field.xdmf", "temperature.png", "convergence.png", "report.json"};

/* Writes name with every writer's common way to fail: a limit of file sizes stands for the full disk. */
static hs_status write_named(const char *name, const struct hs_result *result, struct hs_error *err)
{
  const struct hs_picture picture = {result->field_k, NX,   NY,   1.0,  1.0, "t", "viridis", NAN, NAN, 2, "K",
                                     false,           NULL, NULL, NULL, 0.0};
  if (strstr(name, ".h5")) return hs_output_h5_write(test_folder_path(name), result, err);
  if (strstr(name, ".xdmf")) return hs_output_xdmf_write(test_folder_path(name), "field.h5", result, err);
  if (strstr(name, "temp")) return hs_output_picture_write(test_folder_path(name), &picture, err);
  if (strstr(name, "conv")) return hs_output_convergence_write(test_folder_path(name), result, err);
  return hs_output_report_write(test_folder_path(name), result, err);
}

/* In a child, so that HDF5's shutdown at exit is part of the test. */
static void child_writes_with_limit(rlim_t bytes, const char *expected)
{
  const struct rlimit limit = {bytes, RLIM_INFINITY};
  struct fixture fixture;
  int k, bad = 0;
  fixture_fill(&fixture);
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
    char *text = test_file_get(test_folder_path(names[k]));
    assert_string_equal(text, "old");
    free(text);
  }
  assert_int_equal(test_folder_count(test_folder()), NAMES);
}

static void test_file_size_limit_leaves_no_half_file(void **state)
{
  const rlim_t limits[] = {1, 100, 300};
  size_t k;
  (void)state;
  for (k = 0; k < sizeof limits / sizeof limits[0]; k++) {
    assert_children_fail(limits[k], "File too large");
    assert_int_equal(test_folder_count(test_folder()), 0);
  }
  for (k = 0; k < NAMES; k++) test_file_put(test_folder_path(names[k]), "old");
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
  fixture_fill(&fixture);
  assert_int_equal(hs_output_h5_write(test_folder_path("field.h5"), &fixture.result, &err), HS_OK);
  assert_int_equal(stat(test_folder_path("field.h5"), &size), 0);
  assert_int_equal(unlink(test_folder_path("field.h5")), 0);
  for (bytes = 1; bytes < (rlim_t)size.st_size; bytes += 509) {
    int status = -1;
    pid_t child;
    fflush(NULL);
    child = fork();
    if (child == 0) {
      const struct rlimit limit = {bytes, RLIM_INFINITY};
      (void)signal(SIGXFSZ, SIG_IGN);
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) exit(100);
      exit(hs_output_h5_write(test_folder_path("field.h5"), &fixture.result, &err) == HS_ERR_IO ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      fail_msg("limit %lu: status %x", (unsigned long)bytes, (unsigned)status);
    assert_int_equal(test_folder_count(test_folder()), 0);
  }
}

static void test_full_disk_leaves_no_half_file(void **state)
{
  int filler, k;
  char block[4096] = {0};
  (void)state;
  if (mount("tmpfs", test_folder(), "tmpfs", 0, "size=64k") != 0) {
    print_message("# no tmpfs can be mounted (%s): the limit of file sizes alone stands for the full disk\n",
                  strerror(errno));
    return;
  }
  for (k = 0; k < NAMES; k++) test_file_put(test_folder_path(names[k]), "old");
  filler = open(test_folder_path("filler"), O_CREAT | O_WRONLY, 0600);
  while (write(filler, block, sizeof block) > 0) continue;
  close(filler);
  assert_children_fail(0, "No space left on device");
  assert_int_equal(unlink(test_folder_path("filler")), 0);
  assert_old_files_intact();
  assert_int_equal(umount(test_folder()), 0);
}

static void test_unwritable_folder_is_reported(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  char inside[600];
  int k;
  (void)state;
  fixture_fill(&fixture);
  test_file_put(test_folder_path("file"), "x");
  snprintf(inside, sizeof inside, "%s/sub", test_folder_path("file"));
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

/* A file that is written over hours, and loses its name meanwhile. */
static void test_a_removed_file_is_written_anew(void **state)
{
  struct hs_error err = {HS_OK, ""};
  bool renewed = true;
  char path[600], again[8] = "";
  int fd;
  (void)state;
  snprintf(path, sizeof path, "%s/a", test_folder_path("deep"));
  assert_int_equal(hs_file_make_folders(test_folder_path("deep"), &err), HS_OK);
  test_file_put(path, "one");
  fd = open(path, O_RDWR);
  assert_true(fd >= 0);
  assert_int_equal(hs_file_keep(fd, path, &renewed, &err), HS_OK);
  assert_false(renewed);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(test_folder_path("deep")), 0);
  assert_int_equal(hs_file_keep(fd, path, &renewed, &err), HS_OK);
  assert_true(renewed);
  assert_int_equal(pwrite(fd, "two", 3, 3), 3); /* the descriptor is that of the new file */
  close(fd);
  fd = open(path, O_RDWR);
  assert_int_equal(read(fd, again, sizeof again), 6);
  assert_string_equal(again, "onetwo");
  unlink(path);
  test_file_put(path, "other");
  assert_int_equal(hs_file_keep(fd, path, &renewed, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "another program"));
  close(fd);
  unlink(path);
  rmdir(test_folder_path("deep"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_file_size_limit_leaves_no_half_file), TEST(test_h5_fails_cleanly_wherever_space_ends),
      TEST(test_full_disk_leaves_no_half_file),       TEST(test_unwritable_folder_is_reported),
      TEST(test_a_removed_file_is_written_anew),
  };
  return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
