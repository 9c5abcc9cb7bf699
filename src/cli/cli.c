/* Command line in GNU style (getopt_long): strict options, one command word, then files. bench and tune, which have no
 * option in common with the other commands but -q and -h, read theirs themselves.
 *
 * The arguments are read twice: first for the command word, since -o is a folder for a run and a file for
 * render, then for everything. --help, --version and their like end the reading.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cli/cli.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/backend.h"
#include "base/memory.h"
#include "cli/options.h"
#include "config/text.h"
#include "output/output.h"

enum option_code {
  OPTION_SET = 256,
  OPTION_COLORMAP,
  OPTION_RANGE,
  OPTION_TITLE,
  OPTION_ISOTHERMS,
  OPTION_MARKDOWN,
  OPTION_JSON,
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
    {"markdown", no_argument, NULL, OPTION_MARKDOWN},
    {"json", required_argument, NULL, OPTION_JSON},
    {"help", no_argument, NULL, 'h'},
    {"help-config", no_argument, NULL, OPTION_HELP_CONFIG},
    {"print-config", no_argument, NULL, OPTION_PRINT_CONFIG},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

/* "-": an operand is returned in its place, with code 1, so that a command word differs from a file behind "--". */
static const char short_options[] = "-:b:t:o:qhV";

struct command {
  const char *word;
  enum hs_command command;
  int files; /* -1: any number */
  const char *operands;
};

