/* Tables of the answers: they hold them to the last bit. */
#include "output/sample.h"

#include <stdio.h>
#include <stdlib.h>

#include "folder.h"
#include "output/report/answers_csv.h"

/* The content of a file, to be freed; NULL when there is none. */
static char *content(const char *name)
{
  FILE *in = fopen(test_folder_path(name), "r");
  char *text = calloc(1, 1 << 16);
  assert_non_null(text);
  if (!in) {
    free(text);
    return NULL;
  }
  assert_true(fread(text, 1, (1 << 16) - 1, in) > 0);
  fclose(in);
  return text;
}

static int lines_of(const char *text)
{
  int lines = 0;
  for (; *text; text++) lines += *text == '\n';
  return lines;
}

static void csv_holds_the_answers(void **state)
{
  struct sample sample;
  struct hs_error err = {HS_OK, ""};
  char *text, wanted[256];
  (void)state;
  sample_create(&sample);
  assert_int_equal(hs_answers_csv_count(sample.result.config, sample.result.series.count > 0), 4);
  test_ok(hs_answers_csv_write(&sample.result, test_folder(), &err), &err);
  text = content("probes.csv");
  assert_int_equal(lines_of(text), 3);
  snprintf(wanted, sizeof wanted, "name,x_m,y_m,temperature\nA,0.75,0.25,%.17g\n\"a \"\"b\"\", c\",%.17g,%.17g,%.17g\n",
           sample.result.answers.probes[0].temperature_k[0], 0.33, 0.4,
           sample.result.answers.probes[2].temperature_k[0]);
  assert_string_equal(text, wanted);
  free(text);
  text = content("heat.csv");
  assert_int_equal(lines_of(text), 6);
  snprintf(wanted, sizeof wanted, "\npipe,,held,%.17g\n", sample.result.answers.surface_w_m[4]);
  assert_says(text, wanted);
  assert_says(text, "\neast,east,convection,-");
  assert_says(text, "\nsouth,south,insulated,0\n");
  free(text);
  text = content("line-cut.csv");
  assert_int_equal(lines_of(text), 4);
  assert_says(text, "distance_m,x_m,y_m,temperature\n0,0,");
  free(text);
  text = content("materials.csv");
  assert_says(text, "\nwool,0.25,");
  free(text);
  assert_null(content("series.csv"));
  sample_make_transient(&sample);
  test_ok(hs_answers_csv_write(&sample.result, test_folder(), &err), &err);
  text = content("series.csv");
  assert_int_equal(lines_of(text), 4);
  assert_says(text, "time_s,min,max,mean,content_j_m,probe A,probe cut,\"probe a \"\"b\"\", c\",heat_w_m west,");
  assert_says(text, "\n2,6.56"); /* time, min */
  free(text);
  sample_destroy(&sample);
}

static void csv_names_are_safe_and_different(void **state)
{
  static const char *const names[] = {"../x", ".._x", "A b", "a B"};
  static const char *const wanted[] = {"line-.._x.csv", "line-.._x-(2).csv", "line-A_b.csv", "line-a_B-(2).csv"};
  struct sample sample;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  sample_create(&sample);
  sample.plate.config.probe_count = 0;
  for (int k = 0; k < 4; k++) plate_line(&sample.plate, names[k], 0.0, 0.0, 1.0, 0.5, 2);
  assert_int_equal(hs_answers_csv_count(sample.result.config, sample.result.series.count > 0), 6);
  for (int k = 0; k < 4; k++) {
    char *name = hs_answers_csv_name(sample.result.config, 2 + k, &err);
    assert_string_equal(name, wanted[k]);
    free(name);
  }
  sample_destroy(&sample);
}

static void csv_tells_where_it_cannot_write(void **state)
{
  struct sample sample;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  sample_create(&sample);
  assert_int_equal(hs_answers_csv_write(&sample.result, "/dev/null/no", &err), HS_ERR_IO);
  assert_says(err.text, "/dev/null/no/heat.csv");
  sample_destroy(&sample);
}

static int folder_create(void **state)
{
  (void)state;
  return test_folder_create("csv");
}

static int folder_remove(void **state)
{
  static const char *const files[] = {"probes.csv", "heat.csv", "line-cut.csv", "series.csv", "materials.csv", NULL};
  (void)state;
  return test_folder_remove(files);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(csv_holds_the_answers),
      cmocka_unit_test(csv_names_are_safe_and_different),
      cmocka_unit_test(csv_tells_where_it_cannot_write),
  };
  return cmocka_run_group_tests_name("answers_csv", tests, folder_create, folder_remove);
}
