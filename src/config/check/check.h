/* The rules that concern several keys at once, section by section. check.c calls them when all defaults are filled in,
 * those of the grid first, so that lengths are known. Each returns HS_OK, HS_ERR_CONFIG or HS_ERR_MEMORY. */
#ifndef HS_CONFIG_CHECK_CHECK_H
#define HS_CONFIG_CHECK_CHECK_H

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
hs_status hs_check_solver(struct hs_draft *draft, const struct hs_draft_section *section);
hs_status hs_check_output(struct hs_draft *draft, const struct hs_draft_section *section);

/* A shape lies in the domain: nodes, rectangles and polygons wholly, others at least in part. A coordinate that is outside
 * by rounding is put on the wall. */
hs_status hs_check_shape(struct hs_draft *draft, const struct hs_draft_section *section, struct hs_config_shape *shape);

/* Every side of the domain has a key in [boundary] or a named segment; sides without a key are removed. */
hs_status hs_check_sides_given(struct hs_draft *draft);

/* Every material that can fill a cell has a density and a heat capacity, unless the problem is steady. */
hs_status hs_check_capacities(struct hs_draft *draft);

#endif
