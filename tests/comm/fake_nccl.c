/* A stand-in for NCCL between processes of one machine without a GPU: the functions that comm/nccl.c calls, on memory of the
 * host, by files in the folder FAKE_NCCL_DIR. As in NCCL calls return while things are under way, and messages between two
 * ranks have an order and no tags.
 *
 * FAKE_NCCL_FAULT makes one rank fail: id:R (rank R gives out no id), init:R, send:R.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUCCESS = 0, SYSTEM_ERROR = 2, USAGE_ERROR = 5, IN_PROGRESS = 7, RANKS_MOST = 8, RECEIVES_MOST = 64 };

struct unique_id {
  char internal[128];
};

struct receive {
  void *to;
  size_t count;
  int peer, number;
};

struct communicator {
  char id[40];
  int rank, ranks;
  int sent[RANKS_MOST], received[RANKS_MOST]; /* messages so far */
  struct receive waiting[RECEIVES_MOST];
  int waiting_count;
};

static int groups;

static int fails(const char *what, int rank)
{
  const char *fault = getenv("FAKE_NCCL_FAULT");
  char mine[40];
  snprintf(mine, sizeof mine, "%s:%d", what, rank);
  return fault && !strcmp(fault, mine);
}

static void path_of(const char *id, const char *kind, int from, int to, int number, char path[400])
{
  snprintf(path, 400, "%s/%s-%s-%d-%d-%d", getenv("FAKE_NCCL_DIR"), id, kind, from, to, number);
}

static int file_write(const char *path, const void *data, size_t bytes)
{
  char beside[410];
  FILE *file;
  snprintf(beside, sizeof beside, "%s.part", path);
  file = fopen(beside, "wb");
  if (!file) return SYSTEM_ERROR;
  if (fwrite(data, 1, bytes, file) != bytes || fclose(file) || rename(beside, path)) return SYSTEM_ERROR;
  return SUCCESS;
}

int ncclGetUniqueId(struct unique_id *id)
{
  static int given;
  if (fails("id", 0)) return SYSTEM_ERROR;
  snprintf(id->internal, sizeof id->internal, "%ld-%d", (long)getpid(), given++);
  return SUCCESS;
}

int ncclCommInitRankConfig(struct communicator **comm, int ranks, struct unique_id id, int rank, void *config)
{
  char path[400];
  (void)config;
  if (ranks > RANKS_MOST || !id.internal[0]) return USAGE_ERROR;
  if (fails("init", rank)) return SYSTEM_ERROR;
  *comm = calloc(1, sizeof **comm);
  if (!*comm) return SYSTEM_ERROR;
  snprintf((*comm)->id, sizeof(*comm)->id, "%.39s", id.internal);
  (*comm)->rank = rank;
  (*comm)->ranks = ranks;
  path_of((*comm)->id, "here", rank, 0, 0, path);
  return file_write(path, "", 0) ? SYSTEM_ERROR : IN_PROGRESS;
}

/* Has it come, and is it of the length that was asked for? */
static int receive_try(const struct communicator *comm, const struct receive *receive)
{
  char path[400], more;
  size_t got, beyond;
  FILE *file;
  path_of(comm->id, "message", receive->peer, comm->rank, receive->number, path);
  file = fopen(path, "rb");
  if (!file) return IN_PROGRESS;
  got = fread(receive->to, 1, receive->count, file);
  beyond = fread(&more, 1, 1, file);
  fclose(file);
  (void)remove(path);
  return got == receive->count && beyond == 0 ? SUCCESS : USAGE_ERROR;
}

int ncclCommGetAsyncError(struct communicator *comm, int *result)
{
  *result = SUCCESS;
  for (int rank = 0; rank < comm->ranks; rank++) {
    char path[400];
    path_of(comm->id, "here", rank, 0, 0, path);
    if (access(path, F_OK)) *result = IN_PROGRESS;
  }
  while (*result == SUCCESS && comm->waiting_count > 0) {
    *result = receive_try(comm, &comm->waiting[0]);
    if (*result == SUCCESS)
      memmove(&comm->waiting[0], &comm->waiting[1], (size_t)--comm->waiting_count * sizeof comm->waiting[0]);
  }
  return SUCCESS;
}

int ncclGroupStart(void)
{
  groups++;
  return SUCCESS;
}

int ncclGroupEnd(void)
{
  return --groups == 0 ? IN_PROGRESS : USAGE_ERROR;
}

int ncclSend(const void *from, size_t count, int type, int peer, struct communicator *comm, void *stream)
{
  char path[400];
  (void)type;
  (void)stream;
  if (fails("send", comm->rank)) return SYSTEM_ERROR;
  path_of(comm->id, "message", comm->rank, peer, comm->sent[peer]++, path);
  return file_write(path, from, count) ? SYSTEM_ERROR : IN_PROGRESS;
}

int ncclRecv(void *to, size_t count, int type, int peer, struct communicator *comm, void *stream)
{
  (void)type;
  (void)stream;
  if (comm->waiting_count == RECEIVES_MOST) return USAGE_ERROR;
  comm->waiting[comm->waiting_count++] = (struct receive){to, count, peer, comm->received[peer]++};
  return IN_PROGRESS;
}

const char *ncclGetErrorString(int result)
{
  return result == SYSTEM_ERROR ? "system error" : result == USAGE_ERROR ? "invalid usage" : "no error";
}
