/* Colour maps. */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"

static double luminance(const struct hs_colormap *map, double position)
{
  static const double weight[3] = {0.2126, 0.7152, 0.0722};
  unsigned char rgb[3];
  double sum = 0.0;
  int k;
  hs_colormap_rgb(map, position, rgb);
  for (k = 0; k < 3; k++) {
    const double c = rgb[k] / 255.0;
    sum += weight[k] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

static void test_colormaps_rise_in_luminance(void **state)
{
  static const char *const sequential[] = {"viridis", "inferno", "magma", "plasma", "cividis", "gray"};
  const struct hs_colormap *map;
  size_t m;
  int k;
  (void)state;
  for (m = 0; m < 6; m++) {
    map = hs_colormap_find(sequential[m]);
    assert_non_null(map);
    assert_non_null(strstr(hs_colormap_names(), sequential[m]));
    for (k = 1; k <= 64; k++)
      if (!(luminance(map, k / 64.0) > luminance(map, (k - 1) / 64.0))) fail_msg("%s falls at %d/64", sequential[m], k);
  }
  map = hs_colormap_find("cool-warm");
  assert_non_null(map);
  for (k = 1; k <= 32; k++) {
    assert_true(luminance(map, k / 64.0) > luminance(map, (k - 1) / 64.0));
    assert_true(luminance(map, 1.0 - k / 64.0) > luminance(map, 1.0 - (k - 1) / 64.0));
  }
  assert_null(hs_colormap_find("jet"));
  assert_null(hs_colormap_find(NULL));
}

/* Pixels have the colours of single positions, and those without a number the one given. */
static void test_pixels_have_the_colours_of_positions(void **state)
{
  enum { COUNT = 403 };
  double position[COUNT] = {NAN, -INFINITY, INFINITY};
  uint32_t pixels[COUNT];
  (void)state;
  for (int k = 3; k < COUNT; k++) position[k] = (k - 53) / 300.0;
  for (int m = 0; hs_colormap_name(m); m++) {
    const struct hs_colormap *map = hs_colormap_find(hs_colormap_name(m));
    hs_colormap_pixels(map, position, COUNT, 0x123456, pixels);
    assert_int_equal(pixels[0], 0x123456);
    for (int k = 1; k < COUNT; k++) {
      unsigned char rgb[3];
      hs_colormap_rgb(map, position[k], rgb);
      assert_int_equal(pixels[k], rgb[0] << 16 | rgb[1] << 8 | rgb[2]);
    }
  }
}

/* Ends as published: viridis runs from #440154 to #fde725. */
static void test_colormaps_have_the_published_ends(void **state)
{
  static const unsigned char low[3] = {0x44, 0x01, 0x54}, high[3] = {0xfd, 0xe7, 0x25};
  unsigned char rgb[3];
  (void)state;
  hs_colormap_rgb(hs_colormap_find("viridis"), -1e300, rgb);
  assert_memory_equal(rgb, low, 3);
  hs_colormap_rgb(hs_colormap_find("viridis"), NAN, rgb);
  assert_memory_equal(rgb, low, 3);
  hs_colormap_rgb(hs_colormap_find("viridis"), INFINITY, rgb);
  assert_memory_equal(rgb, high, 3);
}

/* The table of keys cannot ask the colour maps for their names. */
static void test_the_key_names_them_all(void **state)
{
  char *help = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&help, &size);
  const char *key, *name;
  (void)state;
  assert_non_null(out);
  hs_config_print_help(out);
  assert_int_equal(fclose(out), 0);
  key = strstr(help, "  colormap ");
  assert_non_null(key);
  for (int k = 0; (name = hs_colormap_name(k)) != NULL; k++) {
    const char *found = strstr(key, name);
    if (!found || found - key > 400) fail_msg("--help-config does not name %s", name);
  }
  free(help);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_colormaps_rise_in_luminance),
      cmocka_unit_test(test_colormaps_have_the_published_ends),
      cmocka_unit_test(test_pixels_have_the_colours_of_positions),
      cmocka_unit_test(test_the_key_names_them_all),
  };
  return cmocka_run_group_tests_name("colormap", tests, NULL, NULL);
}
