/* The sine transform's exact solution on the uniform plate of `heatsolve bench`, by FFTW, for solvers.py.
 *
 *   fftw_sine N THREADS REPEATS SECONDS [FILE]
 *
 * With walls that are held, the sines of both directions are the eigenvectors of the five-point equations: transform the
 * right-hand side (RODFT00), divide by the eigenvalues, transform back. Plans (FFTW_MEASURE) are made once, for they are
 * remembered; then every repeat makes solutions for SECONDS at least. Prints "setup S" and a line "solve S 1" (a mean) for each
 * repeat. The last answer goes to FILE: the inner nodes as doubles, row after row from the south.
 */
#include <fftw3.h>
#include <math.h>

#include "base/timer.h"
#include "inner.h"

struct sine {
  int inside; /* nodes of a side */
  double *given, *waves, *answer, *eigenvalue;
  fftw_plan there, back;
};

static void sine_plan(struct sine *s, int threads)
{
  const int m = s->inside;
  fftw_init_threads();
  fftw_plan_with_nthreads(threads);
  s->eigenvalue = inner_room((size_t)m);
  for (int k = 0; k < m; k++) s->eigenvalue[k] = 4.0 * pow(sin(0.5 * M_PI * (k + 1) / (m + 1)), 2.0);
  s->there = fftw_plan_r2r_2d(m, m, s->given, s->waves, FFTW_RODFT00, FFTW_RODFT00, FFTW_MEASURE);
  s->back = fftw_plan_r2r_2d(m, m, s->waves, s->answer, FFTW_RODFT00, FFTW_RODFT00, FFTW_MEASURE | FFTW_DESTROY_INPUT);
}

static void sine_solve(const struct sine *s, int threads)
{
  const size_t m = (size_t)s->inside;
  const double scale = 0.25 / ((double)(m + 1) * (double)(m + 1)); /* there and back: (2 (m + 1))^2 times as much */
  fftw_execute(s->there);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < m; i++) s->waves[j * m + i] *= scale / (s->eigenvalue[j] + s->eigenvalue[i]);
  fftw_execute(s->back);
}

int main(int argc, char **argv)
{
  if (argc < 5) {
    fprintf(stderr, "usage: fftw_sine N THREADS REPEATS SECONDS [FILE]\n");
    return 2;
  }
  const int n = atoi(argv[1]), threads = atoi(argv[2]);
  const double seconds = atof(argv[4]);
  struct inner inner = {.n = 0};
  inner_create(n, "uniform", &inner);
  struct sine s = {.inside = n - 2};
  const size_t m = (size_t)s.inside;
  s.given = fftw_alloc_real(m * m);
  s.waves = fftw_alloc_real(m * m);
  s.answer = fftw_alloc_real(m * m);
  if (!s.given || !s.waves || !s.answer) {
    fprintf(stderr, "fftw_sine: no memory for %d x %d nodes\n", n, n);
    return 1;
  }
  double began_s = hs_time_s();
  sine_plan(&s, threads);
  if (!s.there || !s.back) {
    fprintf(stderr, "fftw_sine: FFTW has no plan for %d x %d nodes\n", n, n);
    return 1;
  }
  printf("version %s\nsetup %.9g\n", fftw_version, hs_time_s() - began_s);
  for (size_t k = 0; k < m * m; k++) /* now, for plans that are measured overwrite it */
    s.given[k] = inner_given_w_m(&inner, (int)(k % m) + 1, (int)(k / m) + 1);
  inner_destroy(&inner);
  for (int k = atoi(argv[3]); k > 0; k--) {
    int solutions = 0;
    double spent_s;
    began_s = hs_time_s();
    do {
      sine_solve(&s, threads);
      solutions++;
      spent_s = hs_time_s() - began_s;
    } while (spent_s < seconds);
    printf("solve %.9g 1\n", spent_s / solutions);
  }
  FILE *file = argc > 5 ? fopen(argv[5], "wb") : NULL;
  if (argc > 5 && (!file || fwrite(s.answer, sizeof *s.answer, m * m, file) != m * m || fclose(file))) {
    perror(argv[5]);
    return 1;
  }
  fftw_destroy_plan(s.there);
  fftw_destroy_plan(s.back);
  fftw_free(s.given);
  fftw_free(s.waves);
  fftw_free(s.answer);
  free(s.eigenvalue);
  return 0;
}
