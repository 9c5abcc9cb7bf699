/* Faults by the thousand: every call of the system that a small run makes fails once, or is the last one.
 *
 * usage: test_faults [all] [-j JOBS] [-s SEED] [SUITE...]
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

#include "faults/calls.h"
#include "faults/judge.h"
#include "faults/scenes.h"

/* Faults of one kind: the n-th call fails for every n. */
struct suite {
  int call;
  const char *how;
  int few; /* cases of a short test of each scene; 0: none */
};

static const struct suite suites[] = {
    {CALL_MEMORY, "ENOMEM", 40},      {CALL_OPEN, "EMFILE", 12},  {CALL_READ, "EIO", 6},
    {CALL_WRITE, "ENOSPC", 6},        {CALL_WRITE, "short", 3},   {CALL_PWRITE, "EIO", 12},
    {CALL_PWRITE, "short", 6},        {CALL_TRUNCATE, "EIO", 6},  {CALL_ALLOCATE, "ENOSPC", 6},
    {CALL_FSYNC, "EIO", 6},           {CALL_RENAME, "EACCES", 6}, {CALL_CLOSE, "EIO", 8},
    {CALL_MMAP, "ENOMEM", 2},         {CALL_THREAD, "EAGAIN", 2}, {CALL_DISK, "ENOSPC:stay", 10},
    {CALL_MEMORY, "ENOMEM:stay", 10}, {CALL_PWRITE, "kill", 16},  {CALL_PWRITE, "torn", 4},
    {CALL_WRITE, "torn", 3},          {CALL_TRUNCATE, "kill", 4}, {CALL_FSYNC, "kill", 6},
    {CALL_RENAME, "kill", 6},         {CALL_CLOSE, "kill", 6},    {CALL_OPEN, "kill", 6},
    {CALL_MEMORY, "kill", 10},        {CALL_MEMORY, "term", 10},  {CALL_PWRITE, "term", 6},
};

enum { SUITES = sizeof suites / sizeof *suites, JOBS_MOST = 64, FAILURES_SHOWN = 20 };

/* What is asked for, and where. */
static struct {
  bool all;
  int jobs;
  unsigned seed;
  char base[PATH_ROOM / 4];
} asked = {.jobs = 1, .seed = 1};

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

static void right_path(char path[PATH_ROOM], int scene)
{
  snprintf(path, PATH_ROOM, "%s/right-%d", asked.base, scene);
}

/* Calls of a kind that the undisturbed run makes. */
static long calls_of(int scene, int call)
{
  char path[2 * PATH_ROOM], name[NAME_ROOM], folder[PATH_ROOM];
  long number = 0;
  FILE *file;
  right_path(folder, scene);
  snprintf(path, sizeof path, "%s/counts", folder);
  file = fopen(path, "r");
  while (file && fscanf(file, "%127s %ld", name, &number) == 2)
    if (!strcmp(name, call_names[call])) break;
  if (file) (void)fclose(file);
  return number;
}

/* One case, in the folder of its worker. */
static void case_run(int scene, const char *plan, const char *folder)
{
  const bool may_kill = strstr(plan, "kill") || strstr(plan, "torn"), memory = strstr(plan, "ENOMEM") != NULL;
  const struct fault fault = {.plan = plan};
  char right[PATH_ROOM], why[PATH_ROOM];
  enum outcome outcome;
  right_path(right, scene);
  folder_empty(folder);
  outcome = judge(&scenes[scene], right, folder, play(&scenes[scene], folder, "no", &fault), may_kill, memory, why);
  __atomic_add_fetch(&tally->counts[outcome], 1, __ATOMIC_RELAXED);
  if (outcome != WRONG && outcome != LIBRARY) return;
  if (__atomic_add_fetch(&tally->shown, 1, __ATOMIC_RELAXED) > FAILURES_SHOWN && !getenv("HS_FAULT_SHOW_ALL")) return;
  printf("# %s, %s: %s: %s\n", scenes[scene].name, plan, outcome_names[outcome], why);
  (void)fflush(stdout);
}

