/* Which configurations describe the same problem, and by which keys they differ. */
#include "folder.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/identity.h"

static int folder_create(void **state)
{
  (void)state;
  return test_folder_create("identity");
}

static int folder_remove(void **state)
{
  (void)state;
  return test_folder_remove_all() < 0 ? -1 : 0;
}

/* The identity of a text with overrides; NULL ends them. */
static char *identity_of(const char *text, const char *const *overrides)
{
  struct hs_config *config = NULL;
  struct hs_error err = {0};
  char *identity;
  int count = 0;
  while (overrides[count]) count++;
  test_file_put(test_folder_path("a.ini"), text);
  test_ok(hs_config_read(test_folder_path("a.ini"), overrides, count, &config, &err), &err);
  identity = hs_config_identity(config, &err);
  assert_non_null(identity);
  hs_config_destroy(config);
  return identity;
}

static const char PLATE[] =
    "[grid]\nnx = 11\nny = 21\nlx = 1\nly = 2\n"
    "[material]\nconductivity = 50\ndensity = 1\nheat_capacity = 2\n"
    "[material steel]\nconductivity = 15\ndensity = 7\nheat_capacity = 3\n"
    "[shape bar]\nshape = rectangle\nx0 = 0.1\nx1 = 0.4\ny0 = 0.1\ny1 = 1\nmaterial = steel\n"
    "[source spot]\nshape = circle\nx = 0.5\ny = 0.5\nradius = 0.2\npower = 4\n"
    "[boundary]\nwest = 1\neast = 2 + y\nsouth = insulated\nnorth = 4\n"
    "[boundary lid]\nside = north\nfrom = 0.2\nto = 0.5\nkind = convection\nh = 5\nambient = 3\n"
    "[probe tip]\nx = 0.3\ny = 0.4\n";

static void what_changes_no_answer_is_no_difference(void **state)
{
  static const char *const same[][3] = {
      {"solver.backend=cpu-reference", "solver.threads=3", NULL},
      {"solver.max_iterations=7", "solver.device_memory=1 GB", NULL},
      {"output.directory=elsewhere", "output.isotherms=3", NULL},
      {"run.restart=auto", "run.checkpoint_every=5", NULL},
      {"boundary.west=1.0", "material.color=#ff0000", NULL},
      {"probe tip.x=0.5", NULL, NULL}, /* of a steady run */
  };
  const char *const step[] = {"time.scheme=explicit", "time.end=9", "time.step=0.5", NULL};
  const char *const steps[] = {"time.scheme=explicit", "time.end=9", "time.steps=18", NULL};
  const char *const none[] = {NULL};
  char *first = identity_of(PLATE, none), *second;
  (void)state;
  for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
    char list[400], *other = identity_of(PLATE, same[k]);
    hs_config_identity_differences(first, other, list, sizeof list);
    assert_string_equal(list, "");
    assert_string_equal(first, other);
    free(other);
  }
  free(first);
  first = identity_of(PLATE, step);
  second = identity_of(PLATE, steps);
  assert_string_equal(first, second);
  free(second);
  free(first);
}

/* It belongs to the problem where steps are damped, and nowhere else. */
static void damped_steps_count_where_there_are_some(void **state)
{
  static const char *const crank_nicolson = "time.scheme=crank_nicolson", *const end = "time.end=9";
  const char *const damped[] = {crank_nicolson, end, "time.step=1", NULL};
  const char *const more[] = {crank_nicolson, end, "time.step=1", "time.damped_steps=3", NULL};
  const char *const none[] = {crank_nicolson, end, "time.step=1", "time.damped_steps=0", NULL};
  const char *const euler[] = {"time.scheme=backward_euler", end, "time.step=1", NULL};
  char list[200], *here = identity_of(PLATE, damped), *there = identity_of(PLATE, more);
  (void)state;
  hs_config_identity_differences(here, there, list, sizeof list);
  assert_string_equal(list, "time.damped_steps (2 here, 3 there)");
  free(here);
  free(there);
  here = identity_of(PLATE, none);
  there = identity_of(PLATE, euler);
  assert_null(strstr(here, "damped"));
  assert_null(strstr(there, "damped"));
  free(here);
  free(there);
}

