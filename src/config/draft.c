/* Sections and keys of a configuration in the making; see draft.h.
 *
 * Titles are kept in a search tree (POSIX tsearch), so a file with very many sources is read in
 * n log n.
 */
#include "config/draft.h"

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"

enum { TITLE_BYTES = 100 };

static hs_status fail(struct hs_draft *draft, struct hs_where where, const char *format, va_list arguments)
{
  char text[sizeof draft->error->text];

  vsnprintf(text, sizeof text, format, arguments);
  if (where.override) {
    return hs_error_set(draft->error, HS_ERR_CONFIG, "--set %s: %s",
                        hs_text_clip(draft->overrides[where.override - 1]).text, text);
  }
  if (where.line) return hs_error_set(draft->error, HS_ERR_CONFIG, "%s:%d: %s", draft->path, where.line, text);
  return hs_error_set(draft->error, HS_ERR_CONFIG, "%s: %s", draft->path, text);
}

hs_status hs_draft_fail(struct hs_draft *draft, struct hs_where where, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  fail(draft, where, format, arguments);
  va_end(arguments);
  return HS_ERR_CONFIG;
}

hs_status hs_draft_fail_memory(struct hs_draft *draft)
{
  return hs_error_set(draft->error, HS_ERR_MEMORY, "%s: no memory is left to read the configuration.", draft->path);
}

bool hs_where_given(struct hs_where where)
{
  return where.line != 0 || where.override != 0;
}

static int section_compare(const void *a, const void *b)
{
  const struct hs_draft_section *section_a = a, *section_b = b;
  return strcmp(section_a->title, section_b->title);
}

struct hs_draft_section *hs_draft_find(const struct hs_draft *draft, const char *title)
{
  struct hs_draft_section wanted;
  void *node;

  wanted.title = (char *)title;
  node = tfind(&wanted, &draft->titles, section_compare);
  return node ? *(struct hs_draft_section **)node : NULL;
}

/* Copies a title with single blanks between its words and none around it. */
static bool title_tidy(const char *title, char *tidy)
{
  size_t length = 0;

  for (title += strspn(title, " \t"); *title; title++) {
    const bool blank = *title == ' ' || *title == '\t';
    if (blank && (title[strspn(title, " \t")] == '\0' || title[1] == ' ' || title[1] == '\t')) continue;
    if (length + 1 >= TITLE_BYTES) return false;
    tidy[length++] = blank ? ' ' : *title;
  }
  tidy[length] = '\0';
  return true;
}

static hs_status section_unknown(struct hs_draft *draft, const char *title, struct hs_where where)
{
  const char *names[16], *nearest;
  char list[300] = "";
  size_t count, k, length = 0;
  const struct hs_config_section *known = hs_config_sections(&count);

  for (k = 0; k < count && k < 16; k++) {
    names[k] = known[k].name;
    length += (size_t)snprintf(list + length, sizeof list - length, "%s[%s%s]", k ? ", " : "", names[k],
                               strcmp(names[k], "source") == 0 ? " NAME" : "");
  }
  nearest = hs_text_nearest(title, names, k);
  if (!nearest && strncmp(title, "source", 6) == 0) nearest = "source";
  return hs_draft_fail(draft, where, "unknown section [%s]%s%s%s%s Known sections: %s.", hs_text_clip(title).text,
                       nearest ? "; did you mean [" : ".", nearest ? nearest : "",
                       nearest && strcmp(nearest, "source") == 0 ? " NAME" : "", nearest ? "]?" : "", list);
}

/* The kind of section that a tidy title names, or NULL with the failure set. */
static const char *section_kind(struct hs_draft *draft, const char *title, struct hs_where where)
{
  size_t count, k;
  const struct hs_config_section *known = hs_config_sections(&count);

  if (strcmp(title, "source") == 0) {
    hs_draft_fail(draft, where, "a source needs a name: write [source NAME], for example [source heater].");
    return NULL;
  }
  if (strncmp(title, "source ", 7) == 0) {
    if (!strpbrk(title, "=;[]")) return "source";
    hs_draft_fail(draft, where, "the source name \"%s\" contains one of = ; [ ], which a name must not.",
                  hs_text_clip(title + 7).text);
    return NULL;
  }
  for (k = 0; k < count; k++) {
    if (strcmp(known[k].name, title) == 0) return known[k].name;
  }
  section_unknown(draft, title, where);
  return NULL;
}

/* Appends a source to the configuration. */
static hs_status source_append(struct hs_draft *draft, struct hs_draft_section *section)
{
  struct hs_config *config = draft->config;
  struct hs_config_source *source;

  if (config->source_count == draft->source_room) {
    const int room = draft->source_room ? 2 * draft->source_room : 8;
    source = realloc(config->sources, (size_t)room * sizeof *source);
    if (!source) return hs_draft_fail_memory(draft);
    config->sources = source;
    draft->source_room = room;
  }
  source = &config->sources[config->source_count];
  memset(source, 0, sizeof *source);
  source->name = strdup(section->title + strlen("source "));
  if (!source->name) return hs_draft_fail_memory(draft);
  source->line = section->where.line;
  section->source = config->source_count++;
  return HS_OK;
}

/* Adds a section that is not there yet. */
static hs_status section_append(struct hs_draft *draft, const char *kind, const char *title, struct hs_where where,
                                struct hs_draft_section **added)
{
  struct hs_draft_section *section;

