/* Cells pixel by pixel. Where several lie under a pixel, it gets the mean colour of 4 x 4 samples. */
#include "output/picture/cell_image.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/output.h"

#define GRID_FROM 7.0 /* cells this large are outlined */
enum { SAMPLES = 4 };

/* How the conductivity map is coloured: logarithm of the conductivity on a colour map, made paler. */
struct tint {
  const struct hs_colormap *map; /* NULL: by material */
  double low, span;
};

void hs_cell_image_range(const struct hs_problem *problem, double *low_w_mk, double *high_w_mk)
{
  const size_t cells = (size_t)problem->cells_x * (size_t)problem->cells_y;
  *low_w_mk = INFINITY;
  *high_w_mk = -INFINITY;
  for (size_t n = 0; n < cells; n++) {
    *low_w_mk = fmin(*low_w_mk, problem->conductivity_map[n]);
    *high_w_mk = fmax(*high_w_mk, problem->conductivity_map[n]);
  }
}

static struct tint tint_find(const struct hs_problem *problem)
{
  struct tint tint = {NULL, INFINITY, 0.0};
  double high;
  if (!problem->conductivity_map) return tint;
  hs_cell_image_range(problem, &tint.low, &high);
  tint.map = hs_colormap_find("viridis");
  tint.span = log(high) - log(tint.low);
  return tint;
}

static void cell_color(const struct hs_problem *problem, const struct tint *tint, int ci, int cj, unsigned char rgb[3])
{
  const size_t n = (size_t)cj * (size_t)problem->cells_x + (size_t)ci;
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

static uint32_t color_of(const unsigned rgb[3])
{
  return rgb[0] << 16 | rgb[1] << 8 | rgb[2];
}

/* Are the samples in columns ci[SAMPLES] and rows cj[SAMPLES], both ascending, of one colour? */
static bool is_one(const struct hs_problem *problem, const struct tint *tint, const int *ci, const int *cj)
{
  const size_t width = (size_t)problem->cells_x;
  const uint16_t *const first = problem->cell + (size_t)cj[0] * width;
  unsigned other = 0;
  if (ci[0] == ci[SAMPLES - 1] && cj[0] == cj[SAMPLES - 1]) return true;
  for (int t = 0; !tint->map && t < SAMPLES; t++)
    for (int s = 0; s < SAMPLES; s++)
      other |= (unsigned)(problem->cell[(size_t)cj[t] * width + (size_t)ci[s]] ^ first[ci[0]]);
  return !tint->map && other == 0;
}

/* The colour of a pixel with these samples: their mean. */
static uint32_t pixel_color(const struct hs_problem *problem, const struct tint *tint, const int *ci, const int *cj)
{
  unsigned sum[3] = {0, 0, 0};
  unsigned char rgb[3];
  if (is_one(problem, tint, ci, cj)) {
    cell_color(problem, tint, ci[0], cj[0], rgb);
    return color_of((const unsigned[]){rgb[0], rgb[1], rgb[2]});
  }
  for (int t = 0; t < SAMPLES; t++)
    for (int s = 0; s < SAMPLES; s++) {
      cell_color(problem, tint, ci[s], cj[t], rgb);
      for (int c = 0; c < 3; c++) sum[c] += rgb[c];
    }
  for (int c = 0; c < 3; c++) sum[c] = (sum[c] + SAMPLES * SAMPLES / 2) / (SAMPLES * SAMPLES);
  return color_of(sum);
}

hs_status hs_cell_image_paint(struct hs_canvas *canvas, const struct hs_problem *problem, const struct hs_box *plot,
                              struct hs_error *err)
{
  const int columns = (int)plot->width * canvas->scale, rows = (int)plot->height * canvas->scale;
  const struct tint tint = tint_find(problem);
  int *across = NULL, *up = NULL;
  uint32_t *pixels = NULL;
  hs_status status =
      hs_array_create((void **)&pixels, (size_t)columns * (size_t)rows, sizeof *pixels, "the pixels of a picture", err);
  if (!status) status = sample_cells(columns, problem->cells_x, &across, err);
  if (!status) status = sample_cells(rows, problem->cells_y, &up, err);
  for (int r = 0; !status && r < rows; r++)
    for (int c = 0; c < columns; c++)
      pixels[(size_t)r * (size_t)columns + (size_t)c] =
          pixel_color(problem, &tint, across + (size_t)c * SAMPLES, up + (size_t)(rows - 1 - r) * SAMPLES);
  if (!status) status = hs_canvas_paint(canvas, plot->x, plot->y, pixels, columns, rows, err);
  free(up);
  free(across);
  free(pixels);
  return status;
}

void hs_cell_image_grid(cairo_t *cr, const struct hs_problem *problem, const struct hs_box *plot)
{
  cairo_set_source_rgba(cr, 0.0, 0.0, 0.0, 0.12);
  cairo_set_line_width(cr, 0.5);
  for (int i = 1; i < problem->cells_x && plot->width / problem->cells_x >= GRID_FROM; i++) {
    cairo_move_to(cr, plot->x + i * plot->width / problem->cells_x, plot->y);
    cairo_line_to(cr, plot->x + i * plot->width / problem->cells_x, plot->y + plot->height);
  }
  for (int j = 1; j < problem->cells_y && plot->height / problem->cells_y >= GRID_FROM; j++) {
    cairo_move_to(cr, plot->x, plot->y + j * plot->height / problem->cells_y);
    cairo_line_to(cr, plot->x + plot->width, plot->y + j * plot->height / problem->cells_y);
  }
  cairo_stroke(cr);
}
