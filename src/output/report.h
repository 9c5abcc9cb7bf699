/* The files of a run, and the report that names them. */
#ifndef HS_OUTPUT_REPORT_H
#define HS_OUTPUT_REPORT_H

#include "output/output.h"

/* In the order in which they are written. */
enum hs_output_file {
  HS_FILE_FIELD,
  HS_FILE_XDMF,
  HS_FILE_PICTURE,
  HS_FILE_CONVERGENCE,
  HS_FILE_REPORT,
  HS_FILE_COUNT
};

/* "field.h5" and so on. */
const char *hs_output_file_name(enum hs_output_file which);

/* The files that the configuration asks for, bit 1 << HS_FILE_... for each. */
unsigned hs_output_files_wanted(const struct hs_config *config);

/* hs_output_report_write with the files that were really completed. */
hs_status hs_output_report_write_files(const char *path, const struct hs_result *result, unsigned files,
                                       struct hs_error *err);

/* What the report says about the remaining error, shared by JSON and text. NaN where it cannot be told. */
struct hs_report_trust {
  double error_of_range;  /* error estimate over the field's range of temperature */
  double error_of_center; /* over the centre's temperature as it will be once converged */
};

struct hs_report_trust hs_report_assess(const struct hs_result *result);

#endif
