/* The choice of a backend for a run. */
#ifndef HS_RUN_CHOICE_H
#define HS_RUN_CHOICE_H

#include "run/predict.h"

/* Resolves name ("auto" or a backend's) for a system among the backends of a list, which ends with NULL: the backend,
 * or NULL with the reason in err. For "auto" it is the backend with the lowest forecast for `work` of those whose probe
 * agrees; reason[size] says what decided and why others refused. Errors: HS_ERR_CONFIG (the list lacks
 * that name), HS_ERR_DEVICE, HS_ERR_UNSUPPORTED. */
const struct hs_backend *hs_backend_choose(const struct hs_backend *const *list, const char *name,
                                           const struct hs_system *system, const struct hs_backend_options *options,
                                           const struct hs_work *work, char *reason, size_t size, struct hs_error *err);

#endif
