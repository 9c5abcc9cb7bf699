/* The equations as a matrix, its factors, and what they are good for; see direct.h. */
#include "solve/direct.h"

#include <math.h>
#include <stdlib.h>

#include "support.h"

/* Adds the heat that node n gets from its neighbour m to the matrix. */
static void neighbour_add(const struct hs_system *s, long double *a, long double *b, size_t n, size_t m,
                          double conductance)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  const struct hs_node_law *other = &s->law[hs_system_index(s, m)];
  if (conductance == 0.0) return;
  a[n * nodes + n] += conductance;
  if (other->dirichlet)
    b[n] += (long double)conductance * other->dirichlet_k;
  else
    a[n * nodes + m] -= conductance;
}

/* The node that a copy beyond a periodic wall of the vertex layout stands for. */
static size_t node_of(const struct hs_system *s, int i, int j)
{
  if (s->wrap_x > 0 && i == s->nx - 1) i = 0;
  if (s->wrap_y > 0 && j == s->ny - 1) j = 0;
  return (size_t)j * (size_t)s->nx + (size_t)i;
}

static void equations_fill(const struct hs_system *s, long double *a, long double *b)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) {
      const size_t n = (size_t)j * (size_t)s->nx + (size_t)i;
      const struct hs_node_law *law = &s->law[hs_system_index(s, n)];
      if (law->dirichlet || node_of(s, i, j) != n) { /* a copy: anything */
        a[n * nodes + n] = 1.0;
        b[n] = law->dirichlet_k;
        continue;
      }
      a[n * nodes + n] += law->ambient_w_mk;
      b[n] = (long double)law->source_w_m + law->ambient_w_m + (s->source_w_m ? s->source_w_m[n] : 0.0);
      neighbour_add(s, a, b, n, node_of(s, hs_system_beside(i, -1, s->nx, s->wrap_x), j), law->west);
      neighbour_add(s, a, b, n, node_of(s, hs_system_beside(i, 1, s->nx, s->wrap_x), j), law->east);
      neighbour_add(s, a, b, n, node_of(s, i, hs_system_beside(j, -1, s->ny, s->wrap_y)), law->south);
      neighbour_add(s, a, b, n, node_of(s, i, hs_system_beside(j, 1, s->ny, s->wrap_y)), law->north);
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

/* The factors, and the right-hand side in *x; the caller frees both. *diagonal, or NULL: that of A. */
static long double *factors_of(const struct hs_system *s, long double **x, long double *diagonal)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  long double *m = calloc(nodes * nodes, sizeof *m);
  *x = calloc(nodes, sizeof **x);
  assert_true(m && *x);
  equations_fill(s, m, *x);
  for (size_t n = 0; diagonal && n < nodes; n++) diagonal[n] = m[n * nodes + n];
  factorise(m, nodes);
  return m;
}

double *test_direct_solution(const struct hs_system *s)
{
  long double *x, *m = factors_of(s, &x, NULL);
  double *field_k = test_field(s);
  factors_solve(m, (size_t)s->nx * (size_t)s->ny, x);
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) field_k[(size_t)j * (size_t)s->nx + (size_t)i] = (double)x[node_of(s, i, j)];
  free(m);
  free(x);
  return field_k;
}

double test_direct_gap(const struct hs_system *s)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  long double *diagonal = calloc(nodes, sizeof *diagonal), *x, *m, largest = 1.0L;
  assert_true(diagonal);
  m = factors_of(s, &x, diagonal);
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
