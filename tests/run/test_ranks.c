/* A run by many ranks: the field, the sweeps and steps, and every number are those of one rank; and all ranks end together where
 * one of them is asked to. Ranks are threads; under mpirun (tests/run/overlapped.sh) they are its processes, which overlap their
 * exchanges by a thread each. */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/distributed/distributed.h"
#include "comm/ranks.h"
#include "folder.h"
#include "problem/parts.h"
#include "run/job.h"
#include "run/quantity.h"
#include "support.h"

static struct hs_comm *launched; /* the ranks that mpirun has started; NULL: it has not */

enum { NX = 109, NY = 105, RANKS_MOST = 6, NUMBERS_MOST = 200 };

/* The last ranks are asked to stop when they have been shown the run so many times; 0: never. */
struct asked {
  int after;
  int shown;
  volatile sig_atomic_t stop;
};

struct numbers {
  char name[NUMBERS_MOST][64];
  double value[NUMBERS_MOST];
  int count;
};

struct trial {
  const struct hs_config *config;
  struct hs_result alone;
  struct numbers numbers;
  int stop_after, stop_rank;
  bool overlapped;      /* exchanges are, whatever they cost */
  int parts_x, parts_y; /* of one process; 0: as ranks say */
  int64_t stopped_at[RANKS_MOST];
  double stopped_s[RANKS_MOST];
};

/* --- one run ------------------------------------------------------------------------------------- */

static void shown(void *context, const struct hs_solve_progress *progress)
{
  struct asked *asked = context;
  (void)progress;
  asked->shown++;
  if (asked->after && asked->shown >= asked->after) asked->stop = 1;
}

static void run(const struct trial *trial, struct hs_comm *comm, struct asked *asked, struct hs_job *job,
                struct hs_result *result)
{
  const struct hs_solve_observer observer = {shown, asked, &asked->stop};
  struct hs_error err = {0};
  hs_status status = hs_job_prepare(trial->config, comm, job, &err);
  const struct hs_backend *backend = job->backend;
  job->options.testing.overlap = trial->overlapped;
  job->options.testing.whole_nodes = 300; /* multigrid has more than one level in parts */
  if (trial->parts_x > 0) {
    job->options.testing.parts = hs_distributed_whole(job->system);
    job->options.testing.parts.count_x = trial->parts_x;
    job->options.testing.parts.count_y = trial->parts_y;
    job->options.testing.parts.ghost = 5;
    backend = hs_distributed_of(backend);
  }
  memset(result, 0, sizeof *result);
  if (!status) status = hs_job_run(job, backend, &observer, NULL, result, &err);
  if (!status) return;
  fprintf(stderr, "%s\n", err.text);
  abort();
}

static bool number_take(void *context, const char *name, double value)
{
  struct numbers *numbers = context;
  if (numbers->count == NUMBERS_MOST) return false;
  snprintf(numbers->name[numbers->count], sizeof numbers->name[0], "%.63s", name);
  numbers->value[numbers->count++] = value;
  return true;
}

/* --- comparisons --------------------------------------------------------------------------------- */

