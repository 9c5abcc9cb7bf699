/* The kernels of cuda-resident, run on the CPU (emulate/emulate.h), against a plain loop over the nodes: the same
 * bits from every kernel of the table, for one block and for many that exchange their edges, cut at random by the
 * host's own functions; with Dirichlet nodes, sources, any weights, and values that are -0, subnormal or as large as is
 * allowed. Most runs are two launches, whose counters go on and pass through 2^32.
 *
 * An argument is the seed of other cases than the usual ones.
 */
#include "kernels/emulate/emulate.h"

#include "kernels/emulate/grid.h"

#include "resident/instances/double_1x4.cu"
#include "resident/instances/double_2x4.cu"
#include "resident/instances/double_2x8.cu"
#include "resident/instances/double_4x12.cu"
#include "resident/instances/double_4x16.cu"
#include "resident/instances/double_4x31.cu"
#include "resident/instances/double_4x8.cu"
#include "resident/instances/single_2x4.cu"
#include "resident/instances/single_2x8.cu"
#include "resident/instances/single_4x4.cu"
#include "resident/instances/single_4x8.cu"
#include "resident/instances/single_8x14.cu"
#include "resident/instances/single_8x31.cu"
#include "resident/instances/single_8x8.cu"
#include "resident/resident.cu"

extern "C" {
#include "backend/cuda/resident/plan.h"
}

enum Kind { PLATE, COLUMNS, ANY, ROWS, SPECKLED, KINDS };
static const char *const kind_names[KINDS] = {"a plate", "stencils by column", "any kind at any node",
                                              "stencils by row", "speckled with held nodes"};

enum Values { ORDINARY, TINY, LARGE, VALUES };
static const char *const value_names[VALUES] = {"ordinary", "some tiny", "some large"};

/* Stencil table: uniform nodes, Dirichlet ones, from GENERAL on with any weights. */
enum { UNIT, DIRICHLET, DIRICHLET_AT_ZERO, UNIT_HEATED, DIRICHLET_TOO, GENERAL, ENTRIES = 12 };

/* Trials of a cut; the first FEW_TRIALS ask for a launch that is not too slow here. */
enum { FEW_WARPS = 40, MANY_WARPS = 120, FEW_TRIALS = 500, TRIALS = 2000 };

static const struct {
  int nx, ny;
} sizes[] = {{1, 1}, {1, 70}, {3, 3}, {70, 1}, {33, 65}, {100, 57}, {130, 40}, {64, 33}, {257, 20}};

struct Case {
  int nx, ny, sweeps;
  Kind kind;
  Values values;
};

static hs_stencil_f64 stencil_random(emulate::Random &random, int entry, Values values)
{
  const hs_stencil_f64 dirichlet = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0},
                       unit = {1.0, 1.0, 1.0, 1.0, 0.0, 4.0, 1.0, 0.0};
  hs_stencil_f64 s = entry == UNIT || entry == UNIT_HEATED ? unit : dirichlet;
  if (entry == DIRICHLET) s.c = random.between(0.0, 100.0);
  if (entry == UNIT_HEATED) s.c = random.between(0.0, 1.0);
  if (entry == DIRICHLET_TOO) s.c = values == ORDINARY ? 5.0 : -0.0;
  if (entry >= GENERAL) {
    const double w = random.between(0.0, 1.0), e = random.between(0.0, 1.0), south = random.between(0.0, 1.0),
                 n = random.between(0.0, 1.0), scale = 4.0 / (w + e + south + n);
    s = {w * scale, e * scale, south * scale, n * scale, random.between(-1.0, 1.0), random.between(1.0, 5.0), 1.0, 0.0};
  }
  return s;
}

/* Coefficient index of node (i, j). */
static int entry_of(emulate::Random &random, const Case &c, int i, int j)
{
  const bool wall = i == 0 || j == 0 || i == c.nx - 1 || j == c.ny - 1;
  const bool heated = i > c.nx / 3 && i < c.nx / 2 && j > c.ny / 3 && j < c.ny / 2;
  switch (c.kind) {
  case PLATE: return wall ? (i == 0 ? DIRICHLET_AT_ZERO : DIRICHLET) : heated ? UNIT_HEATED : UNIT;
  case COLUMNS: return wall ? DIRICHLET : GENERAL + i * 3 / 40 % (ENTRIES - GENERAL);
  case ROWS: return GENERAL + j * 3 / 40 % (ENTRIES - GENERAL);
  case SPECKLED: return random.integer(0, 49) ? UNIT : DIRICHLET_TOO;
  default: return random.integer(0, ENTRIES - 1);
  }
}

static double value_random(emulate::Random &random, Values values, double largest)
{
  const int kind = values == ORDINARY ? -1 : random.integer(0, 399);
  if (kind == 0) return -0.0;
  if (kind == 1) return 1e-310;
  if (kind < 4 && values == LARGE) return kind == 2 ? largest : -largest;
  return random.between(-10.0, 10.0);
}

