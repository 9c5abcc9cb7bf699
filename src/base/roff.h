/* Text for manual pages: the macros of man(7). */
#ifndef HS_BASE_ROFF_H
#define HS_BASE_ROFF_H

#include <stdio.h>

/* ".TH" with the page's name, its section, and whose version of which day it describes. */
void hs_roff_title(FILE *out, const char *name, int section, const char *program, const char *day, const char *manual);

/* A line of a macro with its text: hs_roff_macro(out, "SH", "EXIT STATUS"). */
void hs_roff_macro(FILE *out, const char *macro, const char *text);

/* Text (ASCII) in lines; what stands between backticks is bold. */
void hs_roff_text(FILE *out, const char *text);

/* A word in bold, followed by one in italics (or "") on the same line: an option and its argument. The line goes on with
 * the next word unless end is set. */
void hs_roff_word(FILE *out, const char *bold, const char *italic, int end);

/* Lines as they stand, for an example. */
void hs_roff_example(FILE *out, const char *text);

#endif
