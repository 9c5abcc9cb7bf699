/* A result made by hand; see fixture.h. */
#include "output/fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#include "folder.h"

/* A drawing of one material; make_two_materials makes it two. */
static void fill_problem(struct fixture *fixture)
{
  struct hs_problem *problem = &fixture->problem;
  int m;
  fixture->config.grid.nx = NX;
  fixture->config.grid.ny = NY;
  fixture->config.grid.dx_m = 0.25;
  fixture->config.grid.dy_m = 0.1;
  fixture->config.grid.lx_m = (NX - 1) * 0.25;
  fixture->config.grid.ly_m = (NY - 1) * 0.1;
  fixture->config.materials = fixture->config_materials;
  fixture->config.material_count = 1;
  for (m = 0; m < 2; m++) {
    fixture->config_materials[m] = (struct hs_config_material){.name = (char *)(m ? "w\xc3\xa4rmer" : ""),
                                                               .conductivity_x_w_mk = 1.0,
                                                               .conductivity_y_w_mk = 1.0,
                                                               .density_kg_m3 = NAN,
                                                               .heat_capacity_j_kgk = NAN,
                                                               .color = (char *)""};
    fixture->materials[m] = (struct hs_material){.name = fixture->config_materials[m].name,
                                                 .conductivity_x_w_mk = 1.0,
                                                 .conductivity_y_w_mk = 1.0,
                                                 .density_kg_m3 = NAN,
                                                 .capacity_j_m3k = NAN};
    fixture->classes[m].material = m;
    fixture->material_answers[m] = (struct hs_material_answer){0.3, 273.4, 273.0, 274.0};
  }
  problem->config = &fixture->config;
  problem->nx = problem->grid_nx = NX;
  problem->ny = problem->grid_ny = NY;
  problem->dx_m = 0.25;
  problem->dy_m = 0.1;
  problem->lx_m = fixture->config.grid.lx_m;
  problem->ly_m = fixture->config.grid.ly_m;
  problem->cells_x = problem->grid_cells_x = NX - 1;
  problem->cells_y = problem->grid_cells_y = NY - 1;
  problem->materials = fixture->materials;
  problem->material_count = 1;
  problem->cell = fixture->cell;
  problem->classes = fixture->classes;
  problem->class_count = 2;
  fixture->result.problem = problem;
  fixture->result.answers.materials = fixture->material_answers;
}

void fixture_make_two_materials(struct fixture *fixture)
{
  int c;
  fixture->config.material_count = fixture->problem.material_count = 2;
  for (c = 0; c < (NY - 1) * (NX - 1); c++) fixture->cell[c] = c >= (NY - 1) / 2 * (NX - 1);
}

