/* The answers of a run as CSV files, for spreadsheets and scripts. */
#ifndef HS_OUTPUT_REPORT_ANSWERS_CSV_H
#define HS_OUTPUT_REPORT_ANSWERS_CSV_H

#include "run/result.h"

/* First line of line-NAME.csv. */
#define HS_ANSWERS_LINE_HEADING "distance_m,x_m,y_m,temperature"

/* Writes into directory
 *
 *     heat.csv        surface,side,kind,heat_w_m: heat into the domain through each wall's segment and held shape
 *     materials.csv   material,area_m2,mean,min,max
 *     probes.csv      name,x_m,y_m,temperature: of the points, where there are any
 *     line-NAME.csv   distance_m,x_m,y_m,temperature: one for each line
 *     series.csv      time_s,min,max,mean,content_j_m, every probe, every surface: transient problems, at the snapshots
 *
 * in the form of io/csv_write.h; numbers with 17 digits, empty where one is not known. Temperatures are in output.unit.
 * Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_answers_csv_write(const struct hs_result *result, const char *directory, struct hs_error *err);

/* series.csv alone, with the snapshots of a run that failed. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_answers_csv_series(const struct hs_result *result, const char *directory, struct hs_error *err);

/* How many files hs_answers_csv_write writes, with series.csv (the last) or without, and their names; a name is owned by
 * the caller, NULL with HS_ERR_MEMORY. */
int hs_answers_csv_count(const struct hs_config *config, bool series);
char *hs_answers_csv_name(const struct hs_config *config, int which, struct hs_error *err);

#endif
