/* What a run needs to go on as if nothing had happened: a point of its solution or of its time steps, and the fields.
 *
 * Where checkpoints go, and where they come from, is the business of whoever sets `keeper` and `from` of struct hs_job.
 */
#ifndef HS_RUN_CHECKPOINT_H
#define HS_RUN_CHECKPOINT_H

#include "answers/answers.h"
#include "solve/point.h"
#include "time/transient.h"

struct hs_job;
struct hs_result;

/* Fields one by one. *field_k, [ny*nx] K, is valid until the next call. */
struct hs_field_source {
  hs_status (*get)(void *context, enum hs_field_role role, const double **field_k, struct hs_error *err);
  void *context;
};

struct hs_checkpoint {
  struct hs_solve_point steady;        /* of a steady run, */
  struct hs_transient_point transient; /* of a transient one, with its */
  struct hs_series series;             /* answers so far; not owned */
  bool has_before, has_saved;          /* fields beside the present one; before: of a transient run its change */
  struct hs_field_source fields;
};

struct hs_checkpoint_keeper {
  bool (*due)(void *context); /* asked about ten times a second; NULL: only when the run is ended */
  hs_status (*write)(void *context, const struct hs_checkpoint *checkpoint, struct hs_error *err);
  void *context;
};

/* Hands a checkpoint to the job's keeper. One that cannot be written does not end the run: it becomes a warning of the
 * result. Errors: those of the fields' source but HS_ERR_IO. */
hs_status hs_checkpoint_keep(const struct hs_job *job, const struct hs_checkpoint *checkpoint, struct hs_result *result,
                             struct hs_error *err);

/* Wall-clock time of the run until the checkpoint that it goes on from. */
double hs_checkpoint_time_s(const struct hs_job *job);

/* Sweeps of that checkpoint. */
int64_t hs_checkpoint_sweeps(const struct hs_job *job);

/* Which problem a job solves: the keys of its configuration that change the answer, with the method that auto took, as
 * text, and a line for the contents of the files that it reads; the same for every number of ranks. Collective over them. Owned
 * by the caller; NULL with HS_ERR_MEMORY. */
char *hs_checkpoint_identity(const struct hs_job *job, struct hs_error *err);

#endif
