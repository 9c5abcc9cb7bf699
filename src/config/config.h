/* Configuration: what a user asks for, read from an INI file and checked.
 *
 * Every value here is in range and consistent on its own; whether it fits the
 * machine (memory, devices) is decided later. The struct is const to everything
 * after hs_config_read.
 */
#ifndef HS_CONFIG_CONFIG_H
#define HS_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

enum hs_side { HS_WEST, HS_EAST, HS_SOUTH, HS_NORTH, HS_SIDES };

enum hs_source_shape { HS_SOURCE_NODE, HS_SOURCE_RECTANGLE, HS_SOURCE_EVERYWHERE };

enum hs_method { HS_METHOD_JACOBI };

enum hs_criterion {
  HS_CRITERION_UPDATE_L2,  /* ||T_k - T_(k-1)||_2, K */
  HS_CRITERION_UPDATE_MAX, /* max |T_k - T_(k-1)|, K */
  HS_CRITERION_RESIDUAL,   /* ||b - A T_k||_2 / ||b - A T_0||_2 */
  HS_CRITERION_ERROR       /* estimated max |T_k - T_infinity|, K */
};

enum hs_precision { HS_DOUBLE, HS_SINGLE };

/* A heat source; the fields that its shape does not use are 0. */
struct hs_config_source {
  char *name; /* from [source NAME] */
  int line;   /* of the section's header, for messages */
  enum hs_source_shape shape;
  int i, j;                      /* node: column 0..nx-1 from the west, row 0..ny-1 from the south */
  double x0_m, x1_m, y0_m, y1_m; /* rectangle: x0 < x1, y0 < y1, inside the domain */
  double density_w_m3;
};

struct hs_config {
  char *path; /* as given by the user */
  char *text; /* the file's text as read, followed by the overrides as comment lines */
  struct {
    int nx, ny;        /* nodes, boundary nodes included, at least 2 */
    double dx_m, dy_m; /* node spacing, > 0 */
    double lx_m, ly_m; /* (nx - 1) dx, (ny - 1) dy */
  } grid;
  struct {
    double conductivity_w_mk;
  } material;
  struct {
    double temperature_k[HS_SIDES];
  } boundary;
  struct {
    double temperature_k;
  } initial;
  struct hs_config_source *sources;
  int source_count;
  struct {
    enum hs_method method;
    enum hs_criterion criterion;
    double tolerance; /* K, or relative for HS_CRITERION_RESIDUAL */
    int64_t max_iterations;
    int check_every; /* sweeps between evaluations of the stop test */
    enum hs_precision precision;
    char *backend; /* "auto" or a backend's name; not yet looked up */
    int threads;   /* 0: as many as the machine offers */
  } solver;
  struct {
    char *directory;
    bool field, xdmf, picture, convergence, report; /* which files to write */
    char *title;                                    /* of the picture; "" for none */
    char *colormap;                                 /* a name known to hs_colormap_find */
    double range_min_k, range_max_k;                /* of the colours; NaN: the field's own */
    int isotherms;                                  /* number of isotherms drawn, 0 for none */
  } output;
};

/* Reads and checks the file at path, then applies overrides, each "section.key=value"
 * ("source NAME.key=value" for a named section); a later one wins. On success *config
 * is owned by the caller. Errors: HS_ERR_IO (unreadable), HS_ERR_CONFIG (with file,
 * line, what stood there, what is allowed), HS_ERR_MEMORY. */
hs_status hs_config_read(const char *path, const char *const *overrides, int override_count, struct hs_config **config,
                         struct hs_error *err);

void hs_config_destroy(struct hs_config *config); /* NULL is accepted */

/* Prints the table of keys: section, key, type, unit, range, default, meaning. */
void hs_config_print_help(FILE *out);

/* Prints a complete configuration with every default, ready to be edited. It is itself
 * accepted by hs_config_read. */
void hs_config_print_default(FILE *out);

/* The names used in configuration files and reports. */
const char *hs_criterion_name(enum hs_criterion criterion);
const char *hs_precision_name(enum hs_precision precision);
const char *hs_method_name(enum hs_method method);
const char *hs_side_name(enum hs_side side);

#endif
