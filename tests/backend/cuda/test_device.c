/* Failures of the device, and the memory that is told beforehand. Without a device: which sentence each of CUDA's
 * failures becomes. With one: what the estimates say is what is taken, a limit is kept to the byte, and a device that
 * is lost on the way ends a run of a named backend with its snapshots kept, or lets `auto` go on elsewhere.
 *
 * A process that has lost its device stays without one, so each such case is a process of its own: this program with
 * the arguments "lost", backend, "steady" or "transient", "auto" or "named".
 */
#include "runs.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/cuda/state.h"
#include "output/field/snapshots.h"
#include "output/output.h"

void test_device_lose(void); /* trap.cu */

static const struct hs_backend *const all[] = {&hs_backend_cuda_global,   &hs_backend_cuda_shared,
                                               &hs_backend_cuda_resident, &hs_backend_cuda_blocked,
                                               &hs_backend_cuda_streamed, NULL};

static void contains(const char *text, const char *part)
{
  if (!strstr(text, part)) fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

/* --- sentences ------------------------------------------------------------------------------- */

static void failures_say_what_to_do(void **state)
{
  static const struct {
    cudaError_t code;
    const char *part;
  } cases[] = {{cudaErrorNoDevice, "no GPU is to be seen any more"},
               {cudaErrorDevicesUnavailable, "another program holds the GPU"},
               {cudaErrorDeviceAlreadyInUse, "another program holds the GPU"},
               {cudaErrorMpsMaxClientsReached, "another program holds the GPU"},
               {cudaErrorMemoryAllocation, "the GPU has too little free memory"},
               {cudaErrorECCUncorrectable, "the GPU is lost to this program"},
               {cudaErrorLaunchFailure, "the GPU is lost to this program"},
               {cudaErrorMpsClientTerminated, "the GPU is lost to this program"},
               {cudaErrorUnknown, "the GPU is lost to this program"},
               {cudaErrorSystemDriverMismatch, "driver and the installed libraries do not fit together"},
               {cudaErrorSystemNotReady, "a service of the driver is not running"},
               {cudaErrorIllegalAddress, "a kernel did something wrong"},
               {cudaErrorInvalidValue, "failed on the GPU"}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct hs_error err = {0};
    assert_int_equal(hs_cuda_check(cases[k].code, "sweeping", &err), HS_ERR_DEVICE);
    assert_int_equal(hs_status_exit_code(err.status), HS_EXIT_DEVICE);
    contains(err.text, "sweeping failed on the GPU: ");
    contains(err.text, cudaGetErrorName(cases[k].code));
    contains(err.text, cases[k].part);
  }
  assert_int_equal(hs_cuda_check(cudaSuccess, "sweeping", NULL), HS_OK);
}

/* --- memory ---------------------------------------------------------------------------------- */

static struct hs_node_law dotted_law(void *context, int i, int j)
{
  struct hs_node_law law = {1.0, 1.0, 1.0, 1.0, .capacity_j_mk = 1.0};
  const int side = *(const int *)context;
  law.dirichlet = i == 0 || j == 0 || i == side - 1 || j == side - 1;
  if ((i * 7 + j * 13) % 997 == 0) law.west = 2.0; /* no row is like the one below */
  return law;
}

/* A plate whose rows are all alike, or all different. */
static struct hs_system *plate_of(int side, bool dotted)
{
  const struct hs_config config = test_config(side, side);
  return dotted ? test_system_of_laws(side, side, 1.0, 1.0, dotted_law, &side) : test_system(&config);
}

/* cuda-blocked's table of constants is the largest of what was not told once: all rows differ in the dotted plate. */
static void plans_are_in_the_estimate(void **state)
{
  const struct hs_backend_options options = {.single = false};
  (void)state;
  for (int dotted = 0; dotted < 2; dotted++) {
    struct hs_system *s = plate_of(1000, dotted);
    const double nodes = 1e6, field = nodes * sizeof(double);
    const double global = hs_backend_cuda_global.cost(s, &options).device_bytes;
    const struct hs_backend_cost blocked = hs_backend_cuda_blocked.cost(s, &options);
    assert_true(global > 3.0 * field && global < 4.0 * field);
    assert_true(blocked.device_bytes > global + (dotted ? 1.0 : 0.0) * field);
    assert_true(blocked.device_bytes < global + (dotted ? 5.0 : 0.1) * field);
    assert_true(blocked.host_bytes > blocked.device_bytes - global);
    assert_true(hs_backend_cuda_resident.cost(s, &options).device_bytes >= global);
    hs_system_destroy(s);
  }
}

static double free_bytes(void)
{
  size_t available = 0, total = 0;
  assert_int_equal(cudaMemGetInfo(&available, &total), cudaSuccess);
  return (double)available;
}

/* Allocations end in pages of 2 MB, of which each backend has a dozen. Other programs that take memory at the same
 * moment spoil the measurement, so that a case has three chances. */
static bool taken_as_told(const struct hs_backend *backend, const struct hs_system *s, bool single)
{
  const double pages = 40e6;
  const struct hs_backend_options options = {.single = single};
  const double told = backend->cost(s, &options).device_bytes, before = free_bytes();
  double *field_k = test_field(s), taken, later;
  struct hs_backend_state *backend_state = NULL;
  struct hs_error err = {0};
  test_ok(backend->create(s, &options, &backend_state, &err), &err);
  taken = before - free_bytes();
  test_ok(backend->load(backend_state, field_k, &err), &err);
  test_ok(backend->sweep(backend_state, 100, &err), &err);
  later = before - free_bytes() - taken;
  backend->destroy(backend_state);
  free(field_k);
  printf("# %s, %d x %d %s: told %.1f MB, taken %.1f MB, and %.1f MB by the first sweeps\n", backend->name, s->nx,
         s->ny, single ? "single" : "double", 1e-6 * told, 1e-6 * taken, 1e-6 * later);
  return fabs(told - taken) < pages;
}

static void the_estimate_is_what_is_taken(void **state)
{
  (void)state;
  for (int c = 0; c < 4; c++) {
    struct hs_system *s = plate_of(c / 2 ? 3000 : 1500, c % 2);
    for (int k = 0; all[k] != &hs_backend_cuda_streamed; k++) {
      const struct hs_backend_options options = {.single = c == 1};
      bool same = false;
      if (all[k]->probe(s, &options, NULL)) continue;
      for (int chance = 0; !same && chance < 3; chance++) same = taken_as_told(all[k], s, options.single);
      if (!same) fail_msg("%s takes another amount of memory than it told", all[k]->name);
    }
    hs_system_destroy(s);
  }
}

/* A grid for which the limit is one byte short is refused with a sentence, and cuda-streamed takes it. */
static void a_limit_is_kept_to_the_byte(void **state)
{
  struct hs_system *s = plate_of(1500, true);
  (void)state;
  for (int k = 0; all[k] != &hs_backend_cuda_streamed; k++) {
    struct hs_backend_options options = {.single = true};
    struct hs_error why = {0};
    if (all[k]->probe(s, &options, NULL)) continue;
    options.device_bytes = ceil(all[k]->cost(s, &options).device_bytes);
    test_ok(all[k]->probe(s, &options, &why), &why);
    options.device_bytes -= 2.0;
    assert_int_equal(all[k]->probe(s, &options, &why), HS_ERR_DEVICE);
    contains(why.text, "solver.device_memory allows");
    contains(why.text, "use cuda-streamed");
    test_ok(hs_backend_cuda_streamed.probe(s, &options, &why), &why);
  }
  hs_system_destroy(s);
}

/* The plans of its passes included, which for the dotted plate are larger than the limit. */
static void streamed_keeps_to_its_limit(void **state)
{
  const struct hs_backend_options options = {.device_bytes = 100e6};
  const double pages = 40e6;
  (void)state;
  for (int dotted = 0; dotted < 2; dotted++) {
    struct hs_system *s = plate_of(3000, dotted);
    const double before = free_bytes(), told = hs_backend_cuda_streamed.cost(s, &options).device_bytes;
    struct hs_backend_state *backend_state = NULL;
    struct hs_backend_place place;
    struct hs_error err = {0};
    assert_true(told <= options.device_bytes);
    test_ok(hs_backend_cuda_streamed.create(s, &options, &backend_state, &err), &err);
    assert_true(before - free_bytes() < options.device_bytes + pages);
    hs_backend_cuda_streamed.place(backend_state, &place);
    if (dotted) contains(place.device, "sweeps one by one");
    hs_backend_cuda_streamed.destroy(backend_state);
    hs_system_destroy(s);
  }
}

/* --- a device that is lost ------------------------------------------------------------------- */

/* The backend of the process's case, and before which of its calls the device is lost. */
static struct {
  const struct hs_backend *real;
  int calls, last; /* made; that succeed */
} lost = {.last = INT_MAX};

static void call_count(void)
{
  if (lost.calls++ == lost.last) test_device_lose();
}

static hs_status doomed_sweep(struct hs_backend_state *state, int64_t n, struct hs_error *err)
{
  call_count();
  return lost.real->sweep(state, n, err);
}

static hs_status doomed_advance(struct hs_backend_state *state, struct hs_intervals *intervals, struct hs_error *err)
{
  call_count();
  return lost.real->advance(state, intervals, err);
}

/* A plate between a warm and cold walls; over time with snapshots at three times. */
static struct hs_config plate_config(bool transient, double *times_s, char *backend)
{
  struct hs_config config = test_config(61, 43);
  test_wall_temperature(&config, HS_WEST, 400.0);
  test_wall_temperature(&config, HS_NORTH, 350.0);
  config.solver.backend = backend;
  if (!transient) return config;
  for (int k = 0; k < 3; k++) times_s[k] = 0.01 * (k + 1);
  config.materials[0].density_kg_m3 = 1.0;
  config.materials[0].heat_capacity_j_kgk = 1.0;
  config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  config.time.end_s = 0.05;
  config.time.step_s = 0.002;
  config.time.snapshots_s = times_s;
  config.time.snapshot_count = 3;
  return config;
}

/* The field of cpu alone. */
static void same_as_cpu(const struct hs_config *config, const struct hs_result *got)
{
  static char cpu[] = "cpu";
  struct hs_config other = *config;
  struct test_run run;
  other.solver.backend = cpu;
  test_run_start(&run, &other, NULL);
  test_fields_same("after the device was lost", run.result.field_k, got->field_k, got->nx, got->ny);
  assert_int_equal(run.result.outcome.sweeps, got->outcome.sweeps);
  test_run_clear(&run);
}

static void undisturbed(struct hs_job *job)
{
  const char *name = job->backend->name;
  struct hs_result result;
  struct hs_error err = {0};
  test_ok(hs_job_run(job, job->backend, NULL, NULL, &result, &err), &err);
  assert_string_equal(result.backend, name);
  assert_int_equal(result.warnings.count, 0);
  hs_result_clear(&result);
}

static void auto_goes_on(struct hs_job *job, const struct hs_config *config, bool transient)
{
  struct hs_result result;
  struct hs_error err = {0};
  test_ok(hs_job_run(job, job->backend, NULL, NULL, &result, &err), &err);
  assert_string_equal(result.backend, "cpu");
  contains(result.backend_reason, " was chosen but failed: ");
  contains(result.backend_reason, " failed on the GPU: ");
  contains(result.warnings.text[0], transient ? " s, the last state that was kept" : "the run went on with ");
  same_as_cpu(config, &result);
  hs_result_clear(&result);
}

/* The run ends with exit code 6; snapshots.h5 has what the series has. */
static void named_ends(struct hs_job *job, const struct hs_config *config, bool transient)
{
  char path[160];
  struct hs_result result;
  struct hs_error err = {0};
  struct hs_snapshots *snapshots = NULL;
  struct hs_snapshot_taker taker = {0};
  struct hs_snapshot_reader *reader = NULL;
  if (transient) {
    test_ok(hs_snapshots_create(job->problem, "", &snapshots, &err), &err);
    taker = hs_snapshots_taker(snapshots);
  }
  assert_int_equal(hs_job_run(job, job->backend, NULL, transient ? &taker : NULL, &result, &err), HS_ERR_DEVICE);
  assert_int_equal(hs_status_exit_code(err.status), HS_EXIT_DEVICE);
  contains(err.text, " failed on the GPU: ");
  if (transient) {
    hs_output_rescue(&result, &err);
    contains(err.text, "; kept in ");
    hs_snapshots_destroy(snapshots);
    assert_true(result.series.count >= 2 && result.series.count < 5);
    snprintf(path, sizeof path, "%s/snapshots.h5", config->output.directory);
    test_ok(hs_snapshot_reader_open(path, result.nx, result.ny, &reader, &err), &err);
    assert_int_equal(hs_snapshot_reader_count(reader), result.series.count);
    hs_snapshot_reader_close(reader);
  }
  hs_result_clear(&result);
}

static void folder_remove(const char *folder)
{
  static const char *const names[] = {"snapshots.h5", "snapshots.xdmf", "series.csv"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, names[k]);
    (void)unlink(path);
  }
  (void)rmdir(folder);
}

