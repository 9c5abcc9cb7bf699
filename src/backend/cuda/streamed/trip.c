/* Trips of cuda-streamed: the order of transfers and sweeps.
 *
 * Three streams go on side by side, one for each way of the bus and one
 * for the sweeps:
 *
 *     up     | 0 | 1 | 2 | 3     | 4     |            a band's rows, its index, its constants
 *     sweep      | 0     | 1     | 2     | 3     |
 *     down               | 0 |   | 1 |   | 2 |        the band's own rows
 *
 * Events: a sweep waits until its slot has `arrived`, the way down until it is `swept`, and the next band's way up
 * until the slot is `gone`. The next trip's way up waits for the bands whose rows it reads, `returned`. Where a trip
 * writes into a field that it reads, a band's way down waits until the next band has arrived, the last that reads those
 * rows. Everything else follows from the order within a stream.
 *
 * Rows. In a slot, row r is the grid's row first + r. Only the rows of the cone arrive, which a sweep narrows by a row
 * on either side; around them lie rows of earlier visits, whose values never reach the band. At the grid's true edges
 * the row beyond is zero, as in every field (kernels.h).
 */
#include "backend/cuda/streamed/slots.h"

static const char DOING[] = "streaming the field";

static size_t pitch_bytes(const struct hs_cuda_state *slot)
{
  return (size_t)slot->device.pitch * slot->element;
}

/* --- transfers ------------------------------------------------------------------------------- */

/* One array of a slot and its counterpart on the host, rows of `width` bytes without padding. */
struct lane {
  char *device;     /* of the slot's row 0 */
  size_t pitch;     /* bytes */
  const char *host; /* of the grid's row 0 */
  size_t width;     /* bytes */
};

/* Virtual rows from .. to-1 of a band to the device. */
static cudaError_t rows_up(struct hs_streamed_device *d, const struct lane *lane, int first, int from, int to)
{
  cudaError_t code = cudaSuccess;
  for (int v = from, rows; code == cudaSuccess && v < to; v += rows) {
    int row;
    rows = hs_streamed_run(&d->plan, v, to, &row);
    code = cudaMemcpy2DAsync(lane->device + (size_t)(v - first) * lane->pitch, lane->pitch,
                             lane->host + (size_t)row * lane->width, lane->width, lane->width, (size_t)rows,
                             cudaMemcpyHostToDevice, d->up);
  }
  return code;
}

static cudaError_t field_up(struct hs_streamed_device *d, const struct hs_cuda_state *slot, void *d_field,
                            const void *field, const struct hs_streamed_band *band, int64_t sweeps)
{
  const struct lane lane = {hs_cuda_field_origin(slot, d_field), pitch_bytes(slot), field,
                            (size_t)d->plan.nx * slot->element};
  int from, to;
  hs_streamed_cone(band, sweeps, &from, &to);
  return rows_up(d, &lane, band->first, from, to);
}

/* The index, or the stencils of every node. */
static cudaError_t laws_up(struct hs_streamed_device *d, const struct hs_cuda_state *slot,
                           const struct hs_streamed_band *band, int64_t sweeps)
{
  const struct hs_system *s = d->system;
  const size_t nx = (size_t)s->nx;
  const struct lane index = {slot->d_index, (size_t)slot->device.pitch * sizeof *s->index, (const char *)s->index,
                             nx * sizeof *s->index};
  const struct lane stencil = {slot->d_stencil, nx * sizeof *s->stencil, (const char *)s->stencil,
                               nx * sizeof *s->stencil};
  const struct lane single = {slot->d_stencil_single, nx * sizeof *s->stencil_single, (const char *)s->stencil_single,
                              nx * sizeof *s->stencil_single};
  cudaError_t code;
  int from, to;
  hs_streamed_cone(band, sweeps, &from, &to);
  if (s->index) return rows_up(d, &index, band->first, from, to);
  code = rows_up(d, &stencil, band->first, from, to);
  return code == cudaSuccess && d->single ? rows_up(d, &single, band->first, from, to) : code;
}

static cudaError_t visit_arrive(struct hs_streamed_device *d, const struct hs_streamed_trip *trip, int number, int k)
{
  const struct hs_streamed_band band = hs_streamed_band(&d->plan, number);
  struct hs_cuda_state *slot = d->slot[k];
  cudaError_t code = cudaStreamWaitEvent(d->up, d->gone[k], 0);
  if (code == cudaSuccess)
    code = cudaStreamWaitEvent(d->up, d->returned[hs_streamed_reads(&d->plan, number, trip->sweeps)], 0);
  if (code == cudaSuccess) code = field_up(d, slot, slot->d_field[0], trip->from, &band, trip->sweeps);
  if (code == cudaSuccess && trip->base)
    code = field_up(d, slot, slot->d_field[1], trip->base, &band, trip->sweeps - 1);
  if (code == cudaSuccess && trip->r) code = field_up(d, slot, slot->d_constants, trip->r, &band, trip->sweeps - 1);
  if (code == cudaSuccess) code = laws_up(d, slot, &band, trip->sweeps - 1);
  return code == cudaSuccess ? cudaEventRecord(d->arrived[k], d->up) : code;
}

