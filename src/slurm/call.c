/* Both streams of the command are pipes that one poll() serves, so that neither can fill up and keep it waiting. */
#include "slurm/call.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/timer.h"

extern char **environ;

struct child {
  pid_t pid;
  int out[2], err[2]; /* pipes; -1: closed */
};

static void fd_close(int *fd)
{
  if (*fd >= 0) (void)close(*fd);
  *fd = -1;
}

/* In a process group of its own, so that what it has started can be killed with it. */
static int child_spawn(const char *const *arguments, struct child *child)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int why = posix_spawn_file_actions_init(&actions);
  if (why) return why;
  why = posix_spawnattr_init(&attributes);
  if (!why) {
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    why = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!why) why = posix_spawn_file_actions_adddup2(&actions, child->out[1], STDOUT_FILENO);
    if (!why) why = posix_spawn_file_actions_adddup2(&actions, child->err[1], STDERR_FILENO);
    if (!why)
      why =
          posix_spawnp(&child->pid, arguments[0], &actions, &attributes, (char *const *)(uintptr_t)arguments, environ);
    (void)posix_spawnattr_destroy(&attributes);
  }
  (void)posix_spawn_file_actions_destroy(&actions);
  return why;
}

/* Takes what there is; at the end of the stream it is closed. */
static void stream_take(int *fd, struct hs_text *text)
{
  char part[65537];
  const ssize_t size = read(*fd, part, sizeof part - 1);
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (size <= 0) {
    fd_close(fd);
    return;
  }
  for (ssize_t k = 0; k < size; k++)
    if (!part[k]) part[k] = ' ';
  part[size] = '\0';
  hs_text_add(text, "%s", part);
}

/* Reads until both streams end; false: the time is over. */
static int streams_read(struct child *child, double until_s, struct hs_call *call)
{
  while (child->out[0] >= 0 || child->err[0] >= 0) {
    struct pollfd polled[2] = {{child->out[0], POLLIN, 0}, {child->err[0], POLLIN, 0}};
    const double left_s = until_s - hs_time_s();
    if (left_s <= 0.0) return 0;
    if (poll(polled, 2, (int)(1e3 * left_s) + 1) < 0 && errno != EINTR) return 0;
    if (polled[0].revents) stream_take(&child->out[0], &call->out);
    if (polled[1].revents) stream_take(&child->err[0], &call->err);
  }
  return 1;
}

static void child_wait(struct child *child, struct hs_call *call)
{
  int state = 0;
  while (waitpid(child->pid, &state, 0) < 0 && errno == EINTR) continue;
  call->exit_code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + (WIFSIGNALED(state) ? WTERMSIG(state) : 0);
}

hs_status hs_call_run(const char *const *arguments, double limit_s, struct hs_call *call, struct hs_error *err)
{
  struct child child = {0, {-1, -1}, {-1, -1}};
  const double until_s = hs_time_s() + limit_s;
  hs_status status = HS_OK;
  int why = 0, answered;
  memset(call, 0, sizeof *call);
  if (pipe2(child.out, O_CLOEXEC) || pipe2(child.err, O_CLOEXEC)) why = errno;
  if (!why) why = child_spawn(arguments, &child);
  fd_close(&child.out[1]);
  fd_close(&child.err[1]);
  if (why == ENOENT)
    status = hs_error_set(err, HS_ERR_IO, "there is no %s here: Slurm is not installed, or not in PATH", arguments[0]);
  else if (why)
    status = hs_error_set(err, HS_ERR_IO, "%s cannot be started: %s", arguments[0], strerror(why));
  if (!status) {
    answered = streams_read(&child, until_s, call);
    if (!answered) (void)kill(-child.pid, SIGKILL);
    child_wait(&child, call);
    if (!answered)
      status = hs_error_set(err, HS_ERR_IO, "%s gave no answer within %.0f s; does the cluster's controller run?",
                            arguments[0], limit_s);
    else if (call->out.failed || call->err.failed)
      status = hs_error_set(err, HS_ERR_MEMORY, "not enough memory for what %s prints.", arguments[0]);
  }
  fd_close(&child.out[0]);
  fd_close(&child.err[0]);
  return status;
}

const char *hs_call_reason(struct hs_call *call)
{
  if (!call->err.text || !call->err.text[0]) return "it says nothing";
  call->err.text[strcspn(call->err.text, "\n")] = '\0';
  return call->err.text;
}

void hs_call_clear(struct hs_call *call)
{
  free(call->out.text);
  free(call->err.text);
  memset(call, 0, sizeof *call);
}
