/* The operations of the cycle, of conjugate gradients and of Richardson's iteration on the device. */
#include <math.h>
#include <stdlib.h>

#include "backend/cuda/linear/linear.h"
#include "base/memory.h"

static const char CYCLE[] = "a multigrid cycle", STEP[] = "a step of multigrid";

/* A kernel was launched; then the ghosts of what it wrote. */
static hs_status launched(const struct hs_operator *op, cudaError_t code, const struct hs_vector *written,
                          const char *doing, struct hs_error *err)
{
  if (code == cudaSuccess && written)
    code = hs_kernel_mg_ghosts(&written->grid, written->single, written->d_values, op->shared->stream);
  return hs_cuda_check(code, doing, err);
}

/* --- the cycle ------------------------------------------------------------------------------- */

hs_status hs_cuda_cycle_start(struct hs_operator *op, const struct hs_vector *f, double weight, struct hs_vector *u,
                              struct hs_error *err)
{
  return launched(
      op, hs_kernel_mg_start(&op->level, hs_cuda_single(f), (float)weight, hs_cuda_single(u), op->shared->stream), u,
      CYCLE, err);
}

hs_status hs_cuda_cycle_relax(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                              double weight, struct hs_vector *to, struct hs_error *err)
{
  return launched(op,
                  hs_kernel_mg_relax(&op->level, hs_cuda_single(u), hs_cuda_single(f), (float)weight,
                                     hs_cuda_single(to), op->shared->stream),
                  to, CYCLE, err);
}

hs_status hs_cuda_cycle_segments(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                 const struct hs_segments *segments, struct hs_vector *to, struct hs_error *err)
{
  return launched(op,
                  hs_kernel_mg_segments(&op->level, hs_cuda_single(u), hs_cuda_single(f), segments, hs_cuda_single(to),
                                        op->shared->stream),
                  to, CYCLE, err);
}

/* In one pass, where the weights lie by coarse nodes. */
static hs_status down(struct hs_operator *op, enum hs_way_down way, const struct hs_vector *f, const float *weights,
                      const struct hs_vector *u, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                      struct hs_error *err)
{
  return hs_cuda_check(hs_kernel_mg_down(&op->level, way, hs_cuda_single(f), weights, hs_cuda_single(u),
                                         &coarse->level.grid, hs_cuda_single(coarse_f), op->shared->stream),
                       CYCLE, err);
}

hs_status hs_cuda_cycle_restrict(struct hs_operator *op, const struct hs_vector *u, const struct hs_vector *f,
                                 struct hs_vector *r, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                 struct hs_error *err)
{
  const cudaStream_t stream = op->shared->stream;
  hs_status status;
  if (op->d_cells) return down(op, HS_DOWN_GIVEN, f, NULL, u, coarse, coarse_f, err);
  status =
      launched(op, hs_kernel_mg_residual(&op->level, hs_cuda_single(u), hs_cuda_single(f), hs_cuda_single(r), stream),
               r, CYCLE, err);
  if (status) return status;
  return launched(
      op, hs_kernel_mg_restrict(&op->level, hs_cuda_single(r), &coarse->level.grid, hs_cuda_single(coarse_f), stream),
      NULL, CYCLE, err);
}

hs_status hs_cuda_cycle_condense(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                                 struct hs_vector *room, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                                 struct hs_error *err)
{
  const cudaStream_t stream = op->shared->stream;
  hs_status status;
  if (op->d_cells) return down(op, HS_DOWN_CONDENSED, f, NULL, u, coarse, coarse_f, err);
  status = launched(op, hs_kernel_mg_lines(&op->level, hs_cuda_single(f), hs_cuda_single(u), stream), u, CYCLE, err);
  if (!status && op->level.coarsen_x && op->level.coarsen_y)
    status =
        launched(op, hs_kernel_mg_middles(&op->level, hs_cuda_single(f), hs_cuda_single(u), stream), u, CYCLE, err);
  return status ? status : hs_cuda_cycle_restrict(op, u, f, room, coarse, coarse_f, err);
}

hs_status hs_cuda_cycle_prolong(struct hs_operator *op, const struct hs_operator *coarse,
                                const struct hs_vector *coarse_u, struct hs_vector *u, struct hs_error *err)
{
  return launched(op,
                  hs_kernel_mg_prolong(&op->level, &coarse->level.grid, hs_cuda_single(coarse_u), hs_cuda_single(u),
                                       op->shared->stream),
                  u, CYCLE, err);
}

