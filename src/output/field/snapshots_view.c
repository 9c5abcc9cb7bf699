/* The fields of all snapshots as one dataset, (time, y, x), as programs for netCDF expect it.
 *
 * It is virtual: made once, before the first snapshot, it shows the datasets /snapshots/0, /snapshots/1 and so on, as many
 * as there are when the file is opened. So a snapshot is one dataset, which XDMF can name, and nothing but its entry
 * has to be changed when it is added or dropped.
 */
#include "output/field/snapshots_view.h"

#include <math.h>
#include <stdio.h>

#include "io/h5_put.h"
#include "output/describe.h"
#include "output/field/h5_grid.h"

enum { TIME_CHUNK = 256 };

/* A run that is killed between the entry of a snapshot and its time leaves one without: netCDF then shows this fill value. */
hid_t hs_snapshots_time_create(hid_t file)
{
  static const double unknown = NAN;
  const hsize_t none[1] = {0}, unlimited[1] = {H5S_UNLIMITED}, chunk[1] = {TIME_CHUNK};
  const hid_t space = H5Screate_simple(1, none, unlimited), creation = H5Pcreate(H5P_DATASET_CREATE);
  hid_t dataset = -1;
  if (space >= 0 && creation >= 0 && H5Pset_chunk(creation, 1, chunk) >= 0 &&
      H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &unknown) >= 0)
    dataset = H5Dcreate2(file, "time", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (dataset >= 0 && (hs_h5_put_scale(dataset, "time") < 0 || hs_h5_put_text(dataset, "units", "s") < 0 ||
                       hs_h5_grid_time(dataset) < 0)) {
    (void)H5Dclose(dataset);
    dataset = -1;
  }
  if (creation >= 0) (void)H5Pclose(creation);
  if (space >= 0) (void)H5Sclose(space);
  return dataset;
}

herr_t hs_snapshots_view_create(hid_t file, const struct hs_config *config)
{
  const hsize_t ny = (hsize_t)config->grid.ny, nx = (hsize_t)config->grid.nx, one[2] = {ny, nx};
  const hsize_t none[3] = {0, ny, nx}, unlimited[3] = {H5S_UNLIMITED, ny, nx};
  const hsize_t from[3] = {0, 0, 0}, count[3] = {H5S_UNLIMITED, 1, 1}, block[3] = {1, ny, nx};
  const hid_t whole = H5Screate_simple(3, none, unlimited), part = H5Screate_simple(2, one, NULL);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  hid_t view = -1;
  herr_t result = -1;
  if (whole >= 0 && part >= 0 && creation >= 0 &&
      H5Sselect_hyperslab(whole, H5S_SELECT_SET, from, NULL, count, block) >= 0 &&
      H5Pset_virtual(creation, whole, ".", "/snapshots/%b", part) >= 0)
    view = H5Dcreate2(file, "temperature", hs_h5_grid_type(config), whole, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (view >= 0 && hs_h5_put_text(view, "units", hs_temperature_unit(config)) >= 0 &&
      hs_h5_grid_temperature(view) >= 0 && hs_h5_put_dimension(view, 0, file, "time") >= 0)
    result = hs_h5_grid_place(file, view, 1, config, false);
  if (view >= 0 && H5Dclose(view) < 0) result = -1;
  if (creation >= 0) (void)H5Pclose(creation);
  if (part >= 0) (void)H5Sclose(part);
  if (whole >= 0) (void)H5Sclose(whole);
  return result;
}

herr_t hs_snapshots_time_put(hid_t time, int k, double time_s)
{
  const hsize_t length[1] = {(hsize_t)k + 1}, from[1] = {(hsize_t)k}, one[1] = {1};
  const bool longer = H5Dset_extent(time, length) >= 0;
  const hid_t space = longer ? H5Dget_space(time) : -1, memory = H5Screate_simple(1, one, NULL);
  herr_t result = -1;
  if (space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, one, NULL) >= 0)
    result = H5Dwrite(time, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &time_s);
  if (memory >= 0) (void)H5Sclose(memory);
  if (space >= 0) (void)H5Sclose(space);
  return result;
}

static herr_t put_facts(hid_t dataset, const struct hs_snapshot *snapshot, const double extremes_k[2])
{
  if (hs_h5_put_number(dataset, "time_s", snapshot->time_s) < 0) return -1;
  if (hs_h5_put_integer(dataset, "steps", snapshot->steps) < 0) return -1;
  if (hs_h5_put_number(dataset, "minimum_k", extremes_k[0]) < 0) return -1;
  return hs_h5_put_number(dataset, "maximum_k", extremes_k[1]);
}

/* Its scales do not list it, since a list has room for some thousand entries. */
herr_t hs_snapshots_field_put(hid_t group, const struct hs_config *config, int k, const struct hs_snapshot *snapshot,
                              const double extremes_k[2], struct hs_h5_room *room)
{
  const hsize_t dims[2] = {(hsize_t)config->grid.ny, (hsize_t)config->grid.nx};
  const hid_t type = hs_h5_grid_type(config);
  const char *unit = hs_temperature_unit(config);
  char name[32];
  hid_t dataset;
  herr_t result;
  snprintf(name, sizeof name, "%d", k);
  dataset = room ? hs_h5_room_create(group, name, dims, type, unit)
                 : hs_h5_put_dataset(group, name, 2, dims, type, H5T_NATIVE_DOUBLE, snapshot->field_k, unit);
  if (dataset < 0) return -1;
  result = room ? hs_h5_room_find(dataset, room) : 0;
  if (result >= 0) result = put_facts(dataset, snapshot, extremes_k);
  if (result >= 0) result = hs_h5_grid_temperature(dataset);
  if (result >= 0) result = hs_h5_put_dimensions(dataset, group, "/y", "/x");
  return H5Dclose(dataset) < 0 ? -1 : result;
}
