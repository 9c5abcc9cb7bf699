/* From text to value, by the type and range of a row of the table.
 *
 * Numbers follow a plain decimal grammar that is checked here, so neither hexadecimal digits nor
 * "inf" nor "nan" pass, and the whole text must be used. The conversion itself is the C library's;
 * hs_config_read sets the "C" locale for the calling thread.
 */
#include "config/table.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"

#define DIGITS "0123456789"

/* Writes the reason of a refusal. */
static bool refuse(char *reason, size_t size, const char *what)
{
  snprintf(reason, size, "%s", what);
  return false;
}

/* Says what stands behind the number in a text, with a guess at why. */
static bool refuse_rest(char *reason, size_t size, const char *rest)
{
  const char *hint = "";

  if (rest[strspn(rest, " \t")] == '#') hint = " (a comment behind a value starts with \" ;\")";
  if (rest[0] == ',') hint = " (write a decimal point, not a comma)";
  snprintf(reason, size, "has \"%s\" after the number%s", hs_text_clip(rest).text, hint);
  return false;
}

/* Bytes of text that form a decimal number, 0 when it does not begin with one. */
static size_t real_length(const char *text)
{
  const size_t sign = strspn(text, "+-") > 1 ? 0 : strspn(text, "+-");
  const size_t whole = strspn(text + sign, DIGITS);
  const bool point = text[sign + whole] == '.';
  const size_t decimals = point ? strspn(text + sign + whole + 1, DIGITS) : 0;
  const size_t mantissa = sign + whole + point + decimals;
  size_t exponent = mantissa + 1, digits;

  if (whole + decimals == 0) return 0;
  if (text[mantissa] != 'e' && text[mantissa] != 'E') return mantissa;
  if (text[exponent] == '+' || text[exponent] == '-') exponent++;
  digits = strspn(text + exponent, DIGITS);
  return digits ? exponent + digits : mantissa;
}

static bool real_store(const struct hs_config_key *key, void *value, const char *text, char *reason, size_t size)
{
  const size_t length = real_length(text);
  double number;

  if (length == 0) return refuse(reason, size, "is not a finite decimal number");
  if (text[length] != '\0') return refuse_rest(reason, size, text + length);
  errno = 0;
  number = strtod(text, NULL);
  if (errno == ERANGE) {
    return refuse(reason, size,
                  fabs(number) > 1 ? "is too large for a number in double precision"
                                   : "is too small for a number in double precision");
  }
  if (number < key->low || number > key->high || (key->above_low && number == key->low)) {
    return refuse(reason, size, "is out of range");
  }
  *(double *)value = number;
  return true;
}

static bool integer_store(const struct hs_config_key *key, void *value, const char *text, char *reason, size_t size)
{
  const size_t sign = text[0] == '+' || text[0] == '-';
  const size_t digits = strspn(text + sign, DIGITS);
  const size_t real = real_length(text);
  long long number;

  if (digits == 0) return refuse(reason, size, "is not an integer");
  if (real > sign + digits) return refuse(reason, size, "is not written as a plain integer (digits alone)");
  if (text[sign + digits] != '\0') return refuse_rest(reason, size, text + sign + digits);
  errno = 0;
  number = strtoll(text, NULL, 10);
  if (errno == ERANGE || number < (long long)key->low || number > (long long)key->high) {
    return refuse(reason, size, "is out of range");
  }
  if (key->type == HS_KEY_INT64) {
    *(int64_t *)value = number;
  } else {
    *(int *)value = (int)number;
  }
  return true;
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

static bool text_store(const struct hs_config_key *key, void *value, const char *text, char *reason, size_t size)
{
  char **stored = value;
  const char *comment = strchr(text, '#');
  const size_t length = strlen(text);
  char *copy;

  if ((double)length < key->low || (double)length > key->high) {
    snprintf(reason, size, "has %zu bytes", length);
    return false;
  }
  if (text[0] == '"') return refuse(reason, size, "begins with a quotation mark; texts are written without");
  if (key->type == HS_KEY_NAME && comment && comment > text && strchr(" \t", comment[-1])) {
    return refuse(reason, size, "contains \" #\"; a comment behind a value starts with \" ;\"");
  }
  copy = strdup(text);
  if (!copy) return refuse(reason, size, "");
  free(*stored);
  *stored = copy;
  return true;
}

bool hs_config_key_store(const struct hs_config_key *key, void *base, const char *text, char *reason, size_t size)
{
  static const char *const yes_no[] = {"no", "yes", NULL};
  void *value = (char *)base + key->offset;
  int choice;

  if (text[0] == '\0' && key->type != HS_KEY_TEXT) return refuse(reason, size, "is empty");
  switch (key->type) {
  case HS_KEY_INT:
  case HS_KEY_INT64: return integer_store(key, value, text, reason, size);
  case HS_KEY_REAL: return real_store(key, value, text, reason, size);
  case HS_KEY_NAME:
  case HS_KEY_TEXT: return text_store(key, value, text, reason, size);
  case HS_KEY_CHOICE:
  case HS_KEY_YES_NO: break;
  }
  choice = choice_find(key->type == HS_KEY_CHOICE ? key->choices : yes_no, text, reason, size);
  if (choice < 0) return false;
  if (key->type == HS_KEY_CHOICE) {
    *(int *)value = choice;
  } else {
    *(bool *)value = choice == 1;
  }
  return true;
}

void hs_config_key_clear(const struct hs_config_key *key, void *base)
{
  void *value = (char *)base + key->offset;

  switch (key->type) {
  case HS_KEY_INT:
  case HS_KEY_CHOICE: *(int *)value = 0; break;
  case HS_KEY_INT64: *(int64_t *)value = 0; break;
  case HS_KEY_REAL: *(double *)value = key->need == HS_NEED_SHAPE ? 0.0 : (double)NAN; break;
  case HS_KEY_YES_NO: *(bool *)value = false; break;
  case HS_KEY_NAME:
  case HS_KEY_TEXT:
    free(*(char **)value);
    *(char **)value = NULL;
    break;
  }
}
