/* The ghost zone of a part is cut into eight boxes around its own nodes, and each of them by the parts that own its nodes,
 * around periodic walls too. */
#include "comm/halo.h"

#include <stdlib.h>

enum { BOXES = 9, SHIFTS = 3 };

/* The nodes first .. end - 1 of one direction. */
struct span {
  int first, end;
};

static struct span span_meet(struct span a, struct span b)
{
  const struct span both = {a.first > b.first ? a.first : b.first, a.end < b.end ? a.end : b.end};
  return both;
}

/* Box 0, 1, 2 of a window: before the own nodes, these, after them. */
static struct span span_box(int window, int window_n, int own, int own_n, int box)
{
  const struct span spans[] = {{window, own}, {own, own + own_n}, {own + own_n, window + window_n}};
  return spans[box];
}

/* What of `nodes` is reached around the walls by `shift` periods (-1, 0, 1): below the grid, in it, beyond it. */
static struct span span_side(struct span nodes, int n, int shift)
{
  const struct span sides[] = {{nodes.first, 0}, {0, n}, {n, nodes.end}};
  return span_meet(nodes, sides[shift + 1]);
}

struct search {
  const struct hs_partition *partition;
  struct hs_transfer *found; /* NULL: only counted */
  int to, count;
};

/* Adds what part `from` owns of a box of ghosts, seen `shift` periods away. */
static void box_search(struct search *search, int from, int box, const int shift[2])
{
  const struct hs_partition *p = search->partition;
  const struct hs_rectangle window = hs_partition_window(p, search->to), own = hs_partition_own(p, search->to);
  const struct hs_rectangle theirs = hs_partition_own(p, from), their_window = hs_partition_window(p, from);
  const int away_x = shift[0] * p->period_x, away_y = shift[1] * p->period_y;
  const struct span x_of = {theirs.x0 + away_x, theirs.x0 + theirs.nx + away_x};
  const struct span y_of = {theirs.y0 + away_y, theirs.y0 + theirs.ny + away_y};
  struct span x = span_box(window.x0, window.nx, own.x0, own.nx, box % 3);
  struct span y = span_box(window.y0, window.ny, own.y0, own.ny, box / 3);
  x = span_meet(span_side(x, p->grid_nx, shift[0]), x_of);
  y = span_meet(span_side(y, p->grid_ny, shift[1]), y_of);
  if (x.first >= x.end || y.first >= y.end) return;
  if (search->found) {
    struct hs_transfer *t = &search->found[search->count];
    const struct hs_rectangle block = {x.first, y.first, x.end - x.first, y.end - y.first};
    t->from = from;
    t->to = search->to;
    t->tag = (box * SHIFTS + shift[0] + 1) * SHIFTS + shift[1] + 1;
    t->target = block;
    t->target.x0 -= window.x0;
    t->target.y0 -= window.y0;
    t->source = block;
    t->source.x0 -= away_x + their_window.x0;
    t->source.y0 -= away_y + their_window.y0;
  }
  search->count++;
}

/* The parts around part `to`, itself among them: ghost zones reach no further. Returns how many. */
static int neighbours(const struct hs_partition *p, int to, int found[BOXES])
{
  const int at_x = to % p->count_x, at_y = to / p->count_x;
  int count = 0;
  for (int y = at_y - 1; y <= at_y + 1; y++) {
    for (int x = at_x - 1; x <= at_x + 1; x++) {
      const int around_x = (x + p->count_x) % p->count_x, around_y = (y + p->count_y) % p->count_y;
      const int part = around_y * p->count_x + around_x;
      int k = 0;
      if ((x != around_x && !p->period_x) || (y != around_y && !p->period_y)) continue;
      while (k < count && found[k] != part) k++;
      if (k == count) found[count++] = part;
    }
  }
  return count;
}

static void transfers_search(struct search *search)
{
  const struct hs_partition *p = search->partition;
  const int far_x = p->period_x && p->count_x > 1, far_y = p->period_y && p->count_y > 1;
  int near[BOXES];
  const int count = neighbours(p, search->to, near);
  for (int k = 0; k < count; k++)
    for (int box = 0; box < BOXES; box++)
      for (int y = -far_y; box != BOXES / 2 && y <= far_y; y++)
        for (int x = -far_x; x <= far_x; x++) box_search(search, near[k], box, (const int[2]){x, y});
}

hs_status hs_halo_find(const struct hs_partition *partition, int to, struct hs_transfer **transfers, int *count,
                       struct hs_error *err)
{
  struct search search = {.partition = partition, .to = to};
  *transfers = NULL;
  *count = 0;
  if (partition->ghost == 0) return HS_OK;
  transfers_search(&search);
  *count = search.count;
  *transfers = calloc((size_t)search.count + 1, sizeof **transfers);
  if (!*transfers) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left for the list of ghost nodes");
  search.found = *transfers;
  search.count = 0;
  transfers_search(&search);
  return HS_OK;
}
