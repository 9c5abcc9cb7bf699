/* Overrides from the command line: "section.key=value", "source NAME.key=value".
 *
 * The key is what lies between the first equals sign and the last point before it, so a source's name may contain points.
 * The value is taken unchanged; there are no comments in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/draft.h"
#include "config/text.h"

/* Splits text into section, key and value, in place. */
static bool override_split(char *text, char **section, char **key, char **value)
{
  char *equals = strchr(text, '='), *point;

  if (!equals) return false;
  *equals = '\0';
  point = strrchr(text, '.');
  if (!point) return false;
  *point = '\0';
  *section = hs_text_trim(text);
  *key = hs_text_trim(point + 1);
  *value = hs_text_trim(equals + 1);
  return **section != '\0' && **key != '\0';
}

/* Has text the form of an override, section and key given? */
static bool override_fits(const char *text)
{
  char *section, *key, *value, *copy = strdup(text);
  const bool fits = !copy || override_split(copy, &section, &key, &value); /* memory is asked for again later */

  free(copy);
  return fits;
}

hs_status hs_config_override_check(const char *text, const char *next, struct hs_error *err)
{
  char example[180] = "source NAME.key=value", joined[180];

  if (override_fits(text)) return HS_OK;
  if (next && !strchr(text, '=')) {
    snprintf(joined, sizeof joined, "%s %s", hs_text_clip(text).text, hs_text_clip(next).text);
    if (override_fits(joined)) memcpy(example, joined, sizeof example);
  }
  return hs_error_set(err, HS_ERR_CONFIG,
                      "--set %s: write SECTION.KEY=VALUE, in quotes where the section has a blank: --set \"%s\"",
                      hs_text_clip(text).text, example);
}

static hs_status override_apply(struct hs_draft *draft, int number, char *text)
{
  const struct hs_where where = {0, number};
  struct hs_draft_section *section = NULL;
  char *title, *key, *value;
  const char *bad;
  hs_status status;

  if (!hs_text_is_plain(text, strlen(text), &bad) || strchr(text, '\n')) {
    return hs_draft_fail(draft, where, "the text is not one line of UTF-8 without control characters.");
  }
  status = hs_config_override_check(text, NULL, draft->error);
  if (status != HS_OK || !override_split(text, &title, &key, &value)) return status;
  status = hs_draft_begin(draft, title, where, &section);
  return status == HS_OK ? hs_draft_set(draft, section, key, value, where) : status;
}

hs_status hs_draft_read_overrides(struct hs_draft *draft)
{
  hs_status status = HS_OK;
  int k;

  for (k = 0; k < draft->override_count && status == HS_OK; k++) {
    char *text = strdup(draft->overrides[k]);
    status = text ? override_apply(draft, k + 1, text) : hs_draft_fail_memory(draft);
    free(text);
  }
  return status;
}
