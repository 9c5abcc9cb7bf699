/* The heat flux of a field. */
#ifndef HS_ANSWERS_FLUX_H
#define HS_ANSWERS_FLUX_H

#include "problem/problem.h"

/* Components of the heat flux in the middle of each cell of `rows` rows of the window's cells from row `first` on, into x_w_m2
 * and y_w_m2, each [rows*cells_x], W/m2, positive to the east and to the north. Right in a rank's own cells, given one layer of
 * ghost nodes; not collective. */
void hs_answers_flux_rows(const struct hs_problem *problem, const double *field_k, int first, int rows, double *x_w_m2,
                          double *y_w_m2);

#endif
