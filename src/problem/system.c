/* From node laws to the stencils that backends sweep with; lifetime of the discrete system. */
#include "problem/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARALLEL_SIZE = 10000 }; /* entries from which threads pay */

/* The part of the diagonal that stands for a time step: C/step or 2 C/step; 0 in steady and explicit systems. */
static double storage_w_mk(const struct hs_node_law *law, enum hs_scheme scheme, double step_s)
{
  switch (scheme) {
  case HS_SCHEME_BACKWARD_EULER: return law->capacity_j_mk / step_s;
  case HS_SCHEME_CRANK_NICOLSON: return 2.0 * law->capacity_j_mk / step_s;
  default: return 0.0;
  }
}

/* Sum of a law's conductances, those to ambients included. */
static double law_diagonal(const struct hs_node_law *law)
{
  return ((law->west + law->east) + (law->south + law->north)) + law->ambient_w_mk;
}

/* The stencil of a law: weights times four, in the pair order that keeps equal weights exact. */
static struct hs_stencil_f64 law_stencil(const struct hs_node_law *law, enum hs_scheme scheme, double step_s)
{
  const double storage = storage_w_mk(law, scheme, step_s);
  struct hs_stencil_f64 s = {0};
  s.relax = 1.0;
  if (law->dirichlet) {
    s.c = law->dirichlet_k;
    return s;
  }
  s.diagonal = law_diagonal(law) + storage;
  s.west = 4.0 * (law->west / s.diagonal);
  s.east = 4.0 * (law->east / s.diagonal);
  s.south = 4.0 * (law->south / s.diagonal);
  s.north = 4.0 * (law->north / s.diagonal);
  s.c = (law->source_w_m + law->ambient_w_m) / s.diagonal;
  s.storage = storage / s.diagonal;
  if (scheme == HS_SCHEME_EXPLICIT) s.relax = step_s * s.diagonal / law->capacity_j_mk;
  return s;
}

static struct hs_stencil_f32 stencil_round(const struct hs_stencil_f64 *s)
{
  const struct hs_stencil_f32 r = {(float)s->west,     (float)s->east,     (float)s->south, (float)s->north,
                                   (float)s->c + 0.0f, (float)s->diagonal, (float)s->relax, (float)s->storage};
  return r;
}

/* Do two free stencils differ in nothing but their constants? */
static bool weights_equal(const struct hs_stencil_f64 *a, const struct hs_stencil_f64 *b)
{
  return a->west == b->west && a->east == b->east && a->south == b->south && a->north == b->north &&
         a->diagonal == b->diagonal && a->relax == b->relax && a->storage == b->storage;
}

/* Largest row sum of a law's weights. */
static double row_sum(const struct hs_node_law *law, const struct hs_stencil_f64 *s)
{
  return ((law->west + law->east) + (law->south + law->north)) / s->diagonal;
}

/* The first free node's entry, -1 without one. */
static int64_t first_free(const struct hs_system *system)
{
  int64_t k = 0;
  while (k < system->table_size && system->law[k].dirichlet) k++;
  return k < system->table_size ? k : -1;
}

void hs_system_discretise(struct hs_system *system, enum hs_scheme scheme, double step_s, bool *weights_changed)
{
  const int64_t free_entry = first_free(system);
  struct hs_stencil_f64 first = {0};
  bool changed = false, uniform = true, symmetric = true;
  double contraction = 0.0;
  if (free_entry >= 0) first = law_stencil(&system->law[free_entry], scheme, step_s);

#pragma omp parallel for schedule(static) if (system->table_size > PARALLEL_SIZE) reduction(|| : changed)            \
    reduction(&& : uniform, symmetric) reduction(max : contraction)
  for (int64_t k = 0; k < system->table_size; k++) {
    const struct hs_stencil_f64 s = law_stencil(&system->law[k], scheme, step_s);
    changed = changed || !weights_equal(&s, &system->stencil[k]);
    system->stencil[k] = s;
    system->stencil_single[k] = stencil_round(&s);
    if (system->law[k].dirichlet) continue;
    uniform = uniform && weights_equal(&s, &first);
    symmetric = symmetric && s.diagonal == first.diagonal; /* conductances are symmetric */
    contraction = fmax(contraction, row_sum(&system->law[k], &s));
  }

  system->storing = scheme == HS_SCHEME_BACKWARD_EULER || scheme == HS_SCHEME_CRANK_NICOLSON;
  system->uniform = uniform;
  system->symmetric = symmetric && system->wrap_x != 1 && system->wrap_y != 1; /* their nodes count twice */
  system->contraction = system->storing ? contraction : 1.0;
  if (weights_changed) *weights_changed = changed;
}

void hs_system_discretise_start(struct hs_system *system, double step_s, const double *diagonal_w_mk)
{
  for (int64_t k = 0; k < system->table_size; k++) {
    struct hs_stencil_f64 s = law_stencil(&system->law[k], HS_SCHEME_CRANK_NICOLSON, step_s);
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
    system->stencil_single[k] = stencil_round(&s);
  }
  system->uniform = system->symmetric = false;
}

void hs_system_destroy(struct hs_system *system)
{
  if (!system) return;
  free(system->timed_nodes);
  free(system->timed_entries);
  free(system->contacts);
  free(system->source_w_m);
  free(system->index);
  free(system->law);
  free(system->stencil_single);
  free(system->stencil);
  free(system);
}
