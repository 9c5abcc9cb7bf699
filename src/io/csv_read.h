/* Reading tables of numbers from text files.
 *
 * Such files come out of spreadsheets, loggers and scripts: cells are separated by a comma, a semicolon or blanks, what
 * follows a # is a comment, empty lines do not count, the first line may be a heading, and a byte order mark is skipped.
 */
#ifndef HS_IO_CSV_READ_H
#define HS_IO_CSV_READ_H

#include <stdbool.h>
#include <stdio.h>

#include "base/input.h"

enum { HS_CSV_LINE_BYTES = 4096 }; /* of a line, comment and line end included */

struct hs_csv_reader {
  FILE *file;
  char text[HS_CSV_LINE_BYTES + 1]; /* the present line */
  int line;                         /* its number, from 1 */
  bool may_title;                   /* no line with content so far: the next one may be a heading */
  char reason[HS_INPUT_REASON];     /* why the file could not be opened or read */
};

enum hs_csv_row {
  HS_CSV_NUMBERS,
  HS_CSV_WORDS,     /* something else than numbers */
  HS_CSV_BYTES,     /* a NUL: not text */
  HS_CSV_LONG,      /* a line of more than HS_CSV_LINE_BYTES */
  HS_CSV_END,       /* no row left */
  HS_CSV_UNREADABLE /* the reason says why */
};

/* Opens path, a file; false, and the reason, on failure. */
bool hs_csv_open(struct hs_csv_reader *reader, const char *path);

/* The numbers of the next row, the first `room` of them; *count says how many. */
enum hs_csv_row hs_csv_next(struct hs_csv_reader *reader, double *numbers, int room, int *count);

void hs_csv_close(struct hs_csv_reader *reader);

#endif
