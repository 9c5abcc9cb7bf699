/* Rows of the V-cycle; included by rows.c. See hs_level_residual_fine and its neighbours in numerics/multigrid.h. */

static void round_row(int nx, const double *restrict r, double scale, float *restrict f)
{
  SIMD for (int i = 0; i < nx; i++) f[i] = (float)(r[i] * scale);
}

static void start_row(const struct hs_linear_row *g, float weight, const float *restrict f, float *restrict u)
{
  if (g->run) {
    FINE_RUNS(g, hs_balance_f32, g->single, u[i] = weight * s->inverse * f[i])
    return;
  }
  {
    const float *restrict inverse = g->inverse;
    SIMD for (int i = 0; i < g->nx; i++) u[i] = weight * inverse[i] * f[i];
  }
}

HS_INLINE_ALWAYS float residual_five(const struct hs_balance_f32 *s, float f, const float *south, const float *row,
                                     const float *north, int i)
{
  const float c = row[i];
  const float x = fmaf(s->east, row[i + 1] - c, s->west * (row[i - 1] - c));
  const float y = fmaf(s->north, north[i] - c, s->south * (south[i] - c));
  return fmaf(-s->sum, c, f) + (x + y);
}

/* Of a coarser row. */
HS_INLINE_ALWAYS float residual_nine(const struct hs_linear_row *g, const struct hs_rows_f32 *u, float f, int i)
{
  const float c = u->row[i];
  const float x = fmaf(g->east[i], u->row[i + 1] - c, g->east[i - 1] * (u->row[i - 1] - c));
  const float y = fmaf(g->north[i], u->north[i] - c, g->south[i] * (u->south[i] - c));
  const float rising = fmaf(g->northeast[i], u->north[i + 1] - c, g->southwest[i - 1] * (u->south[i - 1] - c));
  const float falling = fmaf(g->northwest[i], u->north[i - 1] - c, g->southeast[i + 1] * (u->south[i + 1] - c));
  return fmaf(-g->sum[i], c, f) + ((x + y) + (rising + falling));
}

/* A coarser row: to = f - A u, or with a weight u + weight D^-1 (f - A u). */
HS_INLINE_ALWAYS void coarse_row(const struct hs_linear_row *g, bool relaxed, float weight, const struct hs_rows_f32 *u,
                                 const float *restrict f, float *restrict to)
{
  SIMD for (int i = 0; i < g->nx; i++)
  {
    const float r = residual_nine(g, u, f[i], i);
    to[i] = relaxed ? fmaf(weight * g->inverse[i], r, u->row[i]) : r;
  }
}

static void relax_row(const struct hs_linear_row *g, float weight, const struct hs_rows_f32 *u, const float *restrict f,
                      float *restrict to)
{
  const float *restrict south = u->south, *restrict row = u->row, *restrict north = u->north;
  if (!g->run) {
    coarse_row(g, true, weight, u, f, to);
    return;
  }
  FINE_RUNS(g, hs_balance_f32, g->single,
            to[i] = fmaf(weight * s->inverse, residual_five(s, f[i], south, row, north, i), row[i]))
}

static void residual_row(const struct hs_linear_row *g, const struct hs_rows_f32 *u, const float *restrict f,
                         float *restrict r)
{
  const float *restrict south = u->south, *restrict row = u->row, *restrict north = u->north;
  if (!g->run) {
    coarse_row(g, false, 0.0f, u, f, r);
    return;
  }
  FINE_RUNS(g, hs_balance_f32, g->single, r[i] = residual_five(s, f[i], south, row, north, i))
}

/* Couplings of node i of a coarser row. */
HS_INLINE_ALWAYS struct hs_around_f32 around_nine(const struct hs_linear_row *g, int i)
{
  const struct hs_around_f32 a = {g->east[i - 1],      g->east[i],          g->south[i],     g->north[i],
                                  g->southwest[i - 1], g->southeast[i + 1], g->northwest[i], g->northeast[i]};
  return a;
}

HS_INLINE_ALWAYS struct hs_around_f32 around_five(const struct hs_balance_f32 *s)
{
  const struct hs_around_f32 a = {s->west, s->east, s->south, s->north, 0.0f, 0.0f, 0.0f, 0.0f};
  return a;
}

HS_INLINE_ALWAYS float line_of(const struct hs_around_f32 g, bool along_x, float f, float sum, float inverse)
{
  return along_x ? hs_level_line_x(&g, f, sum, inverse) : hs_level_line_y(&g, f, sum, inverse);
}

/* Lines at columns of this parity; 2: at all. */
HS_INLINE_ALWAYS void lines_any(const struct hs_linear_row *g, bool along_x, int parity, const float *restrict f,
                                float *restrict to)
{
  if (g->run) {
    FINE_RUNS(g, hs_balance_f32, g->single,
              to[i] = parity == 2 || i % 2 == parity ? line_of(around_five(s), along_x, f[i], s->sum, s->inverse) : 0.0f)
    return;
  }
  SIMD for (int i = 0; i < g->nx; i++)
  {
    const float line = line_of(around_nine(g, i), along_x, f[i], g->sum[i], g->inverse[i]);
    to[i] = parity == 2 || i % 2 == parity ? line : 0.0f;
  }
}

