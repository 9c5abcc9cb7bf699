/* Is what a run has left behind what it may leave? */
#ifndef HS_TESTS_FAULTS_JUDGE_H
#define HS_TESTS_FAULTS_JUDGE_H

#include "faults/play.h"

enum outcome {
  COMPLETE, /* exit code 0, all files with the right content */
  WARNED,   /* the same, and a warning */
  FAILED,   /* a sentence and an exit code other than 0, no wrong file; gone on to the right end */
  ENDED,    /* by the signal that was sent; gone on to the right end */
  LIBRARY,  /* a library crashed, or called exit, and the run went on to the right end; or a picture lacks a part */
  WRONG,
  OUTCOMES
};

extern const char *const outcome_names[OUTCOMES];

/* How the run in `folder` ended, against the undisturbed one in `right`. Goes on with a run that is not complete. sent: the
 * signal that was sent, or 0. memory: it was short. why: of what is wrong. */
enum outcome judge(const struct scene *scene, const char *right, const char *folder, struct end end, int sent,
                   bool memory, char why[PATH_ROOM]);

/* Are all files of folder/out those of right/out, and no others? */
bool judge_complete(const char *right, const char *folder, char why[PATH_ROOM]);

#endif
