/* Files that must be accepted or refused.
 *
 * config/bad-*.ini begin with "; expect: TEXT", a part of the refusal. config/good-*.ini have such a
 * line too, and TEXT is a part of the values as config_describe writes them. config/refused.cases and
 * config/accepted.cases hold many short cases in one file each; their first lines say how.
 */
#include "config/describe.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text behind "; expect: " in the first lines of a file. */
static void expectation_read(const char *path, char *text, size_t size)
{
  static const char mark[] = "; expect: ";
  char line[600];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[0] = '\0';
  while (text[0] == '\0' && fgets(line, sizeof line, file)) {
    if (strncmp(line, mark, sizeof mark - 1) == 0) snprintf(text, size, "%s", line + sizeof mark - 1);
  }
  fclose(file);
  text[strcspn(text, "\r\n")] = '\0';
}

/* Is one file accepted or refused as it says? Prints what differs. */
static bool file_behaves(const char *path, bool good)
{
  char expected[600], *found = NULL;
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  const hs_status status = hs_config_read(path, NULL, 0, &config, &err);
  bool as_expected;

  expectation_read(path, expected, sizeof expected);
  if (status == HS_OK) {
    found = config_describe(config);
    as_expected = good && expected[0] && strstr(found, expected);
  } else {
    as_expected = !good && expected[0] && status == HS_ERR_CONFIG && err.status == status && !config &&
                  strncmp(err.text, path, strlen(path)) == 0 && strstr(err.text, expected);
  }
  if (!as_expected) {
    print_error("%s\n  expected %s: %s\n  found %s: %s\n", path, good ? "values" : "refusal", expected,
                status == HS_OK ? "values" : "refusal", found ? found : err.text);
  }
  free(found);
  hs_config_destroy(config);
  return as_expected;
}

/* Goes over the files whose names begin with prefix; at least least of them. */
static void folder_behaves(const char *prefix, int least, bool good)
{
  char folder[2000], path[2400];
  const struct dirent *entry;
  int count = 0, wrong = 0;
  DIR *listing;
  snprintf(folder, sizeof folder, "%s/config", config_folder());
  listing = opendir(folder);
  if (!listing) fail_msg("%s cannot be listed; set HS_TEST_SRCDIR to the folder of the tests", folder);
  while ((entry = readdir(listing))) {
    if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    wrong += !file_behaves(path, good);
    count++;
  }
  closedir(listing);
  assert_int_equal(wrong, 0);
  assert_true(count >= least);
}

static void good_files_are_accepted(void **state)
{
  (void)state;
  folder_behaves("good-", 15, true);
}

static void bad_files_are_refused(void **state)
{
  (void)state;
  folder_behaves("bad-", 90, false);
}

/* --- many cases in one file ---------------------------------------------------------------------- */

enum { CASE_LINES = 16, CASE_LINE_BYTES = 1400, CASE_TEXT_BYTES = 8000 };

static const char plate_file[] = "[grid]\nnx = 11\nny = 21\nlx = 1\nly = 2\n[material]\nconductivity = 50\n"
                                 "[boundary]\nwest = 1\neast = 2\nsouth = 3\nnorth = 4\n";

struct config_case {
  char expected[CASE_LINES][CASE_LINE_BYTES];
  char overrides[CASE_LINES][CASE_LINE_BYTES];
  int expected_count, override_count;
  char text[CASE_TEXT_BYTES];
  bool begun; /* something stands behind the expectations */
};

/* Does one case come out as it says? Prints what differs. */
static bool case_behaves(const struct config_case *c, bool good)
{
  const bool whole = strncmp(c->text, "[grid]", 6) == 0;
  const char *overrides[CASE_LINES];
  char *name = strdup("test_config_XXXXXX.ini"), *found;
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  FILE *file = fdopen(mkstemps(name, 4), "w");
  bool as_expected;
  int k;
  assert_non_null(file);
  fprintf(file, "%s%s", whole ? "" : plate_file, c->text);
  assert_int_equal(fclose(file), 0);
  for (k = 0; k < c->override_count; k++) overrides[k] = c->overrides[k];
  as_expected = (hs_config_read(name, overrides, c->override_count, &config, &err) == HS_OK) == good;
  found = config ? config_describe(config) : strdup(err.text);
  as_expected = as_expected && (good || (err.status == HS_ERR_CONFIG && !config));
  for (k = 0; k < c->expected_count; k++) as_expected = as_expected && strstr(found, c->expected[k]);
  for (k = 0; k < c->expected_count && !as_expected; k++) print_error("expected %s\n", c->expected[k]);
  if (!as_expected) print_error("found %s\n\n", found);
  hs_config_destroy(config);
  free(found);
  remove(name);
  free(name);
  return as_expected;
}

