/* How a file is read: its text, long lines, numbers in any locale, many sections. */
#include "config/describe.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text_is_kept_verbatim(void **state)
{
  static const char *const overrides[] = {"grid.nx=15", "source spot.i = 7"};
  char *name = file_create(SMALL_FILE), expected[1000];
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  assert_int_equal(hs_config_read(name, NULL, 0, &config, &err), HS_OK);
  assert_string_equal(config->text, SMALL_FILE);
  assert_string_equal(config->path, name);
  assert_string_equal(config->sources[0].name, "spot");
  assert_int_equal(config->sources[0].line, 13);
  assert_int_equal(config->materials[0].line, 6);
  assert_int_equal(config->boundaries[HS_NORTH].line, 12);
  assert_int_equal(config->boundaries[HS_NORTH].temperature.line, 12);
  hs_config_destroy(config);
  assert_int_equal(hs_config_read(name, overrides, 2, &config, &err), HS_OK);
  snprintf(expected, sizeof expected, "%s\n; --set grid.nx=15\n; --set source spot.i = 7\n", SMALL_FILE);
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
  char *name = file_create(SMALL_FILE);
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  if (hs_config_read(name, overrides, 5, &config, &err) != HS_OK) fail_msg("%s", err.text);
  assert_true(config->sources[0].shape.x0_m == 0.0);
  assert_true(config->sources[0].shape.x1_m == config->grid.lx_m);
  assert_true(config->sources[0].shape.i == 0 && config->sources[0].shape.j == 0);
  hs_config_destroy(config);
  remove(name);
  free(name);
}

static void many_sources_are_read(void **state)
{
  enum { SOURCES = 20000 };
  char *name = file_create(SMALL_FILE);
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
  static char text[70000];
  struct hs_config *config = NULL;
  hs_status status;
  char *name;
  const int start = snprintf(text, sizeof text, "%s\n[output]\n", SMALL_FILE);
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

/* Whatever libinih's buffer holds. */
static void long_lines_are_read_up_to_a_limit(void **state)
{
  struct hs_error err = {HS_OK, ""};
  size_t title_length = 0;
  (void)state;
  for (size_t length = 50; length < 700; length++) {
    if (line_of_length_read(length, &err, &title_length) != HS_OK) fail_msg("%zu bytes: %s", length, err.text);
    assert_int_equal(title_length, 20);
  }
  if (line_of_length_read(65535, &err, &title_length) != HS_OK) fail_msg("%s", err.text);
  assert_int_equal(title_length, 20);
  assert_int_equal(line_of_length_read(65536, &err, &title_length), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, ":19: the line has 65536 bytes, and one with a key or a section may have 65535"));
}

/* What a line means: the title that it sets, or how the sentence of a refusal begins. */
static void line_meaning(const char *line, char *meaning, size_t size)
{
  char text[3000], *name;
  struct hs_config *config = NULL;
  struct hs_error err = {HS_OK, ""};
  snprintf(text, sizeof text, "%s\n[output]\nunit = K\n%s\n", SMALL_FILE, line);
  name = file_create(text);
  if (hs_config_read(name, NULL, 0, &config, &err) == HS_OK)
    snprintf(meaning, size, "%s|%s", config->output.title, config->output.unit);
  else
    snprintf(meaning, size, "%.11s", strstr(err.text, ":20: ") ? strstr(err.text, ":20: ") : err.text);
  hs_config_destroy(config);
  remove(name);
  free(name);
}

/* With a comment or blanks that make it too long for libinih's buffer, a line means what it means without. */
static void long_lines_mean_what_short_ones_do(void **state)
{
  static const char *const lines[] = {"title = a b",      "title=a:b = c",   "title : x = y",  "title = a;b",
                                      "title = a ;b = c", "title =",         "title",          "= x",
                                      "ti;tle = x",       "title ; = x",     "[probe p",       "[run]",
                                      "[run] x",          "[run];",          "]title = x",     "unknown = 3",
                                      "title = [x]",      "\ttitle\t=\tx\t", "unit = degC # 3"};
  (void)state;
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
    char longer[1000], brief[300], meaning[300];
    line_meaning(lines[k], brief, sizeof brief);
    snprintf(longer, sizeof longer, "%s ;%0*d = y ; : z", lines[k], 400, 0);
    line_meaning(longer, meaning, sizeof meaning);
    if (brief[0] == ':') brief[5] = meaning[5] = '\0'; /* the sentence quotes the line */
    if (strcmp(brief, meaning) != 0) fail_msg("\"%s\": %s, and with a comment %s", lines[k], brief, meaning);
  }
}

/* A list and a key that only a long line holds. */
static void long_values_and_names_are_whole(void **state)
{
  char line[3000] = "title = ", meaning[300], title[256];
  (void)state;
  memset(title, 'y', 255);
  title[255] = '\0';
  strcat(line, title);
  line_meaning(line, meaning, sizeof meaning);
  assert_true(strlen(meaning) == 255 + 2 && !memcmp(meaning, title, 255));
  memset(line, 'k', 300);
  strcpy(line + 300, " = 1");
  line_meaning(line, meaning, sizeof meaning);
  assert_non_null(strstr(meaning, ":20: unkno"));
}

/* A decimal comma in the caller's locale changes nothing. Without such a locale the test says little. */
static void locale_does_not_matter(void **state)
{
  char *name = file_create(SMALL_FILE);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_kept_verbatim),
      cmocka_unit_test(rectangle_ends_are_clamped),
      cmocka_unit_test(many_sources_are_read),
      cmocka_unit_test(long_lines_are_read_up_to_a_limit),
      cmocka_unit_test(long_lines_mean_what_short_ones_do),
      cmocka_unit_test(long_values_and_names_are_whole),
      cmocka_unit_test(locale_does_not_matter),
  };
  return cmocka_run_group_tests_name("reader", tests, NULL, NULL);
}
