/* The end of reading: defaults, missing keys, and rules that concern several keys at once. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "config/draft.h"

/* Sources may stand out of the domain by this part of its length, for numbers like 0.1 + 0.2. */
#define LENGTH_SLACK 1e-9

static hs_status key_missing(struct hs_draft *draft, const struct hs_draft_section *section,
                             const struct hs_config_key *key)
{
  char allowed[200];
  const char *absent = hs_where_given(section->where) ? "" : "The section itself is missing too. ";

  hs_config_key_allowed(key, allowed, sizeof allowed);
  return hs_draft_fail(draft, section->where,
                       "[%s] lacks the key \"%s\" (%s; %s%s%s). %sAdd a line such as \"%s = %s\" to it, or print a "
                       "complete example by `heatsolve --print-config`.",
                       section->title, key->name, key->help, allowed, key->unit[0] ? ", in " : "", key->unit, absent,
                       key->name, key->example);
}

/* Is the key needed, as far as its row tells? */
static bool key_needed(const struct hs_config_key *key, const struct hs_config_source *source)
{
  if (key->need == HS_NEED_SHAPE) return source && source->shape == key->shape;
  return key->need == HS_NEED_ALWAYS;
}

static hs_status key_of_other_shape(struct hs_draft *draft, const struct hs_draft_section *section,
                                    const struct hs_config_key *key, const struct hs_config_key *shape_key,
                                    enum hs_source_shape shape)
{
  return hs_draft_fail(draft, hs_draft_where(section, key->name),
                       "[%s] has the key \"%s\", which a source of shape \"%s\" does not use (it belongs to shape "
                       "\"%s\"); remove it, or change the shape.",
                       section->title, key->name, shape_key->choices[shape], shape_key->choices[key->shape]);
}

/* Defaults and missing keys of one section. The shape stands before the keys that depend on it in the table. */
static hs_status section_complete(struct hs_draft *draft, const struct hs_draft_section *section)
{
  size_t count, k;
  const struct hs_config_key *keys = hs_config_keys(&count);
  const struct hs_config_key *shape_key = &keys[hs_config_key_find("source", "shape")];
  void *base = hs_draft_base(draft, section);
  const struct hs_config_source *source = section->source >= 0 ? base : NULL;
  char reason[80];

  for (k = 0; k < count; k++) {
    const struct hs_config_key *key = &keys[k];
    if (strcmp(key->section, section->kind) != 0) continue;
    if (hs_where_given(section->keys[k])) {
      if (key->need == HS_NEED_SHAPE && !key_needed(key, source)) {
        return key_of_other_shape(draft, section, key, shape_key, source->shape);
      }
      continue;
    }
    if (key_needed(key, source)) return key_missing(draft, section, key);
    if (!key->fallback) {
      hs_config_key_clear(key, base);
    } else if (!hs_config_key_store(key, base, key->fallback, reason, sizeof reason)) {
      return hs_draft_fail_memory(draft);
    }
  }
  return HS_OK;
}

/* Begins every plain section that is not there, so that its defaults apply. */
static hs_status sections_complete(struct hs_draft *draft)
{
  size_t count, k;
  const struct hs_config_section *known = hs_config_sections(&count);
  struct hs_draft_section *section;
  hs_status status = HS_OK;
  int s;

  for (k = 0; k < count && status == HS_OK; k++) {
    if (strcmp(known[k].name, "source") == 0) continue;
    section = hs_draft_find(draft, known[k].name);
    if (!section) status = hs_draft_begin(draft, known[k].name, (struct hs_where){0, 0}, &section);
    if (status == HS_OK) status = section_complete(draft, section);
  }
  for (s = 0; s < draft->section_count && status == HS_OK; s++) {
    if (draft->sections[s]->source >= 0) status = section_complete(draft, draft->sections[s]);
  }
  return status;
}

/* One direction of the grid: length from spacing, or spacing from length. */
static hs_status direction_check(struct hs_draft *draft, const struct hs_draft_section *grid, char axis, int nodes,
                                 double *length_m, double *spacing_m)
{
  const char length_name[3] = {'l', axis, '\0'}, spacing_name[3] = {'d', axis, '\0'};
  const struct hs_where length = hs_draft_where(grid, length_name), spacing = hs_draft_where(grid, spacing_name);

  if (hs_where_given(length) && hs_where_given(spacing)) {
    const bool spacing_last = spacing.override > length.override || (!length.override && spacing.line > length.line);
    return hs_draft_fail(draft, spacing_last ? spacing : length,
                         "[grid] has both %s (length of the domain) and %s (node spacing), and each follows from the "
                         "other; remove one of the two.",
                         length_name, spacing_name);
  }
  if (!hs_where_given(length) && !hs_where_given(spacing)) {
    return hs_draft_fail(draft, grid->where,
                         "[grid] has neither %s (length of the domain, m) nor %s (node spacing, m); give lx and ly, or "
                         "dx and dy.",
                         length_name, spacing_name);
  }
  if (hs_where_given(length)) {
    *spacing_m = *length_m / (nodes - 1);
  } else {
    *length_m = *spacing_m * (nodes - 1);
  }
  if (!(*spacing_m >= DBL_MIN) || !isfinite(*length_m)) {
    return hs_draft_fail(draft, hs_where_given(length) ? length : spacing,
                         "[grid] %s: with %d nodes the node spacing would be %g m and the length %g m, which double "
                         "precision cannot hold.",
                         hs_where_given(length) ? length_name : spacing_name, nodes, *spacing_m, *length_m);
  }
  return HS_OK;
}

