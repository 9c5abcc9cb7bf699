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

/* Blocks of so many threads that a device runs at the same time. */
template <auto KERNEL> static int mg_resident_blocks(int threads)
{
  static const int blocks = [threads] {
    int device = 0, multiprocessors = 1, each = 1;
    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    (void)cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, KERNEL, threads, 0);
    return multiprocessors * (each > 0 ? each : 1);
  }();
  return blocks;
}

/* Rows of a strip, a multiple of `unit`, where `strips` warps stand side by side, so that few warps of the last wave have
 * nothing to do and few rows of ghost zone are computed. */
static inline int mg_strip_rows(int strips, int rows, int ghost, int unit, int resident_warps)
{
  int best = unit;
  double least = 1e30;
  for (int waves = 1; waves <= 8; waves++) {
    const int pieces = waves * resident_warps / strips > 0 ? waves * resident_warps / strips : 1;
    const int height = ((rows + pieces - 1) / pieces + unit - 1) / unit * unit;
    const double taken = ((rows + height - 1) / height * (double)strips + resident_warps - 1) / resident_warps;
    const double cost = (taken < 1.0 ? 1.0 : (double)(int)taken) * (height + ghost);
    if (cost >= least) continue;
    least = cost;
    best = height;
  }
  return best;
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
  return level.d_index ? level.d_index[hs_grid_at(&level.grid, i, j)] : (size_t)j * level.index_pitch + i;
}

/* An entry of the finest level's table. */
__device__ __forceinline__ hs_balance_f64 mg_balance(const hs_device_level &level, size_t entry)
{
  const double2 *at = (const double2 *)&level.d_balance[entry];
  const double2 x = __ldg(at), y = __ldg(at + 1), rest = __ldg(at + 2), heat = __ldg(at + 3);
  return {x.x, x.y, y.x, y.y, rest.x, rest.y, heat.x, heat.y};
}

/* Exact couplings of a node of the finest level, without heat to Dirichlet nodes, which counts in the sum. */
struct MgFinest {
  double east, north, sum;
};

__device__ __forceinline__ bool mg_is_free(const hs_device_level &level, int i, int j)
{
  return i >= 0 && j >= 0 && __ldg(&level.d_balance[mg_entry(level, i, j)].free) > 0.0;
}

__device__ __forceinline__ MgFinest mg_finest(const hs_device_level &level, int i, int j)
{
  const hs_grid &g = level.grid;
  const hs_balance_f64 s = mg_balance(level, mg_entry(level, i, j));
  const bool to_west = mg_is_free(level, hs_coarsening_wrap(i - 1, g.nx, g.periodic_x), j);
  const bool to_east = mg_is_free(level, hs_coarsening_wrap(i + 1, g.nx, g.periodic_x), j);
  const bool to_south = mg_is_free(level, i, hs_coarsening_wrap(j - 1, g.ny, g.periodic_y));
  const bool to_north = mg_is_free(level, i, hs_coarsening_wrap(j + 1, g.ny, g.periodic_y));
  return {to_east ? s.east : 0.0, to_north ? s.north : 0.0,
          (s.loss + s.storage) + (((to_west ? 0.0 : s.west) + (to_east ? 0.0 : s.east)) +
                                  ((to_south ? 0.0 : s.south) + (to_north ? 0.0 : s.north)))};
}

/* As hs_couplings_gather; g: zeros. */
__device__ __forceinline__ void mg_finest_gather(const hs_device_level &level, int i, int j, double g[9])
{
  const hs_grid &grid = level.grid;
  const MgFinest own = mg_finest(level, i, j);
  const int west = hs_coarsening_wrap(i - 1, grid.nx, grid.periodic_x);
  const int south = hs_coarsening_wrap(j - 1, grid.ny, grid.periodic_y);
  const bool free = mg_is_free(level, i, j);
  g[1] = free && south >= 0 ? __ldg(&level.d_balance[mg_entry(level, i, south)].north) : 0.0;
  g[3] = free && west >= 0 ? __ldg(&level.d_balance[mg_entry(level, west, j)].east) : 0.0;
  g[4] = own.sum;
  g[5] = own.east;
  g[7] = own.north;
}

__device__ __forceinline__ float mg_from_west(float value)
{
  return __shfl_up_sync(0xffffffffu, value, 1);
}
__device__ __forceinline__ float mg_from_east(float value)
{
  return __shfl_down_sync(0xffffffffu, value, 1);
}

/* Values of the lane's two columns, the even one in the east, and of those beside them. */
struct MgLine {
  float west, odd, even, east;
};

/* All lanes call it; at the ends of a warp one neighbour is missing. */
__device__ __forceinline__ MgLine mg_line(float odd, float even)
{
  return {mg_from_west(even), odd, even, mg_from_east(odd)};
}

/* Calls launch(std::true_type()) for the finest level, else launch(std::false_type()). */
template <typename Launch> static cudaError_t launch_level(const hs_device_level *level, Launch launch)
{
  return level->d_balance_single ? launch(std::true_type()) : launch(std::false_type());
}

#endif
