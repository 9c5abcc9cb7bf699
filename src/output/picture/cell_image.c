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

/* The cell under sample s of pixel p along an axis. */
static int sampled_cell(int p, int pixels, int cells, int s, int samples)
{
  const int cell = (int)((p + (s + 0.5) / samples) * cells / pixels);
  return cell < cells ? cell : cells - 1;
}

static uint32_t pixel_color(const struct hs_problem *problem, const struct tint *tint, int column, int columns, int row,
                            int rows)
{
  unsigned sum[3] = {0, 0, 0};
  unsigned char rgb[3];
  for (int t = 0; t < SAMPLES; t++)
    for (int s = 0; s < SAMPLES; s++) {
      cell_color(problem, tint, sampled_cell(column, columns, problem->cells_x, s, SAMPLES),
                 sampled_cell(rows - 1 - row, rows, problem->cells_y, t, SAMPLES), rgb);
      for (int c = 0; c < 3; c++) sum[c] += rgb[c];
    }
  for (int c = 0; c < 3; c++) sum[c] = (sum[c] + SAMPLES * SAMPLES / 2) / (SAMPLES * SAMPLES);
  return sum[0] << 16 | sum[1] << 8 | sum[2];
}

hs_status hs_cell_image_paint(struct hs_canvas *canvas, const struct hs_problem *problem, const struct hs_box *plot,
                              struct hs_error *err)
{
  const int columns = (int)plot->width * canvas->scale, rows = (int)plot->height * canvas->scale;
  const struct tint tint = tint_find(problem);
  uint32_t *pixels = NULL;
  hs_status status =
      hs_array_create((void **)&pixels, (size_t)columns * (size_t)rows, sizeof *pixels, "the pixels of a picture", err);
  if (status) return status;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++)
      pixels[(size_t)r * (size_t)columns + (size_t)c] = pixel_color(problem, &tint, c, columns, r, rows);
  status = hs_canvas_paint(canvas, plot->x, plot->y, pixels, columns, rows, err);
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
