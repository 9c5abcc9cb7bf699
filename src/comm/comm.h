/* Ranks: the processes of one run, and what they tell each other.
 *
 * A program that was started alone is one rank, and everything here is done at once. Under a launcher (mpirun, srun) there
 * are several; comm/none or comm/mpi is built. Operations between ranks are collective: every rank calls them, in one order,
 * and all of them give every rank the same bits. A rank that dies ends the job (comm/watch.h), so that an error of these
 * operations needs no agreement; a failure of anything else does (hs_comm_agree). Errors: HS_ERR_IO with a sentence.
 */
#ifndef HS_COMM_COMM_H
#define HS_COMM_COMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct hs_comm;

/* Joins the other ranks of this job, once in a process, from its main thread. wait_s: the longest wait for ranks that do not
 * come, unless HEATSOLVE_RANKS_WAIT in the environment gives another number of seconds. *comm is owned by the caller. Errors:
 * HS_ERR_UNSUPPORTED (started as several ranks, and built without MPI), HS_ERR_IO. */
hs_status hs_comm_create(double wait_s, struct hs_comm **comm, struct hs_error *err);

/* How many processes mpirun or srun says that it has started, and which of them this one is, from 0; 1 where it was started
 * alone. Joins nobody. */
int hs_comm_launched(int *rank);

/* The same of processes that can meet: 1 where srun has started them without PMI, each for itself. */
int hs_comm_launched_together(int *rank);

/* A failure that every process meets, before they have met each other: does the first one tell it? Waits for the end of the job,
 * which launchers order when a process fails, and which no word of the first one outlives. false: this process is to tell. */
bool hs_comm_first_tells(void);

/* The one rank of a program that was started alone; not to be destroyed. */
struct hs_comm *hs_comm_alone(void);

/* Leaves the other ranks in good order, all of them at the same time. NULL is accepted. */
void hs_comm_destroy(struct hs_comm *comm);

/* Ends all ranks because this one has failed: one sentence is printed, that of the rank which failed first, and every rank
 * exits with that rank's code. Does not return where there are several ranks; nothing happens where there is one. */
void hs_comm_fail(struct hs_comm *comm, int exit_code, const char *sentence);

/* How MPI was built in: "OpenMPI 4.1.4", or "without MPI". */
enum { HS_COMM_LIBRARY = 64 };
void hs_comm_library(char name[HS_COMM_LIBRARY]);

/* Was MPI built in, so that there can be several ranks? */
bool hs_comm_can(void);

int hs_comm_rank(const struct hs_comm *comm); /* 0 to size - 1 */
int hs_comm_size(const struct hs_comm *comm);

/* Ranks that run on the same machine as this one, and its number among them: who shares processors and devices. */
int hs_comm_local_rank(const struct hs_comm *comm);
int hs_comm_local_size(const struct hs_comm *comm);

/* How many of them, this one included, may use just the processors that it may use. */
int hs_comm_processor_ranks(const struct hs_comm *comm);

/* In place, element by element over the ranks. Sums are for numbers whose sums are exact, in whatever order. */
hs_status hs_comm_largest(struct hs_comm *comm, double *values, int count, struct hs_error *err);
hs_status hs_comm_sum(struct hs_comm *comm, double *values, int count, struct hs_error *err);
hs_status hs_comm_count(struct hs_comm *comm, int64_t *counts, int count, struct hs_error *err); /* sums of integers */

/* Does any rank say so? In place, element by element, for a few flags: what one rank alone knows, as its clock or a signal
 * that it got, becomes the decision of all. */
enum { HS_COMM_FLAGS_MOST = 8 };
hs_status hs_comm_any(struct hs_comm *comm, bool *flags, int count, struct hs_error *err);

/* `bytes` of rank `root` to all. */
hs_status hs_comm_broadcast(struct hs_comm *comm, int root, void *data, size_t bytes, struct hs_error *err);

/* `bytes` of each rank, one after another, to all: all [size*bytes]. */
hs_status hs_comm_gather(struct hs_comm *comm, const void *mine, size_t bytes, void *all, struct hs_error *err);

/* Blocks of bytes between this rank and another one, both ways at the same time. */
struct hs_message {
  int peer;
  const void *send;
  void *receive;
  size_t send_bytes, receive_bytes; /* 0: nothing in that direction */
  int tag, receive_tag;             /* tell messages between the same two ranks apart */
};

/* Room for exchanges of such messages, or of fewer and shorter ones, from now on: before the first of them, at a place where ranks
 * agree whether all have it. Errors: HS_ERR_MEMORY, on this rank alone. */
hs_status hs_comm_exchange_reserve(struct hs_comm *comm, const struct hs_message *messages, int count,
                                   struct hs_error *err);

/* Errors: also HS_ERR_INTERNAL, where there is no room. */
hs_status hs_comm_exchange(struct hs_comm *comm, const struct hs_message *messages, int count, struct hs_error *err);

/* The same in two calls, between which the caller may compute, but call nothing else of comm; and neither write nor read the
 * blocks. background: a thread of its own moves the messages on meanwhile, where MPI allows that. */
hs_status hs_comm_exchange_begin(struct hs_comm *comm, const struct hs_message *messages, int count, bool background,
                                 struct hs_error *err);
hs_status hs_comm_exchange_end(struct hs_comm *comm, struct hs_error *err);

/* Did a stage succeed that each rank has done for itself? Takes this rank's status, with its sentence in err, and gives every
 * rank the status and the sentence of the lowest rank that failed; HS_OK where none did. Collective, so that after a failure
 * of one rank no other waits for it in the next operation. */
hs_status hs_comm_agree(struct hs_comm *comm, hs_status status, struct hs_error *err);

/* Nobody goes on before all are here. */
hs_status hs_comm_barrier(struct hs_comm *comm, struct hs_error *err);

#endif
