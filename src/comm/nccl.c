/* NCCL by its library's interface (NVIDIA Collective Communications Library, user guide, "API"), of which little is needed. */
#include "comm/nccl.h"

#include <dlfcn.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"

/* --- of nccl.h, version 2.14 and later -------------------------------------------------------- */

enum { SUCCESS = 0, IN_PROGRESS = 7, TYPE_CHAR = 0 };

struct unique_id {
  char internal[128];
};

/* ncclConfig_t as of 2.14: later versions know by `version` what is not there. */
struct config {
  size_t size;
  unsigned magic, version;
  int blocking;
};

typedef struct communicator *communicator;

struct library {
  int (*unique_id_get)(struct unique_id *id);
  int (*init)(communicator *comm, int ranks, struct unique_id id, int rank, struct config *config);
  int (*async_error)(communicator comm, int *result);
  int (*group_start)(void);
  int (*group_end)(void);
  int (*send)(const void *from, size_t count, int type, int peer, communicator comm, void *stream);
  int (*receive)(void *to, size_t count, int type, int peer, communicator comm, void *stream);
  const char *(*error_text)(int result);
};

struct hs_nccl {
  void *handle;
  struct library library;
  communicator communicator;
};

/* ISO C knows no conversion from data to functions; POSIX does. */
static bool symbol_find(void *handle, const char *name, void *function)
{
  void *const address = dlsym(handle, name);
  memcpy(function, &address, sizeof address);
  return address != NULL;
}

static bool library_load(struct hs_nccl *nccl, char why[200])
{
  struct library *l = &nccl->library;
  nccl->handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!nccl->handle) {
    snprintf(why, 200, "NCCL was not found (%.150s)", dlerror());
    return false;
  }
  if (symbol_find(nccl->handle, "ncclGetUniqueId", &l->unique_id_get) &&
      symbol_find(nccl->handle, "ncclCommInitRankConfig", &l->init) &&
      symbol_find(nccl->handle, "ncclCommGetAsyncError", &l->async_error) &&
      symbol_find(nccl->handle, "ncclGroupStart", &l->group_start) &&
      symbol_find(nccl->handle, "ncclGroupEnd", &l->group_end) && symbol_find(nccl->handle, "ncclSend", &l->send) &&
      symbol_find(nccl->handle, "ncclRecv", &l->receive) &&
      symbol_find(nccl->handle, "ncclGetErrorString", &l->error_text))
    return true;
  snprintf(why, 200, "NCCL is too old; 2.14 or newer is needed");
  return false;
}

/* --- waiting --------------------------------------------------------------------------------- */

/* Polls until NCCL is done with what the last call began, for most_s seconds at most: then it is still in progress. */
static int settled(struct hs_nccl *nccl, int result, double most_s)
{
  const double end_s = hs_time_s() + most_s;
  while (result == IN_PROGRESS && hs_time_s() < end_s) {
    int now = IN_PROGRESS;
    const int asked = nccl->library.async_error(nccl->communicator, &now);
    result = asked == SUCCESS ? now : asked;
    if (result == IN_PROGRESS) (void)sched_yield();
  }
  return result;
}

static hs_status check(struct hs_nccl *nccl, int result, const char *doing, struct hs_error *err)
{
  if (result == SUCCESS) return HS_OK;
  return hs_error_set(err, HS_ERR_DEVICE, "NCCL failed while %s: %s (NCCL_DEBUG=INFO tells more)", doing,
                      nccl->library.error_text(result));
}

/* --- the interface --------------------------------------------------------------------------- */

/* Is it so on all ranks? */
static hs_status all_hold(struct hs_comm *comm, bool here, bool *all, struct hs_error *err)
{
  int64_t count = here;
  const hs_status status = hs_comm_count(comm, &count, 1, err);
  *all = count == hs_comm_size(comm);
  return status;
}

/* Where one rank's NCCL cannot start, that of the others waits for it: not longer than wait_s. */
static hs_status join(struct hs_nccl *nccl, struct hs_comm *comm, double wait_s, bool *joined, char why[200],
                      struct hs_error *err)
{
  struct config config = {sizeof config, 0xcafebeefU, 21400, 0};
  struct {
    struct unique_id id;
    int result;
  } start = {.result = SUCCESS};
  hs_status status;
  int result;
  if (hs_comm_rank(comm) == 0) start.result = nccl->library.unique_id_get(&start.id);
  status = hs_comm_broadcast(comm, 0, &start, sizeof start, err);
  if (!status) status = hs_comm_barrier(comm, err); /* some MPIs send what was told within a later call alone */
  if (status) return status;
  result = start.result;
  if (result == SUCCESS) {
    result = nccl->library.init(&nccl->communicator, hs_comm_size(comm), start.id, hs_comm_rank(comm), &config);
    result = settled(nccl, result, wait_s);
  }
  if (result == IN_PROGRESS)
    snprintf(why, 200, "NCCL has not started within %.0f s", wait_s);
  else if (result != SUCCESS)
    snprintf(why, 200, "NCCL cannot start: %.150s", nccl->library.error_text(result));
  return all_hold(comm, result == SUCCESS, joined, err);
}

hs_status hs_nccl_create(struct hs_comm *comm, bool alone, double wait_s, struct hs_nccl **nccl, char why[200],
                         struct hs_error *err)
{
  struct hs_nccl *n = calloc(1, sizeof *n);
  bool joined = false;
  hs_status status;
  *nccl = NULL;
  snprintf(why, 200, "NCCL cannot be used by another rank");
  if (!n) snprintf(why, 200, "no memory is left for NCCL");
  if (!alone) snprintf(why, 200, "ranks share a GPU");
  status = all_hold(comm, n && alone && library_load(n, why), &joined, err);
  if (!status && joined) status = join(n, comm, wait_s, &joined, why, err);
  if (status || !joined)
    hs_nccl_destroy(n);
  else
    *nccl = n;
  return status;
}

hs_status hs_nccl_exchange(struct hs_nccl *nccl, const struct hs_message *messages, int count, void *stream,
                           struct hs_error *err)
{
  const struct library *l = &nccl->library;
  int result = l->group_start(), ended;
  if (result != SUCCESS) return check(nccl, result, "exchanging ghost nodes", err);
  for (int k = 0; k < count && result == SUCCESS; k++) {
    const struct hs_message *m = &messages[k];
    if (m->send_bytes) result = l->send(m->send, m->send_bytes, TYPE_CHAR, m->peer, nccl->communicator, stream);
    if (result == IN_PROGRESS) result = SUCCESS;
    if (result == SUCCESS && m->receive_bytes)
      result = l->receive(m->receive, m->receive_bytes, TYPE_CHAR, m->peer, nccl->communicator, stream);
    if (result == IN_PROGRESS) result = SUCCESS;
  }
  ended = l->group_end();
  if (result == SUCCESS) result = settled(nccl, ended, INFINITY); /* the watch ends a wait for a rank that is gone */
  return check(nccl, result, "exchanging ghost nodes", err);
}

/* The communicator stays, and the library with it, until the process ends: NCCL's finalize, destroy and abort may wait for the other
 * ranks, which do not come where this one alone has failed. */
void hs_nccl_destroy(struct hs_nccl *nccl)
{
  free(nccl);
}
