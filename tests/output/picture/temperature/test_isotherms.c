/* Isotherms, outlines of materials and extremes: where they are. */
#include "problem/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/picture/canvas/canvas.h"
#include "output/picture/temperature/extremes.h"
#include "output/picture/temperature/isotherms.h"
#include "output/picture/temperature/outlines.h"

enum { N = 41 };

static const struct hs_box box = {100.0, 50.0, 400.0, 400.0};

/* The isotherms of a field on N x N nodes. */
static void isotherms_of(const double *field_k, int most, struct hs_isotherms *isotherms)
{
  const struct hs_picture picture = {.field_k = field_k, .nx = N, .ny = N, .range_min_k = NAN, .range_max_k = NAN};
  struct hs_axis *values = malloc(sizeof *values);
  struct hs_raster nodes = {0, 0, NULL};
  struct hs_error err = {0};
  struct hs_scale scale;
  *isotherms = (struct hs_isotherms){0};
  assert_non_null(values);
  test_ok(hs_scale_find(&picture, &scale, &err), &err);
  hs_isotherms_choose(&scale, most, values);
  assert_true(values->count <= most);
  test_ok(hs_raster_create_nodes(&picture, &scale, 800, 800, &nodes, &err), &err);
  test_ok(hs_isotherms_create(isotherms, values, &nodes, &box, &err), &err);
  hs_raster_clear(&nodes);
  free(values);
}

/* T = 3 + 20 x: the lines of 5, 10, 15, 20, each one piece from south to north, at its place. */
static void values_are_round_and_lines_are_whole(void **state)
{
  static const char *const labels[] = {"5", "10", "15", "20"};
  double field_k[N * N];
  struct hs_isotherms isotherms;
  (void)state;
  for (int n = 0; n < N * N; n++) field_k[n] = 3.0 + 20.0 * (n % N) / (N - 1);
  isotherms_of(field_k, 5, &isotherms);
  assert_int_equal(isotherms.count, 4);
  for (int k = 0; k < 4; k++) {
    const struct hs_isotherm *line = &isotherms.line[k];
    assert_string_equal(line->label, labels[k]);
    assert_int_equal(line->lines.count, 1);
    assert_false(line->lines.line[0].closed);
    test_near("length", line->lines.line[0].length, box.height, 1e-9);
    for (int s = 0; s < line->lines.spot_count; s++)
      test_near("x", line->lines.spots[s].x, box.x + box.width * (5.0 * (k + 1) - 3.0) / 20.0, 1e-9);
  }
  hs_isotherms_clear(&isotherms);
}

/* T = distance from the middle: circles, closed, but for those that leave the plate. */
static void lines_around_a_spot_are_closed(void **state)
{
  double field_k[N * N];
  struct hs_isotherms isotherms;
  (void)state;
  for (int n = 0; n < N * N; n++) field_k[n] = hypot(n % N - N / 2, n / N - N / 2);
  isotherms_of(field_k, 6, &isotherms);
  assert_in_range(isotherms.count, 3, 6);
  for (int k = 0; k < isotherms.count; k++) {
    const double value = isotherms.line[k].position * hypot(N / 2, N / 2);
    const struct hs_lines *lines = &isotherms.line[k].lines;
    if (value > N / 2) {
      assert_int_equal(lines->count, 4);
      continue;
    }
    assert_int_equal(lines->count, 1);
    assert_true(lines->line[0].closed);
    test_near("girth", lines->line[0].length / (2.0 * M_PI * value * box.width / (N - 1)), 1.0, 0.01);
  }
  hs_isotherms_clear(&isotherms);
}

static bool overlap(const struct hs_place *a, const struct hs_place *b)
{
  const double reach = 0.5 * (fmin(a->width, a->height) + fmin(b->width, b->height));
  return hypot(a->x - b->x, a->y - b->y) < 0.8 * reach;
}

