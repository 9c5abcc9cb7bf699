/* Polylines joined from single pieces: isotherms and outlines of materials. */
#ifndef HS_OUTPUT_PICTURE_LINES_H
#define HS_OUTPUT_PICTURE_LINES_H

#include <cairo.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct hs_spot {
  double x, y;
};

/* The end of a piece. Ends of the same key are the same spot. */
struct hs_line_end {
  int64_t key;
  struct hs_spot at;
};

struct hs_polyline {
  int first, count; /* of the spots */
  bool closed;
  double length;
};

/* Begin with {0}. */
struct hs_lines {
  struct hs_line_end *ends; /* [room], two of each piece, until they are joined */
  int end_count, end_room;
  struct hs_spot *spots; /* of all polylines */
  int spot_count;
  struct hs_polyline *line; /* [count] */
  int count;
};

/* Errors: HS_ERR_MEMORY. */
hs_status hs_lines_add(struct hs_lines *lines, struct hs_line_end from, struct hs_line_end to, struct hs_error *err);

/* Makes polylines of the pieces, as long as can be: they end where none or several others go on. Spots nearer than `least`
 * to the one before are left out. Errors: HS_ERR_MEMORY. */
hs_status hs_lines_join(struct hs_lines *lines, double least, struct hs_error *err);

/* Adds all polylines to the current path. */
void hs_lines_path(cairo_t *cr, const struct hs_lines *lines);

void hs_lines_clear(struct hs_lines *lines);

#endif
