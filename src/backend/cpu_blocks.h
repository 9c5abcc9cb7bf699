/* Blocks of rows through several levels: the order in which a pass of the cpu backend makes what it makes.
 *
 * Level 0 is the field that a pass reads, level t what t sweeps make of it. Blocks of rows run through all levels, one
 * row further south at each, since a row needs its northern neighbour of the level below:
 *
 *      level    0          1          2          3
 *               |          |          |          |
 *      row 9    n          .          .          .        n  the next block, on its way from memory
 *      row 8    b          n          .          .        b  a block of three rows: at level t rows 8-t, 7-t and 6-t
 *      row 7    b          b          n          .        k  kept from the block before
 *      row 6    b          b          b          n
 *      row 5    k          b          b          b  -> the other field
 *      row 4    k          k          b          b  -> the other field
 *      row 3    .          k          k          b  -> the other field
 *
 * A thread makes its rows with a margin of one row a level: what lies beyond is not up to date, and that spreads by
 * one node a sweep. So threads do not wait for one another within a pass. The grid's own edge has no margin.
 */
#ifndef HS_BACKEND_CPU_BLOCKS_H
#define HS_BACKEND_CPU_BLOCKS_H

enum { HS_CPU_BLOCK_ROWS = 8 }; /* one or two tiles of woven rows; a power of two */

/* A block at one of its levels. */
struct hs_cpu_block {
  int level;
  int row;      /* the first, grid and thread apart */
  int from, to; /* rows to make, from <= j < to; none where from >= to */
  int place;    /* rows of the blocks before this one */
};

/* What a thread's part of a pass is made of. */
struct hs_cpu_blocks {
  int from, to; /* rows of the thread */
  int ny;
  int first, last;  /* levels that are made; level `last` has no margin */
  const void *part; /* for the functions */
  void (*make)(const void *part, const struct hs_cpu_block *block);
  void (*prefetch)(const void *part, int j); /* calls row j of level 0, which the next block reads, from memory */
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
static inline int hs_cpu_blocks_places(int rows, int depth)
{
  return rows + 2 * depth + HS_CPU_BLOCK_ROWS;
}

static inline void hs_cpu_blocks_make(const struct hs_cpu_blocks *b)
{
  const int depth = b->last, south = hs_cpu_larger(b->from - depth, 0);
  const int end = hs_cpu_smaller(b->to + depth, b->ny); /* of the rows that are read */
  for (int base = south; base - depth < b->to; base += HS_CPU_BLOCK_ROWS) {
    int ahead = base + HS_CPU_BLOCK_ROWS; /* row to be called next */
    for (int level = b->first; level <= depth; level++) {
      const int margin = depth - level, row = base - level;
      const struct hs_cpu_block block = {
          .level = level,
          .row = row,
          .from = hs_cpu_larger(row, hs_cpu_larger(b->from - margin, 0)),
          .to = hs_cpu_smaller(row + HS_CPU_BLOCK_ROWS, hs_cpu_smaller(b->to + margin, b->ny)),
          .place = base - south};
      b->make(b->part, &block);
      for (; (ahead - base - HS_CPU_BLOCK_ROWS) * depth < level * HS_CPU_BLOCK_ROWS; ahead++)
        if (ahead < end) b->prefetch(b->part, ahead);
    }
  }
}

#endif
