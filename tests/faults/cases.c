#include "faults/cases.h"

#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "faults/calls.h"
#include "output/checkpoint/seal.h"

static const char latest[] = "checkpoint.h5", before[] = "checkpoint-previous.h5", snapshots[] = "snapshots.h5";

/* --- how many -------------------------------------------------------------------------------------- */

/* Calls of a kind that the undisturbed run makes. */
static long calls_of(const char *folder, const char *call)
{
  char path[2 * PATH_ROOM], name[NAME_ROOM];
  long number = 0;
  FILE *file;
  snprintf(path, sizeof path, "%s/counts", folder);
  file = fopen(path, "r");
  while (file && fscanf(file, "%127s %ld", name, &number) == 2)
    if (!strcmp(name, call)) break;
  if (file) (void)fclose(file);
  return number;
}

/* Bytes of the largest file of folder/out, and of all, in whole pages. */
static long bytes_of(const char *folder, bool all)
{
  char path[2 * PATH_ROOM];
  const struct dirent *entry;
  long largest = 0, sum = 0;
  DIR *entries;
  snprintf(path, sizeof path, "%s/out", folder);
  entries = opendir(path);
  while (entries && (entry = readdir(entries))) {
    struct stat facts;
    if (fstatat(dirfd(entries), entry->d_name, &facts, 0) != 0 || !S_ISREG(facts.st_mode)) continue;
    if (facts.st_size > largest) largest = (long)facts.st_size;
    sum += ((long)facts.st_size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  }
  if (entries) (void)closedir(entries);
  return all ? sum : largest;
}

static long file_bytes(const char *folder, const char *name)
{
  char path[2 * PATH_ROOM];
  struct stat facts;
  snprintf(path, sizeof path, "%s/out/%s", folder, name);
  return stat(path, &facts) == 0 ? (long)facts.st_size : 0;
}

/* How long the undisturbed run takes. */
static long run_us(const struct ground *ground)
{
  const struct fault none = {0};
  char folder[2 * PATH_ROOM];
  struct timespec begun, done;
  snprintf(folder, sizeof folder, "%s-timed", ground->right);
  folder_empty(folder);
  (void)clock_gettime(CLOCK_MONOTONIC, &begun);
  (void)play(ground->scene, folder, "no", &none);
  (void)clock_gettime(CLOCK_MONOTONIC, &done);
  folder_remove(folder);
  return (done.tv_sec - begun.tv_sec) * 1000000 + (done.tv_nsec - begun.tv_nsec) / 1000;
}

/* --- damaged checkpoints --------------------------------------------------------------------------- */

static bool file_copy(const char *from, const char *to, const char *name)
{
  char source[2 * PATH_ROOM], target[2 * PATH_ROOM];
  size_t size;
  char *bytes;
  FILE *file;
  bool copied;
  snprintf(source, sizeof source, "%s/out/%s", from, name);
  snprintf(target, sizeof target, "%s/out/%s", to, name);
  bytes = file_get(source, &size);
  file = bytes ? fopen(target, "wb") : NULL;
  copied = file && fwrite(bytes, 1, size, file) == size;
  if (file) copied = fclose(file) == 0 && copied;
  free(bytes);
  return copied;
}

static bool file_cut(const char *folder, const char *name, long length)
{
  char path[2 * PATH_ROOM];
  snprintf(path, sizeof path, "%s/out/%s", folder, name);
  return truncate(path, length) == 0;
}

static bool file_flip(const char *folder, const char *name, long bit)
{
  char path[2 * PATH_ROOM];
  unsigned char byte = 0;
  bool done;
  int fd;
  snprintf(path, sizeof path, "%s/out/%s", folder, name);
  fd = open(path, O_RDWR);
  done = fd >= 0 && pread(fd, &byte, 1, bit / 8) == 1;
  byte = (unsigned char)(byte ^ 1u << bit % 8);
  done = done && pwrite(fd, &byte, 1, bit / 8) == 1;
  if (fd >= 0) (void)close(fd);
  return done;
}

/* A checkpoint of a program that keeps other things in it, with a seal that is whole. */
static bool make_foreign(const char *folder)
{
  char path[2 * PATH_ROOM];
  hid_t file;
  bool done;
  int fd;
  snprintf(path, sizeof path, "%s/out/checkpoint.h5", folder);
  file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  done = file >= 0 && (H5Ldelete(file, "steady", H5P_DEFAULT) >= 0 || H5Ldelete(file, "transient", H5P_DEFAULT) >= 0);
  if (file >= 0) (void)H5Fclose(file);
  fd = open(path, O_RDWR);
  done = done && fd >= 0 && hs_seal_put(hs_comm_alone(), fd) == 0;
  if (fd >= 0) (void)close(fd);
  return done;
}

/* 1: of another problem; 2: of another program; 3: without its snapshots, or, of a steady run, an empty one; 4: both
 * are gone, but asked for. */
static bool make_strange(const char *folder, long n)
{
  char path[2 * PATH_ROOM];
  if (n == 2) return make_foreign(folder);
  if (n == 4) return file_cut(folder, "checkpoint.h5", 0) && file_cut(folder, "checkpoint-previous.h5", 0);
  snprintf(path, sizeof path, "%s/out/snapshots.h5", folder);
  if (n == 3 && unlink(path) != 0)
    return file_cut(folder, "checkpoint.h5", 0) && file_cut(folder, "checkpoint-previous.h5", 1);
  return true;
}

/* Refused by a sentence, and nothing was written. */
static enum outcome judge_refused(const char *folder, struct end end, char why[PATH_ROOM])
{
  char path[2 * PATH_ROOM];
  size_t size = 0;
  char *text;
  bool refused;
  snprintf(path, sizeof path, "%s/stderr", folder);
  text = file_get(path, &size);
  refused = (end.code == 2 || end.code == 5) && text && !strncmp(text, "heatsolve: ", 11);
  if (!refused) snprintf(why, PATH_ROOM, "code %d, signal %d: %.300s", end.code, end.signal, text ? text : "");
  free(text);
  snprintf(path, sizeof path, "%s/out/report.json", folder);
  if (refused && access(path, F_OK) == 0) snprintf(why, PATH_ROOM, "it was refused, but there is a report");
  return refused && access(path, F_OK) != 0 ? FAILED : WRONG;
}

/* What a run that was ended has left: two checkpoints and, of a run over time, snapshots. */
static bool ended_copy(const struct ground *ground, const char *folder)
{
  char path[2 * PATH_ROOM];
  snprintf(path, sizeof path, "%s/out", folder);
  return mkdir(path, 0777) == 0 && file_copy(ground->ended, folder, latest) &&
         file_copy(ground->ended, folder, before) &&
         (file_bytes(ground->ended, snapshots) == 0 || file_copy(ground->ended, folder, snapshots));
}

static enum outcome damaged_run(const struct ground *ground, const struct trial *t, const char *folder,
                                char why[PATH_ROOM])
{
  const struct fault none = {0};
  struct scene other = *ground->scene;
  bool made = ended_copy(ground, folder);
  struct end end;
  if (t->kind == KIND_CUT || t->kind == KIND_BOTH) made = made && file_cut(folder, latest, t->n - 1);
  if (t->kind == KIND_BOTH) made = made && file_flip(folder, before, t->n % (8 * file_bytes(folder, before)));
  if (t->kind == KIND_FLIP) made = made && file_flip(folder, latest, t->n - 1);
  if (t->kind == KIND_STRANGE) made = made && make_strange(folder, t->n);
  snprintf(why, PATH_ROOM, "the checkpoint could not be prepared");
  if (!made) return WRONG;
  if (t->kind == KIND_STRANGE && t->n == 1) other.config = ground->scene->other;
  end = play(&other, folder, "auto", &none);
  if (t->kind == KIND_BOTH || t->kind == KIND_STRANGE) return judge_refused(folder, end, why);
  return judge(ground->scene, ground->right, folder, end, 0, false, why);
}

/* --- damaged checkpoints, and a fault while the run goes on ---------------------------------------- */

static bool again_prepare(const struct ground *ground, long n, const char *folder)
{
  const long bytes = file_bytes(ground->ended, latest);
  return ended_copy(ground, folder) &&
         (n % 2 ? file_cut(folder, latest, bytes / 2) : file_flip(folder, latest, 8 * (bytes / 2)));
}

/* Calls of a kind that such a run makes. */
static long calls_again(const struct ground *ground, const char *call)
{
  const struct fault none = {0};
  char folder[PATH_ROOM];
  long calls = 0;
  snprintf(folder, sizeof folder, "%.400s-again", ground->ended);
  folder_empty(folder);
  if (again_prepare(ground, 1, folder) && play(ground->scene, folder, "auto", &none).code == 0)
    calls = calls_of(folder, call);
  folder_remove(folder);
  return calls;
}

/* Did the run that is complete go on from a checkpoint? */
static bool went_on(const char *folder)
{
  char path[2 * PATH_ROOM];
  size_t size;
  const char *place;
  char *text;
  bool found;
  snprintf(path, sizeof path, "%s/out/report.json", folder);
  text = file_get(path, &size);
  place = text ? strstr(text, "\"went_on_from\": ") : NULL;
  found = place && atof(place + 16) > 0.0;
  free(text);
  return found;
}

/* Whatever happens, the run is not begun anew: the older checkpoint is good. */
static enum outcome again_run(const struct ground *ground, long n, const struct fault *fault, bool kills,
                              const char *folder, char why[PATH_ROOM])
{
  enum outcome outcome;
  snprintf(why, PATH_ROOM, "the checkpoint could not be prepared");
  if (!again_prepare(ground, n, folder)) return WRONG;
  outcome = judge(ground->scene, ground->right, folder, play(ground->scene, folder, "auto", fault), kills ? SIGKILL : 0,
                  false, why);
  if (outcome == WRONG || went_on(folder)) return outcome;
  snprintf(why, PATH_ROOM, "it was begun anew");
  return WRONG;
}

/* --- other snapshots ------------------------------------------------------------------------------- */

static bool make_other_problem(const char *path)
{
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t problem = file < 0 ? -1 : H5Aopen(file, "problem", H5P_DEFAULT);
  const long long other = 1;
  const bool done = problem >= 0 && H5Awrite(problem, H5T_NATIVE_LLONG, &other) >= 0;
  if (problem >= 0) (void)H5Aclose(problem);
  return file >= 0 && H5Fclose(file) >= 0 && done;
}

/* 1: a text; 2: an HDF5 file without snapshots; 3: half of the snapshots' bytes; 4: snapshots of another problem; 5: nothing.
 * A steady run has none: nothing for 3 and 4. */
static bool make_foreign_snapshots(const struct ground *ground, long n, const char *folder)
{
  const long bytes = file_bytes(ground->ended, snapshots);
  char path[2 * PATH_ROOM];
  FILE *file;
  hid_t other;
  snprintf(path, sizeof path, "%s/out/%s", folder, snapshots);
  if (n == 3 && bytes > 0) return file_cut(folder, snapshots, bytes / 2);
  if (n == 4 && bytes > 0) return make_other_problem(path);
  if (n == 2) {
    other = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    return other >= 0 && H5Fclose(other) >= 0;
  }
  file = fopen(path, "w");
  if (file && n == 1) (void)fputs("snapshots of a garden\n", file);
  return file && fclose(file) == 0;
}

/* A run over time refuses to go on until its own snapshots are back, a steady one leaves the file alone; neither changes it. */
static enum outcome foreign_run(const struct ground *ground, long n, const char *folder, char why[PATH_ROOM])
{
  const struct fault none = {0};
  char path[2 * PATH_ROOM];
  size_t size = 0, size_after = 0;
  char *bytes, *after;
  bool kept;
  struct end end;
  snprintf(why, PATH_ROOM, "the snapshots could not be prepared");
  if (!ended_copy(ground, folder) || !make_foreign_snapshots(ground, n, folder)) return WRONG;
  snprintf(path, sizeof path, "%s/out/%s", folder, snapshots);
  bytes = file_get(path, &size);
  end = play(ground->scene, folder, "auto", &none);
  after = file_get(path, &size_after);
  kept = bytes && after && size == size_after && !memcmp(bytes, after, size);
  free(bytes);
  free(after);
  if (!kept) snprintf(why, PATH_ROOM, "code %d, and the other snapshots were changed", end.code);
  if (!kept || unlink(path) != 0) return WRONG;
  if (file_bytes(ground->ended, snapshots) > 0 &&
      (judge_refused(folder, end, why) == WRONG || !file_copy(ground->ended, folder, snapshots)))
    return WRONG;
  return judge(ground->scene, ground->right, folder, end, 0, false, why);
}

/* --- all ------------------------------------------------------------------------------------------- */

long trials_of(const struct ground *ground, enum kind kind, const char *call)
{
  switch (kind) {
  case KIND_CALL: return calls_of(ground->right, call);
  case KIND_MOMENT: return run_us(ground);
  case KIND_LENGTH: return bytes_of(ground->right, false) / STEP_BYTES;
  case KIND_ROOM: return bytes_of(ground->right, true) / PAGE_BYTES + 40; /* with checkpoints beside */
  case KIND_CUT:
  case KIND_BOTH: return file_bytes(ground->ended, "checkpoint.h5");
  case KIND_FLIP: return 8 * file_bytes(ground->ended, "checkpoint.h5");
  case KIND_STRANGE: return STRANGE_MOST;
  case KIND_FOREIGN: return FOREIGN_MOST;
  case KIND_AGAIN: return calls_again(ground, call);
  default: return 0;
  }
}

static bool number_put(const char *path, unsigned number)
{
  FILE *file = fopen(path, "w");
  const bool put = file && fprintf(file, "0 %u 1", number) > 0;
  return file && fclose(file) == 0 && put;
}

bool trial_rooms_begin(void)
{
  const unsigned user = (unsigned)geteuid();
  bool apart = unshare(CLONE_NEWNS) == 0;
  if (!apart) apart = unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && number_put("/proc/self/uid_map", user);
  return apart && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

/* A disk that is full, and gets larger before the run goes on. */
static enum outcome room_run(const struct ground *ground, long pages, const char *folder, char why[PATH_ROOM])
{
  const struct fault none = {0};
  char path[2 * PATH_ROOM], size[64];
  enum outcome outcome = WRONG;
  struct end end;
  snprintf(path, sizeof path, "%s/out", folder);
  snprintf(size, sizeof size, "size=%ldk", pages * PAGE_BYTES / 1024);
  snprintf(why, PATH_ROOM, "no file system could be made");
  if (mkdir(path, 0777) != 0 || mount("tmpfs", path, "tmpfs", 0, size) != 0) return WRONG;
  end = play(ground->scene, folder, "no", &none);
  if (mount("tmpfs", path, "tmpfs", MS_REMOUNT, "size=16m") == 0)
    outcome = judge(ground->scene, ground->right, folder, end, 0, false, why);
  (void)umount2(path, MNT_DETACH);
  return outcome;
}

enum outcome trial_run(const struct ground *ground, const struct trial *t, const char *folder, char why[PATH_ROOM])
{
  const bool kills = t->how && (strstr(t->how, "kill") || strstr(t->how, "torn"));
  const bool memory = t->how && strstr(t->how, "ENOMEM") && strcmp(t->call, "own") != 0; /* in a library, too */
  const bool stays = t->how && strstr(t->how, ":stay");
  struct fault fault = {0};
  char plan[NAME_ROOM];
  enum outcome outcome;
  if (t->kind == KIND_CALL || t->kind == KIND_AGAIN) {
    snprintf(plan, sizeof plan, "%s:%ld:%.*s%s", t->call, t->n, (int)strcspn(t->how, ":"), t->how,
             stays ? ":stay" : "");
    fault.plan = plan;
  }
  switch (t->kind) {
  case KIND_CALL: break;
  case KIND_AGAIN: return again_run(ground, t->n, &fault, kills, folder, why);
  case KIND_FOREIGN: return foreign_run(ground, t->n, folder, why);
  case KIND_MOMENT:
    fault.signal_after_us = t->n;
    fault.signal = kills ? SIGKILL : SIGTERM;
    break;
  case KIND_LENGTH: fault.file_bytes = t->n * STEP_BYTES; break;
  case KIND_ROOM: return room_run(ground, t->n, folder, why);
  default: return damaged_run(ground, t, folder, why);
  }
  outcome = judge(ground->scene, ground->right, folder, play(ground->scene, folder, "no", &fault),
                  kills ? SIGKILL : SIGTERM, memory, why);
  if (outcome == WRONG || strcmp(t->call, "thread") != 0 || t->n > 1 || outcome == WARNED) return outcome;
  snprintf(why, PATH_ROOM, "no thread could be created, and the run did not go on with one");
  return WRONG;
}
