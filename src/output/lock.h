/* One run at a time in an output folder. */
#ifndef HS_OUTPUT_LOCK_H
#define HS_OUTPUT_LOCK_H

#include "run/result.h"

struct hs_output_lock;

/* Takes the folder, which must be there, for this run: the file .heatsolve-lock in it is locked until hs_output_unlock or
 * the end of the process, whatever ends it, and tells who holds it. One that a killed run has left is taken over, and that
 * run's temporary files are removed. notes get a warning where the file system knows no locks.
 * Errors: HS_ERR_IO with the run that holds the folder or the system's reason, HS_ERR_MEMORY. */
hs_status hs_output_lock(const char *directory, struct hs_output_lock **lock, struct hs_warnings *notes,
                         struct hs_error *err);

/* Where the folder was removed during the run it is made again and locked, and notes get a warning; if they are NULL, those
 * of a later call. Errors: as of hs_output_lock, where another run has taken the folder meanwhile. */
hs_status hs_output_lock_renew(struct hs_output_lock *lock, const char *directory, struct hs_warnings *notes,
                               struct hs_error *err);

void hs_output_unlock(struct hs_output_lock *lock); /* NULL is accepted */

#endif
