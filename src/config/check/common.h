/* Checks that the rules of several sections share. Each returns HS_OK, HS_ERR_CONFIG or HS_ERR_MEMORY. */
#ifndef HS_CONFIG_CHECK_COMMON_H
#define HS_CONFIG_CHECK_COMMON_H

#include "config/draft.h"

/* Refuses a section for a key that is not there; `because` ("which kind = flux needs", or "") follows its name in the
 * message. */
hs_status hs_check_missing(struct hs_draft *draft, const struct hs_draft_section *section, const char *name,
                           const char *because);

/* Exactly one of two keys is given. */
hs_status hs_check_either(struct hs_draft *draft, const struct hs_draft_section *section, const char *a, const char *b);

/* Is a coordinate within 0..length, rounding allowed? */
bool hs_check_coordinate_in(double coordinate_m, double length_m);

/* A coordinate that is outside 0..length by rounding becomes the nearer end. */
double hs_check_coordinate_clamp(double coordinate_m, double length_m);

/* The key's coordinate lies inside the domain; see hs_check_coordinate_in and _clamp. */
hs_status hs_check_inside(struct hs_draft *draft, const struct hs_draft_section *section, const char *name,
                          double *coordinate_m, double length_m);

#endif
