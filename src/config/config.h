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

/* Where the unknown temperatures sit. */
enum hs_layout {
  HS_LAYOUT_VERTEX, /* on the corners of cells, the outermost ones on the walls; materials fill cells */
  HS_LAYOUT_CELL    /* in the middle of cells, the walls half a spacing beyond the outermost ones */
};

enum {
  HS_NODES_MOST = 1000000,     /* along a side of the grid */
  HS_MATERIALS_MOST = 4000,    /* their names fit into one attribute of field.h5 */
  HS_SNAPSHOTS_MOST = 1000000, /* at equal intervals */
};

/* Equal time steps. No run finishes more, and from about 1e16 on adding a step would not change the time. */
#define HS_STEPS_MOST 1e13

/* How the conductivities of two neighbouring cells combine in the cell layout. */
enum hs_face_mean { HS_FACE_HARMONIC, HS_FACE_ARITHMETIC };

enum hs_shape_kind {
  HS_SHAPE_NODE,
  HS_SHAPE_RECTANGLE,
  HS_SHAPE_CIRCLE,
  HS_SHAPE_ELLIPSE,
  HS_SHAPE_POLYGON,
  HS_SHAPE_LINE,
  HS_SHAPE_EVERYWHERE
};

/* What a shape means: its inside, or its complement, all outside of it. */
enum hs_part { HS_PART_INSIDE, HS_PART_OUTSIDE };

enum hs_wall { HS_WALL_TEMPERATURE, HS_WALL_FLUX, HS_WALL_INSULATED, HS_WALL_CONVECTION, HS_WALL_PERIODIC };

enum hs_scheme { HS_SCHEME_STEADY, HS_SCHEME_EXPLICIT, HS_SCHEME_BACKWARD_EULER, HS_SCHEME_CRANK_NICOLSON };

enum hs_method {
  HS_METHOD_JACOBI,
  HS_METHOD_WEIGHTED, /* t' = t + weight (J(t) - t) */
  HS_METHOD_CHEBYSHEV,
  HS_METHOD_MULTIGRID,
  HS_METHOD_AUTO /* in configurations alone: a job settles it (run/method.h) */
};

enum hs_criterion {
  HS_CRITERION_UPDATE_L2,  /* ||T_k - T_(k-1)||_2, K */
  HS_CRITERION_UPDATE_MAX, /* max |T_k - T_(k-1)|, K */
  HS_CRITERION_RESIDUAL,   /* ||b - A T_k||_2 / ||b - A T_0||_2 */
  HS_CRITERION_ERROR       /* estimated max |T_k - T_infinity|, K */
};

enum hs_precision { HS_DOUBLE, HS_SINGLE };

enum hs_restart_mode { HS_RESTART_NO, HS_RESTART_AUTO, HS_RESTART_YES };

/* Forms of the XDMF files. HS_XDMF_YES: the one that suits. */
enum hs_xdmf { HS_XDMF_NO, HS_XDMF_YES, HS_XDMF_GRID, HS_XDMF_MESH };

/* HS_WISH_AUTO: where it costs little. */
enum hs_wish { HS_WISH_NO, HS_WISH_YES, HS_WISH_AUTO };

enum hs_picture_format { HS_PNG, HS_SVG, HS_PDF, HS_PICTURE_FORMATS };
enum hs_animation { HS_ANIMATION_NONE, HS_ANIMATION_APNG, HS_ANIMATION_SERIES };

/* A point of the plane, m from the west and from the south wall. */
struct hs_point {
  double x_m, y_m;
};

/* A shape; the members that its kind does not use are 0 or NULL. */
struct hs_config_shape {
  enum hs_shape_kind kind;
  enum hs_part part;             /* node, everywhere: INSIDE */
  int i, j;                      /* node: column 0..nx-1 from the west, row 0..ny-1 from the south */
  double x0_m, x1_m, y0_m, y1_m; /* rectangle: x0 < x1, y0 < y1; line: from (x0, y0) to (x1, y1) */
  double x_m, y_m;               /* circle, ellipse: centre */
  double radius_m;               /* circle, > 0 */
  double rx_m, ry_m;             /* ellipse: half axes, > 0 */
  double angle_deg;              /* ellipse: of the half axis rx from the x axis, counterclockwise */
  double width_m;                /* line: its thickness, > 0 */
  struct hs_point *points;       /* polygon: [point_count] corners in order, at least 3; closed by itself */
  int point_count;
};

