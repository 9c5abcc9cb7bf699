/* What sweeps cost: seconds per sweep by backend, kind of sweep, precision and size, measured once on a machine.
 *
 * A curve is a list of points (nodes, seconds per sweep) of square grids; between them the time is interpolated in the
 * logarithms of both, beyond them it grows like the nodes, and never falls below the smallest point's. Measured
 * tables serve better here than a formula with a bandwidth and a latency: caches, waves of blocks and halos all show.
 *
 * Without measurements of this machine, built-in curves (measured on the hardware that doc/measurements.md names) are
 * scaled by the memory rate or the number of cores. `heatsolve tune` measures and keeps a file in the user's cache
 * folder ($XDG_CACHE_HOME/heatsolve, ~/.cache/heatsolve), one for each machine.
 */
#ifndef HS_BACKEND_COST_TUNING_H
#define HS_BACKEND_COST_TUNING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* What a sweep has to do. */
enum hs_tuning_kind {
  HS_TUNING_UNIFORM,   /* plain sweeps, one stencil nearly everywhere */
  HS_TUNING_MIXED,     /* plain sweeps, many nodes beside others of another stencil: stripes of 50 nodes */
  HS_TUNING_WEIGHTED,  /* weighted sweeps and the explicit scheme */
  HS_TUNING_CHEBYSHEV, /* three-term sweeps */
  HS_TUNING_RHS,       /* sweeps with a field of constants: implicit steps, a source map */
  HS_TUNING_MAP,       /* plain sweeps, a stencil for every node */
  HS_TUNING_CYCLE,     /* no sweep: a cycle of multigrid */
  HS_TUNING_KINDS
};

/* "uniform", "mixed", ...: the names in files and tables. */
const char *hs_tuning_kind_name(enum hs_tuning_kind kind);

struct hs_tuning_point {
  double nodes, sweep_s;
};

struct hs_tuning_curve {
  char backend[32];
  enum hs_tuning_kind kind;
  bool single;
  int count;
  struct hs_tuning_point point[16]; /* ascending nodes */
};

struct hs_tuning {
  char machine[256]; /* CPU model and number of CPUs, GPU model: what the measurements belong to */
  char measured_utc[32];
  int count;
  struct hs_tuning_curve *curve; /* [count], owned */
};

/* This machine, as text for hs_tuning.machine. */
void hs_tuning_machine(char *text, size_t size);

/* Path of this machine's file, owned by the caller; NULL with HS_ERR_IO where there is no home folder. */
char *hs_tuning_path(struct hs_error *err);

/* Reads this machine's file. *tuning becomes NULL, and HS_OK is returned, where there is none. A file that is damaged
 * or of another version: HS_ERR_IO with a sentence; the caller warns and goes on without. Owned by the caller. */
hs_status hs_tuning_load(struct hs_tuning **tuning, struct hs_error *err);

/* Writes it, creating the folder; a reader sees the old file or the new one, never a part. Errors: HS_ERR_IO. */
hs_status hs_tuning_save(const struct hs_tuning *tuning, struct hs_error *err);

/* Can it be written? Tries with a file beside it, which it removes, so that nothing is measured in vain. The folder is made, and
 * stays. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_tuning_save_try(struct hs_error *err);

/* Adds a point in its place, or replaces the one of the same nodes. Errors: HS_ERR_MEMORY. */
hs_status hs_tuning_add(struct hs_tuning *tuning, const char *backend, enum hs_tuning_kind kind, bool single,
                        double nodes, double sweep_s, struct hs_error *err);

/* Seconds per sweep of `nodes` nodes; NaN where the table (NULL: none) has no such curve. */
double hs_tuning_sweep_s(const struct hs_tuning *tuning, const char *backend, enum hs_tuning_kind kind, bool single,
                         double nodes);

/* The built-in curves; not owned. */
const struct hs_tuning *hs_tuning_builtin(void);

void hs_tuning_destroy(struct hs_tuning *tuning); /* NULL is accepted */

#endif
