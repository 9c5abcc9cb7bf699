/* The small kernels over whole fields beside the sweeps: ghosts of periodic walls, the steps of a
 * relaxation, the right-hand side of an implicit time step, the distance of two fields, values at a list of nodes.
 *
 * Ghosts. The ghost layer of a field (columns -1 and nx, rows -1 and ny) holds 0 beyond an open wall and copies of the
 * opposite side's nodes beyond a periodic one, so that sweeps know nothing of walls:
 *
 *                  row ny    = row wrap_y                    column -1 = column nx-1-wrap_x
 *     column -1  | nodes |  column nx = column wrap_x
 *                  row -1    = row ny-1-wrap_y
 *
 * The corners are read by no five-point stencil. A launch of its own after each sweep costs about a
 * microsecond, but only periodic systems pay it.
 */
#include "device.cuh"

static constexpr int BLOCK = 256; /* threads */

/* --- periodic walls -------------------------------------------------------------------------- */

template <typename Real>
__global__ void __launch_bounds__(BLOCK)
    wrap(const __grid_constant__ hs_device_system system, Real *t, const int32_t *d_halt)
{
  const int64_t k = (int64_t)blockIdx.x * BLOCK + threadIdx.x, pitch = system.pitch;
  if (d_halt && *d_halt) return;
  if (system.wrap_x >= 0 && k < system.ny) {
    Real *row = t + k * pitch;
    row[-1] = row[system.nx - 1 - system.wrap_x];
    row[system.nx] = row[system.wrap_x];
  }
  if (system.wrap_y >= 0 && k < system.nx) {
    t[-pitch + k] = t[(system.ny - 1 - system.wrap_y) * pitch + k];
    t[system.ny * pitch + k] = t[system.wrap_y * pitch + k];
  }
}

cudaError_t hs_kernel_wrap(const hs_device_system *system, int single, void *field, const int32_t *d_halt,
                           cudaStream_t stream)
{
  const int longest = system->nx > system->ny ? system->nx : system->ny;
  const unsigned blocks = (unsigned)((longest + BLOCK - 1) / BLOCK);
  if (system->wrap_x < 0 && system->wrap_y < 0) return cudaSuccess;
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return kernel_launch(wrap<Real>, blocks, BLOCK, stream, *system, (Real *)field, d_halt);
  });
}

/* --- steps of a relaxation ------------------------------------------------------------------- */

/* One thread: the recursion is serial, and 64 steps of it take less time than one large sweep. */
__device__ static void steps_next(hs_device_relaxation *d_relaxation, int count)
{
  const hs_relaxation relaxation = d_relaxation->relaxation;
  double omega = d_relaxation->omega;
  for (int k = 0; k < count; k++) {
    hs_device_step step;
    step.form = hs_relaxation_next(&relaxation, &omega, &step.weight);
    d_relaxation->step[k] = step;
  }
  d_relaxation->omega = omega;
}

__global__ void relax(hs_device_relaxation *d_relaxation, hs_relaxation relaxation)
{
  d_relaxation->relaxation = relaxation;
  d_relaxation->omega = relaxation.omega;
  if (relaxation.form != HS_FORM_CHEBYSHEV) steps_next(d_relaxation, HS_NORM_BATCH);
}

cudaError_t hs_kernel_relax(hs_device_relaxation *d_relaxation, hs_relaxation relaxation, cudaStream_t stream)
{
  return kernel_launch(relax, 1, 1, stream, d_relaxation, relaxation);
}

__global__ void relax_next(hs_device_relaxation *d_relaxation, int count)
{
  if (d_relaxation->relaxation.form == HS_FORM_CHEBYSHEV) steps_next(d_relaxation, count);
}

cudaError_t hs_kernel_relax_next(hs_device_relaxation *d_relaxation, int count, cudaStream_t stream)
{
  return kernel_launch(relax_next, 1, 1, stream, d_relaxation, count);
}

/* --- right-hand side of an implicit step ----------------------------------------------------- */

