/* The problems that faults are tried on: a steady one and one over time, both with all files that a run can write. */
#ifndef HS_TESTS_FAULTS_SCENES_H
#define HS_TESTS_FAULTS_SCENES_H

#include "faults/play.h"

#define PLATE                                                                                                          \
  "[grid]\nnx = 24\nny = 16\nlx = 0.2\nly = 0.1\n"                                                                     \
  "[material]\nconductivity = 237\ndensity = 2700\nheat_capacity = 900\n"                                              \
  "[material foam]\nconductivity = 3\ndensity = 100\nheat_capacity = 1000\n"                                           \
  "[shape foam]\nshape = circle\nx = 0.15\ny = 0.05\nradius = 0.02\nmaterial = foam\n"                                 \
  "[boundary]\nwest = 293.15\nsouth = insulated\n"                                                                     \
  "[boundary top]\nside = north\nkind = convection\nh = 50\nambient = 280\n"                                           \
  "[initial]\ntemperature = 300\n"                                                                                     \
  "[source heater]\nshape = rectangle\nx0 = 0.06\nx1 = 0.10\ny0 = 0.03\ny1 = 0.05\ndensity = 2e7\n"                    \
  "[probe spot]\nx = 0.08\ny = 0.04\n"                                                                                 \
  "[probe line]\nx = 0\ny = 0.04\nx1 = 0.2\ny1 = 0.04\npoints = 5\n"                                                   \
  "[output]\ndirectory = out\nisotherms = 4\n"

enum { STEADY, OVER_TIME, SCENES };

static const struct scene scenes[SCENES] = {
    [STEADY] = {"steady",
                PLATE "[boundary right]\nside = east\nkind = temperature\ntemperature = 300 + 10*y\n"
                      "[solver]\ncriterion = error\ntolerance = 1e-3\nbackend = cpu\nthreads = 1\n",
                "250"},
    [OVER_TIME] = {"over time",
                   PLATE "[boundary right]\nside = east\nkind = temperature\ntemperature = 300 + 10*y + t\n"
                         "[solver]\nbackend = cpu\nthreads = 1\n"
                         "[time]\nscheme = backward_euler\nend = 1.2\nstep = 0.04\nsnapshot_every = 0.2\n"
                         "inner_tolerance = 1e-6\n",
                   "7"}};

#endif
