/* The picture of the field: the right way round, and in the right colours. */
#include "output/fixture.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "output/image.h"
#include "output/output.h"
#include "output/picture/temperature/raster.h"
#include "output/picture/temperature/samples.h"

static void draw(const struct hs_picture *picture, struct image *image)
{
  struct hs_error err = {HS_OK, ""};
  if (hs_output_picture_write(test_folder_path("p.png"), picture, &err)) fail_msg("%s", err.text);
  image_read(test_folder_path("p.png"), image);
  assert_in_range(image->width, 600, 2200);
  assert_in_range(image->height, 300, 2200);
  assert_true(image->width >= 1600 || image->height >= 1600);
}

static void test_picture_has_north_at_the_top(void **state)
{
  double field_k[32 * 32];
  const struct hs_picture picture = {field_k, 32,   32,   1.0,  1.0, "Plate \xc3\xbc", "viridis", NAN, NAN, 0, NULL,
                                     false,   NULL, NULL, NULL, 0.0};
  struct image image;
  struct image_area area;
  int k;
  (void)state;
  for (k = 0; k < 32 * 32; k++) field_k[k] = 300.0 + (k / 32) + 0.01 * (k % 32);
  draw(&picture, &image);
  assert_string_equal(image.title, "Plate \xc3\xbc");
  assert_true(strncmp(image.software, "heatsolve ", 10) == 0);
  area = image_find_plot(&image, image.width / 2, image.height / 2);
  assert_in_range(abs((area.right - area.left) - (area.bottom - area.top)), 0, 1);
  assert_true(image_has_color(image_pixel(&image, area.right, area.top), 1.0, "viridis"));
  assert_true(image_has_color(image_pixel(&image, area.left, area.bottom), 0.0, "viridis"));
  free(image.rgb);
}

static void test_picture_of_two_by_two_shows_blocks(void **state)
{
  const double field_k[4] = {0.0, 1.0, 2.0, 3.0};
  const struct hs_picture picture = {field_k, 2, 2,    1.0,   1.0,  "",   "magma", NAN,
                                     NAN,     0, NULL, false, NULL, NULL, NULL,    0.0};
  struct image image;
  struct image_area area;
  (void)state;
  draw(&picture, &image);
  area = image_find_plot(&image, image.width / 2, image.height / 4);
  assert_true(image_has_color(image_pixel(&image, area.left + 25, area.top + 5), 2.0 / 3.0, "magma"));
  assert_true(image_has_color(image_pixel(&image, area.right - 25, area.top + 5), 1.0, "magma"));
  assert_true(image_has_color(image_pixel(&image, area.right - 25, area.bottom - 5), 1.0 / 3.0, "magma"));
  assert_true(image_has_color(image_pixel(&image, (area.left + area.right) / 2 - 2, area.top + 5), 2.0 / 3.0, "magma"));
  assert_string_equal(image.title, "");
  free(image.rgb);
}

/* Cells fill the plot evenly: each half of a picture of two by two cells has one colour, the middle the boundary. */
static void test_picture_of_cells_fills_the_plot(void **state)
{
  static double field_k[100 * 100];
  const double four_k[4] = {0.0, 1.0, 2.0, 3.0};
  const struct hs_picture four = {four_k, 2, 2,    1.0,  1.0,  "",   "viridis", NAN,
                                  NAN,    0, NULL, true, NULL, NULL, NULL,      0.0};
  const struct hs_picture many = {field_k, 100, 100,  1.0,  1.0,  "",   "viridis", NAN,
                                  NAN,     3,   NULL, true, NULL, NULL, NULL,      0.0};
  struct image image;
  struct image_area area;
  int k, middle;
  (void)state;
  draw(&four, &image);
  area = image_find_plot(&image, image.width / 2 + 40, image.height / 4);
  middle = (area.left + area.right) / 2;
  assert_true(image_has_color(image_pixel(&image, middle - 2, area.top + 5), 2.0 / 3.0, "viridis"));
  assert_true(image_has_color(image_pixel(&image, middle + 3, area.top + 5), 1.0, "viridis"));
  free(image.rgb);
  for (k = 0; k < 100 * 100; k++) field_k[k] = k % 100;
  draw(&many, &image);
  area = image_find_plot(&image, image.width / 2, image.height / 2 + 9);
  assert_true(image_has_color(image_pixel(&image, area.left, area.top + 5), 0.0, "viridis"));
  assert_true(
      image_has_color(image_pixel(&image, area.left + (area.right - area.left) / 400, area.top + 5), 0.0, "viridis"));
  assert_true(image_has_color(image_pixel(&image, area.right, area.top + 5), 1.0, "viridis"));
  free(image.rgb);
}

