/* Which problem a configuration describes: the keys that change the answer, with their values, as text.
 *
 * Two configurations with the same text describe the same run, sweep for sweep, whatever their comments, their order and
 * the spelling of their numbers. Left out are files to be written, what carries out the sweeps, limits, and names of
 * colours. Contents of files that are read (maps, tables) are not in it.
 */
#include "config/identity.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/names.h"
#include "config/table.h"

/* Text that grows; once memory is short, text is NULL and stays so. */
struct lines {
  char *text;
  size_t length, room;
};

static void lines_add(struct lines *lines, const char *format, ...) HS_PRINTF(2, 3);
static void lines_add(struct lines *lines, const char *format, ...)
{
  va_list arguments;
  int length;
  if (!lines->text) return;
  va_start(arguments, format);
  length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (lines->length + (size_t)length + 1 > lines->room) {
    const size_t room = 2 * (lines->room + (size_t)length + 1);
    char *longer = realloc(lines->text, room);
    if (!longer) {
      free(lines->text);
      lines->text = NULL;
      return;
    }
    lines->text = longer;
    lines->room = room;
  }
  va_start(arguments, format);
  vsnprintf(lines->text + lines->length, lines->room - lines->length, format, arguments);
  va_end(arguments);
  lines->length += (size_t)length;
}

static void list_add(struct lines *lines, const void *value, int numbers_each)
{
  const double *numbers;
  int count;
  memcpy(&numbers, value, sizeof numbers);
  memcpy(&count, (const char *)value + sizeof numbers, sizeof count);
  for (int k = 0; k < count * numbers_each; k++) lines_add(lines, k ? " %.17g" : "%.17g", numbers[k]);
}

static void either_add(struct lines *lines, const struct hs_config_value *either)
{
  if (either->is_number)
    lines_add(lines, "%.17g", either->number);
  else
    lines_add(lines, "%s", either->text ? either->text : "");
}

static void value_add(struct lines *lines, const struct hs_config_key *key, const void *value)
{
  switch (key->type) {
  case HS_KEY_INT:
  case HS_KEY_AUTO: lines_add(lines, "%d", *(const int *)value); break;
  case HS_KEY_INT64: lines_add(lines, "%lld", (long long)*(const int64_t *)value); break;
  case HS_KEY_REAL:
  case HS_KEY_BYTES: lines_add(lines, "%.17g", *(const double *)value); break;
  case HS_KEY_CHOICE: lines_add(lines, "%s", key->choices[*(const int *)value - (int)key->low]); break;
  case HS_KEY_SET: lines_add(lines, "%d", *(const int *)value); break;
  case HS_KEY_YES_NO: lines_add(lines, *(const bool *)value ? "yes" : "no"); break;
  case HS_KEY_NAME:
  case HS_KEY_TEXT:
  case HS_KEY_COLOR:
  case HS_KEY_DATASET: lines_add(lines, "%s", *(char *const *)value ? *(char *const *)value : ""); break;
  case HS_KEY_VALUE:
  case HS_KEY_WALL:
  case HS_KEY_INVERSE: either_add(lines, value); break;
  case HS_KEY_TIMES: list_add(lines, value, 1); break;
  case HS_KEY_POINTS: list_add(lines, value, 2); break;
  }
}

/* Does the key change no answer? */
static bool is_beside(const struct hs_config_section *section, const struct hs_config_key *key)
{
  static const char *const solver[] = {"max_iterations", "backend", "threads", "gpus", "device_memory"};
  if (key->type == HS_KEY_COLOR || key->type == HS_KEY_INVERSE) return true; /* an inverse is in the key it inverts */
  if (!strcmp(section->name, "time") && !strcmp(key->name, "steps")) return true; /* the step says it */
  for (size_t k = 0; !strcmp(section->name, "solver") && k < sizeof solver / sizeof *solver; k++)
    if (!strcmp(key->name, solver[k])) return true;
  return false;
}

static bool section_is_beside(const struct hs_config_section *section, bool steady)
{
  if (!strcmp(section->name, "probe")) return steady; /* a column of series.csv otherwise */
  return !strcmp(section->name, "output") || !strcmp(section->name, "run") || !strcmp(section->name, "expect");
}

/* Is the key in use for the kind that its section has? base: the configuration, or what is in one of its arrays. */
static bool is_used(const struct hs_config_section *section, const struct hs_config_key *key, void *base)
{
  const int place = key->kinds ? hs_config_key_find(section, section->selector) : -1;
  const struct hs_config_key *selector;
  const int *selected;
  if (!strcmp(section->name, "time") && !strcmp(key->name, "damped_steps")) return hs_config_damped(base) > 0;
  if (place < 0) return true;
  selector = hs_config_key_at(section, (size_t)place);
  selected =
      (const int *)(const void *)((const char *)hs_config_key_base(section, (size_t)place, base) + selector->offset);
  return key->kinds >> *selected & 1u;
}

/* Lines "TITLE.key = value" of what one section fills. */
static void section_add(struct lines *lines, const struct hs_config_section *section, const char *name, void *base)
{
  const size_t count = hs_config_key_count(section);
  for (size_t k = 0; k < count; k++) {
    const struct hs_config_key *key = hs_config_key_at(section, k);
    if (is_beside(section, key) || !is_used(section, key, base)) continue;
    lines_add(lines, "%s%s%s.%s = ", section->name, name[0] ? " " : "", name, key->name);
    value_add(lines, key, (const char *)hs_config_key_base(section, k, base) + key->offset);
    lines_add(lines, "\n");
  }
}

