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

/* See hs_magnitude_upper. */
static double piece_largest_upper(const double *restrict value, int count)
{
  int32_t most = 0;
  _Pragma("omp simd reduction(max : most)") for (int k = 0; k < count; k++)
  {
    const int32_t upper = (int32_t)hs_magnitude_upper(value[k]);
    most = upper > most ? upper : most;
  }
  return hs_magnitude_of_upper((uint32_t)most);
}

/* Adds a piece: its largest term, of which the upper half says enough, decides the bin once. */
static void piece_add(struct hs_total *total, double largest, const double *restrict term, int count)
{
  double splitter[3], high = 0.0, middle = 0.0, low = 0.0;
  hs_total_raise(total, hs_total_bin(largest));
  for (int k = 0; k < 3; k++) splitter[k] = hs_total_splitter(total->top - k);
  _Pragma("omp simd reduction(+ : high, middle, low)") for (int k = 0; k < count; k++)
      hs_total_split(term[k], splitter, &high, &middle, &low);
  total->sum[0] += high;
  total->sum[1] += middle;
  total->sum[2] += low;
}

/* The same of single precision. */
static double piece_largest_f32(const float *restrict value, int count)
{
  int32_t most = 0;
  float largest;
  _Pragma("omp simd reduction(max : most)") for (int k = 0; k < count; k++)
  {
    int32_t size;
    memcpy(&size, &value[k], sizeof size);
    size &= INT32_MAX;
    most = size > most ? size : most;
  }
  memcpy(&largest, &most, sizeof largest);
  return (double)largest;
}