/* A quantity that may depend on place and time: the text as written, and the number where it is one.
 * Otherwise the text is "table FILE x|y|t" (two columns of a CSV file) or an expression in x, y (m) and t (s). */
struct hs_config_value {
  char *text; /* NULL: not given */
  double number;
  bool is_number;
  int line; /* for messages; 0: from an override */
};

struct hs_config_material {
  char *name; /* "" for the background, [material] */
  int line;
  double conductivity_x_w_mk, conductivity_y_w_mk; /* > 0 */
  double density_kg_m3, heat_capacity_j_kgk;       /* > 0; NaN when not given */
  char *color;                                     /* "#rrggbb" in a material picture; "" for none */
};

/* A shape that sets a material or a temperature; later ones win. What it does not set is NULL, NaN or an unset value. */
struct hs_config_region {
  char *name; /* from [shape NAME] */
  int line;
  struct hs_config_shape shape;
  char *material;                     /* name of a [material NAME], "background" for the first one, or "" */
  double initial_k;                   /* NaN: not set */
  struct hs_config_value temperature; /* held there */
};

/* A heat source. Either density or power is NaN. Sources add up unless `replaces`. */
struct hs_config_source {
  char *name; /* from [source NAME] */
  int line;   /* of the section's header, for messages */
  struct hs_config_shape shape;
  double density_w_m3;
  double power_w_m; /* W per metre of depth, spread evenly over the shape */
  bool replaces;    /* replaces earlier sources where they overlap */
};

/* Heat lost through the faces of a plate, or to a coolant, out of the plane. */
struct hs_config_loss {
  char *name; /* from [loss NAME] */
  int line;
  struct hs_config_shape shape;
  double h_w_m2k; /* conductance per area, of both faces together, >= 0 */
  double ambient_k;
  double thickness_m; /* of the plate, > 0: the loss per volume is h / thickness */
};

/* A segment of a wall. */
struct hs_config_boundary {
  char *name; /* from [boundary NAME], or the side's name for a key of [boundary] */
  int line;
  enum hs_side side;
  double from_m, to_m; /* along the side, from the west or south end; the whole side when not given */
  enum hs_wall kind;
  struct hs_config_value temperature; /* temperature: of the wall; convection: of the fluid; K */
  struct hs_config_value flux;        /* W/m2, positive into the domain */
  struct hs_config_value h;           /* W/(m2 K); convection; from 1/resistance where that was given */
};

struct hs_config_probe {
  char *name; /* from [probe NAME] */
  int line;
  bool is_line;
  double x_m, y_m;   /* point; line: first end */
  double x1_m, y1_m; /* line: other end; point: the same place */
  int points;        /* line: number of points, at least 2; point: 1 */
  char *material;    /* side of a material boundary on which the temperature is taken; "" for none */
};

/* A published or known value that the result must meet; `heatsolve validate` compares. */
struct hs_config_expect {
  char *name; /* from [expect NAME] */
  int line;
  char *quantity; /* path into report.json, such as probe.A, side.south, sweeps */
  double value;
  double allowed; /* largest permitted difference, in the quantity's unit, >= 0 */
  bool relative;  /* allowed is a share of value */
  char *source;   /* where the value is published */
};

/* The keys of [map]. */
enum hs_map { HS_MAP_MATERIALS, HS_MAP_CONDUCTIVITY, HS_MAP_SOURCE, HS_MAP_INITIAL, HS_MAPS };

/* Numbers that a program gives in place of the file of a map: row 0 in the south. */
struct hs_config_array {
  const double *values; /* [rows*columns], not owned; NULL: none */
  int rows, columns;
};

