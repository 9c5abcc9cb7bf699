/* Blocks of a grid, their ghost zones, and which cut of a grid costs least. */
#include "comm/subdomain.h"

#include <math.h>

/* Where block `part` of `count` begins, of n nodes in units of `align`; block `count` begins at n. */
static int begin_of(int n, int count, int align, int part)
{
  const long long units = (n + align - 1) / align;
  const long long unit = units * part / count;
  return part == count ? n : (int)(unit * align);
}

struct hs_rectangle hs_partition_own(const struct hs_partition *p, int part)
{
  const int px = part % p->count_x, py = part / p->count_x;
  struct hs_rectangle own;
  own.x0 = begin_of(p->grid_nx, p->count_x, p->align, px);
  own.y0 = begin_of(p->grid_ny, p->count_y, p->align, py);
  own.nx = begin_of(p->grid_nx, p->count_x, p->align, px + 1) - own.x0;
  own.ny = begin_of(p->grid_ny, p->count_y, p->align, py + 1) - own.y0;
  return own;
}

/* Adds the ghosts of one direction: none in a direction that is not cut, none beyond an open wall, fewer where the grid ends. */
static void widen(int n, int period, int count, int ghost, int *first, int *length)
{
  int low = *first - ghost, end = *first + *length + ghost;
  if (count == 1) return;
  if (!period && low < 0) low = 0;
  if (!period && end > n) end = n;
  *first = low;
  *length = end - low;
}

struct hs_rectangle hs_partition_window(const struct hs_partition *p, int part)
{
  struct hs_rectangle window = hs_partition_own(p, part);
  widen(p->grid_nx, p->period_x, p->count_x, p->ghost, &window.x0, &window.nx);
  widen(p->grid_ny, p->period_y, p->count_y, p->ghost, &window.y0, &window.ny);
  return window;
}

struct hs_partition hs_partition_whole(int grid_nx, int grid_ny, bool periodic_x, bool periodic_y, bool cell_layout)
{
  const int twice = cell_layout ? 0 : 1; /* opposite walls are the same nodes */
  struct hs_partition whole = {.grid_nx = grid_nx, .grid_ny = grid_ny, .count_x = 1, .count_y = 1, .align = 1};
  if (periodic_x) whole.period_x = grid_nx - twice;
  if (periodic_y) whole.period_y = grid_ny - twice;
  return whole;
}

double hs_partition_sweep_s(const struct hs_partition *p, const struct hs_partition_costs *costs)
{
  const double strided = costs->strided > 1.0 ? costs->strided : 1.0;
  double nodes = 0.0, sent = 0.0;
  for (int part = 0; part < hs_partition_parts(p); part++) {
    const struct hs_rectangle own = hs_partition_own(p, part), window = hs_partition_window(p, part);
    const double rows = (double)(window.ny - own.ny) * window.nx, columns = (double)(window.nx - own.nx) * own.ny;
    nodes = fmax(nodes, (double)window.nx * window.ny);
    sent = fmax(sent, rows + strided * columns);
  }
  if (p->ghost == 0) return nodes * costs->node_s;
  return nodes * costs->node_s + (costs->latency_s + sent * costs->node_bytes * costs->byte_s) / p->ghost;
}

int hs_partition_deepest(const struct hs_partition *p)
{
  const int twice_x = p->period_x > 0 && p->period_x<p->grid_nx, twice_y = p->period_y> 0 && p->period_y < p->grid_ny;
  int deepest = p->grid_nx > p->grid_ny ? p->grid_nx : p->grid_ny;
  for (int part = 0; part < hs_partition_parts(p); part++) {
    const struct hs_rectangle own = hs_partition_own(p, part);
    if (p->count_x > 1 && own.nx - twice_x < deepest) deepest = own.nx - twice_x;
    if (p->count_y > 1 && own.ny - twice_y < deepest) deepest = own.ny - twice_y;
  }
  return deepest;
}

/* The best depth of ghost zones for a cut, at most that of the smallest block: an exchange is with the nearest parts only. */
static void ghost_choose(struct hs_partition *p, const struct hs_partition_costs *costs)
{
  const int most = hs_partition_deepest(p);
  double best_s = INFINITY;
  int best = 0;
  for (int depth = 1; depth <= HS_PARTITION_GHOST_MOST; depth *= 2) {
    double sweep_s;
    if (depth > most) break;
    p->ghost = depth;
    sweep_s = hs_partition_sweep_s(p, costs);
    if (depth < costs->pass)
      sweep_s += costs->node_s * (double)p->grid_nx * p->grid_ny / hs_partition_parts(p) *
                 (double)(costs->pass - depth) / costs->pass;
    if (sweep_s < best_s) {
      best_s = sweep_s;
      best = depth;
    }
  }
  p->ghost = best;
}

/* Coarser grids have every second node, which around the seam of an odd number of nodes no part can tell alone: such cuts are made
 * only where there is no other. */
static const double ODD_SEAM_S = 1e9;

static bool is_odd_seam(const struct hs_partition *p)
{
  return (p->count_x > 1 && p->period_x % 2 != 0) || (p->count_y > 1 && p->period_y % 2 != 0);
}

struct hs_partition hs_partition_choose(const struct hs_partition *whole, int parts, int align,
                                        const struct hs_partition_costs *costs)
{
  struct hs_partition best = *whole;
  double best_s = INFINITY;
  for (int used = parts; used > 1 && best.count_x * best.count_y == 1; used--) {
    for (int count_x = 1; count_x <= used; count_x++) {
      struct hs_partition p = *whole;
      double sweep_s;
      if (used % count_x != 0) continue;
      p.count_x = count_x;
      p.count_y = used / count_x;
      p.align = align;
      if (hs_partition_deepest(&p) < HS_PARTITION_LEAST) continue;
      ghost_choose(&p, costs);
      sweep_s = hs_partition_sweep_s(&p, costs);
      if (is_odd_seam(&p)) sweep_s += ODD_SEAM_S;
      if (sweep_s < best_s) {
        best_s = sweep_s;
        best = p;
      }
    }
  }
  return best;
}
