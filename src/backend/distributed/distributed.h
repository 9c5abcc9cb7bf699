/* Backends whose grid is held by several devices of one process, or by several ranks: the operations of another backend on
 * parts of the grid, and the exchange of ghost nodes between them. */
#ifndef HS_BACKEND_DISTRIBUTED_DISTRIBUTED_H
#define HS_BACKEND_DISTRIBUTED_DISTRIBUTED_H

#include "backend/backend.h"

/* The backends that can be parts, distributed as options->spread or options->testing.parts say; NULL-terminated, each with
 * the name of the one that it is made of. */
const struct hs_backend *const *hs_distributed_list(void);

/* The same for several devices of one process: backends without devices are as they are in hs_backend_list. */
const struct hs_backend *const *hs_distributed_device_list(void);

/* The distributed form of a backend; NULL: it has none. */
const struct hs_backend *hs_distributed_of(const struct hs_backend *backend);

/* Can ranks make cycles of multigrid over a grid that is cut so? Errors: HS_ERR_UNSUPPORTED, HS_ERR_MEMORY. */
hs_status hs_distributed_cycles_check(const struct hs_partition *partition, struct hs_error *err);

/* The strips by which a rank may overlap its exchanges (strips.c): how many nodes those of a part have, 0 where they are not worth
 * it; and what a node takes of the host's memory beside what the backend takes. */
double hs_distributed_strip_nodes(const struct hs_partition *partition, int part);
double hs_distributed_strip_node_bytes(const struct hs_system *system);

/* A system's grid in one part. */
struct hs_partition hs_distributed_whole(const struct hs_system *system);

#endif
