/* From node laws to the stencils that backends sweep with; lifetime of the discrete system. */
#include "problem/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { PARALLEL_SIZE = 10000 }; /* entries from which threads pay */

/* The time step's part of the diagonal: C/step or 2 C/step; 0 in steady and explicit systems. */
static double storage_w_mk(const struct hs_node_law *law, enum hs_scheme scheme, double step_s)
{
  switch (scheme) {
  case HS_SCHEME_BACKWARD_EULER: return law->capacity_j_mk / step_s;
  case HS_SCHEME_CRANK_NICOLSON: return 2.0 * law->capacity_j_mk / step_s;
  default: return 0.0;
  }
}

static struct hs_stencil_f64 stencil_of(const struct hs_node_law *law, enum hs_scheme scheme, double step_s)
{
  return hs_law_stencil(law, storage_w_mk(law, scheme, step_s), scheme == HS_SCHEME_EXPLICIT ? step_s : 0.0);
}

/* The first entry of free own nodes, -1 without one. */
static int64_t first_free(const struct hs_system *system)
{
  int64_t k = 0;
  while (k < system->table_size && (system->law[k].dirichlet || !hs_system_owns(system, k))) k++;
  return k < system->table_size ? k : -1;
}

/* What ranks find out about their stencils, so that the largest of all ranks are those of the plate. */
enum { CHANGED, NOT_UNIFORM, NOT_SYMMETRIC, CONTRACTION, LARGEST, WEIGHTS = 7, FACTS = LARGEST + 2 * WEIGHTS };

/* The first stencil's weights, and the same negative: where their largest differ, those of two ranks do. */
static void weights_note(const struct hs_stencil_f64 *s, bool any, double facts[FACTS])
{
  const double weights[WEIGHTS] = {s->west, s->east, s->south, s->north, s->diagonal, s->relax, s->storage};
  for (int k = 0; k < WEIGHTS; k++) {
    facts[LARGEST + k] = any ? weights[k] : -INFINITY;
    facts[LARGEST + WEIGHTS + k] = any ? -weights[k] : -INFINITY;
  }
}

static bool ranks_differ(const double facts[FACTS], int weight)
{
  return facts[LARGEST + weight] > -facts[LARGEST + WEIGHTS + weight];
}

static void facts_take(struct hs_system *system, const double facts[FACTS])
{
  enum { DIAGONAL = 4 };
  system->uniform = facts[NOT_UNIFORM] == 0.0;
  for (int k = 0; k < WEIGHTS; k++) system->uniform = system->uniform && !ranks_differ(facts, k);
  system->symmetric = facts[NOT_SYMMETRIC] == 0.0 && !ranks_differ(facts, DIAGONAL) && !system->twins &&
                      system->wrap_x != 1 && system->wrap_y != 1; /* their nodes count twice */
  system->contraction = system->storing ? facts[CONTRACTION] : 1.0;
}

hs_status hs_system_discretise(struct hs_system *system, enum hs_scheme scheme, double step_s,
                               const struct hs_system *before, bool *weights_changed, struct hs_error *err)
{
  const int64_t free_entry = first_free(system);
  struct hs_stencil_f64 first = {0};
  bool changed = false, uniform = true, symmetric = true;
  double contraction = 0.0, facts[FACTS];
  hs_status status;
  if (free_entry >= 0) first = stencil_of(&system->law[free_entry], scheme, step_s);

#pragma omp parallel for schedule(static) if (system->table_size > PARALLEL_SIZE) reduction(|| : changed)            \
    reduction(&& : uniform, symmetric) reduction(max : contraction)
  for (int64_t k = 0; k < system->table_size; k++) {
    const struct hs_stencil_f64 s = stencil_of(&system->law[k], scheme, step_s);
    const bool counts = hs_system_owns(system, k);
    changed = changed || (before && counts && !hs_stencil_weights_equal(&s, &before->stencil[k]));
    system->stencil[k] = s;
    system->stencil_single[k] = hs_stencil_round(&s);
    if (system->law[k].dirichlet || !counts) continue;
    uniform = uniform && hs_stencil_weights_equal(&s, &first);
    symmetric = symmetric && s.diagonal == first.diagonal; /* conductances are symmetric */
    contraction = fmax(contraction, hs_law_neighbours(&system->law[k]) / s.diagonal);
  }

  system->scheme = scheme;
  system->step_s = step_s;
  system->storing = scheme == HS_SCHEME_BACKWARD_EULER || scheme == HS_SCHEME_CRANK_NICOLSON;
  facts[CHANGED] = changed;
  facts[NOT_UNIFORM] = !uniform;
  facts[NOT_SYMMETRIC] = !symmetric;
  facts[CONTRACTION] = contraction;
  weights_note(&first, free_entry >= 0, facts);
  status = hs_comm_largest(hs_system_comm(system), facts, FACTS, err);
  facts_take(system, facts);
  if (weights_changed) *weights_changed = facts[CHANGED] > 0.0;
  return status;
}

