/* Snapshots as moving pictures. */
#ifndef HS_OUTPUT_PICTURE_ANIMATION_H
#define HS_OUTPUT_PICTURE_ANIMATION_H

#include "problem/problem.h"

/* Draws the snapshots of the file `snapshots` with one colour scale for all and the time below the title, into the animated
 * PNG file path; problem: whose materials are outlined, NULL for none; resolution_k: as in
 * struct hs_picture. Errors: HS_ERR_IO, HS_ERR_MEMORY. */
hs_status hs_animation_write(const char *path, const char *snapshots, const struct hs_config *config,
                             const struct hs_problem *problem, double resolution_k, struct hs_error *err);

/* The same as single pictures frame-000000.png, frame-000001.png, ... in directory. Errors: as above. */
hs_status hs_animation_series_write(const char *directory, const char *snapshots, const struct hs_config *config,
                                    const struct hs_problem *problem, double resolution_k, struct hs_error *err);

#endif
