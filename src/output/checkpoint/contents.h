/* What a checkpoint file holds, out and in.
 *
 *     /identity          the problem, as text: "section.key = value" lines
 *     /steady            a point of a steady run, one attribute a member; /steady/history, its evaluations
 *     /transient         a point of a transient run; /transient/series, the answers so far, a dataset each
 *     /fields            now; before and saved where they are needed, or change, that of the last time step where multigrid
 *                        solves them; (ny,nx), float64 or float32, K
 *
 * and root attributes version, precision, title and created_utc, dx_m and so on, as in field.h5.
 */
#ifndef HS_OUTPUT_CHECKPOINT_CONTENTS_H
#define HS_OUTPUT_CHECKPOINT_CONTENTS_H

#include "io/h5_read.h"
#include "run/checkpoint.h"
#include "run/job.h"

/* Writes a checkpoint of the job. Negative where HDF5 fails; *status where the fields' source does. */
herr_t hs_checkpoint_put(hid_t file, const struct hs_job *job, const char *identity,
                         const struct hs_checkpoint *checkpoint, hs_status *status, struct hs_error *err);

/* The identity, owned by the caller; NULL where the file has none. */
char *hs_checkpoint_get_identity(const struct hs_h5_file *file);

/* Reads everything but the fields. What *checkpoint points to is the caller's: history and series. false where something
 * is missing or does not fit. */
bool hs_checkpoint_get(const struct hs_h5_file *file, const struct hs_job *job, struct hs_checkpoint *checkpoint);

/* One field into field_k, [ny*nx]. */
bool hs_checkpoint_get_field(const struct hs_h5_file *file, const struct hs_job *job, enum hs_field_role role,
                             double *field_k);

#endif
