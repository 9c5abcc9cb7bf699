/* Rules of materials, shapes, sources, losses, probes, expectations and maps. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/check/check.h"
#include "config/check/common.h"
#include "config/text.h"

enum { TITLE_BYTES = 128, NAMES_MAX = 64 };

static const char background[] = "background";

/* Conductivities: one for all directions, or one each for x and y. */
hs_status hs_check_material(struct hs_draft *draft, const struct hs_draft_section *section)
{
  struct hs_config_material *material = hs_draft_base(draft, section);
  const struct hs_where all = hs_draft_where(section, "conductivity");
  const struct hs_where x = hs_draft_where(section, "conductivity_x"), y = hs_draft_where(section, "conductivity_y");

  material->line = section->where.line;
  if (draft->config->material_count > HS_MATERIALS_MOST) {
    return hs_draft_fail(draft, section->where,
                         "there are %d materials, and %d at most are possible; give a conductivity that varies so much "
                         "as a map, [map] conductivity = FILE.h5:/DATASET.",
                         draft->config->material_count, HS_MATERIALS_MOST);
  }
  if (hs_where_given(all) && (hs_where_given(x) || hs_where_given(y))) {
    return hs_check_either(draft, section, "conductivity", hs_where_given(x) ? "conductivity_x" : "conductivity_y");
  }
  if (hs_where_given(all)) {
    material->conductivity_y_w_mk = material->conductivity_x_w_mk;
    return HS_OK;
  }
  if (hs_where_given(x) && hs_where_given(y)) return HS_OK;
  if (hs_where_given(x)) return hs_check_missing(draft, section, "conductivity_y", "which conductivity_x needs");
  if (hs_where_given(y)) return hs_check_missing(draft, section, "conductivity_x", "which conductivity_y needs");
  if (section->kind->noun || draft->config->map.conductivity[0] == '\0') {
    return hs_check_missing(draft, section, "conductivity", "");
  }
  material->conductivity_x_w_mk = material->conductivity_y_w_mk = 1.0; /* not used: the map decides */
  return HS_OK;
}

/* "background, steel, copper", as far as it fits. */
static void materials_list(const struct hs_config *config, char *list, size_t size)
{
  size_t length = (size_t)snprintf(list, size, "%s", background);
  int k;

  for (k = 1; k < config->material_count && length < size; k++) {
    length += (size_t)snprintf(list + length, size - length, ", %s", config->materials[k].name);
  }
  if (length >= size) memcpy(list + size - 4, "...", 4);
}

/* A key that names a material names one that exists. */
static hs_status material_known(struct hs_draft *draft, const struct hs_draft_section *section, const char *name)
{
  const struct hs_config *config = draft->config;
  const char *names[NAMES_MAX], *nearest;
  char list[300], hint[140] = ".";
  int k;

  if (name[0] == '\0' || strcmp(name, background) == 0) return HS_OK;
  for (k = 1; k < config->material_count; k++) {
    if (strcmp(config->materials[k].name, name) == 0) return HS_OK;
  }
  names[0] = background;
  for (k = 1; k < config->material_count && k < NAMES_MAX; k++) names[k] = config->materials[k].name;
  nearest = hs_text_nearest(name, names, (size_t)k);
  if (nearest) snprintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest);
  materials_list(config, list, sizeof list);
  return hs_draft_fail(draft, hs_draft_where(section, "material"),
                       "[%s] material: there is no section [material %s]%s Known materials: %s.", section->title,
                       hs_text_clip(name).text, hint, list);
}

hs_status hs_check_region(struct hs_draft *draft, const struct hs_draft_section *section)
{
  struct hs_config_region *region = hs_draft_base(draft, section);
  hs_status status;

  if (region->material[0] == '\0' && isnan(region->initial_k) && !region->temperature.text) {
    return hs_draft_fail(draft, section->where,
                         "[%s] changes nothing; give it a material, an initial temperature, or a temperature at which "
                         "it is held.",
                         section->title);
  }
  status = material_known(draft, section, region->material);
  return status == HS_OK ? hs_check_shape(draft, section, &region->shape) : status;
}

hs_status hs_check_source(struct hs_draft *draft, const struct hs_draft_section *section)
{
  struct hs_config_source *source = hs_draft_base(draft, section);
  const hs_status status = hs_check_either(draft, section, "density", "power");

  return status == HS_OK ? hs_check_shape(draft, section, &source->shape) : status;
}

hs_status hs_check_loss(struct hs_draft *draft, const struct hs_draft_section *section)
{
  struct hs_config_loss *loss = hs_draft_base(draft, section);
  const double loss_w_m3k = loss->h_w_m2k / loss->thickness_m;

  if (!isfinite(loss_w_m3k) || !isfinite(loss_w_m3k * loss->ambient_k)) {
    return hs_draft_fail(draft, hs_where_later(hs_draft_where(section, "h"), hs_draft_where(section, "thickness")),
                         "[%s] h / thickness = %.10g / %.10g, or that times ambient, is beyond the range of numbers; "
                         "is each in its unit?",
                         section->title, loss->h_w_m2k, loss->thickness_m);
  }
  return hs_check_shape(draft, section, &loss->shape);
}

