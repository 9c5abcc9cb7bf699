/* Animated PNG files and series of pictures from the snapshots of a run. Each rank reads its own part of a snapshot; rank 0 draws
 * and writes.
 *
 * All frames have one colour scale, the configured range or the extremes of all snapshots, and so one size.
 */
#include "output/picture/temperature/animation.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "io/apng.h"
#include "io/png_write.h"
#include "output/field/snapshots.h"
#include "output/output.h"
#include "output/picture/temperature/picture.h"
#include "output/share.h"

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
  if (high_k - low_k <= picture->resolution_k) return HS_OK; /* each is drawn as constant */
  if (isnan(picture->range_min_k) && isfinite(low_k)) picture->range_min_k = low_k;
  if (isnan(picture->range_max_k) && isfinite(high_k)) picture->range_max_k = high_k;
  return HS_OK;
}

/* Both forms need the same. */
struct film {
  struct hs_snapshot_reader *reader;
  struct hs_comm *comm;
  bool writes;
  struct hs_picture picture; /* of the snapshot loaded last */
  double *field_k;           /* [ny*nx] of this rank's window, owned */
  char time[64];
  int frames;
};

static hs_status film_begin(struct film *film, const char *snapshots, const struct hs_config *config,
                            struct hs_error *err)
{
  const struct hs_problem *problem = film->picture.problem;
  const int nx = problem ? problem->nx : config->grid.nx, ny = problem ? problem->ny : config->grid.ny;
  hs_status status = hs_snapshot_reader_open(snapshots, config->grid.nx, config->grid.ny, &film->reader, err);
  if (status) return status;
  film->frames = hs_snapshot_reader_count(film->reader);
  if (film->frames < 1)
    return hs_error_set(err, HS_ERR_IO, "there is nothing to animate: %s holds no snapshot.", snapshots);
  status = hs_array_create((void **)&film->field_k, (size_t)nx * (size_t)ny, sizeof *film->field_k, "a snapshot", err);
  film->picture.field_k = film->field_k;
  return status ? status : fix_range(film->reader, &film->picture, err);
}

static hs_status film_open(struct film *film, const char *snapshots, const struct hs_config *config,
                           const struct hs_problem *problem, double resolution_k, struct hs_error *err)
{
  const struct hs_share share =
      problem ? hs_share_of(problem) : hs_share_whole(config->grid.nx, config->grid.ny, false);
  film->comm = share.comm;
  film->writes = hs_share_writes(&share);
  film->picture = hs_picture_of_config(config, NULL);
  film->picture.problem = problem;
  film->picture.resolution_k = resolution_k;
  film->picture.note = film->time;
  return hs_comm_agree(film->comm, film_begin(film, snapshots, config, err), err);
}

static void film_close(struct film *film)
{
  free(film->field_k);
  hs_snapshot_reader_close(film->reader);
}

static hs_status film_load(struct film *film, int frame, struct hs_error *err)
{
  struct hs_snapshot_facts facts;
  const struct hs_problem *problem = film->picture.problem;
  hs_status status = hs_snapshot_reader_get(film->reader, frame, &facts, problem ? NULL : film->field_k, err);
  if (!status && problem) status = hs_snapshot_reader_window(film->reader, frame, problem, film->field_k, err);
  if (!status) hs_picture_time(facts.time_s, film->time, sizeof film->time);
  return hs_comm_agree(film->comm, status, err);
}

/* A drawn frame becomes part of the file. */
static hs_status append(struct hs_apng *apng, const struct film *film, const struct hs_canvas *canvas, int frame,
                        struct hs_error *err)
{
  struct hs_png_bytes png = {NULL, 0, 0};
  cairo_surface_t *surface = NULL;
  hs_status status = hs_canvas_pixels(canvas, &surface, err);
  if (!status) status = hs_png_encode(surface, film->picture.title ? film->picture.title : "", &png, err);
  if (!status) status = hs_apng_add(apng, &png, delay_ms(frame, film->frames), err);
  if (surface) cairo_surface_destroy(surface);
  free(png.data);
  return status;
}

static hs_status add_frame(struct hs_apng *apng, struct film *film, int frame, struct hs_error *err)
{
  struct hs_canvas canvas = HS_CANVAS_NONE;
  hs_status status = film_load(film, frame, err);
  if (film->picture.nx <= PLAIN_NODES && film->picture.ny <= PLAIN_NODES) canvas.scale = 1;
  if (!status) status = hs_picture_draw(&film->picture, &canvas, err);
  if (!status && film->writes) status = append(apng, film, &canvas, frame, err);
  hs_canvas_destroy(&canvas);
  return hs_comm_agree(film->comm, status, err);
}

hs_status hs_animation_write(const char *path, const char *snapshots, const struct hs_config *config,
                             const struct hs_problem *problem, double resolution_k, struct hs_error *err)
{
  struct film film = {0};
  struct hs_apng apng = HS_APNG_NONE;
  hs_status status = film_open(&film, snapshots, config, problem, resolution_k, err);
  if (!status && film.writes) status = hs_apng_create(&apng, path, film.frames, err);
  status = hs_comm_agree(film.comm, status, err);
  for (int frame = 0; !status && frame < film.frames; frame++) status = add_frame(&apng, &film, frame, err);
  if (!status && film.writes) status = hs_apng_commit(&apng, err);
  hs_apng_discard(&apng);
  film_close(&film);
  return hs_comm_agree(film.comm, status, err);
}

static hs_status write_single(const struct film *film, const char *directory, int frame, struct hs_error *err)
{
  char name[32], *path;
  hs_status status;
  snprintf(name, sizeof name, "frame-%06d.png", frame);
  path = hs_file_join(directory, name, err);
  status = hs_comm_agree(film->comm, path ? HS_OK : HS_ERR_MEMORY, err);
  if (!status) status = hs_output_picture_write(path, &film->picture, err);
  free(path);
  return status;
}

hs_status hs_animation_series_write(const char *directory, const char *snapshots, const struct hs_config *config,
                                    const struct hs_problem *problem, double resolution_k, struct hs_error *err)
{
  struct film film = {0};
  hs_status status = film_open(&film, snapshots, config, problem, resolution_k, err);
  for (int frame = 0; !status && frame < film.frames; frame++) {
    status = film_load(&film, frame, err);
    if (!status) status = write_single(&film, directory, frame, err);
  }
  film_close(&film);
  return status;
}
