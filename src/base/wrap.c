/* Breaking of texts into lines; see wrap.h. */
#include "base/wrap.h"

#include <string.h>

/* Bytes of text that go on a line with so much room: whole words, at least one. */
static int words_fitting(const char *text, int room)
{
  int cut = room < 0 ? 0 : room;

  if ((int)strlen(text) <= room) return (int)strlen(text);
  while (cut > 0 && text[cut] != ' ') cut--;
  return cut > 0 ? cut : (int)strcspn(text, " ");
}

void hs_wrap_print(FILE *out, int used, const char *prefix, const char *text)
{
  int column = used;

  do {
    int bytes;
    if (column == 0) column = fprintf(out, "%s", prefix);
    bytes = words_fitting(text, HS_WRAP_COLUMNS - column);
    fprintf(out, "%.*s\n", bytes, text);
    text += bytes;
    text += strspn(text, " ");
    column = 0;
  } while (*text);
}
