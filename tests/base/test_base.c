/* The base room: error texts, exit codes, arrays, texts, limits, clocks. */
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/shown.h"
#include "base/status.h"
#include "base/text.h"
#include "base/timer.h"

static void error_keeps_status_and_text(void **state)
{
  struct hs_error err = {HS_OK, ""};
  (void)state;
  assert_int_equal(hs_error_set(&err, HS_ERR_IO, "%s is %d bytes.", "a.h5", 3), HS_ERR_IO);
  assert_int_equal(err.status, HS_ERR_IO);
  assert_string_equal(err.text, "a.h5 is 3 bytes.");
  assert_int_equal(hs_error_set(NULL, HS_ERR_DEVICE, "nobody listens"), HS_ERR_DEVICE);
}

static void error_may_quote_itself(void **state)
{
  struct hs_error err = {HS_OK, ""};
  (void)state;
  hs_error_set(&err, HS_ERR_IO, "disk full");
  hs_error_set(&err, HS_ERR_IO, "out.png: %s (%s)", err.text, "kept");
  assert_string_equal(err.text, "out.png: disk full (kept)");
}

static void error_append_adds_a_sentence(void **state)
{
  struct hs_error err = {HS_OK, ""};
  (void)state;
  hs_error_append(&err, "%s.", "One");
  assert_string_equal(err.text, "One.");
  hs_error_set(&err, HS_ERR_CONFIG, "One.");
  hs_error_append(&err, "Two%c", '.');
  hs_error_append(&err, " Three.");
  assert_string_equal(err.text, "One. Two. Three.");
  assert_int_equal(err.status, HS_ERR_CONFIG);
  hs_error_append(NULL, "nobody listens");
}

static void error_too_long_is_marked(void **state)
{
  struct hs_error err = {HS_OK, ""};
  char longer[4000];
  (void)state;
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  hs_error_set(&err, HS_ERR_CONFIG, "%s", longer);
  assert_int_equal(strlen(err.text), sizeof err.text - 1);
  assert_string_equal(err.text + sizeof err.text - 5, "x...");
  hs_error_set(&err, HS_ERR_CONFIG, "short");
  hs_error_append(&err, "%s", longer);
  assert_int_equal(strlen(err.text), sizeof err.text - 1);
  assert_memory_equal(err.text, "short xxx", 9);
  assert_string_equal(err.text + sizeof err.text - 5, "x...");
  hs_error_append(&err, "more");
  assert_int_equal(strlen(err.text), sizeof err.text - 1);
  assert_string_equal(err.text + sizeof err.text - 5, "x...");
}

static void what_a_terminal_would_obey_is_not_shown(void **state)
{
  struct hs_error err = {HS_OK, ""};
  char shown[12];
  (void)state;
  hs_error_set(&err, HS_ERR_IO, "a\x1b[2J\r\n\t\x7f.h5: W\xc3\xa4rme");
  assert_string_equal(err.text, "a\\x1b[2J\\x0d\\x0a\\x09\\x7f.h5: W\xc3\xa4rme");
  hs_error_append(&err, "%s", "\xff\xc3 \xc2\x9b\xe2\x82");
  assert_string_equal(strstr(err.text, "rme") + 3, " \\xff\\xc3 \\xc2\\x9b\\xe2\\x82");
  hs_error_set(&err, HS_ERR_IO, "%s", err.text); /* once is enough */
  assert_string_equal(strstr(err.text, "rme") + 3, " \\xff\\xc3 \\xc2\\x9b\\xe2\\x82");
  hs_text_show("12345678901", shown, sizeof shown);
  assert_string_equal(shown, "12345678901");
  hs_text_show("123456789012", shown, sizeof shown);
  assert_string_equal(shown, "12345678...");
  hs_text_show("1234567\xc3\xa4\xc3\xa4\xc3\xa4", shown, sizeof shown); /* whole characters */
  assert_string_equal(shown, "1234567...");
}

