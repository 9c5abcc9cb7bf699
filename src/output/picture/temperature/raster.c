/* From nodes to pixels. Averages are taken of positions on the scale, which are near 0..1, so that temperatures near the largest
 * double cannot overflow.
 *
 * Where pixels have many nodes each, a rank adds up those of its own nodes, and the sums of all ranks are joined; otherwise
 * the field has hardly more nodes than the picture pixels, and the ranks join the field.
 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/picture/temperature/raster.h"
#include "output/picture/temperature/samples.h"

/* The scale as a product, for fields whose nodes are all finite. */
struct ramp {
  double low, inverse; /* halves, as in hs_scale_position; inverse 0: the product is of no use */
};

static struct ramp ramp_of(const struct hs_scale *scale)
{
  const double span = 0.5 * scale->high_k - 0.5 * scale->low_k;
  const bool usual = scale->not_finite == 0 && span > 1e-290 && span < 1e290;
  return (struct ramp){0.5 * scale->low_k, usual ? 1.0 / span : 0.0};
}

static inline double ramp_at(const struct ramp *ramp, double temperature_k)
{
  const double position = (0.5 * temperature_k - ramp->low) * ramp->inverse;
  const double limited = position < HS_POSITION_LIMIT ? position : HS_POSITION_LIMIT;
  return limited > -HS_POSITION_LIMIT ? limited : -HS_POSITION_LIMIT;
}

static hs_status allocate(struct hs_raster *raster, int columns, int rows, struct hs_error *err)
{
  void *memory = NULL;
  const hs_status status = hs_array_create(&memory, (size_t)columns * (size_t)rows, sizeof *raster->position,
                                           "the pixels of a picture", err);
  raster->columns = columns;
  raster->rows = rows;
  raster->position = memory;
  return status;
}

/* --- fields of few nodes: all of them are known here --------------------------------------------- */

/* The mean position of a pixel's finite nodes; NaN when they are less than half of its weight. */
static double average(const double *field_k, int nx, const struct hs_scale *scale, const struct hs_sample *across,
                      const struct hs_sample *up)
{
  double sum = 0.0, finite = 0.0, all = 0.0;
  int i, j;
  for (j = 0; j < up->count; j++) {
    const double *row = field_k + (size_t)(up->first + j) * (size_t)nx + across->first;
    const double row_weight = hs_sample_weight(up, j);
    for (i = 0; i < across->count; i++) {
      const double weight = row_weight * hs_sample_weight(across, i);
      const double position = hs_scale_position(scale, row[i]);
      all += weight;
      if (isnan(position)) continue;
      finite += weight;
      sum += weight * position;
    }
  }
  return finite > 0.0 && finite >= 0.5 * all ? sum / finite : NAN;
}

/* A row of pixels where all nodes are finite: each column of nodes is added up first. column: [nx], room. */
static void row_average(const double *field_k, int nx, const struct ramp *ramp, const struct hs_samples *samples, int r,
                        int columns, double *column, double *row)
{
  const struct hs_sample *up = &samples->up[r];
  double all_up = 0.0;
  memset(column, 0, (size_t)nx * sizeof *column);
  for (int j = 0; j < up->count; j++) {
    const double *nodes = field_k + (size_t)(up->first + j) * (size_t)nx, weight = hs_sample_weight(up, j);
    for (int i = 0; i < nx; i++) column[i] += weight * ramp_at(ramp, nodes[i]);
    all_up += weight;
  }
  for (int c = 0; c < columns; c++) {
    const struct hs_sample *across = &samples->across[c];
    const double *nodes = column + across->first;
    const int last = across->count - 1;
    double sum = across->first_weight * nodes[0], all = across->first_weight;
    for (int i = 1; i < last; i++) sum += nodes[i];
    if (last > 0) {
      sum += across->last_weight * nodes[last];
      all += across->last_weight + (last - 1);
    }
    row[c] = sum / (all * all_up);
  }
}

