/* What ranks tell each other (src/comm/comm.h), between threads in place of processes; under mpirun (tests/comm/mpi.sh) between
 * its processes. */
#include "comm/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/ranks.h"
#include "support.h"

static const int sizes[] = {1, 2, 3, 4, 7};

static void on_every_size(void (*body)(struct hs_comm *comm, void *context))
{
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) test_ranks_run(sizes[k], body, NULL);
}

static void numbers_body(struct hs_comm *comm, void *context)
{
  const int rank = hs_comm_rank(comm), size = hs_comm_size(comm);
  double largest[2] = {rank, -rank}, sum[2] = {rank, 0.5};
  int64_t counts[2] = {1, INT64_C(1) << (40 + rank)};
  (void)context;
  test_rank_require(comm, hs_comm_largest(comm, largest, 2, NULL) == HS_OK);
  test_rank_require(comm, largest[0] == size - 1 && largest[1] == 0.0);
  test_rank_require(comm, hs_comm_sum(comm, sum, 2, NULL) == HS_OK);
  test_rank_require(comm, sum[0] == size * (size - 1) / 2 && sum[1] == 0.5 * size);
  test_rank_require(comm, hs_comm_count(comm, counts, 2, NULL) == HS_OK);
  test_rank_require(comm, counts[0] == size && counts[1] == ((INT64_C(1) << size) - 1) << 40);
}

static void numbers_of_all_ranks(void **state)
{
  (void)state;
  on_every_size(numbers_body);
}

static void flags_body(struct hs_comm *comm, void *context)
{
  const int rank = hs_comm_rank(comm), size = hs_comm_size(comm);
  bool flags[3] = {rank == size - 1, false, true};
  (void)context;
  test_rank_require(comm, hs_comm_any(comm, flags, 3, NULL) == HS_OK);
  test_rank_require(comm, flags[0] && !flags[1] && flags[2]);
}

static void flags_of_any_rank(void **state)
{
  (void)state;
  on_every_size(flags_body);
}

static void bytes_body(struct hs_comm *comm, void *context)
{
  const int rank = hs_comm_rank(comm), size = hs_comm_size(comm);
  int all[16] = {0}, mine = 10 + rank, word = rank;
  (void)context;
  test_rank_require(comm, hs_comm_gather(comm, &mine, sizeof mine, all, NULL) == HS_OK);
  for (int r = 0; r < size; r++) test_rank_require(comm, all[r] == 10 + r);
  test_rank_require(comm, hs_comm_broadcast(comm, size - 1, &word, sizeof word, NULL) == HS_OK);
  test_rank_require(comm, word == size - 1);
  test_rank_require(comm, hs_comm_barrier(comm, NULL) == HS_OK);
}

static void bytes_of_one_rank_and_of_all(void **state)
{
  (void)state;
  on_every_size(bytes_body);
}

/* A ring, both ways, where the tag of a message is that of its direction; two ranks have two messages each way. */
static void ring_body(struct hs_comm *comm, void *context)
{
  enum { EAST, WEST };
  const int rank = hs_comm_rank(comm), size = hs_comm_size(comm);
  const int east = (rank + 1) % size, west = (rank + size - 1) % size;
  const int to_east[2] = {rank, EAST}, to_west[2] = {rank, WEST};
  int from_east[2] = {-1, -1}, from_west[2] = {-1, -1};
  const struct hs_message messages[2] = {
      {east, to_east, from_east, sizeof to_east, sizeof from_east, EAST, WEST},
      {west, to_west, from_west, sizeof to_west, sizeof from_west, WEST, EAST},
  };
  (void)context;
  test_rank_require(comm, hs_comm_exchange_reserve(comm, messages, size > 1 ? 2 : 0, NULL) == HS_OK);
  test_rank_require(comm, hs_comm_exchange(comm, messages, size > 1 ? 2 : 0, NULL) == HS_OK);
  if (size == 1) return;
  test_rank_require(comm, from_east[0] == east && from_east[1] == WEST);
  test_rank_require(comm, from_west[0] == west && from_west[1] == EAST);
}

static void messages_between_neighbours(void **state)
{
  (void)state;
  on_every_size(ring_body);
}

enum { MANY = 300 };

/* Many messages to the next rank; there is room for no more than were reserved. */
static void many_body(struct hs_comm *comm, void *context)
{
  const int rank = hs_comm_rank(comm), size = hs_comm_size(comm), next = (rank + 1) % size;
  const int before = (rank + size - 1) % size;
  static _Thread_local int sent[MANY], received[MANY];
  static _Thread_local struct hs_message messages[2 * MANY];
  const int count = size > 1 ? 2 * MANY : 0;
  (void)context;
  for (int k = 0; k < MANY; k++) {
    sent[k] = MANY * rank + k;
    messages[k] = (struct hs_message){.peer = next, .send = &sent[k], .send_bytes = sizeof sent[k], .tag = k};
    messages[MANY + k] = (struct hs_message){
        .peer = before, .receive = &received[k], .receive_bytes = sizeof received[k], .receive_tag = k};
  }
  test_rank_require(comm, hs_comm_exchange_reserve(comm, messages, count, NULL) == HS_OK);
  test_rank_require(comm, hs_comm_exchange(comm, messages, count, NULL) == HS_OK);
  for (int k = 0; k < count / 2; k++) test_rank_require(comm, received[k] == MANY * before + k);
}

