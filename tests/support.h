/* What the numerical test programs share: random numbers with a seed, configurations made in code,
 * systems made node by node, and a comparison of fields that says where they differ.
 *
 * Everything here ends the running test when it fails (cmocka's fail), so that tests read as plain
 * statements. Memory belongs to the caller unless said otherwise.
 */
#ifndef HS_TESTS_SUPPORT_H
#define HS_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/config.h"
#include "problem/laws/law_table.h"
#include "problem/problem.h"
#include "problem/system.h"

/* --- random numbers: SplitMix64 (Steele, Lea, Flood 2014), the same on every machine ------------- */

struct test_random {
  uint64_t state;
};

uint64_t test_random_bits(struct test_random *random);
double test_random_unit(struct test_random *random); /* in [0, 1) */
double test_random_between(struct test_random *random, double low, double high);
int test_random_integer(struct test_random *random, int low, int high); /* low and high included */
double test_random_normal(struct test_random *random);                  /* mean 0, variance 1, within 6 */

/* --- many like cases ------------------------------------------------------------------------------- */

/* How far it is from one case to the next that is tried: n, or 1 where HEATSOLVE_TEST_ALL in the environment is not empty. n must have
 * no factor in common with the periods by which cases take their traits, so that each trait is still met. */
int test_every(int n);

/* --- configurations ------------------------------------------------------------------------------ */

/* A plate of nx x ny nodes with equal spacing 1/(nx-1) m, conductivity 1, all temperatures 0, no source; solver:
 * cpu with one thread (threads that meet after microseconds crawl on a busy machine), double, update_l2 to 1e-6, no
 * demand on the balance, check_every 128, one million sweeps at most. What it points to is static and reused after 64
 * configurations. boundaries[side] is the wall of that side, materials[0] the background (no capacity). */
struct hs_config test_config(int nx, int ny);

/* The same with spacings of its own. */
struct hs_config test_config_spaced(int nx, int ny, double dx_m, double dy_m);

/* Values; the text of a formula, and names, must outlive the configuration. */
struct hs_config_value test_value(double number);
struct hs_config_value test_formula(const char *text);

/* A material of equal conductivity in x and y; density and heat capacity may be NaN. At most 8 in a configuration. */
struct hs_config_material test_material(const char *name, double conductivity_w_mk, double density_kg_m3,
                                        double heat_capacity_j_kgk);
void test_material_add(struct hs_config *config, struct hs_config_material material);

/* Change one whole wall. */
void test_wall_temperature(struct hs_config *config, enum hs_side side, double temperature_k);
void test_wall_insulated(struct hs_config *config, enum hs_side side);
void test_wall_periodic(struct hs_config *config, enum hs_side side);
void test_wall_flux(struct hs_config *config, enum hs_side side, double flux_w_m2);
void test_wall_convection(struct hs_config *config, enum hs_side side, double h_w_m2k, double ambient_k);

/* Sources of three shapes, named "spot", "block", "glow". */
struct hs_config_source test_source_node(int i, int j, double density_w_m3);
struct hs_config_source test_source_rectangle(double x0_m, double x1_m, double y0_m, double y1_m, double density_w_m3);
struct hs_config_source test_source_everywhere(double density_w_m3);

/* The workshop's problem: n x n nodes, spacing 1/n, walls at 0, 10000 W/m3 at node (n/2, n/2), update_l2 to 1e-4.
 * *spot receives the source and must outlive the configuration. */
struct hs_config test_config_workshop(int n, struct hs_config_source *spot);

/* --- systems and fields -------------------------------------------------------------------------- */

/* The problem of config; ends the test when it is refused. The caller destroys it. */
struct hs_problem *test_problem(const struct hs_config *config);

/* The system of config; ends the test when it is refused. */
struct hs_system *test_system(const struct hs_config *config);

/* A steady, not periodic system whose node (i, j) obeys law_at(context, i, j). */
struct hs_system *test_system_of_laws(int nx, int ny, double dx_m, double dy_m,
                                      struct hs_node_law (*law_at)(void *context, int i, int j), void *context);

/* An array of the system's size, zeroed. */
double *test_field(const struct hs_system *system);

/* The initial field of config on its system. */
double *test_field_initial(const struct hs_config *config, const struct hs_system *system);

/* Are two numbers the same bits? Any NaN is the same as any other. */
bool test_same(double a, double b);

/* Ends the test unless both fields have the same bits; says at which nodes they differ. */
void test_fields_same(const char *what, const double *wanted, const double *got, int nx, int ny);

/* The largest |a - b|. */
double test_difference(const double *a, const double *b, size_t count);

/* Ends the test unless |got - wanted| <= tolerance. */
void test_near(const char *what, double got, double wanted, double tolerance);

/* Ends the test with err's text unless status is HS_OK. */
void test_ok(hs_status status, const struct hs_error *err);

#endif
