/* Materials from a picture. */
#include "problem/plain.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "folder.h"

/* Writes width x height pixels of three bytes; kind: 0 plain, 1 palette, 2 16 bits with alpha, 3 interlaced. */
static void write_picture(const char *path, const unsigned char *rgb, int width, int height, int kind)
{
  static const png_color palette[] = {{0x80, 0x40, 0x20}, {0xff, 0x80, 0x00}};
  FILE *file = fopen(path, "wb");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  png_bytep rows[64];
  unsigned char *pixels = calloc((size_t)(width * height), 8);
  const int type = kind == 1 ? PNG_COLOR_TYPE_PALETTE : kind == 2 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB;
  const int depth = kind == 1 ? 1 : kind == 2 ? 16 : 8;
  assert_non_null(file);
  assert_non_null(pixels);
  png_init_io(png, file);
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, depth, type,
               kind == 3 ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (kind == 1) png_set_PLTE(png, info, palette, 2);
  for (int y = 0; y < height; y++) {
    rows[y] = pixels + (size_t)y * 8 * (size_t)width;
    for (int x = 0; x < width; x++) {
      const unsigned char *from = rgb + 3 * (y * width + x);
      for (int c = 0; c < 3; c++) {
        if (kind == 2) rows[y][8 * x + 2 * c] = rows[y][8 * x + 2 * c + 1] = from[c];
        if (kind == 0 || kind == 3) rows[y][3 * x + c] = from[c];
      }
      if (kind == 1 && from[0] == 0xff) rows[y][x / 8] |= (unsigned char)(0x80 >> (x % 8));
    }
  }
  png_write_info(png, info);
  png_write_image(png, rows);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  free(pixels);
  fclose(file);
}

/* Steel with a copper frame in the north-west: column x, row y from the top. */
static bool copper_at(int x, int y)
{
  return (y == 0 && x < 3) || (x == 0 && y < 2);
}

static void make_pixels(unsigned char *rgb, int width, int height)
{
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      memcpy(rgb + 3 * (y * width + x), copper_at(x, y) ? "\xff\x80\x00" : "\x80\x40\x20", 3);
}

static void pictures_of_every_kind_paint_north_up(void **state)
{
  unsigned char rgb[3 * 10 * 6];
  (void)state;
  make_pixels(rgb, 10, 6);
  for (int kind = 0; kind < 4; kind++)
    for (int block = 1; block <= 3; block++) {
      struct hs_config config = plain_config(10 * block + 1, 6 * 2 * block + 1, 1.0, 1.0, HS_LAYOUT_VERTEX);
      struct hs_problem problem;
      config.map.materials = (char *)test_folder_path("materials.png");
      write_picture(config.map.materials, rgb, 10, 6, kind);
      problem = plain_painted(&config);
      for (int j = 0; j < problem.cells_y; j++)
        for (int i = 0; i < problem.cells_x; i++)
          assert_int_equal(hs_problem_cell_material(&problem, i, j), copper_at(i / block, 5 - j / (2 * block)) ? 3 : 1);
      assert_int_equal(problem.class_count, 2);
      plain_clear(&problem);
    }
}

static void shapes_paint_over_the_picture(void **state)
{
  unsigned char rgb[3 * 10 * 6];
  struct hs_config config = plain_config(10, 6, 1.0, 0.6, HS_LAYOUT_CELL);
  struct hs_config_region regions[] = {plain_region("plug", rectangle(0.0, 0.2, 0.5, 0.6), "foam")};
  struct hs_problem problem;
  char path[512];
  (void)state;
  make_pixels(rgb, 10, 6);
  write_picture(test_folder_path("relative.png"), rgb, 10, 6, 0);
  snprintf(path, sizeof path, "%s/part.ini", test_folder()); /* names are relative to the configuration's folder */
  config.path = path;
  config.map.materials = (char *)"relative.png";
  config.regions = regions;
  config.region_count = 1;
  problem = plain_painted(&config);
  assert_int_equal(hs_problem_cell_material(&problem, 0, 5), 2);
  assert_int_equal(hs_problem_cell_material(&problem, 1, 5), 2);
  assert_int_equal(hs_problem_cell_material(&problem, 2, 5), 3);
  assert_int_equal(hs_problem_cell_material(&problem, 0, 4), 3);
  assert_int_equal(hs_problem_cell_material(&problem, 9, 0), 1);
  plain_clear(&problem);
}

