/* Rows of numbers from lines of text. */
#include "io/csv_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool hs_csv_open(struct hs_csv_reader *reader, const char *path)
{
  *reader = (struct hs_csv_reader){.file = fopen(path, "r"), .may_title = true};
  return reader->file != NULL;
}

void hs_csv_close(struct hs_csv_reader *reader)
{
  (void)fclose(reader->file);
  free(reader->text);
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

enum hs_csv_row hs_csv_next(struct hs_csv_reader *reader, double *numbers, int room, int *count)
{
  ssize_t length;
  errno = 0;
  while ((length = getline(&reader->text, &reader->room, reader->file)) >= 0) {
    const char *text;
    bool heading;
    reader->line++;
    if (strlen(reader->text) != (size_t)length) return HS_CSV_BYTES;
    text = line_trim(reader->text, reader->line);
    *count = numbers_read(text, numbers, room);
    if (*count == 0) continue;
    heading = *count < 0 && reader->may_title && is_heading(text);
    reader->may_title = false;
    if (!heading) return *count > 0 ? HS_CSV_NUMBERS : HS_CSV_WORDS;
  }
  return feof(reader->file) ? HS_CSV_END : HS_CSV_UNREADABLE;
}
