/* From the configuration to the discrete system.
 *
 * Vertex-centred control volumes: node (i, j) owns the rectangle of half a spacing around it, cut
 * at the domain's edge. The conductance of a face is conductivity times the face's width over the
 * distance of the two nodes. A rectangle source heats each control volume by the area the two
 * share, so its total power is density times area however it meets the grid.
 */
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "problem/palette.h"

/* A box of nodes, ends included. */
struct box {
  int i0, i1, j0, j1;
};

static struct hs_node_law law_held(double temperature_k)
{
  const struct hs_node_law law = {.held = true, .held_k = temperature_k};
  return law;
}

static struct hs_node_law law_interior(const struct hs_config *config)
{
  const double k = config->material.conductivity_w_mk;
  const double along_x = k * (config->grid.dy_m / config->grid.dx_m);
  const double along_y = k * (config->grid.dx_m / config->grid.dy_m);
  const struct hs_node_law law = {.conductances = {along_x, along_x, along_y, along_y, 0.0}};
  return law;
}

/* Puts law on all nodes of a box. */
static hs_status box_fill(struct hs_palette *palette, struct hs_system *system, struct box box,
                          const struct hs_node_law *law, struct hs_error *err)
{
  uint16_t entry = 0;
  const hs_status status = hs_palette_intern(palette, law, &entry, err);
  if (status) return status;
  for (int j = box.j0; j <= box.j1; j++) {
    uint16_t *row = system->index + (size_t)j * (size_t)system->nx;
    for (int i = box.i0; i <= box.i1; i++) row[i] = entry;
  }
  return HS_OK;
}

/* Interior, then walls, then corners; a corner, which no sweep reads, takes the mean of its two walls. */
static hs_status nodes_lay_out(const struct hs_config *config, struct hs_palette *palette, struct hs_system *system,
                               struct hs_error *err)
{
  const int e = system->nx - 1, n = system->ny - 1;
  const double *wall = config->boundary.temperature_k;
  const struct {
    struct box box;
    struct hs_node_law law;
  } parts[] = {
      {{0, e, 0, n}, law_interior(config)},
      {{0, e, 0, 0}, law_held(wall[HS_SOUTH])},
      {{0, e, n, n}, law_held(wall[HS_NORTH])},
      {{0, 0, 0, n}, law_held(wall[HS_WEST])},
      {{e, e, 0, n}, law_held(wall[HS_EAST])},
      {{0, 0, 0, 0}, law_held(0.5 * wall[HS_WEST] + 0.5 * wall[HS_SOUTH])},
      {{e, e, 0, 0}, law_held(0.5 * wall[HS_EAST] + 0.5 * wall[HS_SOUTH])},
      {{0, 0, n, n}, law_held(0.5 * wall[HS_WEST] + 0.5 * wall[HS_NORTH])},
      {{e, e, n, n}, law_held(0.5 * wall[HS_EAST] + 0.5 * wall[HS_NORTH])},
  };
  hs_status status = HS_OK;
  for (size_t k = 0; !status && k < sizeof parts / sizeof *parts; k++)
    status = box_fill(palette, system, parts[k].box, &parts[k].law, err);
  return status;
}

/* Length of the control volume of node i of n that lies between from and to, m. */
static double overlap_m(int i, int n, double spacing_m, double from_m, double to_m)
{
  const double low = i == 0 ? 0.0 : (i - 0.5) * spacing_m;
  const double high = i == n - 1 ? (n - 1) * spacing_m : (i + 0.5) * spacing_m;
  const double length = fmin(high, to_m) - fmax(low, from_m);
  return length > 0.0 ? length : 0.0;
}

/* Nodes whose control volume a source can reach. */
static struct box source_box(const struct hs_system *system, const struct hs_config_source *source)
{
  struct box box = {0, system->nx - 1, 0, system->ny - 1};
  if (source->shape == HS_SOURCE_NODE) {
    box.i0 = box.i1 = source->i;
    box.j0 = box.j1 = source->j;
  } else if (source->shape == HS_SOURCE_RECTANGLE) {
    box.i0 = (int)fmax(0, floor(source->x0_m / system->dx_m - 1.0));
    box.i1 = (int)fmin(box.i1, ceil(source->x1_m / system->dx_m + 1.0));
    box.j0 = (int)fmax(0, floor(source->y0_m / system->dy_m - 1.0));
    box.j1 = (int)fmin(box.j1, ceil(source->y1_m / system->dy_m + 1.0));
  }
  return box;
}

