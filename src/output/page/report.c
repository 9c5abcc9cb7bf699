/* What the page says in words and tables. The lines of the report for people are taken from what prints it, so that both say
 * the same. */
#include <stdio.h>

#include "output/output.h"
#include "output/page/lines.h"
#include "output/page/parts.h"
#include "output/report/report.h"

enum { KNOTS = 33, HISTORY_MOST = 300 };

static json_t *warnings_of(const struct hs_warnings *warnings)
{
  json_t *list = json_array();
  for (int k = 0; k < warnings->count; k++) {
    json_t *holder = json_object();
    if (hs_put_text(holder, "text", warnings->text[k]) || json_array_append(list, json_object_get(holder, "text"))) {
      json_decref(list);
      list = NULL;
    }
    json_decref(holder);
  }
  return list;
}

static int put_rows(json_t *page, const struct hs_result *result)
{
  static const char *const names[HS_REPORT_PARTS] = {"stop", "norms", "temperature", "heat", "run"};
  json_t *rows = json_object();
  int failed = 0;
  for (int part = 0; part < HS_REPORT_PARTS; part++)
    failed |= json_object_set_new(rows, names[part], hs_page_lines(result, (enum hs_report_part)part));
  return failed | json_object_set_new(page, "rows", rows);
}

/* A number with six digits, which a chart cannot tell from more; null where it is not finite. */
static json_t *rounded(double value)
{
  char text[32];
  if (!isfinite(value)) return json_null();
  snprintf(text, sizeof text, "%.6g", value);
  return json_real(strtod(text, NULL));
}

/* {"sweeps": [...], "update_l2": [...], ...}: of the checks of a steady run, evenly HISTORY_MOST at most. */
static json_t *history_of(const struct hs_solve_outcome *outcome)
{
  static const char *const names[] = {"update_l2", "update_max", "residual_relative", "error_estimate"};
  const int64_t all = outcome->history_count, count = all < HISTORY_MOST ? all : HISTORY_MOST;
  json_t *history = json_object(), *lists[5] = {json_array(), json_array(), json_array(), json_array(), json_array()};
  int failed = 0;
  for (int64_t k = 0; k < count; k++) {
    const struct hs_check *check = &outcome->history[count < all ? k * (all - 1) / (count - 1) : k];
    failed |= json_array_append_new(lists[4], json_integer(check->sweeps));
    for (int curve = 0; curve < 4; curve++)
      failed |= json_array_append_new(lists[curve], rounded(hs_stop_value((enum hs_stop_quantity)curve, check)));
  }
  for (int curve = 0; curve < 4; curve++) failed |= json_object_set_new(history, names[curve], lists[curve]);
  failed |= json_object_set_new(history, "sweeps", lists[4]);
  if (!failed) return history;
  json_decref(history);
  return NULL;
}

/* Colour maps by their names: KNOTS colours, equally spaced, as "rrggbb" in one text. */
static int put_colormaps(json_t *page)
{
  json_t *maps = json_object();
  int failed = 0;
  for (int m = 0; hs_colormap_name(m); m++) {
    char text[6 * KNOTS + 1];
    for (int k = 0; k < KNOTS; k++) {
      unsigned char rgb[3];
      hs_colormap_rgb(hs_colormap_find(hs_colormap_name(m)), (double)k / (KNOTS - 1), rgb);
      snprintf(text + 6 * k, 7, "%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
    }
    failed |= hs_put_text(maps, hs_colormap_name(m), text);
  }
  return failed | json_object_set_new(page, "colormaps", maps);
}

static int put_picture(json_t *page, const struct hs_config *config)
{
  json_t *picture = json_object(), *grid = json_object();
  int failed = hs_put_text(picture, "colormap", config->output.colormap);
  failed |= hs_put_real(picture, "low", config->output.range_min_k);
  failed |= hs_put_real(picture, "high", config->output.range_max_k);
  failed |= hs_put_integer(picture, "isotherms", config->output.isotherms);
  failed |= json_object_set_new(page, "picture", picture);
  failed |= hs_put_integer(grid, "nx", config->grid.nx);
  failed |= hs_put_integer(grid, "ny", config->grid.ny);
  failed |= hs_put_boolean(grid, "cells", config->grid.layout == HS_LAYOUT_CELL);
  failed |= hs_put_real(grid, "dx_m", config->grid.dx_m);
  failed |= hs_put_real(grid, "dy_m", config->grid.dy_m);
  return failed | json_object_set_new(page, "grid", grid);
}

/* How many rows the tables have where nothing is left out. */
static int put_counts(json_t *page, const struct hs_result *result)
{
  json_t *counts = json_object();
  int failed = hs_put_integer(counts, "surfaces", result->problem ? result->problem->surface_count : 0);
  failed |= hs_put_integer(counts, "probes", result->config->probe_count);
  failed |= hs_put_integer(counts, "materials", result->problem ? result->problem->material_count : 0);
  failed |= hs_put_integer(counts, "shapes", result->config->region_count);
  failed |= hs_put_integer(counts, "times", result->series.count);
  failed |= hs_put_integer(counts, "checks", result->outcome.history_count);
  return failed | json_object_set_new(page, "counts", counts);
}

int hs_page_put_report(json_t *page, const struct hs_result *result, unsigned files)
{
  const bool transient = hs_result_is_transient(result);
  json_t *report = hs_report_object(result, files);
  struct hs_warnings doubts;
  int failed = hs_page_cut(report);
  hs_output_doubts(result, &doubts);
  failed |= json_object_set_new(page, "report", report);
  failed |= json_object_set_new(page, "doubts", warnings_of(&doubts));
  failed |= json_object_set_new(page, "history", transient ? json_null() : history_of(&result->outcome));
  failed |= put_rows(page, result);
  failed |= put_colormaps(page);
  failed |= put_picture(page, result->config);
  return failed | put_counts(page, result);
}
