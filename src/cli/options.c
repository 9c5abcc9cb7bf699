/* Numbers, words and lists as values of options; see options.h. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hs_status hs_usage_error(struct hs_error *err, enum hs_command command, const char *format, ...)
{
  char text[sizeof err->text];
  va_list arguments;
  size_t length;
  bool question;

  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  length = strlen(text);
  question = length > 0 && text[length - 1] == '?';
  if (command == HS_COMMAND_RUN)
    return hs_error_set(err, HS_ERR_USAGE, "%s%s `heatsolve --help`", text, question ? " Try" : "; try");
  return hs_error_set(err, HS_ERR_USAGE, "%s%s `heatsolve help %s`", text, question ? " Try" : "; try",
                      hs_command_row(command)->word);
}

/* A command that has the option. */
static enum hs_command owner(const struct hs_option_row *row)
{
  int k = 0;
  while (!hs_option_belongs(row, (enum hs_command)k)) k++;
  return (enum hs_command)k;
}

hs_status hs_option_refuse(const struct hs_option_row *row, const char *text, const char *allowed, struct hs_error *err)
{
  return hs_usage_error(err, owner(row), "--%s takes %s, not \"%.80s\"", row->name, allowed, text);
}

bool hs_number_take(const char **text, long least, long most, long *value)
{
  char *end = NULL;
  if (!isdigit((unsigned char)**text)) return false;
  errno = 0;
  *value = strtol(*text, &end, 10);
  *text = end;
  return errno == 0 && *value >= least && *value <= most;
}

hs_status hs_option_integer(const struct hs_option_row *row, const char *text, long least, long most, int *value,
                            struct hs_error *err)
{
  const char *end = text;
  char allowed[80];
  long number = 0;
  if (!hs_number_take(&end, least, most, &number) || *end) {
    snprintf(allowed, sizeof allowed, "a whole number from %ld to %ld", least, most);
    return hs_option_refuse(row, text, allowed, err);
  }
  *value = (int)number;
  return HS_OK;
}

/* The number of the word item[length] among those of a kind, or -1. */
static int word_find(enum hs_words words, const char *item, size_t length)
{
  const char *name;
  for (int k = 0; (name = hs_word_name(words, k)) != NULL; k++)
    if (strlen(name) == length && strncmp(name, item, length) == 0) return k;
  return -1;
}

static hs_status words_refuse(const struct hs_option_row *row, const char *text, struct hs_error *err)
{
  char allowed[400];
  size_t length = (size_t)snprintf(allowed, sizeof allowed, row->list ? "a list out of" : "one of");
  const char *name;
  for (int k = 0; (name = hs_word_name(row->words, k)) != NULL && length < sizeof allowed; k++)
    length += (size_t)snprintf(allowed + length, sizeof allowed - length, "%s %s", k ? "," : "", name);
  if (row->list && length < sizeof allowed)
    snprintf(allowed + length, sizeof allowed - length, " with commas between them");
  return hs_option_refuse(row, text, allowed, err);
}

hs_status hs_option_pick(const struct hs_option_row *row, const char *text, struct hs_picks *picks,
                         struct hs_error *err)
{
  const char *item = text;
  picks->count = 0;
  for (;;) {
    const size_t length = row->list ? strcspn(item, ",") : strlen(item);
    const int found = word_find(row->words, item, length);
    bool known = false;
    if (found < 0) return words_refuse(row, text, err);
    for (int k = 0; k < picks->count; k++) known = known || picks->which[k] == found;
    if (!known && picks->count < HS_PICKS_MOST) picks->which[picks->count++] = found;
    if (!item[length]) return HS_OK;
    item += length + 1;
  }
}
