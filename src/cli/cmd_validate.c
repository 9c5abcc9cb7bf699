/* heatsolve validate: configurations with known answers, run and compared.
 *
 * A configuration says in [expect NAME] sections which number of the result should have which value, how far off it
 * may be, and who published it. Cases are run one after another, and nothing is written but what the user asks for.
 * A case that cannot be run counts as one value that is not met, and the others still run.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/shown.h"
#include "cli/cases.h"
#include "cli/cli.h"
#include "config/names.h"
#include "io/file.h"
#include "output/inputs.h"
#include "output/output.h"
#include "run/job.h"
#include "run/quantity.h"

struct validation {
  const struct hs_cli *cli;
  bool markdown;    /* the table for a README */
  const char *json; /* output file, or NULL */
  const volatile sig_atomic_t *stop;
  json_t *values; /* NULL unless JSON is wanted */
  int met, total;
  bool warned; /* of what all cases have in common */
};

/* One line of the table. A case that cannot be run has a failure and no quantity. */
struct line {
  const char *file, *failure;
  const struct hs_config_expect *expect;
  double computed, difference, allowed;
  bool met;
};

/* "iso-10211-1" of "validation/iso-10211-1.ini", as it may be shown, into name[size]. */
static void case_name(const char *path, char *name, size_t size)
{
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  const size_t length = strlen(base);
  const size_t stem = length > 4 && !strcmp(base + length - 4, ".ini") ? length - 4 : length;
  char raw[NAME_MAX + 1];
  snprintf(raw, sizeof raw, "%.*s", (int)stem, base);
  hs_text_show(raw, name, size);
}

/* text within a cell of a table; bars would end the cell. */
static void print_cell(const char *text)
{
  for (; text && *text; text++) {
    if (*text == '|') putchar('\\');
    putchar(*text);
  }
}

static void print_head(const struct validation *validation)
{
  if (validation->cli->quiet) return;
  if (validation->markdown)
    printf("| case | quantity | published | computed | difference | allowed | | source |\n"
           "|---|---|---:|---:|---:|---:|---|---|\n");
  else
    printf("%-18s %-26s %14s %14s %11s %9s\n", "case", "quantity", "published", "computed", "difference", "allowed");
}

static void print_markdown(const char *name, const struct line *line)
{
  printf("| ");
  print_cell(name);
  printf(" | ");
  if (line->failure) {
    print_cell(line->failure);
    printf(" | | | | | **fail** | |\n");
    return;
  }
  print_cell(line->expect->quantity);
  printf(" | %.10g | %.10g | %.2g | %.2g | %s | ", line->expect->value, line->computed, line->difference, line->allowed,
         line->met ? "pass" : "**fail**");
  print_cell(line->expect->source);
  printf(" |\n");
}

static void print_line(const struct validation *validation, const struct line *line)
{
  char name[64];
  if (validation->cli->quiet) return;
  case_name(line->file, name, sizeof name);
  if (validation->markdown) {
    print_markdown(name, line);
  } else if (line->failure) {
    printf("%-18s FAIL ", name);
    print_cell(line->failure);
    printf("\n");
  } else {
    printf("%-18s %-26s %14.9g %14.9g %11.3g %9.2g  %s\n", name, line->expect->quantity, line->expect->value,
           line->computed, line->difference, line->allowed, line->met ? "pass" : "FAIL");
  }
  fflush(stdout);
}

