/* Operators and vectors in several parts; private to src/backend/distributed.
 *
 *     blocks     own blocks and windows of a level, and what goes from one to the other
 *     moves      blocks between parts, devices and ranks
 *     systems    the systems of parts
 *     operator   the finest operator: making, updating, freeing
 *     coarsen    coarser ones
 *     vector     vectors; fields in and out
 *     cycle      the operations of the cycle
 *     gradients  those of conjugate gradients
 *     linear     the tables
 *
 * An operator is one of the inner backend for each part, over the part's window; a vector likewise. An operation is that of the
 * inner backend on each window. What it reads of ghosts has been exchanged before, or computed by the part itself: a vector knows
 * how many layers of ghosts around own nodes are right (`right`).
 *
 * A coarser operator has two forms where the finer one is in parts. Its own windows are as deep as any level's. The inner
 * operators that coarsening makes of the finer windows (`half`) hold half as many layers; they are what the transfers between the
 * two grids are between, and whose couplings make the windows. Small levels are made whole, and every process computes them
 * for itself.
 */
#ifndef HS_BACKEND_DISTRIBUTED_LINEAR_H
#define HS_BACKEND_DISTRIBUTED_LINEAR_H

#include "backend/distributed/linear/blocks.h"
#include "backend/distributed/state.h"
#include "backend/linear.h"

/* Segments of HS_SEGMENT nodes that begin anywhere, and a layer beside them; the outermost layer lacks couplings. */
enum { HS_PARTED_DEPTH = HS_SEGMENT + 2 };

/* Ghosts without couplings, or without weights of interpolation. */
enum { HS_PARTED_EDGE = 1, HS_PARTED_EDGE_WEIGHTS = 3 };

/* What all levels share. */
struct hs_parted_team {
  const struct hs_linear *linear; /* of the inner backend */
  const struct hs_part_linear *part;
  hs_status (*device_use)(int device, struct hs_error *err); /* NULL: no devices */
  struct hs_comm *comm;
  int number;               /* of the first part of this process */
  int count;                /* parts of this process */
  int *devices;             /* [count] of each */
  int whole_nodes;          /* levels of at most so many nodes are made whole */
  struct hs_tally *tallies; /* [ranks] */
  void *room;               /* of a block between parts of this process */
  size_t room_bytes;
};

/* Blocks that go from one blocks to another. */
struct hs_moves {
  struct hs_transfer *inward; /* [inward_count] within this process */
  int inward_count;
  struct hs_crossings sent, received; /* between ranks */
  struct hs_message *messages;        /* [sent.count + received.count] */
  size_t element;                     /* bytes of a value that crossings have room for */
};

struct hs_parted {
  struct hs_parted_team *team; /* the finest operator's */
  bool finest;
  bool singular;
  struct hs_blocks blocks;
  int count;                  /* inner operators: one for each part of this process, or 1 where the level is whole */
  struct hs_operator **inner; /* [count] */
  struct hs_moves ghosts;
  const struct hs_system *system; /* of the finest one, as it was given, */
  struct hs_rectangle given;      /* its nodes as nodes of the grid, */
  struct hs_system **cuts;        /* and those of its parts, [count] */
  struct hs_blocks half_blocks;   /* coarser ones whose finer one is in parts */
  struct hs_operator **half;      /* [team->count] or NULL */
  struct hs_vector **half_values; /* [team->count] room for transfers */
  struct hs_moves down, up;       /* from half windows to windows, and back */
};

struct hs_parted_vector {
  struct hs_parted_team *team;
  bool single;
  int count;
  int right; /* layers of ghosts */
  struct hs_vector *inner[];
};

static inline struct hs_parted *hs_parted(const struct hs_operator *op)
{
  return (struct hs_parted *)(uintptr_t)op;
}

static inline struct hs_parted_vector *hs_parted_vector(const struct hs_vector *v)
{
  return (struct hs_parted_vector *)(uintptr_t)v;
}

/* Calls something for each inner operator k in turn, its device being the present one. */
#define HS_PARTED_EACH(op, k, status, call)                                                                            \
  for (int k = 0; !(status) && k < (op)->count; k++) {                                                                 \
    (status) = hs_parted_enter((op)->team, k, err);                                                                    \
    if (!(status)) (status) = (call);                                                                                  \
  }

hs_status hs_parted_enter(const struct hs_parted_team *team, int k, struct hs_error *err);

/* --- moves ----------------------------------------------------------------------------------- */

/* What moves between: operators and their vectors, v NULL: the operators' couplings; or what get and put give and take, `element`
 * bytes a node. */
struct hs_carrier {
  int count;
  struct hs_operator *const *op; /* [count] */
  struct hs_vector *const *v;    /* [count] */
  bool single;
  size_t element;
  hs_status (*get)(const struct hs_carrier *carrier, const struct hs_rectangle *block, void *values,
                   struct hs_error *err);
  hs_status (*put)(const struct hs_carrier *carrier, const struct hs_rectangle *block, const void *values,
                   struct hs_error *err);
  void *context;
};

hs_status hs_moves_create(const struct hs_parted_team *team, const struct hs_blocks *from, const struct hs_blocks *to,
                          bool ghosts, struct hs_moves *moves, struct hs_error *err);
void hs_moves_clear(struct hs_moves *moves);
hs_status hs_moves_run(struct hs_parted_team *team, struct hs_moves *moves, const struct hs_carrier *from,
                       const struct hs_carrier *to, struct hs_error *err);