/* The whole field on every rank: *field_k is *made, which the caller frees, or what this rank has already. */
static hs_status whole_field(const struct hs_picture *picture, const double **field_k, double **made,
                             struct hs_error *err)
{
  const struct hs_share share = hs_picture_share(picture);
  const int longest = picture->nx > picture->ny ? picture->nx : picture->ny;
  struct hs_lattice all = {NULL, NULL, picture->nx, picture->ny};
  int *places = NULL;
  hs_status status = HS_OK;
  *field_k = picture->field_k;
  if (hs_comm_size(share.comm) == 1) return HS_OK;
  status = hs_array_create((void **)&places, (size_t)longest, sizeof *places, "a picture's field", err);
  if (!status)
    status = hs_array_create((void **)made, (size_t)picture->nx * (size_t)picture->ny, sizeof **made,
                             "a picture's field", err);
  status = hs_comm_agree(share.comm, status, err);
  for (int k = 0; !status && k < longest; k++) places[k] = k;
  all.columns = all.rows = places;
  if (!status) status = hs_share_sample(&share, picture->field_k, &all, *made, err);
  *field_k = *made;
  free(places);
  return status;
}

static hs_status paint_near(const struct hs_picture *picture, const struct hs_scale *scale,
                            const struct hs_samples *samples, struct hs_raster *raster, struct hs_error *err)
{
  const struct ramp ramp = ramp_of(scale);
  const double *field_k;
  double *made = NULL, *column = NULL;
  hs_status status =
      hs_array_create((void **)&column, (size_t)picture->nx, sizeof *column, "the pixels of a picture", err);
  status = hs_comm_agree(hs_picture_share(picture).comm, status, err);
  if (!status) status = whole_field(picture, &field_k, &made, err);
  for (int r = 0; !status && r < raster->rows; r++) {
    double *row = raster->position + (size_t)r * (size_t)raster->columns;
    if (ramp.inverse > 0.0) {
      row_average(field_k, picture->nx, &ramp, samples, r, raster->columns, column, row);
      continue;
    }
    for (int c = 0; c < raster->columns; c++)
      row[c] = average(field_k, picture->nx, scale, &samples->across[c], &samples->up[r]);
  }
  free(column);
  free(made);
  return status;
}

/* --- fields of many nodes: sums over those of each pixel ----------------------------------------- */

/* Sums of integers do not depend on how the nodes are shared among ranks: positions are rounded to multiples of 1/unit. */
struct sums {
  struct hs_share share;
  double unit;
  int64_t *position, *weight; /* [rows*columns]; of finite nodes. weight is NULL where all are */
  int64_t *node_sum;          /* room of each thread; NULL: pixels are added up one by one */
};

/* The nearest integer, |x| < 2^51: it stands in the last digits of the sum. */
static inline int64_t rounded(double x)
{
  const double shift = 0x1.8p52, sum = x + shift;
  int64_t bits, zero;
  memcpy(&bits, &sum, sizeof bits);
  memcpy(&zero, &shift, sizeof zero);
  return bits - zero;
}

/* A sum of n positions, each up to HS_POSITION_LIMIT < 2^10, must stay below 2^63, and one of them below 2^51. */
static double unit_for(int nodes)
{
  return ldexp(1.0, 52 - (int)fmax(12.0, ceil(log2(nodes))));
}

/* Nodes from..to-1 of a pixel in one row, usual. */
static int64_t row_usual(const double *row, const struct hs_sample *across, int from, int to, const struct ramp *ramp,
                         double weight_unit)
{
  int64_t sum = 0;
  for (int k = from; k < to; k++) sum += rounded(weight_unit * (hs_sample_weight(across, k) * ramp_at(ramp, row[k])));
  return sum;
}

/* The same where some nodes are not finite, or the scale has no usual span. */
static int64_t row_any(const double *row, const struct hs_sample *across, int from, int to,
                       const struct hs_scale *scale, double weight_unit, int64_t *finite)
{
  int64_t sum = 0;
  for (int k = from; k < to; k++) {
    const double position = hs_scale_position(scale, row[k]), weight = weight_unit * hs_sample_weight(across, k);
    if (isnan(position)) continue;
    sum += rounded(weight * position);
    *finite += rounded(weight);
  }
  return sum;
}

static int larger(int a, int b)
{
  return a > b ? a : b;
}

static int smaller(int a, int b)
{
  return a < b ? a : b;
}

/* Those of a sample's nodes, counted from its first, that are among `count` own ones from `first` on. */
struct stretch {
  int from, to;
};

static struct stretch own_of(const struct hs_sample *sample, int first, int count)
{
  return (struct stretch){larger(0, first - sample->first), smaller(sample->count, first + count - sample->first)};
}

