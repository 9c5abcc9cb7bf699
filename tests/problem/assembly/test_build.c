/* Systems as a whole: random problems whose laws are made in several ways, totals, a large grid. */
#include "problem/parts.h"

#include <math.h>
#include <stdlib.h>

#include "problem/laws/laws.h"

/* --- random problems ----------------------------------------------------------------------------- */

struct random_parts {
  struct hs_config_region regions[4];
  struct hs_config_source sources[4];
  struct hs_config_loss losses[2];
};

static struct hs_config_value random_value(struct test_random *random, bool timed, bool positive)
{
  static char moving[] = "5+4*sin(3*t)", sloping[] = "7+x-y+t", still[] = "11+2*x+y";
  const int kind = test_random_integer(random, 0, 5);
  if (kind == 0 && timed) return test_formula(moving);
  if (kind == 1 && timed && !positive) return test_formula(sloping);
  if (kind == 2) return test_formula(still);
  return test_value(test_random_integer(random, 1, 5) * 10.0);
}

static struct hs_config_shape random_rectangle(struct test_random *random, const struct hs_config *config)
{
  const double x0 = test_random_unit(random) * 0.7, y0 = test_random_unit(random) * 0.7;
  return rectangle(x0 * config->grid.lx_m, (x0 + 0.3) * config->grid.lx_m, y0 * config->grid.ly_m,
                   (y0 + 0.3) * config->grid.ly_m);
}

static void random_walls(struct test_random *random, struct hs_config *config, bool timed)
{
  static char names[8][8] = {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"};
  for (int side = 0; side < HS_SIDES; side++) {
    const double length = side < HS_SOUTH ? config->grid.ly_m : config->grid.lx_m;
    struct hs_config_boundary *b = &config->boundaries[side];
    if (side % 2 == 0 && test_random_integer(random, 0, 3) == 0) {
      test_wall_periodic(config, (enum hs_side)side);
      test_wall_periodic(config, (enum hs_side)(side + 1));
      side++;
      continue;
    }
    if (b->kind == HS_WALL_PERIODIC) continue;
    b->kind = (enum hs_wall)test_random_integer(random, 0, 3);
    b->temperature = random_value(random, timed, false);
    b->flux = random_value(random, timed, false);
    b->h = random_value(random, timed, true);
    if (test_random_integer(random, 0, 1)) {
      struct hs_config_boundary segment = *b;
      segment.name = names[side];
      segment.kind = (enum hs_wall)test_random_integer(random, 0, 3);
      segment.from_m = length * 0.3 * test_random_unit(random);
      segment.to_m = segment.from_m + 0.6 * length;
      segment.temperature = random_value(random, timed, false);
      segment_add(config, segment);
    }
  }
}

static struct hs_config random_config(struct test_random *random, struct random_parts *parts, bool isotropic)
{
  static char names[4][4] = {"a", "b", "c", "d"};
  const bool timed = test_random_integer(random, 0, 1);
  const int nx = test_random_integer(random, 3, 12), ny = test_random_integer(random, 3, 12);
  struct hs_config config =
      test_config_spaced(nx, ny, test_random_between(random, 0.1, 2.0), test_random_between(random, 0.1, 2.0));
  if (test_random_integer(random, 0, 2) == 0) cell_layout(&config);
  config.materials[0] = test_material("", 1.5, 2.0, 3.0);
  test_material_add(&config, test_material(names[0], 10.0, 4.0, 1.0));
  test_material_add(&config, test_material(names[1], 0.1, 1.0, 7.0));
  if (!isotropic) config.materials[1].conductivity_y_w_mk = 3.0;
  random_walls(random, &config, timed);
  config.region_count = test_random_integer(random, 0, 4);
  for (int k = 0; k < config.region_count; k++) {
    parts->regions[k] = region(names[k], random_rectangle(random, &config), names[k % 2], NO_VALUE);
    if (k == 3)
      parts->regions[k] = region(names[k], rectangle(0.0, 0.4 * config.grid.lx_m, 0.0, 0.5 * config.grid.ly_m), "",
                                 random_value(random, timed, false));
  }
  config.source_count = test_random_integer(random, 0, 3);
  for (int k = 0; k < config.source_count; k++) {
    parts->sources[k] = test_source_everywhere(3.0);
    if (k != 1)
      parts->sources[k].shape = rectangle(0.1 * config.grid.lx_m, config.grid.lx_m, 0.0, 0.9 * config.grid.ly_m);
  }
  config.loss_count = test_random_integer(random, 1, 2);
  for (int k = 0; k < config.loss_count; k++) {
    const struct hs_config_loss loss = {.name = names[k],
                                        .shape = {.kind = HS_SHAPE_EVERYWHERE},
                                        .h_w_m2k = 1.0 + k,
                                        .ambient_k = 3.0,
                                        .thickness_m = 0.5};
    parts->losses[k] = loss;
  }
  config.regions = parts->regions;
  config.sources = parts->sources;
  config.losses = parts->losses;
  config.time.scheme = HS_SCHEME_BACKWARD_EULER;
  config.time.end_s = 1.0;
  config.time.step_s = 0.1;
  return config;
}

/* The conductance of a face is the same double seen from both nodes; what is the same node has the same law. */
static void assert_symmetric(const struct hs_system *s)
{
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) {
      const struct hs_node_law *law = law_at(s, i, j);
      if (i + 1 < s->nx) assert_true(law->east == law_at(s, i + 1, j)->west);
      if (j + 1 < s->ny) assert_true(law->north == law_at(s, i, j + 1)->south);
      if (i == 0 && s->wrap_x >= 0) assert_true(law->west == law_at(s, s->nx - 1 - s->wrap_x, j)->east);
      if (j == 0 && s->wrap_y >= 0) assert_true(law->south == law_at(s, i, s->ny - 1 - s->wrap_y)->north);
      if (i == 0 && s->wrap_x == 1) assert_memory_equal(law, law_at(s, s->nx - 1, j), sizeof *law);
      if (j == 0 && s->wrap_y == 1) assert_memory_equal(law, law_at(s, i, s->ny - 1), sizeof *law);
    }
}

