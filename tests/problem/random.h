/* Problems of every kind: made at random, and those of the examples. */
#ifndef HS_TESTS_PROBLEM_RANDOM_H
#define HS_TESTS_PROBLEM_RANDOM_H

#include "support.h"

enum { RANDOM_SHAPES = 4, EXAMPLES = 26 };

/* What a random configuration points to. */
struct random_parts {
  struct hs_config_region regions[RANDOM_SHAPES];
  struct hs_config_source sources[RANDOM_SHAPES];
  struct hs_config_loss losses[1];
  struct hs_point points[2 * RANDOM_SHAPES + 1][7];
};

/* Walls of every kind, segments, shapes, sources, a loss, both layouts, steady or over time. It may be refused. */
struct hs_config random_config(struct test_random *random, struct random_parts *parts);

/* Example k of configs and examples, coarser where it is large; ends the test where it cannot be read. The caller destroys it. */
struct hs_config *example_read(int k);

#endif
