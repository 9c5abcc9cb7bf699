/* A boundary value that may depend on place and time.
 *
 * Written as a number; as "table FILE x", "table FILE y" or "table FILE t" (a CSV file of two columns,
 * position in m or time in s, and value; linear in between; refused outside its range); or as an expression
 * in x, y and t in the syntax of muParser, with pi defined.
 */
#ifndef HS_PROBLEM_VALUE_H
#define HS_PROBLEM_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"

struct hs_value;

/* section names it in messages ("[boundary top] temperature"). A table over t must cover the whole run. Errors:
 * HS_ERR_CONFIG, HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_value_create(const struct hs_config *config, const struct hs_config_value *text, const char *section,
                          struct hs_value **value, struct hs_error *err);
void hs_value_destroy(struct hs_value *value); /* NULL is accepted */

/* Refuses a table over x or y that does not cover the places where it is needed, x0..x1 and y0..y1, m. A value of NULL is
 * accepted. Errors: HS_ERR_CONFIG. */
hs_status hs_value_check_range(const struct hs_value *value, double x0_m, double x1_m, double y0_m, double y1_m,
                               struct hs_error *err);

bool hs_value_timed(const struct hs_value *value);  /* depends on t; NULL does not */
bool hs_value_placed(const struct hs_value *value); /* depends on x or y; NULL does not */

/* Safe to call from several threads, which then wait for each other. Errors: HS_ERR_CONFIG when the result is not a
 * finite number. */
hs_status hs_value_at(const struct hs_value *value, double x_m, double y_m, double t_s, double *result,
                      struct hs_error *err);

/* A digest (base/digest.h) with the points of a table. NULL and other values change nothing. */
uint64_t hs_value_digest(const struct hs_value *value, uint64_t digest);

/* The value as written in the configuration, for messages and lists. */
const char *hs_value_text(const struct hs_value *value);

#endif
