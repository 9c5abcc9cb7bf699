/* A rank that sends to its neighbours in a ring by comm/nccl.c; tests/comm/nccl.sh starts several of them, and gives them a
 * library. Says in a line how it went. nccl_ranks [shared RANK]: that rank has no GPU of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "comm/nccl.h"

enum { ROUNDS = 20, BLOCKS = 3, MOST = 5000 };

static size_t length_of(int from, int to, int block)
{
  return (size_t)(1 + (from * 977 + to * 131 + block * 1999) % MOST);
}

static unsigned char value_of(int from, int to, int block, int round)
{
  return (unsigned char)(from * 64 + to * 16 + block * 5 + round);
}

/* BLOCKS both ways between this rank and each other one; true: what came is right. */
static bool round_go(struct hs_nccl *nccl, int rank, int ranks, int round, struct hs_error *err, hs_status *status)
{
  static unsigned char sent[8][BLOCKS][MOST], received[8][BLOCKS][MOST];
  struct hs_message messages[2 * 8 * BLOCKS];
  int count = 0;
  bool right = true;
  for (int peer = 0; peer < ranks; peer++) {
    for (int b = 0; b < BLOCKS && peer != rank; b++) {
      memset(sent[peer][b], value_of(rank, peer, b, round), length_of(rank, peer, b));
      memset(received[peer][b], 0, MOST);
      messages[count++] =
          (struct hs_message){.peer = peer, .send = sent[peer][b], .send_bytes = length_of(rank, peer, b)};
      messages[count++] =
          (struct hs_message){.peer = peer, .receive = received[peer][b], .receive_bytes = length_of(peer, rank, b)};
    }
  }
  *status = hs_nccl_exchange(nccl, messages, count, NULL, err);
  for (int peer = 0; peer < ranks; peer++)
    for (int b = 0; b < BLOCKS && peer != rank; b++)
      for (size_t k = 0; k < length_of(peer, rank, b); k++)
        right &= received[peer][b][k] == value_of(peer, rank, b, round);
  return right;
}

int main(int argc, char **argv)
{
  struct hs_comm *comm;
  struct hs_nccl *nccl = NULL;
  struct hs_error err = {0};
  char why[200] = "";
  hs_status status = hs_comm_create(20.0, &comm, &err);
  bool right = true;
  int rank, ranks;
  if (status) return fprintf(stderr, "%s\n", err.text), 1;
  rank = hs_comm_rank(comm);
  ranks = hs_comm_size(comm);
  status = hs_nccl_create(comm, !(argc > 2 && atoi(argv[2]) == rank), 1.0, &nccl, why, &err);
  for (int round = 0; !status && nccl && round < ROUNDS; round++)
    right &= round_go(nccl, rank, ranks, round, &err, &status);
  printf("rank %d: %s\n", rank, status ? err.text : !nccl ? why : right ? "right" : "wrong");
  fflush(stdout);
  if (status) hs_comm_fail(comm, 4, err.text);
  hs_nccl_destroy(nccl);
  hs_comm_destroy(comm);
  return 0;
}
