/* The version comes from the build's own header; it is read in this file alone. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "output/version.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

const char *hs_output_version(void)
{
  return PACKAGE_VERSION;
}

const char *hs_output_software(void)
{
  return "heatsolve " PACKAGE_VERSION;
}
