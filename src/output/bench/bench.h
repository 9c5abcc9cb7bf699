/* A benchmark's results as a table on the terminal, CSV, JSON and a chart. */
#ifndef HS_OUTPUT_BENCH_BENCH_H
#define HS_OUTPUT_BENCH_BENCH_H

#include <stdio.h>

#include "bench/bench.h"

/* The table: a heading that says what was measured on what, a row, and notes on what the columns mean. */
void hs_output_bench_head(FILE *file, const struct hs_bench *bench);
void hs_output_bench_row(FILE *file, const struct hs_bench_row *row);
void hs_output_bench_notes(FILE *file);

/* One line for each row, measured or not, units in the heads of the columns. As RFC 4180 has it, but lines end in a
 * newline alone. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_output_bench_csv(const char *path, const struct hs_bench *bench, struct hs_error *err);

/* Machine, version, date, command, copy limits, settings, rows; null where something is not known. Errors: HS_ERR_IO,
 * HS_ERR_MEMORY. */
hs_status hs_output_bench_json(const char *path, const struct hs_bench *bench, const char *command,
                               struct hs_error *err);

/* Node updates per second against size, both logarithmic, as PNG: a curve for each backend and precision (and for each
 * pattern, form and mode, where there are several), copy limits as dashed lines. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_output_bench_chart(const char *path, const struct hs_bench *bench, struct hs_error *err);

#endif