/* Area of the control volume of free node (i, j) that a source heats, m2. */
static double source_area_m2(const struct hs_system *system, const struct hs_config_source *source, int i, int j)
{
  if (source->shape != HS_SOURCE_RECTANGLE) return system->dx_m * system->dy_m;
  return overlap_m(i, system->nx, system->dx_m, source->x0_m, source->x1_m) *
         overlap_m(j, system->ny, system->dy_m, source->y0_m, source->y1_m);
}

/* Adds a source to the free nodes it reaches; *heated counts them. Neighbours mostly have the same
 * law and the same share, so the last translation is kept and the palette is rarely asked. */
static hs_status source_add(const struct hs_config_source *source, struct hs_palette *palette, struct hs_system *system,
                            int64_t *heated, struct hs_error *err)
{
  const struct box box = source_box(system, source);
  int32_t last_old = -1;
  double last_w_m = 0.0;
  uint16_t last_new = 0;

  *heated = 0;
  for (int j = box.j0; j <= box.j1; j++) {
    for (int i = box.i0; i <= box.i1; i++) {
      uint16_t *entry = system->index + (size_t)j * (size_t)system->nx + i;
      struct hs_node_law law = *hs_palette_law(palette, *entry);
      const double power_w_m = source->density_w_m3 * source_area_m2(system, source, i, j);
      if (law.held || power_w_m == 0.0) continue;
      ++*heated;
      if (*entry != last_old || power_w_m != last_w_m) {
        hs_status status;
        last_old = *entry;
        last_w_m = power_w_m;
        law.conductances.source += power_w_m;
        status = hs_palette_intern(palette, &law, &last_new, err);
        if (status) return status;
      }
      *entry = last_new;
    }
  }
  return HS_OK;
}

static hs_status sources_add(const struct hs_config *config, struct hs_palette *palette, struct hs_system *system,
                             struct hs_error *err)
{
  for (int k = 0; k < config->source_count; k++) {
    const struct hs_config_source *source = &config->sources[k];
    int64_t heated = 0;
    const hs_status status = source_add(source, palette, system, &heated, err);
    if (status) return status;
    if (!heated && source->density_w_m3 != 0.0)
      return hs_error_set(err, HS_ERR_CONFIG,
                          "%s:%d: [source %s] heats no node: all nodes it reaches are held at a wall's temperature, so "
                          "it would have no effect; move it inside (columns 1 to %d, rows 1 to %d) or remove it",
                          config->path, source->line, source->name, system->nx - 2, system->ny - 2);
  }
  return HS_OK;
}

hs_status hs_problem_build_system(const struct hs_config *config, struct hs_system **system, struct hs_error *err)
{
  const size_t nodes = (size_t)config->grid.nx * (size_t)config->grid.ny;
  struct hs_palette *palette = NULL;
  struct hs_system *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, "the system", err);
  if (status) goto out;
  s->nx = config->grid.nx;
  s->ny = config->grid.ny;
  s->dx_m = config->grid.dx_m;
  s->dy_m = config->grid.dy_m;
  status = hs_array_create((void **)&s->index, nodes, sizeof *s->index, "the stencil of each node", err);
  if (!status) status = hs_palette_create(&palette, err);
  if (!status) status = nodes_lay_out(config, palette, s, err);
  if (!status) status = sources_add(config, palette, s, err);
  if (!status) status = hs_palette_finish(palette, s, err);
out:
  hs_palette_destroy(palette);
  if (status) {
    hs_system_destroy(s);
    s = NULL;
  }
  *system = s;
  return status;
}

hs_status hs_problem_initial_field(const struct hs_config *config, const struct hs_system *system, double **field_k,
                                   struct hs_error *err)
{
  const size_t nodes = (size_t)system->nx * (size_t)system->ny;
  const hs_status status = hs_array_create((void **)field_k, nodes, sizeof **field_k, "the temperature field", err);
  if (status) return status;
  for (size_t n = 0; n < nodes; n++) {
    const struct hs_stencil_f64 *s = &system->stencil[system->index[n]];
    (*field_k)[n] = s->diagonal == 0.0 ? s->c : config->initial.temperature_k + 0.0;
  }
  return HS_OK;
}
