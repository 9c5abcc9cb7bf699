/* Refusals and lists that the option tables of several commands share. */
#include "cli/options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "backend/backend.h"

hs_status hs_usage_error(struct hs_error *err, const char *what, const char *value)
{
  return hs_error_set(err, HS_ERR_USAGE, "%s%s%s%s; try `heatsolve --help`", what, value ? " \"" : "",
                      value ? value : "", value ? "\"" : "");
}

/* "threads" for -t and --threads; NULL for a letter that is no option. */
static const char *option_name(const struct option *options, int code)
{
  for (const struct option *option = options; option->name; option++)
    if (option->val == code) return option->name;
  return NULL;
}

hs_status hs_option_refuse(const struct option *options, int code, const char *argument, struct hs_error *err)
{
  const char *name = option_name(options, optopt);
  const char letter[] = {'-', (char)optopt, '\0'};
  const size_t length = strcspn(argument, "=");
  int near = 0;
  if (name)
    return hs_error_set(err, HS_ERR_USAGE, "option --%s %s; try `heatsolve --help`", name,
                        code == ':' ? "needs a value" : "takes no value");
  if (optopt) return hs_usage_error(err, "unknown option", letter);
  for (const struct option *option = options; option->name; option++)
    near += length > 2 && !strncmp(option->name, argument + 2, length - 2);
  return hs_usage_error(err, near ? "more than one option begins with" : "unknown option", argument);
}

/* The backend whose name is text[length]; NULL: none. */
static const struct hs_backend *backend_named(const char *text, size_t length)
{
  for (const struct hs_backend *const *b = hs_backend_list(); *b; b++)
    if (strlen((*b)->name) == length && !strncmp((*b)->name, text, length)) return *b;
  return NULL;
}

hs_status hs_option_backends(const char *text, const struct hs_backend **backend, int capacity, int *count,
                             struct hs_error *err)
{
  const char *item = text;
  *count = 0;
  for (;;) {
    const size_t length = strcspn(item, ",");
    const struct hs_backend *found = backend_named(item, length);
    bool known = false;
    if (!found) {
      hs_error_set(err, HS_ERR_USAGE, "--backend takes backends with commas between them, not \"%.80s\"; known:", text);
      for (const struct hs_backend *const *b = hs_backend_list(); *b; b++)
        hs_error_append(err, "%s%s", (*b)->name, b[1] ? "," : "; `heatsolve backends` says which can run here");
      return HS_ERR_USAGE;
    }
    for (int k = 0; k < *count; k++) known = known || backend[k] == found;
    if (!known && *count < capacity) backend[(*count)++] = found;
    if (!item[length]) return HS_OK;
    item += length + 1;
  }
}

hs_status hs_option_no_files(const char *word, int operands, struct hs_error *err)
{
  if (operands <= 0) return HS_OK;
  return hs_error_set(err, HS_ERR_USAGE, "`heatsolve %s` takes no file; %d given; try `heatsolve --help`", word,
                      operands);
}
