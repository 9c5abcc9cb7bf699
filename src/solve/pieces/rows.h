/* The nodes of a system as rectangles of one law; for forest.c. */
#ifndef HS_SOLVE_PIECES_ROWS_H
#define HS_SOLVE_PIECES_ROWS_H

#include "problem/system.h"

/* Nodes x0 <= i < x1, y0 <= j < y1 of the grid, all of one law and as many as there are side by side. Rows that are the same from
 * wall to wall are one band, and rectangles are as high as their band. */
struct hs_piece_run {
  int32_t x0, x1, y0, y1;
  bool held;
  double west, east, south, north; /* conductances of each of its nodes, W/(m K) */
  double ambient;
  double heat;           /* that goes into a node whatever the temperature, W/m; */
  double sources, sizes; /* into all of its nodes by a source map, and the sum of their sizes */
};

/* Those of the whole grid by bands, of all ranks' own nodes; none where there are more than `most`. given: where in the grid the
 * system's nodes lie. *runs is the caller's. Collective. Errors: HS_ERR_MEMORY and those of hs_comm_gather. */
hs_status hs_piece_runs_create(const struct hs_system *system, const struct hs_rectangle *given, int threads, int most,
                               struct hs_piece_run **runs, int *count, struct hs_error *err);

#endif
