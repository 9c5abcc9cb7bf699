/* The material picture: a PNG file whose colours are those of the materials. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/png_read.h"
#include "problem/cells/maps.h"

/* A picture while its colours become materials. */
struct picture {
  const struct hs_problem *problem;
  const struct hs_picture_taker *taker;
  const char *path;
  uint16_t *material; /* [width] of a row, owned */
  int width;
  unsigned char last_rgb[3];
  int last_material; /* of last_rgb, -1 for none */
};

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

static hs_status unknown_color(const struct picture *picture, const unsigned char *rgb, int x, int y,
                               struct hs_error *err)
{
  const struct hs_problem *p = picture->problem;
  int nearest = -1;
  for (int k = 0; k < p->material_count; k++)
    if (colored(&p->config->materials[k]) &&
        (nearest < 0 || distance(rgb, p->materials[k].rgb) < distance(rgb, p->materials[nearest].rgb)))
      nearest = k;
  hs_error_set(
      err, HS_ERR_CONFIG,
      "%s: [map] materials: the pixel in column %d, row %d (from the top, counted from 0) of %s has the colour "
      "#%02x%02x%02x, and no material has that color;",
      p->config->path, x, y, picture->path, rgb[0], rgb[1], rgb[2]);
  if (nearest < 0)
    hs_error_append(err, "give each [material NAME] in the picture its color, such as color = #%02x%02x%02x", rgb[0],
                    rgb[1], rgb[2]);
  else
    hs_error_append(err,
                    "the nearest is %s of %s. Add a material of that color, or save the picture without smoothing and "
                    "without lossy steps",
                    p->config->materials[nearest].color, title_of(&p->config->materials[nearest]));
  return HS_ERR_CONFIG;
}

/* Sets last_material to the one of this colour. */
static hs_status material_find(struct picture *picture, const unsigned char *rgb, int x, int y, struct hs_error *err)
{
  const struct hs_problem *p = picture->problem;
  memcpy(picture->last_rgb, rgb, 3);
  for (int k = 0; k < p->material_count; k++)
    if (colored(&p->config->materials[k]) && !memcmp(p->materials[k].rgb, rgb, 3)) {
      picture->last_material = k;
      return HS_OK;
    }
  return unknown_color(picture, rgb, x, y, err);
}

static hs_status size_take(void *context, int width, int height, struct hs_error *err)
{
  struct picture *picture = context;
  const hs_status status = picture->taker->size(picture->taker->context, width, height, err);
  picture->width = width;
  if (status) return status;
  return hs_array_create((void **)&picture->material, (size_t)width, sizeof *picture->material, "the material picture",
                         err);
}

static hs_status row_take(void *context, int y, const unsigned char *row, struct hs_error *err)
{
  struct picture *picture = context;
  for (int x = 0; x < picture->width; x++) {
    const unsigned char *rgb = row + 3 * (size_t)x;
    if (picture->last_material < 0 || memcmp(rgb, picture->last_rgb, 3)) {
      const hs_status status = material_find(picture, rgb, x, y, err);
      if (status) return status;
    }
    picture->material[x] = (uint16_t)picture->last_material;
  }
  return picture->taker->row(picture->taker->context, y, picture->material, err);
}

/* Refuses two materials of one colour, which could not be distinguished. */
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
  struct picture picture = {.problem = problem, .taker = taker, .last_material = -1};
  const struct hs_png_taker pixels = {size_take, row_take, &picture};
  char *path = NULL, *where = NULL;
  hs_status status = colors_check(problem, err);
  if (status) return status;
  path = hs_map_path(problem->config, problem->config->map.materials, err);
  if (path) where = hs_text_format(err, "%s: [map] materials", problem->config->path);
  picture.path = path;
  status = where ? hs_png_read(path, where, &pixels, err) : HS_ERR_MEMORY;
  if (status == HS_ERR_IO && access(path, R_OK) != 0) hs_error_append(err, "; paths are relative to the configuration");
  free(picture.material);
  free(where);
  free(path);
  return status;
}