/* The band's own rows of a field back to the host. */
static cudaError_t field_down(struct hs_streamed_device *d, const struct hs_cuda_state *slot, int which, void *field,
                              const struct hs_streamed_band *band)
{
  const size_t pitch = pitch_bytes(slot), width = (size_t)d->plan.nx * slot->element;
  const char *from = (const char *)hs_cuda_origin(slot, which) + (size_t)(band->y0 - band->first) * pitch;
  return cudaMemcpy2DAsync((char *)field + (size_t)band->y0 * width, width, from, pitch, width,
                           (size_t)(band->y1 - band->y0), cudaMemcpyDeviceToHost, d->down);
}

/* now: the field of the slot that has the result. */
static cudaError_t visit_return(struct hs_streamed_device *d, const struct hs_streamed_trip *trip, int number, int k,
                                int now)
{
  const struct hs_streamed_band band = hs_streamed_band(&d->plan, number);
  const bool overwrites = trip->to == trip->from || trip->to == trip->base || trip->predecessor == trip->from ||
                          (trip->predecessor && trip->predecessor == trip->base);
  cudaError_t code = cudaStreamWaitEvent(d->down, d->swept[k], 0);
  if (code == cudaSuccess && overwrites && number + 1 < d->plan.bands)
    code = cudaStreamWaitEvent(d->down, d->arrived[(d->visits + 1) % d->plan.slots], 0);
  if (code == cudaSuccess) code = field_down(d, d->slot[k], now, trip->to, &band);
  if (code == cudaSuccess && trip->predecessor) code = field_down(d, d->slot[k], !now, trip->predecessor, &band);
  if (code == cudaSuccess) code = cudaEventRecord(d->gone[k], d->down);
  return code == cudaSuccess ? cudaEventRecord(d->returned[number], d->down) : code;
}

/* --- sweeps ---------------------------------------------------------------------------------- */

/* A slot in the middle of its sweeps. */
struct visit {
  struct hs_cuda_state *slot;
  struct hs_device_system whole; /* the slot's */
  size_t origin;
  int rows;   /* of the slot that may be swept: the band and its halos; the band ends them where it is swept once */
  int y0, y1; /* the band's own, as rows of the slot */
  int now;    /* which field is t_k */
};

/* Lets the slot's system be its rows from .. to-1 only; from is a multiple of a tile's height. */
static void rows_see(const struct visit *v, int from, int to)
{
  struct hs_cuda_state *slot = v->slot;
  struct hs_device_system *s = &slot->device;
  const int64_t skipped = from * v->whole.pitch;
  *s = v->whole;
  slot->origin = v->origin + (size_t)skipped * slot->element;
  s->ny = to - from;
  s->tiles_y = (s->ny + HS_TILE_H - 1) / HS_TILE_H;
  s->d_tile_code = v->whole.d_tile_code + (size_t)(from / HS_TILE_H) * (size_t)s->tiles_x;
  if (s->d_constants) s->d_constants = (const char *)v->whole.d_constants + (size_t)skipped * slot->element;
  if (s->d_index) {
    s->d_index = v->whole.d_index + skipped;
    return;
  }
  s->d_stencil = v->whole.d_stencil + (size_t)from * (size_t)s->nx;
  if (slot->single) s->d_stencil_single = v->whole.d_stencil_single + (size_t)from * (size_t)s->nx;
}

static cudaError_t rows_sweep(const struct visit *v, int from, int to, int step, struct hs_norm_slot *d_slots)
{
  if (from >= to) return cudaSuccess;
  rows_see(v, from, to);
  return hs_cuda_sweep_enqueue(v->slot, v->now, !v->now, step, d_slots, NULL);
}

/* One sweep of all rows that `left` further sweeps of the band will need, in whole tiles. Norms are the band's only. */
static cudaError_t visit_sweep(struct visit *v, int64_t left, int step, struct hs_norm_slot *d_slots)
{
  const int below = left < v->y0 ? (int)(v->y0 - left) / HS_TILE_H * HS_TILE_H : 0;
  const int64_t end = (v->y1 + left + HS_TILE_H - 1) / HS_TILE_H * HS_TILE_H;
  const int above = end < v->rows && left > 0 ? (int)end : left > 0 ? v->rows : v->y1;
  cudaError_t code;
  if (d_slots) {
    code = rows_sweep(v, below, v->y0, step, NULL);
    if (code == cudaSuccess) code = rows_sweep(v, v->y0, v->y1, step, d_slots);
    if (code == cudaSuccess) code = rows_sweep(v, v->y1, above, step, NULL);
  } else {
    code = rows_sweep(v, below, above, step, NULL);
  }
  v->now = !v->now;
  return code;
}

