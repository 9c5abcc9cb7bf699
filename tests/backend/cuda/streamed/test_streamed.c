/* The plan of cuda-streamed (backend/cuda/streamed/plan.h), which needs no device: for random grids and limits of
 * memory the bands cover the grid once, halos are clipped or wrapped as they should be, memory keeps to the limit, and
 * a band's rows are read by its neighbours only.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/streamed/plan.h"

enum { CASES = 4000 };

/* A system of which the plan sees sizes only. */
static struct hs_system random_shape(struct test_random *random)
{
  static uint16_t some_index;
  static double some_source;
  struct hs_system s = {.nx = test_random_integer(random, 2, 20000), .ny = test_random_integer(random, 2, 40000)};
  if (test_random_integer(random, 0, 3) == 0) s.ny = test_random_integer(random, 2, 200);
  s.wrap_x = test_random_integer(random, -1, 1);
  s.wrap_y = test_random_integer(random, -3, 1);
  if (s.wrap_y < 0) s.wrap_y = -1;
  s.table_size = s.nx * 10;
  if (test_random_integer(random, 0, 3)) {
    s.index = &some_index;
    s.table_size = test_random_integer(random, 1, 5000);
  }
  if (test_random_integer(random, 0, 1)) s.source_w_m = &some_source;
  s.storing = test_random_integer(random, 0, 3) == 0;
  return s;
}

static struct hs_streamed_rates random_rates(struct test_random *random)
{
  const double node_s = 1e-9 * exp(test_random_between(random, -9.0, -1.0));
  const struct hs_streamed_rates rates = {50e9, node_s, test_random_integer(random, 0, 4) ? 0 : 32};
  return rates;
}

/* A plan for a limit somewhere between the least and all that the grid needs. */
static void random_plan(struct test_random *random, struct hs_system *system, double *limit_bytes,
                        struct hs_streamed_plan *plan)
{
  const bool single = test_random_integer(random, 0, 1);
  struct hs_streamed_rates rates;
  struct hs_error err = {0};
  *system = random_shape(random);
  rates = random_rates(random);
  *limit_bytes = hs_streamed_least_bytes(system, single) * exp(test_random_between(random, 0.0, 5.0));
  if (rates.band_rows) *limit_bytes = 1e15;
  test_ok(hs_streamed_plan_make(system, single, *limit_bytes, &rates, plan, &err), &err);
}

static void bands_cover_the_grid_once(void **state)
{
  struct test_random random = {71};
  (void)state;
  for (int c = 0; c < CASES; c++) {
    struct hs_system s;
    struct hs_streamed_plan plan;
    double limit_bytes;
    int next = 0;
    random_plan(&random, &s, &limit_bytes, &plan);
    assert_true(plan.bands >= 1 && plan.slots >= 1 && plan.slots <= plan.bands && plan.slots <= HS_STREAMED_SLOTS);
    assert_true(plan.bands < 2 || plan.slots >= 2);
    for (int b = 0; b < plan.bands; b++) {
      const struct hs_streamed_band band = hs_streamed_band(&plan, b);
      assert_int_equal(band.y0, next);
      assert_true(band.y1 > band.y0 && band.y1 - band.y0 <= plan.band_rows);
      assert_int_equal(band.y0 % HS_STREAMED_ALIGN, 0);
      assert_int_equal((band.y0 - band.first) % HS_STREAMED_ALIGN, 0);
      assert_true(band.last - band.first <= plan.slot_rows);
      next = band.y1;
    }
    assert_int_equal(next, s.ny);
  }
}

static void memory_keeps_to_the_limit(void **state)
{
  struct test_random random = {72};
  (void)state;
  for (int c = 0; c < CASES; c++) {
    struct hs_system s;
    struct hs_streamed_plan plan;
    double limit_bytes, fields_bytes;
    random_plan(&random, &s, &limit_bytes, &plan);
    fields_bytes = 2.0 * plan.slots * (double)plan.slot_rows * s.nx * sizeof(float); /* at the very least */
    assert_true(plan.device_bytes <= limit_bytes);
    assert_true(plan.passes_bytes == 0.0 || plan.passes_bytes == hs_streamed_passes_bytes(&s));
    assert_true(plan.device_bytes > fields_bytes + plan.passes_bytes);
    assert_true(plan.device_bytes > fields_bytes);
    assert_true(plan.sweep_s > 0.0 && isfinite(plan.sweep_s));
  }
}

/* More memory never makes the forecast worse by more than the rounding to whole bands. */
static void memory_buys_speed(void **state)
{
  const struct hs_streamed_rates rates = {50e9, 1.0 / 2.3e11, 0};
  uint16_t index;
  const struct hs_system s = {.nx = 16384, .ny = 65536, .wrap_x = -1, .wrap_y = -1, .table_size = 9, .index = &index};
  double before_s = INFINITY;
  (void)state;
  for (double limit_bytes = 2e8; limit_bytes < 4e10; limit_bytes *= 2.0) {
    struct hs_streamed_plan plan;
    struct hs_error err = {0};
    test_ok(hs_streamed_plan_make(&s, false, limit_bytes, &rates, &plan, &err), &err);
    assert_true(plan.sweep_s < 1.1 * before_s);
    assert_true(plan.longest >= HS_STREAMED_ALIGN);
    before_s = plan.sweep_s;
  }
  assert_true(before_s < 1.6 * rates.sweep_s * s.nx * s.ny);
}

