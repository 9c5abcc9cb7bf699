/* The V-cycle's operations on CPU threads. */
#include "backend/host/host.h"

void hs_host_ghosts_f32(const struct hs_grid *g, float *v)
{
  for (int j = 0; g->periodic_x && j < g->ny; j++) {
    v[hs_grid_at(g, -1, j)] = v[hs_grid_at(g, g->nx - 1, j)];
    v[hs_grid_at(g, g->nx, j)] = v[hs_grid_at(g, 0, j)];
  }
  for (int i = -1; g->periodic_y && i <= g->nx; i++) {
    v[hs_grid_at(g, i, -1)] = v[hs_grid_at(g, i, g->ny - 1)];
    v[hs_grid_at(g, i, g->ny)] = v[hs_grid_at(g, i, 0)];
  }
}

void hs_host_ghosts_f64(const struct hs_grid *g, double *v)
{
  for (int j = 0; g->periodic_x && j < g->ny; j++) {
    v[hs_grid_at(g, -1, j)] = v[hs_grid_at(g, g->nx - 1, j)];
    v[hs_grid_at(g, g->nx, j)] = v[hs_grid_at(g, 0, j)];
  }
  for (int i = -1; g->periodic_y && i <= g->nx; i++) {
    v[hs_grid_at(g, i, -1)] = v[hs_grid_at(g, i, g->ny - 1)];
    v[hs_grid_at(g, i, g->ny)] = v[hs_grid_at(g, i, 0)];
  }
}

/* 1 / D at a node. */
static inline float inverse_at(const struct hs_operator *op, size_t n, int i, int j)
{
  return op->system ? op->balance_single[hs_host_entry(op, i, j)].inverse : op->couplings.inverse[n];
}

/* f - A u at a node. */
static inline float residual_at(const struct hs_operator *op, const float *u, const float *f, size_t n, int i, int j)
{
  const size_t pitch = (size_t)op->grid.pitch;
  return op->system ? hs_level_residual_fine(&op->balance_single[hs_host_entry(op, i, j)], u, f[n], n, pitch)
                    : hs_level_residual(&op->couplings, u, f[n], n, pitch);
}

hs_status hs_host_cycle_start(struct hs_operator *op, const struct hs_vector *f, double weight, struct hs_vector *u,
                              struct hs_error *err)
{
  const float w = (float)weight;
  (void)err;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) {
    const size_t n = hs_grid_at(&op->grid, i, j);
    u->single[n] = w * inverse_at(op, n, i, j) * f->single[n];
  }
  hs_host_ghosts_f32(&op->grid, u->single);
  return HS_OK;
}

hs_status hs_host_cycle_relax(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                              double weight, struct hs_vector *to, struct hs_error *err)
{
  const float w = (float)weight;
  (void)err;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) {
    const size_t n = hs_grid_at(&op->grid, i, j);
    to->single[n] = fmaf(w * inverse_at(op, n, i, j), residual_at(op, u->single, f->single, n, i, j), u->single[n]);
  }
  hs_host_ghosts_f32(&op->grid, to->single);
  return HS_OK;
}

/* Row of a segment: node m of its line. */
static struct hs_segment_row row_at(const struct hs_operator *op, const struct hs_segments *s, const float *u,
                                    const float *f, int i, int j)
{
  const size_t n = hs_grid_at(&op->grid, i, j), pitch = (size_t)op->grid.pitch;
  const int m = s->along_x ? i : j, end = hs_segments_end(s, &op->grid);
  const float residual = residual_at(op, u, f, n, i, j);
  const struct hs_couplings_f32 *g = &op->couplings;
  if (op->system) {
    const struct hs_balance_f32 *b = &op->balance_single[hs_host_entry(op, i, j)];
    const float diagonal = ((b->west + b->east) + (b->south + b->north)) + b->sum;
    return hs_segment_row(s->along_x ? b->west : b->south, s->along_x ? b->east : b->north, diagonal, residual, m, s,
                          end);
  }
  return hs_segment_row(s->along_x ? g->east[n - 1] : g->north[n - pitch], s->along_x ? g->east[n] : g->north[n],
                        g->sum[n] + hs_level_total(g, n, pitch), residual, m, s, end);
}

/* The segment that begins at node `begin` of a line: solves it, and returns where the next one begins. */
static int segment_relax(const struct hs_operator *op, const struct hs_segments *s, const float *u, const float *f,
                         int line, int begin, float *to)
{
  const int end = hs_segments_end(s, &op->grid);
  float values[4][HS_SEGMENT];
  const struct hs_segment_rows segment = {values[0], values[1], values[2], values[3], 1};
  int count = 0;
  do {
    const int m = begin + count;
    const struct hs_segment_row row = row_at(op, s, u, f, s->along_x ? m : line, s->along_x ? line : m);
    hs_segment_put(&segment, count++, &row);
  } while (begin + count < end && (begin + count + s->shift) % HS_SEGMENT != 0);
  hs_segment_solve(&segment, count);
  for (int k = 0; k < count; k++) {
    const size_t n = s->along_x ? hs_grid_at(&op->grid, begin + k, line) : hs_grid_at(&op->grid, line, begin + k);
    to[n] = fmaf((float)s->weight, segment.residual[k], u[n]);
  }
  return begin + count;
}

