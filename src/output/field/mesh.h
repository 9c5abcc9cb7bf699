/* The grid as quadrilaterals, for programs that know no images. */
#ifndef HS_OUTPUT_FIELD_MESH_H
#define HS_OUTPUT_FIELD_MESH_H

#include <hdf5.h>
#include <stdbool.h>

#include "config/config.h"

/* Is it wanted in the files that XDMF describes? */
bool hs_mesh_wanted(const struct hs_config *config);

/* Bytes of an integer of mesh/quads. */
int hs_mesh_index_bytes(const struct hs_config *config);

/* Group mesh: dataset points (node, 2), places x and y of the nodes, m; quads (cell, 4), for each four neighbouring nodes,
 * between which the grid has a cell in the vertex layout, their numbers, counter-clockwise from the south-west. A negative
 * value means failure. */
herr_t hs_mesh_write(hid_t file, const struct hs_config *config);

#endif
