/* From the command line that was read to what it asks for. */
#include "cli/cli.h"

#include <stdio.h>

#include "cli/help/about.h"
#include "cli/help/completion.h"
#include "cli/help/help.h"
#include "cli/help/manual.h"
#include "cli/options.h"
#include "comm/comm.h"

/* Main runs a problem; everything else has a function. */
typedef hs_status (*command_function)(const struct hs_cli *cli, int *exit_code, struct hs_error *err);
static const command_function functions[HS_COMMANDS] = {
    [HS_COMMAND_CHECK] = hs_cli_check,     [HS_COMMAND_VERIFY] = hs_cli_verify,
    [HS_COMMAND_COMPARE] = hs_cli_compare, [HS_COMMAND_BACKENDS] = hs_cli_backends,
    [HS_COMMAND_RENDER] = hs_cli_render,   [HS_COMMAND_VALIDATE] = hs_cli_validate,
    [HS_COMMAND_BENCH] = hs_cli_bench,     [HS_COMMAND_TUNE] = hs_cli_tune,
    [HS_COMMAND_SUBMIT] = hs_cli_submit,   [HS_COMMAND_QUEUE] = hs_cli_queue,
    [HS_COMMAND_HELP] = hs_cli_help,
};

static void help_print(const struct hs_cli *cli)
{
  if (cli->named)
    hs_help_print_command(stdout, cli->command);
  else
    hs_help_print(stdout);
}

/* What the build installs beside the program. */
static hs_status generate(const struct hs_cli *cli, struct hs_error *err)
{
  struct hs_picks picks;
  const hs_status status = hs_option_pick(cli->instead, cli->instead_value, &picks, err);
  if (status) return status;
  switch ((enum hs_generated)picks.which[0]) {
  case HS_GENERATED_MANUAL: hs_manual_print(stdout); break;
  case HS_GENERATED_MANUAL_CONFIG: hs_config_print_manual(stdout); break;
  case HS_GENERATED_BASH: hs_completion_print_bash(stdout); break;
  case HS_GENERATED_ZSH: hs_completion_print_zsh(stdout); break;
  }
  return HS_OK;
}

static hs_status instead_run(const struct hs_cli *cli, struct hs_error *err)
{
  switch (cli->instead->option) {
  case HS_OPTION_HELP: help_print(cli); return HS_OK;
  case HS_OPTION_VERSION: hs_about_print(cli->argv[0]); return HS_OK;
  case HS_OPTION_HELP_CONFIG:
    if (cli->instead_value) return hs_config_print_section(stdout, cli->instead_value, err);
    hs_config_print_help(stdout);
    return HS_OK;
  case HS_OPTION_PRINT_CONFIG: hs_config_print_default(stdout); return HS_OK;
  case HS_OPTION_GENERATE: return generate(cli, err);
  default: return hs_error_set(err, HS_ERR_INTERNAL, "--%s has no function", cli->instead->name);
  }
}

bool hs_cli_has(const struct hs_cli *cli, enum hs_option option)
{
  for (int k = 0; k < cli->given_count; k++)
    if (cli->given[k].row->option == option) return true;
  return false;
}

bool hs_cli_is_run(const struct hs_cli *cli)
{
  return !cli->instead && cli->command == HS_COMMAND_RUN;
}

/* Runs alone are shared: of processes that a launcher has started together the first one does what else is asked for. */
static bool left_to_another(const struct hs_cli *cli)
{
  char text[200];
  int rank;
  const int ranks = hs_comm_launched_together(&rank);
  if (rank > 0) return true;
  if (ranks == 1 || cli->instead || cli->command == HS_COMMAND_HELP) return false;
  snprintf(text, sizeof text, "`heatsolve %s` is for one process, and %d were started: the others do nothing",
           hs_command_row(cli->command)->word, ranks);
  hs_cli_warn(text);
  return false;
}

hs_status hs_cli_run(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  if (left_to_another(cli)) return HS_OK;
  if (cli->instead) return instead_run(cli, err);
  if (functions[cli->command]) return functions[cli->command](cli, exit_code, err);
  return hs_error_set(err, HS_ERR_INTERNAL, "command %d has no function", (int)cli->command);
}
