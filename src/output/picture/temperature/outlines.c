/* Edges are followed as runs along rows and columns, row by row; a row like the one before goes on with its runs. Each rank
 * follows those of its own cells, and runs that meet where the grid is cut become one.
 */
#include "output/picture/temperature/outlines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define LEAST 0.4 /* between spots of a line: the steps of fine grids are smoothed */
#define APART 5.0 /* units between lines, on average, at least */
enum { RUNS_MOST = 20000 };

struct tracer {
  const struct hs_material_map *map;
  struct hs_runs *runs;
  int *since; /* row in which the run west of a column's cells began, -1: there is none; by the own columns */
};

static bool differ(const struct hs_material_map *map, uint16_t a, uint16_t b)
{
  return a != b && (!map->classes || map->classes[a].material != map->classes[b].material);
}

static hs_status add(struct hs_runs *runs, struct hs_run run, struct hs_error *err)
{
  if (runs->count == runs->room) {
    const int room = 2 * runs->room + 64;
    struct hs_run *grown = realloc(runs->run, (size_t)room * sizeof *grown);
    if (!grown) return hs_error_set(err, HS_ERR_MEMORY, "not enough memory for a picture's outlines");
    runs->run = grown;
    runs->room = room;
  }
  runs->run[runs->count++] = run;
  runs->too_many = runs->count > RUNS_MOST;
  return HS_OK;
}

/* The run west of the cells of column i ends below row j. */
static hs_status end_run(struct tracer *tracer, int i, int j, struct hs_error *err)
{
  int *since = &tracer->since[i - tracer->map->share.cells.x0];
  const struct hs_run run = {i, *since, i, j};
  *since = -1;
  return run.j0 < 0 ? HS_OK : add(tracer->runs, run, err);
}

/* Begins and ends runs between the columns at row j. */
static hs_status trace_columns(struct tracer *tracer, int j, struct hs_error *err)
{
  const struct hs_share *share = &tracer->map->share;
  const int first = share->cells.x0, end = first + share->cells.nx;
  const uint16_t *row = tracer->map->cell + hs_share_cell(share, first, j);
  hs_status status = HS_OK;
  for (int i = first > 0 ? first : 1; i < end && !status; i++) {
    const bool edge = differ(tracer->map, row[i - 1 - first], row[i - first]);
    int *since = &tracer->since[i - first];
    if (edge && *since < 0) *since = j;
    if (!edge && *since >= 0) status = end_run(tracer, i, j, err);
  }
  return status;
}

/* The runs between row j and the one below. */
static hs_status trace_row(struct tracer *tracer, int j, struct hs_error *err)
{
  const struct hs_share *share = &tracer->map->share;
  const int first = share->cells.x0, count = share->cells.nx;
  const uint16_t *row = tracer->map->cell + hs_share_cell(share, first, j);
  const uint16_t *south = row - share->row_cells;
  hs_status status = HS_OK;
  for (int i = 0, next; i < count && !status; i = next + 1) {
    while (i < count && !differ(tracer->map, south[i], row[i])) i++;
    for (next = i; next < count && differ(tracer->map, south[next], row[next]);) next++;
    if (next > i) status = add(tracer->runs, (struct hs_run){first + i, j, first + next, j}, err);
  }
  return status;
}

/* Are rows j - 1 and j alike, as far as this rank's edges are concerned? */
static bool is_like_before(const struct hs_material_map *map, int j)
{
  const struct hs_share *share = &map->share;
  const int west = share->cells.x0 > 0 ? 1 : 0;
  const uint16_t *row = map->cell + hs_share_cell(share, share->cells.x0, j) - west;
  return !memcmp(row, row - share->row_cells, (size_t)(share->cells.nx + west) * sizeof *row);
}

/* The runs of the own cells. */
static hs_status trace(const struct hs_material_map *map, struct hs_runs *runs, struct hs_error *err)
{
  const struct hs_rectangle *own = &map->share.cells;
  const int end = own->y0 + own->ny;
  struct tracer tracer = {map, runs, NULL};
  hs_status status =
      hs_array_create((void **)&tracer.since, (size_t)own->nx + 1, sizeof *tracer.since, "a picture's outlines", err);
  if (status) return status;
  for (int i = 0; i <= own->nx; i++) tracer.since[i] = -1;
  for (int j = own->y0; j < end && own->nx > 0 && !status && !runs->too_many; j++) {
    if (j > own->y0 && is_like_before(map, j)) continue;
    status = trace_columns(&tracer, j, err);
    if (!status && j > 0) status = trace_row(&tracer, j, err);
  }
  for (int i = own->x0 > 0 ? own->x0 : 1; i < own->x0 + own->nx && !status; i++) status = end_run(&tracer, i, end, err);
  free(tracer.since);
  return status;
}

/* --- the runs of all ranks ----------------------------------------------------------------------- */

/* By grid lines, rows before columns, and along them. */
static int by_line(const void *a, const void *b)
{
  const struct hs_run *one = a, *two = b;
  const bool upright_one = one->i0 == one->i1, upright_two = two->i0 == two->i1;
  if (upright_one != upright_two) return upright_one - upright_two;
  if (upright_one)
    return one->i0 != two->i0 ? (one->i0 > two->i0) - (one->i0 < two->i0) : (one->j0 > two->j0) - (one->j0 < two->j0);
  return one->j0 != two->j0 ? (one->j0 > two->j0) - (one->j0 < two->j0) : (one->i0 > two->i0) - (one->i0 < two->i0);
}

/* As one rank alone finds them: by the row in which they end, columns first, from west to east. */
static int by_end(const void *a, const void *b)
{
  const struct hs_run *one = a, *two = b;
  const bool upright_one = one->i0 == one->i1, upright_two = two->i0 == two->i1;
  if (one->j1 != two->j1) return (one->j1 > two->j1) - (one->j1 < two->j1);
  if (upright_one != upright_two) return upright_two - upright_one;
  return (one->i0 > two->i0) - (one->i0 < two->i0);
}

