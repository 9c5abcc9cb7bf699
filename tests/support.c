/* What the numerical test programs share; see support.h. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { DIFFERENCES_SHOWN = 8 };

/* --- random numbers ------------------------------------------------------------------------------ */

uint64_t test_random_bits(struct test_random *random)
{
  uint64_t z = random->state += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

double test_random_unit(struct test_random *random)
{
  return (double)(test_random_bits(random) >> 11) * 0x1p-53;
}

double test_random_between(struct test_random *random, double low, double high)
{
  return low + (high - low) * test_random_unit(random);
}

int test_random_integer(struct test_random *random, int low, int high)
{
  return low + (int)(test_random_bits(random) % (uint64_t)(high - low + 1));
}

/* The sum of twelve uniform numbers: close enough to normal, and without libm. */
double test_random_normal(struct test_random *random)
{
  double sum = -6.0;
  for (int k = 0; k < 12; k++) sum += test_random_unit(random);
  return sum;
}

int test_every(int n)
{
  const char *all = getenv("HEATSOLVE_TEST_ALL");
  return all && *all ? 1 : n;
}

/* --- configurations ------------------------------------------------------------------------------ */

/* Storage of what a configuration points to, reused in turn: enough for the configurations of one test. */
enum { POOL = 64, POOL_MATERIALS = 8 };

static char empty_text[] = "";

struct hs_config_value test_value(double number)
{
  static char texts[16 * POOL][32];
  static unsigned next;
  char *text = texts[next++ % (16 * POOL)];
  const struct hs_config_value value = {.text = text, .number = number, .is_number = true, .line = 5};
  snprintf(text, sizeof texts[0], "%.17g", number);
  return value;
}

struct hs_config_value test_formula(const char *text)
{
  const struct hs_config_value value = {.text = (char *)text, .number = NAN, .is_number = false, .line = 5};
  return value;
}

struct hs_config_material test_material(const char *name, double conductivity_w_mk, double density_kg_m3,
                                        double heat_capacity_j_kgk)
{
  const struct hs_config_material material = {.name = (char *)name,
                                              .line = 3,
                                              .conductivity_x_w_mk = conductivity_w_mk,
                                              .conductivity_y_w_mk = conductivity_w_mk,
                                              .density_kg_m3 = density_kg_m3,
                                              .heat_capacity_j_kgk = heat_capacity_j_kgk,
                                              .color = empty_text};
  return material;
}

static void walls_clear(struct hs_config_boundary *walls)
{
  static char names[HS_SIDES][8] = {"west", "east", "south", "north"};
  for (int side = 0; side < HS_SIDES; side++) {
    memset(&walls[side], 0, sizeof walls[side]);
    walls[side].name = names[side];
    walls[side].line = 4;
    walls[side].side = (enum hs_side)side;
    walls[side].kind = HS_WALL_TEMPERATURE;
    walls[side].temperature = test_value(0.0);
  }
}

struct hs_config test_config_spaced(int nx, int ny, double dx_m, double dy_m)
{
  static char path[] = "test.ini", backend[] = "cpu", gpus[] = "1", directory[] = ".", colormap[] = "viridis",
              unit[] = "K";
  static struct hs_config_material materials[POOL][POOL_MATERIALS];
  static struct hs_config_boundary walls[POOL][HS_SIDES];
  static unsigned next;
  const unsigned place = next++ % POOL;
  struct hs_config config;
  memset(&config, 0, sizeof config);
  config.path = path;
  config.text = empty_text;
  config.grid.nx = nx;
  config.grid.ny = ny;
  config.grid.dx_m = dx_m;
  config.grid.dy_m = dy_m;
  config.grid.lx_m = (nx - 1) * dx_m;
  config.grid.ly_m = (ny - 1) * dy_m;
  config.materials = materials[place];
  config.materials[0] = test_material(empty_text, 1.0, NAN, NAN);
  config.material_count = 1;
  config.boundaries = walls[place];
  config.boundary_count = config.side_count = HS_SIDES;
  walls_clear(config.boundaries);
  for (int side = 0; side < HS_SIDES; side++)
    config.boundaries[side].to_m = side < HS_SOUTH ? config.grid.ly_m : config.grid.lx_m;
  config.map.materials = config.map.conductivity = config.map.source = config.map.initial = empty_text;
  config.time.step_s = config.time.snapshot_every_s = NAN;
  config.time.inner_tolerance_k = 1e-8;
  config.time.damped_steps = 2;
  config.time.step_tolerance_k = 0.01;
  config.time.step_min_s = config.time.step_max_s = NAN;
  config.solver.method = HS_METHOD_JACOBI;
  config.solver.weight = 0.8;
  config.solver.criterion = HS_CRITERION_UPDATE_L2;
  config.solver.tolerance = 1e-6;
  config.solver.balance_tolerance = 1.0;
  config.solver.max_iterations = 1000000;
  config.solver.check_every = 128;
  config.solver.precision = HS_DOUBLE;
  config.solver.backend = backend;
  config.solver.gpus = gpus;
  config.solver.threads = 1;
  config.output.directory = directory;
  config.output.title = empty_text;
  config.output.colormap = colormap;
  config.output.unit = unit;
  config.output.range_min_k = config.output.range_max_k = NAN;
  return config;
}

struct hs_config test_config(int nx, int ny)
{
  return test_config_spaced(nx, ny, 1.0 / (nx - 1), 1.0 / (nx - 1));
}

void test_material_add(struct hs_config *config, struct hs_config_material material)
{
  assert_true(config->material_count < POOL_MATERIALS);
  config->materials[config->material_count++] = material;
}

void test_wall_temperature(struct hs_config *config, enum hs_side side, double temperature_k)
{
  config->boundaries[side].kind = HS_WALL_TEMPERATURE;
  config->boundaries[side].temperature = test_value(temperature_k);
}

void test_wall_insulated(struct hs_config *config, enum hs_side side)
{
  config->boundaries[side].kind = HS_WALL_INSULATED;
}

void test_wall_periodic(struct hs_config *config, enum hs_side side)
{
  config->boundaries[side].kind = HS_WALL_PERIODIC;
}

void test_wall_flux(struct hs_config *config, enum hs_side side, double flux_w_m2)
{
  config->boundaries[side].kind = HS_WALL_FLUX;
  config->boundaries[side].flux = test_value(flux_w_m2);
}

void test_wall_convection(struct hs_config *config, enum hs_side side, double h_w_m2k, double ambient_k)
{
  config->boundaries[side].kind = HS_WALL_CONVECTION;
  config->boundaries[side].h = test_value(h_w_m2k);
  config->boundaries[side].temperature = test_value(ambient_k);
}

struct hs_config_source test_source_node(int i, int j, double density_w_m3)
{
  static char name[] = "spot";
  const struct hs_config_source source = {.name = name,
                                          .line = 7,
                                          .shape = {.kind = HS_SHAPE_NODE, .i = i, .j = j},
                                          .density_w_m3 = density_w_m3,
                                          .power_w_m = NAN};
  return source;
}

struct hs_config_source test_source_rectangle(double x0_m, double x1_m, double y0_m, double y1_m, double density_w_m3)
{
  static char name[] = "block";
  const struct hs_config_source source = {
      .name = name,
      .line = 11,
      .shape = {.kind = HS_SHAPE_RECTANGLE, .x0_m = x0_m, .x1_m = x1_m, .y0_m = y0_m, .y1_m = y1_m},
      .density_w_m3 = density_w_m3,
      .power_w_m = NAN};
  return source;
}

struct hs_config_source test_source_everywhere(double density_w_m3)
{
  static char name[] = "glow";
  const struct hs_config_source source = {
      .name = name, .line = 13, .shape = {.kind = HS_SHAPE_EVERYWHERE}, .density_w_m3 = density_w_m3, .power_w_m = NAN};
  return source;
}

struct hs_config test_config_workshop(int n, struct hs_config_source *spot)
{
  struct hs_config config = test_config_spaced(n, n, 1.0 / n, 1.0 / n);
  *spot = test_source_node(n / 2, n / 2, 10000.0);
  config.sources = spot;
  config.source_count = 1;
  config.solver.tolerance = 1e-4;
  return config;
}

/* --- systems and fields -------------------------------------------------------------------------- */

void test_ok(hs_status status, const struct hs_error *err)
{
  if (status) fail_msg("status %d: %s", (int)status, err->text);
}

struct hs_problem *test_problem(const struct hs_config *config)
{
  struct hs_error err = {0};
  struct hs_problem *problem = NULL;
  test_ok(hs_problem_create(config, NULL, &problem, &err), &err);
  assert_non_null(problem);
  return problem;
}

struct hs_system *test_system(const struct hs_config *config)
{
  struct hs_error err = {0};
  struct hs_system *system = NULL;
  struct hs_problem *problem = test_problem(config);
  test_ok(hs_problem_build_system(problem, &system, &err), &err);
  assert_non_null(system);
  hs_problem_destroy(problem);
  return system;
}

static void *array(size_t count, size_t size)
{
  struct hs_error err = {0};
  void *memory = NULL;
  test_ok(hs_array_create(&memory, count, size, "a test", &err), &err);
  return memory;
}

struct hs_system *test_system_of_laws(int nx, int ny, double dx_m, double dy_m,
                                      struct hs_node_law (*law_at)(void *context, int i, int j), void *context)
{
  struct hs_error err = {0};
  struct hs_law_table *table = NULL;
  struct hs_system *system = array(1, sizeof *system);
  system->nx = nx;
  system->ny = ny;
  system->dx_m = dx_m;
  system->dy_m = dy_m;
  system->wrap_x = system->wrap_y = -1;
  system->index = array((size_t)nx * (size_t)ny, sizeof *system->index);
  test_ok(hs_law_table_create(&table, &err), &err);
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++) {
      const struct hs_node_law law = law_at(context, i, j);
      test_ok(hs_law_table_intern(table, &law, 0, &system->index[(size_t)j * (size_t)nx + (size_t)i], &err), &err);
    }
  }
  test_ok(hs_law_table_finish(table, system, NULL, &err), &err);
  hs_law_table_destroy(table);
  (void)hs_system_discretise(system, HS_SCHEME_STEADY, NAN, NULL, NULL, NULL);
  return system;
}