static void test_picture_averages_many_cells(void **state)
{
  const int n = 1999;
  double *field_k = malloc((size_t)n * (size_t)n * sizeof *field_k);
  const struct hs_picture picture = {field_k, n, n,    1.0,  1.0,  "",   "gray", 0.0,
                                     1.0,     0, NULL, true, NULL, NULL, NULL,   0.0};
  struct image image;
  const unsigned char *corner;
  int k;
  (void)state;
  assert_non_null(field_k);
  for (k = 0; k < n * n; k++) field_k[k] = k / n < n / 2 ? 0.0 : 1.0;
  draw(&picture, &image);
  corner = image_pixel(&image, image.width / 2, image.height / 2 + 60);
  assert_true(image_has_color(corner, 0.0, "gray"));
  assert_true(image_has_color(image_pixel(&image, image.width / 2, image.height / 2 - 60), 1.0, "gray"));
  free(image.rgb);
  free(field_k);
}

static void test_picture_shows_the_unit(void **state)
{
  double field_k[4] = {0.0, 1.0, 2.0, 3.0};
  struct hs_picture picture = {field_k, 2, 2, 1.0, 1.0, "", "gray", NAN, NAN, 0, NULL, false, NULL, NULL, NULL, 0.0};
  const char *const units[] = {"K", "", "degC",
                               ("\xc2\xb0"
                                "C")};
  char *first, *other;
  struct hs_error err = {HS_OK, ""};
  int u;
  (void)state;
  assert_int_equal(hs_output_picture_write(test_folder_path("p.png"), &picture, &err), HS_OK);
  first = test_file_get(test_folder_path("p.png"));
  for (u = 0; u < 4; u++) {
    picture.unit = units[u];
    assert_int_equal(hs_output_picture_write(test_folder_path("p.png"), &picture, &err), HS_OK);
    other = test_file_get(test_folder_path("p.png"));
    assert_int_equal(memcmp(first, other, 1 << 16) == 0, u < 2);
    free(other);
  }
  free(first);
}

/* Rounding and remaining errors are no picture. */
static void test_picture_of_noise_has_one_color(void **state)
{
  double field_k[20 * 20];
  struct hs_picture picture = {.field_k = field_k, .nx = 20, .ny = 20, .lx_m = 1.0, .ly_m = 1.0, .colormap = "viridis"};
  struct image image;
  struct image_area area;
  (void)state;
  picture.range_min_k = picture.range_max_k = NAN;
  picture.isotherms = 5;
  for (int k = 0; k < 400; k++) field_k[k] = 19.99996 + 1e-7 * (k * 37 % 400);
  for (int noise = 1; noise >= 0; noise--) {
    picture.resolution_k = noise ? 5e-5 : 3e-5;
    draw(&picture, &image);
    area = image_find_plot(&image, image.width / 2, image.height / 2);
    assert_int_equal(image_has_color(image_pixel(&image, area.left + 3, area.bottom - 3), 0.5, "viridis"), noise);
    assert_int_equal(image_has_color(image_pixel(&image, area.right - 3, area.top + 3), 0.5, "viridis"), noise);
    free(image.rgb);
  }
}

