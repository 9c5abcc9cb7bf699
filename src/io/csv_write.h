/* Writing tables as RFC 4180 has it, but lines end in a newline alone. */
#ifndef HS_IO_CSV_WRITE_H
#define HS_IO_CSV_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

/* A table in memory. Commas between cells come by themselves. */
struct hs_csv {
  struct hs_text out; /* its `failed` may be set where a cell cannot be made: the table is not written */
  bool begun;         /* the row has a cell */
};

/* An empty table. */
void hs_csv_begin(struct hs_csv *csv);

void hs_csv_cells(struct hs_csv *csv, const char *cells);         /* one or more, as in the file */
void hs_csv_text(struct hs_csv *csv, const char *text);           /* in quotes where it needs them */
void hs_csv_number(struct hs_csv *csv, double value, int digits); /* empty where it is not finite */
void hs_csv_integer(struct hs_csv *csv, int64_t value);
void hs_csv_end_row(struct hs_csv *csv);

/* Writes the table as a complete file or not at all, and frees it. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_csv_commit(struct hs_csv *csv, const char *path, struct hs_error *err);

#endif
