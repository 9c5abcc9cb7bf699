/* From PNG files to an animated one.
 *
 * The format (PNG Specification, third edition, 2025, ch. 11.3.6) is an ordinary PNG file whose image is the first
 * frame, with a chunk acTL that counts the frames, a chunk fcTL before each, and the data of all but the first in
 * chunks fdAT: the content of IDAT behind a running number. Viewers that do not know these show the first frame.
 * The chunks of each frame's file are taken apart and put together anew.
 */
#include "io/apng.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#define SIGNATURE_SIZE 8

static void put_u32(unsigned char *to, uint32_t value)
{
  to[0] = (unsigned char)(value >> 24);
  to[1] = (unsigned char)(value >> 16);
  to[2] = (unsigned char)(value >> 8);
  to[3] = (unsigned char)value;
}

static uint32_t get_u32(const unsigned char *from)
{
  return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* A chunk: length, type, prefix and data, and the check over the last three. */
static hs_status write_chunk(struct hs_apng *apng, const char *type, const unsigned char *prefix, uint32_t prefix_size,
                             const unsigned char *data, uint32_t size, struct hs_error *err)
{
  unsigned char head[8], check[4];
  uLong crc = crc32(0, (const unsigned char *)type, 4);
  hs_status status;
  if (prefix_size) crc = crc32(crc, prefix, prefix_size);
  if (size) crc = crc32(crc, data, size);
  put_u32(head, prefix_size + size);
  memcpy(head + 4, type, 4);
  put_u32(check, (uint32_t)crc);
  status = hs_file_write(&apng->file, head, sizeof head, err);
  if (!status) status = hs_file_write(&apng->file, prefix, prefix_size, err);
  if (!status) status = hs_file_write(&apng->file, data, size, err);
  if (!status) status = hs_file_write(&apng->file, check, sizeof check, err);
  return status;
}

static hs_status write_animation_control(struct hs_apng *apng, struct hs_error *err)
{
  unsigned char data[8];
  put_u32(data, (uint32_t)apng->frames);
  put_u32(data + 4, 0); /* for ever */
  return write_chunk(apng, "acTL", NULL, 0, data, sizeof data, err);
}

/* The frame covers the whole picture and replaces what was there. */
static hs_status write_frame_control(struct hs_apng *apng, int delay_ms, struct hs_error *err)
{
  unsigned char data[26] = {0};
  put_u32(data, apng->sequence++);
  memcpy(data + 4, apng->size, sizeof apng->size);
  data[20] = (unsigned char)(delay_ms >> 8);
  data[21] = (unsigned char)delay_ms;
  data[22] = 1000 >> 8;
  data[23] = 1000 & 0xff;
  return write_chunk(apng, "fcTL", NULL, 0, data, sizeof data, err);
}

/* Image data: IDAT of the first frame, fdAT of the others. */
static hs_status write_image_data(struct hs_apng *apng, const unsigned char *data, uint32_t size, struct hs_error *err)
{
  unsigned char number[4];
  if (apng->count == 0) return write_chunk(apng, "IDAT", NULL, 0, data, size, err);
  put_u32(number, apng->sequence++);
  return write_chunk(apng, "fdAT", number, sizeof number, data, size, err);
}

/* The size of all frames is that of the first, whose file's beginning is taken over. */
static hs_status size_take(struct hs_apng *apng, const unsigned char *data, struct hs_error *err)
{
  const unsigned char *size = data + SIGNATURE_SIZE + 8;
  if (apng->count == 0) {
    memcpy(apng->size, size, sizeof apng->size);
    return hs_file_write(&apng->file, data, SIGNATURE_SIZE, err);
  }
  if (memcmp(apng->size, size, sizeof apng->size) == 0) return HS_OK;
  return hs_error_set(err, HS_ERR_INTERNAL, "the frames of %s have different sizes.", apng->file.path);
}

/* Of the first frame every chunk is kept, of the others the image data. */
hs_status hs_apng_add(struct hs_apng *apng, const struct hs_png_bytes *png, int delay_ms, struct hs_error *err)
{
  const bool first = apng->count == 0;
  bool begun = false;
  hs_status status = size_take(apng, png->data, err);
  for (size_t at = SIGNATURE_SIZE; !status && at + 12 <= png->size;) {
    const uint32_t size = get_u32(png->data + at);
    const unsigned char *type = png->data + at + 4, *data = type + 4;
    at += 12 + (size_t)size;
    if (memcmp(type, "IEND", 4) == 0) break;
    if (memcmp(type, "IDAT", 4) != 0) {
      if (first) status = write_chunk(apng, (const char *)type, NULL, 0, data, size, err);
      continue;
    }
    if (!begun && first) status = write_animation_control(apng, err);
    if (!status && !begun) status = write_frame_control(apng, delay_ms, err);
    if (!status) status = write_image_data(apng, data, size, err);
    begun = true;
  }
  apng->count++;
  return status;
}

hs_status hs_apng_create(struct hs_apng *apng, const char *path, int frames, struct hs_error *err)
{
  *apng = (struct hs_apng)HS_APNG_NONE;
  apng->frames = frames;
  return hs_file_create(&apng->file, path, err);
}

hs_status hs_apng_commit(struct hs_apng *apng, struct hs_error *err)
{
  const hs_status status = write_chunk(apng, "IEND", NULL, 0, NULL, 0, err);
  return status ? status : hs_file_commit(&apng->file, err);
}

void hs_apng_discard(struct hs_apng *apng)
{
  hs_file_discard(&apng->file);
}
