/* A benchmark as CSV, for spreadsheets and scripts. */
#include <math.h>

#include "io/csv_write.h"
#include "output/bench/bench.h"

static const char heads[] =
    "nx,ny,material,form,mode,precision,backend,walls,source,check_every,repeats,sweeps_per_repeat,"
    "sweep_time_us,spread_percent,updates_g_per_s,bandwidth_gb_per_s,copy_limit_gb_per_s,"
    "copy_share_percent,threads,not_measured_because,cycles,solve_time_us,setup_time_us";

static void put_number(struct hs_csv *csv, double value)
{
  hs_csv_number(csv, value, 9);
}

static void put_row(struct hs_csv *csv, const struct hs_bench *bench, const struct hs_bench_row *row)
{
  const struct hs_bench_cases *cases = bench->cases;
  const bool measured = row->status == HS_OK, cycles = measured && row->problem.form == HS_RATE_MULTIGRID,
             swept = measured && !cycles;
  hs_csv_integer(csv, row->problem.nx);
  hs_csv_integer(csv, row->problem.ny);
  hs_csv_text(csv, hs_rate_pattern_name(row->problem.pattern));
  hs_csv_text(csv, hs_rate_form_name(row->problem.form));
  hs_csv_text(csv, hs_rate_mode_name(row->mode));
  hs_csv_text(csv, row->single ? "single" : "double");
  hs_csv_text(csv, row->backend->name);
  hs_csv_text(csv, cases->file.config ? "" : row->problem.convection ? "mixed" : "held");
  hs_csv_text(csv, cases->file.config ? "" : row->problem.source ? "yes" : "no");
  put_number(csv, row->mode == HS_RATE_TESTED ? (double)cases->settings.check_every : NAN);
  hs_csv_integer(csv, cases->settings.repeats);
  put_number(csv, swept ? (double)row->rate.sweeps : NAN);
  put_number(csv, swept ? 1e6 * row->rate.sweep_s : NAN);
  put_number(csv, measured ? 100.0 * row->rate.spread : NAN);
  put_number(csv, swept ? 1e-9 * row->rate.nodes_per_s : NAN);
  put_number(csv, 1e-9 * row->bytes_per_s);
  put_number(csv, 1e-9 * bench->copy_bytes_per_s[row->on_device]);
  put_number(csv, 100.0 * row->copy_share);
  put_number(csv, measured ? (double)row->rate.threads : NAN);
  hs_csv_text(csv, row->why);
  put_number(csv, cycles ? (double)row->rate.cycles : NAN);
  put_number(csv, cycles ? 1e6 * row->rate.solve_s : NAN);
  put_number(csv, cycles ? 1e6 * row->rate.setup_s : NAN);
  hs_csv_end_row(csv);
}

hs_status hs_output_bench_csv(const char *path, const struct hs_bench *bench, struct hs_error *err)
{
  struct hs_csv csv;
  hs_csv_begin(&csv);
  hs_csv_cells(&csv, heads);
  hs_csv_end_row(&csv);
  for (int k = 0; k < bench->count; k++) put_row(&csv, bench, &bench->row[k]);
  return hs_csv_commit(&csv, path, err);
}
