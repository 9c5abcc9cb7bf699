/* The start of a device beside the work that needs none.
 *
 * A context on a GPU takes 0.1 to 0.3 s to make. Meanwhile the problem can be built, so a thread begins it as soon as
 * the configuration is known. It waits for nothing and nobody waits for it: a backend's first call does, where the
 * context is not ready yet.
 */
#ifndef HS_RUN_WARM_UP_H
#define HS_RUN_WARM_UP_H

#include <pthread.h>

#include "backend/backend.h"

struct hs_warm_up {
  const struct hs_backend *backend; /* NULL: there is no thread */
  pthread_t thread;
};

/* Begins it for the backend of that name, or, for "auto", where a grid of so many nodes makes a device likely.
 * *warm_up stays where it is until its end. */
void hs_warm_up_begin(struct hs_warm_up *warm_up, const struct hs_backend *const *backends, const char *name,
                      double nodes);

/* Waits for its end; a warm-up that never began (all zero) is accepted. */
void hs_warm_up_end(struct hs_warm_up *warm_up);

#endif
