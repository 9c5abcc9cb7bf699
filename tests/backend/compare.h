/* A bench on which every variant of a backend is compared with cpu-reference after each operation.
 *
 * It holds the reference and all variants of one backend (instruction sets, thread counts and
 * strips for cpu). The reference sweeps one by one, so a variant's sweep(n) is compared with n single sweeps.
 */
#ifndef HS_TESTS_BACKEND_COMPARE_H
#define HS_TESTS_BACKEND_COMPARE_H

#include "backend/suite.h"
#include "backend/systems.h"

enum { MAX_VARIANTS = 6, MAX_NORMED = 300, THREAD_CHOICES = 7 };

struct variant {
  char label[160];
  struct hs_backend_state *state;
};

struct bench {
  const struct hs_backend *backend;
  const struct hs_system *system; /* the caller's, which may change it before bench_update */
  struct hs_system *shown;        /* a copy: the discretisation that the backends have */
  struct hs_system *before;       /* the one before, of NaN; NULL: none yet */
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

/* Takes all three fields out of every variant, compares them, has each variant compute something else, and gives it the
 * reference's fields back, with a recursion of Chebyshev's form that stands after `sweeps` sweeps. A field must have been
 * saved, and a sweep made since. */
void bench_move(struct bench *b, const struct hs_relaxation *relaxation, int64_t sweeps);

double bench_distance(struct bench *b);
double bench_largest(struct bench *b);

/* Compares all norms under the given bounds; returns the reference's. */
struct hs_norms bench_norms(struct bench *b, const struct hs_bounds *bounds);

/* Bounds that fit the present field exactly. */
struct hs_bounds bench_bounds(struct bench *b);

/* Adds the number of the case and its traits to b->what. */
void bench_describe(struct bench *b, const struct traits *traits, int number);

/* The usual sequence of operations; `longest` sweeps in one call. */
void bench_exercise(struct bench *b, const double *field_k, int longest);

#endif
