/* A plate with a field by formula, whole and cut into parts as ranks hold them; and a comparison of HDF5 files. */
#ifndef HS_TESTS_OUTPUT_CUT_H
#define HS_TESTS_OUTPUT_CUT_H

#include "comm/comm.h"
#include "problem/problem.h"
#include "run/result.h"

/* Three materials with round and slanted edges, and a field that is finite unless asked otherwise. */
struct plate_whole {
  struct hs_config config;
  struct hs_config_region regions[2];
  struct hs_problem *problem;
  double *field_k; /* [ny*nx] */
  struct hs_check history[2];
};

/* The folder of its output is test_folder(). Ends the test when the problem is refused. */
void plate_whole_create(struct plate_whole *whole, int nx, int ny, enum hs_layout layout, enum hs_precision precision);
void plate_whole_destroy(struct plate_whole *whole);

/* The field at (i, j), t seconds on. */
double plate_value(int i, int j, double t_s);

/* What rank `rank` of count_x x count_y parts holds, a ghost zone of two nodes with the values of the neighbours included. */
struct plate_part {
  struct hs_problem problem;
  struct hs_result result;
  double *field_k;
};
void plate_part_create(const struct plate_whole *whole, struct hs_comm *comm, int count_x, int count_y,
                       struct plate_part *part);
void plate_part_destroy(struct plate_part *part);

/* A field of the window, t seconds on, into field_k. */
void plate_part_field(const struct plate_part *part, double t_s, double *field_k);

/* The result of one process. */
struct hs_result plate_result(struct plate_whole *whole, const struct hs_problem *problem, double *field_k);

/* Have two HDF5 files the same datasets, of the same types, shapes and values? Returns the name of one that differs, which is
 * valid until the next call, or NULL. */
const char *plate_files_differ(const char *path_a, const char *path_b);

/* The ways in which a plate is cut. */
struct plate_cut {
  int count_x, count_y;
};
enum { PLATE_CUTS = 7 };
extern const struct plate_cut plate_cuts[PLATE_CUTS];

#endif
