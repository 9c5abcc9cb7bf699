/* The first update of a field, and how rough a system is: each rank looks at its own nodes. */
#include "run/first_update.h"

#include <math.h>

#include "comm/grid_sum.h"

HS_INLINE_ALWAYS double update_at(const struct hs_system *s, const double *t, int i, int j)
{
  const size_t nx = (size_t)s->nx, n = (size_t)j * nx + (size_t)i;
  const struct hs_stencil_f64 *node = &s->stencil[hs_system_index(s, n)];
  const double own = s->source_w_m && node->diagonal != 0.0 ? s->source_w_m[n] / node->diagonal : 0.0;
  const size_t west = (size_t)hs_system_beside(i, -1, s->nx, s->wrap_x);
  const size_t east = (size_t)hs_system_beside(i, 1, s->nx, s->wrap_x);
  const size_t south = (size_t)hs_system_beside(j, -1, s->ny, s->wrap_y);
  const size_t north = (size_t)hs_system_beside(j, 1, s->ny, s->wrap_y);
  return hs_node_general_f64(node, node->c + own, t[(size_t)j * nx + west], t[(size_t)j * nx + east],
                             t[south * nx + (size_t)i], t[north * nx + (size_t)i]) -
         t[n];
}

double hs_first_update_at(const struct hs_system *s, const double *t, int i, int j)
{
  return update_at(s, t, i, j);
}

/* What rows of nodes add up to. */
struct row_sums {
  struct hs_grid_sum squares; /* of the updates, */
  struct hs_grid_sum decades; /* of the ratio of each node's couplings on opposite sides, of some rows, */
  int64_t nodes;              /* so many nodes of these */
  double largest_k;
};

HS_FAST_FMA static void row_measure(const struct hs_system *s, const double *t, const struct hs_rectangle *own, int j,
                                    bool with_couplings, struct row_sums *sums)
{
  for (int i = own->x0; i < own->x0 + own->nx; i++) {
    const struct hs_stencil_f64 *node = &s->stencil[hs_system_index(s, (size_t)j * (size_t)s->nx + (size_t)i)];
    const double update = fabs(update_at(s, t, i, j));
    if (update != 0.0) hs_grid_sum_add(&sums->squares, update * update);
    sums->largest_k = update > sums->largest_k ? update : sums->largest_k;
    if (!with_couplings || !(node->west > 0.0 && node->east > 0.0 && node->south > 0.0 && node->north > 0.0)) continue;
    hs_grid_sum_add(&sums->decades,
                    0.5 * (fabs(log10(node->west / node->east)) + fabs(log10(node->south / node->north))));
    sums->nodes++;
  }
}

static struct row_sums rows_measure(const struct hs_problem *p, const struct hs_system *s, const double *t)
{
  const struct hs_rectangle own = hs_system_own(s);
  const int every = 1 + p->grid_ny / 64;
  struct row_sums all = {.nodes = 0};
#pragma omp parallel
  {
    struct row_sums mine = {.nodes = 0};
#pragma omp for schedule(static)
    for (int j = own.y0; j < own.y0 + own.ny; j++) row_measure(s, t, &own, j, (p->first_y + j) % every == 0, &mine);
#pragma omp critical(hs_forecast_rows)
    {
      hs_grid_sum_merge(&all.squares, &mine.squares);
      hs_grid_sum_merge(&all.decades, &mine.decades);
      all.nodes += mine.nodes;
      all.largest_k = fmax(all.largest_k, mine.largest_k);
    }
  }
  return all;
}

hs_status hs_first_update_measure(const struct hs_problem *problem, const struct hs_system *system,
                                  const double *field_k, struct hs_first_update *first, struct hs_error *err)
{
  struct hs_comm *comm = problem->subdomain.comm;
  struct row_sums sums = rows_measure(problem, system, field_k);
  double squares = 0.0, decades = 0.0;
  hs_status status = hs_grid_sums_join(comm, &sums.squares, 1, &squares, err);
  if (!status) status = hs_grid_sums_join(comm, &sums.decades, 1, &decades, err);
  if (!status) status = hs_comm_count(comm, &sums.nodes, 1, err);
  if (!status) status = hs_comm_largest(comm, &sums.largest_k, 1, err);
  *first =
      (struct hs_first_update){true, sqrt(squares), sums.largest_k, sums.nodes ? decades / (double)sums.nodes : 0.0};
  return status;
}
