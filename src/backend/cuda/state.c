/* What every file of the CUDA backends needs of their state: the layout of padded fields, the two fields that change
 * places, memory, and graphs that are to be forgotten.
 */
#include "backend/cuda/state.h"

/* Tiles, pitch and sizes of the padded fields (kernels.h). */
void hs_cuda_layout(const struct hs_system *system, bool single, struct hs_cuda_state *state)
{
  const struct hs_rectangle own = hs_system_own(system);
  struct hs_device_system *d = &state->device;
  d->nx = system->nx;
  d->ny = system->ny;
  d->tiles_x = (system->nx + HS_TILE_W - 1) / HS_TILE_W;
  d->tiles_y = (system->ny + HS_TILE_H - 1) / HS_TILE_H;
  d->pitch = (int64_t)d->tiles_x * HS_TILE_W + 2 * HS_PAD;
  d->split = hs_sum_split_for(hs_system_grid_nodes(system));
  d->ghost_west = own.x0;
  d->ghost_east = system->nx - own.x0 - own.nx;
  d->ghost_south = own.y0;
  d->ghost_north = system->ny - own.y0 - own.ny;
  d->wrap_x = system->wrap_x;
  d->wrap_y = system->wrap_y;
  state->system = system;
  state->single = single;
  state->element = single ? sizeof(float) : sizeof(double);
  state->field_bytes = ((size_t)d->tiles_y * HS_TILE_H + 2) * (size_t)d->pitch * state->element;
  state->origin = ((size_t)d->pitch + HS_PAD) * state->element;
}

void hs_cuda_exchange(struct hs_cuda_state *state)
{
  const int swap = state->now;
  state->now = state->before;
  state->before = swap;
}

void *hs_cuda_field_origin(const struct hs_cuda_state *state, void *d_field)
{
  return (char *)d_field + state->origin;
}

void *hs_cuda_origin(const struct hs_cuda_state *state, int which)
{
  return hs_cuda_field_origin(state, state->d_field[which]);
}

hs_status hs_cuda_array(void **array, size_t bytes, const struct hs_cuda_state *state, struct hs_error *err)
{
  size_t available = 0, total = 0;
  const cudaError_t code = cudaMalloc(array, bytes);
  if (code == cudaSuccess) return HS_OK;
  *array = NULL;
  if (code != cudaErrorMemoryAllocation) return hs_cuda_check(code, "allocating memory", err);
  (void)cudaGetLastError();
  (void)cudaMemGetInfo(&available, &total);
  return hs_error_set(
      err, HS_ERR_DEVICE,
      "the GPU has too little memory: an array for %d x %d nodes needs %.3g GB more and %.3g of %.3g GB "
      "are free; cuda-streamed takes grids that do not fit, else use solver.precision = single, a smaller "
      "grid, or the cpu backend",
      state->system->nx, state->system->ny, 1e-9 * (double)bytes, 1e-9 * (double)available, 1e-9 * (double)total);
}

hs_status hs_cuda_pinned(void **array, size_t bytes, struct hs_error *err)
{
  const cudaError_t code = cudaMallocHost(array, bytes);
  if (code == cudaSuccess) return HS_OK;
  *array = NULL;
  if (code != cudaErrorMemoryAllocation) return hs_cuda_check(code, "pinning memory", err);
  (void)cudaGetLastError();
  return hs_error_set(
      err, HS_ERR_DEVICE,
      "the GPU backends need %.3g MB of page-locked memory of this machine, and there is too little, or "
      "this process may not lock so much: end other programs, or use the cpu backend",
      1e-6 * (double)bytes);
}

void hs_cuda_graphs_drop(struct hs_cuda_state *state)
{
  for (int k = 0; k < 2; k++) {
    if (state->graph[k].exec) (void)cudaGraphExecDestroy(state->graph[k].exec);
    state->graph[k].exec = NULL;
    for (int g = 0; g < HS_CUDA_GRAPHS; g++) {
      for (int v = 0; v < HS_CUDA_VARIANTS; v++) {
        if (state->sweeps[g][k][v]) (void)cudaGraphExecDestroy(state->sweeps[g][k][v]);
        state->sweeps[g][k][v] = NULL;
      }
    }
  }
}
