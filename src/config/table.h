/* The table of keys: everything that heatsolve knows about its configuration.
 *
 * Reading, checking, error messages, the printed help and the printed default all follow from
 * these rows, so a new key is one row in table.c and one member of struct hs_config (or of
 * struct hs_config_source for a key of [source NAME]).
 */
#ifndef HS_CONFIG_TABLE_H
#define HS_CONFIG_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"

enum hs_key_type {
  HS_KEY_INT,    /* int */
  HS_KEY_INT64,  /* int64_t */
  HS_KEY_REAL,   /* double */
  HS_KEY_CHOICE, /* an enum whose values count through choices */
  HS_KEY_YES_NO, /* bool */
  HS_KEY_NAME,   /* char *, a name or path: not empty */
  HS_KEY_TEXT    /* char *, any text */
};

/* When must a key be given that has no default? */
enum hs_key_need {
  HS_NEED_ALWAYS, /* in every section of its kind */
  HS_NEED_SHAPE,  /* in a source of the shape; refused in one of another shape */
  HS_NEED_NEVER   /* or as a check across keys decides */
};

struct hs_config_key {
  const char *section; /* "source" for [source NAME] */
  const char *name;
  const char *unit; /* "" for none */
  enum hs_key_type type;
  const char *const *choices; /* NULL-terminated, of a choice */
  double low, high;           /* of a number, or of a text's length in bytes; both ends allowed */
  bool above_low;             /* low itself is not allowed */
  enum hs_key_need need;
  enum hs_source_shape shape; /* of HS_NEED_SHAPE */
  const char *fallback;       /* value when absent, NULL for none */
  const char *example;        /* value in the printed default */
  bool shown;                 /* false: the printed default has the example as a comment */
  size_t offset;              /* of the value in struct hs_config or struct hs_config_source */
  const char *help;
};

struct hs_config_section {
  const char *name;
  const char *help;
};

enum { HS_CONFIG_KEY_MAX = 64 };

/* All keys, section by section. */
const struct hs_config_key *hs_config_keys(size_t *count);

/* All kinds of sections, "source" standing for [source NAME]. */
const struct hs_config_section *hs_config_sections(size_t *count);

/* The names of one section's keys in names[HS_CONFIG_KEY_MAX]; returns their number. */
size_t hs_config_key_names(const char *section, const char **names);

/* The place of a key in the table, or -1. */
int hs_config_key_find(const char *section, const char *name);

/* What a key allows, in a few words: "integer 2..1000000", "number > 0", "yes | no". The unit is not included. */
void hs_config_key_allowed(const struct hs_config_key *key, char *text, size_t size);

/* Turns text into the value of key inside base (a struct hs_config or struct hs_config_source).
 * false: text is not a value of the key, and reason says why ("has \"m\" after the number"), or
 * memory is short, and reason is then empty. A text stored before is freed. */
bool hs_config_key_store(const struct hs_config_key *key, void *base, const char *text, char *reason, size_t size);

/* Gives an absent optional key its neutral value: 0, and NaN for a number outside sources. */
void hs_config_key_clear(const struct hs_config_key *key, void *base);

#endif