static hs_status grid_check(struct hs_draft *draft)
{
  struct hs_config *config = draft->config;
  const struct hs_draft_section *grid = hs_draft_find(draft, "grid");
  const struct hs_where lx = hs_draft_where(grid, "lx"), ly = hs_draft_where(grid, "ly");
  const struct hs_where dx = hs_draft_where(grid, "dx"), dy = hs_draft_where(grid, "dy");
  hs_status status;

  status = direction_check(draft, grid, 'x', config->grid.nx, &config->grid.lx_m, &config->grid.dx_m);
  if (status != HS_OK) return status;
  status = direction_check(draft, grid, 'y', config->grid.ny, &config->grid.ly_m, &config->grid.dy_m);
  if (status != HS_OK) return status;
  if ((lx.line && dy.line) || (dx.line && ly.line)) {
    return hs_draft_fail(draft, dy.line ? dy : ly,
                         "[grid] says %s in one direction and %s in the other; give lx and ly, or dx and dy.",
                         dy.line ? "lx" : "dx", dy.line ? "dy" : "ly");
  }
  return HS_OK;
}

static hs_status node_check(struct hs_draft *draft, const struct hs_draft_section *section, const char *name, int index,
                            const char *count_name, int count)
{
  if (index < count) return HS_OK;
  return hs_draft_fail(draft, hs_draft_where(section, name),
                       "[%s] %s = %d lies outside the grid, which has %s = %d nodes. Allowed: integer 0..%d.",
                       section->title, name, index, count_name, count, count - 1);
}

/* One direction of a rectangle: ordered, inside the domain but for rounding, which is removed. */
static hs_status extent_check(struct hs_draft *draft, const struct hs_draft_section *section, char axis, double *low_m,
                              double *high_m, double length_m)
{
  const char names[2][3] = {{axis, '0', '\0'}, {axis, '1', '\0'}};
  const double ends_m[2] = {*low_m, *high_m};
  int k;

  for (k = 0; k < 2; k++) {
    if (ends_m[k] < -LENGTH_SLACK * length_m || ends_m[k] > (1 + LENGTH_SLACK) * length_m) {
      return hs_draft_fail(draft, hs_draft_where(section, names[k]),
                           "[%s] %s = %.10g lies outside the domain. Allowed: number >= 0 and <= %.10g, in m.",
                           section->title, names[k], ends_m[k], length_m);
    }
  }
  *low_m = fmin(fmax(*low_m, 0.0), length_m);
  *high_m = fmin(fmax(*high_m, 0.0), length_m);
  if (*low_m < *high_m) return HS_OK;
  return hs_draft_fail(draft, hs_draft_where(section, names[1]), "[%s] %s = %.10g must be greater than %s = %.10g.",
                       section->title, names[1], ends_m[1], names[0], ends_m[0]);
}

static hs_status source_check(struct hs_draft *draft, const struct hs_draft_section *section)
{
  const struct hs_config *config = draft->config;
  struct hs_config_source *source = &config->sources[section->source];
  hs_status status = HS_OK;

  switch (source->shape) {
  case HS_SOURCE_NODE:
    status = node_check(draft, section, "i", source->i, "nx", config->grid.nx);
    if (status == HS_OK) status = node_check(draft, section, "j", source->j, "ny", config->grid.ny);
    break;
  case HS_SOURCE_RECTANGLE:
    status = extent_check(draft, section, 'x', &source->x0_m, &source->x1_m, config->grid.lx_m);
    if (status == HS_OK) {
      status = extent_check(draft, section, 'y', &source->y0_m, &source->y1_m, config->grid.ly_m);
    }
    break;
  case HS_SOURCE_EVERYWHERE: break;
  }
  return status;
}

/* field.xdmf only points to field.h5, so without a field there is none either. */
static hs_status files_check(struct hs_draft *draft)
{
  const struct hs_where xdmf = hs_draft_where(hs_draft_find(draft, "output"), "xdmf");
  struct hs_config *config = draft->config;

  if (config->output.field || !config->output.xdmf) return HS_OK;
  if (hs_where_given(xdmf)) {
    return hs_draft_fail(draft, xdmf, "[output] xdmf = yes needs field = yes, since field.xdmf points to field.h5.");
  }
  config->output.xdmf = false;
  return HS_OK;
}

static hs_status range_check(struct hs_draft *draft)
{
  const struct hs_draft_section *output = hs_draft_find(draft, "output");
  const double low_k = draft->config->output.range_min_k, high_k = draft->config->output.range_max_k;
  const struct hs_where low = hs_draft_where(output, "range_min"), high = hs_draft_where(output, "range_max");

  if (!(low_k >= high_k)) return HS_OK;
  return hs_draft_fail(draft, low.override > high.override ? low : high,
                       "[output] range_max = %.10g must be greater than range_min = %.10g.", high_k, low_k);
}

hs_status hs_draft_complete(struct hs_draft *draft)
{
  hs_status status = sections_complete(draft);
  int s;

  if (status == HS_OK) status = grid_check(draft);
  for (s = 0; s < draft->section_count && status == HS_OK; s++) {
    if (draft->sections[s]->source >= 0) status = source_check(draft, draft->sections[s]);
  }
  if (status == HS_OK) status = files_check(draft);
  return status == HS_OK ? range_check(draft) : status;
}
