/* Multigrid over grids in several parts: cycle for cycle and bit for bit what cpu-reference does with the whole grid. */
#include "solve/multigrid/multigrid.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/distributed/distributed.h"
#include "backend/distributed/linear/linear.h"
#include "comm/ranks.h"
#include "runs.h"
#include "solve/plates.h"

enum { LARGEST = 90, GHOST = 1 };

static struct hs_solve_settings settings_make(void)
{
  const struct hs_solve_settings settings = {
      .quantity = HS_STOP_ERROR, .tolerance = 1e-6, .max_iterations = 100, .method = HS_METHOD_MULTIGRID};
  return settings;
}

/* NULL: there is none, as with a shape in which no node lies. */
static struct hs_system *system_of(const struct hs_config *config)
{
  struct hs_problem *problem = NULL;
  struct hs_system *s = NULL;
  struct hs_error why = {0};
  hs_status status = hs_problem_create(config, NULL, &problem, &why);
  if (!status) status = hs_problem_build_system(problem, &s, &why);
  hs_problem_destroy(problem);
  return status ? NULL : s;
}

static struct hs_solve_outcome solve(const struct hs_system *s, const double *start_k, const struct hs_backend *backend,
                                     const struct hs_backend_options *options, double *end_k)
{
  struct hs_solve_settings settings = settings_make();
  struct hs_solve_outcome outcome;
  struct hs_backend_state *state;
  struct hs_error err = {0};
  test_ok(backend->create(s, options, &state, &err), &err);
  test_ok(backend->load(state, start_k, &err), &err);
  test_ok(hs_multigrid_create(backend, s, options, NULL, &settings.multigrid, &err), &err);
  test_ok(hs_solve(s, &settings, backend, state, NULL, &outcome, &err), &err);
  test_ok(backend->fetch(state, end_k, &err), &err);
  hs_multigrid_destroy(settings.multigrid);
  backend->destroy(state);
  return outcome;
}

static void outcomes_same(const char *what, const struct hs_solve_outcome *a, const struct hs_solve_outcome *b)
{
  if (a->sweeps != b->sweeps || a->history_count != b->history_count || a->verdict != b->verdict)
    fail_msg("%s: %s after %lld cycles, in parts %s after %lld", what, hs_verdict_name(a->verdict),
             (long long)a->sweeps, hs_verdict_name(b->verdict), (long long)b->sweeps);
  for (int k = 0; k < a->history_count; k++) {
    const struct hs_check *x = &a->history[k], *y = &b->history[k];
    if (!test_same(x->norms.residual_l2, y->norms.residual_l2) ||
        !test_same(x->norms.residual_max, y->norms.residual_max) ||
        !test_same(x->norms.correction_max, y->norms.correction_max) ||
        !test_same(x->error_estimate_k, y->error_estimate_k))
      fail_msg("%s: cycle %lld: residual %a, in parts %a", what, (long long)x->sweeps, x->norms.residual_l2,
               y->norms.residual_l2);
  }
}

static struct hs_partition partition_of(const struct hs_system *s, int count_x, int count_y)
{
  struct hs_partition parts = hs_distributed_whole(s);
  parts.count_x = count_x;
  parts.count_y = count_y;
  parts.ghost = count_x * count_y > 1 ? GHOST : 0;
  return parts;
}

static bool is_device(const struct hs_backend *backend)
{
  return !strncmp(backend->name, "cuda", 4);
}