static bool laws_equal(const struct hs_node_law *a, const struct hs_node_law *b)
{
  return a->west == b->west && a->east == b->east && a->south == b->south && a->north == b->north &&
         a->source_w_m == b->source_w_m && a->ambient_w_mk == b->ambient_w_mk && a->ambient_w_m == b->ambient_w_m &&
         a->capacity_j_mk == b->capacity_j_mk && a->dirichlet == b->dirichlet && a->dirichlet_k == b->dirichlet_k;
}

/* What hs_law_at makes of every single node at this time is what the system holds. */
static void assert_laws_at(const struct hs_problem *p, const struct hs_system *s, double time_s, double tolerance)
{
  struct hs_laws laws;
  hs_laws_prepare(p, &laws);
  for (int j = 0; j < s->ny; j++)
    for (int i = 0; i < s->nx; i++) {
      struct hs_error err = {0};
      struct hs_node_law law;
      test_ok(hs_law_at(&laws, i, j, time_s, &law, NULL, &err), &err);
      if (tolerance == 0.0 && !laws_equal(&law, law_at(s, i, j))) fail_msg("the law of node (%d, %d) differs", i, j);
      test_near("held", law_at(s, i, j)->dirichlet_k, law.dirichlet_k, tolerance);
      test_near("source", law_at(s, i, j)->source_w_m, law.source_w_m, tolerance);
      test_near("ambient", law_at(s, i, j)->ambient_w_m, law.ambient_w_m, tolerance);
    }
}

static void assert_contacts_at(const struct hs_problem *p, const struct hs_system *s, double time_s)
{
  struct hs_contacts fresh = {0};
  struct hs_laws laws;
  hs_laws_prepare(p, &laws);
  for (int64_t k = 0; k < s->contact_count;) {
    struct hs_error err = {0};
    struct hs_node_law law;
    const int64_t n = s->contacts[k].node;
    assert_true(k == 0 || n > s->contacts[k - 1].node);
    fresh.count = 0;
    test_ok(hs_law_at(&laws, (int)(n % s->nx), (int)(n / s->nx), time_s, &law, &fresh, &err), &err);
    for (int64_t c = 0; c < fresh.count; c++, k++) {
      assert_true(s->contacts[k].node == n && s->contacts[k].surface == fresh.items[c].surface);
      assert_true(s->contacts[k].conductance_w_mk == fresh.items[c].conductance_w_mk);
      assert_true(s->contacts[k].ambient_k == fresh.items[c].ambient_k);
      assert_true(s->contacts[k].share_x == fresh.items[c].share_x && s->contacts[k].share_y == fresh.items[c].share_y);
      assert_true(s->contacts[k].flux_w_m == fresh.items[c].flux_w_m);
    }
  }
  free(fresh.items);
}

static void every_way_gives_the_same_laws(void **state)
{
  struct test_random random = {20260303};
  int refused = 0, timed = 0;
  (void)state;
  for (int trial = 0; trial < 400; trial++) {
    struct random_parts parts;
    struct hs_config config = random_config(&random, &parts, false);
    struct hs_error err = {0};
    struct hs_problem *p = NULL;
    struct hs_system *s = NULL;
    hs_status status = hs_problem_create(&config, NULL, &p, &err);
    if (!status) status = hs_problem_build_system(p, &s, &err);
    if (status) { /* shapes between nodes */
      refused++;
      hs_problem_destroy(p);
      continue;
    }
    assert_non_null(s->index);
    assert_symmetric(s);
    assert_laws_at(p, s, 0.0, 0.0);
    assert_contacts_at(p, s, 0.0);
    assert_true((s->timed_count > 0) <= p->timed);
    timed += s->timed_count > 0;
    test_ok(hs_problem_time_set(p, s, 0.7, &err), &err);
    assert_laws_at(p, s, 0.7, 1e-12); /* nodes of one entry may differ in the last bit: sums of the same parts */
    assert_contacts_at(p, s, 0.7);
    test_ok(hs_problem_time_set(p, s, 0.0, &err), &err);
    assert_laws_at(p, s, 0.0, 1e-12);
    hs_system_destroy(s);
    hs_problem_destroy(p);
  }
  assert_true(refused < 100);
  assert_true(timed > 50);
}

