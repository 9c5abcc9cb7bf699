/* How fast a backend sweeps: the measurement behind `heatsolve bench` and `heatsolve tune`.
 *
 * The problem is the workshop's on nx x ny nodes: walls held at different temperatures or insulated ones, one source
 * or none, cells filled by a pattern; or that of a configuration. After warm-up the median of repeats is taken, each long
 * enough for the clock. Times are wall-clock times and include launches and the wait at the end; the field is loaded anew
 * where needed, so that no part of it is constant or subnormal while it is timed.
 */
#ifndef HS_BENCH_RATE_H
#define HS_BENCH_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/backend.h"
#include "base/status.h"
#include "problem/problem.h"

enum hs_rate_pattern {
  HS_RATE_UNIFORM, /* one material */
  HS_RATE_STRIPES, /* eight materials in turn, in stripes of 50 cells that run north */
  HS_RATE_BLOCKS,  /* the same in squares of 50 x 50 cells */
  HS_RATE_NOISE,   /* one of eight materials for each cell, at random */
  HS_RATE_MAP,     /* a conductivity that varies from cell to cell: a law for every node */
  HS_RATE_PATTERNS,
  HS_RATE_FILE = HS_RATE_PATTERNS /* no pattern: the problem of a configuration */
};

enum hs_rate_form {
  HS_RATE_PLAIN,
  HS_RATE_WEIGHTED,
  HS_RATE_CHEBYSHEV,
  HS_RATE_RHS,
  HS_RATE_MULTIGRID, /* no sweeps: whole solutions to 1e-8 of the field's range, 1e-5 in single precision; of a
                      * configuration, to its tolerance */
  HS_RATE_FORMS
};

enum hs_rate_mode {
  HS_RATE_SWEEP,  /* sweeps only */
  HS_RATE_TESTED, /* with a stop test every check_every sweeps that never holds */
  HS_RATE_NORM,   /* the update's norms in every sweep */
  HS_RATE_MODES
};

struct hs_rate_problem {
  int nx, ny;
  enum hs_rate_pattern pattern;
  enum hs_rate_form form;
  bool source;     /* a heated rectangle in the middle; else none */
  bool convection; /* convection at the east wall and flux at the south wall; else all four walls are held */
  const struct hs_problem *drawn; /* HS_RATE_FILE: in place of these two, nx x ny nodes, steady; else NULL. Not owned */
};

struct hs_rate_settings {
  enum hs_rate_mode mode;
  int check_every; /* of HS_RATE_TESTED */
  double seconds;  /* least time of one repeat */
  int repeats;     /* 1 .. 101 */
};

struct hs_rate {
  double sweep_s;     /* median time of one sweep, or cycle */
  double spread;      /* (largest - smallest) / median */
  int64_t sweeps;     /* of one repeat; multigrid: cycles of a solution, with that which finds its last error */
  int threads;        /* CPU threads that swept; 0 on a device */
  double nodes_per_s; /* nx ny / sweep_s; multigrid: NaN */
  int cycles;         /* multigrid: of a solution */
  double solve_s;     /* multigrid: median time of a solution; */
  double setup_s;     /* of making the levels, which it leaves out */
};

/* "uniform", "plain", "sweep", ...: the names in options and tables. */
const char *hs_rate_pattern_name(enum hs_rate_pattern pattern);
const char *hs_rate_form_name(enum hs_rate_form form);
const char *hs_rate_mode_name(enum hs_rate_mode mode);

/* Bytes that a sweep of a form must move for each node, NaN for multigrid: the field read once and written once, and
 * one more field read by Chebyshev's form (the predecessor) and with constants of the nodes' own. */
double hs_rate_bytes_per_node(enum hs_rate_form form, bool single);

/* The system of a problem with stencils in both precisions, owned by the caller (hs_system_destroy). Errors:
 * HS_ERR_MEMORY; HS_ERR_UNSUPPORTED (a map of too many nodes); those of hs_problem_build_system. */
hs_status hs_rate_system(const struct hs_rate_problem *problem, struct hs_system **system, struct hs_error *err);

/* Gives a system of hs_rate_system the stencils of another form, which saves making it anew. */
void hs_rate_system_form(enum hs_rate_form form, struct hs_system *system);

/* Measures one backend on a system of hs_rate_system with problem->form. Errors: HS_ERR_DEVICE, HS_ERR_MEMORY,
 * HS_ERR_UNSUPPORTED (a mode that the form does not have, or an interval between tests that takes too long). */
hs_status hs_rate_measure(const struct hs_rate_problem *problem, const struct hs_system *system,
                          const struct hs_backend *backend, const struct hs_backend_options *options,
                          const struct hs_rate_settings *settings, struct hs_rate *rate, struct hs_error *err);

/* Bytes per second that copying large arrays reaches (bytes read plus bytes written) on the device (on_device) or with
 * all the CPU threads of options: the roofline of one sweep per pass. On the CPU the arrays are smaller, and may lie in its
 * caches, where repeats are short (seconds, as in the settings). Errors: HS_ERR_DEVICE, HS_ERR_MEMORY. */
hs_status hs_rate_copy(bool on_device, const struct hs_backend_options *options, double seconds, double *bytes_per_s,
                       struct hs_error *err);

#endif
