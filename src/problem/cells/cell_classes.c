/* The distinct contents of cells and an open-addressing hash table over them. The table holds twice as many slots as there
 * can be classes and never grows. */
#include "problem/cells/cell_classes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SLOTS = 2 * (HS_CELL_CLASS_LIMIT + 1) };

hs_status hs_cell_classes_create(struct hs_cell_classes *classes, const char *path, struct hs_error *err)
{
  memset(classes, 0, sizeof *classes);
  classes->path = path;
  return hs_array_create((void **)&classes->slots, SLOTS, sizeof *classes->slots, "the materials of the cells", err);
}

void hs_cell_classes_clear(struct hs_cell_classes *classes)
{
  free(classes->slots);
  free(classes->items);
}

static uint64_t bits_of(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t class_hash(const struct hs_cell_class *c)
{
  const uint64_t parts[] = {(uint64_t)c->material, bits_of(c->source_w_m3), bits_of(c->loss_w_m3k),
                            bits_of(c->loss_w_m3)};
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    hash = (hash ^ parts[k]) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

static bool class_same(const struct hs_cell_class *a, const struct hs_cell_class *b)
{
  return a->material == b->material && a->source_w_m3 == b->source_w_m3 && a->loss_w_m3k == b->loss_w_m3k &&
         a->loss_w_m3 == b->loss_w_m3;
}

static hs_status class_append(struct hs_cell_classes *classes, const struct hs_cell_class *content,
                              struct hs_error *err)
{
  if (classes->count == HS_CELL_CLASS_LIMIT)
    return hs_error_set(err, HS_ERR_CONFIG,
                        "%s: cells have more than %d different contents (combinations of material, source density and "
                        "loss); use fewer overlapping sources and losses, or give the sources as a map, [map] source = "
                        "FILE.h5:/DATASET",
                        classes->path, HS_CELL_CLASS_LIMIT);
  if (classes->count == classes->room) {
    const int room = classes->room ? 2 * classes->room : 64;
    struct hs_cell_class *items = realloc(classes->items, (size_t)room * sizeof *items);
    if (!items) return hs_error_set(err, HS_ERR_MEMORY, "no memory for %d classes of cells", room);
    classes->items = items;
    classes->room = room;
  }
  classes->items[classes->count++] = *content;
  return HS_OK;
}

hs_status hs_cell_classes_intern(struct hs_cell_classes *classes, const struct hs_cell_class *content, int *number,
                                 struct hs_error *err)
{
  const struct hs_cell_class key = {content->material, content->source_w_m3 + 0.0, content->loss_w_m3k + 0.0,
                                    content->loss_w_m3 + 0.0};
  uint64_t slot = class_hash(&key) % SLOTS;
  hs_status status;
  for (; classes->slots[slot]; slot = (slot + 1) % SLOTS) {
    *number = classes->slots[slot] - 1;
    if (class_same(&classes->items[*number], &key)) return HS_OK;
  }
  status = class_append(classes, &key, err);
  if (status) return status;
  *number = classes->count - 1;
  classes->slots[slot] = classes->count;
  return HS_OK;
}