static void test_picture_of_a_constant_field_has_one_color(void **state)
{
  const double values_k[] = {0.0, 293.15, -1e308, 5e-324};
  double field_k[20 * 20];
  const struct hs_picture picture = {field_k, 20, 20,   1.0,   1.0,  "",   "viridis", NAN,
                                     NAN,     5,  NULL, false, NULL, NULL, NULL,      0.0};
  struct image image;
  size_t v;
  int k;
  (void)state;
  for (v = 0; v < sizeof values_k / sizeof values_k[0]; v++) {
    for (k = 0; k < 400; k++) field_k[k] = values_k[v];
    draw(&picture, &image);
    assert_true(image_has_color(image_pixel(&image, image.width / 2, image.height / 2), 0.5, "viridis"));
    free(image.rgb);
  }
}

static void test_picture_marks_what_is_not_finite(void **state)
{
  double field_k[40 * 40];
  const struct hs_picture picture = {field_k, 40, 40,   1.0,   1.0,  "",   "viridis", NAN,
                                     NAN,     3,  NULL, false, NULL, NULL, NULL,      0.0};
  struct image image;
  const unsigned char *middle;
  int k;
  (void)state;
  for (k = 0; k < 1600; k++) field_k[k] = k / 1600.0;
  for (k = 0; k < 1600; k++)
    if (k / 40 >= 15 && k / 40 <= 25) field_k[k] = k % 2 ? NAN : INFINITY;
  draw(&picture, &image);
  middle = image_pixel(&image, image.width / 2, image.height / 2);
  assert_true(middle[0] == 0x8c && middle[1] == 0x8c && middle[2] == 0x8c);
  free(image.rgb);
  for (k = 0; k < 1600; k++) field_k[k] = NAN;
  draw(&picture, &image);
  free(image.rgb);
}

static void test_picture_stands_any_shape_and_range(void **state)
{
  static double field_k[3000 * 4];
  static const int shapes[][2] = {{3000, 2}, {2, 3000}, {1, 1}, {1, 3000}, {3000, 4}};
  static const double ranges_k[][2] = {
      {0, 1}, {-1.7e308, 1.7e308}, {293.15, 293.15 + 1e-6}, {1e-320, 3e-320}, {1e22, 2e22}};
  struct image image;
  size_t s, r;
  int k;
  (void)state;
  for (s = 0; s < 5; s++)
    for (r = 0; r < 5; r++) {
      const int nx = shapes[s][0], ny = shapes[s][1];
      const struct hs_picture picture = {
          field_k, nx,   ny, (nx - 1) * 1e-3, (ny - 1) * 1e-3, "shape", "gray", NAN, NAN, 4, NULL, false, NULL,
          NULL,    NULL, 0.0};
      for (k = 0; k < nx * ny; k++) field_k[k] = k % 2 ? ranges_k[r][0] : ranges_k[r][1];
      draw(&picture, &image);
      free(image.rgb);
    }
}

static void test_picture_fixed_range_clamps(void **state)
{
  double field_k[32 * 32];
  const struct hs_picture picture = {field_k, 32, 32,   1.0,   1.0,  "",   "plasma", 310.0,
                                     320.0,   0,  NULL, false, NULL, NULL, NULL,     0.0};
  struct image image;
  struct image_area area;
  int k;
  (void)state;
  for (k = 0; k < 32 * 32; k++) field_k[k] = 300.0 + (k / 32);
  draw(&picture, &image);
  area = image_find_plot(&image, image.width / 2, image.height / 2);
  assert_true(image_has_color(image_pixel(&image, area.left, area.top + 40), 1.0, "plasma"));
  assert_true(image_has_color(image_pixel(&image, area.left, area.bottom - 40), 0.0, "plasma"));
  free(image.rgb);
}

static void test_picture_averages_a_large_field(void **state)
{
  const int n = 3000;
  double *field_k = malloc((size_t)n * (size_t)n * sizeof *field_k);
  const struct hs_picture picture = {field_k, n, n,    1.0,   1.0,  "",   "gray", NAN,
                                     NAN,     0, NULL, false, NULL, NULL, NULL,   0.0};
  struct image image;
  const unsigned char *middle;
  int k;
  (void)state;
  assert_non_null(field_k);
  for (k = 0; k < n * n; k++) field_k[k] = (k / n + k % n) % 2;
  draw(&picture, &image);
  middle = image_pixel(&image, image.width / 2, image.height / 2);
  assert_in_range(middle[0], 95, 160);
  free(image.rgb);
  free(field_k);
}

