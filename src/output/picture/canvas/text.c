/* Characters that the font lacks are drawn as its box. Letters are set one after the other: no kerning, no ligatures, and no
 * writing from the right. */
#include "output/picture/canvas/text.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/shown.h"

#define MIDDLE 0.36   /* of the size: half of the height of digits and capitals */
#define SMALLEST 0.75 /* of the size asked for */
enum { TEXT_BYTES = 512 };

/* What is drawn for the character of `length` bytes at text. */
static const char *shown_as(const char *text, size_t length)
{
  const unsigned char *c = (const unsigned char *)text;
  if (length == 0) return "\xef\xbf\xbd";
  if (c[0] < 0x20 || c[0] == 0x7f || (c[0] == 0xc2 && c[1] < 0xa0)) return " ";
  return NULL;
}

const char *hs_text_clean(const char *text, char *clean, size_t size)
{
  size_t used = 0;
  while (*text) {
    const size_t length = hs_utf8_length(text, strnlen(text, 4));
    const char *other = shown_as(text, length);
    const size_t piece = other ? strlen(other) : length;
    if (used + piece >= size) break;
    memcpy(clean + used, other ? other : text, piece);
    used += piece;
    text += length ? length : 1;
  }
  clean[used] = '\0';
  return clean;
}

/* What a piece of a number or unit is set as. */
struct setting {
  const char *written, *set;
};

static bool is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The unit that stands at text, alone, or NULL. Squares and cubes stand behind a stroke or a bracket, so that a name such as
 * m2 stays. */
static const struct setting *unit_at(const char *begin, const char *text)
{
  static const struct setting units[] = {{"degC", "°C"}, {"degF", "°F"}, {"m2", "m²"}, {"m3", "m³"}};
  for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
    const size_t length = strlen(units[k].written);
    const bool stands =
        units[k].written[0] == 'm' ? text > begin && strchr("/(", text[-1]) : text == begin || !is_word(text[-1]);
    if (stands && !strncmp(text, units[k].written, length) && !is_word(text[length])) return &units[k];
  }
  return NULL;
}

static void append(char *set, size_t size, size_t *used, const char *piece)
{
  const size_t length = strlen(piece);
  if (*used + length >= size) return;
  memcpy(set + *used, piece, length + 1);
  *used += length;
}

/* "1e-05" at text becomes "10⁻⁵", "2.5e6" becomes "2.5·10⁶"; returns the bytes taken, from the 'e' on. */
static size_t exponent_set(const char *text, bool alone, char *set, size_t size, size_t *used)
{
  static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  size_t taken = 1;
  append(set, size, used, alone ? "0" : "·10");
  if (text[taken] == '-') append(set, size, used, "⁻");
  if (text[taken] == '-' || text[taken] == '+') taken++;
  while (text[taken] == '0' && isdigit((unsigned char)text[taken + 1])) taken++;
  for (; isdigit((unsigned char)text[taken]); taken++) append(set, size, used, raised[text[taken] - '0']);
  return taken;
}

static bool is_exponent(const char *begin, const char *text)
{
  const size_t sign = text[1] == '-' || text[1] == '+';
  return text > begin && *text == 'e' && isdigit((unsigned char)text[-1]) && isdigit((unsigned char)text[1 + sign]);
}

const char *hs_text_typeset(const char *text, char *set, size_t size)
{
  const char *begin = text;
  size_t used = 0;
  set[0] = '\0';
  while (*text) {
    const struct setting *unit = unit_at(begin, text);
    const bool starts = text == begin || text[-1] == ' ' || text[-1] == '(';
    char one[2] = {*text, '\0'};
    if (unit) {
      append(set, size, &used, unit->set);
      text += strlen(unit->written);
    } else if (is_exponent(begin, text)) {
      const bool alone =
          text[-1] == '1' && (text - begin == 1 || !(isdigit((unsigned char)text[-2]) || text[-2] == '.'));
      text += exponent_set(text, alone, set, size, &used);
    } else {
      append(set, size, &used, *text == '-' && starts && (isdigit((unsigned char)text[1])) ? "−" : one);
      text++;
    }
  }
  return set;
}

double hs_text_width(cairo_t *cr, double size, const char *text)
{
  cairo_text_extents_t extents;
  char clean[TEXT_BYTES];
  cairo_set_font_size(cr, size);
  cairo_text_extents(cr, hs_text_clean(text, clean, sizeof clean), &extents);
  return extents.x_advance;
}

/* Takes the last character of text away, and what "…" needs, and ends it with that. */
static void shorten(char *text, size_t length)
{
  while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
  memcpy(text + length, "…", sizeof "…");
}

void hs_draw_text(cairo_t *cr, double x, double y, double size, enum hs_align align, double room, double angle_rad,
                  const char *text)
{
  char shown[TEXT_BYTES];
  double width;
  size_t length;
  hs_text_clean(text, shown, sizeof shown - 4);
  width = hs_text_width(cr, size, shown);
  if (width > room) {
    size = fmax(SMALLEST * size, 0.999 * size * room / width);
    width = hs_text_width(cr, size, shown);
  }
  for (length = strlen(shown); width > room && length > 1; width = hs_text_width(cr, size, shown)) {
    shorten(shown, --length);
  }
  cairo_save(cr);
  cairo_set_font_size(cr, size);
  cairo_translate(cr, x, y);
  cairo_rotate(cr, -angle_rad);
  cairo_move_to(cr, align == HS_ALIGN_LOW ? 0.0 : align == HS_ALIGN_MIDDLE ? -0.5 * width : -width, MIDDLE * size);
  cairo_show_text(cr, shown);
  cairo_restore(cr);
}
