/* The fields of a page: the answer, and which material lies where. */
#include "output/page/fields.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "output/page/thin.h"
#include "output/share.h"
#include "problem/cells/materials.h"

/* Shown nodes at most: 513 x 513, every 8th of 4096 x 4096. */
enum { NODES_MOST = 263169, ANSWER_BYTES = 3, MATERIALS_MOST = 255 };

/* Bytes of base64 for each node: of its temperature and of the material beside it. */
static const double node_bytes = 4.0 / 3.0 * (ANSWER_BYTES + 1);

/* What the answer may take of the room where there are snapshots. */
#define ANSWER_SHARE 0.5

/* The shown nodes of a field. */
static hs_status gather(const struct hs_share *share, const double *field_k, const struct hs_thin *thin,
                        double **values, struct hs_error *err)
{
  const size_t columns = (size_t)thin->columns, rows = (size_t)thin->rows;
  int *places = NULL;
  hs_status status = hs_array_create((void **)values, columns * rows, sizeof **values, "the field of the page", err);
  if (!status) status = hs_array_create((void **)&places, columns + rows, sizeof *places, "the field of the page", err);
  status = hs_comm_agree(share->comm, status, err);
  if (!status) {
    const struct hs_lattice lattice = {places, places + columns, thin->columns, thin->rows};
    for (int c = 0; c < thin->columns; c++) places[c] = hs_thin_column(thin, c);
    for (int r = 0; r < thin->rows; r++) places[thin->columns + r] = hs_thin_row(thin, r);
    status = hs_share_sample(share, field_k, &lattice, *values, err);
  }
  free(places);
  return status;
}

/* The cell between shown nodes k and k + 1, in the vertex layout; of node k, in that of cells. */
static int cell_beside(const struct hs_problem *p, int here, int next, int cells)
{
  const int cell = p->layout == HS_LAYOUT_CELL ? here : (here + next) / 2;
  return cell < cells ? cell : cells - 1;
}

static int add_names(struct hs_text *text, const struct hs_problem *p)
{
  json_t *names = json_array();
  char *written = NULL;
  int failed = 0;
  for (int m = 0; m < p->material_count && m < MATERIALS_MOST; m++)
    failed |= json_array_append_new(names, json_string(hs_material_title(p, m)));
  if (!failed) written = hs_json_text(names, JSON_COMPACT);
  if (written) hs_text_add(text, ", \"names\": %s", written);
  failed |= !written;
  free(written);
  json_decref(names);
  return failed;
}

/* {"columns": ..., "names": [...], "numbers": "..."}: one byte a cell; its rows are those between the rows of nodes. */
static hs_status add_materials(struct hs_text *text, const struct hs_share *share, const struct hs_problem *p,
                               const struct hs_thin *nodes, struct hs_error *err)
{
  const int fewer = p->layout == HS_LAYOUT_CELL ? 0 : 1;
  const struct hs_thin cells = {nodes->nx,          nodes->ny, nodes->step_x, nodes->step_y, nodes->columns - fewer,
                                nodes->rows - fewer};
  const size_t count = (size_t)cells.columns * (size_t)cells.rows;
  const size_t columns = (size_t)cells.columns, places_count = columns + (size_t)cells.rows;
  unsigned char *material = NULL;
  uint16_t *number = NULL;
  int *places = NULL;
  hs_status status = hs_array_create((void **)&material, count, 1, "the materials of the page", err);
  if (!status) status = hs_array_create((void **)&number, count, sizeof *number, "the materials of the page", err);
  if (!status)
    status = hs_array_create((void **)&places, places_count, sizeof *places, "the materials of the page", err);
  status = hs_comm_agree(share->comm, status, err);
  if (!status) {
    const struct hs_lattice lattice = {places, places + columns, cells.columns, cells.rows};
    for (int c = 0; c < cells.columns; c++)
      places[c] = cell_beside(p, hs_thin_column(nodes, c), hs_thin_column(nodes, c + fewer), share->cells_x);
    for (int r = 0; r < cells.rows; r++)
      places[columns + (size_t)r] =
          cell_beside(p, hs_thin_row(nodes, r), hs_thin_row(nodes, r + fewer), share->cells_y);
    status = hs_share_sample_materials(share, p, &lattice, number, err);
  }
  for (size_t k = 0; !status && k < count; k++)
    material[k] = (unsigned char)(number[k] < MATERIALS_MOST ? number[k] : MATERIALS_MOST);
  free(places);
  free(number);
  if (status) goto out;
  hs_text_add(text, "{");
  hs_thin_add_grid(text, &cells);
  text->failed |= add_names(text, p) != 0;
  hs_text_add(text, ", \"numbers\": \"");
  hs_base64(material, count, text);
  hs_text_add(text, "\"}");
out:
  free(material);
  return status;
}

/* Nodes of the answer that fit where it may take all of the room, or a share of it. */
static struct hs_thin answer_thin(const struct hs_share *share, double bytes)
{
  const size_t room = (size_t)(bytes / node_bytes);
  return hs_thin_find(share->nodes_x, share->nodes_y, room < NODES_MOST ? room : NODES_MOST);
}

hs_status hs_page_fields(const struct hs_result *result, bool snapshots, size_t bytes, struct hs_text *text,
                         struct hs_error *err)
{
  const struct hs_problem *p = result->problem;
  const struct hs_share share = p ? hs_share_of(p) : hs_share_whole(result->nx, result->ny, false);
  const struct hs_thin thin = answer_thin(&share, (snapshots ? ANSWER_SHARE : 1.0) * (double)bytes);
  const double left = (double)bytes - node_bytes * thin.columns * thin.rows;
  double *values = NULL;
  hs_status status = HS_OK;
  hs_text_add(text, "{\"fields\": [");
  if (snapshots && hs_share_writes(&share)) status = hs_page_snapshots(result, left, text, err);
  status = hs_comm_agree(share.comm, status, err);
  if (!status) status = gather(&share, result->field_k, &thin, &values, err);
  if (!status) hs_thin_add(text, values, &thin, ANSWER_BYTES, result->transient.time_s);
  hs_text_add(text, "], \"materials\": ");
  if (!status && p && p->material_count > 0 && p->cell)
    status = add_materials(text, &share, p, &thin, err);
  else
    hs_text_add(text, "null");
  hs_text_add(text, "}\n");
  free(values);
  if (!status && text->failed)
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the fields of the page.");
  return hs_comm_agree(share.comm, status, err);
}
