/* Makes one call of the system fail, or ends the program at it: to be loaded before a program's own libraries (LD_PRELOAD).
 *
 * HS_FAULT=CALL:N:HOW[:stay] chooses the N-th call of a kind, counted from 1 on from main: HOW is an errno's name, `short`
 * (half of the bytes), `term` (SIGTERM), `kill` (SIGKILL) or `torn` (some pages, then SIGKILL). With `stay` all later
 * calls of the kind fail, too, as on a disk that is full. HS_FAULT_COUNTS=FILE receives how many calls of each kind there
 * were. The functions in which the program crashed, or called exit, are in the file `trace`, those that first asked in vain
 * for memory in the file `asked`. HS_FAULT_CLOCK=SECONDS makes every look at the clock find so much time gone by, so that
 * runs repeat themselves call by call.
 *
 * Limits: what the C library calls inside itself is not seen, such as the writes of stdio. Writes to pipes and sockets are let
 * through uncounted: by them the ranks of MPI find each other, and no disk is part of that.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "faults/calls.h"

enum how { HOW_ERRNO, HOW_SHORT, HOW_TERM, HOW_KILL, HOW_TORN };

static struct {
  bool armed, stays;
  int call;
  long at;
  enum how how;
  int failure;
  double tick_s;
} plan;

static atomic_long counts[CALLS];
static atomic_long ticks;

/* next becomes the next library's function of this name. */
#define NEXT(name)                                                                                                     \
  static __typeof__(name) *next;                                                                                       \
  if (!next) next = (__typeof__(name) *)(uintptr_t)dlsym(RTLD_NEXT, #name)

static bool is_disk(int call)
{
  return call == CALL_WRITE || call == CALL_PWRITE || call == CALL_TRUNCATE || call == CALL_ALLOCATE;
}

/* Is it this call's turn? It counts among its kind, and in a group of kinds, if any (-1: none). Signals are sent here. */
static bool due_in(int call, int group)
{
  const long of_kind = 1 + atomic_fetch_add(&counts[call], 1);
  const long of_group = group < 0 ? 0 : 1 + atomic_fetch_add(&counts[group], 1);
  const long number = plan.call == group ? of_group : of_kind;
  if (!plan.armed || (plan.call != call && plan.call != group)) return false;
  if (number != plan.at && !(plan.stays && number > plan.at)) return false;
  if (plan.how == HOW_TERM) (void)raise(SIGTERM);
  if (plan.how == HOW_KILL) (void)kill(getpid(), SIGKILL);
  return plan.how != HOW_TERM;
}

static bool due(int call)
{
  return due_in(call, is_disk(call) ? CALL_DISK : -1);
}

/* The call of which nothing is done fails, or ends the program. */
static int failed(void)
{
  if (plan.how == HOW_TORN) (void)kill(getpid(), SIGKILL);
  errno = plan.failure ? plan.failure : ENOSPC;
  return -1;
}

/* --- memory ---------------------------------------------------------------------------------------- */

/* dlsym asks for memory before it has found where memory comes from. */
static char early[4096];
static size_t early_used;

static void *early_take(size_t size)
{
  void *memory = early + early_used;
  early_used += (size + 15) / 16 * 16;
  if (early_used > sizeof early) abort();
  return memory;
}

static bool is_early(const void *memory)
{
  return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

static bool looking;

#define NEXT_MEMORY(name)                                                                                              \
  static __typeof__(name) *next;                                                                                       \
  if (!next) {                                                                                                         \
    looking = true;                                                                                                    \
    next = (__typeof__(name) *)(uintptr_t)dlsym(RTLD_NEXT, #name);                                                     \
    looking = false;                                                                                                   \
  }

/* Where the program is, once. */
static void trace(const char *path)
{
  void *frames[64];
  const bool armed = plan.armed;
  plan.armed = false;
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (fd >= 0) backtrace_symbols_fd(frames, backtrace(frames, 64), fd);
  if (fd >= 0) (void)close(fd);
  plan.armed = armed;
}

static void *no_memory(void)
{
  trace("asked");
  (void)failed();
  return NULL;
}

/* Where the program itself is, without its libraries. */
static uintptr_t own_first, own_end;

static int own_find(struct dl_phdr_info *object, size_t size, void *unused)
{
  (void)size;
  (void)unused;
  for (int k = 0; k < object->dlpi_phnum; k++) {
    const uintptr_t first = object->dlpi_addr + object->dlpi_phdr[k].p_vaddr;
    if (object->dlpi_phdr[k].p_type != PT_LOAD || !(object->dlpi_phdr[k].p_flags & PF_X)) continue;
    own_first = first;
    own_end = first + object->dlpi_phdr[k].p_memsz;
  }
  return 1; /* the first object is the program */
}

/* Before its main, and after, the CUDA runtime, which is linked into it, asks for memory, and crashes where it gets none: that is not the
 * program's own. */
static atomic_bool main_runs;
static int (*program_main)(int, char **, char **);

static int main_begin(int argc, char **argv, char **environment)
{
  int code;
  main_runs = true;
  code = program_main(argc, argv, environment);
  main_runs = false;
  return code;
}

/* The C library's, which calls main. */
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end);

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end)
{
  int (*next)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
  void *const address = dlsym(RTLD_NEXT, "__libc_start_main");
  memcpy(&next, &address, sizeof next);
  program_main = main;
  return next(main_begin, argc, argv, init, fini, loader_fini, stack_end);
}

static bool due_memory(const void *caller)
{
  const uintptr_t place = (uintptr_t)caller;
  const bool own = main_runs && place >= own_first && place < own_end;
  return due_in(CALL_MEMORY, own ? CALL_OWN : -1);
}

#define DUE_MEMORY due_memory(__builtin_return_address(0))

void *malloc(size_t size)
{
  if (looking) return early_take(size);
  NEXT_MEMORY(malloc)
  return DUE_MEMORY ? no_memory() : next(size);
}

void *calloc(size_t count, size_t size)
{
  if (looking) return early_take(count * size);
  NEXT_MEMORY(calloc)
  return DUE_MEMORY ? no_memory() : next(count, size);
}

void *realloc(void *memory, size_t size)
{
  NEXT_MEMORY(realloc)
  return DUE_MEMORY ? no_memory() : next(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
  NEXT_MEMORY(aligned_alloc)
  return DUE_MEMORY ? no_memory() : next(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
  NEXT_MEMORY(posix_memalign)
  return DUE_MEMORY ? ENOMEM : next(memory, alignment, size);
}

char *strdup(const char *text)
{
  const size_t size = strlen(text) + 1;
  NEXT_MEMORY(malloc)
  char *copy = DUE_MEMORY ? no_memory() : next(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

void free(void *memory)
{
  if (is_early(memory)) return;
  NEXT_MEMORY(free)
  next(memory);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
  NEXT(mmap);
  if (due(CALL_MMAP)) return failed(), MAP_FAILED;
  return next(address, size, protection, flags, fd, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
  NEXT(pthread_create);
  return due(CALL_THREAD) ? (plan.failure ? plan.failure : EAGAIN) : next(thread, attributes, function, argument);
}

/* --- opening --------------------------------------------------------------------------------------- */

/* The mode of a file that is created, the last of the arguments. */
#define MODE_FROM(flags, mode)                                                                                         \
  mode_t mode = 0;                                                                                                     \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                               \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    mode = va_arg(rest, mode_t);                                                                                       \
    va_end(rest);                                                                                                      \
  }

#define OPEN(name)                                                                                                     \
  int name(const char *path, int flags, ...)                                                                           \
  {                                                                                                                    \
    NEXT(name);                                                                                                        \
    MODE_FROM(flags, mode)                                                                                             \
    return due(CALL_OPEN) ? failed() : next(path, flags, mode);                                                        \
  }

#define OPENAT(name)                                                                                                   \
  int name(int folder, const char *path, int flags, ...)                                                               \
  {                                                                                                                    \
    NEXT(name);                                                                                                        \
    MODE_FROM(flags, mode)                                                                                             \
    return due(CALL_OPEN) ? failed() : next(folder, path, flags, mode);                                                \
  }

#define FOPEN(name)                                                                                                    \
  FILE *name(const char *path, const char *mode)                                                                       \
  {                                                                                                                    \
    NEXT(name);                                                                                                        \
    if (due(CALL_OPEN)) return failed(), NULL;                                                                         \
    return next(path, mode);                                                                                           \
  }

#define MKOSTEMP(name)                                                                                                 \
  int name(char *pattern, int flags)                                                                                   \
  {                                                                                                                    \
    NEXT(name);                                                                                                        \
    return due(CALL_OPEN) ? failed() : next(pattern, flags);                                                           \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
FOPEN(fopen)
FOPEN(fopen64)
MKOSTEMP(mkostemp)
MKOSTEMP(mkostemp64)

int mkdir(const char *path, mode_t mode)
{
  NEXT(mkdir);
  return due(CALL_OPEN) ? failed() : next(path, mode);
}

/* --- bytes ----------------------------------------------------------------------------------------- */

enum { PAGE = 4096 };

/* How much of `size` bytes a call whose turn it is does; -1: it fails at once. The system tears writes between pages. */
static ssize_t part_of(size_t size)
{
  if (plan.how == HOW_TORN && size / 2 >= PAGE) return (ssize_t)(size / 2 / PAGE * PAGE);
  return plan.how == HOW_SHORT && size > 1 ? (ssize_t)(size / 2) : -1;
}

/* What a call that did a part returns. */
static ssize_t part_done(ssize_t result)
{
  if (plan.how == HOW_TORN) (void)kill(getpid(), SIGKILL);
  return result;
}

static bool is_file(int fd)
{
  struct stat facts;
  return fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
}

ssize_t write(int fd, const void *data, size_t size)
{
  NEXT(write);
  if (!is_file(fd) || !due(CALL_WRITE)) return next(fd, data, size);
  return part_of(size) < 0 ? failed() : part_done(next(fd, data, (size_t)part_of(size)));
}

#define PWRITE(name)                                                                                                   \
  ssize_t name(int fd, const void *data, size_t size, off_t offset)                                                    \
  {                                                                                                                    \
    NEXT(name);                                                                                                        \
    if (!due(CALL_PWRITE)) return next(fd, data, size, offset);                                                        \
    return part_of(size) < 0 ? failed() : part_done(next(fd, data, (size_t)part_of(size), offset));                    \
  }

#define PREAD(name)                                                                                                    \
  ssize_t name(int fd, void *data, size_t size, off_t offset)                                                          \
  {                                                                                                                    \
    NEXT(name);                                                                                                        \
    if (!due(CALL_READ)) return next(fd, data, size, offset);                                                          \
    return part_of(size) < 0 ? failed() : part_done(next(fd, data, (size_t)part_of(size), offset));                    \
  }

PWRITE(pwrite)
PWRITE(pwrite64)
PREAD(pread)
PREAD(pread64)

#define TRUNCATE(name)                                                                                                 \
  int name(int fd, off_t length)                                                                                       \
  {                                                                                                                    \
    NEXT(name);                                                                                                        \
    return due(CALL_TRUNCATE) ? failed() : next(fd, length);                                                           \
  }

TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define ALLOCATE(name)                                                                                                 \
  int name(int fd, off_t offset, off_t length)                                                                         \
  {                                                                                                                    \
    NEXT(name);                                                                                                        \
    if (!due(CALL_ALLOCATE)) return next(fd, offset, length);                                                          \
    (void)failed();                                                                                                    \
    return errno;                                                                                                      \
  }

ALLOCATE(posix_fallocate)
ALLOCATE(posix_fallocate64)

/* --- the end of files ------------------------------------------------------------------------------ */

int fsync(int fd)
{
  NEXT(fsync);
  return due(CALL_FSYNC) ? failed() : next(fd);
}

int rename(const char *from, const char *to)
{
  NEXT(rename);
  return due(CALL_RENAME) ? failed() : next(from, to);
}

/* The descriptor is closed all the same, as the systems do it. */
int close(int fd)
{
  NEXT(close);
  const bool fails = due(CALL_CLOSE);
  const int result = next(fd);
  return fails ? failed() : result;
}

int fclose(FILE *file)
{
  NEXT(fclose);
  const bool fails = due(CALL_CLOSE);
  const int result = next(file);
  return fails ? failed() : result;
}

/* --- time ------------------------------------------------------------------------------------------ */

int clock_gettime(clockid_t clock, struct timespec *now)
{
  NEXT(clock_gettime);
  const int result = next(clock, now);
  if (!(plan.tick_s > 0.0) || result) return result;
  const double s = 1e3 + plan.tick_s * (double)atomic_fetch_add(&ticks, 1);
  now->tv_sec = (time_t)s;
  now->tv_nsec = (long)((s - (double)now->tv_sec) * 1e9);
  return 0;
}

/* Dates in files are the same in all runs. */
time_t time(time_t *now)
{
  NEXT(time);
  const time_t s = plan.tick_s > 0.0 ? 1000000000 : next(NULL);
  if (now) *now = s;
  return s;
}

/* --- the plan -------------------------------------------------------------------------------------- */

static void plan_read(const char *text)
{
  static const struct {
    const char *name;
    int number;
  } failures[] = {{"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC}, {"EIO", EIO},      {"EAGAIN", EAGAIN},
                  {"EACCES", EACCES}, {"EMFILE", EMFILE}, {"EDQUOT", EDQUOT}};
  static const char *const hows[] = {"", "short", "term", "kill", "torn"};
  char call[32] = "", how[32] = "", more[8] = "";
  if (sscanf(text, "%31[^:]:%ld:%31[^:]:%7s", call, &plan.at, how, more) < 3) return;
  plan.call = -1;
  for (int k = 0; k < CALLS; k++)
    if (!strcmp(call, call_names[k])) plan.call = k;
  for (size_t k = 1; k < sizeof hows / sizeof *hows; k++)
    if (!strcmp(how, hows[k])) plan.how = (enum how)k;
  for (size_t k = 0; k < sizeof failures / sizeof *failures; k++)
    if (!strcmp(how, failures[k].name)) plan.failure = failures[k].number;
  plan.stays = !strcmp(more, "stay");
  plan.armed = plan.call >= 0;
}

/* Main returns; who calls this is a library that gives up. */
void exit(int code)
{
  static __typeof__(exit) *next;
  trace("trace");
  next = (__typeof__(exit) *)(uintptr_t)dlsym(RTLD_NEXT, "exit");
  next(code);
  _exit(code);
}

/* After this, the end that the program would have had. */
static void on_crash(int number)
{
  trace("trace");
  (void)signal(number, SIG_DFL);
  (void)raise(number);
}

__attribute__((constructor)) static void begin(void)
{
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  static char stack[65536]; /* of the handler, where the program's own is full */
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
  const char *text = getenv("HS_FAULT"), *tick = getenv("HS_FAULT_CLOCK");
  void *frame[1];
  (void)backtrace(frame, 1); /* loads what it needs */
  (void)sigaltstack(&other, NULL);
  for (size_t k = 0; k < sizeof crashes / sizeof *crashes; k++) (void)sigaction(crashes[k], &action, NULL);
  if (tick) plan.tick_s = atof(tick);
  (void)dl_iterate_phdr(own_find, NULL);
  for (int k = 0; k < CALLS; k++) atomic_store(&counts[k], 0);
  if (text) plan_read(text);
}

__attribute__((destructor)) static void end(void)
{
  const char *path = getenv("HS_FAULT_COUNTS");
  plan.armed = false;
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  for (int k = 0; k < CALLS; k++) fprintf(file, "%s %ld\n", call_names[k], atomic_load(&counts[k]));
  (void)fclose(file);
}
