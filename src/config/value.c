/* From text to value, by the type and range of a row of the table.
 *
 * Lists are in list.c. Expressions are not parsed here, but what is clearly none (a number with
 * something behind it, an unknown word alone) is refused, so that the message can name the line.
 */
#include "config/table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/list.h"
#include "config/number.h"
#include "config/text.h"

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define BLANKS " \t"

static bool integer_store(const struct hs_config_key *key, void *value, const char *text, char *reason, size_t size)
{
  const size_t sign = text[0] == '+' || text[0] == '-';
  const size_t digits = strspn(text + sign, DIGITS);
  const size_t real = hs_number_length(text);
  long long number;

  if (digits == 0) return hs_number_refuse(reason, size, "is not an integer");
  if (real > sign + digits) return hs_number_refuse(reason, size, "is not written as a plain integer (digits alone)");
  if (text[sign + digits] != '\0') return hs_number_refuse_rest(reason, size, text + sign + digits);
  errno = 0;
  number = strtoll(text, NULL, 10);
  if (errno == ERANGE || number < (long long)key->low || number > (long long)key->high) {
    return hs_number_refuse(reason, size, "is out of range");
  }
  if (key->type == HS_KEY_INT64) {
    *(int64_t *)value = number;
  } else {
    *(int *)value = (int)number;
  }
  return true;
}

static bool auto_store(const struct hs_config_key *key, int *value, const char *text, char *reason, size_t size)
{
  if (strcmp(text, "auto") != 0) return integer_store(key, value, text, reason, size);
  *value = 0;
  return true;
}

