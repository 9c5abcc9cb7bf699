/* Looking things up in the table of keys, and reaching the values that its rows describe.
 *
 * The arrays of struct hs_config have different types of elements; here they are blocks of bytes whose place and
 * size the table knows. Pointers are copied by memcpy, so no object is read through another type.
 */
#include "config/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAY_FIRST_ROOM = 8 };

const struct hs_config_section *hs_config_section_find(const char *name, bool named)
{
  size_t count, k;
  const struct hs_config_section *known = hs_config_sections(&count);

  for (k = 0; k < count; k++) {
    if ((known[k].noun != NULL) == named && strcmp(known[k].name, name) == 0) return &known[k];
  }
  return NULL;
}

const char *hs_config_section_title(const struct hs_config_section *section, char *text, size_t size)
{
  snprintf(text, size, "%s%s", section->name, section->noun ? " NAME" : "");
  return text;
}

size_t hs_config_key_count(const struct hs_config_section *section)
{
  size_t shape_count;

  hs_config_shape_keys(&shape_count);
  return section->key_count + (section->has_shape ? shape_count : 0);
}

bool hs_config_key_of_shape(const struct hs_config_section *section, size_t place)
{
  size_t shape_count;

  hs_config_shape_keys(&shape_count);
  return section->has_shape && place >= 1 && place < 1 + shape_count;
}

const struct hs_config_key *hs_config_key_at(const struct hs_config_section *section, size_t place)
{
  size_t shape_count;
  const struct hs_config_key *shape_keys = hs_config_shape_keys(&shape_count);

  if (hs_config_key_of_shape(section, place)) return &shape_keys[place - 1];
  return &section->keys[section->has_shape && place > shape_count ? place - shape_count : place];
}

size_t hs_config_key_names(const struct hs_config_section *section, const char **names)
{
  const size_t count = hs_config_key_count(section);
  size_t k;

  for (k = 0; k < count; k++) names[k] = hs_config_key_at(section, k)->name;
  return count;
}

int hs_config_key_find(const struct hs_config_section *section, const char *name)
{
  const size_t count = hs_config_key_count(section);
  size_t k;

  for (k = 0; k < count; k++) {
    if (strcmp(hs_config_key_at(section, k)->name, name) == 0) return (int)k;
  }
  return -1;
}

void *hs_config_key_base(const struct hs_config_section *section, size_t place, void *base)
{
  return hs_config_key_of_shape(section, place) ? (char *)base + section->shape : (char *)base;
}

const char *hs_config_key_alternative(const struct hs_config_section *section, const char *name, int number)
{
  static const char *const pairs[][3] = {
      {"grid", "lx", "dx"},
      {"grid", "ly", "dy"},
      {"material", "conductivity", "conductivity_x"},
      {"material", "conductivity", "conductivity_y"},
      {"source", "density", "power"},
      {"boundary", "h", "resistance"},
      {"time", "step", "steps"},
  };
  size_t k;
  int side;

  for (k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
    if (strcmp(pairs[k][0], section->name) != 0) continue;
    for (side = 1; side <= 2; side++) {
      if (strcmp(pairs[k][side], name) == 0 && number-- == 0) return pairs[k][3 - side];
    }
  }
  return NULL;
}

void *hs_config_array(const struct hs_config_section *section, const struct hs_config *config)
{
  void *array;

  memcpy(&array, (const char *)config + section->array, sizeof array);
  return array;
}

int hs_config_array_count(const struct hs_config_section *section, const struct hs_config *config)
{
  int count;

  memcpy(&count, (const char *)config + section->count, sizeof count);
  return count;
}

/* The array has room for ARRAY_FIRST_ROOM times a power of two elements: it is full when the count is such a number. */
static bool array_full(int count)
{
  return count == 0 || (count >= ARRAY_FIRST_ROOM && (count & (count - 1)) == 0);
}

int hs_config_array_append(const struct hs_config_section *section, struct hs_config *config)
{
  const int count = hs_config_array_count(section, config), more = count + 1;
  void *array = hs_config_array(section, config);

  if (array_full(count)) {
    const size_t room = count ? 2 * (size_t)count : ARRAY_FIRST_ROOM;
    array = realloc(array, room * section->element);
    if (!array) return -1;
    memcpy((char *)config + section->array, &array, sizeof array);
  }
  memset((char *)array + (size_t)count * section->element, 0, section->element);
  memcpy((char *)config + section->count, &more, sizeof more);
  return count;
}

int hs_config_damped(const struct hs_config *config)
{
  return config->time.scheme == HS_SCHEME_CRANK_NICOLSON && !config->time.adaptive ? config->time.damped_steps : 0;
}

double hs_config_damped_until_s(const struct hs_config *config)
{
  const int damped = hs_config_damped(config);
  return damped > 0 ? fmin(config->time.start_s + damped * config->time.step_s, config->time.end_s) : NAN;
}

double hs_config_snapshots(const struct hs_config *config)
{
  const double every_s = config->time.snapshot_every_s;
  if (config->time.scheme == HS_SCHEME_STEADY) return 0.0;
  return config->time.snapshot_count + 2.0 +
         (isfinite(every_s) ? (config->time.end_s - config->time.start_s) / every_s : 0.0);
}
