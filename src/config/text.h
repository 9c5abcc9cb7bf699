/* Small helpers for the texts that users write: checking, quoting and guessing what was meant. */
#ifndef HS_CONFIG_TEXT_H
#define HS_CONFIG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A text shortened for a message; see hs_text_clip. */
struct hs_clip {
  char text[84];
};

/* At most 80 bytes of text, whole UTF-8 characters, "..." where something is left out. */
struct hs_clip hs_text_clip(const char *text);

/* Is text[length] UTF-8 without control characters other than tab and line ends (LF or CR LF)?
 * *where is the first byte that is not, otherwise text + length. Source: RFC 3629. */
bool hs_text_is_plain(const char *text, size_t length, const char **where);

/* The name among names[count] that typed was probably meant to be (a few wrong letters, upper
 * case, or the beginning of one), or NULL when none is near. Uses the edit distance of
 * V. I. Levenshtein, "Binary codes capable of correcting deletions, insertions and reversals" (1966). */
const char *hs_text_nearest(const char *typed, const char *const *names, size_t count);

/* Removes blanks (space, tab, CR, LF) at both ends, in place; returns where the text now starts. */
char *hs_text_trim(char *text);

#endif
