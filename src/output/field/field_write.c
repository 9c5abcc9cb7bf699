/* Writes field.h5.
 *
 * The field is stored contiguously: it is read back as a whole, memory mapping and ParaView like it, and converged
 * temperatures hardly compress. The library converts to float32 in small pieces, so a field needs no second copy.
 * A full disk must neither leave a half file nor upset the library, so the bytes go through the driver of io/h5_sink.h.
 */
#include <stdlib.h>
#include <string.h>

#include "answers/flux.h"
#include "io/file.h"
#include "io/file_ranks.h"
#include "io/h5_put.h"
#include "io/h5_sink.h"
#include "output/describe.h"
#include "output/field/field_fill.h"
#include "output/field/h5_grid.h"
#include "output/field/mesh.h"
#include "output/report/report.h"

/* In this file's helpers a negative value means failure, as in HDF5 itself. */

/* Room that the ranks fill where there are several; nothing otherwise. */
enum { ROOM_TEMPERATURE, ROOM_MATERIAL, ROOM_FLUX_X, ROOM_FLUX_Y, ROOMS };
struct rooms {
  struct hs_h5_room of[ROOMS];
};

/* Root attributes that follow from the run. */
static herr_t write_outcome(hid_t file, const struct hs_result *result)
{
  const struct hs_config *config = result->config;
  if (hs_h5_put_text(file, "backend", result->backend) < 0) return -1;
  if (hs_h5_put_text(file, "device", result->place.device) < 0) return -1;
  if (hs_h5_put_text(file, "status", hs_verdict_name(hs_result_verdict(result))) < 0) return -1;
  if (hs_h5_put_integer(file, "iterations", hs_result_sweeps(result)) < 0) return -1;
  if (hs_h5_put_text(file, "criterion", hs_criterion_name(config->solver.criterion)) < 0) return -1;
  if (hs_h5_put_number(file, "tolerance", config->solver.tolerance) < 0) return -1;
  if (hs_h5_put_number(file, "resolution_k", hs_result_resolution_k(result)) < 0) return -1;
  if (config->time.scheme == HS_SCHEME_STEADY) return 0;
  if (hs_h5_put_number(file, "time_s", result->transient.time_s) < 0) return -1;
  return hs_h5_put_integer(file, "steps", result->transient.steps);
}

/* One column of the history: where it lies in struct hs_check. */
struct column {
  const char *name, *units, *long_name;
  size_t offset;
};

#define CHECK_OFFSET(member) offsetof(struct hs_check, member)

static const struct column columns[] = {
    {"update_l2", "K", "update of a sweep, 2-norm", CHECK_OFFSET(norms.update_l2)},
    {"update_max", "K", "update of a sweep, largest", CHECK_OFFSET(norms.update_max)},
    {"residual_l2", "W/m", "residual, 2-norm", CHECK_OFFSET(norms.residual_l2)},
    {"residual_relative", "1", "residual over that of the start", CHECK_OFFSET(residual_relative)},
    {"two_sweep_max", "K", "update of two sweeps, largest", CHECK_OFFSET(norms.two_sweep_max)},
    {"error_estimate", "K", "estimate of the largest error", CHECK_OFFSET(error_estimate_k)},
};

static herr_t write_column(hid_t group, const struct column *column, const struct hs_solve_outcome *outcome,
                           double *values)
{
  hid_t dataset;
  herr_t result;
  int k;
  for (k = 0; k < outcome->history_count; k++)
    memcpy(&values[k], (const char *)&outcome->history[k] + column->offset, sizeof values[k]);
  dataset = hs_h5_put_column(group, column->name, (size_t)outcome->history_count, values, column->units);
  if (dataset < 0) return -1;
  result = hs_h5_put_text(dataset, "long_name", column->long_name);
  if (result >= 0) result = hs_h5_put_dimension(dataset, 0, group, "sweeps");
  return H5Dclose(dataset) < 0 ? -1 : result;
}