double *test_field(const struct hs_system *system)
{
  return array((size_t)system->nx * (size_t)system->ny, sizeof(double));
}

double *test_field_initial(const struct hs_config *config, const struct hs_system *system)
{
  struct hs_error err = {0};
  double *field_k = NULL;
  struct hs_problem *problem = test_problem(config);
  test_ok(hs_problem_initial_field(problem, system, &field_k, &err), &err);
  hs_problem_destroy(problem);
  return field_k;
}

bool test_same(double a, double b)
{
  return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a);
}

void test_fields_same(const char *what, const double *wanted, const double *got, int nx, int ny)
{
  int64_t different = 0;
  for (int j = 0; j < ny; j++) {
    for (int i = 0; i < nx; i++) {
      const size_t n = (size_t)j * (size_t)nx + (size_t)i;
      if (test_same(wanted[n], got[n])) continue;
      if (different++ < DIFFERENCES_SHOWN)
        print_message("# %s: node (%d, %d): wanted %.17g (%a), got %.17g (%a)\n", what, i, j, wanted[n], wanted[n],
                      got[n], got[n]);
    }
  }
  if (different) fail_msg("%s: %lld of %d x %d nodes differ", what, (long long)different, nx, ny);
}

double test_difference(const double *a, const double *b, size_t count)
{
  double largest = 0.0;
  for (size_t n = 0; n < count; n++) largest = fmax(largest, fabs(a[n] - b[n]));
  return largest;
}

void test_near(const char *what, double got, double wanted, double tolerance)
{
  if (!(fabs(got - wanted) <= tolerance))
    fail_msg("%s: got %.17g, wanted %.17g within %.3g; the difference is %.3g", what, got, wanted, tolerance,
             got - wanted);
}
