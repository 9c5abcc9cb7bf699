/* Ranks by MPI (MPI: A Message-Passing Interface Standard, version 3.1, 2015).
 *
 * Data are sent from and to the memory of the host. A failure of MPI itself ends the process by MPI's own hand: its
 * communicators are of no use afterwards.
 */
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "comm/transport.h"

/* The exchange that is under way. */
struct hs_under_way {
  pthread_t thread; /* which moves it on */
  bool has_thread;
  atomic_bool stop;
  int count, room;
  MPI_Request requests[]; /* [room] made before, so that no rank can fail alone in an exchange */
};

static void mpi_library(char name[HS_COMM_LIBRARY])
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "MPI";
  int length = 0;
  (void)MPI_Get_library_version(text, &length);
  text[strcspn(text, ",\n")] = '\0';
  snprintf(name, HS_COMM_LIBRARY, "%.*s", HS_COMM_LIBRARY - 1, text);
}

static hs_status check(int code, const char *doing, struct hs_error *err)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code == MPI_SUCCESS) return HS_OK;
  (void)MPI_Error_string(code, text, &length);
  return hs_error_set(err, HS_ERR_IO, "MPI failed while %s: %s", doing, text);
}

enum { PROCESSORS_MOST = 8192 }; /* of a machine */

/* Which ranks of this machine may use the same processors: as bound by the launcher, or all where none is bound. */
static hs_status sharers_count(MPI_Comm here, struct hs_comm *comm, struct hs_error *err)
{
  cpu_set_t mine[PROCESSORS_MOST / CPU_SETSIZE];
  char *all = calloc((size_t)comm->local_size, sizeof mine);
  int code;
  if (!all) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left for the processors of all ranks");
  memset(mine, 0, sizeof mine);
  (void)sched_getaffinity(0, sizeof mine, mine);
  code = MPI_Allgather(mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, here);
  comm->processor_ranks = 0;
  for (int k = 0; k < comm->local_size; k++)
    comm->processor_ranks += memcmp(all + (size_t)k * sizeof mine, mine, sizeof mine) == 0;
  free(all);
  return check(code, "starting", err);
}

static hs_status mpi_join(struct hs_comm *comm, struct hs_error *err)
{
  hs_status status;
  MPI_Comm here;
  int given = 0, code;
  comm->under_way = calloc(1, sizeof *comm->under_way);
  if (!comm->under_way) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left for messages between ranks");
  code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
  if (code == MPI_SUCCESS) code = MPI_Comm_rank(MPI_COMM_WORLD, &comm->rank);
  if (code == MPI_SUCCESS) code = MPI_Comm_size(MPI_COMM_WORLD, &comm->size);
  if (code == MPI_SUCCESS)
    code = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &here);
  if (code != MPI_SUCCESS) return check(code, "starting", err);
  code = MPI_Comm_rank(here, &comm->local_rank);
  if (code == MPI_SUCCESS) code = MPI_Comm_size(here, &comm->local_size);
  status = check(code, "starting", err);
  if (!status) status = sharers_count(here, comm, err);
  (void)MPI_Comm_free(&here);
  return status;
}

static void mpi_leave(void)
{
  (void)MPI_Finalize();
}

static hs_status mpi_largest(struct hs_comm *comm, double *values, int count, struct hs_error *err)
{
  (void)comm;
  return check(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "comparing", err);
}

static hs_status mpi_sum(struct hs_comm *comm, double *values, int count, struct hs_error *err)
{
  (void)comm;
  return check(MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), "summing", err);
}

static hs_status mpi_count(struct hs_comm *comm, int64_t *counts, int count, struct hs_error *err)
{
  (void)comm;
  return check(MPI_Allreduce(MPI_IN_PLACE, counts, count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD), "counting", err);
}

/* MPI counts by int: larger blocks are sent in pieces. */
enum { PIECE = 1 << 30 };

static hs_status mpi_broadcast(struct hs_comm *comm, int root, void *data, size_t bytes, struct hs_error *err)
{
  (void)comm;
  char *at = data;
  hs_status status = HS_OK;
  while (!status && bytes > 0) {
    const int piece = bytes < PIECE ? (int)bytes : PIECE;
    status = check(MPI_Bcast(at, piece, MPI_BYTE, root, MPI_COMM_WORLD), "telling all ranks", err);
    at += piece;
    bytes -= (size_t)piece;
  }
  return status;
}

static hs_status mpi_gather(struct hs_comm *comm, const void *mine, size_t bytes, void *all, struct hs_error *err)
{
  (void)comm;
  if (bytes > INT_MAX) return hs_error_set(err, HS_ERR_INTERNAL, "a gather of more than 2 GB");
  return check(MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD), "gathering", err);
}

