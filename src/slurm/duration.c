#include "slurm/duration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PARTS = 3, DIGITS = 9 };

/* Numbers with colons between them, up to the end. */
static int parts_read(const char *text, double part[PARTS])
{
  int count = 0;
  for (;;) {
    const size_t digits = strspn(text, "0123456789");
    if (!digits || digits > DIGITS || count == PARTS) return 0;
    part[count++] = strtod(text, NULL);
    text += digits;
    if (!*text) return count;
    if (*text++ != ':') return 0;
  }
}

bool hs_duration_read(const char *text, double *seconds)
{
  const size_t digits = strspn(text, "0123456789");
  double part[PARTS];
  int count;
  if (!strcasecmp(text, "UNLIMITED") || !strcasecmp(text, "INFINITE")) {
    *seconds = INFINITY;
    return true;
  }
  if (digits > 0 && digits <= DIGITS && text[digits] == '-') { /* hours lead behind days */
    count = parts_read(text + digits + 1, part);
    *seconds = 86400.0 * strtod(text, NULL);
    for (int k = 0; k < count; k++) *seconds += part[k] * (k == 0 ? 3600.0 : k == 1 ? 60.0 : 1.0);
    return count > 0;
  }
  count = parts_read(text, part);
  if (count == 3)
    *seconds = 3600.0 * part[0] + 60.0 * part[1] + part[2];
  else
    *seconds = count ? 60.0 * part[0] + (count == 2 ? part[1] : 0.0) : 0.0;
  return count > 0;
}

void hs_duration_print(double seconds, char text[HS_DURATION_TEXT])
{
  const double days = floor(seconds / 86400.0), rest = seconds - 86400.0 * days;
  const int s = (int)fmin(fmax(rest, 0.0), 86399.0);
  if (!(seconds < 1e9))
    snprintf(text, HS_DURATION_TEXT, "UNLIMITED");
  else if (days > 0.0)
    snprintf(text, HS_DURATION_TEXT, "%.0f-%02d:%02d:%02d", days, s / 3600, s / 60 % 60, s % 60);
  else
    snprintf(text, HS_DURATION_TEXT, "%02d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
}
