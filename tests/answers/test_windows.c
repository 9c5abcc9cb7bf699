/* Answers of many ranks, each with its window, have the bits of one rank's (src/answers). Only own nodes and one layer around
 * them have temperatures: all other ghosts are NaN, which would show. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/answers.h"
#include "answers/flux.h"
#include "problem/random.h"
#include "problem/windows.h"
#include "run/forecast.h"

static const struct {
  int count_x, count_y, ghost;
} cuts[] = {{2, 1, 1}, {1, 2, 3}, {3, 1, 2}, {1, 3, 1}, {2, 2, 1}, {1, 4, 2}, {4, 1, 1}, {3, 2, 2}, {2, 3, 1}};
enum { CUTS = sizeof cuts / sizeof *cuts, PROBES = 24 };

/* What one rank finds, or one among several. */
struct found {
  struct hs_problem *problem;
  struct hs_system *system;
  double *field_k, *initial_k;
  hs_status checked;
  struct hs_error why; /* of the check */
  struct hs_answers answers;
  struct hs_balance balance, few; /* the second from few temperatures, where these are enough */
  int64_t few_nodes;              /* how many; -1: they are not */
  double mean_k;
  double *flux_w_m2; /* [2*cells_y*cells_x] */
  struct hs_first_update first;
  struct hs_forecast forecast, plain; /* of Chebyshev's sweeps, and of plain ones */
};

struct comparison {
  const struct hs_config *config;
  const struct hs_partition *partition;
  struct found whole;
};

/* --- one field ----------------------------------------------------------------------------------- */