/* Values stand on their lines, within the plot, and not over one another. */
static void values_stand_where_there_is_room(void **state)
{
  double field_k[N * N];
  struct hs_canvas canvas = HS_CANVAS_NONE;
  struct hs_isotherms isotherms;
  struct hs_room room;
  struct hs_error err = {0};
  struct hs_place places[300];
  int count = 0;
  (void)state;
  for (int n = 0; n < N * N; n++) field_k[n] = 100.0 * sin(0.15 * (n % N)) * cos(0.2 * (n / N)) - 30.0;
  isotherms_of(field_k, 12, &isotherms);
  test_ok(hs_canvas_create(&canvas, &err), &err);
  test_ok(hs_room_create(&room, &box, &err), &err);
  hs_isotherms_label(&isotherms, canvas.cr, &room);
  for (int k = 0; k < isotherms.count; k++)
    for (int l = 0; l < isotherms.line[k].label_count; l++) places[count++] = isotherms.line[k].labels[l];
  assert_true(count >= 10);
  for (int a = 0; a < count; a++) {
    assert_true(places[a].x > box.x + 5.0 && places[a].x < box.x + box.width - 5.0);
    assert_true(places[a].y > box.y + 5.0 && places[a].y < box.y + box.height - 5.0);
    assert_true(fabs(places[a].angle_rad) < M_PI_2 + 0.01);
    for (int b = 0; b < a; b++) assert_false(overlap(&places[a], &places[b]));
  }
  hs_room_clear(&room);
  hs_isotherms_clear(&isotherms);
  hs_canvas_destroy(&canvas);
}

