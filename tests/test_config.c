/* The config room: files that must be accepted or refused, overrides, printed help and default.
 *
 * config/bad-*.ini begin with "; expect: TEXT", a part of the refusal. config/good-*.ini have such a
 * line too, and TEXT is a part of the values as config_describe writes them.
 */
#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/config.h"

static const char *const small_file = "[grid]\nnx = 11\nny = 21\ndx = 0.1\ndy = 0.1\n"
                                      "[material]\nconductivity = 50\n"
                                      "[boundary]\nwest = 1\neast = 2\nsouth = 3\nnorth = 4\n"
                                      "[source spot]\nshape = node\ni = 3\nj = 4\ndensity = 9";

static const char *tests_folder(void)
{
  const char *folder = getenv("HS_TEST_SRCDIR");
  return folder ? folder : "tests";
}

/* Writes text into a new file; the name is owned by the caller, who removes the file. */
static char *file_create(const char *text)
{
  char *name = strdup("test_config_XXXXXX");
  const int descriptor = mkstemp(name);
  FILE *file;
  assert_true(descriptor >= 0);
  file = fdopen(descriptor, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
  return name;
}

/* All values of a configuration as text, owned by the caller. */
static char *config_describe(const struct hs_config *config)
{
  static const char *const shapes[] = {"node", "rectangle", "everywhere"};
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  int k;
  assert_non_null(out);
  fprintf(out, "%dx%d dx %.12g dy %.12g lx %.12g ly %.12g k %.12g walls", config->grid.nx, config->grid.ny,
          config->grid.dx_m, config->grid.dy_m, config->grid.lx_m, config->grid.ly_m,
          config->material.conductivity_w_mk);
  for (k = 0; k < HS_SIDES; k++) fprintf(out, " %.12g", config->boundary.temperature_k[k]);
  fprintf(out, " start %.12g sources %d", config->initial.temperature_k, config->source_count);
  for (k = 0; k < config->source_count; k++) {
    const struct hs_config_source *s = &config->sources[k];
    fprintf(out, " (%s %s %d %d %.12g %.12g %.12g %.12g %.12g)", s->name, shapes[s->shape], s->i, s->j, s->x0_m,
            s->x1_m, s->y0_m, s->y1_m, s->density_w_m3);
  }
  fprintf(out, " solver %s %s %.12g %lld %d %s %s %d", hs_method_name(config->solver.method),
          hs_criterion_name(config->solver.criterion), config->solver.tolerance,
          (long long)config->solver.max_iterations, config->solver.check_every,
          hs_precision_name(config->solver.precision), config->solver.backend, config->solver.threads);
  fprintf(out, " output %s %s %s %s %s %s \"%s\" %s %.12g %.12g %d", config->output.directory,
          config->output.field ? "yes" : "no", config->output.xdmf ? "yes" : "no",
          config->output.picture ? "yes" : "no", config->output.convergence ? "yes" : "no",
          config->output.report ? "yes" : "no", config->output.title, config->output.colormap,
          config->output.range_min_k, config->output.range_max_k, config->output.isotherms);
  assert_int_equal(fclose(out), 0);
  return text;
}

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
  snprintf(folder, sizeof folder, "%s/config", tests_folder());
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

static void examples_are_accepted(void **state)
{
  static const struct {
    const char *name, *values;
  } examples[] = {
      {"workshop", "256x256 dx 0.00390625 dy 0.00390625 lx 0.99609375 ly 0.99609375 k 1 walls 0 0 0 0 start 0 "
                   "sources 1 (spot node 128 128 0 0 0 0 10000) solver jacobi update_l2 0.0001 1000000 256 double auto "
                   "0 output workshop-output yes yes yes yes yes"},
      {"laplace2d", "4096x4096 dx 1 dy 1 lx 4095 ly 4095 k 1 walls 1 0 0 0 start 0 sources 0 solver jacobi update_max "
                    "1e-06 1000 100 double auto 0"},
      {"plate", "81x41 dx 0.0025 dy 0.0025 lx 0.2 ly 0.1 k 237 walls 293.15 300.15 283.15 323.15 start 300 sources 1 "
                "(heater rectangle 0 0 0.06 0.1 0.03 0.05 20000000) solver jacobi error 0.001"},
  };
  size_t k;
  (void)state;
  for (k = 0; k < sizeof examples / sizeof examples[0]; k++) {
    char path[2400], *found;
    struct hs_config *config = NULL;
    struct hs_error err = {HS_OK, ""};
    snprintf(path, sizeof path, "%s/../configs/%s.ini", tests_folder(), examples[k].name);
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
  assert_string_equal(err.text, "no such file.ini: the configuration cannot be opened: No such file or directory.");
  assert_null(config);
  assert_int_equal(hs_config_read(".", NULL, 0, &config, &err), HS_ERR_IO);
  assert_string_equal(err.text, ".: the configuration cannot be read: Is a directory.");
  assert_int_equal(hs_config_read("no such file.ini", NULL, 0, &config, NULL), HS_ERR_IO);
  assert_int_equal(hs_config_read("/dev/zero", NULL, 0, &config, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "/dev/zero: the file has more than 16 MiB"));
}

/* Overrides of small_file, and a part of the values or (first character '!') of the refusal. */
struct override_case {
  const char *overrides[4];
  const char *expected;
};

static const struct override_case override_cases[] = {
    {{"grid.nx=15"}, "15x21 dx 0.1 dy 0.1 lx 1.4 ly 2 "},
    {{" grid . nx = 15 "}, "15x21 "},
    {{"grid.nx=15", "grid.nx=17"}, "17x21 "},
    {{"solver.backend=cpu"}, " double cpu 0 "},
    {{"output.title=a = b ; c.d # e"}, "\"a = b ; c.d # e\""},
    {{"output.title="}, "\"\""},
    {{"output.field=no"}, "output heatsolve-output no no yes yes yes"},
    {{"grid.lx=5"}, "11x21 dx 0.5 dy 0.1 lx 5 ly 2 "},
    {{"grid.lx=5", "grid.ly=40"}, "dx 0.5 dy 2 lx 5 ly 40 "},
    {{"source spot.i=7"}, "sources 1 (spot node 7 4 0 0 0 0 9)"},
    {{"source  spot.i=7"}, "sources 1 (spot node 7 4 "},
    {{"source spot.shape=everywhere"}, "(spot everywhere 0 0 0 0 0 0 9)"},
    {{"source a.b.shape=everywhere", "source a.b.density=-2"},
     "sources 2 (spot node 3 4 0 0 0 0 9) "
     "(a.b everywhere 0 0 0 0 0 0 -2)"},
    {{"grid.nx=abc"},
     "!--set grid.nx=abc: [grid] nx: \"abc\" is not an integer. Allowed: integer 2..1000000, in nodes."},
    {{"grid.nx=1"}, "!--set grid.nx=1: [grid] nx: \"1\" is out of range"},
    {{"grid.nz=1"}, "!--set grid.nz=1: unknown key \"nz\" in [grid]"},
    {{"gird.nx=5"}, "!--set gird.nx=5: unknown section [gird]; did you mean [grid]?"},
    {{"grid.nx"}, "!--set grid.nx: write it as section.key=value"},
    {{"nx=5"}, "!--set nx=5: write it as section.key=value"},
    {{""}, "!--set : write it as section.key=value"},
    {{".=5"}, "!write it as section.key=value"},
    {{"output.title=a\nb"}, "!not one line of UTF-8"},
    {{"output.title=\xff"}, "!not one line of UTF-8"},
    {{"grid.lx=5", "grid.dx=1"}, "!--set grid.dx=1: [grid] has both lx"},
    {{"grid.nx=3"}, "!:15: [source spot] i = 3 lies outside the grid, which has nx = 3 nodes"},
    {{"source spot.i=11"}, "!--set source spot.i=11: [source spot] i = 11 lies outside"},
    {{"source spot.x0=0"},
     "!--set source spot.x0=0: [source spot] has the key \"x0\", which a source of shape \"node\""},
    {{"source new.shape=everywhere"}, "!--set source new.shape=everywhere: [source new] lacks the key \"density\""},
    {{"source.shape=node"}, "!--set source.shape=node: a source needs a name"},
    {{"output.range_max=1", "output.range_min=2"}, "!--set output.range_min=2: [output] range_max = 1 must be greater"},
};

static void overrides_replace_and_add(void **state)
{
  char *name = file_create(small_file);
  size_t k;
  int wrong = 0;
  (void)state;
  for (k = 0; k < sizeof override_cases / sizeof override_cases[0]; k++) {
    const struct override_case *c = &override_cases[k];
    const bool refused = c->expected[0] == '!';
    struct hs_config *config = NULL;
    struct hs_error err = {HS_OK, ""};
    char *found;
    int count = 0;
    while (count < 4 && c->overrides[count]) count++;
    found =
        hs_config_read(name, c->overrides, count, &config, &err) == HS_OK ? config_describe(config) : strdup(err.text);
    if (refused == (config != NULL) || !strstr(found, c->expected + refused)) {
      print_error("override %s\n  expected %s\n  found %s\n", c->overrides[0], c->expected, found);
      wrong++;
    }
    free(found);
    hs_config_destroy(config);
  }
  remove(name);
  free(name);
  assert_int_equal(wrong, 0);
}

static void overrides_supply_missing_keys(void **state)
{
  static const char *const overrides[] = {
      "material.conductivity=50", "grid.nx=5",       "grid.ny=5",        "grid.lx=1",       "grid.ly=1",
      "boundary.west=1",          "boundary.east=1", "boundary.north=1", "boundary.south=1"};
  char *name = file_create("");
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  if (hs_config_read(name, overrides, 9, &config, &err) != HS_OK) fail_msg("%s", err.text);
  assert_true(config->grid.dx_m == 0.25);
  hs_config_destroy(config);
  remove(name);
  free(name);
}

static void text_is_kept_verbatim(void **state)
{
  static const char *const overrides[] = {"grid.nx=15", "source spot.i = 7"};
  char *name = file_create(small_file), expected[1000];
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  assert_int_equal(hs_config_read(name, NULL, 0, &config, &err), HS_OK);
  assert_string_equal(config->text, small_file);
  assert_string_equal(config->path, name);
  assert_string_equal(config->sources[0].name, "spot");
  assert_int_equal(config->sources[0].line, 13);
  hs_config_destroy(config);
  assert_int_equal(hs_config_read(name, overrides, 2, &config, &err), HS_OK);
  snprintf(expected, sizeof expected, "%s\n; --set grid.nx=15\n; --set source spot.i = 7\n", small_file);
  assert_string_equal(config->text, expected);
  hs_config_destroy(config);
  hs_config_destroy(NULL);
  remove(name);
  free(name);
}

/* A rectangle may reach past a wall by rounding, and ends on the wall. */
static void rectangle_ends_are_clamped(void **state)
{
  static const char *const overrides[] = {"source spot.shape=rectangle", "source spot.x0=-1e-10",
                                          "source spot.x1=1.0000000005", "source spot.y0=0", "source spot.y1=2"};
  char *name = file_create(small_file);
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  if (hs_config_read(name, overrides, 5, &config, &err) != HS_OK) fail_msg("%s", err.text);
  assert_true(config->sources[0].x0_m == 0.0);
  assert_true(config->sources[0].x1_m == config->grid.lx_m);
  assert_true(config->sources[0].i == 0 && config->sources[0].j == 0);
  hs_config_destroy(config);
  remove(name);
  free(name);
}

static void many_sources_are_read(void **state)
{
  enum { SOURCES = 20000 };
  char *name = file_create(small_file);
  FILE *file = fopen(name, "a");
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  int k;
  (void)state;
  assert_non_null(file);
  for (k = 0; k < SOURCES; k++) fprintf(file, "\n[source %d]\nshape = everywhere\ndensity = %d\n", k, k);
  fclose(file);
  if (hs_config_read(name, NULL, 0, &config, &err) != HS_OK) fail_msg("%s", err.text);
  assert_int_equal(config->source_count, SOURCES + 1);
  assert_string_equal(config->sources[SOURCES].name, "19999");
  assert_true(config->sources[SOURCES].density_w_m3 == 19999);
  hs_config_destroy(config);
  remove(name);
  free(name);
}

/* A configuration with a line of the given length; the longest is cut by nothing. */
static hs_status line_of_length_read(size_t length, struct hs_error *err, size_t *title_length)
{
  char text[1000];
  struct hs_config *config = NULL;
  hs_status status;
  char *name;
  const int start = snprintf(text, sizeof text, "%s\n[output]\n", small_file);
  memset(text + start, ' ', length);
  memcpy(text + start, "title =", 7);
  memset(text + start + length - 20, 'x', 20);
  text[start + (int)length] = '\0';
  name = file_create(text);
  status = hs_config_read(name, NULL, 0, &config, err);
  *title_length = config ? strlen(config->output.title) : 0;
  hs_config_destroy(config);
  remove(name);
  free(name);
  return status;
}

/* The limit depends on how libinih was built, so it is taken from the first refusal. */
static void line_limit_is_exact(void **state)
{
  struct hs_error err = {HS_OK, ""};
  size_t length = 50, title_length = 0;
  (void)state;
  while (length < 700 && line_of_length_read(length, &err, &title_length) == HS_OK) {
    assert_int_equal(title_length, 20);
    length++;
  }
  if (length < 700) {
    const char *allowed = strstr(err.text, "may have ");
    if (!allowed) fail_msg("%s", err.text);
    assert_int_equal(strtol(allowed + strlen("may have "), NULL, 10), length - 1);
  }
}

/* A decimal comma in the caller's locale changes nothing. Without such a locale the test says little. */
static void locale_does_not_matter(void **state)
{
  char *name = file_create(small_file);
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) setlocale(LC_ALL, "");
  if (hs_config_read(name, NULL, 0, &config, &err) != HS_OK) fail_msg("%s", err.text);
  assert_true(config->grid.dx_m == 0.1);
  hs_config_destroy(config);
  setlocale(LC_ALL, "C");
  remove(name);
  free(name);
}

static char *printed(void (*print)(FILE *))
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  print(out);
  assert_int_equal(fclose(out), 0);
  return text;
}

