/* The drawing of a problem. */
#include "problem/plain.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "output/describe.h"
#include "output/picture/drawing/drawing.h"
#include "output/picture/drawing/walls.h"
#include "problem/value.h"

/* Where the pixels of a colour are: their share of the picture, and their mean column and row. */
struct patch {
  double share, column, row;
};

static struct patch find_patch(const char *path, const unsigned char rgb[3])
{
  png_image image = {.version = PNG_IMAGE_VERSION};
  unsigned char *pixels;
  struct patch patch = {0};
  double count = 0.0;
  assert_true(png_image_begin_read_from_file(&image, path));
  image.format = PNG_FORMAT_RGB;
  pixels = malloc(PNG_IMAGE_SIZE(image));
  assert_non_null(pixels);
  assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
  for (unsigned y = 0; y < image.height; y++)
    for (unsigned x = 0; x < image.width; x++) {
      if (memcmp(pixels + 3 * ((size_t)y * image.width + x), rgb, 3)) continue;
      count++;
      patch.column += x;
      patch.row += y;
    }
  free(pixels);
  patch.share = count / image.width / image.height;
  patch.column /= count;
  patch.row /= count;
  return patch;
}

static void the_drawing_shows_materials_the_right_way_round(void **state)
{
  static const double sizes[][2] = {{1.0, 1.0}, {0.5, 0.0475}, {1e-3, 0.2}};
  (void)state;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const double lx = sizes[k][0], ly = sizes[k][1];
    struct hs_config config = plain_config(41, 41, lx, ly, HS_LAYOUT_VERTEX);
    struct hs_config_region regions[] = {plain_region("part", rectangle(0.0, 0.6 * lx, 0.0, 0.7 * ly), "steel")};
    struct hs_config_source sources[] = {
        plain_source("spot", circle(0.7 * lx, 0.5 * ly, 0.2 * fmin(lx, ly)), 1.0, NAN)};
    struct hs_config_boundary walls[4] = {0};
    struct hs_segment segments[4] = {0};
    struct hs_problem problem;
    struct hs_error err = {0};
    struct patch steel, plain;
    for (int side = 0; side < 4; side++) {
      walls[side] = (struct hs_config_boundary){.name = (char *)hs_side_name(side), .side = side, .kind = side};
      segments[side] = (struct hs_segment){.name = hs_side_name(side), .side = side, .kind = side};
      segments[side].to_m = side < 2 ? ly : lx;
    }
    config.regions = regions;
    config.region_count = 1;
    config.sources = sources;
    config.source_count = 1;
    config.boundaries = walls;
    config.boundary_count = 4;
    config.grid.nx = (int)(1.0 + 40.0 * fmin(25.0, lx / fmin(lx, ly)));
    config.grid.ny = (int)(1.0 + 40.0 * fmin(25.0, ly / fmin(lx, ly)));
    problem = plain_painted(&config);
    problem.segments = segments;
    problem.segment_count = 4;
    test_ok(hs_drawing_write(&problem, test_folder_path("problem.png"), &err), &err);
    steel = find_patch(test_folder_path("problem.png"), problem.materials[1].rgb);
    plain = find_patch(test_folder_path("problem.png"), problem.materials[0].rgb);
    assert_true(steel.share > 0.03 && plain.share > 0.03);
    assert_true(steel.column < plain.column && steel.row > plain.row);
    plain_clear(&problem);
  }
}

/* How many pixels of the problem's picture are of the background's colour. */
static double plain_share(const struct hs_config *config)
{
  struct hs_problem problem = plain_painted(config);
  struct hs_error err = {0};
  struct patch plain;
  test_ok(hs_drawing_write(&problem, test_folder_path("problem.png"), &err), &err);
  plain = find_patch(test_folder_path("problem.png"), problem.materials[0].rgb);
  plain_clear(&problem);
  return plain.share;
}

/* A source that leaves a disc of 0.4 m radius free marks the rest of a square metre; it and the disc's own mark cover all. It
 * has no name, which would hide a part. */
