/* Discretisations of time steps; see the header. Laws are shared with the base where nothing depends on time. */
#include "time/discretisation.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool is_timed(const struct hs_discretisation *d)
{
  return d->problem && d->problem->timed;
}

/* The one of both that is not in use, at time_s; its stencils are still to be made. */
static hs_status spare_take(struct hs_discretisation *d, double time_s, struct hs_system **spare, struct hs_error *err)
{
  const int k = d->now == d->made[0] ? 1 : 0;
  hs_status status = HS_OK;
  if (!d->made[k]) status = hs_system_derive(d->base, is_timed(d), &d->made[k], err);
  *spare = d->made[k];
  if (!status && is_timed(d)) status = hs_problem_time_set(d->problem, *spare, time_s, err);
  return status;
}

hs_status hs_discretisation_begin(struct hs_discretisation *d, const struct hs_problem *problem,
                                  const struct hs_system *base, enum hs_scheme scheme, double time_s, double step_s,
                                  struct hs_error *err)
{
  struct hs_system *first;
  hs_status status;
  memset(d, 0, sizeof *d);
  d->problem = problem;
  d->base = d->now = base;
  d->time_s = time_s;
  if (base->scheme == scheme && (scheme == HS_SCHEME_STEADY || base->step_s == step_s) &&
      (!is_timed(d) || time_s == problem->config->time.start_s))
    return HS_OK;
  status = spare_take(d, time_s, &first, err);
  if (status) return status;
  status = hs_system_discretise(first, scheme, step_s, NULL, NULL, err);
  if (!status) d->now = first;
  return status;
}

hs_status hs_discretisation_set(struct hs_discretisation *d, double time_s, double step_s, bool *weights_changed,
                                struct hs_error *err)
{
  struct hs_system *next;
  hs_status status = spare_take(d, time_s, &next, err);
  if (!status) status = hs_system_discretise(next, d->now->scheme, step_s, d->now, weights_changed, err);
  if (status) return status;
  d->now = next;
  d->time_s = time_s;
  return HS_OK;
}

hs_status hs_discretisation_set_start(struct hs_discretisation *d, double until_s, double step_s, struct hs_error *err)
{
  struct hs_system *start;
  hs_status status = spare_take(d, until_s, &start, err);
  if (!status && !d->diagonal_w_mk)
    status = hs_array_create((void **)&d->diagonal_w_mk, (size_t)d->base->table_size, sizeof *d->diagonal_w_mk,
                             "the diagonals of a step's end", err);
  status = hs_comm_agree(hs_system_comm(d->base), status, err);
  if (!status) status = hs_system_discretise(start, d->now->scheme, step_s, NULL, NULL, err);
  if (status) return status;
  for (int64_t k = 0; k < start->table_size; k++) d->diagonal_w_mk[k] = start->stencil[k].diagonal;
  status = hs_problem_time_set(d->problem, start, d->time_s, err);
  if (status) return status;
  hs_system_discretise_start(start, step_s, d->diagonal_w_mk);
  d->now = start;
  return HS_OK;
}

void hs_discretisation_clear(struct hs_discretisation *d)
{
  free(d->diagonal_w_mk);
  hs_system_destroy(d->made[1]);
  hs_system_destroy(d->made[0]);
  memset(d, 0, sizeof *d);
}
