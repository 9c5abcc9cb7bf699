/* The XDMF description beside field.h5, so that ParaView and VisIt open the field.
 *
 * Uniform grids go as 3DCoRectMesh with one layer in z and the geometry in Z Y X order: this is the form
 * that all readers of ParaView put upright into the XY plane (2DCoRectMesh lands in YZ). The dataset in
 * the file has two dimensions, (ny, nx), but is announced with the mesh's three: ParaView's older reader would take
 * the first row alone otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/file.h"
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

static char *xdmf_text(const char *name, const struct hs_result *result, struct hs_error *err)
{
  const int bytes = result->config->solver.precision == HS_SINGLE ? 4 : 8;
  return hs_text_format(err,
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<Xdmf Version=\"3.0\">\n"
                        "  <Domain>\n"
                        "    <Grid Name=\"heatsolve\" GridType=\"Uniform\">\n"
                        "      <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"1 %d %d\"/>\n"
                        "      <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
                        "        <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">"
                        "0 0 0</DataItem>\n"
                        "        <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">"
                        "%.17g %.17g %.17g</DataItem>\n"
                        "      </Geometry>\n"
                        "      <Attribute Name=\"temperature\" AttributeType=\"Scalar\" Center=\"Node\">\n"
                        "        <DataItem Dimensions=\"1 %d %d\" NumberType=\"Float\" Precision=\"%d\" Format=\"HDF\">"
                        "%s:/temperature</DataItem>\n"
                        "      </Attribute>\n"
                        "    </Grid>\n"
                        "  </Domain>\n"
                        "</Xdmf>\n",
                        result->ny, result->nx, result->dx_m, result->dy_m, result->dx_m, result->ny, result->nx, bytes,
                        name);
}

hs_status hs_output_xdmf_write(const char *path, const char *h5_name, const struct hs_result *result,
                               struct hs_error *err)
{
  hs_status status = HS_ERR_MEMORY;
  char *text = NULL, *name = xml_escape(h5_name, err);
  if (!name) goto out;
  text = xdmf_text(name, result, err);
  if (!text) goto out;
  status = hs_file_put_text(path, text, err);
out:
  free(text);
  free(name);
  return status;
}
