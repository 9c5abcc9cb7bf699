/* What an operator of the cpu backend has beside that of src/backend/host: its rows. */
#include <stdlib.h>

#include "backend/cpu/linear/linear.h"
#include "base/memory.h"

/* --- the finest operator's runs -------------------------------------------------------------- */

/* Runs of a row, into `runs` unless it is NULL. Short ones are joined. */
static size_t runs_find(const struct hs_operator *op, int j, struct hs_linear_run *runs)
{
  const struct hs_system *s = op->system;
  const uint16_t *index = s->index ? s->index + (size_t)j * (size_t)s->nx : NULL;
  struct hs_linear_run last = {0, 0, -1};
  size_t count = 0;
  if (!index) {
    if (runs) runs[0] = (struct hs_linear_run){0, op->grid.nx, -1};
    return 1;
  }
  for (int from = 0, to; from < op->grid.nx; from = to) {
    for (to = from + 1; to < op->grid.nx && index[to] == index[from];) to++;
    if (to - from < HS_LINEAR_RUN_LEAST && count > 0 && last.entry < 0) {
      last.to = to;
      if (runs) runs[count - 1] = last;
      continue;
    }
    last = (struct hs_linear_run){from, to, to - from < HS_LINEAR_RUN_LEAST ? -1 : index[from]};
    if (runs) runs[count] = last;
    count++;
  }
  return count;
}

static hs_status runs_create(struct hs_operator *op, struct hs_error *err)
{
  struct hs_operator_rows *own = op->by_rows;
  const int ny = op->grid.ny;
  hs_status status =
      hs_array_create((void **)&own->first_run, (size_t)ny + 1, sizeof *own->first_run, "the rows of an operator", err);
  if (status) return status;
  HS_HOST_ROWS(op, j) own->first_run[j + 1] = runs_find(op, j, NULL);
  for (int j = 0; j < ny; j++) own->first_run[j + 1] += own->first_run[j];
  status = hs_array_create((void **)&own->runs, own->first_run[ny], sizeof *own->runs, "the rows of an operator", err);
  if (status) return status;
  HS_HOST_ROWS(op, j) runs_find(op, j, own->runs + own->first_run[j]);
  return HS_OK;
}

/* --- making and freeing ---------------------------------------------------------------------- */

void hs_linear_destroy(struct hs_operator *op)
{
  if (!op) return;
  if (op->by_rows) {
    free(op->by_rows->runs);
    free(op->by_rows->first_run);
    free(op->by_rows->room);
    if (op->system) free(op->by_rows->team);
  }
  free(op->by_rows);
  hs_host_destroy(op);
}

/* Threads that pay for an operator. */
static int threads_for(const struct hs_grid *grid, int most, int nodes_a_thread)
{
  const double pay = (double)grid->nx * grid->ny / nodes_a_thread;
  return pay < 1.0 ? 1 : pay < most ? (int)pay : most;
}

hs_status hs_linear_rows_create(struct hs_operator *op, const struct hs_linear_rows *rows, int nodes_a_thread,
                                struct hs_error *err)
{
  const char *what = "the rows of an operator";
  hs_status status = hs_array_create((void **)&op->by_rows, 1, sizeof *op->by_rows, what, err);
  if (!status) {
    struct hs_operator_rows *own = op->by_rows;
    own->rows = rows;
    own->nodes_a_thread = nodes_a_thread;
    own->room_pitch = (size_t)(op->grid.nx + 1 + 15) / 16 * 16 + 32;
    op->threads = threads_for(&op->grid, op->threads_most, nodes_a_thread);
    status = hs_array_create((void **)&own->room, (size_t)op->threads * HS_LINEAR_ROOM_ROWS * own->room_pitch,
                             sizeof *own->room, what, err);
  }
  if (!status && op->system) status = runs_create(op, err);
  if (status) hs_linear_destroy(op);
  return status;
}
