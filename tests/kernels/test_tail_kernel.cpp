/* The kernel of the last levels of a cycle, run on the CPU (emulate/emulate.h), against plain loops over the nodes of each level:
 * the same bits, but for the sign of the 0 at nodes that are held. Levels have random couplings, weights and inverses, and nodes that are held.
 *
 * An argument is the seed of other cases than the usual ones.
 */
#include "kernels/emulate/emulate.h"

#include "multigrid/tail.cuh"

#include "kernels/emulate/grid.h"

enum { ORDERS = 4, SOLVED_MOST = 32 };

static const struct {
  int nx, ny;
} sizes[] = {{4, 4}, {6, 6}, {9, 9}, {17, 17}, {19, 13}, {33, 17}, {32, 32}, {33, 33}, {24, 80}, {64, 32}, {45, 45}};

/* --- levels ----------------------------------------------------------------------------------- */

struct Level {
  hs_grid grid;
  std::vector<float> couplings, weights, cells; /* 6 and 4 a node; 8 a node of the next level */
  std::vector<float> u, room, f;

  Level(int nx, int ny) : grid{nx, ny, (nx + 2 + 3) / 4 * 4, 0, 0}
  {
    const size_t values = hs_grid_values(&grid);
    couplings.assign(6 * values, 0.0f);
    weights.assign(4 * values, 0.0f);
    u.assign(values, 0.0f);
    room = f = u;
  }

  size_t at(int i, int j) const
  {
    return hs_grid_at(&grid, i, j);
  }
  hs_couplings_f32 coupled() const
  {
    const size_t values = hs_grid_values(&grid);
    const float *c = couplings.data();
    return {c, c + values, c + 2 * values, c + 3 * values, c + 4 * values, c + 5 * values};
  }
  hs_interpolation interpolation() const
  {
    const size_t values = hs_grid_values(&grid);
    const float *w = weights.data();
    return {{w, w + values, w + 2 * values, w + 3 * values}};
  }
  float weight(int k, int i, int j) const
  {
    return i < grid.nx && j < grid.ny ? weights[k * hs_grid_values(&grid) + at(i, j)] : 0.0f;
  }

  template <typename Visit> void each(Visit visit) const
  {
    for (int j = 0; j < grid.ny; j++)
      for (int i = 0; i < grid.nx; i++) visit(i, j, at(i, j));
  }

  void randomise(emulate::Random &random)
  {
    const size_t values = hs_grid_values(&grid);
    float *c = couplings.data(), *w = weights.data();
    each([&](int i, int j, size_t n) {
      const bool east = i + 1 < grid.nx, north = j + 1 < grid.ny, held = random.integer(0, 9) == 0;
      c[n] = east ? (float)random.between(0.1, 2.0) : 0.0f;
      c[values + n] = north ? (float)random.between(0.1, 2.0) : 0.0f;
      c[2 * values + n] = east && north ? (float)random.between(-0.1, 1.0) : 0.0f;
      c[3 * values + n] = i > 0 && north ? (float)random.between(-0.1, 1.0) : 0.0f;
      c[4 * values + n] = random.integer(0, 1) ? (float)random.between(0.0, 0.3) : 0.0f;
      c[5 * values + n] = held ? 0.0f : (float)random.between(0.1, 0.3);
      for (int k = 0; k < 4; k++)
        if ((k % 2 == 0 || i % 2) && (k < 2 || j % 2)) w[k * values + n] = (float)random.between(0.0, 1.0);
      if (i % 2 == 0 && j % 2 == 0) w[n] = held ? 0.0f : 1.0f;
    });
  }

  void cells_make(const hs_grid &coarse)
  {
    const size_t values = hs_grid_values(&coarse);
    cells.assign(8 * values, 0.0f);
    for (int j = 0; j < coarse.ny; j++)
      for (int i = 0; i < coarse.nx; i++) {
        const size_t m = hs_grid_at(&coarse, i, j);
        for (int k = 0; k < 2; k++) {
          cells[2 * m + k] = weight(k, 2 * i + 1, 2 * j);
          cells[2 * values + 2 * m + k] = weight(2 * k, 2 * i, 2 * j + 1);
        }
        for (int k = 0; k < 4; k++) cells[4 * values + 4 * m + k] = weight(k, 2 * i + 1, 2 * j + 1);
      }
  }
};

struct Levels {
  std::vector<Level> level;
  std::vector<double> inverse; /* column after column */

  Levels(emulate::Random &random, int nx, int ny)
  {
    for (;; nx = (nx + 1) / 2, ny = (ny + 1) / 2) {
      level.emplace_back(nx, ny);
      level.back().randomise(random);
      if (level.size() > 1 && nx * ny <= SOLVED_MOST) break;
    }
    for (size_t k = 0; k + 1 < level.size(); k++) level[k].cells_make(level[k + 1].grid);
    for (int k = 0; k < nx * ny * nx * ny; k++) inverse.push_back(random.between(-1.0, 1.0));
  }

