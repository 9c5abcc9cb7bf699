/* An HDF5 file that is written to an open descriptor, by a driver that never lets the library see a failure. */
#ifndef HS_IO_H5_SINK_H
#define HS_IO_H5_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "io/h5_error.h"
#include "io/h5_order.h"

/* Where the bytes go, and what became of it. */
struct hs_h5_sink {
  int fd;                /* open for reading and writing, not closed by the sink */
  int failure;           /* errno of the first operation that failed, 0 for none; nothing is written after it */
  uint64_t header_bytes; /* left free at the file's start, for its owner: 0, 512, 1024, 2048, ... */
  bool reserve; /* take the disk's space when the library plans to use it: a full disk is then found before any part of
                   what does not fit is written */
  bool ordered; /* the file is whole at any moment: structures are written by hs_h5_sink_settle alone */
  int group_entries; /* expected in the largest group of an ordered file */
  hid_t file;        /* the library's; set by hs_h5_sink_open */
  struct hs_h5_order *order;
  uint64_t end; /* of the addresses in use */
  hid_t access, driver;
  bool open;
  struct hs_h5_printing printing;
};

/* Begins an HDF5 file on sink->fd; name is for the library's messages only. The sink must not be moved before it is closed,
 * which is due after a failure, too; meanwhile the library prints nothing. Negative on failure. */
herr_t hs_h5_sink_open(struct hs_h5_sink *sink, const char *name);

/* The same with an HDF5 file that is there. */
herr_t hs_h5_sink_reopen(struct hs_h5_sink *sink, const char *name);

/* Puts what has changed since the last time into an ordered file, after H5Fflush. removing: entries were removed from
 * groups, not added. Are entries that were added in the file? After a failure, which is in sink->failure, they are not, but
 * where the disk does not even take back what it took. */
bool hs_h5_sink_settle(struct hs_h5_sink *sink, bool removing);

/* Properties for the creation of a group with group_entries entries, to be closed; -1 on failure. */
hid_t hs_h5_sink_large_group(const struct hs_h5_sink *sink);

/* Completes the file. A closed sink is accepted. Errors: HS_ERR_IO when the library fails; what the disk refused is in
 * sink->failure. */
hs_status hs_h5_sink_close(struct hs_h5_sink *sink, const char *path, struct hs_error *err);

#endif
