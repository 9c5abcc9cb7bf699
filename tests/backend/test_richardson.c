/* Steps of Richardson's iteration and the way up before them on every backend that runs here, bit for bit against the plain
 * loops of cpu-reference, operation by operation: random systems of awkward sizes, whole and as parts whose own nodes alone
 * are tallied; and on devices one grid that is large enough for their kernels of large grids. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/linear.h"
#include "backend/part.h"
#include "backend/systems.h"

static const double weights[2] = {0.55, 1.45};

/* The vectors of the finest grid, single precision first. */
enum { U, F, Z, ROOM, F_TO, X, START, REST, X_TO, VECTORS, DOUBLES = X };

/* One backend's operators and vectors. */
struct side {
  const struct hs_linear *linear;
  const struct hs_system *system;
  struct hs_operator *op, *coarse;
  bool passes;
  struct hs_vector *v[VECTORS], *coarse_f, *coarse_u;
  double *values; /* room for a field */
};

static unsigned long long seed_now;

static void vector_fill(struct side *s, int which, struct test_random random)
{
  struct hs_error err = {0};
  for (int n = 0; n < s->system->nx * s->system->ny; n++) s->values[n] = test_random_normal(&random);
  test_ok(s->linear->load(s->op, s->values, s->v[which], &err), &err);
}

/* The ways down: u is smoothed, condensed, or there already. */
enum way { SMOOTHED, CONDENSED, GIVEN, WAYS };
static const char *const way_names[WAYS] = {"smoothed", "condensed", "given"};

/* After it the coarser grid has something to give. */
static void go_down(struct side *s, enum way way)
{
  const struct hs_linear *linear = s->linear;
  struct hs_error err = {0};
  if (way == CONDENSED) {
    test_ok(linear->cycle_condense(s->op, s->v[F], s->v[U], s->v[ROOM], s->coarse, s->coarse_f, &err), &err);
  } else if (way == GIVEN) {
    test_ok(linear->cycle_restrict(s->op, s->v[U], s->v[F], s->v[ROOM], s->coarse, s->coarse_f, &err), &err);
  } else if (s->passes) {
    test_ok(linear->cycle_down(s->op, s->v[F], weights, s->v[U], s->coarse, s->coarse_f, &err), &err);
  } else {
    test_ok(linear->cycle_start(s->op, s->v[F], weights[0], s->v[ROOM], &err), &err);
    test_ok(linear->cycle_relax(s->op, s->v[ROOM], s->v[F], weights[1], s->v[U], &err), &err);
    test_ok(linear->cycle_restrict(s->op, s->v[U], s->v[F], s->v[ROOM], s->coarse, s->coarse_f, &err), &err);
  }
  test_ok(linear->cycle_start(s->coarse, s->coarse_f, 0.7, s->coarse_u, &err), &err);
}

/* passes: those, where they can be. */
static void side_open(struct side *s, const struct hs_linear *linear, const struct hs_system *system, bool passes,
                      const struct hs_rectangle *own, const struct hs_part_linear *part, struct test_random random)
{
  const struct hs_backend_options options = {.threads = 2};
  struct hs_error err = {0};
  *s = (struct side){.linear = linear, .system = system, .passes = passes, .values = test_field(system)};
  test_ok(linear->create(system, &options, NULL, &s->op, &err), &err);
  if (own) part->own(s->op, own);
  for (int k = 0; k < VECTORS; k++) test_ok(linear->vector_create(s->op, k < DOUBLES, &s->v[k], &err), &err);
  for (int k = 0; k < VECTORS; k++, (void)test_random_bits(&random)) vector_fill(s, k, random);
  test_ok(linear->coarsen(s->op, true, true, &s->passes, &s->coarse, &err), &err);
  test_ok(linear->vector_create(s->coarse, true, &s->coarse_f, &err), &err);
  test_ok(linear->vector_create(s->coarse, true, &s->coarse_u, &err), &err);
}

static void side_close(struct side *s)
{
  for (int k = 0; k < VECTORS; k++) s->linear->vector_destroy(s->v[k]);
  s->linear->vector_destroy(s->coarse_f);
  s->linear->vector_destroy(s->coarse_u);
  s->linear->destroy(s->coarse);
  s->linear->destroy(s->op);
  free(s->values);
}

/* --- comparisons ----------------------------------------------------------------------------- */

