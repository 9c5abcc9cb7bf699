/* The command line: options, and one function per command.
 *
 * A command returns an exit code through *exit_code, or a failure for main to print. It knows all
 * stages and owns none of their methods.
 */
#ifndef HS_CLI_CLI_H
#define HS_CLI_CLI_H

#include <signal.h>
#include <stdbool.h>

#include "base/status.h"
#include "config/config.h"

enum hs_command {
  HS_COMMAND_RUN,
  HS_COMMAND_CHECK,
  HS_COMMAND_VERIFY,
  HS_COMMAND_COMPARE,
  HS_COMMAND_BACKENDS,
  HS_COMMAND_RENDER,
  HS_COMMAND_VALIDATE,
  HS_COMMAND_BENCH,
  HS_COMMAND_TUNE,
  HS_COMMAND_HELP,
  HS_COMMAND_HELP_CONFIG,
  HS_COMMAND_PRINT_CONFIG,
  HS_COMMAND_VERSION
};

struct hs_cli {
  enum hs_command command;
  const char **files; /* [file_count] configuration, fields or folders; the array is owned */
  int file_count;
  char **overrides; /* [override_count] "section.key=value", owned */
  int override_count;
  bool quiet;
  /* render */
  const char *picture; /* output file */
  const char *colormap, *title;
  double range_min_k, range_max_k; /* NaN: the field's own */
  int isotherms;                   /* -1: not asked for */
  /* validate */
  bool markdown;    /* the table for a README */
  const char *json; /* output file, or NULL */
  /* bench and tune read their options themselves */
  int argc;
  char **argv; /* [argc] the whole command line, not owned */
};

/* Reads the command line into cli (all members are set). Errors: HS_ERR_USAGE, HS_ERR_MEMORY. */
hs_status hs_cli_parse(int argc, char **argv, struct hs_cli *cli, struct hs_error *err);

void hs_cli_clear(struct hs_cli *cli);

/* Runs any command but HS_COMMAND_RUN, which is main's. */
hs_status hs_cli_run(const struct hs_cli *cli, int *exit_code, struct hs_error *err);

/* The commands. */
hs_status hs_cli_check(const struct hs_cli *cli, int *exit_code, struct hs_error *err);
hs_status hs_cli_verify(const struct hs_cli *cli, int *exit_code, struct hs_error *err);
hs_status hs_cli_compare(const struct hs_cli *cli, int *exit_code, struct hs_error *err);
hs_status hs_cli_backends(const struct hs_cli *cli, int *exit_code, struct hs_error *err);
hs_status hs_cli_validate(const struct hs_cli *cli, int *exit_code, struct hs_error *err);
hs_status hs_cli_bench(const struct hs_cli *cli, int *exit_code, struct hs_error *err);
hs_status hs_cli_tune(const struct hs_cli *cli, int *exit_code, struct hs_error *err);
hs_status hs_cli_render(const struct hs_cli *cli, int *exit_code, struct hs_error *err);
void hs_cli_print_help(void);
void hs_cli_print_version(void);

/* To be called first. Keeps files that are opened later off the numbers of closed standard streams, so that
 * writing to such a stream stays an error, and makes outgrowing a limit on file sizes an error as well. */
void hs_cli_guard_streams(void);

/* Sets up SIGINT and SIGTERM to raise the flag that is returned; a second one of either ends the program. */
const volatile sig_atomic_t *hs_cli_catch_signals(void);

/* Shows what a user should know although the command goes on, on the standard error stream. */
struct hs_warnings;
void hs_cli_warn(const struct hs_warnings *warnings);

#endif