hs_status hs_cuda_cycle_down(struct hs_operator *op, const struct hs_vector *f, const double weights[2],
                             struct hs_vector *u, const struct hs_operator *coarse, struct hs_vector *coarse_f,
                             struct hs_error *err)
{
  const float w[2] = {(float)weights[0], (float)weights[1]};
  return down(op, HS_DOWN_SMOOTHED, f, w, u, coarse, coarse_f, err);
}

hs_status hs_cuda_cycle_up(struct hs_operator *op, const struct hs_operator *coarse, const struct hs_vector *coarse_u,
                           const struct hs_vector *f, const double weights[2], const struct hs_vector *u,
                           struct hs_vector *to, struct hs_error *err)
{
  const float w[2] = {(float)weights[0], (float)weights[1]};
  return hs_cuda_check(hs_kernel_mg_up(&op->level, &coarse->level.grid, hs_cuda_single(coarse_u), hs_cuda_single(f), w,
                                       hs_cuda_single(u), hs_cuda_single(to), op->shared->stream),
                       CYCLE, err);
}

hs_status hs_cuda_cycle_solve(struct hs_operator *op, const struct hs_vector *f, struct hs_vector *u,
                              struct hs_error *err)
{
  return launched(op, hs_kernel_mg_solve(&op->level, hs_cuda_single(f), hs_cuda_single(u), op->shared->stream), u,
                  CYCLE, err);
}

/* --- fields of the sweeps -------------------------------------------------------------------- */

/* Node (x0, y0) of the present field. */
static void *field_at(const struct hs_cuda_state *state, int x0, int y0)
{
  const int64_t node = y0 * (int64_t)state->device.pitch + x0;
  return (char *)hs_cuda_origin(state, state->now) + node * (int64_t)(state->single ? sizeof(float) : sizeof(double));
}

static struct hs_device_own block_of(const struct hs_rectangle *block)
{
  return (struct hs_device_own){block->x0, block->y0, block->x0 + block->nx, block->y0 + block->ny};
}

hs_status hs_cuda_block_take(const struct hs_operator *op, struct hs_vector *v, const struct hs_rectangle *block,
                             const struct hs_backend_state *backend, int x0, int y0, struct hs_error *err)
{
  const struct hs_cuda_state *state = hs_cuda_state(backend);
  const struct hs_device_own nodes = block_of(block);
  const cudaError_t code = cudaStreamSynchronize(state->stream);
  if (code != cudaSuccess) return hs_cuda_check(code, STEP, err);
  return launched(op,
                  hs_kernel_mg_take(&op->level, &nodes, state->single, field_at(state, x0, y0), state->device.pitch,
                                    hs_cuda_double(v), op->shared->stream),
                  v, STEP, err);
}

hs_status hs_cuda_take(const struct hs_operator *op, const struct hs_backend_state *backend, struct hs_vector *v,
                       struct hs_error *err)
{
  const struct hs_rectangle all = {0, 0, op->level.grid.nx, op->level.grid.ny};
  return hs_cuda_block_take(op, v, &all, backend, 0, 0, err);
}

