/* Writes field.h5.
 *
 * The field is stored contiguously: it is read back as a whole, memory mapping and ParaView like it, and converged
 * temperatures hardly compress. The library converts to float32 in small pieces, so a field needs no second copy.
 * A full disk must neither leave a half file nor upset the library, so the bytes go through the driver of h5_sink.c.
 */
#include <hdf5.h>
#include <hdf5_hl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "base/version.h"
#include "io/file.h"
#include "io/h5_error.h"
#include "io/h5_put.h"
#include "io/h5_sink.h"
#include "output/output.h"

/* In this file's helpers a negative value means failure, as in HDF5 itself. */

/* The coordinate of each node along one axis, a dimension scale of the field. */
static herr_t attach_axis(hid_t file, hid_t field, unsigned dimension, const char *name, int count, double spacing_m,
                          bool cells)
{
  const hsize_t dims[1] = {(hsize_t)count};
  herr_t result = -1;
  hid_t scale = -1;
  int i;
  double *coordinate_m = malloc((size_t)count * sizeof *coordinate_m);
  if (!coordinate_m) return -1;
  for (i = 0; i < count; i++) coordinate_m[i] = (cells ? i + 0.5 : i) * spacing_m;
  scale = hs_h5_put_dataset(file, name, 1, dims, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, coordinate_m, "m");
  free(coordinate_m);
  if (scale < 0) return -1;
  if (H5DSset_scale(scale, name) >= 0 && H5DSattach_scale(field, scale, dimension) >= 0)
    result = H5DSset_label(field, dimension, name);
  if (H5Dclose(scale) < 0) result = -1;
  return result;
}

static herr_t write_time(hid_t file, const struct hs_result *result)
{
  const enum hs_scheme scheme = result->config->time.scheme;
  if (hs_h5_put_text(file, "scheme", hs_scheme_name(scheme)) < 0) return -1;
  if (scheme == HS_SCHEME_STEADY) return 0;
  if (hs_h5_put_number(file, "time_s", result->transient.time_s) < 0) return -1;
  return hs_h5_put_integer(file, "steps", result->transient.steps);
}

static herr_t write_root_attributes(hid_t file, const struct hs_result *result)
{
  const struct hs_config *config = result->config;
  char now[32];
  hs_time_utc(now, sizeof now);
  if (hs_h5_put_text(file, "title", config->output.title) < 0) return -1;
  if (hs_h5_put_text(file, "configuration", config->text) < 0) return -1;
  if (hs_h5_put_text(file, "version", hs_version_number()) < 0) return -1;
  if (hs_h5_put_text(file, "backend", result->backend) < 0) return -1;
  if (hs_h5_put_text(file, "device", result->place.device) < 0) return -1;
  if (hs_h5_put_text(file, "precision", hs_precision_name(config->solver.precision)) < 0) return -1;
  if (hs_h5_put_text(file, "status", hs_verdict_name(hs_result_verdict(result))) < 0) return -1;
  if (hs_h5_put_integer(file, "iterations", hs_result_sweeps(result)) < 0) return -1;
  if (hs_h5_put_text(file, "criterion", hs_criterion_name(config->solver.criterion)) < 0) return -1;
  if (hs_h5_put_number(file, "tolerance", config->solver.tolerance) < 0) return -1;
  if (hs_h5_put_number(file, "dx_m", result->dx_m) < 0) return -1;
  if (hs_h5_put_number(file, "dy_m", result->dy_m) < 0) return -1;
  if (hs_h5_put_text(file, "layout", hs_layout_name(config->grid.layout)) < 0) return -1;
  if (write_time(file, result) < 0) return -1;
  return hs_h5_put_text(file, "created_utc", now);
}

/* One column of the history: where it lies in struct hs_check. */
struct column {
  const char *name, *units;
  size_t offset;
};

#define CHECK_OFFSET(member) offsetof(struct hs_check, member)

static const struct column columns[] = {
    {"update_l2", "K", CHECK_OFFSET(norms.update_l2)},
    {"update_max", "K", CHECK_OFFSET(norms.update_max)},
    {"residual_l2", "W/m", CHECK_OFFSET(norms.residual_l2)},
    {"residual_relative", "1", CHECK_OFFSET(residual_relative)},
    {"two_sweep_max", "K", CHECK_OFFSET(norms.two_sweep_max)},
    {"error_estimate", "K", CHECK_OFFSET(error_estimate_k)},
};

static herr_t write_column(hid_t group, const struct column *column, const struct hs_solve_outcome *outcome,
                           double *values)
{
  const hsize_t dims[1] = {(hsize_t)outcome->history_count};
  hid_t dataset;
  int k;
  for (k = 0; k < outcome->history_count; k++)
    memcpy(&values[k], (const char *)&outcome->history[k] + column->offset, sizeof values[k]);
  dataset = hs_h5_put_dataset(group, column->name, 1, dims, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, column->units);
  return dataset < 0 ? -1 : H5Dclose(dataset);
}

static herr_t write_sweeps(hid_t group, const struct hs_solve_outcome *outcome, int64_t *sweeps)
{
  const hsize_t dims[1] = {(hsize_t)outcome->history_count};
  hid_t dataset;
  int k;
  for (k = 0; k < outcome->history_count; k++) sweeps[k] = outcome->history[k].sweeps;
  dataset = hs_h5_put_dataset(group, "sweeps", 1, dims, H5T_STD_I64LE, H5T_NATIVE_INT64, sweeps, "1");
  return dataset < 0 ? -1 : H5Dclose(dataset);
}

