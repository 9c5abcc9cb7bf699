/* Reads the field back from an HDF5 file.
 *
 * A file that a user names may contain anything, so each refusal says what was found and what is needed. A field of
 * another program is accepted when it is a dataset "temperature" (ny, nx) of floating-point numbers with either the
 * attributes dx_m and dy_m or equidistant datasets x and y.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/h5_read.h"
#include "output/output.h"

static const double SPARE = 1.1; /* for what is done with a field */

static hs_status open_file(const char *path, struct hs_h5_file *file, struct hs_error *err)
{
  char reason[HS_H5_REASON];
  switch (hs_h5_open(path, file, reason)) {
  case HS_H5_OPENED: return HS_OK;
  case HS_H5_FOREIGN:
    return hs_error_set(err, HS_ERR_IO, "cannot read %s: %s; give the field.h5 of a run.", path, reason);
  default: return hs_error_set(err, HS_ERR_IO, "cannot read %s: %s.", path, reason);
  }
}

/* A dataset that was never written, or a forged extent, would have us take memory for nothing. */
static hs_status check_temperature(const char *path, const char *name, const struct hs_h5_dataset *dataset,
                                   struct hs_error *err)
{
  const uint64_t *extent = dataset->extent;
  if (dataset->numbers != HS_H5_FLOATS)
    return hs_error_set(err, HS_ERR_IO, "cannot read %s: its dataset \"%s\" does not hold floating-point numbers.",
                        path, name);
  if (dataset->rank != 2)
    return hs_error_set(err, HS_ERR_IO, "cannot read %s: its dataset \"%s\" has %d dimensions; it needs two, (ny, nx).",
                        path, name, dataset->rank);
  if (extent[0] < 1 || extent[1] < 1 || extent[0] > INT_MAX || extent[1] > INT_MAX)
    return hs_error_set(err, HS_ERR_IO,
                        "cannot read %s: its dataset \"%s\" is %llu x %llu; 1 to %d nodes a side can be read.", path,
                        name, (unsigned long long)extent[0], (unsigned long long)extent[1], INT_MAX);
  if (!dataset->written)
    return hs_error_set(err, HS_ERR_IO, "cannot read %s: its dataset \"%s\" was never written.", path, name);
  return HS_OK;
}

static hs_status memory_check(const char *path, const struct hs_h5_dataset *dataset, struct hs_error *err)
{
  const double nodes = (double)dataset->extent[0] * (double)dataset->extent[1];
  struct hs_error why;
  char what[96];
  snprintf(what, sizeof what, "its field of %llu x %llu nodes", (unsigned long long)dataset->extent[1],
           (unsigned long long)dataset->extent[0]);
  if (!hs_memory_check(SPARE * (nodes * sizeof(double) + hs_h5_dataset_buffers(dataset)), what, &why)) return HS_OK;
  return hs_error_set(err, HS_ERR_IO, "cannot read %s: %s.", path, why.text);
}

static bool has_snapshots(const struct hs_h5_file *file)
{
  const hid_t group = hs_h5_group_open(file, "/snapshots");
  return group >= 0 && H5Gclose(group) >= 0;
}

/* The temperatures of the dataset `name`, and their unit. */
static hs_status read_temperature(const char *path, const char *name, const struct hs_h5_file *file,
                                  struct hs_output_field *field, struct hs_error *err)
{
  struct hs_h5_dataset dataset;
  hs_status status;
  if (!hs_h5_dataset_open(file, name, &dataset) && dataset.refusal[0])
    return hs_error_set(err, HS_ERR_IO, "cannot read %s: its dataset \"%s\" %s.", path, name, dataset.refusal);
  if (dataset.id < 0)
    return hs_error_set(err, HS_ERR_IO, "cannot read %s: it has no dataset \"%s\"; give the field.h5 of a run.", path,
                        name);
  status = check_temperature(path, name, &dataset, err);
  if (!status) status = memory_check(path, &dataset, err);
  if (status) goto out;
  field->ny = (int)dataset.extent[0];
  field->nx = (int)dataset.extent[1];
  status = hs_array_create((void **)&field->field_k, (size_t)field->nx * (size_t)field->ny, sizeof *field->field_k,
                           "the field read", err);
  if (!status && !hs_h5_dataset_read(&dataset, field->field_k))
    status = hs_h5_fail("read the temperatures of", path, err);
  hs_h5_text(dataset.id, "units", field->unit, sizeof field->unit);
  if (!field->unit[0]) strcpy(field->unit, "K");
  field->time_s = hs_h5_number(dataset.id, "time_s"); /* of a snapshot */
out:
  hs_h5_dataset_close(&dataset);
  return status;
}

