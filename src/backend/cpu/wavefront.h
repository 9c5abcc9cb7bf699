/* The order of a pass: a pipelined wavefront of blocks of rows through several stages.
 *
 * Stage 0 is the field that a pass reads, stage t what t sweeps make of it. Blocks of rows run through all stages, one
 * row further south at each, since a row needs its northern neighbour of the stage before:
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
 * A thread's rows move north by one a stage, so that nothing in them depends on what lies south of them. From the north
 * they need two halo rows of each stage: the first two rows of the next thread, which it has made at its very beginning
 * and hands over. No row is made twice. Rows 0 to 11 of two threads a and b; h: halo rows, handed from b to a:
 *
 *      stage 3   a a a a a a a a a|b b b
 *      stage 2   a a a a a a a a|h h b b
 *      stage 1   a a a a a a a|h h b b b
 *      stage 0   a a a a a a|x x b b b b      x: read by both
 *
 * The grid's own edges do not move.
 */
#ifndef HS_BACKEND_CPU_WAVEFRONT_H
#define HS_BACKEND_CPU_WAVEFRONT_H

enum {
  HS_CPU_BLOCK_ROWS = 8, /* a power of two */
  HS_CPU_HALO_ROWS = 2
};

/* A block at one of its stages. */
struct hs_cpu_block {
  int stage;
  int row;                /* the first, grid and thread apart */
  int from, to;           /* rows to make, from <= j < to; none where from >= to */
  int halo_from, halo_to; /* rows that the next thread hands over, likewise */
  int place;              /* rows of the blocks before this one */
};

/* A thread's part of a pass. */
struct hs_cpu_wavefront {
  int from, to; /* rows of the thread at stage 0 */
  int ny;
  int last;            /* stage */
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
static inline int hs_cpu_wavefront_from(const struct hs_cpu_wavefront *w, int stage)
{
  return w->from == 0 ? 0 : hs_cpu_smaller(w->from + stage, w->ny);
}

static inline int hs_cpu_wavefront_to(const struct hs_cpu_wavefront *w, int stage)
{
  return w->to == w->ny ? w->ny : hs_cpu_smaller(w->to + stage, w->ny);
}

static inline void hs_cpu_wavefront_run(const struct hs_cpu_wavefront *w)
{
  const int depth = w->last, south = w->from;
  const int end = hs_cpu_smaller(w->to + HS_CPU_HALO_ROWS, w->ny); /* of the rows that are read */
  for (int base = south; base - depth < hs_cpu_wavefront_to(w, depth); base += HS_CPU_BLOCK_ROWS) {
    int ahead = base + HS_CPU_BLOCK_ROWS; /* row to be called next */
    for (int stage = 0; stage <= depth; stage++) {
      const int row = base - stage, to = stage == 0 ? end : hs_cpu_wavefront_to(w, stage);
      const int halo_to = stage == 0 || stage == depth ? to : hs_cpu_smaller(to + HS_CPU_HALO_ROWS, w->ny);
      const struct hs_cpu_block block = {.stage = stage,
                                         .row = row,
                                         .from = hs_cpu_larger(row, hs_cpu_wavefront_from(w, stage)),
                                         .to = hs_cpu_smaller(row + HS_CPU_BLOCK_ROWS, to),
                                         .halo_from = hs_cpu_larger(row, to),
                                         .halo_to = hs_cpu_smaller(row + HS_CPU_BLOCK_ROWS, halo_to),
                                         .place = base - south};
      w->make(w->context, &block);
      for (; (ahead - base - HS_CPU_BLOCK_ROWS) * depth < stage * HS_CPU_BLOCK_ROWS; ahead++)
        if (ahead < end) w->prefetch(w->context, ahead);
    }
  }
}

#endif
