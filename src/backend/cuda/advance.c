/* Sweeps, intervals and stop tests on the device.
 *
 * A backend that has passes (cuda/state.h) takes plain sweeps several at a time, but for the last one of a call: the
 * other field then holds its predecessor, which the norms want. Everything else is taken one sweep at a time.
 *
 * Intervals: a graph whose while node is driven by the test itself.
 *
 *     while (condition) {
 *       save; sweep x check_every; norms; decide   -> condition
 *       [ the same with the fields exchanged, when check_every is odd ]
 *     }
 *
 * Why a graph with a conditional node: a graph node costs 0.7 us where a launch costs 3.5 us, and
 * the condition is set by the deciding kernel, so between two events there is neither a transfer
 * nor a synchronisation. A host that launched ahead would have to guard every kernel against the
 * stop; a host that asked after each interval would wait 10 us for it. An odd number of exchanges
 * leaves the new field in the other buffer, so the loop then holds two intervals and the kernels of
 * the second look at a halt flag first.
 *
 * Kernels in a graph keep their arguments. What changes between time steps, and the weights of relaxed
 * sweeps, they therefore read through pointers; only plain sweeps have a stencil by value (cuda/system.c).
 * A graph of Chebyshev sweeps begins with the kernel that computes their weights.
 */
#include <string.h>

#include "backend/cuda/state.h"

/* The call changed its form in CUDA 13. */
#if CUDART_VERSION >= 13000
static cudaError_t graph_add_node(cudaGraph_t graph, struct cudaGraphNodeParams *params)
{
  cudaGraphNode_t node;
  return cudaGraphAddNode(&node, graph, NULL, NULL, 0, params);
}
#else
static cudaError_t graph_add_node(cudaGraph_t graph, struct cudaGraphNodeParams *params)
{
  cudaGraphNode_t node;
  return cudaGraphAddNode(&node, graph, NULL, 0, params);
}
#endif

/* The kind of graph that the present form of sweeps needs: launchers choose a kernel by `relaxed`, and a graph keeps
 * their choice. */
static enum hs_cuda_variant variant_of(const struct hs_cuda_state *state)
{
  if (state->form == HS_FORM_CHEBYSHEV) return HS_CUDA_CHEBYSHEV;
  return state->device.relaxed ? HS_CUDA_RELAXED : HS_CUDA_PLAIN;
}

cudaError_t hs_cuda_sweep_enqueue(struct hs_cuda_state *state, int from, int to, int step, struct hs_norm_slot *d_slots,
                                  const int32_t *d_halt)
{
  const struct hs_device_sweep sweep = {.from = hs_cuda_origin(state, from),
                                        .to = hs_cuda_origin(state, to),
                                        .step = step,
                                        .d_slots = d_slots,
                                        .d_control = state->d_control,
                                        .d_halt = d_halt};
  const cudaError_t code = state->sweep(&state->device, state->single, &sweep, state->stream);
  if (code != cudaSuccess) return code;
  return hs_kernel_wrap(&state->device, state->single, hs_cuda_origin(state, to), d_halt, state->stream);
}

cudaError_t hs_cuda_steps_enqueue(struct hs_cuda_state *state, int64_t count)
{
  if (state->form != HS_FORM_CHEBYSHEV) return cudaSuccess;
  return hs_kernel_relax_next(state->d_relaxation, count < HS_NORM_BATCH ? (int)count : HS_NORM_BATCH, state->stream);
}

bool hs_cuda_passes_apply(const struct hs_cuda_state *state)
{
  return hs_cuda_pass_ready(&state->pass) && !state->device.general && state->device.wrap_x < 0 &&
         state->device.wrap_y < 0;
}

/* Sweeps of the next pass while `left` are to be made. With predecessor the last one of a call is made alone, so that the
 * other field then holds it. */
static int64_t pass_length(const struct hs_cuda_state *state, int64_t left, bool predecessor)
{
  const int64_t length = hs_cuda_passes_apply(state) ? hs_cuda_pass_length(&state->pass, left - predecessor) : 0;
  return length > 0 ? length : 1;
}

/* Are n sweeps enough for a pass? */
static bool passes_pay(const struct hs_cuda_state *state, int64_t n, bool predecessor)
{
  return pass_length(state, n, predecessor) > 1;
}

/* Enqueues n passes' worth of plain sweeps, or of weighted ones, from field `now` to and fro with field `before`; the
 * last of them adds up its norms in d_slots (or NULL). *swaps counts how often the fields changed places. */
static cudaError_t passes_enqueue(struct hs_cuda_state *state, int64_t n, bool predecessor, int now, int before,
                                  struct hs_norm_slot *d_slots, const int32_t *d_halt, int *swaps)
{
  cudaError_t code = cudaSuccess;
  *swaps = 0;
  for (int64_t left = n; code == cudaSuccess && left > 0; (*swaps)++) {
    const int64_t length = pass_length(state, left, predecessor);
    const int swap = now;
    if (length > 1)
      code = state->pass.enqueue(state, now, before, length, d_halt);
    else
      code = hs_cuda_sweep_enqueue(state, now, before, 0, left == 1 ? d_slots : NULL, d_halt);
    now = before;
    before = swap;
    left -= length;
  }
  return code;
}

