/* Reading the command line in GNU style (getopt_long): strict options, one command word, then files.
 *
 * The arguments are read twice: first, by the options of all commands, for the command word, since it decides what an
 * option means; then by the options of that command. --help, --version and their like end the reading.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "config/config.h"
#include "config/text.h"

/* Codes of options without a letter: this and the number of their row. */
enum { NO_LETTER = 256 };

/* The options of a command, or of all, as getopt_long wants them. */
struct grammar {
  struct option longs[HS_OPTION_ROWS_MOST + 1];
  char shorts[2 * HS_OPTION_ROWS_MOST + 4];
};

/* What the command line has beside options: the command word, if it is there, and files. */
struct operands {
  const char **text; /* [count] */
  int count;
};

static int row_code(int number)
{
  const struct hs_option_row *row = &hs_option_rows()[number];
  return row->letter ? row->letter : NO_LETTER + number;
}

/* The options that belong to one of the commands (bits). */
static void grammar_make(unsigned commands, struct grammar *grammar)
{
  const struct hs_option_row *rows = hs_option_rows();
  int count = 0;
  char *letter = grammar->shorts;
  *letter++ = '-'; /* operands are returned in their place, with code 1, so that those behind "--" can be told apart */
  *letter++ = ':'; /* a missing value is told apart from an unknown option */
  for (int k = 0; rows[k].name; k++) {
    bool known = !(rows[k].commands & commands);
    for (int before = 0; !known && before < count; before++)
      known = strcmp(grammar->longs[before].name, rows[k].name) == 0;
    if (known) continue;
    grammar->longs[count++] =
        (struct option){rows[k].name, rows[k].argument ? required_argument : no_argument, NULL, row_code(k)};
    if (rows[k].letter) *letter++ = rows[k].letter;
    if (rows[k].letter && rows[k].argument) *letter++ = ':';
  }
  *letter = '\0';
  grammar->longs[count] = (struct option){NULL, 0, NULL, 0};
}

/* The row of a code that getopt_long returned for a command, or NULL. */
static const struct hs_option_row *row_find(enum hs_command command, int code)
{
  const struct hs_option_row *rows = hs_option_rows();
  for (int k = 0; rows[k].name; k++)
    if (hs_option_belongs(&rows[k], command) && row_code(k) == code) return &rows[k];
  return NULL;
}

/* --- refusals -------------------------------------------------------------------------------- */

/* An option of other commands whose letter it is or whose name begins with name[length], or NULL. */
static const struct hs_option_row *row_elsewhere(char letter, const char *name, size_t length)
{
  for (const struct hs_option_row *row = hs_option_rows(); row->name; row++) {
    if (letter && row->letter == letter) return row;
    if (!letter && !row->hidden && length > 1 && strncmp(row->name, name, length) == 0) return row;
  }
  return NULL;
}

/* "render", "bench and tune" */
static void owners_list(const struct hs_option_row *row, struct hs_error *err)
{
  unsigned rest = 0;
  for (const struct hs_option_row *other = hs_option_rows(); other->name; other++)
    if (other->option == row->option) rest |= other->commands;
  for (int k = 0; k < HS_COMMANDS; k++) {
    if (!(rest >> k & 1u)) continue;
    rest &= ~(1u << k);
    hs_error_append(err, "`heatsolve %s`%s", hs_command_row((enum hs_command)k)->word,
                    !rest               ? ""
                    : rest & (rest - 1) ? ","
                                        : " and");
  }
}

static hs_status misplaced_refuse(enum hs_command command, const struct hs_option_row *row, struct hs_error *err)
{
  struct hs_error owners = {0};
  const bool key = row->key && hs_command_is_configured(command) && !hs_option_is_configured(row);
  owners_list(row, &owners);
  return hs_usage_error(err, command, "`heatsolve %s` has no option --%s, which belongs to %s%s%s",
                        hs_command_row(command)->word, row->name, owners.text,
                        key ? "; in a configuration, or by --set, there is " : "", key ? row->key : "");
}

/* The command's option that was probably meant, or NULL. */
static const char *option_nearest(enum hs_command command, const char *typed)
{
  const char *names[HS_OPTION_ROWS_MOST];
  size_t count = 0;
  for (const struct hs_option_row *row = hs_option_rows(); row->name; row++)
    if (hs_option_belongs(row, command) && !row->hidden) names[count++] = row->name;
  return hs_text_nearest(typed, names, count);
}

