/* The materials of a problem. */
#ifndef HS_PROBLEM_CELLS_MATERIALS_H
#define HS_PROBLEM_CELLS_MATERIALS_H

#include "problem/problem.h"

/* Fills problem->materials from its config. Errors: HS_ERR_MEMORY. */
hs_status hs_materials_create(struct hs_problem *problem, struct hs_error *err);

/* The material of that name, -1 when there is none; "background" is the first unless another has the name. */
int hs_material_find(const struct hs_problem *problem, const char *name);

/* The name of material m, "background" for the unnamed one. */
const char *hs_material_title(const struct hs_problem *problem, int m);

#endif
