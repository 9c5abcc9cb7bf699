/* Decimal numbers in texts; see number.h.
 *
 * Numbers follow a plain decimal grammar that is checked here, so neither hexadecimal digits nor
 * "inf" nor "nan" pass, and the whole text must be used. The conversion itself is the C library's;
 * hs_config_read sets the "C" locale for the calling thread.
 */
#include "config/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/text.h"

#define DIGITS "0123456789"

bool hs_number_refuse(char *reason, size_t size, const char *what)
{
  snprintf(reason, size, "%s", what);
  return false;
}

bool hs_number_refuse_rest(char *reason, size_t size, const char *rest)
{
  const char *hint = "";

  if (rest[strspn(rest, " \t")] == '#') hint = " (a comment behind a value starts with \" ;\")";
  if (rest[0] == ',') hint = " (write a decimal point, not a comma)";
  snprintf(reason, size, "has \"%s\" after the number%s", hs_text_clip(rest).text, hint);
  return false;
}

size_t hs_number_length(const char *text)
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

bool hs_number_read(const struct hs_config_key *key, const char *text, double *number, char *reason, size_t size)
{
  const size_t length = hs_number_length(text);

  if (length == 0) return hs_number_refuse(reason, size, "is not a finite decimal number");
  if (text[length] != '\0') return hs_number_refuse_rest(reason, size, text + length);
  errno = 0;
  *number = strtod(text, NULL);
  if (errno == ERANGE) {
    return hs_number_refuse(reason, size,
                            fabs(*number) > 1 ? "is too large for a number in double precision"
                                              : "is too small for a number in double precision");
  }
  if (*number < key->low || *number > key->high || (key->above_low && *number == key->low)) {
    return hs_number_refuse(reason, size, "is out of range");
  }
  return true;
}
