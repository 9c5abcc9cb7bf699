/* Lists of numbers and of points. */
#include "config/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/number.h"
#include "config/text.h"

#define BLANKS " \t"

/* Appends an item of `width` numbers to a list. */
static bool list_append(void *list, size_t width, const double *item)
{
  double *items;
  int count;

  memcpy(&items, list, sizeof items);
  memcpy(&count, (char *)list + sizeof items, sizeof count);
  items = realloc(items, ((size_t)count + 1) * width * sizeof *items);
  if (!items) return false;
  memcpy(items + (size_t)count * width, item, width * sizeof *item);
  count++;
  memcpy(list, &items, sizeof items);
  memcpy((char *)list + sizeof items, &count, sizeof count);
  return true;
}

void hs_config_list_free(void *list)
{
  void *items;

  memcpy(&items, list, sizeof items);
  free(items);
  memset(list, 0, sizeof items + sizeof(int));
}

/* Reads the numbers of one item, which are separated by blanks; changes item. */
static bool item_read(const struct hs_config_key *key, char *item, size_t width, double *numbers, char *reason,
                      size_t size)
{
  char *rest = NULL, *word = strtok_r(item, BLANKS, &rest);
  char why[200];
  size_t k;

  for (k = 0; k < width; k++, word = strtok_r(NULL, BLANKS, &rest)) {
    if (!word)
      return hs_number_refuse(reason, size, width == 2 ? "has a corner without two numbers" : "has an empty item");
    if (hs_number_read(key, word, &numbers[k], why, sizeof why)) continue;
    snprintf(reason, size, "has the item \"%s\", which %s", hs_text_clip(word).text, why);
    return false;
  }
  if (!word) return true;
  snprintf(reason, size, "has \"%s\" where a comma is expected", hs_text_clip(word).text);
  return false;
}

/* A list: items between commas; a comma may end it. */
bool hs_config_list_store(const struct hs_config_key *key, void *list, const char *text, bool more, char *reason,
                          size_t size)
{
  const size_t width = key->type == HS_KEY_POINTS ? 2 : 1;
  char *copy = strdup(text), *item = copy, *comma;
  double numbers[2];
  bool good = copy != NULL;

  if (!copy) return hs_number_refuse(reason, size, "");
  if (!more) hs_config_list_free(list);
  while (good && item && (item[strspn(item, BLANKS)] != '\0' || item == copy)) {
    comma = strchr(item, ',');
    if (comma) *comma = '\0';
    good = item_read(key, item, width, numbers, reason, size);
    if (good && !list_append(list, width, numbers)) good = hs_number_refuse(reason, size, "");
    item = comma ? comma + 1 : NULL;
  }
  free(copy);
  return good;
}