hs_status hs_cuda_block_give(const struct hs_operator *op, const struct hs_vector *v, const struct hs_rectangle *block,
                             struct hs_backend_state *backend, int x0, int y0, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  const struct hs_device_own nodes = block_of(block);
  void *now = hs_cuda_origin(state, state->now);
  cudaError_t code = hs_kernel_mg_give(&op->level, &nodes, state->single, hs_cuda_double(v), field_at(state, x0, y0),
                                       state->device.pitch, op->shared->stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(op->shared->stream);
  if (code == cudaSuccess) code = hs_kernel_wrap(&state->device, state->single, now, NULL, state->stream);
  if (code == cudaSuccess)
    code = hs_kernel_copy(state->d_field[state->now], state->d_field[state->before], state->field_bytes, NULL,
                          state->stream);
  if (code == cudaSuccess) code = cudaStreamSynchronize(state->stream);
  if (state->pass.largest != 0.0 && !state->pass.exceeded) { /* nobody has looked how large the values are */
    state->pass.exceeded = true;
    hs_cuda_graphs_drop(state);
  }
  return hs_cuda_check(code, STEP, err);
}

hs_status hs_cuda_give(const struct hs_operator *op, const struct hs_vector *v, struct hs_backend_state *backend,
                       struct hs_error *err)
{
  const struct hs_cuda_state *state = hs_cuda_state(backend);
  const struct hs_rectangle all = {0, 0, state->device.nx, state->device.ny};
  return hs_cuda_block_give(op, v, &all, backend, 0, 0, err);
}

/* --- conjugate gradients --------------------------------------------------------------------- */

/* Waits for a reduction whose launch gave `code`. */
hs_status hs_cuda_tally_wait(const struct hs_operator *op, cudaError_t code, struct hs_error *err)
{
  const struct hs_cuda_linear *s = op->shared;
  if (code == cudaSuccess) code = cudaStreamSynchronize(s->stream);
  return hs_cuda_check(code, STEP, err);
}

static struct hs_residual_norms norms_of(const struct hs_operator *op)
{
  const struct hs_tally *t = op->shared->tally;
  const struct hs_residual_norms norms = {t->max[0], sqrt(hs_total_value(&t->sum[0])), 0.0};
  return norms;
}

/* Subtracts the mean of a vector, *mean; the tally is then that of what is left. */
static hs_status mean_drop(struct hs_operator *op, const struct hs_vector *v, double *mean, struct hs_error *err)
{
  const struct hs_cuda_linear *s = op->shared;
  const struct hs_grid *g = &op->level.grid;
  const hs_status status =
      hs_cuda_tally_wait(op, hs_kernel_mg_sum(&op->level, v->single, v->d_values, &s->reduction, s->stream), err);
  if (status) return status;
  *mean = hs_total_value(&s->tally->sum[0]) / ((double)g->nx * g->ny);
  return hs_cuda_tally_wait(op, hs_kernel_mg_drop(&op->level, v->single, v->d_values, *mean, &s->reduction, s->stream),
                            err);
}

static struct hs_device_right right_of(const struct hs_right_side *right, double scale)
{
  const struct hs_device_right r = {.start = right->start ? hs_cuda_double(right->start) : NULL,
                                    .rest = right->rest ? hs_cuda_double(right->rest) : NULL,
                                    .alone = right->alone,
                                    .mean = right->mean,
                                    .scale = scale};
  return r;
}

hs_status hs_cuda_residual(struct hs_operator *op, const struct hs_vector *x, const struct hs_right_side *right,
                           struct hs_vector *r, struct hs_residual_norms *norms, struct hs_error *err)
{
  const struct hs_cuda_linear *s = op->shared;
  const struct hs_device_right counted = right_of(right, 1.0);
  double mean = 0.0;
  hs_status status = hs_cuda_tally_wait(
      op, hs_kernel_mg_inflow(&op->level, hs_cuda_double(x), &counted, hs_cuda_double(r), &s->reduction, s->stream),
      err);
  if (!status && op->singular) status = mean_drop(op, r, &mean, err);
  *norms = norms_of(op);
  norms->mean = mean;
  return status;
}

hs_status hs_cuda_round(struct hs_operator *op, const struct hs_vector *r, double scale, struct hs_vector *f,
                        struct hs_error *err)
{
  return launched(op,
                  hs_kernel_mg_scale(&op->level.grid, hs_cuda_double(r), scale, hs_cuda_single(f), op->shared->stream),
                  NULL, STEP, err);
}

hs_status hs_cuda_examine(struct hs_operator *op, const struct hs_examination *of, struct hs_correction *correction,
                          struct hs_error *err)
{
  const struct hs_cuda_linear *s = op->shared;
  const struct hs_device_examination asked = {hs_cuda_single(of->z), hs_cuda_single(of->f),
                                              of->p ? hs_cuda_single(of->p) : NULL, hs_linear_behind(of)};
  double mean;
  hs_status status = op->singular ? mean_drop(op, of->z, &mean, err) : HS_OK;
  if (!status && op->singular) status = launched(op, cudaSuccess, of->z, STEP, err); /* the ghosts lose it, too */
  if (!status) status = hs_cuda_tally_wait(op, hs_kernel_mg_examine(&op->level, &asked, &s->reduction, s->stream), err);
  *correction = hs_linear_correction(s->tally, of);
  return status;
}

hs_status hs_cuda_step_advance(struct hs_operator *op, const struct hs_linear_step *s, struct hs_error *err)
{
  const struct hs_device_linear_step step = {.z = hs_cuda_single(s->z),
                                             .p = hs_cuda_single(s->p),
                                             .x = hs_cuda_double(s->x),
                                             .right = right_of(&s->right, s->scale),
                                             .unscale = s->unscale,
                                             .beta = s->beta,
                                             .along = s->alpha,
                                             .p_to = hs_cuda_single(s->p_to),
                                             .x_to = hs_cuda_double(s->x_to),
                                             .f = hs_cuda_single(s->f)};
  const hs_status status =
      launched(op, hs_kernel_mg_advance(&op->level, &step, op->shared->stream), s->p_to, STEP, err);
  return status ? status : launched(op, cudaSuccess, s->x_to, STEP, err);
}

hs_status hs_cuda_richardson(struct hs_operator *op, const struct hs_richardson *s, struct hs_richardson_found *found,
                             struct hs_error *err)
{
  const struct hs_cuda_linear *shared = op->shared;
  const struct hs_device_linear_step step = {.z = hs_cuda_single(s->z),
                                             .x = hs_cuda_double(s->x),
                                             .right = right_of(&s->right, s->scale),
                                             .along = s->length * s->unscale,
                                             .x_to = hs_cuda_double(s->x_to),
                                             .f = hs_cuda_single(s->f)};
  hs_status status =
      launched(op, hs_kernel_mg_richardson(&op->level, &step, &shared->reduction, shared->stream), s->x_to, STEP, err);
  if (!status) status = hs_cuda_tally_wait(op, cudaSuccess, err);
  *found = hs_richardson_found(shared->tally, s);
  return status;
}

hs_status hs_cuda_change(const struct hs_operator *op, const struct hs_vector *x, const struct hs_vector *start,
                         struct hs_vector *d, struct hs_error *err)
{
  return launched(
      op,
      hs_kernel_mg_change(&op->level, hs_cuda_double(x), hs_cuda_double(start), hs_cuda_single(d), op->shared->stream),
      d, STEP, err);
}

hs_status hs_cuda_vector_largest(struct hs_operator *op, const struct hs_vector *x, double *largest,
                                 struct hs_error *err)
{
  const struct hs_cuda_linear *s = op->shared;
  const hs_status status =
      hs_cuda_tally_wait(op, hs_kernel_mg_largest(&op->level, hs_cuda_double(x), &s->reduction, s->stream), err);
  *largest = s->tally->max[0];
  return status;
}

/* --- recordings: CUDA graphs ----------------------------------------------------------------- */

struct hs_recording {
  cudaGraphExec_t graph;
};

hs_status hs_cuda_record(struct hs_operator *op, struct hs_error *err)
{
  return hs_cuda_check(cudaStreamBeginCapture(op->shared->stream, cudaStreamCaptureModeThreadLocal), CYCLE, err);
}

hs_status hs_cuda_recorded(struct hs_operator *op, struct hs_recording **result, struct hs_error *err)
{
  struct hs_recording *recording = NULL;
  cudaGraph_t graph = NULL;
  cudaError_t code = cudaStreamEndCapture(op->shared->stream, &graph);
  hs_status status = hs_array_create((void **)&recording, 1, sizeof *recording, "a recording", err);
  if (!status && code == cudaSuccess) code = cudaGraphInstantiate(&recording->graph, graph, 0);
  if (!status) status = hs_cuda_check(code, CYCLE, err);
  if (graph) (void)cudaGraphDestroy(graph);
  if (status) {
    hs_cuda_forget(recording);
    recording = NULL;
  }
  *result = recording;
  return status;
}

hs_status hs_cuda_repeat(struct hs_operator *op, struct hs_recording *recording, struct hs_error *err)
{
  return hs_cuda_check(cudaGraphLaunch(recording->graph, op->shared->stream), CYCLE, err);
}

void hs_cuda_forget(struct hs_recording *recording)
{
  if (!recording) return;
  if (recording->graph) (void)cudaGraphExecDestroy(recording->graph);
  free(recording);
}
