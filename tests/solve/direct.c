/* The equations as conductances and as a matrix, and what they are good for; see direct.h. */
#include "solve/direct.h"

#include <math.h>
#include <stdlib.h>

#include "support.h"

/* Adds the heat that node n gets from its neighbour m to the matrix. */
static void neighbour_add(const struct hs_system *s, long double *a, size_t n, size_t m, double conductance)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  if (conductance == 0.0) return;
  a[n * nodes + n] += conductance;
  if (!s->law[hs_system_index(s, m)].dirichlet) a[n * nodes + m] -= conductance;
}

/* The node that a copy beyond a periodic wall of the vertex layout stands for. */
static size_t node_of(const struct hs_system *s, int i, int j)
{
  if (s->wrap_x > 0 && i == s->nx - 1) i = 0;
  if (s->wrap_y > 0 && j == s->ny - 1) j = 0;
  return (size_t)j * (size_t)s->nx + (size_t)i;
}

static void equations_fill(const struct hs_system *s, long double *a)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const struct hs_node_law *law = &s->law[hs_system_index(s, n)];
      if (law->dirichlet || node_of(s, i, j) != n) { /* a copy: anything */
        a[n * nodes + n] = 1.0;
        continue;
      }
      a[n * nodes + n] += law->ambient_w_mk;
      neighbour_add(s, a, n, node_of(s, hs_system_beside(i, -1, s->nx, s->wrap_x), j), law->west);
      neighbour_add(s, a, n, node_of(s, hs_system_beside(i, 1, s->nx, s->wrap_x), j), law->east);
      neighbour_add(s, a, n, node_of(s, i, hs_system_beside(j, -1, s->ny, s->wrap_y)), law->south);
      neighbour_add(s, a, n, node_of(s, i, hs_system_beside(j, 1, s->ny, s->wrap_y)), law->north);
    }
}

/* The factors of A take its place: those of rows below, and what is above. */
static void factorise(long double *m, size_t nodes)
{
  for (size_t k = 0; k < nodes; k++)
    for (size_t row = k + 1; row < nodes; row++) {
      const long double factor = m[row * nodes + k] / m[k * nodes + k];
      if (m[row * nodes + k] == 0.0L) continue;
      m[row * nodes + k] = factor;
      for (size_t c = k + 1; c < nodes; c++)
        if (m[k * nodes + c] != 0.0L) m[row * nodes + c] -= factor * m[k * nodes + c];
    }
}

/* x = A^-1 x */
static void factors_solve(const long double *m, size_t nodes, long double *x)
{
  for (size_t row = 0; row < nodes; row++)
    for (size_t k = 0; k < row; k++)
      if (m[row * nodes + k] != 0.0L) x[row] -= m[row * nodes + k] * x[k];
  for (size_t k = nodes; k-- > 0;) {
    for (size_t c = k + 1; c < nodes; c++) x[k] -= m[k * nodes + c] * x[c];
    x[k] /= m[k * nodes + k];
  }
}

/* The equations as conductances between free nodes, row by row in a band, and what leads to held nodes and ambients. */
struct conductances {
  size_t nodes, width;
  long double *band;        /* [nodes][width + 1]: of a node and those after it */
  long double *loss, *heat; /* [nodes]; heat: whatever the temperature */
};

static void conductance_add(const struct hs_system *s, struct conductances *c, size_t n, size_t m, double conductance)
{
  const struct hs_node_law *other = &s->law[hs_system_index(s, m)];
  if (conductance == 0.0) return;
  if (other->dirichlet) {
    c->loss[n] += conductance;
    c->heat[n] += (long double)conductance * other->dirichlet_k;
  } else if (m > n) {
    c->band[n * (c->width + 1) + (m - n)] += conductance;
  }
}

static void conductances_fill(const struct hs_system *s, struct conductances *c)
{
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const struct hs_node_law *law = &s->law[hs_system_index(s, n)];
      if (law->dirichlet || node_of(s, i, j) != n) continue;
      c->loss[n] = law->ambient_w_mk;
      c->heat[n] = (long double)law->source_w_m + law->ambient_w_m + (s->source_w_m ? s->source_w_m[n] : 0.0);
      conductance_add(s, c, n, node_of(s, hs_system_beside(i, -1, s->nx, s->wrap_x), j), law->west);
      conductance_add(s, c, n, node_of(s, hs_system_beside(i, 1, s->nx, s->wrap_x), j), law->east);
      conductance_add(s, c, n, node_of(s, i, hs_system_beside(j, -1, s->ny, s->wrap_y)), law->south);
      conductance_add(s, c, n, node_of(s, i, hs_system_beside(j, 1, s->ny, s->wrap_y)), law->north);
    }
}

