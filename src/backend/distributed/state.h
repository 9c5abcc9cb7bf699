/* The state of a distributed backend, and what its files call of each other; private to src/backend/distributed.
 *
 *     cut          the system of a part
 *     crossings    what crosses between ranks
 *     exchange     ghost nodes between parts and ranks
 *     parts        create, destroy
 *     strips       edges of a rank's part as small parts of their own
 *     pass         sweeps between two exchanges, which strips can overlap
 *     norms        sums and maxima of all parts
 *     distributed  the operations; the table
 */
#ifndef HS_BACKEND_DISTRIBUTED_STATE_H
#define HS_BACKEND_DISTRIBUTED_STATE_H

#include "backend/linear.h"
#include "backend/part.h"
#include "comm/halo.h"
#include "comm/nccl.h"

/* A block of ghost nodes that crosses between ranks, and its memory. */
struct hs_crossing {
  struct hs_transfer transfer;
  void *values;
  int strip; /* of a block that is sent: the strip that holds it */
};

struct hs_crossings {
  struct hs_crossing *list; /* [count] */
  int count;
};

/* Bytes of a block. */
size_t hs_block_bytes(const struct hs_rectangle *block, size_t node_bytes);

/* One more block, which has no memory yet. Errors: HS_ERR_MEMORY. */
hs_status hs_crossings_add(struct hs_crossings *crossings, const struct hs_transfer *transfer, struct hs_error *err);

/* Their messages, [sent->count + received->count], sent ones first; between two ranks both sides have them in the order of
 * tags. Returns how many. */
int hs_crossings_messages(const struct hs_crossings *sent, const struct hs_crossings *received, size_t node_bytes,
                          struct hs_message *messages);

struct hs_distributed_part {
  int number; /* in the partition */
  int device;
  struct hs_backend_state *state;
  struct hs_system *cut;      /* its system, owned; NULL: the one that was given */
  struct hs_rectangle window; /* its nodes in the given system */
  struct hs_rectangle own;    /* counted from the window's first */
  struct hs_transfer *inward; /* [inward_count] from parts of this process */
  int inward_count;
};

/* Whether overlapped exchanges pay is tried out in the first passes of a run. */
struct hs_trial {
  bool over;
  int passes;                   /* so far */
  double plain_s, overlapped_s; /* the shortest pass of each kind */
};

enum { HS_STRIPS_MOST = 4 };

struct hs_distributed_state {
  const struct hs_backend *inner;
  const struct hs_system *system; /* not owned: the whole grid, or this rank's window */
  struct hs_comm *comm;
  struct hs_partition partition;
  size_t element;                    /* bytes of a value */
  struct hs_distributed_part *parts; /* [part_count] those of this process */
  int part_count;
  struct hs_crossings sent, received; /* between ranks */
  struct hs_message *messages;        /* [sent.count + received.count] */
  struct hs_nccl *nccl;               /* between devices of ranks; NULL: by way of the host */
  char nccl_why[200];                 /* why it is NULL */
  void *room; /* of the largest block between parts of this process, where blocks go by the host */
  struct hs_distributed_part
      strips[HS_STRIPS_MOST]; /* [strip_count] of a rank's part; 0: exchanges are not overlapped */
  int strip_count;
  void *strip_room; /* of the largest strip, where blocks go by the host */
  struct hs_trial trial;
  struct hs_backend_options options;        /* those of create */
  struct hs_relaxation relaxation;          /* omega: the latest */
  double *field_k;                          /* [ny*nx] of the largest window; NULL where systems are not cut */
  int right_now, right_before, right_saved; /* layers of ghost nodes that are right */
};

static inline struct hs_distributed_state *hs_distributed_state(const struct hs_backend_state *backend)
{
  return (struct hs_distributed_state *)backend;
}

/* Calls that follow are for the device of this part. */
static inline hs_status hs_part_enter(const struct hs_distributed_state *state, const struct hs_distributed_part *part,
                                      struct hs_error *err)
{
  return state->inner->part->device_use ? state->inner->part->device_use(part->device, err) : HS_OK;
}

/* The window's nodes of an array of elements of `size` bytes, [ny*nx] of the system, into `to`. once: where opposite walls are the
 * same nodes, those of the first one stand for both. */
