/* Overrides from the command line: "section.key=value", "source NAME.key=value".
 *
 * The key is what lies between the first equals sign and the last point before it, so a source's name may contain points.
 * The value is taken unchanged; there are no comments in it.
 */
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
  if (!override_split(text, &title, &key, &value)) {
    return hs_draft_fail(draft, where,
                         "write it as section.key=value, for example grid.nx=257, or as "
                         "\"source NAME.key=value\".");
  }
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