template <typename Real> static void grid_fill(emulate::Random &random, const Case &c, Grid<Real> &grid)
{
  const double largest = sizeof(Real) == 8 ? HS_RESIDENT_LARGEST_F64 : HS_RESIDENT_LARGEST_F32;
  const bool preset = random.integer(0, 1); /* Dirichlet nodes have their temperatures from the start */
  for (int e = 0; e < ENTRIES; e++) grid.stencil_add(stencil_random(random, e, c.values));
  for (int j = 0; j < c.ny; j++)
    for (int i = 0; i < c.nx; i++) {
      const int entry = entry_of(random, c, i, j);
      const double value = value_random(random, c.values, largest);
      grid.node_set(i, j, entry, preset && entry != UNIT && entry < UNIT_HEATED ? grid.stencil[entry].c : value);
    }
}

/* A cut of the grid at random, among those that the host may choose. */
static hs_resident_plan plan_random(emulate::Random &random, const hs_resident_kernel &k, const hs_resident_grid &grid)
{
  hs_resident_plan plan = {};
  for (int trial = 0; trial < TRIALS; trial++) {
    const int tiles_x = random.integer(1, 12), tiles_y = random.integer(1, 6);
    plan.depth = random.integer(2, 6);
    if (!hs_resident_plan_cut(&k, &grid, tiles_x, tiles_y, &plan)) continue;
    if (plan.tiles_x * plan.tiles_y * plan.warps <= (trial < FEW_TRIALS ? FEW_WARPS : MANY_WARPS)) return plan;
  }
  emulate::fail("no cut of the grid was found");
}

template <typename Real>
static void launches(const hs_resident_kernel &k, const Case &c, Grid<Real> &grid, const hs_resident_plan &plan)
{
  const auto kernel = (void (*)(ResidentArguments<Real>))k.function;
  const int later = c.sweeps > 5 ? 3 : 0; /* sweeps of a second launch */
  std::vector<Real> exchange(plan.exchange_bytes / sizeof(Real), Real(NAN));
  std::vector<unsigned> flags(plan.flag_bytes / sizeof(unsigned), 0xfffffffeu);
  ResidentArguments<Real> arguments = {};
  arguments.system = grid.device();
  arguments.plan = plan;
  arguments.exchange = exchange.data();
  arguments.flags = flags.data();
  for (int n = 0; n < (later ? 2 : 1); n++) {
    arguments.work.from = grid.field[n].data() + grid.origin;
    arguments.work.to = grid.field[1 - n].data() + grid.origin;
    arguments.work.sweeps = n ? later : c.sweeps - later;
    emulate::launch(dim3(plan.tiles_x * plan.tiles_y), dim3(32 * plan.warps), plan.shared_bytes,
                    [&] { kernel(arguments); });
  }
  if (!later) grid.field[0].swap(grid.field[1]);
}

/* One case on one kernel; the label names it. */
template <typename Real> static std::string run(emulate::Random &random, const hs_resident_kernel &k, const Case &c)
{
  Grid<Real> grid(c.nx, c.ny);
  char text[300];
  emulate::machine.label = std::to_string(c.nx) + " x " + std::to_string(c.ny) + " nodes";
  const hs_resident_plan plan = plan_random(random, k, {c.nx, c.ny, sizeof(Real) == 4, false});
  emulate::machine.order = (unsigned)random.integer(0, 2);
  snprintf(text, sizeof text,
           "%d x %d nodes, %s, values %s: %d sweeps, %d x %d tiles of %d lanes x %d rows, %d warps, depth %d, order %u",
           c.nx, c.ny, kind_names[c.kind], value_names[c.values], c.sweeps, plan.tiles_x, plan.tiles_y, plan.tile_lanes,
           plan.tile_rows, plan.warps, plan.depth, emulate::machine.order);
  emulate::machine.label = text;
  grid_fill(random, c, grid);
  launches(k, c, grid, plan);
  grid.sweep_expected(c.sweeps);
  const std::string difference = grid.difference(grid.field[0]);
  return difference.empty() ? "" : text + (": " + difference);
}

template <typename Real> static void test_kernel(emulate::Random &random, const hs_resident_kernel &k, Tap &tap)
{
  std::string difference;
  for (const auto &size : sizes)
    for (int kind = 0; kind < KINDS; kind++) {
      const Values values = random.integer(0, 1) ? ORDINARY : (Values)random.integer(0, VALUES - 1);
      if (difference.empty())
        difference = run<Real>(random, k, {size.nx, size.ny, random.integer(1, 16), (Kind)kind, values});
    }
  tap.result("resident kernel: " + std::string(sizeof(Real) == 8 ? "double" : "float") + ", patches of " +
                 std::to_string(k.columns) + " x " + std::to_string(k.rows) + " nodes, " +
                 std::to_string(k.shared_rows) + " rows of them in shared memory",
             difference);
}

int main(int count, char **arguments)
{
  emulate::Random random = {88172645463325252u + (count > 1 ? strtoull(arguments[1], nullptr, 10) * 7919u : 0u)};
  int doubles, singles;
  const hs_resident_kernel *const *of_double = hs_kernel_resident_table(0, &doubles);
  const hs_resident_kernel *const *of_single = hs_kernel_resident_table(1, &singles);
  Tap tap;
  if (!tap.begin(doubles + singles)) return 0;
  for (int k = 0; k < doubles; k++) test_kernel<double>(random, *of_double[k], tap);
  for (int k = 0; k < singles; k++) test_kernel<float>(random, *of_single[k], tap);
  return tap.end();
}
