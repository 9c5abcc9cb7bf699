/* Reading HDF5 files that a user names: what is there is looked at before anything is read, and h5_guard.h says what is not.
 *
 * These functions say what they find. What is needed, and the sentence for a refusal, are the caller's. While a file is
 * open the library prints nothing; files are closed in the reverse order of their opening.
 */
#ifndef HS_IO_H5_READ_H
#define HS_IO_H5_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "io/h5_guard.h"

struct hs_h5_file {
  hid_t id; /* -1: closed */
  struct hs_h5_printing printing;
  unsigned plugins; /* which the library loads otherwise */
};

enum hs_h5_opened {
  HS_H5_OPENED,
  HS_H5_UNREADABLE, /* by the system: no such file, no permission, a folder */
  HS_H5_FOREIGN,    /* of another format */
  HS_H5_DAMAGED     /* an HDF5 file that the library cannot open */
};

/* Opens path. reason says why it cannot be opened, without a full stop; *file is then closed. */
enum hs_h5_opened hs_h5_open(const char *path, struct hs_h5_file *file, char reason[HS_H5_REASON]);
void hs_h5_close(struct hs_h5_file *file); /* a closed file is accepted */

struct hs_h5_dataset {
  hid_t id; /* -1: closed */
  enum hs_h5_numbers numbers;
  int rank;           /* -1 where the library cannot tell */
  uint64_t extent[2]; /* of a dataset of two dimensions, the slower one first; else 0 */
  int64_t count;      /* of values; -1 where the library cannot tell, or above 2^53 */
  bool written;       /* some of its values are in the file */
  char refusal[HS_H5_REASON];
};

/* Opens and describes the dataset `name`, a path such as "/maps/k"; false when there is none, with refusal "", or when it is
 * not read: refusal is a clause, whose subject it is, "is a virtual dataset, whose numbers ...". */
bool hs_h5_dataset_open(const struct hs_h5_file *file, const char *name, struct hs_h5_dataset *dataset);
void hs_h5_dataset_close(struct hs_h5_dataset *dataset); /* a closed dataset is accepted */

/* Memory that reading takes beside the values, in bytes: compressed chunks are unpacked as a whole, however large. */
double hs_h5_dataset_buffers(const struct hs_h5_dataset *dataset);

/* Reads all values, converted to double, into values[count]; false on failure. */
bool hs_h5_dataset_read(const struct hs_h5_dataset *dataset, double *values);

/* Reads `count` rows of a dataset of two dimensions, every step-th from row `first` on, into values[count*extent[1]]; false
 * on failure. */
bool hs_h5_dataset_read_rows(const struct hs_h5_dataset *dataset, uint64_t first, uint64_t step, uint64_t count,
                             double *values);

/* Rows and columns of a dataset of two dimensions. */
struct hs_h5_block {
  uint64_t row, column, rows, columns;
};

/* Reads a block; its rows stand `stride` apart in values. False on failure. */
bool hs_h5_dataset_read_block(const struct hs_h5_dataset *dataset, const struct hs_h5_block *block, double *values,
                              uint64_t stride);

/* The group `name`, or -1. */
hid_t hs_h5_group_open(const struct hs_h5_file *file, const char *name);

/* Datasets of the file and of its groups as "/a, /b/c" in text[size], 256 at most; ", ..." stands for those without room. */
void hs_h5_dataset_names(const struct hs_h5_file *file, char *text, size_t size);

/* Exactly `count` numbers of an attribute, floating-point or integers; false when it has others. */
bool hs_h5_reals(hid_t object, const char *name, int count, double *values);
bool hs_h5_integers(hid_t object, const char *name, int count, int64_t *values);

/* Attribute of a file or dataset: a number, NaN when there is none; a variable-length string into text[size], cut at a
 * whole UTF-8 character, "" when there is none. The file must be one that hs_h5_open has opened. */
double hs_h5_number(hid_t object, const char *name);
void hs_h5_text(hid_t object, const char *name, char *text, size_t size);

#endif
