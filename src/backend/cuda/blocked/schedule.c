/* Pieces of blocked sweeps: the rows of all strips, one strip after another, are dealt to the blocks in equal shares
 * of the expected time; a share that reaches over the end of a strip is cut into pieces there.
 */
#include "backend/cuda/blocked/schedule.h"

#include <stdlib.h>

#include "base/memory.h"

void hs_blocked_mark(const struct hs_blocked_layout *layout, int64_t ny)
{
  const int count = layout->first[layout->blocks];
#pragma omp parallel for schedule(static)
  for (int p = 0; p < count; p++) {
    struct hs_blocked_piece *piece = &layout->piece[p];
    const int64_t first = piece->row0 - HS_BLOCKED_LEVELS, end = piece->row1 + HS_BLOCKED_LEVELS;
    piece->weights = 0;
    for (int64_t j = first > 0 ? first : 0; j < end && j < ny; j++)
      piece->weights |= HS_BLOCKED_KIND(layout->row[piece->strip * ny + j]) == HS_BLOCKED_WEIGHED;
  }
}

/* What rows take in a block, ns, as fitted to the times of blocks on an H200 (doc/measurements.md): those of a
 * kind; those near a change of class without weights and with them, for which one warp after another is slow; and
 * what a piece takes beside its rows. */
struct costs {
  int alike[HS_BLOCKED_WEIGHED + 1], changing, general, piece;
};

static const struct costs costs[] = {{{392, 453, 1563}, 5576, 41408, 7493},  /* double */
                                     {{433, 524, 2232}, 9032, 81377, 9325}}; /* single precision */

static int row_cost(const struct hs_blocked_layout *layout, uint32_t word)
{
  const struct costs *of = &costs[layout->single];
  const enum hs_blocked_kind kind = HS_BLOCKED_KIND(word);
  if (HS_BLOCKED_AHEAD(word)) return of->alike[kind];
  return kind == HS_BLOCKED_WEIGHED ? of->general : of->changing;
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

/* Deals all rows in shares of at most `most`, pieces' overheads included; piece NULL: only counts. Returns the number
 * of blocks needed, or `blocks` + 1 when they do not suffice. */
static int rows_deal(const struct hs_blocked_layout *layout, int64_t ny, const int64_t *cost, int overhead,
                     int64_t most, struct hs_blocked_piece *piece, int32_t *first)
{
  int64_t n = 0;
  int32_t pieces = 0;
  int block = 0;
  for (; n < ny * layout->strips; block++) {
    int64_t left = most;
    if (block == layout->blocks) return block + 1;
    if (first) first[block] = pieces;
    while (left > overhead && n < ny * layout->strips) {
      const int64_t strip_end = (n / ny + 1) * ny, end = share_end(cost, n, strip_end, left - overhead);
      if (end == n) break;
      if (piece)
        piece[pieces] =
            (struct hs_blocked_piece){(int32_t)(n / ny), (int32_t)(n % ny), (int32_t)((end - 1) % ny + 1), 0};
      pieces++;
      left -= overhead + cost[end] - cost[n];
      n = end;
    }
  }
  for (int b = block; first && b <= layout->blocks; b++) first[b] = pieces;
  return block;
}

hs_status hs_blocked_deal(const struct hs_system *system, struct hs_blocked_layout *layout, int overhead,
                          struct hs_error *err)
{
  const int64_t ny = system->ny;
  const size_t most_pieces = (size_t)layout->blocks + (size_t)layout->strips;
  int64_t *cost = NULL, low, high;
  hs_status status = costs_add(system, layout, &cost, err);
  overhead = overhead * costs[layout->single].alike[HS_BLOCKED_PLAIN] + costs[layout->single].piece;
  if (!status)
    status = hs_array_create((void **)&layout->piece, most_pieces, sizeof *layout->piece, "the pieces of strips", err);
  if (!status)
    status = hs_array_create((void **)&layout->first, (size_t)layout->blocks + 1, sizeof *layout->first,
                             "the pieces of strips", err);
  if (status) goto out;
  low = overhead + 1; /* the smallest share that suffices lies in (low - 1, high] */
  high = cost[ny * layout->strips] + (int64_t)(layout->strips + 1) * overhead;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (rows_deal(layout, ny, cost, overhead, middle, NULL, NULL) <= layout->blocks)
      high = middle;
    else
      low = middle + 1;
  }
  (void)rows_deal(layout, ny, cost, overhead, high, layout->piece, layout->first);
  hs_blocked_mark(layout, ny);
out:
  free(cost);
  return status;
}