/* In count_x x count_y parts, which devices share. */
static void parts_solve(const char *what, const struct hs_system *s, const double *start_k, int whole_nodes,
                        const struct hs_backend *backend, int count_x, int count_y,
                        const struct hs_solve_outcome *wanted, const double *wanted_k)
{
  const struct hs_partition parts = partition_of(s, count_x, count_y);
  const int devices = is_device(backend) ? hs_backend_devices() : 0;
  struct hs_backend_options options = {.threads = backend == hs_distributed_list()[0] ? 1 : 2,
                                       .testing = {.parts = parts, .whole_nodes = whole_nodes}};
  struct hs_solve_outcome got;
  char label[256];
  double *got_k;
  if (hs_partition_deepest(&parts) < 1) return;
  if (devices > 1) options.spread.device_count = hs_partition_parts(&parts);
  for (int d = 0; d < options.spread.device_count; d++) options.spread.devices[d] = d % devices;
  snprintf(label, sizeof label, "%s, %d x %d nodes, %d x %d parts of %s", what, s->nx, s->ny, count_x, count_y,
           backend->name);
  got_k = test_field(s);
  got = solve(s, start_k, backend, &options, got_k);
  outcomes_same(label, wanted, &got);
  test_fields_same(label, wanted_k, got_k, s->nx, s->ny);
  hs_solve_outcome_clear(&got);
  free(got_k);
}

/* On devices, where states take long to make, by two backends and in two ways. */
static void parts_compare(const char *what, const struct hs_system *s, const double *start_k, int whole_nodes)
{
  static const int counts[][2] = {{1, 2}, {2, 2}, {1, 1}, {2, 1}, {3, 2}};
  const struct hs_backend_options alone = {.threads = 1};
  double *wanted_k = test_field(s);
  struct hs_solve_outcome wanted = solve(s, start_k, &hs_backend_reference, &alone, wanted_k);
  for (const struct hs_backend *const *one = hs_distributed_list(); *one; one++) {
    const size_t ways = is_device(*one) ? 2 : sizeof counts / sizeof *counts;
    struct hs_error why = {0};
    if (is_device(*one) && strcmp((*one)->name, "cuda-global") && strcmp((*one)->name, "cuda-blocked")) continue;
    if (is_device(*one) && (*one)->probe(s, &alone, &why)) continue;
    for (size_t k = 0; k < ways; k++)
      parts_solve(what, s, start_k, whole_nodes, *one, counts[k][0], counts[k][1], &wanted, wanted_k);
  }
  hs_solve_outcome_clear(&wanted);
  free(wanted_k);
}

static void a_uniform_plate_in_parts(void **state)
{
  struct hs_config config = test_config(97, 65);
  struct hs_config_source source = test_source_everywhere(1.0);
  struct hs_system *s;
  double *start_k;
  (void)state;
  config.sources = &source;
  config.source_count = 1;
  s = test_system(&config);
  start_k = test_field_initial(&config, s);
  parts_compare("a uniform plate", s, start_k, 1);
  parts_compare("a uniform plate, large levels whole", s, start_k, 3000);
  free(start_k);
  hs_system_destroy(s);
}

/* HEATSOLVE_SOAK=FIRST-LAST: these seeds instead of the usual ones. */
static void random_plates_in_parts(void **state)
{
  const char *soak = getenv("HEATSOLVE_SOAK");
  unsigned long long first = 0, last = 39 / (unsigned)test_every(5);
  (void)state;
  if (soak) assert_int_equal(sscanf(soak, "%llu-%llu", &first, &last), 2);
  for (unsigned long long seed = first; seed <= last; seed++) {
    struct test_random random = {seed};
    struct hs_config_region regions[TEST_PLATE_REGIONS];
    struct hs_config_source source;
    const struct hs_config config = test_plate_sized(&random, LARGEST, 3.0, regions, &source);
    const int whole_nodes = test_random_integer(&random, 0, 1) ? 1 : test_random_integer(&random, 1, 4000);
    struct hs_system *s = system_of(&config);
    double *start_k;
    char what[64];
    if (!s) continue;
    start_k = test_field_initial(&config, s);
    snprintf(what, sizeof what, "plate %llu", seed);
    parts_compare(what, s, start_k, whole_nodes);
    free(start_k);
    hs_system_destroy(s);
  }
}

/* --- ranks ----------------------------------------------------------------------------------- */

enum { RANKS_LARGEST = 150 };

/* A problem that ranks solve, and what one process makes of it. */
struct whole {
  const struct hs_config *config;
  const struct hs_backend *backend;
  int count_x, count_y, ghost, whole_nodes;
  const struct hs_solve_outcome *outcome;
  const double *end_k;
  int nx;
};

