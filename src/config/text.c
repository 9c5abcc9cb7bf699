/* Checking, quoting and guessing texts; see text.h. */
#include "config/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/shown.h"

#define BLANKS " \t\r\n"

enum { NAME_MAX_BYTES = 63 };

struct hs_clip hs_text_clip(const char *text)
{
  struct hs_clip clip;
  const size_t room = sizeof clip.text - 4;
  size_t length = strnlen(text, sizeof clip.text);

  if (length < sizeof clip.text) {
    memcpy(clip.text, text, length + 1);
    return clip;
  }
  length = room;
  while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
  memcpy(clip.text, text, length);
  memcpy(clip.text + length, "...", 4);
  return clip;
}

bool hs_text_is_plain(const char *text, size_t length, const char **where)
{
  size_t at = 0;

  while (at < length) {
    const unsigned char c = (unsigned char)text[at];
    const size_t step = hs_utf8_length(text + at, length - at);
    const bool line_end = c == '\n' || (c == '\r' && at + 1 < length && text[at + 1] == '\n');
    if (step == 0 || c == 0x7f || (c < 0x20 && c != '\t' && !line_end)) break;
    if (step == 2 && c == 0xc2 && (unsigned char)text[at + 1] < 0xa0) break; /* C1 */
    at += step;
  }
  *where = text + at;
  return at == length;
}

/* Letters to insert, remove or replace between two names, whatever their case. */
static size_t edit_distance(const char *a, const char *b)
{
  size_t row[NAME_MAX_BYTES + 1];
  const size_t length_a = strlen(a), length_b = strlen(b);
  size_t i, j;

  if (length_a > NAME_MAX_BYTES || length_b > NAME_MAX_BYTES) return NAME_MAX_BYTES;
  for (j = 0; j <= length_b; j++) row[j] = j;
  for (i = 1; i <= length_a; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (j = 1; j <= length_b; j++) {
      const size_t above = row[j];
      size_t best = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
      if (above + 1 < best) best = above + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      row[j] = best;
      diagonal = above;
    }
  }
  return row[length_b];
}

const char *hs_text_nearest(const char *typed, const char *const *names, size_t count)
{
  const char *nearest = NULL;
  size_t best = NAME_MAX_BYTES, k;
  const size_t length = strlen(typed);

  for (k = 0; k < count; k++) {
    const size_t known = strlen(names[k]);
    const bool beginning = length >= 3 && strncasecmp(typed, names[k], length) == 0;
    const size_t letters = edit_distance(typed, names[k]), distance = beginning && letters > 1 ? 1 : letters;
    if (distance < best && distance <= 1 + known / 4 && (distance < known || distance == 0)) {
      best = distance;
      nearest = names[k];
    }
  }
  return nearest;
}

char *hs_text_trim(char *text)
{
  size_t length;

  text += strspn(text, BLANKS);
  length = strlen(text);
  while (length > 0 && strchr(BLANKS, text[length - 1])) length--;
  text[length] = '\0';
  return text;
}
