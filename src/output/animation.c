/* An animated PNG from the snapshots of a run.
 *
 * The format (PNG Specification, third edition, 2025, ch. 11.3.6) is an ordinary PNG file whose image is the first
 * frame, with a chunk acTL that counts the frames, a chunk fcTL before each, and the data of all but the first in
 * chunks fdAT: the content of IDAT behind a running number. Viewers that do not know these show the first frame.
 * libpng encodes each frame as a file in memory; here its chunks are taken apart and put together anew.
 *
 * All frames have one colour scale, the configured range or the extremes of all snapshots, and so one size.
 */
#include "output/animation.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "io/file.h"
#include "io/png_write.h"
#include "output/axes.h"
#include "output/canvas.h"
#include "output/output.h"
#include "output/picture.h"
#include "output/snapshots.h"

#define SIGNATURE_SIZE 8
#define SHORTEST_MS 50
#define LONGEST_MS 500
#define WHOLE_MS 10000 /* aimed at */
#define LAST_MS 1500   /* the end is looked at longer */

/* The file under construction. */
struct film {
  struct hs_file file;
  unsigned char size[8]; /* width and height of the frames, as in IHDR */
  uint32_t sequence;     /* running number of fcTL and fdAT */
  int frames;
};

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
static hs_status write_chunk(struct film *film, const char *type, const unsigned char *prefix, uint32_t prefix_size,
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
  status = hs_file_write(&film->file, head, sizeof head, err);
  if (!status) status = hs_file_write(&film->file, prefix, prefix_size, err);
  if (!status) status = hs_file_write(&film->file, data, size, err);
  if (!status) status = hs_file_write(&film->file, check, sizeof check, err);
  return status;
}

static hs_status write_animation_control(struct film *film, struct hs_error *err)
{
  unsigned char data[8];
  put_u32(data, (uint32_t)film->frames);
  put_u32(data + 4, 0); /* for ever */
  return write_chunk(film, "acTL", NULL, 0, data, sizeof data, err);
}

/* The frame covers the whole picture and replaces what was there. */
static hs_status write_frame_control(struct film *film, int frame, struct hs_error *err)
{
  const int share_ms = WHOLE_MS / film->frames;
  const int shown_ms = share_ms < SHORTEST_MS ? SHORTEST_MS : share_ms > LONGEST_MS ? LONGEST_MS : share_ms;
  const int delay_ms = frame == film->frames - 1 ? LAST_MS : shown_ms;
  unsigned char data[26] = {0};
  put_u32(data, film->sequence++);
  memcpy(data + 4, film->size, sizeof film->size);
  data[20] = (unsigned char)(delay_ms >> 8);
  data[21] = (unsigned char)delay_ms;
  data[22] = 1000 >> 8;
  data[23] = 1000 & 0xff;
  return write_chunk(film, "fcTL", NULL, 0, data, sizeof data, err);
}

/* Image data: IDAT of the first frame, fdAT of the others. */
static hs_status write_image_data(struct film *film, int frame, const unsigned char *data, uint32_t size,
                                  struct hs_error *err)
{
  unsigned char number[4];
  if (frame == 0) return write_chunk(film, "IDAT", NULL, 0, data, size, err);
  put_u32(number, film->sequence++);
  return write_chunk(film, "fdAT", number, sizeof number, data, size, err);
}

/* Takes the file of one frame apart. Everything of the first one is kept, of the others the image data. */
static hs_status write_frame(struct film *film, int frame, const struct hs_png_bytes *png, struct hs_error *err)
{
  hs_status status = HS_OK;
  size_t at = SIGNATURE_SIZE;
  bool begun = false;
  if (frame == 0) {
    memcpy(film->size, png->data + SIGNATURE_SIZE + 8, sizeof film->size);
    status = hs_file_write(&film->file, png->data, SIGNATURE_SIZE, err);
  } else if (memcmp(film->size, png->data + SIGNATURE_SIZE + 8, sizeof film->size) != 0) {
    return hs_error_set(err, HS_ERR_INTERNAL, "the frames of %s have different sizes.", film->file.path);
  }
  while (!status && at + 12 <= png->size) {
    const uint32_t size = get_u32(png->data + at);
    const unsigned char *type = png->data + at + 4, *data = type + 4;
    at += 12 + (size_t)size;
    if (memcmp(type, "IEND", 4) == 0) break;
    if (memcmp(type, "IDAT", 4) != 0) {
      if (frame == 0) status = write_chunk(film, (const char *)type, NULL, 0, data, size, err);
      continue;
    }
    if (!begun && frame == 0) status = write_animation_control(film, err);
    if (!status && !begun) status = write_frame_control(film, frame, err);
    if (!status) status = write_image_data(film, frame, data, size, err);
    begun = true;
  }
  return status;
}