/* A conductivity map of the materials' own conductivities: a law for every node, equal to the stencil table's. */
static void a_law_for_every_node_equals_the_table(void **state)
{
  struct test_random random = {20260304};
  (void)state;
  for (int trial = 0; trial < 100; trial++) {
    struct random_parts parts;
    struct hs_config config = random_config(&random, &parts, true);
    struct hs_error err = {0};
    struct hs_problem *p = NULL;
    struct hs_system *table = NULL, *each = NULL;
    if (hs_problem_create(&config, NULL, &p, &err) || hs_problem_build_system(p, &table, &err)) {
      hs_problem_destroy(p);
      continue;
    }
    p->conductivity_map = calloc((size_t)p->cells_x * (size_t)p->cells_y, sizeof *p->conductivity_map);
    assert_non_null(p->conductivity_map);
    for (int c = 0; c < p->cells_x * p->cells_y; c++)
      p->conductivity_map[c] = p->materials[p->classes[p->cell[c]].material].conductivity_x_w_mk;
    test_ok(hs_problem_build_system(p, &each, &err), &err);
    assert_null(each->index);
    assert_int_equal(each->table_size, p->nx * p->ny);
    assert_int_equal(each->contact_count, table->contact_count);
    assert_int_equal(each->free_nodes, table->free_nodes);
    assert_true(each->flow_floor_w_m == table->flow_floor_w_m && each->stable_step_s == table->stable_step_s);
    assert_true(each->contraction == table->contraction && each->uniform == table->uniform);
    for (int n = 0; n < p->nx * p->ny; n++) {
      assert_true(laws_equal(&each->law[n], law_at(table, n % p->nx, n / p->nx)));
      assert_memory_equal(&each->stencil[n], &table->stencil[table->index[n]], sizeof *each->stencil);
    }
    hs_system_destroy(table);
    hs_system_destroy(each);
    hs_problem_destroy(p);
  }
}

/* Sources released in all control volumes, and the lengths of all walls, are what was asked for. */
static void totals_are_exact_on_any_grid(void **state)
{
  struct test_random random = {20260305};
  (void)state;
  for (int trial = 0; trial < 100; trial++) {
    const int nx = test_random_integer(&random, 3, 30), ny = test_random_integer(&random, 3, 30);
    struct hs_config config =
        insulated(nx, ny, test_random_between(&random, 0.01, 1.0), test_random_between(&random, 0.01, 1.0));
    struct hs_config_source source = test_source_everywhere(NAN);
    double power = 0.0, conductance = 0.0, length;
    struct hs_system *s;
    if (trial % 3 == 1) cell_layout(&config);
    length = config.grid.lx_m;
    source.power_w_m = 250.0;
    if (trial % 2) source.shape = random_rectangle(&random, &config);
    if (trial % 5 == 0) {
      test_wall_periodic(&config, HS_WEST);
      test_wall_periodic(&config, HS_EAST);
    }
    segment_add(&config, convective_segment("part", HS_NORTH, 0.21 * length, 0.77 * length, 4.0, 10.0));
    config.sources = &source;
    config.source_count = 1;
    s = test_system(&config);
    for (int j = 0; j < ny; j++)
      for (int i = 0; i < nx; i++) {
        const double share = s->wrap_x == 1 && (i == 0 || i == nx - 1) ? 0.5 : 1.0;
        power += share * law_at(s, i, j)->source_w_m;
      }
    for (int64_t k = 0; k < s->contact_count; k++) {
      const int i = (int)(s->contacts[k].node % nx);
      conductance += (s->wrap_x == 1 && (i == 0 || i == nx - 1) ? 0.5 : 1.0) * s->contacts[k].conductance_w_mk;
    }
    test_near("power", power, 250.0, 1e-10);
    if (config.grid.layout == HS_LAYOUT_VERTEX) test_near("length", conductance, 4.0 * 0.56 * length, 1e-11 * length);
    hs_system_destroy(s);
  }
}

/* --- size ---------------------------------------------------------------------------------------- */

static void large_grids_are_built(void **state)
{
  struct hs_config config = test_config(2000, 2000);
  struct hs_config_region disc = region("disc", rectangle(0.0, 1.0, 0.0, 1.0), "", test_value(3.0));
  struct hs_system *s;
  (void)state;
  disc.shape.kind = HS_SHAPE_CIRCLE;
  disc.shape.x_m = disc.shape.y_m = 0.5;
  disc.shape.radius_m = 0.25;
  config.regions = &disc;
  config.region_count = 1;
  s = test_system(&config);
  assert_int_equal(s->table_size, 9 + 1);
  assert_true(s->free_nodes < 4000000 - 7992 - 780000 && s->free_nodes > 4000000 - 8000 - 790000);
  assert_true(s->contact_count < 20000);
  hs_system_destroy(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_way_gives_the_same_laws),
      cmocka_unit_test(a_law_for_every_node_equals_the_table),
      cmocka_unit_test(totals_are_exact_on_any_grid),
      cmocka_unit_test(large_grids_are_built),
  };
  return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
