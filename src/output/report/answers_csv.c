#include "output/report/answers_csv.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/csv_write.h"
#include "io/file.h"
#include "output/report/report.h"
#include "problem/cells/materials.h"

enum { DIGITS = 17 }; /* a double comes back as it was */

enum table { TABLE_HEAT, TABLE_MATERIALS, TABLE_POINTS, TABLE_LINE, TABLE_SERIES };

/* One file: its table and, for a line, which probe. */
struct sheet {
  enum table table;
  int probe;
};

static void put_number(struct hs_csv *csv, double value)
{
  hs_csv_number(csv, value, DIGITS);
}

/* --- tables -------------------------------------------------------------------------------------- */

static void put_heat(struct hs_csv *csv, const struct hs_result *r)
{
  const struct hs_problem *p = r->problem;
  hs_csv_cells(csv, "surface,side,kind,heat_w_m");
  hs_csv_end_row(csv);
  for (int s = 0; p && s < p->surface_count; s++) {
    hs_csv_text(csv, p->surfaces[s].name);
    hs_csv_text(csv, hs_report_surface_side(p, s));
    hs_csv_text(csv, hs_report_surface_kind(p, s));
    put_number(csv, r->answers.surface_w_m[s]);
    hs_csv_end_row(csv);
  }
}

static void put_materials(struct hs_csv *csv, const struct hs_result *r)
{
  hs_csv_cells(csv, "material,area_m2,mean,min,max");
  hs_csv_end_row(csv);
  for (int m = 0; r->problem && m < r->problem->material_count; m++) {
    const struct hs_material_answer *material = &r->answers.materials[m];
    hs_csv_text(csv, hs_material_title(r->problem, m));
    put_number(csv, material->area_m2);
    put_number(csv, material->mean_k);
    put_number(csv, material->minimum_k);
    put_number(csv, material->maximum_k);
    hs_csv_end_row(csv);
  }
}

static void put_points(struct hs_csv *csv, const struct hs_result *r)
{
  hs_csv_cells(csv, "name,x_m,y_m,temperature");
  hs_csv_end_row(csv);
  for (int k = 0; k < r->config->probe_count; k++) {
    const struct hs_probe_answer *probe = &r->answers.probes[k];
    if (r->config->probes[k].is_line) continue;
    hs_csv_text(csv, r->config->probes[k].name);
    put_number(csv, probe->x_m[0]);
    put_number(csv, probe->y_m[0]);
    put_number(csv, probe->temperature_k[0]);
    hs_csv_end_row(csv);
  }
}

static void put_line(struct hs_csv *csv, const struct hs_probe_answer *probe)
{
  hs_csv_cells(csv, HS_ANSWERS_LINE_HEADING);
  hs_csv_end_row(csv);
  for (int k = 0; k < probe->count; k++) {
    put_number(csv, probe->distance_m[k]);
    put_number(csv, probe->x_m[k]);
    put_number(csv, probe->y_m[k]);
    put_number(csv, probe->temperature_k[k]);
    hs_csv_end_row(csv);
  }
}

/* A column's heading of two words, "probe A". */
static void put_heading(struct hs_csv *csv, const char *what, const char *name)
{
  char *heading = hs_text_format(NULL, "%s %s", what, name);
  if (!heading) csv->out.failed = true;
  hs_csv_text(csv, heading ? heading : "");
  free(heading);
}

static void put_series(struct hs_csv *csv, const struct hs_result *r)
{
  const struct hs_series *series = &r->series;
  const size_t probes = (size_t)r->config->probe_count, surfaces = r->problem ? (size_t)r->problem->surface_count : 0;
  hs_csv_cells(csv, "time_s,min,max,mean,content_j_m");
  for (size_t k = 0; k < probes; k++) put_heading(csv, "probe", r->config->probes[k].name);
  for (size_t s = 0; s < surfaces; s++) put_heading(csv, "heat_w_m", r->problem->surfaces[s].name);
  hs_csv_end_row(csv);
  for (size_t row = 0; row < (size_t)series->count; row++) {
    put_number(csv, series->time_s[row]);
    put_number(csv, series->minimum_k[row]);
    put_number(csv, series->maximum_k[row]);
    put_number(csv, series->mean_k[row]);
    put_number(csv, series->content_j_m[row]);
    for (size_t k = 0; k < probes; k++) put_number(csv, series->probe_k[row * probes + k]);
    for (size_t s = 0; s < surfaces; s++) put_number(csv, series->surface_w_m[row * surfaces + s]);
    hs_csv_end_row(csv);
  }
}

