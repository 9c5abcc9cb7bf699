/* Curves from CSV files: two columns of numbers, linear in between.
 *
 * Such files come out of spreadsheets, loggers and scripts, so headings, comments and all usual separators are
 * taken; everything else (a third column, a decimal comma, abscissas that do not ascend) is refused with its line.
 */
#include "problem/curve.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file being read. */
struct reader {
  const char *path, *where;
  int line;
  int room;       /* of the curve's arrays */
  bool may_title; /* no line with content so far: a heading may stand here */
};

static hs_status fail(const struct reader *reader, struct hs_error *err, const char *reason)
{
  return hs_error_set(err, HS_ERR_CONFIG, "%s: %s:%d: %s", reader->where, reader->path, reader->line, reason);
}

static hs_status append(struct reader *reader, struct hs_curve *curve, double x, double y, struct hs_error *err)
{
  if (curve->count == reader->room) {
    const int room = reader->room ? 2 * reader->room : 64;
    double *xs = realloc(curve->x, (size_t)room * sizeof *xs), *ys;
    if (xs) curve->x = xs;
    ys = xs ? realloc(curve->y, (size_t)room * sizeof *ys) : NULL;
    if (!ys) return hs_error_set(err, HS_ERR_MEMORY, "out of memory for the table %s", reader->path);
    curve->y = ys;
    reader->room = room;
  }
  curve->x[curve->count] = x;
  curve->y[curve->count++] = y;
  return HS_OK;
}

/* Skips blanks and at most one comma or semicolon among them. */
static const char *separator_skip(const char *text)
{
  while (isspace((unsigned char)*text)) text++;
  if (*text == ',' || *text == ';') text++;
  while (isspace((unsigned char)*text)) text++;
  return text;
}

/* The numbers of a line; returns how many there are, up to 3, or -1 when something else stands there. */
static int numbers_read(const char *text, double numbers[3])
{
  int count = 0;
  while (isspace((unsigned char)*text)) text++;
  while (*text && count < 3) {
    char *end;
    numbers[count] = strtod(text, &end);
    if (end == text || (*end && !isspace((unsigned char)*end) && *end != ',' && *end != ';')) return -1;
    count++;
    text = separator_skip(end);
  }
  return count;
}

/* A heading begins with a word; a line that begins with a number is meant to be one of the table. */
static bool is_heading(const char *text)
{
  while (isspace((unsigned char)*text)) text++;
  return *text && !strchr("+-.0123456789", *text);
}

static hs_status line_take(struct reader *reader, char *text, struct hs_curve *curve, struct hs_error *err)
{
  double numbers[3];
  char *comment = strchr(text, '#');
  int count;
  if (comment) *comment = '\0';
  if (reader->line == 1 && !strncmp(text, "\xef\xbb\xbf", 3)) memmove(text, text + 3, strlen(text + 3) + 1);
  count = numbers_read(text, numbers);
  if (count == 0) return HS_OK;
  if (count < 0 && reader->may_title && is_heading(text)) {
    reader->may_title = false;
    return HS_OK;
  }
  reader->may_title = false;
  if (count < 0) return fail(reader, err, "this line holds something else than two numbers");
  if (count != 2)
    return fail(reader, err,
                count == 1 ? "this line has one number; a table has two columns, position or time, and value"
                           : "this line has more than two numbers; a table has two columns, position or time, and "
                             "value (decimal points, not commas)");
  if (!isfinite(numbers[0]) || !isfinite(numbers[1]))
    return fail(reader, err, "this line has a number that is not finite");
  if (curve->count && !(numbers[0] > curve->x[curve->count - 1]))
    return fail(reader, err, "the first column must ascend from line to line");
  return append(reader, curve, numbers[0], numbers[1], err);
}

hs_status hs_curve_read(const char *path, const char *where, struct hs_curve *curve, struct hs_error *err)
{
  struct reader reader = {.path = path, .where = where, .may_title = true};
  char *text = NULL;
  size_t room = 0;
  ssize_t length;
  hs_status status = HS_OK;
  FILE *file = fopen(path, "r");
  if (!file) return hs_error_set(err, HS_ERR_IO, "%s: cannot read the table %s: %s", where, path, strerror(errno));
  errno = 0;
  while (!status && (length = getline(&text, &room, file)) >= 0) {
    reader.line++;
    if (strlen(text) != (size_t)length)
      status = fail(&reader, err, "this line is not text");
    else
      status = line_take(&reader, text, curve, err);
  }
  if (!status && !feof(file))
    status = hs_error_set(err, HS_ERR_IO, "%s: cannot read the table %s: %s", where, path, strerror(errno));
  if (!status && curve->count < 2)
    status = hs_error_set(err, HS_ERR_CONFIG, "%s: the table %s has %d line%s with numbers; it needs two at least",
                          where, path, curve->count, curve->count == 1 ? "" : "s");
  free(text);
  (void)fclose(file);
  return status;
}

void hs_curve_clear(struct hs_curve *curve)
{
  free(curve->x);
  free(curve->y);
  curve->x = curve->y = NULL;
  curve->count = 0;
}

double hs_curve_at(const struct hs_curve *curve, double x)
{
  int low = 0, high = curve->count - 1;
  double share;
  if (x <= curve->x[0]) return curve->y[0];
  if (x >= curve->x[high]) return curve->y[high];
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (curve->x[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  share = (x - curve->x[low]) / (curve->x[high] - curve->x[low]);
  return (1.0 - share) * curve->y[low] + share * curve->y[high];
}
