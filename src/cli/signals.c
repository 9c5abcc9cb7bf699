/* What the system does to the program: signals, closed standard streams, limits.
 *
 * SIGINT and SIGTERM ask the run to stop at its next event; a second one ends the program at once. It may then
 * leave an incomplete file behind, but under a temporary name.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile sig_atomic_t stop_flag;

static void on_signal(int number)
{
  (void)number;
  stop_flag = 1;
  (void)signal(SIGINT, SIG_DFL);
  (void)signal(SIGTERM, SIG_DFL);
}

void hs_cli_guard_streams(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  (void)signal(SIGXFSZ, SIG_IGN);
}

const volatile sig_atomic_t *hs_cli_catch_signals(void)
{
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  (void)sigemptyset(&action.sa_mask);
  (void)sigaddset(&action.sa_mask, SIGINT);
  (void)sigaddset(&action.sa_mask, SIGTERM);
  (void)sigaction(SIGINT, &action, NULL);
  (void)sigaction(SIGTERM, &action, NULL);
  return &stop_flag;
}