/* Ends of the colour scale that the configuration leaves open become the extremes of all snapshots. */
static hs_status fix_range(const struct hs_snapshot_reader *reader, struct hs_picture *picture, struct hs_error *err)
{
  double low_k = INFINITY, high_k = -INFINITY;
  int k;
  for (k = 0; k < hs_snapshot_reader_count(reader); k++) {
    struct hs_snapshot_facts facts;
    const hs_status status = hs_snapshot_reader_get(reader, k, &facts, NULL, err);
    if (status) return status;
    if (facts.minimum_k < low_k) low_k = facts.minimum_k;
    if (facts.maximum_k > high_k) high_k = facts.maximum_k;
  }
  if (isnan(picture->range_min_k) && isfinite(low_k)) picture->range_min_k = low_k;
  if (isnan(picture->range_max_k) && isfinite(high_k)) picture->range_max_k = high_k;
  return HS_OK;
}

/* What both forms begin with: the snapshots, room for a field, and how to draw it. */
static hs_status start(const char *snapshots, const struct hs_config *config, struct hs_snapshot_reader **reader,
                       struct hs_picture *picture, double **field_k, struct hs_error *err)
{
  void *memory = NULL;
  hs_status status = hs_snapshot_reader_open(snapshots, config->grid.nx, config->grid.ny, reader, err);
  if (status) return status;
  if (hs_snapshot_reader_count(*reader) < 1)
    return hs_error_set(err, HS_ERR_IO, "there is nothing to animate: %s holds no snapshot.", snapshots);
  status =
      hs_array_create(&memory, (size_t)config->grid.nx * (size_t)config->grid.ny, sizeof **field_k, "a snapshot", err);
  *field_k = memory;
  *picture = hs_picture_of_config(config, *field_k);
  return status ? status : fix_range(*reader, picture, err);
}

/* Reads snapshot k into field_k; title[size] is the configured one and the time. */
static hs_status load(const struct hs_snapshot_reader *reader, int k, const struct hs_config *config, double *field_k,
                      char *title, size_t size, struct hs_error *err)
{
  struct hs_snapshot_facts facts;
  const hs_status status = hs_snapshot_reader_get(reader, k, &facts, field_k, err);
  const char *name = config->output.title ? config->output.title : "";
  if (!status) snprintf(title, size, "%.200s%st = %.6g s", name, name[0] ? ", " : "", facts.time_s);
  return status;
}

static hs_status add_frame(struct film *film, const struct hs_snapshot_reader *reader, int frame,
                           const struct hs_config *config, struct hs_picture *picture, double *field_k,
                           struct hs_error *err)
{
  struct hs_png_bytes png = {NULL, 0, 0};
  cairo_surface_t *surface = NULL;
  char title[256], plain[256];
  hs_status status = load(reader, frame, config, field_k, title, sizeof title, err);
  picture->title = title;
  if (!status) status = hs_picture_draw(picture, &surface, err);
  hs_text_to_ascii(config->output.title ? config->output.title : "", plain, sizeof plain);
  if (!status) status = hs_png_encode(surface, plain, &png, err);
  if (!status) status = write_frame(film, frame, &png, err);
  picture->title = NULL;
  hs_canvas_destroy(surface, NULL);
  free(png.data);
  return status;
}

hs_status hs_animation_write(const char *path, const char *snapshots, const struct hs_config *config,
                             struct hs_error *err)
{
  struct hs_snapshot_reader *reader = NULL;
  struct film film = {.file = HS_FILE_NONE};
  struct hs_picture picture;
  double *field_k = NULL;
  int frame;
  hs_status status = start(snapshots, config, &reader, &picture, &field_k, err);
  if (!status) status = hs_file_create(&film.file, path, err);
  film.frames = status ? 0 : hs_snapshot_reader_count(reader);
  for (frame = 0; !status && frame < film.frames; frame++)
    status = add_frame(&film, reader, frame, config, &picture, field_k, err);
  if (!status) status = write_chunk(&film, "IEND", NULL, 0, NULL, 0, err);
  if (!status) status = hs_file_commit(&film.file, err);
  hs_file_discard(&film.file);
  free(field_k);
  hs_snapshot_reader_close(reader);
  return status;
}

static hs_status write_single(const char *directory, int frame, const struct hs_picture *picture, struct hs_error *err)
{
  char name[32], *path;
  hs_status status = HS_ERR_MEMORY;
  snprintf(name, sizeof name, "frame-%06d.png", frame);
  path = hs_file_join(directory, name, err);
  if (path) status = hs_output_picture_write(path, picture, err);
  free(path);
  return status;
}

hs_status hs_animation_series_write(const char *directory, const char *snapshots, const struct hs_config *config,
                                    struct hs_error *err)
{
  struct hs_snapshot_reader *reader = NULL;
  struct hs_picture picture = {0};
  double *field_k = NULL;
  char title[256];
  int frame;
  hs_status status = start(snapshots, config, &reader, &picture, &field_k, err);
  picture.title = title;
  for (frame = 0; !status && frame < hs_snapshot_reader_count(reader); frame++) {
    status = load(reader, frame, config, field_k, title, sizeof title, err);
    if (!status) status = write_single(directory, frame, &picture, err);
  }
  free(field_k);
  hs_snapshot_reader_close(reader);
  return status;
}
