#include <math.h>

#include "backend/pairs.h"

unsigned long long pair_seed;

void values_same(const char *what, const struct hs_grid *g, const struct hs_vector *a, const struct hs_vector *b)
{
  for (int j = 0; j < g->ny; j++)
    for (int i = 0; i < g->nx; i++) {
      const size_t n = hs_grid_at(g, i, j);
      const double x = a->single ? (double)a->single[n] : a->twice[n],
                   y = b->single ? (double)b->single[n] : b->twice[n];
      if (!test_same(x, y))
        fail_msg("problem %llu, %s at %d, %d of %d x %d: %a, by rows %a", pair_seed, what, i, j, g->nx, g->ny, x, y);
    }
}

void vectors_create(struct pair *pair, bool single, struct hs_vector *v[2])
{
  struct hs_error err = {0};
  for (int k = 0; k < 2; k++) test_ok(pair->linear[k]->vector_create(pair->op[k], single, &v[k], &err), &err);
}

void vectors_fill(const struct hs_grid *g, struct test_random *random, struct hs_vector *v[2])
{
  for (int j = 0; j < g->ny; j++)
    for (int i = 0; i < g->nx; i++)
      for (int k = 0; k < 2; k++) {
        const double value = k == 0 ? test_random_normal(random) : NAN;
        const size_t n = hs_grid_at(g, i, j);
        if (v[k]->single)
          v[k]->single[n] = k == 0 ? (float)value : v[0]->single[n];
        else
          v[k]->twice[n] = k == 0 ? value : v[0]->twice[n];
      }
  for (int k = 0; k < 2; k++)
    if (v[k]->single)
      hs_host_ghosts_f32(g, v[k]->single);
    else
      hs_host_ghosts_f64(g, v[k]->twice);
}

void pair_create(struct pair *pair)
{
  vectors_create(pair, true, pair->u);
  vectors_create(pair, true, pair->f);
  vectors_create(pair, true, pair->to);
}

void vectors_destroy(struct hs_vector *v[2])
{
  hs_linear_reference.vector_destroy(v[0]);
  hs_linear_cpu.vector_destroy(v[1]);
}

void pair_destroy(struct pair *pair)
{
  vectors_destroy(pair->u);
  vectors_destroy(pair->f);
  vectors_destroy(pair->to);
  for (int k = 0; k < 2; k++) pair->linear[k]->destroy(pair->op[k]);
}

void norms_same(const char *what, const struct hs_residual_norms *a, const struct hs_residual_norms *b)
{
  if (!test_same(a->max, b->max) || !test_same(a->l2, b->l2))
    fail_msg("problem %llu, norms of %s: %a %a, by rows %a %a", pair_seed, what, a->max, a->l2, b->max, b->l2);
}

void rights_choose(struct pair *p, struct hs_vector *v[4][2], struct test_random *random, struct hs_right_side right[2])
{
  const int kind = test_random_integer(random, 0, 3);
  for (int k = 0; k < 2; k++) {
    right[k] = (struct hs_right_side){.start = NULL};
    if (kind == 3) {
      right[k].alone = true;
      right[k].rest = v[2][k];
    } else if (p->op[0]->system->storing && kind > 0) {
      right[k].start = v[1][k];
      right[k].rest = kind == 2 ? v[2][k] : NULL;
    }
  }
}
