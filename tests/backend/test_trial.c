/* Which passes a run by ranks keeps to (backend/distributed/pass.c), as its first ones tell: made-up sweeps and a made-up network
 * move a clock of their own. How many exchanges there are, and the memory that overlapped passes take. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "backend/distributed/distributed.h"
#include "backend/distributed/state.h"
#include "base/timer.h"
#include "comm/ranks.h"
#include "comm/transport.h"
#include "problem/problem.h"
#include "support.h"

enum { NX = 40, NY = 2 * 320, GHOST = 32, STATES = 8 };

/* What a pass over a part would take, and an exchange, from its beginning on; and what a run makes of that. */
struct timing {
  double pass_s, exchange_s;
  bool tried, kept; /* overlapped passes */
};

static _Thread_local double now_s, begun_s, overlapped_passes;
static _Thread_local int exchanges;
static _Thread_local const struct timing *timing;
static _Thread_local const struct hs_transport *network;
static _Thread_local struct {
  const struct hs_backend_state *state;
  double rows;
} states[STATES]; /* the part's first */

double hs_time_s(void)
{
  return now_s;
}

void hs_time_utc(char *text, size_t size)
{
  if (size > 0) text[0] = '\0';
}

static _Thread_local size_t given_bytes; /* of arrays, in all */

/* In place of the system's, for arrays. */
void *aligned_alloc(size_t alignment, size_t size)
{
  given_bytes += size;
  return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
  *memory = aligned_alloc(alignment, size);
  return *memory ? 0 : ENOMEM;
}

static hs_status made_create(const struct hs_system *system, const struct hs_backend_options *options,
                             struct hs_backend_state **state, struct hs_error *err)
{
  const hs_status status = hs_backend_reference.create(system, options, state, err);
  int k = 0;
  while (states[k].state) k++;
  states[k].state = *state;
  states[k].rows = system->ny;
  return status;
}

/* As long as the rows are many. Nothing is swept. */
static hs_status made_sweep(struct hs_backend_state *state, int64_t n, bool predecessor, struct hs_error *err)
{
  int k = 0;
  (void)predecessor;
  (void)err;
  while (states[k].state != state) k++;
  now_s += timing->pass_s * states[k].rows / states[0].rows * (double)n / GHOST;
  overlapped_passes += k > 0;
  return HS_OK;
}

static hs_status made_begin(struct hs_comm *comm, const struct hs_message *messages, int count, bool background,
                            struct hs_error *err)
{
  begun_s = now_s;
  exchanges++;
  return network->exchange_begin(comm, messages, count, background, err);
}

static hs_status made_end(struct hs_comm *comm, struct hs_error *err)
{
  if (now_s < begun_s + timing->exchange_s) now_s = begun_s + timing->exchange_s;
  return network->exchange_end(comm, err);
}

static void body(struct hs_comm *comm, void *context)
{
  struct hs_config config = test_config(NX, NY);
  struct hs_subdomain subdomain = hs_problem_whole(&config);
  const struct hs_backend_options options = {.threads = 1, .spread = {.subdomain = &subdomain}};
  const struct hs_transport *const threads = comm->transport;
  struct hs_transport made = *threads;
  struct hs_part_operations part = hs_part_reference;
  struct hs_backend backend = hs_backend_reference;
  struct hs_problem *problem = NULL;
  struct hs_system *s = NULL;
  struct hs_backend_state *state = NULL;
  struct hs_error err = {0};
  double *start_k = NULL, passes;
  memset(states, 0, sizeof states);
  timing = context;
  network = threads;
  now_s = overlapped_passes = 0.0;
  subdomain.comm = comm;
  subdomain.part = hs_comm_rank(comm);
  subdomain.partition.count_y = hs_comm_size(comm);
  subdomain.partition.ghost = GHOST;
  made.exchange_begin = made_begin;
  made.exchange_end = made_end;
  part.sweep = made_sweep;
  backend.part = &part;
  backend.create = made_create;
  test_rank_require(comm, !hs_problem_create(&config, &subdomain, &problem, &err));
  test_rank_require(comm, !hs_problem_build_system(problem, &s, &err));
  test_rank_require(comm, !hs_problem_initial_field(problem, s, &start_k, &err));
  comm->transport = &made;
  test_rank_require(comm, !hs_distributed_create(&backend, s, &options, &state, &err));
  test_rank_require(comm, !hs_distributed_list()[0]->load(state, start_k, &err));
  test_rank_require(comm, !hs_distributed_list()[0]->sweep(state, 10 * GHOST, &err));
  test_rank_require(comm, (overlapped_passes > 0.0) == timing->tried);
  passes = overlapped_passes;
  test_rank_require(comm, !hs_distributed_list()[0]->sweep(state, 10 * GHOST, &err));
  test_rank_require(comm, (overlapped_passes > passes) == timing->kept);
  exchanges = 0;
  for (int call = 0; call < 10; call++)
    test_rank_require(comm, !hs_distributed_list()[0]->sweep(state, 2 * GHOST + 1, &err));
  test_rank_require(comm, exchanges <= 10 * (2 * GHOST + 1) / GHOST + 1);
  hs_distributed_destroy(state);
  comm->transport = threads;
  hs_system_destroy(s);
  hs_problem_destroy(problem);
  free(start_k);
}

