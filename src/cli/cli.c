/* Command line in GNU style (getopt_long): strict options, one command word, then files. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cli/cli.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/memory.h"
#include "output/output.h"

enum option_code {
  OPTION_SET = 256,
  OPTION_COLORMAP,
  OPTION_RANGE,
  OPTION_TITLE,
  OPTION_ISOTHERMS,
  OPTION_HELP_CONFIG,
  OPTION_PRINT_CONFIG
};

static const struct option long_options[] = {
    {"set", required_argument, NULL, OPTION_SET},
    {"backend", required_argument, NULL, 'b'},
    {"threads", required_argument, NULL, 't'},
    {"output", required_argument, NULL, 'o'},
    {"quiet", no_argument, NULL, 'q'},
    {"colormap", required_argument, NULL, OPTION_COLORMAP},
    {"range", required_argument, NULL, OPTION_RANGE},
    {"title", required_argument, NULL, OPTION_TITLE},
    {"isotherms", required_argument, NULL, OPTION_ISOTHERMS},
    {"help", no_argument, NULL, 'h'},
    {"help-config", no_argument, NULL, OPTION_HELP_CONFIG},
    {"print-config", no_argument, NULL, OPTION_PRINT_CONFIG},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

/* Command words, with the number of files each takes. */
static const struct {
  const char *word;
  enum hs_command command;
  int files;
} commands[] = {
    {"run", HS_COMMAND_RUN, 1},         {"check", HS_COMMAND_CHECK, 1},       {"verify", HS_COMMAND_VERIFY, 1},
    {"compare", HS_COMMAND_COMPARE, 2}, {"backends", HS_COMMAND_BACKENDS, 0}, {"render", HS_COMMAND_RENDER, 1},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

void hs_cli_print_help(void)
{
  fputs("Usage: heatsolve [OPTION]... CONFIG.ini\n"
        "       heatsolve COMMAND [OPTION]... FILE...\n"
        "Solve the 2D heat equation of a configuration file by Jacobi sweeps, on CPUs or GPUs.\n"
        "\n"
        "Commands:\n"
        "  run CONFIG.ini        solve and write field, pictures and report (the default)\n"
        "  check CONFIG.ini      say what would happen: memory, backend, expected sweeps and time\n"
        "  verify CONFIG.ini     solve on the chosen backend and on cpu-reference, compare the bits\n"
        "  compare A.h5 B.h5     difference of two fields\n"
        "  backends              what this build and this machine can run, with reasons\n"
        "  render FIELD.h5       draw a field again with other colours or another range\n"
        "\n"
        "Options:\n"
        "      --set SECTION.KEY=VALUE  override a configuration key; may be repeated, the last wins\n"
        "  -b, --backend NAME    short for --set solver.backend=NAME\n"
        "  -t, --threads N       short for --set solver.threads=N\n"
        "  -o, --output DIR      short for --set output.directory=DIR; for render: the picture's file name\n"
        "  -q, --quiet           no progress and no report on the terminal\n"
        "      --help-config     all configuration keys with unit, range and default\n"
        "      --print-config    a complete configuration with the defaults\n"
        "  -h, --help            this text\n"
        "  -V, --version         version and build features\n"
        "\n"
        "Options of render:\n"
        "      --colormap NAME   ",
        stdout);
  fputs(hs_colormap_names(), stdout);
  fputs("\n"
        "      --range MIN:MAX   temperatures (K) at the ends of the colour bar\n"
        "      --title TEXT      title above the picture\n"
        "      --isotherms N     number of isotherms, 0 for none\n"
        "\n"
        "Exit status: 0 converged (or the command did what it was asked), 1 verify and compare: the fields\n"
        "differ (or an internal failure), 2 usage or configuration, 3 iteration limit reached, 4 diverged,\n"
        "5 input or output, 6 device, 75 stopped by a signal after saving.\n"
        "\n"
        "A first run: heatsolve --print-config > my.ini; heatsolve my.ini\n",
        stdout);
}

void hs_cli_print_version(void)
{
  printf("heatsolve %s\n"
         "CUDA:      %s\n"
         "HDF5:      %s\n"
         "compiler:  %s\n"
         "flags:     %s\n"
         "backends: ",
         PACKAGE_VERSION, HS_BUILD_CUDA, HS_BUILD_HDF5, HS_BUILD_COMPILER, HS_BUILD_CFLAGS);
  for (const struct hs_backend *const *backend = hs_backend_list(); *backend; backend++) printf(" %s", (*backend)->name);
  printf("\nCopyright (c) 2026 the heatsolve authors. License: BSD-3-Clause.\n");
}

static hs_status usage_error(struct hs_error *err, const char *what, const char *value)
{
  return hs_error_set(err, HS_ERR_USAGE, "%s%s%s%s; try `heatsolve --help`", what, value ? " \"" : "",
                      value ? value : "", value ? "\"" : "");
}

/* Adds "key=value" (key with its section) to the overrides. */
static hs_status override_add(struct hs_cli *cli, const char *key, const char *value, struct hs_error *err)
{
  char *text = key ? hs_text_format(err, "%s=%s", key, value) : hs_text_copy(value, err);
  if (!text) return HS_ERR_MEMORY;
  cli->overrides[cli->override_count++] = text;
  return HS_OK;
}

static hs_status range_parse(struct hs_cli *cli, const char *text, struct hs_error *err)
{
  char *end = NULL;
  cli->range_min_k = strtod(text, &end);
  if (end != text && *end == ':') {
    const char *second = end + 1;
    cli->range_max_k = strtod(second, &end);
    if (end != second && !*end && isfinite(cli->range_min_k) && isfinite(cli->range_max_k) &&
        cli->range_min_k < cli->range_max_k)
      return HS_OK;
  }
  return usage_error(err, "--range takes two temperatures MIN:MAX in K with MIN below MAX, not", text);
}

static hs_status isotherms_parse(struct hs_cli *cli, const char *text, struct hs_error *err)
{
  char *end = NULL;
  const long value = strtol(text, &end, 10);
  if (end == text || *end || value < 0 || value > 100)
    return usage_error(err, "--isotherms takes a whole number from 0 to 100, not", text);
  cli->isotherms = (int)value;
  return HS_OK;
}

static hs_status option_take(struct hs_cli *cli, int code, const char *word, bool render, struct hs_error *err)
{
  switch (code) {
  case OPTION_SET: return override_add(cli, NULL, optarg, err);
  case 'b': return override_add(cli, "solver.backend", optarg, err);
  case 't': return override_add(cli, "solver.threads", optarg, err);
  case 'o':
    cli->picture = optarg;
    return render ? HS_OK : override_add(cli, "output.directory", optarg, err);
  case 'q': cli->quiet = true; return HS_OK;
  case OPTION_COLORMAP: cli->colormap = optarg; return HS_OK;
  case OPTION_RANGE: return range_parse(cli, optarg, err);
  case OPTION_TITLE: cli->title = optarg; return HS_OK;
  case OPTION_ISOTHERMS: return isotherms_parse(cli, optarg, err);
  case 'h': cli->command = HS_COMMAND_HELP; return HS_OK;
  case 'V': cli->command = HS_COMMAND_VERSION; return HS_OK;
  case OPTION_HELP_CONFIG: cli->command = HS_COMMAND_HELP_CONFIG; return HS_OK;
  case OPTION_PRINT_CONFIG: cli->command = HS_COMMAND_PRINT_CONFIG; return HS_OK;
  case ':': return usage_error(err, "an argument is missing after", word);
  default: return usage_error(err, "unknown or ambiguous option", word);
  }
}

/* The command word if there is one; RUN otherwise. */
static enum hs_command command_find(int argc, char **argv, int *word, int *files)
{
  *word = 0;
  *files = 1;
  for (int k = 1; k < argc; k++) {
    if (argv[k][0] == '-') continue;
    for (int c = 0; c < COMMAND_COUNT; c++) {
      if (strcmp(argv[k], commands[c].word)) continue;
      *word = k;
      *files = commands[c].files;
      return commands[c].command;
    }
    break;
  }
  return HS_COMMAND_RUN;
}

/* After getopt: what is left are the command word and the files. */
static hs_status files_take(struct hs_cli *cli, char **left, int count, bool has_word, int wanted, struct hs_error *err)
{
  if (has_word) {
    left++;
    count--;
  }
  if (cli->command >= HS_COMMAND_HELP) return HS_OK;
  if (count < wanted)
    return usage_error(err, cli->command == HS_COMMAND_RUN ? "no configuration file given" : "too few files given", NULL);
  if (count > wanted) {
    if (cli->command == HS_COMMAND_RUN && !has_word)
      return hs_error_set(err, HS_ERR_USAGE,
                          "\"%s\" is no command (known: run, check, verify, compare, backends, render) and only one "
                          "configuration can be run; try `heatsolve --help`",
                          left[0]);
    return usage_error(err, "too many arguments, starting with", left[wanted]);
  }
  for (int k = 0; k < count; k++) cli->files[k] = left[k];
  cli->file_count = count;
  return HS_OK;
}

/* Options that only render understands are refused elsewhere. */
static hs_status options_fit(const struct hs_cli *cli, struct hs_error *err)
{
  const bool drawing = cli->colormap || cli->title || cli->isotherms >= 0 || !isnan(cli->range_min_k);
  const bool configured = cli->command == HS_COMMAND_RUN || cli->command == HS_COMMAND_CHECK ||
                          cli->command == HS_COMMAND_VERIFY || cli->command >= HS_COMMAND_HELP;
  if (cli->command >= HS_COMMAND_HELP) return HS_OK;
  if (drawing && cli->command != HS_COMMAND_RENDER)
    return usage_error(err,
                       "--colormap, --range, --title and --isotherms belong to `heatsolve render`; for a run set "
                       "output.colormap, output.range_min, output.range_max, output.title or output.isotherms",
                       NULL);
  if (!configured && cli->override_count)
    return usage_error(err, "this command reads no configuration, so it takes no override; given", cli->overrides[0]);
  return HS_OK;
}

hs_status hs_cli_parse(int argc, char **argv, struct hs_cli *cli, struct hs_error *err)
{
  int word = 0, files = 1, code;
  hs_status status;
  memset(cli, 0, sizeof *cli);
  cli->range_min_k = cli->range_max_k = NAN;
  cli->isotherms = -1;
  status = hs_array_create((void **)&cli->overrides, (size_t)argc + 1, sizeof *cli->overrides, "the overrides", err);
  if (status) return status;

  opterr = 0;
  cli->command = command_find(argc, argv, &word, &files);
  {
    const bool render = cli->command == HS_COMMAND_RENDER;
    while (!status && (code = getopt_long(argc, argv, ":b:t:o:qhV", long_options, NULL)) != -1)
      status = option_take(cli, code, argv[optind - 1], render, err);
  }
  if (!status) status = files_take(cli, argv + optind, argc - optind, word > 0, files, err);
  if (!status) status = options_fit(cli, err);
  return status;
}

void hs_cli_clear(struct hs_cli *cli)
{
  for (int k = 0; k < cli->override_count; k++) free(cli->overrides[k]);
  free(cli->overrides);
  cli->overrides = NULL;
  cli->override_count = 0;
}

hs_status hs_cli_run(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  switch (cli->command) {
  case HS_COMMAND_CHECK: return hs_cli_check(cli, exit_code, err);
  case HS_COMMAND_VERIFY: return hs_cli_verify(cli, exit_code, err);
  case HS_COMMAND_COMPARE: return hs_cli_compare(cli, exit_code, err);
  case HS_COMMAND_BACKENDS: return hs_cli_backends(cli, exit_code, err);
  case HS_COMMAND_RENDER: return hs_cli_render(cli, exit_code, err);
  case HS_COMMAND_HELP: hs_cli_print_help(); return HS_OK;
  case HS_COMMAND_HELP_CONFIG: hs_config_print_help(stdout); return HS_OK;
  case HS_COMMAND_PRINT_CONFIG: hs_config_print_default(stdout); return HS_OK;
  case HS_COMMAND_VERSION: hs_cli_print_version(); return HS_OK;
  default: return hs_error_set(err, HS_ERR_INTERNAL, "command %d has no function", (int)cli->command);
  }
}