static struct hs_subdomain subdomain_of(const struct whole *whole, struct hs_comm *comm)
{
  struct hs_subdomain subdomain = hs_problem_whole(whole->config);
  subdomain.comm = comm;
  subdomain.part = hs_comm_rank(comm);
  subdomain.partition.count_x = whole->count_x;
  subdomain.partition.count_y = whole->count_y;
  subdomain.partition.ghost = whole->ghost;
  return subdomain;
}

static void rank_compare(struct hs_comm *comm, const struct whole *whole, const struct hs_subdomain *subdomain,
                         const struct hs_solve_outcome *outcome, const double *end_k)
{
  const struct hs_rectangle own = hs_partition_own(&subdomain->partition, subdomain->part);
  const struct hs_rectangle window = hs_partition_window(&subdomain->partition, subdomain->part);
  test_rank_require(comm, outcome->verdict == whole->outcome->verdict && outcome->sweeps == whole->outcome->sweeps);
  test_rank_require(comm, outcome->history_count == whole->outcome->history_count);
  for (int k = 0; k < outcome->history_count; k++) {
    const struct hs_check *x = &whole->outcome->history[k], *y = &outcome->history[k];
    test_rank_require(comm, test_same(x->norms.residual_l2, y->norms.residual_l2));
    test_rank_require(comm, test_same(x->norms.correction_max, y->norms.correction_max));
    test_rank_require(comm, test_same(x->error_estimate_k, y->error_estimate_k));
  }
  for (int j = own.y0; j < own.y0 + own.ny; j++)
    test_rank_require(comm, !memcmp(&whole->end_k[(size_t)j * (size_t)whole->nx + (size_t)own.x0],
                                    &end_k[(size_t)(j - window.y0) * (size_t)window.nx + (size_t)(own.x0 - window.x0)],
                                    (size_t)own.nx * sizeof *end_k));
}

static void rank_solve(struct hs_comm *comm, void *context)
{
  const struct whole *whole = context;
  const struct hs_subdomain subdomain = subdomain_of(whole, comm);
  const struct hs_backend_options options = {
      .threads = 1, .spread = {.subdomain = &subdomain}, .testing = {.whole_nodes = whole->whole_nodes}};
  struct hs_solve_settings settings = settings_make();
  struct hs_problem *problem = NULL;
  struct hs_system *s = NULL;
  struct hs_backend_state *state = NULL;
  struct hs_solve_outcome outcome = {.history = NULL};
  struct hs_error err = {0};
  double *start_k = NULL, *end_k = NULL;
  hs_status status = hs_problem_create(whole->config, &subdomain, &problem, &err);
  if (!status) status = hs_problem_build_system(problem, &s, &err);
  if (!status) status = hs_problem_initial_field(problem, s, &start_k, &err);
  if (!status) status = whole->backend->create(s, &options, &state, &err);
  if (!status) status = whole->backend->load(state, start_k, &err);
  if (!status) status = hs_multigrid_create(whole->backend, s, &options, NULL, &settings.multigrid, &err);
  if (!status) status = hs_solve(s, &settings, whole->backend, state, NULL, &outcome, &err);
  if (status) fprintf(stderr, "%s\n", err.text);
  test_rank_require(comm, status == HS_OK);
  end_k = calloc((size_t)s->nx * (size_t)s->ny, sizeof *end_k);
  test_rank_require(comm, end_k && whole->backend->fetch(state, end_k, &err) == HS_OK);
  rank_compare(comm, whole, &subdomain, &outcome, end_k);
  hs_multigrid_destroy(settings.multigrid);
  hs_solve_outcome_clear(&outcome);
  whole->backend->destroy(state);
  hs_system_destroy(s);
  hs_problem_destroy(problem);
  free(start_k);
  free(end_k);
}

static bool axis_possible(int count, int period)
{
  return count == 1 || period == 0 || (period % 2 == 0 && period >= 8);
}

