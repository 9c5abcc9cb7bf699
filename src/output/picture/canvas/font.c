/* DejaVu Sans, read from the program's own constants (the rule for font_data.c in src/local.mk), so that pictures look the
 * same wherever the program runs: neither fontconfig nor the machine's fonts are asked. Every font has a FreeType library of
 * its own, so that threads need not wait for each other; cairo may keep it in its cache for a while.
 */
#include "output/picture/canvas/font.h"

#include <cairo-ft.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"

extern const unsigned char hs_font_data[];
extern const size_t hs_font_data_size;

struct owned {
  FT_Library library;
  FT_Face face;
};

static void give_back(void *data)
{
  struct owned *owned = data;
  if (owned->face) FT_Done_Face(owned->face);
  if (owned->library) FT_Done_FreeType(owned->library);
  free(owned);
}

/* NULL where there is no memory, or FreeType refuses the font: *failure says why. */
static struct owned *owned_create(FT_Error *failure)
{
  struct owned *owned = calloc(1, sizeof *owned);
  *failure = FT_Err_Out_Of_Memory;
  if (!owned || FT_Init_FreeType(&owned->library)) goto failed;
  *failure = FT_New_Memory_Face(owned->library, hs_font_data, (FT_Long)hs_font_data_size, 0, &owned->face);
  if (!*failure) return owned;
failed:
  if (owned) give_back(owned);
  return NULL;
}

hs_status hs_font_create(cairo_font_face_t **font, struct hs_error *err)
{
  static const cairo_user_data_key_t key;
  FT_Error failure;
  struct owned *owned = owned_create(&failure);
  *font = NULL;
  if (!owned) goto failed;
  *font = cairo_ft_font_face_create_for_ft_face(owned->face, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP);
  if (cairo_font_face_status(*font) || cairo_font_face_set_user_data(*font, &key, owned, give_back)) goto failed;
  return HS_OK;
failed:
  if (*font) cairo_font_face_destroy(*font);
  *font = NULL;
  if (owned) give_back(owned);
  if (failure && failure != FT_Err_Out_Of_Memory)
    return hs_error_set(err, HS_ERR_INTERNAL,
                        "the font that the program was built with is none that FreeType reads (its error %d); build it "
                        "again without --with-font, or with another file.",
                        (int)failure);
  return hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the font of a picture.");
}

/* --- gaps ---------------------------------------------------------------------------------------- */

/* The character of `length` bytes at text. */
static unsigned long code_of(const char *text, size_t length)
{
  const unsigned char *c = (const unsigned char *)text;
  unsigned long code = length == 1 ? c[0] : c[0] & (0xffu >> (length + 1));
  for (size_t k = 1; k < length; k++) code = code << 6 | (c[k] & 0x3fu);
  return code;
}

/* Hebrew, Arabic, Syriac and others. Source: DerivedBidiClass.txt of Unicode 15, classes R and AL by their blocks. */
static bool is_from_right(unsigned long code)
{
  return (code >= 0x590 && code <= 0x8ff) || (code >= 0xfb1d && code <= 0xfdff) || (code >= 0xfe70 && code <= 0xfeff) ||
         (code >= 0x10800 && code <= 0x10fff) || (code >= 0x1e800 && code <= 0x1efff);
}

static bool has_gap(FT_Face face, const char *text, char character[5])
{
  for (size_t length; *text; text += length) {
    length = hs_utf8_length(text, strnlen(text, 4));
    if (length == 0) length = 1; /* what is no character is drawn as one that stands for it */
    if ((unsigned char)*text < 0x80 || length == 1) continue;
    character[0] = '\0';
    if (is_from_right(code_of(text, length))) return true;
    if (FT_Get_Char_Index(face, code_of(text, length)) != 0) continue;
    memcpy(character, text, length);
    character[length] = '\0';
    return true;
  }
  return false;
}

static bool is_plain(const char *text)
{
  while (*text && (unsigned char)*text < 0x80) text++;
  return !*text;
}

bool hs_font_find_gap(const char *const *texts, int count, struct hs_font_gap *gap)
{
  FT_Error failure;
  struct owned *owned = NULL;
  bool found = false;
  for (gap->text = 0; gap->text < count; gap->text++) {
    if (is_plain(texts[gap->text])) continue;
    if (!owned) owned = owned_create(&failure);
    found = owned && has_gap(owned->face, texts[gap->text], gap->character);
    if (found || !owned) break;
  }
  if (owned) give_back(owned);
  return found;
}
