/* Text as a terminal may get it. Paths, values of a configuration and names in files may hold any bytes, and some of
 * them would move the cursor, change colours or type commands. */
#ifndef HS_BASE_SHOWN_H
#define HS_BASE_SHOWN_H

#include <stddef.h>

/* Bytes of the UTF-8 character at text[room]; 0 if there is no well-formed one. Source: RFC 3629. */
size_t hs_utf8_length(const char *text, size_t room);

/* text into shown[size]: control characters (C0, DEL, C1), line ends and tabs too, and bytes that are no UTF-8 as
 * \xNN each; "..." at the end where it does not fit. What was shown before stays as it is. Every message and warning is
 * formed by it. */
void hs_text_show(const char *text, char *shown, size_t size);

/* The same by value, for what reaches the standard streams without a message. */
struct hs_shown {
  char text[4096];
};
struct hs_shown hs_shown(const char *text);

#endif
