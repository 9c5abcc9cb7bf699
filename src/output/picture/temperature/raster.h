/* A field prepared for drawing: positions on the colour scale instead of kelvin. */
#ifndef HS_OUTPUT_PICTURE_RASTER_H
#define HS_OUTPUT_PICTURE_RASTER_H

#include "output/output.h"
#include "output/share.h"

#define HS_POSITION_LIMIT 1e3 /* a single extreme node must not dominate an average */

/* The colour scale of a picture. */
struct hs_scale {
  double low_k, high_k; /* its ends, low <= high; both NaN when no node is finite */
  double min_k, max_k;  /* extremes of the field's finite nodes, NaN when there is none */
  bool constant; /* temperatures differ but cannot be told apart: min_k and max_k are a round one in the middle */
  long long not_finite;      /* nodes that are not finite */
  size_t min_node, max_node; /* one of the coldest and of the hottest: the middle one, in the order of the field */
};

/* The functions with an error are collective over the ranks that hold the picture's problem, and give all the same. */

/* Errors: HS_ERR_MEMORY, HS_ERR_IO. */
hs_status hs_scale_find(const struct hs_picture *picture, struct hs_scale *scale, struct hs_error *err);

/* Where the picture's field lies in its grid. */
struct hs_share hs_picture_share(const struct hs_picture *picture);

/* Position of a temperature on the scale, 0 at its low end and 1 at its high one; not limited to them.
 * 0.5 for every temperature of a constant field, unless the scale was given. */
double hs_scale_position(const struct hs_scale *scale, double temperature_k);

struct hs_raster {
  int columns, rows;
  double *position; /* [rows*columns], row 0 in the south; NaN where there is no finite node; owned */
};

/* The field as columns x rows pixels whose outer edges are the domain's edge. An axis with more nodes than
 * pixels is averaged, one with few nodes shows their control volumes as blocks, any other is interpolated.
 * Errors: HS_ERR_MEMORY, HS_ERR_IO. */
hs_status hs_raster_create(const struct hs_picture *picture, const struct hs_scale *scale, int columns, int rows,
                           struct hs_raster *raster, struct hs_error *err);

/* The field at nodes only, every node or, above the limits, evenly chosen ones with both ends, so that
 * point (c, r) of C x R lies at (c/(C-1), r/(R-1)) of the way between the outermost nodes. Errors: HS_ERR_MEMORY,
 * HS_ERR_IO. */
hs_status hs_raster_create_nodes(const struct hs_picture *picture, const struct hs_scale *scale, int max_columns,
                                 int max_rows, struct hs_raster *raster, struct hs_error *err);

void hs_raster_clear(struct hs_raster *raster);

#endif
