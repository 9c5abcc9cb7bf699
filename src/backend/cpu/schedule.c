/* Plans of the rows: which groups of nodes have one stencil, which are packed, which are looked up (rows/rows.h).
 *
 * Distinct groups are found by hashing their coefficient indices, first come first kept, up to a limit: a part needs
 * few, and where every group differs (a random mixture) packed ones would displace the field from the cache. A row like
 * the one below it shares its schedule. Transposed rows (rows/transposed.h) have packed groups only.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/state.h"
#include "base/memory.h"

enum { WIDEST = 16, SLOTS = 4 * HS_CPU_ALL_GROUPS };

/* A schedule under construction. */
struct scheduling {
  struct hs_cpu_state *state;
  uint16_t *slots;                 /* [SLOTS] 1 + number of a packed group, 0: free */
  struct hs_row_segment *segments; /* of the present row */
  struct hs_row_packed *packed;
  int segment_count, packed_count;
};

/* Stencil table entries of group g in a row, -1 beyond its end. */
static void entries_of(const struct hs_system *s, int width, const uint16_t *index, int g, int32_t *entries)
{
  for (int k = 0; k < width; k++) entries[k] = g * width + k < s->nx ? index[g * width + k] : -1;
}

static bool all_alike(const int32_t *entries, int width)
{
  for (int k = 1; k < width; k++)
    if (entries[k] != entries[0]) return false;
  return true;
}

/* First group after `from` whose entries are not all the same as those. */
static int segment_end(const struct hs_system *s, int width, const uint16_t *index, int from, const int32_t *entries)
{
  int to = from + 1;
  if (!all_alike(entries, width)) return to;
  for (; (to + 1) * width <= s->nx; to++)
    for (int k = 0; k < width; k++)
      if (index[to * width + k] != entries[0]) return to;
  return to;
}

/* Number of the packed group with these entries, which may be new; -1 when there would be more than `most`. */
static int group_number(struct scheduling *p, const int32_t *entries, int most)
{
  struct hs_cpu_state *state = p->state;
  const size_t bytes = (size_t)state->width * sizeof *entries;
  uint32_t hash = 2166136261u, slot;
  for (int k = 0; k < state->width; k++) hash = (hash ^ (uint32_t)entries[k]) * 16777619u;
  for (slot = (hash ^ hash >> 15) % SLOTS; p->slots[slot]; slot = (slot + 1) % SLOTS) {
    const int number = p->slots[slot] - 1;
    if (!memcmp(state->group_entries + number * state->width, entries, bytes)) return number;
  }
  if (state->group_count >= most) return -1;
  memcpy(state->group_entries + state->group_count * state->width, entries, bytes);
  p->slots[slot] = (uint16_t)++state->group_count;
  return state->group_count - 1;
}

static uint16_t segment_kind(const struct hs_stencil_f64 *s)
{
  if (s->diagonal == 0.0) return HS_SEGMENT_DIRICHLET;
  return HS_STENCIL_IS_UNIFORM(*s) ? HS_SEGMENT_EQUAL : HS_SEGMENT_STENCIL;
}

/* Appends a segment; mixed ones are merged. */
static void segment_append(struct scheduling *p, struct hs_row_segment segment)
{
  struct hs_row_segment *last = p->segment_count ? &p->segments[p->segment_count - 1] : NULL;
  if (last && last->to == segment.from && last->kind == segment.kind && segment.kind == HS_SEGMENT_MIXED)
    last->to = segment.to;
  else
    p->segments[p->segment_count++] = segment;
}

/* Without an index every node has a stencil of its own, and the row is one mixed segment. */
static void row_make(struct scheduling *p, int j)
{
  const struct hs_system *s = p->state->system;
  const int width = p->state->width, groups = (s->nx + width - 1) / width;
  const uint16_t *index = s->index ? s->index + (size_t)j * (size_t)s->nx : NULL;
  p->segment_count = p->packed_count = 0;
  if (!index) {
    segment_append(p, (struct hs_row_segment){.to = groups, .kind = HS_SEGMENT_MIXED});
    return;
  }
  for (int from = 0, to; from < groups; from = to) {
    int32_t entries[WIDEST] = {0};
    int number = -1;
    struct hs_row_segment segment = {.from = from, .packed = p->packed_count, .kind = HS_SEGMENT_MIXED};
    entries_of(s, width, index, from, entries);
    segment.to = to = segment_end(s, width, index, from, entries);
    if (all_alike(entries, width)) {
      segment.entry = (uint16_t)entries[0];
      segment.kind = segment_kind(&s->stencil[segment.entry]);
    }
    if (segment.kind == HS_SEGMENT_MIXED || to - from < HS_CPU_MIN_GROUPS)
      number = group_number(p, entries, HS_CPU_NATURAL_GROUPS);
    if (number < 0) segment_append(p, segment);
    for (int g = from; number >= 0 && g < to; g++) p->packed[p->packed_count++] = (struct hs_row_packed){g, number};
  }
}

