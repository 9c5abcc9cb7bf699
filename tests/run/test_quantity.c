/* Quantities of a result by their names. */
#include "answers/plate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/names.h"
#include "run/quantity.h"

/* A result about a mixed plate with probes, materials of given density, and a history. */
struct ground {
  struct plate plate;
  struct hs_check history[2];
  struct hs_result result;
};

static void ground_create(struct ground *ground)
{
  struct plate *plate = &ground->plate;
  memset(ground, 0, sizeof *ground);
  plate_mixed(plate, HS_LAYOUT_VERTEX);
  plate->materials[0].density_kg_m3 = 2.0;
  plate->materials[1].density_kg_m3 = 3.0;
  plate_line(plate, "L", 0.0, 0.4, 1.0, 0.4, 5);
  plate_point(plate, "A", 0.5, 0.4, "");
  plate_point(plate, "A.2", 0.6, 0.4, "");
  plate_point(plate, "L.1", 0.7, 0.4, "");
  plate_solve(plate);
  ground->history[0] = (struct hs_check){.sweeps = 1, .norms.update_max = 7.0};
  ground->history[1] = (struct hs_check){.sweeps = 101, .norms.update_max = 3.0};
  ground->result.config = &plate->config;
  ground->result.problem = &plate->problem;
  ground->result.answers = plate_answers(plate);
  ground->result.outcome.sweeps = 500;
  ground->result.outcome.history = ground->history;
  ground->result.outcome.history_count = 2;
  ground->result.outcome.error_estimate_k = NAN;
}

static void ground_clear(struct ground *ground)
{
  hs_answers_clear(&ground->result.answers);
  plate_destroy(&ground->plate);
}

static void assert_quantity(const struct hs_result *result, const char *path, double wanted)
{
  double value = -1e300;
  if (!hs_result_quantity(result, path, &value)) fail_msg("%s is not known", path);
  if (!test_same(value, wanted)) fail_msg("%s is %.17g, not %.17g", path, value, wanted);
}

static void quantities_are_found_by_name(void **state)
{
  struct ground ground;
  const struct hs_answers *answers = &ground.result.answers;
  (void)state;
  ground_create(&ground);
  assert_quantity(&ground.result, "probe.A", answers->probes[1].temperature_k[0]);
  assert_quantity(&ground.result, "probe.A.2", answers->probes[2].temperature_k[0]);
  assert_quantity(&ground.result, "probe.L.3", answers->probes[0].temperature_k[3]);
  assert_quantity(&ground.result, "probe.L.1", answers->probes[3].temperature_k[0]); /* the point's own name */
  assert_quantity(&ground.result, "side.east", answers->balance.side_w_m[HS_EAST]);
  assert_quantity(&ground.result, "side.east.mean", answers->balance.side_w_m[HS_EAST] / 0.8);
  assert_quantity(&ground.result, "surface.north.mean", answers->surface_w_m[HS_NORTH] / 1.0);
  assert_quantity(&ground.result, "surface.pipe", answers->surface_w_m[4]);
  assert_quantity(&ground.result, "shape.pipe.out", answers->region_out_w_m[0]);
  assert_quantity(&ground.result, "material.wood.mean", answers->materials[1].mean_k);
  assert_quantity(&ground.result, "material.background.area", answers->materials[0].area_m2);
  assert_quantity(&ground.result, "source", answers->balance.source_w_m);
  assert_quantity(&ground.result, "imbalance", answers->balance.imbalance_relative);
  assert_quantity(&ground.result, "max", 350.0);
  ground.result.answers.minimum_at_m[0] = 0.1;
  ground.result.answers.minimum_at_m[1] = 0.2;
  ground.result.answers.maximum_at_m[0] = 0.3;
  ground.result.answers.maximum_at_m[1] = 0.4;
  assert_quantity(&ground.result, "min.x", 0.1);
  assert_quantity(&ground.result, "min.y", 0.2);
  assert_quantity(&ground.result, "max.x", 0.3);
  assert_quantity(&ground.result, "max.y", 0.4);
  assert_quantity(&ground.result, "sweeps", 500.0);
  assert_quantity(&ground.result, "stop_index", 499.0);
  assert_quantity(&ground.result, "history.update_max.0", 7.0);
  assert_quantity(&ground.result, "history.update_max.100", 3.0);
  assert_quantity(&ground.result, "error_estimate", NAN);
  ground_clear(&ground);
}

static void segments_of_one_name_count_together(void **state)
{
  struct ground ground;
  const double *surface_w_m;
  (void)state;
  ground_create(&ground);
  surface_w_m = ground.result.answers.surface_w_m;
  ground.plate.surfaces[HS_EAST].name = "west";
  assert_quantity(&ground.result, "surface.west", surface_w_m[HS_WEST] + surface_w_m[HS_EAST]);
  assert_quantity(&ground.result, "surface.west.mean", (surface_w_m[HS_WEST] + surface_w_m[HS_EAST]) / (0.8 + 0.8));
  ground_clear(&ground);
}

