/* Completion of the command line in bash and zsh; see completion.h.
 *
 * A script is what is printed here, the options of a command, what their arguments and a command's operands may be, and
 * the keys of a configuration with the values of those that have a choice, followed by completion.bash or completion.zsh,
 * which look into it.
 */
#include "cli/help/completion.h"

#include <stdbool.h>
#include <string.h>

#include "cli/commands.h"
#include "config/table.h"

static const char printed[] = "# Printed by the program from its tables; not to be edited.\n";

/* The words that an argument may be, with blanks before each; those of a configuration's backend have auto, too. */
static void put_words(FILE *out, const struct hs_option_row *row)
{
  const char *name;
  if (row->words == HS_WORDS_BACKEND && !row->list) fputs(" auto", out);
  for (int k = 0; (name = hs_word_name(row->words, k)) != NULL; k++) fprintf(out, " %s", name);
}

/* --- keys of a configuration ----------------------------------------------------------------- */

/* Calls put for each key of the sections without a name of their own. */
static void each_key(FILE *out, void (*put)(FILE *out, const char *section, const struct hs_config_key *key))
{
  size_t count;
  const struct hs_config_section *sections = hs_config_sections(&count);
  for (size_t s = 0; s < count; s++)
    for (size_t k = 0; !sections[s].noun && k < sections[s].key_count; k++)
      put(out, sections[s].name, &sections[s].keys[k]);
}

static void put_key_name(FILE *out, const char *section, const struct hs_config_key *key)
{
  fprintf(out, " %s.%s", section, key->name);
}

/* The word list that the value of a key has beside its choices, or HS_WORDS_ANY. */
static enum hs_words words_of_key(const char *section, const char *name)
{
  char key[80];
  snprintf(key, sizeof key, "%s.%s", section, name);
  for (const struct hs_option_row *row = hs_option_rows(); row->name; row++)
    if (row->key && !row->list && strcmp(row->key, key) == 0 && hs_word_name(row->words, 0)) return row->words;
  return HS_WORDS_ANY;
}

/* A case of the shell for a key whose values are few words. */
static void put_key_values(FILE *out, const char *section, const struct hs_config_key *key)
{
  const struct hs_option_row row = {.words = words_of_key(section, key->name)};
  const bool chosen = key->type == HS_KEY_CHOICE || key->type == HS_KEY_SET;
  if (!chosen && key->type != HS_KEY_YES_NO && row.words == HS_WORDS_ANY) return;
  fprintf(out, "    %s.%s) echo", section, key->name);
  for (int k = 0; chosen && key->choices[k]; k++) fprintf(out, " %s", key->choices[k]);
  if (key->type == HS_KEY_YES_NO) fputs(" yes no", out);
  put_words(out, &row);
  fputs(" ;;\n", out);
}

static void put_keys(FILE *out)
{
  fputs("\n# The keys of a configuration, and the values of those that have a choice.\n_heatsolve_keys='", out);
  each_key(out, put_key_name);
  fputs("'\n_heatsolve_values() {\n  case $1 in\n", out);
  each_key(out, put_key_values);
  fputs("  esac\n}\n", out);
}

/* --- bash ------------------------------------------------------------------------------------ */

/* What an argument or an operand may be, as _heatsolve_reply in the script takes it. */
static const char *bash_kind(enum hs_words words)
{
  switch (words) {
  case HS_WORDS_CONFIG:
  case HS_WORDS_CASES: return "ini";
  case HS_WORDS_FIELD: return "h5";
  case HS_WORDS_FILE: return "file";
  case HS_WORDS_FOLDER: return "folder";
  case HS_WORDS_KEY: return "key";
  default: return "any";
  }
}

static void bash_options(FILE *out)
{
  fputs("\n# The options of a command.\n_heatsolve_options() {\n  case $1 in\n", out);
  for (int k = 0; k < HS_COMMANDS; k++) {
    fprintf(out, "    %s) echo", hs_command_row((enum hs_command)k)->word);
    for (const struct hs_option_row *row = hs_option_rows(); row->name; row++) {
      if (row->hidden || !hs_option_belongs(row, (enum hs_command)k)) continue;
      fprintf(out, " --%s", row->name);
      if (row->letter) fprintf(out, " -%c", row->letter);
    }
    fputs(" ;;\n", out);
  }
  fputs("  esac\n}\n", out);
}

static void bash_arguments(FILE *out)
{
  fputs("\n# What the argument of a command's option may be; nothing: it takes none.\n"
        "_heatsolve_argument() {\n  case $1:$2 in\n",
        out);
  for (const struct hs_option_row *row = hs_option_rows(); row->name; row++) {
    bool first = true;
    if (row->hidden || !row->argument) continue;
    for (int k = 0; k < HS_COMMANDS; k++) {
      const char *word = hs_command_row((enum hs_command)k)->word;
      if (!hs_option_belongs(row, (enum hs_command)k)) continue;
      fprintf(out, "%s%s:--%s", first ? "    " : " | ", word, row->name);
      if (row->letter) fprintf(out, " | %s:-%c", word, row->letter);
      first = false;
    }
    fputs(")\n      echo ", out);
    if (hs_word_name(row->words, 0)) {
      fputs(row->list ? "list" : "words", out);
      put_words(out, row);
    } else {
      fputs(bash_kind(row->words), out);
    }
    fputs(" ;;\n", out);
  }
  fputs("  esac\n}\n", out);
}