void hs_system_discretise_start(struct hs_system *system, double step_s, const double *diagonal_w_mk)
{
  for (int64_t k = 0; k < system->table_size; k++) {
    struct hs_stencil_f64 s = stencil_of(&system->law[k], HS_SCHEME_CRANK_NICOLSON, step_s);
    if (!system->law[k].dirichlet) {
      const double ratio = s.diagonal / diagonal_w_mk[k];
      s.west *= ratio;
      s.east *= ratio;
      s.south *= ratio;
      s.north *= ratio;
      s.c *= ratio;
      s.storage = 0.5 + ratio * (s.storage - 0.5);
      s.diagonal = diagonal_w_mk[k];
    }
    system->stencil[k] = s;
    system->stencil_single[k] = hs_stencil_round(&s);
  }
  system->uniform = system->symmetric = false;
}

static hs_status law_copy(const struct hs_system *base, struct hs_system *s, struct hs_error *err)
{
  const size_t laws = (size_t)base->table_size, contacts = (size_t)base->contact_count;
  hs_status status = hs_array_create((void **)&s->law, laws, sizeof *s->law, "laws of another time", err);
  if (!status)
    status = hs_array_create((void **)&s->contacts, contacts + 1, sizeof *s->contacts, "contacts of another time", err);
  if (status) return status;
  memcpy(s->law, base->law, laws * sizeof *s->law);
  if (contacts) memcpy(s->contacts, base->contacts, contacts * sizeof *s->contacts);
  return HS_OK;
}

hs_status hs_system_derive(const struct hs_system *base, bool own_laws, struct hs_system **derived,
                           struct hs_error *err)
{
  static const char what[] = "the stencils of another time step";
  const size_t count = (size_t)base->table_size;
  struct hs_system *s = NULL;
  hs_status status = hs_array_create((void **)&s, 1, sizeof *s, what, err);
  *derived = NULL;
  status = hs_comm_agree(hs_system_comm(base), status, err);
  if (status) {
    free(s);
    return status;
  }
  *s = *base;
  s->base = base;
  s->stencil = NULL;
  s->stencil_single = NULL;
  if (own_laws) {
    s->law = NULL;
    s->contacts = NULL;
    status = law_copy(base, s, err);
  }
  if (!status) status = hs_array_create((void **)&s->stencil, count, sizeof *s->stencil, what, err);
  if (!status) status = hs_array_create((void **)&s->stencil_single, count, sizeof *s->stencil_single, what, err);
  status = hs_comm_agree(hs_system_comm(base), status, err);
  if (status)
    hs_system_destroy(s);
  else
    *derived = s;
  return status;
}

void hs_system_destroy(struct hs_system *system)
{
  const struct hs_system *base;
  if (!system) return;
  base = system->base;
  if (!base) {
    free(system->owned);
    free(system->timed_nodes);
    free(system->timed_entries);
    free(system->source_w_m);
    free(system->index);
  }
  if (!base || system->contacts != base->contacts) free(system->contacts);
  if (!base || system->law != base->law) free(system->law);
  free(system->stencil_single);
  free(system->stencil);
  free(system);
}
