/* The font of all pictures, which the program carries. */
#ifndef HS_OUTPUT_PICTURE_FONT_H
#define HS_OUTPUT_PICTURE_FONT_H

#include <cairo.h>

#include <stdbool.h>

#include "base/status.h"

/* *font is owned by the caller, who gives it back by cairo_font_face_destroy. Errors: HS_ERR_MEMORY,
 * HS_ERR_INTERNAL (configure was given something else than a font). */
hs_status hs_font_create(cairo_font_face_t **font, struct hs_error *err);

/* A text that pictures cannot set as it is written. */
struct hs_font_gap {
  int text;          /* its number */
  char character[5]; /* the first one that the font lacks; "": the text is written from right to left */
};

/* The first of texts[count], UTF-8, with a gap; false: there is none, or no memory to find it. */
bool hs_font_find_gap(const char *const *texts, int count, struct hs_font_gap *gap);

#endif
