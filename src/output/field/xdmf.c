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
#include "output/field/h5_grid.h"
#include "output/field/mesh.h"
#include "output/report/report.h"

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

/* What the grids of a file have in common. */
struct form {
  const struct hs_config *config;
  char *name; /* of the HDF5 file, escaped */
  bool mesh;  /* which is in it */
  bool flux;
};

static int real_bytes(const struct hs_config *config)
{
  return config->solver.precision == HS_SINGLE ? 4 : 8;
}

static void put_grid_places(struct hs_text *out, const struct hs_config *config)
{
  const bool cells = config->grid.layout == HS_LAYOUT_CELL;
  const double dx_m = config->grid.dx_m, dy_m = config->grid.dy_m;
  static const char item[] =
      "          <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">";
  hs_text_add(out, "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"1 %d %d\"/>\n", config->grid.ny,
              config->grid.nx);
  hs_text_add(out, "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n%s", item);
  hs_text_add(out, "0 %.17g %.17g</DataItem>\n%s", cells ? 0.5 * dy_m : 0.0, cells ? 0.5 * dx_m : 0.0, item);
  hs_text_add(out, "%.17g %.17g %.17g</DataItem>\n        </Geometry>\n", dx_m, dy_m, dx_m);
}

static void put_mesh_places(struct hs_text *out, const struct form *form)
{
  const struct hs_config *config = form->config;
  const long long nx = config->grid.nx, ny = config->grid.ny, quads = (nx - 1) * (ny - 1);
  hs_text_add(out, "        <Topology TopologyType=\"Quadrilateral\" NumberOfElements=\"%lld\">\n", quads);
  hs_text_add(out, "          <DataItem Dimensions=\"%lld 4\" NumberType=\"Int\" Precision=\"%d\" Format=\"HDF\">",
              quads, hs_mesh_index_bytes(config));
  hs_text_add(out, "%s:/mesh/quads</DataItem>\n        </Topology>\n        <Geometry GeometryType=\"XY\">\n",
              form->name);
  hs_text_add(out, "          <DataItem Dimensions=\"%lld 2\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">",
              nx * ny);
  hs_text_add(out, "%s:/mesh/points</DataItem>\n        </Geometry>\n", form->name);
}

/* A scalar of the nodes or the cells, of `bytes` each. An image says its extent as its mesh does. */
static void put_attribute(struct hs_text *out, const struct form *form, const char *name, const char *dataset,
                          bool cells, const char *type, int bytes)
{
  const struct hs_config *config = form->config;
  const bool between = cells && config->grid.layout != HS_LAYOUT_CELL;
  const long long nx = config->grid.nx - between, ny = config->grid.ny - between;
  char extent[64];
  if (form->mesh)
    snprintf(extent, sizeof extent, "%lld", nx * ny);
  else
    snprintf(extent, sizeof extent, "1 %lld %lld", ny, nx);
  hs_text_add(out, "        <Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"%s\">\n", name,
              between ? "Cell" : "Node");
  hs_text_add(out, "          <DataItem Dimensions=\"%s\" NumberType=\"%s\" Precision=\"%d\" Format=\"HDF\">", extent,
              type, bytes);
  hs_text_add(out, "%s:%s</DataItem>\n        </Attribute>\n", form->name, dataset);
}

/* One grid with its field in `dataset`. An image of one layer cannot have values of cells: one of the readers gives none. */
static void put_grid(struct hs_text *out, const struct form *form, double time_s, const char *dataset)
{
  const struct hs_config *config = form->config;
  const bool others = form->mesh || config->grid.layout == HS_LAYOUT_CELL;
  const int reals = real_bytes(config);
  hs_text_add(out, "      <Grid Name=\"heatsolve\" GridType=\"Uniform\">\n        <Time Value=\"%.17g\"/>\n", time_s);
  if (form->mesh)
    put_mesh_places(out, form);
  else
    put_grid_places(out, config);
  put_attribute(out, form, "temperature", dataset, false, "Float", reals);
  if (others && hs_h5_grid_has_materials(config)) {
    const bool few = config->material_count <= 256;
    put_attribute(out, form, "material", "/material", true, few ? "UChar" : "UInt", few ? 1 : 2);
  }
  if (others && form->flux) {
    put_attribute(out, form, "heat_flux_x", "/heat_flux_x", true, "Float", reals);
    put_attribute(out, form, "heat_flux_y", "/heat_flux_y", true, "Float", reals);
  }
  hs_text_add(out, "      </Grid>\n");
}

static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"3.0\">\n  <Domain>\n";
static const char tail[] = "  </Domain>\n</Xdmf>\n";

/* A whole file: count fields, one for each of time_s[]: the field of a run, or its snapshots. */
static hs_status write_file(const char *path, const struct form *form, bool snapshots, const double *time_s, int count,
                            struct hs_error *err)
{
  hs_status status;
  struct hs_text out = {0};
  hs_text_add(&out, "%s", head);
  hs_text_add(&out, "    <Grid Name=\"times\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
  for (int k = 0; k < count; k++) {
    char dataset[64] = "/temperature";
    if (snapshots) snprintf(dataset, sizeof dataset, "/snapshots/%d", k);
    put_grid(&out, form, time_s[k], dataset);
  }
  hs_text_add(&out, "    </Grid>\n%s", tail);
  if (out.failed)
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s.", path);
  else
    status = hs_file_put_text(path, out.text, err);
  free(out.text);
  return status;
}

hs_status hs_output_xdmf_write(const char *path, const char *h5_name, const struct hs_result *result,
                               struct hs_error *err)
{
  const struct hs_config *config = result->config;
  const bool flux = hs_output_wanted(config->output.flux, config);
  const struct form form = {config, xml_escape(h5_name, err), hs_mesh_wanted(config), flux};
  const hs_status status =
      form.name ? write_file(path, &form, false, &result->transient.time_s, 1, err) : HS_ERR_MEMORY;
  free(form.name);
  return status;
}

hs_status hs_output_xdmf_series_write(const char *path, const char *h5_name, const struct hs_config *config, bool mesh,
                                      const double *time_s, int count, struct hs_error *err)
{
  const struct form form = {config, xml_escape(h5_name, err), mesh, false};
  const hs_status status = form.name ? write_file(path, &form, true, time_s, count, err) : HS_ERR_MEMORY;
  free(form.name);
  return status;
}
