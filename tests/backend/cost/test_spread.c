/* The model of exchanges between parts of a grid (backend/cost/spread.h), and of devices that are not here. */
#include "backend/cost/spread.h"

#include <math.h>
#include <stdlib.h>

#include "backend/cost/cost.h"
#include "backend/cost/tuning.h"
#include "backend/distributed/distributed.h"
#include "comm/halo.h"
#include "problem/problem.h"
#include "support.h"

static struct hs_partition cut(int nx, int ny, int count_x, int count_y, int ghost)
{
  struct hs_partition p = hs_partition_whole(nx, ny, false, false, false);
  p.count_x = count_x;
  p.count_y = count_y;
  p.ghost = ghost;
  return p;
}

/* The model counts what the exchange of fields really moves. */
static void exchanges_are_those_of_the_halo(void **state)
{
  static const bool walls[][2] = {{false, false}, {true, false}, {true, true}};
  (void)state;
  for (int k = 0; k < 27; k++) {
    const struct hs_links links = hs_links_ranks();
    struct hs_partition p = hs_partition_whole(97, 83, walls[k / 9][0], walls[k / 9][1], k % 2);
    struct hs_exchange e;
    double bytes = 0.0, most = 0.0;
    p.count_x = 1 + k % 3;
    p.count_y = 1 + k / 3 % 3;
    p.ghost = 5;
    for (int to = 0; to < hs_partition_parts(&p); to++) {
      struct hs_transfer *transfers = NULL;
      struct hs_error err = {0};
      double here = 0.0;
      int count;
      test_ok(hs_halo_find(&p, to, &transfers, &count, &err), &err);
      for (int t = 0; t < count; t++) here += 8.0 * transfers[t].target.nx * transfers[t].target.ny;
      free(transfers);
      bytes += here;
      most = fmax(most, here);
    }
    e = hs_spread_exchange(&p, &links, 8.0);
    test_near("bytes of all", e.all_bytes, bytes, 0.0);
    test_near("bytes of a part", e.part_bytes, most, 0.0);
  }
}

/* Four parts in rows: 0 and 1 on a node, 2 and 3 on another. */
static void nodes_share_their_network(void **state)
{
  const struct hs_partition p = cut(1000, 4000, 1, 4, 10);
  const struct hs_links links = {.node_parts = 2,
                                 .link_latency_s = 1e-5,
                                 .link_byte_s = 1e-12,
                                 .strided = 1.0,
                                 .network_latency_s = 1e-4,
                                 .network_byte_s = 1e-10};
  const struct hs_exchange e = hs_spread_exchange(&p, &links, 8.0);
  const struct hs_partition blocks = cut(1000, 4000, 2, 2, 10);
  const struct hs_exchange two_by_two = hs_spread_exchange(&blocks, &links, 8.0);
  (void)state;
  test_near("a part's bytes", e.part_bytes, 2 * 80000.0, 0.0);
  test_near("a node's bytes", e.node_bytes, 80000.0, 0.0);
  test_near("all bytes", e.all_bytes, 6 * 80000.0, 0.0);
  test_near("messages", e.all_messages, 6.0, 0.0);
  assert_true(e.network);
  test_near("time", e.s, 1e-4 + 80000.0 * 1e-10, 1e-15);
  test_near("bytes of a node whose parts all have neighbours elsewhere", two_by_two.node_bytes, 2 * (40000.0 + 800.0),
            0.0);
  test_near("four parts agree", hs_spread_reduce_s(&p, &links), 1e-5 + 1e-4, 1e-15);
}

/* Worse links and more layers never make an exchange cheaper. */
static void costs_are_monotone(void **state)
{
  struct hs_backend_cost before = {.sweep_s = 0.0};
  (void)state;
  for (int worse = 0; worse < 6; worse++) {
    const struct hs_partition p = cut(20000, 20000, 2, 4, 32);
    const double factor = pow(3.0, worse);
    const struct hs_links links = {4, 1e-5 * factor, 1e-12 * factor, 1.0, 2e-5 * factor, 2e-11 * factor};
    struct hs_backend_cost cost = {.sweep_s = 1e-4, .test_s = 1e-4, .step_s = 1e-4, .cycle_s = 1e-3, .levels_s = 1e-2};
    hs_spread_add(&p, &links, false, HS_FORM_JACOBI, &cost);
    assert_true(cost.sweep_s > before.sweep_s && cost.test_s > before.test_s && cost.step_s > before.step_s);
    assert_true(cost.cycle_s > before.cycle_s && cost.levels_s > before.levels_s);
    before = cost;
  }
}

