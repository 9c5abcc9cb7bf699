/* Which nodes of a row are swept together (rows/rows.h): segments of natural rows, and the groups and segments of
 * transposed ones.
 *
 * Distinct groups are found by hashing their coefficient indices. Most problems need few; where there are too many (a
 * random mixture of materials, a conductivity of each cell) each vector gets a group of its own, which a pass packs on its
 * way (cpu/transposed.c). A row like the one south of it shares its segments.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/state.h"
#include "base/memory.h"

enum {
  GROUPS_MOST = 4096,
  SLOTS = 4 * GROUPS_MOST,
  RUN_LEAST = 16 /* nodes of a segment of a natural row */
};

/* Schedules under construction. */
struct scheduling {
  struct hs_cpu_state *state;
  uint16_t *slots; /* [SLOTS] 1 + number of a group, 0: free */
  int64_t segments, capacity;
  bool possible; /* are there few enough groups? */
};

static hs_status segment_append(struct scheduling *p, struct hs_row_segment segment, struct hs_error *err)
{
  if (p->segments == p->capacity) {
    const int64_t wanted = 2 * p->capacity + 64;
    struct hs_row_segment *grown = realloc(p->state->segments, (size_t)wanted * sizeof *grown);
    if (!grown) return hs_error_set(err, HS_ERR_MEMORY, "out of memory for the segments of the rows");
    p->state->segments = grown;
    p->capacity = wanted;
  }
  p->state->segments[p->segments++] = segment;
  return HS_OK;
}

static bool row_repeats(const struct hs_system *s, int j)
{
  const size_t nx = (size_t)s->nx;
  return j && (!s->index || !memcmp(s->index + (size_t)j * nx, s->index + (size_t)(j - 1) * nx, nx * sizeof *s->index));
}

/* How many rows from each one on share their segments. */
static void alike_count(struct hs_row_span *spans, int ny)
{
  for (int j = ny - 1; j >= 0; j--) {
    const bool shared = j + 1 < ny && spans[j].first == spans[j + 1].first && spans[j].count == spans[j + 1].count;
    spans[j].alike = shared ? spans[j + 1].alike + 1 : 1;
  }
}

/* --- natural rows ----------------------------------------------------------------------------- */

/* Without an index every node has a stencil of its own, and there are no segments. */
static hs_status natural_row(struct scheduling *p, int j, struct hs_row_span *span, struct hs_error *err)
{
  const struct hs_system *s = p->state->system;
  const uint16_t *index = s->index ? s->index + (size_t)j * (size_t)s->nx : NULL;
  hs_status status = HS_OK;
  *span = (struct hs_row_span){.first = p->segments};
  for (int from = 0, to; index && !status && from < s->nx; from = to) {
    for (to = from + 1; to < s->nx && index[to] == index[from]; to++) continue;
    if (to - from >= RUN_LEAST)
      status = segment_append(p, (struct hs_row_segment){.from = from, .to = to, .entry = index[from]}, err);
  }
  span->count = (int32_t)(p->segments - span->first);
  return status;
}

static hs_status natural_rows(struct scheduling *p, struct hs_error *err)
{
  struct hs_cpu_state *state = p->state;
  const int ny = state->system->ny;
  hs_status status = hs_array_create((void **)&state->spans, (size_t)ny, sizeof *state->spans, "the rows", err);
  for (int j = 0; !status && j < ny; j++) {
    if (row_repeats(state->system, j))
      state->spans[j] = state->spans[j - 1];
    else
      status = natural_row(p, j, &state->spans[j], err);
  }
  return status;
}

/* --- transposed rows -------------------------------------------------------------------------- */

void hs_cpu_vector_entries(const struct hs_cpu_state *state, int j, int first, int v, int32_t *entries)
{
  const struct hs_system *s = state->system;
  const int length = state->tiling.columns / state->width;
  const size_t row = (size_t)j * (size_t)s->nx;
  for (int k = 0, column = first + v; k < state->width; k++, column += length) {
    const bool inside = column >= 0 && column < s->nx;
    entries[k] = inside ? (int32_t)hs_system_index(s, row + (size_t)column) : -1;
  }
}

