/* Reading PNG pictures, row by row. */
#ifndef HS_IO_PNG_READ_H
#define HS_IO_PNG_READ_H

#include "base/status.h"

/* Who takes the pixels. Rows come from the top to the bottom: width pixels of red, green and blue, a byte each. An error
 * of a function ends the reading and is the reader's; that of size comes before memory for pixels is taken. */
struct hs_png_taker {
  hs_status (*size)(void *context, int width, int height, struct hs_error *err);
  hs_status (*row)(void *context, int y, const unsigned char *rgb, struct hs_error *err);
  void *context;
};

/* Reads a picture of any kind (palette, grey, 16 bits, interlaced); transparency is ignored. where ("wall.ini: [map]
 * materials") begins the messages. Errors: HS_ERR_IO (cannot be read, no PNG), HS_ERR_MEMORY, those of taker. */
hs_status hs_png_read(const char *path, const char *where, const struct hs_png_taker *taker, struct hs_error *err);

#endif
