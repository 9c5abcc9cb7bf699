/* Wall-clock time from a monotonic clock, and UTC time as text. */
#ifndef HS_BASE_TIMER_H
#define HS_BASE_TIMER_H

#include <stddef.h>

/* Seconds since an arbitrary fixed point; only differences have a meaning. */
double hs_time_s(void);

/* The present UTC time as ISO 8601, "2026-01-31T12:00:00Z", into text[size]. */
void hs_time_utc(char *text, size_t size);

#endif