static void squares_add(struct hs_tally *tally, const double *restrict r, int nx)
{
  double square[PIECE];
  for (int from = 0; from < nx; from += PIECE) {
    const int count = nx - from < PIECE ? nx - from : PIECE;
    SIMD for (int k = 0; k < count; k++) square[k] = r[from + k] * r[from + k];
    tally->max[0] = size_larger(piece_largest(r + from, count), tally->max[0]);
    piece_add(&tally->sum[0], piece_largest_upper(square, count), square, count);
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

/* `source`, `rest` and `start` of `of` are there or not. To be called with constants: a load under a mask from an array that is not
 * there takes far longer than all else in the loop. */
HS_INLINE_ALWAYS void inflow_any(const struct hs_linear_row *g, const struct hs_residual_row *of, bool has_heat,
                                 bool has_source, bool has_rest, bool has_start, double *restrict r)
{
  const double *restrict south = of->x.south, *restrict row = of->x.row, *restrict north = of->x.north;
  const double *restrict source = of->source, *restrict rest = of->rest, *restrict start = of->start;
  FINE_RUNS(g, hs_balance_f64, g->twice, {
    double inflow = inflow_at(s, s->loss, south, row, north, i);
    if (has_heat) inflow += s->heat;
    if (has_source) inflow += s->free * source[i];
    if (has_rest) inflow += rest[i];
    if (has_start) inflow = fma(s->storage, start[i] - row[i], inflow);
    r[i] = s->free > 0.0 ? inflow : 0.0;
  })
}

static void inflow_row(const struct hs_linear_row *g, const struct hs_residual_row *of, double *r)
{
  if (of->alone)
    inflow_any(g, of, false, false, true, false, r);
  else if (!of->source && !of->start)
    inflow_any(g, of, true, false, false, false, r);
  else if (!of->start)
    inflow_any(g, of, true, true, false, false, r);
  else if (!of->source && !of->rest)
    inflow_any(g, of, true, false, false, true, r);
  else if (!of->source)
    inflow_any(g, of, true, false, true, true, r);
  else if (!of->rest)
    inflow_any(g, of, true, true, false, true, r);
  else
    inflow_any(g, of, true, true, true, true, r);
}

static void residual_row_f64(const struct hs_linear_row *g, const struct hs_residual_row *of, double *r,
                             struct hs_tally *tally)
{
  inflow_row(g, of, r);
  squares_add(tally, r + g->from, g->to - g->from);
}

static void examine_row(const struct hs_linear_row *g, const struct hs_rows_f32 *z_of, const float *restrict f,
                        const float *restrict p, float behind, float *restrict inflow, struct hs_tally *tally)
{
  const float *restrict south = z_of->south, *restrict z = z_of->row, *restrict north = z_of->north;
  double term[HS_TALLY_SUMS][PIECE];
  float error[PIECE];
  FINE_RUNS(g, hs_balance_f32, g->single, inflow[i] = residual_five(s, 0.0F, south, z, north, i))
  for (int from = g->from; from < g->to; from += PIECE) {
    const int count = g->to - from < PIECE ? g->to - from : PIECE;
    SIMD for (int k = 0; k < count; k++)
    {
      const struct hs_terms_f32 t = hs_correction_terms(z[from + k], inflow[from + k], f[from + k], p[from + k]);
      error[k] = fmaf(behind, p[from + k], z[from + k]);
      term[HS_SUM_ZR][k] = (double)t.zr;
      term[HS_SUM_RR][k] = (double)t.rr;
      term[HS_SUM_Z_AZ][k] = (double)t.z_az;
      term[HS_SUM_P_AZ][k] = (double)t.p_az;
    }
    tally->max[HS_MAX_Z] = size_larger(piece_largest_f32(z + from, count), tally->max[HS_MAX_Z]);
    tally->max[HS_MAX_R] = size_larger(piece_largest_f32(f + from, count), tally->max[HS_MAX_R]);
    tally->max[HS_MAX_BEHIND] = size_larger(piece_largest_f32(error, count), tally->max[HS_MAX_BEHIND]);
    for (int k = 0; k < HS_TALLY_SUMS; k++)
      piece_add(&tally->sum[k], piece_largest_upper(term[k], count), term[k], count);
  }
}

static void advance_row(int nx, const struct hs_advance_row *of, float *restrict p_to, double *restrict x_to)
{
  const float *restrict z = of->z, *restrict p = of->p;
  const double *restrict x = of->x;
  SIMD for (int i = 0; i < nx; i++)
  {
    const float p_now = hs_direction(of->beta, p[i], z[i], of->unscale);
    p_to[i] = p_now;
    x_to[i] = fma(of->alpha, (double)p_now, x[i]);
  }
}

static void round_inflow_row(const struct hs_linear_row *g, const struct hs_residual_row *of, double mean, double scale,
                             double *restrict inflow, float *restrict f)
{
  inflow_row(g, of, inflow);
  SIMD for (int i = 0; i < g->nx; i++) f[i] = (float)((inflow[i] - mean) * scale);
}

static void correct_row(int nx, double along, const float *restrict z, const double *restrict x, double *restrict x_to)
{
  SIMD for (int i = 0; i < nx; i++) x_to[i] = hs_corrected(along, z[i], x[i]);
}

static void found_row(const struct hs_linear_row *g, const float *restrict z, const float *restrict f,
                      const double *restrict x, struct hs_tally *tally)
{
  double square[PIECE];
  for (int from = g->from; from < g->to; from += PIECE) {
    const int count = g->to - from < PIECE ? g->to - from : PIECE;
    const float largest = (float)piece_largest_f32(f + from, count);
    SIMD for (int k = 0; k < count; k++) square[k] = (double)(f[from + k] * f[from + k]);
    tally->max[HS_MAX_Z] = size_larger(piece_largest_f32(z + from, count), tally->max[HS_MAX_Z]);
    tally->max[HS_MAX_R] = size_larger((double)largest, tally->max[HS_MAX_R]);
    tally->max[HS_MAX_X] = size_larger(piece_largest_upper(x + from, count), tally->max[HS_MAX_X]);
    piece_add(&tally->sum[0], (double)(largest * largest), square, count);
  }
}