/* Spacing of the coordinates in the one-dimensional dataset `name`, NaN when there is no such dataset. */
static double read_spacing(const struct hs_h5_file *file, const char *name, int count)
{
  double spacing_m = NAN, *coordinate_m;
  struct hs_h5_dataset dataset;
  if (!hs_h5_dataset_open(file, name, &dataset)) return NAN;
  coordinate_m = malloc((size_t)count * sizeof *coordinate_m);
  if (coordinate_m && count > 1 && dataset.count == count && hs_h5_dataset_read(&dataset, coordinate_m))
    spacing_m = (coordinate_m[count - 1] - coordinate_m[0]) / (count - 1);
  free(coordinate_m);
  hs_h5_dataset_close(&dataset);
  return spacing_m;
}

static hs_status read_grid(const char *path, const struct hs_h5_file *file, struct hs_output_field *field,
                           struct hs_error *err)
{
  field->dx_m = hs_h5_number(file->id, "dx_m");
  field->dy_m = hs_h5_number(file->id, "dy_m");
  if (isnan(field->dx_m)) field->dx_m = read_spacing(file, "x", field->nx);
  if (isnan(field->dy_m)) field->dy_m = read_spacing(file, "y", field->ny);
  if (field->dx_m > 0.0 && field->dy_m > 0.0 && isfinite(field->dx_m) && isfinite(field->dy_m)) return HS_OK;
  return hs_error_set(
      err, HS_ERR_IO,
      "cannot read %s: the node spacing is missing or not positive (dx_m = %g, dy_m = %g); the file needs "
      "the attributes dx_m and dy_m or the datasets x and y.",
      path, field->dx_m, field->dy_m);
}

static void read_labels(const struct hs_h5_file *file, struct hs_output_field *field)
{
  char layout[16];
  hs_h5_text(file->id, "title", field->title, sizeof field->title);
  hs_h5_text(file->id, "precision", field->precision, sizeof field->precision);
  hs_h5_text(file->id, "layout", layout, sizeof layout);
  field->cells = strcmp(layout, "cell") == 0;
  field->resolution_k = fmax(hs_h5_number(file->id, "resolution_k"), 0.0); /* 0 for NaN */
  if (isnan(field->time_s)) field->time_s = hs_h5_number(file->id, "time_s");
}

/* The materials of the cells. What does not fit the field, or cannot be read, is left out: they are but for pictures. */
static void read_materials(const struct hs_h5_file *file, struct hs_output_field *field)
{
  const uint64_t rows = (uint64_t)(field->cells ? field->ny : field->ny - 1);
  const uint64_t columns = (uint64_t)(field->cells ? field->nx : field->nx - 1);
  struct hs_h5_dataset dataset;
  double *number = NULL;
  if (!hs_h5_dataset_open(file, "material", &dataset)) return;
  if (dataset.rank == 2 && dataset.written && dataset.extent[0] == rows && dataset.extent[1] == columns) {
    number = calloc((size_t)(rows * columns), sizeof *number);
    field->material = calloc((size_t)(rows * columns), sizeof *field->material);
  }
  if (number && field->material && hs_h5_dataset_read(&dataset, number)) {
    for (size_t n = 0; n < (size_t)(rows * columns); n++)
      field->material[n] = number[n] >= 0.0 && number[n] <= 65535.0 ? (uint16_t)number[n] : 0;
  } else {
    free(field->material);
    field->material = NULL;
  }
  free(number);
  hs_h5_dataset_close(&dataset);
}

