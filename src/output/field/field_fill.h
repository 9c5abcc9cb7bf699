/* The numbers of field.h5 and the like, written by many ranks into room that its structure has for them (io/h5_room.h), and
 * read by each as far as it holds them. */
#ifndef HS_OUTPUT_FIELD_FIELD_FILL_H
#define HS_OUTPUT_FIELD_FIELD_FILL_H

#include "io/h5_read.h"
#include "io/h5_room.h"
#include "output/share.h"

/* Each writes this rank's own part and returns 0, or errno. The field's ghost nodes next to the own ones are those of their
 * owners: the heat flux needs them. */
int hs_fill_field(int fd, const struct hs_h5_room *room, const struct hs_share *share, const double *field_k);
int hs_fill_materials(int fd, const struct hs_h5_room *room, const struct hs_share *share,
                      const struct hs_problem *problem);
int hs_fill_flux(int fd, const struct hs_h5_room room[2], const struct hs_share *share,
                 const struct hs_problem *problem, const double *field_k);

/* Reads a field of the whole grid from a file, as far as the problem's window goes: with its ghost nodes, around periodic walls,
 * too. field_k is [ny*nx] of the window. Each rank for itself; false on failure. */
bool hs_part_read(const struct hs_h5_dataset *dataset, const struct hs_problem *problem, double *field_k);

#endif
