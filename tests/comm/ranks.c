#include "comm/ranks.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "comm/transport.h"

enum { RANKS_MOST = 256, PATIENCE_S = 120 };

/* A message that was sent and not yet received. */
struct parcel {
  int from, to, tag;
  size_t bytes;
  void *data;
  struct parcel *next;
};

struct team {
  int size;
  pthread_mutex_t turn; /* whoever has it computes, and may touch the rest */
  pthread_cond_t changed;
  int arrived; /* ranks that are in the present meeting */
  int64_t meetings;
  const char *operation; /* of the present meeting */
  const void *shown[RANKS_MOST];
  struct parcel *parcels; /* the oldest first */
  void (*body)(struct hs_comm *comm, void *context);
  void *context;
};

struct rank {
  struct hs_comm comm; /* the first member: operations get a pointer to it */
  struct team *team;
  pthread_t thread;
  const struct hs_message *messages; /* [message_count] of the exchange that is under way */
  int message_count;
  int room; /* for messages, as reserved */
};

static void give_up(const struct hs_comm *comm, const char *why, const char *operation)
{
  fprintf(stderr, "rank %d of %d: %s (%s)\n", comm->rank, comm->size, why, operation);
  abort();
}

/* Lets others compute until something has changed. */
static void wait_for_change(struct rank *rank, const char *operation)
{
  struct timespec until;
  (void)clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += PATIENCE_S;
  if (pthread_cond_timedwait(&rank->team->changed, &rank->team->turn, &until) == ETIMEDOUT)
    give_up(&rank->comm, "waits for others in vain", operation);
}

/* All ranks meet. */
static void meet(struct rank *rank, const char *operation)
{
  struct team *team = rank->team;
  const int64_t meeting = team->meetings;
  if (team->arrived == 0) team->operation = operation;
  if (strcmp(team->operation, operation) != 0) give_up(&rank->comm, "meets others in another operation", operation);
  if (++team->arrived == team->size) {
    team->arrived = 0;
    team->meetings++;
    (void)pthread_cond_broadcast(&team->changed);
  }
  while (team->meetings == meeting) wait_for_change(rank, operation);
}

/* All ranks meet, and can see what each shows until they have met again. */
static void show(struct rank *rank, const char *operation, const void *shown)
{
  rank->team->shown[rank->comm.rank] = shown;
  meet(rank, operation);
}

/* --- the operations ------------------------------------------------------------------------------ */

enum { NUMBERS_MOST = 1024 };

static void threads_library(char name[HS_COMM_LIBRARY])
{
  snprintf(name, HS_COMM_LIBRARY, "threads");
}

static hs_status threads_largest(struct hs_comm *comm, double *values, int count, struct hs_error *err)
{
  struct rank *rank = (struct rank *)comm;
  double largest[NUMBERS_MOST];
  (void)err;
  if (count > NUMBERS_MOST) give_up(comm, "more numbers than expected", "largest");
  show(rank, "largest", values);
  memcpy(largest, rank->team->shown[0], (size_t)count * sizeof *largest);
  for (int r = 1; r < comm->size; r++) {
    const double *other = rank->team->shown[r];
    for (int k = 0; k < count; k++)
      if (other[k] > largest[k]) largest[k] = other[k];
  }
  meet(rank, "largest");
  memcpy(values, largest, (size_t)count * sizeof *values);
  return HS_OK;
}

/* In another order at each meeting: the result must not depend on it. */
static hs_status threads_sum(struct hs_comm *comm, double *values, int count, struct hs_error *err)
{
  struct rank *rank = (struct rank *)comm;
  double *sum = calloc((size_t)count + 1, sizeof *sum);
  int64_t first;
  (void)err;
  if (!sum) give_up(comm, "no memory is left", "sum");
  show(rank, "sum", values);
  first = rank->team->meetings / 2;
  for (int r = 0; r < comm->size; r++) {
    const double *other = rank->team->shown[(first + r) % comm->size];
    for (int k = 0; k < count; k++) sum[k] = r ? sum[k] + other[k] : other[k];
  }
  meet(rank, "sum");
  memcpy(values, sum, (size_t)count * sizeof *values);
  free(sum);
  return HS_OK;
}

static hs_status threads_count(struct hs_comm *comm, int64_t *counts, int count, struct hs_error *err)
{
  struct rank *rank = (struct rank *)comm;
  int64_t *sum = calloc((size_t)count + 1, sizeof *sum);
  (void)err;
  if (!sum) give_up(comm, "no memory is left", "count");
  show(rank, "count", counts);
  for (int r = 0; r < comm->size; r++) {
    const int64_t *other = rank->team->shown[r];
    for (int k = 0; k < count; k++) sum[k] += other[k];
  }
  meet(rank, "count");
  memcpy(counts, sum, (size_t)count * sizeof *counts);
  free(sum);
  return HS_OK;
}

static hs_status threads_broadcast(struct hs_comm *comm, int root, void *data, size_t bytes, struct hs_error *err)
{
  struct rank *rank = (struct rank *)comm;
  (void)err;
  show(rank, "broadcast", data);
  if (comm->rank != root) memcpy(data, rank->team->shown[root], bytes);
  meet(rank, "broadcast");
  return HS_OK;
}

static hs_status threads_gather(struct hs_comm *comm, const void *mine, size_t bytes, void *all, struct hs_error *err)
{
  struct rank *rank = (struct rank *)comm;
  (void)err;
  show(rank, "gather", mine);
  for (int r = 0; r < comm->size; r++) memmove((char *)all + (size_t)r * bytes, rank->team->shown[r], bytes);
  meet(rank, "gather");
  return HS_OK;
}

