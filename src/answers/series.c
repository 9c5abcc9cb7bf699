/* Answers at the times of the snapshots: rows of a table that grows by doubling. */
#include <stdlib.h>
#include <string.h>

#include "answers/answers.h"
#include "base/memory.h"

/* Lengthens a column of `width` numbers a row from `rows` to `room` rows. */
static hs_status column_grow(double **column, int rows, int room, int width, struct hs_error *err)
{
  double *longer = NULL;
  hs_status status;
  if (width == 0) return HS_OK;
  status =
      hs_array_create((void **)&longer, (size_t)room * (size_t)width, sizeof *longer, "the series of answers", err);
  if (status) return status;
  if (rows) memcpy(longer, *column, (size_t)rows * (size_t)width * sizeof *longer);
  free(*column);
  *column = longer;
  return HS_OK;
}

static hs_status series_grow(struct hs_series *series, const struct hs_problem *problem, int room, struct hs_error *err)
{
  const int rows = series->count;
  hs_status status = column_grow(&series->time_s, rows, room, 1, err);
  if (!status) status = column_grow(&series->minimum_k, rows, room, 1, err);
  if (!status) status = column_grow(&series->maximum_k, rows, room, 1, err);
  if (!status) status = column_grow(&series->mean_k, rows, room, 1, err);
  if (!status) status = column_grow(&series->content_j_m, rows, room, 1, err);
  if (!status) status = column_grow(&series->probe_k, rows, room, problem->config->probe_count, err);
  if (!status) status = column_grow(&series->surface_w_m, rows, room, problem->surface_count, err);
  if (!status) series->room = room;
  return status;
}

hs_status hs_series_add(struct hs_series *series, const struct hs_problem *problem, double time_s,
                        const struct hs_answers *answers, struct hs_error *err)
{
  const int row = series->count, probes = problem->config->probe_count, surfaces = problem->surface_count;
  const hs_status status = row == series->room ? series_grow(series, problem, row ? 2 * row : 16, err) : HS_OK;
  if (status) return status;
  series->time_s[row] = time_s;
  series->minimum_k[row] = answers->minimum_k;
  series->maximum_k[row] = answers->maximum_k;
  series->mean_k[row] = answers->mean_k;
  series->content_j_m[row] = answers->content_j_m;
  for (int k = 0; k < probes; k++) {
    const struct hs_probe_answer *probe = &answers->probes[k];
    series->probe_k[(size_t)row * (size_t)probes + (size_t)k] = probe->temperature_k[probe->count / 2];
  }
  for (int k = 0; k < surfaces; k++)
    series->surface_w_m[(size_t)row * (size_t)surfaces + (size_t)k] = answers->surface_w_m[k];
  series->count++;
  return HS_OK;
}

hs_status hs_series_create(struct hs_series *series, const struct hs_problem *problem, int rows, struct hs_error *err)
{
  const hs_status status = rows > 0 ? series_grow(series, problem, rows, err) : HS_OK;
  if (!status) series->count = rows;
  return status;
}

hs_status hs_series_copy(const struct hs_series *from, const struct hs_problem *problem, struct hs_series *to,
                         struct hs_error *err)
{
  const size_t rows = (size_t)from->count, probes = rows * (size_t)problem->config->probe_count,
               surfaces = rows * (size_t)problem->surface_count;
  const hs_status status = hs_series_create(to, problem, from->count, err);
  if (status || rows == 0) return status;
  memcpy(to->time_s, from->time_s, rows * sizeof *to->time_s);
  memcpy(to->minimum_k, from->minimum_k, rows * sizeof *to->minimum_k);
  memcpy(to->maximum_k, from->maximum_k, rows * sizeof *to->maximum_k);
  memcpy(to->mean_k, from->mean_k, rows * sizeof *to->mean_k);
  memcpy(to->content_j_m, from->content_j_m, rows * sizeof *to->content_j_m);
  if (probes) memcpy(to->probe_k, from->probe_k, probes * sizeof *to->probe_k);
  if (surfaces) memcpy(to->surface_w_m, from->surface_w_m, surfaces * sizeof *to->surface_w_m);
  return HS_OK;
}

void hs_series_clear(struct hs_series *series)
{
  free(series->time_s);
  free(series->minimum_k);
  free(series->maximum_k);
  free(series->mean_k);
  free(series->content_j_m);
  free(series->probe_k);
  free(series->surface_w_m);
  memset(series, 0, sizeof *series);
}
