/* Values over the whole range, from subnormal to huge, zeros, NaN and infinities. */
#include "backend/compare.h"

#include <math.h>
#include <stdlib.h>

/* fetch gives back what load was given: exactly in double, rounded once in single precision. */
static void fetch_returns_what_was_loaded(void **state)
{
  static const double values[] = {0.0, -0.0, 1.0, 1.0 / 3.0, -1e300, 5e-324, -2.2e-308, 1e-45, 3e38, 1e39, INFINITY};
  enum { VALUES = sizeof values / sizeof *values };
  struct test_random random = {8};
  for (int c = 0; c < 2 * KINDS * THREAD_CHOICES; c++) {
    struct hs_system *s = system_of_kind(c / 2 % KINDS, &random, 37, 21);
    double *field_k = random_field(&random, s, 1.0);
    struct bench b = bench_open(*state, s, c % 2, c / (2 * KINDS));
    for (int n = 0; n < 37 * 21; n += 3) field_k[n] = values[n / 3 % VALUES];
    bench_load(&b, field_k);
    bench_fields(&b, "load");
    for (int n = 0; c % 2 && n < 37 * 21; n++) field_k[n] = (double)(float)field_k[n];
    test_fields_same("fetch after load", field_k, b.got, s->nx, s->ny);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* Random fields of a given size, from the largest to the subnormal numbers, where products of stored weights round. */
static void sizes_of_values(void **state)
{
  static const double sizes[] = {1e307,  1e300,  1e-150, 1e-300, 3e-308, 1e-310,
                                 2e-322, 5e-324, 1e37,   1e-38,  1e-41,  4e-45};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  struct test_random random = {9};
  for (int c = 0; c < 2 * SIZES * KINDS; c++) {
    struct hs_system *s = system_of_kind(c / 2 % KINDS, &random, 45, 38);
    double *field_k = random_field(&random, s, sizes[c / 2 / KINDS]);
    struct bench b;
    constants_scale(s, sizes[c / 2 / KINDS]);
    b = bench_open(*state, s, c % 2, c / (2 * KINDS));
    bench_exercise(&b, field_k, 5);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

static void sizes_of_diagonals(void **state)
{
  struct test_random random = {17};
  for (int c = 0; c < DIAGONAL_CASES; c++) {
    double *field_k = NULL;
    struct hs_system *s = system_of_diagonal(&random, c, 45, 38, &field_k);
    struct bench b = bench_open(*state, s, false, c);
    bench_exercise(&b, field_k, 5);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* Signs of zero, and single values that spread: zeros, one NaN, one infinity. */
static void zeros_and_lonely_values(void **state)
{
  static const double lonely[] = {0.0, -0.0, NAN, INFINITY, -INFINITY, 1.7e308, 5e-324};
  enum { LONELY = sizeof lonely / sizeof *lonely };
  struct test_random random = {10};
  for (int c = 0; c < 2 * LONELY * KINDS; c++) {
    struct hs_system *s = system_of_kind(c / 2 % KINDS, &random, 41, 35);
    double *field_k = test_field(s);
    struct bench b = bench_open(*state, s, c % 2, c / (2 * KINDS));
    for (int n = 0; n < 41 * 35; n++) field_k[n] = test_random_integer(&random, 0, 1) ? 0.0 : -0.0;
    field_k[test_random_integer(&random, 0, 41 * 35 - 1)] = lonely[c / 2 / KINDS];
    bench_exercise(&b, field_k, 2);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* One infinity at the east wall, in rows of any length: nothing may come back from beyond the wall. */
static void infinities_at_the_east_wall(void **state)
{
  struct test_random random = {15};
  for (int c = 0; c < 128; c++) {
    const int nx = 33 + c / 2 % 16, ny = 20;
    struct hs_system *s = system_of_kind(c < 64 ? KIND_RANDOM : KIND_EQUAL, &random, nx, ny);
    double *field_k = random_field(&random, s, 300.0);
    struct bench b = bench_open(*state, s, c % 2, c / 16);
    for (int j = 1; j < ny; j += 6) field_k[j * nx + nx - 1] = c % 64 < 32 ? INFINITY : -INFINITY;
    bench_exercise(&b, field_k, 3);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

/* Rows of infinities 32 rows apart, the first beyond the north wall not being there: memory of rows that lay elsewhere
 * before must not be taken for it. */
static void infinities_as_far_as_the_north_wall(void **state)
{
  struct test_random random = {16};
  for (int c = 0; c < 32; c++) {
    const int nx = 20 + c % 16, ny = 130 + 7 * (c % 16);
    struct hs_system *s = system_of_kind(c < 16 ? KIND_RANDOM : KIND_EQUAL, &random, nx, ny);
    double *field_k = random_field(&random, s, 300.0);
    struct bench b = bench_open(*state, s, c % 2, c);
    for (int n = 0; n < nx * ny; n++)
      if (n / nx % 32 == ny % 32) field_k[n] = INFINITY;
    bench_exercise(&b, field_k, 3);
    bench_close(&b);
    free(field_k);
    hs_system_destroy(s);
  }
}

const struct suite_test suite_values[] = {
    {"fetch returns what was loaded", fetch_returns_what_was_loaded, FOR_ALL},
    {"values from subnormal to huge", sizes_of_values, FOR_ALL},
    {"diagonals from tiny to huge", sizes_of_diagonals, FOR_ALL},
    {"zeros, NaN and infinity", zeros_and_lonely_values, FOR_ALL},
    {"infinities at the east wall", infinities_at_the_east_wall, FOR_ALL},
    {"infinities as far as the north wall", infinities_as_far_as_the_north_wall, FOR_ALL},
    {.name = NULL},
};