static json_t *number_or_null(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

/* A text that may not be UTF-8 becomes null. */
static json_t *text_or_null(const char *text)
{
  return text && hs_json_holds(text) ? json_string(text) : json_null();
}

/* Where memory is short, there are no values, and nothing is written. */
static void record(struct validation *validation, const struct line *line)
{
  json_t *object = validation->values ? json_object() : NULL;
  int failed = 0;
  if (!validation->values) return;
  failed |= json_object_set_new(object, "file", text_or_null(line->file));
  if (line->failure) {
    failed |= json_object_set_new(object, "failure", text_or_null(line->failure));
  } else {
    failed |= json_object_set_new(object, "name", text_or_null(line->expect->name));
    failed |= json_object_set_new(object, "quantity", text_or_null(line->expect->quantity));
    failed |= json_object_set_new(object, "published", number_or_null(line->expect->value));
    failed |= json_object_set_new(object, "computed", number_or_null(line->computed));
    failed |= json_object_set_new(object, "difference", number_or_null(line->difference));
    failed |= json_object_set_new(object, "allowed", number_or_null(line->allowed));
    failed |= json_object_set_new(object, "source", text_or_null(line->expect->source));
  }
  failed |= json_object_set_new(object, "pass", json_boolean(line->met));
  failed |= json_array_append_new(validation->values, object);
  if (!failed) return;
  json_decref(validation->values);
  validation->values = NULL;
}

static void enter(struct validation *validation, const struct line *line)
{
  validation->total++;
  validation->met += line->met;
  record(validation, line);
  print_line(validation, line);
}

static void enter_failure(struct validation *validation, const char *file, const char *failure)
{
  const struct line line = {.file = file, .failure = failure};
  enter(validation, &line);
}

/* The sentence for a quantity that the result has not, to be freed; NULL where memory is short. */
static char *unknown_describe(const struct hs_config_expect *expect, const struct hs_result *result)
{
  char *near = hs_result_quantity_near(result, expect->quantity);
  char *text = hs_text_format(NULL,
                              "%s:%d: [expect %s]: this result has no quantity \"%s\"%s%s%s There are %s; of these a "
                              "run's report.json lists under \"quantities\" what it has",
                              result->config->path, expect->line, expect->name, expect->quantity,
                              near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : ".", HS_QUANTITY_NAMES);
  free(near);
  return text;
}

/* The same for one that has no value in this run. */
static char *void_describe(const struct hs_config_expect *expect, const struct hs_result *result)
{
  const bool of_sweeps = strstr(expect->quantity, "update") || !strcmp(expect->quantity, "stop_index");
  return hs_text_format(NULL, "%s:%d: [expect %s]: \"%s\" has no value in this run%s", result->config->path,
                        expect->line, expect->name, expect->quantity,
                        of_sweeps && hs_result_makes_cycles(result)
                            ? ", which made multigrid cycles, not sweeps; set solver.method = jacobi, or the method that "
                              "the value is of"
                            : "");
}

/* Compares one expected value. */
static void judge(struct validation *validation, const struct hs_config_expect *expect, const struct hs_result *result)
{
  struct line line = {.file = result->config->path, .expect = expect};
  char *failure = NULL;
  if (!hs_result_quantity(result, expect->quantity, &line.computed)) {
    failure = unknown_describe(expect, result);
    line.failure = failure ? failure : "the result has no such quantity, and memory is short";
  } else if (isnan(line.computed)) {
    failure = void_describe(expect, result);
    line.failure = failure ? failure : "the quantity has no value, and memory is short";
  } else {
    line.difference = fabs(line.computed - expect->value);
    line.allowed = expect->relative ? expect->allowed * fabs(expect->value) : expect->allowed;
    line.met = line.difference <= line.allowed;
  }
  enter(validation, &line);
  free(failure);
}

static hs_status run_case(struct validation *validation, struct hs_job *job, struct hs_result *result,
                          struct hs_error *err)
{
  struct hs_progress_line progress;
  const struct hs_solve_observer observer = {hs_progress_line_draw, &progress, validation->stop};
  hs_status status;
  hs_progress_line_start(&progress, stderr, job->options.multigrid, validation->cli->quiet);
  status = hs_job_run(job, job->backend, &observer, NULL, result, err);
  hs_progress_line_clear(&progress);
  if (!validation->warned) hs_cli_warn_from(&job->warnings, 0);
  if (!status) hs_cli_warn_from(&result->warnings, job->warnings.count);
  validation->warned = true;
  return status;
}

/* Does the run's end give values a meaning? A steady run may stop at a number of sweeps that was asked for. */
static bool is_meaningful(const struct hs_result *result)
{
  const enum hs_verdict verdict = hs_result_verdict(result);
  if (verdict == HS_VERDICT_DIVERGED) return false;
  return result->config->time.scheme == HS_SCHEME_STEADY || verdict == HS_VERDICT_COMPLETED;
}

static void enter_bad_end(struct validation *validation, const char *path, const struct hs_result *result)
{
  char failure[256];
  if (result->config->time.scheme == HS_SCHEME_STEADY)
    snprintf(failure, sizeof failure, "the run ended %s after %lld %s", hs_verdict_name(hs_result_verdict(result)),
             (long long)hs_result_sweeps(result), hs_result_makes_cycles(result) ? "cycles" : "sweeps");
  else
    snprintf(failure, sizeof failure, "the run ended %s at t = %.6g s of %.6g s",
             hs_verdict_name(hs_result_verdict(result)), result->transient.time_s, result->config->time.end_s);
  enter_failure(validation, path, failure);
}

/* Runs one configuration and enters its values; what keeps it from running is entered as well. */
static void validate_case(struct validation *validation, const char *path, bool listed)
{
  const struct hs_cli *cli = validation->cli;
  struct hs_error err = {0};
  struct hs_config *config = NULL;
  struct hs_job job = {0};
  struct hs_result result = {0};
  hs_status status = hs_config_read(path, (const char *const *)cli->overrides, cli->override_count, &config, &err);
  if (!status && !config->expect_count) {
    if (!listed) enter_failure(validation, path, "it has no [expect NAME] section, so there is nothing to compare");
    goto out;
  }
  if (!status) status = hs_job_prepare(config, NULL, &job, &err);
  if (!status) status = hs_answers_check(job.problem, &err);
  if (!status) status = run_case(validation, &job, &result, &err);
  if (status) enter_failure(validation, path, err.text);
  if (status || *validation->stop) goto out;
  if (!is_meaningful(&result)) enter_bad_end(validation, path, &result);
  for (int k = 0; k < config->expect_count && is_meaningful(&result); k++)
    judge(validation, &config->expects[k], &result);
out:
  hs_result_clear(&result);
  hs_job_clear(&job);
  hs_config_destroy(config);
}

/* Refuses when the file of --json is one that a case reads. A case that cannot be read is told of when it is its turn. */
static hs_status json_check(const struct validation *validation, const struct hs_cases *cases, struct hs_error *err)
{
  const struct hs_cli *cli = validation->cli;
  hs_status status = HS_OK;
  for (int k = 0; !status && k < cases->count; k++) {
    struct hs_error ignored;
    struct hs_config *config = NULL;
    char reason[HS_INPUT_REASON];
    if (hs_file_is_same(cases->path[k], validation->json))
      return hs_error_set(err, HS_ERR_USAGE, "%s is read, and --json would replace it; name another file",
                          cases->path[k]);
    if (!hs_input_is_file(cases->path[k], reason)) continue; /* what comes through a pipe can be read once only */
    if (!hs_config_read(cases->path[k], (const char *const *)cli->overrides, cli->override_count, &config, &ignored))
      status = hs_inputs_spare(config, validation->json, "json", err);
    hs_config_destroy(config);
  }
  return status;
}

static hs_status write_json(const struct validation *validation, const char *path, struct hs_error *err)
{
  hs_status status;
  json_t *whole =
      json_pack("{s:i, s:i, s:O}", "pass", validation->met, "total", validation->total, "values", validation->values);
  char *text = hs_json_text(whole, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  if (text)
    status = hs_file_put_text(path, text, err);
  else
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory to write %s.", path);
  free(text);
  json_decref(whole);
  return status;
}

static void print_total(const struct validation *validation)
{
  if (validation->cli->quiet) return;
  printf("%s%d of %d pass\n", validation->markdown ? "\n" : "", validation->met, validation->total);
}

hs_status hs_cli_validate(const struct hs_cli *cli, int *exit_code, struct hs_error *err)
{
  struct validation validation = {.cli = cli, .stop = hs_cli_catch_signals().stop};
  struct hs_cases cases = {NULL, NULL, 0, 0};
  hs_status status = hs_cases_find(cli->files, cli->file_count, cli->argv[0], &cases, err);
  for (int k = 0; k < cli->given_count; k++) {
    if (cli->given[k].row->option == HS_OPTION_MARKDOWN) validation.markdown = true;
    if (cli->given[k].row->option == HS_OPTION_JSON) validation.json = cli->given[k].value;
  }
  if (!status && validation.json) status = json_check(&validation, &cases, err);
  if (status) goto out;
  if (validation.json) validation.values = json_array();
  if (validation.json && !validation.values) {
    status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the figures of %s.", validation.json);
    goto out;
  }
  print_head(&validation);
  for (int k = 0; k < cases.count && !*validation.stop; k++) validate_case(&validation, cases.path[k], cases.listed[k]);
  if (!*validation.stop && !validation.total)
    enter_failure(&validation, cases.path[0], "no case has an [expect NAME] section, so nothing was compared");
  print_total(&validation);
  if (*validation.stop)
    *exit_code = HS_EXIT_INTERRUPTED;
  else
    *exit_code = validation.met == validation.total ? HS_EXIT_OK : HS_EXIT_DIFFERENT;
  if (validation.json) status = write_json(&validation, validation.json, err);
out:
  json_decref(validation.values);
  hs_cases_clear(&cases);
  return status;
}
