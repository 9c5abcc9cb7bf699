/* The name and version that every written file carries. */
#ifndef HS_BASE_VERSION_H
#define HS_BASE_VERSION_H

const char *hs_version_number(void);  /* "1.2.3"; "1.2.3+g1a2b3c4" behind it, see scripts/version.sh */
const char *hs_version_day(void);     /* "2026-01-31", the day of the commit; "" where that is not known */
const char *hs_version_program(void); /* "heatsolve 1.2.3" */

#endif
