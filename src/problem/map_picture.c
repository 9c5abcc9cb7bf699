/* The material picture: a PNG file whose colours are those of the materials.
 *
 * libpng turns every kind of picture (palette, grey, 16 bits, interlaced) into rows of red, green, blue; transparency
 * is ignored. Rows are handed on one by one, so only interlaced pictures are held in memory. libpng reports failures by
 * longjmp: decode() is a function of its own, in which nothing that matters is changed after setjmp but through
 * pointers.
 */
#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "problem/maps.h"

struct reader {
  const struct hs_problem *problem;
  const struct hs_picture_taker *taker;
  const char *path;
  unsigned char *rows; /* [stored] of 3 * width bytes, owned */
  uint16_t *material;  /* [width], owned */
  int width, height, stored, passes;
  unsigned char last_rgb[3];
  int last_material; /* of last_rgb, -1 for none */
  struct hs_error *err;
  hs_status status;
};

static hs_status fail(struct reader *reader, const char *reason)
{
  return hs_error_set(reader->err, HS_ERR_IO, "%s: [map] materials: cannot read %s: %s", reader->problem->config->path,
                      reader->path, reason);
}

static void on_error(png_structp png, png_const_charp message)
{
  struct reader *reader = png_get_error_ptr(png);
  if (!reader->status) {
    fail(reader, "libpng reports");
    hs_error_append(reader->err, "\"%s\"; is the file complete?", message);
    reader->status = HS_ERR_IO;
  }
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
  (void)png;
  (void)message;
}

static bool colored(const struct hs_config_material *material)
{
  return material->color && material->color[0] == '#';
}

static const char *title_of(const struct hs_config_material *material)
{
  return material->name[0] ? material->name : "the background";
}

/* Squared distance of colours. */
static int distance(const unsigned char *a, const unsigned char *b)
{
  const int red = a[0] - b[0], green = a[1] - b[1], blue = a[2] - b[2];
  return red * red + green * green + blue * blue;
}

static hs_status unknown_color(struct reader *reader, const unsigned char *rgb, int x, int y)
{
  const struct hs_problem *p = reader->problem;
  int nearest = -1;
  for (int k = 0; k < p->material_count; k++)
    if (colored(&p->config->materials[k]) &&
        (nearest < 0 || distance(rgb, p->materials[k].rgb) < distance(rgb, p->materials[nearest].rgb)))
      nearest = k;
  hs_error_set(
      reader->err, HS_ERR_CONFIG,
      "%s: [map] materials: the pixel in column %d, row %d (from the top, counted from 0) of %s has the colour "
      "#%02x%02x%02x, and no material has that color;",
      p->config->path, x, y, reader->path, rgb[0], rgb[1], rgb[2]);
  if (nearest < 0)
    hs_error_append(reader->err, "give each [material NAME] in the picture its color, such as color = #%02x%02x%02x",
                    rgb[0], rgb[1], rgb[2]);
  else
    hs_error_append(reader->err,
                    "the nearest is %s of %s. Add a material of that color, or save the picture without smoothing and "
                    "without lossy steps",
                    p->config->materials[nearest].color, title_of(&p->config->materials[nearest]));
  return HS_ERR_CONFIG;
}

static hs_status pixel_find(struct reader *reader, const unsigned char *rgb, int x, int y)
{
  const struct hs_problem *p = reader->problem;
  memcpy(reader->last_rgb, rgb, 3);
  for (int k = 0; k < p->material_count; k++)
    if (colored(&p->config->materials[k]) && !memcmp(p->materials[k].rgb, rgb, 3)) {
      reader->last_material = k;
      return HS_OK;
    }
  return unknown_color(reader, rgb, x, y);
}

static hs_status row_take(struct reader *reader, int y, const unsigned char *row)
{
  for (int x = 0; x < reader->width; x++) {
    const unsigned char *rgb = row + 3 * (size_t)x;
    if (reader->last_material < 0 || memcmp(rgb, reader->last_rgb, 3)) {
      const hs_status status = pixel_find(reader, rgb, x, y);
      if (status) return status;
    }
    reader->material[x] = (uint16_t)reader->last_material;
  }
  return reader->taker->row(reader->taker->context, y, reader->material, reader->err);
}

