/* What a key allows, in the few words that messages and the printed help use. */
#include "config/table.h"

#include <math.h>
#include <stdio.h>

/* "number", "number >= 0", "number > 0 and <= 1". */
static int number_allowed(const struct hs_config_key *key, char *text, size_t size)
{
  const char *below = key->above_low ? ">" : ">=";

  if (isinf(key->low) && isinf(key->high)) return snprintf(text, size, "number");
  if (isinf(key->high)) return snprintf(text, size, "number %s %g", below, key->low);
  if (isinf(key->low)) return snprintf(text, size, "number <= %g", key->high);
  return snprintf(text, size, "number %s %g and <= %g", below, key->low, key->high);
}

static void choice_allowed(const struct hs_config_key *key, char *text, size_t size)
{
  size_t k, length = 0;

  text[0] = '\0';
  for (k = 0; key->choices[k] && length < size; k++) {
    length += (size_t)snprintf(text + length, size - length, "%s%s", k ? " | " : "", key->choices[k]);
  }
}

static void set_allowed(const struct hs_config_key *key, char *text, size_t size)
{
  size_t length = (size_t)snprintf(text, size, "one or more of");
  for (size_t k = 0; key->choices[k] && length < size; k++)
    length += (size_t)snprintf(text + length, size - length, "%s %s", k ? "," : "", key->choices[k]);
}

static void value_allowed(const struct hs_config_key *key, char *text, size_t size)
{
  const size_t length = (size_t)number_allowed(key, text, size);

  snprintf(text + length, size - length, " | table FILE x|y|t | expression in x, y, t%s",
           key->type == HS_KEY_WALL ? " | insulated | periodic" : "");
}

void hs_config_key_allowed(const struct hs_config_key *key, char *text, size_t size)
{
  switch (key->type) {
  case HS_KEY_INT:
  case HS_KEY_INT64: snprintf(text, size, "integer %.0f..%.0f", key->low, key->high); break;
  case HS_KEY_AUTO: snprintf(text, size, "auto | integer %.0f..%.0f", key->low, key->high); break;
  case HS_KEY_BYTES:
    snprintf(text, size, "bytes >= 0, or a number with kB, MB, GB, TB, KiB, MiB, GiB or TiB, such as 2 GB");
    break;
  case HS_KEY_REAL:
  case HS_KEY_INVERSE: number_allowed(key, text, size); break;
  case HS_KEY_CHOICE: choice_allowed(key, text, size); break;
  case HS_KEY_SET: set_allowed(key, text, size); break;
  case HS_KEY_YES_NO: snprintf(text, size, "yes | no"); break;
  case HS_KEY_NAME:
  case HS_KEY_TEXT: snprintf(text, size, "text of %.0f..%.0f bytes", key->low, key->high); break;
  case HS_KEY_COLOR: snprintf(text, size, "#rrggbb, two hexadecimal digits each of red, green and blue"); break;
  case HS_KEY_DATASET: snprintf(text, size, "FILE:DATASET, such as maps.h5:/name"); break;
  case HS_KEY_VALUE:
  case HS_KEY_WALL: value_allowed(key, text, size); break;
  case HS_KEY_TIMES: snprintf(text, size, "list of numbers >= 0, such as 1, 2, 5"); break;
  case HS_KEY_POINTS: snprintf(text, size, "list of corners x y, such as 0 0, 1 0, 1 1"); break;
  }
}