/* At least so many layers of a vector's ghosts are right afterwards. */
hs_status hs_parted_renew(struct hs_parted *op, struct hs_parted_vector *v, int wanted, struct hs_error *err);

/* --- the systems of parts -------------------------------------------------------------------- */

/* That of part k of this process. before: that of another discretisation of the same nodes, of which it may take parts; or
 * NULL. */
hs_status hs_parted_system_create(struct hs_parted *op, int k, struct hs_system *before, struct hs_system **cut,
                                  struct hs_error *err);
void hs_parted_system_destroy(const struct hs_parted *op, struct hs_system *cut); /* NULL is accepted */

/* --- members of struct hs_linear ------------------------------------------------------------- */

hs_status hs_parted_create(const struct hs_backend *inner, const struct hs_system *system,
                           const struct hs_backend_options *options, struct hs_operator **op, struct hs_error *err);
hs_status hs_parted_update(struct hs_operator *op, const struct hs_system *system, bool couplings,
                           struct hs_error *err);
void hs_parted_destroy(struct hs_operator *op);
struct hs_grid hs_parted_grid(const struct hs_operator *op);
struct hs_rectangle hs_parted_given(const struct hs_operator *op);
hs_status hs_parted_shares(struct hs_operator *op, struct hs_level_shares *shares, struct hs_error *err);
hs_status hs_parted_coarsen(struct hs_operator *op, bool x, bool y, bool *passes, struct hs_operator **coarse,
                            struct hs_error *err);
hs_status hs_parted_rows(struct hs_operator *op, double (*rows)[9], struct hs_error *err);
hs_status hs_parted_invert(struct hs_operator *op, const double *inverse, struct hs_error *err);
void hs_parted_settle(struct hs_operator *op);

hs_status hs_parted_vector_create(const struct hs_operator *op, bool single, struct hs_vector **v,
                                  struct hs_error *err);
void hs_parted_vector_destroy(struct hs_vector *v);
bool hs_parted_takes(const struct hs_operator *op);
hs_status hs_parted_take(const struct hs_operator *op, const struct hs_backend_state *state, struct hs_vector *v,
                         struct hs_error *err);
hs_status hs_parted_give(const struct hs_operator *op, const struct hs_vector *v, struct hs_backend_state *state,
                         struct hs_error *err);
hs_status hs_parted_put(const struct hs_operator *op, const double *field_k, struct hs_vector *v, struct hs_error *err);
hs_status hs_parted_fetch(const struct hs_operator *op, const struct hs_vector *v, double *field_k,
                          struct hs_error *err);
hs_status hs_parted_pick(const struct hs_operator *op, const struct hs_vector *const v[HS_PICKED], const int64_t *node,
                         int64_t count, double *const values[HS_PICKED], struct hs_error *err);
hs_status hs_parted_load(const struct hs_operator *op, const double *values, struct hs_vector *v, struct hs_error *err);
hs_status hs_parted_clear(const struct hs_operator *op, struct hs_vector *v, struct hs_error *err);
hs_status hs_parted_copy(const struct hs_operator *op, const struct hs_vector *from, struct hs_vector *to,
                         struct hs_error *err);

hs_status hs_parted_cycle_start(struct hs_operator *op, const struct hs_vector *f, double weight, struct hs_vector *u,
                                struct hs_error *err);
hs_status hs_parted_cycle_relax(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                double weight, struct hs_vector *to, struct hs_error *err);
hs_status hs_parted_cycle_segments(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                   const struct hs_segments *segments, struct hs_vector *to, struct hs_error *err);
hs_status hs_parted_cycle_restrict(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                   struct hs_vector *r, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                   struct hs_error *err);
hs_status hs_parted_cycle_condense(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                                   struct hs_vector *room, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                   struct hs_error *err);
hs_status hs_parted_cycle_prolong(struct hs_operator *op, const struct hs_operator *coarse,
                                  const struct hs_vector *coarse_u, struct hs_vector *u, struct hs_error *err);
hs_status hs_parted_cycle_down(struct hs_operator *op, const struct hs_vector *f, const double weights[2],
                               struct hs_vector *u, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                               struct hs_error *err);
hs_status hs_parted_cycle_up(struct hs_operator *op, const struct hs_operator *coarse, const struct hs_vector *coarse_u,
                             const struct hs_vector *f, const double weights[2], const struct hs_vector *u,
                             struct hs_vector *to, struct hs_error *err);
hs_status hs_parted_cycle_solve(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                                struct hs_error *err);

hs_status hs_parted_residual(struct hs_operator *op, const struct hs_vector *x, const struct hs_right_side *right,
                             struct hs_vector *r, struct hs_residual_norms *norms, struct hs_error *err);
hs_status hs_parted_round(struct hs_operator *op, const struct hs_vector *r, double scale, struct hs_vector *f,
                          struct hs_error *err);
hs_status hs_parted_examine(struct hs_operator *op, const struct hs_examination *of, struct hs_correction *correction,
                            struct hs_error *err);
hs_status hs_parted_advance(struct hs_operator *op, const struct hs_linear_step *step, struct hs_error *err);
hs_status hs_parted_richardson(struct hs_operator *op, const struct hs_richardson *step,
                               struct hs_richardson_found *found, struct hs_error *err);
hs_status hs_parted_change(const struct hs_operator *op, const struct hs_vector *x, const struct hs_vector *start,
                           struct hs_vector *d, struct hs_error *err);
hs_status hs_parted_largest(struct hs_operator *op, const struct hs_vector *x, double *largest, struct hs_error *err);

#endif