/* Not the sign of a correction of 0 at held nodes, nor of what is condensed there. */
static void vectors_same(const char *name, const char *what, struct side *plain, struct side *tried, int which)
{
  const struct hs_system *s = plain->system;
  struct hs_error err = {0};
  test_ok(plain->linear->fetch(plain->op, plain->v[which], plain->values, &err), &err);
  test_ok(tried->linear->fetch(tried->op, tried->v[which], tried->values, &err), &err);
  for (int n = 0; n < s->nx * s->ny; n++)
    if (!test_same(plain->values[n], tried->values[n]) && (which != Z || plain->values[n] != tried->values[n]))
      fail_msg("problem %llu, %s: %s at %d, %d of %d x %d: %a, must be %a", seed_now, name, what, n % s->nx, n / s->nx,
               s->nx, s->ny, tried->values[n], plain->values[n]);
}

static void found_same(const char *name, const struct hs_richardson_found *wanted,
                       const struct hs_richardson_found *got)
{
  if (!test_same(wanted->z_max, got->z_max) || !test_same(wanted->x_max, got->x_max) ||
      !test_same(wanted->residual.max, got->residual.max) || !test_same(wanted->residual.l2, got->residual.l2))
    fail_msg("problem %llu, %s found %a, %a, %a and %a, must be %a, %a, %a and %a", seed_now, name, got->z_max,
             got->x_max, got->residual.max, got->residual.l2, wanted->z_max, wanted->x_max, wanted->residual.max,
             wanted->residual.l2);
}

/* --- steps ----------------------------------------------------------------------------------- */

/* At random: a steady problem's right-hand side, or of a time step, or of an error. */
static struct hs_right_side right_of(const struct side *s, int kind)
{
  struct hs_right_side right = {.start = NULL};
  if (kind == 3) right.alone = true;
  if (s->system->storing && kind > 0 && kind < 3) right.start = s->v[START];
  if (kind == 3 || (right.start && kind == 2)) right.rest = s->v[REST];
  return right;
}

static struct hs_richardson step_of(const struct side *s, int kind, double length)
{
  const struct hs_richardson step = {s->v[Z],           0.125,  length,     s->v[X],
                                     right_of(s, kind), 0x1p20, s->v[X_TO], s->v[F_TO]};
  return step;
}

static struct hs_richardson_found step_alone(struct side *s, int kind, double length)
{
  const struct hs_richardson step = step_of(s, kind, length);
  struct hs_richardson_found found;
  struct hs_error err = {0};
  test_ok(s->linear->richardson(s->op, &step, &found, &err), &err);
  return found;
}

/* z by the plain operations. */
static void way_up(struct side *s)
{
  struct hs_error err = {0};
  test_ok(s->linear->copy(s->op, s->v[U], s->v[Z], &err), &err);
  test_ok(s->linear->cycle_prolong(s->op, s->coarse, s->coarse_u, s->v[Z], &err), &err);
  test_ok(s->linear->cycle_relax(s->op, s->v[Z], s->v[F], weights[0], s->v[ROOM], &err), &err);
  test_ok(s->linear->cycle_relax(s->op, s->v[ROOM], s->v[F], weights[1], s->v[Z], &err), &err);
}

/* Down and up again; by passes on one side. */
static void way_compare(const char *name, struct side *plain, struct side *tried, enum way way)
{
  struct hs_error err = {0};
  go_down(plain, way);
  go_down(tried, way);
  vectors_same(name, way_names[way], plain, tried, U);
  way_up(plain);
  test_ok(tried->linear->cycle_up(tried->op, tried->coarse, tried->coarse_u, tried->v[F], weights, tried->v[U],
                                  tried->v[Z], &err),
          &err);
  vectors_same(name, "the correction", plain, tried, Z);
}

/* x_to is then x of another step: its ghosts are right, too. */
static void steps_compare(const char *name, struct side *plain, struct side *tried, int kind, double length)
{
  struct hs_richardson_found wanted, got;
  for (int step = 0; step < 2; step++) {
    wanted = step_alone(plain, kind, length);
    got = step_alone(tried, kind, length);
    vectors_same(name, "the iterate", plain, tried, X_TO);
    vectors_same(name, "its residual", plain, tried, F_TO);
    found_same(name, &wanted, &got);
    for (int k = 0; k < 2; k++) {
      struct side *s = k ? tried : plain;
      struct hs_vector *x = s->v[X];
      s->v[X] = s->v[X_TO];
      s->v[X_TO] = x;
    }
  }
  for (int way = 0; tried->passes && way < WAYS; way++) way_compare(name, plain, tried, way);
}

