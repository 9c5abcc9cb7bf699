/* Animations from snapshots. */
#include "output/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "folder.h"
#include "output/field/snapshots.h"
#include "output/image.h"
#include "output/output.h"

static unsigned read_u32(const unsigned char *from)
{
  return (unsigned)from[0] << 24 | (unsigned)from[1] << 16 | (unsigned)from[2] << 8 | from[3];
}

/* What the chunks of an animated PNG say. */
struct film {
  unsigned frames, controls, next_sequence, width, height;
  int data_before_control; /* acTL must precede the first IDAT */
};

/* Walks through the chunks; every check sum, and the running number of fcTL and fdAT, must be right. */
static void read_film(const char *path, struct film *film)
{
  FILE *file = fopen(path, "rb");
  static unsigned char data[1 << 22];
  size_t at = 8, size;
  memset(film, 0, sizeof *film);
  assert_non_null(file);
  size = fread(data, 1, sizeof data, file);
  fclose(file);
  assert_true(size > 100 && size < sizeof data);
  while (at < size) {
    const unsigned length = read_u32(data + at);
    const unsigned char *type = data + at + 4, *body = type + 4;
    assert_true(at + 12 + length <= size);
    assert_true(crc32(0, type, length + 4) == read_u32(body + length));
    if (!memcmp(type, "acTL", 4)) film->frames = read_u32(body);
    if (!memcmp(type, "IDAT", 4)) film->data_before_control |= film->frames == 0 || film->controls != 1;
    if (!memcmp(type, "fcTL", 4)) {
      assert_int_equal(length, 26);
      film->controls++;
      film->width = read_u32(body + 4);
      film->height = read_u32(body + 8);
    }
    if (!memcmp(type, "fcTL", 4) || !memcmp(type, "fdAT", 4)) assert_int_equal(read_u32(body), film->next_sequence++);
    at += 12 + length;
  }
  assert_memory_equal(data + size - 8, "IEND", 4);
}

static void test_animation_has_a_frame_for_each_snapshot(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct film film;
  struct image image;
  struct image_area area;
  (void)state;
  fixture_fill(&fixture);
  fixture_make_transient(&fixture);
  fixture.config.output.animation = HS_ANIMATION_APNG;
  fixture.config.output.field = false;
  fixture_take_all(&fixture, 5);
  assert_int_equal(hs_output_write(&fixture.result, NULL, &err), HS_OK);
  read_film(test_folder_path("animation.png"), &film);
  assert_int_equal(film.frames, 5);
  assert_int_equal(film.controls, 5);
  assert_false(film.data_before_control);
  image_read(test_folder_path("animation.png"), &image);
  assert_int_equal(image.width, film.width);
  assert_int_equal(image.height, film.height);
  assert_string_equal(image.title, "A <plate>");
  /* One scale for all: the first field lies at its cold end. */
  area = image_find_plot(&image, image.width / 2, image.height / 2);
  assert_true(image_has_color(image_pixel(&image, area.right - 2, area.top + 20), 0.0, "viridis"));
  free(image.rgb);
}

static void test_animation_as_single_pictures(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  struct image first, last;
  unsigned files = 0;
  (void)state;
  fixture_fill(&fixture);
  fixture_make_transient(&fixture);
  fixture.config.output.animation = HS_ANIMATION_SERIES;
  fixture.config.output.field = false;
  fixture_take_all(&fixture, 3);
  assert_int_equal(hs_output_write(&fixture.result, &files, &err), HS_OK);
  assert_int_equal(test_folder_count(test_folder()), 2 + 3);
  image_read(test_folder_path("frame-000000.png"), &first);
  image_read(test_folder_path("frame-000002.png"), &last);
  assert_string_equal(first.title, "A <plate>, t = 0 s");
  assert_string_equal(last.title, "A <plate>, t = 2 s");
  assert_int_equal(first.width, last.width);
  free(first.rgb);
  free(last.rgb);
}

static void test_animation_of_nothing_is_refused(void **state)
{
  struct fixture fixture;
  struct hs_error err = {HS_OK, ""};
  (void)state;
  fixture_fill(&fixture);
  fixture.config.output.animation = HS_ANIMATION_APNG;
  assert_int_equal(hs_output_config_check(&fixture.config, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "time.scheme"));
  fixture_make_transient(&fixture);
  assert_int_equal(hs_output_config_check(&fixture.config, &err), HS_OK);
  fixture.config.output.field = false;
  assert_int_equal(hs_output_write(&fixture.result, NULL, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "snapshots.h5"));
  fixture_take_all(&fixture, 0);
  assert_int_equal(unlink(test_folder_path("snapshots.xdmf")), -1);
  test_file_put(test_folder_path("snapshots.xdmf"), "old");
  assert_int_equal(hs_output_write(&fixture.result, NULL, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "holds no snapshot"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_animation_has_a_frame_for_each_snapshot),
      TEST(test_animation_as_single_pictures),
      TEST(test_animation_of_nothing_is_refused),
  };
  return cmocka_run_group_tests_name("animation", tests, NULL, NULL);
}
