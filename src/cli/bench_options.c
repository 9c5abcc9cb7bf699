/* The options of heatsolve bench: lists of sizes and names, ranges of numbers. */
#include "cli/bench_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"

enum { LEAST_SIDE = 3, MOST_SIDE = 1 << 18, MOST_CHECK_EVERY = 1000000, MOST_REPEATS = 101, MOST_THREADS = 4096 };
static const double LEAST_S = 1e-4, MOST_S = 600.0;

/* "256" or "1024x512" at *text, which moves behind it. */
static bool size_take(const char **text, struct hs_bench_size *size)
{
  long nx, ny;
  if (!hs_number_take(text, LEAST_SIDE, MOST_SIDE, &nx)) return false;
  ny = nx;
  if (**text == 'x') {
    ++*text;
    if (!hs_number_take(text, LEAST_SIDE, MOST_SIDE, &ny)) return false;
  }
  size->nx = (int)nx;
  size->ny = (int)ny;
  return true;
}

static hs_status sizes_parse(const struct hs_given *given, struct hs_bench_cases *cases, struct hs_error *err)
{
  const char *item = given->value;
  cases->size_count = 0;
  for (;;) {
    struct hs_bench_size size;
    if (!size_take(&item, &size) || (*item && *item != ',') || cases->size_count == HS_BENCH_SIZES) {
      char allowed[200];
      snprintf(allowed, sizeof allowed,
               "up to %d sizes from %d to %d with commas between them, each the nodes of a side or NXxNY, like "
               "256,1024,2048x512",
               (int)HS_BENCH_SIZES, (int)LEAST_SIDE, (int)MOST_SIDE);
      return hs_option_refuse(given->row, given->value, allowed, err);
    }
    cases->size[cases->size_count++] = size;
    if (!*item) return HS_OK;
    item++;
  }
}

/* chosen[count]: which of the words of the option's kind its list names. */
static hs_status words_parse(const struct hs_given *given, bool *chosen, int count, struct hs_error *err)
{
  struct hs_picks picks;
  const hs_status status = hs_option_pick(given->row, given->value, &picks, err);
  for (int k = 0; k < count; k++) chosen[k] = false;
  for (int k = 0; !status && k < picks.count; k++) chosen[picks.which[k]] = true;
  return status;
}

static hs_status precisions_parse(const struct hs_given *given, struct hs_bench_cases *cases, struct hs_error *err)
{
  bool chosen[3]; /* double, single, both */
  const hs_status status = words_parse(given, chosen, 3, err);
  cases->precision[0] = !status && (chosen[0] || chosen[2]);
  cases->precision[1] = !status && (chosen[1] || chosen[2]);
  return status;
}

static hs_status backends_parse(const struct hs_given *given, struct hs_bench_options *options, struct hs_error *err)
{
  struct hs_picks picks;
  const hs_status status = hs_option_pick(given->row, given->value, &picks, err);
  options->backends_named = true;
  options->cases.backend_count = 0;
  for (int k = 0; !status && k < picks.count && k < HS_BENCH_BACKENDS; k++)
    options->cases.backend[options->cases.backend_count++] = hs_backend_list()[picks.which[k]];
  return status;
}

static hs_status walls_parse(const struct hs_given *given, struct hs_bench_cases *cases, struct hs_error *err)
{
  bool chosen[2]; /* held, mixed */
  const hs_status status = words_parse(given, chosen, 2, err);
  cases->convection = !status && chosen[1];
  return status;
}

static hs_status seconds_parse(const struct hs_given *given, double *seconds, struct hs_error *err)
{
  char *end = NULL, allowed[60];
  *seconds = strtod(given->value, &end);
  if (end != given->value && !*end && *seconds >= LEAST_S && *seconds <= MOST_S) return HS_OK;
  snprintf(allowed, sizeof allowed, "a number from %g to %g", LEAST_S, MOST_S);
  return hs_option_refuse(given->row, given->value, allowed, err);
}

static hs_status file_parse(const struct hs_given *given, const char **file, struct hs_error *err)
{
  *file = given->value;
  return **file ? HS_OK : hs_option_refuse(given->row, given->value, "a name that is not empty", err);
}

static hs_status integer_parse(const struct hs_given *given, long least, long most, int *value, struct hs_error *err)
{
  return hs_option_integer(given->row, given->value, least, most, value, err);
}

