/* Looking for pieces, and asking what a correction knows of them; see pieces.h. */
#include "solve/pieces/pieces.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/memory.h"
#include "comm/comm.h"
#include "numerics/total_terms.h"
#include "solve/pieces/forest.h"

static const char WHAT[] = "the pieces of a plate";

enum {
  RUNS_MOST = 1 << 17, /* beyond, to find the pieces takes longer than cycles would */
  THREADS_MOST = 8,
  PICKED = 1 << 16, /* contacts whose nodes are asked for at once */
  BATCH = 64        /* terms that are added at once */
};
static const double CONTRACTS = 0.3; /* what a correction that knows leaves of the heat that is out of balance */
static const double SHARE = 0.1;     /* of the tolerance: what that drives does not count */
static const double ROUNDING = 8.0 * 0x1p-53;

struct hs_pieces {
  const struct hs_system *system;
  const struct hs_linear *linear;
  const struct hs_operator *op;
  struct hs_comm *comm;
  int threads;
  pthread_t thread; /* that looks for them; */
  bool running, made, known;
  hs_status status; /* what became of that */
  struct hs_error why;
  struct hs_piece_outlines of;
  int64_t *node;                   /* [2 PICKED] room for those of some contacts, inside and outside of each, */
  double *x, *z;                   /* [2 PICKED] and what they have */
  int64_t picks;                   /* so often all ranks pick */
  struct hs_total *total, *totals; /* [2 of.count], and those of all ranks */
};

/* --- making ----------------------------------------------------------------------------------- */

/* Room for questions. */
static hs_status answers_room(struct hs_pieces *p, struct hs_error *err)
{
  const size_t contacts = (size_t)p->of.first[p->of.count], totals = 2 * (size_t)p->of.count;
  const size_t room = 2 * (contacts < PICKED ? contacts : PICKED) + 1, ranks = (size_t)hs_comm_size(p->comm);
  hs_status status = hs_array_create((void **)&p->node, room, sizeof *p->node, WHAT, err);
  if (!status) status = hs_array_create((void **)&p->x, room, sizeof *p->x, WHAT, err);
  if (!status) status = hs_array_create((void **)&p->z, room, sizeof *p->z, WHAT, err);
  if (!status) status = hs_array_create((void **)&p->total, totals + 1, sizeof *p->total, WHAT, err);
  if (!status) status = hs_array_create((void **)&p->totals, (totals + 1) * ranks, sizeof *p->totals, WHAT, err);
  return status;
}

static int threads_of(const struct hs_backend_options *options)
{
  const int most = options->threads > 0 ? options->threads : options->threads_most;
  const int there = most > 0 && most < omp_get_max_threads() ? most : omp_get_max_threads();
  return there < THREADS_MOST ? there : THREADS_MOST;
}

/* All that is known of the pieces of a grid. given: where in it the system's nodes lie. */
static hs_status make(struct hs_pieces *p, const struct hs_grid *grid, const struct hs_rectangle *given,
                      struct hs_error *err)
{
  struct hs_piece_run *run;
  double picks;
  int count;
  hs_status status;
  if (grid->periodic_x || grid->periodic_y) return HS_OK;
  status = hs_piece_runs_create(p->system, given, p->threads, RUNS_MOST, &run, &count, err);
  if (status || !run) return status;
  status = hs_piece_outlines_find(p->system, given, (double)grid->nx * grid->ny, run, count, &p->of, &p->known, err);
  free(run);
  if (!status && p->known) status = answers_room(p, err);
  status = hs_comm_agree(p->comm, status, err);
  p->known = !status && p->known;
  if (!p->known) return status;
  picks = (double)((p->of.first[p->of.count] + PICKED - 1) / PICKED);
  status = hs_comm_largest(p->comm, &picks, 1, err);
  p->picks = (int64_t)picks;
  return status;
}

static void *make_alone(void *pieces)
{
  struct hs_pieces *p = pieces;
  const struct hs_rectangle whole = {0, 0, p->system->nx, p->system->ny};
  const struct hs_grid grid = hs_linear_grid(p->system, 1);
  omp_set_num_threads(1); /* of this thread: others are at work */
  p->status = make(p, &grid, &whole, &p->why);
  return NULL;
}

hs_status hs_pieces_begin(const struct hs_system *system, const struct hs_linear *linear,
                          const struct hs_backend_options *options, struct hs_pieces **pieces, struct hs_error *err)
{
  struct hs_pieces *p = NULL;
  sigset_t all, before;
  const hs_status status = hs_array_create((void **)&p, 1, sizeof *p, WHAT, err);
  *pieces = p;
  if (status) return status;
  p->system = system;
  p->linear = linear;
  p->comm = hs_system_comm(system);
  p->threads = threads_of(options);
  if (!linear->device || hs_comm_size(p->comm) > 1) return HS_OK;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the main thread's */
  p->running = p->made = pthread_create(&p->thread, NULL, make_alone, p) == 0;
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return HS_OK;
}

static void wait_for(struct hs_pieces *p)
{
  if (p->running) (void)pthread_join(p->thread, NULL);
  p->running = false;
}

hs_status hs_pieces_find(struct hs_pieces *p, const struct hs_operator *op, bool *known, struct hs_error *err)
{
  const struct hs_rectangle whole = {0, 0, p->system->nx, p->system->ny};
  const struct hs_rectangle given = p->linear->given ? p->linear->given(op) : whole;
  const struct hs_grid grid = p->linear->grid(op);
  wait_for(p);
  p->op = op;
  if (!p->made) p->status = make(p, &grid, &given, &p->why);
  p->made = true;
  *known = p->known;
  if (p->status) *err = p->why;
  return p->status;
}