template <typename Real>
__global__ void __launch_bounds__(NODE_BLOCK_W *NODE_BLOCK_H)
    step_begin(const __grid_constant__ hs_device_system system, const Real *__restrict__ now,
               const Real *__restrict__ source, Real *__restrict__ r, int trapezoid)
{
  const int i = blockIdx.x * NODE_BLOCK_W + threadIdx.x;
  const int j = block_row() * NODE_BLOCK_H + threadIdx.y;
  if (i >= system.nx || j >= system.ny) return;

  const int64_t n = j * system.pitch + i;
  const Real *t = now + n;
  const auto &stencil = StencilOf<Real>::stencil_table(system)[node_index(system, i, j, n)];
  const Real base = source ? source[n] : Real(0);
  const Real u = node_general(stencil, stencil.c + base, t[-1], t[1], t[-system.pitch], t[system.pitch]);
  r[n] = stencil.diagonal == 0 ? Real(0) : node_step(trapezoid != 0, stencil.storage, t[0], u, base);
}

cudaError_t hs_kernel_step(const hs_device_system *system, int single, const void *now, const void *base, void *r,
                           int trapezoid, cudaStream_t stream)
{
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return kernel_launch(step_begin<Real>, nodes_grid(system), dim3(NODE_BLOCK_W, NODE_BLOCK_H), stream, *system,
                         (const Real *)now, (const Real *)base, (Real *)r, trapezoid);
  });
}

/* --- distance -------------------------------------------------------------------------------- */

static constexpr int DISTANCE_ROWS = 16; /* of a thread: a reduction costs as much as several rows */

template <typename Real>
__global__ void __launch_bounds__(NODE_BLOCK_W *NODE_BLOCK_H)
    distance(const __grid_constant__ hs_device_system system, const Real *__restrict__ a, const Real *__restrict__ b,
             hs_norm_slot *d_slots)
{
  const int i = blockIdx.x * NODE_BLOCK_W + threadIdx.x;
  const int j_block = (block_row() * NODE_BLOCK_H + threadIdx.y) * DISTANCE_ROWS;
  const int j0 = max(j_block, system.ghost_south), j1 = min(j_block + DISTANCE_ROWS, system.ny - system.ghost_north);
  Real largest = 0;
  if (i >= system.ghost_west && i < system.nx - system.ghost_east) {
    for (int j = j0; j < j1; j++) {
      const int64_t n = j * system.pitch + i;
      const Real size = fabs(b ? a[n] - b[n] : a[n]);
      largest = size > largest ? size : largest;
    }
  }
  const double maximum = warp_max((double)largest);
  if (threadIdx.x % 32 == 0) atomic_max(&slot_of_block(d_slots)->update_max, maximum);
}

cudaError_t hs_kernel_distance(const hs_device_system *system, int single, const void *a, const void *b,
                               hs_norm_slot *d_slots, cudaStream_t stream)
{
  constexpr int ROWS = NODE_BLOCK_H * DISTANCE_ROWS;
  const dim3 block(NODE_BLOCK_W, NODE_BLOCK_H), grid = grid_of(system->tiles_x, (system->ny + ROWS - 1) / ROWS);
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return kernel_launch(distance<Real>, grid, block, stream, *system, (const Real *)a, (const Real *)b, d_slots);
  });
}

/* --- values at a list of nodes --------------------------------------------------------------- */

template <typename Real>
__global__ void __launch_bounds__(BLOCK)
    gather(const Real *__restrict__ t, int nx, int64_t pitch, const int64_t *node, int64_t count, double *values)
{
  const int64_t k = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
  if (k >= count) return;
  const int64_t n = node[k];
  values[k] = (double)t[n / nx * pitch + n % nx];
}

cudaError_t hs_kernel_gather(const hs_device_system *system, int single, const void *field, const int64_t *node,
                             int64_t count, double *values, cudaStream_t stream)
{
  const unsigned blocks = (unsigned)((count + BLOCK - 1) / BLOCK);
  return launch_typed(single, [&](auto real) {
    using Real = decltype(real);
    return kernel_launch(gather<Real>, blocks, BLOCK, stream, (const Real *)field, system->nx, (int64_t)system->pitch,
                         node, count, values);
  });
}