/* --- files --------------------------------------------------------------------------------------- */

/* The file number `which`; false behind the last one. series: is there one of the snapshots? */
static bool sheet_at(const struct hs_config *config, bool series, int which, struct sheet *sheet)
{
  bool points = false;
  for (int k = 0; k < config->probe_count; k++) points |= !config->probes[k].is_line;
  *sheet = (struct sheet){TABLE_HEAT, 0};
  if (which-- == 0) return true;
  sheet->table = TABLE_MATERIALS;
  if (which-- == 0) return true;
  sheet->table = TABLE_POINTS;
  if (points && which-- == 0) return true;
  sheet->table = TABLE_LINE;
  for (sheet->probe = 0; sheet->probe < config->probe_count; sheet->probe++)
    if (config->probes[sheet->probe].is_line && which-- == 0) return true;
  sheet->table = TABLE_SERIES;
  return series && which == 0;
}

int hs_answers_csv_count(const struct hs_config *config, bool series)
{
  struct sheet sheet;
  int count = 0;
  while (sheet_at(config, series, count, &sheet)) count++;
  return count;
}

/* A character that file names may have on every system. */
static char plain(char c)
{
  return isalnum((unsigned char)c) || c == '-' || c == '.' || (unsigned char)c >= 0x80 ? c : '_';
}

/* Would two lines' names become the same file? Upper and lower case are the same on some file systems. */
static bool same_file(const char *a, const char *b)
{
  while (*a && tolower((unsigned char)plain(*a)) == tolower((unsigned char)plain(*b))) {
    a++;
    b++;
  }
  return !*a && !*b;
}

/* "line-NAME.csv"; characters that a file name should not have are '_', and a name that is taken gets a number. */
static char *line_name(const struct hs_config *config, int probe, struct hs_error *err)
{
  const char *name = config->probes[probe].name;
  int earlier = 0;
  char *file;
  for (int k = 0; k < probe; k++) earlier += config->probes[k].is_line && same_file(config->probes[k].name, name);
  file =
      earlier ? hs_text_format(err, "line-%s-(%d).csv", name, earlier + 1) : hs_text_format(err, "line-%s.csv", name);
  if (!file) return NULL;
  for (char *c = file + strlen("line-"); *c && (size_t)(c - file) < strlen("line-") + strlen(name); c++) *c = plain(*c);
  return file;
}

char *hs_answers_csv_name(const struct hs_config *config, int which, struct hs_error *err)
{
  static const char *const names[] = {"heat.csv", "materials.csv", "probes.csv", NULL, "series.csv"};
  struct sheet sheet;
  (void)sheet_at(config, true, which, &sheet);
  return sheet.table == TABLE_LINE ? line_name(config, sheet.probe, err) : hs_text_copy(names[sheet.table], err);
}

static void put_sheet(struct hs_csv *csv, const struct hs_result *r, const struct sheet *sheet)
{
  switch (sheet->table) {
  case TABLE_HEAT: put_heat(csv, r); break;
  case TABLE_MATERIALS: put_materials(csv, r); break;
  case TABLE_POINTS: put_points(csv, r); break;
  case TABLE_LINE: put_line(csv, &r->answers.probes[sheet->probe]); break;
  case TABLE_SERIES: put_series(csv, r); break;
  }
}

static hs_status sheet_write(const struct hs_result *r, int which, const char *directory, struct hs_error *err)
{
  struct sheet sheet;
  struct hs_csv csv;
  char *name = hs_answers_csv_name(r->config, which, err), *path = name ? hs_file_join(directory, name, err) : NULL;
  hs_status status = HS_ERR_MEMORY;
  if (!path) goto out;
  hs_csv_begin(&csv);
  (void)sheet_at(r->config, true, which, &sheet);
  put_sheet(&csv, r, &sheet);
  status = hs_csv_commit(&csv, path, err);
out:
  free(path);
  free(name);
  return status;
}

hs_status hs_answers_csv_write(const struct hs_result *result, const char *directory, struct hs_error *err)
{
  const int files = hs_answers_csv_count(result->config, result->series.count > 0);
  hs_status first = HS_OK;
  for (int which = 0; which < files; which++) {
    const hs_status status = sheet_write(result, which, directory, first ? NULL : err);
    if (!first) first = status;
  }
  return first;
}

hs_status hs_answers_csv_series(const struct hs_result *result, const char *directory, struct hs_error *err)
{
  if (result->series.count == 0) return HS_OK;
  return sheet_write(result, hs_answers_csv_count(result->config, true) - 1, directory, err);
}