/* The number that `which` asks for among snapshots at times_s[count], or -1. */
static int64_t snapshot_number(const char *which, const double *times_s, int64_t count)
{
  const bool timed = !strncmp(which, "t=", 2);
  char *end = NULL;
  const double wanted = strtod(timed ? which + 2 : which, &end);
  if (!strcmp(which, "last")) return count - 1;
  if (end == which || *end || !isfinite(wanted)) return -1;
  if (!timed) return wanted >= 0.0 && wanted < (double)count && wanted == floor(wanted) ? (int64_t)wanted : -1;
  for (int64_t k = 0; k < count; k++)
    if (fabs(times_s[k] - wanted) <= 1e-9 * fabs(wanted)) return k;
  return -1;
}

/* The dataset of the snapshot into name[size]. */
static hs_status choose_snapshot(const char *path, const struct hs_h5_file *file, const char *which, char *name,
                                 size_t size, struct hs_error *err)
{
  struct hs_h5_dataset times = {.id = -1};
  double *times_s = NULL;
  int64_t chosen = -1;
  const bool known = has_snapshots(file) && hs_h5_dataset_open(file, "/time", &times) && times.count > 0 &&
                     times.count <= HS_SNAPSHOTS_MOST;
  if (known) times_s = malloc((size_t)times.count * sizeof *times_s);
  if (times_s && hs_h5_dataset_read(&times, times_s)) chosen = snapshot_number(which, times_s, times.count);
  if (!known)
    hs_error_set(err, HS_ERR_IO, "cannot read %s: it holds no snapshots; give the snapshots.h5 of a run over time.",
                 path);
  else if (!times_s)
    hs_error_set(err, HS_ERR_MEMORY, "no memory is left for the times of the snapshots in %s.", path);
  else if (chosen < 0)
    hs_error_set(
        err, HS_ERR_USAGE,
        "%s has no snapshot \"%.60s\": there are %lld, numbered from 0, from t = %.9g s to %.9g s; give a number, "
        "last, or t=TIME of one",
        path, which, (long long)times.count, times_s[0], times_s[times.count - 1]);
  free(times_s);
  hs_h5_dataset_close(&times);
  if (chosen < 0) return err->status;
  snprintf(name, size, "/snapshots/%06lld/temperature", (long long)chosen); /* as earlier versions wrote */
  if (hs_h5_dataset_open(file, name, &times))
    hs_h5_dataset_close(&times);
  else
    snprintf(name, size, "/snapshots/%lld", (long long)chosen);
  return HS_OK;
}

/* which: of the snapshots; NULL: the file is no such one. */
static hs_status read_file(const char *path, const char *which, struct hs_output_field *field, struct hs_error *err)
{
  char name[64] = "temperature";
  struct hs_h5_file file;
  hs_status status;
  memset(field, 0, sizeof *field);
  status = open_file(path, &file, err);
  if (status) return status;
  if (which)
    status = choose_snapshot(path, &file, which, name, sizeof name, err);
  else if (has_snapshots(&file))
    status = hs_error_set(
        err, HS_ERR_IO, "cannot read %s: it holds the snapshots of a run over time; give the field.h5 of a run.", path);
  if (!status) status = read_temperature(path, name, &file, field, err);
  if (!status) status = read_grid(path, &file, field, err);
  if (!status) read_labels(&file, field);
  if (!status) read_materials(&file, field);
  hs_h5_close(&file);
  if (status) hs_output_field_clear(field);
  return status;
}

hs_status hs_output_h5_read(const char *path, struct hs_output_field *field, struct hs_error *err)
{
  return read_file(path, NULL, field, err);
}

hs_status hs_output_h5_read_snapshot(const char *path, const char *which, struct hs_output_field *field,
                                     struct hs_error *err)
{
  return read_file(path, which, field, err);
}

void hs_output_field_clear(struct hs_output_field *field)
{
  free(field->material);
  free(field->field_k);
  memset(field, 0, sizeof *field);
}