static void one_part_costs_nothing_more(void **state)
{
  const struct hs_partition p = hs_partition_whole(5000, 5000, false, false, false);
  const struct hs_links links = hs_links_devices();
  struct hs_backend_cost cost = {.sweep_s = 1e-4, .cycle_s = 1e-3};
  const struct hs_exchange e = hs_spread_exchange(&p, &links, 8.0);
  (void)state;
  hs_spread_add(&p, &links, false, HS_FORM_CHEBYSHEV, &cost);
  test_near("a sweep", cost.sweep_s, 1e-4, 0.0);
  test_near("a cycle", cost.cycle_s, 1e-3, 0.0);
  test_near("bytes", e.all_bytes + e.s + e.all_messages, 0.0, 0.0);
}

/* What was measured on two H200 (doc/measurements.md), G nodes/s. Columns of ghosts cost by the row there, and are not modelled in
 * single precision. */
static void the_model_meets_what_was_measured(void **state)
{
  static const struct {
    bool single;
    int nx, ny, count_x, count_y;
    double rate;
  } rows[] = {{false, 16384, 16384, 1, 1, 2614}, {true, 16384, 16384, 1, 1, 4915},  {false, 16384, 8192, 1, 1, 2501},
              {true, 16384, 8192, 1, 1, 4585},   {false, 16384, 32768, 1, 2, 5136}, {true, 16384, 32768, 1, 2, 9517},
              {false, 16384, 16384, 1, 2, 4835}, {true, 16384, 16384, 1, 2, 8821},  {false, 32768, 16384, 2, 1, 3849},
              {false, 32768, 16384, 1, 2, 5070}};
  const struct hs_links links = hs_links_devices();
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const int parts = rows[k].count_x * rows[k].count_y;
    const struct hs_partition p = cut(rows[k].nx, rows[k].ny, rows[k].count_x, rows[k].count_y, parts > 1 ? 64 : 0);
    const struct hs_rectangle window = hs_spread_window(&p);
    const struct hs_cost_sweep sweep = {.nodes = (double)window.nx * window.ny, .single = rows[k].single};
    struct hs_backend_cost cost = hs_cost_gpu_of(&sweep, window.nx, window.ny, false);
    hs_spread_add(&p, &links, rows[k].single, HS_FORM_JACOBI, &cost);
    test_near("model over measured", 1e-9 * rows[k].nx * rows[k].ny / cost.sweep_s / rows[k].rate, 1.0, 0.06);
  }
}

/* The forecast of a distributed backend is that of a part, and the model. */
static void distributed_backends_rest_on_the_model(void **state)
{
  const struct hs_config config = test_config(600, 400);
  struct hs_backend_options options = {.threads_most = 1, .testing = {.parts = cut(600, 400, 1, 2, 8)}};
  const struct hs_links links = hs_links_devices();
  const struct hs_backend *two = hs_distributed_of(&hs_backend_cpu);
  struct hs_problem *problem;
  struct hs_system *system;
  struct hs_backend_cost whole, part;
  struct hs_error err = {0};
  (void)state;
  test_ok(hs_problem_create(&config, NULL, &problem, &err), &err);
  test_ok(hs_problem_build_system(problem, &system, &err), &err);
  whole = two->cost(system, &options);
  system->ny = 208;
  part = hs_backend_cpu.cost(system, &options);
  system->ny = 400;
  hs_spread_add(&options.testing.parts, &links, false, HS_FORM_JACOBI, &part);
  test_near("a sweep", whole.sweep_s, part.sweep_s, 1e-12 * part.sweep_s);
  assert_true(part.sweep_s > links.link_latency_s / 8.0);
  hs_system_destroy(system);
  hs_problem_destroy(problem);
}

/* Wide and low takes longer than a square of as many nodes; taller parts come closer. */
static void thin_parts_take_longer(void **state)
{
  double before = 0.0;
  (void)state;
  for (int ny = 64; ny <= 16384; ny *= 4) {
    const double nx = 268435456.0 / ny;
    const struct hs_cost_sweep sweep = {.nodes = nx * ny};
    const double rate = sweep.nodes / hs_cost_gpu_of(&sweep, nx, ny, false).sweep_s;
    assert_true(rate > before);
    before = rate;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exchanges_are_those_of_the_halo),
      cmocka_unit_test(nodes_share_their_network),
      cmocka_unit_test(costs_are_monotone),
      cmocka_unit_test(one_part_costs_nothing_more),
      cmocka_unit_test(the_model_meets_what_was_measured),
      cmocka_unit_test(distributed_backends_rest_on_the_model),
      cmocka_unit_test(thin_parts_take_longer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
