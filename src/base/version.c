/* The version comes from the header that configure writes; it is read in this file alone. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "base/version.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

const char *hs_version_number(void)
{
  return PACKAGE_VERSION;
}

const char *hs_version_program(void)
{
  return "heatsolve " PACKAGE_VERSION;
}