/* Lines of the sides that [boundary] gives. */
static void sides_add(struct lines *lines, const struct hs_config *config)
{
  for (int k = 0; k < config->side_count; k++) {
    const struct hs_config_boundary *side = &config->boundaries[k];
    lines_add(lines, "boundary.%s = ", hs_side_name(side->side));
    if (side->kind != HS_WALL_TEMPERATURE)
      lines_add(lines, "%s", hs_names_wall[side->kind]);
    else
      either_add(lines, &side->temperature);
    lines_add(lines, "\n");
  }
}

/* First element of a section's array that a name belongs to: the background material and the sides come before. */
static int first_named(const struct hs_config_section *section, const struct hs_config *config)
{
  if (!strcmp(section->name, "material")) return 1;
  return strcmp(section->name, "boundary") ? 0 : config->side_count;
}

char *hs_config_identity(const struct hs_config *config, struct hs_error *err)
{
  size_t count;
  const struct hs_config_section *sections = hs_config_sections(&count);
  const bool steady = config->time.scheme == HS_SCHEME_STEADY;
  struct lines lines = {calloc(1, 1), 0, 1};
  for (size_t s = 0; s < count; s++) {
    const struct hs_config_section *section = &sections[s];
    char *array = section->in_array ? hs_config_array(section, config) : NULL;
    if (section_is_beside(section, steady)) continue;
    if (!section->noun && !strcmp(section->name, "boundary"))
      sides_add(&lines, config);
    else if (!section->noun)
      section_add(&lines, section, "", section->in_array ? array : (char *)config);
    for (int k = first_named(section, config); section->noun && k < hs_config_array_count(section, config); k++) {
      char *element = array + (size_t)k * section->element;
      section_add(&lines, section, ((const struct hs_config_head *)(const void *)element)->name, element);
    }
  }
  if (!lines.text) hs_error_set(err, HS_ERR_MEMORY, "no memory is left to describe the problem");
  return lines.text;
}

/* --- differences ----------------------------------------------------------------------------- */

/* Does text have this line, of `length` bytes? */
static bool has_line(const char *text, const char *line, size_t length)
{
  for (const char *at = text; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != '\0'))
    if (strcspn(at, "\n") == length && !strncmp(at, line, length)) return true;
  return false;
}

/* The value of the key whose line begins with line[key]; "absent" where there is none. */
static const char *value_of(const char *text, const char *line, size_t key, int *length)
{
  for (const char *at = text; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != '\0')) {
    if (strncmp(at, line, key) != 0) continue;
    *length = (int)strcspn(at + key, "\n");
    return at + key;
  }
  *length = (int)strlen("absent");
  return "absent";
}

enum hs_method hs_config_identity_method(const char *text)
{
  static const char key[] = "solver.method = ";
  int length;
  const char *name = value_of(text, key, strlen(key), &length);
  int method = 0;
  while (method < HS_METHOD_AUTO && (strlen(hs_names_method[method]) != (size_t)length ||
                                     strncmp(hs_names_method[method], name, (size_t)length) != 0))
    method++;
  return (enum hs_method)method;
}

/* Contents are said to differ only where no key says why. */
static bool follows(const char *line, size_t length, const char *list)
{
  const size_t contents = strlen(HS_IDENTITY_CONTENTS);
  return list[0] != '\0' && length > contents && !strncmp(line, HS_IDENTITY_CONTENTS, contents);
}

static bool difference_add(char *list, size_t size, const char *key, int key_length, const char *here, int here_length,
                           const char *there, int there_length)
{
  const size_t used = strlen(list);
  const int added =
      snprintf(list + used, size - used, "%s%.*s (%.*s here, %.*s there)", used ? ", " : "", key_length, key,
               here_length < 60 ? here_length : 60, here, there_length < 60 ? there_length : 60, there);
  if (used + (size_t)added + sizeof ", ..." < size) return true;
  snprintf(list + used, size - used, "%s...", used ? ", " : "");
  return false;
}

void hs_config_identity_differences(const char *here, const char *there, char *list, size_t size)
{
  const char *const texts[2] = {here, there};
  list[0] = '\0';
  for (int which = 0; which < 2; which++) {
    const char *const own = texts[which], *const other = texts[1 - which];
    for (const char *at = own; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != '\0')) {
      const size_t length = strcspn(at, "\n");
      const char *equals = strstr(at, " = ");
      const size_t key = equals && equals < at + length ? (size_t)(equals - at) + 3 : length;
      int elsewhere;
      const char *value;
      if (has_line(other, at, length) || follows(at, length, list)) continue;
      value = value_of(other, at, key, &elsewhere);
      if (which == 1 && strcmp(value, "absent") != 0) continue; /* said before */
      if (which == 0 && !difference_add(list, size, at, (int)key - 3, at + key, (int)(length - key), value, elsewhere))
        return;
      if (which == 1 && !difference_add(list, size, at, (int)key - 3, "absent", 6, at + key, (int)(length - key)))
        return;
    }
  }
}
