/* Output: what a run leaves behind. Nothing here changes a result.
 *
 * Every file is written under a temporary name in its final folder, flushed to the disk and then
 * renamed, so a crash or a full disk never leaves a half file under the final name; a file that
 * could not be completed is removed.
 */
#ifndef HS_OUTPUT_OUTPUT_H
#define HS_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "run/result.h"

/* A picture of a field: what to draw and how. Members that are left 0 ask for nothing. */
struct hs_picture {
  const double *field_k; /* [ny*nx], row 0 in the south; of one rank among several its part, as `problem` says */
  int nx, ny;            /* of the whole grid */
  double lx_m, ly_m;
  const char *title;                /* UTF-8; "" for none */
  const char *colormap;             /* known to hs_colormap_find */
  double range_min_k, range_max_k;  /* NaN: the field's own extremes */
  int isotherms;                    /* lines at round values between the range's ends, at most; 0 for none */
  const char *unit;                 /* label of temperatures; NULL or "": K */
  bool cells;                       /* nodes lie in the middle of cells, half a spacing inside the walls */
  const struct hs_problem *problem; /* whose materials are outlined; NULL: none */
  const uint16_t
      *material;    /* of each cell between nodes (with `cells`, of each node's), outlined where there is no problem */
  const char *note; /* below the title, such as the time; NULL: none */
  double resolution_k; /* temperatures no further apart are drawn as one */
};

/* Checks what src/config cannot know: the colour map's name, and that no file of the run overwrites one that it reads.
 * Errors: HS_ERR_CONFIG, HS_ERR_MEMORY. */
hs_status hs_output_config_check(const struct hs_config *config, struct hs_error *err);

/* Adds a warning where a text cannot be set in pictures as it is written. */
void hs_output_config_remarks(const struct hs_config *config, struct hs_warnings *warnings);

/* Creates the folder (and its parents) and checks that a file can be written there, before the first
 * sweep. Errors: HS_ERR_IO with the folder and the system's reason. */
hs_status hs_output_prepare(const char *directory, struct hs_error *err);

/* Writes all files that config->output asks for into its directory. Tries every one even when one
 * fails and returns the first failure; *files (may be NULL) has a bit for each completed one, for
 * hs_output_report_print. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_output_write(const struct hs_result *result, unsigned *files, struct hs_error *err);

/* The same into a folder that the run did not write to: without snapshots and what is drawn from them, whatever lies there. */
hs_status hs_output_write_later(const struct hs_result *result, unsigned *files, struct hs_error *err);

/* After a transient run has failed: writes the series of the snapshots taken until then, if the configuration wants CSV
 * files, and appends to the failure's sentence what is kept. Failures here are ignored. */
void hs_output_rescue(const struct hs_result *result, struct hs_error *err);

/* field.h5: dataset temperature (ny,nx) float64, or float32 for a single precision run, attribute units (as
 * output.unit says); x and y as dimension scales (units "m"); group convergence with one dataset per column of the
 * history; dataset material (cells_y,cells_x) with an attribute names where there is more than one material;
 * root attributes: configuration (its text), version, backend, device, precision, status, iterations, dx_m,
 * dy_m, layout, scheme, resolution_k, created_utc, and time_s and steps of a transient run. */
hs_status hs_output_h5_write(const char *path, const struct hs_result *result, struct hs_error *err);

/* A field read back from an HDF5 file written by hs_output_h5_write. */
struct hs_output_field {
  int nx, ny;
  double dx_m, dy_m;
  double *field_k; /* [ny*nx], owned */
  char title[256];
  char precision[16];
  char unit[32];       /* of the temperatures; "K" where the file does not say */
  bool cells;          /* as in struct hs_picture */
  uint16_t *material;  /* as in struct hs_picture, owned; NULL where the file has none that fit the field */
  double resolution_k; /* as in struct hs_picture; 0 where the file does not say */
  double time_s;       /* of a run over time; NaN where the file has none */
};
hs_status hs_output_h5_read(const char *path, struct hs_output_field *field, struct hs_error *err);

