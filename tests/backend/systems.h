/* Systems of the backends' tests, made node by node at random or by hand, and fields for them. */
#ifndef HS_TESTS_BACKEND_SYSTEMS_H
#define HS_TESTS_BACKEND_SYSTEMS_H

#include "support.h"

/* What a random system has beside its laws. */
struct traits {
  int wrap_x, wrap_y; /* as in struct hs_system */
  bool spread;        /* a law for every node, no index */
  bool sourced;       /* a source map */
  enum hs_scheme scheme;
  bool clean; /* patches of some size, no salt */
  bool noise; /* salt at every node */
};

/* Random laws in patches of random shapes, with salt: single nodes that differ, and Dirichlet ones inside.
 * Boundary nodes may be free; the conductance to a neighbour that is not there is 0. */
struct hs_system *random_system(struct test_random *random, int nx, int ny, const struct traits *traits);

/* Random traits; those of a plain steady problem about once in eight. */
struct traits random_traits(struct test_random *random);

/* Discretises a system anew, with a time step that suits its scheme; steps differ with `part` of (0, 1]. Returns the
 * step. */
double system_discretise(struct hs_system *s, enum hs_scheme scheme, double part, bool *weights_changed);

enum { KIND_RANDOM, KIND_EQUAL, KIND_STRETCHED, KINDS };

/* A random system with open walls, or a plate: equal stencils inside, held walls, two sources. */
struct hs_system *system_of_kind(int kind, struct test_random *random, int nx, int ny);

double *random_field(struct test_random *random, const struct hs_system *s, double size);

bool scheme_is_implicit(enum hs_scheme scheme);

/* Sources and temperatures as if time had gone on: the weights stay. */
void laws_drift(struct hs_system *s, struct test_random *random);

/* Makes the constants as large as the field, so that they do not drown it. No constant is -0, as in every stencil table. */
void constants_scale(struct hs_system *s, double size);

/* Systems whose diagonals make residuals far larger or smaller than temperatures, so that no power of two suits their
 * product: case c of their combinations, and a field for it. */
enum { DIAGONALS = 3, DIAGONAL_SIZES = 4, DIAGONAL_CASES = 2 * DIAGONALS * DIAGONAL_SIZES };
struct hs_system *system_of_diagonal(struct test_random *random, int c, int nx, int ny, double **field_k);

#endif
