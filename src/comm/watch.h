/* The watch over the ranks: a rank that fails, dies or never comes ends the job within seconds.
 *
 * A thread of each rank holds a TCP connection to rank 0. A process that ends closes it, whatever ended it, and keepalive
 * probes notice a machine that is gone; rank 0 then tells all others to exit, and they do, wherever they are. Without it
 * the survivors would wait in MPI or NCCL for ever.
 */
#ifndef HS_COMM_WATCH_H
#define HS_COMM_WATCH_H

#include "base/status.h"
#include "comm/comm.h"

struct hs_watch;

/* Begins to wait for `ranks` ranks, wait_s at most, before the transport is started: the process exits with a sentence where
 * they do not come. Errors: HS_ERR_MEMORY, HS_ERR_IO (no thread). */
hs_status hs_watch_start(double wait_s, int ranks, struct hs_watch **watch, struct hs_error *err);

/* Connects this rank with the others, once the transport runs. Collective. Errors: HS_ERR_IO. */
hs_status hs_watch_join(struct hs_watch *watch, struct hs_comm *comm, struct hs_error *err);

/* The members of comm.h: ends all ranks, does not return; and the end of the watch, when all ranks have come to it. */
void hs_watch_fail(struct hs_watch *watch, int exit_code, const char *sentence);
void hs_watch_stop(struct hs_watch *watch);

#endif