/* Number of the group with these entries, which may be new; -1 when there are too many. */
static int group_number(struct scheduling *p, const int32_t *entries)
{
  struct hs_cpu_state *state = p->state;
  const size_t bytes = (size_t)state->width * sizeof *entries;
  uint32_t hash = 2166136261u, slot;
  for (int k = 0; k < state->width; k++) hash = (hash ^ (uint32_t)entries[k]) * 16777619u;
  for (slot = (hash ^ hash >> 15) % SLOTS; p->slots[slot]; slot = (slot + 1) % SLOTS) {
    const int number = p->slots[slot] - 1;
    if (!memcmp(state->group_entries + number * state->width, entries, bytes)) return number;
  }
  if (state->group_count >= GROUPS_MOST) return -1;
  memcpy(state->group_entries + state->group_count * state->width, entries, bytes);
  p->slots[slot] = (uint16_t)++state->group_count;
  return state->group_count - 1;
}

static uint16_t kind_of(const struct hs_system *s, const int32_t *entries, int width)
{
  uint16_t kind = HS_SEGMENT_EQUAL;
  for (int k = 0; k < width; k++) {
    const struct hs_stencil_f64 *stencil = entries[k] < 0 ? NULL : &s->stencil[entries[k]];
    if (!stencil || stencil->diagonal == 0.0)
      kind = HS_SEGMENT_MASKED;
    else if (!HS_STENCIL_IS_UNIFORM(*stencil))
      return HS_SEGMENT_GENERAL;
  }
  return kind;
}

/* Few vectors of equal nodes beside others are swept with these. */
static void short_segments_join(struct hs_row_segment *segments, int count)
{
  for (int k = 1; k < count; k++)
    if (segments[k - 1].kind == HS_SEGMENT_GENERAL && segments[k].to - segments[k].from < HS_SEGMENT_LEAST)
      segments[k].kind = HS_SEGMENT_GENERAL;
  for (int k = count - 2; k >= 0; k--)
    if (segments[k + 1].kind == HS_SEGMENT_GENERAL && segments[k].to - segments[k].from < HS_SEGMENT_LEAST)
      segments[k].kind = HS_SEGMENT_GENERAL;
}

/* Segments of vectors with the same entries, from those of stage 0 on to those of the last stage, in a tile that begins
 * at column `first`. */
static hs_status transposed_row(struct scheduling *p, int j, int first, struct hs_row_span *span, struct hs_error *err)
{
  struct hs_cpu_state *state = p->state;
  const int vectors = hs_cpu_tile_vectors(state);
  int32_t entries[HS_CPU_WIDTH_MOST] = {0}, next[HS_CPU_WIDTH_MOST] = {0};
  hs_status status = HS_OK;
  *span = (struct hs_row_span){.first = p->segments};
  hs_cpu_vector_entries(state, j, first, 0, next);
  for (int from = 0, to; !status && p->possible && from < vectors; from = to) {
    struct hs_row_segment segment = {.from = from};
    int number;
    memcpy(entries, next, sizeof entries);
    for (to = from + 1; to < vectors; to++) {
      hs_cpu_vector_entries(state, j, first, to, next);
      if (memcmp(entries, next, sizeof entries)) break;
    }
    number = group_number(p, entries);
    p->possible = number >= 0;
    segment.to = to;
    segment.entry = (uint16_t)number;
    segment.kind = kind_of(state->system, entries, state->width);
    if (p->possible) status = segment_append(p, segment, err);
  }
  span->count = (int32_t)(p->segments - span->first);
  if (!status) short_segments_join(state->segments + span->first, span->count);
  return status;
}

