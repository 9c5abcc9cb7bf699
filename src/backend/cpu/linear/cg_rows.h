/* Rows of conjugate gradients; included by rows.c. Terms of sums are collected in pieces that stay in the cache. */

enum { PIECE = 512 };

/* The largest magnitude as the bits of a double, in which NaN is above all. */
HS_INLINE_ALWAYS int64_t size_bits(double value)
{
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits & INT64_MAX;
}

HS_INLINE_ALWAYS double size_value(int64_t bits)
{
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

HS_INLINE_ALWAYS double size_larger(double a, double b)
{
  return size_bits(a) > size_bits(b) ? a : b;
}

/* Largest magnitude of a piece. */
static double piece_largest(const double *restrict value, int count)
{
  int64_t most = 0;
  _Pragma("omp simd reduction(max : most)") for (int k = 0; k < count; k++)
  {
    const int64_t size = size_bits(value[k]);
    most = size > most ? size : most;
  }
  return size_value(most);
}

/* Adds a piece: its largest term decides the bin once. */
static void piece_add(struct hs_total *total, const double *restrict term, int count)
{
  double splitter[3], high = 0.0, middle = 0.0, low = 0.0;
  hs_total_raise(total, hs_total_bin(piece_largest(term, count)));
  for (int k = 0; k < 3; k++) splitter[k] = hs_total_splitter(total->top - k);
  _Pragma("omp simd reduction(+ : high, middle, low)") for (int k = 0; k < count; k++)
      hs_total_split(term[k], splitter, &high, &middle, &low);
  total->sum[0] += high;
  total->sum[1] += middle;
  total->sum[2] += low;
}

static void squares_add(struct hs_tally *tally, const double *restrict r, int nx)
{
  double square[PIECE];
  for (int from = 0; from < nx; from += PIECE) {
    const int count = nx - from < PIECE ? nx - from : PIECE;
    SIMD for (int k = 0; k < count; k++) square[k] = r[from + k] * r[from + k];
    tally->max = size_larger(piece_largest(r + from, count), tally->max);
    piece_add(&tally->total, square, count);
  }
}

HS_INLINE_ALWAYS double inflow_at(const struct hs_balance_f64 *s, double loss, const double *south, const double *row,
                                  const double *north, int i)
{
  const double c = row[i];
  const double x = fma(s->east, row[i + 1] - c, s->west * (row[i - 1] - c));
  const double y = fma(s->north, north[i] - c, s->south * (south[i] - c));
  return fma(-loss, c, x + y);
}

/* `source`, `rest` and `start` of `of` are there or not. */
HS_INLINE_ALWAYS void inflow_any(const struct hs_linear_row *g, const struct hs_residual_row *of, bool has_source,
                                 bool has_rest, bool has_start, double *restrict r)
{
  const double *restrict south = of->x.south, *restrict row = of->x.row, *restrict north = of->x.north;
  const double *restrict source = of->source, *restrict rest = of->rest, *restrict start = of->start;
  FINE_RUNS(g, hs_balance_f64, g->twice, {
    double inflow = inflow_at(s, s->loss, south, row, north, i) + s->heat;
    if (has_source) inflow += s->free * source[i];
    if (has_rest) inflow += rest[i];
    if (has_start) inflow = fma(s->storage, start[i] - row[i], inflow);
    r[i] = s->free > 0.0 ? inflow : 0.0;
  })
}

static void inflow_row(const struct hs_linear_row *g, const struct hs_residual_row *of, double *r,
                       struct hs_tally *tally)
{
  if (!of->source && !of->start)
    inflow_any(g, of, false, false, false, r);
  else if (!of->start)
    inflow_any(g, of, true, false, false, r);
  else if (!of->rest)
    inflow_any(g, of, of->source, false, true, r);
  else
    inflow_any(g, of, of->source, true, true, r);
  squares_add(tally, r + g->from, g->to - g->from);
}

static void examine_row(int nx, const float *restrict z, double unscale, const double *restrict r,
                        const float *restrict p, double alpha, struct hs_tally *tally)
{
  double value[PIECE], term[PIECE];
  for (int from = 0; from < nx; from += PIECE) {
    const int count = nx - from < PIECE ? nx - from : PIECE;
    SIMD for (int k = 0; k < count; k++)
    {
      value[k] = (double)z[from + k] * unscale;
      term[k] = value[k] * r[from + k];
    }
    tally->max = size_larger(piece_largest(value, count), tally->max);
    piece_add(&tally->total, term, count);
    if (p) {
      SIMD for (int k = 0; k < count; k++) value[k] = fma(alpha, (double)p[from + k], value[k]);
      tally->other_max = size_larger(piece_largest(value, count), tally->other_max);
    }
    SIMD for (int k = 0; k < count; k++) term[k] = r[from + k] * r[from + k];
    tally->third_max = size_larger(piece_largest(r + from, count), tally->third_max);
    piece_add(&tally->other_total, term, count);
  }
}

static void direct_row(int nx, const float *restrict z, double unscale, double beta, const float *restrict p,
                       float *restrict to)
{
  SIMD for (int i = 0; i < nx; i++) to[i] = hs_direction(beta, p[i], z[i], unscale);
}

static void widen_row(int nx, const float *restrict row, double *restrict to)
{
  SIMD for (int i = -1; i <= nx; i++) to[i] = (double)row[i];
}

static void flow_row(const struct hs_linear_row *g, const struct hs_rows_f64 *p, double *restrict inflow)
{
  const double *restrict south = p->south, *restrict row = p->row, *restrict north = p->north;
  FINE_RUNS(g, hs_balance_f64, g->twice, inflow[i] = inflow_at(s, s->loss + s->storage, south, row, north, i))
}

static void multiply_row(const struct hs_linear_row *g, const struct hs_rows_f64 *p, double *restrict inflow,
                         struct hs_tally *tally)
{
  const double *restrict row = p->row;
  double term[PIECE];
  flow_row(g, p, inflow);
  for (int from = g->from; from < g->to; from += PIECE) {
    const int count = g->to - from < PIECE ? g->to - from : PIECE;
    SIMD for (int k = 0; k < count; k++) term[k] = -(row[from + k] * inflow[from + k]);
    piece_add(&tally->total, term, count);
  }
}

static void advance_row(const struct hs_linear_row *g, double alpha, const struct hs_rows_f64 *p,
                        double *restrict inflow, double *restrict x, double *restrict r, double scale,
                        float *restrict f)
{
  const double *restrict row = p->row;
  flow_row(g, p, inflow);
  SIMD for (int i = 0; i < g->nx; i++)
  {
    x[i] = fma(alpha, row[i], x[i]);
    r[i] = fma(alpha, inflow[i], r[i]);
    f[i] = (float)(r[i] * scale);
  }
}
