/* Tables in CSV. Each is made in memory and written as a complete file or not at all. */
#include "output/csv.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/file.h"
#include "output/report.h"

enum table { TABLE_HEAT, TABLE_MATERIALS, TABLE_PROBES, TABLE_LINE, TABLE_SERIES };

/* One file: its table and, for a line, which probe. */
struct sheet {
  enum table table;
  int probe;
};

/* --- fields -------------------------------------------------------------------------------------- */

/* A text, in quotes where it needs them, quotes in it doubled. */
static void put_text(FILE *out, const char *text)
{
  if (!strpbrk(text, ",\"\r\n") && text[0] != ' ' && (!text[0] || text[strlen(text) - 1] != ' ')) {
    fputs(text, out);
    return;
  }
  putc('"', out);
  for (; *text; text++) {
    if (*text == '"') putc('"', out);
    putc(*text, out);
  }
  putc('"', out);
}

/* A comma and a number, or nothing where it is not known. */
static void put_number(FILE *out, double value)
{
  putc(',', out);
  if (isfinite(value)) fprintf(out, "%.17g", value);
}

/* --- tables -------------------------------------------------------------------------------------- */

static void heat_write(FILE *out, const struct hs_result *r)
{
  const struct hs_problem *p = r->problem;
  fputs("surface,side,kind,heat_w_m\n", out);
  for (int s = 0; p && s < p->surface_count; s++) {
    put_text(out, p->surfaces[s].name);
    fprintf(out, ",%s,%s", hs_report_surface_side(p, s), hs_report_surface_kind(p, s));
    put_number(out, r->answers.surface_w_m[s]);
    putc('\n', out);
  }
}

static void materials_write(FILE *out, const struct hs_result *r)
{
  fputs("material,area_m2,mean,min,max\n", out);
  for (int m = 0; r->problem && m < r->problem->material_count; m++) {
    const struct hs_material_answer *material = &r->answers.materials[m];
    put_text(out, hs_report_material_name(r->problem, m));
    put_number(out, material->area_m2);
    put_number(out, material->mean_k);
    put_number(out, material->minimum_k);
    put_number(out, material->maximum_k);
    putc('\n', out);
  }
}

static void probes_write(FILE *out, const struct hs_result *r)
{
  fputs("name,x_m,y_m,temperature\n", out);
  for (int k = 0; k < r->config->probe_count; k++) {
    const struct hs_probe_answer *probe = &r->answers.probes[k];
    if (r->config->probes[k].is_line) continue;
    put_text(out, r->config->probes[k].name);
    put_number(out, probe->x_m[0]);
    put_number(out, probe->y_m[0]);
    put_number(out, probe->temperature_k[0]);
    putc('\n', out);
  }
}

static void line_write(FILE *out, const struct hs_probe_answer *probe)
{
  fputs("distance_m,x_m,y_m,temperature\n", out);
  for (int k = 0; k < probe->count; k++) {
    fprintf(out, "%.17g", probe->distance_m[k]);
    put_number(out, probe->x_m[k]);
    put_number(out, probe->y_m[k]);
    put_number(out, probe->temperature_k[k]);
    putc('\n', out);
  }
}

/* A column's heading of two parts, "probe A". */
static void put_heading(FILE *out, const char *what, const char *name)
{
  char *heading = hs_text_format(NULL, "%s %s", what, name);
  putc(',', out);
  put_text(out, heading ? heading : name);
  free(heading);
}

