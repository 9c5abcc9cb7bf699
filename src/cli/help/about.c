/* heatsolve --version: configure's answers, from the build's own header. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cli/help/about.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend/backend.h"
#include "base/shown.h"
#include "base/version.h"
#include "cli/cases.h"

void hs_about_print(const char *program)
{
  char *cases = hs_cases_folder(program);
  printf("%s\n"
         "CUDA:      %s\n"
         "MPI:       %s\n"
         "HDF5:      %s\n"
         "compiler:  %s\n"
         "flags:     %s\n"
         "cases:     %s\n"
         "backends: ",
         hs_version_program(), HS_BUILD_CUDA, HS_BUILD_MPI, HS_BUILD_HDF5, HS_BUILD_COMPILER, HS_BUILD_CFLAGS,
         cases ? hs_shown(cases).text : "none");
  free(cases);
  for (const struct hs_backend *const *backend = hs_backend_list(); *backend; backend++)
    if ((*backend)->create) printf(" %s", (*backend)->name); /* those that this build lacks cannot be created */
  printf("\nCopyright (c) 2026 the heatsolve authors. License: BSD-3-Clause.\n");
}
