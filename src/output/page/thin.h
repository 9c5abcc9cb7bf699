/* Fields as text, small enough for a page: some of the nodes, each as an integer of two or three bytes. */
#ifndef HS_OUTPUT_PAGE_THIN_H
#define HS_OUTPUT_PAGE_THIN_H

#include <stddef.h>

#include "base/text.h"

/* Which nodes are shown: every step-th column and row, and the last ones. */
struct hs_thin {
  int nx, ny;         /* of the field */
  int step_x, step_y; /* 1: all */
  int columns, rows;  /* shown */
};

/* The smallest step of both directions with which at most `most` nodes are left; one in which HS_THIN_LEAST are left already
 * is thinned no further. most is at least HS_THIN_LEAST squared. */
enum { HS_THIN_LEAST = 64 };
struct hs_thin hs_thin_find(int nx, int ny, size_t most);

/* The column or row of the field that is shown as number k. */
int hs_thin_column(const struct hs_thin *thin, int k);
int hs_thin_row(const struct hs_thin *thin, int k);

/* Integers of `bytes` bytes (2 or 3) that stand for numbers: 0 for low, hs_packed_top for high, one more for a number that is
 * not finite. A number comes back with an error of half of (high - low) / hs_packed_top at most. */
struct hs_packed {
  int bytes;
  double low, high; /* the extremes of what is packed; NaN: none is finite */
};
unsigned hs_packed_top(int bytes);

/* Adds count numbers to text, big-endian in base64, and finds their extremes. Without memory text->failed is set. */
void hs_pack(const double *values, size_t count, struct hs_packed *packed, struct hs_text *text);

/* Adds bytes in base64, with padding. */
void hs_base64(const unsigned char *bytes, size_t count, struct hs_text *text);

/* Adds what of a field is shown as JSON: "columns", "rows", "step_x" and "step_y" alone, or {...} with "bytes", "time_s",
 * "low", "high" and "numbers", the packed values[rows*columns]. */
void hs_thin_add_grid(struct hs_text *text, const struct hs_thin *thin);
void hs_thin_add(struct hs_text *text, const double *values, const struct hs_thin *thin, int bytes, double time_s);

#endif
