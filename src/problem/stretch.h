/* Stretches: the part of an axis, or of a wall, that belongs to a node. */
#ifndef HS_PROBLEM_STRETCH_H
#define HS_PROBLEM_STRETCH_H

#include "problem/laws.h"

enum { HS_STRETCHES = 2 }; /* that a node has along an axis at most */

/* In spacings; `at` is where values are taken: the node's own place, or the middle of a part that does not contain
 * it. */
struct hs_stretch {
  double from, to, at;
};

/* The stretches of column (along_x) or row `index`; returns how many. */
int hs_stretches_of(const struct hs_laws *laws, bool along_x, int index, struct hs_stretch stretches[HS_STRETCHES]);

/* The part of a stretch that lies in from .. to, m; false when there is none. */
bool hs_stretch_cut(const struct hs_problem *problem, bool along_x, const struct hs_stretch *stretch, double from_m,
                    double to_m, struct hs_stretch *cut);

#endif
