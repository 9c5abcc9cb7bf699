/* Measures the curves of backend/cost/tuning.h: what sweeps cost on this machine, by backend, kind, precision and size. */
#ifndef HS_BENCH_TUNE_H
#define HS_BENCH_TUNE_H

#include <signal.h>

#include "backend/cost/tuning.h"
#include "bench/rate.h"

struct hs_tune_settings {
  const struct hs_backend *const *backend; /* [backend_count]; those that cannot run here are left out */
  int backend_count;
  bool quick; /* fewer and smaller sizes, shorter times */
};

/* A point as it is measured. */
struct hs_tune_point {
  const char *backend;
  enum hs_tuning_kind kind;
  bool single;
  int size;       /* nodes of a side */
  double sweep_s; /* NaN: not measured */
};

/* Who wants to know. */
struct hs_tune_observer {
  void (*point)(void *context, const struct hs_tune_point *point, double progress); /* progress: 0 to 1; NULL: no one */
  void *context;
  const volatile sig_atomic_t *stop; /* set: no further point; NULL: never */
};

/* Adds the measured points to tuning, an empty one of the caller's. A backend that cannot take a case has no point
 * there; the sizes of a curve end where a point takes too long. *stopped: by observer->stop, before all was measured.
 * Errors: HS_ERR_MEMORY, HS_ERR_UNSUPPORTED (none of the backends can run here; err has the reasons). */
hs_status hs_tune_run(const struct hs_tune_settings *settings, const struct hs_tune_observer *observer,
                      struct hs_tuning *tuning, bool *stopped, struct hs_error *err);

#endif
