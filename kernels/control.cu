/* The small kernels around the sweeps: what the tiles are, saving a field, and the stop test.
 *
 * The test is taken by one warp that adds the slots' exact partial norms and calls
 * hs_stop_evaluate, the very function that the host uses. Its verdict sets the condition of the
 * graph's while node, so a whole run needs no word from the host.
 */
#include "device.cuh"

/* --- tiles ----------------------------------------------------------------------------------- */

__global__ void classify(const hs_device_system system, int32_t *d_tile_code)
{
  const int i = blockIdx.x * HS_TILE_W + threadIdx.x;
  const int j0 = blockIdx.y * HS_TILE_H;
  const int rows = min((int)HS_TILE_H, system.ny - j0);
  if (!system.d_index) { /* a stencil for every node */
    if (threadIdx.x == 0) d_tile_code[blockIdx.y * system.tiles_x + blockIdx.x] = HS_TILE_MIXED;
    return;
  }
  const int first = system.d_index[j0 * system.pitch + blockIdx.x * HS_TILE_W];
  int same = 1;
  if (i < system.nx)
    for (int row = 0; row < rows; row++)
      if (system.d_index[(j0 + row) * system.pitch + i] != first) same = 0;
  same = __syncthreads_and(same);
  if (threadIdx.x == 0) {
    const bool whole = rows == HS_TILE_H && (blockIdx.x + 1) * HS_TILE_W <= system.nx;
    const bool equal = HS_STENCIL_IS_UNIFORM(system.d_stencil[first]);
    const int kind = !same || !whole ? HS_TILE_MIXED : equal ? HS_TILE_EQUAL : HS_TILE_STENCIL;
    d_tile_code[blockIdx.y * system.tiles_x + blockIdx.x] = 4 * first + kind;
  }
}

cudaError_t hs_kernel_probe(void)
{
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, (const void *)classify);
}

cudaError_t hs_kernel_classify(const hs_device_system *system, int32_t *d_tile_code, cudaStream_t stream)
{
  return kernel_launch(classify, dim3(system->tiles_x, system->tiles_y), HS_TILE_W, stream, *system, d_tile_code);
}

/* --- copy ------------------------------------------------------------------------------------ */

__global__ void __launch_bounds__(256)
    copy(const int4 *__restrict__ from, int4 *__restrict__ to, size_t count, const int32_t *d_halt)
{
  const size_t first = (size_t)blockIdx.x * 1024 + threadIdx.x;
  if (d_halt && *d_halt) return;
#pragma unroll
  for (int k = 0; k < 4; k++)
    if (first + k * 256 < count) to[first + k * 256] = from[first + k * 256];
}

cudaError_t hs_kernel_copy(const void *from, void *to, size_t bytes, const int32_t *d_halt, cudaStream_t stream)
{
  const size_t count = bytes / sizeof(int4);
  return kernel_launch(copy, (unsigned)((count + 1023) / 1024), 256, stream, (const int4 *)from, (int4 *)to, count,
                       d_halt);
}

/* --- norms and the stop test ----------------------------------------------------------------- */

__device__ static void slot_clear(hs_norm_slot *slot)
{
  *slot = hs_norm_slot{0.0, 0.0, 0.0, 0.0, 0ull, 0ull, 0ull, 0ull};
}

__device__ static ThreadNorms thread_norms(double high, double low, unsigned long long maximum)
{
  return {{high, low}, __longlong_as_double((long long)maximum)};
}

