/* What a warp that goes through the rows of a strip need not read again (struct hs_device_alike). */
#ifndef HS_KERNELS_MULTIGRID_ALIKE_CUH
#define HS_KERNELS_MULTIGRID_ALIKE_CUH

#include "multigrid/node.cuh"

/* For the columns q <= k < q + `columns` of a strip. */
struct AlikeRows {
  const uint32_t *low, *high; /* of the one or two groups */
  int words, at = -1;
  uint32_t now = 0, next = 0; /* of 32 rows each: a word is read 32 rows ahead */

  __device__ __forceinline__ AlikeRows(const uint32_t *d_words, int words, const hs_grid &grid, int q, int columns)
      : low(d_words), high(d_words), words(words)
  {
    const int groups = hs_device_alike_groups(&grid);
    low += min(max(q, 0) / 32, groups - 1) * words;
    high += min(max(q + columns - 1, 0) / 32, groups - 1) * words;
  }

  __device__ __forceinline__ uint32_t word(int w) const
  {
    return w < words ? __ldg(low + w) & __ldg(high + w) : 0;
  }

  /* The bit of a row within the grid; 0 where no words are known. All lanes ask, about rows in their order. */
  __device__ __forceinline__ bool is(int row)
  {
    if (row / 32 != at) {
      now = row / 32 == at + 1 && at >= 0 ? next : word(row / 32);
      at = row / 32;
      next = word(at + 1);
    }
    return now >> row % 32 & 1;
  }
};

#endif
