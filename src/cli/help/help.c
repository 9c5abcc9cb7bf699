/* heatsolve help, and --help: printed from the tables, within the width of a terminal. */
#include "cli/help/help.h"

#include "base/status.h"
#include "base/wrap.h"
#include "cli/cli.h"
#include "cli/options.h"

/* Columns of what stands before an explanation. */
enum { COMMAND_COLUMN = 12, OPTION_COLUMN = 26, CODE_COLUMN = 5 };

/* A line's beginning, used columns wide, then its explanation from the given column on, below where that is passed. */
static void explain(FILE *out, int used, int column, const char *text)
{
  char blanks[OPTION_COLUMN + 1];
  snprintf(blanks, sizeof blanks, "%*s", column, "");
  if (used + 1 >= column) {
    fputc('\n', out);
    used = 0;
  } else {
    used += fprintf(out, "%*s", column - used, "");
  }
  hs_wrap_print(out, used, blanks, text);
}

static void print_option(FILE *out, const struct hs_option_row *row)
{
  int used = row->letter ? fprintf(out, "  -%c, ", row->letter) : fprintf(out, "      ");
  used += fprintf(out, "--%s", row->name);
  if (row->argument) used += fprintf(out, " %s", row->argument);
  explain(out, used, OPTION_COLUMN, row->help);
}

static void print_options(FILE *out, enum hs_command command)
{
  for (const struct hs_option_row *row = hs_option_rows(); row->name; row++)
    if (hs_option_belongs(row, command) && !row->hidden) print_option(out, row);
}

const struct hs_exit_row *hs_exit_rows(void)
{
  static const struct hs_exit_row rows[] = {
      {HS_EXIT_OK, "converged, or completed: a run over time reached its end (or the command did what it was asked)"},
      {HS_EXIT_DIFFERENT, "verify and compare: the fields differ; validate: a value is not met (or memory ran out on "
                          "the way, or heatsolve has a bug)"},
      {HS_EXIT_USAGE, "command line or configuration (a grid too large for the machine, too)"},
      {HS_EXIT_LIMIT, "iteration limit reached, or stagnated by rounding"},
      {HS_EXIT_DIVERGED, "diverged"},
      {HS_EXIT_IO, "input or output"},
      {HS_EXIT_DEVICE, "device"},
      {HS_EXIT_INTERRUPTED, "stopped by a signal after saving (tune saves nothing then)"},
      {0, NULL},
  };
  return rows;
}

void hs_help_print(FILE *out)
{
  fputs("Usage: heatsolve [OPTION]... CONFIG.ini\n"
        "       heatsolve COMMAND [OPTION]... [FILE]...\n",
        out);
  hs_wrap_print(out, 0, "",
                "Solve the 2D heat equation of a configuration file, steady or over time, by Jacobi sweeps or "
                "multigrid, on CPUs or GPUs.");
  fputs("\nCommands (`heatsolve help COMMAND` explains one and its options):\n", out);
  for (int k = 0; k < HS_COMMANDS; k++) {
    const struct hs_command_row *row = hs_command_row((enum hs_command)k);
    explain(out, fprintf(out, "  %s", row->word), COMMAND_COLUMN, row->summary);
  }
  fputs("\nOptions of a run:\n", out);
  print_options(out, HS_COMMAND_RUN);
  fputs("\nExit status:\n", out);
  for (const struct hs_exit_row *row = hs_exit_rows(); row->help; row++)
    explain(out, fprintf(out, "%4d", row->code), CODE_COLUMN + 1, row->help);
  fputs("\nA first run: heatsolve --print-config > my.ini; heatsolve my.ini\n", out);
}

void hs_help_print_command(FILE *out, enum hs_command command)
{
  const struct hs_command_row *row = hs_command_row(command);
  fprintf(out, "Usage: heatsolve %s [OPTION]...%s%s\n", row->word, row->operands[0] ? " " : "", row->operands);
  hs_wrap_print(out, 0, "", row->about);
  fputs("\nOptions:\n", out);
  print_options(out, command);
}

hs_status hs_cli_help(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  const char *word = cli->file_count ? cli->files[0] : NULL, *nearest;
  const enum hs_command command = word ? hs_command_find(word) : HS_COMMANDS;
  *exit_code = HS_EXIT_OK;
  if (word && command == HS_COMMANDS) {
    nearest = hs_command_nearest(word);
    return hs_usage_error(err, HS_COMMAND_RUN, "there is no command \"%s\"%s%s%s", word,
                          nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
  }
  if (word)
    hs_help_print_command(stdout, command);
  else
    hs_help_print(stdout);
  return HS_OK;
}
