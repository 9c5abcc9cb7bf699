/* Fields over time on a page: some of the snapshots, with some of their nodes. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "io/file.h"
#include "output/field/snapshots.h"
#include "output/page/fields.h"
#include "output/report/report.h"

/* The bytes of a number, of its base64, and of what stands around a field. Nodes of a snapshot at most: more than a picture
 * of moving colours shows. */
enum { BYTES = 2, COUNT_MOST = 60, NODES_MOST = 40000, AROUND = 300 };
#define NODE_BYTES (4.0 / 3.0 * BYTES)

/* Whole rows that are read at a time: 16 MB, or one. */
static int rows_at_once(const struct hs_thin *thin)
{
  const int most = (int)((16 << 20) / ((double)thin->nx * sizeof(double)));
  return most < 1 ? 1 : most < thin->rows ? most : thin->rows;
}

/* Reads the shown nodes of snapshot k; rows is room for rows_at_once. */
static hs_status take(const struct hs_snapshot_reader *reader, int k, const struct hs_thin *thin, double *rows,
                      double *values, struct hs_error *err)
{
  const int last = thin->rows - 1; /* it may be nearer than a step to the row before */
  hs_status status = HS_OK;
  for (int r = 0, count; !status && r < thin->rows; r += count) {
    count = rows_at_once(thin);
    if (r < last && r + count > last) count = last - r;
    if (r == last) count = 1;
    status = hs_snapshot_reader_rows(reader, k, hs_thin_row(thin, r), thin->step_y, count, rows, err);
    for (int j = 0; !status && j < count; j++)
      for (int c = 0; c < thin->columns; c++)
        *values++ = rows[(size_t)j * (size_t)thin->nx + (size_t)hs_thin_column(thin, c)];
  }
  return status;
}

/* How many of `count` snapshots have room, and which they are, evenly. */
static int room_for(int count, double bytes)
{
  const double most = fmin(COUNT_MOST, floor(bytes / (NODE_BYTES * HS_THIN_LEAST * HS_THIN_LEAST + AROUND)));
  return count < most ? count : (int)fmax(2.0, most);
}

static int chosen(int k, int shown, int count)
{
  return shown == count ? k : (int)((int64_t)k * (count - 1) / (shown - 1));
}

static hs_status add_all(const struct hs_result *result, const struct hs_snapshot_reader *reader, double bytes,
                         struct hs_text *text, struct hs_error *err)
{
  const int count = hs_snapshot_reader_count(reader), shown = room_for(count, bytes);
  const double room = shown ? (bytes / shown - AROUND) / NODE_BYTES : 0.0;
  const struct hs_thin thin = hs_thin_find(result->config->grid.nx, result->config->grid.ny,
                                           room > 0.0 && room < NODES_MOST ? (size_t)room : NODES_MOST);
  double *rows = NULL, *values = NULL;
  hs_status status = hs_array_create((void **)&rows, (size_t)rows_at_once(&thin) * (size_t)thin.nx, sizeof *rows,
                                     "rows of a snapshot", err);
  if (!status)
    status = hs_array_create((void **)&values, (size_t)thin.rows * (size_t)thin.columns, sizeof *values,
                             "a snapshot of the page", err);
  for (int k = 0; !status && k < shown; k++) {
    struct hs_snapshot_facts facts;
    status = hs_snapshot_reader_get(reader, chosen(k, shown, count), &facts, NULL, err);
    if (!status && !(facts.time_s < result->transient.time_s)) break;
    if (!status) status = take(reader, chosen(k, shown, count), &thin, rows, values, err);
    if (status) break;
    hs_thin_add(text, values, &thin, BYTES, facts.time_s);
    hs_text_add(text, ",\n");
  }
  free(values);
  free(rows);
  return status;
}

hs_status hs_page_snapshots(const struct hs_result *result, double bytes, struct hs_text *text, struct hs_error *err)
{
  struct hs_snapshot_reader *reader = NULL;
  char *path = hs_file_join(result->config->output.directory, hs_output_file_name(HS_FILE_SNAPSHOTS), err);
  hs_status status = path
                         ? hs_snapshot_reader_open(path, result->config->grid.nx, result->config->grid.ny, &reader, err)
                         : HS_ERR_MEMORY;
  if (!status) status = add_all(result, reader, bytes, text, err);
  hs_snapshot_reader_close(reader);
  free(path);
  return status;
}
