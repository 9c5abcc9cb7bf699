/* The kernels of single sweeps, run on the CPU (emulate/emulate.h) by their own launchers, against a plain loop over
 * the nodes: the same bits of fields and of exact sums, from one thread a node, from 16 bytes of several rows and from
 * tiles in shared memory; plain, weighted and Chebyshev's sweeps, with and without constants of the nodes' own, by
 * index and by a stencil for every node, with and without norms. Tiles are classified by the kernel that does so, and
 * the norms of the last field and its predecessor are compared, too.
 *
 * An argument is the seed of other cases than the usual ones.
 */
#include "kernels/emulate/emulate.h"

inline void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned)
{
}

#include "control.cu"
#include "norms.cu"
#include "sweep_general.cu"
#include "sweep_global.cu"
#include "sweep_shared.cu"

#include "kernels/emulate/grid.h"

enum Kernel { NODES, ROWS_OF_16_BYTES, TILES, KERNELS };
static const char *const kernel_names[KERNELS] = {"a thread a node", "rows of 16 bytes", "tiles"};

enum Pattern { PLATE, ANISOTROPIC, STRIPES, ANY, LAWS, PATTERNS };
static const char *const pattern_names[PATTERNS] = {"a plate", "an anisotropic plate", "stripes", "any stencil",
                                                    "a law for every node"};

static const char *const form_names[] = {"plain", "weighted", "Chebyshev"};

enum { ENTRIES = 40, SWEEPS = 3 };

static const struct {
  int nx, ny;
} sizes[] = {{1, 1}, {2, 3}, {3, 70}, {31, 2}, {128, 32}, {129, 33}, {257, 65}, {390, 100}};

struct Case {
  int nx, ny;
  Pattern pattern;
  hs_form form;
  bool constants, normed;
  int mixed;
};

static std::string name_of(const Case &c, Kernel kernel, const char *precision)
{
  char text[200];
  snprintf(text, sizeof text, "%d x %d nodes, %s, %s, %s, %s%s%s, share %d", c.nx, c.ny, precision,
           kernel_names[kernel], pattern_names[c.pattern], form_names[c.form], c.constants ? ", constants" : "",
           c.normed ? ", norms" : "", c.mixed);
  return text;
}

/* --- systems ---------------------------------------------------------------------------------- */

/* Entry 0 is the plate's. */
static hs_stencil_f64 stencil_random(emulate::Random &random, const Case &c, int entry)
{
  const bool dirichlet = entry % 7 == 1;
  hs_stencil_f64 s = {};
  s.c = random.between(-1.0, 1.0);
  s.relax = random.between(0.1, 1.0);
  if (dirichlet) return s;
  s.diagonal = random.between(1.0, 5.0);
  if ((entry == 0 && c.pattern != ANISOTROPIC) || (entry < 4 && c.pattern == STRIPES)) {
    s.west = s.east = s.south = s.north = 1.0;
  } else {
    s.west = random.between(0.0, 1.0);
    s.east = random.between(0.0, 1.0);
    s.south = random.between(0.0, 1.0);
    s.north = random.between(0.0, 1.0);
  }
  return s;
}

static int entry_of(emulate::Random &random, const Case &c, int i, int j)
{
  const bool wall = i == 0 || j == 0 || i == c.nx - 1 || j == c.ny - 1;
  if (c.pattern == LAWS) return j * c.nx + i;
  if (c.pattern == ANY) return random.integer(0, ENTRIES - 1);
  if (wall) return 1;
  if (c.pattern == STRIPES) return i / 37 % 5 + (j > c.ny / 2 ? 2 : 0);
  return i > 150 && i < 170 && j > 10 && j < 20 ? 2 : 0;
}

template <typename Real> struct Problem {
  Grid<Real> grid;
  std::vector<Real> constants;
  std::vector<int32_t> code;
  hs_device_relaxation relaxation = {};
  hs_device_control control = {};
  std::vector<hs_norm_slot> slots;
  hs_device_system system;

  Problem(emulate::Random &random, const Case &c) : grid(c.nx, c.ny), slots(HS_NORM_SLOTS)
  {
    const int entries = c.pattern == LAWS ? c.nx * c.ny : ENTRIES;
    for (int e = 0; e < entries; e++) grid.stencil_add(stencil_random(random, c, e));
    for (int j = 0; j < c.ny; j++)
      for (int i = 0; i < c.nx; i++)
        grid.node_set(i, j, entry_of(random, c, i, j), random.integer(0, 49) ? random.between(-9.0, 9.0) : -0.0);
    grid.field[1] = grid.field[0];
    constants.assign(grid.field[0].size(), Real(0));
    for (int j = 0; j < c.ny; j++)
      for (int i = 0; i < c.nx; i++)
        constants[grid.origin + j * grid.pitch + i] =
            random.integer(0, 9) ? (Real)random.between(-1.0, 1.0) : Real(-0.0);
    system = grid.device();
    system.split = hs_sum_split_for((int64_t)c.nx * c.ny);
    system.relaxed = c.form != HS_FORM_JACOBI || c.constants;
    system.general = system.relaxed || c.pattern == LAWS;
    system.mixed = c.mixed;
    system.main_index = c.pattern == LAWS ? -1 : 0;
    system.main_stencil = grid.stencil[0];
    system.main_stencil_single = grid.stencil_single[0];
    system.main_kind = HS_STENCIL_IS_UNIFORM(grid.stencil[0]) ? HS_TILE_EQUAL : HS_TILE_STENCIL;
    if (c.pattern == LAWS) system.d_index = nullptr;
    if (c.constants) system.d_constants = constants.data() + grid.origin;
    code.assign(system.tiles_x * system.tiles_y, -1);
    hs_kernel_classify(&system, code.data(), nullptr);
    system.d_tile_code = code.data();
    steps_set(c);
  }

  void steps_set(const Case &c)
  {
    const hs_relaxation form = {c.form, 0.7, 0.9};
    double omega = 0.0;
    for (int k = 0; k < SWEEPS; k++)
      relaxation.step[k].form = hs_relaxation_next(&form, &omega, &relaxation.step[k].weight);
    system.d_relaxation = &relaxation;
  }
};

