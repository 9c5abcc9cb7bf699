/* Fields that do not fit into a device's cache, for which the CUDA backends have kernels of their own (kernels/
 * sweep_global.cu): bit for bit against cpu-reference, on widths that end within a tile and on whole tiles.
 *
 * The smaller suites never reach these kernels, and processors have no others for large fields, so only
 * devices are tested here.
 */
#include "backend/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* At least 30 MB in double and in single precision: ending within a tile of 128 x 32 nodes, and whole tiles. */
static const int shapes[2][2][2] = {{{1983, 1900}, {2048, 1856}}, {{2751, 2750}, {2816, 2688}}};

static bool is_device(const struct subject *subject)
{
  return strncmp(subject->backend->name, "cuda", 4) == 0;
}

/* Sweeps of a form by graphs, one by one, and with norms. */
static void exercise_form(struct bench *b, enum hs_form form)
{
  struct hs_bounds bounds;
  bench_relax(b, form, 0.8, 0.999);
  bench_sweep(b, 1);
  bench_sweep(b, 9);
  bounds = bench_bounds(b);
  bench_norms(b, &bounds);
  bench_sweep_normed(b, 2, &bounds);
}

/* Plain sweeps where nearly all tiles have one stencil, before and after that stencil changes. */
static void large_plates(void **state)
{
  struct test_random random = {41};
  if (!is_device(*state)) skip();
  for (int c = 0; c < 4; c++) {
    const int *shape = shapes[c % 2][c / 2];
    struct hs_system *s = system_of_kind((c + c / 2) % 2 ? KIND_EQUAL : KIND_STRETCHED, &random, shape[0], shape[1]);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, 0);
    bool weights_changed = false;
    if (!strcmp(b.backend->name, "cuda-blocked")) assert_false(b.too_large);
    bench_exercise(&b, field_k, 9);
    for (int k = 0; k < s->table_size; k++)
      if (!s->law[k].dirichlet) s->law[k].source_w_m += 0.125;
    (void)hs_system_discretise(s, HS_SCHEME_STEADY, NAN, s, &weights_changed, NULL);
    assert_false(weights_changed);
    bench_update(&b, false);
    bench_sweep(&b, 9);
    for (int k = 0; k < s->table_size; k++) s->law[k].north *= 1.25;
    (void)hs_system_discretise(s, HS_SCHEME_STEADY, NAN, s, &weights_changed, NULL);
    assert_true(weights_changed);
    bench_update(&b, true);
    bench_sweep(&b, 9);
    exercise_form(&b, HS_FORM_WEIGHTED);
    exercise_form(&b, HS_FORM_JACOBI);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* Random laws in patches, with every trait in turn: stencil tables and laws without index, periodic walls, constants.
 * cuda-blocked may refuse a grid of as many different rows as salt makes, but no others. */
static void large_random(void **state)
{
  static const struct traits traits[] = {{-1, -1, false, false, HS_SCHEME_STEADY, false, false},
                                         {-1, -1, false, false, HS_SCHEME_EXPLICIT, true, false},
                                         {0, 1, false, false, HS_SCHEME_EXPLICIT, false, false},
                                         {-1, -1, true, false, HS_SCHEME_STEADY, false, false},
                                         {1, 0, false, true, HS_SCHEME_CRANK_NICOLSON, false, false},
                                         {0, 0, true, true, HS_SCHEME_BACKWARD_EULER, false, false}};
  enum { TRAITS = sizeof traits / sizeof *traits };
  struct test_random random = {42};
  if (!is_device(*state)) skip();
  for (int c = 0; c < 2 * TRAITS; c++) {
    const struct traits *t = &traits[c / 2];
    const int *shape = shapes[c % 2][c / 2 % 2];
    struct hs_system *s = random_system(&random, shape[0], shape[1], t);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, 0);
    snprintf(b.what + strlen(b.what), sizeof b.what - strlen(b.what), ", traits %d", c / 2);
    if (!strcmp(b.backend->name, "cuda-blocked")) assert_false(t->clean && b.too_large);
    bench_load(&b, field_k);
    bench_save(&b);
    bench_sweep(&b, 9);
    if (t->clean) bench_sweep(&b, 70);
    bench_distance(&b);
    if (scheme_is_implicit(t->scheme)) bench_step(&b, t->scheme == HS_SCHEME_CRANK_NICOLSON);
    for (int form = HS_FORM_JACOBI; form <= HS_FORM_CHEBYSHEV; form++) exercise_form(&b, (enum hs_form)form);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

int main(int argc, char **argv)
{
  static const struct suite_test suite[] = {
      {"large plates", large_plates, FOR_ALL},
      {"large random systems", large_random, FOR_ALL},
      {.name = NULL},
  };
  const struct suite_test *const suites[] = {suite, NULL};
  return suite_main(argc, argv, suites);
}
