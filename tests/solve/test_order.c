/* Order of accuracy by manufactured solutions, and the energy balance of solved problems.
 *
 * A temperature field is chosen, its source and wall data are derived on paper, and the discrete solution is compared
 * with it on a sequence of grids. The slope of log(error) against log(spacing), fitted by least squares, must be 2 within
 * a tenth. A wrong half volume, face or wall shows as a slope of 1 or 0.
 */
#include "runs.h"

#include <math.h>
#include <stdlib.h>

#include "answers/answers.h"

enum { GRIDS = 4 };

/* A chosen solution on the unit square. */
struct manufactured {
  const char *name;
  double (*temperature)(double x, double y);
  double (*source)(double x, double y); /* W/m3 */
  void (*walls)(struct hs_config *config);
};

/* --- smooth: u = exp(x) sin(2 y + 1/2), conductivity 3 and 0.5 in x and y ---------------------------- */

static double smooth_temperature(double x, double y)
{
  return exp(x) * sin(2.0 * y + 0.5);
}

/* -(kx u_xx + ky u_yy) = -(3 - 4 * 0.5) u */
static double smooth_source(double x, double y)
{
  return -(3.0 - 0.5 * 4.0) * smooth_temperature(x, y);
}

/* All kinds of data: held in the west, flux in the east (kx u_x = 3 u), convection with h = 2 in the north (ambient
 * u + ky u_y / h) and in the south with h = 4 (ambient u - ky u_y / h). */
static void smooth_walls(struct hs_config *config)
{
  static char west[] = "sin(2*y+0.5)", east[] = "3*exp(1)*sin(2*y+0.5)";
  static char north[] = "exp(x)*(sin(2.5)+0.5*2*cos(2.5)/2)", south[] = "exp(x)*(sin(0.5)-0.5*2*cos(0.5)/4)";
  config->materials[0].conductivity_x_w_mk = 3.0;
  config->materials[0].conductivity_y_w_mk = 0.5;
  config->boundaries[HS_WEST].temperature = test_formula(west);
  config->boundaries[HS_EAST].kind = HS_WALL_FLUX;
  config->boundaries[HS_EAST].flux = test_formula(east);
  test_wall_convection(config, HS_NORTH, 2.0, 0.0);
  config->boundaries[HS_NORTH].temperature = test_formula(north);
  test_wall_convection(config, HS_SOUTH, 4.0, 0.0);
  config->boundaries[HS_SOUTH].temperature = test_formula(south);
}

/* --- two materials that meet on a grid line: u = k_other sin(x - 1/2) cos y --------------------------- */

static const double k_left = 1.0, k_right = 20.0;

static double layered_temperature(double x, double y)
{
  return (x < 0.5 ? k_right : k_left) * sin(x - 0.5) * cos(y);
}

/* Temperature and heat flow k_left k_right cos(x - 1/2) cos y are continuous; -k lap u = 2 k u. */
static double layered_source(double x, double y)
{
  return 2.0 * k_left * k_right * sin(x - 0.5) * cos(y);
}

static void layered_walls(struct hs_config *config)
{
  static char west[] = "-20*sin(0.5)*cos(y)", east[] = "sin(0.5)*cos(y)";
  static char north[] = "-20*sin(x-0.5)*sin(1)"; /* k u_y into the domain from the north, k_left k_right = 20 */
  static char right[] = "right";
  static struct hs_config_region half = {
      .name = right,
      .line = 9,
      .shape = {.kind = HS_SHAPE_RECTANGLE, .x0_m = 0.5, .x1_m = 1.0, .y0_m = 0.0, .y1_m = 1.0},
      .material = right,
      .initial_k = NAN};
  config->materials[0] = test_material(config->materials[0].name, k_left, NAN, NAN);
  test_material_add(config, test_material(right, k_right, NAN, NAN));
  config->regions = &half;
  config->region_count = 1;
  config->boundaries[HS_WEST].temperature = test_formula(west);
  config->boundaries[HS_EAST].temperature = test_formula(east);
  config->boundaries[HS_NORTH].kind = HS_WALL_FLUX;
  config->boundaries[HS_NORTH].flux = test_formula(north);
  test_wall_insulated(config, HS_SOUTH);
}

/* --- periodic in x: u = sin(2 pi x) y^2 --------------------------------------------------------------- */

static double ring_temperature(double x, double y)
{
  return sin(2.0 * M_PI * x) * y * y;
}

static double ring_source(double x, double y)
{
  return sin(2.0 * M_PI * x) * (4.0 * M_PI * M_PI * y * y - 2.0);
}