/* The first is the default. */
static const struct command commands[] = {
    {"run", HS_COMMAND_RUN, 1, "one file, CONFIG.ini"},
    {"check", HS_COMMAND_CHECK, 1, "one file, CONFIG.ini"},
    {"verify", HS_COMMAND_VERIFY, 1, "one file, CONFIG.ini"},
    {"compare", HS_COMMAND_COMPARE, 2, "two files, A.h5 B.h5"},
    {"backends", HS_COMMAND_BACKENDS, 0, "no file"},
    {"render", HS_COMMAND_RENDER, 1, "one file, FIELD.h5"},
    {"validate", HS_COMMAND_VALIDATE, -1, "any number of files, CONFIG.ini, and folders of such"},
    {"bench", HS_COMMAND_BENCH, 0, "no file"},
    {"tune", HS_COMMAND_TUNE, 0, "no file"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

/* What the command line has beside options: the command word, if it is there, and files. */
struct operands {
  const char **text; /* [count] */
  int count;
};

void hs_cli_print_help(void)
{
  fputs("Usage: heatsolve [OPTION]... CONFIG.ini\n"
        "       heatsolve COMMAND [OPTION]... FILE...\n"
        "Solve the 2D heat equation of a configuration file, steady or over time, by Jacobi sweeps, on CPUs or GPUs.\n"
        "\n"
        "Commands:\n"
        "  run CONFIG.ini        solve and write field, pictures and report (the default)\n"
        "  check CONFIG.ini      say what would happen: memory, backend, expected sweeps and time\n"
        "  verify CONFIG.ini     solve on the chosen backend and on cpu-reference, compare the bits\n"
        "  compare A.h5 B.h5     difference of two fields\n"
        "  backends              what this build and this machine can run, with reasons\n"
        "  render FIELD.h5       draw a field again with other colours or another range\n"
        "  validate [FILE.ini | DIRECTORY]...\n"
        "                        run cases with known answers ([expect NAME] sections) and compare; writes no\n"
        "                        file; default: the cases that came with heatsolve\n"
        "  bench                 measure how fast the backends sweep here, beside the speed of copying\n"
        "  tune                  measure what sweeps cost on this machine, and keep it for the choice of a backend\n"
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
        "Options of validate:\n"
        "      --markdown        print the table in Markdown\n"
        "      --json FILE       write the figures to FILE as well\n"
        "\n"
        "Options of render:\n"
        "      --colormap NAME   ",
        stdout);
  fputs(hs_colormap_names(), stdout);
  fputs("\n"
        "                        (default: inferno)\n"
        "      --range MIN:MAX   temperatures (K) at the ends of the colour bar; default: the field's own\n"
        "      --title TEXT      title above the picture; default: the run's\n"
        "      --isotherms N     number of isotherms, 0 (the default) to 100\n"
        "\n"
        "Options of bench (lists have commas between their items):\n"
        "  -n, --size LIST       nodes of a side, or NXxNY (default: 256,1024,4096)\n"
        "  -p, --precision WHICH double, single or both (the default)\n"
        "  -b, --backend LIST    default: all that can run here but cpu-reference\n"
        "  -m, --material LIST   uniform (the default), stripes, blocks, noise: one or eight materials; map: a\n"
        "                        conductivity for every cell\n"
        "  -f, --form LIST       plain (the default), weighted, chebyshev, rhs: sweeps of an implicit time step\n"
        "      --mode LIST       sweep (the default), tested: with a stop test, norm: with norms in every sweep\n"
        "      --no-source       without the heated rectangle in the middle\n"
        "      --walls KIND      held (the default), or mixed: convection in the east, a heat flux in the south\n"
        "  -c, --check-every N   sweeps between two stop tests (default: 256)\n"
        "  -s, --seconds S       least time of a repeat (default: 0.1)\n"
        "  -r, --repeats N       the median of so many counts (default: 5)\n"
        "  -t, --threads N       CPU threads at most; 0 (the default): as many as there are\n"
        "      --csv FILE, --json FILE, --chart FILE.png\n"
        "                        write the table, everything, a chart\n"
        "  -o, --output DIR      all three, as bench.csv, bench.json and bench.png in DIR\n"
        "\n"
        "Options of tune:\n"
        "  -b, --backend LIST    default: all that can run here\n"
        "      --quick           fewer sizes and shorter times\n"
        "      --show            print what is known of this machine, and where from\n"
        "      --forget          remove what was kept\n"
        "\n"
        "Sections of a configuration: grid, material, material NAME, shape NAME, source NAME, loss NAME, boundary,\n"
        "boundary NAME, map, initial, probe NAME, expect NAME, time, solver, output; --help-config explains the keys.\n"
        "A run over time (time.scheme) writes snapshots.h5 and snapshots.xdmf as it goes.\n"
        "\n"
        "Exit status: 0 converged, or completed: a run over time reached its end (or the command did what it was\n"
        "asked), 1 verify and compare: the fields differ, validate: a value is not met (or memory ran out on the\n"
        "way, or heatsolve has a bug), 2 usage or configuration (a grid too large for the machine, too),\n"
        "3 iteration limit reached or stagnated by rounding, 4 diverged, 5 input or output, 6 device,\n"
        "75 stopped by a signal after saving (tune saves nothing then).\n"
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
         "cases:     %s\n"
         "backends: ",
         PACKAGE_VERSION, HS_BUILD_CUDA, HS_BUILD_HDF5, HS_BUILD_COMPILER, HS_BUILD_CFLAGS,
         HS_PKGDATADIR "/validation");
  for (const struct hs_backend *const *backend = hs_backend_list(); *backend; backend++)
    printf(" %s", (*backend)->name);
  printf("\nCopyright (c) 2026 the heatsolve authors. License: BSD-3-Clause.\n");
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
    if (end != second && !*end && cli->range_min_k < cli->range_max_k && isfinite(cli->range_max_k - cli->range_min_k))
      return HS_OK;
  }
  return hs_usage_error(err, "--range takes two temperatures MIN:MAX in K with MIN below MAX, like 0:100, not", text);
}

static hs_status isotherms_parse(struct hs_cli *cli, const char *text, struct hs_error *err)
{
  char *end = NULL;
  const long value = strtol(text, &end, 10);
  if (end == text || *end || value < 0 || value > 100)
    return hs_usage_error(err, "--isotherms takes a whole number from 0 to 100, not", text);
  cli->isotherms = (int)value;
  return HS_OK;
}

static hs_status option_take(struct hs_cli *cli, int code, const char *argument, bool render, struct hs_error *err)
{
  switch (code) {
  case OPTION_SET: return override_add(cli, NULL, optarg, err);
  case 'b': return override_add(cli, "solver.backend", optarg, err);
  case 't': return override_add(cli, "solver.threads", optarg, err);
  case 'o': cli->picture = optarg; return render ? HS_OK : override_add(cli, "output.directory", optarg, err);
  case 'q': cli->quiet = true; return HS_OK;
  case OPTION_COLORMAP: cli->colormap = optarg; return HS_OK;
  case OPTION_RANGE: return range_parse(cli, optarg, err);
  case OPTION_TITLE: cli->title = optarg; return HS_OK;
  case OPTION_ISOTHERMS: return isotherms_parse(cli, optarg, err);
  case OPTION_MARKDOWN: cli->markdown = true; return HS_OK;
  case OPTION_JSON: cli->json = optarg; return HS_OK;
  case 'h': cli->command = HS_COMMAND_HELP; return HS_OK;
  case 'V': cli->command = HS_COMMAND_VERSION; return HS_OK;
  case OPTION_HELP_CONFIG: cli->command = HS_COMMAND_HELP_CONFIG; return HS_OK;
  case OPTION_PRINT_CONFIG: cli->command = HS_COMMAND_PRINT_CONFIG; return HS_OK;
  default: return hs_option_refuse(long_options, code, argument, err);
  }
}

/* The command whose word is the first operand, or NULL. What options mean depends on it, so it is found before. */
static const struct command *command_find(int argc, char **argv)
{
  int code;
  optind = 0;
  while ((code = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
    if (code != 1) continue;
    for (int c = 0; c < COMMAND_COUNT; c++)
      if (!strcmp(optarg, commands[c].word)) return &commands[c];
    break;
  }
  return NULL;
}

static void operand_add(struct operands *operands, const char *text)
{
  operands->text[operands->count++] = text;
}

/* The command that a word was probably meant to be, or NULL. */
static const char *command_nearest(const char *typed)
{
  const char *words[COMMAND_COUNT];
  for (int c = 0; c < COMMAND_COUNT; c++) {
    if (!strcmp(typed, commands[c].word)) return NULL; /* stands behind "--" */
    words[c] = commands[c].word;
  }
  return hs_text_nearest(typed, words, COMMAND_COUNT);
}

/* The wrong number of files, or a misspelt command in the place of a configuration. */
static hs_status operands_refuse(const struct operands *operands, const struct command *named, struct hs_error *err)
{
  const char *first = operands->count ? operands->text[0] : "";
  const char *nearest = command_nearest(first);
  if (!operands->count) return hs_usage_error(err, "no configuration file was given", NULL);
  if (named)
    return hs_error_set(err, HS_ERR_USAGE, "`heatsolve %s` takes %s; %d given; try `heatsolve --help`", named->word,
                        named->operands, operands->count - 1);
  if (nearest)
    return hs_error_set(err, HS_ERR_USAGE, "unknown command \"%s\"; did you mean \"%s\"? Try `heatsolve --help`", first,
                        nearest);
  return hs_error_set(err, HS_ERR_USAGE,
                      "\"%s\" is no command (known: run, check, verify, compare, backends, render, validate, bench, "
                      "tune), and only one "
                      "configuration can be run at a time; try `heatsolve --help`",
                      first);
}

static hs_status operands_take(struct hs_cli *cli, const struct operands *operands, const struct command *named,
                               struct hs_error *err)
{
  const int skipped = named ? 1 : 0;
  const int wanted = named ? named->files : commands[0].files;
  if (cli->command >= HS_COMMAND_HELP) return HS_OK;
  if (wanted >= 0 && operands->count - skipped != wanted) return operands_refuse(operands, named, err);
  if (!named && access(operands->text[0], F_OK) && command_nearest(operands->text[0]))
    return operands_refuse(operands, named, err);
  for (int k = skipped; k < operands->count; k++) {
    cli->files[cli->file_count++] = operands->text[k];
    if (!operands->text[k][0]) return hs_usage_error(err, "a file name is empty", NULL);
  }
  return HS_OK;
}

/* Options that only render or validate understands are refused elsewhere. */
static hs_status options_fit(const struct hs_cli *cli, struct hs_error *err)
{
  const bool drawing = cli->colormap || cli->title || cli->isotherms >= 0 || !isnan(cli->range_min_k);
  const bool configured = cli->command == HS_COMMAND_RUN || cli->command == HS_COMMAND_CHECK ||
                          cli->command == HS_COMMAND_VERIFY || cli->command == HS_COMMAND_VALIDATE;
  if (cli->command >= HS_COMMAND_HELP) return HS_OK;
  if (drawing && cli->command != HS_COMMAND_RENDER)
    return hs_usage_error(err,
                          "--colormap, --range, --title and --isotherms belong to `heatsolve render`; for a run set "
                          "output.colormap, output.range_min, output.range_max, output.title or output.isotherms",
                          NULL);
  if ((cli->markdown || cli->json) && cli->command != HS_COMMAND_VALIDATE)
    return hs_usage_error(err, "--markdown and --json belong to `heatsolve validate`", NULL);
  if (cli->command == HS_COMMAND_VALIDATE && cli->picture)
    return hs_usage_error(err, "`heatsolve validate` leaves no fields behind, so it takes no --output; given",
                          cli->picture);
  if (!configured && cli->override_count)
    return hs_usage_error(err, "this command reads no configuration, so it takes no override; given",
                          cli->overrides[0]);
  return HS_OK;
}

hs_status hs_cli_parse(int argc, char **argv, struct hs_cli *cli, struct hs_error *err)
{
  struct operands operands = {NULL, 0};
  const struct command *named;
  int code;
  hs_status status;
  memset(cli, 0, sizeof *cli);
  cli->argc = argc;
  cli->argv = argv;
  cli->range_min_k = cli->range_max_k = NAN;
  cli->isotherms = -1;
  status = hs_array_create((void **)&cli->overrides, (size_t)argc + 1, sizeof *cli->overrides, "the overrides", err);
  if (!status)
    status = hs_array_create((void **)&cli->files, (size_t)argc + 1, sizeof *cli->files, "the file names", err);
  if (!status)
    status = hs_array_create((void **)&operands.text, (size_t)argc + 1, sizeof *operands.text, "the operands", err);
  if (status) return status;

  named = command_find(argc, argv);
  cli->command = named ? named->command : commands[0].command;
  if (cli->command == HS_COMMAND_BENCH || cli->command == HS_COMMAND_TUNE) {
    free(operands.text);
    return HS_OK;
  }
  optind = 0;
  while (!status && cli->command < HS_COMMAND_HELP &&
         (code = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
    if (code == 1)
      operand_add(&operands, optarg);
    else
      status = option_take(cli, code, argv[optind - 1], named && named->command == HS_COMMAND_RENDER, err);
  }
  for (; optind < argc; optind++) operand_add(&operands, argv[optind]);
  if (!status) status = operands_take(cli, &operands, named, err);
  if (!status) status = options_fit(cli, err);
  free(operands.text);
  return status;
}

void hs_cli_clear(struct hs_cli *cli)
{
  for (int k = 0; k < cli->override_count; k++) free(cli->overrides[k]);
  free(cli->overrides);
  free(cli->files);
  cli->files = NULL;
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
  case HS_COMMAND_VALIDATE: return hs_cli_validate(cli, exit_code, err);
  case HS_COMMAND_BENCH: return hs_cli_bench(cli, exit_code, err);
  case HS_COMMAND_TUNE: return hs_cli_tune(cli, exit_code, err);
  case HS_COMMAND_HELP: hs_cli_print_help(); return HS_OK;
  case HS_COMMAND_HELP_CONFIG: hs_config_print_help(stdout); return HS_OK;
  case HS_COMMAND_PRINT_CONFIG: hs_config_print_default(stdout); return HS_OK;
  case HS_COMMAND_VERSION: hs_cli_print_version(); return HS_OK;
  default: return hs_error_set(err, HS_ERR_INTERNAL, "command %d has no function", (int)cli->command);
  }
}
