/* Text in pictures: what is set, and how wide it is. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/picture/canvas/axes.h"
#include "output/picture/canvas/canvas.h"
#include "output/picture/canvas/text.h"

static void canvas_open(struct hs_canvas *canvas)
{
  struct hs_error err = {0};
  *canvas = (struct hs_canvas)HS_CANVAS_NONE;
  test_ok(hs_canvas_create(canvas, &err), &err);
}

static void units_and_numbers_are_set_as_in_print(void **state)
{
  static const char *const cases[][2] = {{"temperature -5 degC", "temperature −5 °C"},
                                         {"h 7.69 W/(m2 K), ambient 20 degC", "h 7.69 W/(m² K), ambient 20 °C"},
                                         {"flux -100 W/m2", "flux −100 W/m²"},
                                         {"1e-05", "10⁻⁵"},
                                         {"-1e+308", "−10³⁰⁸"},
                                         {"2.5e6 K", "2.5·10⁶ K"},
                                         {"11e3", "11·10³"},
                                         {"Temperature (1e6 K)", "Temperature (10⁶ K)"},
                                         {"20-5*y", "20-5*y"},
                                         {"sin(pi*m2_x)", "sin(pi*m2_x)"},
                                         {"degCelsius of item2e", "degCelsius of item2e"},
                                         {"m2, 4 W/(m K)", "m2, 4 W/(m K)"},
                                         {"°C m² λ", "°C m² λ"},
                                         {"", ""}};
  char set[64];
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    assert_string_equal(hs_text_typeset(cases[k][0], set, sizeof set), cases[k][1]);
  for (size_t size = 1; size < 16; size++) assert_true(strlen(hs_text_typeset("-1e-30 m2", set, size)) < size);
}

static void what_is_no_text_is_replaced(void **state)
{
  char clean[32];
  (void)state;
  assert_string_equal(hs_text_clean("Wärme λ\n\t\x7f", clean, sizeof clean), "Wärme λ   ");
  assert_string_equal(hs_text_clean("a\xff\xc3(", clean, sizeof clean), "a\xef\xbf\xbd\xef\xbf\xbd(");
  assert_string_equal(hs_text_clean("\xc2\x85", clean, sizeof clean), " ");
  assert_string_equal(hs_text_clean("ab°", clean, 4), "ab");
  assert_string_equal(hs_text_clean("ab°", clean, 5), "ab°");
}

/* Advances of DejaVu Sans 2.37, in 2048ths of the size. */
static void widths_are_those_of_the_font(void **state)
{
  static const struct {
    const char *text;
    int units;
  } cases[] = {{"", 0},
               {"0", 1303},
               {"m", 1995},
               {"ü", 1298},
               {"°", 1024},
               {"²", 821},
               {"−", 1716},
               {"λ", 1212},
               {"×", 1716},
               {"00", 2606},
               {"Ж", 2207},
               {"⁻", 1082},
               {"\xf0\x9f\xaa\xb5", 1229}};
  struct hs_canvas canvas;
  (void)state;
  canvas_open(&canvas);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    test_near(cases[k].text, hs_text_width(canvas.cr, 20.0, cases[k].text), 20.0 * cases[k].units / 2048.0, 1e-2);
  hs_canvas_destroy(&canvas);
}

/* Ink of what was drawn: columns from the first to the last that is not white, 0 for none. */
static int ink_width(struct hs_canvas *canvas)
{
  cairo_surface_t *surface = NULL;
  struct hs_error err = {0};
  const unsigned char *data;
  int first = -1, last = -2;
  canvas->width = 300.0;
  canvas->height = 40.0;
  test_ok(hs_canvas_check(canvas, &err), &err);
  test_ok(hs_canvas_pixels(canvas, &surface, &err), &err);
  data = cairo_image_surface_get_data(surface);
  for (int x = 0; x < cairo_image_surface_get_width(surface); x++)
    for (int y = 0; y < cairo_image_surface_get_height(surface); y++)
      if (data[y * cairo_image_surface_get_stride(surface) + 4 * x] < 200) {
        if (first < 0) first = x;
        last = x;
      }
  cairo_surface_destroy(surface);
  return last - first + 1;
}

