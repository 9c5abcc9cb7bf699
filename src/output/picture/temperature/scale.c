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

/* The middle one, in the order of the whole field, of the nodes with this temperature. */
static hs_status node_find(const struct hs_share *share, const double *field_k, double temperature_k, size_t *node,
                           struct hs_error *err)
{
  const struct hs_rectangle *own = &share->nodes;
  const size_t rows = (size_t)share->nodes_y, columns = (size_t)share->nodes_x;
  int64_t *number = NULL, before = 0, all = 0; /* of such nodes in each row, then in each column of one */
  size_t j = 0, i = 0;
  hs_status status =
      hs_array_create((void **)&number, rows > columns ? rows : columns, sizeof *number, "a picture's extremes", err);
  status = hs_comm_agree(share->comm, status, err);
  if (status) return status;
  for (int r = own->y0; r < own->y0 + own->ny; r++) {
    const double *row = field_k + hs_share_node(share, own->x0, r);
    for (int c = 0; c < own->nx; c++) number[r] += row[c] == temperature_k;
  }
  status = hs_share_join(share, number, rows, err);
  for (size_t r = 0; r < rows; r++) all += number[r];
  while (j + 1 < rows && before + number[j] <= (all - 1) / 2) before += number[j++];
  memset(number, 0, columns * sizeof *number);
  for (int c = own->x0; c < own->x0 + own->nx; c++)
    if (hs_rectangle_has(own, c, (int)j)) number[c] = field_k[hs_share_node(share, c, (int)j)] == temperature_k;
  if (!status) status = hs_share_join(share, number, columns, err);
  while (i + 1 < columns && before + number[i] <= (all - 1) / 2) before += number[i++];
  free(number);
  *node = j * columns + i;
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
    status = node_find(&share, picture->field_k, scale->min_k, &scale->min_node, err);
  if (!status && !isnan(scale->max_k))
    status = node_find(&share, picture->field_k, scale->max_k, &scale->max_node, err);
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