/* An option that the command does not have; argument is the word as typed. */
static hs_status unknown_refuse(enum hs_command command, const char *argument, struct hs_error *err)
{
  const char letter = optopt > 0 && optopt < NO_LETTER ? (char)optopt : '\0';
  const char *name = argument + 2;
  const size_t length = letter ? 0 : strcspn(name, "=");
  const struct hs_option_row *elsewhere = row_elsewhere(letter, name, length);
  const char *nearest = NULL;
  char typed[64];
  int near = 0;
  for (const struct hs_option_row *row = hs_option_rows(); row->name && !letter; row++)
    near += hs_option_belongs(row, command) && !strncmp(row->name, name, length);
  if (near > 1) return hs_usage_error(err, command, "more than one option begins with \"%s\"", argument);
  if (elsewhere && !hs_option_belongs(elsewhere, command)) return misplaced_refuse(command, elsewhere, err);
  if (letter) return hs_usage_error(err, command, "unknown option \"-%c\"", letter);
  if (length < sizeof typed) {
    memcpy(typed, name, length);
    typed[length] = '\0';
    nearest = option_nearest(command, typed);
  }
  if (!nearest) return hs_usage_error(err, command, "unknown option \"%s\"", argument);
  return hs_usage_error(err, command, "unknown option \"%s\"; did you mean --%s?", argument, nearest);
}

/* What getopt_long could not take: code is ':' or '?', argument the word it stood in. */
static hs_status option_refuse(enum hs_command command, int code, const char *argument, struct hs_error *err)
{
  const struct hs_option_row *row = row_find(command, optopt);
  if (!row) return unknown_refuse(command, argument, err);
  return hs_usage_error(err, command, "option --%s %s", row->name, code == ':' ? "needs a value" : "takes no value");
}

/* A misspelt command in the place of a configuration, or the wrong number of files. */
static hs_status operands_refuse(const struct hs_cli *cli, const struct operands *operands, struct hs_error *err)
{
  const struct hs_command_row *row = hs_command_row(cli->command);
  const char *first = operands->count ? operands->text[0] : "";
  const char *nearest = hs_command_nearest(first);
  if (cli->named)
    return hs_usage_error(err, cli->command, "`heatsolve %s` takes %s; %d given", row->word, row->takes,
                          operands->count - 1);
  if (!operands->count) return hs_usage_error(err, HS_COMMAND_RUN, "no configuration file was given");
  if (nearest && strcmp(nearest, first) != 0)
    return hs_usage_error(err, HS_COMMAND_RUN, "unknown command \"%s\"; did you mean \"%s\"?", first, nearest);
  hs_error_set(err, HS_ERR_USAGE, "\"%s\" is no command (known:", first);
  for (int k = 0; k < HS_COMMANDS; k++)
    hs_error_append(err, "%s%s", hs_command_row((enum hs_command)k)->word, k + 1 < HS_COMMANDS ? "," : ")");
  hs_error_append(err, ", and only one configuration can be run at a time; try `heatsolve --help`");
  return HS_ERR_USAGE;
}

/* --- reading --------------------------------------------------------------------------------- */

/* Adds "key=value" (key with its section) to the overrides. */
static hs_status override_add(struct hs_cli *cli, const char *key, const char *value, struct hs_error *err)
{
  char *text = key ? hs_text_format(err, "%s=%s", key, value) : hs_text_copy(value, err);
  if (!text) return HS_ERR_MEMORY;
  cli->overrides[cli->override_count++] = text;
  return HS_OK;
}

static hs_status option_take(struct hs_cli *cli, const struct hs_option_row *row, const char *value,
                             struct hs_error *err)
{
  if (row->instead) {
    cli->instead = row;
    cli->instead_value = value;
  } else if (row->option == HS_OPTION_QUIET) {
    cli->quiet = true;
  } else if (row->option == HS_OPTION_SET) {
    return override_add(cli, NULL, value, err);
  } else if (row->key && hs_command_is_configured(cli->command)) {
    return override_add(cli, row->key, row->argument ? value : "yes", err);
  } else {
    cli->given[cli->given_count++] = (struct hs_given){row, row->argument ? value : NULL};
  }
  return HS_OK;
}