/* Norms of one set of slots, by one warp; every lane has the result, and the slots are cleared. */
__device__ static hs_norms slots_collect(hs_norm_slot *d_slots, double update_scale, double residual_scale, bool full)
{
  ThreadNorms update = {{0.0, 0.0}, 0.0}, residual = update;
  double two_sweep_max = 0.0, correction_max = 0.0;
  for (int k = threadIdx.x; k < HS_NORM_SLOTS; k += 32) {
    const hs_norm_slot slot = d_slots[k];
    const ThreadNorms u = thread_norms(slot.update_high, slot.update_low, slot.update_max);
    const ThreadNorms r = thread_norms(slot.residual_high, slot.residual_low, slot.residual_max);
    const double d = __longlong_as_double((long long)slot.two_sweep_max);
    const double correction = __longlong_as_double((long long)slot.correction_max);
    update = {{update.sum.high + u.sum.high, update.sum.low + u.sum.low}, fmax(update.maximum, u.maximum)};
    residual = {{residual.sum.high + r.sum.high, residual.sum.low + r.sum.low}, fmax(residual.maximum, r.maximum)};
    two_sweep_max = fmax(two_sweep_max, d);
    correction_max = fmax(correction_max, correction);
    slot_clear(&d_slots[k]);
  }
  update = warp_reduce(update);
  residual = warp_reduce(residual);
  two_sweep_max = warp_max(two_sweep_max);
  correction_max = warp_max(correction_max);
  hs_norms norms;
  norms.update_l2 = hs_sum_norm(update.sum, update_scale);
  norms.update_max = update.maximum;
  norms.residual_l2 = full ? hs_sum_norm(residual.sum, residual_scale) : NAN;
  norms.residual_max = full ? residual.maximum : NAN;
  norms.two_sweep_max = full ? two_sweep_max : NAN;
  norms.correction_max = full ? correction_max : NAN;
  return norms;
}

__global__ void begin(hs_device_control *d_control, hs_norm_slot *d_slots, int batches, hs_bounds bounds)
{
  for (int k = threadIdx.x; k < batches * HS_NORM_SLOTS; k += blockDim.x) slot_clear(&d_slots[k]);
  if (threadIdx.x == 0) {
    d_control->update_scale = hs_sum_scale(bounds.update_max);
    d_control->residual_scale = hs_sum_scale(bounds.residual_max);
  }
}

cudaError_t hs_kernel_begin(hs_device_control *d_control, hs_norm_slot *d_slots, int batches, hs_bounds bounds,
                            cudaStream_t stream)
{
  return kernel_launch(begin, 1, 256, stream, d_control, d_slots, batches, bounds);
}

__global__ void collect(const hs_device_control *d_control, hs_norm_slot *d_slots, int full, hs_norms *d_norms)
{
  const hs_norms norms = slots_collect(d_slots + blockIdx.x * HS_NORM_SLOTS, d_control->update_scale,
                                       d_control->residual_scale, full != 0);
  if (threadIdx.x == 0) d_norms[blockIdx.x] = norms;
}

cudaError_t hs_kernel_collect(const hs_device_control *d_control, hs_norm_slot *d_slots, int batches, int full,
                              hs_norms *d_norms, cudaStream_t stream)
{
  return kernel_launch(collect, batches, 32, stream, d_control, d_slots, full, d_norms);
}

__global__ void decide(hs_device_control *d_control, hs_norm_slot *d_slots, int64_t sweeps,
                       cudaGraphConditionalHandle loop)
{
  hs_device_control &control = *d_control;
  if (control.halt) return;
  const hs_norms norms =
      slots_collect(d_slots, control.update_scale, control.residual_scale, control.test.full_norms != 0);
  if (threadIdx.x != 0) return;

  control.stop.sweeps += sweeps;
  if (hs_stop_evaluate(&control.test, &control.stop, &norms) != HS_VERDICT_RESCALE)
    control.history[control.count++] = control.stop.check;
  control.update_scale = hs_sum_scale(control.stop.bounds.update_max);
  control.residual_scale = hs_sum_scale(control.stop.bounds.residual_max);

  const bool go_on = control.stop.verdict == HS_VERDICT_RUNNING && control.stop.sweeps < control.until &&
                     control.count < control.capacity &&
                     control.stop.sweeps + control.test.check_every <= control.test.max_sweeps;
  if (!go_on) {
    control.halt = 1;
    cudaGraphSetConditional(loop, 0);
  }
}

cudaError_t hs_kernel_decide(hs_device_control *d_control, hs_norm_slot *d_slots, int64_t sweeps,
                             cudaGraphConditionalHandle loop, cudaStream_t stream)
{
  return kernel_launch(decide, 1, 32, stream, d_control, d_slots, sweeps, loop);
}