/* Runs that go on where another ends become one. */
static void unite(struct hs_runs *runs)
{
  int count = 0;
  qsort(runs->run, (size_t)runs->count, sizeof *runs->run, by_line);
  for (int k = 0; k < runs->count; k++) {
    const struct hs_run next = runs->run[k];
    struct hs_run *last = count > 0 ? &runs->run[count - 1] : NULL;
    const bool upright = next.i0 == next.i1;
    if (last && (last->i0 == last->i1) == upright && last->i1 == next.i0 && last->j1 == next.j0)
      *last = (struct hs_run){last->i0, last->j0, next.i1, next.j1};
    else
      runs->run[count++] = next;
  }
  runs->count = count;
  qsort(runs->run, (size_t)runs->count, sizeof *runs->run, by_end);
}

/* Where this rank's runs begin among those of all, and how many there are. */
static hs_status place_find(const struct hs_share *share, const struct hs_runs *runs, int64_t *first, int64_t *total,
                            bool *too_many, struct hs_error *err)
{
  const int ranks = hs_comm_size(share->comm);
  const int64_t mine = runs->too_many ? -1 : runs->count;
  int64_t *counts = NULL;
  hs_status status = hs_array_create((void **)&counts, (size_t)ranks, sizeof *counts, "a picture's outlines", err);
  status = hs_comm_agree(share->comm, status, err);
  if (!status) status = hs_comm_gather(share->comm, &mine, sizeof mine, counts, err);
  *first = *total = 0;
  *too_many = false;
  for (int r = 0; !status && r < ranks; r++) {
    if (r < hs_comm_rank(share->comm)) *first += counts[r];
    *total += counts[r];
    *too_many = *too_many || counts[r] < 0;
  }
  free(counts);
  return status;
}

static hs_status gather(const struct hs_share *share, struct hs_runs *runs, struct hs_error *err)
{
  int64_t first, total, *all = NULL; /* two integers a run */
  bool too_many;
  struct hs_run *run = NULL;
  hs_status status = place_find(share, runs, &first, &total, &too_many, err);
  if (status) return status;
  runs->too_many = too_many;
  if (too_many || total == 0) return HS_OK;
  status = hs_array_create((void **)&all, 2 * (size_t)total, sizeof *all, "a picture's outlines", err);
  if (!status) status = hs_array_create((void **)&run, (size_t)total, sizeof *run, "a picture's outlines", err);
  status = hs_comm_agree(share->comm, status, err);
  if (!status && runs->count > 0) memcpy(all + 2 * first, runs->run, (size_t)runs->count * sizeof *runs->run);
  if (!status) status = hs_share_join(share, all, 2 * (size_t)total, err);
  if (!status) {
    memcpy(run, all, (size_t)total * sizeof *run);
    free(runs->run);
    *runs = (struct hs_runs){run, (int)total, (int)total, false};
    unite(runs);
    runs->too_many = runs->count > RUNS_MOST;
    run = NULL;
  }
  free(run);
  free(all);
  return status;
}

hs_status hs_runs_find(const struct hs_material_map *map, struct hs_runs *runs, struct hs_error *err)
{
  hs_status status;
  if (!map->cell) return HS_OK;
  status = hs_comm_agree(map->share.comm, trace(map, runs, err), err);
  if (!status && hs_comm_size(map->share.comm) > 1) status = gather(&map->share, runs, err);
  return status;
}

void hs_runs_clear(struct hs_runs *runs)
{
  free(runs->run);
  *runs = (struct hs_runs){0};
}

struct hs_material_map hs_material_map_of(const struct hs_problem *problem)
{
  const bool known = !problem->conductivity_map && problem->material_count > 1;
  return (struct hs_material_map){hs_share_of(problem), known ? problem->cell : NULL, problem->classes};
}

/* --- lines --------------------------------------------------------------------------------------- */

/* Are the lines so many that they would hide the field? */
static bool covers(const struct hs_lines *lines, const struct hs_box *plot)
{
  double length = 0.0;
  for (int k = 0; k < lines->count; k++) length += lines->line[k].length;
  return length * APART > plot->width * plot->height;
}

hs_status hs_outlines_create(const struct hs_runs *runs, int cells_x, int cells_y, const struct hs_box *plot,
                             struct hs_lines *lines, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (runs->too_many) return HS_OK;
  for (int k = 0; k < runs->count && !status; k++) {
    const struct hs_run *run = &runs->run[k];
    struct hs_line_end ends[2];
    for (int end = 0; end < 2; end++) {
      const int i = end ? run->i1 : run->i0, j = end ? run->j1 : run->j0;
      ends[end] = (struct hs_line_end){
          (int64_t)j * (cells_x + 1) + i,
          {plot->x + plot->width * i / cells_x, plot->y + plot->height * (1.0 - (double)j / cells_y)}};
    }
    status = hs_lines_add(lines, ends[0], ends[1], err);
  }
  if (!status) status = hs_lines_join(lines, LEAST, err);
  if (status || covers(lines, plot)) hs_lines_clear(lines);
  return status;
}

void hs_outlines_draw(cairo_t *cr, const struct hs_lines *lines)
{
  cairo_save(cr);
  cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
  for (int halo = 1; halo >= 0; halo--) {
    hs_lines_path(cr, lines);
    cairo_set_line_width(cr, halo ? 2.2 : 0.8);
    cairo_set_source_rgba(cr, halo, halo, halo, halo ? 0.30 : 0.60);
    cairo_stroke(cr);
  }
  cairo_restore(cr);
}
