/* A transient run in progress: what the files of src/time share. */
#ifndef HS_TIME_MARCH_H
#define HS_TIME_MARCH_H

#include "solve/pace.h"
#include "time/steps.h"
#include "time/transient.h"

#define HS_MARCH_SHORT_S 0.05 /* of wall time: a step that takes no longer is completed before a run ends */
#define HS_MARCH_SLACK HS_STEPS_SLACK

struct hs_march {
  struct hs_discretisation *discretisation;
  const struct hs_transient_settings *settings;
  const struct hs_backend *backend;
  struct hs_backend_state *state;
  const struct hs_solve_observer *observer;
  const struct hs_snapshot_taker *taker;
  struct hs_transient_outcome *outcome;
  double time_s;
  double event_s;                     /* of the latest snapshot, or the start */
  int64_t event_steps;                /* whole steps since then */
  double ulp_k;                       /* unit in the last place of the largest temperature */
  int64_t ulp_steps;                  /* steps at which it is measured again */
  int64_t inner_sweeps;               /* of the last inner solution */
  double step_took_s;                 /* wall-clock time of the last implicit step, INFINITY before the first */
  bool taken, behind;                 /* multigrid has the present field; the backend has an earlier one */
  bool watched;                       /* the step in progress can be undone */
  volatile sig_atomic_t undo;         /* it is to be */
  double planned_s;                   /* adaptive: the step to try next; an event may shorten it */
  struct hs_pace pace;                /* of explicit steps */
  double started_s, shown_s, asked_s; /* clock times of the start and of the latest events */
  double *field_k;                    /* [ny*nx] the latest that was fetched */
  double *start_k, *once_k;           /* [ny*nx] adaptive: before a step, and after it as one */
  bool conductances_timed;            /* a conductance to an ambient depends on time */
};

/* The present discretisation. */
static inline const struct hs_system *hs_march_system(const struct hs_march *m)
{
  return m->discretisation->now;
}

static inline bool hs_march_is_timed(const struct hs_march *m)
{
  return m->discretisation->problem && m->discretisation->problem->timed;
}

static inline size_t hs_march_nodes(const struct hs_march *m)
{
  return (size_t)hs_march_system(m)->nx * (size_t)hs_march_system(m)->ny;
}

/* The ranks of the run. */
static inline struct hs_comm *hs_march_comm(const struct hs_march *m)
{
  return hs_system_comm(hs_march_system(m));
}

/* Has this rank been asked to stop? */
bool hs_march_stop_requested(const struct hs_march *m);

/* At the end of a step, about ten times a second: tells the observer where the run is, keeps a point where one is due,
 * and asks whether the run is to end. Collective: it is time as soon as it is for one rank. */
hs_status hs_march_event(struct hs_march *m, struct hs_error *err);

/* Tells the observer where the run is, with the sweeps of a step in progress, if it has not been told just now. */
void hs_march_show(struct hs_march *m, int64_t inner_sweeps);

/* What a step that is undone must give back, beside field and boundary values. */
struct hs_march_mark {
  struct hs_transient_outcome outcome;
  double ulp_k;
  int64_t ulp_steps, inner_sweeps;
};
struct hs_march_mark hs_march_mark(const struct hs_march *m);

/* Back to a mark, with the boundary values of m->time_s; the run is then interrupted. */
hs_status hs_march_back(struct hs_march *m, const struct hs_march_mark *mark, struct hs_error *err);

/* All that later steps depend on, besides the field and the change that multigrid has. */
struct hs_transient_point hs_march_point(const struct hs_march *m);

/* The system for a step of another length, with the boundary values that it has. */
hs_status hs_march_set_length(struct hs_march *m, double step_s, struct hs_error *err);

/* The system with the boundary values of another time. Errors: those of hs_discretisation_set; HS_ERR_CONFIG (the explicit
 * step has become too long). */
hs_status hs_march_set_time(struct hs_march *m, double time_s, struct hs_error *err);

/* The largest |a - b| of all ranks' nodes, K; b NULL: the largest |a|. NaN where a node of a is not finite. */
hs_status hs_march_largest(const struct hs_march *m, const double *a, const double *b, double *largest_k,
                           struct hs_error *err);

/* Takes over the largest |t|: ulp_k, and DIVERGED where it is not finite. */
void hs_march_measure(struct hs_march *m, double largest_k);

/* Fetches the field into m->field_k and measures all ranks' nodes. */
hs_status hs_march_fetch(struct hs_march *m, struct hs_error *err);

/* Gives the backend the present field where it is behind. */
hs_status hs_march_settle(struct hs_march *m, struct hs_error *err);

/* Counts `steps` steps of step_s. */
void hs_march_count(struct hs_march *m, double step_s, int64_t steps);

/* The implicit step that was solved last counts: cycles begin the next one with its change. */
hs_status hs_march_accept(struct hs_march *m, struct hs_error *err);

/* Solves the equations of a step by hs_solve. */
hs_status hs_march_solve(struct hs_march *m, struct hs_error *err);

/* One implicit step from m->time_s to until_s, which is step_s later but for rounding. Where the run is interrupted meanwhile, it is INTERRUPTED and the field undefined. */
hs_status hs_march_implicit_step(struct hs_march *m, double step_s, double until_s, struct hs_error *err);

/* Length of the whole steps from the latest event to until_s: hs_steps_length, bounded by stability. */
double hs_march_length(const struct hs_march *m, double until_s);

/* Steps from m->time_s to until_s, as long as the verdict is RUNNING. */
hs_status hs_march_explicit(struct hs_march *m, double until_s, struct hs_error *err);
hs_status hs_march_implicit(struct hs_march *m, double until_s, struct hs_error *err);
hs_status hs_march_adaptive(struct hs_march *m, double until_s, struct hs_error *err);

#endif
