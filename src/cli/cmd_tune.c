/* heatsolve tune: measures what sweeps cost on this machine and keeps it, so that `auto` and `check` need not guess. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/shown.h"
#include "base/timer.h"
#include "bench/tune.h"
#include "cli/cli.h"
#include "cli/options.h"

enum { MOST_BACKENDS = 16 };

struct options {
  bool quiet, quick, show, forget, named;
  const struct hs_backend *backend[MOST_BACKENDS];
  int backend_count;
};

static hs_status backends_take(const struct hs_given *given, struct options *options, struct hs_error *err)
{
  struct hs_picks picks;
  const hs_status status = hs_option_pick(given->row, given->value, &picks, err);
  options->named = true;
  options->backend_count = 0;
  for (int k = 0; !status && k < picks.count && k < MOST_BACKENDS; k++)
    options->backend[options->backend_count++] = hs_backend_list()[picks.which[k]];
  return status;
}

static hs_status options_take(const struct hs_cli *cli, struct options *options, struct hs_error *err)
{
  hs_status status = HS_OK;
  *options = (struct options){.quiet = cli->quiet};
  for (int k = 0; !status && k < cli->given_count; k++) {
    const enum hs_option option = cli->given[k].row->option;
    if (option == HS_OPTION_BACKEND) status = backends_take(&cli->given[k], options, err);
    options->quick = options->quick || option == HS_OPTION_QUICK;
    options->show = options->show || option == HS_OPTION_SHOW;
    options->forget = options->forget || option == HS_OPTION_FORGET;
  }
  if (status) return status;
  if ((options->show || options->forget) && (options->show == options->forget || options->named || options->quick))
    return hs_usage_error(err, HS_COMMAND_TUNE, "--show and --forget each stand alone: they measure nothing");
  return HS_OK;
}

/* --- the table ------------------------------------------------------------------------------- */

static const int shown_sizes[] = {64, 256, 1024, 4096, 16384};
enum { SHOWN_SIZES = sizeof shown_sizes / sizeof *shown_sizes };

/* A curve between its first point and its last, in G updates/s. */
static void curve_print(const struct hs_tuning *tuning, const struct hs_tuning_curve *curve)
{
  printf("%-16s %-7s %-9s", curve->backend, curve->single ? "single" : "double", hs_tuning_kind_name(curve->kind));
  for (int k = 0; k < SHOWN_SIZES; k++) {
    const double nodes = (double)shown_sizes[k] * shown_sizes[k];
    const double sweep_s = hs_tuning_sweep_s(tuning, curve->backend, curve->kind, curve->single, nodes);
    if (nodes < curve->point[0].nodes || nodes > curve->point[curve->count - 1].nodes || isnan(sweep_s))
      printf(" %9s", "-");
    else
      printf(" %9.4g", 1e-9 * nodes / sweep_s);
  }
  printf("\n");
}

static void table_print(const struct hs_tuning *tuning)
{
  printf("%-16s %-7s %-9s", "G updates/s", "", "nodes:");
  for (int k = 0; k < SHOWN_SIZES; k++) printf(" %7d^2", shown_sizes[k]);
  printf("\n");
  for (int c = 0; c < tuning->count; c++)
    if (tuning->curve[c].count > 0) curve_print(tuning, &tuning->curve[c]);
}

/* --- commands -------------------------------------------------------------------------------- */

/* The kept table; *tuning is NULL where there is none. One that cannot be used counts as none, and is told of. */
static void kept_load(struct hs_tuning **tuning)
{
  struct hs_error damaged = {0};
  if (hs_tuning_load(tuning, &damaged)) hs_cli_warn(damaged.text);
}

static hs_status show(const char *path, bool quiet)
{
  struct hs_tuning *kept = NULL;
  kept_load(&kept);
  if (!quiet && kept) {
    printf("measured on %s, %s\nkept in %s\n\n", kept->machine, kept->measured_utc, hs_shown(path).text);
    table_print(kept);
  } else if (!quiet) {
    const struct hs_tuning *builtin = hs_tuning_builtin();
    printf("no measurements of this machine in %s; `heatsolve tune` makes them\n"
           "built-in costs of %s, scaled to this machine when they are used:\n\n",
           hs_shown(path).text, builtin->machine);
    table_print(builtin);
  }
  hs_tuning_destroy(kept);
  return HS_OK;
}

