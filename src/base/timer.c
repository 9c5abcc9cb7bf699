/* Clocks: CLOCK_MONOTONIC for durations, since it never jumps; the real-time clock for dates. */
#include "base/timer.h"

#include <time.h>

double hs_time_s(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void hs_time_utc(char *text, size_t size)
{
  const time_t now = time(NULL);
  struct tm utc;
  if (size == 0) return;
  if (!gmtime_r(&now, &utc) || strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0) text[0] = '\0';
}
