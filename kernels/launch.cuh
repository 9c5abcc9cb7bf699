/* Launches of kernels from the host: one call with grid, block, stream and arguments, which returns the launch's
 * error; and the choice of a kernel's template arguments by what is known at run time only.
 */
#ifndef HS_KERNELS_LAUNCH_CUH
#define HS_KERNELS_LAUNCH_CUH

#include <type_traits>

#include "kernels.h"

#ifndef HS_EMULATE /* tests of kernels on the CPU bring their own */
template <typename... Parameters, typename... Arguments>
static cudaError_t kernel_launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
                                 const Arguments &...arguments)
{
  kernel<<<grid, block, 0, stream>>>(arguments...);
  return cudaGetLastError();
}

/* Asked of the first kernel of a file, for all: code made of PTX for an older device, which a newer one can run, does not wait. */
static inline bool launches_overlap(const void *kernel)
{
  static const bool can = [kernel] {
    int device = 0, major = 0;
    cudaFuncAttributes attributes = {};
    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) (void)cudaGetLastError();
    return major >= 9 && attributes.ptxVersion >= 90;
  }();
  return can;
}

/* Programmatic dependent launch: the kernel, which calls await_predecessor(), may begin before the one that precedes it in
 * the stream has ended. bytes: of dynamic shared memory. */
template <typename... Parameters, typename... Arguments>
static cudaError_t kernel_launch_dependent(void (*kernel)(Parameters...), dim3 grid, dim3 block, int bytes,
                                           cudaStream_t stream, const Arguments &...arguments)
{
  cudaLaunchAttribute overlap = {};
  cudaLaunchConfig_t config = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = (size_t)bytes;
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = launches_overlap((const void *)kernel) ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}
#endif

/* Calls launch(Real()) with the type of the fields. */
template <typename Launch> static cudaError_t launch_typed(int single, Launch launch)
{
  return single ? launch(float()) : launch(double());
}

/* Calls launch(Real(), NORMED) with the type of the fields and std::true_type or std::false_type. */
template <typename Launch> static cudaError_t launch_normed(int single, bool normed, Launch launch)
{
  return launch_typed(
      single, [&](auto real) { return normed ? launch(real, std::true_type()) : launch(real, std::false_type()); });
}

/* A grid has at most 65535 blocks in y, fewer than a tall field may need; z counts further groups of rows. */
static constexpr int GRID_Y_LIMIT = 65535;

static inline dim3 grid_of(int blocks_x, int64_t blocks_y)
{
  const int64_t groups = (blocks_y + GRID_Y_LIMIT - 1) / GRID_Y_LIMIT;
  return dim3(blocks_x, (unsigned)((blocks_y + groups - 1) / groups), (unsigned)groups);
}

/* From this size of a field on, two fields do not fit into the L2 cache of the large devices, and memory limits a
 * sweep; below, the number of threads does. */
static constexpr int64_t LARGE_FIELD_BYTES = 30000000;

static inline bool field_is_large(const hs_device_system &system, int single)
{
  return (int64_t)system.nx * system.ny * (single ? 4 : 8) >= LARGE_FIELD_BYTES;
}

/* Threads of a block in kernels with one thread a node; a tile is as wide. */
static constexpr int NODE_BLOCK_W = HS_TILE_W, NODE_BLOCK_H = 2;

static inline dim3 nodes_grid(const hs_device_system *system)
{
  return grid_of(system->tiles_x, (system->ny + NODE_BLOCK_H - 1) / NODE_BLOCK_H);
}

#endif
