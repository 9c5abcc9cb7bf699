/* Points and quadrilaterals, row by row. They take 32 bytes a node, four times the temperature, so that large grids go
 * without unless they are asked for. */
#include "output/field/mesh.h"

#include <stdlib.h>

#include "io/h5_put.h"
#include "output/report/report.h"

static double nodes_of(const struct hs_config *config)
{
  return (double)config->grid.nx * (double)config->grid.ny;
}

bool hs_mesh_wanted(const struct hs_config *config)
{
  const enum hs_xdmf form = config->output.xdmf;
  return form == HS_XDMF_MESH || (form == HS_XDMF_YES && nodes_of(config) <= HS_NODES_SMALL);
}

int hs_mesh_index_bytes(const struct hs_config *config)
{
  return nodes_of(config) <= 2147483647.0 ? 4 : 8;
}

/* A dataset of the group, empty; open, or -1. */
static hid_t create(hid_t group, const char *name, hsize_t rows, hsize_t columns, hid_t type, const char *const dims[2])
{
  const hsize_t extent[2] = {rows, columns};
  hid_t dataset;
  if (hs_h5_put_length(group, dims[0], rows) < 0 || hs_h5_put_length(group, dims[1], columns) < 0) return -1;
  dataset = hs_h5_put_dataset(group, name, 2, extent, type, type, NULL, columns == 2 ? "m" : "1");
  if (dataset < 0) return -1;
  if (hs_h5_put_dimension(dataset, 0, group, dims[0]) >= 0 && hs_h5_put_dimension(dataset, 1, group, dims[1]) >= 0)
    return dataset;
  (void)H5Dclose(dataset);
  return -1;
}

static herr_t write_points(hid_t group, const struct hs_config *config, double *row)
{
  static const char *const dims[2] = {"point", "xy"};
  const int nx = config->grid.nx, ny = config->grid.ny;
  const double first = config->grid.layout == HS_LAYOUT_CELL ? 0.5 : 0.0;
  const hid_t points = create(group, "points", (hsize_t)nx * (hsize_t)ny, 2, H5T_IEEE_F64LE, dims);
  herr_t result = points < 0 ? -1 : 0;
  for (int j = 0; result >= 0 && j < ny; j++) {
    for (int i = 0; i < nx; i++) {
      row[2 * (size_t)i] = (first + i) * config->grid.dx_m;
      row[2 * (size_t)i + 1] = (first + j) * config->grid.dy_m;
    }
    result = hs_h5_put_rows(points, (hsize_t)j * (hsize_t)nx, (hsize_t)nx, H5T_NATIVE_DOUBLE, row);
  }
  if (points >= 0 && H5Dclose(points) < 0) result = -1;
  return result;
}

static herr_t write_quads(hid_t group, const struct hs_config *config, int64_t *row)
{
  static const char *const dims[2] = {"quad", "corner"};
  const int nx = config->grid.nx, columns = nx - 1, rows = config->grid.ny - 1;
  const hid_t type = hs_mesh_index_bytes(config) == 4 ? H5T_STD_I32LE : H5T_STD_I64LE;
  const hid_t quads = create(group, "quads", (hsize_t)columns * (hsize_t)rows, 4, type, dims);
  herr_t result = quads < 0 ? -1 : 0;
  for (int j = 0; result >= 0 && j < rows; j++) {
    for (int i = 0; i < columns; i++) {
      int64_t *corner = row + 4 * (size_t)i;
      corner[0] = (int64_t)j * nx + i;
      corner[1] = corner[0] + 1;
      corner[2] = corner[1] + nx;
      corner[3] = corner[0] + nx;
    }
    result = hs_h5_put_rows(quads, (hsize_t)j * (hsize_t)columns, (hsize_t)columns, H5T_NATIVE_INT64, row);
  }
  if (quads >= 0 && H5Dclose(quads) < 0) result = -1;
  return result;
}

herr_t hs_mesh_write(hid_t file, const struct hs_config *config)
{
  const hid_t group = H5Gcreate2(file, "mesh", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  void *row = malloc(4 * (size_t)config->grid.nx * sizeof(int64_t));
  herr_t result = -1;
  if (group >= 0 && row) result = write_points(group, config, row);
  if (result >= 0) result = write_quads(group, config, row);
  free(row);
  if (group >= 0 && H5Gclose(group) < 0) result = -1;
  return result;
}
