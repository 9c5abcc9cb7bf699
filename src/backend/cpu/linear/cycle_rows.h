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
