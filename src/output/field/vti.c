/* field.vti: an image in VTK's XML form, its numbers appended as they lie in memory.
 *
 * The image's points are the nodes. Cells lie between them in the vertex layout, and materials and heat flux belong to cells;
 * in the cell layout both belong to points. Blocks of rows are made and written one by one, so that a large field needs no
 * memory. VTK wants the length of each array in front of it, in the type header_type.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/flux.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/file.h"
#include "output/field/h5_grid.h"
#include "output/report/report.h"
#include "problem/cells/materials.h"

enum { ROWS = 32 };

/* What is written of `rows` rows from row `first` on, into `out`; scratch has room for two numbers a place. */
typedef void rows_make(const struct hs_result *result, int first, int rows, double *scratch, void *out);

struct array {
  const char *name;
  bool wanted, cells; /* of cells, not of nodes */
  bool reals;         /* of the precision of the run; otherwise uint16 */
  int components;
  rows_make *make;
};

enum { ARRAYS = 3 };

/* --- contents ------------------------------------------------------------------------------------ */

static void copy_reals(const struct hs_result *result, const double *values, size_t count, void *out)
{
  float *singles = out;
  if (result->config->solver.precision == HS_DOUBLE)
    memcpy(out, values, count * sizeof *values);
  else
    for (size_t n = 0; n < count; n++) singles[n] = (float)values[n];
}

static void make_temperature(const struct hs_result *result, int first, int rows, double *scratch, void *out)
{
  const size_t nx = (size_t)result->nx;
  (void)scratch;
  copy_reals(result, result->field_k + (size_t)first * nx, (size_t)rows * nx, out);
}

static void make_material(const struct hs_result *result, int first, int rows, double *scratch, void *out)
{
  const struct hs_problem *problem = result->problem;
  uint16_t *material = out;
  (void)scratch;
  for (int j = first; j < first + rows; j++)
    for (int i = 0; i < problem->cells_x; i++) *material++ = (uint16_t)hs_problem_cell_material(problem, i, j);
}

/* VTK's vectors have three components. */
static void make_flux(const struct hs_result *result, int first, int rows, double *scratch, void *out)
{
  const size_t places = (size_t)rows * (size_t)result->problem->cells_x;
  double *x_w_m2 = scratch, *y_w_m2 = scratch + places;
  hs_answers_flux_rows(result->problem, result->field_k, first, rows, x_w_m2, y_w_m2);
  for (size_t n = 0; n < places; n++) {
    const double vector[3] = {x_w_m2[n], y_w_m2[n], 0.0};
    const size_t bytes = result->config->solver.precision == HS_DOUBLE ? sizeof(double) : sizeof(float);
    copy_reals(result, vector, 3, (char *)out + 3 * n * bytes);
  }
}

/* --- the description ----------------------------------------------------------------------------- */

static size_t value_bytes(const struct hs_result *result, const struct array *array)
{
  if (!array->reals) return sizeof(uint16_t);
  return result->config->solver.precision == HS_DOUBLE ? sizeof(double) : sizeof(float);
}

static void array_extent(const struct hs_result *result, const struct array *array, int *columns, int *rows)
{
  *columns = array->cells ? result->problem->cells_x : result->nx;
  *rows = array->cells ? result->problem->cells_y : result->ny;
}

static uint64_t array_bytes(const struct hs_result *result, const struct array *array)
{
  int columns, rows;
  array_extent(result, array, &columns, &rows);
  return (uint64_t)columns * (uint64_t)rows * (uint64_t)array->components * value_bytes(result, array);
}

/* Arrays of nodes, or of cells between them. */
static void describe_arrays(struct hs_text *out, const struct hs_result *result, const struct array *arrays, bool cells)
{
  const bool between = result->config->grid.layout != HS_LAYOUT_CELL;
  const char *real = result->config->solver.precision == HS_DOUBLE ? "Float64" : "Float32";
  uint64_t offset = 0;
  for (int k = 0; k < ARRAYS; k++) {
    const struct array *array = &arrays[k];
    if (!array->wanted) continue;
    if ((array->cells && between) == cells)
      hs_text_add(out,
                  "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
                  "offset=\"%llu\"/>\n",
                  array->reals ? real : "UInt16", array->name, array->components, (unsigned long long)offset);
    offset += sizeof(uint64_t) + array_bytes(result, array);
  }
}