/* --- the plain loop --------------------------------------------------------------------------- */

/* What a loop over the nodes makes of `from`, with `to` for its predecessor. */
template <typename Real>
static void sweep_expected(const Problem<Real> &p, int k, const std::vector<Real> &from, std::vector<Real> &to,
                           hs_norm_slot &norms)
{
  const Grid<Real> &g = p.grid;
  const auto *table = StencilOf<Real>::stencil_table(p.system);
  const hs_device_step &step = p.relaxation.step[k];
  for (int j = 0; j < g.ny; j++)
    for (int i = 0; i < g.nx; i++) {
      const int64_t n = j * g.pitch + i, at = g.origin + n;
      const auto &s = table[node_index(p.system, i, j, n)];
      const Real c = p.system.d_constants ? s.c + p.constants[at] : s.c;
      const Real u = node_general(s, c, from[at - 1], from[at + 1], from[at - g.pitch], from[at + g.pitch]);
      Real next = u;
      if (step.form == HS_FORM_WEIGHTED)
        next = node_relax((Real)step.weight * s.relax, u, from[at], s.diagonal == 0);
      else if (step.form == HS_FORM_CHEBYSHEV)
        next = node_relax((Real)step.weight, u, to[at], s.diagonal == 0);
      to[at] = next;
      const double update = (double)(next - from[at]);
      hs_sum sum = {norms.update_high, norms.update_low};
      hs_sum_add_square(&sum, p.system.split, update * p.control.update_scale);
      norms.update_high = sum.high;
      norms.update_low = sum.low;
      atomic_max(&norms.update_max, fabs(update));
    }
}

/* Residual, correction and difference over two sweeps, in double precision. */
template <typename Real>
static void norms_expected(const Problem<Real> &p, const std::vector<Real> &now, const std::vector<Real> &before,
                           hs_norm_slot &norms)
{
  const Grid<Real> &g = p.grid;
  hs_sum update = {}, residual = {};
  for (int j = 0; j < g.ny; j++)
    for (int i = 0; i < g.nx; i++) {
      const int64_t n = j * g.pitch + i, at = g.origin + n;
      const hs_stencil_f64 &s = g.stencil[node_index(p.system, i, j, n)];
      const double change = (double)(now[at] - before[at]);
      hs_sum_add_square(&update, p.system.split, change * p.control.update_scale);
      atomic_max(&norms.update_max, fabs(change));
      if (s.diagonal == 0.0) continue;
      const double c = p.system.d_constants ? s.c + (double)p.constants[at] : s.c;
      const double next = node_general(s, c, (double)now[at - 1], (double)now[at + 1], (double)now[at - g.pitch],
                                       (double)now[at + g.pitch]);
      const double correction = next - (double)now[at];
      hs_sum_add_square(&residual, p.system.split, s.diagonal * correction * p.control.residual_scale);
      atomic_max(&norms.residual_max, fabs(s.diagonal * correction));
      atomic_max(&norms.two_sweep_max, fabs(next - (double)before[at]));
      atomic_max(&norms.correction_max, fabs(correction));
    }
  norms.update_high = update.high;
  norms.update_low = update.low;
  norms.residual_high = residual.high;
  norms.residual_low = residual.low;
}

/* All slots together; they are cleared. */
static hs_norm_slot slots_sum(std::vector<hs_norm_slot> &slots)
{
  hs_norm_slot sum = {};
  for (hs_norm_slot &s : slots) {
    sum.update_high += s.update_high;
    sum.update_low += s.update_low;
    sum.residual_high += s.residual_high;
    sum.residual_low += s.residual_low;
    sum.update_max = max(sum.update_max, s.update_max);
    sum.residual_max = max(sum.residual_max, s.residual_max);
    sum.two_sweep_max = max(sum.two_sweep_max, s.two_sweep_max);
    sum.correction_max = max(sum.correction_max, s.correction_max);
    s = {};
  }
  return sum;
}