  if (draft->section_count == draft->section_room) {
    const int room = draft->section_room ? 2 * draft->section_room : 16;
    void *grown = realloc(draft->sections, (size_t)room * sizeof *draft->sections);
    if (!grown) return hs_draft_fail_memory(draft);
    draft->sections = grown;
    draft->section_room = room;
  }
  section = calloc(1, sizeof *section);
  if (!section) return hs_draft_fail_memory(draft);
  draft->sections[draft->section_count++] = section;
  section->title = strdup(title);
  section->kind = kind;
  section->where = where;
  section->source = -1;
  if (!section->title || !tsearch(section, &draft->titles, section_compare)) return hs_draft_fail_memory(draft);
  *added = section;
  return strcmp(kind, "source") == 0 ? source_append(draft, section) : HS_OK;
}

hs_status hs_draft_begin(struct hs_draft *draft, const char *title, struct hs_where where,
                         struct hs_draft_section **section)
{
  char tidy[TITLE_BYTES];
  struct hs_draft_section *before;
  const char *kind;

  if (!title_tidy(title, tidy)) {
    return hs_draft_fail(draft, where, "the section name \"%s\" is longer than %d bytes.", hs_text_clip(title).text,
                         TITLE_BYTES - 1);
  }
  kind = section_kind(draft, tidy, where);
  if (!kind) return HS_ERR_CONFIG;
  before = hs_draft_find(draft, tidy);
  if (!before) return section_append(draft, kind, tidy, where, section);
  *section = before;
  if (where.override) return HS_OK;
  return hs_draft_fail(draft, where, "section [%s] was begun before, in line %d; put its keys together%s.", tidy,
                       before->where.line, before->source >= 0 ? ", or give one of the two another name" : "");
}

static hs_status key_unknown(struct hs_draft *draft, const struct hs_draft_section *section, const char *name,
                             struct hs_where where)
{
  const char *names[HS_CONFIG_KEY_MAX], *nearest;
  const size_t count = hs_config_key_names(section->kind, names);
  char list[600] = "", hint[160] = ".";
  size_t k, sections, length = 0;
  const struct hs_config_section *known = hs_config_sections(&sections);

  for (k = 0; k < count && length < sizeof list; k++) {
    length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", k ? ", " : "", names[k]);
  }
  nearest = hs_text_nearest(name, names, count);
  if (nearest) snprintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest);
  for (k = 0; k < sections; k++) {
    if (hs_config_key_find(known[k].name, name) >= 0) {
      snprintf(hint, sizeof hint, "; it belongs to [%s%s].", known[k].name,
               strcmp(known[k].name, "source") == 0 ? " NAME" : "");
    }
  }
  return hs_draft_fail(draft, where, "unknown key \"%s\" in [%s]%s Known keys: %s.", hs_text_clip(name).text,
                       section->title, hint, list);
}

/* Forgets what the file says about a key. */
static void displace(struct hs_draft_section *section, const char *name)
{
  const int k = hs_config_key_find(section->kind, name);
  if (k >= 0 && section->keys[k].line) section->keys[k] = (struct hs_where){0, 0};
}

/* An override that chooses another way to say the same thing displaces the file's way. */
static void displace_alternatives(struct hs_draft_section *section, const char *name)
{
  static const char *const pairs[4][2] = {{"lx", "dx"}, {"dx", "lx"}, {"ly", "dy"}, {"dy", "ly"}};
  size_t count, k;
  const struct hs_config_key *keys = hs_config_keys(&count);

  for (k = 0; k < 4 && strcmp(section->kind, "grid") == 0; k++) {
    if (strcmp(pairs[k][0], name) == 0) displace(section, pairs[k][1]);
  }
  for (k = 0; k < count && section->source >= 0 && strcmp(name, "shape") == 0; k++) {
    if (keys[k].need == HS_NEED_SHAPE) displace(section, keys[k].name);
  }
}

hs_status hs_draft_set(struct hs_draft *draft, struct hs_draft_section *section, const char *name, const char *value,
                       struct hs_where where)
{
  const int k = hs_config_key_find(section->kind, name);
  const struct hs_config_key *key;
  char reason[300], allowed[200];
  size_t count;

  if (k < 0) return key_unknown(draft, section, name, where);
  key = &hs_config_keys(&count)[k];
  if (!where.override && section->keys[k].line) {
    return hs_draft_fail(draft, where, "[%s] %s was given before, in line %d; remove one of the two.", section->title,
                         name, section->keys[k].line);
  }
  if (!hs_config_key_store(key, hs_draft_base(draft, section), value, reason, sizeof reason)) {
    if (reason[0] == '\0') return hs_draft_fail_memory(draft);
    hs_config_key_allowed(key, allowed, sizeof allowed);
    return hs_draft_fail(draft, where, "[%s] %s: \"%s\" %s. Allowed: %s%s%s.", section->title, name,
                         hs_text_clip(value).text, reason, allowed, key->unit[0] ? ", in " : "", key->unit);
  }
  if (where.override) displace_alternatives(section, name);
  section->keys[k] = where;
  return HS_OK;
}

void *hs_draft_base(const struct hs_draft *draft, const struct hs_draft_section *section)
{
  return section->source >= 0 ? (void *)&draft->config->sources[section->source] : (void *)draft->config;
}

struct hs_where hs_draft_where(const struct hs_draft_section *section, const char *name)
{
  const int k = section ? hs_config_key_find(section->kind, name) : -1;
  return k >= 0 ? section->keys[k] : (struct hs_where){0, 0};
}

static void node_keep(void *node)
{
  (void)node;
}

void hs_draft_clear(struct hs_draft *draft)
{
  int k;

  tdestroy(draft->titles, node_keep);
  for (k = 0; k < draft->section_count; k++) {
    free(draft->sections[k]->title);
    free(draft->sections[k]);
  }
  free(draft->sections);
  draft->titles = NULL;
  draft->sections = NULL;
  draft->section_count = 0;
}
