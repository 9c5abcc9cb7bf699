/* The tables of the report for people: walls and held shapes, probes, materials, shapes.
 *
 * A table is printed when it says more than the lines above it: walls when some side has several segments or a shape is
 * held, materials when there are two. Names are on the left in a column as wide as the longest, numbers on the right.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/describe.h"
#include "output/report/report.h"
#include "problem/cells/materials.h"
#include "problem/walls.h"

enum { NAME_MIN = 8, NAME_MAX = 40 };

/* Characters of a UTF-8 text. */
static int width(const char *text)
{
  int count = 0;
  for (; *text; text++) count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

static int wider(int column, const char *name)
{
  const int needed = width(name);
  return needed <= column ? column : needed < NAME_MAX ? needed : NAME_MAX;
}

static void print_name(FILE *out, const char *name, int column)
{
  const int missing = column - width(name);
  fprintf(out, "  %s%*s", name, missing > 0 ? missing : 0, "");
}

static void print_value(FILE *out, double value)
{
  if (isfinite(value))
    fprintf(out, "  %14.9g", value);
  else
    fprintf(out, "  %14s", "-");
}

/* --- walls and held shapes ----------------------------------------------------------------------- */

static bool surfaces_apply(const struct hs_problem *p)
{
  return p && (p->surface_count > HS_SIDES || p->held_count > 0);
}

static void print_surfaces(FILE *out, const struct hs_result *result)
{
  const struct hs_problem *p = result->problem;
  int column = NAME_MIN;
  if (!surfaces_apply(p)) return;
  for (int s = 0; s < p->surface_count; s++) column = wider(column, p->surfaces[s].name);
  fprintf(out, "\n");
  print_name(out, "surface", column);
  fprintf(out, "  %-5s  %-11s  %14s  %14s\n", "side", "kind", "heat in, W/m", "mean, W/m2");
  for (int s = 0; s < p->surface_count; s++) {
    print_name(out, p->surfaces[s].name, column);
    fprintf(out, "  %-5s  %-11s", hs_report_surface_side(p, s), hs_report_surface_kind(p, s));
    print_value(out, result->answers.surface_w_m[s]);
    print_value(out, hs_result_surface_mean(result, s));
    fprintf(out, "\n");
  }
}

/* --- probes -------------------------------------------------------------------------------------- */

static void extremes(const struct hs_probe_answer *probe, double *low, double *high)
{
  *low = INFINITY;
  *high = -INFINITY;
  for (int k = 0; k < probe->count; k++) {
    *low = fmin(*low, probe->temperature_k[k]);
    *high = fmax(*high, probe->temperature_k[k]);
  }
}

static void print_points(FILE *out, const struct hs_result *result, int points, int column)
{
  const struct hs_config *config = result->config;
  char heading[48];
  if (!points) return;
  snprintf(heading, sizeof heading, "T, %s", hs_temperature_unit(config));
  fprintf(out, "\n");
  print_name(out, "probe", column);
  fprintf(out, "  %14s  %14s  %14s\n", "x, m", "y, m", heading);
  for (int k = 0; k < config->probe_count; k++) {
    const struct hs_probe_answer *probe = &result->answers.probes[k];
    if (config->probes[k].is_line) continue;
    print_name(out, config->probes[k].name, column);
    print_value(out, probe->x_m[0]);
    print_value(out, probe->y_m[0]);
    print_value(out, probe->temperature_k[0]);
    fprintf(out, "\n");
  }
}

static void print_lines(FILE *out, const struct hs_result *result, int lines, int column)
{
  const struct hs_config *config = result->config;
  char low_heading[48], high_heading[48];
  if (!lines) return;
  snprintf(low_heading, sizeof low_heading, "lowest, %s", hs_temperature_unit(config));
  snprintf(high_heading, sizeof high_heading, "highest, %s", hs_temperature_unit(config));
  fprintf(out, "\n");
  print_name(out, "line", column);
  fprintf(out, "  %14s  %14s  %14s\n", "points", low_heading, high_heading);
  for (int k = 0; k < config->probe_count; k++) {
    double low, high;
    if (!config->probes[k].is_line) continue;
    extremes(&result->answers.probes[k], &low, &high);
    print_name(out, config->probes[k].name, column);
    fprintf(out, "  %14d", result->answers.probes[k].count);
    print_value(out, low);
    print_value(out, high);
    fprintf(out, "\n");
  }
}

static void print_probes(FILE *out, const struct hs_result *result)
{
  const struct hs_config *config = result->config;
  int column = NAME_MIN, lines = 0;
  for (int k = 0; k < config->probe_count; k++) {
    column = wider(column, config->probes[k].name);
    lines += config->probes[k].is_line;
  }
  print_points(out, result, config->probe_count - lines, column);
  print_lines(out, result, lines, column);
}

/* --- materials and shapes ------------------------------------------------------------------------ */

static void print_materials(FILE *out, const struct hs_result *result)
{
  const struct hs_problem *p = result->problem;
  const char *unit = hs_temperature_unit(result->config);
  char headings[3][48];
  int column = NAME_MIN;
  if (!p || p->material_count < 2) return;
  for (int m = 0; m < p->material_count; m++) column = wider(column, hs_material_title(p, m));
  snprintf(headings[0], sizeof headings[0], "mean, %s", unit);
  snprintf(headings[1], sizeof headings[1], "lowest, %s", unit);
  snprintf(headings[2], sizeof headings[2], "highest, %s", unit);
  fprintf(out, "\n");
  print_name(out, "material", column);
  fprintf(out, "  %14s  %14s  %14s  %14s\n", "area, m2", headings[0], headings[1], headings[2]);
  for (int m = 0; m < p->material_count; m++) {
    const struct hs_material_answer *material = &result->answers.materials[m];
    print_name(out, hs_material_title(p, m), column);
    print_value(out, material->area_m2);
    print_value(out, material->mean_k);
    print_value(out, material->minimum_k);
    print_value(out, material->maximum_k);
    fprintf(out, "\n");
  }
}

static void print_shapes(FILE *out, const struct hs_result *result)
{
  const struct hs_config *config = result->config;
  int column = NAME_MIN;
  if (!result->problem || config->region_count == 0) return;
  for (int r = 0; r < config->region_count; r++) column = wider(column, config->regions[r].name);
  fprintf(out, "\n");
  print_name(out, "shape", column);
  fprintf(out, "  heat out through its outline, W/m\n");
  for (int r = 0; r < config->region_count; r++) {
    print_name(out, config->regions[r].name, column);
    print_value(out, result->answers.region_out_w_m[r]);
    fprintf(out, "\n");
  }
}

void hs_report_tables_print(FILE *out, const struct hs_result *result)
{
  print_surfaces(out, result);
  print_probes(out, result);
  print_materials(out, result);
  print_shapes(out, result);
}