static void text_stays_within_its_room(void **state)
{
  static const char *const texts[] = {"narrow", "a text that is much too long for the room that it has",
                                      "ÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜÄÖÜ", "\xf0\x9f\xaa\xb5\xff\xf0\x9f\xaa\xb5"};
  (void)state;
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
    for (int room = 20; room <= 200; room += 60) {
      struct hs_canvas canvas;
      int width;
      canvas_open(&canvas);
      hs_draw_text(canvas.cr, 5.0, 20.0, 16.0, HS_ALIGN_LOW, room, 0.0, texts[k]);
      width = ink_width(&canvas);
      assert_in_range(width, 2, 2 * room + 2);
      hs_canvas_destroy(&canvas);
    }
}

static void ticks_are_round_and_enough(void **state)
{
  static const double ranges[][2] = {{0.0, 1.0},     {-9.3, 18.2}, {293.15, 293.19}, {-1e-9, 4e-9},
                                     {1e22, 3.1e22}, {-40, -39.5}, {0.0, 4.99},      {1.0, 1.0 + 1e-9}};
  struct hs_axis axis;
  (void)state;
  for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
    for (int fewest = 1; fewest <= 10; fewest++) {
      hs_axis_linear(&axis, ranges[r][0], ranges[r][1], fewest);
      assert_in_range(axis.count, fewest, (5 * fewest) / 2 + 1);
      for (int k = 1; k < axis.count; k++) {
        assert_true(axis.position[k] > axis.position[k - 1]);
        assert_string_not_equal(axis.label[k], axis.label[k - 1]);
      }
    }
  hs_axis_linear(&axis, -9.3, 18.2, 5);
  assert_string_equal(axis.label[0], "−5");
  assert_string_equal(axis.label[axis.count - 1], "15");
  assert_int_equal(axis.count, 5);
  hs_axis_linear(&axis, 0.0, 0.6, 5);
  assert_string_equal(axis.label[1], "0.1");
}

static void a_length_ends_with_its_own_tick(void **state)
{
  struct hs_axis axis;
  (void)state;
  hs_axis_length(&axis, 0.475, 3, 0.1);
  assert_string_equal(axis.label[0], "0.0");
  assert_string_equal(axis.label[axis.count - 1], "0.475");
  assert_string_equal(axis.label[axis.count - 2], "0.4");
  hs_axis_length(&axis, 0.41, 3, 0.1);
  assert_string_equal(axis.label[axis.count - 1], "0.41");
  assert_string_equal(axis.label[axis.count - 2], "0.3");
  hs_axis_length(&axis, 0.4, 3, 0.1);
  assert_string_equal(axis.label[axis.count - 1], "0.4");
}

/* A library's caller may draw thousands of pictures. */
static void no_format_keeps_the_record(void **state)
{
  static const enum hs_picture_format formats[] = {HS_PNG, HS_SVG, HS_PDF};
  (void)state;
  for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
    struct hs_png_bytes bytes = {NULL, 0, 0};
    struct hs_error err = {0};
    struct hs_canvas canvas;
    unsigned references;
    canvas_open(&canvas);
    canvas.width = canvas.height = 50.0;
    cairo_rectangle(canvas.cr, 10.0, 10.0, 20.0, 20.0);
    cairo_fill(canvas.cr);
    references = cairo_surface_get_reference_count(canvas.record);
    test_ok(hs_canvas_encode(&canvas, formats[k], &bytes, &err), &err);
    assert_int_equal(cairo_surface_get_reference_count(canvas.record), references);
    assert_true(bytes.size > 0);
    free(bytes.data);
    hs_canvas_destroy(&canvas);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_and_numbers_are_set_as_in_print),
      cmocka_unit_test(what_is_no_text_is_replaced),
      cmocka_unit_test(widths_are_those_of_the_font),
      cmocka_unit_test(text_stays_within_its_room),
      cmocka_unit_test(ticks_are_round_and_enough),
      cmocka_unit_test(a_length_ends_with_its_own_tick),
      cmocka_unit_test(no_format_keeps_the_record),
  };
  return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
