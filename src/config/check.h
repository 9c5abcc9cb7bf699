/* The rules that concern several keys at once, room by room. check.c calls them when all defaults are filled in, and
 * the grid's first, so that lengths are known. Each returns HS_OK, HS_ERR_CONFIG or HS_ERR_MEMORY. */
#ifndef HS_CONFIG_CHECK_H
#define HS_CONFIG_CHECK_H

#include "config/draft.h"

hs_status hs_check_grid(struct hs_draft *draft, const struct hs_draft_section *section);
hs_status hs_check_material(struct hs_draft *draft, const struct hs_draft_section *section);
hs_status hs_check_region(struct hs_draft *draft, const struct hs_draft_section *section);
hs_status hs_check_source(struct hs_draft *draft, const struct hs_draft_section *section);
hs_status hs_check_loss(struct hs_draft *draft, const struct hs_draft_section *section);
hs_status hs_check_probe(struct hs_draft *draft, const struct hs_draft_section *section);
hs_status hs_check_expect(struct hs_draft *draft, const struct hs_draft_section *section);
hs_status hs_check_map(struct hs_draft *draft, const struct hs_draft_section *section);
hs_status hs_check_sides(struct hs_draft *draft, const struct hs_draft_section *section);
hs_status hs_check_boundary(struct hs_draft *draft, const struct hs_draft_section *section);
hs_status hs_check_time(struct hs_draft *draft, const struct hs_draft_section *section);
hs_status hs_check_output(struct hs_draft *draft, const struct hs_draft_section *section);

/* A shape lies where it may: nodes, rectangles and polygons inside the domain, others at least in part.
 * What stands out of it by rounding is put on the wall. */
hs_status hs_check_shape(struct hs_draft *draft, const struct hs_draft_section *section, struct hs_config_shape *shape);

/* Every side of the domain has a key in [boundary] or a named segment; sides without a key are removed. */
hs_status hs_check_sides_given(struct hs_draft *draft);

/* Every material that can be met has a density and a heat capacity, unless the problem is steady. */
hs_status hs_check_capacities(struct hs_draft *draft);

/* Refuses a section for a key that is not there; because ("which kind = flux needs", or "") goes behind its name. */
hs_status hs_check_missing(struct hs_draft *draft, const struct hs_draft_section *section, const char *name,
                           const char *because);

/* Exactly one of two keys is given. */
hs_status hs_check_either(struct hs_draft *draft, const struct hs_draft_section *section, const char *a, const char *b);

/* Is a coordinate within 0..length, but for rounding? */
bool hs_check_coordinate_in(double coordinate_m, double length_m);

/* Puts a coordinate that stands out by rounding on the wall. */
double hs_check_coordinate_clamp(double coordinate_m, double length_m);

/* The key's coordinate lies inside the domain; see hs_check_coordinate_in and _clamp. */
hs_status hs_check_inside(struct hs_draft *draft, const struct hs_draft_section *section, const char *name,
                          double *coordinate_m, double length_m);

#endif
