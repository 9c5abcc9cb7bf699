/* Pictures read back; see image.h. */
#include "output/image.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"

void image_read(const char *path, struct image *image)
{
  FILE *file = fopen(path, "rb");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  png_textp texts;
  png_bytepp rows;
  int k, count = 0;
  assert_non_null(file);
  memset(image, 0, sizeof *image);
  if (setjmp(png_jmpbuf(png))) fail_msg("%s is not a PNG that libpng can read", path);
  png_init_io(png, file);
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, NULL);
  image->width = (int)png_get_image_width(png, info);
  image->height = (int)png_get_image_height(png, info);
  assert_int_equal(png_get_color_type(png, info), PNG_COLOR_TYPE_RGB);
  assert_true(png_get_valid(png, info, PNG_INFO_sRGB) != 0);
  image->rgb = malloc((size_t)image->width * (size_t)image->height * 3);
  rows = png_get_rows(png, info);
  for (k = 0; k < image->height; k++)
    memcpy(image->rgb + (size_t)k * (size_t)image->width * 3, rows[k], (size_t)image->width * 3);
  png_get_text(png, info, &texts, &count);
  for (k = 0; k < count; k++) {
    char *target = strcmp(texts[k].key, "Title") == 0 ? image->title : image->software;
    snprintf(target, sizeof image->title, "%s", texts[k].text);
  }
  png_destroy_read_struct(&png, &info, NULL);
  fclose(file);
}

const unsigned char *image_pixel(const struct image *image, int x, int y)
{
  assert_true(x >= 0 && y >= 0 && x < image->width && y < image->height);
  return image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

bool image_has_color(const unsigned char *rgb, double position, const char *map)
{
  unsigned char expected[3];
  hs_colormap_rgb(hs_colormap_find(map), position, expected);
  return memcmp(rgb, expected, 3) == 0;
}

static bool is_frame(const unsigned char *rgb)
{
  return rgb[0] < 8 && rgb[1] < 8 && rgb[2] < 8;
}

struct image_area image_find_plot(const struct image *image, int x, int y)
{
  struct image_area area = {x, x, y, y};
  while (!is_frame(image_pixel(image, area.left - 1, y))) area.left--;
  while (!is_frame(image_pixel(image, area.right + 1, y))) area.right++;
  while (!is_frame(image_pixel(image, x, area.top - 1))) area.top--;
  while (!is_frame(image_pixel(image, x, area.bottom + 1))) area.bottom++;
  return area;
}
