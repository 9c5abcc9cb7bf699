/* The progress line: one line on a terminal that is overwritten again and again, and removed at the end.
 *
 * What is counted is sweeps, or multigrid cycles. The time left follows from the observed convergence rate x per sweep:
 * a norm that falls as exp(-x k) reaches its tolerance after ln(norm/tolerance)/x more sweeps. Early in a run the rate
 * is larger than later, so the time left is shown as too short at first. Before there is a rate the forecast of the run
 * stands in for it; where there is none or its sweeps are done, the time is unknown. In a transient run it follows from
 * the end time.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output/output.h"

static int terminal_columns(FILE *stream)
{
  struct winsize size;
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return 80;
  return size.ws_col;
}

/* Sweeps until the test holds or the limit is reached; NaN while that cannot be told. */
static double sweeps_left(const struct hs_solve_progress *progress)
{
  const double done = (double)progress->sweeps, to_limit = (double)progress->max_sweeps - done;
  double left = NAN;
  if (progress->convergence_rate > 0.0 && progress->value > 0.0 && progress->tolerance > 0.0)
    left = log(progress->value / progress->tolerance) / progress->convergence_rate;
  else if (progress->expected_sweeps > done)
    left = progress->expected_sweeps - done;
  return isnan(left) ? NAN : fmax(0.0, fmin(to_limit, left));
}

static void format_duration(char *text, size_t size, double seconds)
{
  if (!(seconds < 8.64e6))
    snprintf(text, size, "over 100 days");
  else if (seconds < 99.5)
    snprintf(text, size, "%.0f s", seconds);
  else if (seconds < 3600.0)
    snprintf(text, size, "%.0f min %02.0f s", floor(seconds / 60.0), floor(fmod(seconds, 60.0)));
  else if (seconds < 172800.0)
    snprintf(text, size, "%.0f h %02.0f min", floor(seconds / 3600.0), floor(fmod(seconds, 3600.0) / 60.0));
  else
    snprintf(text, size, "%.1f days", seconds / 86400.0);
}

static void format_rate(char *text, size_t size, const char *unit, const struct hs_solve_progress *progress)
{
  const double rate = progress->elapsed_s > 0.0 ? (double)progress->sweeps / progress->elapsed_s : 0.0;
  snprintf(text, size, "%.4g%s %ss/s", rate < 1e5 ? rate : rate * 1e-3, rate < 1e5 ? "" : "k", unit);
}

/* Later steps are taken to need as much time as those before. */
static void format_transient(char *text, size_t size, const char *unit, const struct hs_solve_progress *progress)
{
  const double done = (progress->time_s - progress->start_s) / (progress->end_s - progress->start_s);
  const double per_step = progress->steps > 0 ? (double)progress->sweeps / (double)progress->steps : 0.0;
  char left[64] = "unknown time", rate[64];
  if (done > 0.0) format_duration(left, sizeof left, progress->elapsed_s * fmax(0.0, 1.0 - done) / done);
  format_rate(rate, sizeof rate, unit, progress);
  snprintf(text, size, "t = %.4g of %.4g s, %lld steps, %.3g %ss/step, %s left, %s", progress->time_s, progress->end_s,
           (long long)progress->steps, per_step, unit, left, rate);
}

/* The most important comes first, since a narrow terminal cuts off the end. */
static void format_line(char *text, size_t size, const char *unit, const struct hs_solve_progress *progress)
{
  const char *const names[] = {"update_l2", "update_max", "residual", "error"};
  const double rate = progress->elapsed_s > 0.0 ? (double)progress->sweeps / progress->elapsed_s : 0.0;
  const double to_go = sweeps_left(progress);
  char value[64] = "not yet checked", left[64] = "unknown time", speed[64];
  if (isfinite(progress->value)) snprintf(value, sizeof value, "%.2e -> %.2g", progress->value, progress->tolerance);
  if (rate > 0.0 && !isnan(to_go)) format_duration(left, sizeof left, to_go / rate);
  format_rate(speed, sizeof speed, unit, progress);
  snprintf(text, size, "%lld %ss, %s %s, %s left, %s", (long long)progress->sweeps, unit, names[progress->quantity],
           value, left, speed);
}

void hs_progress_line_start(struct hs_progress_line *line, FILE *stream, bool cycles, bool quiet)
{
  line->stream = stream;
  line->cycles = cycles;
  line->enabled = !quiet && stream && isatty(fileno(stream));
  line->width = 0;
}

void hs_progress_text(const struct hs_solve_progress *progress, bool cycles, char text[HS_PROGRESS_TEXT])
{
  const char *unit = cycles ? "cycle" : "sweep";
  if (progress->end_s > 0.0)
    format_transient(text, HS_PROGRESS_TEXT, unit, progress);
  else
    format_line(text, HS_PROGRESS_TEXT, unit, progress);
}

void hs_progress_line_draw(void *context, const struct hs_solve_progress *progress)
{
  struct hs_progress_line *line = context;
  char text[HS_PROGRESS_TEXT];
  if (!line->enabled) return;
  hs_progress_text(progress, line->cycles, text);
  hs_progress_line_show(line, text);
}

void hs_progress_line_show(struct hs_progress_line *line, const char *text)
{
  int width, columns;
  if (!line->enabled) return;
  width = (int)strlen(text);
  columns = terminal_columns(line->stream) - 1; /* a full line would wrap on some terminals */
  if (width > columns) width = columns;
  fprintf(line->stream, "\r%.*s%*s", width, text, line->width > width ? line->width - width : 0, "");
  fflush(line->stream);
  line->width = width;
}

void hs_progress_line_clear(struct hs_progress_line *line)
{
  if (!line->enabled || line->width == 0) return;
  fprintf(line->stream, "\r%*s\r", line->width, "");
  fflush(line->stream);
  line->width = 0;
}
