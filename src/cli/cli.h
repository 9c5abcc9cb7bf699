/* The command line as it was read, and one function per command.
 *
 * A command returns an exit code through *exit_code, or a failure for main to print. It knows all
 * stages and owns none of their methods.
 */
#ifndef HS_CLI_CLI_H
#define HS_CLI_CLI_H

#include <signal.h>
#include <stdbool.h>

#include "base/status.h"
#include "cli/commands.h"
#include "config/config.h"

/* An option of the command's own, as given. */
struct hs_given {
  const struct hs_option_row *row;
  const char *value; /* NULL: it takes none */
};

struct hs_cli {
  enum hs_command command;
  bool named;                          /* by its word; otherwise it is the default */
  const struct hs_option_row *instead; /* an option that takes the command's place (--help), or NULL */
  const char *instead_value;           /* its argument; of --help-config the word behind it; or NULL */
  const char **files;                  /* [file_count] operands behind the command word; the array is owned */
  int file_count;
  char **overrides; /* [override_count] "section.key=value", owned */
  int override_count;
  bool quiet;
  struct hs_given *given; /* [given_count], owned; what none of the members above holds */
  int given_count;
  int argc;
  char **argv; /* [argc] the whole command line, not owned */
};

/* Reads the command line into cli (all members are set). Errors: HS_ERR_USAGE, HS_ERR_MEMORY. */
hs_status hs_cli_parse(int argc, char **argv, struct hs_cli *cli, struct hs_error *err);

/* Was an option of the command's own given? */
bool hs_cli_has(const struct hs_cli *cli, enum hs_option option);

void hs_cli_clear(struct hs_cli *cli);

/* Is it left to main to run a problem? */
bool hs_cli_is_run(const struct hs_cli *cli);

/* Does what the command line says, unless hs_cli_is_run. */
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
hs_status hs_cli_queue(const struct hs_cli *cli, int *exit_code, struct hs_error *err);
hs_status hs_cli_submit(const struct hs_cli *cli, int *exit_code, struct hs_error *err);
hs_status hs_cli_help(const struct hs_cli *cli, int *exit_code, struct hs_error *err);

/* To be called first. Keeps files that are opened later off the numbers of closed standard streams, so that
 * writing to such a stream stays an error, and makes outgrowing a limit on file sizes an error as well. */
void hs_cli_guard_streams(void);

/* Libraries that call exit() where memory is short do not end the program without a sentence. Main returns through
 * hs_cli_return. */
void hs_cli_guard_exit(void);
int hs_cli_return(int exit_code);

/* What signals ask for. */
struct hs_cli_signals {
  const volatile sig_atomic_t *stop; /* not 0: end, after saving */
  const volatile sig_atomic_t *save; /* another value than before: save and go on */
};

/* Sets them up (cli/signals.c). */
struct hs_cli_signals hs_cli_catch_signals(void);

/* Hands what signals ask for, and have asked for, to the run of a problem, until another one or NULL is given. */
struct heatsolve_problem;
void hs_cli_signal_problem(struct heatsolve_problem *problem);

/* Shows what a user should know although the command goes on, --quiet or not, on the standard error stream. */
void hs_cli_warn(const char *text);

/* The same of all warnings but the first ones. */
struct hs_warnings;
void hs_cli_warn_from(const struct hs_warnings *warnings, int first);

#endif
