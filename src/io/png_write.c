/* From cairo's pixels to a PNG file through libpng.
 *
 * libpng reports failures by longjmp. So encode() is a function of its own that changes no variable after setjmp which is
 * read after a jump, and the callback for bytes keeps the first error sentence. The bytes, a megabyte or so, are gathered
 * in memory, since an animation takes files apart.
 */
#include <png.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/version.h"
#include "io/png_write.h"

struct sink {
  struct hs_png_bytes *bytes;
  struct hs_error *err;
  hs_status status;
};

/* Makes room for `size` more bytes. */
static hs_status reserve(struct hs_png_bytes *bytes, size_t size, struct hs_error *err)
{
  const size_t room = 2 * bytes->room > bytes->size + size ? 2 * bytes->room : bytes->size + size;
  unsigned char *grown;
  if (bytes->size + size <= bytes->room) return HS_OK;
  grown = realloc(bytes->data, room);
  if (!grown) return hs_error_set(err, HS_ERR_MEMORY, "not enough memory for a picture of %zu bytes.", room);
  bytes->data = grown;
  bytes->room = room;
  return HS_OK;
}

hs_status hs_png_bytes_add(struct hs_png_bytes *bytes, const unsigned char *data, size_t size, struct hs_error *err)
{
  const hs_status status = reserve(bytes, size, err);
  if (status) return status;
  memcpy(bytes->data + bytes->size, data, size);
  bytes->size += size;
  return HS_OK;
}

static void write_bytes(png_structp png, png_bytep data, size_t size)
{
  struct sink *sink = png_get_io_ptr(png);
  sink->status = hs_png_bytes_add(sink->bytes, data, size, sink->err);
  if (sink->status) png_error(png, "out of memory");
}

static void flush_bytes(png_structp png)
{
  (void)png;
}

static void on_error(png_structp png, png_const_charp message)
{
  struct sink *sink = png_get_error_ptr(png);
  if (!sink->status)
    sink->status = hs_error_set(sink->err, HS_ERR_INTERNAL, "libpng cannot encode a picture: \"%s\".", message);
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
  (void)png;
  (void)message;
}

static void put_header(png_structp png, png_infop info, int width, int height, const char *title)
{
  png_text texts[2] = {{.compression = PNG_TEXT_COMPRESSION_NONE, .key = (char *)"Software"},
                       {.compression = PNG_ITXT_COMPRESSION_NONE, .key = (char *)"Title"}};
  texts[0].text = (char *)hs_version_program();
  texts[1].text = (char *)title;
  png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP); /* half the time of trying all, and no larger */
  png_set_compression_level(png, 1);                        /* a half to a third of the time of the usual 6 */
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  png_set_text(png, info, texts, title[0] ? 2 : 1);
  png_write_info(png, info);
}

/* row[3*width] is scratch; the pixels are cairo's 0x00RRGGBB. */
static void encode(png_structp png, png_infop info, cairo_surface_t *surface, const char *title, unsigned char *row)
{
  const int width = cairo_image_surface_get_width(surface), height = cairo_image_surface_get_height(surface);
  const unsigned char *pixels = cairo_image_surface_get_data(surface);
  int x, y;
  if (setjmp(png_jmpbuf(png))) return;
  put_header(png, info, width, height, title);
  for (y = 0; y < height; y++) {
    const uint32_t *source =
        (const uint32_t *)(const void *)(pixels + (size_t)y * (size_t)cairo_image_surface_get_stride(surface));
    for (x = 0; x < width; x++) {
      row[3 * x] = (unsigned char)(source[x] >> 16);
      row[3 * x + 1] = (unsigned char)(source[x] >> 8);
      row[3 * x + 2] = (unsigned char)source[x];
    }
    png_write_row(png, row);
  }
  png_write_end(png, info);
}

hs_status hs_png_encode(cairo_surface_t *surface, const char *title, struct hs_png_bytes *bytes, struct hs_error *err)
{
  struct sink sink = {bytes, err, HS_OK};
  png_infop info = NULL;
  unsigned char *row = malloc(3 * (size_t)cairo_image_surface_get_width(surface));
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, on_error, on_warning);
  if (png) info = png_create_info_struct(png);
  if (!row || !info) {
    sink.status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory to encode a picture.");
    goto out;
  }
  cairo_surface_flush(surface);
  png_set_write_fn(png, &sink, write_bytes, flush_bytes);
  encode(png, info, surface, title, row);
out:
  if (png) png_destroy_write_struct(&png, info ? &info : NULL);
  free(row);
  return sink.status;
}
