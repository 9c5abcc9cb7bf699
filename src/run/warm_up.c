/* The start of a device beside the work that needs none; see warm_up.h. */
#include "run/warm_up.h"

#include <string.h>

/* Smaller grids are solved on the CPU before a device is ready (least_s of struct hs_backend). */
static const double AUTO_NODES = 512.0 * 512.0;

static void *thread_run(void *context)
{
  const struct hs_warm_up *warm_up = context;
  warm_up->backend->warm_up();
  return NULL;
}

/* The first backend that may be chosen and has something to warm up; NULL: none. */
static const struct hs_backend *backend_find(const struct hs_backend *const *backends, const char *name, double nodes)
{
  const bool any = !strcmp(name, "auto") && nodes >= AUTO_NODES;
  for (int k = 0; backends[k]; k++)
    if (backends[k]->warm_up && (any || !strcmp(backends[k]->name, name))) return backends[k];
  return NULL;
}

void hs_warm_up_begin(struct hs_warm_up *warm_up, const struct hs_backend *const *backends, const char *name,
                      double nodes)
{
  warm_up->backend = backend_find(backends, name, nodes);
  if (warm_up->backend && pthread_create(&warm_up->thread, NULL, thread_run, warm_up)) warm_up->backend = NULL;
}

void hs_warm_up_end(struct hs_warm_up *warm_up)
{
  if (warm_up->backend) (void)pthread_join(warm_up->thread, NULL);
  warm_up->backend = NULL;
}
