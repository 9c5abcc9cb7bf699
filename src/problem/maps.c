/* Maps from HDF5 files: one number per cell or per node.
 *
 * Anything may stand in a file that a user names, so existence, rank, size and type are checked before memory is taken,
 * and every value before it is used. Integers and floating-point numbers of any size are converted by the library. The
 * library's own printing is silenced meanwhile. Limit: two-dimensional datasets.
 */
#include "problem/maps.h"

#include <errno.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#define NAMES_SIZE 300

/* A map on its way into memory. */
struct map {
  const struct hs_config *config;
  const char *key, *place;
  char *path;    /* of the file, owned */
  char *dataset; /* owned */
  int rows, columns;
  double above;
};

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

static hs_status file_open(const struct map *map, hid_t *file, struct hs_error *err)
{
  if (access(map->path, R_OK) != 0) return fail(map, HS_ERR_IO, err, strerror(errno));
  if (H5Fis_hdf5(map->path) <= 0) return fail(map, HS_ERR_IO, err, "it is not an HDF5 file");
  *file = H5Fopen(map->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  return *file < 0 ? fail(map, HS_ERR_IO, err, "the HDF5 library cannot open it; is it complete?") : HS_OK;
}

/* Collects the names of datasets, as many as have room in the text of NAMES_SIZE. */
static herr_t name_collect(hid_t group, const char *name, const H5L_info_t *link, void *context)
{
  char *names = context;
  const size_t used = strlen(names);
  const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
  (void)link;
  if (object < 0) return 0;
  if (H5Iget_type(object) == H5I_DATASET) {
    if (used + strlen(name) + 8 < NAMES_SIZE)
      snprintf(names + used, NAMES_SIZE - used, "%s/%s", used ? ", " : "", name);
    else if (used + 6 < NAMES_SIZE && (used < 3 || strcmp(names + used - 3, "...")))
      snprintf(names + used, NAMES_SIZE - used, ", ...");
  }
  (void)H5Oclose(object);
  return 0;
}

/* Exists every part of the path? */
static bool link_exists(hid_t file, const char *name)
{
  char *part = strdup(name);
  bool exists = part != NULL;
  for (char *slash = part; exists && slash; *slash = '/') {
    slash = strchr(slash + 1, '/');
    if (!slash) break;
    *slash = '\0';
    exists = slash[-1] == '/' || slash == part || H5Lexists(file, part, H5P_DEFAULT) > 0;
  }
  exists = exists && H5Lexists(file, name, H5P_DEFAULT) > 0;
  free(part);
  return exists;
}

static hs_status dataset_open(const struct map *map, hid_t file, hid_t *dataset, struct hs_error *err)
{
  char names[NAMES_SIZE] = "";
  if (link_exists(file, map->dataset)) *dataset = H5Dopen2(file, map->dataset, H5P_DEFAULT);
  if (*dataset >= 0) return HS_OK;
  (void)H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, name_collect, names);
  fail(map, HS_ERR_IO, err, "it has no dataset");
  hs_error_append(err, "\"%s\"; it has %s", map->dataset, names[0] ? names : "none at all");
  return HS_ERR_IO;
}

static hs_status dataset_check(const struct map *map, hid_t dataset, struct hs_error *err)
{
  const char *grid = strcmp(map->key, "initial") ? "cells" : "nodes";
  hsize_t dims[2] = {0, 0};
  const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  const H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
  const int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
  const bool real = class == H5T_FLOAT || class == H5T_INTEGER;
  if (rank == 2) (void)H5Sget_simple_extent_dims(space, dims, NULL);
  if (space >= 0) (void)H5Sclose(space);
  if (type >= 0) (void)H5Tclose(type);
  if (real && rank == 2 && dims[0] == (hsize_t)map->rows && dims[1] == (hsize_t)map->columns) return HS_OK;
  fail(map, real ? HS_ERR_CONFIG : HS_ERR_IO, err, "its dataset");
  if (!real)
    hs_error_append(err, "\"%s\" does not hold numbers", map->dataset);
  else if (rank != 2)
    hs_error_append(err, "\"%s\" has %d dimensions; it needs two, (%d, %d), for %d rows of %d %s", map->dataset, rank,
                    map->rows, map->columns, map->rows, map->columns, grid);
  else
    hs_error_append(err, "\"%s\" is (%llu, %llu), and the grid of %d x %d nodes needs (%d, %d), %d rows of %d %s",
                    map->dataset, (unsigned long long)dims[0], (unsigned long long)dims[1], map->config->grid.nx,
                    map->config->grid.ny, map->rows, map->columns, map->rows, map->columns, grid);
  return real ? HS_ERR_CONFIG : HS_ERR_IO;
}

static hs_status values_check(const struct map *map, const double *values, struct hs_error *err)
{
  const size_t count = (size_t)map->rows * (size_t)map->columns;
  for (size_t n = 0; n < count; n++) {
    if (isfinite(values[n]) && values[n] > map->above) continue;
    fail(map, HS_ERR_CONFIG, err, "its dataset");
    hs_error_append(err, "\"%s\" has %g in row %zu (from the south), column %zu, counted from 0; %s", map->dataset,
                    values[n], n / (size_t)map->columns, n % (size_t)map->columns,
                    isfinite(map->above) ? "it must be finite and above 0" : "it must be finite");
    return HS_ERR_CONFIG;
  }
  return HS_OK;
}

static hs_status map_read(const struct map *map, double **values, struct hs_error *err)
{
  char what[64];
  hid_t file = -1, dataset = -1;
  hs_status status = file_open(map, &file, err);
  if (!status) status = dataset_open(map, file, &dataset, err);
  if (!status) status = dataset_check(map, dataset, err);
  if (!status && H5Dget_storage_size(dataset) == 0) status = fail(map, HS_ERR_IO, err, "its dataset was never written");
  snprintf(what, sizeof what, "the %s map", map->key);
  if (!status)
    status = hs_array_create((void **)values, (size_t)map->rows * (size_t)map->columns, sizeof **values, what, err);
  if (!status && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
    status = fail(map, HS_ERR_IO, err, "the HDF5 library cannot read its numbers; is the file complete?");
  if (!status) status = values_check(map, *values, err);
  if (dataset >= 0) (void)H5Dclose(dataset);
  if (file >= 0) (void)H5Fclose(file);
  return status;
}

hs_status hs_map_values_read(const struct hs_config *config, const char *key, const char *place, int rows, int columns,
                             double above, double **values, struct hs_error *err)
{
  struct map map = {config, key, place, NULL, NULL, rows, columns, above};
  H5E_auto2_t print;
  void *data;
  hs_status status;
  *values = NULL;
  (void)H5Eget_auto2(H5E_DEFAULT, &print, &data);
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  status = place_split(&map, err);
  if (!status) status = map_read(&map, values, err);
  (void)H5Eset_auto2(H5E_DEFAULT, print, data);
  if (status) {
    free(*values);
    *values = NULL;
  }
  free(map.dataset);
  free(map.path);
  return status;
}
