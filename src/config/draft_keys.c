/* Setting the keys of a configuration in the making; see draft.h.
 *
 * An override wins over the file, also where the two set the same thing by different keys (lx and dx): the file's key
 * is then displaced, that is, forgotten. Some keys share one value (conductivity and conductivity_x); it is cleared only
 * when the last of them is displaced.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/draft.h"
#include "config/text.h"

static hs_status key_unknown(struct hs_draft *draft, const struct hs_draft_section *section, const char *name,
                             struct hs_where where)
{
  const char *names[HS_CONFIG_KEY_MAX], *nearest;
  const size_t count = hs_config_key_names(section->kind, names);
  char list[600] = "", hint[160] = ".", title[60];
  size_t k, sections, length = 0;
  const struct hs_config_section *known = hs_config_sections(&sections);

  for (k = 0; k < count && length < sizeof list; k++) {
    length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", k ? ", " : "", names[k]);
  }
  nearest = hs_text_nearest(name, names, count);
  for (k = sections; k-- > 0;) {
    if (hs_config_key_find(&known[k], name) < 0) continue;
    snprintf(hint, sizeof hint, "; it belongs to [%s].", hs_config_section_title(&known[k], title, sizeof title));
  }
  if (nearest && hint[1] == '\0') snprintf(hint, sizeof hint, "; did you mean \"%s\"?", nearest);
  return hs_draft_fail(draft, where, "unknown key \"%s\" in [%s]%s Known keys: %s.", hs_text_clip(name).text,
                       section->title, hint, list);
}

/* Does another key that was given keep its value in the same place? */
static bool value_shared(const struct hs_draft_section *section, size_t place)
{
  const size_t count = hs_config_key_count(section->kind), offset = hs_config_key_at(section->kind, place)->offset;
  size_t k;

  for (k = 0; k < count; k++) {
    if (k == place || !hs_where_given(section->keys[k])) continue;
    if (hs_config_key_of_shape(section->kind, k) != hs_config_key_of_shape(section->kind, place)) continue;
    if (hs_config_key_at(section->kind, k)->offset == offset) return true;
  }
  return false;
}

/* Forgets what the file says about a key. false: memory is short. */
static bool displace(struct hs_draft *draft, struct hs_draft_section *section, size_t place)
{
  if (!section->keys[place].line) return true;
  section->keys[place] = (struct hs_where){0, 0};
  free(section->texts[place]);
  section->texts[place] = NULL;
  if (value_shared(section, place)) return true;
  return hs_config_key_clear(hs_config_key_at(section->kind, place), hs_draft_key_base(draft, section, place));
}

/* An override that chooses another way to say the same thing displaces the file's way. */
static bool displace_alternatives(struct hs_draft *draft, struct hs_draft_section *section, const char *name)
{
  const char *other;
  bool good = true;
  int number, place;

  for (number = 0; good && (other = hs_config_key_alternative(section->kind, name, number)); number++) {
    place = hs_config_key_find(section->kind, other);
    if (place >= 0) good = displace(draft, section, (size_t)place);
  }
  return good;
}

/* An override that selects another kind displaces the file's keys that do not belong to it. */
static bool displace_other_kinds(struct hs_draft *draft, struct hs_draft_section *section, const char *name)
{
  const size_t count = hs_config_key_count(section->kind);
  bool good = true;
  unsigned kinds;
  size_t k;

  if (!section->kind->selector || strcmp(section->kind->selector, name) != 0) return true;
  for (k = 0; k < count && good; k++) {
    kinds = hs_config_key_at(section->kind, k)->kinds;
    if (kinds && !(kinds >> hs_draft_selected(draft, section) & 1u)) good = displace(draft, section, k);
  }
  return good;
}

/* Turns the text of a key into its value. */
static hs_status key_store(struct hs_draft *draft, struct hs_draft_section *section, size_t place, const char *text,
                           struct hs_where where)
{
  const struct hs_config_key *key = hs_config_key_at(section->kind, place);
  void *base = hs_draft_key_base(draft, section, place);
  char reason[300], allowed[200];
  const bool more = !where.override && section->keys[place].line;

  if (!hs_config_key_store(key, base, text, more, reason, sizeof reason)) {
    if (reason[0] == '\0') return hs_draft_fail_memory(draft);
    hs_config_key_allowed(key, allowed, sizeof allowed);
    return hs_draft_fail(draft, where, "[%s] %s: \"%s\" %s. Allowed: %s%s%s.", section->title, key->name,
                         hs_text_clip(text).text, reason, allowed, key->unit[0] ? ", in " : "", key->unit);
  }
  if (key->type == HS_KEY_VALUE || key->type == HS_KEY_WALL || key->type == HS_KEY_INVERSE) {
    ((struct hs_config_value *)(void *)((char *)base + key->offset))->line = where.line;
  }
  return HS_OK;
}

/* Keeps what was written; a list that goes on is joined. false: memory is short. */
static bool text_keep(struct hs_draft_section *section, size_t place, const char *value, bool more)
{
  char *text = more && section->texts[place] ? hs_text_format(NULL, "%s, %s", section->texts[place], value)
                                             : hs_text_copy(value, NULL);

  free(section->texts[place]);
  section->texts[place] = text;
  return text != NULL;
}

hs_status hs_draft_set(struct hs_draft *draft, struct hs_draft_section *section, const char *name, const char *value,
                       struct hs_where where)
{
  const int place = hs_config_key_find(section->kind, name);
  const bool change = where.override != 0;
  hs_status status;

  if (place < 0) return key_unknown(draft, section, name, where);
  if (!change && section->keys[place].line &&
      !hs_config_key_continues(hs_config_key_at(section->kind, (size_t)place))) {
    return hs_draft_fail(draft, where, "[%s] %s was given before, in line %d; remove one of the two.", section->title,
                         name, section->keys[place].line);
  }
  if (change && !displace_alternatives(draft, section, name)) return hs_draft_fail_memory(draft);
  status = key_store(draft, section, (size_t)place, value, where);
  if (status != HS_OK) return status;
  if (!text_keep(section, (size_t)place, value, !change && section->keys[place].line))
    return hs_draft_fail_memory(draft);
  section->keys[place] = where;
  if (change && !displace_other_kinds(draft, section, name)) return hs_draft_fail_memory(draft);
  return HS_OK;
}