/* The rows that a visit of `sweeps` sweeps needs are all there; at open walls the halo ends with the grid. */
static void cones_lie_within_slots(void **state)
{
  struct test_random random = {73};
  (void)state;
  for (int c = 0; c < CASES; c++) {
    struct hs_system s;
    struct hs_streamed_plan plan;
    double limit_bytes;
    struct hs_streamed_band band;
    int64_t sweeps;
    int from, to, b;
    random_plan(&random, &s, &limit_bytes, &plan);
    b = test_random_integer(&random, 0, plan.bands - 1);
    band = hs_streamed_band(&plan, b);
    sweeps = plan.longest < 1000 ? test_random_integer(&random, 1, (int)plan.longest) : plan.longest;
    hs_streamed_cone(&band, sweeps, &from, &to);
    assert_true(from >= band.first && to <= band.last && from <= band.y0 && to >= band.y1);
    if (s.wrap_y < 0) {
      assert_true(from == 0 || from == band.y0 - sweeps);
      assert_true(to == s.ny || to == band.y1 + sweeps);
    } else {
      assert_int_equal(from, band.y0 - sweeps);
      assert_int_equal(to, band.y1 + sweeps);
    }
  }
}

/* Virtual rows are those that a sweep reads there: step by step over the edge. */
static void runs_wrap_like_sweeps_do(void **state)
{
  struct test_random random = {74};
  (void)state;
  for (int c = 0; c < CASES; c++) {
    struct hs_system s;
    struct hs_streamed_plan plan;
    double limit_bytes;
    struct hs_streamed_band band;
    random_plan(&random, &s, &limit_bytes, &plan);
    band = hs_streamed_band(&plan, test_random_integer(&random, 0, plan.bands - 1));
    for (int v = band.first, rows; v < band.last; v += rows) {
      int row;
      rows = hs_streamed_run(&plan, v, band.last, &row);
      assert_true(rows > 0 && v + rows <= band.last && row >= 0 && row + rows <= s.ny);
      if (v >= 0 && v < s.ny) assert_int_equal(row, v);
      if (v + rows == 0) assert_int_equal(row + rows - 1, s.ny - 1 - s.wrap_y);
      if (v == s.ny) assert_int_equal(row, s.wrap_y);
    }
  }
}

/* Bands are as high as halos, so that a trip may overwrite a band as soon as the next one has been read. */
static void rows_are_read_by_neighbours_only(void **state)
{
  struct test_random random = {75};
  (void)state;
  for (int c = 0; c < CASES; c++) {
    struct hs_system s;
    struct hs_streamed_plan plan;
    double limit_bytes;
    random_plan(&random, &s, &limit_bytes, &plan);
    if (plan.bands > 1) assert_true(plan.longest <= plan.halo_rows && plan.halo_rows <= plan.band_rows);
    if (plan.bands > 1 && s.wrap_y == 1) assert_int_equal(plan.longest, 1);
    for (int b = 0; b < plan.bands; b++) {
      const struct hs_streamed_band band = hs_streamed_band(&plan, b);
      int from, to;
      hs_streamed_cone(&band, plan.longest, &from, &to);
      if (s.wrap_y < 0 && b >= 2) assert_true(from >= hs_streamed_band(&plan, b - 2).y1);
      if (s.wrap_y >= 0) {
        assert_int_equal(hs_streamed_reads(&plan, b, plan.longest), plan.bands - 1);
      } else {
        const struct hs_streamed_band last = hs_streamed_band(&plan, hs_streamed_reads(&plan, b, plan.longest));
        assert_true(to > last.y0 && to <= last.y1);
      }
    }
  }
}

static void visits_are_equal_and_add_up(void **state)
{
  struct test_random random = {76};
  (void)state;
  for (int c = 0; c < CASES; c++) {
    const int64_t n = test_random_integer(&random, 1, 5000), longest = test_random_integer(&random, 1, 700);
    const bool alone = test_random_integer(&random, 0, 1);
    int64_t visits = 0, first = 0, last = 0;
    for (int64_t left = n, length; left > 0; left -= length, visits++) {
      length = hs_streamed_length(left, longest, alone);
      assert_true(length >= 1 && length <= longest && length <= left);
      if (visits == 0) first = length;
      if (left > length || !alone) assert_true(first - length <= 1);
      last = length;
    }
    if (alone) assert_int_equal(last, 1);
    assert_true(visits <= (n + longest - 1) / longest + (alone ? 1 : 0));
  }
  assert_int_equal(hs_streamed_length(1000000, INT64_MAX, false), 1000000);
}

static void a_limit_below_the_least_is_refused(void **state)
{
  struct test_random random = {77};
  (void)state;
  for (int c = 0; c < 100; c++) {
    const struct hs_system s = random_shape(&random);
    const struct hs_streamed_rates rates = {50e9, 1e-12, 0};
    const double least_bytes = hs_streamed_least_bytes(&s, c % 2);
    struct hs_streamed_plan plan;
    struct hs_error err = {0};
    assert_int_equal(hs_streamed_plan_make(&s, c % 2, 0.99 * least_bytes, &rates, &plan, &err), HS_ERR_DEVICE);
    assert_non_null(strstr(err.text, "MB"));
    test_ok(hs_streamed_plan_make(&s, c % 2, least_bytes, &rates, &plan, &err), &err);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bands_cover_the_grid_once),   cmocka_unit_test(memory_keeps_to_the_limit),
      cmocka_unit_test(memory_buys_speed),           cmocka_unit_test(cones_lie_within_slots),
      cmocka_unit_test(runs_wrap_like_sweeps_do),    cmocka_unit_test(rows_are_read_by_neighbours_only),
      cmocka_unit_test(visits_are_equal_and_add_up), cmocka_unit_test(a_limit_below_the_least_is_refused),
  };
  return cmocka_run_group_tests_name("streamed", tests, NULL, NULL);
}