/* Can multigrid be cut so? */
static bool ranks_possible(const struct hs_partition *p)
{
  const int nx = p->period_x > 0 ? p->period_x : p->grid_nx, ny = p->period_y > 0 ? p->period_y : p->grid_ny;
  return hs_partition_deepest(p) >= 1 && axis_possible(p->count_x, p->period_x) &&
         axis_possible(p->count_y, p->period_y) && nx * ny > 256;
}

static void ranks_compare(const struct hs_config *config, const struct hs_system *s, struct test_random *random)
{
  static const int counts[][2] = {{2, 1}, {1, 2}, {2, 2}, {3, 1}, {3, 2}};
  const int choice = test_random_integer(random, 0, 4);
  const struct hs_backend_options alone = {.threads = 1};
  double *start_k = test_field_initial(config, s), *end_k = test_field(s);
  const struct hs_solve_outcome outcome = solve(s, start_k, &hs_backend_reference, &alone, end_k);
  struct whole whole = {config,
                        hs_distributed_list()[test_random_integer(random, 0, 1)],
                        counts[choice][0],
                        counts[choice][1],
                        1,
                        test_random_integer(random, 1, 3000),
                        &outcome,
                        end_k,
                        s->nx};
  struct hs_partition p = partition_of(s, whole.count_x, whole.count_y);
  if (ranks_possible(&p)) {
    whole.ghost = test_random_integer(random, 1, hs_partition_deepest(&p) < 50 ? hs_partition_deepest(&p) : 50);
    test_ranks_run(whole.count_x * whole.count_y, rank_solve, &whole);
  }
  free(outcome.history);
  free(end_k);
  free(start_k);
}

static void random_plates_of_ranks(void **state)
{
  const char *soak = getenv("HEATSOLVE_SOAK");
  unsigned long long first = 1000, last = 1000 + 39 / (unsigned)test_every(5);
  (void)state;
  if (soak) assert_int_equal(sscanf(soak, "%llu-%llu", &first, &last), 2);
  for (unsigned long long seed = first; seed <= last; seed++) {
    struct test_random random = {seed};
    struct hs_config_region regions[TEST_PLATE_REGIONS];
    struct hs_config_source source;
    const struct hs_config config = test_plate_sized(&random, RANKS_LARGEST, 3.0, regions, &source);
    struct hs_system *s = system_of(&config);
    if (s) ranks_compare(&config, s, &random);
    hs_system_destroy(s);
  }
}

/* --- failures of one rank -------------------------------------------------------------------- */

/* Calls of this rank up to the one that gets no memory, and to the copy that fails; 0: none does. */
static _Thread_local long until_short, until_failing;