static hs_status option_take(const struct hs_given *given, struct hs_bench_options *options, struct hs_error *err)
{
  struct hs_bench_cases *cases = &options->cases;
  switch (given->row->option) {
  case HS_OPTION_SIZE: options->sizes_named = true; return sizes_parse(given, cases, err);
  case HS_OPTION_PRECISION: return precisions_parse(given, cases, err);
  case HS_OPTION_BACKEND: return backends_parse(given, options, err);
  case HS_OPTION_MATERIAL: return words_parse(given, cases->pattern, HS_RATE_PATTERNS, err);
  case HS_OPTION_FORM: return words_parse(given, cases->form, HS_RATE_FORMS, err);
  case HS_OPTION_MODE: return words_parse(given, cases->mode, HS_RATE_MODES, err);
  case HS_OPTION_NO_SOURCE: cases->source = false; return HS_OK;
  case HS_OPTION_WALLS: return walls_parse(given, cases, err);
  case HS_OPTION_CHECK_EVERY: return integer_parse(given, 1, MOST_CHECK_EVERY, &cases->settings.check_every, err);
  case HS_OPTION_SECONDS: return seconds_parse(given, &cases->settings.seconds, err);
  case HS_OPTION_REPEATS: return integer_parse(given, 1, MOST_REPEATS, &cases->settings.repeats, err);
  case HS_OPTION_THREADS: return integer_parse(given, 0, MOST_THREADS, &cases->threads, err);
  case HS_OPTION_GPUS: return integer_parse(given, 1, HS_DEVICES_MOST, &cases->gpus, err);
  case HS_OPTION_CSV: return file_parse(given, &options->csv, err);
  case HS_OPTION_JSON: return file_parse(given, &options->json, err);
  case HS_OPTION_CHART: return file_parse(given, &options->chart, err);
  case HS_OPTION_OUTPUT: return file_parse(given, &options->folder, err);
  default: return hs_error_set(err, HS_ERR_INTERNAL, "bench does not know --%s", given->row->name);
  }
}

static void defaults_set(struct hs_bench_options *options)
{
  memset(options, 0, sizeof *options);
  options->cases = (struct hs_bench_cases){
      .size = {{256, 256}, {1024, 1024}, {4096, 4096}},
      .size_count = 3,
      .precision = {true, true},
      .pattern = {[HS_RATE_UNIFORM] = true},
      .form = {[HS_RATE_PLAIN] = true},
      .mode = {[HS_RATE_SWEEP] = true},
      .source = true,
      .gpus = 1,
      .settings = {.check_every = 256, .seconds = 0.1, .repeats = 5},
  };
}

/* Refuses options that describe another plate than the configuration's, and overrides of none. */
static hs_status file_check(const struct hs_cli *cli, struct hs_error *err)
{
  static const enum hs_option plate[] = {HS_OPTION_MATERIAL, HS_OPTION_WALLS, HS_OPTION_NO_SOURCE};
  if (cli->file_count == 0 && cli->override_count > 0)
    return hs_usage_error(err, HS_COMMAND_BENCH, "--set needs a file, CONFIG.ini, to change");
  for (int k = 0; cli->file_count > 0 && k < cli->given_count; k++)
    for (size_t m = 0; m < sizeof plate / sizeof *plate; m++)
      if (cli->given[k].row->option == plate[m])
        return hs_usage_error(err, HS_COMMAND_BENCH,
                              "--%s describes the plate that is measured without a file; leave out one of the two",
                              cli->given[k].row->name);
  return HS_OK;
}

/* Reads the configuration. */
static hs_status file_take(const struct hs_cli *cli, struct hs_bench_options *options, struct hs_error *err)
{
  struct hs_bench_cases *cases = &options->cases;
  const char *const *overrides = (const char *const *)cli->overrides;
  hs_status status = file_check(cli, err);
  if (status || cli->file_count == 0) return status;
  status = hs_config_load(cli->files[0], &options->text, err);
  if (!status)
    status = hs_config_parse(cli->files[0], options->text, overrides, cli->override_count, NULL, &options->config, err);
  if (status) return status;
  if (options->config->time.scheme != HS_SCHEME_STEADY)
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s is a run over time, and bench measures sweeps and steady solutions; "
                        "--set time.scheme=steady measures the plate as a steady problem",
                        options->config->path);
  cases->file = (struct hs_bench_file){options->config, cli->files[0], options->text, overrides, cli->override_count};
  if (options->sizes_named) return HS_OK;
  cases->size[0] = (struct hs_bench_size){options->config->grid.nx, options->config->grid.ny};
  cases->size_count = 1;
  return HS_OK;
}

void hs_bench_options_clear(struct hs_bench_options *options)
{
  hs_config_destroy(options->config);
  free(options->text);
  options->config = NULL;
  options->text = NULL;
}

hs_status hs_bench_options_take(const struct hs_cli *cli, struct hs_bench_options *options, struct hs_error *err)
{
  hs_status status = HS_OK;
  defaults_set(options);
  for (int k = 0; !status && k < cli->given_count; k++) status = option_take(&cli->given[k], options, err);
  return status ? status : file_take(cli, options, err);
}
