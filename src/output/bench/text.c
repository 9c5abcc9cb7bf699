/* The table of a benchmark on the terminal; rows are printed as they are measured. */
#include <math.h>
#include <string.h>

#include "base/shown.h"
#include "base/version.h"
#include "output/bench/bench.h"

static void limit_print(FILE *file, const struct hs_bench *bench, int device)
{
  const double bytes_per_s = bench->copy_bytes_per_s[device];
  if (isnan(bytes_per_s)) return;
  fprintf(file, "copy limit  %s: %.4g GB/s, at one sweep per pass %.3g G updates/s in double, %.3g in single\n",
          device ? "GPU" : "CPU", 1e-9 * bytes_per_s, 1e-9 * bytes_per_s / 16.0, 1e-9 * bytes_per_s / 8.0);
}

/* The file, and what solutions are asked for. */
static void file_print(FILE *file, const struct hs_bench_cases *cases)
{
  const struct hs_config *config = cases->file.config;
  fprintf(file, "problem     %s", hs_shown(config->path).text);
  if (cases->form[HS_RATE_MULTIGRID])
    fprintf(file, "; solutions to %s <= %g%s", hs_criterion_name(config->solver.criterion), config->solver.tolerance,
            config->solver.criterion == HS_CRITERION_RESIDUAL ? "" : " K");
  fputs("\n", file);
}

void hs_output_bench_head(FILE *file, const struct hs_bench *bench)
{
  const struct hs_bench_cases *cases = bench->cases;
  fprintf(file, "program     %s, %s\n", hs_version_program(), bench->date_utc);
  fprintf(file, "machine     %s; %d thread%s at most for CPU backends\n", bench->machine, bench->threads,
          bench->threads == 1 ? "" : "s");
  limit_print(file, bench, 0);
  limit_print(file, bench, 1);
  if (cases->file.config)
    file_print(file, cases);
  else
    fprintf(file, "problem     %s, %s\n",
            cases->convection ? "walls held but for convection in the east and a heat flux in the south"
                              : "four walls held",
            cases->source ? "a heated rectangle in the middle" : "no source");
  fprintf(file, "timing      median of %d, %g s or more each", cases->settings.repeats, cases->settings.seconds);
  if (cases->mode[HS_RATE_TESTED]) fprintf(file, "; tested: every %d sweeps", cases->settings.check_every);
  fprintf(file, "\n\n%-13s %-8s %-9s %-6s %-6s %-14s %7s %11s %11s %9s %8s %7s\n", "nodes", "material", "form", "mode",
          "prec.", "backend", "threads", "G updates/s", "us/sweep", "GB/s", "of copy", "spread");
  fflush(file);
}

/* Four digits, whatever the size. */
static void number_print(FILE *file, int width, double value)
{
  const int decimals = value >= 999.95   ? 0
                       : value >= 99.995 ? 1
                       : value >= 9.9995 ? 2
                       : value >= 0.1    ? 3
                       : value >= 0.001  ? 5
                                         : 7;
  fprintf(file, " %*.*f", width, decimals, value);
}

void hs_output_bench_row(FILE *file, const struct hs_bench_row *row)
{
  char nodes[32];
  snprintf(nodes, sizeof nodes, "%dx%d", row->problem.nx, row->problem.ny);
  fprintf(file, "%-13s %-8s %-9s %-6s %-6s %-14s", nodes, hs_rate_pattern_name(row->problem.pattern),
          hs_rate_form_name(row->problem.form), hs_rate_mode_name(row->mode), row->single ? "single" : "double",
          row->backend->name);
  if (row->status) {
    fprintf(file, " not measured: %s\n", row->why);
  } else if (row->problem.form == HS_RATE_MULTIGRID) {
    if (row->rate.threads > 0)
      fprintf(file, " %7d", row->rate.threads);
    else
      fprintf(file, " %7s", "-");
    fprintf(file, "  solved in %.4g ms by %d cycles, levels made in %.4g ms, spread %.1f %%\n", 1e3 * row->rate.solve_s,
            row->rate.cycles, 1e3 * row->rate.setup_s, 100.0 * row->rate.spread);
  } else {
    if (row->rate.threads > 0)
      fprintf(file, " %7d", row->rate.threads);
    else
      fprintf(file, " %7s", "-");
    number_print(file, 11, 1e-9 * row->rate.nodes_per_s);
    number_print(file, 11, 1e6 * row->rate.sweep_s);
    number_print(file, 9, 1e-9 * row->bytes_per_s);
    if (isnan(row->copy_share))
      fprintf(file, " %8s", "-");
    else
      fprintf(file, " %6.1f %%", 100.0 * row->copy_share);
    fprintf(file, " %5.1f %%\n", 100.0 * row->rate.spread);
  }
  fflush(file);
}

void hs_output_bench_notes(FILE *file)
{
  fputs(
      "\nGB/s: 16 bytes a node and sweep in double, 8 in single: the field is read once and written once (24 and 12 "
      "for\n"
      "chebyshev and rhs, which read one more field). \"of copy\" is that beside copying in the same memory, the most\n"
      "that one sweep per pass can reach. Several sweeps per pass, and grids that fit into caches, may pass 100 %.\n"
      "spread: (slowest - fastest) / median of the repeats.\n",
      file);
}
