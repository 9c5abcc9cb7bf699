/* From nodes to pixels.
 *
 * In the vertex layout nodes lie on the boundary: the picture's left edge is node 0 and its right edge node nx - 1, and
 * pixel centres lie at (p + 1/2)/pixels between them. In the cell layout nodes lie in the middle of cells; the edges are
 * half a spacing beyond the outermost nodes, whose temperature is extended to the edge. Sampling is separable: the nodes
 * of every pixel column and row, and their weights, are found once. Averages are taken of positions on the scale, which
 * are near 0..1, so that temperatures near the largest double cannot overflow.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/picture/raster.h"

#define BLOCK_NODES 16     /* axes with fewer nodes show control volumes */
#define POSITION_LIMIT 1e3 /* a single extreme node must not dominate an average */

/* The nodes of one pixel along one axis: first..first+count-1, with weight 1 except at the ends. */
struct sample {
  int first, count;
  double first_weight, last_weight; /* last_weight is used when count > 1 */
};

/* The node that is number `which`, from 0, of those with this temperature; there are as many. */
static size_t find_node(const struct hs_picture *picture, double temperature_k, size_t which)
{
  size_t n = 0;
  for (;; n++)
    if (picture->field_k[n] == temperature_k && which-- == 0) return n;
}

void hs_scale_find(const struct hs_picture *picture, struct hs_scale *scale)
{
  const size_t nodes = (size_t)picture->nx * (size_t)picture->ny;
  double low = INFINITY, high = -INFINITY;
  size_t coldest = 0, hottest = 0; /* nodes with these temperatures */
  memset(scale, 0, sizeof *scale);
  for (size_t k = 0; k < nodes; k++) {
    const double t = picture->field_k[k];
    if (!isfinite(t)) {
      scale->not_finite++;
      continue;
    }
    if (t <= low) {
      coldest = t < low ? 1 : coldest + 1;
      low = t;
    }
    if (t >= high) {
      hottest = t > high ? 1 : hottest + 1;
      high = t;
    }
  }
  if (coldest > 0) scale->min_node = find_node(picture, low, (coldest - 1) / 2);
  if (hottest > 0) scale->max_node = find_node(picture, high, (hottest - 1) / 2);
  scale->min_k = low <= high ? low : NAN;
  scale->max_k = low <= high ? high : NAN;
  scale->low_k = isfinite(picture->range_min_k) ? picture->range_min_k : scale->min_k;
  scale->high_k = isfinite(picture->range_max_k) ? picture->range_max_k : scale->max_k;
  if (isnan(scale->low_k)) scale->low_k = scale->high_k;
  if (isnan(scale->high_k) || scale->high_k < scale->low_k) scale->high_k = scale->low_k;
}

double hs_scale_position(const struct hs_scale *scale, double temperature_k)
{
  const double span = 0.5 * scale->high_k - 0.5 * scale->low_k; /* halves: the difference may overflow */
  const double above = 0.5 * temperature_k - 0.5 * scale->low_k;
  if (!isfinite(temperature_k)) return NAN;
  if (span > 0.0) return fmax(-POSITION_LIMIT, fmin(POSITION_LIMIT, above / span));
  return above > 0.0 ? 1.5 : above < 0.0 ? -0.5 : 0.5;
}

/* Nodes first..last with equal weights, as far as the axis has them. */
static struct sample sample_average(int first, int last, int nodes)
{
  const struct sample sample = {first, (last < nodes - 1 ? last : nodes - 1) - first + 1, 1.0, 1.0};
  return sample;
}

/* Linear between the two nodes around a position. */
static struct sample sample_between(double position, int nodes)
{
  struct sample sample = {(int)position < nodes - 2 ? (int)position : nodes - 2, 2, 0.0, 0.0};
  sample.last_weight = position - sample.first;
  sample.first_weight = 1.0 - sample.last_weight;
  return sample;
}

/* The sample of pixel p of `pixels` along an axis of `nodes` cells with a node in the middle of each. */
static struct sample sample_cells(int p, int pixels, int nodes)
{
  const double node_per_pixel = (double)nodes / pixels;
  const double center = fmin(fmax((p + 0.5) * node_per_pixel - 0.5, 0.0), nodes - 1.0);
  const int nearest = (int)(center + 0.5);
  if (nodes <= BLOCK_NODES) return sample_average(nearest, nearest, nodes);
  if (node_per_pixel <= 1.0) return sample_between(center, nodes);
  return sample_average((int)ceil(p * node_per_pixel - 0.5), (int)ceil((p + 1) * node_per_pixel - 0.5) - 1, nodes);
}