/* Calls check for every line of text. */
static void lines_check(const char *text, size_t width)
{
  while (*text) {
    const size_t length = strcspn(text, "\n");
    if (length > width) fail_msg("%zu bytes in the line %.*s", length, (int)length, text);
    if (length > 0 && text[length - 1] == ' ') fail_msg("the line ends in a blank: %.*s", (int)length, text);
    text += length;
    assert_int_equal(*text, '\n');
    text++;
  }
}

static void help_lists_every_key(void **state)
{
  static const char *const words[] = {"[grid]",        "[material]",        "[boundary]",        "[initial]",
                                      "[source NAME]", "[solver]",          "[output]",          "\n  nx ",
                                      "\n  dy ",       "\n  conductivity ", "\n  north ",        "\n  density ",
                                      "\n  threads ",  "\n  isotherms ",    "W/(m K)",           "1..9000000000000000",
                                      "required",      "heatsolve-output",  "node | rectangle |"};
  char *text = printed(hs_config_print_help);
  size_t k;
  (void)state;
  lines_check(text, 100);
  for (k = 0; k < sizeof words / sizeof words[0]; k++) {
    if (!strstr(text, words[k])) fail_msg("the help lacks %s", words[k]);
  }
  free(text);
}

static void default_is_accepted(void **state)
{
  char *text = printed(hs_config_print_default), *name = file_create(text), *found;
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  lines_check(text, 100);
  if (hs_config_read(name, NULL, 0, &config, &err) != HS_OK) fail_msg("%s", err.text);
  found = config_describe(config);
  assert_non_null(strstr(found, " start 0 sources 1 "));
  assert_non_null(strstr(found, " solver jacobi error 0.001 1000000 256 double auto 0 output heatsolve-output "
                                "yes yes yes yes yes \"\" inferno nan nan 0"));
  free(found);
  hs_config_destroy(config);
  remove(name);
  free(name);
  free(text);
}

