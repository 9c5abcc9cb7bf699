/* Writing of error texts, and the exit code that belongs to each status.
 *
 * Texts are formatted into a buffer of their own first, so a caller may quote the text that it
 * replaces. A text that does not fit ends in "...".
 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Formats into text[size]; what does not fit is replaced by "...". */
static void text_format(char *text, size_t size, const char *format, va_list arguments)
{
  const int length = vsnprintf(text, size, format, arguments);
  if (length < 0) {
    snprintf(text, size, "%s", format);
  } else if ((size_t)length >= size && size > 4) {
    memcpy(text + size - 4, "...", 4);
  }
}

hs_status hs_error_set(struct hs_error *err, hs_status status, const char *format, ...)
{
  char text[sizeof err->text];
  va_list arguments;

  if (!err) return status;
  va_start(arguments, format);
  text_format(text, sizeof text, format, arguments);
  va_end(arguments);
  memcpy(err->text, text, sizeof text);
  err->status = status;
  return status;
}

void hs_error_append(struct hs_error *err, const char *format, ...)
{
  char addition[sizeof err->text];
  va_list arguments;
  size_t length, room;
  const char *gap;

  if (!err) return;
  va_start(arguments, format);
  text_format(addition, sizeof addition, format, arguments);
  va_end(arguments);
  length = strnlen(err->text, sizeof err->text - 1);
  room = sizeof err->text - length;
  gap = length == 0 || strchr(" \n", err->text[length - 1]) || strchr(" \n.,;:)", addition[0]) ? "" : " ";
  if ((size_t)snprintf(err->text + length, room, "%s%s", gap, addition) >= room) {
    memcpy(err->text + sizeof err->text - 4, "...", 4);
  }
}

int hs_status_exit_code(hs_status status)
{
  switch (status) {
  case HS_OK: return HS_EXIT_OK;
  case HS_ERR_USAGE:
  case HS_ERR_CONFIG: return HS_EXIT_USAGE;
  case HS_ERR_IO: return HS_EXIT_IO;
  case HS_ERR_DEVICE:
  case HS_ERR_UNSUPPORTED: return HS_EXIT_DEVICE;
  case HS_ERR_MEMORY:
  case HS_ERR_INTERNAL: break;
  }
  return HS_EXIT_DIFFERENT;
}
