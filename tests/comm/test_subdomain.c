/* How grids are cut (src/comm/subdomain.h): what every cut must have, for many of them. */
#include "comm/subdomain.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

enum { CUTS = 400, LARGEST = 90 };

static struct hs_partition random_partition(struct test_random *random)
{
  const bool cell = test_random_integer(random, 0, 1);
  struct hs_partition p =
      hs_partition_whole(test_random_integer(random, 16, LARGEST), test_random_integer(random, 16, LARGEST),
                         test_random_integer(random, 0, 1), test_random_integer(random, 0, 1), cell);
  p.align = test_random_integer(random, 1, 3);
  p.count_x = test_random_integer(random, 1, p.grid_nx / (3 * p.align));
  p.count_y = test_random_integer(random, 1, p.grid_ny / (3 * p.align));
  p.ghost = test_random_integer(random, 1, 3);
  return p;
}

static void blocks_cover_every_node_once(void **state)
{
  struct test_random random = {1};
  (void)state;
  for (int cut = 0; cut < CUTS; cut++) {
    const struct hs_partition p = random_partition(&random);
    unsigned char owners[LARGEST * LARGEST] = {0};
    for (int part = 0; part < hs_partition_parts(&p); part++) {
      const struct hs_rectangle own = hs_partition_own(&p, part);
      assert_true(own.nx > 0 && own.ny > 0 && own.x0 % p.align == 0 && own.y0 % p.align == 0);
      assert_in_range(own.nx, p.grid_nx / p.count_x - 2 * p.align + 1, p.grid_nx / p.count_x + p.align);
      for (int j = own.y0; j < own.y0 + own.ny; j++)
        for (int i = own.x0; i < own.x0 + own.nx; i++) owners[j * p.grid_nx + i]++;
    }
    for (int n = 0; n < p.grid_nx * p.grid_ny; n++) assert_int_equal(owners[n], 1);
  }
}

/* One direction of a window: `ghost` more nodes where another part lies, none elsewhere. */
static void check_window(int n, int period, int count, int ghost, int own0, int own_n, int x0, int nx)
{
  int low = own0 - ghost, end = own0 + own_n + ghost;
  if (count == 1) {
    low = 0;
    end = n;
  } else if (period == 0) {
    if (low < 0) low = 0;
    if (end > n) end = n;
  }
  assert_int_equal(x0, low);
  assert_int_equal(x0 + nx, end);
}

static void windows_reach_into_their_neighbours(void **state)
{
  struct test_random random = {2};
  (void)state;
  for (int cut = 0; cut < CUTS; cut++) {
    const struct hs_partition p = random_partition(&random);
    for (int part = 0; part < hs_partition_parts(&p); part++) {
      const struct hs_rectangle own = hs_partition_own(&p, part), window = hs_partition_window(&p, part);
      check_window(p.grid_nx, p.period_x, p.count_x, p.ghost, own.x0, own.nx, window.x0, window.nx);
      check_window(p.grid_ny, p.period_y, p.count_y, p.ghost, own.y0, own.ny, window.y0, window.ny);
    }
  }
}

static void a_whole_grid_is_one_part_without_ghosts(void **state)
{
  const struct hs_partition open = hs_partition_whole(7, 5, false, false, false);
  const struct hs_partition round = hs_partition_whole(7, 5, true, true, false);
  const struct hs_partition cells = hs_partition_whole(7, 5, true, true, true);
  const struct hs_rectangle all = {0, 0, 7, 5}, window = hs_partition_window(&round, 0);
  (void)state;
  assert_int_equal(hs_partition_parts(&open), 1);
  assert_int_equal(open.period_x, 0);
  assert_int_equal(round.period_x, 6); /* opposite walls are the same nodes */
  assert_int_equal(round.period_y, 4);
  assert_int_equal(cells.period_x, 7);
  assert_int_equal(cells.period_y, 5);
  assert_memory_equal(&window, &all, sizeof all);
}

static const struct hs_partition_costs COSTS = {
    .node_s = 1e-10, .latency_s = 1e-5, .byte_s = 1e-10, .node_bytes = 8.0, .strided = 1.0, .pass = 32};

/* All parts are used where the grid allows it, ghost zones lie within the nearest parts, and no part is too small. */
static void chosen_cuts_can_be_made(void **state)
{
  struct test_random random = {3};
  (void)state;
  for (int cut = 0; cut < CUTS; cut++) {
    const int nx = test_random_integer(&random, 2, 3000), ny = test_random_integer(&random, 2, 3000);
    const int parts = test_random_integer(&random, 1, 64);
    const bool around_x = test_random_integer(&random, 0, 1), around_y = test_random_integer(&random, 0, 1);
    const struct hs_partition whole = hs_partition_whole(nx, ny, around_x, around_y, false);
    const struct hs_partition p = hs_partition_choose(&whole, parts, 1, &COSTS);
    assert_in_range(hs_partition_parts(&p), 1, parts);
    if (nx > HS_PARTITION_LEAST * parts + parts || ny > HS_PARTITION_LEAST * parts + parts)
      assert_int_equal(hs_partition_parts(&p), parts);
    if (hs_partition_parts(&p) == 1) assert_int_equal(p.ghost, 0);
    for (int part = 0; part < hs_partition_parts(&p) && hs_partition_parts(&p) > 1; part++) {
      const struct hs_rectangle own = hs_partition_own(&p, part);
      assert_in_range(p.ghost, 1, HS_PARTITION_GHOST_MOST);
      if (p.count_x > 1) assert_true(own.nx >= HS_PARTITION_LEAST && own.nx >= p.ghost);
      if (p.count_y > 1) assert_true(own.ny >= HS_PARTITION_LEAST && own.ny >= p.ghost);
    }
  }
}

/* Multigrid cannot do with a cut across periodic walls with an odd number of nodes between them. */
static void odd_periods_are_not_cut(void **state)
{
  const struct hs_partition odd = hs_partition_whole(20000, 200, true, false, false);
  const struct hs_partition even = hs_partition_whole(20001, 200, true, false, false);
  struct hs_partition p = hs_partition_choose(&odd, 4, 1, &COSTS);
  (void)state;
  assert_int_equal(p.count_x, 1);
  p = hs_partition_choose(&even, 4, 1, &COSTS);
  assert_int_equal(p.count_x, 4);
}

static void the_cut_has_a_small_surface(void **state)
{
  struct hs_partition_costs costs = COSTS;
  const struct hs_partition flat = hs_partition_whole(20000, 200, false, false, false);
  const struct hs_partition tall = hs_partition_whole(200, 20000, false, false, false);
  const struct hs_partition square = hs_partition_whole(20000, 20000, false, false, false);
  struct hs_partition p = hs_partition_choose(&flat, 4, 1, &costs);
  (void)state;
  assert_int_equal(p.count_x, 4);
  p = hs_partition_choose(&tall, 4, 1, &costs);
  assert_int_equal(p.count_y, 4);
  costs.latency_s = 1.0; /* deep ghost zones, where exchanges are slow */
  p = hs_partition_choose(&square, 4, 1, &costs);
  assert_int_equal(p.ghost, HS_PARTITION_GHOST_MOST);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_cover_every_node_once),
      cmocka_unit_test(windows_reach_into_their_neighbours),
      cmocka_unit_test(a_whole_grid_is_one_part_without_ghosts),
      cmocka_unit_test(chosen_cuts_can_be_made),
      cmocka_unit_test(odd_periods_are_not_cut),
      cmocka_unit_test(the_cut_has_a_small_surface),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
