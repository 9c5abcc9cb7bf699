/* Cells pixel by pixel. Where several lie under a pixel, it gets the mean colour of 4 x 4 samples. */
#include "output/picture/drawing/cell_image.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/output.h"
#include "output/share.h"

#define GRID_FROM 7.0 /* cells this large are outlined */
enum { SAMPLES = 4 };

/* How the conductivity map is coloured: logarithm of the conductivity on a colour map, made paler. */
struct tint {
  const struct hs_colormap *map; /* NULL: by material */
  double low, span;
};

hs_status hs_cell_image_range(const struct hs_problem *problem, double range_w_mk[2], struct hs_error *err)
{
  const struct hs_share share = hs_share_of(problem);
  double outermost[2] = {-INFINITY, -INFINITY}; /* -low, high */
  hs_status status;
  range_w_mk[0] = range_w_mk[1] = NAN;
  if (!problem->conductivity_map) return HS_OK;
  for (int j = share.cells.y0; j < share.cells.y0 + share.cells.ny; j++)
    for (int i = share.cells.x0; i < share.cells.x0 + share.cells.nx; i++) {
      const double here_w_mk = problem->conductivity_map[hs_share_cell(&share, i, j)];
      outermost[0] = fmax(outermost[0], -here_w_mk);
      outermost[1] = fmax(outermost[1], here_w_mk);
    }
  status = hs_comm_largest(share.comm, outermost, 2, err);
  range_w_mk[0] = -outermost[0];
  range_w_mk[1] = outermost[1];
  return status;
}

static hs_status tint_find(const struct hs_problem *problem, struct tint *tint, struct hs_error *err)
{
  double range_w_mk[2];
  const hs_status status = hs_cell_image_range(problem, range_w_mk, err);
  *tint = (struct tint){NULL, range_w_mk[0], 0.0};
  if (!problem->conductivity_map) return status;
  tint->map = hs_colormap_find("viridis");
  tint->span = log(range_w_mk[1]) - log(tint->low);
  return status;
}

/* Of cell n of this rank's. */
static void cell_color(const struct hs_problem *problem, const struct tint *tint, size_t n, unsigned char rgb[3])
{
  if (!tint->map) {
    memcpy(rgb, problem->materials[problem->classes[problem->cell[n]].material].rgb, 3);
    return;
  }
  hs_colormap_rgb(tint->map, tint->span > 0.0 ? (log(problem->conductivity_map[n]) - log(tint->low)) / tint->span : 0.5,
                  rgb);
  for (int c = 0; c < 3; c++) rgb[c] = (unsigned char)((rgb[c] + 255) / 2);
}

/* The cells under the samples of each pixel along an axis, [pixels*SAMPLES]. */
static hs_status sample_cells(int pixels, int cells, int **sampled, struct hs_error *err)
{
  const hs_status status =
      hs_array_create((void **)sampled, (size_t)pixels * SAMPLES, sizeof **sampled, "the cells of a picture", err);
  for (int p = 0; !status && p < pixels; p++)
    for (int s = 0; s < SAMPLES; s++) {
      const int cell = (int)((p + (s + 0.5) / SAMPLES) * cells / pixels);
      (*sampled)[p * SAMPLES + s] = cell < cells ? cell : cells - 1;
    }
  return status;
}

/* Sums of three colours in one integer: as many samples as a pixel has do not reach from one to the next. */
enum { COLOUR_BITS = 20 };

static int64_t packed(const unsigned char rgb[3])
{
  return (int64_t)rgb[0] | (int64_t)rgb[1] << COLOUR_BITS | (int64_t)rgb[2] << 2 * COLOUR_BITS;
}

static uint32_t color_of(int64_t sum)
{
  const int64_t one = (1 << COLOUR_BITS) - 1, all = SAMPLES * SAMPLES;
  uint32_t color = 0;
  for (int c = 0; c < 3; c++) color = color << 8 | (uint32_t)(((sum >> c * COLOUR_BITS & one) + all / 2) / all);
  return color;
}

/* The problem on the way into pixels. */
struct image {
  const struct hs_problem *problem;
  struct hs_share share;
  struct tint tint;
  int *across, *up; /* the cells under the samples of the columns, and of the rows from the south */
};

