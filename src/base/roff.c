/* Escapes of texts for manual pages; see roff.h.
 *
 * A hyphen-minus that can be typed (before an option's name, in a range) must be written \-, or it becomes a hyphen
 * that cannot be searched for; between two letters it stays one. A line of text must not begin with a point or an
 * apostrophe.
 */
#include "base/roff.h"

#include <ctype.h>
#include <string.h>

enum { COLUMNS = 79 };

/* The character of text at a place, escaped. Returns the columns that it takes. */
static int put_escaped(FILE *out, const char *text, size_t place)
{
  const char before = place > 0 ? text[place - 1] : ' ', after = text[place + 1];
  switch (text[place]) {
  case '\\': return fprintf(out, "\\e");
  case '^': return fprintf(out, "\\(ha");
  case '~': return fprintf(out, "\\(ti");
  case '\'': return fprintf(out, isalpha((unsigned char)before) ? "'" : "\\(aq");
  case '-':
    return fprintf(out, isalpha((unsigned char)before) && isalpha((unsigned char)after) && before != '-' ? "-" : "\\-");
  default: fputc(text[place], out); return 1;
  }
}

static void put_all(FILE *out, const char *text)
{
  for (size_t k = 0; text[k]; k++) put_escaped(out, text, k);
}

void hs_roff_title(FILE *out, const char *name, int section, const char *program, const char *day, const char *manual)
{
  fputs(".\\\" Printed by the program from its tables; not to be edited.\n", out);
  fprintf(out, ".TH %s %d \"%s\" \"%s\" \"%s\"\n", name, section, day, program, manual);
}

void hs_roff_macro(FILE *out, const char *macro, const char *text)
{
  fprintf(out, ".%s%s", macro, text[0] ? " " : "");
  put_all(out, text);
  fputc('\n', out);
}

void hs_roff_text(FILE *out, const char *text)
{
  int column = 0, bold = 0;
  for (size_t k = 0; text[k]; k++) {
    if (text[k] == '`') {
      bold = !bold;
      column += fprintf(out, bold ? "\\fB" : "\\fP");
    } else if (text[k] == ' ' && column + 1 + (int)strcspn(text + k + 1, " ") > COLUMNS) {
      fputc('\n', out);
      column = 0;
    } else {
      if (column == 0 && strchr(".'", text[k])) fputs("\\&", out);
      column += put_escaped(out, text, k);
    }
  }
  fputc('\n', out);
}

void hs_roff_word(FILE *out, const char *bold, const char *italic, int end)
{
  fputs("\\fB", out);
  put_all(out, bold);
  fputs("\\fP", out);
  if (italic[0]) {
    fputs("\\ \\fI", out);
    put_all(out, italic);
    fputs("\\fP", out);
  }
  fputs(end ? "\n" : ", ", out);
}

void hs_roff_example(FILE *out, const char *text)
{
  fputs(".PP\n.in +4n\n.EX\n", out);
  for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
    const size_t length = strcspn(line, "\n");
    if (strchr(".'", line[0])) fputs("\\&", out);
    for (size_t k = 0; k < length; k++) {
      if (line[k] == '-')
        fputs("\\-", out);
      else
        put_escaped(out, line, k);
    }
    fputc('\n', out);
    if (!line[length]) break;
  }
  fputs(".EE\n.in\n", out);
}
