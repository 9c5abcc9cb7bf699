/* What the harnesses share; see fuzz.h. */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"

#ifdef HS_FUZZED /* by scripts/fuzz.sh: the program finds no more memory than a fuzzer allows (ld --wrap) */
double __real_hs_memory_available(void);
double __wrap_hs_memory_available(void);
double __wrap_hs_memory_available(void)
{
  const double most = 1e9;
  const double available = __real_hs_memory_available();
  return available < most ? available : most;
}
#endif

static char folder[256];
static char refusal[sizeof((struct hs_error){0}).text];

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
  (void)status;
  (void)flag;
  (void)ftw;
  return remove(path);
}

static void folder_remove(void)
{
  (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void stop(const char *what)
{
  perror(what);
  abort();
}

/* Measured costs of the machine and a display have no influence: both would be another input. */
static void folder_create(void)
{
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/heatsolve-fuzz.XXXXXX", base && base[0] ? base : "/tmp");
  if (!mkdtemp(folder)) stop(folder);
  (void)setenv("XDG_CACHE_HOME", folder, 1);
  (void)atexit(folder_remove);
}

const char *fuzz_path(const char *name)
{
  static char path[4][512];
  static unsigned turn;
  char *next = path[turn++ % 4];
  if (!folder[0]) folder_create();
  snprintf(next, sizeof path[0], "%s%s%s", folder, name[0] ? "/" : "", name);
  return next;
}

const char *fuzz_file(const char *name, const void *data, size_t size)
{
  const char *path = fuzz_path(name);
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd) != 0) stop(path);
  return path;
}

struct hs_config *fuzz_config(const char *text)
{
  const char *path = fuzz_file("harness.ini", text, strlen(text));
  char directory[600];
  const char *const overrides[] = {directory, "solver.backend=cpu-reference", "solver.threads=1"};
  struct hs_config *config = NULL;
  struct hs_error err = {0};
  snprintf(directory, sizeof directory, "output.directory=%s", fuzz_path(""));
  if (hs_config_read(path, overrides, 3, &config, &err)) stop(err.text);
  return config;
}

const char *fuzz_problem(int k)
{
  static const char *const texts[FUZZ_PROBLEMS] = {
      "[grid]\nnx = 6\nny = 5\nlx = 1\nly = 1\n[material]\nconductivity = 1\n"
      "[boundary]\nwest = 300\neast = 310\nsouth = insulated\nnorth = insulated\n"
      "[solver]\nmethod = chebyshev\ncriterion = error\ntolerance = 1e-12\ncheck_every = 10\nmax_iterations = 200\n"
      "[run]\nrestart = yes\n",
      "[grid]\nnx = 6\nny = 5\nlx = 1\nly = 1\n[material]\nconductivity = 1\ndensity = 1\nheat_capacity = 1\n"
      "[boundary]\nwest = 300\neast = 310 + t\nsouth = insulated\nnorth = insulated\n"
      "[solver]\nmethod = multigrid\n[time]\nscheme = backward_euler\nend = 1\nstep = 0.1\nsnapshot_every = 0.25\n"
      "[probe A]\nx = 0.5\ny = 0.5\n[run]\nrestart = yes\n"};
  return texts[k];
}

void fuzz_outcome(hs_status status, const struct hs_error *err)
{
  if (status && (err->status != status || !err->text[0])) {
    fprintf(stderr, "refused without a sentence: status %d\n", (int)status);
    abort();
  }
  snprintf(refusal, sizeof refusal, "%s", status ? err->text : "");
}

const char *fuzz_refusal(void)
{
  return refusal;
}
