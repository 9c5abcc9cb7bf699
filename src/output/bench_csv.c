/* A benchmark as CSV, for spreadsheets and scripts. */
#include <math.h>
#include <stdlib.h>

#include "io/file.h"
#include "output/bench.h"

static const char heads[] =
    "nx,ny,material,form,mode,precision,backend,walls,source,check_every,repeats,sweeps_per_repeat,"
    "sweep_time_us,spread_percent,updates_g_per_s,bandwidth_gb_per_s,copy_limit_gb_per_s,"
    "copy_share_percent,not_measured_because\n";

/* A number, empty where there is none. */
static void number_put(FILE *file, double value)
{
  if (isfinite(value)) fprintf(file, "%.9g", value);
  fputc(',', file);
}

/* A text in quotes, quotes in it doubled. */
static void text_put(FILE *file, const char *text)
{
  if (!*text) return;
  fputc('"', file);
  for (; *text; text++) {
    if (*text == '"') fputc('"', file);
    fputc(*text, file);
  }
  fputc('"', file);
}

static void row_put(FILE *file, const struct hs_bench *bench, const struct hs_bench_row *row)
{
  const struct hs_bench_plan *plan = bench->plan;
  const bool measured = row->status == HS_OK;
  fprintf(file, "%d,%d,%s,%s,%s,%s,%s,%s,%s,", row->problem.nx, row->problem.ny,
          hs_rate_pattern_name(row->problem.pattern), hs_rate_form_name(row->problem.form),
          hs_rate_mode_name(row->mode), row->single ? "single" : "double", row->backend->name,
          row->problem.convection ? "mixed" : "held", row->problem.source ? "yes" : "no");
  if (row->mode == HS_RATE_TESTED) fprintf(file, "%d", plan->settings.check_every);
  fprintf(file, ",%d,", plan->settings.repeats);
  number_put(file, measured ? (double)row->rate.sweeps : NAN);
  number_put(file, measured ? 1e6 * row->rate.sweep_s : NAN);
  number_put(file, measured ? 100.0 * row->rate.spread : NAN);
  number_put(file, measured ? 1e-9 * row->rate.nodes_per_s : NAN);
  number_put(file, 1e-9 * row->bytes_per_s);
  number_put(file, 1e-9 * bench->copy_bytes_per_s[row->on_device]);
  number_put(file, 100.0 * row->copy_share);
  text_put(file, row->why);
  fputc('\n', file);
}

hs_status hs_output_bench_csv(const char *path, const struct hs_bench *bench, struct hs_error *err)
{
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  hs_status status;
  if (!file) return hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s", path);
  fputs(heads, file);
  for (int k = 0; k < bench->count; k++) row_put(file, bench, &bench->row[k]);
  status = fclose(file) ? hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s", path)
                        : hs_file_put_text(path, text, err);
  free(text);
  return status;
}
