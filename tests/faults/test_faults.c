/* Faults by the thousand: every call of the system that a small run makes fails once, or is the last one.
 *
 * usage: test_faults [all] [-v] [-j JOBS] [-s SEED] [-p PART/PARTS] [CALL or HOW...]
 *
 * Without `all` some cases of each suite, chosen by the seed, so that `make check` takes seconds; with it every one. A
 * case is a run of the program with one fault, of which all that it leaves behind is judged (judge.h), and, unless it was
 * complete, a second run that goes on from there without a fault. The library that makes calls fail is
 * HS_FAULT_LIBRARY (inject.c), the program HEATSOLVE.
 */
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults/cases.h"
#include "faults/scenes.h"

/* Faults of one kind. */
struct suite {
  enum kind kind;
  const char *call, *how; /* as in struct trial */
  long few;               /* of which a short test takes a share, few() */
  long most;              /* in a full one; 0: all there are */
};

#define CALL(call, how, few)                                                                                           \
  {                                                                                                                    \
    KIND_CALL, call, how, few, 0                                                                                       \
  }

static const struct suite suites[] = {
    CALL("malloc", "ENOMEM", 30),
    CALL("malloc", "ENOMEM:stay", 6),
    CALL("own", "ENOMEM", 10),
    CALL("own", "ENOMEM:stay", 4),
    CALL("open", "EMFILE", 12),
    CALL("read", "EIO", 6),
    CALL("write", "ENOSPC", 6),
    CALL("write", "short", 3),
    CALL("pwrite", "EIO", 12),
    CALL("pwrite", "short", 6),
    CALL("ftruncate", "EIO", 6),
    CALL("fallocate", "ENOSPC", 6),
    CALL("fsync", "EIO", 6),
    CALL("rename", "EACCES", 6),
    CALL("close", "EIO", 8),
    CALL("mmap", "ENOMEM", 2),
    CALL("thread", "EAGAIN:stay", 2),
    CALL("disk", "ENOSPC:stay", 10),
    CALL("open", "kill", 6),
    CALL("write", "torn", 3),
    CALL("pwrite", "kill", 16),
    CALL("pwrite", "torn", 4),
    CALL("ftruncate", "kill", 4),
    CALL("fsync", "kill", 6),
    CALL("rename", "kill", 6),
    CALL("close", "kill", 6),
    CALL("pwrite", "term", 6),
    {KIND_CALL, "malloc", "kill", 10, 1000},
    {KIND_CALL, "malloc", "term", 10, 1000},
    {KIND_MOMENT, "moment", "kill", 10, 500},
    {KIND_MOMENT, "moment", "term", 10, 500},
    {KIND_LENGTH, "length of files", "limited", 6, 0},
    {KIND_ROOM, "room on a disk", "limited", 6, 0},
    {KIND_CUT, "checkpoint", "cut", 10, 500},
    {KIND_FLIP, "checkpoint", "a bit changed", 10, 500},
    {KIND_BOTH, "both checkpoints", "damaged", 6, 100},
    {KIND_STRANGE, "checkpoint", "strange", STRANGE_MOST, 0},
    {KIND_FOREIGN, "snapshots", "foreign", FOREIGN_MOST, 0},
    {KIND_AGAIN, "rename", "kill:damaged", 4, 0},
    {KIND_AGAIN, "rename", "EACCES:damaged", 2, 0},
    {KIND_AGAIN, "fsync", "kill:damaged", 2, 0},
    {KIND_AGAIN, "pwrite", "torn:damaged", 2, 0},
};

enum { SUITES = sizeof suites / sizeof *suites, JOBS_MOST = 64, LIBRARY_SHOWN = 20, NO_ROOMS = 3 };

/* What is asked for, and where. */
static struct {
  bool all, tell; /* tell: of libraries, too */
  int jobs, part, parts;
  unsigned seed;
  char base[PATH_ROOM / 4];
} asked = {.jobs = 2, .parts = 1, .seed = 1};

/* Shared by the workers. */
struct tally {
  int counts[OUTCOMES];
  int shown;
};
static struct tally *tally;

