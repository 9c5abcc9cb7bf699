/* Pixels through libpng.
 *
 * Rows are handed on one by one, so only interlaced pictures are held in memory. libpng reports failures by longjmp. So
 * decode() is a function of its own that changes variables which are read after a jump only through pointers.
 */
#include "io/png_read.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/memory.h"

struct reader {
  const char *path, *where;
  const struct hs_png_taker *taker;
  unsigned char *rows; /* [stored] of 3 * width bytes, owned */
  int width, height, stored, passes;
  struct hs_error *err;
  hs_status status;
};

static hs_status fail(struct reader *reader, const char *reason)
{
  return hs_error_set(reader->err, HS_ERR_IO, "%s: cannot read %s: %s", reader->where, reader->path, reason);
}

static void on_error(png_structp png, png_const_charp message)
{
  struct reader *reader = png_get_error_ptr(png);
  if (!reader->status) {
    reader->status = fail(reader, "libpng reports");
    hs_error_append(reader->err, "\"%s\"; is the file complete?", message);
  }
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
  (void)png;
  (void)message;
}

/* Sizes, and the conversion to rows of three bytes a pixel. Memory for rows is taken once the size is accepted: who takes the
 * pixels says what is too large, in a better sentence than the library's. */
static void header_read(png_structp png, png_infop info, struct reader *reader)
{
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_read_info(png, info);
  reader->width = (int)png_get_image_width(png, info);
  reader->height = (int)png_get_image_height(png, info);
  reader->status = reader->taker->size(reader->taker->context, reader->width, reader->height, reader->err);
  if (reader->status) return;
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
  reader->passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  reader->stored = reader->passes > 1 ? reader->height : 1;
  reader->status = hs_array_create((void **)&reader->rows, 3 * (size_t)reader->width, (size_t)reader->stored,
                                   "the rows of a picture", reader->err);
}

static void decode(png_structp png, png_infop info, struct reader *reader)
{
  const struct hs_png_taker *taker = reader->taker;
  if (setjmp(png_jmpbuf(png))) return;
  header_read(png, info, reader);
  for (int pass = 0; !reader->status && pass < reader->passes; pass++)
    for (int y = 0; !reader->status && y < reader->height; y++) {
      unsigned char *row = reader->rows + (size_t)(reader->stored > 1 ? y : 0) * 3 * (size_t)reader->width;
      png_read_row(png, row, NULL);
      if (pass == reader->passes - 1) reader->status = taker->row(taker->context, y, row, reader->err);
    }
  if (!reader->status) png_read_end(png, NULL);
}

static hs_status file_read(struct reader *reader, FILE *file)
{
  unsigned char signature[8];
  png_infop info = NULL;
  png_structp png;
  if (fread(signature, 1, sizeof signature, file) != sizeof signature || png_sig_cmp(signature, 0, sizeof signature))
    return fail(reader, "it is not a PNG file");
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, on_error, on_warning);
  if (png) info = png_create_info_struct(png);
  if (info) {
    png_init_io(png, file);
    png_set_sig_bytes(png, sizeof signature);
    decode(png, info, reader);
  } else {
    reader->status = hs_error_set(reader->err, HS_ERR_MEMORY, "no memory to read %s", reader->path);
  }
  if (png) png_destroy_read_struct(&png, info ? &info : NULL, NULL);
  return reader->status;
}

hs_status hs_png_read(const char *path, const char *where, const struct hs_png_taker *taker, struct hs_error *err)
{
  struct reader reader = {.path = path, .where = where, .taker = taker, .err = err};
  char reason[HS_INPUT_REASON];
  FILE *file = hs_input_stream(path, reason);
  hs_status status;
  if (!file) return fail(&reader, reason);
  status = file_read(&reader, file);
  fclose(file);
  free(reader.rows);
  return status;
}