/* Every key that the help lists stands in the printed default, active or as an example. */
static void default_has_every_key(void **state)
{
  char *help = printed(hs_config_print_help), *text = printed(hs_config_print_default), *line, *rest = NULL;
  bool in_table = false;
  int count = 0;
  (void)state;
  for (line = strtok_r(help, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char key[40], wanted[60];
    in_table = in_table || line[0] == '[';
    if (!in_table || strncmp(line, "  ", 2) != 0 || strlen(line) < 30 || line[2] == ' ' || line[17] != ' ') continue;
    if (sscanf(line, " %39[a-z_0-9] ", key) != 1 || line[2 + strlen(key)] != ' ') continue;
    if (line[16] != ' ') continue;
    snprintf(wanted, sizeof wanted, "\n%s =", key);
    if (!strstr(text, wanted)) snprintf(wanted, sizeof wanted, "\n; %s =", key);
    if (!strstr(text, wanted)) fail_msg("the printed default lacks %s", key);
    count++;
  }
  assert_true(count >= 37);
  free(text);
  free(help);
}

static void names_are_those_of_the_file(void **state)
{
  (void)state;
  assert_string_equal(hs_criterion_name(HS_CRITERION_UPDATE_L2), "update_l2");
  assert_string_equal(hs_criterion_name(HS_CRITERION_UPDATE_MAX), "update_max");
  assert_string_equal(hs_criterion_name(HS_CRITERION_RESIDUAL), "residual");
  assert_string_equal(hs_criterion_name(HS_CRITERION_ERROR), "error");
  assert_string_equal(hs_precision_name(HS_SINGLE), "single");
  assert_string_equal(hs_method_name(HS_METHOD_JACOBI), "jacobi");
  assert_string_equal(hs_side_name(HS_WEST), "west");
  assert_string_equal(hs_side_name(HS_NORTH), "north");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_files_are_accepted),     cmocka_unit_test(bad_files_are_refused),
      cmocka_unit_test(examples_are_accepted),       cmocka_unit_test(unreadable_files_are_io_errors),
      cmocka_unit_test(overrides_replace_and_add),   cmocka_unit_test(overrides_supply_missing_keys),
      cmocka_unit_test(text_is_kept_verbatim),       cmocka_unit_test(rectangle_ends_are_clamped),
      cmocka_unit_test(many_sources_are_read),       cmocka_unit_test(line_limit_is_exact),
      cmocka_unit_test(locale_does_not_matter),      cmocka_unit_test(help_lists_every_key),
      cmocka_unit_test(default_is_accepted),         cmocka_unit_test(default_has_every_key),
      cmocka_unit_test(names_are_those_of_the_file),
  };
  return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