/* The names of the materials, as texts are written: numbers of their bytes, each text followed by a 0. */
static void describe_names(struct hs_text *out, const struct hs_problem *problem)
{
  hs_text_add(out, "      <DataArray type=\"String\" Name=\"material_names\" NumberOfTuples=\"%d\" format=\"ascii\">",
              problem->material_count);
  for (int m = 0; m < problem->material_count; m++) {
    for (const char *c = hs_material_title(problem, m); *c; c++) hs_text_add(out, "%d ", (unsigned char)*c);
    hs_text_add(out, "0 ");
  }
  hs_text_add(out, "</DataArray>\n");
}

static void describe(struct hs_text *out, const struct hs_result *result, const struct array *arrays)
{
  static const uint16_t one = 1;
  const bool little = *(const unsigned char *)&one == 1, centred = result->config->grid.layout == HS_LAYOUT_CELL;
  char extent[64];
  snprintf(extent, sizeof extent, "0 %d 0 %d 0 0", result->nx - 1, result->ny - 1);
  hs_text_add(out, "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"%s\" ",
              little ? "LittleEndian" : "BigEndian");
  hs_text_add(out, "header_type=\"UInt64\">\n  <ImageData WholeExtent=\"%s\" Origin=\"%.17g %.17g 0\" ", extent,
              centred ? 0.5 * result->dx_m : 0.0, centred ? 0.5 * result->dy_m : 0.0);
  hs_text_add(out, "Spacing=\"%.17g %.17g %.17g\">\n    <FieldData>\n", result->dx_m, result->dy_m, result->dx_m);
  hs_text_add(out, "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">");
  hs_text_add(out, "%.17g</DataArray>\n", result->transient.time_s);
  if (hs_h5_grid_has_materials(result->config)) describe_names(out, result->problem);
  hs_text_add(out, "    </FieldData>\n    <Piece Extent=\"%s\">\n      <PointData Scalars=\"temperature\">\n", extent);
  describe_arrays(out, result, arrays, false);
  hs_text_add(out, "      </PointData>\n      <CellData>\n");
  describe_arrays(out, result, arrays, true);
  hs_text_add(out, "      </CellData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n_");
}

/* --- the file ------------------------------------------------------------------------------------ */

static hs_status write_array(struct hs_file *file, const struct hs_result *result, const struct array *array,
                             double *scratch, void *block, struct hs_error *err)
{
  const uint64_t bytes = array_bytes(result, array);
  hs_status status = hs_file_write(file, &bytes, sizeof bytes, err);
  int columns, rows;
  array_extent(result, array, &columns, &rows);
  for (int j = 0; !status && j < rows; j += ROWS) {
    const int count = rows - j < ROWS ? rows - j : ROWS;
    array->make(result, j, count, scratch, block);
    status = hs_file_write(
        file, block, (size_t)count * (size_t)columns * (size_t)array->components * value_bytes(result, array), err);
  }
  return status;
}

static hs_status write_all(struct hs_file *file, const struct hs_result *result, const struct array *arrays,
                           const char *head, struct hs_error *err)
{
  static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";
  const size_t places = (size_t)ROWS * (size_t)result->nx;
  double *scratch = NULL;
  void *block = NULL;
  hs_status status = hs_array_create((void **)&scratch, 2 * places, sizeof *scratch, "field.vti", err);
  if (!status) status = hs_array_create(&block, 3 * places, sizeof(double), "field.vti", err);
  if (!status) status = hs_file_write(file, head, strlen(head), err);
  for (int k = 0; !status && k < ARRAYS; k++)
    if (arrays[k].wanted) status = write_array(file, result, &arrays[k], scratch, block, err);
  if (!status) status = hs_file_write(file, tail, strlen(tail), err);
  if (!status) status = hs_file_commit(file, err);
  free(block);
  free(scratch);
  return status;
}

hs_status hs_output_vti_write(const char *path, const struct hs_result *result, struct hs_error *err)
{
  const struct hs_config *config = result->config;
  const struct array arrays[ARRAYS] = {
      {"temperature", true, false, true, 1, make_temperature},
      {"material", hs_h5_grid_has_materials(config), true, false, 1, make_material},
      {"heat_flux", hs_output_wanted(config->output.flux, config), true, true, 3, make_flux}};
  struct hs_text head = {0};
  struct hs_file file = HS_FILE_NONE;
  hs_status status;
  describe(&head, result, arrays);
  if (head.failed)
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s.", path);
  else
    status = hs_file_create(&file, path, err);
  if (!status) status = write_all(&file, result, arrays, head.text, err);
  hs_file_discard(&file);
  free(head.text);
  return status;
}
