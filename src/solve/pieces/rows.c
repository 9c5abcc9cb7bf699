/* Rectangles of nodes that are alike; see rows.h. */
#include "solve/pieces/rows.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/comm.h"

static const char WHAT[] = "the pieces of a plate";

enum {
  UNJOINED = 4, /* so many times more than wanted there may be before neighbours of one law are joined */
  STRIDE = 64   /* entries that are compared at once */
};

/* A growing list. */
struct list {
  struct hs_piece_run *run;
  int count, room;
};

static hs_status list_add(struct list *list, const struct hs_piece_run *run, struct hs_error *err)
{
  if (list->count == list->room) {
    const int room = list->room < INT_MAX / 4 ? 2 * list->room + 256 : INT_MAX / 2;
    struct hs_piece_run *more = realloc(list->run, (size_t)room * sizeof *more);
    if (!more) return hs_error_set(err, HS_ERR_MEMORY, "no memory for %s", WHAT);
    list->run = more;
    list->room = room;
  }
  list->run[list->count++] = *run;
  return HS_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Where the run ends that begins at entry i of a row: the first of another kind, or `end`. */
static int run_end(const uint16_t *index, int i, int end)
{
  const uint16_t entry = index[i];
  while (i + STRIDE <= end) {
    uint16_t other = 0;
    _Pragma("omp simd reduction(| : other)") for (int k = 0; k < STRIDE; k++) other |= index[i + k] ^ entry;
    if (other) break;
    i += STRIDE;
  }
  while (i < end && index[i] == entry) i++;
  return i;
}

/* Row j of the own nodes is like the one before. */
static bool row_repeats(const struct hs_system *s, const struct hs_rectangle *own, int j)
{
  const uint16_t *row;
  if (j == 0 || !s->index || s->source_w_m) return false;
  row = s->index + (size_t)(own->y0 + j) * (size_t)s->nx + (size_t)own->x0;
  return !memcmp(row, row - s->nx, (size_t)own->nx * sizeof *row);
}

/* What a source map gives `count` nodes, and the sizes of it (Kahan's compensated sum). */
static void sources_add(const double *source_w_m, int count, struct hs_piece_run *run)
{
  double lost = 0.0;
  for (int n = 0; n < count; n++) {
    const double term = source_w_m[n] - lost, sum = run->sources + term;
    lost = (sum - run->sources) - term;
    run->sources = sum;
    run->sizes += fabs(source_w_m[n]);
  }
}

static hs_status row_scan(const struct hs_system *s, const struct hs_rectangle *own, const struct hs_rectangle *given,
                          int j, struct list *list, struct hs_error *err)
{
  const size_t first = (size_t)(own->y0 + j) * (size_t)s->nx;
  const int end = own->x0 + own->nx, row = given->y0 + own->y0 + j;
  hs_status status = HS_OK;
  for (int i = own->x0, to; !status && i < end; i = to) {
    const struct hs_node_law *law = &s->law[hs_system_index(s, first + (size_t)i)];
    struct hs_piece_run run = {.held = law->dirichlet,
                               .west = law->west,
                               .east = law->east,
                               .south = law->south,
                               .north = law->north,
                               .ambient = law->ambient_w_mk,
                               .heat = law->dirichlet ? 0.0 : law->source_w_m + law->ambient_w_m};
    to = s->index ? run_end(s->index + first, i, end) : i + 1;
    run.x0 = given->x0 + i;
    run.x1 = given->x0 + to;
    run.y0 = row;
    run.y1 = row + 1;
    if (s->source_w_m && !law->dirichlet) sources_add(s->source_w_m + first + (size_t)i, to - i, &run);
    status = list_add(list, &run, err);
  }
  return status;
}

/* The bands that begin in rows from <= j < to, by a thread of its own. Ends where all threads together, which count in *all, have
 * more than `most`. */
struct scan {
  const struct hs_system *system;
  const struct hs_rectangle *given;
  int from, to, most;
  atomic_int *all;
  struct list list;
  hs_status status;
  struct hs_error why;
  pthread_t thread;
  bool running;
};

static void *rows_scan(void *context)
{
  struct scan *s = context;
  const struct hs_rectangle own = hs_system_own(s->system);
  int band = 0, j = s->from;
  while (j < s->to && row_repeats(s->system, &own, j)) j++;
  for (bool begins = j < s->to; begins && !s->status && j < own.ny && atomic_load(s->all) <= s->most; j++) {
    if (s->list.count > 0 && row_repeats(s->system, &own, j)) {
      for (int k = band; k < s->list.count; k++) s->list.run[k].y1++;
      continue;
    }
    begins = j < s->to;
    band = s->list.count;
    if (begins) s->status = row_scan(s->system, &own, s->given, j, &s->list, &s->why);
    (void)atomic_fetch_add(s->all, s->list.count - band);
  }
  return NULL;
}

/* Those of this rank; no list where there are more than `most`. Where the system makes no more threads, this one does their
 * part. */
static hs_status own_scan(const struct hs_system *system, const struct hs_rectangle *given, int threads, int most,
                          struct list *all, struct hs_error *err)
{
  const int64_t rows = hs_system_own(system).ny;
  struct scan *scan = NULL;
  atomic_int found = 0;
  hs_status status = hs_array_create((void **)&scan, (size_t)threads, sizeof *scan, WHAT, err);
  if (status) return status;
  for (int t = 0; t < threads; t++) {
    scan[t] = (struct scan){.system = system,
                            .given = given,
                            .from = (int)(rows * t / threads),
                            .to = (int)(rows * (t + 1) / threads),
                            .most = most,
                            .all = &found};
    scan[t].running = t + 1 < threads && pthread_create(&scan[t].thread, NULL, rows_scan, &scan[t]) == 0;
    if (!scan[t].running) (void)rows_scan(&scan[t]);
  }
  for (int t = 0; t < threads; t++) {
    if (scan[t].running) (void)pthread_join(scan[t].thread, NULL);
    if (scan[t].status && !status) {
      status = scan[t].status;
      *err = scan[t].why;
    }
  }
  all->room = atomic_load(&found);
  if (!status && all->room <= most)
    status = hs_array_reserve((void **)&all->run, (size_t)all->room + 1, sizeof *all->run, WHAT, err);
  for (int t = 0; t < threads; t++) {
    const struct list *list = &scan[t].list;
    if (all->run && list->count > 0) memcpy(all->run + all->count, list->run, (size_t)list->count * sizeof *list->run);
    all->count += list->count;
    free(list->run);
  }
  free(scan);
  return status;
}

/* --- joining ---------------------------------------------------------------------------------- */

static bool laws_same(const struct hs_piece_run *a, const struct hs_piece_run *b)
{
  return a->held == b->held && a->west == b->west && a->east == b->east && a->south == b->south &&
         a->north == b->north && a->ambient == b->ambient && a->heat == b->heat;
}

static int by_place(const void *a, const void *b)
{
  const struct hs_piece_run *p = a, *q = b;
  if (p->y0 != q->y0) return p->y0 < q->y0 ? -1 : 1;
  return p->x0 < q->x0 ? -1 : p->x0 > q->x0;
}

/* Joins neighbours of a band that have one law. */
static int rows_join(struct hs_piece_run *run, int count)
{
  int kept = 0;
  for (int k = 0; k < count; k++) {
    struct hs_piece_run *last = kept > 0 ? &run[kept - 1] : NULL;
    if (last && last->y0 == run[k].y0 && last->x1 == run[k].x0 && laws_same(last, &run[k])) {
      last->x1 = run[k].x1;
      last->sources += run[k].sources;
      last->sizes += run[k].sizes;
    } else {
      run[kept++] = run[k];
    }
  }
  return kept;
}

/* The first run after the band that begins with run k. */
static int band_end(const struct hs_piece_run *run, int k, int count)
{
  int end = k;
  while (end < count && run[end].y0 == run[k].y0) end++;
  return end;
}

static bool bands_same(const struct hs_piece_run *a, const struct hs_piece_run *b, int count)
{
  for (int k = 0; k < count; k++)
    if (a[k].x0 != b[k].x0 || a[k].x1 != b[k].x1 || a[k].sizes != 0.0 || b[k].sizes != 0.0 || !laws_same(&a[k], &b[k]))
      return false;
  return true;
}

/* Joins bands on end that are the same. */
static int bands_join(struct hs_piece_run *run, int count)
{
  int band = 0, kept = 0; /* the last band that is kept: band <= k < kept */
  for (int k = 0, end; k < count; k = end) {
    end = band_end(run, k, count);
    if (kept > 0 && kept - band == end - k && bands_same(run + band, run + k, end - k)) {
      for (int n = band; n < kept; n++) run[n].y1 += run[k].y1 - run[k].y0;
      continue;
    }
    band = kept;
    memmove(run + kept, run + k, (size_t)(end - k) * sizeof *run);
    kept += end - k;
  }
  return kept;
}

/* --- rectangles of ranks ----------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
  const int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
  return p < q ? -1 : p > q;
}

/* The rows at which any rectangle begins or ends, in order; the caller's. */
static hs_status cuts_create(const struct list *list, int32_t **cuts, int *count, struct hs_error *err)
{
  const hs_status status = hs_array_create((void **)cuts, 2 * (size_t)list->count + 1, sizeof **cuts, WHAT, err);
  *count = 0;
  if (status) return status;
  for (int k = 0; k < list->count; k++) {
    (*cuts)[2 * k] = list->run[k].y0;
    (*cuts)[2 * k + 1] = list->run[k].y1;
  }
  qsort(*cuts, 2 * (size_t)list->count, sizeof **cuts, by_size);
  for (int k = 0; k < 2 * list->count; k++)
    if (*count == 0 || (*cuts)[*count - 1] != (*cuts)[k]) (*cuts)[(*count)++] = (*cuts)[k];
  return HS_OK;
}

/* Cuts rectangles there, so that they lie in bands; stops where there are more than `most`. */
static hs_status bands_cut(const struct list *list, const int32_t *cuts, int count, int most, struct list *bands,
                           struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < list->count && bands->count <= most; k++) {
    struct hs_piece_run run = list->run[k];
    const int32_t *cut = bsearch(&run.y0, cuts, (size_t)count, sizeof *cuts, by_size);
    for (; !status && cut[0] < list->run[k].y1 && bands->count <= most; cut++) {
      run.y0 = cut[0];
      run.y1 = cut[1];
      status = list_add(bands, &run, err);
    }
  }
  if (!status && bands->count > 0) qsort(bands->run, (size_t)bands->count, sizeof *bands->run, by_place);
  return status;
}

