/* The table of keys as help for a terminal, and as a complete configuration to start from. */
#include <stdio.h>
#include <string.h>

#include "config/config.h"
#include "config/table.h"

enum { CELLS = 5, LINE_WIDTH = 98 };

/* Widths of the columns key, allowed, unit, default, meaning; with their gaps they fill a line. */
static const int cell_widths[CELLS] = {14, 26, 7, 16, 27};

/* Bytes of text that go on a line of the given width: whole words where possible. */
static int words_fitting(const char *text, int width)
{
  const int length = (int)strlen(text);
  int cut = width;

  if (length <= width) return length;
  while (cut > 0 && text[cut] != ' ') cut--;
  return cut > 0 ? cut : width;
}

/* Prints one row of the help; cells longer than their column go on below. */
static void row_print(FILE *out, const char *const *cells)
{
  const char *rest[CELLS];
  int k, bytes;
  bool more = true;

  memcpy(rest, cells, sizeof rest);
  while (more) {
    int pending = 0; /* blanks owed before the next text, so that no line ends in blanks */
    more = false;
    for (k = 0; k < CELLS; k++) {
      bytes = words_fitting(rest[k], cell_widths[k]);
      if (bytes > 0) {
        fprintf(out, "%*s%.*s", pending + 2, "", bytes, rest[k]);
        pending = cell_widths[k] - bytes;
      } else {
        pending += cell_widths[k] + 2;
      }
      rest[k] += bytes;
      rest[k] += strspn(rest[k], " ");
      more = more || *rest[k];
    }
    fputc('\n', out);
  }
}

/* Prints text as lines that begin with prefix. */
static void paragraph_print(FILE *out, const char *prefix, const char *text)
{
  const int width = LINE_WIDTH - (int)strlen(prefix);

  while (*text) {
    const int bytes = words_fitting(text, width);
    fprintf(out, "%s%.*s\n", prefix, bytes, text);
    text += bytes;
    text += strspn(text, " ");
  }
}

/* What the column of defaults says of a key. */
static const char *default_text(const struct hs_config_key *key)
{
  if (key->fallback) return key->fallback[0] ? key->fallback : "(empty)";
  if (key->need == HS_NEED_ALWAYS) return "required";
  return key->need == HS_NEED_SHAPE ? "by shape" : "none";
}

static void header_print(FILE *out, const char *section, const char *example_name)
{
  fprintf(out, strcmp(section, "source") == 0 ? "[%s %s]\n" : "[%s]\n", section, example_name);
}

void hs_config_print_help(FILE *out)
{
  static const char *const titles[CELLS] = {"key", "allowed", "unit", "default", "meaning"};
  size_t section_count, key_count, s, k;
  const struct hs_config_section *sections = hs_config_sections(&section_count);
  const struct hs_config_key *keys = hs_config_keys(&key_count);
  char allowed[200];

  paragraph_print(out, "",
                  "Keys of a configuration file. A line is [section], key = value, or a comment that begins with ; or "
                  "#. A comment behind a value begins with a blank and a semicolon. Indentation and the order of "
                  "sections and keys have no meaning. Numbers are decimal (12, 0.5, 1e-3); integers are digits alone.");
  paragraph_print(out, "",
                  "On the command line --set section.key=value (or --set \"source NAME.key=value\") replaces or adds "
                  "a value. Setting lx there removes the file's dx and the reverse, likewise ly and dy; setting a "
                  "source's shape removes the file's keys of its former shape.");
  fputc('\n', out);
  row_print(out, titles);
  for (s = 0; s < section_count; s++) {
    fputc('\n', out);
    header_print(out, sections[s].name, "NAME");
    paragraph_print(out, "  ", sections[s].help);
    for (k = 0; k < key_count; k++) {
      const char *const cells[CELLS] = {keys[k].name, allowed, keys[k].unit, default_text(&keys[k]), keys[k].help};
      if (strcmp(keys[k].section, sections[s].name) != 0) continue;
      hs_config_key_allowed(&keys[k], allowed, sizeof allowed);
      row_print(out, cells);
    }
  }
}

/* One key of the printed default: its meaning as a comment, then its value or, commented out, an example. */
static void key_print(FILE *out, const struct hs_config_key *key)
{
  char allowed[200], comment[600];

  hs_config_key_allowed(key, allowed, sizeof allowed);
  snprintf(comment, sizeof comment, "%s (%s%s%s)", key->help, allowed, key->unit[0] ? ", in " : "", key->unit);
  paragraph_print(out, "; ", comment);
  fprintf(out, "%s%s =%s%s\n", key->shown ? "" : "; ", key->name, key->example[0] ? " " : "", key->example);
}

void hs_config_print_default(FILE *out)
{
  size_t section_count, key_count, s, k;
  const struct hs_config_section *sections = hs_config_sections(&section_count);
  const struct hs_config_key *keys = hs_config_keys(&key_count);

  paragraph_print(out, "; ",
                  "A complete heatsolve configuration: every key with its default; where there is none, with an "
                  "example. Run it by `heatsolve FILE.ini`.");
  for (s = 0; s < section_count; s++) {
    fputc('\n', out);
    paragraph_print(out, "; ", sections[s].help);
    header_print(out, sections[s].name, "spot");
    for (k = 0; k < key_count; k++) {
      if (strcmp(keys[k].section, sections[s].name) == 0) key_print(out, &keys[k]);
    }
  }
}