/* Appends count elements of `size` bytes to an array that grows. */
static hs_status array_append(void **array, int64_t *used, int64_t *capacity, const void *items, int count, size_t size,
                              struct hs_error *err)
{
  if (*used + count > *capacity) {
    const int64_t wanted = 2 * *capacity + count + 64;
    void *grown = realloc(*array, (size_t)wanted * size);
    if (!grown) return hs_error_set(err, HS_ERR_MEMORY, "out of memory for the segments of the rows");
    *array = grown;
    *capacity = wanted;
  }
  if (count) memcpy((char *)*array + (size_t)*used * size, items, (size_t)count * size);
  *used += count;
  return HS_OK;
}

static bool row_repeats(const struct hs_system *s, int j)
{
  const size_t nx = (size_t)s->nx;
  return j && (!s->index || !memcmp(s->index + (size_t)j * nx, s->index + (size_t)(j - 1) * nx, nx * sizeof *s->index));
}

static hs_status rows_schedule(struct scheduling *p, struct hs_error *err)
{
  struct hs_cpu_state *state = p->state;
  int64_t segments = 0, segment_capacity = 0, packed = 0, packed_capacity = 0;
  hs_status status = HS_OK;
  for (int j = 0; !status && j < state->system->ny; j++) {
    if (row_repeats(state->system, j)) {
      state->spans[j] = state->spans[j - 1];
      continue;
    }
    row_make(p, j);
    state->spans[j] = (struct hs_row_span){.first_segment = segments,
                                           .first_packed = packed,
                                           .segment_count = p->segment_count,
                                           .packed_count = p->packed_count,
                                           .row = j};
    status = array_append((void **)&state->segments, &segments, &segment_capacity, p->segments, p->segment_count,
                          sizeof *p->segments, err);
    if (!status)
      status = array_append((void **)&state->packed, &packed, &packed_capacity, p->packed, p->packed_count,
                            sizeof *p->packed, err);
  }
  return status;
}

/* --- rows cut to tiles ----------------------------------------------------------------------- */

/* Arrays that grow: the segments and packed groups of all tiles. */
struct cutting {
  struct hs_cpu_state *state;
  int64_t segments, segment_capacity, packed, packed_capacity;
};

/* Appends the groups from <= g < to of row j, which a tile counts from 0. */
static hs_status row_cut(struct cutting *c, int j, int from, int to, struct hs_row_span *span, struct hs_error *err)
{
  struct hs_cpu_state *state = c->state;
  const struct hs_row_span *row = &state->spans[j];
  const struct hs_row_segment *segments = state->segments + row->first_segment;
  const struct hs_row_packed *packed = state->packed + row->first_packed;
  hs_status status = HS_OK;
  int before = 0; /* packed groups west of the tile */
  *span = (struct hs_row_span){.first_segment = c->segments, .first_packed = c->packed, .row = row->row};
  while (before < row->packed_count && packed[before].group < from) before++;
  for (int k = before; !status && k < row->packed_count && packed[k].group < to; k++, span->packed_count++) {
    const struct hs_row_packed cut = {packed[k].group - from, packed[k].number};
    status = array_append((void **)&state->tile_packed, &c->packed, &c->packed_capacity, &cut, 1, sizeof cut, err);
  }
  for (int k = 0; !status && k < row->segment_count && segments[k].from < to; k++) {
    struct hs_row_segment cut = segments[k];
    if (cut.to <= from) continue;
    cut.from = cut.from > from ? cut.from - from : 0;
    cut.to = (cut.to < to ? cut.to : to) - from;
    cut.packed = cut.packed > before ? cut.packed - before : 0;
    status = array_append((void **)&state->tile_segments, &c->segments, &c->segment_capacity, &cut, 1, sizeof cut, err);
    span->segment_count++;
  }
  return status;
}

