/* Operators of multigrid twice, by plain loops (cpu-reference) and by rows (cpu), with the same vectors: what the tests share
 * that compare both bit for bit. */
#ifndef HS_TESTS_BACKEND_PAIRS_H
#define HS_TESTS_BACKEND_PAIRS_H

#include "backend/host/host.h"
#include "backend/systems.h"

/* An operator of both backends, plain first, and vectors. */
struct pair {
  const struct hs_linear *linear[2];
  struct hs_operator *op[2];
  struct hs_vector *u[2], *f[2], *to[2];
};

extern unsigned long long pair_seed; /* the problem's, for messages */

/* Vectors are made for both, plain first. */
void pair_create(struct pair *pair);
void pair_destroy(struct pair *pair);
void vectors_create(struct pair *pair, bool single, struct hs_vector *v[2]);
void vectors_destroy(struct hs_vector *v[2]);

/* The same random values in both, ghosts included. */
void vectors_fill(const struct hs_grid *g, struct test_random *random, struct hs_vector *v[2]);

/* At random: a time step's right-hand side, or an error's, of v[1] and v[2]. */
void rights_choose(struct pair *p, struct hs_vector *v[4][2], struct test_random *random,
                   struct hs_right_side right[2]);

/* Fail where a bit differs. */
void values_same(const char *what, const struct hs_grid *g, const struct hs_vector *a, const struct hs_vector *b);
void norms_same(const char *what, const struct hs_residual_norms *a, const struct hs_residual_norms *b);

#endif
