/* Conjugate gradients with the V-cycle as preconditioner, and when they end.
 *
 * The error of an iterate. z = B r is nearly the error e = A^-1 r. How nearly is seen a step later, when the error before is
 * alpha p + e and e is about the new z; and the least eigenvalue of B A, from the tridiagonal matrix of the coefficients
 * (Lanczos; Golub and Van Loan, Matrix Computations, ch. 10), bounds what z leaves out. The estimate is the product of the
 * largest |z|, the larger of these two ratios, and a margin of 1.3; over 3000 random problems (tests/solve/test_multigrid.c)
 * it lay between 0.27 and 4.5 times the true error, which met 1.5 tolerances in all of them. An estimate that meets the tolerance is believed once it has been found from the field itself
 * rather than from the recursion of residuals.
 */
#include "solve/multigrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "solve/levels.h"

enum {
  LANCZOS_MOST = 128, /* coefficients that are kept */
  SLACKS = 4,         /* ratios of the last steps that count */
  FLAT_MOST = 3       /* steps on end in which the energy of the residual grows: rounding */
};

static const double MARGIN = 1.3;
static const double ROUNDING_ULPS = 4.0; /* of the largest temperature: no estimate is smaller */

struct hs_multigrid {
  const struct hs_backend *backend;
  const struct hs_system *system;
  struct hs_levels levels;
  struct hs_vector *x, *r, *p, *q; /* double precision */
  struct hs_vector *start, *rest;  /* of an implicit step */
  bool trapezoid;
  double *field_k; /* [ny*nx] on the way to a backend that has no take and give; else NULL */
};

/* Where an iteration stands. */
struct iteration {
  struct hs_multigrid *m;
  const struct hs_solve_settings *settings;
  struct hs_residual_norms norms;
  struct hs_correction z;
  double zr, beta, scale;
  double first_l2;
  bool has_direction; /* p belongs to the present recursion */
  bool fresh;         /* r was found from x */
  double alphas[LANCZOS_MOST], betas[LANCZOS_MOST];
  int lanczos;
  double slack[SLACKS];
  int slacks;
  double floor_k;
  double estimate_k;
  int64_t cycles;      /* steps of conjugate gradients */
  int64_t corrections; /* V-cycles: one for each step, and those that the estimate asks for at the end */
  int flat;
  struct hs_check *history;
  int history_count, history_room;
};

static const struct hs_linear *linear_of(const struct hs_multigrid *m)
{
  return m->levels.linear;
}

static struct hs_operator *finest(const struct hs_multigrid *m)
{
  return m->levels.level[0].op;
}

/* --- the levels of a system ------------------------------------------------------------------ */

static hs_status vectors_create(struct hs_multigrid *m, struct hs_error *err)
{
  struct hs_vector **const vectors[] = {&m->x, &m->r, &m->p, &m->q};
  hs_status status = HS_OK;
  for (size_t k = 0; !status && k < sizeof vectors / sizeof *vectors; k++)
    status = linear_of(m)->vector_create(finest(m), false, vectors[k], err);
  if (!status && !linear_of(m)->take)
    status = hs_array_create((void **)&m->field_k, (size_t)m->system->nx * (size_t)m->system->ny, sizeof *m->field_k,
                             "the field of a solution", err);
  if (!status && m->system->storing) status = linear_of(m)->vector_create(finest(m), false, &m->start, err);
  if (!status && m->system->storing) status = linear_of(m)->vector_create(finest(m), false, &m->rest, err);
  return status;
}

hs_status hs_multigrid_create(const struct hs_backend *backend, const struct hs_system *system,
                              const struct hs_backend_options *options, struct hs_multigrid **result,
                              struct hs_error *err)
{
  struct hs_multigrid *m = NULL;
  hs_status status = hs_array_create((void **)&m, 1, sizeof *m, "multigrid", err);
  *result = NULL;
  if (status) return status;
  m->backend = backend;
  m->system = system;
  status = hs_levels_create(backend, system, options, &m->levels, err);
  if (!status) status = vectors_create(m, err);
  if (status) {
    hs_multigrid_destroy(m);
    return status;
  }
  *result = m;
  return HS_OK;
}

