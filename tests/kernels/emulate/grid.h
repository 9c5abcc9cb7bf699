/* What the tests of emulated kernels share: a system on the "device", the same sweeps by a plain loop over the
 * nodes, the comparison of every bit, and TAP.
 */
#ifndef HS_TESTS_KERNELS_EMULATE_GRID_H
#define HS_TESTS_KERNELS_EMULATE_GRID_H

#include <csignal>

#include "device.cuh"

/* A grid laid out as kernels.h says, with all that a launch needs. Outside the grid there is 0, and it stays so. */
template <typename Real> struct Grid {
  using Stencil = typename StencilOf<Real>::type;
  int nx, ny, tiles_x, tiles_y;
  int64_t pitch, origin; /* elements; the offset of node (0, 0) in a field */
  std::vector<hs_stencil_f64> stencil;
  std::vector<hs_stencil_f32> stencil_single;
  std::vector<uint16_t> index;      /* at j * pitch + i */
  std::vector<Real> field[2];       /* the kernel's */
  std::vector<Real> expected, work; /* the plain loop's */

  Grid(int columns, int rows) : nx(columns), ny(rows)
  {
    tiles_x = (nx + HS_TILE_W - 1) / HS_TILE_W;
    tiles_y = (ny + HS_TILE_H - 1) / HS_TILE_H;
    pitch = tiles_x * HS_TILE_W + 2 * HS_PAD;
    origin = pitch + HS_PAD;
    index.assign(tiles_y * HS_TILE_H * pitch, 0);
    field[0].assign((tiles_y * HS_TILE_H + 2) * pitch, Real(0));
    field[1] = expected = work = field[0];
  }

  void stencil_add(const hs_stencil_f64 &s)
  {
    stencil.push_back(s);
    stencil_single.push_back({(float)s.west, (float)s.east, (float)s.south, (float)s.north, (float)s.c,
                              (float)s.diagonal, (float)s.relax, (float)s.storage});
  }

  void node_set(int i, int j, int entry, double value)
  {
    index[j * pitch + i] = (uint16_t)entry;
    field[0][origin + j * pitch + i] = expected[origin + j * pitch + i] = (Real)value;
  }

  hs_device_system device() const
  {
    hs_device_system d = {};
    d.nx = nx;
    d.ny = ny;
    d.tiles_x = tiles_x;
    d.tiles_y = tiles_y;
    d.pitch = pitch;
    d.d_index = index.data();
    d.d_stencil = stencil.data();
    d.d_stencil_single = stencil_single.data();
    d.wrap_x = d.wrap_y = -1;
    return d;
  }

  void sweep_expected(int sweeps)
  {
    const Stencil *stencil_table = StencilOf<Real>::stencil_table(device());
    for (int s = 0; s < sweeps; s++) {
      for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++) {
          const Real *t = expected.data() + origin + j * pitch + i;
          work[origin + j * pitch + i] =
              node_update(stencil_table[index[j * pitch + i]], t[-1], t[1], t[-pitch], t[pitch]);
        }
      expected.swap(work);
    }
  }

  /* Which bits are not those of the plain loop? Nodes and what lies beside the grid. Empty: none. Of a NaN only that it
   * is one: its sign and payload depend on the order of operands, which C leaves open. */
  std::string difference(const std::vector<Real> &got) const
  {
    char text[200] = "";
    size_t count = 0;
    for (size_t n = 0; n < got.size(); n++) {
      const Real is = got[n], must = expected[n];
      if (!memcmp(&is, &must, sizeof is) || (is != is && must != must)) continue;
      if (count++ == 0)
        snprintf(text, sizeof text, "(%d, %d) is %.17g (%a), must be %.17g (%a)", (int)((int64_t)n % pitch) - HS_PAD,
                 (int)((int64_t)n / pitch) - 1, (double)is, (double)is, (double)must, (double)must);
    }
    return count ? text + std::string("; ") + std::to_string(count) + " values differ" : "";
  }
};

/* --- TAP -------------------------------------------------------------------------------------- */

/* Runs a program's tests. main returns what end() says. */
struct Tap {
  int planned = 0, count = 0, failures = 0;

  /* Can kernels be emulated here? If not, says so and the program has nothing to do. */
  bool begin(int tests)
  {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    if (!__builtin_cpu_supports("fma")) {
      puts("1..0 # SKIP the processor has no fused multiply-add");
      return false;
    }
    signal(SIGSEGV, [](int) { emulate::fail("an access outside of all memory"); });
    signal(SIGBUS, [](int) { emulate::fail("an access outside of all memory"); });
    planned = tests;
    printf("1..%d\n", tests);
    return true;
  }

  /* difference: what went wrong, or empty. */
  void result(const std::string &name, const std::string &difference)
  {
    printf("%sok %d - %s\n", difference.empty() ? "" : "not ", ++count, name.c_str());
    if (difference.empty()) return;
    printf("# %s\n", difference.c_str());
    failures++;
  }

  int end() const
  {
    return failures > 0 || count != planned;
  }
};

#endif
