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

HS_PRINTF(3, 0)
static hs_status fail(struct hs_draft *draft, struct hs_where where, const char *format, va_list arguments)
{
  char text[sizeof draft->error->text];

  vsnprintf(text, sizeof text, format, arguments);
  if (where.override) {
    return hs_error_set(draft->error, HS_ERR_CONFIG, "%s: %s", hs_text_clip(draft->overrides[where.override - 1]).text,
                        text);
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

/* "[grid], [material], [material NAME], ..." */
static void sections_list(char *list, size_t size)
{
  size_t count, k, length = 0;
  const struct hs_config_section *known = hs_config_sections(&count);
  char title[60];

  for (k = 0; k < count && length < size; k++) {
    length += (size_t)snprintf(list + length, size - length, "%s[%s]", k ? ", " : "",
                               hs_config_section_title(&known[k], title, sizeof title));
  }
}

/* The section that an unknown title was probably meant to be, or NULL; the first word decides. */
static const struct hs_config_section *section_guess(const char *title)
{
  const char *names[HS_CONFIG_SECTION_MAX], *nearest;
  char word[TITLE_BYTES];
  size_t count, k;
  const struct hs_config_section *known = hs_config_sections(&count);
  const bool named = title[strcspn(title, " ")] != '\0';

  snprintf(word, sizeof word, "%.*s", (int)strcspn(title, " "), title);
  for (k = 0; k < count; k++) names[k] = known[k].name;
  nearest = hs_text_nearest(word, names, count);
  if (!nearest) return NULL;
  if (!hs_config_section_find(nearest, named)) return hs_config_section_find(nearest, !named);
  return hs_config_section_find(nearest, named);
}

/* A section that is there, "shape hole", of which a title is the name alone or has another sign for the space: "hole",
 * "shape.hole". NULL: none. */
static const char *section_meant(const struct hs_draft *draft, const char *title)
{
  for (int k = 0; k < draft->section_count; k++) {
    const char *own = draft->sections[k]->title, *name = strchr(own, ' ');
    const size_t kind = name ? (size_t)(name - own) : 0;
    if (!name) continue;
    if (!strcmp(title, name + 1)) return own;
    if (!strncmp(title, own, kind) && title[kind] && !strcmp(title + kind + 1, name + 1)) return own;
  }
  return NULL;
}

static hs_status section_unknown(struct hs_draft *draft, const char *title, struct hs_where where)
{
  char list[400] = "", name[60], hint[TITLE_BYTES + 40] = ".";
  const struct hs_config_section *guess = section_guess(title);
  const char *meant = section_meant(draft, title);

  sections_list(list, sizeof list);
  if (meant) {
    snprintf(hint, sizeof hint, "; did you mean [%s]?", hs_text_clip(meant).text);
  } else if (guess) {
    snprintf(hint, sizeof hint, "; did you mean [%s]?", hs_config_section_title(guess, name, sizeof name));
  }
  return hs_draft_fail(draft, where, "unknown section [%s]%s Known sections: %s.", hs_text_clip(title).text, hint,
                       list);
}

static hs_status name_missing(struct hs_draft *draft, const struct hs_config_section *kind, struct hs_where where)
{
  return hs_draft_fail(draft, where, "%s %s needs a name: write [%s NAME], for example [%s %s].",
                       strchr("aeiou", kind->noun[0]) ? "an" : "a", kind->noun, kind->name, kind->name, kind->example);
}

/* The kind of section that a tidy title names, or NULL with the failure set. */
static const struct hs_config_section *section_kind(struct hs_draft *draft, const char *title, struct hs_where where)
{
  const size_t first = strcspn(title, " ");
  const bool named = title[first] != '\0';
  char word[TITLE_BYTES];
  const struct hs_config_section *kind;

  snprintf(word, sizeof word, "%.*s", (int)first, title);
  kind = hs_config_section_find(word, named);
  if (!kind && !named) {
    kind = hs_config_section_find(word, true);
    if (kind) name_missing(draft, kind, where);
    if (kind) return NULL;
  }
  if (!kind) {
    section_unknown(draft, title, where);
  } else if (named && strpbrk(title, "=;[]")) {
    hs_draft_fail(draft, where, "the %s name \"%s\" contains one of = ; [ ], which a name must not.", kind->name,
                  hs_text_clip(title + first + 1).text);
    kind = NULL;
  } else if (strcmp(title, "material background") == 0) {
    hs_draft_fail(draft, where,
                  "the material [material] without a name is the background; give this one another name.");
    kind = NULL;
  }
  return kind;
}

/* Gives all keys of a new section their neutral values. */
static bool section_clear(struct hs_draft *draft, const struct hs_draft_section *section)
{
  const size_t count = hs_config_key_count(section->kind);
  size_t k;
  bool good = true;

  for (k = 0; k < count && good; k++) {
    good = hs_config_key_clear(hs_config_key_at(section->kind, k), hs_draft_key_base(draft, section, k));
  }
  return good;
}

/* Appends an element to a section's array; its index, or -1 when memory is short. */
static int element_append(struct hs_draft *draft, const struct hs_config_section *kind, const char *name, int line)
{
  const int element = hs_config_array_append(kind, draft->config);
  struct hs_config_head *head;

  if (element < 0) return -1;
  head = (void *)((char *)hs_config_array(kind, draft->config) + (size_t)element * kind->element);
  head->line = line;
  head->name = strdup(name);
  return head->name ? element : -1;
}

/* Adds a section that is not there yet. */
static hs_status section_append(struct hs_draft *draft, const struct hs_config_section *kind, const char *title,
                                struct hs_where where, struct hs_draft_section **added)
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
  if (!section->title || !tsearch(section, &draft->titles, section_compare)) return hs_draft_fail_memory(draft);
  if (kind->noun) section->element = element_append(draft, kind, title + strlen(kind->name) + 1, where.line);
  if (section->element < 0 || !section_clear(draft, section)) return hs_draft_fail_memory(draft);
  *added = section;
  return HS_OK;
}

hs_status hs_draft_start(struct hs_draft *draft)
{
  const struct hs_config_section *materials = hs_config_section_find("material", true);
  const struct hs_config_section *boundaries = hs_config_section_find("boundary", true);
  bool good = element_append(draft, materials, "", 0) == 0;
  int side;

  for (side = 0; side < HS_SIDES && good; side++) {
    good = element_append(draft, boundaries, hs_side_name((enum hs_side)side), 0) == side;
    if (good) draft->config->boundaries[side].side = (enum hs_side)side;
  }
  return good ? HS_OK : hs_draft_fail_memory(draft);
}

hs_status hs_draft_begin(struct hs_draft *draft, const char *title, struct hs_where where,
                         struct hs_draft_section **section)
{
  char tidy[TITLE_BYTES];
  struct hs_draft_section *before;
  const struct hs_config_section *kind;

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
                       before->where.line, kind->noun ? ", or give one of the two another name" : "");
}

