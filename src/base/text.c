#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

/* Makes room for so many more bytes and the end. */
static bool has_room(struct hs_text *text, size_t more)
{
  size_t room = text->room ? text->room : FIRST_ROOM;
  char *longer;
  while (room <= text->size + more) room *= 2;
  if (room == text->room) return true;
  longer = realloc(text->text, room);
  if (!longer) return false;
  text->text = longer;
  text->room = room;
  return true;
}

void hs_text_add(struct hs_text *text, const char *format, ...)
{
  va_list arguments;
  int length;
  if (text->failed) return;
  va_start(arguments, format);
  length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  text->failed = length < 0 || !has_room(text, (size_t)length);
  if (text->failed) return;
  va_start(arguments, format);
  (void)vsnprintf(text->text + text->size, (size_t)length + 1, format, arguments);
  va_end(arguments);
  text->size += (size_t)length;
}

void hs_text_add_bytes(struct hs_text *text, const void *bytes, size_t size)
{
  if (text->failed) return;
  text->failed = !has_room(text, size);
  if (text->failed) return;
  memcpy(text->text + text->size, bytes, size);
  text->size += size;
  text->text[text->size] = '\0';
}