/* A key that was given, by the file or by an override. */
struct hs_config_given {
  char *section;   /* "grid", "source spot" */
  const char *key; /* its name in the table of keys */
  char *value;     /* as it was written; the parts of a list in one */
  bool overrides;  /* by --set or another option, in place of what the file says */
};

struct hs_config {
  char *path;                    /* as given by the user; "standard input" for "-" */
  char *text;                    /* the file's text as read, followed by the overrides as comment lines */
  struct hs_config_given *given; /* [given_count], by sections in the order of their appearance */
  int given_count;
  struct {
    int nx, ny;        /* nodes, at least 2 (vertex: boundary nodes included) */
    double dx_m, dy_m; /* node spacing, > 0 */
    double lx_m, ly_m; /* size of the domain: vertex (nx - 1) dx, cell nx dx */
    enum hs_layout layout;
    enum hs_face_mean face_mean;
  } grid;
  struct hs_config_material *materials; /* [material_count], the first is the background */
  int material_count;
  struct hs_config_region *regions;
  int region_count;
  struct hs_config_source *sources;
  int source_count;
  struct hs_config_loss *losses;
  int loss_count;
  struct hs_config_boundary *boundaries; /* plain sides first */
  int boundary_count;
  int side_count; /* those that keys of [boundary] give */
  struct hs_config_probe *probes;
  int probe_count;
  struct hs_config_expect *expects;
  int expect_count;
  struct {
    char *materials;                      /* PNG file whose colours are those of the materials; "" for none */
    char *conductivity;                   /* FILE:DATASET, W/(m K), one value a cell */
    char *source;                         /* FILE:DATASET, W/m3, one value a cell */
    char *initial;                        /* FILE:DATASET, FILE:last or FILE:t=TIME, K, one value a node */
  } map;                                  /* paths are relative to the configuration file */
  struct hs_config_array arrays[HS_MAPS]; /* in place of those, while the problem is made */
  struct {
    double temperature_k;
  } initial;
  struct {
    enum hs_scheme scheme;
    double start_s;          /* >= 0; 0 when steady */
    double end_s;            /* > start_s */
    double step_s;           /* > 0; NaN for the explicit scheme: the largest stable one */
    int64_t steps;           /* equal ones that step_s is for; 0: step_s was given */
    int damped_steps;        /* see hs_config_damped */
    bool adaptive;           /* implicit schemes: step chosen from the error of each step */
    double step_tolerance_k; /* error of a step that the adaptive choice aims at */
    double step_min_s, step_max_s;
    double inner_tolerance_k; /* bound on the error of each implicit step's solution, K */
    double *snapshots_s;      /* [snapshot_count], ascending, within 0..end */
    int snapshot_count;
    double snapshot_every_s; /* NaN: none; at least end / HS_SNAPSHOTS_MOST */
  } time;
  struct {
    enum hs_method method;
    double weight; /* of HS_METHOD_WEIGHTED, > 0 and <= 1 */
    enum hs_criterion criterion;
    double tolerance;         /* K, or relative for HS_CRITERION_RESIDUAL */
    double balance_tolerance; /* "converged" needs a relative energy imbalance of at most this */
    int64_t max_iterations;
    int check_every; /* sweeps between evaluations of the stop test; 0: what suits the backends */
    enum hs_precision precision;
    char *backend;              /* "auto" or a backend's name; not yet looked up */
    int threads;                /* at most; 0: as many as the machine offers */
    char *gpus;                 /* "all", how many, or numbers with commas; not yet looked up */
    double device_memory_bytes; /* limit of device memory; 0: all that is free */
  } solver;
  struct {
    double checkpoint_every_s; /* of wall time, 0: on signals only; NaN: as suits */
    enum hs_restart_mode restart;
  } run;
  struct {
    char *directory;
    bool field, picture, convergence, report, page; /* which files to write */
    enum hs_xdmf xdmf;
    enum hs_wish vti, flux;          /* a file; datasets of the heat flux */
    bool csv;                        /* probes, heat flows and materials as CSV */
    int pictures;                    /* their formats, bit 1 << HS_PNG and so on */
    char *title;                     /* of the picture; "" for none */
    char *colormap;                  /* a name known to hs_colormap_find */
    double range_min_k, range_max_k; /* of the colours; NaN: the field's own */
    int isotherms;                   /* number of isotherms drawn, at most; 0 for none */
    enum hs_animation animation;     /* of the snapshots */
    char *unit;                      /* of temperatures, as written in pictures and reports: "K", "degC" */
  } output;
};

