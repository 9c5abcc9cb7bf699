/* heatsolve bench: how fast this machine sweeps, as a table, CSV, JSON and a chart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shown.h"
#include "cli/bench_options.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "io/file.h"
#include "output/bench/bench.h"
#include "output/inputs.h"
#include "output/output.h"

/* Where results go; all owned, NULL where one is not wanted. */
struct files {
  char *csv, *json, *chart, *command;
};

/* All that can run here but cpu-reference, which takes too long. */
static void backends_choose(struct hs_bench_cases *cases)
{
  const struct hs_backend_options options = {.threads_most = cases->threads};
  for (const struct hs_backend *const *b = hs_backend_list(); *b && cases->backend_count < HS_BENCH_BACKENDS; b++) {
    struct hs_error ignored = {0};
    if (*b == &hs_backend_reference || (*b)->probe(NULL, &options, &ignored)) continue;
    cases->backend[cases->backend_count++] = *b;
  }
}

/* The command line as it could be typed again, owned by the caller. */
static char *command_text(int argc, char **argv, struct hs_error *err)
{
  char *text = hs_text_copy("heatsolve", err);
  for (int k = 1; text && k < argc; k++) {
    const bool plain = *argv[k] && strspn(argv[k], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                   "-_./,=:+") == strlen(argv[k]);
    char *longer = hs_text_format(err, plain ? "%s %s" : "%s '%s'", text, argv[k]);
    free(text);
    text = longer;
  }
  return text;
}

/* The file's name as asked for, or in the folder, or NULL. */
static hs_status name_choose(const char *asked, const char *folder, const char *name, char **path, struct hs_error *err)
{
  *path = NULL;
  if (!asked && !folder) return HS_OK;
  *path = asked ? hs_text_copy(asked, err) : hs_file_join(folder, name, err);
  return *path ? HS_OK : HS_ERR_MEMORY;
}

/* Refuses two results in one file, and one in place of what the configuration reads, or is. */
static hs_status files_check(const struct files *files, const struct hs_config *config, struct hs_error *err)
{
  const char *const paths[] = {files->csv, files->json, files->chart};
  static const char *const options[] = {"csv", "json", "chart"};
  for (int k = 0; config && k < 3; k++) {
    const hs_status status = paths[k] ? hs_inputs_spare(config, paths[k], options[k], err) : HS_OK;
    if (status) return status;
  }
  for (int k = 1; k < 3; k++)
    for (int m = 0; m < k; m++)
      if (paths[k] && paths[m] && hs_file_is_same(paths[k], paths[m]))
        return hs_usage_error(err, HS_COMMAND_BENCH, "--%s and --%s name one file, %s", options[m], options[k],
                              paths[k]);
  return HS_OK;
}

static hs_status files_choose(const struct hs_cli *cli, const struct hs_bench_options *options, struct files *files,
                              struct hs_error *err)
{
  hs_status status = options->folder ? hs_output_prepare(options->folder, err) : HS_OK;
  if (!status) status = name_choose(options->csv, options->folder, "bench.csv", &files->csv, err);
  if (!status) status = name_choose(options->json, options->folder, "bench.json", &files->json, err);
  if (!status) status = name_choose(options->chart, options->folder, "bench.png", &files->chart, err);
  if (!status) status = files_check(files, options->config, err);
  if (status) return status;
  files->command = command_text(cli->argc, cli->argv, err);
  return files->command ? HS_OK : HS_ERR_MEMORY;
}

static void files_clear(struct files *files)
{
  free(files->command);
  free(files->chart);
  free(files->json);
  free(files->csv);
}

static hs_status files_write(const struct hs_bench *bench, const struct files *files, struct hs_error *err)
{
  hs_status status = HS_OK;
  if (files->csv) status = hs_output_bench_csv(files->csv, bench, err);
  if (!status && files->json) status = hs_output_bench_json(files->json, bench, files->command, err);
  if (!status && files->chart) status = hs_output_bench_chart(files->chart, bench, err);
  return status;
}

static void row_print(void *context, const struct hs_bench *bench, const struct hs_bench_row *row)
{
  (void)bench;
  hs_output_bench_row(context, row);
}

static void files_print(const struct files *files)
{
  const char *const names[] = {files->csv, files->json, files->chart};
  bool some = false;
  for (int k = 0; k < 3; k++) {
    if (!names[k]) continue;
    printf("%s%s", some ? " " : "\nwritten: ", hs_shown(names[k]).text);
    some = true;
  }
  if (some) printf("\n");
}

/* Where no row was measured, the first one's reason becomes the command's. */
static hs_status outcome(const struct hs_bench *bench, bool stopped, int *exit_code, struct hs_error *err)
{
  *exit_code = stopped ? HS_EXIT_INTERRUPTED : HS_EXIT_OK;
  if (bench->measured || stopped || !bench->count) return HS_OK;
  return hs_error_set(err, bench->row[0].status, "nothing could be measured; %s on %d x %d nodes: %s",
                      bench->row[0].backend->name, bench->row[0].problem.nx, bench->row[0].problem.ny,
                      bench->row[0].why);
}

static hs_status bench_run(const struct hs_bench_options *options, const struct files *files, bool quiet,
                           int *exit_code, struct hs_error *err)
{
  const struct hs_bench_observer observer = {quiet ? NULL : row_print, stdout, hs_cli_catch_signals().stop};
  struct hs_bench bench = {.cases = &options->cases};
  hs_status status = files_write(&bench, files, err); /* a name that is wrong shows before the time is spent */
  if (status) return status;
  hs_bench_begin(&bench, &options->cases);
  if (!quiet) hs_output_bench_head(stdout, &bench);
  status = hs_bench_run(&bench, &observer, err);
  if (!status && !quiet) hs_output_bench_notes(stdout);
  if (!status) status = files_write(&bench, files, err);
  if (!status && !quiet) files_print(files);
  if (!status) status = outcome(&bench, *observer.stop, exit_code, err);
  hs_bench_clear(&bench);
  return status;
}

hs_status hs_cli_bench(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  struct hs_bench_options options;
  struct files files = {NULL, NULL, NULL, NULL};
  hs_status status = hs_bench_options_take(cli, &options, err);
  *exit_code = HS_EXIT_OK;
  if (!status && !options.backends_named) backends_choose(&options.cases);
  if (!status) status = files_choose(cli, &options, &files, err);
  if (!status) status = bench_run(&options, &files, cli->quiet, exit_code, err);
  hs_bench_options_clear(&options);
  files_clear(&files);
  return status;
}
