/* A file that appears under its final name only when it is complete. */
#ifndef HS_IO_FILE_H
#define HS_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct hs_file {
  char *path;      /* final name, owned */
  char *temporary; /* name while it is being written, in the same folder, owned; NULL when there is none */
  int fd;          /* open for writing on temporary, -1 when closed */
};

/* Creates the temporary file `.NAME.XXXXXX` beside path, with the permissions that the umask leaves.
 * Errors: HS_ERR_IO with the path and the system's reason; HS_ERR_MEMORY. */
hs_status hs_file_create(struct hs_file *file, const char *path, struct hs_error *err);

/* Appends size bytes. Errors: HS_ERR_IO. */
hs_status hs_file_write(struct hs_file *file, const void *data, size_t size, struct hs_error *err);

/* Writes size bytes at a place of an open file. Returns 0, or errno. */
int hs_file_write_at(int fd, const void *data, size_t size, uint64_t offset);

/* Flushes the file to the disk and gives it its final name. Errors: HS_ERR_IO. */
hs_status hs_file_commit(struct hs_file *file, struct hs_error *err);

/* Closes the file, removes it if it was not committed, and frees the names. A struct that is all
 * zero but fd = -1 is accepted, and so is a second call. */
void hs_file_discard(struct hs_file *file);

/* Is `name` in the open folder a temporary file whose writer has died? */
bool hs_file_is_leftover(int folder, const char *name);

#define HS_FILE_REMOVED "The incomplete file was removed."

/* A struct hs_file that holds nothing. */
#define HS_FILE_NONE                                                                                                   \
  {                                                                                                                    \
    NULL, NULL, -1                                                                                                     \
  }

/* Writes text as the whole content of path. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_file_put_text(const char *path, const char *text, struct hs_error *err);

/* Are a and b names of one file, or would they be once both are written? Links and relative paths are seen through. */
bool hs_file_is_same(const char *a, const char *b);

/* Creates the folder and every missing one on the way to it. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_file_make_folders(const char *path, struct hs_error *err);

/* A file that is written over hours may lose its name meanwhile, with its folder even. Where path is gone, the content of
 * fd, open for reading and writing, is written anew under that name, and fd becomes that file: *renewed. Errors: HS_ERR_IO
 * (also where another file has taken the name), HS_ERR_MEMORY. */
hs_status hs_file_keep(int fd, const char *path, bool *renewed, struct hs_error *err);

/* "DIRECTORY/NAME", owned by the caller; an empty directory means the present one. NULL with HS_ERR_MEMORY. */
char *hs_file_join(const char *directory, const char *name, struct hs_error *err);

#endif
