/* Rectangles of nodes that are alike; see pieces_rows.h. */
#include "solve/pieces_rows.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/comm.h"

static const char WHAT[] = "the pieces of a plate";

enum {
  GATHERED = 16, /* so many times more than wanted may be gathered from ranks, whose rows are not yet bands */
  STRIDE = 64    /* entries that are compared at once */
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
    for (int n = i; s->source_w_m && !law->dirichlet && n < to; n++) run.sources += s->source_w_m[first + (size_t)n];
    status = list_add(list, &run, err);
  }
  return status;
}

/* The bands that begin in rows from <= j < to: their rectangles become higher with each row. Ends where all threads together,
 * which count in *all, have more than `most`. */
static hs_status rows_scan(const struct hs_system *s, const struct hs_rectangle *given, int from, int to, int most,
                           atomic_int *all, struct list *list, struct hs_error *err)
{
  const struct hs_rectangle own = hs_system_own(s);
  hs_status status = HS_OK;
  int band = 0, j = from;
  while (j < to && row_repeats(s, &own, j)) j++;
  for (bool begins = j < to; begins && !status && j < own.ny && atomic_load(all) <= most; j++) {
    if (list->count > 0 && row_repeats(s, &own, j)) {
      for (int k = band; k < list->count; k++) list->run[k].y1++;
      continue;
    }
    begins = j < to;
    band = list->count;
    if (begins) status = row_scan(s, &own, given, j, list, err);
    (void)atomic_fetch_add(all, list->count - band);
  }
  return status;
}

/* --- bands of ranks' rows ---------------------------------------------------------------------- */

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

/* Joins neighbours of a row: where ranks have cut it. */
static int rows_join(struct hs_piece_run *run, int count)
{
  int kept = 0;
  for (int k = 0; k < count; k++) {
    struct hs_piece_run *last = kept > 0 ? &run[kept - 1] : NULL;
    if (last && last->y0 == run[k].y0 && last->x1 == run[k].x0 && laws_same(last, &run[k])) {
      last->x1 = run[k].x1;
      last->sources += run[k].sources;
    } else {
      run[kept++] = run[k];
    }
  }
  return kept;
}

/* The first run after the row, or band, that begins with run k. */
static int band_end(const struct hs_piece_run *run, int k, int count)
{
  int end = k;
  while (end < count && run[end].y0 == run[k].y0) end++;
  return end;
}

static bool bands_same(const struct hs_piece_run *a, const struct hs_piece_run *b, int count)
{
  for (int k = 0; k < count; k++)
    if (a[k].x0 != b[k].x0 || a[k].x1 != b[k].x1 || a[k].sources != 0.0 || b[k].sources != 0.0 ||
        !laws_same(&a[k], &b[k]))
      return false;
  return true;
}

/* Joins rows on end that are the same. */
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

/* --- all nodes -------------------------------------------------------------------------------- */

/* Those of this rank, in rows where there are several. */
static hs_status own_scan(const struct hs_system *s, const struct hs_rectangle *given, int threads, int most,
                          struct list *all, struct hs_error *err)
{
  const int rows = hs_system_own(s).ny;
  struct list *lists = NULL;
  atomic_int found = 0;
  hs_status status = hs_array_create((void **)&lists, (size_t)threads, sizeof *lists, WHAT, err);
  if (status) return status;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; t++) {
    struct hs_error why = {0};
    const hs_status failed = rows_scan(s, given, (int)((int64_t)rows * t / threads),
                                       (int)((int64_t)rows * (t + 1) / threads), most, &found, &lists[t], &why);
#pragma omp critical(hs_piece_runs)
    if (failed && !status) {
      status = failed;
      *err = why;
    }
  }
  for (int t = 0; t < threads; t++) {
    for (int k = 0; !status && k < lists[t].count && all->count <= most; k++)
      status = list_add(all, &lists[t].run[k], err);
    free(lists[t].run);
  }
  free(lists);
  return status;
}

/* Bands as rows. */
static hs_status rows_of(const struct list *bands, struct list *rows, struct hs_error *err)
{
  hs_status status = HS_OK;
  for (int k = 0; !status && k < bands->count; k++)
    for (int j = bands->run[k].y0; !status && j < bands->run[k].y1; j++) {
      struct hs_piece_run run = bands->run[k];
      run.y0 = j;
      run.y1 = j + 1;
      status = list_add(rows, &run, err);
    }
  return status;
}

/* Those of all ranks. */
static hs_status gather(struct hs_comm *comm, int most, struct list *list, struct hs_error *err)
{
  const size_t ranks = (size_t)hs_comm_size(comm);
  struct list rows = {NULL, 0, 0}, all = {NULL, 0, 0};
  double count = 0.0;
  hs_status status;
  for (int k = 0; k < list->count; k++) count += list->run[k].y1 - list->run[k].y0;
  status = hs_comm_largest(comm, &count, 1, err);
  if (status) return status;
  if (count * (double)ranks > (double)most * GATHERED) {
    list->count = most + 1;
    return HS_OK;
  }
  all.room = (int)count;
  status = rows_of(list, &rows, err);
  free(list->run);
  *list = (struct list){NULL, 0, 0};
  if (!status) status = hs_array_create((void **)&all.run, (size_t)all.room * ranks, sizeof *all.run, WHAT, err);
  while (!status && rows.count < all.room) status = list_add(&rows, &(struct hs_piece_run){.y1 = 0}, err);
  status = hs_comm_agree(comm, status, err);
  if (!status) status = hs_comm_gather(comm, rows.run, (size_t)all.room * sizeof *rows.run, all.run, err);
  for (size_t k = 0; !status && k < (size_t)all.room * ranks; k++)
    if (all.run[k].y1 > all.run[k].y0) all.run[all.count++] = all.run[k];
  free(rows.run);
  if (!status) qsort(all.run, (size_t)all.count, sizeof *all.run, by_place);
  if (!status) all.count = bands_join(all.run, rows_join(all.run, all.count));
  *list = all;
  return status;
}

hs_status hs_piece_runs_create(const struct hs_system *system, const struct hs_rectangle *given, int threads, int most,
                               struct hs_piece_run **runs, int *count, struct hs_error *err)
{
  struct hs_comm *comm = hs_system_comm(system);
  struct list list = {NULL, 0, 0};
  hs_status status = own_scan(system, given, threads, hs_comm_size(comm) > 1 ? most * GATHERED : most, &list, err);
  status = hs_comm_agree(comm, status, err);
  if (!status && hs_comm_size(comm) > 1) status = gather(comm, most, &list, err);
  *runs = NULL;
  *count = 0;
  if (status || !list.run || list.count > most) {
    free(list.run);
    return status;
  }
  *runs = list.run;
  *count = list.count;
  return HS_OK;
}
