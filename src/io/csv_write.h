/* Writing tables as RFC 4180 has it, but lines end in a newline alone. */
#ifndef HS_IO_CSV_WRITE_H
#define HS_IO_CSV_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* A table in memory. Commas between cells come by themselves. */
struct hs_csv {
  FILE *out;
  char *text; /* owned */
  size_t size;
  bool begun;  /* the row has a cell */
  bool failed; /* to be set where a cell cannot be made: the table is not written */
};

/* A table that is to become the file path. Errors: HS_ERR_MEMORY. */
hs_status hs_csv_create(struct hs_csv *csv, const char *path, struct hs_error *err);

void hs_csv_cells(struct hs_csv *csv, const char *cells);         /* one or more, as in the file */
void hs_csv_text(struct hs_csv *csv, const char *text);           /* in quotes where it needs them */
void hs_csv_number(struct hs_csv *csv, double value, int digits); /* empty where it is not finite */
void hs_csv_integer(struct hs_csv *csv, int64_t value);
void hs_csv_end_row(struct hs_csv *csv);

/* Writes the table as a complete file or not at all, and frees it. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_csv_commit(struct hs_csv *csv, const char *path, struct hs_error *err);

#endif
