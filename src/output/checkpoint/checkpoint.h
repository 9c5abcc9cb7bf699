/* The checkpoints of a run in its output folder: checkpoint.h5, and checkpoint-previous.h5, the one before.
 *
 * All ranks of a run write one file, each its part of the fields, and any number of ranks goes on from it; what is decided here
 * is decided by all alike. A checkpoint is written beside the others, sealed with a checksum (seal.h), flushed to the disk and
 * renamed, so that at every moment the newest complete one is there. Both are removed when a run is done.
 */
#ifndef HS_OUTPUT_CHECKPOINT_CHECKPOINT_H
#define HS_OUTPUT_CHECKPOINT_CHECKPOINT_H

#include <signal.h>

#include "run/job.h"

struct hs_output_lock;
struct hs_restart;

/* --- out ------------------------------------------------------------------------------------- */

struct hs_checkpoints;

/* Checkpoints of job (which must outlive them), every config.run.checkpoint_every_s, and whenever *asked, which counts, has
 * changed. Collective, and so are checkpoints. resumed: those in the folder are of this run; whole: the latest of them is not
 * damaged. lock: that of the folder, which rank 0 has, renewed where the folder was removed; NULL: nobody else writes there.
 * Errors: HS_ERR_MEMORY. */
hs_status hs_checkpoints_create(const struct hs_job *job, const volatile sig_atomic_t *asked, bool resumed, bool whole,
                                struct hs_output_lock *lock, struct hs_checkpoints **checkpoints, struct hs_error *err);

struct hs_checkpoint_keeper hs_checkpoints_keeper(struct hs_checkpoints *checkpoints);

/* The problem as text (run/checkpoint.h); valid until hs_checkpoints_destroy. */
const char *hs_checkpoints_identity(const struct hs_checkpoints *checkpoints);

/* Adds to the warnings of a run that was ended before it was done how it can be gone on with, if it can. */
void hs_checkpoints_tell(const struct hs_checkpoints *checkpoints, struct hs_warnings *warnings);

void hs_checkpoints_destroy(struct hs_checkpoints *checkpoints); /* NULL is accepted */

/* Removes the checkpoints in the folder of config's output, after a run that is done. */
void hs_checkpoints_remove(const struct hs_config *config);

/* --- in -------------------------------------------------------------------------------------- */

/* Collective. The newest valid checkpoint of the job's problem in its output folder, as config.run.restart says. *restart is NULL
 * where the run is to begin at the start. notes get what a user should know: that a damaged one was passed over, that
 * there is none, that there is one that is not asked for. A job whose method is auto takes the checkpoint's. The job must
 * outlive *restart. Errors: HS_ERR_IO (none where one is needed, or all are damaged), HS_ERR_CONFIG (of another problem,
 * with the keys that differ), HS_ERR_MEMORY, those of hs_job_method_take. */
hs_status hs_restart_open(struct hs_job *job, struct hs_restart **restart, struct hs_warnings *notes,
                          struct hs_error *err);

/* Valid until hs_restart_close. NULL for NULL. */
const struct hs_checkpoint *hs_restart_checkpoint(const struct hs_restart *restart);

/* Is it that of checkpoint.h5, not of the one before? false for NULL. */
bool hs_restart_is_of_latest(const struct hs_restart *restart);

void hs_restart_close(struct hs_restart *restart); /* NULL is accepted */

/* "checkpoint.h5", "checkpoint-previous.h5", 0 and 1. */
const char *hs_checkpoint_name(int which);

#endif
