/* A table is made in memory first, so that a file is written whole or not at all. */
#include "io/csv_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

void hs_csv_begin(struct hs_csv *csv)
{
  memset(csv, 0, sizeof *csv);
}

static void cell_begin(struct hs_csv *csv)
{
  if (csv->begun) hs_text_add(&csv->out, ",");
  csv->begun = true;
}

void hs_csv_cells(struct hs_csv *csv, const char *cells)
{
  cell_begin(csv);
  hs_text_add(&csv->out, "%s", cells);
}

static bool needs_quotes(const char *text)
{
  return strpbrk(text, ",\"\r\n") || text[0] == ' ' || (text[0] && text[strlen(text) - 1] == ' ');
}

void hs_csv_text(struct hs_csv *csv, const char *text)
{
  cell_begin(csv);
  if (!needs_quotes(text)) {
    hs_text_add(&csv->out, "%s", text);
    return;
  }
  hs_text_add(&csv->out, "\"");
  for (; *text; text++) hs_text_add(&csv->out, *text == '"' ? "%c\"" : "%c", *text);
  hs_text_add(&csv->out, "\"");
}

void hs_csv_number(struct hs_csv *csv, double value, int digits)
{
  cell_begin(csv);
  if (isfinite(value)) hs_text_add(&csv->out, "%.*g", digits, value);
}

void hs_csv_integer(struct hs_csv *csv, int64_t value)
{
  cell_begin(csv);
  hs_text_add(&csv->out, "%lld", (long long)value);
}

void hs_csv_end_row(struct hs_csv *csv)
{
  hs_text_add(&csv->out, "\n");
  csv->begun = false;
}

hs_status hs_csv_commit(struct hs_csv *csv, const char *path, struct hs_error *err)
{
  const bool failed = csv->out.failed || !csv->out.text;
  const hs_status status = failed ? hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s.", path)
                                  : hs_file_put_text(path, csv->out.text, err);
  free(csv->out.text);
  hs_csv_begin(csv);
  return status;
}