static void wrong_pictures_are_refused(void **state)
{
  unsigned char rgb[3 * 10 * 6];
  struct hs_config config = plain_config(11, 7, 1.0, 0.6, HS_LAYOUT_VERTEX);
  FILE *file;
  (void)state;
  config.map.materials = (char *)test_folder_path("materials.png");
  make_pixels(rgb, 10, 6);
  rgb[3 * (4 * 10 + 7) + 2] = 0x21;
  write_picture(config.map.materials, rgb, 10, 6, 0);
  REFUSED(&config, HS_ERR_CONFIG, "column 7, row 4", "#804021", "nearest is #804020 of steel", "[map] materials");
  make_pixels(rgb, 10, 6);
  write_picture(config.map.materials, rgb, 10, 6, 0);
  config.grid.nx = 12;
  REFUSED(&config, HS_ERR_CONFIG, "10 x 6 pixels", "11 x 6 cells", "nx = 11, ny = 7");
  config.grid.nx = 6;
  config.grid.ny = 4;
  REFUSED(&config, HS_ERR_CONFIG, "10 x 6 pixels", "5 x 3 cells");
  config.grid.nx = 11;
  config.grid.ny = 7;
  config.materials[3].color = (char *)"#804020";
  REFUSED(&config, HS_ERR_CONFIG, "steel and copper", "#804020");
  config.materials[3].color = (char *)"#ff8000";
  assert_int_equal(truncate(config.map.materials, 60), 0);
  REFUSED(&config, HS_ERR_IO, "materials.png", "libpng");
  file = fopen(config.map.materials, "w");
  assert_non_null(file);
  fputs("this is no picture", file);
  fclose(file);
  REFUSED(&config, HS_ERR_IO, "materials.png", "not a PNG file");
  config.map.materials = (char *)"/no/such/file.png";
  REFUSED(&config, HS_ERR_IO, "[map] materials", "/no/such/file.png", "No such file");
}

/* The size is refused before memory is taken for it. */
static void a_forged_size_is_refused(void **state)
{
  static const unsigned char most[4] = {0x7f, 0xff, 0xff, 0xff};
  unsigned char rgb[3 * 10 * 6], header[21];
  struct hs_config config = plain_config(11, 7, 1.0, 0.6, HS_LAYOUT_VERTEX);
  FILE *file;
  uint32_t crc;
  (void)state;
  config.map.materials = (char *)test_folder_path("materials.png");
  make_pixels(rgb, 10, 6);
  write_picture(config.map.materials, rgb, 10, 6, 3);
  file = fopen(config.map.materials, "r+b");
  assert_non_null(file);
  assert_int_equal(fseek(file, 12, SEEK_SET), 0);
  assert_int_equal(fread(header, 1, 17, file), 17);
  memcpy(header + 4, most, 4);
  memcpy(header + 8, most, 4);
  crc = (uint32_t)crc32(0, header, 17);
  for (int k = 0; k < 4; k++) header[17 + k] = (unsigned char)(crc >> (24 - 8 * k));
  assert_int_equal(fseek(file, 12, SEEK_SET), 0);
  assert_int_equal(fwrite(header, 1, 21, file), 21);
  fclose(file);
  REFUSED(&config, HS_ERR_CONFIG, "2147483647 x 2147483647 pixels", "10 x 6 cells");
}

static int folder_create(void **state)
{
  (void)state;
  return test_folder_create("pictures");
}

static int folder_remove(void **state)
{
  static const char *const files[] = {"materials.png", "relative.png", NULL};
  (void)state;
  return test_folder_remove(files);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pictures_of_every_kind_paint_north_up),
      cmocka_unit_test(shapes_paint_over_the_picture),
      cmocka_unit_test(wrong_pictures_are_refused),
      cmocka_unit_test(a_forged_size_is_refused),
  };
  return cmocka_run_group_tests_name("map_picture", tests, folder_create, folder_remove);
}