void *hs_draft_base(const struct hs_draft *draft, const struct hs_draft_section *section)
{
  char *array;

  if (!section->kind->in_array) return draft->config;
  array = hs_config_array(section->kind, draft->config);
  return array + (size_t)section->element * section->kind->element;
}

void *hs_draft_key_base(const struct hs_draft *draft, const struct hs_draft_section *section, size_t place)
{
  return hs_config_key_base(section->kind, place, hs_draft_base(draft, section));
}

int hs_draft_selected(const struct hs_draft *draft, const struct hs_draft_section *section)
{
  const int place = hs_config_key_find(section->kind, section->kind->selector);
  const char *base = hs_draft_key_base(draft, section, (size_t)place);

  return *(const int *)(const void *)(base + hs_config_key_at(section->kind, (size_t)place)->offset);
}

struct hs_where hs_draft_where(const struct hs_draft_section *section, const char *name)
{
  const int k = section ? hs_config_key_find(section->kind, name) : -1;
  return k >= 0 ? section->keys[k] : (struct hs_where){0, 0};
}

struct hs_where hs_where_later(struct hs_where a, struct hs_where b)
{
  if (a.override != b.override) return a.override > b.override ? a : b;
  return a.line > b.line ? a : b;
}

/* The key at a place of a section, if it was given. */
static void given_add(struct hs_config *config, struct hs_draft_section *section, size_t place, char *title)
{
  config->given[config->given_count++] = (struct hs_config_given){.section = title,
                                                                  .key = hs_config_key_at(section->kind, place)->name,
                                                                  .value = section->texts[place],
                                                                  .overrides = section->keys[place].override != 0};
  section->texts[place] = NULL;
}

hs_status hs_draft_hand_over(struct hs_draft *draft)
{
  size_t count = 0;

  for (int s = 0; s < draft->section_count; s++) {
    for (size_t k = 0; k < HS_CONFIG_KEY_MAX; k++) count += draft->sections[s]->texts[k] != NULL;
  }
  draft->config->given = calloc(count + 1, sizeof *draft->config->given);
  if (!draft->config->given) return hs_draft_fail_memory(draft);
  for (int s = 0; s < draft->section_count; s++) {
    for (size_t k = 0; k < HS_CONFIG_KEY_MAX; k++) {
      char *title = draft->sections[s]->texts[k] ? strdup(draft->sections[s]->title) : NULL;
      if (draft->sections[s]->texts[k] && !title) return hs_draft_fail_memory(draft);
      if (title) given_add(draft->config, draft->sections[s], k, title);
    }
  }
  return HS_OK;
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
    for (size_t place = 0; place < HS_CONFIG_KEY_MAX; place++) free(draft->sections[k]->texts[place]);
    free(draft->sections[k]->title);
    free(draft->sections[k]);
  }
  free(draft->sections);
  draft->titles = NULL;
  draft->sections = NULL;
  draft->section_count = 0;
}
