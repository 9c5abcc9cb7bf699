/* Costs that came with the program, for machines on which nobody has measured.
 *
 * A line is a curve: microseconds per sweep of SIZE x SIZE nodes. GPU: one NVIDIA H200, driver 580, CUDA 13.0; cuda.c
 * scales them to other devices. CPU: 16 cores of an Intel Xeon with AVX-512, and 1 and 2 cores of an AMD EPYC with
 * AVX2, shared with other work, so that rows vary by 20 %; cpu.c takes the number of threads between them. The lines
 * of maps are of single sweeps, those of the CPU and the points of cuda-blocked's MIXED at 1024 of earlier forms of
 * passes. All are medians of `heatsolve bench`; see doc/measurements.md. A backend without a line forecasts by a
 * formula.
 */
#include "backend/tuning.h"

#define P(size, us) {(double)(size) * (size), (us) * 1e-6}
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
    CURVE("cuda-global", UNIFORM,   DOUBLE, P(256, 1.74), P(1024, 5.13), P(4096, 72.0), P(8192, 265), P(16384, 1039)),
    CURVE("cuda-global", UNIFORM,   SINGLE, P(256, 1.82), P(1024, 4.54), P(4096, 40.7), P(8192, 140), P(16384, 531)),
    CURVE("cuda-global", MIXED,     DOUBLE, P(256, 2.04), P(1024, 6.57), P(4096, 83.2), P(8192, 321), P(16384, 1275)),
    CURVE("cuda-global", MIXED,     SINGLE, P(256, 1.83), P(1024, 5.15), P(4096, 43.6), P(8192, 161), P(16384, 629)),
    CURVE("cuda-global", WEIGHTED,  DOUBLE, P(256, 2.5), P(8192, 386)),
    CURVE("cuda-global", WEIGHTED,  SINGLE, P(256, 2.5), P(8192, 174)),
    CURVE("cuda-global", CHEBYSHEV, DOUBLE, P(256, 2.5), P(8192, 473)),
    CURVE("cuda-global", CHEBYSHEV, SINGLE, P(256, 2.5), P(8192, 211)),
    CURVE("cuda-global", RHS,       DOUBLE, P(256, 2.5), P(8192, 463)),
    CURVE("cuda-global", RHS,       SINGLE, P(256, 2.5), P(8192, 207)),
    CURVE("cuda-global", MAP,       DOUBLE, P(256, 3.0), P(8192, 1459)),
    CURVE("cuda-global", MAP,       SINGLE, P(256, 2.5), P(8192, 771)),

    CURVE("cuda-shared", UNIFORM,   DOUBLE, P(256, 5.88), P(1024, 8.44), P(4096, 82.5), P(8192, 294), P(16384, 1155)),
    CURVE("cuda-shared", UNIFORM,   SINGLE, P(256, 5.12), P(1024, 6.43), P(4096, 46.6), P(8192, 154), P(16384, 589)),
    CURVE("cuda-shared", MIXED,     DOUBLE, P(256, 6.5), P(8192, 402)),
    CURVE("cuda-shared", MIXED,     SINGLE, P(256, 6.0), P(8192, 255)),
    CURVE("cuda-shared", WEIGHTED,  DOUBLE, P(256, 6.0), P(8192, 292)),
    CURVE("cuda-shared", WEIGHTED,  SINGLE, P(256, 5.5), P(8192, 182)),
    CURVE("cuda-shared", CHEBYSHEV, DOUBLE, P(256, 6.5), P(8192, 412)),
    CURVE("cuda-shared", CHEBYSHEV, SINGLE, P(256, 6.0), P(8192, 245)),
    CURVE("cuda-shared", RHS,       DOUBLE, P(256, 6.5), P(8192, 409)),
    CURVE("cuda-shared", RHS,       SINGLE, P(256, 6.0), P(8192, 242)),
    CURVE("cuda-shared", MAP,       DOUBLE, P(256, 7.0), P(8192, 1220)),
    CURVE("cuda-shared", MAP,       SINGLE, P(256, 6.0), P(8192, 621)),

    CURVE("cuda-resident", UNIFORM, DOUBLE, P(256, 0.473), P(512, 0.616), P(1024, 2.21), P(2048, 13.2)),
    CURVE("cuda-resident", UNIFORM, SINGLE, P(256, 0.254), P(512, 0.450), P(1024, 1.19), P(2048, 10.2)),
    CURVE("cuda-resident", MIXED,   DOUBLE, P(256, 0.548), P(512, 0.791), P(1024, 1.89), P(2048, 15.6)),
    CURVE("cuda-resident", MIXED,   SINGLE, P(256, 0.399), P(512, 0.742), P(1024, 1.44), P(2048, 11.5)),

    CURVE("cuda-blocked", UNIFORM,  DOUBLE, P(1024, 2.94), P(2048, 4.29), P(4096, 9.25), P(8192, 28.4), P(16384, 108)),
    CURVE("cuda-blocked", UNIFORM,  SINGLE, P(1024, 4.19), P(2048, 4.57), P(4096, 6.85), P(8192, 16.8), P(16384, 57.5)),
    CURVE("cuda-blocked", MIXED,    DOUBLE, P(1024, 26.7), P(4096, 36.9), P(8192, 127)),
    CURVE("cuda-blocked", MIXED,    SINGLE, P(1024, 33.1), P(4096, 36.6), P(8192, 86.8)),

    CURVE(CPU_16, UNIFORM,   DOUBLE, P(256, 4.8), P(1024, 33), P(8192, 3536)),
    CURVE(CPU_16, UNIFORM,   SINGLE, P(256, 3.7), P(1024, 17), P(4096, 352), P(8192, 1566)),
    CURVE(CPU_1,  UNIFORM,   DOUBLE, P(64, 4.5), P(256, 35), P(512, 126), P(1024, 446), P(2048, 1690), P(4096, 6850)),
    CURVE(CPU_1,  UNIFORM,   SINGLE, P(64, 3.1), P(256, 19.4), P(512, 68), P(1024, 228), P(2048, 835), P(4096, 3450)),
    CURVE(CPU_2,  UNIFORM,   DOUBLE, P(64, 2.6), P(256, 15.5), P(512, 59), P(1024, 227), P(2048, 799), P(4096, 3420)),
    CURVE(CPU_2,  UNIFORM,   SINGLE, P(64, 1.9), P(256, 7.7), P(512, 35), P(1024, 124), P(2048, 456), P(4096, 1760)),
    CURVE(CPU_2,  MIXED,     DOUBLE, P(64, 2.6), P(256, 19), P(1024, 309), P(4096, 4680)),
    CURVE(CPU_2,  MIXED,     SINGLE, P(64, 1.9), P(256, 14.8), P(1024, 207), P(4096, 2920)),
    CURVE(CPU_2,  WEIGHTED,  DOUBLE, P(64, 2.6), P(256, 22.3), P(1024, 320), P(2048, 966)),
    CURVE(CPU_2,  WEIGHTED,  SINGLE, P(64, 1.9), P(256, 14.3), P(1024, 154), P(2048, 615)),
    CURVE(CPU_2,  CHEBYSHEV, DOUBLE, P(64, 2.6), P(256, 20.2), P(1024, 331), P(2048, 2600)),
    CURVE(CPU_2,  CHEBYSHEV, SINGLE, P(64, 1.9), P(256, 13), P(1024, 128), P(2048, 787)),
    CURVE(CPU_2,  RHS,       DOUBLE, P(64, 2.6), P(256, 22), P(1024, 307), P(2048, 1220)),
    CURVE(CPU_2,  RHS,       SINGLE, P(64, 1.9), P(256, 11.1), P(1024, 153), P(2048, 559)),
    CURVE(CPU_2,  MAP,       DOUBLE, P(64, 5.0), P(256, 78), P(1024, 3200), P(2048, 15000)),
    CURVE(CPU_2,  MAP,       SINGLE, P(64, 5.0), P(256, 80), P(1024, 1500), P(2048, 7000)),

    CURVE("cpu-reference", UNIFORM, DOUBLE, P(64, 13.5), P(256, 225), P(1024, 3800), P(2048, 14900)),
    CURVE("cpu-reference", UNIFORM, SINGLE, P(64, 13.5), P(256, 215), P(1024, 3800), P(2048, 14000)),
    CURVE("cpu-reference", MAP,     DOUBLE, P(64, 33), P(512, 2280)),
    CURVE("cpu-reference", MAP,     SINGLE, P(64, 32), P(512, 1900)),
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
