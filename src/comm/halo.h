/* The exchange of ghost nodes: which block of which part becomes which block of another. */
#ifndef HS_COMM_HALO_H
#define HS_COMM_HALO_H

#include "base/status.h"
#include "comm/subdomain.h"

/* Ghost nodes of part `to` that part `from` owns. Both blocks are counted from the first node of their part's window. */
struct hs_transfer {
  int from, to;
  struct hs_rectangle source;
  struct hs_rectangle target;
  int tag; /* tells the transfers between the same two parts apart */
};

/* All transfers to a part, in an order that does not depend on who asks. *transfers is owned by the caller. Errors:
 * HS_ERR_MEMORY. */
hs_status hs_halo_find(const struct hs_partition *partition, int to, struct hs_transfer **transfers, int *count,
                       struct hs_error *err);

#endif