/* SplitMix64: the same cases on every machine. */
static unsigned long long random_bits(unsigned long long key)
{
  unsigned long long z = key + asked.seed * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

static void ground_paths(int scene, char right[PATH_ROOM], char ended[PATH_ROOM])
{
  snprintf(right, PATH_ROOM, "%s/right-%d", asked.base, scene);
  snprintf(ended, PATH_ROOM, "%s/ended-%d", asked.base, scene);
}

/* One trial, in the folder of its worker. */
static void trial_count(const struct ground *ground, const struct trial *trial, const char *folder)
{
  char why[PATH_ROOM];
  enum outcome outcome;
  folder_empty(folder);
  outcome = trial_run(ground, trial, folder, why);
  __atomic_add_fetch(&tally->counts[outcome], 1, __ATOMIC_RELAXED);
  if (outcome != WRONG && (outcome != LIBRARY || !asked.tell)) return;
  if (outcome == LIBRARY && __atomic_add_fetch(&tally->shown, 1, __ATOMIC_RELAXED) > LIBRARY_SHOWN) return;
  printf("# %s, %s:%ld:%s: %s: %s\n", ground->scene->name, trial->call, trial->n, trial->how, outcome_names[outcome],
         why);
  (void)fflush(stdout);
}

/* Of a short test: all of what is listed one by one, a share of the others. */
static long few(const struct ground *ground, const struct suite *suite)
{
  const bool listed = suite->kind == KIND_STRANGE || suite->kind == KIND_FOREIGN;
  const char *more = getenv("HEATSOLVE_TEST_ALL");
  const long times = more && *more ? 1 : 3, shares = times * (ground->scene == &scenes[ANIMATION] ? 8 : 2);
  return listed ? suite->few : (suite->few + shares - 1) / shares;
}

/* The trials of a suite, shared out among the workers. */
static void suite_share(const struct ground *ground, const struct suite *suite, long all, int worker)
{
  const long wanted = asked.all ? (suite->most ? suite->most : all) : few(ground, suite),
             trials = wanted < all ? wanted : all;
  struct trial trial = {suite->kind, suite->call, suite->how, 0};
  char folder[PATH_ROOM];
  snprintf(folder, sizeof folder, "%s/case-%d", asked.base, worker);
  if (suite->kind == KIND_ROOM && !trial_rooms_begin()) _exit(NO_ROOMS);
  for (long k = worker * asked.parts + asked.part; k < trials; k += asked.jobs * asked.parts) {
    /* one of each of equal parts */
    const long first = k * all / trials, size = (k + 1) * all / trials - first;
    trial.n = 1 + first + (long)(random_bits((unsigned long long)k) % (unsigned long long)size);
    trial_count(ground, &trial, folder);
  }
  folder_remove(folder);
}

static int tests, failed_tests, sums[SUITES][OUTCOMES];

static void ok(bool passed, const char *name)
{
  if (!passed) failed_tests++;
  printf("%sok %d - %s\n", passed ? "" : "not ", ++tests, name);
  (void)fflush(stdout);
}

static void suite_tell(const struct ground *ground, const struct suite *suite, int status)
{
  char name[2 * PATH_ROOM];
  int length, sum = 0;
  for (int k = 0; k < OUTCOMES; k++) sum += tally->counts[k];
  length = snprintf(name, sizeof name, "%s, %s %s: %d faults", ground->scene->name, suite->call, suite->how, sum);
  for (int k = 0; k < OUTCOMES; k++)
    if (tally->counts[k])
      length += snprintf(name + length, sizeof name - (size_t)length, ", %d %s", tally->counts[k], outcome_names[k]);
  if (status == NO_ROOMS << 8)
    snprintf(name + length, sizeof name - (size_t)length, " # SKIP mount is not allowed here");
  ok(status == NO_ROOMS << 8 || (status == 0 && tally->counts[WRONG] == 0), name);
  for (int k = 0; k < OUTCOMES; k++) sums[suite - suites][k] += tally->counts[k];
}

static void suite_run(const struct ground *ground, const struct suite *suite)
{
  const long all = trials_of(ground, suite->kind, suite->call);
  pid_t pids[JOBS_MOST];
  int worst = 0;
  if (all == 0) return;
  memset(tally, 0, sizeof *tally);
  (void)fflush(stdout);
  for (int j = 0; j < asked.jobs; j++) {
    pids[j] = fork();
    if (pids[j] == 0) {
      suite_share(ground, suite, all, j);
      _exit(0);
    }
  }
  for (int j = 0; j < asked.jobs; j++) {
    int status = 1;
    if (pids[j] < 0 || waitpid(pids[j], &status, 0) != pids[j]) status = 1;
    if (status) worst = status;
  }
  suite_tell(ground, suite, worst);
}

/* The undisturbed runs: twice, since the judge relies on runs that repeat themselves; and one that was ended. */
static bool ground_make(const struct ground *ground)
{
  const struct fault none = {0}, ends = {.plan = "rename:9:term"};
  char again[PATH_ROOM], why[PATH_ROOM] = "it failed";
  struct end end;
  snprintf(again, sizeof again, "%s/again", asked.base);
  folder_empty(ground->right);
  folder_empty(ground->ended);
  folder_empty(again);
  end = play(ground->scene, ground->right, "no", &none);
  if (end.code == 0) end = play(ground->scene, again, "no", &none);
  if (end.code == 0 && judge_complete(ground->right, again, why)) {
    snprintf(why, sizeof why, "it was not ended");
    end = play(ground->scene, ground->ended, "no", &ends);
    if (end.code == 75 || !strcmp(ground->scene->every, "0")) return true;
  }
  printf("# %s, without a fault: code %d, signal %d, %s\n", ground->scene->name, end.code, end.signal, why);
  return false;
}

static bool wanted(int argc, char **argv, int first, const struct suite *suite)
{
  for (int k = first; k < argc; k++)
    if (!strcmp(argv[k], suite->call) || !strcmp(argv[k], suite->how)) return true;
  return first >= argc;
}

/* One line of a table; numbers of 0 are left empty. */
static void row_tell(const char *call, const char *how, const int counts[OUTCOMES])
{
  int sum = 0;
  for (int k = 0; k < OUTCOMES; k++) sum += counts[k];
  if (sum == 0) return;
  printf("# | %s %s | %d |", call, how, sum);
  for (int k = 0; k < OUTCOMES; k++)
    if (counts[k])
      printf(" %d |", counts[k]);
    else
      printf(" |");
  printf("\n");
}

static void sums_tell(void)
{
  int whole[OUTCOMES] = {0};
  printf("# | fault | number |");
  for (int k = 0; k < OUTCOMES; k++) printf(" %s |", outcome_names[k]);
  printf("\n");
  for (int s = 0; s < SUITES; s++) {
    row_tell(suites[s].call, suites[s].how, sums[s]);
    for (int k = 0; k < OUTCOMES; k++) whole[k] += sums[s][k];
  }
  row_tell("all", "", whole);
}

static bool concerns(int scene, const struct suite *suite)
{
  const bool of_threads = !strcmp(suite->call, "thread");
  if (scene == THREADS || of_threads) return scene == THREADS && of_threads;
  return scene != ANIMATION || suite->kind == KIND_CALL;
}

static void scene_run(int scene, int argc, char **argv, int first)
{
  char right[PATH_ROOM], ended[PATH_ROOM];
  const struct ground ground = {&scenes[scene], right, ended};
  bool made;
  ground_paths(scene, right, ended);
  made = ground_make(&ground);
  ok(made, scenes[scene].name);
  for (int k = 0; made && k < SUITES; k++)
    if (concerns(scene, &suites[k]) && wanted(argc, argv, first, &suites[k])) suite_run(&ground, &suites[k]);
}

static int options_read(int argc, char **argv)
{
  int k = 1;
  for (; k < argc; k++) {
    if (!strcmp(argv[k], "all"))
      asked.all = true;
    else if (!strcmp(argv[k], "-v"))
      asked.tell = true;
    else if (!strcmp(argv[k], "-j") && k + 1 < argc)
      asked.jobs = atoi(argv[++k]);
    else if (!strcmp(argv[k], "-p") && k + 1 < argc && sscanf(argv[k + 1], "%d/%d", &asked.part, &asked.parts) == 2)
      k++;
    else if (!strcmp(argv[k], "-s") && k + 1 < argc)
      asked.seed = (unsigned)atoi(argv[++k]);
    else
      break;
  }
  if (asked.jobs < 1) asked.jobs = 1;
  if (asked.parts < 1 || asked.part < 0) asked.part = 0, asked.parts = 1;
  if (asked.jobs > JOBS_MOST) asked.jobs = JOBS_MOST;
  return k;
}

int main(int argc, char **argv)
{
  const int first = options_read(argc, argv);
  const char *folder = getenv("TMPDIR");
  const char *why = getenv("HS_FAULT_WHY");
  if ((why && *why) || !getenv("HS_FAULT_LIBRARY") || !getenv("HEATSOLVE")) {
    printf("1..0 # SKIP %s\n", why && *why ? why : "HS_FAULT_LIBRARY and HEATSOLVE do not say what to run");
    return 0;
  }
  snprintf(asked.base, sizeof asked.base, "%.100s/heatsolve-faults.XXXXXX", folder && *folder ? folder : "/tmp");
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (tally == MAP_FAILED || !mkdtemp(asked.base)) {
    perror(asked.base);
    return 1;
  }
  for (int scene = 0; scene < SCENES; scene++) scene_run(scene, argc, argv, first);
  sums_tell();
  folder_remove(asked.base);
  printf("1..%d\n", tests);
  return failed_tests > 0;
}
