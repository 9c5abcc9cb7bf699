/* SIGINT and SIGTERM ask the run to stop at its next event; a second one ends the program at once. */
#include <string.h>

#include "cli/cli.h"

static volatile sig_atomic_t stop_flag;

static void on_signal(int number)
{
  (void)number;
  stop_flag = 1;
}

const volatile sig_atomic_t *hs_cli_catch_signals(void)
{
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
  (void)sigemptyset(&action.sa_mask);
  (void)sigaction(SIGINT, &action, NULL);
  (void)sigaction(SIGTERM, &action, NULL);
  return &stop_flag;
}