void hs_pieces_destroy(struct hs_pieces *p)
{
  if (!p) return;
  wait_for(p);
  hs_piece_outlines_clear(&p->of);
  free(p->node);
  free(p->x);
  free(p->z);
  free(p->total);
  free(p->totals);
  free(p);
}

int hs_pieces_count(const struct hs_pieces *pieces)
{
  return pieces->of.count;
}

/* --- what a correction knows ------------------------------------------------------------------- */

/* What flows into piece k at x, and what z adds, by contacts from <= c < to of which x and z have been picked. */
static void flows_add(struct hs_pieces *p, int k, int64_t from, int64_t to, int64_t picked, double unscale)
{
  double flow[BATCH], added[BATCH];
  for (int64_t c = from, end; c < to; c = end) {
    end = to - c < BATCH ? to : c + BATCH;
    for (int64_t n = c; n < end; n++) {
      const struct hs_piece_contact *contact = &p->of.contact[n];
      const double *x = p->x + 2 * (n - picked), *z = p->z + 2 * (n - picked);
      const bool ambient = contact->inside == contact->outside;
      flow[n - c] = contact->conductance * ((ambient ? 0.0 : x[1]) - x[0]);
      added[n - c] = contact->conductance * (unscale * ((ambient ? 0.0 : z[1]) - z[0]));
    }
    hs_total_add(&p->total[2 * k], flow, (int)(end - c));
    hs_total_add(&p->total[2 * k + 1], added, (int)(end - c));
  }
}

/* The same of all pieces, by contacts from <= c < to. */
static hs_status contacts_pick(struct hs_pieces *p, const struct hs_vector *x, const struct hs_vector *z,
                               double unscale, int64_t from, int64_t to, int *piece, double *x_max,
                               struct hs_error *err)
{
  hs_status status;
  for (int64_t c = from; c < to; c++) {
    p->node[2 * (c - from)] = p->of.contact[c].inside;
    p->node[2 * (c - from) + 1] = p->of.contact[c].outside;
  }
  status = p->linear->pick(p->op, (const struct hs_vector *const[]){x, z}, p->node, 2 * (to - from),
                           (double *const[]){p->x, p->z}, err);
  for (int64_t n = 0; !status && n < 2 * (to - from); n++) *x_max = fabs(p->x[n]) > *x_max ? fabs(p->x[n]) : *x_max;
  for (int64_t c = from, end; !status && c < to; c = end) {
    while (p->of.first[*piece + 1] <= c) ++*piece;
    end = p->of.first[*piece + 1] < to ? p->of.first[*piece + 1] : to;
    flows_add(p, *piece, c, end, from, unscale);
  }
  return status;
}

/* The sums of all ranks. */
static hs_status totals_merge(struct hs_pieces *p, struct hs_error *err)
{
  const size_t count = 2 * (size_t)p->of.count;
  hs_status status;
  if (hs_comm_size(p->comm) == 1) return HS_OK;
  status = hs_comm_gather(p->comm, p->total, count * sizeof *p->total, p->totals, err);
  for (size_t k = 0; !status && k < count; k++) {
    p->total[k] = hs_total_zero();
    for (size_t rank = 0; rank < (size_t)hs_comm_size(p->comm); rank++)
      hs_total_merge(&p->total[k], &p->totals[rank * count + k]);
  }
  return status;
}

/* x_max: the largest |x| that was picked, K. */
static void piece_answer(const struct hs_pieces *p, int k, double x_max, double tolerance_k,
                         struct hs_pieces_answer *answer)
{
  const struct hs_total *of = p->total + 2 * (size_t)k;
  const double before = p->of.heat[k] + hs_total_value(&of[0]), after = before + hs_total_value(&of[1]);
  const double rounding = ROUNDING * (p->of.sizes[k] + p->of.all_exits[k] * x_max);
  const double nothing = fmax(SHARE * tolerance_k * p->of.exit[k], rounding);
  if (fabs(before) <= nothing || fabs(after) <= fmax(CONTRACTS * fabs(before), nothing)) return;
  answer->known = false;
  if (!(fabs(before) <= SHARE * tolerance_k * p->of.all_exits[k])) answer->off = true;
}

hs_status hs_pieces_ask(struct hs_pieces *p, const struct hs_vector *x, const struct hs_vector *z, double unscale,
                        double tolerance_k, struct hs_pieces_answer *answer, struct hs_error *err)
{
  const int64_t contacts = p->of.first[p->of.count];
  double x_max = 0.0;
  hs_status status = HS_OK;
  int piece = 0;
  *answer = (struct hs_pieces_answer){.known = true};
  if (p->of.count == 0) return HS_OK;
  for (int k = 0; k < 2 * p->of.count; k++) p->total[k] = hs_total_zero();
  for (int64_t n = 0; !status && n < p->picks; n++) {
    const int64_t from = n * PICKED < contacts ? n * PICKED : contacts;
    const int64_t to = from + PICKED < contacts ? from + PICKED : contacts;
    status = contacts_pick(p, x, z, unscale, from, to, &piece, &x_max, err);
    status = hs_comm_agree(p->comm, status, err);
  }
  if (!status) status = totals_merge(p, err);
  if (!status) status = hs_comm_largest(p->comm, &x_max, 1, err);
  for (int k = 0; !status && k < p->of.count; k++) piece_answer(p, k, x_max, tolerance_k, answer);
  return status;
}
