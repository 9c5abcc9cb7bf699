/* Ghost nodes: every one of them comes from the part that owns it, once. */
#include "support.h"

#include <stdlib.h>

#include "comm/halo.h"

/* The node of the grid at a place that may lie around periodic walls. */
static int node_at(const struct hs_partition *p, int x, int y)
{
  const int column = x < 0 ? x + p->period_x : x < p->grid_nx ? x : x - p->period_x;
  const int row = y < 0 ? y + p->period_y : y < p->grid_ny ? y : y - p->period_y;
  return row * p->grid_nx + column;
}

/* Marks own nodes, copies what transfers say, and looks at the window of one part. */
static void part_check(const struct hs_partition *p, int part)
{
  const struct hs_rectangle window = hs_partition_window(p, part), own = hs_partition_own(p, part);
  int *seen = calloc((size_t)window.nx * (size_t)window.ny, sizeof *seen), count;
  struct hs_transfer *transfers;
  struct hs_error err = {0};
  assert_non_null(seen);
  test_ok(hs_halo_find(p, part, &transfers, &count, &err), &err);
  for (int k = 0; k < count; k++) {
    const struct hs_transfer *t = &transfers[k];
    const struct hs_rectangle from = hs_partition_window(p, t->from), theirs = hs_partition_own(p, t->from);
    assert_int_equal(t->to, part);
    assert_true(t->source.nx == t->target.nx && t->source.ny == t->target.ny);
    for (int m = 0; m < k; m++) assert_false(transfers[m].from == t->from && transfers[m].tag == t->tag);
    for (int j = 0; j < t->target.ny; j++) {
      for (int i = 0; i < t->target.nx; i++) {
        const int x = from.x0 + t->source.x0 + i, y = from.y0 + t->source.y0 + j;
        assert_in_range(x - theirs.x0, 0, theirs.nx - 1);
        assert_in_range(y - theirs.y0, 0, theirs.ny - 1);
        assert_int_equal(node_at(p, x, y), node_at(p, window.x0 + t->target.x0 + i, window.y0 + t->target.y0 + j));
        seen[(t->target.y0 + j) * window.nx + t->target.x0 + i]++;
      }
    }
  }
  for (int j = 0; j < window.ny; j++) {
    for (int i = 0; i < window.nx; i++) {
      const bool mine = i + window.x0 >= own.x0 && i + window.x0 < own.x0 + own.nx && j + window.y0 >= own.y0 &&
                        j + window.y0 < own.y0 + own.ny;
      assert_int_equal(seen[j * window.nx + i], !mine);
    }
  }
  free(transfers);
  free(seen);
}

static void ghosts_come_from_their_owners(void **state)
{
  struct test_random random = {5};
  int deep = 0;
  (void)state;
  for (int c = 0; c < 400; c++) {
    const int nx = test_random_integer(&random, 2, 60), ny = test_random_integer(&random, 2, 60);
    struct hs_partition p = hs_partition_whole(nx, ny, test_random_integer(&random, 0, 1),
                                               test_random_integer(&random, 0, 1), test_random_integer(&random, 0, 1));
    int deepest;
    p.count_x = test_random_integer(&random, 1, 5);
    p.count_y = test_random_integer(&random, 1, 5);
    deepest = hs_partition_deepest(&p);
    if (deepest < 1 || hs_partition_parts(&p) == 1) continue;
    p.ghost = test_random_integer(&random, 1, deepest);
    deep += p.ghost == deepest;
    for (int part = 0; part < hs_partition_parts(&p); part++) part_check(&p, part);
  }
  assert_true(deep > 10);
}

static void one_part_has_no_ghosts(void **state)
{
  const struct hs_partition p = hs_partition_whole(10, 10, true, true, false);
  struct hs_transfer *transfers;
  struct hs_error err = {0};
  int count;
  (void)state;
  test_ok(hs_halo_find(&p, 0, &transfers, &count, &err), &err);
  assert_int_equal(count, 0);
  free(transfers);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ghosts_come_from_their_owners),
      cmocka_unit_test(one_part_has_no_ghosts),
  };
  return cmocka_run_group_tests_name("halo", tests, NULL, NULL);
}