/* Those of all ranks; no list where there are more than `most`. */
static hs_status gather(struct hs_comm *comm, int most, struct list *list, struct hs_error *err)
{
  const size_t ranks = (size_t)hs_comm_size(comm);
  double largest = list->count;
  int64_t all = list->count;
  struct list own = *list;
  int32_t *cuts = NULL;
  int count = 0;
  hs_status status = hs_comm_largest(comm, &largest, 1, err);
  if (!status) status = hs_comm_count(comm, &all, 1, err);
  *list = (struct list){NULL, (int)(all < INT_MAX ? all : INT_MAX), 0};
  if (status || all > most || largest == 0.0) {
    free(own.run);
    return status;
  }
  status = hs_array_create((void **)&list->run, (size_t)largest * ranks, sizeof *list->run, WHAT, err);
  while (!status && own.count < (int)largest) status = list_add(&own, &(struct hs_piece_run){.y1 = 0}, err);
  status = hs_comm_agree(comm, status, err);
  if (!status) status = hs_comm_gather(comm, own.run, (size_t)largest * sizeof *own.run, list->run, err);
  free(own.run);
  own = (struct list){NULL, 0, 0};
  list->count = 0;
  for (size_t k = 0; !status && k < (size_t)largest * ranks; k++)
    if (list->run[k].y1 > list->run[k].y0) list->run[list->count++] = list->run[k];
  if (!status) status = cuts_create(list, &cuts, &count, err);
  if (!status) status = bands_cut(list, cuts, count, most, &own, err);
  free(cuts);
  free(list->run);
  *list = own;
  return hs_comm_agree(comm, status, err);
}

hs_status hs_piece_runs_create(const struct hs_system *system, const struct hs_rectangle *given, int threads, int most,
                               struct hs_piece_run **runs, int *count, struct hs_error *err)
{
  struct hs_comm *comm = hs_system_comm(system);
  struct list list = {NULL, 0, 0};
  hs_status status = hs_comm_agree(comm, own_scan(system, given, threads, UNJOINED * most, &list, err), err);
  *runs = NULL;
  *count = 0;
  if (!status && hs_comm_size(comm) > 1) status = gather(comm, UNJOINED * most, &list, err);
  if (!status && list.run && list.count <= UNJOINED * most) {
    list.count = bands_join(list.run, rows_join(list.run, list.count));
    if (list.count <= most) {
      *runs = list.run;
      *count = list.count;
      return HS_OK;
    }
  }
  free(list.run);
  return status;
}
