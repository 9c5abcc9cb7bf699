/* Curves from CSV files: two columns of numbers, linear in between. A third column, a decimal comma and abscissas that do
 * not ascend are refused with their line. */
#include "problem/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv_read.h"

/* A file being read. */
struct source {
  struct hs_csv_reader table;
  const char *path, *where;
  int room; /* of the curve's arrays */
};

static hs_status fail(const struct source *source, struct hs_error *err, const char *reason)
{
  return hs_error_set(err, HS_ERR_CONFIG, "%s: %s:%d: %s", source->where, source->path, source->table.line, reason);
}

static hs_status unreadable(const struct source *source, struct hs_error *err)
{
  return hs_error_set(err, HS_ERR_IO, "%s: cannot read the table %s: %s; paths are relative to the configuration",
                      source->where, source->path, source->table.reason);
}

static hs_status append(struct source *source, struct hs_curve *curve, double x, double y, struct hs_error *err)
{
  if (curve->count == HS_CURVE_POINTS_MOST) {
    fail(source, err, "the table goes on behind");
    hs_error_append(err, "%d lines with numbers, the most that a table may have; thin it out", HS_CURVE_POINTS_MOST);
    return HS_ERR_CONFIG;
  }
  if (curve->count == source->room) {
    const int room = source->room ? 2 * source->room : 64;
    double *xs = realloc(curve->x, (size_t)room * sizeof *xs), *ys;
    if (xs) curve->x = xs;
    ys = xs ? realloc(curve->y, (size_t)room * sizeof *ys) : NULL;
    if (!ys) return hs_error_set(err, HS_ERR_MEMORY, "out of memory for the table %s", source->path);
    curve->y = ys;
    source->room = room;
  }
  curve->x[curve->count] = x;
  curve->y[curve->count++] = y;
  return HS_OK;
}

static hs_status point_take(struct source *source, const double *numbers, int count, struct hs_curve *curve,
                            struct hs_error *err)
{
  if (count != 2)
    return fail(source, err,
                count == 1 ? "this line has one number; a table has two columns, position or time, and value"
                           : "this line has more than two numbers; a table has two columns, position or time, and "
                             "value (decimal points, not commas)");
  if (!isfinite(numbers[0]) || !isfinite(numbers[1]))
    return fail(source, err, "this line has a number that is not finite");
  if (curve->count && !(numbers[0] > curve->x[curve->count - 1]))
    return fail(source, err, "the first column must ascend from line to line");
  return append(source, curve, numbers[0], numbers[1], err);
}

static hs_status points_read(struct source *source, struct hs_curve *curve, struct hs_error *err)
{
  hs_status status = HS_OK;
  while (!status) {
    double numbers[3];
    int count;
    switch (hs_csv_next(&source->table, numbers, 3, &count)) {
    case HS_CSV_NUMBERS: status = point_take(source, numbers, count, curve, err); break;
    case HS_CSV_WORDS: return fail(source, err, "this line holds something else than two numbers");
    case HS_CSV_BYTES: return fail(source, err, "this line is not text");
    case HS_CSV_LONG:
      fail(source, err, "this line has");
      hs_error_append(err, "more than %d bytes", (int)HS_CSV_LINE_BYTES);
      return HS_ERR_CONFIG;
    case HS_CSV_UNREADABLE: return unreadable(source, err);
    case HS_CSV_END: return HS_OK;
    }
  }
  return status;
}

hs_status hs_curve_read(const char *path, const char *where, struct hs_curve *curve, struct hs_error *err)
{
  struct source source = {.path = path, .where = where};
  hs_status status;
  if (!hs_csv_open(&source.table, path)) return unreadable(&source, err);
  status = points_read(&source, curve, err);
  if (!status && curve->count < 2)
    status = hs_error_set(err, HS_ERR_CONFIG, "%s: the table %s has %d line%s with numbers; it needs two at least",
                          where, path, curve->count, curve->count == 1 ? "" : "s");
  hs_csv_close(&source.table);
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
