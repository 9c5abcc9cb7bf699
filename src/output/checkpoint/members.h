/* Members of a struct as attributes of an HDF5 object, by a table of names and places. */
#ifndef HS_OUTPUT_CHECKPOINT_MEMBERS_H
#define HS_OUTPUT_CHECKPOINT_MEMBERS_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

enum hs_member_type { HS_MEMBER_REAL, HS_MEMBER_INT64, HS_MEMBER_INT32, HS_MEMBER_FLAG };

struct hs_member {
  const char *name; /* NULL ends a table */
  enum hs_member_type type;
  size_t offset;
  int count;     /* numbers, at most HS_MEMBER_MOST */
  size_t stride; /* bytes from one to the next */
};

enum { HS_MEMBER_MOST = 128 };

/* Negative on failure. */
herr_t hs_members_put(hid_t object, const struct hs_member *members, const void *base);

/* false where an attribute is missing or of another kind or length. */
bool hs_members_get(hid_t object, const struct hs_member *members, void *base);

/* The tables of a steady and of a transient point. */
extern const struct hs_member hs_members_steady[], hs_members_transient[];

#endif