static void series_write(FILE *out, const struct hs_result *r)
{
  const struct hs_series *series = &r->series;
  const size_t probes = (size_t)r->config->probe_count, surfaces = r->problem ? (size_t)r->problem->surface_count : 0;
  fputs("time_s,min,max,mean,content_j_m", out);
  for (size_t k = 0; k < probes; k++) put_heading(out, "probe", r->config->probes[k].name);
  for (size_t s = 0; s < surfaces; s++) put_heading(out, "heat_w_m", r->problem->surfaces[s].name);
  putc('\n', out);
  for (size_t row = 0; row < (size_t)series->count; row++) {
    fprintf(out, "%.17g", series->time_s[row]);
    put_number(out, series->minimum_k[row]);
    put_number(out, series->maximum_k[row]);
    put_number(out, series->mean_k[row]);
    put_number(out, series->content_j_m[row]);
    for (size_t k = 0; k < probes; k++) put_number(out, series->probe_k[row * probes + k]);
    for (size_t s = 0; s < surfaces; s++) put_number(out, series->surface_w_m[row * surfaces + s]);
    putc('\n', out);
  }
}

/* --- files --------------------------------------------------------------------------------------- */

/* The file number `which`; false behind the last one. */
static bool sheet_at(const struct hs_result *r, int which, struct sheet *sheet)
{
  bool points = false;
  for (int k = 0; k < r->config->probe_count; k++) points |= !r->config->probes[k].is_line;
  *sheet = (struct sheet){TABLE_HEAT, 0};
  if (which-- == 0) return true;
  sheet->table = TABLE_MATERIALS;
  if (which-- == 0) return true;
  sheet->table = TABLE_PROBES;
  if (points && which-- == 0) return true;
  sheet->table = TABLE_LINE;
  for (sheet->probe = 0; sheet->probe < r->config->probe_count; sheet->probe++)
    if (r->config->probes[sheet->probe].is_line && which-- == 0) return true;
  sheet->table = TABLE_SERIES;
  return r->series.count > 0 && which == 0;
}

int hs_csv_file_count(const struct hs_result *result)
{
  struct sheet sheet;
  int count = 0;
  while (sheet_at(result, count, &sheet)) count++;
  return count;
}

/* A character that may stand in a file name everywhere. */
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

char *hs_csv_file_name(const struct hs_result *result, int which, struct hs_error *err)
{
  static const char *const names[] = {"heat.csv", "materials.csv", "probes.csv", NULL, "series.csv"};
  struct sheet sheet;
  (void)sheet_at(result, which, &sheet);
  return sheet.table == TABLE_LINE ? line_name(result->config, sheet.probe, err)
                                   : hs_text_copy(names[sheet.table], err);
}

static void sheet_print(FILE *out, const struct hs_result *r, const struct sheet *sheet)
{
  switch (sheet->table) {
  case TABLE_HEAT: heat_write(out, r); break;
  case TABLE_MATERIALS: materials_write(out, r); break;
  case TABLE_PROBES: probes_write(out, r); break;
  case TABLE_LINE: line_write(out, &r->answers.probes[sheet->probe]); break;
  case TABLE_SERIES: series_write(out, r); break;
  }
}

static hs_status sheet_write(const struct hs_result *r, int which, const char *directory, struct hs_error *err)
{
  struct sheet sheet;
  char *text = NULL, *name = NULL, *path = NULL;
  size_t size = 0;
  int failed;
  FILE *out;
  hs_status status = HS_ERR_MEMORY;
  (void)sheet_at(r, which, &sheet);
  name = hs_csv_file_name(r, which, err);
  if (name) path = hs_file_join(directory, name, err);
  if (!path) goto out;
  out = open_memstream(&text, &size);
  failed = !out;
  if (out) {
    sheet_print(out, r, &sheet);
    failed = ferror(out);
    failed |= fclose(out);
  }
  status = failed ? hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s.", path)
                  : hs_file_put_text(path, text, err);
out:
  free(text);
  free(path);
  free(name);
  return status;
}

hs_status hs_csv_write(const struct hs_result *result, const char *directory, struct hs_error *err)
{
  const int files = hs_csv_file_count(result);
  hs_status status = HS_OK;
  for (int which = 0; !status && which < files; which++) status = sheet_write(result, which, directory, err);
  return status;
}

hs_status hs_csv_series_write(const struct hs_result *result, const char *directory, struct hs_error *err)
{
  if (result->series.count == 0) return HS_OK;
  return sheet_write(result, hs_csv_file_count(result) - 1, directory, err);
}
