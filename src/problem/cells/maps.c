/* Maps from HDF5 files: one number per cell or per node.
 *
 * A file that a user names may contain anything, so rank, size and type are checked before memory is taken, and every
 * value before it is used. Integers and floating-point numbers of any size are converted. Limit: two-dimensional
 * datasets.
 */
#include "problem/cells/maps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/h5_read.h"

/* A map while it is read. */
struct map {
  const struct hs_config *config;
  const char *key, *place;
  char *path;    /* of the file, owned */
  char *dataset; /* owned */
  const struct hs_map_part *part;
  double above;
};

void hs_map_part_of(const struct hs_problem *problem, enum hs_map which, struct hs_map_part *part)
{
  const bool nodes = which == HS_MAP_INITIAL;
  part->grid_rows = nodes ? problem->grid_ny : problem->grid_cells_y;
  part->grid_columns = nodes ? problem->grid_nx : problem->grid_cells_x;
  part->rows = nodes ? problem->ny : problem->cells_y;
  part->columns = nodes ? problem->nx : problem->cells_x;
  part->row_count = nodes ? hs_problem_node_stretches(problem, false, true, part->row)
                          : hs_problem_cell_stretches(problem, false, part->row);
  part->column_count = nodes ? hs_problem_node_stretches(problem, true, true, part->column)
                             : hs_problem_cell_stretches(problem, true, part->column);
}

struct hs_map_part hs_map_whole(int grid_rows, int grid_columns)
{
  const struct hs_map_part whole = {.grid_rows = grid_rows,
                                    .grid_columns = grid_columns,
                                    .row = {{0, grid_rows, 0}},
                                    .column = {{0, grid_columns, 0}},
                                    .row_count = 1,
                                    .column_count = 1,
                                    .rows = grid_rows,
                                    .columns = grid_columns};
  return whole;
}

char *hs_map_path(const struct hs_config *config, const char *name, struct hs_error *err)
{
  const char *slash = config->path ? strrchr(config->path, '/') : NULL;
  if (name[0] == '/' || !slash) return hs_text_copy(name, err);
  return hs_text_format(err, "%.*s%s", (int)(slash - config->path + 1), config->path, name);
}

static hs_status place_split(struct map *map, struct hs_error *err)
{
  const char *colon = strrchr(map->place, ':');
  char *name;
  if (!colon || colon == map->place || !colon[1])
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s: [map] %s = %s does not name a dataset; write FILE.h5:/DATASET, such as maps.h5:/%s",
                        map->config->path, map->key, map->place, map->key);
  name = hs_text_format(err, "%.*s", (int)(colon - map->place), map->place);
  if (!name) return HS_ERR_MEMORY;
  map->path = hs_map_path(map->config, name, err);
  map->dataset = hs_text_copy(colon + 1, err);
  free(name);
  return map->path && map->dataset ? HS_OK : HS_ERR_MEMORY;
}

static hs_status fail(const struct map *map, hs_status status, struct hs_error *err, const char *reason)
{
  return hs_error_set(err, status, "%s: [map] %s: cannot read %s: %s", map->config->path, map->key, map->path, reason);
}

static hs_status file_open(const struct map *map, struct hs_h5_file *file, struct hs_error *err)
{
  char reason[HS_H5_REASON];
  switch (hs_h5_open(map->path, file, reason)) {
  case HS_H5_OPENED: return HS_OK;
  case HS_H5_DAMAGED: return fail(map, HS_ERR_IO, err, "the HDF5 library cannot open it; is it complete?");
  case HS_H5_UNREADABLE:
    fail(map, HS_ERR_IO, err, reason);
    hs_error_append(err, "; paths are relative to the configuration");
    return HS_ERR_IO;
  default: return fail(map, HS_ERR_IO, err, reason);
  }
}

/* The dataset becomes that of a snapshot. Earlier versions wrote /snapshots/000000/temperature and so on. */
static hs_status snapshot_name(struct map *map, const struct hs_h5_file *file, int64_t snapshot, struct hs_error *err)
{
  struct hs_h5_dataset dataset;
  free(map->dataset);
  map->dataset = hs_text_format(err, "/snapshots/%06lld/temperature", (long long)snapshot);
  if (!map->dataset) return HS_ERR_MEMORY;
  if (hs_h5_dataset_open(file, map->dataset, &dataset)) {
    hs_h5_dataset_close(&dataset);
    return HS_OK;
  }
  free(map->dataset);
  map->dataset = hs_text_format(err, "/snapshots/%lld", (long long)snapshot);
  return map->dataset ? HS_OK : HS_ERR_MEMORY;
}