/* "536870912", "512 MB", "0.5GiB". */
static bool bytes_store(const struct hs_config_key *key, double *value, const char *text, char *reason, size_t size)
{
  static const struct {
    const char *name;
    double bytes;
  } units[] = {{"B", 1.0},         {"kB", 1e3},           {"MB", 1e6},
               {"GB", 1e9},        {"TB", 1e12},          {"KiB", 1024.0},
               {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
  const size_t length = hs_number_length(text);
  const char *unit = text + length + strspn(text + length, BLANKS);
  char number[64];
  size_t k = 0;

  if (*unit == '\0') return hs_number_read(key, text, value, reason, size);
  if (length == 0 || length >= sizeof number) return hs_number_refuse(reason, size, "does not begin with a number");
  while (k < sizeof units / sizeof units[0] && strcmp(unit, units[k].name) != 0) k++;
  if (k == sizeof units / sizeof units[0])
    return hs_number_refuse(reason, size, "has an unknown unit behind the number");
  snprintf(number, sizeof number, "%.*s", (int)length, text);
  if (!hs_number_read(key, number, value, reason, size)) return false;
  *value *= units[k].bytes;
  return *value <= key->high ? true : hs_number_refuse(reason, size, "is out of range");
}

/* The index of text among the choices, or -1 with a guess in reason. */
static int choice_find(const char *const *choices, const char *text, char *reason, size_t size)
{
  const char *nearest;
  int count = 0;

  for (; choices[count]; count++) {
    if (strcmp(choices[count], text) == 0) return count;
  }
  nearest = hs_text_nearest(text, choices, (size_t)count);
  if (nearest) {
    snprintf(reason, size, "is not known, perhaps \"%s\" is meant", nearest);
  } else {
    snprintf(reason, size, "is not known");
  }
  return -1;
}

/* Replaces the text that *stored owns. */
static bool text_replace(char **stored, const char *text, char *reason, size_t size)
{
  char *copy = strdup(text);

  if (!copy) return hs_number_refuse(reason, size, "");
  free(*stored);
  *stored = copy;
  return true;
}

static bool text_store(const struct hs_config_key *key, void *value, const char *text, char *reason, size_t size)
{
  const char *comment = strchr(text, '#');
  const size_t length = strlen(text);

  if ((double)length < key->low || (double)length > key->high) {
    snprintf(reason, size, "has %zu bytes", length);
    return false;
  }
  if (text[0] == '"') return hs_number_refuse(reason, size, "begins with a quotation mark; texts are written without");
  if (key->type != HS_KEY_TEXT && comment && comment > text && strchr(BLANKS, comment[-1])) {
    return hs_number_refuse(reason, size, "contains \" #\"; a comment behind a value starts with \" ;\"");
  }
  return text_replace(value, text, reason, size);
}

static bool color_store(void *value, const char *text, char *reason, size_t size)
{
  char color[8];
  int k;

  if (text[0] != '#') return hs_number_refuse(reason, size, "does not begin with #");
  if (strlen(text) != 7 || strspn(text + 1, DIGITS "abcdefABCDEF") != 6) {
    return hs_number_refuse(reason, size, "is not # and six hexadecimal digits");
  }
  for (k = 0; k < 8; k++) color[k] = (char)tolower((unsigned char)text[k]);
  return text_replace(value, color, reason, size);
}

static bool dataset_store(const struct hs_config_key *key, void *value, const char *text, char *reason, size_t size)
{
  const char *colon = strrchr(text, ':');

  if (!colon) return hs_number_refuse(reason, size, "has no colon between the file and the dataset");
  if (colon == text) return hs_number_refuse(reason, size, "names no file before the colon");
  if (colon[1] == '\0') return hs_number_refuse(reason, size, "names no dataset behind the colon");
  return text_store(key, value, text, reason, size);
}

/* Is the text the word table, a file, and one of x, y, t? */
static bool table_read(const char *text, char *reason, size_t size)
{
  const size_t length = strlen(text);
  const char *file = text + strlen("table");

  file += strspn(file, BLANKS);
  if (length < 2 || !strchr("xyt", text[length - 1]) || !strchr(BLANKS, text[length - 2]) ||
      file >= text + length - 1) {
    return hs_number_refuse(reason, size, "is no table: write the file, a blank, and x, y or t behind the word table");
  }
  return true;
}

/* A single word must be a name that expressions know. */
static bool word_read(const struct hs_config_key *key, const char *word, char *reason, size_t size)
{
  static const char *const names[] = {"x", "y", "t", "pi", "_pi", "_e"};
  static const char *const kinds[] = {"insulated", "periodic"};
  const char *nearest = key->type == HS_KEY_WALL ? hs_text_nearest(word, kinds, 2) : NULL;
  size_t k;

  for (k = 0; k < sizeof names / sizeof names[0]; k++) {
    if (strcmp(names[k], word) == 0) return true;
  }
  snprintf(reason, size, "is not a finite decimal number, and the word is unknown in expressions%s%s%s",
           nearest ? ", perhaps \"" : "", nearest ? nearest : "", nearest ? "\" is meant" : "");
  return false;
}

/* Can the text, which is not a number, be an expression? */
static bool expression_read(const struct hs_config_key *key, const char *text, char *reason, size_t size)
{
  const size_t number = hs_number_length(text);
  const char *rest = text + number + strspn(text + number, BLANKS);
  const char *word = text + strspn(text, "+- \t");

  if (number && !strchr("+-*/^<>=!&|?", *rest)) return hs_number_refuse_rest(reason, size, text + number);
  if (word[strspn(word, LETTERS DIGITS)] == '\0') return word_read(key, word, reason, size);
  if (strchr(text, '#'))
    return hs_number_refuse(reason, size, "contains #; a comment behind a value starts with \" ;\"");
  return true;
}

static bool value_store(const struct hs_config_key *key, struct hs_config_value *value, const char *text, char *reason,
                        size_t size)
{
  const size_t number = hs_number_length(text);
  const bool is_number = number > 0 && text[number] == '\0';
  const bool is_table = strncmp(text, "table", 5) == 0 && (text[5] == '\0' || strchr(BLANKS, text[5]));
  const bool is_word = key->type == HS_KEY_WALL && (!strcmp(text, "insulated") || !strcmp(text, "periodic"));
  double found = 0.0;
  bool good = true;

  if (is_number) {
    good = hs_number_read(key, text, &found, reason, size);
  } else if (is_table) {
    good = table_read(text, reason, size);
  } else if (!is_word) {
    good = expression_read(key, text, reason, size);
  }
  if (!good || !text_replace(&value->text, text, reason, size)) return false;
  value->number = found;
  value->is_number = is_number;
  return true;
}

static bool inverse_store(const struct hs_config_key *key, struct hs_config_value *value, const char *text,
                          char *reason, size_t size)
{
  char inverse[40];
  double number;

  if (!hs_number_read(key, text, &number, reason, size)) return false;
  snprintf(inverse, sizeof inverse, "%.17g", 1 / number);
  if (!text_replace(&value->text, inverse, reason, size)) return false;
  value->number = 1 / number;
  value->is_number = true;
  return true;
}

static bool choice_store(const struct hs_config_key *key, void *value, const char *text, char *reason, size_t size)
{
  static const char *const yes_no[] = {"no", "yes", NULL};
  const int choice = choice_find(key->type == HS_KEY_CHOICE ? key->choices : yes_no, text, reason, size);

  if (choice < 0) return false;
  if (key->type == HS_KEY_CHOICE) {
    *(int *)value = (int)key->low + choice;
  } else {
    *(bool *)value = choice == 1;
  }
  return true;
}

/* "png, svg": each once, in any order. */
static bool set_store(const struct hs_config_key *key, int *value, const char *text, char *reason, size_t size)
{
  char *copy = strdup(text), *rest = copy;
  int set = 0;
  bool good = copy != NULL || hs_number_refuse(reason, size, "");

  while (good && rest) {
    char *word = rest + strspn(rest, BLANKS), *end = strchr(word, ',');
    int choice;
    rest = end ? end + 1 : NULL;
    if (!end) end = word + strlen(word);
    while (end > word && strchr(BLANKS, end[-1])) end--;
    *end = '\0';
    choice = choice_find(key->choices, word, reason, size);
    if (choice < 0) {
      snprintf(reason, size, "has the part \"%.40s\", which is not known", word);
      good = false;
    } else if (set & 1 << choice) {
      snprintf(reason, size, "has %s twice", word);
      good = false;
    }
    if (good) set |= 1 << choice;
  }
  free(copy);
  if (good) *value = set;
  return good;
}

bool hs_config_key_continues(const struct hs_config_key *key)
{
  return key->type == HS_KEY_TIMES || key->type == HS_KEY_POINTS;
}

bool hs_config_key_store(const struct hs_config_key *key, void *base, const char *text, bool more, char *reason,
                         size_t size)
{
  void *value = (char *)base + key->offset;

  if (text[0] == '\0' && key->type != HS_KEY_TEXT) return hs_number_refuse(reason, size, "is empty");
  switch (key->type) {
  case HS_KEY_INT:
  case HS_KEY_INT64: return integer_store(key, value, text, reason, size);
  case HS_KEY_AUTO: return auto_store(key, value, text, reason, size);
  case HS_KEY_BYTES: return bytes_store(key, value, text, reason, size);
  case HS_KEY_REAL: return hs_number_read(key, text, value, reason, size);
  case HS_KEY_NAME:
  case HS_KEY_TEXT: return text_store(key, value, text, reason, size);
  case HS_KEY_COLOR: return color_store(value, text, reason, size);
  case HS_KEY_DATASET: return dataset_store(key, value, text, reason, size);
  case HS_KEY_VALUE:
  case HS_KEY_WALL: return value_store(key, value, text, reason, size);
  case HS_KEY_INVERSE: return inverse_store(key, value, text, reason, size);
  case HS_KEY_TIMES:
  case HS_KEY_POINTS: return hs_config_list_store(key, value, text, more, reason, size);
  case HS_KEY_SET: return set_store(key, value, text, reason, size);
  case HS_KEY_CHOICE:
  case HS_KEY_YES_NO: break;
  }
  return choice_store(key, value, text, reason, size);
}

void hs_config_key_free(const struct hs_config_key *key, void *base)
{
  void *value = (char *)base + key->offset;

  switch (key->type) {
  case HS_KEY_NAME:
  case HS_KEY_TEXT:
  case HS_KEY_COLOR:
  case HS_KEY_DATASET:
    free(*(char **)value);
    *(char **)value = NULL;
    break;
  case HS_KEY_VALUE:
  case HS_KEY_WALL:
  case HS_KEY_INVERSE:
    free(((struct hs_config_value *)value)->text);
    *(struct hs_config_value *)value = (struct hs_config_value){NULL, 0.0, false, 0};
    break;
  case HS_KEY_TIMES:
  case HS_KEY_POINTS: hs_config_list_free(value); break;
  default: break; /* owns nothing */
  }
}

bool hs_config_key_clear(const struct hs_config_key *key, void *base)
{
  void *value = (char *)base + key->offset;

  hs_config_key_free(key, base);
  switch (key->type) {
  case HS_KEY_INT:
  case HS_KEY_AUTO:
  case HS_KEY_SET:
  case HS_KEY_CHOICE: *(int *)value = 0; break;
  case HS_KEY_INT64: *(int64_t *)value = 0; break;
  case HS_KEY_BYTES: *(double *)value = 0.0; break;
  case HS_KEY_REAL: *(double *)value = key->kinds ? 0.0 : (double)NAN; break;
  case HS_KEY_YES_NO: *(bool *)value = false; break;
  case HS_KEY_NAME:
  case HS_KEY_TEXT:
  case HS_KEY_COLOR:
  case HS_KEY_DATASET: *(char **)value = strdup(""); return *(char **)value != NULL;
  default: break; /* freeing has cleared it */
  }
  return true;
}