void hs_cut_nodes(const struct hs_system *system, const struct hs_rectangle *window, bool once, const void *from,
                  size_t size, void *to);

/* The window of a system as a system of its own, to be destroyed by hs_system_destroy. before: the cut of another discretisation
 * of the same nodes, whose indices and sources it takes away, or NULL. Errors: HS_ERR_MEMORY. */
hs_status hs_cut_create(const struct hs_system *system, const struct hs_rectangle *window,
                        const struct hs_rectangle *own, bool once, struct hs_system *before, struct hs_system **cut,
                        struct hs_error *err);

/* All ghost nodes become right, of the present field (fields: 1) or of both (2). */
hs_status hs_distributed_exchange(struct hs_distributed_state *state, int fields, struct hs_error *err);

/* The same between ranks in two calls. overlapped: what is sent is that of the strips, and the part is swept meanwhile. */
hs_status hs_crossings_begin(struct hs_distributed_state *state, int fields, bool overlapped, struct hs_error *err);
hs_status hs_crossings_end(struct hs_distributed_state *state, int fields, bool overlapped, struct hs_error *err);

/* May a rank have strips, and how much of the host's memory do they take? They are made if that is free when they are tried. */
bool hs_strips_possible(const struct hs_backend *inner, const struct hs_system *system,
                        const struct hs_backend_options *options);
double hs_strips_bytes(const struct hs_backend *inner, const struct hs_system *system,
                       const struct hs_backend_options *options);

/* Strips along the edges of this rank's part that other ranks have ghosts of: as deep as `sweeps` sweeps need to leave what is
 * sent right. Collective; there are none afterwards where a rank cannot have them. Errors: those of comm. */
hs_status hs_strips_create(struct hs_distributed_state *state, int sweeps, struct hs_error *err);
void hs_strips_destroy(struct hs_distributed_state *state);

/* Their fields become those of the part. */
hs_status hs_strips_load(struct hs_distributed_state *state, int fields, struct hs_error *err);

/* A part's own discretisation, or a strip's, becomes that of state->system. */
hs_status hs_distributed_part_update(struct hs_distributed_state *state, struct hs_distributed_part *part,
                                     bool weights_changed, struct hs_error *err);

/* How many of n sweeps to make in the next pass. */
int hs_distributed_together(const struct hs_distributed_state *state, int64_t n);

/* `sweeps` sweeps, at most those between two exchanges. predecessor: it must be right afterwards. */
hs_status hs_distributed_pass(struct hs_distributed_state *state, int sweeps, bool predecessor, struct hs_error *err);

/* Waits for all parts. */
hs_status hs_distributed_wait(struct hs_distributed_state *state, struct hs_error *err);

/* Buffers and messages for exchanges; parts are there. */
hs_status hs_distributed_exchange_create(struct hs_distributed_state *state, struct hs_error *err);
void hs_distributed_exchange_destroy(struct hs_distributed_state *state);

hs_status hs_distributed_create(const struct hs_backend *inner, const struct hs_system *system,
                                const struct hs_backend_options *options, struct hs_backend_state **backend,
                                struct hs_error *err);
void hs_distributed_destroy(struct hs_backend_state *backend);

/* Operators and vectors in parts of these backends (distributed/linear). */
extern const struct hs_linear hs_distributed_linear_reference, hs_distributed_linear_cpu,
    hs_distributed_linear_cuda_global, hs_distributed_linear_cuda_shared, hs_distributed_linear_cuda_resident,
    hs_distributed_linear_cuda_blocked;

/* Norms of all parts; full: not only of the update. */
hs_status hs_distributed_norms(struct hs_distributed_state *state, const struct hs_bounds *bounds, bool full,
                               struct hs_norms *norms, struct hs_error *err);

/* Members of struct hs_backend. */
hs_status hs_distributed_distance(struct hs_backend_state *backend, double *distance_k, struct hs_error *err);
hs_status hs_distributed_largest(struct hs_backend_state *backend, double *largest_k, struct hs_error *err);

/* How options ask for a system to be cut. */
struct hs_partition hs_distributed_partition(const struct hs_system *system, const struct hs_backend_options *options);

#endif