static void memory_that_is_not_there_is_refused(void **state)
{
  struct hs_error err = {HS_OK, ""};
  void *array = NULL;
  (void)state;
  assert_int_equal(hs_memory_check(1000.0, "it", &err), HS_OK);
  if (!isfinite(hs_memory_available())) return;
  assert_int_equal(hs_memory_check(1e18, "a field", &err), HS_ERR_MEMORY);
  assert_non_null(strstr(err.text, "a field needs 1e+09 GB of memory and "));
  assert_non_null(strstr(err.text, " GB are free"));
  /* The system would grant it: it is untouched. */
  assert_int_equal(hs_array_create(&array, (size_t)(1.2 * hs_memory_available()), 1, "an array", &err), HS_ERR_MEMORY);
  assert_null(array);
  assert_non_null(strstr(err.text, "an array needs "));
}

static void exit_codes_follow_the_manual(void **state)
{
  (void)state;
  assert_int_equal(hs_status_exit_code(HS_OK), 0);
  assert_int_equal(hs_status_exit_code(HS_ERR_USAGE), 2);
  assert_int_equal(hs_status_exit_code(HS_ERR_CONFIG), 2);
  assert_int_equal(hs_status_exit_code(HS_ERR_IO), 5);
  assert_int_equal(hs_status_exit_code(HS_ERR_DEVICE), 6);
  assert_int_equal(hs_status_exit_code(HS_ERR_UNSUPPORTED), 6);
  assert_int_equal(hs_status_exit_code(HS_ERR_MEMORY), 1);
  assert_int_equal(hs_status_exit_code(HS_ERR_INTERNAL), 1);
}

/* Around the size from which threads zero them. */
static void large_arrays_are_zeroed(void **state)
{
  static const size_t sizes[] = {(4u << 20) - 1, 4u << 20, (6u << 20) + 1};
  (void)state;
  for (size_t c = 0; c < 2 * sizeof sizes / sizeof *sizes; c++) {
    const size_t size = sizes[c / 2];
    struct hs_error err;
    void *array = NULL, *dirty = malloc(size); /* what was in memory before */
    size_t others = 0;
    assert_non_null(dirty);
    memset(dirty, 0xff, size);
    free(dirty);
    assert_int_equal(hs_array_create(&array, size, 1, "bytes", &err), HS_OK);
    for (size_t k = 0; k < size; k++) others += ((const unsigned char *)array)[k] != 0;
    assert_int_equal(others, 0);
    free(array);
  }
}

static void arrays_are_aligned_and_zeroed(void **state)
{
  struct hs_error err;
  void *array = NULL;
  size_t count;
  (void)state;
  for (count = 0; count < 300; count += 7) {
    const unsigned char *bytes;
    size_t k;
    assert_int_equal(hs_array_create(&array, count, 3, "bytes", &err), HS_OK);
    assert_non_null(array);
    assert_int_equal((uintptr_t)array % 64, 0);
    bytes = array;
    for (k = 0; k < 3 * count; k++) assert_int_equal(bytes[k], 0);
    memset(array, 0xff, 3 * count);
    free(array);
  }
}

static void arrays_too_large_are_refused(void **state)
{
  struct hs_error err;
  void *array = &err;
  (void)state;
  assert_int_equal(hs_array_create(&array, SIZE_MAX / 4, 8, "the field", &err), HS_ERR_MEMORY);
  assert_null(array);
  assert_non_null(strstr(err.text, "the field"));
  array = &err;
  assert_int_equal(hs_array_create(&array, SIZE_MAX, 1, "the field", &err), HS_ERR_MEMORY);
  assert_null(array);
}

static void texts_are_copied_and_formatted(void **state)
{
  char *text;
  (void)state;
  text = hs_text_copy("heat", NULL);
  assert_string_equal(text, "heat");
  free(text);
  text = hs_text_format(NULL, "%s/%s.%d", "folder", "field", 5);
  assert_string_equal(text, "folder/field.5");
  free(text);
  text = hs_text_format(NULL, "%*s", 5000, "end");
  assert_int_equal(strlen(text), 5000);
  free(text);
}

