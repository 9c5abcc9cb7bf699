/* A configuration in the making: sections and keys as they arrive, each with the place it came from.
 *
 * reader.c and override.c put values in, check.c completes them. The first failure ends a reading,
 * with a sentence that begins with the place.
 */
#ifndef HS_CONFIG_DRAFT_H
#define HS_CONFIG_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"
#include "config/table.h"

/* Where something was written: a line of the file, or one of the overrides. Both 0: nowhere. */
struct hs_where {
  int line;     /* from 1 */
  int override; /* from 1 */
};

struct hs_draft_section {
  char *title;                             /* "grid", "source spot" */
  const struct hs_config_section *kind;    /* row of the table */
  struct hs_where where;                   /* of the header; nowhere when it was left out */
  int element;                             /* index into the section's array; 0 for a plain section */
  struct hs_where keys[HS_CONFIG_KEY_MAX]; /* by place in the section's keys */
  char *texts[HS_CONFIG_KEY_MAX];          /* as they were written; owned */
};

struct hs_draft {
  const char *path;
  const char *const *overrides;
  int override_count;
  struct hs_config *config;           /* not owned */
  struct hs_error *error;             /* not owned */
  struct hs_draft_section **sections; /* [section_count], in order of appearance */
  int section_count, section_room;
  void *titles; /* search tree of sections by title */
};

/* Makes room in the configuration for what exists in any case: the background material and the four sides, whose
 * elements come first in their arrays. */
hs_status hs_draft_start(struct hs_draft *draft);

/* A failure at a place: "wall.ini:7: ...", "grid.nx=abc: ..." (set beside the file) or "wall.ini: ...". */
hs_status hs_draft_fail(struct hs_draft *draft, struct hs_where where, const char *format, ...) HS_PRINTF(3, 4);
hs_status hs_draft_fail_memory(struct hs_draft *draft);

bool hs_where_given(struct hs_where where);

/* The section of that title, or NULL. */
struct hs_draft_section *hs_draft_find(const struct hs_draft *draft, const char *title);

/* Begins a section. title is the text between the brackets; blanks around and within are made
 * uniform. An override goes on with a section that is there. Errors: HS_ERR_CONFIG (unknown, without a name, or
 * begun before in the file), HS_ERR_MEMORY. */
hs_status hs_draft_begin(struct hs_draft *draft, const char *title, struct hs_where where,
                         struct hs_draft_section **section);

/* Sets a key. An override replaces what the file says; the file may set it only once, except for lists, which it
 * continues. An override of one of lx and dx, or of another such pair, displaces the file's other one, and a new shape
 * or kind displaces the file's keys that belong to others only. Errors: HS_ERR_CONFIG, HS_ERR_MEMORY. */
hs_status hs_draft_set(struct hs_draft *draft, struct hs_draft_section *section, const char *name, const char *value,
                       struct hs_where where);

/* The struct that a section fills: struct hs_config, or the element of its array. */
void *hs_draft_base(const struct hs_draft *draft, const struct hs_draft_section *section);

/* What the offset of the key at a place of a section counts from. */
void *hs_draft_key_base(const struct hs_draft *draft, const struct hs_draft_section *section, size_t place);

/* Value of the key that selects a section's kind. */
int hs_draft_selected(const struct hs_draft *draft, const struct hs_draft_section *section);

/* Where a key of a section was given; nowhere when section is NULL. */
struct hs_where hs_draft_where(const struct hs_draft_section *section, const char *name);

/* The one of two places that was written last. */
struct hs_where hs_where_later(struct hs_where a, struct hs_where b);

/* Moves what was given, key by key, to the configuration. Errors: HS_ERR_MEMORY. */
hs_status hs_draft_hand_over(struct hs_draft *draft);

/* Frees what the draft owns, not the configuration. */
void hs_draft_clear(struct hs_draft *draft);

/* Reads the file's text into the draft. text is not changed. */
hs_status hs_draft_read_text(struct hs_draft *draft, const char *text);

/* Applies the overrides in their order. */
hs_status hs_draft_read_overrides(struct hs_draft *draft);

/* Fills in defaults, refuses what is missing, and checks what concerns several keys. */
hs_status hs_draft_complete(struct hs_draft *draft);

#endif
