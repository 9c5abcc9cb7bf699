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
#include "io/h5_room.h"
#include "run/checkpoint.h"
#include "run/job.h"

/* Where the fields are to be written, by role; offset 0: not in the checkpoint. */
struct hs_checkpoint_rooms {
  struct hs_h5_room of[HS_FIELD_SAVED + 1];
};

/* Writes a checkpoint of the job; with rooms, which many ranks fill, instead of the fields. Negative where HDF5 fails; *status
 * where the fields' source does. */
herr_t hs_checkpoint_put(hid_t file, const struct hs_job *job, const char *identity,
                         const struct hs_checkpoint *checkpoint, struct hs_checkpoint_rooms *rooms, hs_status *status,
                         struct hs_error *err);

/* Collective: each rank writes its own part of the fields to the open file fd. *failure: errno of what failed here. Errors:
 * those of the fields' source, the same on all ranks. */
hs_status hs_checkpoint_fill(int fd, const struct hs_job *job, const struct hs_checkpoint *checkpoint,
                             const struct hs_checkpoint_rooms *rooms, int *failure, struct hs_error *err);

/* The identity, owned by the caller; NULL where the file has none. */
char *hs_checkpoint_get_identity(const struct hs_h5_file *file);

/* Reads everything but the fields. What *checkpoint points to is the caller's: history and series. false where something
 * is missing or does not fit. */
bool hs_checkpoint_get(const struct hs_h5_file *file, const struct hs_job *job, struct hs_checkpoint *checkpoint);

/* One field, as far as this rank's window goes, into field_k, [ny*nx]. */
bool hs_checkpoint_get_field(const struct hs_h5_file *file, const struct hs_job *job, enum hs_field_role role,
                             double *field_k);

#endif
