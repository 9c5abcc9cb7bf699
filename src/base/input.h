/* Opening what a user names as an input: files, and nothing that could keep the program waiting or never end. */
#ifndef HS_BASE_INPUT_H
#define HS_BASE_INPUT_H

#include <stdbool.h>
#include <stdio.h>

enum { HS_INPUT_REASON = 160 };

enum hs_input_kind {
  HS_INPUT_FILE,
  HS_INPUT_STREAM,  /* a pipe or terminal that the caller of the program has opened: /dev/stdin, /dev/fd/N */
  HS_INPUT_FOLDER,  /* refused, like all below */
  HS_INPUT_OTHER,   /* a device, a named pipe, a socket; /dev/null is an empty file */
  HS_INPUT_UNOPENED /* errno says why */
};

/* Opens path for reading, closed on exec. *fd is -1, and reason a clause ("it is a named pipe, and only files can be
 * read"), unless the kind is HS_INPUT_FILE or HS_INPUT_STREAM. Never waits, for no writer of a pipe either. */
enum hs_input_kind hs_input_open(const char *path, int *fd, char reason[HS_INPUT_REASON]);

/* The same of a file alone, as a stream; NULL with a reason. */
FILE *hs_input_stream(const char *path, char reason[HS_INPUT_REASON]);

/* Can path be read as a file? For libraries that open by name. */
bool hs_input_is_file(const char *path, char reason[HS_INPUT_REASON]);

/* Is path a folder? */
bool hs_input_is_folder(const char *path);

#endif