/* Reads and checks the file at path ("-": standard input), then applies overrides, each "section.key=value"
 * ("source NAME.key=value" for a named section); a later one wins. On success *config
 * is owned by the caller. Errors: HS_ERR_IO (unreadable), HS_ERR_CONFIG (with file,
 * line, what stood there, what is allowed), HS_ERR_MEMORY. */
hs_status hs_config_read(const char *path, const char *const *overrides, int override_count, struct hs_config **config,
                         struct hs_error *err);

/* The two halves of that. The text of the file at path, owned by the caller. Errors: HS_ERR_IO, HS_ERR_CONFIG (no text),
 * HS_ERR_MEMORY. */
hs_status hs_config_load(const char *path, char **text, struct hs_error *err);

/* A configuration from text, which is zero-terminated UTF-8; path is what messages call it, and files that it names are
 * looked for in that path's folder. arrays, [HS_MAPS] or NULL, stand in place of files, whose keys must be set to some
 * name. Errors as of hs_config_read. */
hs_status hs_config_parse(const char *path, const char *text, const char *const *overrides, int override_count,
                          const struct hs_config_array *arrays, struct hs_config **config, struct hs_error *err);

/* Refuses an override that is not of that form. next: the argument behind it, or NULL; where the two together have the
 * form, a shell has split them at the blank of a section's name. */
hs_status hs_config_override_check(const char *text, const char *next, struct hs_error *err);

/* Was it read from standard input? */
bool hs_config_is_standard_input(const struct hs_config *config);

/* Was the text given by a program, and is in no file? */
#define HS_CONFIG_GIVEN "configuration text" /* its path, for messages */
bool hs_config_is_given(const struct hs_config *config);

void hs_config_destroy(struct hs_config *config); /* NULL is accepted */

/* Can a material fill a cell? The background (0) cannot where shapes cover the whole domain; any other one needs a
 * shape, or a colour that the map of materials may show. */
bool hs_config_material_used(const struct hs_config *config, int material);

/* How many snapshots the times of a run over time ask for, those of its start and end included; 0: the run is steady. */
double hs_config_snapshots(const struct hs_config *config);

/* How many steps of Crank-Nicolson at the start of the run are damped, and up to when, s; NaN where none is. */
int hs_config_damped(const struct hs_config *config);
double hs_config_damped_until_s(const struct hs_config *config);

/* A sentence about the materials that are not used, as a misspelt key makes them; false: there is none. */
bool hs_config_unused_describe(const struct hs_config *config, char *text, size_t size);

/* Prints the table of keys: section, key, type, unit, range, default, meaning. */
void hs_config_print_help(FILE *out);

/* The part of it about one section, "grid" or "[source NAME]". Errors: HS_ERR_USAGE. */
hs_status hs_config_print_section(FILE *out, const char *title, struct hs_error *err);

/* Prints the same as a manual page, heatsolve.ini(5). */
void hs_config_print_manual(FILE *out);

/* Prints a complete configuration with every default, ready to be edited. It is itself
 * accepted by hs_config_read. */
void hs_config_print_default(FILE *out);

/* The names used in configuration files and reports. */
const char *hs_criterion_name(enum hs_criterion criterion);
const char *hs_precision_name(enum hs_precision precision);
const char *hs_method_name(enum hs_method method);
const char *hs_side_name(enum hs_side side);
const char *hs_scheme_name(enum hs_scheme scheme);
const char *hs_wall_name(enum hs_wall wall);
const char *hs_shape_name(enum hs_shape_kind kind);

/* Where a shape means its outside, ", inside = no", to stand behind the name of its kind; else "". */
const char *hs_shape_part_note(const struct hs_config_shape *shape);
const char *hs_layout_name(enum hs_layout layout);

#endif