static void many_messages(void **state)
{
  (void)state;
  on_every_size(many_body);
}

/* Ranks of `failing`, bit by bit, have failed. */
static void agree_body(struct hs_comm *comm, void *context)
{
  const unsigned failing = *(const unsigned *)context;
  const int rank = hs_comm_rank(comm);
  struct hs_error err = {0};
  hs_status status = HS_OK;
  int lowest = 0;
  if (failing >> rank & 1)
    status = hs_error_set(&err, rank % 2 ? HS_ERR_IO : HS_ERR_CONFIG, "rank %d has no file", rank);
  status = hs_comm_agree(comm, status, &err);
  if (failing == 0) {
    test_rank_require(comm, status == HS_OK && err.text[0] == '\0');
    return;
  }
  while (!(failing >> lowest & 1)) lowest++;
  test_rank_require(comm, status == (lowest % 2 ? HS_ERR_IO : HS_ERR_CONFIG) && err.status == status);
  test_rank_require(comm, err.text[5] == '0' + lowest && !strcmp(err.text + 6, " has no file"));
}

static void the_lowest_failure_is_that_of_all(void **state)
{
  (void)state;
  for (int ranks = 1; ranks <= 4; ranks++)
    for (unsigned failing = 0; failing < 1u << ranks; failing++) test_ranks_run(ranks, agree_body, &failing);
}

static void agree_silent_body(struct hs_comm *comm, void *context)
{
  (void)context;
  test_rank_require(comm, hs_comm_agree(comm, hs_comm_rank(comm) == 1 ? HS_ERR_MEMORY : HS_OK, NULL) == HS_ERR_MEMORY);
}

static void a_failure_needs_no_sentence(void **state)
{
  (void)state;
  test_ranks_run(3, agree_silent_body, NULL);
}

static void a_program_started_alone_is_one_rank(void **state)
{
  struct hs_comm *comm = NULL;
  const struct hs_message message = {0};
  struct hs_error err = {0};
  (void)state;
  test_ok(hs_comm_create(1.0, &comm, &err), &err);
  assert_ptr_equal(comm, hs_comm_alone());
  assert_int_equal(hs_comm_rank(comm), 0);
  assert_int_equal(hs_comm_size(comm), 1);
  assert_int_equal(hs_comm_local_rank(comm), 0);
  assert_int_equal(hs_comm_local_size(comm), 1);
  assert_int_equal(hs_comm_processor_ranks(comm), 1);
  assert_int_equal(hs_comm_exchange(comm, &message, 1, &err), HS_ERR_INTERNAL);
  hs_comm_fail(comm, HS_EXIT_IO, "returns");
  hs_comm_destroy(comm);
}

/* The processes that mpirun has started. */
static int launched_run(void)
{
  const unsigned second = 2;
  struct hs_error err = {0};
  struct hs_comm *comm = NULL;
  int word = 1;
  struct hs_message message = {.send = &word, .send_bytes = sizeof word};
  if (hs_comm_create(30.0, &comm, &err)) {
    fprintf(stderr, "%s\n", err.text);
    return 1;
  }
  message.peer = (hs_comm_rank(comm) + 1) % hs_comm_size(comm);
  test_rank_require(comm, hs_comm_exchange(comm, &message, 1, &err) == HS_ERR_INTERNAL);
  numbers_body(comm, NULL);
  flags_body(comm, NULL);
  bytes_body(comm, NULL);
  ring_body(comm, NULL);
  many_body(comm, NULL);
  agree_body(comm, (void *)&second);
  printf("rank %d of %d: all there\n", hs_comm_rank(comm), hs_comm_size(comm));
  hs_comm_destroy(comm);
  return 0;
}

int main(void)
{
  int rank;
  if (hs_comm_launched(&rank) > 1) return launched_run();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_program_started_alone_is_one_rank),
      cmocka_unit_test(numbers_of_all_ranks),

      cmocka_unit_test(flags_of_any_rank),
      cmocka_unit_test(bytes_of_one_rank_and_of_all),
      cmocka_unit_test(messages_between_neighbours),
      cmocka_unit_test(many_messages),
      cmocka_unit_test(the_lowest_failure_is_that_of_all),
      cmocka_unit_test(a_failure_needs_no_sentence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
