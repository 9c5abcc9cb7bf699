/* Which characters are shown, and how the others are written. */
#include "base/shown.h"

#include <stdio.h>
#include <string.h>

enum { PIECE_BYTES = 8 };

size_t hs_utf8_length(const char *from, size_t room)
{
  const unsigned char *text = (const unsigned char *)from;
  const unsigned char lead = text[0];
  const size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  size_t k;

  if (length == 0 || length > room) return 0;
  for (k = 1; k < length; k++) {
    if ((text[k] & 0xc0) != 0x80) return 0;
  }
  if (lead == 0xe0 && text[1] < 0xa0) return 0; /* longer than needed */
  if (lead == 0xed && text[1] > 0x9f) return 0; /* surrogate */
  if (lead == 0xf0 && text[1] < 0x90) return 0; /* longer than needed */
  if (lead == 0xf4 && text[1] > 0x8f) return 0; /* beyond U+10FFFF */
  return length;
}

/* Takes the next character of text, which is not at its end: returns its bytes, and what is shown of it in piece. */
static size_t piece_take(const char *text, char piece[PIECE_BYTES])
{
  const unsigned char c = (unsigned char)text[0];
  const size_t length = hs_utf8_length(text, strnlen(text, 4));
  const int is_c1 = length == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0;
  if (length == 0 || c < 0x20 || c == 0x7f || is_c1) {
    snprintf(piece, PIECE_BYTES, "\\x%02x", (unsigned)c);
    return 1; /* the second byte of C1 is none of UTF-8 by itself */
  }
  memcpy(piece, text, length);
  piece[length] = '\0';
  return length;
}

void hs_text_show(const char *text, char *shown, size_t size)
{
  static const char more[] = "...";
  size_t used = 0, room_for_more = 0;
  char piece[PIECE_BYTES];
  while (*text) {
    const size_t step = piece_take(text, piece), length = strlen(piece);
    if (used + length >= size) break;
    if (used + sizeof more <= size) room_for_more = used;
    memcpy(shown + used, piece, length);
    used += length;
    text += step;
  }
  if (*text && size >= sizeof more) {
    if (used + sizeof more > size) used = room_for_more;
    memcpy(shown + used, more, sizeof more);
  } else {
    shown[used] = '\0';
  }
}

struct hs_shown hs_shown(const char *text)
{
  struct hs_shown shown;
  hs_text_show(text, shown.text, sizeof shown.text);
  return shown;
}
