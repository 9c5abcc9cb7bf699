/* Single rows of the cpu backend: the operations of rows/rows.h on rows of its fields, in either precision. */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "backend/cpu/state.h"

static struct hs_rows_f64 rows_f64(const struct hs_cpu_lines *lines)
{
  const struct hs_rows_f64 rows = {lines->south, lines->row, lines->north, lines->r};
  return rows;
}

static struct hs_rows_f32 rows_f32(const struct hs_cpu_lines *lines)
{
  const struct hs_rows_f32 rows = {lines->south, lines->row, lines->north, lines->r};
  return rows;
}

struct hs_row_schedule hs_cpu_row_schedule(const struct hs_cpu_state *state, int j)
{
  const struct hs_system *s = state->system;
  const struct hs_row_span *p = &state->spans[j];
  const struct hs_row_schedule schedule = {.nx = s->nx,
                                           .segments = state->segments + p->first_segment,
                                           .segment_count = p->segment_count,
                                           .packed = state->packed + p->first_packed,
                                           .packed_count = p->packed_count,
                                           .groups = state->groups,
                                           .index = s->index ? s->index + (size_t)p->row * (size_t)s->nx : NULL,
                                           .first = (size_t)j * (size_t)s->nx};
  return schedule;
}

struct hs_cpu_lines hs_cpu_field_lines(const struct hs_cpu_state *state, const void *field, int j)
{
  const size_t size = hs_cpu_element_size(state), row = hs_cpu_row(state, j) * size, pitch = state->pitch * size;
  const char *const at = (const char *)field + row;
  const struct hs_cpu_lines lines = {at - pitch, at, at + pitch, state->r ? (const char *)state->r + row : NULL};
  return lines;
}

void hs_cpu_lines_sweep(const struct hs_cpu_state *state, const struct hs_row_schedule *schedule,
                        const struct hs_cpu_lines *lines, enum hs_form form, double weight, void *out)
{
  if (state->single) {
    const struct hs_rows_f32 rows = rows_f32(lines);
    state->rows->sweep_f32(state->system, schedule, &rows, form, weight, out);
  } else {
    const struct hs_rows_f64 rows = rows_f64(lines);
    state->rows->sweep_f64(state->system, schedule, &rows, form, weight, out);
  }
}

void hs_cpu_row_sweep(const struct hs_cpu_state *state, enum hs_form form, double weight, const void *from, void *to,
                      int j)
{
  const struct hs_row_schedule schedule = hs_cpu_row_schedule(state, j);
  const struct hs_cpu_lines lines = hs_cpu_field_lines(state, from, j);
  hs_cpu_lines_sweep(state, &schedule, &lines, form, weight,
                     (char *)to + hs_cpu_row(state, j) * hs_cpu_element_size(state));
  if (state->system->wrap_x >= 0 || state->system->wrap_y >= 0) hs_cpu_row_wrap(state, to, j);
}

void hs_cpu_row_step(const struct hs_cpu_state *state, bool trapezoid, int j)
{
  const struct hs_system *s = state->system;
  const struct hs_row_schedule schedule = hs_cpu_row_schedule(state, j);
  const struct hs_cpu_lines lines = hs_cpu_field_lines(state, state->now, j);
  const double *source_w_m = s->source_w_m ? s->source_w_m + schedule.first : NULL;
  void *const r = (char *)state->r + hs_cpu_row(state, j) * hs_cpu_element_size(state);
  if (state->single) {
    const struct hs_rows_f32 rows = rows_f32(&lines);
    state->rows->step_f32(s, &schedule, &rows, trapezoid, source_w_m, r);
  } else {
    const struct hs_rows_f64 rows = rows_f64(&lines);
    state->rows->step_f64(s, &schedule, &rows, trapezoid, source_w_m, r);
  }
}

static void line_update_norms(const struct hs_cpu_state *state, const void *now, const void *before, int n,
                              double scale, struct hs_sum_split split, struct hs_row_norms *norms)
{
  if (state->single)
    state->rows->update_norms_f32(now, before, n, scale, split, norms);
  else
    state->rows->update_norms_f64(now, before, n, scale, split, norms);
}

void hs_cpu_lines_norms(const struct hs_cpu_state *state, const struct hs_cpu_scales *scales,
                        const struct hs_row_schedule *schedule, const struct hs_cpu_lines *lines, const void *before,
                        int from, int to, struct hs_row_norms *norms)
{
  const size_t first = (size_t)from * hs_cpu_element_size(state);
  if (!scales->full) {
    line_update_norms(state, (const char *)lines->row + first, (const char *)before + first, to - from, scales->update,
                      scales->split, norms);
  } else if (state->single) {
    const struct hs_rows_f32 rows = rows_f32(lines);
    state->rows->all_norms_f32(state->system, schedule, &rows, before, from, to, scales, norms);
  } else {
    const struct hs_rows_f64 rows = rows_f64(lines);
    state->rows->all_norms_f64(state->system, schedule, &rows, before, from, to, scales, norms);
  }
}

/* --- rows of a pass and memory --------------------------------------------------------------- */

#ifdef __SSE2__
/* Copies past the caches, which would read every line first and lose what is needed again; whole lines to whole
 * ones. */
static void copy_streamed(char *to, const char *from, size_t bytes)
{
  for (size_t k = 0; k < bytes; k += 16)
    _mm_stream_si128((__m128i *)(to + k), _mm_loadu_si128((const __m128i *)(from + k)));
}

void hs_cpu_stores_finish(void)
{
  _mm_sfence();
}
#else
static void copy_streamed(char *to, const char *from, size_t bytes)
{
  memcpy(to, from, bytes);
}

void hs_cpu_stores_finish(void)
{
}
#endif

void hs_cpu_row_store(const struct hs_cpu_state *state, void *target, int j, int from, int to, const char *row)
{
  const size_t size = hs_cpu_element_size(state);
  const int first = from > 0 ? from : 0, end = to < state->system->nx ? to : state->system->nx;
  const size_t bytes = first < end ? (size_t)(end - first) * size : 0;
  char *const at = (char *)target + (hs_cpu_row(state, j) + (size_t)first) * size;
  const size_t ahead = (64 - (size_t)first * size % 64) % 64; /* of the first whole line */
  const size_t streamed = state->stores_streamed && ahead < bytes ? (bytes - ahead) / 64 * 64 : 0;
  const size_t copied = streamed ? ahead : bytes;
  row += (size_t)(first - from) * size;
  memcpy(at, row, copied);
  copy_streamed(at + copied, row + copied, streamed);
  memcpy(at + copied + streamed, row + copied + streamed, bytes - copied - streamed);
}

void hs_cpu_row_prefetch(const struct hs_cpu_state *state, const void *field, int j, int from, int to)
{
  const size_t size = hs_cpu_element_size(state);
  const int first = from > 0 ? from : 0, end = to < state->system->nx ? to : state->system->nx;
  const char *row = (const char *)field + hs_cpu_row(state, j) * size;
  for (size_t k = (size_t)first * size / 64 * 64; first < end && k < (size_t)end * size; k += 64)
    __builtin_prefetch(row + k, 0, 2);
}
