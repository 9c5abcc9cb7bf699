/* Rules of [boundary] and [boundary NAME] that one section is enough for; overlaps and gaps are found in
 * src/problem/walls.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/check/check.h"
#include "config/check/common.h"

static double side_length(const struct hs_config *config, enum hs_side side)
{
  return side == HS_WEST || side == HS_EAST ? config->grid.ly_m : config->grid.lx_m;
}

/* The keys of [boundary]: a value is a held temperature, a word is a kind. */
hs_status hs_check_sides(struct hs_draft *draft, const struct hs_draft_section *section)
{
  struct hs_config *config = draft->config;
  int side;

  for (side = 0; side < HS_SIDES; side++) {
    struct hs_config_boundary *boundary = &config->boundaries[side];
    boundary->line = hs_draft_where(section, hs_side_name((enum hs_side)side)).line;
    boundary->from_m = 0.0;
    boundary->to_m = side_length(config, (enum hs_side)side);
    boundary->kind = HS_WALL_TEMPERATURE;
    if (!boundary->temperature.text) continue;
    if (strcmp(boundary->temperature.text, "insulated") == 0) boundary->kind = HS_WALL_INSULATED;
    if (strcmp(boundary->temperature.text, "periodic") == 0) boundary->kind = HS_WALL_PERIODIC;
    if (boundary->kind == HS_WALL_TEMPERATURE) continue;
    free(boundary->temperature.text);
    boundary->temperature = (struct hs_config_value){NULL, 0.0, false, 0};
  }
  return HS_OK;
}

/* from and to lie on the side, in order. */
static hs_status ends_check(struct hs_draft *draft, const struct hs_draft_section *section,
                            struct hs_config_boundary *boundary)
{
  const double length_m = side_length(draft->config, boundary->side);
  const bool from = hs_where_given(hs_draft_where(section, "from")), to = hs_where_given(hs_draft_where(section, "to"));
  hs_status status = HS_OK;

  if (!from) boundary->from_m = 0.0;
  if (!to) boundary->to_m = length_m;
  if (from) status = hs_check_inside(draft, section, "from", &boundary->from_m, length_m);
  if (to && status == HS_OK) status = hs_check_inside(draft, section, "to", &boundary->to_m, length_m);
  if (status != HS_OK) return status;
  if (!(boundary->from_m < boundary->to_m)) {
    return hs_draft_fail(draft, hs_draft_where(section, to ? "to" : "from"),
                         "[%s] to = %.10g must be greater than from = %.10g; the %s wall is %.10g m long.",
                         section->title, boundary->to_m, boundary->from_m, hs_side_name(boundary->side), length_m);
  }
  if (boundary->kind == HS_WALL_PERIODIC && (boundary->from_m > 0 || boundary->to_m < length_m)) {
    return hs_draft_fail(draft, hs_draft_where(section, boundary->from_m > 0 ? "from" : "to"),
                         "[%s] a periodic wall covers its whole side, which is %.10g m long; remove from and to.",
                         section->title, length_m);
  }
  return HS_OK;
}

hs_status hs_check_boundary(struct hs_draft *draft, const struct hs_draft_section *section)
{
  struct hs_config_boundary *boundary = hs_draft_base(draft, section);
  const struct hs_draft_section *sides = hs_draft_find(draft, "boundary");
  int side;

  for (side = 0; side < HS_SIDES; side++) {
    const char *name = hs_side_name((enum hs_side)side);
    if (strcmp(boundary->name, name) != 0) continue;
    if ((int)boundary->side != side)
      return hs_draft_fail(draft, hs_draft_where(section, "side"),
                           "[%s] is named after a side and lies on the %s side; give it another name.", section->title,
                           hs_side_name(boundary->side));
    if (!hs_where_given(hs_draft_where(sides, name))) continue;
    return hs_draft_fail(draft, section->where,
                         "[%s] has the same name as the key %s of [boundary]; give it another name, or remove the key.",
                         section->title, name);
  }
  if (boundary->kind == HS_WALL_CONVECTION) {
    const hs_status status = hs_check_either(draft, section, "h", "resistance");
    if (status != HS_OK) return status;
  }
  return ends_check(draft, section, boundary);
}

/* Does a named section lie on the side? */
static bool side_has_section(const struct hs_config *config, enum hs_side side)
{
  int k;

  for (k = HS_SIDES; k < config->boundary_count; k++) {
    if (config->boundaries[k].side == side) return true;
  }
  return false;
}

hs_status hs_check_sides_given(struct hs_draft *draft)
{
  struct hs_config *config = draft->config;
  const struct hs_draft_section *section = hs_draft_find(draft, "boundary");
  int side, k, kept = 0;
  config->side_count = 0;

  for (side = 0; side < HS_SIDES; side++) {
    const char *name = hs_side_name((enum hs_side)side);
    if (hs_where_given(hs_draft_where(section, name)) || side_has_section(config, (enum hs_side)side)) continue;
    return hs_check_missing(draft, section, name, "and no section [boundary NAME] lies on that side");
  }
  for (k = 0; k < config->boundary_count; k++) {
    if (k < HS_SIDES && !hs_where_given(hs_draft_where(section, hs_side_name((enum hs_side)k)))) {
      free(config->boundaries[k].name);
    } else {
      config->side_count += k < HS_SIDES;
      config->boundaries[kept++] = config->boundaries[k];
    }
  }
  config->boundary_count = kept;
  return HS_OK;
}
