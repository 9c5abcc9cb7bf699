/* Blocks of rows through several stages: the order in which a pass of the cpu backend makes what it makes.
 *
 * Stage 0 is the field that a pass reads, stage t what t sweeps make of it. Blocks of rows run through all stages, one
 * row further south at each, since a row needs its northern neighbour of the stage below:
 *
 *      stage    0          1          2          3
 *               |          |          |          |
 *      row 9    n          .          .          .        n  the next block, on its way from memory
 *      row 8    b          n          .          .        b  a block of three rows: at stage t rows 8-t, 7-t and 6-t
 *      row 7    b          b          n          .        k  kept from the block before
 *      row 6    b          b          b          n
 *      row 5    k          b          b          b  -> the other field
 *      row 4    k          k          b          b  -> the other field
 *      row 3    .          k          k          b  -> the other field
 *
 * What lies beyond a thread's rows is not up to date, and that spreads by one row a stage. Either a thread makes its
 * rows with a ghost zone of one row a stage, and no thread waits for another. Or the wavefront is pipelined: at each
 * stage a thread's rows lie one row further north, so that nothing in them depends on what lies south of them; what
 * they need from the north are the two first rows of the next thread, which it has made at its very beginning and hands
 * over. No row is made twice then. Rows 0 to 11 of two threads a and b, with a ghost zone and pipelined; f: handed from
 * b to a:
 *
 *      stage 3   a a a a a a|b b b b b b        a a a a a a a a a|b b b
 *      stage 2   a a a a a x x b b b b b        a a a a a a a a|f f b b
 *      stage 1   a a a a x x x x b b b b        a a a a a a a|f f b b b
 *      stage 0   a a a x x x x x x b b b        a a a a a a|x x b b b b      x: made, or read, by both
 *
 * The grid's own edges have neither.
 */
#ifndef HS_BACKEND_CPU_WAVEFRONT_H
#define HS_BACKEND_CPU_WAVEFRONT_H

#include <stdbool.h>

enum {
  HS_CPU_BLOCK_ROWS = 8, /* one or two times JAM_ROWS; a power of two */
  HS_CPU_HALO_ROWS = 2   /* of a stage, that a pipelined thread needs from the next one */
};

/* A block at one of its stages. */
struct hs_cpu_block {
  int stage;
  int row;                /* the first, grid and thread apart */
  int from, to;           /* rows to make, from <= j < to; none where from >= to */
  int halo_from, halo_to; /* rows that the next thread hands over, likewise */
  int place;              /* rows of the blocks before this one */
};

/* What a thread's part of a pass is made of. */
struct hs_cpu_wavefront {
  int from, to; /* rows of the thread */
  int ny;
  int first, last;     /* stages that are made; stage `last` has no ghost zone */
  bool pipelined;      /* else with ghost zones */
  const void *context; /* for the functions */
  void (*make)(const void *context, const struct hs_cpu_block *block);
  void (*prefetch)(const void *context, int j); /* calls row j of stage 0, which the next block reads, from memory */
};

static inline int hs_cpu_larger(int a, int b)
{
  return a > b ? a : b;
}

static inline int hs_cpu_smaller(int a, int b)
{
  return a < b ? a : b;
}

/* Places of all blocks of a thread with so many rows, at most. */
static inline int hs_cpu_wavefront_places(int rows, int depth)
{
  return rows + 2 * depth + HS_CPU_BLOCK_ROWS;
}

/* Rows from <= j < to of a stage that are this thread's. */
static inline int hs_cpu_wavefront_from(const struct hs_cpu_wavefront *b, int stage)
{
  if (b->pipelined) return b->from == 0 ? 0 : hs_cpu_smaller(b->from + stage, b->ny);
  return hs_cpu_larger(b->from - (b->last - stage), 0);
}

static inline int hs_cpu_wavefront_to(const struct hs_cpu_wavefront *b, int stage)
{
  if (b->pipelined) return b->to == b->ny ? b->ny : hs_cpu_smaller(b->to + stage, b->ny);
  return hs_cpu_smaller(b->to + (b->last - stage), b->ny);
}

static inline void hs_cpu_wavefront_make(const struct hs_cpu_wavefront *b)
{
  const int depth = b->last, south = hs_cpu_wavefront_from(b, 0), beyond = b->pipelined ? HS_CPU_HALO_ROWS : 0;
  const int end = hs_cpu_smaller(hs_cpu_wavefront_to(b, 0) + beyond, b->ny); /* of the rows that are read */
  for (int base = south; base - depth < hs_cpu_wavefront_to(b, depth); base += HS_CPU_BLOCK_ROWS) {
    int ahead = base + HS_CPU_BLOCK_ROWS; /* row to be called next */
    for (int stage = b->first; stage <= depth; stage++) {
      const int row = base - stage, to = stage == 0 ? end : hs_cpu_wavefront_to(b, stage);
      const int halo_to = stage == 0 || stage == depth ? to : hs_cpu_smaller(to + beyond, b->ny);
      const struct hs_cpu_block block = {.stage = stage,
                                         .row = row,
                                         .from = hs_cpu_larger(row, hs_cpu_wavefront_from(b, stage)),
                                         .to = hs_cpu_smaller(row + HS_CPU_BLOCK_ROWS, to),
                                         .halo_from = hs_cpu_larger(row, to),
                                         .halo_to = hs_cpu_smaller(row + HS_CPU_BLOCK_ROWS, halo_to),
                                         .place = base - south};
      b->make(b->context, &block);
      for (; (ahead - base - HS_CPU_BLOCK_ROWS) * depth < stage * HS_CPU_BLOCK_ROWS; ahead++)
        if (ahead < end) b->prefetch(b->context, ahead);
    }
  }
}

#endif
