/* The table of keys: everything that heatsolve knows about its configuration.
 *
 * Reading, checking, error messages, the printed help and the printed default all follow from
 * these rows, so a new key is one row in table.c and one member of the struct that its section fills.
 *
 * A section is plain ([grid]: its keys lie in struct hs_config) or named ([source NAME]: its keys lie in an
 * element of an array of struct hs_config). [material] and [boundary] without a name go into the first elements of
 * the arrays that their named sections fill. Where a key selects a kind (shape, kind, layout), other keys may belong to
 * some kinds only. The keys that describe a shape exist once and are shared by the sections that have a shape.
 */
#ifndef HS_CONFIG_TABLE_H
#define HS_CONFIG_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "config/config.h"

enum hs_key_type {
  HS_KEY_INT,     /* int */
  HS_KEY_AUTO,    /* int, or the word auto, which is 0 and resolved when all is read */
  HS_KEY_INT64,   /* int64_t */
  HS_KEY_REAL,    /* double */
  HS_KEY_BYTES,   /* double, bytes: a number, with kB, MB, GB, TB or KiB, MiB, GiB, TiB behind it if wanted */
  HS_KEY_CHOICE,  /* an enum whose values count through choices, the first being `low` */
  HS_KEY_SET,     /* int, a bit for each choice: "png, svg", one at least */
  HS_KEY_YES_NO,  /* bool */
  HS_KEY_NAME,    /* char *, a name or path: not empty */
  HS_KEY_TEXT,    /* char *, any text */
  HS_KEY_COLOR,   /* char *, "#rrggbb", kept in lower case */
  HS_KEY_DATASET, /* char *, "FILE:DATASET" */
  HS_KEY_VALUE,   /* struct hs_config_value */
  HS_KEY_WALL,    /* struct hs_config_value, or the word insulated or periodic as its text */
  HS_KEY_INVERSE, /* struct hs_config_value that receives 1 / number */
  HS_KEY_TIMES,   /* double *, followed by their int number; "1, 2, 5" */
  HS_KEY_POINTS   /* struct hs_point *, followed by their int number; "0 0, 1 0, 1 1" */
};

struct hs_config_key {
  const char *name;
  const char *unit; /* "" for none */
  enum hs_key_type type;
  const char *const *choices; /* NULL-terminated, of a choice or a set */
  double low, high;           /* of a number, or of a text's length in bytes; both ends allowed */
  bool above_low;             /* low itself is not allowed */
  bool required;              /* in every section of its kind, or in those of `kinds` */
  unsigned kinds;             /* bits by value of the section's selector: the key belongs to these; 0: to all */
  const char *fallback;       /* value when absent, NULL for none */
  const char *example;        /* value in the printed default */
  bool shown;                 /* false: the printed default has the example as a comment */
  size_t offset;              /* of the value in the struct that the section fills */
  const char *help;
};

/* What every element of an array that named sections fill begins with. */
struct hs_config_head {
  char *name;
  int line;
};

enum { HS_CONFIG_KEY_MAX = 32, HS_CONFIG_SECTION_MAX = 24 };

struct hs_config_section {
  const char *name;
  const char *noun;                 /* "source" in "a source needs a name"; NULL for a plain section */
  const char *example;              /* NAME in the printed default; NULL for a plain section */
  const struct hs_config_key *keys; /* [key_count], without those of a shape */
  size_t key_count;
  const char *selector;       /* name of the key that selects a kind, or NULL; "shape" stands first */
  const char *selector_words; /* "a source of shape" in "which a source of shape "node" does not use" */
  bool in_array;              /* its keys lie in an array's element, otherwise in struct hs_config */
  size_t array, count;        /* in struct hs_config: of the array's pointer and of its int length */
  size_t element;             /* size of an element */
  bool has_shape;
  size_t shape; /* in an element: of its struct hs_config_shape */
  const char *help;
};

/* All kinds of sections, in the order of the printed help. */
const struct hs_config_section *hs_config_sections(size_t *count);

/* The kind of [name] or, when named, of [name NAME]; NULL when there is none. */
const struct hs_config_section *hs_config_section_find(const char *name, bool named);

/* "source NAME", "grid": at most size - 1 bytes. Returns text. */
const char *hs_config_section_title(const struct hs_config_section *section, char *text, size_t size);

/* The keys of a section, those of its shape behind the key "shape"; at most HS_CONFIG_KEY_MAX. */
size_t hs_config_key_count(const struct hs_config_section *section);
const struct hs_config_key *hs_config_key_at(const struct hs_config_section *section, size_t place);

/* Is the key at this place one of a shape? Its offset then counts from the section's struct hs_config_shape. */
bool hs_config_key_of_shape(const struct hs_config_section *section, size_t place);

/* The names of one section's keys in names[HS_CONFIG_KEY_MAX]; returns their number. */
size_t hs_config_key_names(const struct hs_config_section *section, const char **names);

/* The place of a key in its section, or -1. */
int hs_config_key_find(const struct hs_config_section *section, const char *name);

/* Where the offset of the key at a place counts from; base is the struct that the section fills. */
void *hs_config_key_base(const struct hs_config_section *section, size_t place, void *base);

/* The keys that describe a shape. */
const struct hs_config_key *hs_config_shape_keys(size_t *count);

/* The name of another way to say what a key says ("dx" for "lx" of [grid]), number 0, 1, ...; NULL behind the last. */
const char *hs_config_key_alternative(const struct hs_config_section *section, const char *name, int number);

/* What a key allows, in a few words: "integer 2..1000000", "number > 0", "yes | no". The unit is not included. */
void hs_config_key_allowed(const struct hs_config_key *key, char *text, size_t size);

/* Turns text into the value of key inside base (see hs_config_key_base); `more` continues a list instead of
 * beginning it. false: text is not a value of the key, and reason says why ("has \"m\" after the number"), or
 * memory is short, and reason is then empty. A text stored before is freed. */
bool hs_config_key_store(const struct hs_config_key *key, void *base, const char *text, bool more, char *reason,
                         size_t size);

/* May the key be given several times, each continuing the one before? */
bool hs_config_key_continues(const struct hs_config_key *key);

/* Gives an absent key its neutral value: 0 for integers and for keys that belong to some kinds only, NaN for other
 * numbers, "" for a text. false: memory is short. */
bool hs_config_key_clear(const struct hs_config_key *key, void *base);

/* Frees what a key's value owns. */
void hs_config_key_free(const struct hs_config_key *key, void *base);

/* The array that a section's elements lie in, as it is in config now; NULL while it is empty. */
void *hs_config_array(const struct hs_config_section *section, const struct hs_config *config);

/* Number of its elements. */
int hs_config_array_count(const struct hs_config_section *section, const struct hs_config *config);

/* Appends a zeroed element to the array of a section; its index, or -1 when memory is short. */
int hs_config_array_append(const struct hs_config_section *section, struct hs_config *config);

#endif
