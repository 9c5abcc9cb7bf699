/* This rank's share of a field and of the cells of a grid: where its own nodes lie, and how all ranks together answer what an
 * output asks about the whole grid. With one rank everything is its own.
 *
 * The functions that take an error are collective over the ranks of comm, and give all of them the same status and numbers.
 */
#ifndef HS_OUTPUT_SHARE_H
#define HS_OUTPUT_SHARE_H

#include "problem/problem.h"

/* From so many own nodes on threads share passes over them, and over the pixels that they are drawn in. */
enum { HS_SHARE_THREADS_FROM = 1 << 18 };

struct hs_share {
  struct hs_comm *comm;
  int nodes_x, nodes_y;             /* of the whole grid */
  int cells_x, cells_y;             /* likewise */
  struct hs_rectangle nodes, cells; /* this rank's own, by their places in the whole grid. A cell belongs to whom its
                                       south-western node belongs to */
  int first_x, first_y;             /* place of the first node and cell that this rank's arrays hold */
  int row_nodes, row_cells;         /* nodes and cells of a row of the arrays */
};

static inline bool hs_share_is_large(const struct hs_share *share)
{
  return (size_t)share->nodes.nx * (size_t)share->nodes.ny >= HS_SHARE_THREADS_FROM;
}

struct hs_share hs_share_of(const struct hs_problem *problem);

/* Of arrays that hold a whole grid. cell_layout: nodes lie in the middle of cells. */
struct hs_share hs_share_whole(int nodes_x, int nodes_y, bool cell_layout);

static inline bool hs_share_writes(const struct hs_share *share)
{
  return hs_comm_rank(share->comm) == 0;
}

/* Where node or cell (i, j) of the whole grid is in this rank's arrays. */
static inline size_t hs_share_node(const struct hs_share *share, int i, int j)
{
  return (size_t)(j - share->first_y) * (size_t)share->row_nodes + (size_t)(i - share->first_x);
}

static inline size_t hs_share_cell(const struct hs_share *share, int i, int j)
{
  return (size_t)(j - share->first_y) * (size_t)share->row_cells + (size_t)(i - share->first_x);
}

static inline bool hs_rectangle_has(const struct hs_rectangle *r, int i, int j)
{
  return i >= r->x0 && i < r->x0 + r->nx && j >= r->y0 && j < r->y0 + r->ny;
}

/* Numbers of which each rank knows some, and has 0 for the others: then all know all. Errors: HS_ERR_IO. */
hs_status hs_share_join(const struct hs_share *share, int64_t *numbers, size_t count, struct hs_error *err);

/* Where lines of the grid are looked at: columns[column_count] and rows[row_count], any of them. */
struct hs_lattice {
  const int *columns, *rows;
  int column_count, row_count;
};

/* The field at the nodes of a lattice, into values[row_count*column_count]. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_share_sample(const struct hs_share *share, const double *field_k, const struct hs_lattice *lattice,
                          double *values_k, struct hs_error *err);

/* The material of the cells of a lattice. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_share_sample_materials(const struct hs_share *share, const struct hs_problem *problem,
                                    const struct hs_lattice *lattice, uint16_t *material, struct hs_error *err);

/* Extremes of the finite nodes of a field, NaN where there is none; and how many are not finite. Errors: HS_ERR_IO. */
hs_status hs_share_extremes(const struct hs_share *share, const double *field_k, double *low_k, double *high_k,
                            int64_t *not_finite, struct hs_error *err);

#endif
