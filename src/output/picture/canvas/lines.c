/* The ends are sorted by their keys; two neighbours of one key, and no third, are where two pieces meet. Open polylines
 * are followed from their ends, then what is left is closed. */
#include "output/picture/canvas/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static hs_status no_room(int pieces, struct hs_error *err)
{
  return hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the lines of a picture, %d pieces.", pieces);
}

hs_status hs_lines_add(struct hs_lines *lines, struct hs_line_end from, struct hs_line_end to, struct hs_error *err)
{
  if (lines->end_count + 2 > lines->end_room) {
    const int room = lines->end_room > 0 ? 2 * lines->end_room : 512;
    struct hs_line_end *ends = realloc(lines->ends, (size_t)room * sizeof *ends);
    if (!ends) return no_room(room / 2, err);
    lines->ends = ends;
    lines->end_room = room;
  }
  lines->ends[lines->end_count++] = from;
  lines->ends[lines->end_count++] = to;
  return HS_OK;
}

struct sorted {
  int64_t key;
  int end;
};

static int sorted_order(const void *a, const void *b)
{
  const struct sorted *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->end > y->end) - (x->end < y->end);
}

/* partner[end]: the end of another piece at the same spot, -1 where the line ends or branches. */
static void find_partners(const struct hs_lines *lines, struct sorted *sorted, int *partner)
{
  const int count = lines->end_count;
  for (int k = 0; k < count; k++) sorted[k] = (struct sorted){lines->ends[k].key, k};
  qsort(sorted, (size_t)count, sizeof *sorted, sorted_order);
  for (int k = 0, next; k < count; k = next) {
    for (next = k + 1; next < count && sorted[next].key == sorted[k].key;) next++;
    for (int e = k; e < next; e++) partner[sorted[e].end] = -1;
    if (next - k != 2) continue;
    partner[sorted[k].end] = sorted[k + 1].end;
    partner[sorted[k + 1].end] = sorted[k].end;
  }
}

static double distance(struct hs_spot a, struct hs_spot b)
{
  return hypot(a.x - b.x, a.y - b.y);
}

/* Adds a spot to the last polyline, unless it is too near; the last spot of a line is always kept. */
static void append(struct hs_lines *lines, struct hs_spot spot, double least, bool last)
{
  struct hs_polyline *line = &lines->line[lines->count];
  const struct hs_spot *before = &lines->spots[lines->spot_count - 1];
  if (line->count > 0 && !last && distance(*before, spot) < least) return;
  if (line->count > 0) line->length += distance(*before, spot);
  lines->spots[lines->spot_count++] = spot;
  line->count++;
}

/* The polyline that begins with an end of a piece. */
static void follow(struct hs_lines *lines, const int *partner, char *used, int begin, double least)
{
  struct hs_polyline *line = &lines->line[lines->count];
  int end = begin;
  *line = (struct hs_polyline){.first = lines->spot_count};
  append(lines, lines->ends[end].at, least, true);
  for (;;) {
    const int other = end ^ 1, next = partner[other];
    used[end / 2] = 1;
    line->closed = next == begin;
    if (next < 0 || used[next / 2]) {
      append(lines, lines->ends[other].at, least, true);
      break;
    }
    append(lines, lines->ends[other].at, least, false);
    end = next;
  }
  lines->count++;
}

hs_status hs_lines_join(struct hs_lines *lines, double least, struct hs_error *err)
{
  const int ends = lines->end_count;
  struct sorted *sorted = malloc(((size_t)ends + 1) * sizeof *sorted);
  int *partner = malloc(((size_t)ends + 1) * sizeof *partner);
  char *used = calloc((size_t)ends / 2 + 1, 1);
  hs_status status = HS_OK;
  lines->spots = malloc(((size_t)ends + 1) * sizeof *lines->spots);
  lines->line = malloc(((size_t)ends / 2 + 1) * sizeof *lines->line);
  if (!sorted || !partner || !used || !lines->spots || !lines->line) {
    status = no_room(ends / 2, err);
    goto out;
  }
  find_partners(lines, sorted, partner);
  for (int k = 0; k < ends; k++)
    if (!used[k / 2] && partner[k] < 0) follow(lines, partner, used, k, least);
  for (int k = 0; k < ends; k += 2)
    if (!used[k / 2]) follow(lines, partner, used, k, least);
  free(lines->ends);
  lines->ends = NULL;
  lines->end_count = lines->end_room = 0;
out:
  free(used);
  free(partner);
  free(sorted);
  return status;
}

void hs_lines_path(cairo_t *cr, const struct hs_lines *lines)
{
  for (int k = 0; k < lines->count; k++) {
    const struct hs_polyline *line = &lines->line[k];
    const int drawn = line->closed ? line->count - 1 : line->count; /* a closed one's last spot is its first */
    cairo_new_sub_path(cr);
    for (int s = 0; s < drawn; s++) cairo_line_to(cr, lines->spots[line->first + s].x, lines->spots[line->first + s].y);
    if (line->closed) cairo_close_path(cr);
  }
}

void hs_lines_clear(struct hs_lines *lines)
{
  free(lines->ends);
  free(lines->spots);
  free(lines->line);
  memset(lines, 0, sizeof *lines);
}