/* Adds the own nodes of the grid's row j, which has this weight in a row of pixels. */
static void add_row(const struct hs_picture *picture, const struct hs_scale *scale, const struct hs_samples *samples,
                    int columns, int j, double weight, const struct sums *sums)
{
  const struct hs_share *share = &sums->share;
  const double *row = picture->field_k + hs_share_node(share, share->nodes.x0, j), weight_unit = weight * sums->unit;
  const struct ramp ramp = ramp_of(scale);
  for (int c = 0; c < columns; c++) {
    const struct hs_sample *across = &samples->across[c];
    const struct stretch own = own_of(across, share->nodes.x0, share->nodes.nx);
    const double *nodes = row + (across->first - share->nodes.x0);
    if (own.from >= own.to) continue;
    if (sums->weight)
      sums->position[c] += row_any(nodes, across, own.from, own.to, scale, weight_unit, &sums->weight[c]);
    else
      sums->position[c] += row_usual(nodes, across, own.from, own.to, &ramp, weight_unit);
  }
}

/* The same for the own rows of a whole row of pixels, where nodes have weight 1 along rows: each column of nodes is added up
 * in node_sum, room for a row of own nodes, and then those of each pixel. Most of the time that the picture of a large field
 * takes is spent here. */
static void add_columns(const struct hs_picture *picture, const struct hs_scale *scale,
                        const struct hs_samples *samples, int columns, const struct hs_sample *up,
                        const struct sums *sums, int64_t *node_sum)
{
  const struct hs_share *share = &sums->share;
  const struct stretch rows = own_of(up, share->nodes.y0, share->nodes.ny);
  const int x0 = share->nodes.x0, nx = share->nodes.nx;
  const struct ramp ramp = ramp_of(scale);
  memset(node_sum, 0, (size_t)nx * sizeof *node_sum);
  for (int j = rows.from; j < rows.to; j++) {
    const double *row = picture->field_k + hs_share_node(share, x0, up->first + j);
    const double weight_unit = hs_sample_weight(up, j) * sums->unit;
#pragma omp simd
    for (int i = 0; i < nx; i++) node_sum[i] += rounded(weight_unit * ramp_at(&ramp, row[i]));
  }
  for (int c = 0; c < columns; c++) {
    const struct stretch own = own_of(&samples->across[c], x0, nx);
    for (int k = own.from; k < own.to; k++) sums->position[c] += node_sum[samples->across[c].first - x0 + k];
  }
}

/* The sum of a sample's weights. */
static double all_of(const struct hs_sample *sample)
{
  return sample->count > 1 ? sample->first_weight + (sample->count - 2) + sample->last_weight : sample->first_weight;
}

/* The mean position of a pixel's finite nodes; NaN when they are less than half of its weight. */
static double mean_of(const struct sums *sums, size_t pixel, double all)
{
  const double sum = (double)sums->position[pixel] / sums->unit;
  const double finite = sums->weight ? (double)sums->weight[pixel] / sums->unit : all;
  return finite > 0.0 && finite >= 0.5 * all ? sum / finite : NAN;
}

static bool has_equal_weights(const struct hs_sample *samples, int count)
{
  bool equal = true;
  for (int k = 0; k < count; k++) equal = equal && samples[k].first_weight == 1.0 && samples[k].last_weight == 1.0;
  return equal;
}

static hs_status sums_create(const struct hs_picture *picture, const struct hs_scale *scale,
                             const struct hs_samples *samples, const struct hs_raster *raster, struct sums *sums,
                             struct hs_error *err)
{
  const size_t pixels = (size_t)raster->columns * (size_t)raster->rows;
  const bool usual = ramp_of(scale).inverse > 0.0;
  hs_status status =
      hs_array_create((void **)&sums->position, pixels, sizeof *sums->position, "the pixels of a picture", err);
  sums->share = hs_picture_share(picture);
  sums->unit = unit_for(samples->nodes_most);
  if (!status && !usual)
    status = hs_array_create((void **)&sums->weight, pixels, sizeof *sums->weight, "the pixels of a picture", err);
  if (!status && usual && has_equal_weights(samples->across, raster->columns))
    status =
        hs_array_create((void **)&sums->node_sum, (size_t)omp_get_max_threads() * (size_t)(sums->share.nodes.nx + 1),
                        sizeof *sums->node_sum, "the pixels of a picture", err);
  return hs_comm_agree(sums->share.comm, status, err);
}

