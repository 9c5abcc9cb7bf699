/* The result: the final field and every number about it. Const to all outputs. */
#ifndef HS_RUN_RESULT_H
#define HS_RUN_RESULT_H

#include "answers/answers.h"
#include "config/config.h"
#include "problem/problem.h"
#include "problem/system.h"
#include "solve/solve.h"
#include "time/transient.h"

/* What a user should know although it does not end the run: sentences, without "warning:" and the last point. */
enum { HS_WARNINGS_MOST = 8 };
struct hs_warnings {
  int count;
  char text[HS_WARNINGS_MOST][1024];
};

enum { HS_METHOD_REASON = 640 };

struct hs_result {
  const struct hs_config *config;   /* not owned */
  const struct hs_problem *problem; /* not owned */
  int nx, ny;                       /* of the whole grid */
  double dx_m, dy_m;
  double *field_k;                      /* [ny*nx] of the problem's window, owned, row 0 in the south */
  enum hs_method method;                /* of steady runs and implicit steps */
  char method_reason[HS_METHOD_REASON]; /* why this one */
  struct hs_solve_outcome outcome;
  struct hs_transient_outcome transient; /* all 0 for steady problems */
  struct hs_answers answers;             /* of the final field */
  struct hs_series series;               /* of the snapshots of a transient; count 0 otherwise */
  int check_every;                       /* sweeps between two evaluations of the stop test */
  double mean_shift_k;                   /* insulated steady problems: added to the field to hold its mean */
  const char *backend;                   /* name */
  char backend_reason[2048];             /* why this one */
  struct hs_backend_place place;
  double time_total_s, time_solve_s;
  int levels;           /* of multigrid; 0: another method */
  double time_levels_s; /* to make them, which is not in time_solve_s */
  int estimate_cycles;  /* cycles that found errors of fields made by another method, levels included; and what they */
  double time_estimate_s;   /* took, which is not in time_solve_s */
  double time_predicted_s;  /* of the sweeps, tests and steps that were made, by the cost model, for comparison with
                                time_solve_s; NaN: the run changed its backend */
  char predicted_from[128]; /* "built-in costs", "costs measured on this machine, 2026-..." */
  int checkpoints;          /* written, and what they took, which is not in time_solve_s */
  double time_checkpoints_s;
  int64_t went_on_from;      /* sweeps of the checkpoint that the run went on from; 0: from the start */
  double node_updates_per_s; /* free nodes times sweeps over time_solve_s; 0 for cycles */
  char started_utc[32];
  struct hs_warnings warnings;
};

static inline bool hs_result_is_transient(const struct hs_result *result)
{
  return result->config->time.scheme != HS_SCHEME_STEADY;
}

/* Did the run make multigrid cycles rather than sweeps? */
static inline bool hs_result_makes_cycles(const struct hs_result *result)
{
  return result->method == HS_METHOD_MULTIGRID && result->config->time.scheme != HS_SCHEME_EXPLICIT;
}

/* How the run ended, and the number of its sweeps, steady or transient; with multigrid, of its cycles. */
static inline enum hs_verdict hs_result_verdict(const struct hs_result *result)
{
  return hs_result_is_transient(result) ? result->transient.verdict : result->outcome.verdict;
}

static inline int64_t hs_result_sweeps(const struct hs_result *result)
{
  return hs_result_is_transient(result) ? result->transient.sweeps : result->outcome.sweeps;
}

/* Heat from a side, or a surface of the problem, per square metre; NaN where that is not known. */
double hs_result_side_mean(const struct hs_result *result, enum hs_side side);
double hs_result_surface_mean(const struct hs_result *result, int surface);

/* Temperatures of the field that are no further apart may be one: by rounding, and by the remaining error where the run
 * ended for a test of it, K. */
double hs_result_resolution_k(const struct hs_result *result);

/* Adds a warning; one too many is dropped. */
void hs_warnings_add(struct hs_warnings *warnings, const char *text);

/* Is there a warning of that text already? */
bool hs_warnings_contain(const struct hs_warnings *warnings, const char *text);

/* Frees what the result owns. */
void hs_result_clear(struct hs_result *result);

#endif
