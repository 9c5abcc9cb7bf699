/* The values of options, and refusals of what is wrong with them. All errors are HS_ERR_USAGE. */
#ifndef HS_CLI_OPTIONS_H
#define HS_CLI_OPTIONS_H

#include <stdbool.h>

#include "base/status.h"
#include "cli/commands.h"

/* The sentence, and where help on the command is found. */
hs_status hs_usage_error(struct hs_error *err, enum hs_command command, const char *format, ...) HS_PRINTF(3, 4);

/* "--backend takes <allowed>, not "<text>"" */
hs_status hs_option_refuse(const struct hs_option_row *row, const char *text, const char *allowed,
                           struct hs_error *err);

/* The whole number from least to most that text is. */
hs_status hs_option_integer(const struct hs_option_row *row, const char *text, long least, long most, int *value,
                            struct hs_error *err);

/* Takes a decimal number from least to most at *text, which moves behind it; false: there is none. */
bool hs_number_take(const char **text, long least, long most, long *value);

/* The words of the row's kind (hs_word_name) that a list names, by their numbers, in the list's order; one that comes
 * twice counts once. Of an option that is no list, the one word. */
enum { HS_PICKS_MOST = 32 };
struct hs_picks {
  int which[HS_PICKS_MOST];
  int count;
};
hs_status hs_option_pick(const struct hs_option_row *row, const char *text, struct hs_picks *picks,
                         struct hs_error *err);

#endif