/* A rectangle of another material has one closed outline, with its four corners. */
static void materials_are_outlined_once(void **state)
{
  struct hs_config config = plain_config(41, 21, 2.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_region regions[] = {plain_region("part", rectangle(0.5, 1.5, 0.25, 0.75), "steel")};
  struct hs_problem problem;
  struct hs_material_map map;
  struct hs_runs runs = {0};
  struct hs_lines lines = {0};
  struct hs_error err = {0};
  (void)state;
  config.regions = regions;
  config.region_count = 1;
  problem = plain_painted(&config);
  map = hs_material_map_of(&problem);
  test_ok(hs_runs_find(&map, &runs, &err), &err);
  test_ok(hs_outlines_create(&runs, 40, 20, &box, &lines, &err), &err);
  assert_int_equal(lines.count, 1);
  assert_true(lines.line[0].closed);
  assert_int_equal(lines.line[0].count, 5);
  for (int s = 0; s < 5; s++) {
    const struct hs_spot spot = lines.spots[s];
    test_near("x", fabs(spot.x - (box.x + 0.5 * box.width)), 0.25 * box.width, 1e-9);
    test_near("y", fabs(spot.y - (box.y + 0.5 * box.height)), 0.25 * box.height, 1e-9);
  }
  hs_runs_clear(&runs);
  hs_lines_clear(&lines);
  plain_clear(&problem);
}

/* A checkerboard of single cells would blacken the picture. */
static void noise_is_not_outlined(void **state)
{
  enum { SIDE = 400 };
  uint16_t *cell = calloc(SIDE * SIDE, sizeof *cell);
  const struct hs_material_map map = {hs_share_whole(SIDE, SIDE, true), cell, NULL};
  struct hs_runs runs = {0};
  struct hs_lines lines = {0};
  struct hs_error err = {0};
  (void)state;
  assert_non_null(cell);
  for (int n = 0; n < SIDE * SIDE; n++) cell[n] = (uint16_t)((n % SIDE + n / SIDE) % 2);
  test_ok(hs_runs_find(&map, &runs, &err), &err);
  test_ok(hs_outlines_create(&runs, SIDE, SIDE, &box, &lines, &err), &err);
  assert_int_equal(lines.count, 0);
  hs_runs_clear(&runs);
  hs_lines_clear(&lines);
  free(cell);
}

static double luminance(const double rgb[3])
{
  double linear[3];
  for (int c = 0; c < 3; c++) linear[c] = rgb[c] <= 0.04045 ? rgb[c] / 12.92 : pow((rgb[c] + 0.055) / 1.055, 2.4);
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

/* The contrast of the line at a position of the colour bar with the colour there (WCAG 2.2). */
static double contrast_at(const struct hs_colormap *map, double position)
{
  enum { PIXELS = 200 };
  const struct hs_box bar = {0.0, 0.0, 10.0, 10.0};
  struct hs_isotherm line = {.position = position};
  const struct hs_isotherms isotherms = {&line, 1};
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, PIXELS, PIXELS);
  cairo_t *cr = cairo_create(surface);
  unsigned char rgb[3];
  double pixel[3], ground[3], a, b;
  uint32_t bits;
  hs_colormap_rgb(map, position, rgb);
  for (int c = 0; c < 3; c++) ground[c] = rgb[c] / 255.0;
  cairo_set_source_rgb(cr, ground[0], ground[1], ground[2]);
  cairo_paint(cr);
  cairo_scale(cr, PIXELS / bar.width, PIXELS / bar.height);
  hs_isotherms_mark(cr, &isotherms, &bar, map, true);
  cairo_surface_flush(surface);
  memcpy(&bits,
         cairo_image_surface_get_data(surface) +
             (int)((1.0 - position) * PIXELS) * cairo_image_surface_get_stride(surface) + 4 * (PIXELS / 2),
         sizeof bits);
  for (int c = 0; c < 3; c++) pixel[c] = (bits >> (16 - 8 * c) & 255u) / 255.0;
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  a = luminance(pixel);
  b = luminance(ground);
  return (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
}

static void lines_stand_out_from_every_colour(void **state)
{
  (void)state;
  for (int m = 0; hs_colormap_name(m); m++)
    for (int k = 1; k < 200; k++) {
      const double contrast = contrast_at(hs_colormap_find(hs_colormap_name(m)), k / 200.0);
      if (contrast < 4.0) fail_msg("%s at %g: %g", hs_colormap_name(m), k / 200.0, contrast);
    }
}

/* The coldest and the hottest node; of a wall held at one temperature the middle. */
static void extremes_are_found(void **state)
{
  double field_k[N * N];
  const struct hs_picture picture = {.field_k = field_k, .nx = N, .ny = N, .range_min_k = NAN, .range_max_k = NAN};
  struct hs_extremes extremes = {0};
  struct hs_canvas canvas = HS_CANVAS_NONE;
  struct hs_scale scale;
  struct hs_room room;
  struct hs_error err = {0};
  (void)state;
  for (int n = 0; n < N * N; n++) field_k[n] = n % N == 0 ? 280.5 : 300.0;
  field_k[30 * N + 10] = 312.5;
  test_ok(hs_scale_find(&picture, &scale, &err), &err);
  assert_int_equal(scale.min_node, N / 2 * N);
  assert_int_equal(scale.max_node, 30 * N + 10);
  for (int i = 4; i < 9; i++) field_k[7 * N + i] = field_k[20 * N + i] = 270.0; /* ten of them: the fifth one */
  test_ok(hs_scale_find(&picture, &scale, &err), &err);
  assert_int_equal(scale.min_node, 7 * N + 8);
  for (int n = 0; n < N * N; n++) field_k[n] = n % N == 0 ? 280.5 : 300.0;
  field_k[30 * N + 10] = 312.5;
  test_ok(hs_scale_find(&picture, &scale, &err), &err);
  test_ok(hs_canvas_create(&canvas, &err), &err);
  test_ok(hs_room_create(&room, &box, &err), &err);
  hs_extremes_find(&extremes, canvas.cr, &picture, &scale, &box, &box, &room);
  assert_int_equal(extremes.count, 2);
  assert_string_equal(extremes.text[0], "min 280.5");
  assert_string_equal(extremes.text[1], "max 312.5");
  test_near("x", extremes.node[1].x, box.x + box.width * 10.0 / (N - 1), 1e-9);
  test_near("y", extremes.node[1].y, box.y + box.height * (1.0 - 30.0 / (N - 1)), 1e-9);
  hs_room_clear(&room);
  hs_canvas_destroy(&canvas);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_round_and_lines_are_whole),
      cmocka_unit_test(lines_around_a_spot_are_closed),
      cmocka_unit_test(values_stand_where_there_is_room),
      cmocka_unit_test(materials_are_outlined_once),
      cmocka_unit_test(noise_is_not_outlined),
      cmocka_unit_test(lines_stand_out_from_every_colour),
      cmocka_unit_test(extremes_are_found),
  };
  return cmocka_run_group_tests_name("isotherms", tests, NULL, NULL);
}
