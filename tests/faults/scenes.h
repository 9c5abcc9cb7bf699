/* The problems that faults are tried on: a steady one and one over time, both with checkpoints and all other files but an
 * animation, which costs as much as all of them and has a problem of its own. Low plates have small pictures. */
#ifndef HS_TESTS_FAULTS_SCENES_H
#define HS_TESTS_FAULTS_SCENES_H

#include "faults/play.h"

#define PLATE                                                                                                          \
  "[grid]\nnx = 24\nny = 8\nlx = 0.2\nly = 0.05\n"                                                                     \
  "[material]\nconductivity = 237\ndensity = 2700\nheat_capacity = 900\n"                                              \
  "[material foam]\nconductivity = 3\ndensity = 100\nheat_capacity = 1000\n"                                           \
  "[shape foam]\nshape = circle\nx = 0.15\ny = 0.025\nradius = 0.01\nmaterial = foam\n"                                \
  "[boundary]\nwest = 293.15\nsouth = insulated\n"                                                                     \
  "[boundary top]\nside = north\nkind = convection\nh = 50\nambient = 280\n"                                           \
  "[initial]\ntemperature = 300\n"                                                                                     \
  "[source heater]\nshape = rectangle\nx0 = 0.06\nx1 = 0.10\ny0 = 0.015\ny1 = 0.025\ndensity = 2e7\n"                  \
  "[probe spot]\nx = 0.08\ny = 0.02\n"                                                                                 \
  "[probe line]\nx = 0\ny = 0.02\nx1 = 0.2\ny1 = 0.02\npoints = 200\n"                                                 \
  "[output]\ndirectory = out\nisotherms = 4\n"

#define STEADY_CONFIG(tolerance)                                                                                       \
  PLATE "[boundary right]\nside = east\nkind = temperature\ntemperature = 300 + 10*y\n"                                \
        "[solver]\nmethod = jacobi\ncriterion = error\ntolerance = " tolerance "\nbackend = cpu\nthreads = 1\n"

#define OVER_TIME_CONFIG(step)                                                                                         \
  PLATE "[boundary right]\nside = east\nkind = temperature\ntemperature = 300 + 10*y + t\n"                            \
        "[solver]\nbackend = cpu\nthreads = 1\n"                                                                       \
        "[time]\nscheme = backward_euler\nend = 1.2\nstep = " step "\nsnapshot_every = 0.2\ninner_tolerance = 1e-6\n"

/* Two frames. */
#define ANIMATION_CONFIG                                                                                               \
  "[grid]\nnx = 24\nny = 8\nlx = 0.2\nly = 0.05\n"                                                                     \
  "[material]\nconductivity = 237\ndensity = 2700\nheat_capacity = 900\n"                                              \
  "[boundary]\nwest = 290\neast = 300\nsouth = insulated\nnorth = 290\n[initial]\ntemperature = "                      \
  "300\n[solver]\nbackend = cpu\nthreads = 1\n"                                                                        \
  "[time]\nscheme = backward_euler\nend = 0.2\nstep = 0.1\nsnapshot_every = 0.2\ninner_tolerance = 1e-6\n"             \
  "[output]\ndirectory = out\npicture = no\nanimation = apng\n"

/* More nodes, so that threads pay. */
#define THREADS_CONFIG                                                                                                 \
  "[grid]\nnx = 160\nny = 120\nlx = 0.2\nly = 0.1\n[material]\nconductivity = 237\n"                                   \
  "[boundary]\nwest = 290\neast = 300\nsouth = 280\nnorth = 310\n[initial]\ntemperature = 300\n"                       \
  "[solver]\ncriterion = update_max\ntolerance = 1e-3\nbalance_tolerance = 1\nbackend = cpu\nthreads = 3\n"            \
  "[output]\ndirectory = out\npicture = no\nconvergence = no\n"

enum { STEADY, OVER_TIME, ANIMATION, THREADS, SCENES };

static const struct scene scenes[SCENES] = {
    [STEADY] = {"steady", STEADY_CONFIG("1e-3"), STEADY_CONFIG("1e-4"), "250"},
    [OVER_TIME] = {"over time", OVER_TIME_CONFIG("0.04"), OVER_TIME_CONFIG("0.02"), "7"},
    [ANIMATION] = {"animation", ANIMATION_CONFIG, "", "0"},
    [THREADS] = {"threads", THREADS_CONFIG, "", "0"}};

#endif
