/* Messages between the GPUs of different ranks, by NCCL, which is loaded when it is first asked for: a program starts without it,
 * and ranks then send by way of the host.
 *
 * Communicators do not block: a rank polls while NCCL is at work, and the watch (comm/watch.h) ends all ranks when one dies, so
 * that none waits in NCCL for a rank that is gone.
 */
#ifndef HS_COMM_NCCL_H
#define HS_COMM_NCCL_H

#include "comm/comm.h"

struct hs_nccl;

/* Joins the GPUs that are the present devices of all ranks of comm, one each. Collective; *nccl is NULL, and `why` says why, on
 * all ranks alike, where the library is missing somewhere, ranks share a GPU (alone: this rank has one of its own), or NCCL
 * cannot start within wait_s seconds. Errors: those of comm. */
hs_status hs_nccl_create(struct hs_comm *comm, bool alone, double wait_s, struct hs_nccl **nccl, char why[200],
                         struct hs_error *err);

/* Messages as those of hs_comm_exchange, between memory of the GPUs, on the CUDA stream `stream`: under way on return. Those
 * between two ranks are sent and received in one order on both sides; tags do not count. Errors: HS_ERR_DEVICE. */
hs_status hs_nccl_exchange(struct hs_nccl *nccl, const struct hs_message *messages, int count, void *stream,
                           struct hs_error *err);

void hs_nccl_destroy(struct hs_nccl *nccl); /* NULL is accepted */

#endif