/* The sample of pixel p of `pixels` along an axis of `nodes` nodes. */
static struct sample sample_nodes(int p, int pixels, int nodes)
{
  const double node_per_pixel = (double)(nodes - 1) / pixels;
  const double center = (p + 0.5) * node_per_pixel;
  const int nearest = (int)(center + 0.5);
  if (nodes <= BLOCK_NODES) return sample_average(nearest, nearest, nodes);
  if (node_per_pixel <= 1.0) return sample_between(center, nodes);
  return sample_average((int)(p * node_per_pixel + 0.5), (int)((p + 1) * node_per_pixel + 0.5), nodes);
}

static struct sample sample_axis(int p, int pixels, int nodes, bool cells)
{
  return cells ? sample_cells(p, pixels, nodes) : sample_nodes(p, pixels, nodes);
}

static double weight_of(const struct sample *sample, int k)
{
  if (k == 0) return sample->first_weight;
  return k == sample->count - 1 ? sample->last_weight : 1.0;
}

/* The mean position of a pixel's finite nodes; NaN when they are less than half of its weight. */
static double average(const struct hs_picture *picture, const struct hs_scale *scale, const struct sample *across,
                      const struct sample *up)
{
  double sum = 0.0, finite = 0.0, all = 0.0;
  int i, j;
  for (j = 0; j < up->count; j++) {
    const double *row = picture->field_k + (size_t)(up->first + j) * (size_t)picture->nx + across->first;
    const double row_weight = weight_of(up, j);
    for (i = 0; i < across->count; i++) {
      const double weight = row_weight * weight_of(across, i);
      const double position = hs_scale_position(scale, row[i]);
      all += weight;
      if (isnan(position)) continue;
      finite += weight;
      sum += weight * position;
    }
  }
  return finite > 0.0 && finite >= 0.5 * all ? sum / finite : NAN;
}

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
  return position > POSITION_LIMIT ? POSITION_LIMIT : position < -POSITION_LIMIT ? -POSITION_LIMIT : position;
}

/* Most of the time that a large field's picture takes is spent here. */
static double average_usual(const struct hs_picture *picture, const struct ramp *ramp, const struct sample *across,
                            const struct sample *up)
{
  const int last = across->count - 1;
  const double all_across = across->first_weight + (last > 0 ? across->last_weight + (last - 1) : 0.0);
  double sum = 0.0, all = 0.0;
  for (int j = 0; j < up->count; j++) {
    const double *row = picture->field_k + (size_t)(up->first + j) * (size_t)picture->nx + across->first;
    const double weight = weight_of(up, j);
    double part = across->first_weight * ramp_at(ramp, row[0]);
    for (int i = 1; i < last; i++) part += ramp_at(ramp, row[i]);
    if (last > 0) part += across->last_weight * ramp_at(ramp, row[last]);
    sum += weight * part;
    all += weight * all_across;
  }
  return sum / all;
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

hs_status hs_raster_create(const struct hs_picture *picture, const struct hs_scale *scale, int columns, int rows,
                           struct hs_raster *raster, struct hs_error *err)
{
  int c, r;
  void *memory = NULL;
  const struct ramp ramp = ramp_of(scale);
  struct sample *across;
  hs_status status = allocate(raster, columns, rows, err);
  if (!status) status = hs_array_create(&memory, (size_t)columns, sizeof *across, "the columns of a picture", err);
  if (status) {
    hs_raster_clear(raster);
    return status;
  }
  across = memory;
  for (c = 0; c < columns; c++) across[c] = sample_axis(c, columns, picture->nx, picture->cells);
  for (r = 0; r < rows; r++) {
    const struct sample up = sample_axis(r, rows, picture->ny, picture->cells);
    double *row = raster->position + (size_t)r * (size_t)columns;
    for (c = 0; c < columns; c++)
      row[c] = ramp.inverse > 0.0 ? average_usual(picture, &ramp, &across[c], &up)
                                  : average(picture, scale, &across[c], &up);
  }
  free(across);
  return HS_OK;
}

static size_t chosen_node(int k, int chosen, int nodes)
{
  if (chosen < 2) return 0;
  return (size_t)((double)k * (nodes - 1) / (chosen - 1) + 0.5);
}

hs_status hs_raster_create_nodes(const struct hs_picture *picture, const struct hs_scale *scale, int max_columns,
                                 int max_rows, struct hs_raster *raster, struct hs_error *err)
{
  const int columns = picture->nx < max_columns ? picture->nx : max_columns;
  const int rows = picture->ny < max_rows ? picture->ny : max_rows;
  const hs_status status = allocate(raster, columns, rows, err);
  int c, r;
  if (status) return status;
  for (r = 0; r < rows; r++) {
    const double *row = picture->field_k + chosen_node(r, rows, picture->ny) * (size_t)picture->nx;
    for (c = 0; c < columns; c++)
      raster->position[(size_t)r * (size_t)columns + (size_t)c] =
          hs_scale_position(scale, row[chosen_node(c, columns, picture->nx)]);
  }
  return HS_OK;
}

void hs_raster_clear(struct hs_raster *raster)
{
  free(raster->position);
  raster->position = NULL;
}
