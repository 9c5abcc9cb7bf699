/* Jacobi sweeps as a textbook has them: two arrays, a parallel loop over rows, no library. The yardstick of what a
 * compiler makes of the obvious program; peers.py compiles it (cc -O3 -march=native -fopenmp) and calls it.
 *
 * n x n nodes, row after row. The outermost ones are held: nothing writes them. rise[size][size] K is what the source
 * adds to a node in a sweep, for the square of nodes whose first corner is (first, first).
 */
#define SWEEPS(name, real)                                                                                             \
  void name(int n, int first, int size, const real *rise, real *now, real *next, long sweeps)                          \
  {                                                                                                                    \
    for (long k = 0; k < sweeps; k++) {                                                                                \
      _Pragma("omp parallel for schedule(static)") for (int j = 1; j < n - 1; j++)                                     \
      {                                                                                                                \
        const real *a = now + (long)j * n;                                                                             \
        real *b = next + (long)j * n;                                                                                  \
        for (int i = 1; i < n - 1; i++) b[i] = (real)0.25 * ((a[i + 1] + a[i + n]) + (a[i - n] + a[i - 1]));           \
        if (j >= first && j < first + size)                                                                            \
          for (int i = 0; i < size; i++) b[first + i] += rise[(long)(j - first) * size + i];                           \
      }                                                                                                                \
      real *swap = now;                                                                                                \
      now = next;                                                                                                      \
      next = swap;                                                                                                     \
    }                                                                                                                  \
  }

SWEEPS(sweeps_double, double)
SWEEPS(sweeps_single, float)