/* Launches n sweeps one by one, or in passes. */
static cudaError_t sweeps_launch(struct hs_cuda_state *state, int64_t n, bool predecessor)
{
  cudaError_t code = cudaSuccess;
  if (hs_cuda_passes_apply(state)) {
    int swaps;
    code = passes_enqueue(state, n, predecessor, state->now, state->before, NULL, NULL, &swaps);
    if (swaps % 2) hs_cuda_exchange(state);
    return code;
  }
  for (int64_t k = 0; code == cudaSuccess && k < n; k++) {
    const int step = (int)(k % HS_NORM_BATCH);
    if (step == 0) code = hs_cuda_steps_enqueue(state, n - k);
    if (code == cudaSuccess) code = hs_cuda_sweep_enqueue(state, state->now, state->before, step, NULL, NULL);
    hs_cuda_exchange(state);
  }
  return code;
}

/* Sweeps of each graph; even, so that the fields come back to their places. */
static const int graph_sweeps[HS_CUDA_GRAPHS] = {64, 8};

/* A graph of n sweeps for the present assignment of the fields. */
static cudaError_t sweeps_graph_build(struct hs_cuda_state *state, int n, cudaGraphExec_t *exec)
{
  cudaGraph_t graph = NULL;
  cudaError_t ended;
  cudaError_t code = cudaStreamBeginCapture(state->stream, cudaStreamCaptureModeThreadLocal);
  if (code != cudaSuccess) return code;
  code = sweeps_launch(state, n, true);
  ended = cudaStreamEndCapture(state->stream, &graph);
  if (code == cudaSuccess) code = ended;
  if (code == cudaSuccess) code = cudaGraphInstantiate(exec, graph, 0);
  if (graph) (void)cudaGraphDestroy(graph);
  return code;
}

cudaError_t hs_cuda_sweeps_enqueue(struct hs_cuda_state *state, int64_t n, bool predecessor)
{
  const enum hs_cuda_variant variant = variant_of(state);
  cudaError_t code = cudaSuccess;
  for (int g = 0; g < HS_CUDA_GRAPHS && !passes_pay(state, n, predecessor);
       g++) { /* passes are long enough without a graph */
    cudaGraphExec_t *exec = &state->sweeps[g][state->now][variant];
    if (n < graph_sweeps[g]) continue;
    if (!*exec) code = sweeps_graph_build(state, graph_sweeps[g], exec);
    for (; code == cudaSuccess && n >= graph_sweeps[g]; n -= graph_sweeps[g])
      code = cudaGraphLaunch(*exec, state->stream);
    if (code != cudaSuccess) break;
  }
  return code == cudaSuccess ? sweeps_launch(state, n, predecessor) : code;
}

hs_status hs_cuda_sweep(struct hs_backend_state *backend, int64_t n, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  cudaError_t code = hs_cuda_sweeps_enqueue(state, n, true);
  if (code == cudaSuccess) code = cudaStreamSynchronize(state->stream);
  return hs_cuda_check(code, "sweeping", err);
}

/* Enqueues one interval from field `now` to and fro with field `before`. */
static cudaError_t interval_enqueue(struct hs_cuda_state *state, const struct hs_stop_test *test, bool keep, int now,
                                    int before, const int32_t *d_halt, cudaGraphConditionalHandle loop, int *swaps)
{
  cudaError_t code = cudaSuccess;
  if (keep)
    code = hs_kernel_copy(state->d_field[now], state->d_field[state->saved], state->field_bytes, d_halt, state->stream);
  if (code == cudaSuccess)
    code = passes_enqueue(state, test->check_every, true, now, before, test->full_norms ? NULL : state->d_slots, d_halt,
                          swaps);
  if (code == cudaSuccess && test->full_norms) {
    const int last = *swaps % 2 ? before : now, other = *swaps % 2 ? now : before;
    code = hs_kernel_norms(&state->device, state->single, hs_cuda_origin(state, last), hs_cuda_origin(state, other),
                           state->d_slots, state->d_control, d_halt, state->stream);
  }
  if (code == cudaSuccess)
    code = hs_kernel_decide(state->d_control, state->d_slots, test->check_every, loop, state->stream);
  return code;
}

