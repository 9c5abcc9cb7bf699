/* Systems made at random or by hand, and their fields; see systems.h. */
#include "backend/systems.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { NEIGHBOUR_SETS = 16, VARIETY = 6, HELD_LAWS = 3 };

/* Everything from which the law of a node is drawn. */
struct draw {
  struct test_random *random;
  struct hs_node_law laws[HELD_LAWS + NEIGHBOUR_SETS * VARIETY];
  const struct traits *traits;
  uint64_t seed;
  int nx, ny, patch_w, patch_h, salt;
};

/* A free node with the neighbours of `set` (bits west, east, south, north), half of them with equal weights. */
static struct hs_node_law random_law(struct test_random *random, int set, int variety)
{
  struct hs_node_law law = {.capacity_j_mk = test_random_between(random, 0.1, 3.0)};
  const double size = variety == 5 ? 100.0 : 1.0;
  double g[4], sum = 0.0;
  for (int k = 0; k < 4; k++) {
    g[k] = size * (variety % 2 ? test_random_between(random, 0.01, 3.0) : 1.0);
    if (!(set >> k & 1)) g[k] = 0.0;
    sum += g[k];
  }
  law.west = g[0];
  law.east = g[1];
  law.south = g[2];
  law.north = g[3];
  if (variety == 3 || variety == 4) law.ambient_w_mk = test_random_between(random, 0.01, 2.0);
  law.ambient_w_m = law.ambient_w_mk * test_random_normal(random);
  if (variety) law.source_w_m = (sum + law.ambient_w_mk) * test_random_normal(random);
  return law;
}

static struct hs_node_law held_law(double dirichlet_k)
{
  const struct hs_node_law law = {
      1.0, 2.0, 3.0, 4.0, .capacity_j_mk = 1.0, .dirichlet_k = dirichlet_k, .dirichlet = true};
  return law;
}

static int neighbour_set(const struct draw *d, int i, int j)
{
  const bool x = d->traits->wrap_x >= 0, y = d->traits->wrap_y >= 0;
  return (x || i > 0 ? 1 : 0) | (x || i < d->nx - 1 ? 2 : 0) | (y || j > 0 ? 4 : 0) | (y || j < d->ny - 1 ? 8 : 0);
}

static struct hs_node_law draw_law(void *context, int i, int j)
{
  const struct draw *d = context;
  struct test_random patch = {d->seed + (uint64_t)(i / d->patch_w) * 1000003u + (uint64_t)(j / d->patch_h) * 7919u};
  int variety = test_random_integer(&patch, -1, VARIETY - 1);
  if (!d->traits->clean && test_random_integer(d->random, 1, d->salt) == 1)
    variety = test_random_integer(d->random, -HELD_LAWS, VARIETY - 1);
  return d->laws[variety < 0 ? -1 - variety : HELD_LAWS + VARIETY * neighbour_set(d, i, j) + variety];
}

static void *system_array(size_t count, size_t size)
{
  struct hs_error err = {0};
  void *array = NULL;
  test_ok(hs_array_create(&array, count, size, "a test", &err), &err);
  return array;
}

/* A law for every node instead of the index. */
static void system_spread(struct hs_system *s)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  struct hs_node_law *law = system_array(nodes, sizeof *law);
  struct hs_stencil_f64 *stencil = system_array(nodes, sizeof *stencil);
  struct hs_stencil_f32 *single = system_array(nodes, sizeof *single);
  for (size_t n = 0; n < nodes; n++) {
    law[n] = s->law[s->index[n]];
    stencil[n] = s->stencil[s->index[n]];
    single[n] = s->stencil_single[s->index[n]];
  }
  free(s->law);
  free(s->stencil);
  free(s->stencil_single);
  free(s->index);
  s->law = law;
  s->stencil = stencil;
  s->stencil_single = single;
  s->index = NULL;
  s->table_size = (int)nodes;
}

double system_discretise(struct hs_system *s, enum hs_scheme scheme, double part, bool *weights_changed)
{
  double step_s = INFINITY;
  for (int k = 0; k < s->table_size; k++) {
    const struct hs_node_law *law = &s->law[k];
    const double diagonal = law->west + law->east + law->south + law->north + law->ambient_w_mk;
    if (!law->dirichlet) step_s = fmin(step_s, law->capacity_j_mk / diagonal);
  }
  step_s = isfinite(step_s) ? part * step_s : 1.0;
  (void)hs_system_discretise(s, scheme, step_s, s, weights_changed, NULL);
  return step_s;
}

static void system_finish(struct hs_system *s, struct test_random *random, const struct traits *traits)
{
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  s->wrap_x = traits->wrap_x;
  s->wrap_y = traits->wrap_y;
  if (traits->spread) system_spread(s);
  if (traits->sourced) s->source_w_m = system_array(nodes, sizeof *s->source_w_m);
  s->free_nodes = 0;
  for (size_t n = 0; n < nodes; n++) {
    if (s->law[hs_system_index(s, n)].dirichlet) continue;
    s->free_nodes++;
    if (traits->sourced) s->source_w_m[n] = test_random_normal(random);
  }
  system_discretise(s, traits->scheme, 0.7, NULL);
}