/* The cases of a suite, shared out among the workers. */
static void suite_share(int scene, const struct suite *suite, long calls, int worker)
{
  const long few = suite->few < calls ? suite->few : calls, cases = asked.all ? calls : few;
  const char *stay = strchr(suite->how, ':');
  char plan[NAME_ROOM], folder[PATH_ROOM];
  snprintf(folder, sizeof folder, "%s/case-%d", asked.base, worker);
  for (long k = worker; k < cases; k += asked.jobs) {
    /* one of each of equal parts */
    const long first = k * calls / cases, size = (k + 1) * calls / cases - first;
    const long n = 1 + first + (long)(random_bits((unsigned long long)(k + 1000 * scene)) % (unsigned long long)size);
    snprintf(plan, sizeof plan, "%s:%ld:%.*s%s", call_names[suite->call], n,
             (int)(stay ? stay - suite->how : (long)strlen(suite->how)), suite->how, stay ? stay : "");
    case_run(scene, plan, folder);
  }
  folder_remove(folder);
}

static int tests;

static void ok(bool passed, const char *name)
{
  printf("%sok %d - %s\n", passed ? "" : "not ", ++tests, name);
  (void)fflush(stdout);
}

static void suite_run(int scene, const struct suite *suite)
{
  const long calls = calls_of(scene, suite->call);
  pid_t pids[JOBS_MOST];
  char name[PATH_ROOM];
  int length, sum = 0;
  bool finished = true;
  if (calls == 0 || (!asked.all && suite->few == 0)) return;
  memset(tally, 0, sizeof *tally);
  (void)fflush(stdout);
  for (int j = 0; j < asked.jobs; j++) {
    pids[j] = fork();
    if (pids[j] == 0) {
      suite_share(scene, suite, calls, j);
      _exit(0);
    }
  }
  for (int j = 0; j < asked.jobs; j++) {
    int status = 1;
    finished = pids[j] > 0 && waitpid(pids[j], &status, 0) == pids[j] && status == 0 && finished;
  }
  for (int k = 0; k < OUTCOMES; k++) sum += tally->counts[k];
  length =
      snprintf(name, sizeof name, "%s, %s %s: %d faults", scenes[scene].name, call_names[suite->call], suite->how, sum);
  for (int k = 0; k < OUTCOMES; k++)
    if (tally->counts[k])
      length += snprintf(name + length, sizeof name - (size_t)length, ", %d %s", tally->counts[k], outcome_names[k]);
  ok(finished && tally->counts[WRONG] == 0, name);
}

/* The undisturbed runs. Twice, since the judge relies on runs that repeat themselves. */
static bool right_runs(int scene)
{
  const struct fault none = {0};
  char right[PATH_ROOM], again[PATH_ROOM], why[PATH_ROOM] = "it failed";
  struct end end;
  right_path(right, scene);
  snprintf(again, sizeof again, "%s/again", asked.base);
  folder_empty(right);
  folder_empty(again);
  end = play(&scenes[scene], right, "no", &none);
  if (end.code == 0) end = play(&scenes[scene], again, "no", &none);
  if (end.code == 0 && judge_complete(right, again, why)) return true;
  printf("# %s, without a fault: code %d, signal %d, %s\n", scenes[scene].name, end.code, end.signal, why);
  return false;
}

static bool wanted(int argc, char **argv, int first, const struct suite *suite)
{
  for (int k = first; k < argc; k++)
    if (!strcmp(argv[k], call_names[suite->call]) || !strcmp(argv[k], suite->how)) return true;
  return first >= argc;
}

static int options_read(int argc, char **argv)
{
  int k = 1;
  for (; k < argc; k++) {
    if (!strcmp(argv[k], "all"))
      asked.all = true;
    else if (!strcmp(argv[k], "-j") && k + 1 < argc)
      asked.jobs = atoi(argv[++k]);
    else if (!strcmp(argv[k], "-s") && k + 1 < argc)
      asked.seed = (unsigned)atoi(argv[++k]);
    else
      break;
  }
  if (asked.jobs < 1) asked.jobs = 1;
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
  for (int scene = 0; scene < SCENES; scene++) {
    const bool right = right_runs(scene);
    ok(right, scenes[scene].name);
    for (int k = 0; right && k < SUITES; k++)
      if (wanted(argc, argv, first, &suites[k])) suite_run(scene, &suites[k]);
  }
  if (!getenv("HS_FAULT_KEEP")) folder_remove(asked.base);
  printf("1..%d\n", tests);
  return 0;
}
