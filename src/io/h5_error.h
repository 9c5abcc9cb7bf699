/* HDF5's errors: nothing on stderr, and a sentence instead. */
#ifndef HS_IO_H5_ERROR_H
#define HS_IO_H5_ERROR_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/status.h"

/* May several threads call the library at the same time? */
bool hs_h5_is_for_threads(void);

/* The library's automatic printing, saved by hs_h5_silence and put back by hs_h5_restore. */
struct hs_h5_printing {
  H5E_auto2_t function;
  void *data;
};

void hs_h5_silence(struct hs_h5_printing *saved);
void hs_h5_restore(const struct hs_h5_printing *saved);

enum { HS_H5_REASON = 200 };

/* Why the library's last function failed: the system's reason where one is recorded, else the library's own. Call it
 * before any other HDF5 function, which would clear the record. */
void hs_h5_reason(char reason[HS_H5_REASON]);

/* HS_ERR_IO with "cannot ACTION PATH: REASON.", the reason as above. */
hs_status hs_h5_fail(const char *action, const char *path, struct hs_error *err);

#endif
