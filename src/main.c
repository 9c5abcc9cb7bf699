/* heatsolve: one call per stage. This is the only place that prints a failure and exits. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <stdio.h>
#include <string.h>

#include "api/handle.h"
#include "api/heatsolve.h"
#include "cli/cli.h"
#include "output/output.h"

/* Who watches the run: a line on the terminal, and warnings on the standard error stream. */
struct watch {
  struct hs_progress_line line;
  int warned;
};

static int on_progress(void *context, const heatsolve_progress *progress)
{
  struct watch *watch = context;
  hs_progress_line_show(&watch->line, progress->text);
  return 0;
}

static void on_warning(void *context, const char *sentence)
{
  struct watch *watch = context;
  watch->warned++;
  hs_cli_warn(sentence);
}

/* The report, what came up during the run, and what the field is not good for. */
static void tell(heatsolve_result *result, const struct watch *watch, bool quiet)
{
  const char *report = quiet ? "" : heatsolve_report_text(result), *warning;
  if (report)
    fputs(report, stdout);
  else
    hs_cli_warn("no memory is left to print the report");
  for (int k = watch->warned; (warning = heatsolve_warning(result, k)) != NULL; k++) hs_cli_warn(warning);
}

/* "section.key=value" */
static int override(heatsolve_problem *problem, char *text, heatsolve_error *error)
{
  char *equals = strchr(text, '=');
  int status;
  *equals = '\0';
  status = heatsolve_set(problem, text, equals + 1, error);
  *equals = '=';
  return status;
}

/* The stages of a run are in api/run.c: config -> problem -> system -> solver(backend) -> result -> output. Of several ranks
 * one speaks. */
static hs_status run(const struct hs_cli *cli, struct hs_comm *comm, int *exit_code, struct hs_error *err)
{
  const bool speaks = hs_comm_rank(comm) == 0;
  heatsolve_error error = {0};
  heatsolve_problem *problem = NULL;
  heatsolve_result *result = NULL;
  struct watch watch = {.warned = 0};
  const unsigned flags = HEATSOLVE_FILES | (hs_cli_has(cli, HS_OPTION_FORCE) ? HEATSOLVE_FORCE : 0);
  const heatsolve_run_options options = {sizeof options, flags, on_progress, speaks ? on_warning : NULL, &watch};
  int status;

  status = heatsolve_open(cli->files[0], &problem, &error);
  for (int k = 0; !status && k < cli->override_count; k++) status = override(problem, cli->overrides[k], &error);
  if (!status) {
    hs_problem_ranks(problem, comm);
    hs_progress_line_start(&watch.line, stderr, false, cli->quiet || !speaks);
    hs_cli_signal_problem(problem);
    status = heatsolve_run(problem, &options, &result, &error);
    hs_cli_signal_problem(NULL);
    hs_progress_line_clear(&watch.line);
  }
  if (result) {
    if (speaks) tell(result, &watch, cli->quiet);
    *exit_code = heatsolve_exit_code(result);
  }
  heatsolve_free(result);
  heatsolve_close(problem);
  return status ? hs_error_set(err, (hs_status)status, "%s", error.text) : HS_OK;
}

int main(int argc, char **argv)
{
  const double ranks_wait_s = 120.0;
  struct hs_error err = {0};
  struct hs_comm *comm = hs_comm_alone();
  struct hs_cli cli;
  int exit_code = HS_EXIT_OK;

  hs_cli_guard_streams();
  hs_cli_guard_exit();
  hs_status status = hs_cli_parse(argc, argv, &cli, &err);
  if (status && hs_comm_first_tells()) return hs_cli_return(hs_status_exit_code(status));
  if (!status && hs_cli_is_run(&cli)) (void)hs_cli_catch_signals(); /* ranks take a second or more to meet */
  if (!status && hs_cli_is_run(&cli)) status = hs_comm_create(ranks_wait_s, &comm, &err);
  if (!status) status = hs_cli_is_run(&cli) ? run(&cli, comm, &exit_code, &err) : hs_cli_run(&cli, &exit_code, &err);
  hs_cli_clear(&cli);
  if (status) hs_comm_fail(comm, hs_status_exit_code(status), err.text);
  hs_comm_destroy(comm);
  if (!status && (fflush(stdout) || ferror(stdout)))
    status = hs_error_set(&err, HS_ERR_IO, "standard output could not be written; is it closed, or is its disk full?");
  if (!status) return hs_cli_return(exit_code);
  fprintf(stderr, "heatsolve: %s\n", err.text);
  return hs_cli_return(hs_status_exit_code(status));
}
