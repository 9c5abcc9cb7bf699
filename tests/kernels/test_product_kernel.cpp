/* The kernel that makes a coarser level by tiles, run on the CPU (emulate/emulate.h), against numerics/coarsening.h node by
 * node: the same bits of couplings and weights. Levels have random couplings, nodes that are held or cut off, bodies that
 * hardly touch, insulated edges.
 *
 * An argument is the seed of other cases than the usual ones.
 */
#include "kernels/emulate/emulate.h"

#include "multigrid/product.cuh"

#include "kernels/emulate/grid.h"

enum { ORDERS = 3 };

static const struct {
  int nx, ny;
} sizes[] = {{4, 4}, {5, 9}, {33, 17}, {64, 16}, {65, 17}, {66, 18}, {67, 33}, {128, 40}, {131, 37}, {200, 7}};

/* --- a level ---------------------------------------------------------------------------------- */

struct Level {
  hs_grid grid;
  bool corners;
  std::vector<double> exact;  /* 5 arrays */
  std::vector<float> weights; /* 4 arrays */
  std::vector<float> cells;   /* 8 a node of the next level */

  Level(int nx, int ny, bool with_corners) : grid{nx, ny, nx + 3, 0, 0}, corners(with_corners)
  {
    exact.assign(5 * hs_grid_values(&grid), 0.0);
    weights.assign(4 * hs_grid_values(&grid), 0.0f);
  }

  hs_couplings_f64 couplings()
  {
    const size_t values = hs_grid_values(&grid);
    double *m = exact.data();
    return {m, m + values, corners ? m + 3 * values : nullptr, corners ? m + 4 * values : nullptr, m + 2 * values};
  }
  float weight(int k, int i, int j) const
  {
    return weights[k * hs_grid_values(&grid) + hs_grid_at(&grid, i, j)];
  }

  template <typename Visit> void each(Visit visit) const
  {
    for (int j = 0; j < grid.ny; j++)
      for (int i = 0; i < grid.nx; i++) visit(i, j, hs_grid_at(&grid, i, j));
  }

  void randomise(emulate::Random &random)
  {
    const hs_couplings_f64 a = couplings();
    std::vector<int> held(hs_grid_values(&grid), 0);
    each([&](int, int, size_t n) { held[n] = random.integer(0, 9) == 0; });
    const auto coupling = [&](double least, size_t n, size_t other) {
      static const double sizes[] = {1.0, 1.0, 1.0, 1e-3, 1e-5, 1e-10, 1e5};
      return held[n] || held[other] ? 0.0 : random.between(least, 2.0) * sizes[random.integer(0, 6)];
    };
    each([&](int i, int j, size_t n) {
      const bool east = i + 1 < grid.nx, north = j + 1 < grid.ny;
      const size_t p = (size_t)grid.pitch;
      a.east[n] = east ? coupling(0.1, n, n + 1) : 0.0;
      a.north[n] = north ? coupling(0.1, n, n + p) : 0.0;
      a.sum[n] = random.integer(0, 2) ? 0.0 : random.between(0.0, 0.3);
      if (!corners) return;
      a.northeast[n] = east && north ? coupling(-0.1, n, n + p + 1) : 0.0;
      a.northwest[n] = i > 0 && north ? coupling(-0.1, n, n + p - 1) : 0.0;
    });
  }
};

/* --- by nodes --------------------------------------------------------------------------------- */

static void interpolate(Level &l)
{
  const hs_couplings_f64 a = l.couplings();
  const size_t values = hs_grid_values(&l.grid), p = (size_t)l.grid.pitch;
  float *const weight[4] = {&l.weights[0], &l.weights[values], &l.weights[2 * values], &l.weights[3 * values]};
  for (int middle = 0; middle <= 1; middle++)
    l.each([&](int i, int j, size_t n) {
      const hs_line along_x = {n - 1, n - p - 1, n + 1, n - p + 1}, along_y = {n - p, n - 2 * p, n + p, n};
      double row[9];
      float found[4];
      if ((i % 2 && j % 2) != middle) return;
      hs_couplings_gather(&a, n, n - p, row);
      if (!middle) hs_couplings_cut(&a, n, n - p, n + p, i % 2, row);
      if (middle)
        hs_interpolation_middle(row, weight, n - 1, n + 1, n - p, n + p, found);
      else
        hs_interpolation_line(&a, row, i % 2 ? &along_x : &along_y, i % 2, j % 2, found);
      for (int k = 0; k < 4; k++) weight[k][n] = found[k];
    });
}

