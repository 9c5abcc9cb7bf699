/* The extremes of a field, and where a temperature lies between them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/picture/temperature/raster.h"

struct hs_share hs_picture_share(const struct hs_picture *picture)
{
  return picture->problem ? hs_share_of(picture->problem) : hs_share_whole(picture->nx, picture->ny, picture->cells);
}

/* number[0][j] and number[1][j] become the nodes with either temperature in the own row j of the grid. */
static void rows_count(const struct hs_share *share, const double *field_k, const double temperature_k[2],
                       int64_t *const number[2])
{
  const struct hs_rectangle *own = &share->nodes;
  const double low_k = temperature_k[0], high_k = temperature_k[1];
#pragma omp parallel for schedule(static) if (hs_share_is_large(share))
  for (int j = own->y0; j < own->y0 + own->ny; j++) {
    const double *row = field_k + hs_share_node(share, own->x0, j);
    int64_t low = 0, high = 0;
#pragma omp simd reduction(+ : low, high)
    for (int i = 0; i < own->nx; i++) {
      low += row[i] == low_k;
      high += row[i] == high_k;
    }
    number[0][j] = low;
    number[1][j] = high;
  }
}

/* number[i] becomes 1 for the own nodes of row j that have this temperature. */
static void row_mark(const struct hs_share *share, const double *field_k, double temperature_k, int j, int64_t *number)
{
  const struct hs_rectangle *own = &share->nodes;
  for (int i = own->x0; i < own->x0 + own->nx; i++)
    number[i] = hs_rectangle_has(own, i, j) && field_k[hs_share_node(share, i, j)] == temperature_k;
}

/* The place of the node number *which, from 0, where there are number[k] nodes at place k; *which then counts within it. */
static size_t place_of(const int64_t *number, size_t count, int64_t *which)
{
  size_t k = 0;
  while (k + 1 < count && number[k] <= *which) *which -= number[k++];
  return k;
}

/* For either temperature the middle one, in the order of the whole field, of the nodes that have it. */
static hs_status nodes_find(const struct hs_share *share, const double *field_k, const double temperature_k[2],
                            size_t *const node[2], struct hs_error *err)
{
  const size_t rows = (size_t)share->nodes_y, columns = (size_t)share->nodes_x,
               longer = rows > columns ? rows : columns;
  int64_t *numbers = NULL, which[2] = {0, 0};
  size_t j[2] = {0, 0};
  hs_status status = hs_array_create((void **)&numbers, 2 * longer, sizeof *numbers, "a picture's extremes", err);
  status = hs_comm_agree(share->comm, status, err);
  if (status) return status;
  rows_count(share, field_k, temperature_k, (int64_t *const[2]){numbers, numbers + rows});
  status = hs_share_join(share, numbers, 2 * rows, err);
  for (int k = 0; k < 2; k++) {
    for (size_t r = 0; r < rows; r++) which[k] += numbers[(size_t)k * rows + r];
    which[k] = (which[k] - 1) / 2;
    j[k] = place_of(numbers + (size_t)k * rows, rows, &which[k]);
  }
  memset(numbers, 0, 2 * columns * sizeof *numbers);
  for (int k = 0; k < 2; k++) row_mark(share, field_k, temperature_k[k], (int)j[k], numbers + (size_t)k * columns);
  if (!status) status = hs_share_join(share, numbers, 2 * columns, err);
  for (int k = 0; k < 2; k++) *node[k] = j[k] * columns + place_of(numbers + (size_t)k * columns, columns, &which[k]);
  free(numbers);
  return status;
}

/* Extremes that cannot be told apart both become their middle, with the digits that can be told. */
static void settle(struct hs_scale *scale, double resolution_k)
{
  const double middle_k = 0.5 * scale->min_k + 0.5 * scale->max_k, digit_k = pow(10.0, ceil(log10(resolution_k)));
  const double rounded_k = round(middle_k / digit_k) * digit_k;
  scale->constant = scale->max_k > scale->min_k && scale->max_k - scale->min_k <= resolution_k;
  if (scale->constant) scale->min_k = scale->max_k = isfinite(rounded_k) ? rounded_k : middle_k;
}

hs_status hs_scale_find(const struct hs_picture *picture, struct hs_scale *scale, struct hs_error *err)
{
  const struct hs_share share = hs_picture_share(picture);
  int64_t not_finite = 0;
  hs_status status;
  memset(scale, 0, sizeof *scale);
  status = hs_share_extremes(&share, picture->field_k, &scale->min_k, &scale->max_k, &not_finite, err);
  scale->not_finite = not_finite;
  if (!status && !isnan(scale->min_k))
    status = nodes_find(&share, picture->field_k, (const double[2]){scale->min_k, scale->max_k},
                        (size_t *const[2]){&scale->min_node, &scale->max_node}, err);
  settle(scale, picture->resolution_k);
  scale->low_k = isfinite(picture->range_min_k) ? picture->range_min_k : scale->min_k;
  scale->high_k = isfinite(picture->range_max_k) ? picture->range_max_k : scale->max_k;
  if (isnan(scale->low_k)) scale->low_k = scale->high_k;
  if (isnan(scale->high_k) || scale->high_k < scale->low_k) scale->high_k = scale->low_k;
  return status;
}

double hs_scale_position(const struct hs_scale *scale, double temperature_k)
{
  const double span = 0.5 * scale->high_k - 0.5 * scale->low_k; /* halves: the difference may overflow */
  const double above = 0.5 * temperature_k - 0.5 * scale->low_k;
  if (!isfinite(temperature_k)) return NAN;
  if (span > 0.0) return fmax(-HS_POSITION_LIMIT, fmin(HS_POSITION_LIMIT, above / span));
  if (scale->constant) return 0.5;
  return above > 0.0 ? 1.5 : above < 0.0 ? -0.5 : 0.5;
}
