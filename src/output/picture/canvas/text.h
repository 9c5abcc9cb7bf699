/* Text in pictures: UTF-8 in the built-in font. */
#ifndef HS_OUTPUT_PICTURE_TEXT_H
#define HS_OUTPUT_PICTURE_TEXT_H

#include <cairo.h>
#include <stddef.h>

#define HS_TEXT_SIZE 14.0 /* of labels, in units of the canvas */

enum hs_align { HS_ALIGN_LOW, HS_ALIGN_MIDDLE, HS_ALIGN_HIGH };

/* text as cairo takes it: control characters become blanks, bytes that are no UTF-8 U+FFFD, and what does not fit into
 * clean[size], which is returned, is cut off behind a whole character. */
const char *hs_text_clean(const char *text, char *clean, size_t size);

/* A text of numbers and units that the program has put together, as it would be set in print, into set[size], which is
 * returned: minus signs before numbers, degC as °C, m2 as m², 1e-6 as 10⁻⁶. */
const char *hs_text_typeset(const char *text, char *set, size_t size);

/* In units of the canvas. */
double hs_text_width(cairo_t *cr, double size, const char *text);

/* Text of one line with its reference point at (x, y): horizontally by align, vertically centred. It is made
 * smaller, and cut if that is not enough, to stay within room. angle_rad turns it counter-clockwise. */
void hs_draw_text(cairo_t *cr, double x, double y, double size, enum hs_align align, double room, double angle_rad,
                  const char *text);

#endif
