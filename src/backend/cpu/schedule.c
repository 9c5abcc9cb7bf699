/* Plans of the rows: which groups of nodes have one stencil, which are turned, which are looked up (rows/rows.h).
 *
 * Distinct groups are found by hashing their coefficient indices, first come first kept, up to a limit: a part needs few,
 * and where every group differs (a random mixture) turned ones would displace the field from the cache. A row like the
 * one below it shares its plan. Woven rows (rows/transposed.h) have turned groups only.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/state.h"
#include "base/memory.h"

enum { WIDEST = 16, SLOTS = 4 * HS_CPU_ALL_GROUPS, PATCHES_MOST = 16 };

/* A plan under construction. */
struct planning {
  struct hs_backend_state *state;
  uint16_t *slots;         /* [SLOTS] 1 + number of a turned group, 0: free */
  struct hs_row_run *runs; /* of the present row */
  struct hs_row_turned *turned;
  int run_count, turned_count;
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
static int stretch_end(const struct hs_system *s, int width, const uint16_t *index, int from, const int32_t *entries)
{
  int to = from + 1;
  if (!all_alike(entries, width)) return to;
  for (; (to + 1) * width <= s->nx; to++)
    for (int k = 0; k < width; k++)
      if (index[to * width + k] != entries[0]) return to;
  return to;
}

/* Number of the turned group with these entries, which may be new; -1 when there would be more than `most`. */
static int group_number(struct planning *p, const int32_t *entries, int most)
{
  struct hs_backend_state *state = p->state;
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

static uint16_t run_kind(const struct hs_stencil_f64 *s)
{
  if (s->diagonal == 0.0) return HS_RUN_DIRICHLET;
  return HS_STENCIL_IS_UNIFORM(*s) ? HS_RUN_EQUAL : HS_RUN_STENCIL;
}

/* Appends a run; mixed ones are merged. */
static void run_append(struct planning *p, struct hs_row_run run)
{
  struct hs_row_run *last = p->run_count ? &p->runs[p->run_count - 1] : NULL;
  if (last && last->to == run.from && last->kind == run.kind && run.kind == HS_RUN_MIXED)
    last->to = run.to;
  else
    p->runs[p->run_count++] = run;
}

/* Without an index every node has a stencil of its own, and the row is one mixed run. */
static void row_make(struct planning *p, int j)
{
  const struct hs_system *s = p->state->system;
  const int width = p->state->width, groups = (s->nx + width - 1) / width;
  const uint16_t *index = s->index ? s->index + (size_t)j * (size_t)s->nx : NULL;
  p->run_count = p->turned_count = 0;
  if (!index) {
    run_append(p, (struct hs_row_run){.to = groups, .kind = HS_RUN_MIXED});
    return;
  }
  for (int from = 0, to; from < groups; from = to) {
    int32_t entries[WIDEST] = {0};
    int number = -1;
    struct hs_row_run run = {.from = from, .turned = p->turned_count, .kind = HS_RUN_MIXED};
    entries_of(s, width, index, from, entries);
    run.to = to = stretch_end(s, width, index, from, entries);
    if (all_alike(entries, width)) {
      run.entry = (uint16_t)entries[0];
      run.kind = run_kind(&s->stencil[run.entry]);
    }
    if (run.kind == HS_RUN_MIXED || to - from < HS_CPU_MIN_GROUPS)
      number = group_number(p, entries, HS_CPU_STRAIGHT_GROUPS);
    if (number < 0) run_append(p, run);
    for (int g = from; number >= 0 && g < to; g++) p->turned[p->turned_count++] = (struct hs_row_turned){g, number};
  }
}

/* Appends count elements of `size` bytes to an array that grows. */
static hs_status array_append(void **array, int64_t *used, int64_t *capacity, const void *items, int count, size_t size,
                              struct hs_error *err)
{
  if (*used + count > *capacity) {
    const int64_t wanted = 2 * *capacity + count + 64;
    void *grown = realloc(*array, (size_t)wanted * size);
    if (!grown) return hs_error_set(err, HS_ERR_MEMORY, "out of memory for the runs of the rows");
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

static hs_status rows_plan(struct planning *p, struct hs_error *err)
{
  struct hs_backend_state *state = p->state;
  int64_t runs = 0, run_capacity = 0, turned = 0, turned_capacity = 0;
  hs_status status = HS_OK;
  for (int j = 0; !status && j < state->system->ny; j++) {
    if (row_repeats(state->system, j)) {
      state->plan[j] = state->plan[j - 1];
      continue;
    }
    row_make(p, j);
    state->plan[j] = (struct hs_cpu_plan){.first_run = runs,
                                          .first_turned = turned,
                                          .run_count = p->run_count,
                                          .turned_count = p->turned_count,
                                          .row = j};
    status = array_append((void **)&state->runs, &runs, &run_capacity, p->runs, p->run_count, sizeof *p->runs, err);
    if (!status)
      status = array_append((void **)&state->turned, &turned, &turned_capacity, p->turned, p->turned_count,
                            sizeof *p->turned, err);
  }
  return status;
}

/* --- rows cut to strips ----------------------------------------------------------------------- */

/* Arrays that grow: the runs and turned groups of all strips. */
struct cutting {
  struct hs_backend_state *state;
  int64_t runs, run_capacity, turned, turned_capacity;
};

/* Appends the groups from <= g < to of row j, which a strip counts from 0. */
static hs_status row_cut(struct cutting *c, int j, int from, int to, struct hs_cpu_plan *plan, struct hs_error *err)
{
  struct hs_backend_state *state = c->state;
  const struct hs_cpu_plan *row = &state->plan[j];
  const struct hs_row_run *runs = state->runs + row->first_run;
  const struct hs_row_turned *turned = state->turned + row->first_turned;
  hs_status status = HS_OK;
  int before = 0; /* turned groups west of the strip */
  *plan = (struct hs_cpu_plan){.first_run = c->runs, .first_turned = c->turned, .row = row->row};
  while (before < row->turned_count && turned[before].group < from) before++;
  for (int k = before; !status && k < row->turned_count && turned[k].group < to; k++, plan->turned_count++) {
    const struct hs_row_turned cut = {turned[k].group - from, turned[k].number};
    status = array_append((void **)&state->strip_turned, &c->turned, &c->turned_capacity, &cut, 1, sizeof cut, err);
  }
  for (int k = 0; !status && k < row->run_count && runs[k].from < to; k++) {
    struct hs_row_run cut = runs[k];
    if (cut.to <= from) continue;
    cut.from = cut.from > from ? cut.from - from : 0;
    cut.to = (cut.to < to ? cut.to : to) - from;
    cut.turned = cut.turned > before ? cut.turned - before : 0;
    status = array_append((void **)&state->strip_runs, &c->runs, &c->run_capacity, &cut, 1, sizeof cut, err);
    plan->run_count++;
  }
  return status;
}

static hs_status strips_plan(struct cutting *c, struct hs_error *err)
{
  struct hs_backend_state *state = c->state;
  const int ny = state->system->ny;
  hs_status status = HS_OK;
  for (int k = 0; !status && k < state->strip_count; k++) {
    const struct hs_cpu_strip strip = hs_cpu_strip(state, k);
    const int from = strip.first / state->width, to = (strip.first + strip.columns + state->width - 1) / state->width;
    struct hs_cpu_plan *plan = state->strip_plan + (size_t)k * (size_t)ny;
    for (int j = 0; !status && j < ny; j++) {
      if (j && !memcmp(&state->plan[j], &state->plan[j - 1], sizeof *plan))
        plan[j] = plan[j - 1];
      else
        status = row_cut(c, j, from, to, &plan[j], err);
    }
  }
  return status;
}

/* --- woven rows ------------------------------------------------------------------------------ */

/* Stencil table entries of vector v in a woven row of a strip that begins at column `first`, -1 outside of the grid. */
static void woven_entries_of(const struct hs_backend_state *state, const uint16_t *index, int first, int v,
                             int32_t *entries)
{
  const int length = state->skewed_columns / state->width, nx = state->system->nx;
  for (int k = 0, column = first + v; k < state->width; k++, column += length)
    entries[k] = column >= 0 && column < nx ? index[column] : -1;
}

static uint16_t woven_kind(const struct hs_system *s, const int32_t *entries, int width)
{
  uint16_t kind = HS_RUN_EQUAL;
  for (int k = 0; k < width; k++) {
    if (entries[k] < 0) kind = HS_RUN_PARTLY;
    if (entries[k] >= 0 && run_kind(&s->stencil[entries[k]]) != HS_RUN_EQUAL) return HS_RUN_STENCIL;
  }
  return kind;
}

/* Are groups of these entries swept like those of `base`, but for Dirichlet nodes and what lies outside of the grid? */
static bool is_patch(const struct hs_system *s, const int32_t *entries, const int32_t *base, int width)
{
  for (int k = 0; k < width; k++) {
    const struct hs_stencil_f64 *own = entries[k] < 0 ? NULL : &s->stencil[entries[k]];
    if (entries[k] == base[k] || !own) continue;
    if (run_kind(own) != HS_RUN_DIRICHLET) return false;
  }
  return true;
}

/* Makes short runs beside the longest uniform one part of it, and patches of them. */
static void woven_row_patch(const struct hs_backend_state *state, struct hs_row_run *runs, int count)
{
  struct hs_row_run patches[2 * PATCHES_MOST];
  const int width = state->width;
  const int32_t *base;
  int longest = 0, west, east, taken = 0;
  for (int k = 1; k < count; k++)
    if (runs[k].kind == HS_RUN_EQUAL &&
        (runs[longest].kind != HS_RUN_EQUAL || runs[k].to - runs[k].from > runs[longest].to - runs[longest].from))
      longest = k;
  if (count == 0 || runs[longest].kind != HS_RUN_EQUAL) return;
  base = state->group_entries + runs[longest].entry * width;
  for (west = longest; west > 0 && longest - west < PATCHES_MOST; west--)
    if (runs[west - 1].to - runs[west - 1].from >= HS_RUN_LEAST ||
        !is_patch(state->system, state->group_entries + runs[west - 1].entry * width, base, width))
      break;
  for (east = longest; east < count - 1 && east - longest < PATCHES_MOST; east++)
    if (runs[east + 1].to - runs[east + 1].from >= HS_RUN_LEAST ||
        !is_patch(state->system, state->group_entries + runs[east + 1].entry * width, base, width))
      break;
  for (int k = west; k <= east; k++) {
    if (k == longest) continue;
    patches[taken] = runs[k];
    patches[taken++].kind = HS_RUN_PATCHED;
  }
  runs[longest].from = runs[west].from;
  runs[longest].to = runs[east].to;
  runs[west] = runs[longest];
  memmove(runs + west + 1, runs + east + 1, (size_t)(count - 1 - east) * sizeof *runs);
  memcpy(runs + count - taken, patches, (size_t)taken * sizeof *runs);
}

/* Runs of vectors with the same entries, from those of level 0 on to those of the last level; *possible becomes false
 * where there are too many different ones. */
static hs_status woven_row_plan(struct planning *p, struct cutting *c, const uint16_t *index, int first,
                                struct hs_cpu_plan *plan, bool *possible, struct hs_error *err)
{
  struct hs_backend_state *state = p->state;
  const int width = state->width, vectors = state->skewed_columns / width + state->skewed_lean * state->levels;
  int32_t entries[WIDEST] = {0}, next[WIDEST] = {0};
  hs_status status = HS_OK;
  *plan = (struct hs_cpu_plan){.first_run = c->runs, .alike = 1};
  woven_entries_of(state, index, first, 0, next);
  for (int from = 0, to; !status && *possible && from < vectors; from = to, plan->run_count++) {
    struct hs_row_run run = {.from = from};
    int number;
    memcpy(entries, next, sizeof entries);
    for (to = from + 1; to < vectors; to++) {
      woven_entries_of(state, index, first, to, next);
      if (memcmp(entries, next, sizeof entries)) break;
    }
    number = group_number(p, entries, HS_CPU_ALL_GROUPS);
    if (number < 0) {
      *possible = false;
      break;
    }
    run.to = to;
    run.entry = (uint16_t)number;
    run.kind = woven_kind(state->system, entries, width);
    status = array_append((void **)&state->strip_runs, &c->runs, &c->run_capacity, &run, 1, sizeof run, err);
  }
  if (!status && *possible) woven_row_patch(state, state->strip_runs + plan->first_run, plan->run_count);
  return status;
}

/* The plans of strips of woven rows, where all rows can be woven; else there are none. */
static hs_status woven_plan(struct planning *p, struct cutting *c, struct hs_error *err)
{
  struct hs_backend_state *state = p->state;
  const struct hs_system *s = state->system;
  const int groups = state->group_count;
  const int64_t runs = c->runs;
  bool possible = true;
  hs_status status;
  if (!state->skewed_count) return HS_OK;
  status = hs_array_create((void **)&state->woven_plan, (size_t)state->skewed_count * (size_t)s->ny,
                           sizeof *state->woven_plan, "the rows of the strips", err);
  for (int k = 0; !status && possible && k < state->skewed_count; k++) {
    struct hs_cpu_plan *plan = state->woven_plan + (size_t)k * (size_t)s->ny;
    const int first = k * state->skewed_columns - state->skewed_lean * state->levels;
    for (int j = 0; !status && possible && j < s->ny; j++) {
      const uint16_t *index = s->index + (size_t)j * (size_t)s->nx;
      if (row_repeats(s, j))
        plan[j] = plan[j - 1];
      else
        status = woven_row_plan(p, c, index, first, &plan[j], &possible, err);
    }
    for (int j = s->ny - 2; j >= 0; j--)
      if (plan[j].first_run == plan[j + 1].first_run) plan[j].alike = plan[j + 1].alike + 1;
  }
  if (status || possible) return status;
  state->group_count = groups;
  c->runs = runs;
  free(state->woven_plan);
  state->woven_plan = NULL;
  return HS_OK;
}

void hs_cpu_plans_destroy(struct hs_backend_state *state)
{
  free(state->plan);
  free(state->runs);
  free(state->turned);
  free(state->group_entries);
  free(state->groups);
  free(state->norm_groups);
  free(state->strip_plan);
  free(state->woven_plan);
  free(state->strip_runs);
  free(state->strip_turned);
  state->strip_plan = NULL;
  state->woven_plan = NULL;
  state->strip_runs = NULL;
  state->strip_turned = NULL;
  state->plan = NULL;
  state->runs = NULL;
  state->turned = NULL;
  state->group_entries = NULL;
  state->groups = NULL;
  state->norm_groups = NULL;
  state->group_count = 0;
}

void hs_cpu_plans_refresh(struct hs_backend_state *state)
{
  const struct hs_cpu_rows *rows = state->rows;
  const int count = state->group_count;
  (state->single ? rows->turn_f32 : rows->turn_f64)(state->system, state->group_entries, count, state->groups);
  if (!state->norm_groups) return;
  (state->single ? rows->norm_groups_turn_f32 : rows->norm_groups_turn_f64)(state->system, state->group_entries, count,
                                                                            state->norm_groups);
}

hs_status hs_cpu_plans_create(struct hs_backend_state *state, struct hs_error *err)
{
  const struct hs_system *s = state->system;
  const int width = state->width;
  const size_t groups = (size_t)((s->nx + width - 1) / width);
  struct planning p = {.state = state};
  struct cutting c = {.state = state};
  hs_status status;
  hs_cpu_plans_destroy(state);
  status = hs_array_create((void **)&p.slots, SLOTS, sizeof *p.slots, "the groups of nodes", err);
  if (!status) status = hs_array_create((void **)&p.runs, groups, sizeof *p.runs, "the runs of a row", err);
  if (!status) status = hs_array_create((void **)&p.turned, groups, sizeof *p.turned, "the runs of a row", err);
  if (!status) status = hs_array_create((void **)&state->plan, (size_t)s->ny, sizeof *state->plan, "the rows", err);
  if (!status)
    status = hs_array_create((void **)&state->group_entries, (size_t)HS_CPU_ALL_GROUPS * (size_t)width,
                             sizeof *state->group_entries, "the groups of nodes", err);
  if (!status) status = rows_plan(&p, err);
  if (!status && state->straight_levels > 1)
    status = hs_array_create((void **)&state->strip_plan, (size_t)state->strip_count * (size_t)s->ny,
                             sizeof *state->strip_plan, "the rows of the strips", err);
  if (!status && state->straight_levels > 1) status = strips_plan(&c, err);
  if (!status && state->levels > 1) status = woven_plan(&p, &c, err);
  if (!status)
    status = hs_array_create(&state->groups, (size_t)state->group_count + 1,
                             HS_GROUP_COEFFICIENTS * (size_t)state->rows->group_bytes, "the groups of nodes", err);
  if (!status && state->woven_plan)
    status = hs_array_create(&state->norm_groups, (size_t)state->group_count + 1,
                             HS_NORM_COEFFICIENTS * (size_t)width * sizeof(double), "the groups of nodes", err);
  if (!status) hs_cpu_plans_refresh(state);
  free(p.slots);
  free(p.runs);
  free(p.turned);
  return status;
}
