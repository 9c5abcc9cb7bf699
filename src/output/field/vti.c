/* field.vti: an image in VTK's XML form, its numbers appended as they lie in memory.
 *
 * The image's points are the nodes. Cells lie between them in the vertex layout, and materials and heat flux belong to cells;
 * in the cell layout both belong to points. Rank 0 writes the description and the length of each array, which VTK wants in
 * front of it in the type header_type, and every rank its own numbers, block by block, so that a large field needs no memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/flux.h"
#include "base/text.h"
#include "io/file_ranks.h"
#include "output/field/field_fill.h"
#include "output/field/h5_grid.h"
#include "output/report/report.h"
#include "problem/cells/materials.h"

enum { ROWS = 32 };

/* Writes this rank's own numbers. Returns 0, or errno. */
typedef int numbers_put(int fd, const struct hs_h5_room *room, const struct hs_share *share,
                        const struct hs_result *result);

struct array {
  const char *name;
  bool wanted, cells; /* of cells, not of nodes */
  bool reals;         /* of the precision of the run; otherwise uint16 */
  int components;
  numbers_put *put;
};

enum { ARRAYS = 3 };

/* --- contents ------------------------------------------------------------------------------------ */

static int put_temperature(int fd, const struct hs_h5_room *room, const struct hs_share *share,
                           const struct hs_result *result)
{
  return hs_fill_field(fd, room, share, result->field_k);
}

static int put_material(int fd, const struct hs_h5_room *room, const struct hs_share *share,
                        const struct hs_result *result)
{
  return hs_fill_materials(fd, room, share, result->problem);
}

/* VTK's vectors have three components. */
static int put_flux(int fd, const struct hs_h5_room *room, const struct hs_share *share, const struct hs_result *result)
{
  const size_t row = (size_t)share->row_cells, own = (size_t)share->cells.nx;
  const size_t first = (size_t)(share->cells.x0 - share->first_x);
  double *x_w_m2 = malloc((5 * ROWS * row + 1) * sizeof *x_w_m2), *y_w_m2, *vectors;
  int failure = x_w_m2 ? 0 : ENOMEM;
  if (failure) return failure;
  y_w_m2 = x_w_m2 + ROWS * row;
  vectors = y_w_m2 + ROWS * row;
  for (int j = 0; !failure && j < share->cells.ny; j += ROWS) {
    struct hs_rectangle block = share->cells;
    block.y0 += j;
    block.ny = block.ny - j < ROWS ? block.ny - j : ROWS;
    hs_answers_flux_rows(result->problem, result->field_k, block.y0 - share->first_y, block.ny, x_w_m2, y_w_m2);
    for (size_t r = 0; r < (size_t)block.ny; r++)
      for (size_t c = 0; c < own; c++) {
        double *vector = vectors + 3 * (r * own + c);
        vector[0] = x_w_m2[r * row + first + c];
        vector[1] = y_w_m2[r * row + first + c];
        vector[2] = 0.0;
      }
    failure = hs_h5_room_write(fd, room, &block, vectors, 3 * own);
  }
  free(x_w_m2);
  return failure;
}

/* --- the description ----------------------------------------------------------------------------- */

static size_t value_bytes(const struct hs_result *result, const struct array *array)
{
  if (!array->reals) return sizeof(uint16_t);
  return result->config->solver.precision == HS_DOUBLE ? sizeof(double) : sizeof(float);
}

static uint64_t array_bytes(const struct hs_result *result, const struct array *array)
{
  const struct hs_share share = hs_share_of(result->problem);
  const int columns = array->cells ? share.cells_x : share.nodes_x, rows = array->cells ? share.cells_y : share.nodes_y;
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
  const struct hs_share share = hs_share_of(result->problem);
  char extent[64];
  snprintf(extent, sizeof extent, "0 %d 0 %d 0 0", share.nodes_x - 1, share.nodes_y - 1);
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

static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";

/* The numbers of an array, whose length is at `offset`. */
static int write_array(int fd, uint64_t offset, const struct hs_share *share, const struct hs_result *result,
                       const struct array *array)
{
  const uint64_t bytes = array_bytes(result, array);
  const enum hs_room_type real = result->config->solver.precision == HS_DOUBLE ? HS_ROOM_F64 : HS_ROOM_F32;
  const struct hs_h5_room room = {offset + sizeof bytes, (uint64_t)(array->cells ? share->cells_x : share->nodes_x),
                                  array->reals ? (int32_t)real : (int32_t)HS_ROOM_U16, array->components};
  const int failure = hs_share_writes(share) ? hs_file_write_at(fd, &bytes, sizeof bytes, offset) : 0;
  return failure ? failure : array->put(fd, &room, share, result);
}

static int write_all(int fd, const struct hs_share *share, const struct hs_result *result, const struct array *arrays,
                     const struct hs_text *head)
{
  const bool writes = hs_share_writes(share);
  uint64_t offset = head->size;
  int failure = writes ? hs_file_write_at(fd, head->text, head->size, 0) : 0;
  for (int k = 0; !failure && k < ARRAYS; k++) {
    if (!arrays[k].wanted) continue;
    failure = write_array(fd, offset, share, result, &arrays[k]);
    offset += sizeof(uint64_t) + array_bytes(result, &arrays[k]);
  }
  if (!failure && writes) failure = hs_file_write_at(fd, tail, strlen(tail), offset);
  return failure;
}

hs_status hs_output_vti_write(const char *path, const struct hs_result *result, struct hs_error *err)
{
  const struct hs_config *config = result->config;
  const struct hs_share share = hs_share_of(result->problem);
  const struct array arrays[ARRAYS] = {
      {"temperature", true, false, true, 1, put_temperature},
      {"material", hs_h5_grid_has_materials(config), true, false, 1, put_material},
      {"heat_flux", hs_output_wanted(config->output.flux, config), true, true, 3, put_flux}};
  struct hs_text head = {0};
  struct hs_file file = HS_FILE_NONE;
  hs_status status = HS_OK;
  int fd = -1;
  describe(&head, result, arrays);
  if (head.failed) status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s.", path);
  if (!status && hs_share_writes(&share)) status = hs_file_create(&file, path, err);
  status = hs_file_open_all(share.comm, file.temporary, status, &fd, err);
  if (!status)
    status =
        hs_file_close_all(share.comm, fd, write_all(fd, &share, result, arrays, &head), path, HS_FILE_REMOVED, err);
  status = hs_file_commit_all(share.comm, &file, status, err);
  free(head.text);
  return status;
}
