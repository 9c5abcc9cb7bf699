/* Rows of numbers from lines of text. */
#include "io/csv_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool hs_csv_open(struct hs_csv_reader *reader, const char *path)
{
  *reader = (struct hs_csv_reader){.may_title = true};
  reader->file = hs_input_stream(path, reader->reason);
  return reader->file != NULL;
}

void hs_csv_close(struct hs_csv_reader *reader)
{
  (void)fclose(reader->file);
}

static const char *blanks_skip(const char *text)
{
  while (isspace((unsigned char)*text)) text++;
  return text;
}

static bool ends_cell(char c)
{
  return !c || isspace((unsigned char)c) || c == ',' || c == ';';
}

/* The numbers of a line; returns how many there are, up to `room`, or -1 when it contains anything else. */
static int numbers_read(const char *text, double *numbers, int room)
{
  int count = 0;
  text = blanks_skip(text);
  while (*text && count < room) {
    char *end;
    numbers[count] = strtod(text, &end);
    if (end == text || !ends_cell(*end)) return -1;
    count++;
    text = blanks_skip(end);
    if (*text == ',' || *text == ';') text = blanks_skip(text + 1);
  }
  return count;
}

/* A heading begins with a word; a line that begins with a number is meant to be a row. */
static bool is_heading(const char *text)
{
  text = blanks_skip(text);
  return *text && !strchr("+-.0123456789", *text);
}

/* The line without its comment and, at the beginning of the file, without the byte order mark. */
static const char *line_trim(char *text, int line)
{
  char *comment = strchr(text, '#');
  if (comment) *comment = '\0';
  return line == 1 && !strncmp(text, "\xef\xbb\xbf", 3) ? text + 3 : text;
}

/* Reads a line: its bytes, line end included; -1 at the end of the file or on failure, -2 where it is too long. */
static long line_read(struct hs_csv_reader *reader)
{
  size_t length = 0;
  int c = EOF;
  while (length < HS_CSV_LINE_BYTES && (c = getc(reader->file)) != EOF) {
    reader->text[length++] = (char)c;
    if (c == '\n') break;
  }
  reader->text[length] = '\0';
  if (ferror(reader->file) || (c == EOF && length == 0)) return -1;
  return c == '\n' || c == EOF || (c = getc(reader->file)) == EOF ? (long)length : -2;
}

enum hs_csv_row hs_csv_next(struct hs_csv_reader *reader, double *numbers, int room, int *count)
{
  long length;
  errno = 0;
  while ((length = line_read(reader)) != -1) {
    const char *text;
    bool heading;
    reader->line++;
    if (length < 0) return HS_CSV_LONG;
    if (strlen(reader->text) != (size_t)length) return HS_CSV_BYTES;
    text = line_trim(reader->text, reader->line);
    *count = numbers_read(text, numbers, room);
    if (*count == 0) continue;
    heading = *count < 0 && reader->may_title && is_heading(text);
    reader->may_title = false;
    if (!heading) return *count > 0 ? HS_CSV_NUMBERS : HS_CSV_WORDS;
  }
  if (!ferror(reader->file)) return HS_CSV_END;
  snprintf(reader->reason, sizeof reader->reason, "%s", strerror(errno));
  return HS_CSV_UNREADABLE;
}
