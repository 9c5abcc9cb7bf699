/* A list of remarks. */
#include "problem/remark.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

hs_status hs_remark(struct hs_remarks *remarks, bool warning, struct hs_error *err, const char *format, ...)
{
  char text[1024];
  char **texts = realloc(remarks->text, ((size_t)remarks->count + 1) * sizeof *texts);
  bool *warnings = texts ? realloc(remarks->warning, ((size_t)remarks->count + 1) * sizeof *warnings) : NULL;
  va_list arguments;
  if (texts) remarks->text = texts;
  if (warnings) remarks->warning = warnings;
  if (!warnings) return hs_error_set(err, HS_ERR_MEMORY, "no memory for the remarks about the problem");
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  texts[remarks->count] = hs_text_copy(text, err);
  if (!texts[remarks->count]) return HS_ERR_MEMORY;
  warnings[remarks->count++] = warning;
  return HS_OK;
}

void hs_remarks_clear(struct hs_remarks *remarks)
{
  for (int k = 0; k < remarks->count; k++) free(remarks->text[k]);
  free(remarks->text);
  free(remarks->warning);
  memset(remarks, 0, sizeof *remarks);
}