/* "last" and "t=TIME" name a snapshot of a snapshots.h5: the name becomes that of its dataset. */
static hs_status snapshot_choose(struct map *map, const struct hs_h5_file *file, struct hs_error *err)
{
  const bool last = !strcmp(map->dataset, "last"), timed = !strncmp(map->dataset, "t=", 2);
  struct hs_h5_dataset times = {.id = -1};
  double *times_s = NULL, wanted_s = NAN;
  int64_t chosen = -1;
  char *end = NULL;
  if (strcmp(map->key, "initial") != 0 || (!last && !timed)) return HS_OK;
  if (timed) wanted_s = strtod(map->dataset + 2, &end);
  if (timed && (end == map->dataset + 2 || *end)) return fail(map, HS_ERR_CONFIG, err, "t= needs a time in s");
  if (hs_h5_dataset_open(file, "/time", &times) && times.numbers == HS_H5_FLOATS && times.count > 0 &&
      times.count <= HS_SNAPSHOTS_MOST)
    times_s = malloc((size_t)times.count * sizeof *times_s);
  if (times_s && hs_h5_dataset_read(&times, times_s)) {
    for (int64_t k = 0; k < times.count; k++)
      if (last || fabs(times_s[k] - wanted_s) <= 1e-9 * fabs(wanted_s)) chosen = k;
  }
  if (times_s && chosen < 0)
    hs_error_set(err, HS_ERR_CONFIG, "%s: [map] initial = %s: there are %lld snapshots from t = %.9g s to %.9g s",
                 map->config->path, map->place, (long long)times.count, times_s[0], times_s[times.count - 1]);
  else if (chosen < 0)
    fail(map, HS_ERR_IO, err, "it has no snapshots");
  free(times_s);
  hs_h5_dataset_close(&times);
  if (chosen < 0) return err->status;
  return snapshot_name(map, file, chosen, err);
}

static hs_status dataset_open(const struct map *map, const struct hs_h5_file *file, struct hs_h5_dataset *dataset,
                              struct hs_error *err)
{
  char names[300];
  if (hs_h5_dataset_open(file, map->dataset, dataset)) return HS_OK;
  if (dataset->refusal[0]) {
    const hid_t snapshots = hs_h5_group_open(file, "/snapshots");
    fail(map, HS_ERR_IO, err, "its dataset");
    hs_error_append(err, "\"%s\" %s", map->dataset,
                    snapshots < 0
                        ? dataset->refusal
                        : "shows all snapshots together; name one by FILE:last, FILE:t=TIME or FILE:/snapshots/0");
    if (snapshots >= 0) (void)H5Gclose(snapshots);
    return HS_ERR_IO;
  }
  hs_h5_dataset_names(file, names, sizeof names);
  fail(map, HS_ERR_IO, err, "it has no dataset");
  hs_error_append(err, "\"%s\"; it has %s", map->dataset, names[0] ? names : "none at all");
  return HS_ERR_IO;
}

static hs_status dataset_check(const struct map *map, const struct hs_h5_dataset *dataset, struct hs_error *err)
{
  const char *grid = strcmp(map->key, "initial") ? "cells" : "nodes";
  const int rows = map->part->grid_rows, columns = map->part->grid_columns;
  const bool real = dataset->numbers != HS_H5_NO_NUMBERS;
  if (real && dataset->rank == 2 && dataset->extent[0] == (uint64_t)rows && dataset->extent[1] == (uint64_t)columns)
    return dataset->written ? HS_OK : fail(map, HS_ERR_IO, err, "its dataset was never written");
  fail(map, real ? HS_ERR_CONFIG : HS_ERR_IO, err, "its dataset");
  if (!real)
    hs_error_append(err, "\"%s\" does not hold numbers", map->dataset);
  else if (dataset->rank != 2)
    hs_error_append(err, "\"%s\" has %d dimensions; it needs two, (%d, %d), for %d rows of %d %s", map->dataset,
                    dataset->rank, rows, columns, rows, columns, grid);
  else
    hs_error_append(err, "\"%s\" is (%llu, %llu), and the grid of %d x %d nodes needs (%d, %d), %d rows of %d %s",
                    map->dataset, (unsigned long long)dataset->extent[0], (unsigned long long)dataset->extent[1],
                    map->config->grid.nx, map->config->grid.ny, rows, columns, rows, columns, grid);
  return real ? HS_ERR_CONFIG : HS_ERR_IO;
}