static void ring_walls(struct hs_config *config)
{
  static char north[] = "sin(2*pi*x)";
  test_wall_periodic(config, HS_WEST);
  test_wall_periodic(config, HS_EAST);
  config->boundaries[HS_NORTH].temperature = test_formula(north);
}

/* --- the comparison ----------------------------------------------------------------------------------- */

/* Nodes a side of grid k, each twice as fine as the one before. */
static int nodes_of(int k)
{
  return (8 << k) + 1;
}

/* Puts source times control volume on the free nodes. */
static void source_set(const struct hs_problem *problem, struct hs_system *system, const struct manufactured *m)
{
  system->source_w_m = test_field(system);
  for (int j = 0; j < system->ny; j++) {
    for (int i = 0; i < system->nx; i++) {
      const size_t n = (size_t)j * (size_t)system->nx + (size_t)i;
      const bool twin = system->wrap_x == 1 && (i == 0 || i == system->nx - 1); /* owns a whole volume */
      if (system->law[hs_system_index(system, n)].dirichlet) continue;
      system->source_w_m[n] = m->source(problem->x0_m + i * problem->dx_m, problem->y0_m + j * problem->dy_m) *
                              hs_problem_node_area(problem, i, j) * (twin ? 2.0 : 1.0);
    }
  }
}

static struct hs_solve_settings thorough(void)
{
  const struct hs_solve_settings settings = {.quantity = HS_STOP_RESIDUAL,
                                             .tolerance = 1e-11,
                                             .max_iterations = 2000000,
                                             .check_every = 64,
                                             .method = HS_METHOD_CHEBYSHEV};
  return settings;
}

static void config_layout_set(struct hs_config *config, enum hs_layout layout)
{
  if (layout == HS_LAYOUT_VERTEX) return;
  config->grid.layout = HS_LAYOUT_CELL;
  config->grid.nx--;
  config->grid.ny--;
}

/* Largest error of the discrete solution on a grid of spacing 1/(nodes-1). */
static double error_on(const struct manufactured *m, enum hs_layout layout, int nodes)
{
  struct hs_config config = test_config(nodes, nodes);
  struct hs_error err = {0};
  struct hs_problem *problem;
  struct hs_system *system = NULL;
  const struct hs_solve_settings settings = thorough();
  struct hs_solve_outcome outcome;
  double *field, error = 0.0;
  config_layout_set(&config, layout);
  m->walls(&config);
  problem = test_problem(&config);
  test_ok(hs_problem_build_system(problem, &system, &err), &err);
  source_set(problem, system, m);
  field = test_field(system);
  outcome = test_solve(system, field, &settings, &hs_backend_cpu, false, NULL, field);
  assert_true(outcome.verdict == HS_VERDICT_CONVERGED || outcome.verdict == HS_VERDICT_STAGNATED);
  for (int j = 0; j < system->ny; j++)
    for (int i = 0; i < system->nx; i++)
      error = fmax(error, fabs(field[(size_t)j * (size_t)system->nx + (size_t)i] -
                               m->temperature(problem->x0_m + i * problem->dx_m, problem->y0_m + j * problem->dy_m)));
  hs_solve_outcome_clear(&outcome);
  free(field);
  hs_system_destroy(system);
  hs_problem_destroy(problem);
  return error;
}

/* Least-squares slope of log2(error) over the grids, per halving of the spacing. */
static double order_of(const struct manufactured *m, enum hs_layout layout)
{
  double above = 0.0, below = 0.0;
  for (int k = 0; k < GRIDS; k++) {
    const double x = k - 0.5 * (GRIDS - 1), error = error_on(m, layout, nodes_of(k));
    print_message("# %s: %d nodes a side, error %.3e\n", m->name, nodes_of(k), error);
    above -= x * log2(error);
    below += x * x;
  }
  return above / below;
}

static const struct manufactured smooth = {"smooth", smooth_temperature, smooth_source, smooth_walls};
static const struct manufactured layered = {"two materials", layered_temperature, layered_source, layered_walls};
static const struct manufactured ring = {"periodic", ring_temperature, ring_source, ring_walls};

static void test_order_smooth(void **state)
{
  (void)state;
  test_near("order in space, all kinds of walls", order_of(&smooth, HS_LAYOUT_VERTEX), 2.0, 0.1);
}

static void test_order_layered(void **state)
{
  (void)state;
  test_near("order in space, two materials", order_of(&layered, HS_LAYOUT_VERTEX), 2.0, 0.1);
}

