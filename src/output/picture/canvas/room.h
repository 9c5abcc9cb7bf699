/* Where a plot has room for labels. */
#ifndef HS_OUTPUT_PICTURE_ROOM_H
#define HS_OUTPUT_PICTURE_ROOM_H

#include <stdbool.h>

#include "output/picture/canvas/axes.h"
#include "output/picture/canvas/lines.h"

enum { HS_ROOM_TAKEN = 255, HS_ROOM_LINES = 254 /* several lines */ };

/* A map of squares over a box: 0 where nothing is drawn, else the line there, from 1. */
struct hs_room {
  struct hs_box box;
  int columns, rows;
  unsigned char *use; /* [rows*columns], owned */
};

/* A box around (x, y), turned by an angle, clockwise on the canvas. */
struct hs_place {
  double x, y, width, height, angle_rad;
};

/* Errors: HS_ERR_MEMORY. */
hs_status hs_room_create(struct hs_room *room, const struct hs_box *box, struct hs_error *err);
void hs_room_clear(struct hs_room *room);

/* Notes polylines as line number `id`. */
void hs_room_note(struct hs_room *room, const struct hs_lines *lines, int id);

void hs_room_take(struct hs_room *room, const struct hs_place *place);

/* Is a place within the box, and nothing there but line `own` (0: nothing at all)? */
bool hs_room_is_free(const struct hs_room *room, const struct hs_place *place, int own);

#endif