static hs_status tiles_cut(struct cutting *c, struct hs_error *err)
{
  struct hs_cpu_state *state = c->state;
  const int ny = state->system->ny;
  hs_status status = HS_OK;
  for (int k = 0; !status && k < state->overlapped_count; k++) {
    const struct hs_cpu_overlapped_tile tile = hs_cpu_overlapped_tile(state, k);
    const int from = tile.first / state->width, to = (tile.first + tile.columns + state->width - 1) / state->width;
    struct hs_row_span *spans = state->overlapped_spans + (size_t)k * (size_t)ny;
    for (int j = 0; !status && j < ny; j++) {
      if (j && !memcmp(&state->spans[j], &state->spans[j - 1], sizeof *spans))
        spans[j] = spans[j - 1];
      else
        status = row_cut(c, j, from, to, &spans[j], err);
    }
  }
  return status;
}

/* --- transposed rows ------------------------------------------------------------------------------ */

/* Stencil table entries of vector v in a transposed row of a tile that begins at column `first`, -1 outside of the
 * grid. */
static void transposed_entries_of(const struct hs_cpu_state *state, const uint16_t *index, int first, int v,
                                  int32_t *entries)
{
  const int length = state->tile_columns / state->width, nx = state->system->nx;
  for (int k = 0, column = first + v; k < state->width; k++, column += length)
    entries[k] = column >= 0 && column < nx ? index[column] : -1;
}

static uint16_t transposed_kind(const struct hs_system *s, const int32_t *entries, int width)
{
  uint16_t kind = HS_SEGMENT_EQUAL;
  for (int k = 0; k < width; k++) {
    const uint16_t own = entries[k] < 0 ? HS_SEGMENT_DIRICHLET : segment_kind(&s->stencil[entries[k]]);
    if (own == HS_SEGMENT_STENCIL) return own;
    if (own == HS_SEGMENT_DIRICHLET) kind = HS_SEGMENT_MASKED;
  }
  return kind;
}

/* Few equal vectors beside others are swept with these. */
static void short_segments_join(struct hs_row_segment *segments, int count)
{
  for (int k = 1; k < count; k++)
    if (segments[k - 1].kind == HS_SEGMENT_STENCIL && segments[k].to - segments[k].from < HS_SEGMENT_LEAST)
      segments[k].kind = HS_SEGMENT_STENCIL;
  for (int k = count - 2; k >= 0; k--)
    if (segments[k + 1].kind == HS_SEGMENT_STENCIL && segments[k].to - segments[k].from < HS_SEGMENT_LEAST)
      segments[k].kind = HS_SEGMENT_STENCIL;
}

/* Segments of vectors with the same entries, from those of stage 0 on to those of the last stage; *possible becomes
 * false where there are too many different ones. */
static hs_status transposed_row_schedule(struct scheduling *p, struct cutting *c, const uint16_t *index, int first,
                                         struct hs_row_span *span, bool *possible, struct hs_error *err)
{
  struct hs_cpu_state *state = p->state;
  const int width = state->width, vectors = state->tile_columns / width + state->tile_skew * state->stages;
  int32_t entries[WIDEST] = {0}, next[WIDEST] = {0};
  hs_status status = HS_OK;
  *span = (struct hs_row_span){.first_segment = c->segments, .alike = 1};
  transposed_entries_of(state, index, first, 0, next);
  for (int from = 0, to; !status && *possible && from < vectors; from = to, span->segment_count++) {
    struct hs_row_segment segment = {.from = from};
    int number;
    memcpy(entries, next, sizeof entries);
    for (to = from + 1; to < vectors; to++) {
      transposed_entries_of(state, index, first, to, next);
      if (memcmp(entries, next, sizeof entries)) break;
    }
    number = group_number(p, entries, HS_CPU_ALL_GROUPS);
    if (number < 0) {
      *possible = false;
      break;
    }
    segment.to = to;
    segment.entry = (uint16_t)number;
    segment.kind = transposed_kind(state->system, entries, width);
    status = array_append((void **)&state->tile_segments, &c->segments, &c->segment_capacity, &segment, 1,
                          sizeof segment, err);
  }
  if (!status && *possible) short_segments_join(state->tile_segments + span->first_segment, span->segment_count);
  return status;
}

