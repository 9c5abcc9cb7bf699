/* cpu-reference against the balance of the control volumes, in extended precision from the laws and not from the
 * stencils.
 */
#include "backend/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the balance needs to know beside the system. */
struct balance {
  const struct hs_system *system;
  enum hs_scheme scheme;
  double step_s;
  bool begun;                     /* an implicit step has begun ... */
  const double *start_k;          /* ... from this field ... */
  const struct hs_node_law *then; /* ... with these laws */
};

/* A coordinate beyond the edge comes back on the other side, or is -1. */
static int wrapped(int i, int n, int wrap)
{
  const int period = n - wrap;
  if (i >= 0 && i < n) return i;
  if (wrap < 0) return -1;
  return i < 0 ? i + period : i - period;
}

/* Heat from the neighbours of a node, W/m, by a law's conductances; the sum of its terms' sizes is added to *size. */
static long double neighbours_give(const struct hs_system *s, const struct hs_node_law *law, const double *t, int i,
                                   int j, long double *size)
{
  const int at[4][2] = {{i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}};
  const double g[4] = {law->west, law->east, law->south, law->north};
  long double sum = 0.0L;
  for (int k = 0; k < 4; k++) {
    const int x = wrapped(at[k][0], s->nx, s->wrap_x), y = wrapped(at[k][1], s->ny, s->wrap_y);
    if (x < 0 || y < 0) continue;
    sum += (long double)g[k] * t[y * s->nx + x];
    *size += fabsl((long double)g[k] * t[y * s->nx + x]);
  }
  return sum;
}

/* The temperature that balances the control volume while its neighbours stay, and the size of the terms. */
static long double balanced(const struct balance *b, const double *t, int i, int j, long double *size)
{
  const struct hs_system *s = b->system;
  const size_t n = (size_t)j * (size_t)s->nx + (size_t)i, entry = hs_system_index(s, n);
  const struct hs_node_law *law = &s->law[entry];
  const long double sum_g = (long double)law->west + law->east + law->south + law->north + law->ambient_w_mk;
  const long double map = s->source_w_m ? s->source_w_m[n] : 0.0;
  const long double rate = b->scheme == HS_SCHEME_BACKWARD_EULER   ? law->capacity_j_mk / (long double)b->step_s
                           : b->scheme == HS_SCHEME_CRANK_NICOLSON ? 2.0L * law->capacity_j_mk / b->step_s
                                                                   : 0.0L;
  long double terms = 0.0L;
  long double heat = neighbours_give(s, law, t, i, j, &terms) + law->source_w_m + law->ambient_w_m + map;
  terms += fabsl((long double)law->source_w_m) + fabsl((long double)law->ambient_w_m) + fabsl(map);
  if (b->begun) {
    const struct hs_node_law *old = &b->then[entry];
    heat += rate * b->start_k[n];
    terms += fabsl(rate * b->start_k[n]);
    if (b->scheme == HS_SCHEME_CRANK_NICOLSON) {
      heat += neighbours_give(s, old, b->start_k, i, j, &terms) - sum_g * b->start_k[n];
      heat += old->source_w_m + old->ambient_w_m + map;
      terms += fabsl(sum_g * b->start_k[n]) + fabsl((long double)old->source_w_m);
      terms += fabsl((long double)old->ambient_w_m) + fabsl(map);
    }
  }
  *size = terms / (sum_g + rate);
  return heat / (sum_g + rate);
}

/* The weight of sweep k (from 1) of a relaxation; Chebyshev's by its closed form 2 T_(k-1)(1/rho) / (rho T_k(1/rho)). */
static long double weight_of(const struct hs_relaxation *relaxation, int k)
{
  const long double x = relaxation->rho > 0.0 ? acoshl(1.0L / relaxation->rho) : 0.0L;
  if (relaxation->form == HS_FORM_WEIGHTED) return relaxation->weight;
  if (relaxation->form == HS_FORM_JACOBI || k == 1) return 1.0L;
  return 2.0L * coshl((long double)(k - 1) * x) / (relaxation->rho * coshl((long double)k * x));
}

/* Checks one sweep, the k-th with its relaxation: from `before` and `t` to `next`. */
static void sweep_balances(const struct balance *b, const struct hs_relaxation *relaxation, int k, bool single,
                           const double *before, const double *t, const double *next)
{
  const struct hs_system *s = b->system;
  const double eps = single ? 0x1p-24 : 0x1p-53;
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const struct hs_node_law *law = &s->law[hs_system_index(s, n)];
      const long double sum_g = (long double)law->west + law->east + law->south + law->north + law->ambient_w_mk;
      const double base = relaxation->form == HS_FORM_CHEBYSHEV ? before[n] : t[n];
      long double w = weight_of(relaxation, k), size = 0.0L, wanted;
      if (law->dirichlet) {
        test_near("a held node", next[n], single ? (double)(float)law->dirichlet_k : law->dirichlet_k, 0.0);
        continue;
      }
      if (relaxation->form == HS_FORM_WEIGHTED && b->scheme == HS_SCHEME_EXPLICIT)
        w *= b->step_s * sum_g / law->capacity_j_mk;
      wanted = balanced(b, t, i, j, &size);
      size += fabs(base);
      if (relaxation->form == HS_FORM_JACOBI || (relaxation->form == HS_FORM_CHEBYSHEV && k == 1))
        test_near("J(t)", next[n], (double)wanted, 16.0 * eps * (double)size);
      else
        test_near("a relaxed sweep", next[n], (double)(base + w * (wanted - base)),
                  eps * (24.0 * (double)(w * size) + 2.0 * fabs(next[n]))); /* and both results are rounded once */
    }
  }
}

