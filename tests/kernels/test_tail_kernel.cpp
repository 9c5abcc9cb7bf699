/* The kernel of the last levels of a cycle, run on the CPU (emulate/emulate.h), against plain loops over the nodes of each level:
 * the same bits, but for the sign of a 0. Levels have random couplings, weights and inverses, nodes that are held and nodes that
 * nothing is coupled to; they are smoothed by relaxations or on segments.
 *
 * An argument is the seed of other cases than the usual ones.
 */
#include "kernels/emulate/emulate.h"

#include "multigrid/tail.cuh"

#include "kernels/emulate/grid.h"

enum { RUNS = 6, SOLVED_MOST = 32, QUOTIENTS = 1000000 };

static const struct {
  int nx, ny;
} sizes[] = {{4, 4},   {6, 6},   {9, 9},   {17, 17},  {19, 13}, {33, 17}, {32, 32}, {33, 33},
             {24, 80}, {64, 32}, {45, 45}, {17, 120}, {62, 33}, {512, 4}, {5, 400}};

/* What numbers a run has: such that quotients are made of products, and such that they cannot be. */
enum Kind { USUAL, ONE_SOURCE, SMALL_SOURCES, SMALL_COUPLINGS, LARGE_COUPLINGS, KINDS };

static const float SEGMENT_WEIGHT = 0.8f;

/* --- levels ----------------------------------------------------------------------------------- */

struct Level {
  hs_grid grid;
  std::vector<float> couplings, weights, cells; /* 6 and 4 a node; 8 a node of the next level */
  std::vector<float> u, room, f;
  bool segments = false;

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

  /* Nothing is coupled to node n any more. */
  void isolate(size_t n)
  {
    const size_t values = hs_grid_values(&grid), p = grid.pitch;
    float *east = couplings.data(), *north = east + values, *northeast = north + values,
          *northwest = northeast + values;
    east[n - 1] = east[n] = north[n - p] = north[n] = 0.0f;
    northeast[n - p - 1] = northeast[n] = northwest[n - p + 1] = northwest[n] = 0.0f;
    couplings[4 * values + n] = 0.0f;
  }

