/* What the forecasts of all backends share: the cost of a sweep from curves of measured times (tuning.h), by what the
 * system and the method ask of it.
 *
 * A sweep costs as much as the dearest of what it has to do: sweep as plain as the uniform system, relax, read a
 * right-hand side, read a stencil for every node. Stencils that change from node to node cost between nothing and what
 * stripes of 50 nodes cost, by how often they change; where they change at nearly every node, up to NOISE times that.
 */
#ifndef HS_BACKEND_COST_COST_H
#define HS_BACKEND_COST_COST_H

#include "backend/backend.h"
#include "backend/cost/tuning.h"

/* Making the levels of multigrid, in cycles of CPUs: measured 2.7 (cpu-reference) and 0.5 to 3.3 (cpu). */
#define HS_COST_LEVELS_CYCLES 2.5

/* Share of neighbouring pairs of nodes with different stencils, 0 .. 1, from up to 64 rows and the rows above them. */
double hs_cost_variety(const struct hs_system *system);

/* What a sweep has to do, as far as its cost goes. */
struct hs_cost_sweep {
  double nodes;
  double variety; /* hs_cost_variety */
  bool each_law;  /* every node has a stencil of its own, */
  bool constants; /* a right-hand side of its own */
  bool single;
  enum hs_form form;
};
struct hs_cost_sweep hs_cost_sweep_of(const struct hs_system *system, const struct hs_backend_options *options);

/* Seconds of a sweep by one table's curves of that backend; NaN where it has no uniform one. A missing curve of another
 * kind is taken from `kinds_of`, a backend of the built-in table, by its ratio to the uniform one there. */
double hs_cost_sweep_s(const struct hs_tuning *tuning, const char *backend, const char *kinds_of,
                       const struct hs_system *system, const struct hs_backend_options *options);

double hs_cost_of_sweep_s(const struct hs_tuning *tuning, const char *backend, const char *kinds_of,
                          const struct hs_cost_sweep *sweep);

/* The same for a cycle of multigrid. */
double hs_cost_of_cycle_s(const struct hs_tuning *tuning, const char *backend, const char *kinds_of, bool single,
                          double nodes);
double hs_cost_cycle_s(const struct hs_tuning *tuning, const char *backend, const char *kinds_of,
                       const struct hs_system *system, const struct hs_backend_options *options);

/* Most bytes that levels and vectors take at one time, where levels are made as on the CPU. */
double hs_cost_multigrid_bytes(const struct hs_system *system);

/* Adds what multigrid takes on the CPU, where options ask for it. */
void hs_cost_multigrid(double cycle_s, const struct hs_system *system, const struct hs_backend_options *options,
                       struct hs_backend_cost *cost);

/* The same of GPUs: a cycle and its step move about 165 bytes a node at three quarters of the memory's rate, and make two
 * launches on each level beside a few others and a wait: 60 us at 257^2, 0.90 ms at 4097^2, 11.9 ms at 16385^2 on an H200. */
#define HS_COST_GPU_LEVELS_CYCLES 7.5
double hs_cost_gpu_cycle_s(double nodes, double bytes_per_s);

/* Context, transfers and allocation. */
double hs_cost_gpu_setup_s(double nodes, bool single);

/* What a run takes on one H200 that need not be here: sweeps in passes, or on the chip, where they can be, else one by one.
 * of_shape: of nx x ny nodes, sweep->nodes in all; periodic: some wall is, which passes cannot do. Bytes are those of sweeps;
 * multigrid's come on top. */
struct hs_backend_cost hs_cost_gpu(const struct hs_system *system, const struct hs_backend_options *options);
struct hs_backend_cost hs_cost_gpu_of(const struct hs_cost_sweep *sweep, double nx, double ny, bool periodic);

/* The same of so many threads of a CPU, by the built-in curves: between the numbers of threads that were measured, and beyond
 * them, time is interpolated as over sizes; it never falls faster than 1/threads. Uniform sweeps alone, and a whole run. */
double hs_cost_threads_s(int threads, bool single, double nodes);
struct hs_backend_cost hs_cost_cpu_of(const struct hs_cost_sweep *sweep, int threads);

#endif
