/* Writing an animated PNG file from frames that are PNG files in memory. */
#ifndef HS_IO_APNG_H
#define HS_IO_APNG_H

#include <stdint.h>

#include "io/file.h"
#include "io/png_write.h"

/* The file under construction; the members are the module's own. */
struct hs_apng {
  struct hs_file file;
  unsigned char size[8]; /* width and height of the frames, as in IHDR */
  uint32_t sequence;     /* running number of fcTL and fdAT */
  int frames, count;     /* announced, written */
};

/* Begins a file of so many frames that is played for ever. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_apng_create(struct hs_apng *apng, const char *path, int frames, struct hs_error *err);

/* Adds a frame, which is shown for so long; all have one size. The first one's texts become the file's. Errors:
 * HS_ERR_IO, HS_ERR_INTERNAL (another size). */
hs_status hs_apng_add(struct hs_apng *apng, const struct hs_png_bytes *png, int delay_ms, struct hs_error *err);

/* Completes the file. Errors: HS_ERR_IO. */
hs_status hs_apng_commit(struct hs_apng *apng, struct hs_error *err);

/* Removes the file unless it was committed; a second call is accepted, and a struct of HS_APNG_NONE. */
void hs_apng_discard(struct hs_apng *apng);

#define HS_APNG_NONE                                                                                                   \
  {                                                                                                                    \
    .file = HS_FILE_NONE                                                                                               \
  }

#endif