/* Largest |J(t) - t|, |J(t) - before| and residual by the balance, against the norms. */
static void norms_balance(const struct balance *b, const struct hs_norms *norms, bool single, const double *before,
                          const double *t)
{
  const struct hs_system *s = b->system;
  long double correction = 0.0L, two_sweep = 0.0L, largest = 1.0L;
  for (int j = 0; j < s->ny; j++) {
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      long double size = 0.0L, u;
      if (s->law[hs_system_index(s, n)].dirichlet) continue;
      u = balanced(b, t, i, j, &size);
      correction = fmaxl(correction, fabsl(u - t[n]));
      two_sweep = fmaxl(two_sweep, fabsl(u - before[n]));
      largest = fmaxl(largest, size);
    }
  }
  /* r is held in the precision of the field, all else is double */
  test_near("correction_max", norms->correction_max, (double)correction,
            16.0 * (single ? 0x1p-24 : 0x1p-53) * (double)largest);
  test_near("two_sweep_max", norms->two_sweep_max, (double)two_sweep,
            16.0 * (single ? 0x1p-24 : 0x1p-53) * (double)largest);
}

/* Sweeps with every form, each checked from the fields that it started from. */
static void sweeps_balance(struct bench *b, const struct balance *balance, double *fields[3])
{
  static const struct hs_relaxation relaxations[] = {{HS_FORM_JACOBI, 0.0, 0.0, 0.0},
                                                     {HS_FORM_WEIGHTED, 0.8, 0.0, 0.0},
                                                     {HS_FORM_CHEBYSHEV, 0.0, 0.9, 0.0},
                                                     {HS_FORM_WEIGHTED, 1.0, 0.0, 0.0},
                                                     {HS_FORM_CHEBYSHEV, 0.0, 0.999, 0.0}};
  const size_t bytes = (size_t)b->system->nx * (size_t)b->system->ny * sizeof *fields[0];
  bench_fields(b, "the start");
  memcpy(fields[1], b->wanted, bytes);
  memcpy(fields[0], b->wanted, bytes); /* the first form reads no predecessor */
  for (size_t form = 0; form < sizeof relaxations / sizeof *relaxations; form++) {
    bench_relax(b, relaxations[form].form, relaxations[form].weight, relaxations[form].rho);
    for (int k = 1; k <= 5; k++) {
      struct hs_norms norms;
      bench_sweep(b, 1);
      memcpy(fields[2], b->wanted, bytes);
      sweep_balances(balance, &relaxations[form], k, b->single, fields[0], fields[1], fields[2]);
      memcpy(fields[0], fields[1], bytes);
      memcpy(fields[1], fields[2], bytes);
      norms = bench_norms(b, &NO_BOUNDS);
      norms_balance(balance, &norms, b->single, fields[0], fields[1]);
    }
  }
}

static void reference_balances_control_volumes(void **state)
{
  struct test_random random = {29};
  for (int c = 0; c < 120; c++) {
    const struct traits traits = random_traits(&random);
    struct hs_system *s = random_system(&random, test_random_integer(&random, 2, 30), 2 + c / 6, &traits);
    const size_t nodes = (size_t)s->nx * (size_t)s->ny;
    struct hs_node_law *then = calloc((size_t)s->table_size, sizeof *then);
    double *fields[3] = {test_field(s), test_field(s), test_field(s)}, *start_k = test_field(s);
    double *field_k = random_field(&random, s, 1.0);
    struct balance balance = {s, traits.scheme, system_discretise(s, traits.scheme, 0.6, NULL), false, start_k, then};
    struct bench b = bench_open(*state, s, c % 2, 0);
    assert_non_null(then);
    bench_describe(&b, &traits, c);
    bench_load(&b, field_k);
    sweeps_balance(&b, &balance, fields);
    if (scheme_is_implicit(traits.scheme)) {
      bench_step(&b, traits.scheme == HS_SCHEME_CRANK_NICOLSON);
      memcpy(start_k, b.wanted, nodes * sizeof *start_k);
      memcpy(then, s->law, (size_t)s->table_size * sizeof *then);
      laws_drift(s, &random);
      system_discretise(s, traits.scheme, 0.6, NULL);
      bench_update(&b, false);
      balance.begun = true;
      sweeps_balance(&b, &balance, fields);
    }
    bench_close(&b);
    for (int k = 0; k < 3; k++) free(fields[k]);
    free(start_k);
    free(then);
    free(field_k);
    hs_system_destroy(s);
  }
}

const struct suite_test suite_balance[] = {
    {"sweeps balance control volumes", reference_balances_control_volumes, FOR_REFERENCE},
    {.name = NULL},
};
