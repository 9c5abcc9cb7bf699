/* The kernel of cuda-blocked, run on the CPU (emulate/emulate.h) with the plan that the host makes for it, against a
 * plain loop over the nodes: the same bits for one node up to several strips and items, 1 to 32 sweeps, few and many
 * kinds of nodes. Some cases are two launches, between which fields change places. Of every plan it is told
 * beforehand how much memory it takes, or why there is none.
 *
 * An argument is the seed of other cases than the usual ones.
 */
#include "kernels/emulate/emulate.h"

#include "blocked/sweep.cuh"
#include "kernels/emulate/grid.h"

extern "C" {
#include "backend/cuda/blocked/plan.h"
}

enum Kind { FEW, ANY, STRIPES, LAYERS, KINDS };
static const char *const kind_names[KINDS] = {"few kinds of nodes", "any kind at any node", "stripes",
                                              "the same kinds in most rows"};

/* Entries: from 0 on nodes with four equal weights, from DIRICHLET on Dirichlet ones, from GENERAL on with any weights. */
enum { DIRICHLET = 3, GENERAL = 5 };

static const struct {
  int nx, ny;
} sizes[] = {{1, 1},    {1, 70},   {3, 3},    {70, 1},   {33, 65},  {100, 190}, {320, 40},
             {321, 33}, {420, 60}, {577, 45}, {640, 50}, {641, 20}, {1300, 70}, {40, 600}};

struct Case {
  int nx, ny, sweeps, blocks, launches;
  Kind kind;
};

static hs_stencil_f64 stencil_random(emulate::Random &random, int entry)
{
  static const double constants[DIRICHLET] = {0.0, 0.3, -0.7};
  hs_stencil_f64 s = {};
  if (entry < DIRICHLET) {
    s.west = s.east = s.south = s.north = 1.0;
    s.c = constants[entry];
    s.diagonal = 4.0;
  } else if (entry < GENERAL) {
    s.c = random.between(0.0, 100.0);
  } else {
    s = {random.between(0.0, 1.2),
         random.between(0.0, 1.0),
         random.between(0.0, 1.0),
         random.between(0.0, 1.0),
         random.between(0.0, 1.0),
         1.0,
         0.0,
         0.0};
  }
  return s;
}

/* Coefficient index of node (i, j). */
static int entry_of(emulate::Random &random, const Case &c, int entries, int i, int j)
{
  const bool wall = i == 0 || j == 0 || i == c.nx - 1 || j == c.ny - 1;
  if (c.kind == STRIPES) {
    if (wall) return DIRICHLET + (i == 0) + 2 * (j == 0) + 3 * (j == c.ny - 1);
    if (i / 37 % 8 == 3 || j / 23 % 5 == 1) return GENERAL + i / 37 % 20;
    return i / 50 % 3 == 0 ? 2 : 0;
  }
  if (c.kind == LAYERS) return j % 31 == 30 ? i % 3 : (i * 7 + i / 11) % entries; /* borders are of any kind, too */
  if (wall) return random.integer(0, 1) ? DIRICHLET : random.integer(GENERAL, entries - 1);
  if (c.kind == ANY) return random.integer(0, entries - 1);
  if (c.nx > 60 && i == c.nx * 2 / 3) return GENERAL;
  return i > c.nx / 3 && i < c.nx / 2 && j > c.ny / 3 && j < c.ny / 2 ? 1 : 0;
}

template <typename Real> static void grid_fill(emulate::Random &random, const Case &c, Grid<Real> &grid)
{
  const int entries = c.kind == FEW ? GENERAL + 1 : 40;
  for (int e = 0; e < entries; e++) grid.stencil_add(stencil_random(random, e));
  for (int j = 0; j < c.ny; j++)
    for (int i = 0; i < c.nx; i++) {
      const int entry = entry_of(random, c, entries, i, j);
      double value = random.between(-100.0, 100.0);
      if (random.integer(0, 49) == 0) value = -0.0;
      if (c.kind == ANY && random.integer(0, 4999) == 0) value = 1e-310;
      if (c.kind == LAYERS && random.integer(0, 999) == 0)
        value = sizeof(Real) == 8 ? HS_BLOCKED_LARGEST_F64 : HS_BLOCKED_LARGEST_F32;
      grid.node_set(i, j, entry, value);
    }
}

/* --- sizes of plans -------------------------------------------------------------------------- */

/* What the arrays of a plan take on the device. */
static double bytes_of(const hs_blocked_layout &l, int ny)
{
  return (double)sizeof *l.strip * l.strips + (double)sizeof *l.row * l.strips * ny +
         (double)sizeof *l.item * l.first[l.blocks] + (double)sizeof *l.first * (l.blocks + 1) +
         (double)sizeof *l.kind * (double)l.kinds + (double)l.table_bytes;
}

/* The size that is told beforehand: exact, but for items that there may be. */
static void size_check(const hs_system &system, const hs_blocked_layout &layout)
{
  const double taken = bytes_of(layout, system.ny), items = layout.blocks + layout.strips;
  hs_blocked_size size = {};
  hs_error err = {};
  if (hs_blocked_layout_measure(&system, layout.single, layout.blocks, &size, &err)) emulate::fail(err.text);
  if (taken > size.device_bytes || taken + sizeof *layout.item * items < size.device_bytes)
    emulate::fail(
        ("the plan takes " + std::to_string(taken) + " bytes, foretold were " + std::to_string(size.device_bytes))
            .c_str());
  if (size.host_bytes < size.device_bytes) emulate::fail("a plan that needs less on the host than on the device");
}