static hs_status forget(const char *path, bool quiet, struct hs_error *err)
{
  if (!unlink(path)) {
    if (!quiet) printf("removed %s\n", hs_shown(path).text);
    return HS_OK;
  }
  if (errno != ENOENT && errno != ENOTDIR)
    return hs_error_set(err, HS_ERR_IO, "cannot remove %s: %s", path, strerror(errno));
  if (!quiet) printf("there is no %s\n", hs_shown(path).text);
  return HS_OK;
}

/* Curves that were kept and have not been measured again stay. */
static hs_status curves_keep(struct hs_tuning *tuning, struct hs_error *err)
{
  struct hs_tuning *kept = NULL;
  const int fresh = tuning->count;
  hs_status status = HS_OK;
  kept_load(&kept);
  for (int c = 0; kept && c < kept->count; c++) {
    const struct hs_tuning_curve *old = &kept->curve[c];
    bool renewed = false;
    for (int k = 0; k < fresh; k++) {
      const struct hs_tuning_curve *new = &tuning->curve[k];
      renewed = renewed || (new->kind == old->kind &&new->single == old->single && !strcmp(new->backend, old->backend));
    }
    for (int k = 0; !status && !renewed && k < old->count; k++)
      status =
          hs_tuning_add(tuning, old->backend, old->kind, old->single, old->point[k].nodes, old->point[k].sweep_s, err);
  }
  hs_tuning_destroy(kept);
  return status;
}

static void point_draw(void *context, const struct hs_tune_point *point, double progress)
{
  char line[96];
  (void)context;
  snprintf(line, sizeof line, "%3.0f %%  %s, %s, %s, %d x %d nodes", 100.0 * progress, point->backend,
           hs_tuning_kind_name(point->kind), point->single ? "single" : "double", point->size, point->size);
  fprintf(stderr, "\r%-78.78s", line);
  fflush(stderr);
}

static hs_status measure(const struct options *options, struct hs_tuning *tuning, bool *stopped, struct hs_error *err)
{
  const bool drawn = !options->quiet && isatty(STDERR_FILENO);
  const struct hs_tune_observer observer = {drawn ? point_draw : NULL, NULL, hs_cli_catch_signals().stop};
  const struct hs_tune_settings settings = {options->backend, options->backend_count, options->quick};
  hs_status status;
  hs_tuning_machine(tuning->machine, sizeof tuning->machine);
  if (!options->quiet) printf("measuring on %s\n", tuning->machine);
  fflush(stdout);
  status = hs_tune_run(&settings, &observer, tuning, stopped, err);
  hs_time_utc(tuning->measured_utc, sizeof tuning->measured_utc);
  if (drawn) fprintf(stderr, "\r%78s\r", "");
  return status;
}

static hs_status tune(const struct options *options, const char *path, int *exit_code, struct hs_error *err)
{
  struct hs_tuning *tuning = NULL;
  bool stopped = false;
  hs_status status = hs_array_create((void **)&tuning, 1, sizeof *tuning, "the measured costs", err);
  if (!status) status = hs_tuning_save_try(err);
  if (!status) status = measure(options, tuning, &stopped, err);
  if (!status && stopped) {
    if (!options->quiet) printf("stopped; nothing was saved\n");
    *exit_code = HS_EXIT_INTERRUPTED;
    goto out;
  }
  if (!status) status = curves_keep(tuning, err);
  if (!status) status = hs_tuning_save(tuning, err);
  if (!status && !options->quiet) {
    table_print(tuning);
    printf("\nkept in %s; `heatsolve tune --forget` removes it\n", hs_shown(path).text);
  }
out:
  hs_tuning_destroy(tuning);
  return status;
}

hs_status hs_cli_tune(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  struct options options;
  char *path = NULL;
  hs_status status = options_take(cli, &options, err);
  *exit_code = HS_EXIT_OK;
  if (status) return status;
  for (const struct hs_backend *const *b = hs_backend_list(); !options.named && *b; b++)
    if (options.backend_count < MOST_BACKENDS) options.backend[options.backend_count++] = *b;
  path = hs_tuning_path(err);
  if (!path) return HS_ERR_IO;
  if (options.show)
    status = show(path, options.quiet);
  else if (options.forget)
    status = forget(path, options.quiet, err);
  else
    status = tune(&options, path, exit_code, err);
  free(path);
  return status;
}
