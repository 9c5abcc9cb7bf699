/* Cycles and nested iteration on grids so large that devices go over their second and third levels, too, by strips: the bits
 * of the cpu backend. */
#include <stdlib.h>
#include <string.h>

#include "solve/multigrid/levels.h"
#include "support.h"

enum { SIDE = 53, THREADS = 8 };

/* Plates of 1 W/(m K) with parts of another conductivity, in squares of SIDE cells or as layers; side by side or scattered. */
struct plate {
  const char *name;
  int nx, ny;
  double other_w_mk;
  bool along_x, along_y; /* does a part end there? */
};

/* Strips on two levels, and on three. */
static const struct plate plates[] = {{"layers on each other", 2003, 2001, 4.0, false, true},
                                      {"layers side by side", 2001, 2004, 4.0, true, false},
                                      {"squares that ask for segments", 2050, 2051, 300.0, true, true},
                                      {"uniform", 4002, 4003, 1.0, false, false},
                                      {"squares", 4099, 4001, 3.0, true, true}};

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

static void plate_compare(void **state)
{
  struct plate p = *(const struct plate *)*state;
  struct hs_system *s = test_system_of_laws(p.nx, p.ny, 1.0, 1.0, law_of, &p);
  const struct hs_backend *device = device_of(s);
  double *field[4];
  assert_non_null(device);
  for (int k = 0; k < 4; k++) field[k] = test_field(s);
  fields_make(hs_backend_cpu.linear, s, field[0], field[1]);
  fields_make(device->linear, s, field[2], field[3]);
  values_same(&p, "nested iteration", field[0], field[2]);
  values_same(&p, "a cycle", field[1], field[3]);
  for (int k = 0; k < 4; k++) free(field[k]);
  hs_system_destroy(s);
}

/* Is there a device at all? A small plate says. */
static bool has_device(void)
{
  struct plate small = {"small", 5, 5, 1.0, false, false};
  struct hs_system *s = test_system_of_laws(small.nx, small.ny, 1.0, 1.0, law_of, &small);
  const bool has = device_of(s) != NULL;
  hs_system_destroy(s);
  return has;
}

static void large_grids_are_the_same(void **state)
{
  if (!has_device()) skip();
  plate_compare(state);
}

int main(void)
{
  enum { PLATES = sizeof plates / sizeof *plates };
  struct CMUnitTest tests[PLATES];
  for (int k = 0; k < PLATES; k++)
    tests[k] = (struct CMUnitTest){plates[k].name, large_grids_are_the_same, NULL, NULL, (void *)(uintptr_t)&plates[k]};
  return cmocka_run_group_tests_name("multigrid on large grids", tests, NULL, NULL);
}
