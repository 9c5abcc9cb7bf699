/* HYPRE's structured multigrid on the plate of `heatsolve bench`, for solvers.py.
 *
 *   hypre_pfmg N PATTERN TOLERANCE REPEATS SECONDS [FILE]
 *
 * TOLERANCE: of the residual's 2-norm over that of the right-hand side. Every repeat makes the levels anew, then solutions for
 * SECONDS at least. Prints a line for each: "setup S", "solve S ITERATIONS" (a mean), in seconds of the slowest rank. The last
 * answer goes to FILE: the inner nodes as doubles, row after row from the south.
 *
 * Ranks share the rows. Of what PFMG offers, this was the fastest: on uniform plates that every level halves evenly, N = 2^k + 1,
 * by itself, with red-black relaxation and coefficients that are stored once; on others, where that diverges, as preconditioner
 * of conjugate gradients, with Jacobi's relaxation. The matrix keeps one half, since it is symmetric. Filling it does not count,
 * nor does setting the field that a solution starts from.
 */
#include <HYPRE_struct_ls.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <unistd.h>

#include "inner.h"

enum { MOST_ITERATIONS = 200, JACOBI = 1, RED_BLACK = 3, GALERKIN = 0, FIVE_POINTS = 1 };

struct solver {
  bool alone;
  double tolerance;
  HYPRE_StructSolver pfmg, cg;
};

/* A rank's rows of the grid of inner nodes. */
struct rows {
  HYPRE_Int lower[2], upper[2];
  size_t width, count;
};

static double now_s(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

/* Centre, east, north; what leads to a wall is part of the right-hand side. */
static void matrix_fill(const struct inner *inner, const struct rows *rows, HYPRE_StructMatrix matrix)
{
  HYPRE_Int entries[3] = {0, 1, 2};
  double *values = inner_room(3 * rows->width);
  for (int j = rows->lower[1]; j <= rows->upper[1]; j++) {
    HYPRE_Int lower[2] = {rows->lower[0], j}, upper[2] = {rows->upper[0], j};
    for (size_t k = 0; k < rows->width; k++) {
      const int i = (int)k + 1;
      const struct hs_node_law *law = inner_law(inner, i, j);
      values[3 * k] = hs_law_neighbours(law);
      values[3 * k + 1] = inner_law(inner, i + 1, j)->dirichlet ? 0.0 : -law->east;
      values[3 * k + 2] = inner_law(inner, i, j + 1)->dirichlet ? 0.0 : -law->north;
    }
    HYPRE_StructMatrixSetBoxValues(matrix, lower, upper, 3, entries, values);
  }
  free(values);
}

static HYPRE_StructMatrix matrix_create(const struct inner *inner, const struct rows *rows, HYPRE_StructGrid grid,
                                        bool constant)
{
  HYPRE_Int offsets[3][2] = {{0, 0}, {1, 0}, {0, 1}}, entries[3] = {0, 1, 2};
  const struct hs_node_law *law = inner_law(inner, 1, 1);
  double values[3] = {hs_law_neighbours(law), -law->east, -law->north};
  HYPRE_StructStencil stencil;
  HYPRE_StructMatrix matrix;
  HYPRE_StructStencilCreate(2, 3, &stencil);
  for (int k = 0; k < 3; k++) HYPRE_StructStencilSetElement(stencil, k, offsets[k]);
  HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid, stencil, &matrix);
  HYPRE_StructMatrixSetSymmetric(matrix, 1);
  if (constant) HYPRE_StructMatrixSetConstantEntries(matrix, 3, entries);
  HYPRE_StructMatrixInitialize(matrix);
  if (constant)
    HYPRE_StructMatrixSetConstantValues(matrix, 3, entries, values);
  else
    matrix_fill(inner, rows, matrix);
  HYPRE_StructMatrixAssemble(matrix);
  HYPRE_StructStencilDestroy(stencil);
  return matrix;
}

static HYPRE_StructVector vector_create(HYPRE_StructGrid grid, const struct rows *rows, double *values)
{
  HYPRE_Int lower[2] = {rows->lower[0], rows->lower[1]}, upper[2] = {rows->upper[0], rows->upper[1]};
  HYPRE_StructVector vector;
  HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, &vector);
  HYPRE_StructVectorInitialize(vector);
  HYPRE_StructVectorSetBoxValues(vector, lower, upper, values);
  HYPRE_StructVectorAssemble(vector);
  return vector;
}

static void solver_create(struct solver *s, HYPRE_StructMatrix a, HYPRE_StructVector b, HYPRE_StructVector x)
{
  HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &s->pfmg);
  HYPRE_StructPFMGSetRelaxType(s->pfmg, s->alone ? RED_BLACK : JACOBI);
  HYPRE_StructPFMGSetRAPType(s->pfmg, s->alone ? FIVE_POINTS : GALERKIN);
  HYPRE_StructPFMGSetSkipRelax(s->pfmg, !s->alone);
  if (s->alone) {
    HYPRE_StructPFMGSetTol(s->pfmg, s->tolerance);
    HYPRE_StructPFMGSetMaxIter(s->pfmg, MOST_ITERATIONS);
    HYPRE_StructPFMGSetup(s->pfmg, a, b, x);
    return;
  }
  HYPRE_StructPFMGSetTol(s->pfmg, 0.0);
  HYPRE_StructPFMGSetMaxIter(s->pfmg, 1);
  HYPRE_StructPFMGSetZeroGuess(s->pfmg);
  HYPRE_StructPCGCreate(MPI_COMM_WORLD, &s->cg);
  HYPRE_StructPCGSetTol(s->cg, s->tolerance);
  HYPRE_StructPCGSetTwoNorm(s->cg, 1);
  HYPRE_StructPCGSetMaxIter(s->cg, MOST_ITERATIONS);
  HYPRE_StructPCGSetPrecond(s->cg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, s->pfmg);
  HYPRE_StructPCGSetup(s->cg, a, b, x);
}