static void an_outside_is_marked_outside(void **state)
{
  struct hs_config config = plain_config(41, 41, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_source source = plain_source("", circle(0.5, 0.5, 0.4), 1.0, NAN);
  double bare, outside, inside;
  (void)state;
  config.sources = &source;
  config.source_count = 1;
  source.shape.kind = HS_SHAPE_EVERYWHERE; /* which is not marked */
  bare = plain_share(&config);
  source.shape.kind = HS_SHAPE_CIRCLE;
  source.shape.part = HS_PART_OUTSIDE;
  outside = plain_share(&config);
  source.shape.part = HS_PART_INSIDE;
  inside = plain_share(&config);
  test_near("not marked", outside / bare, M_PI * 0.4 * 0.4, 0.03);
  test_near("marked", (inside + outside) / bare, 1.0, 0.03);
}

static void assert_bytes(const double rgb[3], int red, int green, int blue)
{
  const int bytes[3] = {red, green, blue};
  for (int c = 0; c < 3; c++) test_near("colour", 255.0 * rgb[c], bytes[c], 0.51);
}

/* The coldest is blue, the hottest red, and a formula runs from one to the other. Insulation is white, whatever is hatched on
 * it. */
static void walls_have_the_colours_of_their_temperatures(void **state)
{
  struct hs_config config = plain_config(5, 5, 1.0, 2.0, HS_LAYOUT_VERTEX);
  struct hs_config_value cold = {(char *)"-10", -10.0, true, 1}, course = {(char *)"20*y-10", 0.0, false, 1};
  struct hs_segment segments[3] = {{.name = "west", .side = HS_WEST, .to_m = 2.0, .kind = HS_WALL_TEMPERATURE},
                                   {.name = "east", .side = HS_EAST, .to_m = 2.0, .kind = HS_WALL_CONVECTION},
                                   {.name = "south", .side = HS_SOUTH, .to_m = 1.0, .kind = HS_WALL_INSULATED}};
  struct hs_problem problem = plain_problem(&config);
  struct hs_wall_range range;
  struct hs_strip strip;
  struct hs_error err = {0};
  (void)state;
  test_ok(hs_value_create(&config, &cold, "[boundary] east", &segments[1].temperature, &err), &err);
  test_ok(hs_value_create(&config, &course, "[boundary] west", &segments[0].temperature, &err), &err);
  problem.segments = segments;
  problem.segment_count = 3;
  hs_wall_range_find(&problem, &range);
  test_near("low", range.low_k, -10.0, 1e-9);
  test_near("high", range.high_k, 30.0, 1e-9);
  hs_strip_find(&problem, &range, &segments[0], &strip);
  assert_int_equal(strip.stops, HS_STRIP_STOPS);
  assert_bytes(strip.rgb[0], 59, 76, 192);
  assert_bytes(strip.rgb[HS_STRIP_STOPS / 2], 221, 221, 221);
  assert_bytes(strip.rgb[HS_STRIP_STOPS - 1], 180, 4, 38);
  hs_strip_find(&problem, &range, &segments[1], &strip);
  assert_int_equal(strip.stops, 1);
  assert_bytes(strip.rgb[0], 59, 76, 192);
  hs_strip_find(&problem, &range, &segments[2], &strip);
  assert_bytes(strip.rgb[0], 255, 255, 255);
  hs_value_destroy(segments[0].temperature);
  hs_value_destroy(segments[1].temperature);
  problem.segments = NULL;
  problem.segment_count = 0;
  plain_clear(&problem);
}

static void segments_are_described_as_written(void **state)
{
  struct hs_config config = plain_config(5, 5, 1.0, 1.0, HS_LAYOUT_VERTEX);
  struct hs_config_boundary walls[] = {
      {.name = (char *)"west", .line = 1, .side = HS_WEST, .temperature = {(char *)"sin(pi*y)", 0.0, false, 1}},
      {.name = (char *)"vent",
       .line = 2,
       .side = HS_WEST,
       .temperature = {(char *)"20", 20.0, true, 2},
       .h = {(char *)"0.11", 1.0 / 0.11, true, 2}}};
  const struct hs_segment west = {"west", 1, HS_WEST, 0.0, 0.5, HS_WALL_TEMPERATURE, NULL, NULL, NULL};
  const struct hs_segment vent = {"vent", 2, HS_WEST, 0.5, 1.0, HS_WALL_CONVECTION, NULL, NULL, NULL};
  struct hs_problem problem = plain_problem(&config);
  char text[200];
  (void)state;
  config.boundaries = walls;
  config.boundary_count = 2;
  config.output.unit = (char *)"degC";
  hs_segment_describe(&problem, &west, text, sizeof text);
  assert_string_equal(text, "temperature sin(pi*y)");
  walls[0].temperature.text =
      (char *)"table file-whose-name-is-so-long-that-it-does-not-fit-into-a-line-of-the-dr\xc3\xa4wing.csv y";
  hs_segment_describe(&problem, &west, text, sizeof text);
  assert_string_equal(text,
                      "temperature table file-whose-name-is-so-long-that-it-does-not-fit-into-a-line-of-the-dr...");
  hs_segment_describe(&problem, &vent, text, sizeof text);
  assert_string_equal(text, "h 9.09091 W/(m2 K), ambient 20 degC");
}

static int folder_create(void **state)
{
  (void)state;
  return test_folder_create("drawing");
}

static int folder_remove(void **state)
{
  static const char *const files[] = {"problem.png", NULL};
  (void)state;
  return test_folder_remove(files);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_drawing_shows_materials_the_right_way_round),
      cmocka_unit_test(an_outside_is_marked_outside),
      cmocka_unit_test(walls_have_the_colours_of_their_temperatures),
      cmocka_unit_test(segments_are_described_as_written),
  };
  return cmocka_run_group_tests_name("drawing", tests, folder_create, folder_remove);
}
