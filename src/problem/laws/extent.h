/* Extents: the parts of an axis, or of a wall, that belong to a node. */
#ifndef HS_PROBLEM_LAWS_EXTENT_H
#define HS_PROBLEM_LAWS_EXTENT_H

#include "problem/laws/laws.h"

enum { HS_EXTENTS = 2 }; /* that a node has along an axis at most */

/* In spacings. Values are taken at `at`: the node's own place, or the middle of a part that does not contain it. */
struct hs_extent {
  double from, to, at;
};

/* The extents of column (along_x) or row `index`; returns how many. */
int hs_extents_of(const struct hs_laws *laws, bool along_x, int index, struct hs_extent extents[HS_EXTENTS]);

/* The part of an extent that lies in from .. to, m; false when there is none. */
bool hs_extent_cut(const struct hs_problem *problem, bool along_x, const struct hs_extent *extent, double from_m,
                   double to_m, struct hs_extent *cut);

#endif
