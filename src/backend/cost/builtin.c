/* Costs that came with the program, for machines on which nobody has measured.
 *
 * A line is a curve: microseconds per sweep of SIZE x SIZE nodes. GPU: one NVIDIA H200, driver 580, CUDA 13.0, by
 * `heatsolve tune` (cuda-blocked from 8192 on by longer runs of `heatsolve bench`); cuda.c scales them to other
 * devices. CPU: 16 processors (8 cores) of an Intel Xeon with AVX-512, and 1 and 2 cores of an AMD EPYC with AVX2,
 * shared with other work, so that rows vary by 20 %; cpu.c takes the number of threads between them. With AVX-512
 * two threads are up to twice as fast. Lines of weighted sweeps and of a right-hand side are of an earlier form of
 * passes, those of maps of single sweeps, those of cycles of plain loops; Chebyshev's points at 2048^2 are those of
 * single sweeps, times what passes took elsewhere. All others are medians, or means of two; see doc/measurements.md. A
 * backend without a line forecasts by a formula.
 */
#include "backend/cost/tuning.h"

#define P(size, us)                                                                                                    \
  {                                                                                                                    \
    (double)(size) * (size), (us)*1e-6                                                                                 \
  }
#define COUNT(...) (sizeof((struct hs_tuning_point[]){__VA_ARGS__}) / sizeof(struct hs_tuning_point))
#define CURVE(backend, kind, single, ...)                                                                              \
  {                                                                                                                    \
    backend, HS_TUNING_##kind, single, COUNT(__VA_ARGS__),                                                             \
    {                                                                                                                  \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  }
#define DOUBLE false
#define SINGLE true
#define CPU_1 "cpu, 1 thread"
#define CPU_2 "cpu, 2 threads"
#define CPU_16 "cpu, 16 threads"

/* clang-format off */
static const struct hs_tuning_curve curves[] = {
    CURVE("cuda-global", UNIFORM,   DOUBLE, P(64, 1.75), P(128, 1.79), P(256, 1.99), P(512, 2.7), P(1024, 5.27),
          P(2048, 21.2), P(4096, 71.8), P(16384, 1040)),
    CURVE("cuda-global", UNIFORM,   SINGLE, P(128, 1.62), P(256, 1.83), P(512, 2.33), P(1024, 4.62), P(2048, 14.7),
          P(4096, 41.2), P(8192, 141), P(16384, 532)),
    CURVE("cuda-global", MIXED,     DOUBLE, P(64, 1.76), P(128, 1.79), P(256, 2.01), P(512, 3), P(1024, 6.69),
          P(4096, 83.3), P(16384, 1290)),
    CURVE("cuda-global", MIXED,     SINGLE, P(128, 1.61), P(256, 1.82), P(512, 2.42), P(1024, 5.18), P(2048, 20.8),
          P(4096, 43.7), P(16384, 630)),
    CURVE("cuda-global", WEIGHTED,  DOUBLE, P(64, 1.67), P(128, 1.73), P(256, 1.98), P(512, 2.97), P(1024, 6.86),
          P(2048, 29.4), P(4096, 101), P(16384, 1530)),
    CURVE("cuda-global", WEIGHTED,  SINGLE, P(64, 1.53), P(128, 1.55), P(256, 1.79), P(512, 2.5), P(1024, 5.15),
          P(2048, 19.8), P(4096, 48), P(16384, 678)),
    CURVE("cuda-global", CHEBYSHEV, DOUBLE, P(64, 1.79), P(128, 1.81), P(256, 2.07), P(512, 3.12), P(1024, 7.01),
          P(2048, 35.5), P(4096, 123), P(16384, 1810)),
    CURVE("cuda-global", CHEBYSHEV, SINGLE, P(64, 1.6), P(128, 1.63), P(256, 1.87), P(512, 2.59), P(1024, 5.23),
          P(2048, 22.4), P(4096, 57.1), P(16384, 825)),
    CURVE("cuda-global", RHS,       DOUBLE, P(64, 1.64), P(128, 1.71), P(256, 1.99), P(512, 2.93), P(1024, 6.75),
          P(2048, 34.8), P(4096, 120), P(16384, 1820)),
    CURVE("cuda-global", RHS,       SINGLE, P(64, 1.5), P(128, 1.53), P(256, 1.76), P(512, 2.43), P(1024, 4.88),
          P(2048, 23.9), P(4096, 56), P(16384, 806)),
    CURVE("cuda-global", MAP,       DOUBLE, P(64, 1.61), P(128, 1.78), P(256, 2.3), P(512, 3.92), P(1024, 22.6),
          P(2048, 96.9), P(16384, 5770)),
    CURVE("cuda-global", MAP,       SINGLE, P(64, 1.43), P(128, 1.5), P(256, 1.96), P(512, 3.05), P(1024, 8.17),
          P(4096, 199), P(16384, 3100)),

    CURVE("cuda-shared", UNIFORM,   DOUBLE, P(512, 5.57), P(1024, 7.67), P(2048, 26.5), P(4096, 81.6), P(16384, 1140)),
    CURVE("cuda-shared", UNIFORM,   SINGLE, P(64, 5.04), P(512, 5.1), P(1024, 6.49), P(2048, 16.4), P(4096, 46.1),
          P(8192, 154), P(16384, 582)),
    CURVE("cuda-shared", MIXED,     DOUBLE, P(512, 5.57), P(1024, 7.71), P(2048, 32.9), P(8192, 401), P(16384, 1560)),
    CURVE("cuda-shared", MIXED,     SINGLE, P(64, 5.03), P(512, 5.12), P(1024, 6.46), P(2048, 18.2), P(16384, 1000)),
    CURVE("cuda-shared", WEIGHTED,  DOUBLE, P(64, 5.53), P(512, 5.6), P(1024, 7.79), P(2048, 26.7), P(4096, 80.6),
          P(16384, 1130)),
    CURVE("cuda-shared", WEIGHTED,  SINGLE, P(64, 4.98), P(512, 5.12), P(1024, 6.5), P(2048, 16.4), P(8192, 182),
          P(16384, 694)),
    CURVE("cuda-shared", CHEBYSHEV, DOUBLE, P(64, 5.57), P(512, 5.67), P(1024, 7.82), P(2048, 33.4), P(4096, 113),
          P(16384, 1620)),
    CURVE("cuda-shared", CHEBYSHEV, SINGLE, P(64, 5.06), P(512, 5.21), P(1024, 6.58), P(2048, 17.1), P(16384, 959)),
    CURVE("cuda-shared", RHS,       DOUBLE, P(64, 5.47), P(512, 5.57), P(1024, 7.68), P(2048, 33.3), P(4096, 111),
          P(16384, 1610)),
    CURVE("cuda-shared", RHS,       SINGLE, P(64, 4.99), P(512, 5.11), P(1024, 6.5), P(2048, 18.6), P(8192, 244),
          P(16384, 951)),
    CURVE("cuda-shared", MAP,       DOUBLE, P(64, 7.61), P(512, 8.37), P(1024, 23.4), P(2048, 82.8), P(16384, 4860)),
    CURVE("cuda-shared", MAP,       SINGLE, P(64, 6.59), P(512, 6.99), P(1024, 9.28), P(2048, 43.2), P(16384, 2450)),

    CURVE("cuda-resident", UNIFORM,   DOUBLE, P(128, 0.408), P(256, 0.476), P(512, 0.618), P(1024, 2.21),
          P(2048, 13.3)),
    CURVE("cuda-resident", UNIFORM,   SINGLE, P(256, 0.255), P(512, 0.45), P(1024, 1.19), P(2048, 10.1)),
    CURVE("cuda-resident", MIXED,     DOUBLE, P(128, 0.419), P(256, 0.544), P(512, 0.792), P(1024, 1.9), P(2048, 15.8)),
    CURVE("cuda-resident", MIXED,     SINGLE, P(64, 0.389), P(256, 0.399), P(1024, 1.45), P(2048, 11.6)),

    CURVE("cuda-blocked", UNIFORM,   DOUBLE, P(1024, 2.86), P(2048, 4.28), P(4096, 9.23), P(8192, 28.4), P(16384, 105)),
    CURVE("cuda-blocked", UNIFORM,   SINGLE, P(512, 3.82), P(1024, 4.38), P(2048, 4.57), P(4096, 6.9), P(8192, 16.8),
          P(16384, 57.5)),
    CURVE("cuda-blocked", MIXED,     DOUBLE, P(1024, 12.2), P(2048, 15.5), P(4096, 36.8), P(8192, 127)),
    CURVE("cuda-blocked", MIXED,     SINGLE, P(512, 18.8), P(2048, 22.9), P(4096, 36.2), P(8192, 86.8)),

    CURVE(CPU_16, UNIFORM,   DOUBLE, P(64, 1.9), P(256, 6.5), P(1024, 40), P(2048, 115), P(4096, 600), P(8192, 2570)),
    CURVE(CPU_16, UNIFORM,   SINGLE, P(64, 1.7), P(256, 5), P(512, 8.5), P(1024, 25.5), P(2048, 55), P(4096, 300),
          P(8192, 1140)),
    CURVE(CPU_1,  UNIFORM,   DOUBLE, P(64, 2.2), P(128, 6.3), P(256, 18.3), P(512, 69), P(1024, 282), P(2048, 983),
          P(4096, 4900)),
    CURVE(CPU_1,  UNIFORM,   SINGLE, P(64, 1.6), P(128, 3.8), P(256, 11.2), P(512, 36), P(1024, 146), P(2048, 544),
          P(4096, 2050)),
    CURVE(CPU_2,  UNIFORM,   DOUBLE, P(64, 2.1), P(128, 4.9), P(256, 12.8), P(512, 44), P(1024, 156), P(2048, 563),
          P(4096, 2200)),
    CURVE(CPU_2,  UNIFORM,   SINGLE, P(64, 1.8), P(128, 2.9), P(256, 7.5), P(512, 24.7), P(1024, 78.5), P(2048, 302),
          P(4096, 1180)),
    CURVE(CPU_2,  MIXED,     DOUBLE, P(64, 2.7), P(256, 20.6), P(1024, 206), P(4096, 3300)),
    CURVE(CPU_2,  MIXED,     SINGLE, P(64, 2.2), P(256, 12.3), P(1024, 144), P(4096, 1870)),
    CURVE(CPU_2,  WEIGHTED,  DOUBLE, P(64, 2.6), P(256, 22.3), P(1024, 320), P(2048, 966)),
    CURVE(CPU_2,  WEIGHTED,  SINGLE, P(64, 1.9), P(256, 14.3), P(1024, 154), P(2048, 615)),
    CURVE(CPU_2,  CHEBYSHEV, DOUBLE, P(64, 2.6), P(256, 20.2), P(1024, 331), P(2048, 1110)),
    CURVE(CPU_2,  CHEBYSHEV, SINGLE, P(64, 1.9), P(256, 13), P(1024, 128), P(2048, 415)),
    CURVE(CPU_2,  RHS,       DOUBLE, P(64, 2.6), P(256, 22), P(1024, 307), P(2048, 1220)),
    CURVE(CPU_2,  RHS,       SINGLE, P(64, 1.9), P(256, 11.1), P(1024, 153), P(2048, 559)),
    CURVE(CPU_2,  MAP,       DOUBLE, P(64, 5.0), P(256, 78), P(1024, 3200), P(2048, 15000)),
    CURVE(CPU_2,  MAP,       SINGLE, P(64, 5.0), P(256, 80), P(1024, 1500), P(2048, 7000)),
    CURVE(CPU_2,  CYCLE,     DOUBLE, P(16, 13), P(64, 55), P(256, 223), P(1024, 4300), P(2048, 18700)),
    CURVE(CPU_2,  CYCLE,     SINGLE, P(16, 13), P(64, 48), P(256, 236), P(1024, 4400), P(2048, 17800)),

    CURVE("cpu-reference", UNIFORM, DOUBLE, P(64, 13.5), P(256, 225), P(1024, 3800), P(2048, 14900)),
    CURVE("cpu-reference", UNIFORM, SINGLE, P(64, 13.5), P(256, 215), P(1024, 3800), P(2048, 14000)),
    CURVE("cpu-reference", MAP,     DOUBLE, P(64, 33), P(512, 2280)),
    CURVE("cpu-reference", MAP,     SINGLE, P(64, 32), P(512, 1900)),
    CURVE("cpu-reference", CYCLE,   DOUBLE, P(16, 30), P(64, 330), P(256, 4900), P(1024, 74000)),
    CURVE("cpu-reference", CYCLE,   SINGLE, P(16, 30), P(64, 330), P(256, 4900), P(1024, 74000)),
};
/* clang-format on */

const struct hs_tuning *hs_tuning_builtin(void)
{
  /* never changed: a table that is not owned is const */
  static const struct hs_tuning builtin = {.machine = "NVIDIA H200; Intel Xeon, 16 cores; AMD EPYC, 2 cores",
                                           .measured_utc = "",
                                           .count = sizeof curves / sizeof curves[0],
                                           .curve = (struct hs_tuning_curve *)curves};
  return &builtin;
}
