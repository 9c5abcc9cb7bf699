/* The configuration on the page: every key that its sections use, with the value as it was written, or the default. */
#include <stdio.h>
#include <string.h>

#include "base/shown.h"
#include "config/explain.h"
#include "output/page/parts.h"
#include "problem/cells/maps.h"

enum { VALUE_BYTES = 300, TEXT_BYTES = 100000, KEY_NAME = 80 };

/* The first bytes of a text, whole characters; "..." says that there are more. */
static int put_begin(json_t *array, const char *text, size_t most)
{
  size_t end = 0;
  struct hs_text begin = {0};
  int failed;
  while (text[end] && end + 4 <= most) {
    const size_t length = hs_utf8_length(text + end, strnlen(text + end, 4));
    end += length ? length : 1;
  }
  hs_text_add(&begin, "%.*s%s", (int)end, text, text[end] ? "..." : "");
  failed = begin.failed || json_array_append_new(array, json_string(begin.text));
  free(begin.text);
  return failed;
}

/* What was given in one section. */
struct span {
  const struct hs_config_given *first;
  int count;
};

/* The keys of a section are beside each other. */
static struct span span_at(const struct hs_config *config, int first)
{
  struct span span = {config->given ? config->given + first : NULL, 0};
  while (first + span.count < config->given_count && !strcmp(span.first->section, span.first[span.count].section))
    span.count++;
  return span;
}

static struct span span_find(const struct hs_config *config, const char *title)
{
  int first = 0;
  while (first < config->given_count && strcmp(config->given[first].section, title) != 0) first++;
  return span_at(config, first);
}

static const struct hs_config_given *given_find(const struct span *span, const char *key)
{
  for (int g = 0; g < span->count; g++)
    if (!strcmp(span->first[g].key, key)) return &span->first[g];
  return NULL;
}

/* Does the section use the key? Some belong to one kind only, which the section's selector says. */
static bool is_used(const struct span *span, const struct hs_config_section *section, const struct hs_config_key *key)
{
  const int place = key->kinds ? hs_config_key_find(section, section->selector) : -1;
  const struct hs_config_key *selector = place < 0 ? NULL : hs_config_key_at(section, (size_t)place);
  const struct hs_config_given *given = selector ? given_find(span, selector->name) : NULL;
  const char *kind = given ? given->value : selector ? selector->fallback : NULL;
  for (int k = 0; kind && selector->choices[k]; k++)
    if (!strcmp(selector->choices[k], kind)) return key->kinds >> ((int)selector->low + k) & 1u;
  return true;
}

/* [key, value, "file", "option", "default" or "absent"] */
static int put_key(json_t *keys, const struct hs_config_key *key, const struct hs_config_given *given)
{
  json_t *row = json_array();
  const char *value = given ? given->value : key->fallback ? key->fallback : "";
  const char *from = given ? (given->overrides ? "option" : "file") : key->fallback ? "default" : "absent";
  int failed = json_array_append_new(row, json_string(key->name));
  failed |= put_begin(row, value, VALUE_BYTES);
  failed |= json_array_append_new(row, json_string(from));
  return failed | json_array_append_new(keys, row);
}

/* {"title": "source spot", "kind": "source", "keys": [...]} */
static int put_section(json_t *sections, const struct hs_config_section *section, const char *title,
                       const struct span *span)
{
  json_t *object = json_object(), *keys = json_array();
  int failed = hs_put_text(object, "title", title);
  failed |= hs_put_text(object, "kind", section->name);
  failed |= hs_put_boolean(object, "named", section->noun != NULL);
  for (size_t k = 0; k < hs_config_key_count(section); k++) {
    const struct hs_config_key *key = hs_config_key_at(section, k);
    const struct hs_config_given *given = given_find(span, key->name);
    if (given || is_used(span, section, key)) failed |= put_key(keys, key, given);
  }
  failed |= json_object_set_new(object, "keys", keys);
  return failed | json_array_append_new(sections, object);
}

/* Is title that of a named section of this kind? */
static bool is_of_kind(const char *title, const struct hs_config_section *section)
{
  const size_t length = strlen(section->name);
  return section->noun && !strncmp(title, section->name, length) && title[length] == ' ';
}

/* All sections in the order of the table of keys, named ones in that of the configuration. */
static int put_sections(json_t *configuration, const struct hs_config *config)
{
  size_t count;
  const struct hs_config_section *sections = hs_config_sections(&count);
  json_t *list = json_array();
  int failed = 0, left_out = 0;
  for (size_t s = 0; s < count; s++) {
    struct span span = span_find(config, sections[s].name);
    if (!sections[s].noun) failed |= put_section(list, &sections[s], sections[s].name, &span);
    for (int g = 0; g < config->given_count; g += span.count) {
      span = span_at(config, g);
      if (!is_of_kind(span.first->section, &sections[s])) continue;
      if (json_array_size(list) < HS_PAGE_ROWS)
        failed |= put_section(list, &sections[s], span.first->section, &span);
      else
        left_out++;
    }
  }
  failed |= hs_put_integer(configuration, "left_out", left_out);
  return failed | json_object_set_new(configuration, "sections", list);
}

