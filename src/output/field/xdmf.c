/* The XDMF description beside field.h5, so that ParaView and VisIt open the field; and beside
 * snapshots.h5, as a collection over time.
 *
 * Uniform grids are 3DCoRectMesh with one layer in z and the geometry in Z Y X order: all readers of ParaView show this
 * form upright in the XY plane (2DCoRectMesh is shown in YZ). The dataset in the file has two dimensions, (ny, nx), but is
 * announced with the mesh's three: otherwise ParaView's older reader would take the first row alone. The origin is the
 * place of node (0, 0), in the cell layout half a spacing inside the walls.
 *
 * A single field is a collection, too: readers take a time from nothing else, and PyVista's fails on a file without one. The
 * time of a steady field is 0.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "io/file.h"
#include "output/output.h"

static const char *escape_of(char c)
{
  switch (c) {
  case '&': return "&amp;";
  case '<': return "&lt;";
  case '>': return "&gt;";
  case '"': return "&quot;";
  case '\'': return "&apos;";
  default: return NULL;
  }
}

/* text with the five characters that XML reserves replaced, owned by the caller. */
static char *xml_escape(const char *text, struct hs_error *err)
{
  void *memory = NULL;
  char *escaped, *next;
  if (hs_array_create(&memory, 6 * strlen(text) + 1, 1, "the XDMF text", err)) return NULL;
  escaped = memory;
  for (next = escaped; *text; text++) {
    const char *entity = escape_of(*text);
    if (entity)
      next = stpcpy(next, entity);
    else
      *next++ = *text;
  }
  *next = '\0';
  return escaped;
}

/* One grid with its field in dataset of the file `name`. */
static void put_grid(struct hs_text *out, const struct hs_config *config, double time_s, const char *name,
                     const char *dataset)
{
  const bool cells = config->grid.layout == HS_LAYOUT_CELL;
  const double dx_m = config->grid.dx_m, dy_m = config->grid.dy_m;
  const int bytes = config->solver.precision == HS_SINGLE ? 4 : 8, nx = config->grid.nx, ny = config->grid.ny;
  const char *indent = "      ";
  hs_text_add(out, "%s<Grid Name=\"heatsolve\" GridType=\"Uniform\">\n", indent);
  hs_text_add(out, "%s  <Time Value=\"%.17g\"/>\n", indent, time_s);
  hs_text_add(out, "%s  <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"1 %d %d\"/>\n", indent, ny, nx);
  hs_text_add(out, "%s  <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n", indent);
  hs_text_add(out, "%s    <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">", indent);
  hs_text_add(out, "0 %.17g %.17g</DataItem>\n", cells ? 0.5 * dy_m : 0.0, cells ? 0.5 * dx_m : 0.0);
  hs_text_add(out, "%s    <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">", indent);
  hs_text_add(out, "%.17g %.17g %.17g</DataItem>\n", dx_m, dy_m, dx_m);
  hs_text_add(out, "%s  </Geometry>\n", indent);
  hs_text_add(out, "%s  <Attribute Name=\"temperature\" AttributeType=\"Scalar\" Center=\"Node\">\n", indent);
  hs_text_add(out, "%s    <DataItem Dimensions=\"1 %d %d\" NumberType=\"Float\" Precision=\"%d\" Format=\"HDF\">",
              indent, ny, nx, bytes);
  hs_text_add(out, "%s:%s</DataItem>\n", name, dataset);
  hs_text_add(out, "%s  </Attribute>\n%s</Grid>\n", indent, indent);
}

static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n";
static const char tail[] = "  </Domain>\n</Xdmf>\n";

/* A whole file: count fields, one for each of time_s[]: the field of a run, or its snapshots. */
static hs_status write_file(const char *path, const char *h5_name, bool snapshots, const struct hs_config *config,
                            const double *time_s, int count, struct hs_error *err)
{
  hs_status status = HS_ERR_MEMORY;
  char *name = xml_escape(h5_name, err);
  struct hs_text out = {0};
  if (!name) return status;
  hs_text_add(&out, "%s", head);
  hs_text_add(&out, "    <Grid Name=\"times\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
  for (int k = 0; k < count; k++) {
    char dataset[64] = "/temperature";
    if (snapshots) snprintf(dataset, sizeof dataset, "/snapshots/%d", k);
    put_grid(&out, config, time_s[k], name, dataset);
  }
  hs_text_add(&out, "    </Grid>\n");
  hs_text_add(&out, "%s", tail);
  if (out.failed)
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s.", path);
  else
    status = hs_file_put_text(path, out.text, err);
  free(out.text);
  free(name);
  return status;
}

hs_status hs_output_xdmf_write(const char *path, const char *h5_name, const struct hs_result *result,
                               struct hs_error *err)
{
  return write_file(path, h5_name, false, result->config, &result->transient.time_s, 1, err);
}

hs_status hs_output_xdmf_series_write(const char *path, const char *h5_name, const struct hs_config *config,
                                      const double *time_s, int count, struct hs_error *err)
{
  return write_file(path, h5_name, true, config, time_s, count, err);
}