/* Node k's conductances become those between its neighbours, star to polygon. */
static void node_eliminate(struct conductances *c, size_t k, size_t last, long double total)
{
  const long double *of = c->band + k * (c->width + 1);
  for (size_t i = k + 1; i <= last; i++) {
    const long double share = of[i - k] / total;
    if (share == 0.0L) continue;
    for (size_t m = i + 1; m <= last; m++) c->band[i * (c->width + 1) + (m - i)] += share * of[m - k];
    c->loss[i] += share * c->loss[k];
    c->heat[i] += share * c->heat[k];
  }
}

static void conductances_solve(struct conductances *c)
{
  long double *total = calloc(c->nodes, sizeof *total);
  assert_non_null(total);
  for (size_t k = 0; k < c->nodes; k++) {
    const size_t last = c->width < c->nodes - 1 - k ? k + c->width : c->nodes - 1;
    total[k] = c->loss[k];
    for (size_t m = k + 1; m <= last; m++) total[k] += c->band[k * (c->width + 1) + (m - k)];
    if (total[k] > 0.0L) node_eliminate(c, k, last, total[k]);
  }
  for (size_t k = c->nodes; k-- > 0;) {
    const size_t last = c->width < c->nodes - 1 - k ? k + c->width : c->nodes - 1;
    for (size_t m = k + 1; m <= last; m++) c->heat[k] += c->band[k * (c->width + 1) + (m - k)] * c->heat[m];
    if (total[k] > 0.0L) c->heat[k] /= total[k];
  }
  free(total);
}

double *test_direct_solution(const struct hs_system *s)
{
  const size_t nx = (size_t)s->nx, nodes = nx * (size_t)s->ny;
  struct conductances c = {.nodes = nodes, .width = s->wrap_x < 0 && s->wrap_y < 0 ? nx : nodes - 1};
  double *field_k = test_field(s);
  c.band = calloc(nodes * (c.width + 1), sizeof *c.band);
  c.loss = calloc(nodes, sizeof *c.loss);
  c.heat = calloc(nodes, sizeof *c.heat);
  assert_true(c.band && c.loss && c.heat);
  conductances_fill(s, &c);
  conductances_solve(&c);
  for (size_t n = 0; n < nodes; n++) {
    const struct hs_node_law *law = &s->law[hs_system_index(s, n)];
    const size_t stands_for = node_of(s, (int)(n % nx), (int)(n / nx));
    field_k[n] = law->dirichlet ? law->dirichlet_k : (double)c.heat[stands_for];
  }
  free(c.band);
  free(c.loss);
  free(c.heat);
  return field_k;
}

double test_direct_gap(const struct hs_system *s)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  long double *diagonal = calloc(nodes, sizeof *diagonal), *x = calloc(nodes, sizeof *x), largest = 1.0L;
  long double *m = calloc(nodes * nodes, sizeof *m);
  assert_true(diagonal && x && m);
  equations_fill(s, m);
  for (size_t n = 0; n < nodes; n++) diagonal[n] = m[n * nodes + n];
  factorise(m, nodes);
  for (size_t n = 0; n < nodes; n++) x[n] = 1.0L + 0.1L * (long double)(n % 7);
  for (int k = 0; k < 8; k++) {
    for (size_t n = 0; n < nodes; n++) {
      const struct hs_node_law *law = &s->law[hs_system_index(s, n)];
      const bool free_node = !law->dirichlet && node_of(s, (int)(n % (size_t)s->nx), (int)(n / (size_t)s->nx)) == n;
      x[n] = free_node ? x[n] * diagonal[n] / largest : 0.0L;
    }
    factors_solve(m, nodes, x);
    largest = 0.0L;
    for (size_t n = 0; n < nodes; n++) largest = fmaxl(largest, fabsl(x[n]));
  }
  free(m);
  free(x);
  free(diagonal);
  return (double)(1.0L / largest);
}
