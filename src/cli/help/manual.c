/* heatsolve(1): the tables of commands, options and exit codes, and some prose around them; see manual.h. */
#include "cli/help/manual.h"

#include <string.h>

#include "base/roff.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/help/help.h"

static void put_paragraph(FILE *out, const char *text)
{
  hs_roff_macro(out, "PP", "");
  hs_roff_text(out, text);
}

/* A tagged paragraph: the tag in bold. */
static void put_entry(FILE *out, const char *tag, const char *text)
{
  hs_roff_macro(out, "TP", "");
  hs_roff_macro(out, "B", tag);
  hs_roff_text(out, text);
}

static void put_synopsis(FILE *out)
{
  hs_roff_macro(out, "SH", "SYNOPSIS");
  for (int k = 0; k < HS_COMMANDS; k++) {
    const struct hs_command_row *row = hs_command_row((enum hs_command)k);
    char call[40], operands[80];
    snprintf(call, sizeof call, k == HS_COMMAND_RUN ? "heatsolve [%s]" : "heatsolve %s", row->word);
    snprintf(operands, sizeof operands, "[OPTION]...%s%s", row->operands[0] ? " " : "", row->operands);
    if (k) hs_roff_macro(out, "br", "");
    hs_roff_word(out, call, operands, 1);
  }
}

static void put_commands(FILE *out)
{
  hs_roff_macro(out, "SH", "COMMANDS");
  for (int k = 0; k < HS_COMMANDS; k++) {
    const struct hs_command_row *row = hs_command_row((enum hs_command)k);
    hs_roff_macro(out, "TP", "");
    hs_roff_word(out, row->word, row->operands, 1);
    hs_roff_text(out, row->about);
  }
}

static void put_option(FILE *out, const struct hs_option_row *row)
{
  const char letter[] = {'-', row->letter, '\0'};
  char name[40];
  snprintf(name, sizeof name, "--%s", row->name);
  hs_roff_macro(out, "TP", "");
  if (row->letter) hs_roff_word(out, letter, "", 0);
  hs_roff_word(out, name, row->argument ? row->argument : "", 1);
  hs_roff_text(out, row->help);
}

/* "run, check, verify" */
static void owners_list(unsigned commands, char *list, size_t size)
{
  size_t length = (size_t)snprintf(list, size, "Options of ");
  if (commands == (1u << HS_COMMANDS) - 1u) snprintf(list + length, size - length, "all commands");
  for (int k = 0; k < HS_COMMANDS && commands != (1u << HS_COMMANDS) - 1u && length < size; k++) {
    if (!(commands >> k & 1u)) continue;
    length += (size_t)snprintf(list + length, size - length, "%s", hs_command_row((enum hs_command)k)->word);
    commands &= ~(1u << k);
    if (commands && length < size) length += (size_t)snprintf(list + length, size - length, ", ");
  }
}

/* Options that belong to the same commands stand together. */
static void put_options(FILE *out)
{
  const struct hs_option_row *rows = hs_option_rows();
  unsigned seen[HS_OPTION_ROWS_MOST];
  int count = 0;
  hs_roff_macro(out, "SH", "OPTIONS");
  hs_roff_text(out,
               "Options may stand before or behind the command and its files, and may be abbreviated. What follows "
               "`--` is a file.");
  for (int k = 0; rows[k].name; k++) {
    char title[160];
    bool known = rows[k].hidden;
    for (int before = 0; before < count; before++) known = known || seen[before] == rows[k].commands;
    if (known) continue;
    seen[count++] = rows[k].commands;
    owners_list(rows[k].commands, title, sizeof title);
    hs_roff_macro(out, "SS", title);
    for (const struct hs_option_row *row = &rows[k]; row->name; row++)
      if (row->commands == rows[k].commands && !row->hidden) put_option(out, row);
  }
}

static void put_exit_codes(FILE *out)
{
  hs_roff_macro(out, "SH", "EXIT STATUS");
  for (const struct hs_exit_row *row = hs_exit_rows(); row->help; row++) {
    char code[8];
    snprintf(code, sizeof code, "%d", row->code);
    put_entry(out, code, row->help);
  }
}

static void put_surroundings(FILE *out)
{
  hs_roff_macro(out, "SH", "SIGNALS");
  hs_roff_text(out,
               "SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under `nohup`) stop a run at its next event; what "
               "there is of the field is saved, and the exit status is 75. A second SIGINT, two seconds or more after "
               "the first signal, ends the program at once.");
  hs_roff_macro(out, "SH", "ENVIRONMENT");
  put_entry(out, "OMP_NUM_THREADS", "Number of CPU threads where neither `--threads` nor solver.threads says one.");
  put_entry(out, "CUDA_VISIBLE_DEVICES", "GPUs that may be used; empty: none.");
  put_entry(out, "XDG_CACHE_HOME", "Where `heatsolve tune` keeps what it has measured; otherwise $HOME/.cache.");
  hs_roff_macro(out, "SH", "FILES");
  put_entry(out, "heatsolve-output",
            "The folder of a run's files, unless `--output` or output.directory names another.");
  put_entry(out, "$XDG_CACHE_HOME/heatsolve/tuning-*.json", "Measured costs of a machine.");
}

static void put_examples(FILE *out)
{
  hs_roff_macro(out, "SH", "EXAMPLES");
  hs_roff_text(out, "A first configuration, what it would do, and a run of it:");
  hs_roff_example(out, "heatsolve --print-config > my.ini\n"
                       "heatsolve check my.ini\n"
                       "heatsolve my.ini\n");
  put_paragraph(out, "The same with finer nodes and another folder, and how much that changes:");
  hs_roff_example(out, "heatsolve my.ini --set grid.nx=201 --set grid.ny=201 --output fine\n"
                       "heatsolve render fine/field.h5 --isotherms 10\n");
}

void hs_manual_print(FILE *out)
{
  hs_roff_title(out, "HEATSOLVE", 1, hs_version_program(), hs_version_day(), "User Commands");
  hs_roff_macro(out, "SH", "NAME");
  hs_roff_text(out, "heatsolve - solve the 2D heat equation on CPUs and GPUs");
  put_synopsis(out);
  hs_roff_macro(out, "SH", "DESCRIPTION");
  hs_roff_text(
      out,
      "Solves the 2D heat equation of a configuration file, steady or over time, by Jacobi sweeps or multigrid. Every "
      "backend gives the same bits as plain serial loops. The report says how far the answer can be trusted; what "
      "makes "
      "it unfit for use follows as warnings on the standard error stream, with `--quiet` too. The keys of a "
      "configuration are explained in `heatsolve.ini`(5).");
  put_commands(out);
  put_options(out);
  put_exit_codes(out);
  put_surroundings(out);
  put_examples(out);
  hs_roff_macro(out, "SH", "SEE ALSO");
  hs_roff_text(
      out, "`heatsolve.ini`(5); the manual, README.md and the gallery of examples, in share/doc/heatsolve below the "
           "folder of the installation.");
}