struct hs_system *random_system(struct test_random *random, int nx, int ny, const struct traits *traits)
{
  struct draw d = {.random = random, .traits = traits, .nx = nx, .ny = ny};
  struct hs_system *s;
  d.patch_w = test_random_integer(random, traits->clean ? 10 : 1, 200);
  d.patch_h = test_random_integer(random, traits->clean ? 10 : 1, 60);
  d.salt = traits->noise ? 1 : test_random_integer(random, 2, 400);
  d.seed = test_random_bits(random);
  for (int k = 0; k < HELD_LAWS + NEIGHBOUR_SETS * VARIETY; k++) {
    const int free_law = k - HELD_LAWS;
    d.laws[k] = k < HELD_LAWS ? held_law(k ? test_random_normal(random) : 0.0)
                              : random_law(random, free_law / VARIETY, free_law % VARIETY);
  }
  s = test_system_of_laws(nx, ny, 1.0, 1.0, draw_law, &d);
  system_finish(s, random, traits);
  return s;
}

struct traits random_traits(struct test_random *random)
{
  static const enum hs_scheme schemes[] = {HS_SCHEME_STEADY, HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER,
                                           HS_SCHEME_CRANK_NICOLSON};
  struct traits t = {-1, -1, false, false, HS_SCHEME_STEADY, false, false};
  if (test_random_integer(random, 0, 7) == 0) return t;
  t.wrap_x = test_random_integer(random, -1, 1);
  t.wrap_y = test_random_integer(random, -1, 1);
  t.spread = test_random_integer(random, 0, 2) == 0;
  t.sourced = test_random_integer(random, 0, 1);
  t.scheme = schemes[test_random_integer(random, 0, 3)];
  return t;
}

/* A plate with conductances 1 (a tenth more in y where it is stretched) and walls at 1.5, 0, 0 and -0.25. */
struct plate {
  int nx, ny;
  double stretch;
};

static struct hs_node_law plate_law(void *context, int i, int j)
{
  const struct plate *p = context;
  struct hs_node_law law = {1.0, 1.0, p->stretch, p->stretch, .source_w_m = 3e-5, .capacity_j_mk = 1.0};
  if (i == p->nx / 2 && j == p->ny / 2) law.source_w_m += 5e-3;
  law.dirichlet = i == 0 || j == 0 || i == p->nx - 1 || j == p->ny - 1;
  if (law.dirichlet) law.source_w_m = 0.0;
  if (law.dirichlet) law.dirichlet_k = j == p->ny - 1 ? -0.25 : i == 0 ? 1.5 : 0.0;
  return law;
}

struct hs_system *system_of_kind(int kind, struct test_random *random, int nx, int ny)
{
  const struct traits plain = {-1, -1, false, false, HS_SCHEME_STEADY, false, false};
  struct plate plate = {nx, ny, kind == KIND_STRETCHED ? 1.1 : 1.0};
  struct hs_system *s;
  if (kind == KIND_RANDOM) return random_system(random, nx, ny, &plain);
  s = test_system_of_laws(nx, ny, 1.0, 1.0, plate_law, &plate);
  system_finish(s, random, &plain);
  return s;
}

double *random_field(struct test_random *random, const struct hs_system *s, double size)
{
  double *field_k = test_field(s);
  for (size_t n = 0; n < (size_t)s->nx * (size_t)s->ny; n++) field_k[n] = size * test_random_normal(random);
  return field_k;
}

bool scheme_is_implicit(enum hs_scheme scheme)
{
  return scheme == HS_SCHEME_BACKWARD_EULER || scheme == HS_SCHEME_CRANK_NICOLSON;
}

void laws_drift(struct hs_system *s, struct test_random *random)
{
  for (int k = 0; k < s->table_size; k++) {
    struct hs_node_law *law = &s->law[k];
    if (test_random_integer(random, 0, 2)) continue;
    if (law->dirichlet)
      law->dirichlet_k = test_random_normal(random);
    else
      law->source_w_m = test_random_normal(random);
  }
}

void constants_scale(struct hs_system *s, double size)
{
  for (int k = 0; k < s->table_size; k++) {
    s->stencil[k].c = s->stencil[k].c * size + 0.0;
    s->stencil_single[k].c = (float)s->stencil[k].c + 0.0f;
  }
}

static void diagonals_scale(struct hs_system *s, double size)
{
  for (int k = 0; k < s->table_size; k++) s->stencil[k].diagonal *= size;
  for (int k = 0; k < s->table_size; k++) s->stencil_single[k].diagonal = (float)s->stencil[k].diagonal;
}

static const double diagonals[DIAGONALS] = {1e17, 1e-17, 1e280};
static const double diagonal_sizes[DIAGONAL_SIZES] = {1e-310, 1e-300, 1e-20, 1e20};

struct hs_system *system_of_diagonal(struct test_random *random, int c, int nx, int ny, double **field_k)
{
  const double size = diagonal_sizes[c / 2 % DIAGONAL_SIZES];
  struct hs_system *s = system_of_kind(c % 2 ? KIND_RANDOM : KIND_EQUAL, random, nx, ny);
  *field_k = random_field(random, s, size);
  constants_scale(s, size);
  diagonals_scale(s, diagonals[c / 2 / DIAGONAL_SIZES]);
  return s;
}
