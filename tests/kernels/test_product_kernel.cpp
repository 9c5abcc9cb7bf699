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
} sizes[] = {{4, 4},   {5, 9},    {33, 17},  {64, 16}, {65, 17}, {66, 18},
             {67, 33}, {128, 40}, {131, 37}, {200, 7}, {70, 90}, {40, 170}};

/* --- a level ---------------------------------------------------------------------------------- */

struct Level {
  hs_grid grid;
  bool corners;
  std::vector<double> exact;         /* 5 arrays */
  std::vector<float> weights;        /* 4 arrays */
  std::vector<float> cells;          /* 8 a node of the next level */
  std::vector<hs_balance_f64> table; /* of the finest level, an entry for each node; */
  std::vector<uint16_t> index;

  Level(int nx, int ny, bool with_corners)
      : grid{nx, ny, with_corners ? nx + 3 : (nx + 33) / 32 * 32, 0, 0}, corners(with_corners)
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

  /* The finest level, by its table: some nodes are held. */
  void randomise_table(emulate::Random &random)
  {
    const size_t p = (size_t)grid.pitch;
    const auto conductance = [&] {
      static const double sizes[] = {1.0, 1.0, 1.0, 1e-3, 1e-5, 1e-10, 1e5};
      return random.between(0.1, 2.0) * sizes[random.integer(0, 6)];
    };
    table.assign(hs_grid_values(&grid), hs_balance_f64{});
    index.assign(hs_grid_values(&grid), 0);
    each([&](int i, int j, size_t n) {
      index[n] = (uint16_t)n;
      table[n].free = 1.0;
      table[n].storage = random.integer(0, 2) ? 0.0 : random.between(0.0, 0.3);
      if (i > 0) table[n].west = table[n - 1].east;
      if (j > 0) table[n].south = table[n - p].north;
      if (i + 1 < grid.nx) table[n].east = conductance();
      if (j + 1 < grid.ny) table[n].north = conductance();
    });
    each([&](int, int, size_t n) {
      if (random.integer(0, 9) == 0) table[n] = hs_balance_f64{};
    });
  }

  /* What the table says of a node; nodes beyond the grid are not free. */
  hs_balance_f64 balance(int i, int j) const
  {
    const bool within = i >= 0 && j >= 0 && i < grid.nx && j < grid.ny;
    return within ? table[index[hs_grid_at(&grid, i, j)]] : hs_balance_f64{};
  }

