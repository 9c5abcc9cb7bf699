/* What carries data between ranks: comm/mpi.c, or nothing where heatsolve was built without MPI (comm/none.c). */
#ifndef HS_COMM_TRANSPORT_H
#define HS_COMM_TRANSPORT_H

#include "comm/comm.h"

struct hs_comm {
  int rank, size, local_rank, local_size, processor_ranks;
  char host[64];                        /* this rank's machine */
  struct hs_watch *watch;               /* comm/watch.h; NULL where there is one rank */
  const struct hs_transport *transport; /* NULL where there is one rank */
  struct hs_under_way *under_way;       /* the transport's: what is under way; freed with this */
};

/* The operations of comm.h between several ranks. */
struct hs_transport {
  void (*library)(char name[HS_COMM_LIBRARY]);
  hs_status (*join)(struct hs_comm *comm, struct hs_error *err); /* sets the numbers above */
  void (*leave)(void);
  hs_status (*largest)(struct hs_comm *comm, double *values, int count, struct hs_error *err);
  hs_status (*sum)(struct hs_comm *comm, double *values, int count, struct hs_error *err);
  hs_status (*count)(struct hs_comm *comm, int64_t *counts, int count, struct hs_error *err);
  hs_status (*broadcast)(struct hs_comm *comm, int root, void *data, size_t bytes, struct hs_error *err);
  hs_status (*gather)(struct hs_comm *comm, const void *mine, size_t bytes, void *all, struct hs_error *err);
  hs_status (*exchange_reserve)(struct hs_comm *comm, const struct hs_message *messages, int count,
                                struct hs_error *err);
  hs_status (*exchange_begin)(struct hs_comm *comm, const struct hs_message *messages, int count, bool background,
                              struct hs_error *err);
  hs_status (*exchange_end)(struct hs_comm *comm, struct hs_error *err);
  hs_status (*barrier)(struct hs_comm *comm, struct hs_error *err);
};

extern const struct hs_transport *const hs_transport; /* NULL: none was built */

#endif