/* The plans of tiles of transposed rows, where all rows can be transposed; else there are none. */
static hs_status tiles_schedule(struct scheduling *p, struct cutting *c, struct hs_error *err)
{
  struct hs_cpu_state *state = p->state;
  const struct hs_system *s = state->system;
  const int groups = state->group_count;
  const int64_t segments = c->segments;
  bool possible = true;
  hs_status status;
  if (!state->tile_count) return HS_OK;
  status = hs_array_create((void **)&state->tile_spans, (size_t)state->tile_count * (size_t)s->ny,
                           sizeof *state->tile_spans, "the rows of the tiles", err);
  for (int k = 0; !status && possible && k < state->tile_count; k++) {
    struct hs_row_span *spans = state->tile_spans + (size_t)k * (size_t)s->ny;
    const int first = k * state->tile_columns - state->tile_skew * state->stages;
    for (int j = 0; !status && possible && j < s->ny; j++) {
      const uint16_t *index = s->index + (size_t)j * (size_t)s->nx;
      if (row_repeats(s, j))
        spans[j] = spans[j - 1];
      else
        status = transposed_row_schedule(p, c, index, first, &spans[j], &possible, err);
    }
    for (int j = s->ny - 2; j >= 0; j--)
      if (spans[j].first_segment == spans[j + 1].first_segment) spans[j].alike = spans[j + 1].alike + 1;
  }
  if (status || possible) return status;
  state->group_count = groups;
  c->segments = segments;
  free(state->tile_spans);
  state->tile_spans = NULL;
  return HS_OK;
}

void hs_cpu_schedules_destroy(struct hs_cpu_state *state)
{
  free(state->spans);
  free(state->segments);
  free(state->packed);
  free(state->group_entries);
  free(state->groups);
  free(state->norm_groups);
  free(state->overlapped_spans);
  free(state->tile_spans);
  free(state->tile_segments);
  free(state->tile_packed);
  state->overlapped_spans = NULL;
  state->tile_spans = NULL;
  state->tile_segments = NULL;
  state->tile_packed = NULL;
  state->spans = NULL;
  state->segments = NULL;
  state->packed = NULL;
  state->group_entries = NULL;
  state->groups = NULL;
  state->norm_groups = NULL;
  state->group_count = 0;
}

void hs_cpu_schedules_refresh(struct hs_cpu_state *state)
{
  const struct hs_cpu_rows *rows = state->rows;
  const int count = state->group_count;
  (state->single ? rows->turn_f32 : rows->turn_f64)(state->system, state->group_entries, count, state->groups);
  if (!state->norm_groups) return;
  (state->single ? rows->norm_groups_pack_f32 : rows->norm_groups_pack_f64)(state->system, state->group_entries, count,
                                                                            state->norm_groups);
}

hs_status hs_cpu_schedules_create(struct hs_cpu_state *state, struct hs_error *err)
{
  const struct hs_system *s = state->system;
  const int width = state->width;
  const size_t groups = (size_t)((s->nx + width - 1) / width);
  struct scheduling p = {.state = state};
  struct cutting c = {.state = state};
  hs_status status;
  hs_cpu_schedules_destroy(state);
  status = hs_array_create((void **)&p.slots, SLOTS, sizeof *p.slots, "the groups of nodes", err);
  if (!status) status = hs_array_create((void **)&p.segments, groups, sizeof *p.segments, "the segments of a row", err);
  if (!status) status = hs_array_create((void **)&p.packed, groups, sizeof *p.packed, "the segments of a row", err);
  if (!status) status = hs_array_create((void **)&state->spans, (size_t)s->ny, sizeof *state->spans, "the rows", err);
  if (!status)
    status = hs_array_create((void **)&state->group_entries, (size_t)HS_CPU_ALL_GROUPS * (size_t)width,
                             sizeof *state->group_entries, "the groups of nodes", err);
  if (!status) status = rows_schedule(&p, err);
  if (!status && state->natural_stages > 1)
    status = hs_array_create((void **)&state->overlapped_spans, (size_t)state->overlapped_count * (size_t)s->ny,
                             sizeof *state->overlapped_spans, "the rows of the tiles", err);
  if (!status && state->natural_stages > 1) status = tiles_cut(&c, err);
  if (!status && state->stages > 1) status = tiles_schedule(&p, &c, err);
  if (!status)
    status = hs_array_create(&state->groups, (size_t)state->group_count + 1,
                             HS_GROUP_COEFFICIENTS * (size_t)state->rows->group_bytes, "the groups of nodes", err);
  if (!status && state->tile_spans)
    status = hs_array_create(&state->norm_groups, (size_t)state->group_count + 1,
                             HS_NORM_COEFFICIENTS * (size_t)width * sizeof(double), "the groups of nodes", err);
  if (!status) hs_cpu_schedules_refresh(state);
  free(p.slots);
  free(p.segments);
  free(p.packed);
  return status;
}
