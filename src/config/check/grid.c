/* Rules of [grid]: in each direction either the length or the spacing is given, and the other follows. */
#include <float.h>
#include <math.h>

#include "config/check/check.h"

/* Spacings in a length: the cell layout has half a spacing beyond the outermost nodes. */
static int spacings_count(enum hs_layout layout, int nodes)
{
  return layout == HS_LAYOUT_CELL ? nodes : nodes - 1;
}

/* One direction of the grid: length from spacing, or spacing from length. */
static hs_status direction_check(struct hs_draft *draft, const struct hs_draft_section *grid, char axis, int nodes,
                                 double *length_m, double *spacing_m)
{
  const char length_name[3] = {'l', axis, '\0'}, spacing_name[3] = {'d', axis, '\0'};
  const struct hs_where length = hs_draft_where(grid, length_name), spacing = hs_draft_where(grid, spacing_name);
  const int spacings = spacings_count(draft->config->grid.layout, nodes);

  if (hs_where_given(length) && hs_where_given(spacing)) {
    return hs_draft_fail(draft, hs_where_later(length, spacing),
                         "[grid] has both %s (length of the domain) and %s (node spacing), and each follows from the "
                         "other; remove one of the two.",
                         length_name, spacing_name);
  }
  if (!hs_where_given(length) && !hs_where_given(spacing)) {
    return hs_draft_fail(draft, grid->where,
                         "[grid] has neither %s (length of the domain, m) nor %s (node spacing, m); give lx and ly, or "
                         "dx and dy.",
                         length_name, spacing_name);
  }
  if (hs_where_given(length)) {
    *spacing_m = *length_m / spacings;
  } else {
    *length_m = *spacing_m * spacings;
  }
  if (!(*spacing_m >= DBL_MIN) || !isfinite(*length_m)) {
    return hs_draft_fail(draft, hs_where_given(length) ? length : spacing,
                         "[grid] %s: with %d nodes the node spacing would be %g m and the length %g m, which double "
                         "precision cannot hold.",
                         hs_where_given(length) ? length_name : spacing_name, nodes, *spacing_m, *length_m);
  }
  return HS_OK;
}

hs_status hs_check_grid(struct hs_draft *draft, const struct hs_draft_section *grid)
{
  struct hs_config *config = draft->config;
  const struct hs_where lx = hs_draft_where(grid, "lx"), ly = hs_draft_where(grid, "ly");
  const struct hs_where dx = hs_draft_where(grid, "dx"), dy = hs_draft_where(grid, "dy");
  hs_status status;

  status = direction_check(draft, grid, 'x', config->grid.nx, &config->grid.lx_m, &config->grid.dx_m);
  if (status != HS_OK) return status;
  status = direction_check(draft, grid, 'y', config->grid.ny, &config->grid.ly_m, &config->grid.dy_m);
  if (status != HS_OK) return status;
  if ((lx.line && dy.line) || (dx.line && ly.line)) {
    return hs_draft_fail(draft, dy.line ? dy : ly,
                         "[grid] says %s in one direction and %s in the other; give lx and ly, or dx and dy.",
                         dy.line ? "lx" : "dx", dy.line ? "dy" : "ly");
  }
  return HS_OK;
}
