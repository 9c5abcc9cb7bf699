/* The levels of a system and the vectors of a solution. */
#include "solve/multigrid/multigrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "solve/multigrid/gradients.h"

/* Parts that conduct much better than what lies between them hardly show in a residual that others dominate: cycles see
 * their temperature last, once everything else is smaller by the ratio of the couplings. Up to a ratio of 1000 they do not
 * need to; from some 1e7 on weights in single precision lose most of what such a part gives off, and everything else has to be
 * smaller by the square of the ratio beyond, too. */
static hs_status caution_find(const struct hs_system *s, double *caution, struct hs_error *err)
{
  const double harmless = 1e3, told_apart = 1e7;
  double least = INFINITY, largest = 0.0, found[2];
  hs_status status;
  for (int k = 0; k < s->table_size; k++) {
    const double couplings[4] = {s->law[k].west, s->law[k].east, s->law[k].south, s->law[k].north};
    for (int c = 0; hs_system_owns(s, k) && c < 4; c++) {
      if (!(couplings[c] > 0.0)) continue;
      least = fmin(least, couplings[c]);
      largest = fmax(largest, couplings[c]);
    }
  }
  found[0] = -least;
  found[1] = largest;
  status = hs_comm_largest(hs_system_comm(s), found, 2, err);
  least = -found[0];
  largest = found[1];
  *caution = largest > harmless * least ? largest / (harmless * least) : 1.0;
  if (largest > told_apart * least) *caution *= pow(largest / (told_apart * least), 2.0);
  return status;
}

/* Where materials differ much, the pieces of a steady system are looked for. */
static hs_status pieces_begin(struct hs_multigrid *m, const struct hs_linear *linear,
                              const struct hs_backend_options *options, struct hs_error *err)
{
  if (m->caution == 1.0 || m->system->storing || m->system->singular) return HS_OK;
  return hs_comm_agree(hs_system_comm(m->system), hs_pieces_begin(m->system, linear, options, &m->pieces, err), err);
}

hs_status hs_multigrid_pieces(struct hs_multigrid *m, struct hs_error *err)
{
  bool known = true;
  const hs_status status = m->pieces ? hs_pieces_find(m->pieces, hs_multigrid_finest(m), &known, err) : HS_OK;
  if (!status && known) return HS_OK;
  hs_pieces_destroy(m->pieces);
  m->pieces = NULL;
  return status;
}

static hs_status vectors_create(struct hs_multigrid *m, struct hs_error *err)
{
  const struct hs_linear *linear = hs_multigrid_linear(m);
  hs_status status = linear->vector_create(hs_multigrid_finest(m), false, &m->x, err);
  if (!status) status = linear->vector_create(hs_multigrid_finest(m), false, &m->x_next, err);
  if (!status) status = linear->vector_create(hs_multigrid_finest(m), true, &m->p, err);
  if (!status) status = linear->clear(hs_multigrid_finest(m), m->p, err); /* points keep it, and steps add 0 times it */
  if (!status) status = linear->vector_create(hs_multigrid_finest(m), true, &m->p_next, err);
  if (!status && m->by_field)
    status = hs_array_reserve((void **)&m->field_k, (size_t)m->system->nx * (size_t)m->system->ny, sizeof *m->field_k,
                              "the field of a solution", err);
  if (!status && m->system->storing)
    status = hs_multigrid_linear(m)->vector_create(hs_multigrid_finest(m), false, &m->start, err);
  if (!status && m->system->storing)
    status = hs_multigrid_linear(m)->vector_create(hs_multigrid_finest(m), false, &m->start_residual, err);
  if (!status && m->system->storing)
    status = hs_multigrid_linear(m)->vector_create(hs_multigrid_finest(m), true, &m->change, err);
  return status;
}

/* Levels from the operators of a backend, or of another one; solves: for solutions of its system. All ranks have them, or none
 * has: a run that can do without goes on in step. */