/* Plans that are too large are refused by both with the same words. Every row differs from the one below. */
static std::string refusal_check(int ny, bool refused)
{
  const int nx = 20;
  std::vector<uint16_t> index((size_t)nx * ny);
  hs_stencil_f64 stencil[2] = {{0.2, 0.2, 0.2, 0.2, 0.0, 1.0, 0.0, 0.0}, {0.1, 0.2, 0.2, 0.2, 0.0, 1.0, 0.0, 0.0}};
  hs_blocked_layout layout = {};
  hs_blocked_size size = {};
  hs_system system = {};
  hs_error made = {}, told = {};
  for (size_t n = 0; n < index.size(); n++) index[n] = n / nx % 2;
  system.nx = nx;
  system.ny = ny;
  system.wrap_x = system.wrap_y = -1;
  system.table_size = 2;
  system.stencil = stencil;
  system.index = index.data();
  const hs_status status = hs_blocked_layout_create(&system, false, 4, &layout, &made);
  if (status != hs_blocked_layout_measure(&system, false, 4, &size, &told)) return "only one of the two refuses";
  if ((status == HS_ERR_UNSUPPORTED) != refused) return refused ? "not refused" : made.text;
  if (status && strcmp(made.text, told.text)) return std::string(made.text) + " / " + told.text;
  if (!status) size_check(system, layout);
  hs_blocked_layout_clear(&layout);
  return "";
}

/* --- runs ------------------------------------------------------------------------------------ */

/* The host's plan for the grid, on c.blocks blocks. */
template <typename Real> static void layout_make(const Case &c, Grid<Real> &grid, hs_blocked_layout &layout)
{
  std::vector<uint16_t> index((size_t)c.nx * c.ny);
  hs_system system = {};
  hs_error err = {};
  for (int j = 0; j < c.ny; j++)
    for (int i = 0; i < c.nx; i++) index[(size_t)j * c.nx + i] = grid.index[j * grid.pitch + i];
  system.nx = c.nx;
  system.ny = c.ny;
  system.wrap_x = system.wrap_y = -1;
  system.table_size = (int)grid.stencil.size();
  system.stencil = grid.stencil.data();
  system.stencil_single = grid.stencil_single.data();
  system.index = index.data();
  if (hs_blocked_layout_create(&system, sizeof(Real) == 4, c.blocks, &layout, &err)) emulate::fail(err.text);
  size_check(system, layout);
}

template <typename Real> static std::string run(emulate::Random &random, const Case &c)
{
  Grid<Real> grid(c.nx, c.ny);
  hs_blocked_layout layout = {};
  hs_blocked_plan plan = {};
  std::string difference;
  grid_fill(random, c, grid);
  layout_make(c, grid, layout);
  plan.blocks = layout.blocks;
  plan.d_strip = layout.strip;
  plan.d_item = layout.item;
  plan.d_first = layout.first;
  plan.d_row = layout.row;
  plan.d_kind = layout.kind;
  plan.d_table = layout.table;
  const hs_device_system system = grid.device();
  for (int k = 0; k < c.launches && difference.empty(); k++) {
    const Real *from = grid.field[k % 2].data() + grid.origin;
    Real *to = grid.field[1 - k % 2].data() + grid.origin;
    emulate::launch(dim3(plan.blocks), dim3(blocked::THREADS), sizeof(blocked::Shared<Real>),
                    [&] { sweep_blocked<Real>(system, plan, from, to, c.sweeps, nullptr); });
    grid.sweep_expected(c.sweeps);
    difference = grid.difference(grid.field[1 - k % 2]);
  }
  hs_blocked_layout_clear(&layout);
  return difference;
}

/* One case in one precision; the label names it. */
template <typename Real> static std::string run_labelled(emulate::Random &random, const Case &c)
{
  char text[200];
  emulate::machine.order = (unsigned)random.integer(0, 4);
  snprintf(text, sizeof text, "%d x %d nodes, %s, %s: %d sweeps, %d blocks, order %u", c.nx, c.ny, kind_names[c.kind],
           sizeof(Real) == 8 ? "double" : "float", c.sweeps, c.blocks, emulate::machine.order);
  emulate::machine.label = text;
  const std::string difference = run<Real>(random, c);
  return difference.empty() ? "" : text + (": " + difference);
}

int main(int count, char **arguments)
{
  emulate::Random random = {88172645463325252u + (count > 1 ? strtoull(arguments[1], nullptr, 10) * 7919u : 0u)};
  Tap tap;
  int number = 0;
  if (!tap.begin(2 + sizeof sizes / sizeof *sizes)) return 0;
  tap.result("blocked plan: a large one has the size that was told", refusal_check(18000, false));
  tap.result("blocked plan: one too large is refused beforehand", refusal_check(40000, true));
  for (const auto &size : sizes) {
    std::string difference;
    for (int kind = 0; kind < KINDS && difference.empty(); kind++) {
      const int quarters = HS_BLOCKED_STAGES / HS_BLOCKED_WARP_STAGES;
      const int sweeps = HS_BLOCKED_WARP_STAGES * (random.integer(0, 2) ? random.integer(1, quarters) : quarters);
      const int launches = random.integer(1, 2), blocks = random.integer(1, 4);
      const Case c = {size.nx, size.ny, sweeps, blocks, launches, (Kind)kind};
      difference = (number + kind) % 2 ? run_labelled<float>(random, c) : run_labelled<double>(random, c);
    }
    number++;
    tap.result("blocked kernel: " + std::to_string(size.nx) + " x " + std::to_string(size.ny) + " nodes", difference);
  }
  return tap.end();
}