static void bash_commands(FILE *out)
{
  fputs("\n_heatsolve_commands='", out);
  for (int k = 0; k < HS_COMMANDS; k++) fprintf(out, " %s", hs_command_row((enum hs_command)k)->word);
  fputs("'\n\n# What an operand of a command may be.\n_heatsolve_operand() {\n  case $1 in\n", out);
  for (int k = 0; k < HS_COMMANDS; k++) {
    const struct hs_command_row *row = hs_command_row((enum hs_command)k);
    if (row->words == HS_WORDS_COMMAND)
      fprintf(out, "    %s) echo words $_heatsolve_commands ;;\n", row->word);
    else if (row->most)
      fprintf(out, "    %s) echo %s ;;\n", row->word, bash_kind(row->words));
  }
  fputs("  esac\n}\n", out);
}

void hs_completion_print_bash(FILE *out)
{
  fprintf(out, "# Completion of heatsolve in bash.\n%s", printed);
  bash_commands(out);
  bash_options(out);
  bash_arguments(out);
  put_keys(out);
}

/* --- zsh ------------------------------------------------------------------------------------- */

/* Text within single quotes, where also brackets and colons have a meaning of their own. */
static void zsh_text(FILE *out, const char *text)
{
  for (; *text; text++) {
    if (*text == '\'')
      fputs("'\\''", out);
    else if (strchr("[]:\\", *text))
      fprintf(out, "\\%c", *text);
    else
      fputc(*text, out);
  }
}

/* What _arguments calls for an argument or an operand. */
static const char *zsh_action(enum hs_words words)
{
  switch (words) {
  case HS_WORDS_CONFIG:
  case HS_WORDS_CASES: return "_files -g \"*.ini(-.)\"";
  case HS_WORDS_FIELD: return "_files -g \"*.h5(-.)\"";
  case HS_WORDS_FILE: return "_files";
  case HS_WORDS_FOLDER: return "_files -/";
  case HS_WORDS_KEY: return "_heatsolve_key";
  case HS_WORDS_COMMAND: return "_heatsolve_command";
  default: return " ";
  }
}

/* A specification of _arguments: '(-b --backend)'{-b+,--backend=}'[help]:NAME:(auto cpu)'. */
static void zsh_option(FILE *out, const struct hs_option_row *row)
{
  const char *const repeated = row->option == HS_OPTION_SET ? "*" : "";
  if (row->letter)
    fprintf(out, "        '(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->name, row->letter, row->argument ? "+" : "",
            row->name, row->argument ? "=" : "");
  else
    fprintf(out, "        '%s--%s%s[", repeated, row->name, row->argument ? "=" : "");
  zsh_text(out, row->help);
  fputc(']', out);
  if (row->argument) {
    fputc(':', out);
    zsh_text(out, row->argument);
    fputc(':', out);
    if (!hs_word_name(row->words, 0)) {
      fputs(zsh_action(row->words), out);
    } else {
      fputs(row->list ? " _values -s , item" : "(", out);
      put_words(out, row);
      fputs(row->list ? "" : ")", out);
    }
  }
  fputs("'\n", out);
}

static void zsh_commands(FILE *out)
{
  fputs("\n_heatsolve_commands=(\n", out);
  for (int k = 0; k < HS_COMMANDS; k++) {
    fprintf(out, "  '%s:", hs_command_row((enum hs_command)k)->word);
    zsh_text(out, hs_command_row((enum hs_command)k)->summary);
    fputs("'\n", out);
  }
  fputs(")\n", out);
}

static void zsh_options(FILE *out)
{
  fputs("\n# The options of a command, and what its operands may be.\n_heatsolve_specify() {\n  case $1 in\n", out);
  for (int k = 0; k < HS_COMMANDS; k++) {
    const struct hs_command_row *command = hs_command_row((enum hs_command)k);
    fprintf(out, "    %s)\n      specs=(\n", command->word);
    for (const struct hs_option_row *row = hs_option_rows(); row->name; row++)
      if (!row->hidden && hs_option_belongs(row, (enum hs_command)k)) zsh_option(out, row);
    fprintf(out, "      )\n      operand='%s' ;;\n", command->most ? zsh_action(command->words) : "");
  }
  fputs("  esac\n}\n", out);
}

void hs_completion_print_zsh(FILE *out)
{
  fprintf(out, "#compdef heatsolve\n# Completion of heatsolve in zsh.\n%s", printed);
  zsh_commands(out);
  zsh_options(out);
  put_keys(out);
}
