#include "base/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "base/text.h"

bool hs_json_holds(const char *text)
{
  size_t length = 1;
  for (; *text && length > 0; text += length) length = hs_utf8_length(text, strnlen(text, 4));
  return length > 0;
}

static int add(const char *part, size_t size, void *text)
{
  hs_text_add_bytes(text, part, size);
  return 0;
}

/* json_dumps writes on when it had no memory for a key, and json_loads, which would show that, writes beyond the end of its
 * own memory when memory is short. */
char *hs_json_text(const json_t *json, size_t flags)
{
  struct hs_text text = {0};
  bool whole = json && json_dump_callback(json, add, &text, flags) == 0;
  hs_text_add(&text, "\n");
  whole = whole && !text.failed;
  if (whole) return text.text;
  free(text.text);
  return NULL;
}
