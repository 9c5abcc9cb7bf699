#include "backend/distributed/linear/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* --- axes ------------------------------------------------------------------------------------ */

static hs_status axis_reserve(int n, bool periodic, int count, struct hs_axis *axis, struct hs_error *err)
{
  const size_t parts = (size_t)count;
  const hs_status status =
      hs_array_create((void **)&axis->begin, 3 * parts + 1, sizeof *axis->begin, "the parts of a level", err);
  axis->n = n;
  axis->periodic = periodic;
  axis->count = count;
  if (status) return status;
  axis->first = axis->begin + parts + 1;
  axis->end = axis->first + parts;
  return HS_OK;
}

static int even_below(int index)
{
  return index - (index % 2 != 0);
}

hs_status hs_axis_create(int n, bool periodic, int count, const int *begin, int depth, struct hs_axis *axis,
                         struct hs_error *err)
{
  const hs_status status = axis_reserve(n, periodic, count, axis, err);
  if (status) return status;
  memcpy(axis->begin, begin, ((size_t)count + 1) * sizeof *begin);
  for (int k = 0; k < count; k++) {
    axis->first[k] = even_below(begin[k] - depth);
    axis->end[k] = begin[k + 1] + depth;
    if (count == 1 || (!periodic && axis->first[k] < 0)) axis->first[k] = 0;
    if (count == 1 || (!periodic && axis->end[k] > n)) axis->end[k] = n;
  }
  return HS_OK;
}

hs_status hs_axis_whole(int n, bool periodic, struct hs_axis *axis, struct hs_error *err)
{
  const int begin[2] = {0, n};
  free(axis->begin);
  axis->begin = NULL;
  return hs_axis_create(n, periodic, 1, begin, 0, axis, err);
}

static int halved(int index, bool coarsen)
{
  return coarsen ? (index + 1) / 2 : index;
}

hs_status hs_axis_coarsen(const struct hs_axis *fine, bool coarsen, int depth, struct hs_axis *axis,
                          struct hs_error *err)
{
  int *begin = NULL;
  hs_status status =
      hs_array_create((void **)&begin, (size_t)fine->count + 1, sizeof *begin, "the parts of a level", err);
  for (int k = 0; !status && k <= fine->count; k++) begin[k] = halved(fine->begin[k], coarsen);
  if (!status) status = hs_axis_create(halved(fine->n, coarsen), fine->periodic, fine->count, begin, depth, axis, err);
  free(begin);
  return status;
}

hs_status hs_axis_halve(const struct hs_axis *fine, bool coarsen, struct hs_axis *axis, struct hs_error *err)
{
  const hs_status status = hs_axis_coarsen(fine, coarsen, 0, axis, err);
  for (int k = 0; !status && k < fine->count; k++) {
    axis->first[k] = coarsen ? fine->first[k] / 2 : fine->first[k];
    axis->end[k] = axis->first[k] + halved(fine->end[k] - fine->first[k], coarsen);
  }
  return status;
}

bool hs_axis_even(const struct hs_axis *axis)
{
  enum { LEAST = 8 }; /* fewer nodes are neighbours on both sides once they are coarsened */
  return axis->count == 1 || !axis->periodic || (axis->n % 2 == 0 && axis->n >= LEAST);
}

int hs_axis_least(const struct hs_axis *axis)
{
  int least = INT_MAX;
  for (int k = 0; axis->count > 1 && k < axis->count; k++)
    if (axis->begin[k + 1] - axis->begin[k] < least) least = axis->begin[k + 1] - axis->begin[k];
  return least;
}

/* --- windows --------------------------------------------------------------------------------- */

void hs_blocks_clear(struct hs_blocks *blocks)
{
  free(blocks->x.begin);
  free(blocks->y.begin);
  blocks->x.begin = blocks->y.begin = NULL;
}

/* The number of a part in each direction. */
static int along_x(const struct hs_blocks *blocks, int part)
{
  return hs_blocks_whole(blocks) ? 0 : part % blocks->x.count;
}