/* The command whose word is the first operand, or HS_COMMANDS. */
static enum hs_command command_read(int argc, char **argv)
{
  struct grammar all;
  int code;
  grammar_make(~0u, &all);
  optind = 0;
  while ((code = getopt_long(argc, argv, all.shorts, all.longs, NULL)) != -1)
    if (code == 1) return hs_command_find(optarg);
  return HS_COMMANDS;
}

static hs_status options_read(struct hs_cli *cli, struct operands *operands, struct hs_error *err)
{
  struct grammar own;
  struct hs_error misformed = {0}; /* the first --set of a wrong form, which counts unless --help comes behind it */
  hs_status status = HS_OK;
  int code;
  grammar_make(1u << cli->command, &own);
  optind = 0;
  while (!status && !cli->instead && (code = getopt_long(cli->argc, cli->argv, own.shorts, own.longs, NULL)) != -1) {
    if (code == 1)
      operands->text[operands->count++] = optarg;
    else if (code == ':' || code == '?')
      status = option_refuse(cli->command, code, cli->argv[optind - 1], err);
    else {
      const struct hs_option_row *row = row_find(cli->command, code);
      if (row->option == HS_OPTION_SET && !misformed.status)
        (void)hs_config_override_check(optarg, optind < cli->argc ? cli->argv[optind] : NULL, &misformed);
      status = option_take(cli, row, optarg, err);
    }
  }
  if (!status && cli->instead && cli->instead->option == HS_OPTION_HELP_CONFIG && optind < cli->argc &&
      cli->argv[optind][0] != '-')
    cli->instead_value = cli->argv[optind];
  if (!status && !cli->instead && misformed.status) return hs_error_set(err, misformed.status, "%s", misformed.text);
  for (; optind < cli->argc; optind++) operands->text[operands->count++] = cli->argv[optind];
  return status;
}

static hs_status operands_take(struct hs_cli *cli, const struct operands *operands, struct hs_error *err)
{
  const struct hs_command_row *row = hs_command_row(cli->command);
  const int skipped = cli->named ? 1 : 0, count = operands->count - skipped;
  if (cli->instead) return HS_OK;
  if (count < row->least || (row->most >= 0 && count > row->most)) return operands_refuse(cli, operands, err);
  if (!cli->named && strcmp(operands->text[0], "-") && access(operands->text[0], F_OK)) {
    const char *nearest = hs_command_nearest(operands->text[0]);
    if (nearest && strcmp(nearest, operands->text[0]) != 0) return operands_refuse(cli, operands, err);
  }
  for (int k = skipped; k < operands->count; k++) {
    cli->files[cli->file_count++] = operands->text[k];
    if (!operands->text[k][0]) return hs_usage_error(err, cli->command, "a file name is empty");
  }
  return HS_OK;
}

hs_status hs_cli_parse(int argc, char **argv, struct hs_cli *cli, struct hs_error *err)
{
  const size_t most = (size_t)argc + 1;
  struct operands operands = {NULL, 0};
  enum hs_command command;
  hs_status status;
  memset(cli, 0, sizeof *cli);
  cli->argc = argc;
  cli->argv = argv;
  status = hs_array_create((void **)&cli->overrides, most, sizeof *cli->overrides, "the overrides", err);
  if (!status) status = hs_array_create((void **)&cli->files, most, sizeof *cli->files, "the file names", err);
  if (!status) status = hs_array_create((void **)&cli->given, most, sizeof *cli->given, "the options", err);
  if (!status) status = hs_array_create((void **)&operands.text, most, sizeof *operands.text, "the operands", err);
  if (status) return status;

  command = command_read(argc, argv);
  cli->named = command != HS_COMMANDS;
  cli->command = cli->named ? command : HS_COMMAND_RUN;
  status = options_read(cli, &operands, err);
  if (!status) status = operands_take(cli, &operands, err);
  free(operands.text);
  return status;
}

void hs_cli_clear(struct hs_cli *cli)
{
  for (int k = 0; k < cli->override_count; k++) free(cli->overrides[k]);
  free(cli->overrides);
  free(cli->given);
  free(cli->files);
  memset(cli, 0, sizeof *cli);
}
