/* Overrides: values that stand beside a file and win over it. */
#include "config/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Overrides of SMALL_FILE, and a part of the values or (first character '!') of the refusal. */
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
    {{"grid.nx=abc"}, "!grid.nx=abc: [grid] nx: \"abc\" is not an integer. Allowed: integer 2..1000000, in nodes."},
    {{"grid.nx=1"}, "!grid.nx=1: [grid] nx: \"1\" is out of range"},
    {{"grid.nz=1"}, "!grid.nz=1: unknown key \"nz\" in [grid]"},
    {{"gird.nx=5"}, "!gird.nx=5: unknown section [gird]; did you mean [grid]?"},
    {{"spot.i=7"}, "!spot.i=7: unknown section [spot]; did you mean [source spot]?"},
    {{"source.spot.i=7"}, "!source.spot.i=7: unknown section [source.spot]; did you mean [source spot]?"},
    {{"grid.nx"}, "!--set grid.nx: write SECTION.KEY=VALUE, in quotes where"},
    {{"nx=5"}, "!--set nx=5: write SECTION.KEY=VALUE"},
    {{""}, "!--set : write SECTION.KEY=VALUE"},
    {{".=5"}, "!write SECTION.KEY=VALUE"},
    {{"output.title=a\nb"}, "!not one line of UTF-8"},
    {{"output.title=\xff"}, "!not one line of UTF-8"},
    {{"grid.lx=5", "grid.dx=1"}, "!grid.dx=1: [grid] has both lx"},
    {{"grid.nx=3"}, "!:15: [source spot] i = 3 lies outside the grid, which has nx = 3 nodes"},
    {{"source spot.i=11"}, "!source spot.i=11: [source spot] i = 11 lies outside"},
    {{"source spot.x0=0"}, "!source spot.x0=0: [source spot] has the key \"x0\", which a source of shape \"node\""},
    {{"source new.shape=everywhere"},
     "!source new.shape=everywhere: [source new] has neither density (heat released per volume; negative for a "
     "sink; number, in W/m3) nor power ("},
    {{"source.shape=node"}, "!source.shape=node: a source needs a name"},
    {{"output.range_max=1", "output.range_min=2"}, "!output.range_min=2: [output] range_max = 1 must be greater"},
};

static void overrides_replace_and_add(void **state)
{
  char *name = file_create(SMALL_FILE);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(overrides_replace_and_add),
      cmocka_unit_test(overrides_supply_missing_keys),
  };
  return cmocka_run_group_tests_name("override", tests, NULL, NULL);
}
