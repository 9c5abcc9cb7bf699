/* The plate of `heatsolve bench` as other solvers take it: the equations of the inner nodes alone, the walls' temperatures
 * on their right-hand sides. Shared by the C peers of solvers.py, which pass it the same plate in Python. */
#ifndef HS_BENCHMARKS_INNER_H
#define HS_BENCHMARKS_INNER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/rate.h"
#include "bench/rate_problem.h"
#include "problem/system.h"

/* n x n nodes with a wall around them, and the field that iterations start from. */
struct inner {
  int n;
  struct hs_system *system;
  double *start_k; /* [n*n] */
};

/* Room for count numbers, or the program's end. */
static inline double *inner_room(size_t count)
{
  double *room = malloc(count * sizeof *room);
  if (room) return room;
  fprintf(stderr, "no memory for %zu numbers\n", count);
  exit(1);
}

static inline void inner_create(int n, const char *pattern, struct inner *inner)
{
  struct hs_rate_problem problem = {.nx = n, .ny = n, .source = true};
  struct hs_error err = {0};
  while (problem.pattern < HS_RATE_MAP && strcmp(pattern, hs_rate_pattern_name(problem.pattern)) != 0)
    problem.pattern++;
  inner->n = n;
  if (n < 4 || problem.pattern == HS_RATE_MAP || hs_rate_system(&problem, &inner->system, &err) ||
      hs_rate_field(&problem, &inner->start_k, &err)) {
    fprintf(stderr, "no plate %s of %d x %d nodes; %s\n", pattern, n, n, err.text);
    exit(1);
  }
}

static inline void inner_destroy(struct inner *inner)
{
  hs_system_destroy(inner->system);
  free(inner->start_k);
}

static inline const struct hs_node_law *inner_law(const struct inner *inner, int i, int j)
{
  return &inner->system->law[inner->system->index[(size_t)j * (size_t)inner->n + (size_t)i]];
}

/* Sources, and what comes through from nodes that are held, W/m. */
static inline double inner_given_w_m(const struct inner *inner, int i, int j)
{
  const struct hs_node_law *law = inner_law(inner, i, j);
  const struct hs_node_law *west = inner_law(inner, i - 1, j), *east = inner_law(inner, i + 1, j);
  const struct hs_node_law *south = inner_law(inner, i, j - 1), *north = inner_law(inner, i, j + 1);
  return law->source_w_m + (west->dirichlet ? law->west * west->dirichlet_k : 0.0) +
         (east->dirichlet ? law->east * east->dirichlet_k : 0.0) +
         (south->dirichlet ? law->south * south->dirichlet_k : 0.0) +
         (north->dirichlet ? law->north * north->dirichlet_k : 0.0);
}

#endif
