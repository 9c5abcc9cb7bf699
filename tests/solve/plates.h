/* Plates at random: any mixture of walls, shapes, anisotropy, layouts and periodic sides. */
#ifndef HS_TESTS_SOLVE_PLATES_H
#define HS_TESTS_SOLVE_PLATES_H

#include "support.h"

enum { TEST_PLATE_REGIONS = 4, TEST_PLATE_LARGEST = 25 }; /* nodes along a side at most */

/* Conductivities differ by up to 10^(2 decades), with anisotropy by a hundred more. One shape is held, so that there is
 * a level. */
struct hs_config test_plate(struct test_random *random, double decades,
                            struct hs_config_region regions[TEST_PLATE_REGIONS], struct hs_config_source *source);

/* The same with up to `largest` nodes along a side. */
struct hs_config test_plate_sized(struct test_random *random, int largest, double decades,
                                  struct hs_config_region regions[TEST_PLATE_REGIONS], struct hs_config_source *source);

/* Largest difference in a field; of an isothermal one 0.001 of its temperature. */
double test_range(const double *field_k, size_t nodes);

#endif
