/* The ranks of a job: one where the program was started alone, and then nothing has to be carried anywhere. */
#include "comm/comm.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "comm/transport.h"
#include "comm/watch.h"

static const struct hs_comm alone = {.size = 1, .local_size = 1, .processor_ranks = 1};

/* Nothing is written to it: no operation is under way where there is one rank. */
struct hs_comm *hs_comm_alone(void)
{
  return (struct hs_comm *)(uintptr_t)&alone;
}

void hs_comm_library(char name[HS_COMM_LIBRARY])
{
  snprintf(name, HS_COMM_LIBRARY, "without MPI");
  if (hs_transport) hs_transport->library(name);
}

bool hs_comm_can(void)
{
  return hs_transport != NULL;
}

/* A number of 0 or more in the environment, or -1. */
static int environment_number(const char *name)
{
  const char *text = getenv(name);
  const long number = text && *text ? strtol(text, NULL, 10) : -1;
  return number >= 0 && number < INT_MAX ? (int)number : -1;
}

/* mpirun and srun set one of `names`, NULL-terminated; else -1. */
static int launcher_number(const char *const *names)
{
  int number = -1;
  for (; *names && number < 0; names++) number = environment_number(*names);
  return number;
}

/* Were the processes started by srun alone, which tells them nothing of each other? */
static bool strangers(void)
{
  return environment_number("SLURM_STEP_NUM_TASKS") > 1 && !getenv("PMIX_RANK") && !getenv("PMI_RANK") &&
         !getenv("OMPI_COMM_WORLD_SIZE");
}

int hs_comm_launched_together(int *rank)
{
  *rank = 0;
  return strangers() ? 1 : hs_comm_launched(rank);
}

int hs_comm_launched(int *rank)
{
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", NULL};
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID", NULL};
  const int size = launcher_number(sizes), number = launcher_number(ranks);
  *rank = size > 1 && number > 0 ? number : 0;
  return size > 1 ? size : 1;
}

/* mpirun ends the job as soon as the first process has told and exited; where it does not, that one has had nothing to tell. srun
 * may be told to end it, too, but need not. */
bool hs_comm_first_tells(void)
{
  const bool slurm = environment_number("SLURM_STEP_NUM_TASKS") > 1 && !getenv("OMPI_COMM_WORLD_SIZE");
  const struct timespec patience = slurm ? (struct timespec){.tv_nsec = 500000000} : (struct timespec){.tv_sec = 5};
  sigset_t end;
  int rank;
  (void)hs_comm_launched_together(&rank);
  if (rank == 0) return false;
  (void)sigemptyset(&end);
  (void)sigaddset(&end, SIGTERM);
  (void)sigprocmask(SIG_BLOCK, &end, NULL);
  return sigtimedwait(&end, NULL, &patience) == SIGTERM || slurm;
}

/* Several processes that would not find each other. */
static hs_status launch_check(int ranks, struct hs_error *err)
{
  if (!hs_transport)
    return hs_error_set(
        err, HS_ERR_UNSUPPORTED,
        "this was started as one of %d ranks, and heatsolve was built without MPI, so that each of them "
        "would do the whole work: start it once, or build it with MPI (./configure --with-mpi)",
        ranks);
  if (strangers())
    return hs_error_set(err, HS_ERR_UNSUPPORTED,
                        "srun started %d processes that do not know of each other; add --mpi=pmix to srun (`srun "
                        "--mpi=list` says what there is), or start one process",
                        ranks);
  return HS_OK;
}

static hs_status join(struct hs_comm *c, double wait_s, int ranks, struct hs_error *err)
{
  char library[HS_COMM_LIBRARY];
  hs_status status = hs_watch_start(wait_s, ranks, &c->watch, err);
  if (!status) status = c->transport->join(c, err);
  hs_comm_library(library);
  if (!status && c->size != ranks)
    return hs_error_set(
        err, HS_ERR_UNSUPPORTED,
        "the launcher speaks of %d ranks, and %s finds %d: start heatsolve by the mpirun, or the --mpi of "
        "srun, of the MPI that it was built with (`heatsolve --version` names it)",
        ranks, library, c->size);
  return status ? status : hs_watch_join(c->watch, c, err);
}

hs_status hs_comm_create(double wait_s, struct hs_comm **comm, struct hs_error *err)
{
  int rank;
  const int ranks = hs_comm_launched(&rank), wait_given_s = environment_number("HEATSOLVE_RANKS_WAIT");
  struct hs_comm *c;
  hs_status status;
  *comm = hs_comm_alone();
  if (ranks <= 1) return HS_OK;
  status = launch_check(ranks, err);
  if (status) return status;
  c = calloc(1, sizeof *c);
  if (!c) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left");
  c->transport = hs_transport;
  (void)gethostname(c->host, sizeof c->host - 1);
  status = join(c, wait_given_s > 0 ? wait_given_s : wait_s, ranks, err);
  if (status) {
    free(c->under_way);
    free(c);
    return status;
  }
  *comm = c;
  return HS_OK;
}

