/* Pictures read back, to see what is on them. */
#ifndef HS_TESTS_OUTPUT_IMAGE_H
#define HS_TESTS_OUTPUT_IMAGE_H

#include "support.h"

struct image {
  int width, height;
  unsigned char *rgb; /* the caller frees it */
  char title[64], software[64];
};

/* Reads a PNG file, which must be of 8 bits a channel in sRGB. */
void image_read(const char *path, struct image *image);

const unsigned char *image_pixel(const struct image *image, int x, int y);

/* Is it this colour of a colour map, exactly? */
bool image_has_color(const unsigned char *rgb, double position, const char *map);

/* The plot's inner rectangle, found by walking from a pixel inside it to the black frame. */
struct image_area {
  int left, right, top, bottom;
};

struct image_area image_find_plot(const struct image *image, int x, int y);

#endif
