/* What multigrid's kernels share: the node of a thread, its stencil, launches over a grid. */
#ifndef HS_KERNELS_MULTIGRID_NODE_CUH
#define HS_KERNELS_MULTIGRID_NODE_CUH

#include "launch.cuh"
#include "multigrid/multigrid.h"

static constexpr int MG_BLOCK_W = 32, MG_BLOCK_H = 8;

static inline dim3 mg_blocks(int nx, int ny)
{
  return grid_of((nx + MG_BLOCK_W - 1) / MG_BLOCK_W, (ny + MG_BLOCK_H - 1) / MG_BLOCK_H);
}

/* Launches a kernel with a thread for each of nx x ny nodes. */
template <typename Kernel, typename... Arguments>
static cudaError_t mg_launch(Kernel kernel, int nx, int ny, cudaStream_t stream, const Arguments &...arguments)
{
  return kernel_launch(kernel, mg_blocks(nx, ny), dim3(MG_BLOCK_W, MG_BLOCK_H), stream, arguments...);
}

struct MgNode {
  int i, j;
};

__device__ __forceinline__ MgNode mg_node()
{
  return {(int)(blockIdx.x * MG_BLOCK_W + threadIdx.x),
          (int)((blockIdx.z * gridDim.y + blockIdx.y) * MG_BLOCK_H + threadIdx.y)};
}

__device__ __forceinline__ bool mg_within(const hs_grid &grid, MgNode node)
{
  return node.i < grid.nx && node.j < grid.ny;
}

/* Table entry of a node of the finest level. */
__device__ __forceinline__ size_t mg_entry(const hs_device_level &level, int i, int j)
{
  const size_t n = (size_t)j * level.index_pitch + i;
  return level.d_index ? level.d_index[n] : n;
}

#endif
