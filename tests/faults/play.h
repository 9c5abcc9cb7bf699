/* One run of the program with a fault, and its folder. */
#ifndef HS_TESTS_FAULTS_PLAY_H
#define HS_TESTS_FAULTS_PLAY_H

#include <stdbool.h>
#include <stddef.h>

enum { PATH_ROOM = 512, NAME_ROOM = 128 };

/* A small problem. */
struct scene {
  const char *name;
  const char *config; /* text, but for [run] */
  const char *other;  /* that of another problem */
  const char *every;  /* [run] checkpoint_every, s of the clock that faults/inject.c turns */
};

/* What is done to a run. Zero: nothing. */
struct fault {
  const char *plan;     /* as faults/inject.c takes it; NULL: none */
  long signal_after_us; /* > 0: `signal` is sent after so long */
  int signal;
  long file_bytes; /* > 0: no file may become larger (RLIMIT_FSIZE) */
};

/* How it ended. */
struct end {
  int code;   /* exit code, or -1 */
  int signal; /* that ended it, or 0; SIGALRM where it hung */
};

/* Runs the scene in folder: its configuration is made there, its files are in folder/out, its streams in folder/stdout and
 * folder/stderr, a crash in folder/trace, numbers of calls in folder/counts. restart: [run] restart. */
struct end play(const struct scene *scene, const char *folder, const char *restart, const struct fault *fault);

/* Makes the folder empty, or removes it. */
void folder_empty(const char *folder);
void folder_remove(const char *folder);

/* A whole file; NULL where it cannot be read. The caller frees it. */
char *file_get(const char *path, size_t *size);

#endif