static hs_status transposed_rows(struct scheduling *p, struct hs_error *err)
{
  struct hs_cpu_state *state = p->state;
  const int ny = state->system->ny;
  hs_status status = HS_OK;
  for (int k = 0; !status && p->possible && k < state->tiling.count; k++) {
    struct hs_row_span *spans = state->tile_spans + (size_t)k * (size_t)ny;
    for (int j = 0; !status && p->possible && j < ny; j++) {
      if (row_repeats(state->system, j))
        spans[j] = spans[j - 1];
      else
        status = transposed_row(p, j, hs_cpu_tile_first(state, k), &spans[j], err);
    }
    alike_count(spans, ny);
  }
  return status;
}

/* Each vector is a segment, and its number is that of its group. */
static hs_status various_rows(struct scheduling *p, struct hs_error *err)
{
  struct hs_cpu_state *state = p->state;
  const int vectors = hs_cpu_tile_vectors(state);
  const struct hs_row_span span = {.first = p->segments, .count = vectors, .alike = 1};
  hs_status status = HS_OK;
  for (int v = 0; !status && v < vectors; v++) {
    const struct hs_row_segment segment = {v, v + 1, (uint16_t)v, HS_SEGMENT_GENERAL};
    status = segment_append(p, segment, err);
  }
  for (size_t n = 0; n < (size_t)state->tiling.count * (size_t)state->system->ny; n++) state->tile_spans[n] = span;
  return status;
}

static hs_status tiles_schedule(struct scheduling *p, struct hs_error *err)
{
  struct hs_cpu_state *state = p->state;
  const size_t spans = (size_t)state->tiling.count * (size_t)state->system->ny;
  hs_status status =
      hs_array_create((void **)&state->tile_spans, spans, sizeof *state->tile_spans, "the rows of the tiles", err);
  if (status) return status;
  if (state->various) return various_rows(p, err);
  status = transposed_rows(p, err);
  state->various = !p->possible;
  return status;
}

/* --- all -------------------------------------------------------------------------------------- */

void hs_cpu_schedules_destroy(struct hs_cpu_state *state)
{
  free(state->spans);
  free(state->tile_spans);
  free(state->segments);
  free(state->group_entries);
  free(state->groups);
  free(state->norm_groups);
  state->spans = state->tile_spans = NULL;
  state->segments = NULL;
  state->group_entries = NULL;
  state->groups = state->norm_groups = NULL;
  state->group_count = 0;
}

void hs_cpu_schedules_refresh(struct hs_cpu_state *state)
{
  state->rows->groups_pack(state->system, state->group_entries, state->group_count, state->groups);
  state->rows->norm_groups_pack(state->system, state->group_entries, state->group_count, state->norm_groups);
}

hs_status hs_cpu_schedules_create(struct hs_cpu_state *state, struct hs_error *err)
{
  static const char what[] = "the groups of nodes";
  const size_t width = (size_t)state->width;
  struct scheduling p = {.state = state, .possible = true};
  hs_status status;
  hs_cpu_schedules_destroy(state);
  status = hs_array_create((void **)&p.slots, SLOTS, sizeof *p.slots, what, err);
  if (!status)
    status =
        hs_array_create((void **)&state->group_entries, GROUPS_MOST * width, sizeof *state->group_entries, what, err);
  if (!status) status = natural_rows(&p, err);
  if (!status && state->tiling.stages > 1) status = tiles_schedule(&p, err);
  if (state->various) state->group_count = 0;
  if (!status)
    status = hs_array_create(&state->groups, (size_t)state->group_count + 1,
                             HS_GROUP_COEFFICIENTS * width * hs_cpu_element_size(state), what, err);
  if (!status)
    status = hs_array_create(&state->norm_groups, (size_t)state->group_count + 1,
                             HS_NORM_GROUP_COEFFICIENTS * width * sizeof(double), what, err);
  if (!status) hs_cpu_schedules_refresh(state);
  free(p.slots);
  return status;
}
