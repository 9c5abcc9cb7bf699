/* The same plate on a coarse grid, for forecasts of grids that nobody can build. */
#ifndef HS_RUN_COARSE_H
#define HS_RUN_COARSE_H

#include "run/job.h"

struct hs_coarse {
  struct hs_config config; /* a copy on the coarse grid; what it points to is the original's, but for the lists below */
  struct hs_config_source *sources; /* owned, as are the next two: shapes of single nodes have moved */
  struct hs_config_region *regions;
  struct hs_config_loss *losses;
  struct hs_job job; /* problem, system, initial field, first update; settings without a method */
};

/* config on a grid of at most `most` nodes along its longer side, or as it is where that is small. Maps are left out of a
 * coarser grid. Errors: those of hs_problem_create and hs_problem_build_system. */
hs_status hs_coarse_make(const struct hs_config *config, int most, struct hs_coarse *coarse, struct hs_error *err);
void hs_coarse_clear(struct hs_coarse *coarse);

/* Was something left out? */
bool hs_coarse_lacks_maps(const struct hs_config *config, const struct hs_coarse *coarse);

#endif
