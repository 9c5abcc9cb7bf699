/* A text that grows in memory, for files that are written whole or not at all. Streams of open_memstream leave out what
 * memory is short for, and report no error. */
#ifndef HS_BASE_TEXT_H
#define HS_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Begins as {0}; free(text) ends it. */
struct hs_text {
  char *text; /* owned; NULL while nothing was added */
  size_t size, room;
  bool failed; /* memory was short: a part is missing, and nothing more is added */
};

/* Adds a formatted part. */
void hs_text_add(struct hs_text *text, const char *format, ...) HS_PRINTF(2, 3);

/* Adds bytes as they are, none of them 0. */
void hs_text_add_bytes(struct hs_text *text, const void *bytes, size_t size);

#endif