void hs_multigrid_destroy(struct hs_multigrid *m)
{
  struct hs_vector *vectors[6];
  if (!m) return;
  memcpy(vectors, (struct hs_vector *[]){m->x, m->r, m->p, m->q, m->start, m->rest}, sizeof vectors);
  for (size_t k = 0; m->levels.linear && k < sizeof vectors / sizeof *vectors; k++)
    m->levels.linear->vector_destroy(vectors[k]);
  hs_levels_clear(&m->levels);
  free(m->field_k);
  free(m);
}

int hs_multigrid_levels(const struct hs_multigrid *m)
{
  return m->levels.count;
}

hs_status hs_multigrid_update(struct hs_multigrid *m, const struct hs_system *system, bool weights_changed,
                              struct hs_error *err)
{
  m->system = system;
  return hs_levels_update(&m->levels, system, weights_changed, err);
}

hs_status hs_multigrid_take(struct hs_multigrid *m, struct hs_backend_state *state, struct hs_error *err)
{
  hs_status status;
  if (linear_of(m)->take) return linear_of(m)->take(finest(m), state, m->x, err);
  status = m->backend->fetch(state, m->field_k, err);
  return status ? status : linear_of(m)->put(finest(m), m->field_k, m->x, err);
}

hs_status hs_multigrid_give(struct hs_multigrid *m, struct hs_backend_state *state, struct hs_error *err)
{
  hs_status status;
  if (linear_of(m)->give) return linear_of(m)->give(finest(m), m->x, state, err);
  status = linear_of(m)->get(finest(m), m->x, m->field_k, err);
  return status ? status : m->backend->load(state, m->field_k, err);
}

hs_status hs_multigrid_step(struct hs_multigrid *m, bool trapezoid, struct hs_error *err)
{
  struct hs_residual_norms norms;
  hs_status status = linear_of(m)->copy(finest(m), m->x, m->start, err);
  m->trapezoid = trapezoid;
  if (status || !trapezoid) return status;
  return linear_of(m)->residual(finest(m), m->start, NULL, m->rest, &norms, err);
}

/* --- the estimate ---------------------------------------------------------------------------- */

/* Eigenvalues below x of the symmetric tridiagonal matrix with these diagonals and squared off-diagonals (Sturm). */
static int eigenvalues_below(const double *diagonal, const double *square, int n, double x)
{
  int count = 0;
  double d = 1.0;
  for (int k = 0; k < n; k++) {
    d = diagonal[k] - x - (k > 0 ? square[k] / d : 0.0);
    if (d == 0.0) d = 1e-300;
    count += d < 0.0;
  }
  return count;
}