/* "source NAME.density": [what it allows, what it means, unit] */
static int put_meaning(json_t *keys, const struct hs_config_section *section, const struct hs_config_key *key)
{
  char name[KEY_NAME], facts[400];
  json_t *row = json_array();
  int failed;
  snprintf(name, sizeof name, "%s%s.%s", section->name, section->noun ? " NAME" : "", key->name);
  hs_config_key_facts(key, facts, sizeof facts);
  failed = json_array_append_new(row, json_string(facts));
  failed |= json_array_append_new(row, json_string(key->help));
  failed |= json_array_append_new(row, json_string(key->unit));
  return failed | json_object_set_new(keys, name, row);
}

static int put_meanings(json_t *configuration)
{
  size_t count;
  const struct hs_config_section *sections = hs_config_sections(&count);
  json_t *keys = json_object(), *kinds = json_object();
  int failed = 0;
  for (size_t s = 0; s < count; s++) {
    char title[60];
    failed |= hs_put_text(kinds, hs_config_section_title(&sections[s], title, sizeof title), sections[s].help);
    for (size_t k = 0; k < hs_config_key_count(&sections[s]); k++)
      failed |= put_meaning(keys, &sections[s], hs_config_key_at(&sections[s], k));
  }
  failed |= json_object_set_new(configuration, "kinds", kinds);
  return failed | json_object_set_new(configuration, "meanings", keys);
}

/* --- the command ----------------------------------------------------------------------------- */

/* A word of a command line, in single quotes where a shell needs them. */
static void add_word(struct hs_text *line, const char *word)
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,@%";
  if (word[0] && word[strspn(word, plain)] == '\0') {
    hs_text_add(line, " %s", word);
    return;
  }
  hs_text_add(line, " '");
  for (; *word; word++) hs_text_add(line, *word == '\'' ? "'\\''" : "%c", *word);
  hs_text_add(line, "'");
}

/* Did a program give the numbers that this key names? */
static bool is_array(const struct hs_config *config, const struct hs_config_given *given)
{
  for (int k = 0; k < HS_MAPS; k++)
    if (config->arrays[k].rows > 0 && !strcmp(given->section, "map") && !strcmp(given->key, hs_map_key((enum hs_map)k)))
      return true;
  return false;
}

/* What the command needs that is in no file. */
static int put_needs(json_t *page, const struct hs_config *config)
{
  struct hs_text needs = {0};
  int failed;
  if (hs_config_is_given(config))
    hs_text_add(&needs,
                "A program gave this configuration: save the text above (\"The file, as it was read\") as saved.ini. ");
  for (int k = 0; k < HS_MAPS; k++)
    if (config->arrays[k].rows > 0)
      hs_text_add(&needs, "The numbers that a program gave in place of map.%s are in no file. ",
                  hs_map_key((enum hs_map)k));
  failed = needs.failed || hs_put_text(page, "command_needs", needs.text ? needs.text : "");
  free(needs.text);
  return failed;
}

static int put_command(json_t *page, const struct hs_config *config)
{
  struct hs_text line = {0};
  int failed;
  hs_text_add(&line, "heatsolve");
  add_word(&line, hs_config_is_standard_input(config) ? "-" : hs_config_is_given(config) ? "saved.ini" : config->path);
  for (int g = 0; g < config->given_count; g++) {
    const struct hs_config_given *given = &config->given[g];
    struct hs_text set = {0};
    if (!given->overrides || is_array(config, given)) continue;
    hs_text_add(&line, " --set");
    hs_text_add(&set, "%s.%s=%s", given->section, given->key, given->value);
    add_word(&line, set.text ? set.text : "");
    line.failed |= set.failed;
    free(set.text);
  }
  failed = line.failed || hs_put_text(page, "command", line.text) || put_needs(page, config);
  free(line.text);
  return failed;
}

int hs_page_put_settings(json_t *page, const struct hs_config *config)
{
  json_t *configuration = json_object(), *text = json_array();
  int failed = put_sections(configuration, config);
  failed |= put_meanings(configuration);
  failed |= put_begin(text, config->text ? config->text : "", TEXT_BYTES);
  failed |= json_object_set_new(configuration, "text", text);
  failed |= json_object_set_new(page, "configuration", configuration);
  return failed | put_command(page, config);
}