/* Each pixel of a raster is the mean of its nodes, on one thread and on several. Positions are rounded to multiples of 2^-40. */
static void test_raster_is_the_mean_of_nodes(void **state)
{
  enum { WIDE = 2500, HIGH = 900, COLUMNS = 700, ROWS = 400 };
  double *field_k = malloc((size_t)WIDE * HIGH * sizeof *field_k);
  const struct hs_picture picture = {field_k, WIDE, HIGH, 2.0,   1.0,  "",   "gray", 0.0,
                                     1.0,     0,    NULL, false, NULL, NULL, NULL,   0.0};
  const int threads = omp_get_max_threads();
  struct hs_raster raster[3] = {{0}};
  struct hs_samples samples = {0};
  struct hs_scale scale;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  assert_non_null(field_k);
  for (int k = 0; k < WIDE * HIGH; k++) field_k[k] = 0.5 + 0.4 * sin(0.001 * k) + (k % 1000 == 0 ? 4e3 : 0.0);
  assert_int_equal(hs_scale_find(&picture, &scale, &err), HS_OK);
  assert_int_equal(hs_samples_create(&picture, COLUMNS, ROWS, &samples, &err), HS_OK);
  for (int k = 0; k < 3; k++) {
    omp_set_num_threads(k + 1);
    assert_int_equal(hs_raster_create(&picture, &scale, COLUMNS, ROWS, &raster[k], &err), HS_OK);
    assert_memory_equal(raster[k].position, raster[0].position, (size_t)COLUMNS * ROWS * sizeof(double));
  }
  omp_set_num_threads(threads);
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLUMNS; c++) {
      const struct hs_sample up = samples.up[r], across = samples.across[c];
      double sum = 0.0;
      for (int j = up.first; j < up.first + up.count; j++)
        for (int i = across.first; i < across.first + across.count; i++)
          sum += fmin(field_k[(size_t)j * WIDE + (size_t)i], HS_POSITION_LIMIT);
      assert_true(fabs(raster[0].position[r * COLUMNS + c] - sum / (up.count * across.count)) < 1e-11);
    }
  for (int k = 0; k < 3; k++) hs_raster_clear(&raster[k]);
  free(samples.across);
  free(samples.up);
  free(field_k);
}

static void test_picture_is_the_same_bytes_twice(void **state)
{
  double field_k[32 * 32];
  const struct hs_picture picture = {field_k, 32, 32,   1.0,   1.0,  "same", "cividis", NAN,
                                     NAN,     7,  NULL, false, NULL, NULL,   NULL,      0.0};
  struct hs_error err = {HS_OK, ""};
  char *first, *second;
  int k;
  (void)state;
  for (k = 0; k < 32 * 32; k++) field_k[k] = sin(0.1 * k);
  assert_int_equal(hs_output_picture_write(test_folder_path("p.png"), &picture, &err), HS_OK);
  first = test_file_get(test_folder_path("p.png"));
  assert_int_equal(hs_output_picture_write(test_folder_path("p.png"), &picture, &err), HS_OK);
  second = test_file_get(test_folder_path("p.png"));
  assert_memory_equal(first, second, 1 << 16);
  free(second);
  free(first);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_picture_has_north_at_the_top),
      TEST(test_picture_of_two_by_two_shows_blocks),
      TEST(test_picture_of_cells_fills_the_plot),
      TEST(test_picture_averages_many_cells),
      TEST(test_picture_shows_the_unit),
      TEST(test_picture_of_a_constant_field_has_one_color),
      TEST(test_picture_of_noise_has_one_color),
      TEST(test_picture_marks_what_is_not_finite),
      TEST(test_picture_stands_any_shape_and_range),
      TEST(test_picture_fixed_range_clamps),
      TEST(test_picture_averages_a_large_field),
      TEST(test_raster_is_the_mean_of_nodes),
      TEST(test_picture_is_the_same_bytes_twice),
  };
  return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
