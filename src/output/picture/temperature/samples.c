/* In the vertex layout nodes lie on the boundary: the picture's left edge is node 0 and its right edge node nx - 1, and
 * pixel centres lie at (p + 1/2)/pixels between them. In the cell layout nodes lie in the middle of cells; the edges are
 * half a spacing beyond the outermost nodes, whose temperature is extended to the edge. Sampling is separable: the nodes
 * of every pixel column and row, and their weights, are found once.
 */
#include "output/picture/temperature/samples.h"

#include <math.h>

#include "base/memory.h"

#define BLOCK_NODES 16 /* axes with fewer nodes show control volumes */

/* Nodes first..last with equal weights, as far as the axis has them. */
static struct hs_sample sample_average(int first, int last, int nodes)
{
  const struct hs_sample sample = {first, (last < nodes - 1 ? last : nodes - 1) - first + 1, 1.0, 1.0};
  return sample;
}

/* Linear between the two nodes around a position. */
static struct hs_sample sample_between(double position, int nodes)
{
  struct hs_sample sample = {(int)position < nodes - 2 ? (int)position : nodes - 2, 2, 0.0, 0.0};
  sample.last_weight = position - sample.first;
  sample.first_weight = 1.0 - sample.last_weight;
  return sample;
}

/* The sample of pixel p of `pixels` along an axis of `nodes` cells with a node in the middle of each. */
static struct hs_sample sample_cells(int p, int pixels, int nodes)
{
  const double node_per_pixel = (double)nodes / pixels;
  const double center = fmin(fmax((p + 0.5) * node_per_pixel - 0.5, 0.0), nodes - 1.0);
  const int nearest = (int)(center + 0.5);
  if (nodes <= BLOCK_NODES) return sample_average(nearest, nearest, nodes);
  if (node_per_pixel <= 1.0) return sample_between(center, nodes);
  return sample_average((int)ceil(p * node_per_pixel - 0.5), (int)ceil((p + 1) * node_per_pixel - 0.5) - 1, nodes);
}

/* The sample of pixel p of `pixels` along an axis of `nodes` nodes. */
static struct hs_sample sample_nodes(int p, int pixels, int nodes)
{
  const double node_per_pixel = (double)(nodes - 1) / pixels;
  const double center = (p + 0.5) * node_per_pixel;
  const int nearest = (int)(center + 0.5);
  if (nodes <= BLOCK_NODES) return sample_average(nearest, nearest, nodes);
  if (node_per_pixel <= 1.0) return sample_between(center, nodes);
  return sample_average((int)(p * node_per_pixel + 0.5), (int)((p + 1) * node_per_pixel + 0.5), nodes);
}

static struct hs_sample sample_axis(int p, int pixels, int nodes, bool cells)
{
  return cells ? sample_cells(p, pixels, nodes) : sample_nodes(p, pixels, nodes);
}

hs_status hs_samples_create(const struct hs_picture *picture, int columns, int rows, struct hs_samples *samples,
                            struct hs_error *err)
{
  int across = 1, up = 1;
  hs_status status = hs_array_create((void **)&samples->across, (size_t)columns, sizeof(struct hs_sample),
                                     "the columns of a picture", err);
  if (!status)
    status =
        hs_array_create((void **)&samples->up, (size_t)rows, sizeof(struct hs_sample), "the rows of a picture", err);
  for (int c = 0; !status && c < columns; c++) {
    samples->across[c] = sample_axis(c, columns, picture->nx, picture->cells);
    if (samples->across[c].count > across) across = samples->across[c].count;
  }
  for (int r = 0; !status && r < rows; r++) {
    samples->up[r] = sample_axis(r, rows, picture->ny, picture->cells);
    if (samples->up[r].count > up) up = samples->up[r].count;
  }
  samples->nodes_most = across * up;
  return status;
}