/* Sizes, and the conversion to rows of three bytes a pixel. */
static void header_read(png_structp png, png_infop info, struct reader *reader)
{
  png_read_info(png, info);
  reader->width = (int)png_get_image_width(png, info);
  reader->height = (int)png_get_image_height(png, info);
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
  reader->passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  reader->stored = reader->passes > 1 ? reader->height : 1;
  reader->status = reader->taker->size(reader->taker->context, reader->width, reader->height, reader->err);
  if (!reader->status)
    reader->status = hs_array_create((void **)&reader->rows, 3 * (size_t)reader->width, (size_t)reader->stored,
                                     "the material picture", reader->err);
  if (!reader->status)
    reader->status = hs_array_create((void **)&reader->material, (size_t)reader->width, sizeof *reader->material,
                                     "the material picture", reader->err);
}

static void decode(png_structp png, png_infop info, struct reader *reader)
{
  if (setjmp(png_jmpbuf(png))) return;
  header_read(png, info, reader);
  for (int pass = 0; !reader->status && pass < reader->passes; pass++)
    for (int y = 0; !reader->status && y < reader->height; y++) {
      unsigned char *row = reader->rows + (size_t)(reader->stored > 1 ? y : 0) * 3 * (size_t)reader->width;
      png_read_row(png, row, NULL);
      if (pass == reader->passes - 1) reader->status = row_take(reader, y, row);
    }
  if (!reader->status) png_read_end(png, NULL);
}

static hs_status file_read(struct reader *reader, FILE *file)
{
  unsigned char signature[8];
  png_infop info = NULL;
  png_structp png;
  if (fread(signature, 1, sizeof signature, file) != sizeof signature || png_sig_cmp(signature, 0, sizeof signature))
    return fail(reader, "it is not a PNG file");
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning);
  if (png) info = png_create_info_struct(png);
  if (info) {
    png_init_io(png, file);
    png_set_sig_bytes(png, sizeof signature);
    decode(png, info, reader);
  } else {
    reader->status = hs_error_set(reader->err, HS_ERR_MEMORY, "no memory to read %s", reader->path);
  }
  if (png) png_destroy_read_struct(&png, info ? &info : NULL, NULL);
  return reader->status;
}

/* Two materials of one colour could not be told apart. */
static hs_status colors_check(const struct hs_problem *problem, struct hs_error *err)
{
  const struct hs_config_material *materials = problem->config->materials;
  for (int k = 0; k < problem->material_count; k++)
    for (int m = 0; m < k; m++)
      if (colored(&materials[k]) && colored(&materials[m]) &&
          !memcmp(problem->materials[k].rgb, problem->materials[m].rgb, 3))
        return hs_error_set(err, HS_ERR_CONFIG,
                            "%s:%d: %s and %s have the same color %s, so the picture of [map] materials cannot tell "
                            "them apart; give them different colours",
                            problem->config->path, materials[k].line, title_of(&materials[m]), title_of(&materials[k]),
                            materials[k].color);
  return HS_OK;
}

hs_status hs_map_picture_read(const struct hs_problem *problem, const struct hs_picture_taker *taker,
                              struct hs_error *err)
{
  struct reader reader = {.problem = problem, .taker = taker, .last_material = -1, .err = err};
  FILE *file = NULL;
  char *path = NULL;
  hs_status status = colors_check(problem, err);
  if (status) return status;
  path = hs_map_path(problem->config, problem->config->map.materials, err);
  if (!path) return HS_ERR_MEMORY;
  reader.path = path;
  file = fopen(path, "rb");
  status = file ? file_read(&reader, file) : fail(&reader, strerror(errno));
  if (file) fclose(file);
  free(reader.material);
  free(reader.rows);
  free(path);
  return status;
}