  hs_device_tail device() const
  {
    hs_device_tail tail = {};
    tail.count = (int)level.size();
    for (int k = 0; k < tail.count; k++) {
      tail.level[k].grid = level[k].grid;
      tail.level[k].d_couplings = level[k].couplings.data();
      tail.level[k].d_cells = level[k].cells.data();
    }
    tail.d_inverse = inverse.data();
    tail_place(&tail);
    return tail;
  }
};

/* --- the plain cycle -------------------------------------------------------------------------- */

static void relax(Level &l, float weight)
{
  const hs_couplings_f32 c = l.coupled();
  l.each([&](int, int, size_t n) {
    const float r = hs_level_residual(&c, l.u.data(), l.f[n], n, l.grid.pitch);
    l.room[n] = fmaf(weight * c.inverse[n], r, l.u[n]);
  });
  l.u.swap(l.room);
}

static void down(Level &l, Level &coarse, Weights weights)
{
  const hs_couplings_f32 c = l.coupled();
  const hs_interpolation w = l.interpolation();
  l.each([&](int, int, size_t n) { l.u[n] = weights.first * c.inverse[n] * l.f[n]; });
  relax(l, weights.second);
  l.each([&](int, int, size_t n) { l.room[n] = hs_level_residual(&c, l.u.data(), l.f[n], n, l.grid.pitch); });
  coarse.each([&](int i, int j, size_t m) { coarse.f[m] = hs_level_restrict(&w, l.room.data(), &l.grid, 1, 1, i, j); });
}

static void solve(Level &l, const std::vector<double> &inverse)
{
  const int nodes = l.grid.nx * l.grid.ny;
  l.each([&](int i, int j, size_t n) {
    double sum = 0.0;
    l.each([&](int p, int q, size_t m) {
      sum = fma(inverse[(q * l.grid.nx + p) * nodes + j * l.grid.nx + i], (double)l.f[m], sum);
    });
    l.u[n] = (float)sum;
  });
}

static void up(Level &l, const Level &coarse, Weights weights)
{
  const hs_interpolation w = l.interpolation();
  l.each([&](int i, int j, size_t n) { l.u[n] += hs_level_prolong(&w, coarse.u.data(), n, &coarse.grid, 1, 1, i, j); });
  relax(l, weights.second);
  relax(l, weights.first);
}

static void cycle(Levels &levels, Weights weights)
{
  std::vector<Level> &l = levels.level;
  for (size_t k = 0; k + 1 < l.size(); k++) down(l[k], l[k + 1], weights);
  solve(l.back(), levels.inverse);
  for (size_t k = l.size() - 1; k > 0; k--) up(l[k - 1], l[k], weights);
}

/* --- cases ------------------------------------------------------------------------------------ */

/* Empty, or what differs. */
static std::string run(emulate::Random &random, int nx, int ny, unsigned order)
{
  static const Weights weights = {0.5527864f, 1.4472136f};
  Levels levels(random, nx, ny);
  Level &first = levels.level[0];
  const hs_device_tail tail = levels.device();
  const std::vector<float> ghosts(hs_grid_values(&first.grid), NAN);
  std::vector<float> u = ghosts;
  char text[160] = "";
  first.each([&](int, int, size_t n) { first.f[n] = random.integer(0, 4) ? (float)random.between(-1.0, 1.0) : 0.0f; });
  emulate::machine.order = order;
  emulate::launch(dim3(1), dim3(TAIL_THREADS), tail.bytes, [&] { mg_tail(tail, first.f.data(), weights, u.data()); });
  cycle(levels, weights);
  first.each([&](int i, int j, size_t n) {
    if (!(u[n] == first.u[n]) && !*text)
      snprintf(text, sizeof text, "order %u, (%d, %d) is %a, must be %a", order, i, j, u[n], first.u[n]);
    u[n] = NAN;
  });
  if (!*text && memcmp(u.data(), ghosts.data(), u.size() * sizeof u[0])) return "a ghost was written";
  return text;
}

int main(int count, char **arguments)
{
  emulate::Random random = {88172645463325252u + (count > 1 ? strtoull(arguments[1], nullptr, 10) * 7919u : 0u)};
  Tap tap;
  if (!tap.begin(sizeof sizes / sizeof *sizes)) return 0;
  for (const auto &size : sizes) {
    std::string difference;
    emulate::machine.label =
        "the last levels of a cycle: " + std::to_string(size.nx) + " x " + std::to_string(size.ny) + " nodes";
    for (unsigned order = 0; order < ORDERS && difference.empty(); order++)
      difference = run(random, size.nx, size.ny, order);
    tap.result(emulate::machine.label, difference);
  }
  return tap.end();
}