static void mass_times_temperature_is_summed_over_materials(void **state)
{
  struct ground ground;
  const struct hs_material_answer *materials;
  double value;
  (void)state;
  ground_create(&ground);
  materials = ground.result.answers.materials;
  assert_true(hs_result_quantity(&ground.result, "mass_temperature", &value));
  test_near("mass times temperature", value, 2.0 * 0.6 * materials[0].mean_k + 3.0 * 0.2 * materials[1].mean_k, 1e-9);
  assert_quantity(&ground.result, "material_integral.density", value);
  ground_clear(&ground);
}

static void other_names_are_unknown(void **state)
{
  static const char *const unknown[] = {"",
                                        "status",
                                        "probe",
                                        "probe.",
                                        "probe.C",
                                        "probe.L",
                                        "probe.L.5",
                                        "probe.L.-1",
                                        "probe.L.x",
                                        "side.up",
                                        "side",
                                        "surface.x",
                                        "surface.pipe.mean",
                                        "side.mean",
                                        "material.x.mean",
                                        "material.wood",
                                        "material.wood.mode",
                                        "shape.pipe",
                                        "shape.x.out",
                                        "history.update_max.5",
                                        "history.update_max.",
                                        "time",
                                        "minimum"};
  struct ground ground;
  double value;
  (void)state;
  ground_create(&ground);
  for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
    if (hs_result_quantity(&ground.result, unknown[k], &value)) fail_msg("\"%s\" is a quantity", unknown[k]);
  ground_clear(&ground);
}

static void time_has_quantities_of_its_own(void **state)
{
  struct ground ground;
  (void)state;
  ground_create(&ground);
  ground.plate.config.time.scheme = HS_SCHEME_EXPLICIT;
  ground.result.transient.time_s = 2.5;
  ground.result.transient.steps = 40;
  ground.result.transient.sweeps = 41;
  assert_quantity(&ground.result, "time", 2.5);
  assert_quantity(&ground.result, "steps", 40.0);
  assert_quantity(&ground.result, "sweeps", 41.0);
  ground_clear(&ground);
}

/* Is `word` one of the words of HS_QUANTITY_NAMES? */
static bool is_listed(const char *word)
{
  static const char names[] = HS_QUANTITY_NAMES;
  const size_t length = strlen(word);
  for (const char *at = names; (at = strstr(at, word)) != NULL; at++)
    if (strchr(" ,;.", at[length]) && (at == names || strchr(" ,;.", at[-1]))) return true;
  return false;
}

/* Every number has a name of those that help lists: the parts that are not names of sections or numbers are there. */
static bool is_documented(void *context, const char *name, double value)
{
  static const char *const sections[] = {"pipe", "background", "wood", "A", "L"};
  char copy[80], *rest = copy;
  int *count = context;
  (void)value;
  snprintf(copy, sizeof copy, "%s", name);
  for (const char *part; (part = strsep(&rest, ".")) != NULL;) {
    bool free_word = strspn(part, "0123456789") == strlen(part);
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) free_word = free_word || !strcmp(part, sections[k]);
    if (!free_word && !is_listed(part)) fail_msg("%s is not among the names of help: %s", name, part);
  }
  ++*count;
  return true;
}

static void all_quantities_are_in_the_help(void **state)
{
  struct ground ground;
  int count = 0;
  (void)state;
  ground_create(&ground);
  ground.plate.config.time.scheme = HS_SCHEME_EXPLICIT;
  hs_result_quantities(&ground.result, is_documented, &count);
  assert_int_equal(count, 15 + 6 + 3 + 2 * 4 + 2 * 4 + 1 + 1 + 3 + 5 + 2 * 4 + 2 + 2);
  ground_clear(&ground);
}

static void assert_near_name(const struct hs_result *result, const char *path, const char *wanted)
{
  char *near = hs_result_quantity_near(result, path);
  if (wanted ? !near || strcmp(near, wanted) != 0 : near != NULL)
    fail_msg("near %s is %s", path, near ? near : "nothing");
  free(near);
}

static void a_misspelt_name_has_a_near_one(void **state)
{
  struct ground ground;
  (void)state;
  ground_create(&ground);
  assert_near_name(&ground.result, "cnter", "center");
  assert_near_name(&ground.result, "side.eats", "side.east");
  assert_near_name(&ground.result, "material.wod.mean", "material.wood.mean");
  assert_near_name(&ground.result, "enthalpy", NULL);
  ground_clear(&ground);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantities_are_found_by_name),
      cmocka_unit_test(segments_of_one_name_count_together),
      cmocka_unit_test(mass_times_temperature_is_summed_over_materials),
      cmocka_unit_test(other_names_are_unknown),
      cmocka_unit_test(time_has_quantities_of_its_own),
      cmocka_unit_test(all_quantities_are_in_the_help),
      cmocka_unit_test(a_misspelt_name_has_a_near_one),
  };
  return cmocka_run_group_tests_name("quantity", tests, NULL, NULL);
}