static int along_y(const struct hs_blocks *blocks, int part)
{
  return hs_blocks_whole(blocks) ? 0 : part / blocks->x.count;
}

struct hs_rectangle hs_blocks_window(const struct hs_blocks *blocks, int part)
{
  const struct hs_axis *x = &blocks->x, *y = &blocks->y;
  const int i = along_x(blocks, part), j = along_y(blocks, part);
  const struct hs_rectangle window = {x->first[i], y->first[j], x->end[i] - x->first[i], y->end[j] - y->first[j]};
  return window;
}

struct hs_rectangle hs_blocks_own(const struct hs_blocks *blocks, int part)
{
  const struct hs_axis *x = &blocks->x, *y = &blocks->y;
  const int i = along_x(blocks, part), j = along_y(blocks, part);
  const struct hs_rectangle own = {x->begin[i] - x->first[i], y->begin[j] - y->first[j], x->begin[i + 1] - x->begin[i],
                                   y->begin[j + 1] - y->begin[j]};
  return own;
}

/* --- transfers ------------------------------------------------------------------------------- */

/* Nodes of one direction that a part has as its own and another one in its window. */
struct piece {
  int from, source, target, count; /* first nodes, counted from those of the windows */
  bool around;                     /* seen across a periodic wall */
};

/* Those of the window of part `part`; none where pieces is NULL. Returns how many. */
static int pieces_find(const struct hs_axis *from, const struct hs_axis *to, int part, struct piece *pieces)
{
  const int first = to->first[part], end = to->end[part];
  const int most = to->periodic ? (end - first) / to->n + 1 : 0;
  int found = 0;
  for (int turn = -most; turn <= most; turn++)
    for (int k = 0; k < from->count; k++) {
      const int away = turn * from->n;
      const int low = from->begin[k] + away > first ? from->begin[k] + away : first;
      const int high = from->begin[k + 1] + away < end ? from->begin[k + 1] + away : end;
      if (low >= high) continue;
      if (pieces) pieces[found] = (struct piece){k, low - away - from->first[k], low - first, high - low, turn != 0};
      found++;
    }
  return found;
}

static hs_status pieces_create(const struct hs_axis *from, const struct hs_axis *to, int part, struct piece **pieces,
                               int *count, struct hs_error *err)
{
  hs_status status;
  *count = pieces_find(from, to, part, NULL);
  status = hs_array_create((void **)pieces, (size_t)*count + 1, sizeof **pieces, "the parts of a level", err);
  if (!status) (void)pieces_find(from, to, part, *pieces);
  return status;
}

hs_status hs_blocks_transfers(const struct hs_blocks *from, const struct hs_blocks *to, int part, bool ghosts,
                              struct hs_transfer **transfers, int *count, struct hs_error *err)
{
  struct piece *x = NULL, *y = NULL;
  int count_x = 0, count_y = 0;
  hs_status status = pieces_create(&from->x, &to->x, along_x(to, part), &x, &count_x, err);
  if (!status) status = pieces_create(&from->y, &to->y, along_y(to, part), &y, &count_y, err);
  *transfers = NULL;
  *count = 0;
  if (!status)
    status = hs_array_create((void **)transfers, (size_t)count_x * (size_t)count_y + 1, sizeof **transfers,
                             "the parts of a level", err);
  for (int k = 0; !status && k < count_x * count_y; k++) {
    const struct piece *px = &x[k % count_x], *py = &y[k / count_x];
    const int source = hs_blocks_whole(from) ? part : py->from * from->x.count + px->from;
    const struct hs_transfer transfer = {source,
                                         part,
                                         {px->source, py->source, px->count, py->count},
                                         {px->target, py->target, px->count, py->count},
                                         k};
    if (ghosts && source == part && !px->around && !py->around) continue;
    (*transfers)[(*count)++] = transfer;
  }
  free(x);
  free(y);
  return status;
}
