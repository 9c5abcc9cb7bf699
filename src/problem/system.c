/* Lifetime of the discrete system; palette.c fills it. */
#include "problem/system.h"

#include <stdlib.h>

void hs_system_destroy(struct hs_system *system)
{
  if (!system) return;
  free(system->index);
  free(system->conductances);
  free(system->stencil_single);
  free(system->stencil);
  free(system);
}
