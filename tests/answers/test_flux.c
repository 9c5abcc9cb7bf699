/* The heat flux of cells: exact for linear temperatures beside an interface, second order for smooth ones. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answers/flux.h"

enum { SIDE_MOST = 64 };

/* A plate made by hand: two materials, which meet at half the width. */
struct plate {
  struct hs_config config;
  struct hs_problem problem;
  struct hs_material materials[2];
  struct hs_cell_class classes[2];
  struct hs_segment segments[2];
  uint16_t cell[SIDE_MOST * SIDE_MOST];
  double field_k[(SIDE_MOST + 1) * (SIDE_MOST + 1)];
  double x_w_m2[SIDE_MOST * SIDE_MOST], y_w_m2[SIDE_MOST * SIDE_MOST];
};

static void plate_make(struct plate *plate, enum hs_layout layout, int cells_x, int cells_y, double east_w_mk)
{
  struct hs_problem *p = &plate->problem;
  const bool vertex = layout == HS_LAYOUT_VERTEX;
  memset(plate, 0, sizeof *plate);
  p->config = &plate->config;
  p->layout = layout;
  p->cells_x = p->grid_cells_x = cells_x;
  p->cells_y = p->grid_cells_y = cells_y;
  p->nx = p->grid_nx = cells_x + vertex;
  p->ny = p->grid_ny = cells_y + vertex;
  p->dx_m = 1.0 / cells_x;
  p->dy_m = 0.5 / cells_y;
  p->x0_m = vertex ? 0.0 : 0.5 * p->dx_m;
  p->y0_m = vertex ? 0.0 : 0.5 * p->dy_m;
  p->materials = plate->materials;
  p->classes = plate->classes;
  p->segments = plate->segments;
  p->cell = plate->cell;
  plate->materials[0] = (struct hs_material){.conductivity_x_w_mk = 3.0, .conductivity_y_w_mk = 2.0};
  plate->materials[1] = (struct hs_material){.conductivity_x_w_mk = east_w_mk, .conductivity_y_w_mk = 2.0};
  plate->classes[1].material = 1;
  for (int c = 0; c < cells_x * cells_y; c++) plate->cell[c] = c % cells_x >= cells_x / 2;
}

static void plate_fill(struct plate *plate, double (*temperature_k)(double x_m, double y_m))
{
  const struct hs_problem *p = &plate->problem;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      plate->field_k[j * p->nx + i] = temperature_k(p->x0_m + i * p->dx_m, p->y0_m + j * p->dy_m);
  memset(plate->x_w_m2, 0xff, sizeof plate->x_w_m2);
  hs_answers_flux_rows(p, plate->field_k, 0, 1, plate->x_w_m2, plate->y_w_m2);
  hs_answers_flux_rows(p, plate->field_k, 1, p->cells_y - 1, plate->x_w_m2 + p->cells_x, plate->y_w_m2 + p->cells_x);
}

/* 12 W/m2 flow to the west through 3 and 6 W/(m K). */
static double layers_k(double x_m, double y_m)
{
  (void)y_m;
  return x_m < 0.5 ? 4.0 * x_m : 1.0 + 2.0 * x_m;
}

static void test_flux_is_one_on_both_sides_of_an_interface(void **state)
{
  static const enum hs_layout layouts[2] = {HS_LAYOUT_VERTEX, HS_LAYOUT_CELL};
  struct plate *plate = malloc(sizeof *plate);
  (void)state;
  for (int k = 0; k < 2; k++) {
    plate_make(plate, layouts[k], 8, 5, 6.0);
    plate_fill(plate, layers_k);
    for (int c = 0; c < 40; c++) {
      assert_true(fabs(plate->x_w_m2[c] + 12.0) < 1e-12);
      assert_true(fabs(plate->y_w_m2[c]) < 1e-12);
    }
  }
  free(plate);
}

static double smooth_k(double x_m, double y_m)
{
  return sin(2.0 * x_m + 0.3) * exp(1.5 * y_m);
}

/* Largest error on a grid of n x n cells of one material. */
static double smooth_error(struct plate *plate, enum hs_layout layout, int n)
{
  double worst = 0.0;
  plate_make(plate, layout, n, n, 3.0);
  plate_fill(plate, smooth_k);
  for (int c = 0; c < n * n; c++) {
    const double x_m = (c % n + 0.5) * plate->problem.dx_m, y_m = (c / n + 0.5) * plate->problem.dy_m;
    const double east = -3.0 * 2.0 * cos(2.0 * x_m + 0.3) * exp(1.5 * y_m);
    const double north = -2.0 * 1.5 * smooth_k(x_m, y_m);
    worst = fmax(worst, fmax(fabs(plate->x_w_m2[c] - east), fabs(plate->y_w_m2[c] - north)));
  }
  return worst;
}

static void test_flux_is_of_second_order(void **state)
{
  static const enum hs_layout layouts[2] = {HS_LAYOUT_VERTEX, HS_LAYOUT_CELL};
  struct plate *plate = malloc(sizeof *plate);
  (void)state;
  for (int k = 0; k < 2; k++) {
    const double coarse = smooth_error(plate, layouts[k], 32), fine = smooth_error(plate, layouts[k], 64);
    if (!(coarse / fine > 3.6 && coarse / fine < 4.4)) fail_msg("layout %d: %g, then %g", k, coarse, fine);
  }
  free(plate);
}

static double wave_k(double x_m, double y_m)
{
  (void)y_m;
  return cos(6.283185307179586 * x_m + 0.4);
}

/* Through a periodic wall as through any other face: the flux of a wave is that of its shifted image. */
static void test_flux_goes_through_periodic_walls(void **state)
{
  struct plate *plate = malloc(sizeof *plate);
  (void)state;
  plate_make(plate, HS_LAYOUT_CELL, 12, 3, 3.0);
  plate->segments[0] = (struct hs_segment){.side = HS_WEST, .kind = HS_WALL_PERIODIC};
  plate->segments[1] = (struct hs_segment){.side = HS_EAST, .kind = HS_WALL_PERIODIC};
  plate->problem.segment_count = 2;
  plate_fill(plate, wave_k);
  for (int i = 0; i < 12; i++) assert_true(fabs(plate->x_w_m2[i] + plate->x_w_m2[(i + 6) % 12]) < 1e-12);
  free(plate);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flux_is_one_on_both_sides_of_an_interface),
      cmocka_unit_test(test_flux_is_of_second_order),
      cmocka_unit_test(test_flux_goes_through_periodic_walls),
  };
  return cmocka_run_group_tests_name("flux", tests, NULL, NULL);
}