static hs_status create(const struct hs_backend *backend, const struct hs_linear *linear, bool solves,
                        const struct hs_system *system, const struct hs_backend_options *options,
                        const struct hs_backend_state *state, struct hs_multigrid **result, struct hs_error *err)
{
  struct hs_comm *comm = hs_system_comm(system);
  struct hs_multigrid *m = NULL;
  hs_status status = hs_comm_agree(comm, hs_array_create((void **)&m, 1, sizeof *m, "multigrid", err), err);
  *result = NULL;
  if (status) {
    free(m);
    return status;
  }
  m->backend = backend;
  m->system = system;
  m->by_field = linear != backend->linear || !linear->take;
  status = caution_find(system, &m->caution, err);
  if (!status && solves) status = pieces_begin(m, linear, options, err);
  if (!status)
    status = hs_comm_agree(comm, hs_levels_create(linear, system, options, m->by_field ? NULL : state, &m->levels, err),
                           err);
  if (!status && linear->takes) m->by_field = m->by_field || !linear->takes(m->levels.level[0].op);
  if (!status) status = hs_comm_agree(comm, vectors_create(m, err), err);
  if (!status && !linear->device) status = hs_multigrid_pieces(m, err);
  if (status) {
    hs_multigrid_destroy(m);
    return status;
  }
  *result = m;
  return HS_OK;
}

hs_status hs_multigrid_create(const struct hs_backend *backend, const struct hs_system *system,
                              const struct hs_backend_options *options, const struct hs_backend_state *state,
                              struct hs_multigrid **result, struct hs_error *err)
{
  if (backend->linear) return create(backend, backend->linear, true, system, options, state, result, err);
  *result = NULL;
  return hs_error_set(err, HS_ERR_UNSUPPORTED,
                      "%s has no multigrid; choose another backend, or solver.method = chebyshev.", backend->name);
}

hs_status hs_multigrid_create_beside(const struct hs_backend *backend, const struct hs_system *system,
                                     const struct hs_backend_options *options, const struct hs_backend_state *state,
                                     struct hs_multigrid **result, struct hs_error *err)
{
  const struct hs_linear *linear = backend->linear ? backend->linear : &hs_linear_cpu;
  hs_status status = create(backend, linear, false, system, options, state, result, err);
  if (status) return status;
  status = hs_comm_agree(hs_system_comm(system),
                         linear->vector_create(hs_multigrid_finest(*result), false, &(*result)->right, err), err);
  if (!status) return HS_OK;
  hs_multigrid_destroy(*result);
  *result = NULL;
  return status;
}

void hs_multigrid_destroy(struct hs_multigrid *m)
{
  struct hs_vector *vectors[8];
  if (!m) return;
  memcpy(vectors,
         (struct hs_vector *[]){m->x, m->x_next, m->p, m->p_next, m->right, m->start, m->start_residual, m->change},
         sizeof vectors);
  for (size_t k = 0; m->levels.linear && k < sizeof vectors / sizeof *vectors; k++)
    m->levels.linear->vector_destroy(vectors[k]);
  hs_pieces_destroy(m->pieces);
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
  hs_pieces_destroy(m->pieces); /* they are those of a steady system */
  m->pieces = NULL;
  return hs_levels_update(&m->levels, system, weights_changed, err);
}

hs_status hs_multigrid_take(struct hs_multigrid *m, struct hs_backend_state *state, struct hs_error *err)
{
  hs_status status;
  if (!m->by_field) return hs_multigrid_linear(m)->take(hs_multigrid_finest(m), state, m->x, err);
  status = m->backend->fetch(state, m->field_k, err);
  return status ? status : hs_multigrid_linear(m)->put(hs_multigrid_finest(m), m->field_k, m->x, err);
}

hs_status hs_multigrid_give(struct hs_multigrid *m, struct hs_backend_state *state, struct hs_error *err)
{
  hs_status status;
  if (!m->by_field) return hs_multigrid_linear(m)->give(hs_multigrid_finest(m), m->x, state, err);
  status = hs_multigrid_linear(m)->fetch(hs_multigrid_finest(m), m->x, m->field_k, err);
  return status ? status : m->backend->load(state, m->field_k, err);
}

static struct hs_vector *vector_of(const struct hs_multigrid *m, enum hs_field_role role)
{
  return role == HS_FIELD_NOW ? m->x : m->p;
}

hs_status hs_multigrid_fetch(struct hs_multigrid *m, enum hs_field_role role, double *field, struct hs_error *err)
{
  return hs_multigrid_linear(m)->fetch(hs_multigrid_finest(m), vector_of(m, role), field, err);
}

hs_status hs_multigrid_load(struct hs_multigrid *m, enum hs_field_role role, const double *field, struct hs_error *err)
{
  return hs_multigrid_linear(m)->load(hs_multigrid_finest(m), field, vector_of(m, role), err);
}