/* One case in this process. Returns when all was as it should be. */
static void lose(const char *name, bool transient, bool named)
{
  static char automatic[] = "auto", by_name[] = "cuda-global";
  char folder[] = "/tmp/heatsolve-device-XXXXXX";
  struct hs_backend doomed;
  const struct hs_backend *const list[] = {&doomed, &hs_backend_cuda_global, &hs_backend_cpu, NULL};
  double times_s[3];
  struct hs_config config = plate_config(transient, times_s, automatic);
  struct hs_job job;
  struct hs_error err = {0};
  lost.real = hs_backend_find(name, &err);
  assert_non_null(lost.real);
  doomed = *lost.real;
  doomed.sweep = doomed_sweep;
  if (doomed.advance) doomed.advance = doomed_advance;
  assert_non_null(mkdtemp(folder));
  config.output.directory = folder;
  config.output.field = config.output.csv = true;
  test_ok(hs_job_prepare(&config, NULL, &job, &err), &err);
  job.backends = list;
  job.backend = &doomed;
  if (named) config.solver.backend = by_name;
  undisturbed(&job);
  lost.last = transient ? lost.calls * 6 / 10 : 0; /* over time: behind the second snapshot and before the end */
  lost.calls = 0;
  if (named)
    named_ends(&job, &config, transient);
  else
    auto_goes_on(&job, &config, transient);
  hs_job_clear(&job);
  folder_remove(folder);
}

