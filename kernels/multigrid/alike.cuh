/* What a warp that goes through the rows of a strip need not read again (struct hs_device_alike). */
#ifndef HS_KERNELS_MULTIGRID_ALIKE_CUH
#define HS_KERNELS_MULTIGRID_ALIKE_CUH

#include "multigrid/node.cuh"

/* For the columns q <= k < q + `columns` of a strip. */
struct AlikeRows {
  const uint32_t *words; /* of the first group; NULL: nothing is known */
  int second = 0;        /* from there to those of the other one */
  int run = 0;           /* rows on end, up to the last one asked about, each like the one before it */
  uint32_t bits = 0;     /* of 32 rows, the last one asked about among them */

  /* row: the first one that is asked about, if it is within the grid. */
  __device__ __forceinline__ AlikeRows(const uint32_t *d_words, int group_words, const hs_grid &grid, int q,
                                       int columns, int row)
      : words(d_words)
  {
    const int last = hs_device_alike_groups(&grid) - 1, low = min(max(q, 0) / 32, last);
    if (!d_words) return;
    words += low * group_words;
    second = (min(max(q + columns - 1, 0) / 32, last) - low) * group_words;
    if (row > 0 && row < 32 * group_words) fetch(row);
  }

  __device__ __forceinline__ void fetch(int row)
  {
    bits = __ldg(words + row / 32) & __ldg(words + row / 32 + second);
  }

  /* Is a row within the grid like `rows` rows before it? All lanes ask, about one row after another. */
  __device__ __forceinline__ bool like_last(int row, int rows)
  {
    if (!words) return false;
    if (row % 32 == 0) fetch(row);
    run = bits >> row % 32 & 1 ? run + 1 : 0;
    return run >= rows;
  }
};

#endif
