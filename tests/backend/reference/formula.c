/* cpu-reference against the formula of numerics/node.h, written out again here. */
#include "backend/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sweep in double precision straight from the formula; `from` beyond the edge is 0. */
static void formula_sweep(const struct hs_system *s, const double *from, double *to)
{
  const int nx = s->nx, ny = s->ny;
  for (int n = 0; n < nx * ny; n++) {
    const struct hs_stencil_f64 *w = &s->stencil[hs_system_index(s, (size_t)n)];
    const double west = n % nx ? from[n - 1] : 0.0, east = (n + 1) % nx ? from[n + 1] : 0.0;
    const double south = n >= nx ? from[n - nx] : 0.0, north = n < nx * (ny - 1) ? from[n + nx] : 0.0;
    to[n] = fma(0.25, fma(w->east, east, w->north * north) + fma(w->south, south, w->west * west), w->c);
  }
}

static void formula_sweep_single(const struct hs_system *s, const double *from, double *to)
{
  const int nx = s->nx, ny = s->ny;
  for (int n = 0; n < nx * ny; n++) {
    const struct hs_stencil_f32 *w = &s->stencil_single[hs_system_index(s, (size_t)n)];
    const float west = n % nx ? (float)from[n - 1] : 0.0f, east = (n + 1) % nx ? (float)from[n + 1] : 0.0f;
    const float south = n >= nx ? (float)from[n - nx] : 0.0f, north = n < nx * (ny - 1) ? (float)from[n + nx] : 0.0f;
    to[n] = (double)fmaf(0.25f, fmaf(w->east, east, w->north * north) + fmaf(w->south, south, w->west * west), w->c);
  }
}

/* The norms of the header's definitions, with ordinary sums in extended precision. */
static struct hs_norms formula_norms(const struct hs_system *s, const double *now, const double *before, bool single)
{
  struct hs_norms norms = {0};
  long double updates = 0.0L, residuals = 0.0L;
  double *next = test_field(s);
  formula_sweep(s, now, next);
  for (int n = 0; n < s->nx * s->ny; n++) {
    const double diagonal = s->stencil[hs_system_index(s, (size_t)n)].diagonal;
    const double update = single ? (double)((float)now[n] - (float)before[n]) : now[n] - before[n];
    const double residual = diagonal * (next[n] - now[n]);
    updates += (long double)update * update;
    norms.update_max = fmax(norms.update_max, fabs(update));
    if (diagonal == 0.0) continue;
    residuals += (long double)residual * residual;
    norms.residual_max = fmax(norms.residual_max, fabs(residual));
    norms.two_sweep_max = fmax(norms.two_sweep_max, fabs(next[n] - before[n]));
    norms.correction_max = fmax(norms.correction_max, fabs(next[n] - now[n]));
  }
  norms.update_l2 = (double)sqrtl(updates);
  norms.residual_l2 = (double)sqrtl(residuals);
  free(next);
  return norms;
}

static void reference_equals_the_formula(void **state)
{
  struct test_random random = {13};
  (void)state;
  for (int c = 0; c < 60; c++) {
    const bool single = c % 2;
    struct hs_system *s = system_of_kind(c / 2 % KINDS, &random, test_random_integer(&random, 2, 40), 2 + c / 2);
    const struct subject self = {&hs_backend_reference, false};
    double *field_k = random_field(&random, s, 1.0), *next = test_field(s);
    struct bench b = bench_open(&self, s, single, 0);
    bench_load(&b, field_k);
    bench_fields(&b, "load");
    for (int k = 0; k < 20; k++) {
      struct hs_bounds bounds;
      struct hs_norms got, wanted;
      memcpy(field_k, b.wanted, (size_t)s->nx * (size_t)s->ny * sizeof *field_k);
      (single ? formula_sweep_single : formula_sweep)(s, field_k, next);
      bench_sweep(&b, 1);
      test_fields_same("the formula", next, b.wanted, s->nx, s->ny);
      bounds = bench_bounds(&b);
      got = bench_norms(&b, &bounds);
      wanted = formula_norms(s, next, field_k, single);
      assert_true(got.update_max == wanted.update_max && got.residual_max == wanted.residual_max);
      assert_true(got.two_sweep_max == wanted.two_sweep_max && got.correction_max == wanted.correction_max);
      test_near("update_l2", got.update_l2, wanted.update_l2, 1e-14 * wanted.update_l2);
      test_near("residual_l2", got.residual_l2, wanted.residual_l2, 1e-14 * wanted.residual_l2);
    }
    bench_close(&b);
    free(next);
    free(field_k);
    hs_system_destroy(s);
  }
}

const struct suite_test suite_formula[] = {
    {"equals the formula", reference_equals_the_formula, FOR_REFERENCE},
    {.name = NULL},
};