static void test_order_periodic(void **state)
{
  (void)state;
  test_near("order in space, periodic", order_of(&ring, HS_LAYOUT_VERTEX), 2.0, 0.1);
}

static void test_order_cells(void **state)
{
  (void)state;
  test_near("order in space, cell layout", order_of(&smooth, HS_LAYOUT_CELL), 2.0, 0.15);
  test_near("order in space, cell layout, two materials", order_of(&layered, HS_LAYOUT_CELL), 2.0, 0.15);
}

/* --- energy ------------------------------------------------------------------------------------------- */

/* A random plate: three materials in rectangles, every kind of wall, sources, a loss. */
static struct hs_config random_plate(struct test_random *random, struct hs_config_region *regions,
                                     struct hs_config_source *sources, struct hs_config_loss *loss)
{
  static char names[2][4] = {"mat", "bar"}, shapes[3][4] = {"one", "two", "six"}, loss_name[] = "faces";
  const int nx = test_random_integer(random, 12, 40), ny = test_random_integer(random, 12, 40);
  struct hs_config config = test_config_spaced(nx, ny, 1.0 / nx, test_random_between(random, 0.5, 2.0) / ny);
  const double lx = config.grid.lx_m, ly = config.grid.ly_m;
  for (int k = 0; k < 2; k++)
    test_material_add(&config, test_material(names[k], pow(10.0, test_random_between(random, -2.0, 2.0)), NAN, NAN));
  for (int k = 0; k < 3; k++) {
    const double x = test_random_between(random, 0.0, 0.6) * lx, y = test_random_between(random, 0.0, 0.6) * ly;
    const struct hs_config_shape shape = {
        .kind = HS_SHAPE_RECTANGLE, .x0_m = x, .x1_m = x + 0.4 * lx, .y0_m = y, .y1_m = y + 0.4 * ly};
    memset(&regions[k], 0, sizeof regions[k]);
    regions[k].name = shapes[k];
    regions[k].shape = shape;
    regions[k].material = names[k % 2];
    regions[k].initial_k = NAN;
  }
  sources[0] = test_source_rectangle(0.2 * lx, 0.5 * lx, 0.1 * ly, 0.7 * ly, 100.0);
  sources[1] = test_source_node(nx / 2, ny / 2, -3000.0);
  memset(loss, 0, sizeof *loss);
  loss->name = loss_name;
  loss->shape.kind = HS_SHAPE_EVERYWHERE;
  loss->h_w_m2k = 5.0;
  loss->ambient_k = 12.0;
  loss->thickness_m = 0.5;
  config.regions = regions;
  config.region_count = 3;
  config.sources = sources;
  config.source_count = 2;
  config.losses = loss;
  config.loss_count = test_random_integer(random, 0, 1);
  test_wall_temperature(&config, HS_WEST, test_random_between(random, -10.0, 10.0));
  test_wall_flux(&config, HS_EAST, test_random_between(random, -50.0, 50.0));
  test_wall_convection(&config, HS_SOUTH, pow(10.0, test_random_between(random, -1.0, 2.0)), 20.0);
  test_wall_insulated(&config, HS_NORTH);
  return config;
}

static void test_energy_balance(void **state)
{
  struct test_random random = {20261121};
  (void)state;
  for (int k = 0; k < 24; k++) {
    struct hs_config_region regions[3];
    struct hs_config_source sources[2];
    struct hs_config_loss loss;
    struct hs_config config = random_plate(&random, regions, sources, &loss);
    struct hs_problem *problem;
    struct hs_system *system = NULL;
    struct hs_error err = {0};
    struct hs_balance balance;
    struct hs_solve_settings settings = thorough();
    struct hs_solve_outcome outcome;
    double *field;
    problem = test_problem(&config);
    test_ok(hs_problem_build_system(problem, &system, &err), &err);
    field = test_field(system);
    settings.tolerance = 1e-14;
    outcome = test_solve(system, field, &settings, &hs_backend_cpu, false, NULL, field);
    test_ok(hs_balance_take(problem, system, field, false, &balance, &err), &err);
    test_near("relative energy imbalance", balance.imbalance_relative, 0.0, 1e-10);
    assert_true(balance.in_w_m > 1.0);
    hs_solve_outcome_clear(&outcome);
    free(field);
    hs_system_destroy(system);
    hs_problem_destroy(problem);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_smooth), cmocka_unit_test(test_order_layered),  cmocka_unit_test(test_order_periodic),
      cmocka_unit_test(test_order_cells),  cmocka_unit_test(test_energy_balance),
  };
  return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
