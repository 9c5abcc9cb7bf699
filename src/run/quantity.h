/* The numbers of a result by their names (HS_QUANTITY_NAMES, config/names.h), for comparison with published values. */
#ifndef HS_RUN_QUANTITY_H
#define HS_RUN_QUANTITY_H

#include <stdbool.h>

#include "run/result.h"

/* The name lives until the function returns. A number that is not known is NaN. Returns whether to go on. */
typedef bool hs_quantity_visit(void *context, const char *name, double value);

/* Calls visit for each number of the result in turn. */
void hs_result_quantities(const struct hs_result *result, hs_quantity_visit *visit, void *context);

/* The number of that name; false: the result has none. */
bool hs_result_quantity(const struct hs_result *result, const char *path, double *value);

/* The name that was probably meant; to be freed. NULL: none is near, or memory is short. */
char *hs_result_quantity_near(const struct hs_result *result, const char *path);

#endif