/* A process of its own for a case. */
static void lose_elsewhere(const char *name, const char *kind, const char *choice)
{
  int status = -1;
  pid_t child;
  fflush(stdout);
  child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    (void)execl("/proc/self/exe", "test_device", "lost", name, kind, choice, (char *)NULL);
    _exit(127);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status) || WEXITSTATUS(status))
    fail_msg("test_device lost %s %s %s ends with status %d", name, kind, choice, status);
}

static void a_lost_device_costs_no_snapshot(void **state)
{
  const struct hs_backend_options options = {.single = false};
  (void)state;
  for (int k = 0; all[k]; k++) {
    if (all[k]->probe(NULL, &options, NULL)) continue;
    for (int c = 0; c < 4; c++) lose_elsewhere(all[k]->name, c / 2 ? "transient" : "steady", c % 2 ? "named" : "auto");
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest sentences[] = {
      cmocka_unit_test(failures_say_what_to_do),
  };
  const struct CMUnitTest device[] = {
      cmocka_unit_test(plans_are_in_the_estimate),       cmocka_unit_test(the_estimate_is_what_is_taken),
      cmocka_unit_test(a_limit_is_kept_to_the_byte),     cmocka_unit_test(streamed_keeps_to_its_limit),
      cmocka_unit_test(a_lost_device_costs_no_snapshot),
  };
  const struct hs_backend_options options = {.single = false};
  struct hs_error why = {0};
  int failed;
  if (argc == 5 && !strcmp(argv[1], "lost")) {
    lose(argv[2], !strcmp(argv[3], "transient"), !strcmp(argv[4], "named"));
    return EXIT_SUCCESS;
  }
  failed = cmocka_run_group_tests(sentences, NULL, NULL);
  if (hs_backend_cuda_global.probe(NULL, &options, &why)) {
    printf("# %s\n1..0 # SKIP %s\n", why.text, why.text);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
  }
  fflush(stdout);
  failed += cmocka_run_group_tests(device, NULL, NULL);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