static herr_t write_history(hid_t file, const struct hs_solve_outcome *outcome)
{
  const size_t bytes = ((size_t)outcome->history_count + 1) * sizeof(int64_t);
  const hid_t group = H5Gcreate2(file, "convergence", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  int64_t *sweeps = malloc(bytes);
  double *values = malloc(bytes);
  herr_t result = -1;
  size_t k;
  if (group < 0 || !sweeps || !values) goto out;
  result = write_sweeps(group, outcome, sweeps);
  for (k = 0; result >= 0 && k < sizeof columns / sizeof columns[0]; k++)
    result = write_column(group, &columns[k], outcome, values);
out:
  free(values);
  free(sweeps);
  if (group >= 0 && H5Gclose(group) < 0) result = -1;
  return result;
}

/* Attribute names of the material dataset: element m is the name of material m. */
static herr_t write_material_names(hid_t dataset, const struct hs_problem *problem)
{
  const hsize_t count[1] = {(hsize_t)problem->material_count};
  const char **names = malloc((size_t)problem->material_count * sizeof *names);
  const hid_t space = H5Screate_simple(1, count, NULL), type = H5Tcopy(H5T_C_S1);
  hid_t attribute = -1;
  herr_t result = -1;
  int m;
  if (!names || space < 0 || type < 0) goto out;
  for (m = 0; m < problem->material_count; m++)
    names[m] = problem->materials[m].name[0] ? problem->materials[m].name : "background";
  if (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) goto out;
  attribute = H5Acreate2(dataset, "names", type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute >= 0) result = H5Awrite(attribute, type, names);
out:
  if (attribute >= 0 && H5Aclose(attribute) < 0) result = -1;
  if (type >= 0) (void)H5Tclose(type);
  if (space >= 0) (void)H5Sclose(space);
  free(names);
  return result;
}

/* The material of each cell, where there is a choice. */
static herr_t write_materials(hid_t file, const struct hs_problem *problem)
{
  const hsize_t dims[2] = {(hsize_t)problem->cells_y, (hsize_t)problem->cells_x};
  const size_t cells = (size_t)problem->cells_x * (size_t)problem->cells_y;
  uint16_t *material;
  hid_t dataset;
  herr_t result;
  size_t c;
  if (problem->material_count < 2) return 0;
  material = malloc(cells * sizeof *material);
  if (!material) return -1;
  for (c = 0; c < cells; c++) material[c] = (uint16_t)problem->classes[problem->cell[c]].material;
  dataset = hs_h5_put_dataset(file, "material", 2, dims, problem->material_count > 256 ? H5T_STD_U16LE : H5T_STD_U8LE,
                              H5T_NATIVE_UINT16, material, "1");
  free(material);
  if (dataset < 0) return -1;
  result = write_material_names(dataset, problem);
  return H5Dclose(dataset) < 0 ? -1 : result;
}

static herr_t write_contents(hid_t file, const struct hs_result *result)
{
  const hsize_t dims[2] = {(hsize_t)result->ny, (hsize_t)result->nx};
  const hid_t type = result->config->solver.precision == HS_SINGLE ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  const bool cells = result->config->grid.layout == HS_LAYOUT_CELL;
  const char *unit = result->config->output.unit;
  hid_t field = -1;
  herr_t done = -1;
  if (write_root_attributes(file, result) < 0 || write_history(file, &result->outcome) < 0) return -1;
  if (write_materials(file, result->problem) < 0) return -1;
  field = hs_h5_put_dataset(file, "temperature", 2, dims, type, H5T_NATIVE_DOUBLE, NULL, unit && unit[0] ? unit : "K");
  if (field < 0) return -1;
  if (hs_h5_put_text(field, "long_name", "temperature") < 0) goto out;
  if (attach_axis(file, field, 0, "y", result->ny, result->dy_m, cells) < 0) goto out;
  if (attach_axis(file, field, 1, "x", result->nx, result->dx_m, cells) < 0) goto out;
  done = H5Dwrite(field, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result->field_k);
out:
  if (H5Dclose(field) < 0) done = -1;
  return done;
}

/* Writes and closes the HDF5 file through the sink. */
static hs_status write_through(const char *path, struct hs_h5_sink *sink, const struct hs_result *result,
                               struct hs_error *err)
{
  hs_status status = HS_OK;
  hid_t file = -1, driver = -1;
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0) driver = hs_h5_sink_register(access, sink);
  if (driver >= 0) file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (file < 0 || write_contents(file, result) < 0) status = hs_h5_fail("write", path, err);
  if (file >= 0 && H5Fclose(file) < 0 && !status) status = hs_h5_fail("complete", path, err);
  if (sink->failure)
    status = hs_error_set(err, HS_ERR_IO, "cannot write %s: %s. The incomplete file was removed.", path,
                          strerror(sink->failure));
  if (driver >= 0) (void)H5FDunregister(driver);
  if (access >= 0) (void)H5Pclose(access);
  return status;
}

hs_status hs_output_h5_write(const char *path, const struct hs_result *result, struct hs_error *err)
{
  struct hs_h5_printing printing;
  struct hs_h5_sink sink = {-1, 0, false};
  struct hs_file file = HS_FILE_NONE;
  hs_status status = hs_file_create(&file, path, err);
  if (status) return status;
  sink.fd = file.fd;
  hs_h5_silence(&printing);
  status = write_through(path, &sink, result, err);
  hs_h5_restore(&printing);
  if (!status) status = hs_file_commit(&file, err);
  hs_file_discard(&file);
  return status;
}