  void randomise(emulate::Random &random, float scale)
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
    each([&](int, int, size_t n) {
      if (random.integer(0, 19) == 0) isolate(n);
      for (int k = 0; k < 5; k++) c[k * values + n] *= scale;
      c[5 * values + n] /= scale;
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

  Levels(emulate::Random &random, int nx, int ny, float scale)
  {
    for (;; nx = (nx + 1) / 2, ny = (ny + 1) / 2) {
      level.emplace_back(nx, ny);
      level.back().randomise(random, scale);
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
      tail.level[k].segments = level[k].segments;
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

/* The segment of a line that begins at node m of it. Returns where the next one begins. */
static int segment_solve(Level &l, const hs_segments &s, int line, int m)
{
  const hs_couplings_f32 c = l.coupled();
  const float *along = s.along_x ? c.east : c.north;
  const size_t step = s.along_x ? 1 : l.grid.pitch, n = s.along_x ? l.at(m, line) : l.at(line, m);
  const int end = hs_segments_end(&s, &l.grid), next = std::min(m + HS_SEGMENT - (m + s.shift) % HS_SEGMENT, end);
  float value[4][HS_SEGMENT];
  const hs_segment_rows rows = {value[0], value[1], value[2], value[3], 1};
  for (int k = 0; k < next - m; k++) {
    const size_t at = n + k * step;
    const struct hs_segment_row row =
        hs_segment_row(along[at - step], along[at], c.sum[at] + hs_level_total(&c, at, l.grid.pitch),
                       hs_level_residual(&c, l.u.data(), l.f[at], at, l.grid.pitch), m + k, &s, end);
    hs_segment_put(&rows, k, &row);
  }
  hs_segment_solve(&rows, next - m);
  for (int k = 0; k < next - m; k++) {
    const size_t at = n + k * step;
    l.room[at] = fmaf((float)s.weight, value[3][k], l.u[at]);
  }
  return next;
}

static void segments_relax(Level &l, bool backwards)
{
  for (int k = 0; k < 4; k++) {
    const int pass = backwards ? 3 - k : k, along_x = pass % 2 == 0, shift = pass < 2 ? 0 : 16;
    const hs_segments s = {along_x, shift, SEGMENT_WEIGHT, 0, 0};
    for (int line = 0; line < (along_x ? l.grid.ny : l.grid.nx); line++)
      for (int m = 0; m < hs_segments_end(&s, &l.grid);) m = segment_solve(l, s, line, m);
    l.u.swap(l.room);
  }
}

static void down(Level &l, Level &coarse, Weights weights)
{
  const hs_couplings_f32 c = l.coupled();
  const hs_interpolation w = l.interpolation();
  const float first = l.segments ? 0.0f : weights.first;
  l.each([&](int, int, size_t n) { l.u[n] = first * c.inverse[n] * l.f[n]; });
  if (l.segments)
    segments_relax(l, false);
  else
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
  if (l.segments) return segments_relax(l, true);
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

/* Numerator and pivot, odd and of 24 bits, whose quotient lies as close to the middle of two numbers as any does: pivot times
 * the middle is 1 more than a multiple of 2^25. */
static std::pair<float, float> hard_quotient(emulate::Random &random)
{
  const unsigned pivot = random.next() >> 8 | 1u << 23 | 1u;
  unsigned middle = pivot;
  for (int k = 0; k < 5; k++) middle *= 2u - pivot * middle; /* Newton's iteration for 1 / pivot modulo 2^32 */
  middle &= (1u << 25) - 1u;
  return {(float)(((uint64_t)pivot * middle - 1u) >> 25), (float)pivot};
}

/* Empty, or where products with an inverse are no quotient. */
static std::string quotients(emulate::Random &random)
{
  for (int k = 0; k < QUOTIENTS; k++) {
    auto [a, pivot] = hard_quotient(random);
    char text[160];
    if (k % 2) {
      pivot = ldexpf((float)random.integer(1, 1 << 24), random.integer(-40, 16));
      a = ldexpf((float)random.integer(-(1 << 24), 1 << 24), random.integer(-80, 20));
    }
    const float inverse = inverse_of(pivot), rest = fmaf(-pivot, inverse, 1.0f) * inverse;
    const float is = quotient(a, {0.0f, pivot, inverse, rest});
    if (is == a / pivot) continue;
    snprintf(text, sizeof text, "%a / %a is %a, must be %a", a, pivot, is, a / pivot);
    return text;
  }
  return "";
}

static void sources_make(Level &l, emulate::Random &random, Kind kind)
{
  const int own = random.integer(0, l.grid.nx * l.grid.ny - 1);
  l.each([&](int i, int j, size_t n) {
    const bool is = kind == ONE_SOURCE ? j * l.grid.nx + i == own : random.integer(0, 4) > 0;
    l.f[n] = is ? (float)random.between(-1.0, 1.0) * (kind == SMALL_SOURCES ? 0x1p-115f : 1.0f) : 0.0f;
  });
}

/* Run 0 has no segments, run 1 only these, others either. Empty, or what differs. */
static std::string run(emulate::Random &random, int nx, int ny, unsigned number)
{
  static const Weights weights = {0.5527864f, 1.4472136f};
  const Kind kind = (Kind)(number < 2 ? USUAL : random.integer(USUAL, KINDS - 1));
  Levels levels(random, nx, ny, kind == SMALL_COUPLINGS ? 0x1p-44f : kind == LARGE_COUPLINGS ? 0x1p44f : 1.0f);
  Level &first = levels.level[0];
  const std::vector<float> ghosts(hs_grid_values(&first.grid), NAN);
  std::vector<float> u = ghosts;
  char text[160] = "";
  for (Level &l : levels.level) l.segments = number < 2 ? number == 1 : random.integer(0, 1);
  levels.level.back().segments = false;
  sources_make(first, random, kind);
  const hs_device_tail tail = levels.device();
  const auto kernel = tail_has_segments(tail) ? mg_tail<true> : mg_tail<false>;
  emulate::machine.order = number;
  emulate::launch(dim3(1), dim3(TAIL_THREADS), tail.bytes, [&] {
    kernel(tail, first.f.data(), {weights.first, weights.second, SEGMENT_WEIGHT}, u.data());
  });
  cycle(levels, weights);
  first.each([&](int i, int j, size_t n) {
    if (!(u[n] == first.u[n]) && !*text)
      snprintf(text, sizeof text, "run %u, kind %d, (%d, %d) is %a, must be %a", number, kind, i, j, u[n], first.u[n]);
    u[n] = NAN;
  });
  if (!*text && memcmp(u.data(), ghosts.data(), u.size() * sizeof u[0])) return "a ghost was written";
  return text;
}

int main(int count, char **arguments)
{
  emulate::Random random = {88172645463325252u + (count > 1 ? strtoull(arguments[1], nullptr, 10) * 7919u : 0u)};
  Tap tap;
  if (!tap.begin(1 + sizeof sizes / sizeof *sizes)) return 0;
  tap.result("products with an inverse are quotients", quotients(random));
  for (const auto &size : sizes) {
    std::string difference;
    emulate::machine.label =
        "the last levels of a cycle: " + std::to_string(size.nx) + " x " + std::to_string(size.ny) + " nodes";
    for (unsigned number = 0; number < RUNS && difference.empty(); number++)
      difference = run(random, size.nx, size.ny, number);
    tap.result(emulate::machine.label, difference);
  }
  return tap.end();
}