static void choose(double pass_s, double exchange_s, bool tried, bool kept)
{
  struct timing made = {pass_s, exchange_s, tried, kept};
  test_ranks_run(2, body, &made);
}

/* Strips are 96 of 352 rows: they cost 0.27 of a pass, and hide what an exchange takes. */
static void passes_that_are_faster_are_kept_to(void **state)
{
  (void)state;
  choose(10.0, 8.0, true, true);
  choose(10.0, 4.0, true, true);
  choose(10.0, 2.0, true, false);
  choose(10.0, 1.2, true, false);
}

static void an_exchange_that_hardly_counts_is_not_overlapped(void **state)
{
  (void)state;
  choose(10.0, 0.5, false, false);
  choose(10.0, 0.0, false, false);
}

/* Less than a twentieth is not worth strips. */
static void a_gain_must_be_worth_it(void **state)
{
  (void)state;
  choose(10.0, 3.0, true, false);
  choose(10.0, 3.6, true, true);
}

/* --- memory ---------------------------------------------------------------------------------- */

static void memory_body(struct hs_comm *comm, void *context)
{
  const struct hs_config *config = context;
  struct hs_subdomain subdomain = hs_problem_whole(config);
  struct hs_backend_options options = {.threads = 1, .spread = {.subdomain = &subdomain}}, never = options;
  const struct hs_backend *backend = hs_distributed_list()[1];
  struct hs_problem *problem = NULL;
  struct hs_system *s = NULL;
  struct hs_backend_state *state = NULL;
  struct hs_error err = {0};
  const bool implicit = config->time.scheme == HS_SCHEME_BACKWARD_EULER;
  double foretold;
  never.testing.overlap = -1;
  subdomain.comm = comm;
  subdomain.part = hs_comm_rank(comm);
  subdomain.partition.count_y = hs_comm_size(comm);
  subdomain.partition.ghost = GHOST;
  test_rank_require(comm, !hs_problem_create(config, &subdomain, &problem, &err));
  test_rank_require(comm, !hs_problem_build_system(problem, &s, &err));
  foretold = backend->cost(s, &options).host_bytes - backend->cost(s, &never).host_bytes;
  test_rank_require(comm, !backend->create(s, &options, &state, &err));
  given_bytes = 0;
  if (!implicit) test_rank_require(comm, !hs_strips_create(hs_distributed_state(state), GHOST, &err));
  /* what threads take for rows has no place in forecasts */
  test_rank_require(comm, foretold >= 0.95 * (double)given_bytes && foretold <= 1.3 * (double)given_bytes);
  test_rank_require(comm, (given_bytes == 0) == implicit);
  backend->destroy(state);
  hs_system_destroy(s);
  hs_problem_destroy(problem);
}

static void memory_of_strips_is_foretold(void **state)
{
  struct hs_config config = test_config(30 * NX, NY);
  struct hs_config_source source = test_source_everywhere(1.0);
  (void)state;
  test_ranks_run(2, memory_body, &config);
  config.sources = &source;
  config.source_count = 1;
  test_ranks_run(2, memory_body, &config);
  config.materials[0].density_kg_m3 = config.materials[0].heat_capacity_j_kgk = 1.0;
  config.time.scheme = HS_SCHEME_EXPLICIT;
  config.time.step_s = config.time.end_s = 1e-7;
  test_ranks_run(2, memory_body, &config);
  config.time.scheme = HS_SCHEME_BACKWARD_EULER; /* implicit steps have no strips */
  test_ranks_run(2, memory_body, &config);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(passes_that_are_faster_are_kept_to),
      cmocka_unit_test(an_exchange_that_hardly_counts_is_not_overlapped),
      cmocka_unit_test(a_gain_must_be_worth_it),
      cmocka_unit_test(memory_of_strips_is_foretold),
  };
  return cmocka_run_group_tests_name("trial of passes", tests, NULL, NULL);
}
