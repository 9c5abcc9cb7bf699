/* The files of a run, and the report that names them. */
#ifndef HS_OUTPUT_REPORT_REPORT_H
#define HS_OUTPUT_REPORT_REPORT_H

#include "output/output.h"

/* In the order in which they are written. */
enum hs_output_file {
  HS_FILE_FIELD,
  HS_FILE_XDMF,
  HS_FILE_VTI,
  HS_FILE_PICTURE, /* in each format, in the order of enum hs_picture_format */
  HS_FILE_PICTURE_SVG,
  HS_FILE_PICTURE_PDF,
  HS_FILE_CONVERGENCE, /* likewise */
  HS_FILE_CONVERGENCE_SVG,
  HS_FILE_CONVERGENCE_PDF,
  HS_FILE_SNAPSHOTS, /* written during the run */
  HS_FILE_SNAPSHOTS_XDMF,
  HS_FILE_ANIMATION,
  HS_FILE_SERIES, /* the same as single pictures, named by the first */
  HS_FILE_CSV,    /* several files, named by the one that is always there */
  HS_FILE_REPORT,
  HS_FILE_PAGE,
  HS_FILE_COUNT
};

/* "field.h5" and so on. */
const char *hs_output_file_name(enum hs_output_file which);

/* Up to so many nodes files hold what other programs like to find beside the temperatures. */
#define HS_NODES_SMALL 1048576.0

/* Is what a wish is about written? auto: on small grids. */
bool hs_output_wanted(enum hs_wish wish, const struct hs_config *config);

/* Does a run of config write snapshots? A transient one that asks for times of snapshots, or for an animation. */
bool hs_output_snapshots_wanted(const struct hs_config *config);

/* The files that the configuration asks for, bit 1 << HS_FILE_... for each. */
unsigned hs_output_files_wanted(const struct hs_config *config);

/* hs_output_report_write with the files that were really completed. */
hs_status hs_output_report_write_files(const char *path, const struct hs_result *result, unsigned files,
                                       struct hs_error *err);

/* Is a steady field defined up to a constant only, since no Dirichlet node, convection or loss sets a temperature? */
bool hs_report_is_relative(const struct hs_result *result);

/* The real time of the sweeps over the predicted one; NaN where there is no prediction. */
double hs_report_over_predicted(const struct hs_result *result);

/* "west" .. "north", "" for a held shape; "temperature", "flux", ..., "held". */
const char *hs_report_surface_side(const struct hs_problem *problem, int surface);
const char *hs_report_surface_kind(const struct hs_problem *problem, int surface);

/* A share in percent with two digits, or more where those are before the point; returns text. */
const char *hs_report_percent(double share, char text[32]);

/* Tables of the report for people: walls and held shapes, probes, materials, shapes; those that apply. */
void hs_report_tables_print(FILE *out, const struct hs_result *result);

/* Parts of the report for people. */
enum hs_report_part {
  HS_REPORT_STOP,  /* how the run ended, by which method */
  HS_REPORT_NORMS, /* steady runs: what is left of update, residual and error */
  HS_REPORT_TEMPERATURE,
  HS_REPORT_HEAT,
  HS_REPORT_RUN, /* grid, backend, time */
  HS_REPORT_PARTS
};

/* Prints a part, in lines "  LABEL   TEXT"; a line without label goes on with the one before. */
void hs_report_part_print(FILE *out, const struct hs_result *result, enum hs_report_part part);

/* How far the answer can be trusted. Shares are NaN where they cannot be told. */
struct hs_report_trust {
  bool balance_met;       /* to balance_tolerance; or accepted where no flow is more than the remaining error drives */
  double error_of_range;  /* error estimate over the field's range of temperature */
  double error_of_center; /* over the centre's temperature as it will be once converged */
};

struct hs_report_trust hs_report_assess(const struct hs_result *result);

#endif
