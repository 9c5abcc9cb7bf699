/* An HDF5 file driver that writes to an open descriptor and never lets the library see a failure. */
#ifndef HS_IO_H5_SINK_H
#define HS_IO_H5_SINK_H

#include <hdf5.h>
#include <stdbool.h>

/* Where the bytes go, and what became of it. */
struct hs_h5_sink {
  int fd;       /* open for reading and writing, not closed by the driver */
  int failure;  /* errno of the first operation that failed, 0 for none; nothing is written after it */
  bool reserve; /* take the disk's space when the library plans to use it: a full disk is then found before any part of
                   what does not fit is written */
};

/* Makes H5Fcreate with the file access list write to *sink, which must outlive the file; its name is ignored.
 * Returns the driver, to be released with H5FDunregister after the file is closed, or -1. */
hid_t hs_h5_sink_register(hid_t access, struct hs_h5_sink *sink);

#endif
