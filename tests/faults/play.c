#include "faults/play.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HANGS_AFTER_S = 60 };

static int remove_entry(const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
  (void)status;
  (void)flag;
  (void)ftw;
  return remove(path);
}

void folder_remove(const char *folder)
{
  (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void folder_empty(const char *folder)
{
  folder_remove(folder);
  if (mkdir(folder, 0777) != 0) {
    perror(folder);
    exit(1);
  }
}

char *file_get(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  struct stat facts;
  char *text = NULL;
  if (!file) return NULL;
  if (fstat(fileno(file), &facts) == 0) text = calloc(1, (size_t)facts.st_size + 1);
  *size = text ? fread(text, 1, (size_t)facts.st_size, file) : 0;
  (void)fclose(file);
  return text;
}

static void config_put(const struct scene *scene, const char *restart)
{
  FILE *file = fopen("scene.ini", "w");
  if (!file) _exit(126);
  fprintf(file, "%s\n[run]\nrestart = %s\ncheckpoint_every = %s\n", scene->config, restart, scene->every);
  (void)fclose(file);
}

static void stream_to(const char *path, int fd)
{
  const int opened = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (opened < 0 || dup2(opened, fd) < 0) _exit(126);
  (void)close(opened);
}

/* In the child. */
static void become(const struct scene *scene, const char *folder, const char *restart, const struct fault *fault)
{
  const struct rlimit none = {0, 0}, largest = {(rlim_t)fault->file_bytes, (rlim_t)fault->file_bytes};
  if (chdir(folder) != 0) _exit(126);
  config_put(scene, restart);
  stream_to("stdout", STDOUT_FILENO);
  stream_to("stderr", STDERR_FILENO);
  (void)setrlimit(RLIMIT_CORE, &none);
  if (fault->file_bytes > 0) (void)setrlimit(RLIMIT_FSIZE, &largest);
  (void)alarm(HANGS_AFTER_S);
  (void)unlink("trace");
  (void)unlink("asked");
  (void)setenv("OMP_WAIT_POLICY", "passive", 1);
  (void)setenv("HS_FAULT_CLOCK", "0.3", 1);
  if (!fault->plan) (void)setenv("HS_FAULT_COUNTS", "counts", 1);
  if (fault->plan) (void)setenv("HS_FAULT", fault->plan, 1);
  (void)setenv("LD_PRELOAD", getenv("HS_FAULT_LIBRARY"), 1);
  (void)execl(getenv("HEATSOLVE"), "heatsolve", "scene.ini", (char *)NULL);
  _exit(127);
}

struct end play(const struct scene *scene, const char *folder, const char *restart, const struct fault *fault)
{
  struct end end = {-1, 0};
  int status = 0;
  const pid_t pid = fork();
  if (pid == 0) become(scene, folder, restart, fault);
  if (pid < 0) return end;
  if (fault->signal_after_us > 0) {
    (void)usleep((useconds_t)fault->signal_after_us);
    (void)kill(pid, fault->signal);
  }
  if (waitpid(pid, &status, 0) != pid) return end;
  if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}