/* Adds the own nodes of row r of pixels. */
static void sums_add(const struct hs_picture *picture, const struct hs_scale *scale, const struct hs_samples *samples,
                     int columns, int r, const struct sums *sums)
{
  const struct hs_rectangle *own = &sums->share.nodes;
  const struct hs_sample *up = &samples->up[r];
  const struct stretch rows = own_of(up, own->y0, own->ny);
  struct sums row = *sums;
  row.position += (size_t)r * (size_t)columns;
  if (row.weight) row.weight += (size_t)r * (size_t)columns;
  if (sums->node_sum)
    add_columns(picture, scale, samples, columns, up, &row,
                sums->node_sum + (size_t)omp_get_thread_num() * (size_t)(own->nx + 1));
  else
    for (int j = rows.from; j < rows.to; j++)
      add_row(picture, scale, samples, columns, up->first + j, hs_sample_weight(up, j), &row);
}

static hs_status paint_far(const struct hs_picture *picture, const struct hs_scale *scale,
                           const struct hs_samples *samples, struct hs_raster *raster, struct hs_error *err)
{
  const size_t columns = (size_t)raster->columns, pixels = columns * (size_t)raster->rows;
  struct sums sums = {0};
  hs_status status = sums_create(picture, scale, samples, raster, &sums, err);
  const int rows = status ? 0 : raster->rows;
#pragma omp parallel for schedule(static) if (hs_share_is_large(&sums.share))
  for (int r = 0; r < rows; r++) sums_add(picture, scale, samples, raster->columns, r, &sums);
  if (!status) status = hs_share_join(&sums.share, sums.position, pixels, err);
  if (!status && sums.weight) status = hs_share_join(&sums.share, sums.weight, pixels, err);
  for (int r = 0; !status && r < raster->rows; r++)
    for (int c = 0; c < raster->columns; c++) {
      const size_t pixel = (size_t)r * columns + (size_t)c;
      raster->position[pixel] = mean_of(&sums, pixel, all_of(&samples->up[r]) * all_of(&samples->across[c]));
    }
  free(sums.node_sum);
  free(sums.weight);
  free(sums.position);
  return status;
}

hs_status hs_raster_create(const struct hs_picture *picture, const struct hs_scale *scale, int columns, int rows,
                           struct hs_raster *raster, struct hs_error *err)
{
  const struct hs_share share = hs_picture_share(picture);
  struct hs_samples samples = {0};
  hs_status status = allocate(raster, columns, rows, err);
  if (!status) status = hs_samples_create(picture, columns, rows, &samples, err);
  status = hs_comm_agree(share.comm, status, err);
  if (!status && picture->nx <= columns + 1 && picture->ny <= rows + 1)
    status = paint_near(picture, scale, &samples, raster, err);
  else if (!status)
    status = paint_far(picture, scale, &samples, raster, err);
  free(samples.across);
  free(samples.up);
  if (status) hs_raster_clear(raster);
  return status;
}

/* --- nodes --------------------------------------------------------------------------------------- */

static int chosen_node(int k, int chosen, int nodes)
{
  if (chosen < 2) return 0;
  return (int)((double)k * (nodes - 1) / (chosen - 1) + 0.5);
}

hs_status hs_raster_create_nodes(const struct hs_picture *picture, const struct hs_scale *scale, int max_columns,
                                 int max_rows, struct hs_raster *raster, struct hs_error *err)
{
  const int columns = picture->nx < max_columns ? picture->nx : max_columns;
  const int rows = picture->ny < max_rows ? picture->ny : max_rows;
  const struct hs_share share = hs_picture_share(picture);
  struct hs_lattice lattice = {NULL, NULL, columns, rows};
  int *places = NULL;
  hs_status status = allocate(raster, columns, rows, err);
  if (!status)
    status =
        hs_array_create((void **)&places, (size_t)columns + (size_t)rows, sizeof *places, "a picture's nodes", err);
  status = hs_comm_agree(share.comm, status, err);
  for (int c = 0; !status && c < columns; c++) places[c] = chosen_node(c, columns, picture->nx);
  for (int r = 0; !status && r < rows; r++) places[columns + r] = chosen_node(r, rows, picture->ny);
  lattice.columns = places;
  lattice.rows = places ? places + columns : NULL;
  if (!status) status = hs_share_sample(&share, picture->field_k, &lattice, raster->position, err);
  for (size_t k = 0; !status && k < (size_t)columns * (size_t)rows; k++)
    raster->position[k] = hs_scale_position(scale, raster->position[k]);
  free(places);
  return status;
}

void hs_raster_clear(struct hs_raster *raster)
{
  free(raster->position);
  raster->position = NULL;
}