/* --- runs ------------------------------------------------------------------------------------- */

template <typename Real>
static void sweep_launch(const Problem<Real> &p, const Case &c, Kernel kernel, const hs_device_sweep &sweep)
{
  const int single = sizeof(Real) == 4;
  if (kernel == TILES) {
    hs_kernel_sweep_shared(&p.system, single, &sweep, nullptr);
  } else if (kernel == ROWS_OF_16_BYTES && (p.system.general || p.system.mixed)) {
    hs_kernel_sweep_general(&p.system, single, &sweep, nullptr);
  } else {
    launch_normed(single, c.normed, [&](auto real, auto normed) {
      constexpr bool NORMED = decltype(normed)::value;
      using Type = decltype(real);
      return kernel == NODES ? nodes_launch<Type, NORMED>(&p.system, &sweep, nullptr)
                             : rows_launch<Type, NORMED>(&p.system, &sweep, nullptr);
    });
  }
}

static std::string norms_difference(const hs_norm_slot &is, const hs_norm_slot &must, const char *what)
{
  return memcmp(&is, &must, sizeof is) ? std::string(what) + " differ" : "";
}

template <typename Real> static std::string run(emulate::Random &random, const Case &c, Kernel kernel)
{
  Problem<Real> p(random, c);
  Grid<Real> &g = p.grid;
  std::string difference;
  p.control.update_scale = hs_sum_scale(20.0);
  p.control.residual_scale = hs_sum_scale(100.0);
  g.work = g.expected;
  for (int k = 0; k < SWEEPS && difference.empty(); k++) {
    hs_device_sweep sweep = {};
    hs_norm_slot wanted = {};
    sweep.from = g.field[k % 2].data() + g.origin;
    sweep.to = g.field[1 - k % 2].data() + g.origin;
    sweep.step = k;
    sweep.d_control = &p.control;
    if (c.normed) sweep.d_slots = p.slots.data();
    sweep_launch<Real>(p, c, kernel, sweep);
    sweep_expected(p, k, g.expected, g.work, wanted);
    g.expected.swap(g.work);
    difference = g.difference(g.field[1 - k % 2]);
    if (difference.empty() && c.normed) difference = norms_difference(slots_sum(p.slots), wanted, "the update's norms");
  }
  if (!difference.empty()) return difference;
  const std::vector<Real> &now = g.field[SWEEPS % 2], &before = g.field[1 - SWEEPS % 2];
  hs_norm_slot wanted = {};
  hs_kernel_norms(&p.system, sizeof(Real) == 4, now.data() + g.origin, before.data() + g.origin, p.slots.data(),
                  &p.control, nullptr, nullptr);
  norms_expected(p, now, before, wanted);
  return norms_difference(slots_sum(p.slots), wanted, "all norms");
}

/* All kernels in both precisions; empty, or what differs. */
static std::string case_run(emulate::Random &random, const Case &c)
{
  std::string difference;
  for (int kernel = 0; kernel < KERNELS && difference.empty(); kernel++) {
    const emulate::Random begin = random;
    for (int single = 0; single < 2 && difference.empty(); single++) {
      random = begin;
      emulate::machine.order = (unsigned)random.integer(0, 4);
      emulate::machine.label = name_of(c, (Kernel)kernel, single ? "float" : "double");
      difference = single ? run<float>(random, c, (Kernel)kernel) : run<double>(random, c, (Kernel)kernel);
      if (!difference.empty()) difference = emulate::machine.label + ": " + difference;
    }
  }
  return difference;
}

int main(int count, char **arguments)
{
  emulate::Random random = {88172645463325252u + (count > 1 ? strtoull(arguments[1], nullptr, 10) * 7919u : 0u)};
  Tap tap;
  const char *all = getenv("HEATSOLVE_TEST_ALL"); /* the largest, too */
  const int count_tried = (int)(sizeof sizes / sizeof *sizes) - (all && *all ? 0 : 1);
  if (!tap.begin(count_tried)) return 0;
  for (int n = 0; n < count_tried; n++) {
    const auto &size = sizes[n];
    std::string difference;
    for (int pattern = 0; pattern < PATTERNS; pattern++)
      for (int form = HS_FORM_JACOBI; form <= HS_FORM_CHEBYSHEV && difference.empty(); form++) {
        Case c = {size.nx, size.ny, (Pattern)pattern, (hs_form)form, false, false, 0};
        c.constants = random.integer(0, 1);
        c.normed = random.integer(0, 1);
        c.mixed = pattern == LAWS ? HS_MIXED_MOST : random.integer(HS_MIXED_FEW, HS_MIXED_MOST);
        if (form == HS_FORM_JACOBI && random.integer(0, 1)) c.constants = false;
        difference = case_run(random, c);
      }
    tap.result("sweep kernels: " + std::to_string(size.nx) + " x " + std::to_string(size.ny) + " nodes", difference);
  }
  return tap.end();
}
