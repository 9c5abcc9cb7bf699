/* Squares of SQUARE units: fine enough for labels, and quick to look at. */
#include "output/picture/canvas/room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SQUARE 2.5
#define STEP 2.0 /* between spots that are looked at */

hs_status hs_room_create(struct hs_room *room, const struct hs_box *box, struct hs_error *err)
{
  room->box = *box;
  room->columns = (int)(box->width / SQUARE) + 1;
  room->rows = (int)(box->height / SQUARE) + 1;
  room->use = NULL;
  return hs_array_create((void **)&room->use, (size_t)room->columns * (size_t)room->rows, 1, "a picture's labels", err);
}

void hs_room_clear(struct hs_room *room)
{
  free(room->use);
  memset(room, 0, sizeof *room);
}

/* The square at (x, y); NULL outside of the box. */
static unsigned char *square_at(const struct hs_room *room, double x, double y)
{
  const double c = (x - room->box.x) / SQUARE, r = (y - room->box.y) / SQUARE;
  if (!(c >= 0.0 && r >= 0.0 && x <= room->box.x + room->box.width && y <= room->box.y + room->box.height)) return NULL;
  return &room->use[(size_t)r * (size_t)room->columns + (size_t)c];
}

static void note_spot(struct hs_room *room, double x, double y, int id)
{
  unsigned char *square = square_at(room, x, y);
  if (!square || *square == HS_ROOM_TAKEN || *square == id) return;
  *square = (unsigned char)(*square == 0 ? id : HS_ROOM_LINES);
}

void hs_room_note(struct hs_room *room, const struct hs_lines *lines, int id)
{
  for (int k = 0; k < lines->count; k++)
    for (int s = 0; s + 1 < lines->line[k].count; s++) {
      const struct hs_spot a = lines->spots[lines->line[k].first + s], b = lines->spots[lines->line[k].first + s + 1];
      const int steps = 1 + (int)(hypot(b.x - a.x, b.y - a.y) / STEP);
      for (int t = 0; t <= steps; t++)
        note_spot(room, a.x + (b.x - a.x) * t / steps, a.y + (b.y - a.y) * t / steps, id);
    }
}

/* Spot (i, j) of across x down that cover a place. */
static struct hs_spot spot_of(const struct hs_place *place, int i, int across, int j, int down)
{
  const double u = ((double)i / across - 0.5) * place->width, v = ((double)j / down - 0.5) * place->height;
  const double c = cos(place->angle_rad), s = sin(place->angle_rad);
  return (struct hs_spot){place->x + c * u - s * v, place->y + s * u + c * v};
}

void hs_room_take(struct hs_room *room, const struct hs_place *place)
{
  const int across = 1 + (int)(place->width / STEP), down = 1 + (int)(place->height / STEP);
  for (int j = 0; j <= down; j++)
    for (int i = 0; i <= across; i++) {
      const struct hs_spot spot = spot_of(place, i, across, j, down);
      unsigned char *square = square_at(room, spot.x, spot.y);
      if (square) *square = HS_ROOM_TAKEN;
    }
}

bool hs_room_is_free(const struct hs_room *room, const struct hs_place *place, int own)
{
  const int across = 1 + (int)(place->width / STEP), down = 1 + (int)(place->height / STEP);
  for (int j = 0; j <= down; j++)
    for (int i = 0; i <= across; i++) {
      const struct hs_spot spot = spot_of(place, i, across, j, down);
      const unsigned char *square = square_at(room, spot.x, spot.y);
      if (!square || (*square != 0 && *square != own)) return false;
    }
  return true;
}