/* In place of the system's, for arrays. */
int posix_memalign(void **memory, size_t alignment, size_t size)
{
  if (until_short > 0 && --until_short == 0) return ENOMEM;
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

/* What is copied out of a level, and into it, or counted in it, as a device may fail to. */
static bool copy_fails(void)
{
  return until_failing > 0 && --until_failing == 0;
}

static hs_status failing_get(struct hs_operator *op, const struct hs_rectangle *block, double (*values)[5],
                             struct hs_error *err)
{
  if (copy_fails()) return hs_error_set(err, HS_ERR_DEVICE, "no copy");
  return hs_part_linear_cpu.couplings_get(op, block, values, err);
}

static hs_status failing_put(struct hs_operator *op, const struct hs_rectangle *block, const double (*values)[5],
                             struct hs_error *err)
{
  if (copy_fails()) return hs_error_set(err, HS_ERR_DEVICE, "no copy");
  return hs_part_linear_cpu.couplings_put(op, block, values, err);
}

static hs_status failing_shares(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err)
{
  if (copy_fails()) return hs_error_set(err, HS_ERR_DEVICE, "no count");
  return hs_linear_cpu.shares(op, shares, err);
}

/* The cpu backend with these; its rank's own, as ranks are threads. */
static hs_status failing_create(const struct hs_system *system, const struct hs_backend_options *options,
                                const struct hs_backend_state *state, struct hs_operator **op, struct hs_error *err)
{
  static _Thread_local struct hs_linear linear;
  static _Thread_local struct hs_part_linear part_linear;
  static _Thread_local struct hs_part_operations part;
  static _Thread_local struct hs_backend backend;
  (void)state;
  linear = hs_linear_cpu;
  linear.shares = failing_shares;
  part_linear = hs_part_linear_cpu;
  part_linear.couplings_get = failing_get;
  part_linear.couplings_put = failing_put;
  part = hs_part_cpu;
  part.linear = &part_linear;
  backend = hs_backend_cpu;
  backend.linear = &linear;
  backend.part = &part;
  return hs_parted_create(&backend, system, options, op, err);
}

struct shortage {
  const struct whole *whole;
  int rank;    /* which fails */
  bool copies; /* or else memory */
  long tried;
};

/* Levels, while what one rank does fails in turn: none of the ranks has them then, and each time they are still in step. */
static void rank_in_step(struct hs_comm *comm, void *context)
{
  struct shortage *shortage = context;
  const struct whole *whole = shortage->whole;
  const struct hs_subdomain subdomain = subdomain_of(whole, comm);
  const struct hs_backend_options options = {
      .threads = 1, .spread = {.subdomain = &subdomain}, .testing = {.whole_nodes = whole->whole_nodes}};
  const bool is_short = hs_comm_rank(comm) == shortage->rank;
  struct hs_problem *problem = NULL;
  struct hs_system *s = NULL;
  struct hs_error err = {0};
  double reached = 0.0;
  test_rank_require(comm, !hs_problem_create(whole->config, &subdomain, &problem, &err));
  test_rank_require(comm, !hs_problem_build_system(problem, &s, &err));
  for (long call = 1; reached == 0.0; call++) {
    struct hs_multigrid *levels = NULL;
    until_short = is_short && !shortage->copies ? call : 0;
    until_failing = is_short && shortage->copies ? call : 0;
    const bool made = hs_multigrid_create(whole->backend, s, &options, NULL, &levels, &err) == HS_OK;
    reached = until_short > 0 || until_failing > 0 ? 1.0 : 0.0;
    until_short = until_failing = 0;
    test_rank_require(comm, !hs_comm_largest(comm, &reached, 1, &err));
    test_rank_require(comm, made == (reached > 0.0));
    hs_multigrid_destroy(levels);
    if (is_short) shortage->tried = call - 1;
  }
  hs_system_destroy(s);
  hs_problem_destroy(problem);
}

static void no_rank_falls_out_of_step(void **state)
{
  struct hs_config config = test_config(97, 65);
  struct whole whole = {.config = &config, .backend = hs_distributed_list()[1], .count_x = 3, .count_y = 1, .ghost = 1};
  (void)state;
  for (int large = 0; large < 2; large++)
    for (int rank = 0; rank < 3; rank += 2) {
      struct shortage shortage = {&whole, rank, false, 0};
      whole.whole_nodes = large ? 3000 : 1;
      test_ranks_run(3, rank_in_step, &shortage);
      assert_true(shortage.tried > 50);
    }
}

static void no_rank_waits_for_a_copy_that_fails(void **state)
{
  struct hs_config config = test_config(97, 65);
  struct hs_linear linear = *hs_distributed_list()[1]->linear;
  struct hs_backend backend = *hs_distributed_list()[1];
  struct whole whole = {
      .config = &config, .backend = &backend, .count_x = 3, .count_y = 1, .ghost = 1, .whole_nodes = 1};
  (void)state;
  linear.create = failing_create;
  backend.linear = &linear;
  for (int rank = 0; rank < 3; rank++) {
    struct shortage shortage = {&whole, rank, true, 0};
    test_ranks_run(3, rank_in_step, &shortage);
    assert_true(shortage.tried > 10);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_uniform_plate_in_parts),
                                     cmocka_unit_test(random_plates_in_parts), cmocka_unit_test(random_plates_of_ranks),
                                     cmocka_unit_test(no_rank_falls_out_of_step),
                                     cmocka_unit_test(no_rank_waits_for_a_copy_that_fails)};
  return cmocka_run_group_tests_name("multigrid in parts", tests, NULL, NULL);
}
