/* What every pass over an operator begins with: the threads that come, and where the coefficients of a row are. */
#include "backend/cpu/linear/linear.h"
#include "base/timer.h"

int hs_linear_enter(const struct hs_operator *op)
{
  struct hs_cpu_team *team = &op->by_rows->team->threads;
  int threads;
  if (op->threads == 1) return 1;
  hs_cpu_team_enter(team);
  threads = atomic_load_explicit(&team->threads, memory_order_relaxed);
  return threads < op->threads ? threads : op->threads;
}

void hs_linear_done(const struct hs_operator *op)
{
  if (op->threads > 1) op->by_rows->team->done[omp_get_thread_num()].at_s = hs_time_s();
}

/* Threads have waited from when they were done until now. */
void hs_linear_leave(const struct hs_operator *op, int threads)
{
  struct hs_linear_team *team = op->by_rows->team;
  const double now_s = hs_time_s();
  double waited_s = 0.0;
  if (op->threads == 1) return;
  for (int k = 0; k < threads; k++) waited_s += fmax(0.0, now_s - team->done[k].at_s);
  if (threads > 1)
    atomic_fetch_add_explicit(&team->threads.waiting.ns, (uint64_t)(1e9 * waited_s), memory_order_relaxed);
  hs_cpu_team_leave(&team->threads);
}

struct hs_linear_row hs_linear_row(const struct hs_operator *op, int j)
{
  const size_t n = hs_host_row(&op->grid, op->same_couplings, j);
  const size_t south = hs_host_row(&op->grid, op->same_couplings, j - 1);
  const struct hs_couplings_f32 *g = &op->couplings;
  struct hs_linear_row row = {.nx = op->grid.nx};
  if (op->system) {
    const size_t *first = &op->by_rows->first_run[j];
    row.run = op->by_rows->runs + first[0];
    row.run_count = (int)(first[1] - first[0]);
    row.single = op->balance_single;
    row.twice = op->balance;
    row.first = (size_t)j * (size_t)op->system->nx;
    if (j >= op->own.y0 && j < op->own.y0 + op->own.ny) {
      row.from = op->own.x0;
      row.to = op->own.x0 + op->own.nx;
    }
    if (op->system->index) row.index = op->system->index + row.first;
    return row;
  }
  row.east = g->east + n;
  row.north = g->north + n;
  row.northeast = g->northeast + n;
  row.northwest = g->northwest + n;
  row.sum = g->sum + n;
  row.inverse = g->inverse + n;
  row.south = g->north + south;
  row.southwest = g->northeast + south;
  row.southeast = g->northwest + south;
  return row;
}
