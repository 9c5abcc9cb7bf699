/* A result made by hand on a grid of 7 x 5 nodes, for tests of what is written of it; no solver is needed.
 *
 * Every test that is named by TEST has a fresh folder, and must leave no temporary file in it.
 */
#ifndef HS_TESTS_OUTPUT_FIXTURE_H
#define HS_TESTS_OUTPUT_FIXTURE_H

#include "support.h"

#include <hdf5.h>

#include "output/field/snapshots.h"
#include "run/result.h"

enum { NX = 7, NY = 5, CHECKS = 3 };

struct fixture {
  struct hs_config config;
  struct hs_config_material config_materials[2];
  struct hs_problem problem;
  struct hs_material materials[2];
  struct hs_cell_class classes[2];
  uint16_t cell[(NY - 1) * (NX - 1)];
  struct hs_material_answer material_answers[2];
  struct hs_result result;
  double field_k[NY * NX];
  struct hs_check history[CHECKS];
};

/* Fills a fixture, which points to itself: a converged run on one material, whose folder is test_folder(). */
void fixture_fill(struct fixture *fixture);

/* The northern half of the cells becomes of the second material. */
void fixture_make_two_materials(struct fixture *fixture);

/* Makes the fixture transient; its snapshots are asked for. */
void fixture_make_transient(struct fixture *fixture);

/* Takes snapshot k, the fixture's field plus k kelvin at k seconds; or all of the first count, from beginning to end. */
hs_status fixture_take(struct hs_snapshots *snapshots, const struct fixture *fixture, int k, struct hs_error *err);
void fixture_take_all(const struct fixture *fixture, int count);

/* An attribute of a file is this text in UTF-8. */
void assert_text_attribute(hid_t object, const char *name, const char *expected);

int fixture_set_up(void **state);
int fixture_tear_down(void **state);

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

#endif
