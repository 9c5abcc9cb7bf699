/* What the tests of the backends share: a bench on which every variant of a backend is compared with
 * cpu-reference after each operation, and random systems made node by node.
 *
 * A bench holds the reference and all variants of one backend (instruction sets, thread counts and
 * strips for cpu). The reference sweeps one by one, so a variant's sweep(n) is compared with n single sweeps.
 */
#ifndef HS_TESTS_BACKEND_COMPARE_H
#define HS_TESTS_BACKEND_COMPARE_H

#include "support.h"

#include "backend/backend.h"

enum { MAX_VARIANTS = 6, MAX_NORMED = 300, THREAD_CHOICES = 7 };

/* What the tests of a group run on: cmocka's initial state. */
struct subject {
  const struct hs_backend *backend;
};

struct variant {
  char label[64];
  struct hs_backend_state *state;
};

struct bench {
  const struct hs_backend *backend;
  const struct hs_system *system; /* the caller's, which may change it before bench_update */
  struct hs_system *shown;        /* a copy: the discretisation that the backends have */
  bool single;
  struct hs_backend_state *reference;
  struct variant variants[MAX_VARIANTS];
  int count;
  bool too_large;       /* a backend refused this grid, as it may: there is nothing to compare */
  double *wanted, *got; /* [ny*nx] */
  char what[160];       /* the case, for messages */
};

extern const struct hs_bounds NO_BOUNDS;

/* All variants of the subject's backend; `choice` picks the thread count, the same for all of them, because a process
 * that changes its number of threads at every call spends its time on starting threads. */
struct bench bench_open(const struct subject *subject, const struct hs_system *system, bool single, int choice);
void bench_close(struct bench *b);

/* One operation on all; what it changes is compared. bench_fields leaves the reference's field in b->wanted. */
void bench_fields(struct bench *b, const char *after);
void bench_load(struct bench *b, const double *field_k);
void bench_relax(struct bench *b, enum hs_form form, double weight, double rho);
void bench_update(struct bench *b, bool weights_changed);
void bench_step(struct bench *b, bool trapezoid);
void bench_sweep(struct bench *b, int64_t n);
void bench_sweep_normed(struct bench *b, int n, const struct hs_bounds *bounds);
void bench_save(struct bench *b);
void bench_restore(struct bench *b);
double bench_distance(struct bench *b);

/* Compares all norms under the given bounds; returns the reference's. */
struct hs_norms bench_norms(struct bench *b, const struct hs_bounds *bounds);

/* Bounds that fit the present field exactly. */
struct hs_bounds bench_bounds(struct bench *b);

/* The usual sequence of operations; `longest` sweeps in one call. */
void bench_exercise(struct bench *b, const double *field_k, int longest);

/* --- systems and fields -------------------------------------------------------------------------- */

/* What a random system has beside its laws. */
struct traits {
  int wrap_x, wrap_y; /* as in struct hs_system */
  bool spread;        /* a law for every node, no index */
  bool sourced;       /* a source map */
  enum hs_scheme scheme;
  bool clean; /* patches of some size, no salt */
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

/* --- groups -------------------------------------------------------------------------------------- */

struct suite_test {
  const char *name;
  CMUnitTestFunction run;
  enum { FOR_ALL, FOR_ADVANCE, FOR_REFERENCE } whom; /* all backends, those with advance, cpu-reference alone */
};

/* Runs the suite on every backend, or on the one named as argument; each backend is a cmocka group of its own
 * name, and one that cannot run here prints why and an empty plan that says SKIP. Returns the exit status. */
int bench_main(int argc, char **argv, const struct suite_test *suite, size_t count);

#endif