void fixture_fill(struct fixture *fixture)
{
  struct hs_result *result = &fixture->result;
  int k;
  memset(fixture, 0, sizeof *fixture);
  fill_problem(fixture);
  fixture->config.path = (char *)"plate.ini";
  fixture->config.text = (char *)"[grid]\nnx = 7\n# W\xc3\xa4rme\n";
  fixture->config.solver.criterion = HS_CRITERION_UPDATE_L2;
  fixture->config.solver.tolerance = 1e-4;
  fixture->config.solver.max_iterations = 100000;
  result->check_every = 10;
  fixture->config.output.directory = (char *)test_folder();
  fixture->config.output.title = (char *)"A <plate>";
  fixture->config.output.colormap = (char *)"viridis";
  fixture->config.solver.balance_tolerance = 0.01;
  fixture->config.time.snapshot_every_s = fixture->config.time.step_s = NAN;
  fixture->config.output.unit = (char *)"K";
  fixture->config.output.range_min_k = fixture->config.output.range_max_k = NAN;
  for (k = 0; k < NY * NX; k++) fixture->field_k[k] = 273.15 + 1.0 / (k + 3.0);
  for (k = 0; k < CHECKS; k++) {
    fixture->history[k].sweeps = 10 * (k + 1);
    fixture->history[k].norms =
        (struct hs_norms){pow(10.0, -k), 0.5 * pow(10.0, -k), NAN, NAN, 0.25 * pow(10.0, -k), NAN};
    fixture->history[k].residual_relative = NAN;
    fixture->history[k].error_estimate_k = k == 0 ? NAN : 3.0 * pow(10.0, -k);
  }
  result->config = &fixture->config;
  result->nx = NX;
  result->ny = NY;
  result->dx_m = 0.25;
  result->dy_m = 0.1;
  result->field_k = fixture->field_k;
  result->outcome.verdict = HS_VERDICT_CONVERGED;
  result->outcome.sweeps = 30;
  result->outcome.norms = fixture->history[CHECKS - 1].norms;
  result->outcome.residual_relative = NAN;
  result->outcome.residual_initial_l2 = 2.0;
  result->outcome.error_estimate_k = 0.03;
  result->outcome.estimate_converged = true;
  result->outcome.convergence_rate = 0.25;
  result->outcome.exact_stop = true;
  result->outcome.history = fixture->history;
  result->outcome.history_count = CHECKS;
  result->answers.balance = (struct hs_balance){.side_w_m = {1.0, -2.0, 3.0, -4.0},
                                                .source_w_m = 2.5,
                                                .in_w_m = 6.5,
                                                .out_w_m = 6.0,
                                                .imbalance_relative = 0.5 / 6.5};
  result->answers.minimum_k = 273.0;
  result->answers.maximum_k = 274.0;
  result->answers.mean_k = 273.4;
  result->answers.center_k = 0.1;
  result->answers.content_j_m = NAN;
  result->backend = "cpu-reference";
  snprintf(result->place.device, sizeof result->place.device, "a \"quoted\" device");
  result->place.threads = 1;
  result->time_total_s = 1.5;
  result->time_solve_s = INFINITY;
  snprintf(result->started_utc, sizeof result->started_utc, "2026-01-31T12:00:00Z");
}

void fixture_make_transient(struct fixture *fixture)
{
  fixture->config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  fixture->config.time.end_s = 4.0;
  fixture->config.time.snapshot_every_s = 1.0;
  fixture->config.output.field = true;
}

hs_status fixture_take(struct hs_snapshots *snapshots, const struct fixture *fixture, int k, struct hs_error *err)
{
  const struct hs_snapshot_taker taker = hs_snapshots_taker(snapshots);
  double field_k[NY * NX];
  const struct hs_snapshot snapshot = {.time_s = k, .steps = 10 * k, .field_k = field_k};
  int n;
  for (n = 0; n < NY * NX; n++) field_k[n] = fixture->field_k[n] + k;
  return taker.take(taker.context, &snapshot, err);
}

void fixture_take_all(const struct fixture *fixture, int count)
{
  struct hs_error err = {HS_OK, ""};
  struct hs_snapshots *snapshots = NULL;
  int k;
  if (hs_snapshots_create(&fixture->problem, "", &snapshots, &err)) fail_msg("%s", err.text);
  assert_non_null(snapshots);
  for (k = 0; k < count; k++)
    if (fixture_take(snapshots, fixture, k, &err)) fail_msg("%s", err.text);
  if (hs_snapshots_finish(snapshots, &err)) fail_msg("%s", err.text);
  hs_snapshots_destroy(snapshots);
}

void assert_text_attribute(hid_t object, const char *name, const char *expected)
{
  char *value = NULL;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type;
  if (attribute < 0) fail_msg("no attribute %s", name);
  type = H5Aget_type(attribute);
  assert_true(H5Tis_variable_str(type) > 0);
  assert_int_equal(H5Tget_cset(type), H5T_CSET_UTF8);
  assert_true(H5Aread(attribute, type, &value) >= 0);
  assert_string_equal(value, expected);
  H5free_memory(value);
  H5Tclose(type);
  H5Aclose(attribute);
}

int fixture_set_up(void **state)
{
  (void)state;
  return test_folder_create("output");
}

int fixture_tear_down(void **state)
{
  (void)state;
  (void)umount2(test_folder(), MNT_DETACH); /* left by a test that failed on its full disk */
  return test_folder_remove_all();
}
