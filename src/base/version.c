/* The version, from a header that make writes anew when the commit or its changes are others; it is read in this file
 * alone, so that no other is compiled again. */
#include "base/version.h"

#include "revision.h"

const char *hs_version_number(void)
{
  return HS_REVISION;
}

const char *hs_version_day(void)
{
  return HS_REVISION_DAY;
}

const char *hs_version_program(void)
{
  return "heatsolve " HS_REVISION;
}
