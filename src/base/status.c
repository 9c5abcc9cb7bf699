/* Writing of error texts, and the exit code that belongs to each status.
 *
 * Texts are formatted into a buffer of their own first, so a caller may quote the text that it
 * replaces. A text that does not fit ends in "...".
 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/shown.h"

/* Formats into text[size], as it may be shown. */
HS_PRINTF(3, 0)
static void text_format(char *text, size_t size, const char *format, va_list arguments)
{
  char raw[sizeof((struct hs_error *)0)->text + 8]; /* what does not fit leaves enough for hs_text_show to cut */
  if (vsnprintf(raw, sizeof raw, format, arguments) < 0) snprintf(raw, sizeof raw, "%s", format);
  hs_text_show(raw, text, size);
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
  char addition[sizeof err->text], whole[2 * sizeof err->text];
  va_list arguments;
  size_t length;
  const char *gap;

  if (!err) return;
  va_start(arguments, format);
  text_format(addition, sizeof addition, format, arguments);
  va_end(arguments);
  length = strlen(err->text);
  gap = length == 0 || err->text[length - 1] == ' ' || strchr(" .,;:)", addition[0]) ? "" : " ";
  snprintf(whole, sizeof whole, "%s%s%s", err->text, gap, addition);
  hs_text_show(whole, err->text, sizeof err->text);
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
