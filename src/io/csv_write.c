/* A table is made in memory first, so that a file is written whole or not at all. */
#include "io/csv_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

static hs_status fail_memory(const char *path, struct hs_error *err)
{
  return hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s.", path);
}

hs_status hs_csv_create(struct hs_csv *csv, const char *path, struct hs_error *err)
{
  memset(csv, 0, sizeof *csv);
  csv->out = open_memstream(&csv->text, &csv->size);
  return csv->out ? HS_OK : fail_memory(path, err);
}

static void cell_begin(struct hs_csv *csv)
{
  if (csv->begun) putc(',', csv->out);
  csv->begun = true;
}

void hs_csv_cells(struct hs_csv *csv, const char *cells)
{
  cell_begin(csv);
  fputs(cells, csv->out);
}

static bool needs_quotes(const char *text)
{
  return strpbrk(text, ",\"\r\n") || text[0] == ' ' || (text[0] && text[strlen(text) - 1] == ' ');
}

void hs_csv_text(struct hs_csv *csv, const char *text)
{
  cell_begin(csv);
  if (!needs_quotes(text)) {
    fputs(text, csv->out);
    return;
  }
  putc('"', csv->out);
  for (; *text; text++) {
    if (*text == '"') putc('"', csv->out);
    putc(*text, csv->out);
  }
  putc('"', csv->out);
}

void hs_csv_number(struct hs_csv *csv, double value, int digits)
{
  cell_begin(csv);
  if (isfinite(value)) fprintf(csv->out, "%.*g", digits, value);
}

void hs_csv_integer(struct hs_csv *csv, int64_t value)
{
  cell_begin(csv);
  fprintf(csv->out, "%lld", (long long)value);
}

void hs_csv_end_row(struct hs_csv *csv)
{
  putc('\n', csv->out);
  csv->begun = false;
}

hs_status hs_csv_commit(struct hs_csv *csv, const char *path, struct hs_error *err)
{
  bool failed = csv->failed || ferror(csv->out) != 0;
  hs_status status;
  if (fclose(csv->out) != 0 || !csv->text) failed = true;
  status = failed ? fail_memory(path, err) : hs_file_put_text(path, csv->text, err);
  free(csv->text);
  memset(csv, 0, sizeof *csv);
  return status;
}