  /* The same as couplings, for the formulas. */
  void spread()
  {
    const hs_couplings_f64 a = couplings();
    each([&](int i, int j, size_t n) {
      const hs_balance_f64 s = balance(i, j);
      const bool west = balance(i - 1, j).free > 0.0, east = balance(i + 1, j).free > 0.0;
      const bool south = balance(i, j - 1).free > 0.0, north = balance(i, j + 1).free > 0.0;
      a.east[n] = east ? s.east : 0.0;
      a.north[n] = north ? s.north : 0.0;
      a.sum[n] = (s.loss + s.storage) + (((west ? 0.0 : s.west) + (east ? 0.0 : s.east)) +
                                         ((south ? 0.0 : s.south) + (north ? 0.0 : s.north)));
    });
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

/* From some row on, rows are those before, for as many rows as there is room, but for a node now and then: what is made of them
 * is made once. */
static void repeat_rows(Level &l, emulate::Random &random)
{
  const hs_couplings_f64 a = l.couplings();
  double *const arrays[] = {a.east, a.north, a.sum, a.northeast, a.northwest};
  const int from = random.integer(0, 4), to = l.grid.ny - random.integer(1, 4);
  for (int j = from + 1; j < to; j++)
    for (int i = 0; i < l.grid.nx; i++) {
      const size_t n = hs_grid_at(&l.grid, i, j), first = hs_grid_at(&l.grid, i, from);
      if (random.integer(0, 4000) == 0) continue;
      if (!l.corners) l.index[n] = l.index[first];
      for (double *array : arrays)
        if (l.corners) array[n] = array[first];
    }
}

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

/* Tiles that are said to have the same rows do, and those above each other have the same ones. */
static std::string tiles_differ(Level &coarse, const std::vector<uint8_t> &tiles)
{
  const hs_grid &g = coarse.grid;
  const hs_tiles all = hs_device_tiles(&g);
  const hs_couplings_f64 a = coarse.couplings();
  const double *const arrays[] = {a.east, a.north, a.sum, a.northeast, a.northwest};
  for (int k = 0; k < all.nx * all.ny; k++) {
    const int x0 = k % all.nx * HS_COARSE_TILE_W, y0 = k / all.nx * HS_COARSE_TILE_H,
              above = k >= all.nx && tiles[k - all.nx];
    if (tiles[k] > 1) return "a tile without its byte";
    for (int j = y0 + !above; tiles[k] && j < y0 + HS_COARSE_TILE_H && j < g.ny; j++)
      for (int i = x0; i < x0 + HS_COARSE_TILE_W && i < g.nx; i++)
        for (const double *array : arrays)
          if (memcmp(&array[hs_grid_at(&g, i, j)], &array[hs_grid_at(&g, i, j - 1)], sizeof *array))
            return "a tile whose rows are not alike";
  }
  return "";
}

/* The next level of a level with tiles, which may have none: what the kernel makes of it, against the formulas. */
template <bool CORNERS>
static std::string made_differs(Level &fine, std::vector<uint8_t> &fine_tiles, Level &right,
                                std::vector<uint8_t> &tiles)
{
  const hs_grid &g = right.grid;
  const hs_tiles each_way = hs_device_tiles(&g);
  const int each = emulate::machine.order + 1;
  const dim3 blocks(each_way.nx, (each_way.ny + each - 1) / each);
  const size_t values = hs_grid_values(&g);
  std::vector<float> cells(8 * values, 0.0f);
  Level found = right;
  hs_device_level level = {};
  std::string difference;
  tiles.assign(each_way.nx * each_way.ny, 2);
  interpolate(fine);
  product(fine, right);
  level.grid = fine.grid;
  if (CORNERS) level.exact = fine.couplings();
  level.d_tiles = fine_tiles.empty() ? nullptr : fine_tiles.data();
  level.d_index = CORNERS ? nullptr : fine.index.data();
  level.d_balance = CORNERS ? nullptr : fine.table.data();
  emulate::launch(blocks, dim3(PRODUCT_W, PRODUCT_H), product_bytes<CORNERS>(), [&] {
    mg_product<CORNERS>(level, g, found.couplings(),
                        {(float2 *)&cells[0], (float2 *)&cells[2 * values], (float4 *)&cells[4 * values]}, tiles.data(),
                        each);
  });
  difference = differs("couplings", found.exact, right.exact);
  if (difference.empty()) difference = tiles_differ(right, tiles);
  return difference.empty() ? differs("weights", cells, cells_of(fine, g)) : difference;
}

/* Two levels, the second one from the first one and its tiles. */
template <bool CORNERS> static std::string run(emulate::Random &random, int nx, int ny, unsigned order, bool alike)
{
  Level fine(nx, ny, CORNERS), coarse((nx + 1) / 2, (ny + 1) / 2, true), last((nx + 3) / 4, (ny + 3) / 4, true);
  std::vector<uint8_t> none, tiles, last_tiles;
  std::string difference;
  if (CORNERS)
    fine.randomise(random);
  else
    fine.randomise_table(random);
  if (alike) repeat_rows(fine, random);
  if (!CORNERS) fine.spread();
  emulate::machine.order = order;
  difference = made_differs<CORNERS>(fine, none, coarse, tiles);
  return difference.empty() ? made_differs<true>(coarse, tiles, last, last_tiles) : difference;
}

int main(int count, char **arguments)
{
  emulate::Random random = {88172645463325252u + (count > 1 ? strtoull(arguments[1], nullptr, 10) * 7919u : 0u)};
  Tap tap;
  if (!tap.begin(4 * sizeof sizes / sizeof *sizes)) return 0;
  for (const auto &size : sizes)
    for (int kind = 0; kind < 4; kind++) {
      const bool corners = kind % 2, alike = kind / 2;
      std::string difference;
      emulate::machine.label = "a coarser level by tiles: " + std::to_string(size.nx) + " x " +
                               std::to_string(size.ny) + (corners ? " nodes, couplings to corners" : " nodes") +
                               (alike ? ", rows alike" : "");
      for (unsigned order = 0; order < ORDERS && difference.empty(); order++)
        difference = corners ? run<true>(random, size.nx, size.ny, order, alike)
                             : run<false>(random, size.nx, size.ny, order, alike);
      tap.result(emulate::machine.label, difference);
    }
  return tap.end();
}
