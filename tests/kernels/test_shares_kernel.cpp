/* The kernel that counts the finest level's shares, run on the CPU (emulate/emulate.h), against counts node by node. Columns of
 * nodes that are alike for a while, held nodes, periodic sides, parts of a grid, nodes of an entry each.
 *
 * An argument is the seed of other cases than the usual ones.
 */
#include "kernels/emulate/emulate.h"

#include "multigrid/shares.cuh"

#include "kernels/emulate/grid.h"

enum { CASES = 150, ENTRIES = 5, ORDERS = 3 };

static const int widths[] = {1, 2, 31, 32, 33, 34, 64, 65, 66, 97};

static std::vector<hs_balance_f64> table_of(emulate::Random &random, size_t count)
{
  static const double sizes[] = {1.0, 1e-3, 1e-6, 1e3};
  std::vector<hs_balance_f64> table(count, hs_balance_f64{});
  for (hs_balance_f64 &entry : table) {
    if (random.integer(0, 5) == 0) continue; /* held */
    entry.free = 1.0;
    for (double *coupling : {&entry.west, &entry.east, &entry.south, &entry.north})
      *coupling = sizes[random.integer(0, 3)];
  }
  return table;
}

/* Column by column, an entry for some rows; or now and then another one. */
static std::vector<uint16_t> index_of(emulate::Random &random, const hs_grid &grid)
{
  std::vector<uint16_t> index(hs_grid_values(&grid), 0);
  const int run = random.integer(0, 1) ? 40 : 400;
  for (int i = 0; i < grid.nx; i++) {
    const int least = random.integer(0, 3) == 0 ? 2 : run;
    int entry = random.integer(0, ENTRIES - 1);
    for (int j = 0; j < grid.ny; j++) {
      if (random.integer(0, least) == 0) entry = random.integer(0, ENTRIES - 1);
      index[hs_grid_at(&grid, i, j)] = (uint16_t)entry;
    }
  }
  return index;
}

static std::string run(emulate::Random &random, int nx, int ny, bool own_entries)
{
  const hs_grid grid = {nx, ny, (nx + 33) / 32 * 32, nx > 2 && random.integer(0, 1), ny > 2 && random.integer(0, 1)};
  const std::vector<hs_balance_f64> table = table_of(random, own_entries ? (size_t)nx * ny : ENTRIES);
  const std::vector<uint16_t> index = index_of(random, grid);
  hs_level_shares right = {0, 0, 0, 0, 0}, found = right;
  hs_device_level level = {};
  level.grid = grid;
  level.own = {0, 0, nx, ny};
  if (nx > 4 && ny > 4 && random.integer(0, 2) == 0) level.own = {1, 2, nx - 1, ny - 1};
  level.d_index = own_entries ? nullptr : index.data();
  level.index_pitch = nx;
  level.d_balance = table.data();
  for (int j = level.own.y0; j < level.own.y1; j++)
    for (int i = level.own.x0; i < level.own.x1; i++) {
      double g[9] = {};
      mg_finest_gather(level, i, j, g);
      hs_level_shares_count(g, &right);
    }
  emulate::machine.order = (unsigned)random.integer(0, ORDERS - 1);
  emulate::launch(mg_blocks(nx, (ny + SHARES_ROWS - 1) / SHARES_ROWS), dim3(MG_BLOCK_W, MG_BLOCK_H), 0,
                  [&] { mg_shares_finest(level, &found); });
  if (!memcmp(&found, &right, sizeof found)) return "";
  return std::to_string(nx) + " x " + std::to_string(ny) + " nodes" + (grid.periodic_x ? ", periodic in x" : "") +
         (grid.periodic_y ? ", periodic in y" : "") + (level.own.x0 ? ", a part" : "") + " are counted otherwise";
}

int main(int count, char **arguments)
{
  emulate::Random random = {88172645463325252u + (count > 1 ? strtoull(arguments[1], nullptr, 10) * 7919u : 0u)};
  Tap tap;
  if (!tap.begin(sizeof widths / sizeof *widths)) return 0;
  for (const int nx : widths) {
    std::string difference;
    emulate::machine.label = "shares of grids with " + std::to_string(nx) + " columns";
    for (int k = 0; k < CASES && difference.empty(); k++)
      difference = run(random, nx, random.integer(1, 90), random.integer(0, 9) == 0);
    tap.result(emulate::machine.label, difference);
  }
  return tap.end();
}
