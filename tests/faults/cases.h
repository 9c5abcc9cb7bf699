/* Kinds of faults, and one case of each. */
#ifndef HS_TESTS_FAULTS_CASES_H
#define HS_TESTS_FAULTS_CASES_H

#include "faults/judge.h"

enum kind {
  KIND_CALL,    /* the n-th call of a kind fails or is the last */
  KIND_MOMENT,  /* a signal after some time */
  KIND_LENGTH,  /* no file may become longer (RLIMIT_FSIZE) */
  KIND_ROOM,    /* a file system of so many pages */
  KIND_CUT,     /* a checkpoint that ends too early */
  KIND_FLIP,    /* a checkpoint with another bit */
  KIND_BOTH,    /* the same in both checkpoints */
  KIND_STRANGE, /* a checkpoint of something else, STRANGE_MOST kinds */
  KIND_FOREIGN, /* snapshots of something else beside good checkpoints, FOREIGN_MOST kinds */
  KIND_AGAIN,   /* as KIND_CALL, of a run that goes on where the newer checkpoint is damaged */
  KINDS
};

enum { STRANGE_MOST = 4, FOREIGN_MOST = 5, PAGE_BYTES = 4096, STEP_BYTES = 512 };

/* What all cases of a scene compare with. */
struct ground {
  const struct scene *scene;
  const char *right; /* folder of the undisturbed run */
  const char *ended; /* folder of a run that was ended and has left two checkpoints */
};

struct trial {
  enum kind kind;
  const char *call, *how; /* of KIND_CALL and KIND_AGAIN; how: of KIND_MOMENT, "kill" or "term" */
  long n;                 /* from 1 on */
};

/* How many there are: calls, steps of length, pages, bytes; moments in microseconds. 0: none. */
long trials_of(const struct ground *ground, enum kind kind, const char *call);

/* Tries one in an empty folder. */
enum outcome trial_run(const struct ground *ground, const struct trial *trial, const char *folder, char why[PATH_ROOM]);

/* Can this process have file systems of its own? To be asked in a process that makes trials of KIND_ROOM alone. */
bool trial_rooms_begin(void);

#endif