/* The other end of a line of probes. */
static hs_status probe_line_check(struct hs_draft *draft, const struct hs_draft_section *section,
                                  struct hs_config_probe *probe)
{
  static const char *const names[] = {"x1", "y1", "points"};
  hs_status status;
  int k;

  for (k = 0; k < 3; k++) {
    if (!hs_where_given(hs_draft_where(section, names[k]))) {
      return hs_check_missing(draft, section, names[k], "which a line of points needs");
    }
  }
  status = hs_check_inside(draft, section, "x1", &probe->x1_m, draft->config->grid.lx_m);
  if (status == HS_OK) status = hs_check_inside(draft, section, "y1", &probe->y1_m, draft->config->grid.ly_m);
  if (status != HS_OK || probe->x_m != probe->x1_m || probe->y_m != probe->y1_m) return status;
  return hs_draft_fail(draft, hs_draft_where(section, "x1"),
                       "[%s] the line has both its ends at the same place, %.10g %.10g.", section->title, probe->x_m,
                       probe->y_m);
}

hs_status hs_check_probe(struct hs_draft *draft, const struct hs_draft_section *section)
{
  struct hs_config_probe *probe = hs_draft_base(draft, section);
  hs_status status = hs_check_inside(draft, section, "x", &probe->x_m, draft->config->grid.lx_m);

  if (status == HS_OK) status = hs_check_inside(draft, section, "y", &probe->y_m, draft->config->grid.ly_m);
  if (status == HS_OK) status = material_known(draft, section, probe->material);
  if (status != HS_OK) return status;
  probe->is_line = hs_where_given(hs_draft_where(section, "x1")) || hs_where_given(hs_draft_where(section, "y1")) ||
                   hs_where_given(hs_draft_where(section, "points"));
  if (probe->is_line) return probe_line_check(draft, section, probe);
  probe->x1_m = probe->x_m;
  probe->y1_m = probe->y_m;
  probe->points = 1;
  return HS_OK;
}

hs_status hs_check_expect(struct hs_draft *draft, const struct hs_draft_section *section)
{
  const struct hs_config_expect *expect = hs_draft_base(draft, section);

  if (!expect->relative || expect->value != 0) return HS_OK;
  return hs_draft_fail(draft, hs_draft_where(section, "relative"),
                       "[%s] relative = yes allows a share of the value, and the value is 0; give allowed in the "
                       "quantity's unit and remove relative.",
                       section->title);
}

/* The section that a material was read from. */
static const struct hs_draft_section *material_section(const struct hs_draft *draft, int material)
{
  char title[TITLE_BYTES];

  if (material == 0) return hs_draft_find(draft, "material");
  snprintf(title, sizeof title, "material %s", draft->config->materials[material].name);
  return hs_draft_find(draft, title);
}

/* In a picture materials are distinguished by their colours. */
hs_status hs_check_map(struct hs_draft *draft, const struct hs_draft_section *section)
{
  const struct hs_config *config = draft->config;
  const struct hs_draft_section *material;
  int a, b, colors = 0;

  if (config->map.materials[0] == '\0' || config->arrays[HS_MAP_MATERIALS].values) return HS_OK;
  for (a = 0; a < config->material_count; a++) {
    const char *color = config->materials[a].color;
    colors += color[0] != '\0';
    for (b = 0; b < a && color[0]; b++) {
      if (strcmp(config->materials[b].color, color) != 0) continue;
      material = material_section(draft, a);
      return hs_draft_fail(draft, hs_draft_where(material, "color"),
                           "[%s] color: %s is also the colour of [%s], so the picture of [map] materials cannot tell "
                           "the two apart.",
                           material->title, color, material_section(draft, b)->title);
    }
  }
  if (colors > 0) return HS_OK;
  return hs_draft_fail(draft, hs_draft_where(section, "materials"),
                       "[map] materials: no material has a colour that the picture could show; add lines such as "
                       "\"color = #8090a0\" to [material] and [material NAME].");
}

hs_status hs_check_capacities(struct hs_draft *draft)
{
  const struct hs_config *config = draft->config;
  char because[100];
  int k;

  if (config->time.scheme == HS_SCHEME_STEADY) return HS_OK;
  snprintf(because, sizeof because, "which [time] scheme = %s needs", hs_scheme_name(config->time.scheme));
  for (k = 0; k < config->material_count; k++) {
    const struct hs_config_material *material = &config->materials[k];
    const struct hs_draft_section *section = material_section(draft, k);
    if (!hs_config_material_used(config, k)) continue;
    if (isnan(material->density_kg_m3)) return hs_check_missing(draft, section, "density", because);
    if (isnan(material->heat_capacity_j_kgk)) return hs_check_missing(draft, section, "heat_capacity", because);
  }
  return HS_OK;
}