/* The scale of the columns. */
static herr_t write_sweeps(hid_t group, const struct hs_solve_outcome *outcome, int64_t *sweeps)
{
  const hsize_t dims[1] = {(hsize_t)outcome->history_count};
  hid_t dataset;
  herr_t result;
  int k;
  for (k = 0; k < outcome->history_count; k++) sweeps[k] = outcome->history[k].sweeps;
  dataset = hs_h5_put_dataset(group, "sweeps", 1, dims, H5T_STD_I64LE, H5T_NATIVE_INT64, sweeps, "1");
  if (dataset < 0) return -1;
  result = hs_h5_put_scale(dataset, "sweeps");
  return H5Dclose(dataset) < 0 ? -1 : result;
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

/* Over time: the time of the field, as the scalar coordinate that CF gives such a field. */
static herr_t write_time(hid_t file, hid_t field, const struct hs_result *result)
{
  hid_t dataset;
  herr_t written;
  if (!hs_result_is_transient(result)) return 0;
  dataset = hs_h5_put_dataset(file, "time", 0, NULL, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &result->transient.time_s, "s");
  if (dataset < 0) return -1;
  written = hs_h5_grid_time(dataset);
  if (H5Dclose(dataset) < 0 || written < 0) return -1;
  return hs_h5_put_text(field, "coordinates", "time");
}

/* A dataset of two dimensions, empty, or with room. */
static hid_t create_dataset(hid_t file, const char *name, const hsize_t dims[2], const struct hs_config *config,
                            bool with_room, const char *units)
{
  const hid_t type = hs_h5_grid_type(config);
  if (with_room) return hs_h5_room_create(file, name, dims, type, units);
  return hs_h5_put_dataset(file, name, 2, dims, type, H5T_NATIVE_DOUBLE, NULL, units);
}

/* Datasets heat_flux_x and heat_flux_y, of cells; open in flux. */
static herr_t create_flux(hid_t file, const struct hs_result *result, const struct hs_share *share, bool with_room,
                          hid_t flux[2])
{
  static const char *const names[2] = {"heat_flux_x", "heat_flux_y"};
  static const char *const long_names[2] = {"heat flux to the east", "heat flux to the north"};
  const hsize_t dims[2] = {(hsize_t)share->cells_y, (hsize_t)share->cells_x};
  for (int k = 0; k < 2; k++) {
    flux[k] = create_dataset(file, names[k], dims, result->config, with_room, "W m-2");
    if (flux[k] < 0 || hs_h5_put_text(flux[k], "long_name", long_names[k]) < 0) return -1;
    if (hs_h5_grid_place(file, flux[k], 0, result->config, true) < 0) return -1;
  }
  return 0;
}

enum { FLUX_ROWS = 32 };

static herr_t write_flux(hid_t file, const struct hs_result *result, const struct hs_share *share, struct rooms *rooms)
{
  const int rows = rooms ? 0 : share->cells_y;
  const size_t block = FLUX_ROWS * (size_t)result->problem->cells_x;
  double *x_w_m2 = malloc(2 * block * sizeof *x_w_m2);
  hid_t flux[2] = {-1, -1};
  herr_t done = x_w_m2 ? create_flux(file, result, share, rooms != NULL, flux) : -1;
  for (int k = 0; rooms && done >= 0 && k < 2; k++) done = hs_h5_room_find(flux[k], &rooms->of[ROOM_FLUX_X + k]);
  for (int j = 0; done >= 0 && j < rows; j += FLUX_ROWS) {
    const int count = rows - j < FLUX_ROWS ? rows - j : FLUX_ROWS;
    hs_answers_flux_rows(result->problem, result->field_k, j, count, x_w_m2, x_w_m2 + block);
    for (int k = 0; done >= 0 && k < 2; k++)
      done = hs_h5_put_rows(flux[k], (hsize_t)j, (hsize_t)count, H5T_NATIVE_DOUBLE, x_w_m2 + (size_t)k * block);
  }
  for (int k = 0; k < 2; k++)
    if (flux[k] >= 0 && H5Dclose(flux[k]) < 0) done = -1;
  free(x_w_m2);
  return done;
}

/* rooms NULL: with all numbers; else with room for them. */
static herr_t write_contents(hid_t file, const struct hs_result *result, const struct hs_share *share,
                             struct rooms *rooms)
{
  const struct hs_config *config = result->config;
  const hsize_t dims[2] = {(hsize_t)share->nodes_y, (hsize_t)share->nodes_x};
  const bool materials = hs_h5_grid_has_materials(config), flux = hs_output_wanted(config->output.flux, config);
  hid_t field = -1;
  herr_t done = -1;
  if (hs_h5_grid_attributes(file, config) < 0 || write_outcome(file, result) < 0) return -1;
  if (write_history(file, &result->outcome) < 0 || hs_h5_grid_axes(file, config, materials || flux) < 0) return -1;
  if (materials && hs_h5_grid_materials(file, result->problem, rooms ? &rooms->of[ROOM_MATERIAL] : NULL) < 0) return -1;
  if (flux && write_flux(file, result, share, rooms) < 0) return -1;
  if (hs_mesh_wanted(config) && hs_mesh_write(file, config) < 0) return -1;
  field = create_dataset(file, "temperature", dims, config, rooms != NULL, hs_temperature_unit(config));
  if (field < 0) return -1;
  if (hs_h5_grid_temperature(field) < 0 || hs_h5_grid_place(file, field, 0, config, false) < 0) goto out;
  if (write_time(file, field, result) < 0) goto out;
  done = rooms ? hs_h5_room_find(field, &rooms->of[ROOM_TEMPERATURE])
               : H5Dwrite(field, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, result->field_k);
out:
  if (H5Dclose(field) < 0) done = -1;
  return done;
}

/* Writes and closes the HDF5 file through the sink. */
static hs_status write_through(const char *path, int fd, const struct hs_result *result, const struct hs_share *share,
                               struct rooms *rooms, struct hs_error *err)
{
  struct hs_h5_sink sink = {.fd = fd};
  hs_status status = HS_OK, closed;
  if (hs_h5_sink_open(&sink, path) < 0 || write_contents(sink.file, result, share, rooms) < 0)
    status = hs_h5_fail("write", path, err);
  closed = hs_h5_sink_close(&sink, path, status ? NULL : err);
  if (!sink.failure) return status ? status : closed;
  return hs_error_set(err, HS_ERR_IO, "cannot write %s: %s. The incomplete file was removed.", path,
                      strerror(sink.failure));
}

/* This rank's own numbers. */
static int fill(int fd, const struct hs_result *result, const struct hs_share *share, const struct rooms *rooms)
{
  const struct hs_config *config = result->config;
  int failure = hs_fill_field(fd, &rooms->of[ROOM_TEMPERATURE], share, result->field_k);
  if (!failure && hs_h5_grid_has_materials(config))
    failure = hs_fill_materials(fd, &rooms->of[ROOM_MATERIAL], share, result->problem);
  if (!failure && hs_output_wanted(config->output.flux, config))
    failure = hs_fill_flux(fd, &rooms->of[ROOM_FLUX_X], share, result->problem, result->field_k);
  return failure;
}

/* Rank 0 writes the structure, and all ranks their numbers. */
static hs_status write_ranks(const char *path, const struct hs_result *result, const struct hs_share *share,
                             struct hs_error *err)
{
  struct hs_file file = HS_FILE_NONE;
  struct rooms rooms = {0};
  hs_status status = HS_OK;
  int fd = -1;
  if (hs_share_writes(share)) {
    status = hs_file_create(&file, path, err);
    if (!status) status = write_through(path, file.fd, result, share, &rooms, err);
  }
  status = hs_file_open_all(share->comm, file.temporary, status, &fd, err);
  if (!status) status = hs_comm_broadcast(share->comm, 0, &rooms, sizeof rooms, err);
  if (!status) status = hs_file_close_all(share->comm, fd, fill(fd, result, share, &rooms), path, HS_FILE_REMOVED, err);
  return hs_file_commit_all(share->comm, &file, status, err);
}

hs_status hs_output_h5_write(const char *path, const struct hs_result *result, struct hs_error *err)
{
  const struct hs_share share = hs_share_of(result->problem);
  struct hs_file file = HS_FILE_NONE;
  hs_status status;
  if (hs_comm_size(share.comm) > 1) return write_ranks(path, result, &share, err);
  status = hs_file_create(&file, path, err);
  if (status) return status;
  status = write_through(path, file.fd, result, &share, NULL, err);
  if (!status) status = hs_file_commit(&file, err);
  hs_file_discard(&file);
  return status;
}