/* Are the samples in columns ci[SAMPLES] and rows cj[SAMPLES], both ascending, of one class, and all this rank's own? */
static bool is_one(const struct image *image, const int *ci, const int *cj)
{
  const struct hs_rectangle *own = &image->share.cells;
  const uint16_t *cell = image->problem->cell;
  unsigned other = 0;
  uint16_t first;
  if (!hs_rectangle_has(own, ci[0], cj[0]) || !hs_rectangle_has(own, ci[SAMPLES - 1], cj[SAMPLES - 1])) return false;
  if (ci[0] == ci[SAMPLES - 1] && cj[0] == cj[SAMPLES - 1]) return true;
  first = cell[hs_share_cell(&image->share, ci[0], cj[0])];
  for (int t = 0; !image->tint.map && t < SAMPLES; t++)
    for (int s = 0; s < SAMPLES; s++) other |= (unsigned)(cell[hs_share_cell(&image->share, ci[s], cj[t])] ^ first);
  return !image->tint.map && other == 0;
}

/* This rank's part of the sum of a pixel with these samples. */
static int64_t pixel_sum(const struct image *image, const int *ci, const int *cj)
{
  unsigned char rgb[3];
  int64_t sum = 0;
  if (is_one(image, ci, cj)) {
    cell_color(image->problem, &image->tint, hs_share_cell(&image->share, ci[0], cj[0]), rgb);
    return SAMPLES * SAMPLES * packed(rgb);
  }
  for (int t = 0; t < SAMPLES; t++)
    for (int s = 0; s < SAMPLES; s++) {
      if (!hs_rectangle_has(&image->share.cells, ci[s], cj[t])) continue;
      cell_color(image->problem, &image->tint, hs_share_cell(&image->share, ci[s], cj[t]), rgb);
      sum += packed(rgb);
    }
  return sum;
}

static hs_status add_up(const struct image *image, int columns, int rows, uint32_t *pixels, struct hs_error *err)
{
  const size_t count = (size_t)columns * (size_t)rows;
  int64_t *sums = NULL;
  int drawn;
  hs_status status = hs_array_create((void **)&sums, count, sizeof *sums, "the pixels of a picture", err);
  status = hs_comm_agree(image->share.comm, status, err);
  drawn = status ? 0 : rows;
#pragma omp parallel for schedule(static) if (hs_share_is_large(&image->share))
  for (int r = 0; r < drawn; r++)
    for (int c = 0; c < columns; c++)
      sums[(size_t)r * (size_t)columns + (size_t)c] =
          pixel_sum(image, image->across + (size_t)c * SAMPLES, image->up + (size_t)(rows - 1 - r) * SAMPLES);
  if (!status) status = hs_share_join(&image->share, sums, count, err);
  for (size_t k = 0; !status && k < count; k++) pixels[k] = color_of(sums[k]);
  free(sums);
  return status;
}

hs_status hs_cell_image_create(const struct hs_problem *problem, int columns, int rows, uint32_t **pixels,
                               struct hs_error *err)
{
  struct image image = {.problem = problem, .share = hs_share_of(problem)};
  hs_status status = tint_find(problem, &image.tint, err);
  *pixels = NULL;
  if (!status)
    status = hs_array_create((void **)pixels, (size_t)columns * (size_t)rows, sizeof **pixels,
                             "the pixels of a picture", err);
  if (!status) status = sample_cells(columns, image.share.cells_x, &image.across, err);
  if (!status) status = sample_cells(rows, image.share.cells_y, &image.up, err);
  status = hs_comm_agree(image.share.comm, status, err);
  if (!status) status = add_up(&image, columns, rows, *pixels, err);
  free(image.up);
  free(image.across);
  return status;
}

void hs_cell_image_grid(cairo_t *cr, const struct hs_problem *problem, const struct hs_box *plot)
{
  const struct hs_share share = hs_share_of(problem);
  cairo_set_source_rgba(cr, 0.0, 0.0, 0.0, 0.12);
  cairo_set_line_width(cr, 0.5);
  for (int i = 1; i < share.cells_x && plot->width / share.cells_x >= GRID_FROM; i++) {
    cairo_move_to(cr, plot->x + i * plot->width / share.cells_x, plot->y);
    cairo_line_to(cr, plot->x + i * plot->width / share.cells_x, plot->y + plot->height);
  }
  for (int j = 1; j < share.cells_y && plot->height / share.cells_y >= GRID_FROM; j++) {
    cairo_move_to(cr, plot->x, plot->y + j * plot->height / share.cells_y);
    cairo_line_to(cr, plot->x + plot->width, plot->y + j * plot->height / share.cells_y);
  }
  cairo_stroke(cr);
}