hs_status hs_host_cycle_segments(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                 const struct hs_segments *segments, struct hs_vector *to, struct hs_error *err)
{
  const int lines = segments->along_x ? op->grid.ny : op->grid.nx;
  const int end = hs_segments_end(segments, &op->grid);
  (void)err;
#pragma omp parallel for schedule(static) num_threads(hs_host_threads_now(op)) if (op->threads > 1)
  for (int line = 0; line < lines; line++) {
    int begin = segments->first;
    while (begin < end) begin = segment_relax(op, segments, u->single, f->single, line, begin, to->single);
  }
  hs_host_ghosts_f32(&op->grid, to->single);
  return HS_OK;
}

hs_status hs_host_cycle_restrict(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                 struct hs_vector *r, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                 struct hs_error *err)
{
  (void)err;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) {
    const size_t n = hs_grid_at(&op->grid, i, j);
    r->single[n] = residual_at(op, u->single, f->single, n, i, j);
  }
  hs_host_ghosts_f32(&op->grid, r->single);
  HS_HOST_ROWS(coarse, j)
  for (int i = 0; i < coarse->grid.nx; i++)
    coarse_f->single[hs_grid_at(&coarse->grid, i, j)] =
        hs_level_restrict(&op->interpolation, r->single, &op->grid, op->coarsen_x, op->coarsen_y, i, j);
  return HS_OK;
}

hs_status hs_host_cycle_prolong(struct hs_operator *op, const struct hs_operator *coarse,
                                const struct hs_vector *coarse_u, struct hs_vector *u, struct hs_error *err)
{
  (void)err;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) {
    const size_t n = hs_grid_at(&op->grid, i, j);
    u->single[n] +=
        hs_level_prolong(&op->interpolation, coarse_u->single, n, &coarse->grid, op->coarsen_x, op->coarsen_y, i, j);
  }
  hs_host_ghosts_f32(&op->grid, u->single);
  return HS_OK;
}

/* A node's couplings, and its row sum. */
static struct hs_around_f32 couplings_at(const struct hs_operator *op, size_t n, int i, int j, float *sum)
{
  if (op->system) {
    const struct hs_balance_f32 *b = &op->balance_single[hs_host_entry(op, i, j)];
    const struct hs_around_f32 g = {b->west, b->east, b->south, b->north, 0.0F, 0.0F, 0.0F, 0.0F};
    *sum = b->sum;
    return g;
  }
  *sum = op->couplings.sum[n];
  return hs_couplings_around(&op->couplings, n, (size_t)op->grid.pitch);
}

/* What f gives node (i, j) between two coarse ones. */
static float line_at(const struct hs_operator *op, const float *f, int i, int j, bool along_x)
{
  const size_t n = hs_grid_at(&op->grid, i, j);
  float sum;
  const struct hs_around_f32 g = couplings_at(op, n, i, j, &sum);
  return along_x ? hs_level_line_x(&g, f[n], sum, inverse_at(op, n, i, j))
                 : hs_level_line_y(&g, f[n], sum, inverse_at(op, n, i, j));
}

/* What lines have given its neighbours is in u. */
static float middle_at(const struct hs_operator *op, const float *f, const float *u, int i, int j)
{
  const size_t n = hs_grid_at(&op->grid, i, j), pitch = (size_t)op->grid.pitch;
  float sum;
  const struct hs_around_f32 g = couplings_at(op, n, i, j, &sum);
  return hs_level_middle(&g, f[n], sum, inverse_at(op, n, i, j), u[n - 1], u[n + 1], u[n - pitch], u[n + pitch]);
}

hs_status hs_host_cycle_condense(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                                 struct hs_vector *room, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                 struct hs_error *err)
{
  const bool x = op->coarsen_x, y = op->coarsen_y;
  HS_HOST_ROWS(op, j)
  for (int i = 0; i < op->grid.nx; i++) {
    const bool between_x = x && i % 2 == 1, between_y = y && j % 2 == 1;
    u->single[hs_grid_at(&op->grid, i, j)] =
        between_x != between_y ? line_at(op, f->single, i, j, between_x) : 0.0F;
  }
  hs_host_ghosts_f32(&op->grid, u->single);
  HS_HOST_ROWS(op, j)
  for (int i = 1; x && y && j % 2 == 1 && i < op->grid.nx; i += 2)
    u->single[hs_grid_at(&op->grid, i, j)] = middle_at(op, f->single, u->single, i, j);
  hs_host_ghosts_f32(&op->grid, u->single);
  return hs_host_cycle_restrict(op, u, f, room, coarse, coarse_f, err);
}

hs_status hs_host_cycle_solve(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                              struct hs_error *err)
{
  const int nx = op->grid.nx, nodes = nx * op->grid.ny;
  (void)err;
  for (int k = 0; k < nodes; k++) {
    double sum = 0.0;
    for (int m = 0; m < nodes; m++)
      sum = fma(op->inverse[(size_t)k * (size_t)nodes + (size_t)m],
                (double)f->single[hs_grid_at(&op->grid, m % nx, m / nx)], sum);
    u->single[hs_grid_at(&op->grid, k % nx, k / nx)] = (float)sum;
  }
  hs_host_ghosts_f32(&op->grid, u->single);
  return HS_OK;
}
