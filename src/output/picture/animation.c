/* Animated PNG files and series of pictures from the snapshots of a run.
 *
 * All frames have one colour scale, the configured range or the extremes of all snapshots, and so one size.
 */
#include "output/picture/animation.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "io/apng.h"
#include "io/png_write.h"
#include "output/field/snapshots.h"
#include "output/output.h"
#include "output/picture/picture.h"

#define SHORTEST_MS 50
#define LONGEST_MS 500
#define WHOLE_MS 10000  /* aimed at */
#define LAST_MS 1500    /* the end is looked at longer */
#define PLAIN_NODES 720 /* up to so many a side, a pixel for each unit of a frame: files stay small */

/* How long a frame is shown. */
static int delay_ms(int frame, int frames)
{
  const int share_ms = WHOLE_MS / frames;
  if (frame == frames - 1) return LAST_MS;
  return share_ms < SHORTEST_MS ? SHORTEST_MS : share_ms > LONGEST_MS ? LONGEST_MS : share_ms;
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
  hs_status status = hs_snapshot_reader_open(snapshots, config->grid.nx, config->grid.ny, reader, err);
  if (status) return status;
  if (hs_snapshot_reader_count(*reader) < 1)
    return hs_error_set(err, HS_ERR_IO, "there is nothing to animate: %s holds no snapshot.", snapshots);
  status = hs_array_create((void **)field_k, (size_t)config->grid.nx * (size_t)config->grid.ny, sizeof **field_k,
                           "a snapshot", err);
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
  if (!status) snprintf(title, size, "%s%st = %.6g s", name, name[0] ? ", " : "", facts.time_s);
  return status;
}

static hs_status add_frame(struct hs_apng *apng, const struct hs_snapshot_reader *reader, int frame,
                           const struct hs_config *config, struct hs_picture *picture, double *field_k,
                           struct hs_error *err)
{
  struct hs_png_bytes png = {NULL, 0, 0};
  struct hs_canvas canvas = HS_CANVAS_NONE;
  cairo_surface_t *surface = NULL;
  char title[320];
  hs_status status = load(reader, frame, config, field_k, title, sizeof title, err);
  picture->title = title;
  canvas.scale = picture->nx > PLAIN_NODES || picture->ny > PLAIN_NODES ? 2 : 1;
  if (!status) status = hs_picture_draw(picture, &canvas, err);
  if (!status) status = hs_canvas_pixels(&canvas, &surface, err);
  if (!status) status = hs_png_encode(surface, config->output.title ? config->output.title : "", &png, err);
  if (!status) status = hs_apng_add(apng, &png, delay_ms(frame, hs_snapshot_reader_count(reader)), err);
  picture->title = NULL;
  if (surface) cairo_surface_destroy(surface);
  hs_canvas_destroy(&canvas);
  free(png.data);
  return status;
}

hs_status hs_animation_write(const char *path, const char *snapshots, const struct hs_config *config,
                             struct hs_error *err)
{
  struct hs_snapshot_reader *reader = NULL;
  struct hs_apng apng = HS_APNG_NONE;
  struct hs_picture picture;
  double *field_k = NULL;
  int frames = 0;
  hs_status status = start(snapshots, config, &reader, &picture, &field_k, err);
  if (!status) frames = hs_snapshot_reader_count(reader);
  if (!status) status = hs_apng_create(&apng, path, frames, err);
  for (int frame = 0; !status && frame < frames; frame++)
    status = add_frame(&apng, reader, frame, config, &picture, field_k, err);
  if (!status) status = hs_apng_commit(&apng, err);
  hs_apng_discard(&apng);
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
  char title[320];
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
