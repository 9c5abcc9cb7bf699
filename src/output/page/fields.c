/* The fields of a page: the answer, and which material lies where. */
#include "output/page/fields.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "output/page/thin.h"
#include "problem/cells/materials.h"

/* Shown nodes at most: 513 x 513, every 8th of 4096 x 4096. */
enum { NODES_MOST = 263169, ANSWER_BYTES = 3, MATERIALS_MOST = 255 };

/* Bytes of base64 for each node: of its temperature and of the material beside it. */
static const double node_bytes = 4.0 / 3.0 * (ANSWER_BYTES + 1);

/* What the answer may take of the room where there are snapshots. */
#define ANSWER_SHARE 0.5

/* The shown nodes of a field. */
static hs_status gather(const double *field_k, const struct hs_thin *thin, double **values, struct hs_error *err)
{
  double *at;
  const hs_status status = hs_array_create((void **)values, (size_t)thin->columns * (size_t)thin->rows, sizeof **values,
                                           "the field of the page", err);
  if (status) return status;
  at = *values;
  for (int r = 0; r < thin->rows; r++) {
    const double *row = field_k + (size_t)hs_thin_row(thin, r) * (size_t)thin->nx;
    for (int c = 0; c < thin->columns; c++) *at++ = row[hs_thin_column(thin, c)];
  }
  return HS_OK;
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
static hs_status add_materials(struct hs_text *text, const struct hs_problem *p, const struct hs_thin *nodes,
                               struct hs_error *err)
{
  const int fewer = p->layout == HS_LAYOUT_CELL ? 0 : 1;
  const struct hs_thin cells = {nodes->nx,          nodes->ny, nodes->step_x, nodes->step_y, nodes->columns - fewer,
                                nodes->rows - fewer};
  const size_t count = (size_t)cells.columns * (size_t)cells.rows;
  unsigned char *material = NULL;
  size_t at = 0;
  hs_status status = hs_array_create((void **)&material, count, 1, "the materials of the page", err);
  if (status) return status;
  for (int r = 0; r < cells.rows; r++) {
    const int cj = cell_beside(p, hs_thin_row(nodes, r), hs_thin_row(nodes, r + fewer), p->cells_y);
    for (int c = 0; c < cells.columns; c++) {
      const int ci = cell_beside(p, hs_thin_column(nodes, c), hs_thin_column(nodes, c + fewer), p->cells_x);
      const int m = hs_problem_cell_material(p, ci, cj);
      material[at++] = (unsigned char)(m < MATERIALS_MOST ? m : MATERIALS_MOST);
    }
  }
  hs_text_add(text, "{");
  hs_thin_add_grid(text, &cells);
  text->failed |= add_names(text, p) != 0;
  hs_text_add(text, ", \"numbers\": \"");
  hs_base64(material, count, text);
  hs_text_add(text, "\"}");
  free(material);
  return HS_OK;
}

/* Nodes of the answer that fit where it may take all of the room, or a share of it. */
static struct hs_thin answer_thin(const struct hs_result *result, double bytes)
{
  const size_t room = (size_t)(bytes / node_bytes);
  return hs_thin_find(result->nx, result->ny, room < NODES_MOST ? room : NODES_MOST);
}

hs_status hs_page_fields(const struct hs_result *result, bool snapshots, size_t bytes, struct hs_text *text,
                         struct hs_error *err)
{
  const struct hs_thin thin = answer_thin(result, (snapshots ? ANSWER_SHARE : 1.0) * (double)bytes);
  const double left = (double)bytes - node_bytes * thin.columns * thin.rows;
  const struct hs_problem *p = result->problem;
  double *values = NULL;
  hs_status status = HS_OK;
  hs_text_add(text, "{\"fields\": [");
  if (snapshots) status = hs_page_snapshots(result, left, text, err);
  if (!status) status = gather(result->field_k, &thin, &values, err);
  if (!status) hs_thin_add(text, values, &thin, ANSWER_BYTES, result->transient.time_s);
  hs_text_add(text, "], \"materials\": ");
  if (!status && p && p->material_count > 0 && p->cell)
    status = add_materials(text, p, &thin, err);
  else
    hs_text_add(text, "null");
  hs_text_add(text, "}\n");
  free(values);
  if (!status && text->failed)
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the fields of the page.");
  return status;
}