static int solve(struct solver *s, HYPRE_StructMatrix a, HYPRE_StructVector b, HYPRE_StructVector x)
{
  HYPRE_Int iterations;
  if (s->alone) {
    HYPRE_StructPFMGSolve(s->pfmg, a, b, x);
    HYPRE_StructPFMGGetNumIterations(s->pfmg, &iterations);
  } else {
    HYPRE_StructPCGSolve(s->cg, a, b, x);
    HYPRE_StructPCGGetNumIterations(s->cg, &iterations);
  }
  HYPRE_ClearAllErrors(); /* "not converged" shows by the number of iterations */
  return (int)iterations;
}

static void solver_destroy(struct solver *s)
{
  if (!s->alone) HYPRE_StructPCGDestroy(s->cg);
  HYPRE_StructPFMGDestroy(s->pfmg);
}

/* One repeat; what it took is told by the first rank. */
static void repeat(struct solver *s, HYPRE_StructMatrix a, HYPRE_StructVector b, HYPRE_StructVector x,
                   struct rows *rows, double *start_k, double seconds)
{
  double began_s = now_s(), setup_s, spent_s = 0.0;
  int rank, iterations, solutions = 0;
  solver_create(s, a, b, x);
  setup_s = now_s() - began_s;
  do {
    HYPRE_StructVectorSetBoxValues(x, rows->lower, rows->upper, start_k);
    began_s = now_s();
    iterations = solve(s, a, b, x);
    spent_s += now_s() - began_s;
    solutions++;
    MPI_Bcast(&spent_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* one clock decides */
  } while (spent_s < seconds);
  solver_destroy(s);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("setup %.9g\nsolve %.9g %d\n", setup_s, spent_s / solutions, iterations);
}

/* The rank's rows of the answer, at their place in the file. */
static void write_rows(const char *path, struct rows *rows, HYPRE_StructVector x, double *values)
{
  const off_t row = (off_t)(rows->width * sizeof *values);
  const size_t bytes = rows->count * sizeof *values;
  const int file = open(path, O_WRONLY | O_CREAT, 0666);
  size_t done = 0;
  HYPRE_StructVectorGetBoxValues(x, rows->lower, rows->upper, values);
  while (file >= 0 && done < bytes) {
    const off_t at = (rows->lower[1] - 1) * row + (off_t)done;
    const ssize_t now = pwrite(file, (const char *)values + done, bytes - done, at);
    if (now <= 0) break;
    done += (size_t)now;
  }
  if (file < 0 || done < bytes || close(file)) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char **argv)
{
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 6) {
    fprintf(stderr, "usage: hypre_pfmg N PATTERN TOLERANCE REPEATS SECONDS [FILE]\n");
    return MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int n = atoi(argv[1]), inside = n - 2;
  struct solver s = {.alone = !strcmp(argv[2], "uniform") && !((n - 1) & (n - 2)), .tolerance = atof(argv[3])};
  struct rows rows = {.lower = {1, 1 + (int)((long)inside * rank / ranks)},
                      .upper = {inside, (int)((long)inside * (rank + 1) / ranks)},
                      .width = (size_t)inside};
  struct inner inner = {.n = 0};
  HYPRE_StructGrid grid;
  rows.count = rows.width * (size_t)(rows.upper[1] - rows.lower[1] + 1);
  inner_create(n, argv[2], &inner);
  HYPRE_Init();
  HYPRE_StructGridCreate(MPI_COMM_WORLD, 2, &grid);
  HYPRE_StructGridSetExtents(grid, rows.lower, rows.upper);
  HYPRE_StructGridAssemble(grid);

  double *given = inner_room(rows.count), *start_k = inner_room(rows.count);
  for (size_t k = 0; k < rows.count; k++) {
    const int i = (int)(k % rows.width) + 1, j = (int)(k / rows.width) + (int)rows.lower[1];
    given[k] = inner_given_w_m(&inner, i, j);
    start_k[k] = inner.start_k[(size_t)j * (size_t)n + (size_t)i];
  }
  HYPRE_StructMatrix a = matrix_create(&inner, &rows, grid, s.alone);
  HYPRE_StructVector b = vector_create(grid, &rows, given), x = vector_create(grid, &rows, start_k);
  inner_destroy(&inner);
  if (rank == 0) printf("version %s\n", HYPRE_RELEASE_VERSION);
  for (int k = atoi(argv[4]); k > 0; k--) repeat(&s, a, b, x, &rows, start_k, atof(argv[5]));
  if (argc > 6) write_rows(argv[6], &rows, x, given);

  HYPRE_StructVectorDestroy(x);
  HYPRE_StructVectorDestroy(b);
  HYPRE_StructMatrixDestroy(a);
  HYPRE_StructGridDestroy(grid);
  HYPRE_Finalize();
  free(start_k);
  free(given);
  return MPI_Finalize();
}
