/* The order in which changes of an HDF5 file's structures reach the disk, so that the file is whole between any two writes. */
#ifndef HS_IO_H5_ORDER_H
#define HS_IO_H5_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hdf5.h>

struct hs_h5_order;

/* Begins for an open file. NULL when memory is short. */
struct hs_h5_order *hs_h5_order_create(int fd);
void hs_h5_order_destroy(struct hs_h5_order *order); /* NULL is accepted; drops what is held back */

/* Says that there are structures already, all below an address. */
void hs_h5_order_found(struct hs_h5_order *order, uint64_t end);

/* Holds back a write of a structure. Returns 0 or errno. */
int hs_h5_order_hold(struct hs_h5_order *order, H5FD_mem_t type, uint64_t address, const void *bytes, size_t size);

/* Puts what is held back over bytes that were read from the file. */
void hs_h5_order_overlay(const struct hs_h5_order *order, uint64_t address, void *bytes, size_t size);

/* Writes all that is held back, and flushes the file to the disk. removing: entries of groups were removed, not added. After
 * a failure the file is as it was, unless that could not be written either: *listed then says that the entries were added
 * before. Returns 0 or errno. */
int hs_h5_order_settle(struct hs_h5_order *order, bool removing, bool *listed);

#endif
