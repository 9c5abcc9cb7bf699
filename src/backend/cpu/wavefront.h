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
 * What lies beyond a thread's rows is not up to date, and that spreads by one row a level. Either a thread makes its
 * rows with a margin of one row a level, and no thread waits for another. Or its rows lean: at each level they lie one
 * row further north, so that nothing in them depends on what lies south of them; what they need from the north are the
 * two first rows of the next thread, which it has made at its very beginning and hands over. No row is made twice then.
 * Rows 0 to 11 of two threads a and b, with a margin and leaning; f: handed from b to a:
 *
 *      level 3   a a a a a a|b b b b b b        a a a a a a a a a|b b b
 *      level 2   a a a a a x x b b b b b        a a a a a a a a|f f b b
 *      level 1   a a a a x x x x b b b b        a a a a a a a|f f b b b
 *      level 0   a a a x x x x x x b b b        a a a a a a|x x b b b b      x: made, or read, by both
 *
 * The grid's own edges have neither.
 */
#ifndef HS_BACKEND_CPU_WAVEFRONT_H
#define HS_BACKEND_CPU_WAVEFRONT_H

#include <stdbool.h>

enum {
  HS_CPU_BLOCK_ROWS = 8, /* one or two tiles of woven rows; a power of two */
  HS_CPU_GIVEN_ROWS = 2  /* of a level, that leaning rows need from the next thread */
};

/* A block at one of its levels. */
struct hs_cpu_block {
  int level;
  int row;                  /* the first, grid and thread apart */
  int from, to;             /* rows to make, from <= j < to; none where from >= to */
  int given_from, given_to; /* rows that the next thread hands over, likewise */
  int place;                /* rows of the blocks before this one */
};

/* What a thread's part of a pass is made of. */
struct hs_cpu_blocks {
  int from, to; /* rows of the thread */
  int ny;
  int first, last;  /* levels that are made; level `last` has no margin */
  bool leaning;     /* else with margins */
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

/* Rows from <= j < to of a level that are this thread's. */
static inline int hs_cpu_blocks_from(const struct hs_cpu_blocks *b, int level)
{
  if (b->leaning) return b->from == 0 ? 0 : hs_cpu_smaller(b->from + level, b->ny);
  return hs_cpu_larger(b->from - (b->last - level), 0);
}

static inline int hs_cpu_blocks_to(const struct hs_cpu_blocks *b, int level)
{
  if (b->leaning) return b->to == b->ny ? b->ny : hs_cpu_smaller(b->to + level, b->ny);
  return hs_cpu_smaller(b->to + (b->last - level), b->ny);
}

static inline void hs_cpu_blocks_make(const struct hs_cpu_blocks *b)
{
  const int depth = b->last, south = hs_cpu_blocks_from(b, 0), beyond = b->leaning ? HS_CPU_GIVEN_ROWS : 0;
  const int end = hs_cpu_smaller(hs_cpu_blocks_to(b, 0) + beyond, b->ny); /* of the rows that are read */
  for (int base = south; base - depth < hs_cpu_blocks_to(b, depth); base += HS_CPU_BLOCK_ROWS) {
    int ahead = base + HS_CPU_BLOCK_ROWS; /* row to be called next */
    for (int level = b->first; level <= depth; level++) {
      const int row = base - level, to = level == 0 ? end : hs_cpu_blocks_to(b, level);
      const int given_to = level == 0 || level == depth ? to : hs_cpu_smaller(to + beyond, b->ny);
      const struct hs_cpu_block block = {.level = level,
                                         .row = row,
                                         .from = hs_cpu_larger(row, hs_cpu_blocks_from(b, level)),
                                         .to = hs_cpu_smaller(row + HS_CPU_BLOCK_ROWS, to),
                                         .given_from = hs_cpu_larger(row, to),
                                         .given_to = hs_cpu_smaller(row + HS_CPU_BLOCK_ROWS, given_to),
                                         .place = base - south};
      b->make(b->part, &block);
      for (; (ahead - base - HS_CPU_BLOCK_ROWS) * depth < level * HS_CPU_BLOCK_ROWS; ahead++)
        if (ahead < end) b->prefetch(b->part, ahead);
    }
  }
}

#endif
