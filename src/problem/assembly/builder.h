/* A system while it is being built. */
#ifndef HS_PROBLEM_ASSEMBLY_BUILDER_H
#define HS_PROBLEM_ASSEMBLY_BUILDER_H

#include "problem/laws/law_table.h"
#include "problem/laws/laws.h"
#include "problem/problem.h"

enum { HS_BUILDER_CACHE = 65536 };

/* The classes of the cells around a node, 16 bits each: what its law follows from, walls apart. */
struct hs_class_key {
  uint64_t around;
  uint32_t own; /* cell layout: the class of the node's own cell */
};

struct hs_class_cached {
  struct hs_class_key key;
  uint16_t entry;
  bool used;
};

struct hs_builder {
  const struct hs_problem *problem;
  struct hs_laws laws;
  struct hs_system *system;
  struct hs_law_table *table;              /* NULL: a law for every node */
  struct hs_class_cached *cache;           /* [HS_BUILDER_CACHE] */
  uint16_t *nothing;                       /* [cells_x] a row of cells beyond an open wall */
  struct hs_stretch columns[HS_STRETCHES]; /* [column_count] of the window's nodes */
  int column_count;
  double *extent_x_m; /* [nx] of the present source */
  int32_t *held[3];   /* [nx] held shape or -1, of the rows below, here and above */
  bool *holds;        /* [held_count] the shape holds some node */
  struct hs_contacts contacts;
  int64_t *timed; /* [timed_count] nodes whose law depends on time */
  int64_t timed_count, timed_room;
};

/* Makes the laws of all nodes, in the law table or in system->law, and their contacts. Errors: HS_ERR_UNSUPPORTED when
 * the law table is full; HS_ERR_CONFIG, HS_ERR_MEMORY. */
hs_status hs_builder_laws_make(struct hs_builder *builder, struct hs_error *err);

#endif