/* Takes one line into the case; false when the line begins the next case. */
static bool case_take_line(struct config_case *c, const char *line)
{
  const bool expectation = strncmp(line, "=== ", 4) == 0, override = strncmp(line, "--set ", 6) == 0;
  const size_t length = strlen(c->text);
  if (expectation && c->begun) return false;
  if (expectation) {
    assert_true(c->expected_count < CASE_LINES);
    snprintf(c->expected[c->expected_count++], CASE_LINE_BYTES, "%s", line + 4);
  } else if (override) {
    assert_true(c->override_count < CASE_LINES);
    snprintf(c->overrides[c->override_count++], CASE_LINE_BYTES, "%s", line + 6);
  } else if (line[0] != '#' && c->expected_count > 0) {
    assert_true(length + strlen(line) + 2 < CASE_TEXT_BYTES);
    sprintf(c->text + length, "%s\n", line);
  }
  c->begun = c->begun || (!expectation && line[0] != '#' && line[0] != '\0');
  return true;
}

/* Goes over the cases of a file; at least least of them. */
static void cases_behave(const char *name, int least, bool good)
{
  struct config_case *c = calloc(1, sizeof *c);
  char path[2400], line[CASE_LINE_BYTES];
  int count = 0, wrong = 0;
  FILE *file;
  snprintf(path, sizeof path, "%s/config/%s", config_folder(), name);
  file = fopen(path, "r");
  if (!file || !c) fail_msg("%s cannot be opened", path);
  while (fgets(line, sizeof line, file)) {
    assert_true(strlen(line) < sizeof line - 1);
    line[strcspn(line, "\n")] = '\0';
    if (case_take_line(c, line)) continue;
    count++;
    wrong += !case_behaves(c, good);
    memset(c, 0, sizeof *c);
    assert_true(case_take_line(c, line));
  }
  count++;
  wrong += !case_behaves(c, good);
  fclose(file);
  free(c);
  assert_int_equal(wrong, 0);
  assert_true(count >= least);
}

static void accepted_cases_are_accepted(void **state)
{
  (void)state;
  cases_behave("accepted.cases", 25, true);
}

static void refused_cases_are_refused(void **state)
{
  (void)state;
  cases_behave("refused.cases", 150, false);
}

static void examples_are_accepted(void **state)
{
  static const struct {
    const char *name, *values;
  } examples[] = {
      {"workshop", "256x256 dx 0.00390625 dy 0.00390625 lx 0.99609375 ly 0.99609375 k 1 walls 0 0 0 0 start 0 "
                   "sources 1 (spot node 128 128 0 0 0 0 10000) solver jacobi update_l2 0.0001 1000000 0 double auto "
                   "0 output workshop-output yes yes yes yes yes"},
      {"laplace2d", "4096x4096 dx 1 dy 1 lx 4095 ly 4095 k 1 walls 1 0 0 0 start 0 sources 0 solver jacobi update_max "
                    "1e-06 1000 100 double auto 0"},
      {"plate", "81x41 dx 0.0025 dy 0.0025 lx 0.2 ly 0.1 k 237 walls 293.15 300.15 283.15 323.15 start 300 sources 1 "
                "(heater rectangle 0 0 0.06 0.1 0.03 0.05 20000000) solver auto error 0.001"},
  };
  size_t k;
  (void)state;
  for (k = 0; k < sizeof examples / sizeof examples[0]; k++) {
    char path[2400], *found;
    struct hs_config *config = NULL;
    struct hs_error err = {HS_OK, ""};
    snprintf(path, sizeof path, "%s/../configs/%s.ini", config_folder(), examples[k].name);
    if (hs_config_read(path, NULL, 0, &config, &err) != HS_OK) fail_msg("%s", err.text);
    found = config_describe(config);
    if (!strstr(found, examples[k].values)) fail_msg("%s: %s", path, found);
    free(found);
    hs_config_destroy(config);
  }
}

static void unreadable_files_are_io_errors(void **state)
{
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  assert_int_equal(hs_config_read("no such file.ini", NULL, 0, &config, &err), HS_ERR_IO);
  assert_string_equal(err.text, "no such file.ini: the configuration cannot be opened: No such file or directory; "
                                "`heatsolve --print-config > FILE.ini` makes one to start from.");
  assert_null(config);
  assert_int_equal(hs_config_read(".", NULL, 0, &config, &err), HS_ERR_IO);
  assert_string_equal(err.text, ".: the configuration cannot be read: Is a directory; give a file in it.");
  assert_int_equal(hs_config_read("no such file.ini", NULL, 0, &config, NULL), HS_ERR_IO);
  assert_int_equal(hs_config_read("/dev/zero", NULL, 0, &config, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "/dev/zero: it is a device, and only files can be read"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_files_are_accepted),     cmocka_unit_test(bad_files_are_refused),
      cmocka_unit_test(accepted_cases_are_accepted), cmocka_unit_test(refused_cases_are_refused),
      cmocka_unit_test(examples_are_accepted),       cmocka_unit_test(unreadable_files_are_io_errors),
  };
  return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
