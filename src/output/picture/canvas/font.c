/* DejaVu Sans, read from the program's own constants (the rule for font_data.c in src/local.mk), so that pictures look the
 * same wherever the program runs: neither fontconfig nor the machine's fonts are asked. Every font has a FreeType library of
 * its own, so that threads need not wait for each other; cairo may keep it in its cache for a while.
 */
#include "output/picture/canvas/font.h"

#include <cairo-ft.h>
#include <stdlib.h>

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

hs_status hs_font_create(cairo_font_face_t **font, struct hs_error *err)
{
  static const cairo_user_data_key_t key;
  struct owned *owned = calloc(1, sizeof *owned);
  FT_Error failure = FT_Err_Out_Of_Memory;
  *font = NULL;
  if (!owned) goto failed;
  if (FT_Init_FreeType(&owned->library)) goto failed;
  failure = FT_New_Memory_Face(owned->library, hs_font_data, (FT_Long)hs_font_data_size, 0, &owned->face);
  if (failure) goto failed;
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
