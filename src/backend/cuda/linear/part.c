/* Operators and vectors on a device as parts of a grid. Blocks between devices go from one's memory to the other's, where the
 * machine can do that: a copy waits for what the one that has the block has been asked to do so far, and that one's next
 * operations wait for the copy, all on the devices. */
#include <stdlib.h>

#include "backend/cuda/linear/linear.h"
#include "backend/part.h"
#include "base/memory.h"

static const char WHAT[] = "renewing ghost nodes of multigrid";

static void own(struct hs_operator *op, const struct hs_rectangle *own)
{
  op->counted = false;
  op->level.own = (struct hs_device_own){own->x0, own->y0, own->x0 + own->nx, own->y0 + own->ny};
}

/* The memory that operators of the present device are made of becomes another one's to read. */
static void link(int other)
{
  const struct cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, other}, cudaMemAccessFlagsProtReadWrite};
  cudaMemPool_t pool;
  int device = 0, can = 0;
  if (cudaGetDevice(&device) == cudaSuccess && device != other &&
      cudaDeviceCanAccessPeer(&can, other, device) == cudaSuccess && can &&
      cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess)
    (void)cudaMemPoolSetAccess(pool, &access, 1);
  (void)cudaGetLastError(); /* without it, copies go by way of the host */
}

/* --- sums ------------------------------------------------------------------------------------ */

static hs_status tally(struct hs_operator *op, struct hs_tally *tally, struct hs_error *err)
{
  (void)err;
  *tally = *op->shared->tally;
  return HS_OK;
}

static hs_status total(struct hs_operator *op, const struct hs_vector *v, struct hs_total *total, struct hs_error *err)
{
  const struct hs_cuda_linear *s = op->shared;
  const hs_status status =
      hs_cuda_tally_wait(op, hs_kernel_mg_sum(&op->level, v->single, v->d_values, &s->reduction, s->stream), err);
  *total = s->tally->sum[0];
  return status;
}

static hs_status wrap(struct hs_operator *op, struct hs_vector *v, struct hs_error *err)
{
  return hs_cuda_check(hs_kernel_mg_ghosts(&v->grid, v->single, v->d_values, op->shared->stream), WHAT, err);
}

static hs_status lower(struct hs_operator *op, struct hs_vector *v, double by, struct hs_tally *left,
                       struct hs_error *err)
{
  const struct hs_cuda_linear *s = op->shared;
  hs_status status =
      hs_cuda_tally_wait(op, hs_kernel_mg_drop(&op->level, v->single, v->d_values, by, &s->reduction, s->stream), err);
  (void)tally(op, left, err);
  return status ? status : wrap(op, v, err);
}

/* --- couplings ------------------------------------------------------------------------------- */

static hs_status window(struct hs_operator *model, const struct hs_grid *grid, struct hs_operator **result,
                        struct hs_error *err)
{
  struct hs_operator *op = NULL;
  hs_status status = hs_array_create((void **)&op, 1, sizeof *op, "multigrid", err);
  *result = NULL;
  if (status) return status;
  op->shared = model->shared;
  op->singular = model->singular;
  op->level.grid = *grid;
  op->level.grid.pitch = (grid->nx + 3 + 31) / 32 * 32;
  op->level.own = hs_cuda_own_all(&op->level.grid);
  status = hs_cuda_exact_create(op, err);
  if (status) {
    hs_cuda_operator_destroy(op);
    return status;
  }
  *result = op;
  return HS_OK;
}

static hs_status complete(struct hs_operator *op, struct hs_error *err)
{
  const hs_status status = hs_cuda_exact_ghosts(op, err);
  return status ? status : hs_cuda_couplings_create(op, err);
}

/* In the order of a block's values. */
static double *couplings_of(const struct hs_operator *op, const struct hs_rectangle *block, int which)
{
  double *const arrays[5] = {op->level.exact.east, op->level.exact.northeast, op->level.exact.north,
                             op->level.exact.northwest, op->level.exact.sum};
  return arrays[which] + hs_grid_at(&op->level.grid, block->x0, block->y0);
}

static hs_status couplings_get(struct hs_operator *op, const struct hs_rectangle *block, double (*values)[5],
                               struct hs_error *err)
{
  const size_t nodes = (size_t)block->nx * (size_t)block->ny, width = (size_t)block->nx * sizeof(double);
  const cudaStream_t stream = op->shared->stream;
  cudaError_t code = cudaSuccess;
  double *one = NULL;
  const hs_status status = hs_array_create((void **)&one, nodes, sizeof *one, "multigrid", err);
  for (int k = 0; !status && code == cudaSuccess && k < 5; k++) {
    code = cudaMemcpy2DAsync(one, width, couplings_of(op, block, k), (size_t)op->level.grid.pitch * sizeof *one, width,
                             (size_t)block->ny, cudaMemcpyDeviceToHost, stream);
    if (code == cudaSuccess) code = cudaStreamSynchronize(stream);
    for (size_t n = 0; n < nodes; n++) values[n][k] = one[n];
  }
  free(one);
  return status ? status : hs_cuda_check(code, WHAT, err);
}

