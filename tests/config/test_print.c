/* The help about keys and the default configuration, as they are printed. */
#include "config/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  static const char *const words[] = {"[grid]",
                                      "[material]",
                                      "[material NAME]",
                                      "[boundary]",
                                      "[boundary NAME]",
                                      "[shape NAME]",
                                      "[source NAME]",
                                      "[loss NAME]",
                                      "[map]",
                                      "[initial]",
                                      "[probe NAME]",
                                      "[expect NAME]",
                                      "[time]",
                                      "[solver]",
                                      "[output]",
                                      "\n  nx ",
                                      "\n  dy ",
                                      "\n  layout ",
                                      "\n  conductivity ",
                                      "\n  heat_capacity ",
                                      "\n  north ",
                                      "\n  resistance ",
                                      "\n  density ",
                                      "\n  power ",
                                      "\n  radius ",
                                      "\n  points ",
                                      "\n  width ",
                                      "\n  thickness ",
                                      "\n  x1 ",
                                      "\n  allowed ",
                                      "\n  snapshots ",
                                      "\n  threads ",
                                      "\n  isotherms ",
                                      "\n  animation ",
                                      "W/(m K)",
                                      "m2 K/W",
                                      "required",
                                      "required by its kind",
                                      "heatsolve-output",
                                      "1..9000000000000000",
                                      "node | rectangle |"};
  char *text = printed(hs_config_print_help);
  size_t k;
  (void)state;
  lines_check(text, 80);
  for (k = 0; k < sizeof words / sizeof words[0]; k++) {
    if (!strstr(text, words[k])) fail_msg("the help lacks %s", words[k]);
  }
  free(text);
}

static void default_is_accepted(void **state)
{
  char *text = printed(hs_config_print_default), *found = text_describe(text), *least;
  (void)state;
  lines_check(text, 100);
  least = text_describe("[grid]\nnx = 101\nny = 101\nlx = 1\nly = 1\n[material]\nconductivity = 1\n"
                        "[boundary]\nwest = 300\neast = 350\nsouth = insulated\nnorth = insulated\n");
  assert_string_equal(found, least);
  assert_non_null(strstr(found, " solver auto error 0.001 1000000 0 double auto 0 output heatsolve-output "
                                "yes yes yes yes yes \"\" inferno nan nan 0"));
  free(least);
  free(found);
  free(text);
}

/* Copies the printed default with its examples of named sections switched on, that is, without the "; ". */
static char *examples_switch_on(char *text)
{
  char *copy = malloc(strlen(text) + 1), *to = copy, *line, *rest = NULL, key[40];
  bool named = false;
  int end;
  assert_non_null(copy);
  for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    end = 0;
    if (line[0] == '[') named = false;
    named = named || strncmp(line, "; [", 3) == 0;
    if (named &&
        (strncmp(line, "; [", 3) == 0 || (sscanf(line, "; %39[a-z_0-9] =%n", key, &end) == 1 && end && line[2] != ' ')))
      line += 2;
    to += sprintf(to, "%s\n", line);
  }
  return copy;
}

static void default_examples_are_accepted(void **state)
{
  char *text = printed(hs_config_print_default), *copy = examples_switch_on(text), *found = text_describe(copy);
  (void)state;
  assert_non_null(strstr(found, " sources 1 (heater rectangle 0 0 0.4 0.6 0.4 0.6 1000)"));
  assert_non_null(strstr(found, " materials 2 ( 1 1 nan nan ) (steel 1 1 nan nan )"));
  assert_non_null(strstr(found, " shapes 1 (bar rectangle 0 0 0.4 0.6 0.4 0.6 material \"steel\" initial nan"));
  assert_non_null(strstr(found, " losses 1 (faces everywhere 0 0 0 0 0 0 10 300 0.01)"));
  assert_non_null(strstr(found, " boundaries 5 "));
  assert_non_null(strstr(found, " (top north convection 0.2..0.8 #300 - #10)"));
  assert_non_null(strstr(found, " probes 1 (centre point 0.5 0.5"));
  assert_non_null(strstr(found, " expects 1 (centre probe.centre 321.5 0.1 absolute"));
  free(found);
  free(copy);
  free(text);
}

/* Every key that the help lists stands in the printed default, active or as an example. */
enum { KEY_COLUMN = 20 }; /* of the help: what is allowed begins there */

static void default_has_every_key(void **state)
{
  static const char *const marks[] = {"\n", "\n; ", "\n;; "};
  char *help = printed(hs_config_print_help), *text = printed(hs_config_print_default), *line, *rest = NULL;
  bool in_table = false, found;
  int count = 0;
  size_t k;
  (void)state;
  for (line = strtok_r(help, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char key[40], wanted[60];
    in_table = in_table || line[0] == '[';
    if (!in_table || strncmp(line, "  ", 2) != 0 || line[2] == ' ' || strlen(line) <= KEY_COLUMN) continue;
    if (sscanf(line, "  %39[a-z_0-9]", key) != 1) continue;
    if (strspn(line + 2 + strlen(key), " ") != KEY_COLUMN - 2 - strlen(key)) continue; /* a sentence */
    for (k = 0, found = false; k < 3; k++) {
      snprintf(wanted, sizeof wanted, "%s%s =", marks[k], key);
      found = found || strstr(text, wanted);
    }
    if (!found) fail_msg("the printed default lacks %s", key);
    count++;
  }
  assert_true(count >= 100);
  free(text);
  free(help);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(help_lists_every_key),
      cmocka_unit_test(default_is_accepted),
      cmocka_unit_test(default_examples_are_accepted),
      cmocka_unit_test(default_has_every_key),
  };
  return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