static bool same(double a, double b)
{
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* The temperature in column i and row j of the whole grid; both copies of a node have the same. */
static double temperature(const struct hs_problem *p, int i, int j)
{
  const struct hs_partition *partition = &p->subdomain.partition;
  if (partition->period_x > 0) i %= partition->period_x;
  if (partition->period_y > 0) j %= partition->period_y;
  return 290.0 + 40.0 * sin(0.31 * i + 0.7 * j) + 0.013 * i * j + 7.0 * cos(1.7 * i - 0.23 * j);
}

static double *field_make(const struct hs_problem *p)
{
  const struct hs_rectangle *own = &p->own;
  double *field_k = calloc((size_t)p->nx * (size_t)p->ny, sizeof *field_k);
  for (int j = 0; field_k && j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const bool right = i >= own->x0 - 1 && i <= own->x0 + own->nx && j >= own->y0 - 1 && j <= own->y0 + own->ny;
      field_k[j * p->nx + i] = right ? temperature(p, hs_problem_column(p, i), hs_problem_row(p, j)) : NAN;
    }
  return field_k;
}

static hs_status forecasts_find(struct found *f, struct hs_error *err)
{
  struct hs_solve_settings settings = {
      .quantity = HS_STOP_ERROR, .tolerance = 1e-6, .method = HS_METHOD_CHEBYSHEV, .max_iterations = 1 << 30};
  hs_status status = hs_forecast(f->problem, f->system, &settings, f->field_k, &f->first, &f->forecast, err);
  settings.method = HS_METHOD_JACOBI;
  if (!status) status = hs_forecast(f->problem, f->system, &settings, f->field_k, &f->first, &f->plain, err);
  return status;
}

/* The field with its Dirichlet nodes at their temperatures. */
static double *held_make(const struct found *f)
{
  const size_t nodes = (size_t)f->system->nx * (size_t)f->system->ny;
  double *held_k = calloc(nodes, sizeof *held_k);
  for (size_t n = 0; held_k && n < nodes; n++) {
    const struct hs_node_law *law = &f->system->law[hs_system_index(f->system, n)];
    held_k[n] = law->dirichlet && !isnan(f->field_k[n]) ? law->dirichlet_k : f->field_k[n];
  }
  return held_k;
}

static hs_status balances_find(struct found *f, struct hs_error *err)
{
  struct hs_balance_nodes *nodes = NULL;
  double *held_k = held_make(f), *value_k = NULL;
  const int64_t *node;
  hs_status status = held_k ? hs_balance_take(f->problem, f->system, held_k, false, &f->balance, err) : HS_ERR_MEMORY;
  if (!status) status = hs_balance_nodes_create(f->problem, f->system, &nodes, err);
  f->few_nodes = nodes ? hs_balance_nodes_list(nodes, &node) : -1;
  if (!status && !nodes) status = hs_balance_take(f->problem, f->system, held_k, false, &f->few, err);
  if (nodes) value_k = calloc((size_t)f->few_nodes + 1, sizeof *value_k);
  for (int64_t k = 0; value_k && k < f->few_nodes; k++) value_k[k] = held_k[node[k]];
  if (nodes) status = value_k ? hs_balance_nodes_take(nodes, value_k, &f->few, err) : HS_ERR_MEMORY;
  free(value_k);
  free(held_k);
  hs_balance_nodes_destroy(nodes);
  return status;
}

/* False: the problem is refused. */
static bool find(const struct hs_config *config, const struct hs_subdomain *subdomain, struct found *f)
{
  const bool steady = config->time.scheme == HS_SCHEME_STEADY;
  struct hs_error err = {0};
  hs_status status;
  memset(f, 0, sizeof *f);
  if (windows_make(config, subdomain, &f->problem, &f->system, &f->initial_k, &err)) return false;
  f->checked = hs_answers_check(f->problem, &f->why);
  f->field_k = field_make(f->problem);
  f->flux_w_m2 = calloc(2 * (size_t)f->problem->nx * (size_t)f->problem->ny, sizeof *f->flux_w_m2);
  status = f->field_k && f->flux_w_m2 ? HS_OK : HS_ERR_MEMORY;
  if (!status) status = hs_answers_take(f->problem, f->system, f->field_k, !steady, &f->answers, &err);
  if (!status) status = hs_answers_places(f->problem, f->field_k, &f->answers, &err);
  if (!status) status = balances_find(f, &err);
  if (!status) status = hs_answers_mean(f->problem, f->field_k, &f->mean_k, &err);
  if (!status) status = forecasts_find(f, &err);
  if (status) {
    fprintf(stderr, "%s\n", err.text);
    abort();
  }
  hs_answers_flux_rows(f->problem, f->field_k, 0, f->problem->cells_y, f->flux_w_m2,
                       f->flux_w_m2 + f->problem->cells_y * f->problem->cells_x);
  return true;
}

static void found_clear(struct found *f)
{
  hs_answers_clear(&f->answers);
  free(f->flux_w_m2);
  free(f->field_k);
  free(f->initial_k);
  hs_system_destroy(f->system);
  hs_problem_destroy(f->problem);
}

/* --- comparisons --------------------------------------------------------------------------------- */

static void require_numbers(struct hs_comm *comm, const char *what, const double *a, const double *b, int count)
{
  for (int k = 0; k < count; k++) {
    if (!same(a[k], b[k])) fprintf(stderr, "%s %d: %.17g among ranks, %.17g alone\n", what, k, a[k], b[k]);
    test_rank_require(comm, same(a[k], b[k]));
  }
}

static void require_probes(struct hs_comm *comm, const struct found *here, const struct found *whole)
{
  for (int k = 0; k < here->problem->config->probe_count; k++) {
    const struct hs_probe_answer *a = &here->answers.probes[k], *b = &whole->answers.probes[k];
    test_rank_require(comm, a->count == b->count);
    require_numbers(comm, "x of a point", a->x_m, b->x_m, a->count);
    require_numbers(comm, "y of a point", a->y_m, b->y_m, a->count);
    require_numbers(comm, "distance of a point", a->distance_m, b->distance_m, a->count);
    require_numbers(comm, "temperature of a point", a->temperature_k, b->temperature_k, a->count);
  }
}

static void require_answers(struct hs_comm *comm, const struct found *here, const struct found *whole)
{
  const struct hs_answers *a = &here->answers, *b = &whole->answers;
  const struct hs_problem *p = here->problem;
  const int flows = sizeof a->balance / sizeof(double), materials = sizeof *a->materials / sizeof(double);
  const double numbers[2][12] = {
      {a->minimum_k, a->maximum_k, a->mean_k, a->given_range_k, a->center_k, a->content_j_m, here->mean_k,
       here->forecast.sweeps, a->minimum_at_m[0], a->minimum_at_m[1], a->maximum_at_m[0], a->maximum_at_m[1]},
      {b->minimum_k, b->maximum_k, b->mean_k, b->given_range_k, b->center_k, b->content_j_m, whole->mean_k,
       whole->forecast.sweeps, b->minimum_at_m[0], b->minimum_at_m[1], b->maximum_at_m[0], b->maximum_at_m[1]}};
  const double firsts[2][3] = {{here->first.l2_k, here->first.largest_k, here->first.roughness},
                               {whole->first.l2_k, whole->first.largest_k, whole->first.roughness}};
  require_numbers(comm, "number", numbers[0], numbers[1], 12);
  require_numbers(comm, "first update", firsts[0], firsts[1], 3);
  require_numbers(comm, "flow", (const double *)&a->balance, (const double *)&b->balance, flows);
  require_numbers(comm, "flow of a balance alone", (const double *)&here->balance, (const double *)&whole->balance,
                  flows);
  require_numbers(comm, "flow of few nodes", (const double *)&here->few, (const double *)&whole->balance, flows);
  require_numbers(comm, "surface", a->surface_w_m, b->surface_w_m, p->surface_count);
  require_numbers(comm, "outline", a->region_out_w_m, b->region_out_w_m, p->config->region_count);
  require_numbers(comm, "material", (const double *)a->materials, (const double *)b->materials,
                  materials * p->material_count);
  require_probes(comm, here, whole);
  test_rank_require(comm, here->plain.known == whole->plain.known); /* by modes, whose sums are rounded */
  test_rank_require(comm, fabs(here->plain.sweeps - whole->plain.sweeps) <= 1.0);
}

/* The flux in own cells. */
static void require_flux(struct hs_comm *comm, const struct found *here, const struct found *whole)
{
  const struct hs_problem *p = here->problem, *q = whole->problem;
  const int cells = p->cells_x * p->cells_y, all = q->cells_x * q->cells_y;
  for (int j = p->own.y0; j < p->own.y0 + p->own.ny && p->first_y + j < p->grid_cells_y; j++)
    for (int i = p->own.x0; i < p->own.x0 + p->own.nx && p->first_x + i < p->grid_cells_x; i++) {
      const int n = j * p->cells_x + i, m = (p->first_y + j) * q->cells_x + p->first_x + i;
      require_numbers(comm, "flux in x", &here->flux_w_m2[n], &whole->flux_w_m2[m], 1);
      require_numbers(comm, "flux in y", &here->flux_w_m2[cells + n], &whole->flux_w_m2[all + m], 1);
    }
}

static void window_body(struct hs_comm *comm, void *context)
{
  const struct comparison *c = context;
  const struct hs_subdomain subdomain = {comm, *c->partition, hs_comm_rank(comm)};
  struct found here;
  test_rank_require(comm, find(c->config, &subdomain, &here));
  test_rank_require(comm, here.checked == c->whole.checked && !strcmp(here.why.text, c->whole.why.text));
  require_answers(comm, &here, &c->whole);
  require_flux(comm, &here, &c->whole);
  found_clear(&here);
}

/* Compares all cuts that the grid allows, blocks that the heat flux needs included; false: the problem is refused. Counts in *few
 * those whose balance few nodes tell. */
static bool compare_all(const struct hs_config *config, int *few)
{
  struct comparison c = {.config = config};
  const bool taken = find(config, NULL, &c.whole);
  if (taken && c.whole.few_nodes >= 0) ++*few;
  if (taken) assert_memory_equal(&c.whole.few, &c.whole.balance, sizeof c.whole.few);
  for (int k = 0; taken && k < CUTS; k++) {
    struct hs_partition partition;
    c.partition = &partition;
    if (!windows_cut(config, cuts[k].count_x, cuts[k].count_y, cuts[k].ghost, &partition)) continue;
    if (config->grid.nx < 3 * partition.count_x || config->grid.ny < 3 * partition.count_y) continue;
    test_ranks_run(hs_partition_parts(&partition), window_body, &c);
  }
  found_clear(&c.whole);
  return taken;
}

/* --- random problems ----------------------------------------------------------------------------- */

/* A place on a wall, a node, a line between cells, in the middle of a cell, or anywhere. */
static double random_place(struct test_random *random, double length_m, int cells)
{
  const double spacing_m = length_m / cells;
  switch (test_random_integer(random, 0, 4)) {
  case 0: return test_random_integer(random, 0, 1) * length_m;
  case 1: return test_random_integer(random, 0, cells) * spacing_m;
  case 2: return (test_random_integer(random, 0, cells - 1) + 0.5) * spacing_m;
  case 3: return (test_random_integer(random, 0, 4 * cells)) * 0.25 * spacing_m;
  default: return test_random_between(random, 0.0, length_m);
  }
}

/* Points and lines; some name a material, which need not touch them. */
static void random_probes(struct test_random *random, struct hs_config_probe probes[PROBES], struct hs_config *config)
{
  static char none[] = "", name[] = "probe";
  const int cut = config->grid.layout == HS_LAYOUT_VERTEX;
  const int cells_x = config->grid.nx - cut, cells_y = config->grid.ny - cut;
  config->probes = probes;
  config->probe_count = PROBES;
  for (int k = 0; k < PROBES; k++) {
    const bool line = k % 4 == 3, beside = k % 5 == 0;
    probes[k] = (struct hs_config_probe){.name = name, .is_line = line, .points = line ? 17 : 1, .material = none};
    probes[k].x_m = probes[k].x1_m = random_place(random, config->grid.lx_m, cells_x);
    probes[k].y_m = probes[k].y1_m = random_place(random, config->grid.ly_m, cells_y);
    if (line) probes[k].x1_m = random_place(random, config->grid.lx_m, cells_x);
    if (line) probes[k].y1_m = random_place(random, config->grid.ly_m, cells_y);
    if (beside && config->material_count > 1) probes[k].material = config->materials[1 + k % 2].name;
  }
}

static void random_problems(void **state)
{
  const int trials = 250 / test_every(5);
  struct test_random random = {20261123};
  int taken = 0, few = 0;
  (void)state;
  for (int trial = 0; trial < trials; trial++) {
    struct random_parts parts;
    struct hs_config_probe probes[PROBES];
    struct hs_config config = random_config(&random, &parts);
    random_probes(&random, probes, &config);
    taken += compare_all(&config, &few);
  }
  print_message("few nodes tell %d of %d balances\n", few, taken);
  assert_true(taken > trials / 2 && few > trials / 25 && few < taken);
}

/* --- the examples -------------------------------------------------------------------------------- */

static void every_example(void **state)
{
  int few = 0;
  (void)state;
  for (int k = 0; k < EXAMPLES; k++) {
    struct hs_config *config = example_read(k);
    if (!compare_all(config, &few)) fail_msg("%s was refused", config->path);
    hs_config_destroy(config);
  }
  print_message("few nodes tell %d of %d balances\n", few, (int)EXAMPLES);
  assert_true(few > EXAMPLES / 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_problems),
      cmocka_unit_test(every_example),
  };
  return cmocka_run_group_tests_name("windows", tests, NULL, NULL);
}
