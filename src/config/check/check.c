/* The end of reading: defaults, missing keys, and then the rules of check.h section by section. */
#include "config/check/check.h"

#include <stdio.h>
#include <string.h>

#include "config/check/common.h"

/* "rectangle" and "line" */
static void kinds_list(const struct hs_config_key *key, const struct hs_config_key *selector, char *text, size_t size)
{
  const int first = (int)selector->low;
  size_t length = 0;
  unsigned rest;
  int k;

  text[0] = '\0';
  for (k = 0; selector->choices[k] && length < size; k++) {
    rest = key->kinds >> (first + k);
    if (!(rest & 1u)) continue;
    length += (size_t)snprintf(text + length, size - length, "%s\"%s\"", length ? " and " : "", selector->choices[k]);
  }
}

static hs_status key_of_other_kind(struct hs_draft *draft, const struct hs_draft_section *section,
                                   const struct hs_config_key *key, int selected)
{
  const char *name = section->kind->selector;
  const struct hs_config_key *selector =
      hs_config_key_at(section->kind, (size_t)hs_config_key_find(section->kind, name));
  char list[200];

  kinds_list(key, selector, list, sizeof list);
  if (list[0] == '\0') snprintf(list, sizeof list, "\"node\" of a source");
  return hs_draft_fail(draft, hs_draft_where(section, key->name),
                       "[%s] has the key \"%s\", which %s \"%s\" does not use (it belongs to %s %s); remove it, or "
                       "change the %s.",
                       section->title, key->name, section->kind->selector_words,
                       selector->choices[selected - (int)selector->low], name, list, name);
}

/* A key that was not given: its default, or a refusal when it has none and is needed. */
static hs_status key_complete(struct hs_draft *draft, const struct hs_draft_section *section, size_t place, bool used)
{
  const struct hs_config_key *key = hs_config_key_at(section->kind, place);
  char reason[80];

  if (key->required && used) return hs_check_missing(draft, section, key->name, "");
  if (!key->fallback || !used) return HS_OK;
  if (hs_config_key_store(key, hs_draft_key_base(draft, section, place), key->fallback, false, reason, sizeof reason)) {
    return HS_OK;
  }
  return hs_draft_fail_memory(draft);
}

/* Defaults and missing keys of one section. A selector comes before the keys that depend on it. */
static hs_status section_complete(struct hs_draft *draft, const struct hs_draft_section *section)
{
  const size_t count = hs_config_key_count(section->kind);
  hs_status status = HS_OK;
  size_t k;

  for (k = 0; k < count && status == HS_OK; k++) {
    const struct hs_config_key *key = hs_config_key_at(section->kind, k);
    const int selected = key->kinds ? hs_draft_selected(draft, section) : 0;
    const bool used = !key->kinds || (key->kinds >> selected & 1u);
    if (!hs_where_given(section->keys[k])) {
      status = key_complete(draft, section, k, used);
    } else if (!used) {
      status = key_of_other_kind(draft, section, key, selected);
    }
  }
  return status;
}

/* Begins every plain section that is not there, so that its defaults apply; then completes the named ones. */
static hs_status sections_complete(struct hs_draft *draft)
{
  size_t count, k;
  const struct hs_config_section *known = hs_config_sections(&count);
  struct hs_draft_section *section;
  hs_status status = HS_OK;
  int s;

  for (k = 0; k < count && status == HS_OK; k++) {
    if (known[k].noun) continue;
    section = hs_draft_find(draft, known[k].name);
    if (!section) status = hs_draft_begin(draft, known[k].name, (struct hs_where){0, 0}, &section);
    if (status == HS_OK) status = section_complete(draft, section);
  }
  for (s = 0; s < draft->section_count && status == HS_OK; s++) {
    if (draft->sections[s]->kind->noun) status = section_complete(draft, draft->sections[s]);
  }
  return status;
}

/* The rules of one section. */
static hs_status section_check(struct hs_draft *draft, const struct hs_draft_section *section)
{
  static const struct {
    const char *name;
    bool named;
    hs_status (*check)(struct hs_draft *draft, const struct hs_draft_section *section);
  } rules[] = {
      {"material", false, hs_check_material}, {"material", true, hs_check_material},
      {"shape", true, hs_check_region},       {"source", true, hs_check_source},
      {"loss", true, hs_check_loss},          {"boundary", false, hs_check_sides},
      {"boundary", true, hs_check_boundary},  {"probe", true, hs_check_probe},
      {"expect", true, hs_check_expect},      {"map", false, hs_check_map},
      {"time", false, hs_check_time},         {"solver", false, hs_check_solver},
      {"output", false, hs_check_output},
  };
  const bool named = section->kind->noun != NULL;
  size_t k;

  for (k = 0; k < sizeof rules / sizeof rules[0]; k++) {
    if (rules[k].named == named && strcmp(rules[k].name, section->kind->name) == 0) {
      return rules[k].check(draft, section);
    }
  }
  return HS_OK;
}

hs_status hs_draft_complete(struct hs_draft *draft)
{
  hs_status status = sections_complete(draft);
  int s;

  if (status == HS_OK) status = hs_check_grid(draft, hs_draft_find(draft, "grid"));
  for (s = 0; s < draft->section_count && status == HS_OK; s++) status = section_check(draft, draft->sections[s]);
  if (status == HS_OK) status = hs_check_capacities(draft);
  return status == HS_OK ? hs_check_sides_given(draft) : status;
}