static void product(Level &l, Level &coarse)
{
  const size_t values = hs_grid_values(&l.grid);
  const float *w = l.weights.data();
  const hs_galerkin of = {l.grid, coarse.grid, 1, 1, l.couplings(), {w, w + values, w + 2 * values, w + 3 * values}};
  const hs_couplings_f64 to = coarse.couplings();
  coarse.each([&](int i, int j, size_t n) {
    double row[9];
    hs_galerkin_row(&of, i, j, row);
    to.sum[n] = row[4];
    to.east[n] = row[5];
    to.northwest[n] = row[6];
    to.north[n] = row[7];
    to.northeast[n] = row[8];
  });
}

/* Weights by coarse nodes; those of nodes that are not there are 0. */
static std::vector<float> cells_of(const Level &l, const hs_grid &coarse)
{
  const size_t values = hs_grid_values(&coarse);
  std::vector<float> cells(8 * values, 0.0f);
  for (int j = 0; j < coarse.ny; j++)
    for (int i = 0; i < coarse.nx; i++) {
      const size_t m = hs_grid_at(&coarse, i, j);
      const bool east = 2 * i + 1 < l.grid.nx, north = 2 * j + 1 < l.grid.ny;
      for (int k = 0; k < 2; k++) {
        cells[2 * m + k] = east ? l.weight(k, 2 * i + 1, 2 * j) : 0.0f;
        cells[2 * values + 2 * m + k] = north ? l.weight(2 * k, 2 * i, 2 * j + 1) : 0.0f;
      }
      for (int k = 0; k < 4; k++)
        cells[4 * values + 4 * m + k] = east && north ? l.weight(k, 2 * i + 1, 2 * j + 1) : 0.0f;
    }
  return cells;
}

/* --- cases ------------------------------------------------------------------------------------ */

template <typename Value>
static std::string differs(const char *what, const std::vector<Value> &found, const std::vector<Value> &right)
{
  for (size_t k = 0; k < right.size(); k++)
    if (memcmp(&found[k], &right[k], sizeof(Value))) {
      char text[160];
      snprintf(text, sizeof text, "%s, value %zu is %a, must be %a", what, k, (double)found[k], (double)right[k]);
      return text;
    }
  return "";
}

template <bool CORNERS> static std::string run(emulate::Random &random, int nx, int ny, unsigned order)
{
  Level fine(nx, ny, CORNERS), right((nx + 1) / 2, (ny + 1) / 2, true), found = right;
  const hs_grid &g = right.grid;
  const dim3 blocks((g.nx + PRODUCT_W - 1) / PRODUCT_W, (g.ny + PRODUCT_H - 1) / PRODUCT_H);
  const size_t values = hs_grid_values(&g);
  std::vector<float> cells(8 * values, 0.0f);
  hs_device_level level = {};
  std::string difference;
  fine.randomise(random);
  interpolate(fine);
  product(fine, right);
  level.grid = fine.grid;
  level.exact = fine.couplings();
  emulate::machine.order = order;
  emulate::launch(blocks, dim3(PRODUCT_W, PRODUCT_H), product_bytes<CORNERS>(), [&] {
    mg_product<CORNERS>(level, g, found.couplings(),
                        {(float2 *)&cells[0], (float2 *)&cells[2 * values], (float4 *)&cells[4 * values]});
  });
  difference = differs("couplings", found.exact, right.exact);
  return difference.empty() ? differs("weights", cells, cells_of(fine, g)) : difference;
}

int main(int count, char **arguments)
{
  emulate::Random random = {88172645463325252u + (count > 1 ? strtoull(arguments[1], nullptr, 10) * 7919u : 0u)};
  Tap tap;
  if (!tap.begin(2 * sizeof sizes / sizeof *sizes)) return 0;
  for (const auto &size : sizes)
    for (int corners = 0; corners <= 1; corners++) {
      std::string difference;
      emulate::machine.label = "a coarser level by tiles: " + std::to_string(size.nx) + " x " +
                               std::to_string(size.ny) + (corners ? " nodes, couplings to corners" : " nodes");
      for (unsigned order = 0; order < ORDERS && difference.empty(); order++)
        difference = corners ? run<true>(random, size.nx, size.ny, order) : run<false>(random, size.nx, size.ny, order);
      tap.result(emulate::machine.label, difference);
    }
  return tap.end();
}
