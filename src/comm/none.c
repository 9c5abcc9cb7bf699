/* Without MPI there is nothing between ranks. */
#include "comm/transport.h"

const struct hs_transport *const hs_transport = NULL;
