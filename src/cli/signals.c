/* What the system does to the program: signals, closed standard streams, limits.
 *
 * SIGINT, SIGTERM and SIGHUP (a closed terminal; not where it is ignored, as under nohup) ask the run to
 * stop at its next event and to save. Batch systems and shells often send a signal twice (to the process and
 * to its group), so a repetition must not cost the field: further ones change nothing, and only a
 * SIGINT that comes two seconds after the first signal or later, a person who will not wait, ends the
 * program at once. It may then leave an incomplete file behind, but under a temporary name.
 */
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile sig_atomic_t stop_flag;

static volatile sig_atomic_t first_signal_s; /* clock seconds, valid once stop_flag is set */

static void on_signal(int number)
{
  struct timespec now = {0, 0};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  if (!stop_flag) {
    first_signal_s = (sig_atomic_t)now.tv_sec;
    stop_flag = 1;
  } else if (number == SIGINT && (sig_atomic_t)now.tv_sec - first_signal_s >= 2) {
    (void)signal(SIGINT, SIG_DFL);
    (void)raise(SIGINT);
  }
}

void hs_cli_guard_streams(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  (void)signal(SIGXFSZ, SIG_IGN);
}

const volatile sig_atomic_t *hs_cli_catch_signals(void)
{
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  (void)sigemptyset(&action.sa_mask);
  (void)sigaddset(&action.sa_mask, SIGINT);
  (void)sigaddset(&action.sa_mask, SIGTERM);
  (void)sigaddset(&action.sa_mask, SIGHUP);
  (void)sigaction(SIGINT, &action, NULL);
  (void)sigaction(SIGTERM, &action, NULL);
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) (void)sigaction(SIGHUP, &action, NULL);
  return &stop_flag;
}