/* Sweeps of the next pass, while `left` are to be made without a look; 0: it takes single ones. */
static int64_t pass_length(const struct visit *v, int64_t left)
{
  const struct hs_cuda_pass *pass = &v->slot->pass;
  if (!hs_cuda_pass_ready(pass) || v->whole.general) return 0;
  return hs_cuda_pass_length(pass, left);
}

/* All sweeps of a visit. */
static cudaError_t visit_sweeps(struct hs_streamed_device *d, const struct hs_streamed_trip *trip, struct visit *v)
{
  const int64_t looks = trip->normed > 0 ? trip->normed : trip->predecessor ? 1 : 0; /* sweeps to be made singly */
  cudaError_t code = cudaSuccess;
  for (int64_t done = 0, length; code == cudaSuccess && done < trip->sweeps; done += length) {
    const int64_t left = trip->sweeps - done, set = trip->normed - left;
    length = pass_length(v, left - looks);
    if (length > 0) {
      rows_see(v, 0, v->rows);
      code = v->slot->pass.enqueue(v->slot, v->now, !v->now, length, NULL);
      v->now = !v->now;
    } else {
      length = 1;
      code = visit_sweep(v, left - 1, (int)(done % HS_NORM_BATCH),
                         set >= 0 ? d->slot[0]->d_slots + (size_t)(trip->set + set) * HS_NORM_SLOTS : NULL);
    }
  }
  return code;
}

/* Zeros beyond the grid's last row, where another band has been. */
static cudaError_t edge_clear(const struct visit *v)
{
  const size_t pitch = pitch_bytes(v->slot);
  cudaError_t code = cudaSuccess;
  for (int k = 0; code == cudaSuccess && k < 2; k++) {
    char *row = (char *)v->slot->d_field[k] + v->origin + (size_t)v->rows * pitch - HS_PAD * v->slot->element;
    code = cudaMemsetAsync(row, 0, pitch, v->slot->stream);
  }
  return code;
}

/* Prepares what has arrived, and sweeps it. *now: the field of the slot that has the result. */
static cudaError_t visit_make(struct hs_streamed_device *d, const struct hs_streamed_trip *trip, int number, int k,
                              int *now)
{
  const struct hs_streamed_band band = hs_streamed_band(&d->plan, number);
  struct hs_cuda_state *slot = d->slot[k];
  struct visit v = {.slot = slot,
                    .whole = slot->device,
                    .origin = slot->origin,
                    .rows = (trip->sweeps > 1 ? band.last : band.y1) - band.first,
                    .y0 = band.y0 - band.first,
                    .y1 = band.y1 - band.first};
  cudaError_t code = cudaStreamWaitEvent(d->sweep, d->arrived[k], 0);
  rows_see(&v, 0, v.rows);
  if (d->pass) slot->pass = d->pass[number];
  if (code == cudaSuccess && d->plan.wrap_y < 0 && band.first + v.rows == d->plan.ny) code = edge_clear(&v);
  if (code == cudaSuccess && d->system->index)
    code = hs_kernel_classify(&slot->device, slot->d_tile_code, slot->stream);
  if (code == cudaSuccess)
    code = hs_kernel_wrap(&slot->device, slot->single, hs_cuda_origin(slot, 0), NULL, slot->stream);
  if (code == cudaSuccess) code = visit_sweeps(d, trip, &v);
  slot->device = v.whole;
  slot->origin = v.origin;
  slot->pass = (struct hs_cuda_pass){.longest = 0};
  *now = v.now;
  return code == cudaSuccess ? cudaEventRecord(d->swept[k], d->sweep) : code;
}

hs_status hs_streamed_device_trip(struct hs_streamed_device *device, const struct hs_streamed_trip *trip,
                                  struct hs_error *err)
{
  struct hs_streamed_device *d = device;
  const int slots = d->plan.slots;
  cudaError_t code = hs_cuda_steps_enqueue(d->slot[0], trip->sweeps);
  if (code == cudaSuccess) code = visit_arrive(d, trip, 0, (int)(d->visits % slots));
  for (int b = 0; code == cudaSuccess && b < d->plan.bands; b++, d->visits++) {
    const int k = (int)(d->visits % slots);
    int now;
    if (b + 1 < d->plan.bands) code = visit_arrive(d, trip, b + 1, (int)((d->visits + 1) % slots));
    if (code == cudaSuccess) code = visit_make(d, trip, b, k, &now);
    if (code == cudaSuccess) code = visit_return(d, trip, b, k, now);
  }
  return hs_cuda_check(code, DOING, err);
}