static void differences_are_named(void **state)
{
  static const struct {
    const char *override, *difference;
  } cases[] = {
      {"grid.ny=31", "grid.ny (21 here, 31 there), grid.dy ("},
      {"solver.precision=single", "solver.precision (double here, single there)"},
      {"boundary.east=2 + x", "boundary.east (2 + y here, 2 + x there)"},
      {"boundary lid.h=6", "boundary lid.h (5 here, 6 there)"},
      {"shape bar.x1=0.5", "shape bar.x1 (0.40000000000000002 here, 0.5 there)"},
      {"material steel.conductivity=16", "material steel.conductivity (15 here, 16 there)"},
      {"source spot.power=5", "source spot.power (4 here, 5 there)"},
      {"time.scheme=explicit", "time.scheme (steady here, explicit there)"},
  };
  const char *const none[] = {NULL};
  char *here = identity_of(PLATE, none);
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const char *const overrides[] = {cases[k].override, k == 7 ? "time.end=1" : NULL, NULL};
    char list[1000], *there = identity_of(PLATE, overrides);
    hs_config_identity_differences(here, there, list, sizeof list);
    if (!strstr(list, cases[k].difference)) fail_msg("wanted \"%s\", got \"%s\"", cases[k].difference, list);
    free(there);
  }
  free(here);
}

/* Sides without a key have no place among those that have one: sections keep their names. */
static void sections_on_sides_without_a_key_are_named(void **state)
{
  static const char walls[] = "[grid]\nnx = 11\nny = 21\nlx = 1\nly = 2\n[material]\nconductivity = 50\n"
                              "[boundary]\nsouth = insulated\nnorth = 4\n"
                              "[boundary room]\nside = west\nkind = convection\nh = 5 + y\nambient = 20\n"
                              "[boundary outdoors]\nside = east\nkind = flux\nflux = 3\n";
  static const struct {
    const char *override, *difference;
  } cases[] = {{"boundary room.h=5 + 2 * y", "boundary room.h (5 + y here, 5 + 2 * y there)"},
               {"boundary room.ambient=19", "boundary room.ambient (20 here, 19 there)"},
               {"boundary outdoors.flux=2", "boundary outdoors.flux (3 here, 2 there)"},
               {"boundary.north=5", "boundary.north (4 here, 5 there)"},
               {"boundary.south=5", "boundary.south (insulated here, 5 there)"}};
  const char *const none[] = {NULL};
  char *here = identity_of(walls, none);
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const char *const overrides[] = {cases[k].override, NULL};
    char list[400], *there = identity_of(walls, overrides);
    hs_config_identity_differences(here, there, list, sizeof list);
    assert_string_equal(list, cases[k].difference);
    free(there);
  }
  free(here);
}

/* A key of one side only, and a list that is too short for all. */
static void what_is_absent_is_said(void **state)
{
  char list[200];
  (void)state;
  hs_config_identity_differences("a = 1\nb = 2\n", "a = 1\nc = 3\n", list, sizeof list);
  assert_string_equal(list, "b (2 here, absent there), c (absent here, 3 there)");
  hs_config_identity_differences("a = 1\n" HS_IDENTITY_CONTENTS " = f\n", "a = 2\n" HS_IDENTITY_CONTENTS " = e\n", list,
                                 sizeof list);
  assert_string_equal(list, "a (1 here, 2 there)");
  hs_config_identity_differences("a = 1\n" HS_IDENTITY_CONTENTS " = f\n", "a = 1\n" HS_IDENTITY_CONTENTS " = e\n", list,
                                 sizeof list);
  assert_string_equal(list, HS_IDENTITY_CONTENTS " (f here, e there)");
  hs_config_identity_differences("a = 1\nb = 2\nc = 3\n", "", list, 40);
  assert_string_equal(list, "a (1 here, absent there), ...");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_changes_no_answer_is_no_difference),
      cmocka_unit_test(damped_steps_count_where_there_are_some),
      cmocka_unit_test(differences_are_named),
      cmocka_unit_test(sections_on_sides_without_a_key_are_named),
      cmocka_unit_test(what_is_absent_is_said),
  };
  return cmocka_run_group_tests_name("identity", tests, folder_create, folder_remove);
}
