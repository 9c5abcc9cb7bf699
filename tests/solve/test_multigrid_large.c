/* Cycles and nested iteration on grids so large that devices go over their second and third levels, too, by strips: the bits
 * of the cpu backend. */
#include <stdlib.h>
#include <string.h>

#include "solve/levels.h"
#include "support.h"

enum { SIDE = 53, THREADS = 8 };

/* Plates of 1 W/(m K) with parts of another conductivity, in squares of SIDE cells or as layers; side by side or scattered. */
struct plate {
  const char *name;
  int nx, ny;
  double other_w_mk;
  bool along_x, along_y; /* does a part end there? */
};

static const struct plate plates[] = {{"uniform", 4098, 4099, 1.0, false, false},
                                      {"layers on each other", 4097, 4100, 4.0, false, true},
                                      {"layers side by side", 4003, 4001, 4.0, true, false},
                                      {"squares", 4099, 4001, 3.0, true, true},
                                      {"squares that ask for segments", 4001, 4098, 300.0, true, true}};

static double conductivity(const struct plate *p, int i, int j)
{
  const int column = p->along_x ? i / SIDE : 0, row = p->along_y ? j / SIDE : 0;
  if (i < 0 || j < 0 || i >= p->nx - 1 || j >= p->ny - 1) return 0.0;
  return (column * 7 + row * 5 + column * row) % 3 == 1 ? p->other_w_mk : 1.0;
}

/* Held in the west and at a node inside, cooled in the north, insulated elsewhere. */
static struct hs_node_law law_of(void *context, int i, int j)
{
  const struct plate *p = context;
  const double southwest = conductivity(p, i - 1, j - 1), southeast = conductivity(p, i, j - 1),
               northwest = conductivity(p, i - 1, j), northeast = conductivity(p, i, j);
  struct hs_node_law law = {0.5 * (southwest + northwest), 0.5 * (southeast + northeast), 0.5 * (southwest + southeast),
                            0.5 * (northwest + northeast), .capacity_j_mk = 1.0};
  if (j == p->ny - 1) law.ambient_w_mk = 0.01;
  if (i > 0 && (i != p->nx / 2 || j != p->ny / 2)) return law;
  return (struct hs_node_law){.dirichlet = true, .dirichlet_k = i > 0 ? -1.0 : 2.0};
}

/* A backend that runs on a device; NULL: none does. */
static const struct hs_backend *device_of(const struct hs_system *s)
{
  const struct hs_backend_options options = {.threads = THREADS};
  struct hs_error why = {0};
  for (const struct hs_backend *const *one = hs_backend_list(); *one; one++)
    if (!strncmp((*one)->name, "cuda", 4) && (*one)->linear && !(*one)->probe(s, &options, &why)) return *one;
  return NULL;
}

/* What cycles make of heat that goes into the free nodes: by nested iteration, and by a cycle. */
static void fields_make(const struct hs_linear *linear, const struct hs_system *s, double *nested, double *cycled)
{
  const struct hs_backend_options options = {.threads = THREADS};
  const size_t nodes = (size_t)s->nx * (size_t)s->ny;
  struct test_random random = {2026};
  struct hs_error err = {0};
  struct hs_levels l;
  for (size_t n = 0; n < nodes; n++) {
    const double heat = test_random_normal(&random);
    nested[n] = s->law[hs_system_index(s, n)].dirichlet ? 0.0 : heat;
  }
  test_ok(hs_levels_create(linear, s, &options, NULL, &l, &err), &err);
  for (int k = 0; k < 2; k++) {
    test_ok(linear->load(l.level[0].op, nested, l.level[0].f, &err), &err);
    test_ok(k == 0 ? hs_levels_cycle(&l, &err) : hs_levels_nested(&l, &err), &err);
    test_ok(linear->fetch(l.level[0].op, l.level[0].u, k == 0 ? cycled : nested, &err), &err);
  }
  hs_levels_clear(&l);
}

/* Not the sign of a 0 at held nodes. */
static void values_same(const struct plate *p, const char *what, const double *wanted, const double *got)
{
  for (size_t n = 0; n < (size_t)p->nx * (size_t)p->ny; n++)
    if (!(wanted[n] == got[n]))
      fail_msg("%s, %s, at %zu, %zu: %a, must be %a", p->name, what, n % (size_t)p->nx, n / (size_t)p->nx, got[n],
               wanted[n]);
}

static bool plate_compare(struct plate p)
{
  struct hs_system *s = test_system_of_laws(p.nx, p.ny, 1.0, 1.0, law_of, &p);
  const struct hs_backend *device = device_of(s);
  double *field[4];
  for (int k = 0; device && k < 4; k++) field[k] = test_field(s);
  if (device) {
    fields_make(hs_backend_cpu.linear, s, field[0], field[1]);
    fields_make(device->linear, s, field[2], field[3]);
    values_same(&p, "nested iteration", field[0], field[2]);
    values_same(&p, "a cycle", field[1], field[3]);
  }
  for (int k = 0; device && k < 4; k++) free(field[k]);
  hs_system_destroy(s);
  return device != NULL;
}

static void large_grids_are_the_same(void **state)
{
  const struct plate small = {"small", 5, 5, 1.0, false, false};
  (void)state;
  if (!plate_compare(small)) skip();
  for (size_t k = 0; k < sizeof plates / sizeof *plates; k++) (void)plate_compare(plates[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(large_grids_are_the_same)};
  return cmocka_run_group_tests_name("multigrid on large grids", tests, NULL, NULL);
}