/* The same of a snapshot in a snapshots.h5: "0", "1", ..., "last" or "t=TIME". */
hs_status hs_output_h5_read_snapshot(const char *path, const char *which, struct hs_output_field *field,
                                     struct hs_error *err);
void hs_output_field_clear(struct hs_output_field *field);

/* field.vti: a VTK image of the nodes with point data temperature, and with material (where there are several) and heat_flux
 * (where wanted) as cell data, in the cell layout as point data. */
hs_status hs_output_vti_write(const char *path, const struct hs_result *result, struct hs_error *err);

/* field.xdmf beside h5_name (a file name in the same folder); XDMF 3.0 in the XY plane, as the mesh in the file or as
 * 3DCoRectMesh "1 NY NX". */
hs_status hs_output_xdmf_write(const char *path, const char *h5_name, const struct hs_result *result,
                               struct hs_error *err);

/* snapshots.xdmf beside h5_name: a collection over time of the snapshots 0..count-1 taken at time_s[]. mesh: that
 * file has the group mesh. */
hs_status hs_output_xdmf_series_write(const char *path, const char *h5_name, const struct hs_config *config, bool mesh,
                                      const double *time_s, int count, struct hs_error *err);

/* Collective over the ranks that hold the picture's problem. temperature.png: heatmap with axes in metres, colour bar, title,
 * equal aspect, y up. */
hs_status hs_output_picture_write(const char *path, const struct hs_picture *picture, struct hs_error *err);

/* convergence.png: norms of the history against sweeps, logarithmic ordinate, tolerance marked. */
hs_status hs_output_convergence_write(const char *path, const struct hs_result *result, struct hs_error *err);

/* report.json; a value that is not finite is null. */
hs_status hs_output_report_write(const char *path, const struct hs_result *result, struct hs_error *err);

/* Its text, to be freed, or NULL when memory is short; files as hs_output_write gave them. */
char *hs_output_report_json(const struct hs_result *result, unsigned files);

/* The same as text for people; files as hs_output_write gave them. */
void hs_output_report_print(FILE *out, const struct hs_result *result, unsigned files);

/* What makes this field unfit for use: warnings beside those that the result carries, at most 4. */
void hs_output_doubts(const struct hs_result *result, struct hs_warnings *doubts);

/* Perceptually uniform colour maps. rgb: three bytes for a position in [0,1]. */
struct hs_colormap;
const struct hs_colormap *hs_colormap_find(const char *name); /* NULL when unknown */
const char *hs_colormap_name(int k);                          /* of all, k = 0, 1, ...; NULL behind the last */
const char *hs_colormap_names(void);                          /* "viridis, inferno, ..." */
void hs_colormap_rgb(const struct hs_colormap *map, double position, unsigned char rgb[3]);

/* The same of `count` positions, as 0x00RRGGBB; not_a_number for those that are none. */
void hs_colormap_pixels(const struct hs_colormap *map, const double *position, int count, uint32_t not_a_number,
                        uint32_t *pixels);

/* What a progress line says of a run that makes sweeps or cycles. */
enum { HS_PROGRESS_TEXT = 256 };
void hs_progress_text(const struct hs_solve_progress *progress, bool cycles, char text[HS_PROGRESS_TEXT]);

/* The progress line on a terminal. enabled is false when stream is no terminal or the user wants quiet. */
struct hs_progress_line {
  FILE *stream;
  bool enabled;
  int width;   /* of the text last drawn */
  bool cycles; /* are counted, not sweeps */
};
void hs_progress_line_start(struct hs_progress_line *line, FILE *stream, bool cycles, bool quiet);
void hs_progress_line_draw(void *line, const struct hs_solve_progress *progress); /* an observer's callback */
void hs_progress_line_show(struct hs_progress_line *line, const char *text);      /* the same of a text */
void hs_progress_line_clear(struct hs_progress_line *line);

#endif
