/* The static schedule of blocked sweeps: the rows of all strips, one strip after another, are assigned to the blocks in
 * equal shares of the expected time; a share that reaches over the end of a strip is cut into work items there.
 */
#include "backend/cuda/blocked/schedule.h"

#include <stdlib.h>

#include "base/memory.h"

void hs_blocked_items_mark(const struct hs_blocked_layout *layout, int64_t ny)
{
  const int count = layout->first[layout->blocks];
#pragma omp parallel for schedule(static)
  for (int p = 0; p < count; p++) {
    struct hs_blocked_item *item = &layout->item[p];
    const int64_t first = item->row0 - HS_BLOCKED_STAGES, end = item->row1 + HS_BLOCKED_STAGES;
    item->weights = 0;
    for (int64_t j = first > 0 ? first : 0; j < end && j < ny; j++)
      item->weights |= HS_BLOCKED_PATH(layout->row[item->strip * ny + j]) == HS_BLOCKED_WEIGHED;
  }
}

/* What rows take in a block, ns, fitted to the times of blocks on an H200 (doc/measurements.md): by path while all rows
 * under way are of one kind; near a change of kind, without and with weights, for which one warp after another is slow;
 * and what an item takes beside its rows. */
struct costs {
  int alike[HS_BLOCKED_WEIGHED + 1], changing, changing_weights, item;
};

static const struct costs costs[] = {{{392, 453, 1563}, 5576, 41408, 7493},  /* double */
                                     {{433, 524, 2232}, 9032, 81377, 9325}}; /* single precision */

static int row_cost(const struct hs_blocked_layout *layout, uint32_t descriptor)
{
  const struct costs *of = &costs[layout->single];
  const enum hs_blocked_path path = HS_BLOCKED_PATH(descriptor);
  if (HS_BLOCKED_AHEAD(descriptor)) return of->alike[path];
  return path == HS_BLOCKED_WEIGHED ? of->changing_weights : of->changing;
}

/* The expected time of rows: cost[n] of all rows before n. */
static hs_status costs_add(const struct hs_system *system, const struct hs_blocked_layout *layout, int64_t **cost,
                           struct hs_error *err)
{
  const int64_t rows = (int64_t)system->ny * layout->strips;
  const hs_status status = hs_array_create((void **)cost, (size_t)rows + 1, sizeof **cost, "the times of rows", err);
  for (int64_t n = 0; !status && n < rows; n++) (*cost)[n + 1] = (*cost)[n] + row_cost(layout, layout->row[n]);
  return status;
}

/* First row from n on that a share of `most` does not reach. */
static int64_t share_end(const int64_t *cost, int64_t n, int64_t limit, int64_t most)
{
  int64_t low = n, high = limit; /* rows [n, low) fit, [n, high + 1) do not */
  while (low < high) {
    const int64_t middle = (low + high + 1) / 2;
    if (cost[middle] - cost[n] <= most)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/* Assigns all rows in shares of at most `most`, items' overheads included; item NULL: only counts. Returns the number
 * of blocks needed, or `blocks` + 1 when they do not suffice. */
static int rows_assign(const struct hs_blocked_layout *layout, int64_t ny, const int64_t *cost, int overhead,
                       int64_t most, struct hs_blocked_item *item, int32_t *first)
{
  int64_t n = 0;
  int32_t items = 0;
  int block = 0;
  for (; n < ny * layout->strips; block++) {
    int64_t left = most;
    if (block == layout->blocks) return block + 1;
    if (first) first[block] = items;
    while (left > overhead && n < ny * layout->strips) {
      const int64_t strip_end = (n / ny + 1) * ny, end = share_end(cost, n, strip_end, left - overhead);
      if (end == n) break;
      if (item)
        item[items] = (struct hs_blocked_item){(int32_t)(n / ny), (int32_t)(n % ny), (int32_t)((end - 1) % ny + 1), 0};
      items++;
      left -= overhead + cost[end] - cost[n];
      n = end;
    }
  }
  for (int b = block; first && b <= layout->blocks; b++) first[b] = items;
  return block;
}

hs_status hs_blocked_schedule(const struct hs_system *system, struct hs_blocked_layout *layout, struct hs_error *err)
{
  const int64_t ny = system->ny;
  const struct costs *of = &costs[layout->single];
  const int overhead = HS_BLOCKED_OVERHEAD * of->alike[HS_BLOCKED_PLAIN] + of->item;
  const size_t most_items = (size_t)layout->blocks + (size_t)layout->strips;
  int64_t *cost = NULL, low, high;
  hs_status status = costs_add(system, layout, &cost, err);
  if (!status)
    status = hs_array_create((void **)&layout->item, most_items, sizeof *layout->item, "the items of strips", err);
  if (!status)
    status = hs_array_create((void **)&layout->first, (size_t)layout->blocks + 1, sizeof *layout->first,
                             "the items of strips", err);
  if (status) goto out;
  low = overhead + 1; /* the smallest share that suffices lies in (low - 1, high] */
  high = cost[ny * layout->strips] + (int64_t)(layout->strips + 1) * overhead;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (rows_assign(layout, ny, cost, overhead, middle, NULL, NULL) <= layout->blocks)
      high = middle;
    else
      low = middle + 1;
  }
  (void)rows_assign(layout, ny, cost, overhead, high, layout->item, layout->first);
  hs_blocked_items_mark(layout, ny);
out:
  free(cost);
  return status;
}
