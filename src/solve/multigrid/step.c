/* Implicit time steps by multigrid: what a step starts from, and the change that the next one begins with. */
#include "solve/multigrid/gradients.h"

hs_status hs_multigrid_step(struct hs_multigrid *m, bool trapezoid, struct hs_error *err)
{
  const struct hs_right_side none = {.start = NULL};
  struct hs_residual_norms norms;
  hs_status status = hs_multigrid_linear(m)->copy(hs_multigrid_finest(m), m->x, m->start, err);
  m->trapezoid = trapezoid;
  if (status || !trapezoid) return status;
  return hs_multigrid_linear(m)->residual(hs_multigrid_finest(m), m->start, &none, m->start_residual, &norms, err);
}

hs_status hs_multigrid_accept(struct hs_multigrid *m, struct hs_error *err)
{
  m->has_change = true;
  return hs_multigrid_linear(m)->change(hs_multigrid_finest(m), m->x, m->start, m->change, err);
}

bool hs_multigrid_has_change(const struct hs_multigrid *m)
{
  return m->has_change;
}

hs_status hs_multigrid_change_fetch(struct hs_multigrid *m, double *change_k, struct hs_error *err)
{
  return hs_multigrid_linear(m)->fetch(hs_multigrid_finest(m), m->change, change_k, err);
}

hs_status hs_multigrid_change_load(struct hs_multigrid *m, const double *change_k, struct hs_error *err)
{
  m->has_change = true;
  return hs_multigrid_linear(m)->load(hs_multigrid_finest(m), change_k, m->change, err);
}