static void system_compare(const struct hs_backend *backend, const struct hs_system *system,
                           const struct hs_rectangle *own, struct test_random *random)
{
  const int kind = test_random_integer(random, 0, 3);
  const double length = test_random_between(random, 0.2, 1.8);
  const struct test_random values = {test_random_bits(random)};
  struct side plain, tried;
  side_open(&plain, &hs_linear_reference, system, false, own, &hs_part_linear_reference, values);
  side_open(&tried, backend->linear, system, backend->linear->cycle_up != NULL, own, own ? backend->part->linear : NULL,
            values);
  steps_compare(backend->name, &plain, &tried, kind, length);
  side_close(&tried);
  side_close(&plain);
}

/* --- systems --------------------------------------------------------------------------------- */

static bool runs_here(const struct hs_backend *backend, const struct hs_system *s)
{
  const struct hs_backend_options options = {.threads = 1};
  struct hs_error why = {0};
  return backend->linear && backend->linear->richardson && backend->create && !backend->probe(s, &options, &why);
}

/* Backends that share their operators are tried once. */
static bool is_first_of_its_kind(const struct hs_backend *const *list, const struct hs_backend *const *one)
{
  for (; list < one; list++)
    if ((*list)->linear == (*one)->linear) return false;
  return true;
}

static void system_try(struct hs_system *s, struct test_random *random)
{
  const struct hs_backend *const *list = hs_backend_list();
  const bool in_part = test_random_integer(random, 0, 2) == 0;
  const int x0 = test_random_integer(random, 0, s->nx / 4), y0 = test_random_integer(random, 0, s->ny / 4);
  const struct hs_rectangle own = {x0, y0, (s->nx - x0 + 1) / 2, (s->ny - y0 + 1) / 2};
  for (const struct hs_backend *const *one = list; *one; one++) {
    struct test_random same = *random;
    if (*one == &hs_backend_reference || !is_first_of_its_kind(list, one) || !runs_here(*one, s)) continue;
    system_compare(*one, s, in_part && (*one)->part && (*one)->part->linear ? &own : NULL, &same);
  }
  hs_system_destroy(s);
}

static int size_at_random(struct test_random *random)
{
  static const int largest[] = {10, 40, 90, 300};
  return test_random_integer(random, 4, largest[test_random_integer(random, 0, 3)]);
}

/* HEATSOLVE_SOAK=FIRST-LAST: these seeds instead of the usual ones. */
static void steps_are_the_same(void **state)
{
  const char *soak = getenv("HEATSOLVE_SOAK");
  unsigned long long first = 0, last = 199;
  (void)state;
  if (soak) assert_int_equal(sscanf(soak, "%llu-%llu", &first, &last), 2);
  for (seed_now = first; seed_now <= last; seed_now++) {
    struct test_random random = {seed_now};
    const struct traits traits = random_traits(&random);
    const int nx = size_at_random(&random), ny = size_at_random(&random);
    system_try(random_system(&random, nx, ny, &traits), &random);
  }
}

static bool has_device(const struct hs_system *s)
{
  for (const struct hs_backend *const *one = hs_backend_list(); *one; one++)
    if (!strncmp((*one)->name, "cuda", 4) && runs_here(*one, s)) return true;
  return false;
}

/* From a million nodes on devices have kernels of their own; more than one strip of them, and not whole ones. */
static void steps_on_large_grids(void **state)
{
  static const int size[2][2] = {{1531, 1407}, {1024, 2049}};
  (void)state;
  for (seed_now = 0; seed_now < 2; seed_now++) {
    struct test_random random = {seed_now};
    const struct traits traits = {-1, -1, .sourced = seed_now > 0, .clean = seed_now == 0,
                                  .scheme = seed_now > 0 ? HS_SCHEME_CRANK_NICOLSON : HS_SCHEME_STEADY};
    struct hs_system *s = random_system(&random, size[seed_now][0], size[seed_now][1], &traits);
    if (has_device(s))
      system_try(s, &random);
    else
      hs_system_destroy(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_the_same), cmocka_unit_test(steps_on_large_grids)};
  return cmocka_run_group_tests_name("Richardson's iteration", tests, NULL, NULL);
}