static hs_status couplings_put(struct hs_operator *op, const struct hs_rectangle *block, const double (*values)[5],
                               struct hs_error *err)
{
  const size_t nodes = (size_t)block->nx * (size_t)block->ny, width = (size_t)block->nx * sizeof(double);
  const cudaStream_t stream = op->shared->stream;
  cudaError_t code = cudaSuccess;
  double *one = NULL;
  const hs_status status = hs_array_create((void **)&one, nodes, sizeof *one, "multigrid", err);
  for (int k = 0; !status && code == cudaSuccess && k < 5; k++) {
    for (size_t n = 0; n < nodes; n++) one[n] = values[n][k];
    code = cudaMemcpy2DAsync(couplings_of(op, block, k), (size_t)op->level.grid.pitch * sizeof *one, one, width, width,
                             (size_t)block->ny, cudaMemcpyHostToDevice, stream);
    if (code == cudaSuccess) code = cudaStreamSynchronize(stream);
  }
  free(one);
  return status ? status : hs_cuda_check(code, WHAT, err);
}

/* --- blocks of vectors ----------------------------------------------------------------------- */

static size_t element(const struct hs_vector *v)
{
  return v->single ? sizeof(float) : sizeof(double);
}

static size_t pitch_bytes(const struct hs_vector *v)
{
  return (size_t)v->grid.pitch * element(v);
}

static char *value_at(const struct hs_vector *v, int i, int j)
{
  return (char *)v->d_values + hs_grid_at(&v->grid, i, j) * element(v);
}

static hs_status block_get(struct hs_operator *op, const struct hs_vector *v, const struct hs_rectangle *block,
                           void *values, struct hs_error *err)
{
  const size_t width = (size_t)block->nx * element(v);
  cudaError_t code = cudaMemcpy2DAsync(values, width, value_at(v, block->x0, block->y0), pitch_bytes(v), width,
                                       (size_t)block->ny, cudaMemcpyDeviceToHost, op->shared->stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(op->shared->stream);
  return hs_cuda_check(code, WHAT, err);
}

static hs_status block_put(struct hs_operator *op, struct hs_vector *v, const struct hs_rectangle *block,
                           const void *values, struct hs_error *err)
{
  const size_t width = (size_t)block->nx * element(v);
  cudaError_t code = cudaMemcpy2DAsync(value_at(v, block->x0, block->y0), pitch_bytes(v), values, width, width,
                                       (size_t)block->ny, cudaMemcpyHostToDevice, op->shared->stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(op->shared->stream);
  return hs_cuda_check(code, WHAT, err);
}

static hs_status offer(struct hs_operator *op, struct hs_error *err)
{
  return hs_cuda_check(cudaEventRecord(op->shared->written, op->shared->stream), WHAT, err);
}

/* The stream waits for what the source has been asked for. */
static cudaError_t copy_begin(const struct hs_cuda_linear *s, const struct hs_cuda_linear *source)
{
  return s != source ? cudaStreamWaitEvent(s->stream, source->written, 0) : cudaSuccess;
}

/* And the source's for the copy. */
static cudaError_t copy_end(const struct hs_cuda_linear *s, const struct hs_cuda_linear *source)
{
  const cudaError_t code = s != source ? cudaEventRecord(s->copied, s->stream) : cudaSuccess;
  return code == cudaSuccess && s != source ? cudaStreamWaitEvent(source->stream, s->copied, 0) : code;
}

static hs_status block_copy(struct hs_operator *op, struct hs_vector *v, const struct hs_rectangle *block,
                            struct hs_operator *from_op, const struct hs_vector *from, int x0, int y0,
                            struct hs_error *err)
{
  const struct hs_cuda_linear *s = op->shared, *source = from_op->shared;
  cudaError_t code = copy_begin(s, source);
  if (code == cudaSuccess)
    code =
        cudaMemcpy2DAsync(value_at(v, block->x0, block->y0), pitch_bytes(v), value_at(from, x0, y0), pitch_bytes(from),
                          (size_t)block->nx * element(v), (size_t)block->ny, cudaMemcpyDefault, s->stream);
  if (code == cudaSuccess) code = copy_end(s, source);
  return hs_cuda_check(code, WHAT, err);
}

static hs_status couplings_copy(struct hs_operator *op, const struct hs_rectangle *block, struct hs_operator *from_op,
                                int x0, int y0, struct hs_error *err)
{
  const struct hs_cuda_linear *s = op->shared, *source = from_op->shared;
  const struct hs_rectangle there = {x0, y0, block->nx, block->ny};
  const size_t size = sizeof(double);
  cudaError_t code = copy_begin(s, source);
  for (int k = 0; code == cudaSuccess && k < 5; k++)
    code = cudaMemcpy2DAsync(couplings_of(op, block, k), (size_t)op->level.grid.pitch * size,
                             couplings_of(from_op, &there, k), (size_t)from_op->level.grid.pitch * size,
                             (size_t)block->nx * size, (size_t)block->ny, cudaMemcpyDefault, s->stream);
  if (code == cudaSuccess) code = copy_end(s, source);
  return hs_cuda_check(code, WHAT, err);
}

const struct hs_part_linear hs_part_linear_cuda = {
    .own = own,
    .link = link,
    .tally = tally,
    .total = total,
    .lower = lower,
    .window = window,
    .complete = complete,
    .couplings_get = couplings_get,
    .couplings_put = couplings_put,
    .block_get = block_get,
    .block_put = block_put,
    .wrap = wrap,
    .offer = offer,
    .block_copy = block_copy,
    .couplings_copy = couplings_copy,
    .take = hs_cuda_block_take,
    .give = hs_cuda_block_give,
};
