/* What the HDF5 reader and writer share: silence on stderr and a sentence instead. */
#ifndef HS_IO_H5_ERROR_H
#define HS_IO_H5_ERROR_H

#include <hdf5.h>

#include "base/status.h"

/* The library's automatic printing, saved by hs_h5_silence and put back by hs_h5_restore. */
struct hs_h5_printing {
  H5E_auto2_t function;
  void *data;
};

void hs_h5_silence(struct hs_h5_printing *saved);
void hs_h5_restore(const struct hs_h5_printing *saved);

/* HS_ERR_IO with "Cannot ACTION PATH: REASON."; call it before any other HDF5 function, which would clear
 * the reason. The reason is the system's where the library recorded one, else the library's own. */
hs_status hs_h5_fail(const char *action, const char *path, struct hs_error *err);

#endif
