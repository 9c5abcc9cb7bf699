/* Classes of cells under construction: distinct contents, found again by content. */
#ifndef HS_PROBLEM_CELLS_CELL_CLASSES_H
#define HS_PROBLEM_CELLS_CELL_CLASSES_H

#include "problem/problem.h"

enum { HS_CELL_CLASS_LIMIT = 65535 };

struct hs_cell_classes {
  const char *path;            /* of the configuration, for messages */
  struct hs_cell_class *items; /* [count], owned */
  int count, room;
  int32_t *slots; /* class + 1, 0 when empty; owned */
};

/* Errors: HS_ERR_MEMORY; the caller clears *classes in any case. */
hs_status hs_cell_classes_create(struct hs_cell_classes *classes, const char *path, struct hs_error *err);
void hs_cell_classes_clear(struct hs_cell_classes *classes);

/* The number of a content, added when it is new. Errors: HS_ERR_CONFIG (more than HS_CELL_CLASS_LIMIT), HS_ERR_MEMORY. */
hs_status hs_cell_classes_intern(struct hs_cell_classes *classes, const struct hs_cell_class *content, int *number,
                                 struct hs_error *err);

#endif
