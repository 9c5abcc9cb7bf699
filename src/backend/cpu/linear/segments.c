/* The smoother that solves on segments: blocks of them are shared among the threads. */
#include "backend/cpu/linear/linear.h"

enum { BLOCK_ROWS = 32, COLUMNS = 8 * HS_SEGMENT /* of a thread's piece of work */ };

/* A range of nodes in pieces, which begin where (node + shift) is a multiple of `piece`. */
struct pieces {
  int first, end, shift, piece;
};

static int pieces_before(const struct pieces *p)
{
  return (p->first + p->shift) / p->piece;
}

static int pieces_count(const struct pieces *p)
{
  return p->end > p->first ? (p->end - 1 + p->shift) / p->piece + 1 - pieces_before(p) : 0;
}

static struct hs_share piece_at(const struct pieces *p, int k)
{
  const int from = (pieces_before(p) + k) * p->piece - p->shift, to = from + p->piece;
  return (struct hs_share){from > p->first ? from : p->first, to < p->end ? to : p->end};
}

struct smoothing {
  const struct hs_operator *op;
  const struct hs_segments *segments;
  const struct hs_vector *u, *f;
  struct hs_vector *to;
};

/* Segments in these rows and columns. */
static void piece_smooth(const struct smoothing *s, struct hs_share rows, struct hs_share columns)
{
  const struct hs_segments *g = s->segments;
  const struct hs_grid *grid = &s->op->grid;
  const size_t n = hs_grid_at(grid, 0, rows.from);
  const struct pieces within = {columns.from, columns.to, g->along_x ? g->shift : 0,
                                g->along_x ? HS_SEGMENT : HS_LINEAR_LINES};
  struct hs_linear_row row[BLOCK_ROWS];
  struct hs_segment_block block = {.along_x = g->along_x,
                                   .weight = (float)g->weight,
                                   .row = row,
                                   .count = rows.to - rows.from,
                                   .u = s->u->single + n,
                                   .f = s->f->single + n,
                                   .relaxed = s->to->single + n,
                                   .pitch = grid->pitch};
  for (int k = 0; k < block.count; k++) row[k] = hs_linear_row(s->op, rows.from + k);
  for (int k = 0; k < pieces_count(&within); k++) {
    const struct hs_share own = piece_at(&within, k);
    block.from = own.from;
    block.to = own.to;
    s->op->by_rows->rows->segments(&block);
  }
}

static void pass(const struct smoothing *s)
{
  const struct hs_segments *g = s->segments;
  const struct hs_grid *grid = &s->op->grid;
  const int end = hs_segments_end(g, grid);
  const struct pieces rows =
      g->along_x ? (struct pieces){0, grid->ny, 0, BLOCK_ROWS} : (struct pieces){g->first, end, g->shift, HS_SEGMENT};
  const struct pieces columns =
      g->along_x ? (struct pieces){g->first, end, g->shift, COLUMNS} : (struct pieces){0, grid->nx, 0, COLUMNS};
  const int across = pieces_count(&columns);
  const struct hs_share own = hs_linear_share(pieces_count(&rows) * across);
  for (int k = own.from; k < own.to; k++) piece_smooth(s, piece_at(&rows, k / across), piece_at(&columns, k % across));
}

hs_status hs_linear_cycle_segments(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                   const struct hs_segments *segments, struct hs_vector *to, struct hs_error *err)
{
  const struct smoothing smoothing = {op, segments, u, f, to};
  (void)err;
  HS_LINEAR_REGION(op, pass(&smoothing););
  hs_host_ghosts_f32(&op->grid, to->single);
  return HS_OK;
}
