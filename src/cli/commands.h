/* The commands and their options: two tables from which parsing, help, suggestions, the manual page and the completion
 * of shells follow. A new option is one row here and one case where its command takes it. */
#ifndef HS_CLI_COMMANDS_H
#define HS_CLI_COMMANDS_H

#include <stdbool.h>

enum hs_command {
  HS_COMMAND_RUN, /* the default */
  HS_COMMAND_CHECK,
  HS_COMMAND_VERIFY,
  HS_COMMAND_COMPARE,
  HS_COMMAND_BACKENDS,
  HS_COMMAND_RENDER,
  HS_COMMAND_VALIDATE,
  HS_COMMAND_BENCH,
  HS_COMMAND_TUNE,
  HS_COMMAND_SUBMIT,
  HS_COMMAND_QUEUE,
  HS_COMMAND_HELP,
  HS_COMMANDS
};

enum hs_option {
  HS_OPTION_SET,
  HS_OPTION_BACKEND,
  HS_OPTION_THREADS,
  HS_OPTION_OUTPUT,
  HS_OPTION_RESTART,
  HS_OPTION_FORCE,
  HS_OPTION_HELP_CONFIG,
  HS_OPTION_PRINT_CONFIG,
  HS_OPTION_GENERATE,
  HS_OPTION_COLORMAP,
  HS_OPTION_RANGE,
  HS_OPTION_TITLE,
  HS_OPTION_ISOTHERMS,
  HS_OPTION_SNAPSHOT,
  HS_OPTION_MARKDOWN,
  HS_OPTION_JSON,
  HS_OPTION_SIZE,
  HS_OPTION_PRECISION,
  HS_OPTION_MATERIAL,
  HS_OPTION_FORM,
  HS_OPTION_MODE,
  HS_OPTION_NO_SOURCE,
  HS_OPTION_WALLS,
  HS_OPTION_CHECK_EVERY,
  HS_OPTION_SECONDS,
  HS_OPTION_REPEATS,
  HS_OPTION_CSV,
  HS_OPTION_CHART,
  HS_OPTION_QUICK,
  HS_OPTION_SHOW,
  HS_OPTION_FORGET,
  HS_OPTION_NODES,
  HS_OPTION_GPUS,
  HS_OPTION_RANKS,
  HS_OPTION_LATENCY,
  HS_OPTION_BANDWIDTH,
  HS_OPTION_LINK_LATENCY,
  HS_OPTION_LINK_BANDWIDTH,
  HS_OPTION_GPU_MEMORY,
  HS_OPTION_NODE_MEMORY,
  HS_OPTION_FILE_BANDWIDTH,
  HS_OPTION_PARTITION,
  HS_OPTION_TIME,
  HS_OPTION_SIGNAL,
  HS_OPTION_SBATCH,
  HS_OPTION_SCRIPT,
  HS_OPTION_DRY_RUN,
  HS_OPTION_FROM,
  HS_OPTION_MEMORY,
  HS_OPTION_CLASSES,
  HS_OPTION_DAYS,
  HS_OPTION_QUIET,
  HS_OPTION_HELP,
  HS_OPTION_VERSION
};

/* What a word on the command line may be; hs_word_name lists those of which there are few. */
enum hs_words {
  HS_WORDS_ANY,    /* a number or a text */
  HS_WORDS_CONFIG, /* files *.ini */
  HS_WORDS_CASES,  /* files *.ini and folders */
  HS_WORDS_FIELD,  /* files *.h5 */
  HS_WORDS_FILE,
  HS_WORDS_FOLDER,
  HS_WORDS_KEY, /* section.key= */
  HS_WORDS_COMMAND,
  HS_WORDS_BACKEND,
  HS_WORDS_COLORMAP,
  HS_WORDS_PRECISION,
  HS_WORDS_MATERIAL,
  HS_WORDS_FORM,
  HS_WORDS_MODE,
  HS_WORDS_WALLS,
  HS_WORDS_GENERATED
};

struct hs_command_row {
  const char *word;
  const char *operands; /* in a synopsis: "A.h5 B.h5" */
  int least, most;      /* number of operands; most -1: any */
  const char *takes;    /* in a refusal: "two files, A.h5 B.h5" */
  enum hs_words words;  /* what an operand may be */
  const char *summary;  /* one line */
  const char *about;    /* a paragraph */
};

struct hs_option_row {
  enum hs_option option;
  const char *name;     /* without "--" */
  char letter;          /* '\0': none */
  const char *argument; /* "FILE"; NULL: takes none */
  unsigned commands;    /* bits by enum hs_command: what it belongs to */
  const char *key;      /* the configuration key that it sets, or that says the same in a configuration; or NULL */
  enum hs_words words;  /* what its argument may be */
  bool list;            /* several of them with commas between */
  bool instead;         /* takes the place of the command: --help */
  bool hidden;          /* of the build, not of users: neither help nor completion names it */
  const char *help;
};

const struct hs_command_row *hs_command_row(enum hs_command command);

/* The command of that word, or HS_COMMANDS. */
enum hs_command hs_command_find(const char *word);

/* The command that a word was probably meant to be, or NULL. */
const char *hs_command_nearest(const char *typed);

/* Does the command read a configuration? Then options with a key set it. */
bool hs_command_is_configured(enum hs_command command);

/* All options, ended by one without a name. */
const struct hs_option_row *hs_option_rows(void);
enum { HS_OPTION_ROWS_MOST = 80 };

bool hs_option_belongs(const struct hs_option_row *row, enum hs_command command);

/* Does it belong to a command that reads a configuration? */
bool hs_option_is_configured(const struct hs_option_row *row);

/* What --generate prints, in the order of its words. */
enum hs_generated { HS_GENERATED_MANUAL, HS_GENERATED_MANUAL_CONFIG, HS_GENERATED_BASH, HS_GENERATED_ZSH };

/* The k-th of the words of a kind, NULL behind the last; NULL at once for kinds that have no list. */
const char *hs_word_name(enum hs_words words, int k);

#endif