static bool same(double a, double b)
{
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void require_fields(struct hs_comm *comm, const struct hs_problem *p, const double *here, const double *alone)
{
  for (int j = p->own.y0; j < p->own.y0 + p->own.ny; j++)
    for (int i = p->own.x0; i < p->own.x0 + p->own.nx; i++)
      test_rank_require(comm, same(here[j * p->nx + i], alone[(p->first_y + j) * p->grid_nx + p->first_x + i]));
}

static void require_numbers(struct hs_comm *comm, const struct hs_result *result, const struct numbers *alone)
{
  struct numbers here = {.count = 0};
  hs_result_quantities(result, number_take, &here);
  test_rank_require(comm, here.count == alone->count);
  for (int k = 0; k < here.count; k++) {
    if (!same(here.value[k], alone->value[k]))
      fprintf(stderr, "%s: %.17g among ranks, %.17g alone\n", here.name[k], here.value[k], alone->value[k]);
    test_rank_require(comm, same(here.value[k], alone->value[k]));
  }
}

static void whole_body(struct hs_comm *comm, void *context)
{
  const struct trial *trial = context;
  struct asked asked = {0};
  struct hs_job job;
  struct hs_result result;
  run(trial, comm, &asked, &job, &result);
  test_rank_require(comm, !trial->overlapped || strstr(result.place.device, "overlapped"));
  if (launched) fprintf(stderr, "# rank %d of %s\n", hs_comm_rank(comm), result.place.device);
  test_rank_require(comm, result.method == trial->alone.method);
  test_rank_require(comm, hs_result_verdict(&result) == hs_result_verdict(&trial->alone));
  test_rank_require(comm, hs_result_sweeps(&result) == hs_result_sweeps(&trial->alone));
  test_rank_require(comm, result.transient.steps == trial->alone.transient.steps);
  test_rank_require(comm, result.transient.rejected_steps == trial->alone.transient.rejected_steps);
  require_numbers(comm, &result, &trial->numbers);
  require_fields(comm, job.problem, result.field_k, trial->alone.field_k);
  hs_result_clear(&result);
  hs_job_clear(&job);
}

static void compare_so(const char *what, const struct hs_config *config, bool overlapped)
{
  static const int sizes[] = {2, 6, 3, 4};
  static size_t turn;
  const size_t every = (size_t)test_every(4), first = turn++ % every;
  struct trial trial = {.config = config, .overlapped = overlapped};
  struct asked asked = {0};
  struct hs_job job;
  run(&trial, NULL, &asked, &job, &trial.alone);
  hs_result_quantities(&trial.alone, number_take, &trial.numbers);
  fprintf(stderr, "# %s: %lld sweeps\n", what, (long long)hs_result_sweeps(&trial.alone));
  assert_true(hs_verdict_is_final(hs_result_verdict(&trial.alone)));
  if (launched) whole_body(launched, &trial);
  for (size_t k = first; !launched && k < sizeof sizes / sizeof *sizes; k += every)
    test_ranks_run(sizes[k], whole_body, &trial);
  for (int parts = 1 + (int)first; !launched && !overlapped && parts < 4; parts += (int)every) {
    trial.parts_x = 1 + parts % 2;
    trial.parts_y = 1 + parts / 2;
    whole_body(hs_comm_alone(), &trial);
  }
  hs_result_clear(&trial.alone);
  hs_job_clear(&job);
}

static void compare(const char *what, const struct hs_config *config)
{
  compare_so(what, config, false);
}

/* --- problems ------------------------------------------------------------------------------------ */

static struct hs_config_region disc;
static struct hs_config_source spot;
static struct hs_config_probe probes[3];

/* A plate with walls of several kinds, a disc of another material, a source and probes. */
static struct hs_config plate(void)
{
  static char steel[] = "steel", none[] = "";
  struct hs_config config = test_config_spaced(NX, NY, 0.01, 0.0075);
  config.materials[0] = test_material("", 1.5, 2.0, 3.0);
  test_material_add(&config, test_material(steel, 10.0, 4.0, 1.0));
  test_wall_temperature(&config, HS_WEST, 300.0);
  test_wall_convection(&config, HS_EAST, 7.0, 280.0);
  test_wall_flux(&config, HS_SOUTH, 45.0);
  test_wall_temperature(&config, HS_NORTH, 310.0);
  config.initial.temperature_k = 290.0;
  disc = region("disc", circle(0.5, 0.3, 0.2), steel, NO_VALUE);
  config.regions = &disc;
  config.region_count = 1;
  spot = test_source_rectangle(0.1, 0.33, 0.21, 0.37, 500.0);
  config.sources = &spot;
  config.source_count = 1;
  for (int k = 0; k < 3; k++)
    probes[k] = (struct hs_config_probe){
        .name = steel, .x_m = 0.49 + 0.01 * k, .y_m = 0.35, .points = 1, .material = none, .line = k};
  config.probes = probes;
  config.probe_count = 3;
  config.solver.check_every = 16;
  config.solver.criterion = HS_CRITERION_UPDATE_MAX;
  config.solver.tolerance = 1e-3;
  return config;
}

static void steady_runs(void **state)
{
  struct hs_config config = plate();
  (void)state;
  compare("update_max", &config);
  config.solver.criterion = HS_CRITERION_UPDATE_L2;
  config.solver.tolerance = 0.1;
  compare("update_l2, which does not fall monotonically", &config);
  config.solver.method = HS_METHOD_WEIGHTED;
  config.solver.weight = 0.7;
  config.solver.precision = HS_SINGLE;
  compare("weighted, single", &config);
  config = plate();
  config.solver.method = HS_METHOD_CHEBYSHEV;
  config.solver.criterion = HS_CRITERION_RESIDUAL;
  config.solver.tolerance = 1e-6;
  config.solver.balance_tolerance = 1e-6;
  compare("Chebyshev, residual", &config);
  test_wall_periodic(&config, HS_WEST);
  test_wall_periodic(&config, HS_EAST);
  compare("around periodic walls", &config);
}

static void insulated_runs(void **state)
{
  struct hs_config_source sources[2] = {test_source_node(3, 3, NAN), test_source_node(30, 20, NAN)};
  struct hs_config config = insulated(NX, NY, 0.1, 0.1);
  (void)state;
  config.sources = sources;
  config.source_count = 2;
  sources[0].power_w_m = 7.0;
  sources[1].power_w_m = -7.0;
  config.solver.criterion = HS_CRITERION_UPDATE_MAX;
  config.solver.tolerance = 1e-4;
  compare("insulated", &config);
  config.solver.method = HS_METHOD_CHEBYSHEV;
  compare("insulated, Chebyshev", &config);
  config.solver.method = HS_METHOD_MULTIGRID;
  config.solver.criterion = HS_CRITERION_ERROR;
  compare("insulated, multigrid", &config);
  config.solver.precision = HS_SINGLE;
  test_wall_periodic(&config, HS_SOUTH);
  test_wall_periodic(&config, HS_NORTH);
  compare("insulated and periodic, multigrid, single", &config);
  config.solver.method = HS_METHOD_JACOBI;
  config.solver.criterion = HS_CRITERION_UPDATE_MAX;
  compare("insulated and periodic", &config);
}

static struct hs_config over_time(enum hs_scheme scheme)
{
  struct hs_config config = plate();
  config.time.scheme = scheme;
  config.time.end_s = 0.01;
  config.time.step_s = scheme == HS_SCHEME_EXPLICIT ? NAN : 0.002;
  config.time.inner_tolerance_k = 1e-4;
  config.time.snapshot_every_s = 0.005;
  return config;
}

static void runs_over_time(void **state)
{
  struct hs_config config = over_time(HS_SCHEME_EXPLICIT);
  (void)state;
  compare("explicit", &config);
  config.boundaries[HS_EAST].h = test_formula("7+3*sin(200*t)");
  config.boundaries[HS_WEST].temperature = test_formula("300+50*t");
  compare("explicit, walls that change", &config);
  config = over_time(HS_SCHEME_BACKWARD_EULER);
  config.time.adaptive = true;
  config.time.step_tolerance_k = 0.5;
  config.time.step_min_s = 1e-6;
  config.time.step_max_s = 1.0;
  compare("adaptive steps", &config);
  config = over_time(HS_SCHEME_CRANK_NICOLSON);
  config.boundaries[HS_EAST].h = test_formula("7+3*sin(200*t)");
  config.solver.method = HS_METHOD_CHEBYSHEV;
  compare("Crank-Nicolson, Chebyshev", &config);
  config.solver.method = HS_METHOD_MULTIGRID;
  compare("Crank-Nicolson, multigrid", &config);
  config.solver.precision = HS_SINGLE;
  config.time.adaptive = true;
  config.time.step_tolerance_k = 0.5;
  compare("adaptive steps, multigrid, single", &config);
}

/* Steps of a plate whose heat stays in it. */
static void insulated_steps(void **state)
{
  struct hs_config_source source = test_source_rectangle(0.3, 0.5, 0.2, 0.6, 40.0);
  struct hs_config config = insulated(NX, NY, 0.01, 0.01);
  (void)state;
  config.materials[0] = test_material("", 1.5, 2.0, 3.0);
  config.sources = &source;
  config.source_count = 1;
  config.time.end_s = 0.01;
  config.time.step_s = 0.002;
  config.time.inner_tolerance_k = 1e-6;
  config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  config.solver.method = HS_METHOD_JACOBI;
  compare("insulated, backward Euler", &config);
  config.solver.method = HS_METHOD_MULTIGRID;
  compare("insulated, backward Euler, multigrid", &config);
  config.time.scheme = HS_SCHEME_CRANK_NICOLSON;
  config.grid.layout = HS_LAYOUT_CELL;
  compare("insulated cells, Crank-Nicolson, multigrid", &config);
}

/* A map of a number for each cell; the caller frees its place. */
static char *map_write(const struct hs_config *config, hid_t file, const char *name, double least, double most)
{
  const hsize_t size[2] = {(hsize_t)config->grid.ny - 1, (hsize_t)config->grid.nx - 1};
  const hid_t space = H5Screate_simple(2, size, NULL);
  const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  double *values = malloc(size[0] * size[1] * sizeof *values);
  struct test_random random = {5};
  char *place = malloc(500);
  assert_non_null(values);
  assert_non_null(place);
  for (size_t k = 0; k < size[0] * size[1]; k++) values[k] = test_random_between(&random, least, most);
  assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  (void)H5Dclose(set);
  (void)H5Sclose(space);
  free(values);
  snprintf(place, 500, "%s:/%s", test_folder_path("maps.h5"), name);
  return place;
}

/* Each node has a source of its own, then a stencil, too. */
static void overlapped_maps(void **state)
{
  struct hs_config config = plate();
  const hid_t file = H5Fcreate(test_folder_path("maps.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  char *source, *conductivity;
  (void)state;
  config.grid.ny = 2 * 208;
  config.region_count = 0;
  config.solver.check_every = 100;
  source = map_write(&config, file, "source", 0.0, 1e4);
  config.solver.tolerance = 0.2;
  conductivity = map_write(&config, file, "conductivity", 0.5, 5.0);
  (void)H5Fclose(file);
  config.map.source = source;
  compare_so("overlapped, a map of sources", &config, true);
  config.map.conductivity = conductivity;
  compare_so("overlapped, and of conductivities", &config, true);
  free(conductivity);
  free(source);
}

/* Blocks large enough for strips, and tests that are no whole number of passes apart. */
static void overlapped_exchanges(void **state)
{
  struct hs_config config = plate();
  (void)state;
  config.grid.ny = 6 * 104;
  config.solver.check_every = 100;
  compare_so("overlapped, Jacobi", &config, true);
  config.solver.precision = HS_SINGLE;
  config.solver.method = HS_METHOD_WEIGHTED;
  config.solver.weight = 0.7;
  config.solver.criterion = HS_CRITERION_UPDATE_L2;
  config.solver.tolerance = 0.1;
  compare_so("overlapped, weighted, single", &config, true);
  config = plate();
  config.grid.nx = 3 * 104;
  config.grid.ny = 2 * 104;
  config.solver.check_every = 100;
  config.solver.method = HS_METHOD_CHEBYSHEV;
  config.solver.criterion = HS_CRITERION_RESIDUAL;
  config.solver.tolerance = 1e-6;
  compare_so("overlapped, Chebyshev", &config, true);
  test_wall_periodic(&config, HS_WEST);
  test_wall_periodic(&config, HS_EAST);
  compare_so("overlapped, around periodic walls", &config, true);
  config.grid.nx = 6 * 104 + 1;
  config.grid.ny = 41;
  compare_so("overlapped, across them", &config, true);
  config = over_time(HS_SCHEME_EXPLICIT);
  config.grid.nx = 3 * 104;
  config.grid.ny = 2 * 104;
  compare_so("overlapped, explicit", &config, true);
}

/* --- stops --------------------------------------------------------------------------------------- */

static void stop_body(struct hs_comm *comm, void *context)
{
  struct trial *trial = context;
  const int rank = hs_comm_rank(comm);
  struct asked asked = {.after = trial->stop_rank < 0       ? trial->stop_after + rank
                                 : rank == trial->stop_rank ? trial->stop_after
                                                            : 0};
  struct hs_job job;
  struct hs_result result;
  run(trial, comm, &asked, &job, &result);
  test_rank_require(comm, hs_result_verdict(&result) == HS_VERDICT_INTERRUPTED);
  trial->stopped_at[rank] = hs_result_sweeps(&result);
  trial->stopped_s[rank] = result.transient.time_s;
  hs_result_clear(&result);
  hs_job_clear(&job);
}

/* One rank is asked, or all are at moments of their own. */
static void assert_stops_together(const struct hs_config *config, int stop_rank)
{
  for (int after = 1; after <= 3; after += 2) {
    struct trial trial = {.config = config, .stop_after = after, .stop_rank = stop_rank};
    test_ranks_run(4, stop_body, &trial);
    for (int rank = 1; rank < 4; rank++) {
      assert_int_equal(trial.stopped_at[rank], trial.stopped_at[0]);
      assert_true(trial.stopped_s[rank] == trial.stopped_s[0]);
    }
  }
}

static void all_stop_where_one_is_asked_to(void **state)
{
  struct hs_config config = plate();
  (void)state;
  config.grid.nx = config.grid.ny = 301; /* far from stagnation, however fast the machine */
  config.grid.dx_m = config.grid.lx_m / 300;
  config.grid.dy_m = config.grid.ly_m / 300;
  config.solver.tolerance = 1e-300;
  config.solver.max_iterations = INT64_C(1) << 40;
  for (int rank = -1; rank < 4; rank++) assert_stops_together(&config, rank);
  config = over_time(HS_SCHEME_EXPLICIT);
  config.time.end_s = 1e6;
  config.time.snapshot_every_s = NAN;
  assert_stops_together(&config, 3);
  config = over_time(HS_SCHEME_BACKWARD_EULER);
  config.time.end_s = 1e6;
  config.time.snapshot_every_s = NAN;
  assert_stops_together(&config, -1);
}

static int folder_make(void **state)
{
  (void)state;
  return test_folder_create("ranks");
}

static int folder_clear(void **state)
{
  (void)state;
  return test_folder_remove_all() < 0 ? -1 : 0;
}

static int launched_main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(overlapped_exchanges)};
  const int failed = cmocka_run_group_tests_name("ranks under mpirun", tests, NULL, NULL);
  hs_comm_destroy(launched);
  return failed;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steady_runs),
      cmocka_unit_test(insulated_runs),
      cmocka_unit_test(runs_over_time),
      cmocka_unit_test(insulated_steps),
      cmocka_unit_test(overlapped_exchanges),
      cmocka_unit_test_setup_teardown(overlapped_maps, folder_make, folder_clear),
      cmocka_unit_test(all_stop_where_one_is_asked_to),
  };
  struct hs_error err = {0};
  struct hs_comm *comm;
  if (hs_comm_create(20.0, &comm, &err)) return fprintf(stderr, "%s\n", err.text), 1;
  if (hs_comm_size(comm) > 1) {
    launched = comm;
    return launched_main();
  }
  return cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
}
