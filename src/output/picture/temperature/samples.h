/* Which nodes a pixel shows, and with which weights, along each axis. */
#ifndef HS_OUTPUT_PICTURE_SAMPLES_H
#define HS_OUTPUT_PICTURE_SAMPLES_H

#include "output/output.h"

/* The nodes of one pixel along one axis: first..first+count-1, with weight 1 except at the ends. */
struct hs_sample {
  int first, count;
  double first_weight, last_weight; /* last_weight is used when count > 1 */
};

static inline double hs_sample_weight(const struct hs_sample *sample, int k)
{
  if (k == 0) return sample->first_weight;
  return k == sample->count - 1 ? sample->last_weight : 1.0;
}

/* How the pixels of a raster take their nodes. */
struct hs_samples {
  struct hs_sample *across, *up; /* [columns], [rows] */
  int nodes_most;                /* of a pixel */
};

/* For a raster of columns x rows of the picture's nodes. The caller frees `across` and `up`, also after an error. Errors:
 * HS_ERR_MEMORY. */
hs_status hs_samples_create(const struct hs_picture *picture, int columns, int rows, struct hs_samples *samples,
                            struct hs_error *err);

#endif