static void lines_row(const struct hs_linear_row *g, bool coarsen_x, bool between, const float *f, float *to)
{
  if (!between && !coarsen_x)
    memset(to, 0, (size_t)g->nx * sizeof *to);
  else if (!between)
    lines_any(g, true, 1, f, to);
  else if (coarsen_x)
    lines_any(g, false, 0, f, to);
  else
    lines_any(g, false, 2, f, to);
}

static void middles_row(const struct hs_linear_row *g, const struct hs_rows_f32 *u, const float *restrict f,
                        float *restrict to)
{
  const float *restrict south = u->south, *restrict row = u->row, *restrict north = u->north;
  if (g->run) {
    FINE_RUNS(g, hs_balance_f32, g->single, {
      const struct hs_around_f32 a = around_five(s);
      const float middle =
          hs_level_middle(&a, f[i], s->sum, s->inverse, row[i - 1], row[i + 1], south[i], north[i]);
      to[i] = i % 2 == 1 ? middle : row[i];
    })
    return;
  }
  SIMD for (int i = 0; i < g->nx; i++)
  {
    const struct hs_around_f32 a = around_nine(g, i);
    const float middle =
        hs_level_middle(&a, f[i], g->sum[i], g->inverse[i], row[i - 1], row[i + 1], south[i], north[i]);
    to[i] = i % 2 == 1 ? middle : row[i];
  }
}

/* See hs_level_restrict. */
HS_INLINE_ALWAYS void restrict_any(const struct hs_transfer *t, bool x, bool y, int nx, float *restrict coarse)
{
  const float *restrict r0 = t->fine[0], *restrict r1 = t->fine[1], *restrict r2 = t->fine[2];
  const float *restrict own = t->weight[0][1], *restrict west = t->weight[1][1];
  const float *restrict own_2 = t->weight[0][2], *restrict west_2 = t->weight[1][2];
  const float *restrict north_0 = t->weight[2][0], *restrict corner_0 = t->weight[3][0];
  SIMD for (int i = 0; i < nx; i++)
  {
    const int n = x ? 2 * i : i;
    float sum = own[n] * r1[n];
    if (x) sum = fmaf(west[n - 1], r1[n - 1], fmaf(own[n + 1], r1[n + 1], sum));
    if (y) sum = fmaf(north_0[n], r0[n], fmaf(own_2[n], r2[n], sum));
    if (x && y) sum = fmaf(corner_0[n - 1], r0[n - 1], fmaf(north_0[n + 1], r0[n + 1], sum));
    if (x && y) sum = fmaf(west_2[n - 1], r2[n - 1], fmaf(own_2[n + 1], r2[n + 1], sum));
    coarse[i] = sum;
  }
}

static void restrict_row(const struct hs_transfer *t, int coarse_nx, float *coarse)
{
  if (t->coarsen_x && t->coarsen_y)
    restrict_any(t, true, true, coarse_nx, coarse);
  else if (t->coarsen_x)
    restrict_any(t, true, false, coarse_nx, coarse);
  else
    restrict_any(t, false, true, coarse_nx, coarse);
}

/* See hs_level_prolong. Only y is coarsened. */
static void prolong_column(const struct hs_transfer *t, int nx, const float *const c[2], const float *u, float *to)
{
  const float *restrict c0 = c[0], *restrict c1 = c[1], *restrict w0 = t->weight[0][1], *restrict w2 = t->weight[2][1];
  SIMD for (int n = 0; n < nx; n++) to[n] = u[n] + fmaf(w2[n], c1[n], w0[n] * c0[n]);
}

/* x is coarsened: columns 2 m and 2 m + 1 have the same parents; the last column may be alone. */
HS_INLINE_ALWAYS void prolong_pairs(const struct hs_transfer *t, bool y, int nx, const float *const c[2],
                                    const float *u, float *to)
{
  const float *restrict c0 = c[0], *restrict c1 = c[1];
  const float *restrict w0 = t->weight[0][1], *restrict w1 = t->weight[1][1];
  const float *restrict w2 = t->weight[2][1], *restrict w3 = t->weight[3][1];
  SIMD for (int m = 0; m < nx / 2; m++)
  {
    float even = fmaf(w1[2 * m], c0[m + 1], w0[2 * m] * c0[m]);
    float odd = fmaf(w1[2 * m + 1], c0[m + 1], w0[2 * m + 1] * c0[m]);
    if (y) even = fmaf(w3[2 * m], c1[m + 1], fmaf(w2[2 * m], c1[m], even));
    if (y) odd = fmaf(w3[2 * m + 1], c1[m + 1], fmaf(w2[2 * m + 1], c1[m], odd));
    to[2 * m] = u[2 * m] + even;
    to[2 * m + 1] = u[2 * m + 1] + odd;
  }
  if (nx % 2) {
    const int m = nx / 2;
    float even = fmaf(w1[2 * m], c0[m + 1], w0[2 * m] * c0[m]);
    if (y) even = fmaf(w3[2 * m], c1[m + 1], fmaf(w2[2 * m], c1[m], even));
    to[2 * m] = u[2 * m] + even;
  }
}

static void prolong_row(const struct hs_transfer *t, int nx, const float *const c[2], const float *u, float *to)
{
  if (t->coarsen_x && t->coarsen_y)
    prolong_pairs(t, true, nx, c, u, to);
  else if (t->coarsen_x)
    prolong_pairs(t, false, nx, c, u, to);
  else
    prolong_column(t, nx, c, u, to);
}