/* Least eigenvalue of B A so far, within [1e-4, 1]. */
static double least_ritz(const struct iteration *it)
{
  double diagonal[LANCZOS_MOST], square[LANCZOS_MOST], low = 1e-4, high = 1.0;
  const int n = it->lanczos;
  for (int k = 0; k < n; k++) {
    diagonal[k] = 1.0 / it->alphas[k] + (k > 0 ? it->betas[k] / it->alphas[k - 1] : 0.0);
    square[k] = k > 0 ? it->betas[k] / (it->alphas[k - 1] * it->alphas[k - 1]) : 0.0;
  }
  if (eigenvalues_below(diagonal, square, n, high) == 0) return high;
  if (eigenvalues_below(diagonal, square, n, low) > 0) return low;
  for (int k = 0; k < 40; k++) {
    const double middle = sqrt(low * high);
    if (eigenvalues_below(diagonal, square, n, middle) > 0)
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* The estimate for x from its correction, whose figures are in it->z; before: largest of the correction before. */
static void estimate_take(struct iteration *it, double before)
{
  double ratio = 1.0;
  if (it->has_direction) it->slack[it->slacks++ % SLACKS] = before > 0.0 ? it->z.behind_max / before : 1.0;
  if (it->lanczos == 0) return;
  ratio = fmax(ratio, 1.0 / sqrt(least_ritz(it)));
  for (int k = 0; k < SLACKS && k < it->slacks; k++) ratio = fmax(ratio, it->slack[k]);
  it->estimate_k = fmax(MARGIN * ratio * it->z.max, it->floor_k);
}

/* --- the iteration --------------------------------------------------------------------------- */

static hs_status residual_take(struct iteration *it, struct hs_error *err)
{
  struct hs_multigrid *m = it->m;
  const struct hs_step_vectors step = {m->start, m->trapezoid ? m->rest : NULL};
  double largest_k = 0.0;
  hs_status status = linear_of(m)->residual(finest(m), m->x, m->system->storing ? &step : NULL, m->r, &it->norms, err);
  if (!status) status = linear_of(m)->largest(finest(m), m->x, &largest_k, err);
  it->floor_k = ROUNDING_ULPS * (it->settings->single ? 0x1p-24 : 0x1p-53) * largest_k;
  it->has_direction = false;
  it->fresh = true;
  return status;
}

/* z = B r, and what it says. Single precision gets r in a scale that the norms of the step before suit. */
static hs_status correction_take(struct iteration *it, struct hs_error *err)
{
  struct hs_multigrid *m = it->m;
  struct hs_level *level = m->levels.level;
  const double before = it->z.max;
  hs_status status;
  it->scale = hs_sum_scale(it->norms.max);
  it->zr = it->z.zr;
  status = linear_of(m)->round(finest(m), m->r, it->scale, level->f, err);
  if (!status) status = hs_levels_cycle(&m->levels, err);
  it->corrections++;
  if (!status)
    status =
        linear_of(m)->examine(finest(m), level->u, 1.0 / it->scale, m->r, it->has_direction ? m->p : NULL, &it->z, err);
  if (status) return status;
  it->norms = it->z.residual;
  if (it->has_direction && it->lanczos < LANCZOS_MOST && it->z.alpha > 0.0) {
    it->alphas[it->lanczos] = it->z.alpha;
    it->betas[it->lanczos++] = it->beta;
  }
  estimate_take(it, before);
  return HS_OK;
}

/* One step of the recursion. */
static hs_status step_make(struct iteration *it, struct hs_error *err)
{
  struct hs_multigrid *m = it->m;
  hs_status status;
  it->beta = it->has_direction ? it->z.zr / it->zr : 0.0;
  status = linear_of(m)->direct(finest(m), m->levels.level[0].u, 1.0 / it->scale, it->beta, m->p, m->q, err);
  if (!status) status = linear_of(m)->advance(finest(m), it->z.zr, m->p, m->q, m->x, m->r, err);
  it->has_direction = true;
  it->fresh = false;
  it->cycles++;
  return status;
}

static hs_status remember(struct iteration *it, struct hs_error *err)
{
  struct hs_check check = {.sweeps = it->cycles, .error_estimate_k = it->lanczos > 0 ? it->estimate_k : NAN};
  check.norms = (struct hs_norms){NAN, NAN, it->norms.l2, it->norms.max, NAN, it->z.max};
  check.residual_relative = it->norms.l2 == 0.0 ? 0.0 : it->norms.l2 / it->first_l2;
  if (it->history_count > 0 && it->history[it->history_count - 1].sweeps == it->cycles) it->history_count--;
  if (it->history_count == it->history_room) {
    const int room = 2 * it->history_room + 64;
    struct hs_check *more = realloc(it->history, (size_t)room * sizeof *more);
    if (!more) return hs_error_set(err, HS_ERR_MEMORY, "no memory for the history of %d cycles", room);
    it->history = more;
    it->history_room = room;
  }
  it->history[it->history_count++] = check;
  return HS_OK;
}

static bool tolerance_met(const struct iteration *it)
{
  if (it->settings->quantity == HS_STOP_RESIDUAL) return it->norms.l2 <= it->settings->tolerance * it->first_l2;
  return (it->lanczos > 0 || it->norms.max == 0.0) && it->estimate_k <= it->settings->tolerance;
}

static bool stop_asked(const struct hs_solve_observer *observer)
{
  return observer && observer->stop_requested && *observer->stop_requested;
}

static void show(const struct iteration *it, const struct hs_solve_observer *observer, double began_s)
{
  const struct hs_solve_progress progress = {.sweeps = it->cycles,
                                             .max_sweeps = it->settings->max_iterations,
                                             .quantity = it->settings->quantity,
                                             .value = it->settings->quantity == HS_STOP_RESIDUAL
                                                          ? it->norms.l2 / it->first_l2
                                                      : it->lanczos > 0 ? it->estimate_k
                                                                        : NAN,
                                             .tolerance = it->settings->tolerance,
                                             .expected_sweeps = it->settings->expected_sweeps,
                                             .elapsed_s = hs_time_s() - began_s};
  if (observer && observer->progress) observer->progress(observer->context, &progress);
}

/* Has r become 0? In a field of no error the estimate is that of rounding. */
static bool solved(struct iteration *it)
{
  if (it->norms.max != 0.0) return false;
  it->z.max = 0.0;
  it->estimate_k = it->floor_k;
  return true;
}

/* What z says of a run that has not met its tolerance. */
static enum hs_verdict verdict_of(const struct iteration *it, const struct hs_solve_observer *observer)
{
  const bool broken = it->has_direction && !(it->z.alpha > 0.0),
             rounded = it->lanczos > 0 && it->estimate_k <= it->floor_k;
  if (!hs_is_finite(it->norms.l2)) return HS_VERDICT_DIVERGED;
  if (broken || rounded || !(it->z.zr > 0.0) || it->flat == FLAT_MOST) return HS_VERDICT_STAGNATED;
  if (it->cycles >= it->settings->max_iterations) return HS_VERDICT_LIMIT;
  return stop_asked(observer) ? HS_VERDICT_INTERRUPTED : HS_VERDICT_RUNNING;
}

/* Steps until a verdict. A field that seems to meet the tolerance is confirmed by one more cycle on its own residual. */
static hs_status iterate(struct iteration *it, const struct hs_solve_observer *observer, enum hs_verdict *verdict,
                         struct hs_error *err)
{
  const double began_s = hs_time_s();
  hs_status status = residual_take(it, err);
  it->first_l2 = it->norms.l2;
  *verdict = HS_VERDICT_RUNNING;
  while (!status && *verdict == HS_VERDICT_RUNNING) {
    const bool exact = solved(it);
    bool met;
    if (!exact) status = correction_take(it, err);
    if (status) break;
    it->flat = it->has_direction && it->z.zr > it->zr ? it->flat + 1 : 0;
    status = remember(it, err);
    show(it, observer, began_s);
    met = exact || solved(it) || tolerance_met(it);
    if (met && it->fresh)
      *verdict = tolerance_met(it) ? HS_VERDICT_CONVERGED : HS_VERDICT_STAGNATED;
    else if (met)
      status = residual_take(it, err);
    else if ((*verdict = verdict_of(it, observer)) == HS_VERDICT_RUNNING)
      status = step_make(it, err);
  }
  return status;
}

hs_status hs_multigrid_solve(struct hs_multigrid *m, const struct hs_solve_settings *settings,
                             const struct hs_solve_observer *observer, struct hs_solve_outcome *outcome,
                             struct hs_error *err)
{
  struct iteration it = {.m = m, .settings = settings, .estimate_k = NAN};
  const hs_status status = iterate(&it, observer, &outcome->verdict, err);
  if (status) {
    free(it.history);
    return status;
  }
  outcome->sweeps = it.cycles;
  outcome->work_sweeps = (double)it.corrections * hs_levels_work(&m->levels);
  outcome->residual_initial_l2 = it.first_l2;
  outcome->residual_relative = it.norms.l2 == 0.0 ? 0.0 : it.norms.l2 / it.first_l2;
  outcome->error_estimate_k = it.estimate_k;
  outcome->estimate_converged = it.lanczos > 0 || it.norms.max == 0.0;
  outcome->history = it.history;
  outcome->history_count = it.history_count;
  return HS_OK;
}
