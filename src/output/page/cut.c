/* Reports of any length become short enough for a page. */
#include "output/page/parts.h"

static bool is_numbers(const json_t *list)
{
  const json_t *first = json_array_get(list, 0);
  return json_is_number(first) || json_is_null(first);
}

/* Removes what is behind the first `most`. */
static void shorten(json_t *list, size_t most)
{
  for (size_t size = json_array_size(list); size > most; size--) (void)json_array_remove(list, size - 1);
}

/* Every list of numbers in a value, and what is to be done with each. */
static int each_list(json_t *value, int (*visit)(json_t *list, size_t *context), size_t *context)
{
  int failed = 0;
  size_t k;
  json_t *item;
  const char *key;
  void *next;
  if (json_is_array(value) && is_numbers(value)) return visit(value, context);
  json_array_foreach(value, k, item) failed |= each_list(item, visit, context);
  json_object_foreach_safe(value, next, key, item) failed |= each_list(item, visit, context);
  return failed;
}

static int count_list(json_t *list, size_t *count)
{
  (void)list;
  (*count)++;
  return 0;
}

/* Leaves *most numbers, evenly, the first and the last included. */
static int thin_list(json_t *list, size_t *most)
{
  const size_t size = json_array_size(list);
  int failed = 0;
  for (size_t k = 1; size > *most && k < *most; k++)
    failed |= json_array_set(list, k, json_array_get(list, k * (size - 1) / (*most - 1)));
  shorten(list, *most);
  return failed;
}

int hs_page_cut(json_t *report)
{
  static const char *const tables[] = {"surfaces", "probes", "materials", "shapes"};
  json_t *series = json_object_get(json_object_get(report, "transient"), "series");
  size_t lists = 0, most;
  (void)json_object_del(report, "quantities");
  for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) shorten(json_object_get(report, tables[k]), HS_PAGE_ROWS);
  for (size_t k = 0; k < 2; k++) shorten(json_object_get(series, tables[k]), HS_PAGE_ROWS);
  (void)each_list(report, count_list, &lists);
  most = lists ? HS_PAGE_NUMBERS / lists : 0;
  most = most > HS_PAGE_POINTS ? HS_PAGE_POINTS : most < 16 ? 16 : most;
  return each_list(report, thin_list, &most);
}
