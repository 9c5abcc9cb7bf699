/* Reading the options of heatsolve bench: lists of sizes and names, ranges of numbers. */
#include "cli/bench_options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"

enum { LEAST_SIDE = 3, MOST_SIDE = 1 << 18, MOST_CHECK_EVERY = 1000000, MOST_REPEATS = 101, MOST_THREADS = 4096 };
static const double LEAST_S = 1e-4, MOST_S = 600.0;

enum option_code { OPTION_MODE = 256, OPTION_NO_SOURCE, OPTION_WALLS, OPTION_CSV, OPTION_JSON, OPTION_CHART };

static const struct option long_options[] = {
    {"size", required_argument, NULL, 'n'},
    {"precision", required_argument, NULL, 'p'},
    {"backend", required_argument, NULL, 'b'},
    {"material", required_argument, NULL, 'm'},
    {"form", required_argument, NULL, 'f'},
    {"mode", required_argument, NULL, OPTION_MODE},
    {"no-source", no_argument, NULL, OPTION_NO_SOURCE},
    {"walls", required_argument, NULL, OPTION_WALLS},
    {"check-every", required_argument, NULL, 'c'},
    {"seconds", required_argument, NULL, 's'},
    {"repeats", required_argument, NULL, 'r'},
    {"threads", required_argument, NULL, 't'},
    {"csv", required_argument, NULL, OPTION_CSV},
    {"json", required_argument, NULL, OPTION_JSON},
    {"chart", required_argument, NULL, OPTION_CHART},
    {"output", required_argument, NULL, 'o'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};
static const char short_options[] = "-:n:p:b:m:f:c:s:r:t:o:qhV";

/* A whole number from least to most at *text, which moves behind it. */
static bool number_take(const char **text, long least, long most, long *value)
{
  char *end = NULL;
  if (!isdigit((unsigned char)**text)) return false;
  errno = 0;
  *value = strtol(*text, &end, 10);
  *text = end;
  return errno == 0 && *value >= least && *value <= most;
}

/* "256" or "1024x512" at *text, which moves behind it. */
static bool size_take(const char **text, struct hs_bench_size *size)
{
  long nx, ny;
  if (!number_take(text, LEAST_SIDE, MOST_SIDE, &nx)) return false;
  ny = nx;
  if (**text == 'x') {
    ++*text;
    if (!number_take(text, LEAST_SIDE, MOST_SIDE, &ny)) return false;
  }
  size->nx = (int)nx;
  size->ny = (int)ny;
  return true;
}

static hs_status sizes_parse(const char *text, struct hs_bench_plan *plan, struct hs_error *err)
{
  const char *item = text;
  plan->size_count = 0;
  for (;;) {
    struct hs_bench_size size;
    if (!size_take(&item, &size) || (*item && *item != ',') || plan->size_count == HS_BENCH_SIZES)
      return hs_error_set(
          err, HS_ERR_USAGE,
          "--size takes up to %d sizes from %d to %d with commas between them, each the nodes of a side "
          "or NXxNY, like 256,1024,2048x512, not \"%.80s\"; try `heatsolve --help`",
          (int)HS_BENCH_SIZES, (int)LEAST_SIDE, (int)MOST_SIDE, text);
    plan->size[plan->size_count++] = size;
    if (!*item) return HS_OK;
    item++;
  }
}

static const char *pattern_name(int k)
{
  return hs_rate_pattern_name((enum hs_rate_pattern)k);
}

static const char *form_name(int k)
{
  return hs_rate_form_name((enum hs_rate_form)k);
}

static const char *mode_name(int k)
{
  return hs_rate_mode_name((enum hs_rate_mode)k);
}

/* A list of names out of name(0) .. name(count - 1): chosen[k] says whether the k-th is in it. */
static hs_status names_parse(const char *option, const char *text, const char *(*name)(int), int count, bool *chosen,
                             struct hs_error *err)
{
  const char *item = text;
  memset(chosen, 0, (size_t)count * sizeof *chosen);
  for (;;) {
    const size_t length = strcspn(item, ",");
    int k = 0;
    while (k < count && (strlen(name(k)) != length || strncmp(name(k), item, length))) k++;
    if (k == count) {
      hs_error_set(err, HS_ERR_USAGE, "%s takes a list out of", option);
      for (k = 0; k < count; k++) hs_error_append(err, "%s%s", name(k), k + 1 < count ? "," : "");
      hs_error_append(err, "with commas between them, not \"%.80s\"; try `heatsolve --help`", text);
      return HS_ERR_USAGE;
    }
    chosen[k] = true;
    if (!item[length]) return HS_OK;
    item += length + 1;
  }
}

static hs_status precision_parse(const char *text, struct hs_bench_plan *plan, struct hs_error *err)
{
  const bool both = !strcmp(text, "both");
  plan->precision[0] = both || !strcmp(text, "double");
  plan->precision[1] = both || !strcmp(text, "single");
  if (plan->precision[0] || plan->precision[1]) return HS_OK;
  return hs_usage_error(err, "--precision takes double, single or both, not", text);
}

static hs_status walls_parse(const char *text, struct hs_bench_plan *plan, struct hs_error *err)
{
  plan->convection = !strcmp(text, "mixed");
  if (plan->convection || !strcmp(text, "held")) return HS_OK;
  return hs_usage_error(err,
                        "--walls takes held (four temperatures) or mixed (convection in the east, a heat flux in the "
                        "south), not",
                        text);
}

static hs_status integer_parse(const char *option, const char *text, long least, long most, int *value,
                               struct hs_error *err)
{
  const char *end = text;
  long number = 0;
  if (!number_take(&end, least, most, &number) || *end)
    return hs_error_set(err, HS_ERR_USAGE,
                        "%s takes a whole number from %ld to %ld, not \"%.80s\"; try `heatsolve --help`", option, least,
                        most, text);
  *value = (int)number;
  return HS_OK;
}

static hs_status seconds_parse(const char *text, double *seconds, struct hs_error *err)
{
  char *end = NULL;
  *seconds = strtod(text, &end);
  if (end != text && !*end && *seconds >= LEAST_S && *seconds <= MOST_S) return HS_OK;
  return hs_error_set(err, HS_ERR_USAGE,
                      "--seconds takes a number from %g to %g, not \"%.80s\"; try `heatsolve --help`", LEAST_S, MOST_S,
                      text);
}

static hs_status file_parse(const char *option, const char *text, const char **file, struct hs_error *err)
{
  if (!*text)
    return hs_error_set(err, HS_ERR_USAGE, "%s needs a name that is not empty; try `heatsolve --help`", option);
  *file = text;
  return HS_OK;
}

static hs_status option_take(struct hs_bench_options *options, int code, const char *argument, struct hs_error *err)
{
  struct hs_bench_plan *plan = &options->plan;
  switch (code) {
  case 'n': return sizes_parse(optarg, plan, err);
  case 'p': return precision_parse(optarg, plan, err);
  case 'b':
    options->backends_named = true;
    return hs_option_backends(optarg, plan->backend, HS_BENCH_BACKENDS, &plan->backend_count, err);
  case 'm': return names_parse("--material", optarg, pattern_name, HS_RATE_PATTERNS, plan->pattern, err);
  case 'f': return names_parse("--form", optarg, form_name, HS_RATE_FORMS, plan->form, err);
  case OPTION_MODE: return names_parse("--mode", optarg, mode_name, HS_RATE_MODES, plan->mode, err);
  case OPTION_NO_SOURCE: plan->source = false; return HS_OK;
  case OPTION_WALLS: return walls_parse(optarg, plan, err);
  case 'c': return integer_parse("--check-every", optarg, 1, MOST_CHECK_EVERY, &plan->settings.check_every, err);
  case 's': return seconds_parse(optarg, &plan->settings.seconds, err);
  case 'r': return integer_parse("--repeats", optarg, 1, MOST_REPEATS, &plan->settings.repeats, err);
  case 't': return integer_parse("--threads", optarg, 0, MOST_THREADS, &plan->threads, err);
  case OPTION_CSV: return file_parse("--csv", optarg, &options->csv, err);
  case OPTION_JSON: return file_parse("--json", optarg, &options->json, err);
  case OPTION_CHART: return file_parse("--chart", optarg, &options->chart, err);
  case 'o': return file_parse("--output", optarg, &options->folder, err);
  case 'q': options->quiet = true; return HS_OK;
  case 'h': options->command = HS_COMMAND_HELP; return HS_OK;
  case 'V': options->command = HS_COMMAND_VERSION; return HS_OK;
  default: return hs_option_refuse(long_options, code, argument, err);
  }
}

static void defaults_set(struct hs_bench_options *options)
{
  memset(options, 0, sizeof *options);
  options->command = HS_COMMAND_BENCH;
  options->plan = (struct hs_bench_plan){
      .size = {{256, 256}, {1024, 1024}, {4096, 4096}},
      .size_count = 3,
      .precision = {true, true},
      .pattern = {[HS_RATE_UNIFORM] = true},
      .form = {[HS_RATE_PLAIN] = true},
      .mode = {[HS_RATE_SWEEP] = true},
      .source = true,
      .settings = {.check_every = 256, .seconds = 0.1, .repeats = 5},
  };
}

hs_status hs_bench_options_parse(int argc, char **argv, struct hs_bench_options *options, struct hs_error *err)
{
  hs_status status = HS_OK;
  int code, operands = 0;
  defaults_set(options);
  optind = 0;
  while (!status && options->command == HS_COMMAND_BENCH &&
         (code = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
    if (code == 1)
      operands++;
    else
      status = option_take(options, code, argv[optind - 1], err);
  }
  if (status || options->command != HS_COMMAND_BENCH) return status;
  return hs_option_no_files("bench", operands + argc - optind - 1, err);
}