/* Captures the loop's body: one interval, or two when the fields change places. */
static cudaError_t body_capture(struct hs_cuda_state *state, const struct hs_stop_test *test, bool keep,
                                cudaGraph_t body, cudaGraphConditionalHandle loop, int *swaps)
{
  cudaGraph_t captured = NULL;
  cudaError_t ended;
  cudaError_t code =
      cudaStreamBeginCaptureToGraph(state->stream, body, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal);
  if (code != cudaSuccess) return code;
  code = interval_enqueue(state, test, keep, state->now, state->before, NULL, loop, swaps);
  if (code == cudaSuccess && *swaps % 2)
    code = interval_enqueue(state, test, keep, state->before, state->now, &state->d_control->halt, loop, swaps);
  ended = cudaStreamEndCapture(state->stream, &captured);
  return code != cudaSuccess ? code : ended;
}

/* The graph for the present assignment of the fields, built when it is first needed. */
static hs_status graph_build(struct hs_cuda_state *state, const struct hs_stop_test *test, bool keep,
                             struct hs_cuda_graph *slot, struct hs_error *err)
{
  static const char doing[] = "building the graph of sweeps";
  struct cudaGraphNodeParams params;
  cudaGraphConditionalHandle loop;
  cudaGraph_t graph = NULL;
  hs_status status;
  if (slot->exec && slot->keep == keep && slot->variant == variant_of(state) &&
      slot->check_every == test->check_every && slot->full_norms == test->full_norms)
    return HS_OK;
  if (slot->exec) (void)cudaGraphExecDestroy(slot->exec);
  slot->exec = NULL;

  memset(&params, 0, sizeof params);
  status = hs_cuda_check(cudaGraphCreate(&graph, 0), doing, err);
  if (!status)
    status = hs_cuda_check(cudaGraphConditionalHandleCreate(&loop, graph, 1, cudaGraphCondAssignDefault), doing, err);
  if (status) goto out;
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = loop;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
  status = hs_cuda_check(graph_add_node(graph, &params), doing, err);
  if (!status)
    status = hs_cuda_check(body_capture(state, test, keep, params.conditional.phGraph_out[0], loop, &slot->swaps),
                           doing, err);
  if (!status) status = hs_cuda_check(cudaGraphInstantiate(&slot->exec, graph, 0), doing, err);
  slot->keep = keep;
  slot->variant = variant_of(state);
  slot->check_every = test->check_every;
  slot->full_norms = test->full_norms;
out:
  if (graph) (void)cudaGraphDestroy(graph);
  return status;
}

/* What of the control block crosses the bus besides the history. */
static const size_t CONTROL_HEAD = offsetof(struct hs_device_control, history);

static hs_status control_upload(struct hs_cuda_state *state, const struct hs_intervals *intervals, struct hs_error *err)
{
  const struct hs_stop_state *stop = intervals->stop;
  struct hs_device_control *c = state->control;
  memset(c, 0, CONTROL_HEAD);
  c->test = *intervals->test;
  c->stop = *stop;
  c->until = intervals->until;
  c->capacity = intervals->capacity < HS_DEVICE_HISTORY ? intervals->capacity : HS_DEVICE_HISTORY;
  c->update_scale = hs_sum_scale(stop->bounds.update_max);
  c->residual_scale = hs_sum_scale(stop->bounds.residual_max);
  return hs_cuda_check(cudaMemcpyAsync(state->d_control, c, CONTROL_HEAD, cudaMemcpyHostToDevice, state->stream),
                       "starting the sweeps", err);
}

hs_status hs_cuda_advance(struct hs_backend_state *backend, struct hs_intervals *intervals, struct hs_error *err)
{
  struct hs_cuda_state *state = hs_cuda_state(backend);
  static const char doing[] = "sweeping";
  const struct hs_stop_test *test = intervals->test;
  struct hs_stop_state *stop = intervals->stop;
  const int64_t start = stop->sweeps;
  struct hs_device_control *c = state->control;
  struct hs_cuda_graph *slot = &state->graph[state->now];
  hs_status status;
  if (state->form == HS_FORM_CHEBYSHEV)
    return hs_error_set(err, HS_ERR_UNSUPPORTED, "the stop test on the device takes plain and weighted sweeps only");
  status = graph_build(state, test, intervals->keep, slot, err);
  if (!status) status = control_upload(state, intervals, err);
  if (!status) status = hs_cuda_check(cudaGraphLaunch(slot->exec, state->stream), doing, err);
  if (!status)
    status = hs_cuda_check(cudaMemcpyAsync(c, state->d_control, CONTROL_HEAD, cudaMemcpyDeviceToHost, state->stream),
                           doing, err);
  if (!status) status = hs_cuda_check(cudaStreamSynchronize(state->stream), doing, err);
  if (status) return status;
  *stop = c->stop;
  intervals->count = c->count;
  if ((stop->sweeps - start) / test->check_every * slot->swaps % 2) hs_cuda_exchange(state);
  return hs_cuda_check(cudaMemcpy(intervals->history, state->d_control->history, (size_t)c->count * sizeof *c->history,
                                  cudaMemcpyDeviceToHost),
                       doing, err);
}