static int pieces(size_t bytes)
{
  return (int)((bytes + PIECE - 1) / PIECE);
}

static int piece_bytes(size_t bytes, int piece)
{
  const size_t left = bytes - (size_t)piece * PIECE;
  return left < PIECE ? (int)left : PIECE;
}

/* MPI moves messages within its calls alone: this thread makes them while the others compute. */
static void *exchange_move(void *context)
{
  struct hs_under_way *exchange = context;
  const struct timespec pause = {.tv_nsec = 20000};
  int done = 0;
  while (!done && !exchange->stop) {
    if (MPI_Testall(exchange->count, exchange->requests, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS) break;
    if (!done) (void)nanosleep(&pause, NULL);
  }
  return NULL;
}

/* Without it the exchange takes place at its end. */
static void thread_start(struct hs_under_way *exchange)
{
  sigset_t all, before;
  int given = MPI_THREAD_SINGLE;
  if (MPI_Query_thread(&given) != MPI_SUCCESS || given < MPI_THREAD_SERIALIZED) return;
  exchange->stop = false;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the main thread's */
  exchange->has_thread = pthread_create(&exchange->thread, NULL, exchange_move, exchange) == 0;
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int requests_of(const struct hs_message *messages, int count)
{
  int requests = 0;
  for (int k = 0; k < count; k++) requests += pieces(messages[k].send_bytes) + pieces(messages[k].receive_bytes);
  return requests;
}

static hs_status mpi_exchange_reserve(struct hs_comm *comm, const struct hs_message *messages, int count,
                                      struct hs_error *err)
{
  const int room = requests_of(messages, count);
  struct hs_under_way *grown;
  if (room <= comm->under_way->room) return HS_OK;
  grown = realloc(comm->under_way, sizeof *grown + (size_t)room * sizeof *grown->requests);
  if (!grown) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left for messages between ranks");
  grown->room = room;
  comm->under_way = grown;
  return HS_OK;
}

static hs_status mpi_exchange_begin(struct hs_comm *comm, const struct hs_message *messages, int count, bool background,
                                    struct hs_error *err)
{
  struct hs_under_way *exchange = comm->under_way;
  int code = MPI_SUCCESS;
  exchange->count = 0;
  if (requests_of(messages, count) > exchange->room)
    return hs_error_set(err, HS_ERR_INTERNAL, "an exchange for which no room was made");
  for (int k = 0; k < count && code == MPI_SUCCESS; k++) {
    const struct hs_message *m = &messages[k];
    for (int p = 0; p < pieces(m->receive_bytes) && code == MPI_SUCCESS; p++)
      code = MPI_Irecv((char *)m->receive + (size_t)p * PIECE, piece_bytes(m->receive_bytes, p), MPI_BYTE, m->peer,
                       m->receive_tag, MPI_COMM_WORLD, &exchange->requests[exchange->count++]);
  }
  for (int k = 0; k < count && code == MPI_SUCCESS; k++) {
    const struct hs_message *m = &messages[k];
    for (int p = 0; p < pieces(m->send_bytes) && code == MPI_SUCCESS; p++)
      code = MPI_Isend((const char *)m->send + (size_t)p * PIECE, piece_bytes(m->send_bytes, p), MPI_BYTE, m->peer,
                       m->tag, MPI_COMM_WORLD, &exchange->requests[exchange->count++]);
  }
  if (background && code == MPI_SUCCESS) thread_start(exchange);
  return check(code, "exchanging ghost nodes", err);
}

static hs_status mpi_exchange_end(struct hs_comm *comm, struct hs_error *err)
{
  struct hs_under_way *exchange = comm->under_way;
  int code;
  if (exchange->has_thread) {
    exchange->stop = true;
    (void)pthread_join(exchange->thread, NULL);
    exchange->has_thread = false;
  }
  code = MPI_Waitall(exchange->count, exchange->requests, MPI_STATUSES_IGNORE);
  exchange->count = 0;
  return check(code, "exchanging ghost nodes", err);
}

static hs_status mpi_barrier(struct hs_comm *comm, struct hs_error *err)
{
  (void)comm;
  return check(MPI_Barrier(MPI_COMM_WORLD), "waiting for the other ranks", err);
}

static const struct hs_transport mpi = {
    .library = mpi_library,
    .join = mpi_join,
    .leave = mpi_leave,
    .largest = mpi_largest,
    .sum = mpi_sum,
    .count = mpi_count,
    .broadcast = mpi_broadcast,
    .gather = mpi_gather,
    .exchange_reserve = mpi_exchange_reserve,
    .exchange_begin = mpi_exchange_begin,
    .exchange_end = mpi_exchange_end,
    .barrier = mpi_barrier,
};

const struct hs_transport *const hs_transport = &mpi;
