/* Single rows of the cpu backend: the operations of rows/rows.h on rows of its fields, and what a pass reads and
 * writes. */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "backend/cpu/state.h"
#include "backend/cpu/wavefront.h"

struct hs_row_schedule hs_cpu_row_schedule(const struct hs_cpu_state *state, int j)
{
  const struct hs_system *s = state->system;
  const struct hs_row_span *p = &state->spans[j];
  const size_t first = (size_t)j * (size_t)s->nx;
  const struct hs_row_schedule schedule = {.segments = state->segments + p->first,
                                           .segment_count = p->count,
                                           .nx = s->nx,
                                           .index = s->index ? s->index + first : NULL,
                                           .first = first};
  return schedule;
}

/* Byte of column 0 in row j. */
static size_t row_at(const struct hs_cpu_state *state, int j)
{
  return hs_cpu_row(state, j) * hs_cpu_element_size(state);
}

struct hs_rows hs_cpu_field_rows(const struct hs_cpu_state *state, const void *field, int j)
{
  const size_t pitch = state->pitch * hs_cpu_element_size(state);
  const char *const at = (const char *)field + row_at(state, j);
  const struct hs_rows rows = {at - pitch, at, at + pitch, state->r ? (const char *)state->r + row_at(state, j) : NULL};
  return rows;
}

/* --- periodic walls -------------------------------------------------------------------------- */

void hs_cpu_row_wrap(const struct hs_cpu_state *state, void *field, int j)
{
  const struct hs_system *s = state->system;
  const size_t size = hs_cpu_element_size(state), nx = (size_t)s->nx;
  char *const row = (char *)field + row_at(state, j);
  if (s->wrap_x >= 0) {
    memcpy(row - size, row + (nx - 1 - (size_t)s->wrap_x) * size, size);
    memcpy(row + nx * size, row + (size_t)s->wrap_x * size, size);
  }
  if (s->wrap_y < 0) return;
  if (j == s->wrap_y) memcpy((char *)field + row_at(state, s->ny), row, nx * size);
  if (j == s->ny - 1 - s->wrap_y) memcpy((char *)field + row_at(state, -1), row, nx * size);
}

/* --- row functions --------------------------------------------------------------------------- */

void hs_cpu_row_sweep(const struct hs_cpu_state *state, enum hs_form form, double weight, const void *from, void *to,
                      int j)
{
  const struct hs_row_schedule schedule = hs_cpu_row_schedule(state, j);
  const struct hs_rows rows = hs_cpu_field_rows(state, from, j);
  state->rows->sweep(state->system, &schedule, &rows, form, weight, (char *)to + row_at(state, j));
  if (state->system->wrap_x >= 0 || state->system->wrap_y >= 0) hs_cpu_row_wrap(state, to, j);
}

void hs_cpu_row_step(const struct hs_cpu_state *state, bool trapezoid, int j)
{
  const struct hs_system *s = state->system;
  const struct hs_row_schedule schedule = hs_cpu_row_schedule(state, j);
  const struct hs_rows rows = hs_cpu_field_rows(state, state->now, j);
  const double *source_w_m = s->source_w_m ? s->source_w_m + schedule.first : NULL;
  state->rows->step(s, &schedule, &rows, trapezoid, source_w_m, (char *)state->r + row_at(state, j));
}

void hs_cpu_row_norms(const struct hs_cpu_state *state, const struct hs_cpu_scales *scales, const void *now,
                      const void *before, int j, struct hs_row_norms *norms)
{
  const struct hs_rectangle own = hs_system_own(state->system);
  struct hs_row_schedule schedule = hs_cpu_row_schedule(state, j);
  struct hs_rows rows = hs_cpu_field_rows(state, now, j);
  const size_t aside = (size_t)own.x0 * hs_cpu_element_size(state);
  if (j < own.y0 || j >= own.y0 + own.ny) return;
  if (own.nx < state->system->nx) { /* a part of the row, all of it by look-up */
    schedule.segment_count = 0;
    schedule.nx = own.nx;
    schedule.first += (size_t)own.x0;
    if (schedule.index) schedule.index += own.x0;
    rows.south = (const char *)rows.south + aside;
    rows.row = (const char *)rows.row + aside;
    rows.north = (const char *)rows.north + aside;
    if (rows.r) rows.r = (const char *)rows.r + aside;
  }
  state->rows->norms(state->system, &schedule, &rows, (const char *)before + row_at(state, j) + aside, scales, norms);
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
  const int first = hs_cpu_larger(from, 0), end = hs_cpu_smaller(to, state->system->nx);
  const size_t bytes = first < end ? (size_t)(end - first) * size : 0;
  char *const at = (char *)target + row_at(state, j) + (size_t)first * size;
  const size_t ahead = (64 - (size_t)first * size % 64) % 64; /* of the first whole line */
  const size_t streamed = state->tiling.streamed && ahead < bytes ? (bytes - ahead) / 64 * 64 : 0;
  const size_t copied = streamed ? ahead : bytes;
  row += (ptrdiff_t)(first - from) * (ptrdiff_t)size;
  memcpy(at, row, copied);
  copy_streamed(at + copied, row + copied, streamed);
  memcpy(at + copied + streamed, row + copied + streamed, bytes - copied - streamed);
}

void hs_cpu_row_prefetch(const struct hs_cpu_state *state, const void *field, int j, int from, int to)
{
  const size_t size = hs_cpu_element_size(state);
  const int first = hs_cpu_larger(from, 0), end = hs_cpu_smaller(to, state->system->nx);
  const char *row = (const char *)field + row_at(state, j);
  for (size_t k = (size_t)first * size / 64 * 64; first < end && k < (size_t)end * size; k += 64)
    __builtin_prefetch(row + k, 0, 2);
}