/* The place in the whole grid of number k of a part. */
static int grid_place(const struct hs_stretch *stretches, int count, int k)
{
  int s = count - 1;
  while (s > 0 && stretches[s].from > k) s--;
  return k - stretches[s].from + stretches[s].grid;
}

static hs_status values_check(const struct map *map, const double *values, struct hs_error *err)
{
  const struct hs_map_part *part = map->part;
  const size_t columns = (size_t)part->columns, count = (size_t)part->rows * columns;
  for (size_t n = 0; n < count; n++) {
    if (isfinite(values[n]) && values[n] > map->above) continue;
    fail(map, HS_ERR_CONFIG, err, "its dataset");
    hs_error_append(err, "\"%s\" has %g in row %d (from the south), column %d, counted from 0; %s", map->dataset,
                    values[n], grid_place(part->row, part->row_count, (int)(n / columns)),
                    grid_place(part->column, part->column_count, (int)(n % columns)),
                    isfinite(map->above) ? "it must be finite and above 0" : "it must be finite");
    return HS_ERR_CONFIG;
  }
  return HS_OK;
}

/* Reads the stretches of the part, and nothing else of the dataset. */
static bool part_read(const struct hs_map_part *part, const struct hs_h5_dataset *dataset, double *values)
{
  bool read = true;
  for (int r = 0; read && r < part->row_count; r++)
    for (int c = 0; read && c < part->column_count; c++) {
      const struct hs_stretch *row = &part->row[r], *column = &part->column[c];
      const struct hs_h5_block block = {(uint64_t)row->grid, (uint64_t)column->grid, (uint64_t)row->count,
                                        (uint64_t)column->count};
      read = hs_h5_dataset_read_block(dataset, &block,
                                      values + (size_t)row->from * (size_t)part->columns + (size_t)column->from,
                                      (uint64_t)part->columns);
    }
  return read;
}

static hs_status map_read(const struct map *map, const struct hs_h5_file *file, double **values, struct hs_error *err)
{
  const size_t count = (size_t)map->part->rows * (size_t)map->part->columns;
  char what[64];
  struct hs_h5_dataset dataset;
  struct hs_error why;
  hs_status status = dataset_open(map, file, &dataset, err);
  if (status) return status;
  snprintf(what, sizeof what, "the %s map", map->key);
  status = dataset_check(map, &dataset, err);
  if (!status && hs_memory_check((double)count * sizeof **values + hs_h5_dataset_buffers(&dataset), "it", &why))
    status = fail(map, HS_ERR_IO, err, why.text);
  if (!status) status = hs_array_create((void **)values, count, sizeof **values, what, err);
  if (!status && !part_read(map->part, &dataset, *values))
    status = fail(map, HS_ERR_IO, err, "the HDF5 library cannot read its numbers; is the file complete?");
  if (!status) status = values_check(map, *values, err);
  hs_h5_dataset_close(&dataset);
  return status;
}

hs_status hs_map_values_read(const struct hs_config *config, enum hs_map which, const char *place,
                             const struct hs_map_part *part, double above, double **values, struct hs_error *err)
{
  struct map map = {config, hs_map_key(which), place, NULL, NULL, part, above};
  struct hs_h5_file file = {.id = -1};
  hs_status status;
  *values = NULL;
  if (hs_map_is_array(config, which)) return hs_map_array_values(config, which, part, above, values, err);
  status = place_split(&map, err);
  if (!status) status = file_open(&map, &file, err);
  if (!status) status = snapshot_choose(&map, &file, err);
  if (!status) status = map_read(&map, &file, values, err);
  hs_h5_close(&file);
  if (status) {
    free(*values);
    *values = NULL;
  }
  free(map.dataset);
  free(map.path);
  return status;
}
