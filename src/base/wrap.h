/* Text in lines of a terminal's width. */
#ifndef HS_BASE_WRAP_H
#define HS_BASE_WRAP_H

#include <stdio.h>

enum { HS_WRAP_COLUMNS = 79 };

/* Prints text (ASCII) broken at blanks into lines of HS_WRAP_COLUMNS columns, each ended by a newline. Every line but
 * the first begins with prefix; so does the first where used is 0, otherwise used columns of it are printed already.
 * A word longer than a line stands alone on one. */
void hs_wrap_print(FILE *out, int used, const char *prefix, const char *text);

#endif
