/* The table of keys as help for a terminal, and as a complete configuration to start from. */
#include <stdio.h>
#include <string.h>

#include "base/wrap.h"
#include "config/config.h"
#include "config/explain.h"
#include "config/table.h"
#include "config/text.h"

enum { KEY_COLUMN = 20 };

/* "key   allowed, unit; default", and below what it means. */
static void key_help_print(FILE *out, const struct hs_config_key *key)
{
  char blanks[KEY_COLUMN + 1], facts[400];

  snprintf(blanks, sizeof blanks, "%*s", KEY_COLUMN, "");
  hs_config_key_facts(key, facts, sizeof facts);
  hs_wrap_print(out, fprintf(out, "  %-*s", KEY_COLUMN - 2, key->name), blanks, facts);
  hs_wrap_print(out, 0, blanks, key->help);
}

/* The keys of shapes, once for all sections that have one. */
static void shape_help_print(FILE *out)
{
  size_t count, k;
  const struct hs_config_key *keys = hs_config_shape_keys(&count);

  fprintf(out, "\n%s\n", hs_config_shape_title());
  hs_wrap_print(out, 0, "  ", hs_config_shape_rule());
  for (k = 0; k < count; k++) key_help_print(out, &keys[k]);
}

/* follows: the section before it was printed, too. */
static void section_help_print(FILE *out, const struct hs_config_section *section, bool follows)
{
  char title[60];

  fprintf(out, "[%s]\n", hs_config_section_title(section, title, sizeof title));
  hs_wrap_print(out, 0, "  ", section->help);
  if (follows && section->keys == (section - 1)->keys) {
    hs_wrap_print(out, 0, "  ", "The same keys.");
    return;
  }
  for (size_t k = 0; k < section->key_count; k++) key_help_print(out, &section->keys[k]);
}

void hs_config_print_help(FILE *out)
{
  size_t count;
  const struct hs_config_section *sections = hs_config_sections(&count);
  const char *paragraph;

  for (int p = 0; (paragraph = hs_config_introduction(p)) != NULL; p++) hs_wrap_print(out, 0, "", paragraph);
  for (size_t s = 0; s < count; s++) {
    fputc('\n', out);
    section_help_print(out, &sections[s], s > 0);
    if (sections[s].has_shape && !(s + 1 < count && sections[s + 1].has_shape)) shape_help_print(out);
  }
}

/* "no section [gird]; did you mean [grid]? Known sections: grid, material, ..." */
static hs_status section_refuse(const char *name, struct hs_error *err)
{
  const char *names[HS_CONFIG_SECTION_MAX], *nearest;
  size_t count, known = 0;
  const struct hs_config_section *sections = hs_config_sections(&count);

  for (size_t s = 0; s < count; s++)
    if (known == 0 || strcmp(names[known - 1], sections[s].name) != 0) names[known++] = sections[s].name;
  nearest = hs_text_nearest(name, names, known);
  hs_error_set(err, HS_ERR_USAGE, "there is no section [%s]", hs_text_clip(name).text);
  if (nearest) hs_error_append(err, "; did you mean %s?", nearest);
  for (size_t k = 0; k < known; k++)
    hs_error_append(err, "%s%s", k ? ", " : nearest ? " Known: " : "; known: ", names[k]);
  return HS_ERR_USAGE;
}

hs_status hs_config_print_section(FILE *out, const char *title, struct hs_error *err)
{
  size_t count;
  const struct hs_config_section *sections = hs_config_sections(&count);
  const char *begin = title + (*title == '[');
  char name[60];
  bool found = false, has_shape = false;

  snprintf(name, sizeof name, "%.*s", (int)strcspn(begin, " ]"), begin); /* "[source heater]", too */
  for (size_t s = 0; s < count; s++) {
    if (strcmp(sections[s].name, name) != 0) continue;
    if (found) fputc('\n', out);
    section_help_print(out, &sections[s], found);
    has_shape |= sections[s].has_shape;
    found = true;
  }
  if (has_shape) shape_help_print(out);
  return found ? HS_OK : section_refuse(name, err);
}

/* Does the key belong to the kind that the section's example selects? */
static bool key_in_example(const struct hs_config_section *section, const struct hs_config_key *key)
{
  const struct hs_config_key *selector;
  int k = 0;

  if (!key->kinds) return true;
  selector = hs_config_key_at(section, (size_t)hs_config_key_find(section, section->selector));
  while (strcmp(selector->choices[k], selector->example) != 0) k++;
  return key->kinds >> ((int)selector->low + k) & 1u;
}

/* Is there any kind of the section that uses the key? Only a source can be a node. */
static bool key_of_section(const struct hs_config_section *section, const struct hs_config_key *key)
{
  const struct hs_config_key *selector;

  if (!key->kinds) return true;
  selector = hs_config_key_at(section, (size_t)hs_config_key_find(section, section->selector));
  for (int k = 0; selector->choices[k]; k++) {
    if (key->kinds >> ((int)selector->low + k) & 1u) return true;
  }
  return false;
}

/* One key of the printed default: its meaning as a comment, then its value or, commented out, an example. Named
 * sections are comments as a whole; ";;" marks a key that does not go with the rest of the example. */
static void key_print(FILE *out, const struct hs_config_section *section, const struct hs_config_key *key)
{
  const bool active = key->shown && key_in_example(section, key);
  const char *mark = active ? "" : "; ";
  char allowed[200], comment[1000];

  if (section->noun) mark = active ? "; " : ";; ";
  hs_config_key_allowed(key, allowed, sizeof allowed);
  snprintf(comment, sizeof comment, "%s (%s%s%s)", key->help, allowed, key->unit[0] ? ", in " : "", key->unit);
  hs_wrap_print(out, 0, section->noun ? ";   " : "; ", comment);
  fprintf(out, "%s%s =%s%s\n", mark, key->name, key->example[0] ? " " : "", key->example);
}

/* explained: an earlier section with a shape, whose keys need no words any more; NULL: there is none. */
static void section_print(FILE *out, const struct hs_config_section *section, const struct hs_config_section *explained)
{
  const size_t count = hs_config_key_count(section);
  size_t k;

  fputc('\n', out);
  hs_wrap_print(out, 0, "; ", section->help);
  if (section->noun) {
    fprintf(out, "; [%s %s]\n", section->name, section->example);
  } else {
    fprintf(out, "[%s]\n", section->name);
  }
  for (k = 0; k < count; k++) {
    const struct hs_config_key *key = hs_config_key_at(section, k);
    const bool of_shape = hs_config_key_of_shape(section, k);
    if (!key_of_section(section, key)) continue;
    if (!of_shape || !explained || !key_of_section(explained, key)) {
      key_print(out, section, key);
    } else if (key_in_example(section, key)) {
      fprintf(out, "; %s = %s\n", key->name, key->example);
    }
  }
}

void hs_config_print_default(FILE *out)
{
  size_t count, k;
  const struct hs_config_section *sections = hs_config_sections(&count);
  const struct hs_config_section *explained = NULL;

  hs_wrap_print(out, 0, "; ",
                "A complete heatsolve configuration: every key with its default; where there is none, with an "
                "example. Run it by `heatsolve FILE.ini`. Remove the \"; \" before the lines of an example to use it; "
                "keys behind \";;\" belong to other kinds, or are further possibilities.");
  for (k = 0; k < count; k++) {
    section_print(out, &sections[k], explained);
    if (!explained && sections[k].has_shape) explained = &sections[k];
  }
}
