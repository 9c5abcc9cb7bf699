/* What the files of a job share: prepare.c calls method.c, which calls job.c. */
#ifndef HS_RUN_JOB_PARTS_H
#define HS_RUN_JOB_PARTS_H

#include "run/job.h"

/* Refuses a run of `whole` bytes in this process, of which `taken` are in use already, that this machine's free memory cannot hold
 * with a tenth to spare; where the machine has several ranks, with as much for each. Collective. */
hs_status hs_job_memory_check(const struct hs_job *job, double whole, double taken, struct hs_error *err);

/* How the grid is cut between ranks: by what an ordinary node of a cluster takes, so that all ranks find the same. Every method
 * can be used then, also where `auto` will take another one. Fewer parts than ranks: the grid is too small. */
struct hs_partition hs_job_partition(const struct hs_config *config, int ranks);

/* The configuration's settings that need no method, and job->subdomain's ranks. */
void hs_job_settings_fill(const struct hs_config *config, struct hs_job *job);

/* The configuration's settings of time steps, without snapshots. */
struct hs_transient_settings hs_job_transient_settings(const struct hs_job *job);

/* The settings, options and forecast of a method, which must not be auto. */
hs_status hs_job_method_set(struct hs_job *job, enum hs_method method, struct hs_error *err);

/* Chooses the backend for the method that is set, and refuses a run that memory cannot hold. */
hs_status hs_job_backend_choose(struct hs_job *job, struct hs_error *err);

/* Settles the method: as configured, or by forecast, and with it the backend. */
hs_status hs_job_method_choose(struct hs_job *job, struct hs_error *err);

/* Methods that `auto` chooses from, in the order that equal work goes by. */
enum { HS_CANDIDATES = 3 };
extern const enum hs_method HS_CANDIDATE[HS_CANDIDATES];

/* Is the choice of a method left to the forecast? Else it is *method, and reason[size] says why. */
bool hs_job_method_is_open(const struct hs_config *config, enum hs_method *method, char *reason, size_t size);

/* The work of a steady run of that many sweeps or cycles, as methods are compared by: a field of sweeps is accepted by cycles. */
struct hs_work hs_job_work_judged(const struct hs_solve_settings *settings, double count);

/* A method's count and its work in sweeps, for the comparison: "multigrid 115 (7 cycles)". */
struct hs_candidate {
  enum hs_method method;
  double count;       /* sweeps, or cycles; of a step where there are steps */
  double work_sweeps; /* the same, with what goes with it, in sweeps */
};
void hs_candidates_sort(struct hs_candidate ranked[HS_CANDIDATES]); /* least work first */
void hs_candidates_print(const struct hs_candidate ranked[HS_CANDIDATES], bool steady, char *text, size_t size);

/* Adds to such a text that a method is left out, and the first clause of why. */
void hs_refusal_add(char *text, size_t size, enum hs_method method, const char *why);

/* The refusal of multigrid by ranks that cannot make cycles. Returns HS_ERR_CONFIG. */
hs_status hs_cycles_refuse(const struct hs_config *config, const char *why, struct hs_error *err);

/* Is the exact stop sweep looked for at the end? */
bool hs_job_replays(const struct hs_job *job);

/* Sets job->options.spread and job->backends by the ranks of the job and solver.gpus. Errors: HS_ERR_CONFIG, HS_ERR_DEVICE. */
hs_status hs_job_devices_choose(struct hs_job *job, struct hs_error *err);

#endif