void hs_comm_destroy(struct hs_comm *comm)
{
  if (!comm || comm == &alone) return;
  (void)hs_comm_barrier(comm, NULL);
  hs_watch_stop(comm->watch);
  comm->transport->leave();
  free(comm->under_way);
  free(comm);
}

void hs_comm_fail(struct hs_comm *comm, int exit_code, const char *sentence)
{
  if (comm && comm->size > 1) hs_watch_fail(comm->watch, exit_code, sentence);
}

int hs_comm_rank(const struct hs_comm *comm)
{
  return comm->rank;
}

int hs_comm_size(const struct hs_comm *comm)
{
  return comm->size;
}

int hs_comm_local_rank(const struct hs_comm *comm)
{
  return comm->local_rank;
}

int hs_comm_local_size(const struct hs_comm *comm)
{
  return comm->local_size;
}

int hs_comm_processor_ranks(const struct hs_comm *comm)
{
  return comm->processor_ranks;
}

hs_status hs_comm_largest(struct hs_comm *comm, double *values, int count, struct hs_error *err)
{
  return comm->size == 1 ? HS_OK : comm->transport->largest(comm, values, count, err);
}

hs_status hs_comm_sum(struct hs_comm *comm, double *values, int count, struct hs_error *err)
{
  return comm->size == 1 ? HS_OK : comm->transport->sum(comm, values, count, err);
}

hs_status hs_comm_count(struct hs_comm *comm, int64_t *counts, int count, struct hs_error *err)
{
  return comm->size == 1 ? HS_OK : comm->transport->count(comm, counts, count, err);
}

hs_status hs_comm_any(struct hs_comm *comm, bool *flags, int count, struct hs_error *err)
{
  double said[HS_COMM_FLAGS_MOST];
  hs_status status;
  if (comm->size == 1) return HS_OK;
  for (int k = 0; k < count; k++) said[k] = flags[k];
  status = hs_comm_largest(comm, said, count, err);
  for (int k = 0; !status && k < count; k++) flags[k] = said[k] > 0.0;
  return status;
}

hs_status hs_comm_broadcast(struct hs_comm *comm, int root, void *data, size_t bytes, struct hs_error *err)
{
  return comm->size == 1 ? HS_OK : comm->transport->broadcast(comm, root, data, bytes, err);
}

hs_status hs_comm_gather(struct hs_comm *comm, const void *mine, size_t bytes, void *all, struct hs_error *err)
{
  if (comm->size > 1) return comm->transport->gather(comm, mine, bytes, all, err);
  memmove(all, mine, bytes);
  return HS_OK;
}

hs_status hs_comm_exchange_reserve(struct hs_comm *comm, const struct hs_message *messages, int count,
                                   struct hs_error *err)
{
  return comm->size == 1 ? HS_OK : comm->transport->exchange_reserve(comm, messages, count, err);
}

hs_status hs_comm_exchange_begin(struct hs_comm *comm, const struct hs_message *messages, int count, bool background,
                                 struct hs_error *err)
{
  if (comm->size == 1)
    return count == 0 ? HS_OK : hs_error_set(err, HS_ERR_INTERNAL, "a message to another rank, and there is none");
  return comm->transport->exchange_begin(comm, messages, count, background, err);
}

hs_status hs_comm_exchange_end(struct hs_comm *comm, struct hs_error *err)
{
  return comm->size == 1 ? HS_OK : comm->transport->exchange_end(comm, err);
}

hs_status hs_comm_exchange(struct hs_comm *comm, const struct hs_message *messages, int count, struct hs_error *err)
{
  const hs_status status = hs_comm_exchange_begin(comm, messages, count, false, err);
  return status ? status : hs_comm_exchange_end(comm, err);
}

hs_status hs_comm_barrier(struct hs_comm *comm, struct hs_error *err)
{
  return comm->size == 1 ? HS_OK : comm->transport->barrier(comm, err);
}

hs_status hs_comm_agree(struct hs_comm *comm, hs_status status, struct hs_error *err)
{
  double first = status ? -comm->rank : -comm->size; /* the largest is that of the lowest rank which failed */
  struct hs_error failure = {.status = status};
  hs_status carried;
  if (comm->size == 1) return status;
  if (status && err) memcpy(failure.text, err->text, sizeof failure.text);
  carried = hs_comm_largest(comm, &first, 1, err);
  if (carried || first == -comm->size) return carried;
  carried = hs_comm_broadcast(comm, -(int)first, &failure, sizeof failure, err);
  if (carried) return carried;
  if (err) *err = failure;
  return failure.status;
}