static void available_memory_is_plausible(void **state)
{
  const double bytes = hs_memory_available();
  (void)state;
  assert_true(bytes > 0x1p20);
  assert_true(bytes < 0x1p50 || isinf(bytes)); /* unknown */
}

static void file_write(const char *folder, const char *name, const char *text)
{
  char path[400];
  FILE *file;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0755);
    *slash = '/';
  }
  file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static int entry_remove(const char *path, const struct stat *about, int kind, struct FTW *place)
{
  (void)about, (void)kind, (void)place;
  return remove(path);
}

/* Trees of files as the kernel shows them; lists of groups as of /proc/self/cgroup. */
static void control_groups_limit(void **state)
{
  static const struct {
    const char *list;
    double processors, memory;
  } cases[] = {
      {"", INFINITY, INFINITY},
      {"0::/\n", INFINITY, INFINITY},
      {"0::/slice\n", 3.0, 1000.0},
      {"0::/slice/half\n", 1.5, 1000.0},
      {"0::/slice/wide\n", 3.0, 1000.0},     /* its parent's limit */
      {"0::/slice/wide/deep\n", 3.0, 250.0}, /* used 900 of 1000, but 150 of them can be dropped */
      {"0::/outside/this/container\n", INFINITY, INFINITY},
      {"5:cpuset:/old\n4:cpuacct,cpu:/old\n0::/\n", 2.5, INFINITY},
      {"5:cpuset:/old\n4:cpuacct:/old\n0::/\n", INFINITY, INFINITY},
      {"3:cpu,cpuacct:/free\n7:memory:/old\n", INFINITY, 60.0},
      {"3:cpu:/free\n7:memory:/docker/0123/none\n", INFINITY, INFINITY},
      {"12:memory:/old\n1:cpu:/old/child\n0::/slice\n", 2.0, 60.0},
      {"0::/full\n", INFINITY, 0.0}, /* which is not unknown */
      {"nothing\n::\n0::\n1:cpu\n", INFINITY, INFINITY},
  };
  static const struct {
    const char *name, *text;
  } files[] = {{"m/slice/cpu.max", "300000 100000\n"},
               {"m/slice/half/cpu.max", "75000 50000\n"},
               {"m/slice/wide/cpu.max", "max 100000\n"},
               {"m/slice/memory.max", "5000\n"},
               {"m/slice/memory.current", "4000\n"},
               {"m/slice/wide/memory.max", "max\n"},
               {"m/slice/wide/memory.current", "4000\n"},
               {"m/slice/wide/deep/memory.max", "1000\n"},
               {"m/slice/wide/deep/memory.current", "900\n"},
               {"m/slice/wide/deep/memory.stat", "anon 7\ninactive_file 150\nactive_file 3\n"},
               {"m/full/memory.max", "1000\n"},
               {"m/full/memory.current", "1001\n"},
               {"m/cpu/old/cpu.cfs_quota_us", "250000\n"},
               {"m/cpu/old/cpu.cfs_period_us", "100000\n"},
               {"m/cpu/old/child/cpu.cfs_quota_us", "200000\n"},
               {"m/cpu/old/child/cpu.cfs_period_us", "100000\n"},
               {"m/cpu/free/cpu.cfs_quota_us", "-1\n"},
               {"m/cpu/free/cpu.cfs_period_us", "100000\n"},
               {"m/memory/old/memory.limit_in_bytes", "100\n"},
               {"m/memory/old/memory.usage_in_bytes", "90\n"},
               {"m/memory/old/memory.stat", "inactive_file 1\ntotal_inactive_file 50\n"}};
  char folder[] = "/tmp/heatsolve-groups-XXXXXX", list[64], mount[64];
  const struct hs_groups groups = {list, mount}, nowhere = {"/nowhere/list", "/nowhere"};
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(list, sizeof list, "%s/list", folder);
  snprintf(mount, sizeof mount, "%s/m", folder);
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) file_write(folder, files[k].name, files[k].text);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    file_write(folder, "list", cases[k].list);
    if (hs_groups_processors(&groups) != cases[k].processors || hs_groups_memory(&groups) != cases[k].memory)
      fail_msg("groups \"%s\": %g processors and %g bytes, wanted %g and %g", cases[k].list,
               hs_groups_processors(&groups), hs_groups_memory(&groups), cases[k].processors, cases[k].memory);
  }
  assert_true(isinf(hs_groups_processors(&nowhere)) && isinf(hs_groups_memory(&nowhere)));
  assert_true(hs_processors_granted() > 0.0);
  assert_int_equal(nftw(folder, entry_remove, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void texts_grow(void **state)
{
  struct hs_text text = {0};
  (void)state;
  for (int k = 0; k < 10000; k++) hs_text_add(&text, "%04d", k);
  assert_false(text.failed);
  assert_int_equal(text.size, 40000);
  assert_int_equal(strlen(text.text), 40000);
  assert_memory_equal(text.text + 4 * 1234, "1234", 4);
  for (int k = 0; k < 10000; k++) hs_text_add_bytes(&text, "%d<>", 3);
  hs_text_add_bytes(&text, "", 0);
  assert_int_equal(text.size, 70000);
  assert_int_equal(strlen(text.text), 70000);
  assert_memory_equal(text.text + 39999, "9%d<", 4);
  text.failed = true;
  hs_text_add(&text, "more");
  hs_text_add_bytes(&text, "more", 4);
  assert_int_equal(text.size, 70000);
  free(text.text);
}

static void json_is_whole_or_none(void **state)
{
  json_t *json = json_pack("{s:i}", "k", 7);
  char *text = hs_json_text(json, JSON_COMPACT);
  (void)state;
  assert_string_equal(text, "{\"k\":7}\n");
  assert_null(hs_json_text(NULL, 0));
  assert_true(hs_json_holds("") && hs_json_holds("20 \xc2\xb0"));
  assert_false(hs_json_holds("20 \xc2") || hs_json_holds("\xff"));
  free(text);
  json_decref(json);
}

static void clocks_run(void **state)
{
  const struct timespec pause = {0, 20000000};
  const double start_s = hs_time_s();
  double elapsed_s;
  (void)state;
  nanosleep(&pause, NULL);
  elapsed_s = hs_time_s() - start_s;
  assert_true(elapsed_s >= 0.02);
  assert_true(elapsed_s < 20.0);
}

static void dates_are_iso_8601(void **state)
{
  char text[32], small[4] = "xyz";
  struct tm parsed;
  const char *end;
  (void)state;
  hs_time_utc(text, sizeof text);
  assert_int_equal(strlen(text), 20);
  memset(&parsed, 0, sizeof parsed);
  end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &parsed);
  assert_non_null(end);
  assert_int_equal(*end, '\0');
  assert_true(llabs((long long)timegm(&parsed) - (long long)time(NULL)) <= 2);
  hs_time_utc(small, sizeof small);
  assert_string_equal(small, "");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(error_keeps_status_and_text),
      cmocka_unit_test(error_may_quote_itself),
      cmocka_unit_test(error_append_adds_a_sentence),
      cmocka_unit_test(error_too_long_is_marked),
      cmocka_unit_test(what_a_terminal_would_obey_is_not_shown),
      cmocka_unit_test(memory_that_is_not_there_is_refused),
      cmocka_unit_test(exit_codes_follow_the_manual),
      cmocka_unit_test(arrays_are_aligned_and_zeroed),
      cmocka_unit_test(large_arrays_are_zeroed),
      cmocka_unit_test(arrays_too_large_are_refused),
      cmocka_unit_test(texts_are_copied_and_formatted),
      cmocka_unit_test(available_memory_is_plausible),
      cmocka_unit_test(control_groups_limit),
      cmocka_unit_test(texts_grow),
      cmocka_unit_test(json_is_whole_or_none),
      cmocka_unit_test(clocks_run),
      cmocka_unit_test(dates_are_iso_8601),
  };
  return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
