/* What the system does to the program: signals, closed standard streams, limits.
 *
 * SIGINT, SIGTERM, SIGUSR2, SIGXCPU and SIGHUP (a closed terminal; not where it is ignored, as under nohup) ask the run
 * to stop at its next event and to save; SIGUSR1 asks it to save and to go on. SIGUSR2 is what Grid Engine sends before
 * it ends a job, SIGXCPU what the system sends when the limit of processor time is near. Batch systems and shells often
 * send a signal twice (to the process and to its group), so a repetition must not cost the field: further ones change
 * nothing, and only a SIGINT that comes two seconds after the first signal or later, a person who will not wait, ends
 * the program at once. It may then leave an incomplete file behind, but under a temporary name.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/heatsolve.h"
#include "cli/cli.h"

static volatile sig_atomic_t stop_flag, save_count;

static volatile sig_atomic_t first_signal_s; /* clock seconds, valid once stop_flag is set */

static heatsolve_problem *volatile told; /* whose run hears of signals */

static void on_signal(int number)
{
  struct timespec now = {0, 0};
  if (number == SIGUSR1) {
    save_count = (save_count + 1) & 0x7fff;
    if (told) heatsolve_save(told);
    return;
  }
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  if (!stop_flag) {
    first_signal_s = (sig_atomic_t)now.tv_sec;
    stop_flag = 1;
    if (told) heatsolve_cancel(told);
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

static volatile sig_atomic_t returning;

static void on_exit_early(void)
{
  static const char text[] =
      "heatsolve: a library ended the program, most likely because memory ran out; a run that has "
      "written a checkpoint goes on from it with --restart\n";
  if (returning) return;
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(HS_EXIT_IO);
  _exit(HS_EXIT_DIFFERENT);
}

void hs_cli_guard_exit(void)
{
  (void)atexit(on_exit_early);
}

int hs_cli_return(int exit_code)
{
  returning = 1;
  return exit_code;
}

void hs_cli_signal_problem(struct heatsolve_problem *problem)
{
  told = problem;
  if (problem && save_count) heatsolve_save(problem);
  if (problem && stop_flag) heatsolve_cancel(problem);
}

struct hs_cli_signals hs_cli_catch_signals(void)
{
  static const int always[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  (void)sigemptyset(&action.sa_mask);
  (void)sigaddset(&action.sa_mask, SIGHUP);
  for (size_t k = 0; k < sizeof always / sizeof *always; k++) (void)sigaddset(&action.sa_mask, always[k]);
  for (size_t k = 0; k < sizeof always / sizeof *always; k++) (void)sigaction(always[k], &action, NULL);
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) (void)sigaction(SIGHUP, &action, NULL);
  return (struct hs_cli_signals){&stop_flag, &save_count};
}