static void parcel_send(struct rank *rank, const struct hs_message *m)
{
  struct parcel **end = &rank->team->parcels, *parcel = malloc(sizeof *parcel);
  void *data = malloc(m->send_bytes);
  if (!parcel || !data) give_up(&rank->comm, "no memory", "exchange");
  memcpy(data, m->send, m->send_bytes);
  *parcel = (struct parcel){rank->comm.rank, m->peer, m->tag, m->send_bytes, data, NULL};
  while (*end) end = &(*end)->next;
  *end = parcel;
  (void)pthread_cond_broadcast(&rank->team->changed);
}

/* The oldest parcel for that message, or NULL. */
static struct parcel **parcel_find(struct rank *rank, const struct hs_message *m)
{
  struct parcel **parcel = &rank->team->parcels;
  while (*parcel &&
         ((*parcel)->from != m->peer || (*parcel)->to != rank->comm.rank || (*parcel)->tag != m->receive_tag))
    parcel = &(*parcel)->next;
  return *parcel ? parcel : NULL;
}

static void parcel_receive(struct rank *rank, const struct hs_message *m)
{
  struct parcel **place = parcel_find(rank, m), *parcel;
  for (; !place; place = parcel_find(rank, m)) wait_for_change(rank, "exchange");
  parcel = *place;
  if (parcel->bytes != m->receive_bytes) give_up(&rank->comm, "gets a message of another size", "exchange");
  memcpy(m->receive, parcel->data, parcel->bytes);
  *place = parcel->next;
  free(parcel->data);
  free(parcel);
}

static hs_status threads_exchange_reserve(struct hs_comm *comm, const struct hs_message *messages, int count,
                                          struct hs_error *err)
{
  struct rank *rank = (struct rank *)comm;
  (void)messages;
  (void)err;
  if (count > rank->room) rank->room = count;
  return HS_OK;
}

/* What is sent is read at the end, and where it is received are other bytes until then: both are free to. */
static hs_status threads_exchange_begin(struct hs_comm *comm, const struct hs_message *messages, int count,
                                        bool background, struct hs_error *err)
{
  struct rank *rank = (struct rank *)comm;
  (void)background;
  (void)err;
  if (count > rank->room) give_up(comm, "has no room for its messages", "exchange");
  for (int k = 0; k < count; k++)
    if (messages[k].receive_bytes) memset(messages[k].receive, 0xff, messages[k].receive_bytes);
  rank->messages = messages;
  rank->message_count = count;
  return HS_OK;
}

static hs_status threads_exchange_end(struct hs_comm *comm, struct hs_error *err)
{
  struct rank *rank = (struct rank *)comm;
  (void)err;
  for (int k = 0; k < rank->message_count; k++)
    if (rank->messages[k].send_bytes) parcel_send(rank, &rank->messages[k]);
  for (int k = 0; k < rank->message_count; k++)
    if (rank->messages[k].receive_bytes) parcel_receive(rank, &rank->messages[k]);
  rank->message_count = 0;
  return HS_OK;
}

static hs_status threads_barrier(struct hs_comm *comm, struct hs_error *err)
{
  (void)err;
  meet((struct rank *)comm, "barrier");
  return HS_OK;
}

static const struct hs_transport threads = {
    .library = threads_library,
    .largest = threads_largest,
    .sum = threads_sum,
    .count = threads_count,
    .broadcast = threads_broadcast,
    .gather = threads_gather,
    .exchange_reserve = threads_exchange_reserve,
    .exchange_begin = threads_exchange_begin,
    .exchange_end = threads_exchange_end,
    .barrier = threads_barrier,
};

/* --- the ranks ----------------------------------------------------------------------------------- */

static void *rank_run(void *argument)
{
  struct rank *rank = argument;
  struct team *team = rank->team;
  (void)pthread_mutex_lock(&team->turn);
  team->body(&rank->comm, team->context);
  (void)pthread_mutex_unlock(&team->turn);
  return NULL;
}

void test_ranks_run(int ranks, void (*body)(struct hs_comm *comm, void *context), void *context)
{
  struct team team = {.size = ranks, .body = body, .context = context};
  struct rank *all = calloc((size_t)ranks, sizeof *all);
  (void)pthread_mutex_init(&team.turn, NULL);
  (void)pthread_cond_init(&team.changed, NULL);
  if (!all || ranks > RANKS_MOST) abort();
  for (int r = 0; r < ranks; r++) {
    all[r].comm = (struct hs_comm){.rank = r,
                                   .size = ranks,
                                   .local_rank = r,
                                   .local_size = ranks,
                                   .processor_ranks = ranks,
                                   .host = "here",
                                   .transport = &threads};
    all[r].team = &team;
    if (pthread_create(&all[r].thread, NULL, rank_run, &all[r])) abort();
  }
  for (int r = 0; r < ranks; r++) (void)pthread_join(all[r].thread, NULL);
  if (team.parcels) give_up(&all[0].comm, "a message was sent that nobody received", "exchange");
  (void)pthread_cond_destroy(&team.changed);
  (void)pthread_mutex_destroy(&team.turn);
  free(all);
}

void test_rank_require_at(const struct hs_comm *comm, bool holds, const char *condition, const char *file, int line)
{
  if (holds) return;
  fprintf(stderr, "%s:%d: rank %d of %d: not true: %s\n", file, line, hs_comm_rank(comm), hs_comm_size(comm),
          condition);
  abort();
}
