/* The rows of the tables of commands and options; see commands.h. */
#include "cli/commands.h"

#include <stddef.h>
#include <string.h>

#include "backend/backend.h"
#include "bench/rate.h"
#include "config/text.h"
#include "output/output.h"

/* clang-format off */
static const struct hs_command_row commands[HS_COMMANDS] = {
  [HS_COMMAND_RUN] = {
    "run", "CONFIG.ini", 1, 1, "one file, CONFIG.ini", HS_WORDS_CONFIG,
    "solve and write field, pictures and report (the default)",
    "Solves the problem of CONFIG.ini and writes the field, pictures, tables and a report into the folder "
    "output.directory. The word run may be left out. CONFIG.ini may be - for standard input; files that it names are "
    "then looked for in the present folder. Under mpirun or srun the processes solve it together."},
  [HS_COMMAND_CHECK] = {
    "check", "CONFIG.ini", 1, 1, "one file, CONFIG.ini", HS_WORDS_CONFIG,
    "say what would happen: memory, backend, expected work and time",
    "Reads a configuration and says what a run would do, without running it: grid, materials, walls, sources, memory, "
    "backend, expected work and time. Draws the problem as problem.png in the folder output.directory. CONFIG.ini "
    "may be - for standard input. With --nodes or --gpus it plans the run for machines that need not be there, and "
    "builds nothing: time, memory, the cut of the grid, exchanges, parallel efficiency and what limits it."},
  [HS_COMMAND_VERIFY] = {
    "verify", "CONFIG.ini", 1, 1, "one file, CONFIG.ini", HS_WORDS_CONFIG,
    "solve on the chosen backend and on cpu-reference, compare the bits",
    "Solves twice, on the chosen backend and on cpu-reference, whose plain serial loops define the result, and compares "
    "every bit of the field, the end of the run and the norms. Writes no file. The exit status is 1 where they differ. "
    "CONFIG.ini may be - for standard input."},
  [HS_COMMAND_COMPARE] = {
    "compare", "A.h5 B.h5", 2, 2, "two files, A.h5 B.h5", HS_WORDS_FIELD,
    "difference of two fields",
    "Says whether two fields of one size have the same bits, and what their largest and their root mean square "
    "difference is. A folder stands for the field.h5 in it. The exit status is 1 where they differ."},
  [HS_COMMAND_BACKENDS] = {
    "backends", "", 0, 0, "no file", HS_WORDS_ANY,
    "what this build and this machine can run, with reasons",
    "Lists the backends, each with yes or no and, where it cannot run here, the reason."},
  [HS_COMMAND_RENDER] = {
    "render", "FIELD.h5", 1, 1, "one file, FIELD.h5", HS_WORDS_FIELD,
    "draw a field again with other colours or another range",
    "Draws the field of an earlier run again, into FIELD.png beside it or into the file that --output names. A folder "
    "stands for the field.h5 in it, with --snapshot for the snapshots.h5."},
  [HS_COMMAND_VALIDATE] = {
    "validate", "[CONFIG.ini | FOLDER]...", 0, -1, "any number of files, CONFIG.ini, and folders of such",
    HS_WORDS_CASES,
    "run cases with known answers and compare",
    "Runs configurations that have [expect NAME] sections, and prints each expected value beside the computed one. "
    "Without a name the cases that came with heatsolve are run. CONFIG.ini may be - for standard input. Writes no file "
    "but that of --json. The exit status is 1 where a value is not met or a case cannot be run."},
  [HS_COMMAND_BENCH] = {
    "bench", "[CONFIG.ini]", 0, 1, "one file, CONFIG.ini, at most", HS_WORDS_CONFIG,
    "measure how fast the backends sweep on this machine",
    "Measures node updates per second (solutions by multigrid: their time) for every combination of size, material, "
    "form, precision, backend and mode, beside the speed at which this machine copies memory. The problem is a plate "
    "with four walls, or the steady one of CONFIG.ini. A LIST has commas between its items."},
  [HS_COMMAND_TUNE] = {
    "tune", "", 0, 0, "no file", HS_WORDS_ANY,
    "measure what sweeps cost here, for the choice of a backend",
    "Measures what a sweep, and a cycle of multigrid, cost on this machine by backend, precision and size, and keeps "
    "it, so that the choice of a backend and the forecast of the time need not guess. Takes some minutes."},
  [HS_COMMAND_SUBMIT] = {
    "submit", "CONFIG.ini", 1, 1, "one file, CONFIG.ini", HS_WORDS_CONFIG,
    "write a batch script for Slurm and submit it",
    "Writes a batch script that runs CONFIG.ini, job.sbatch in the folder output.directory, and submits it. Before its "
    "time limit the job saves, queues again and goes on, until the run is done. The script is plain and can be kept, "
    "changed and submitted again by sbatch."},
  [HS_COMMAND_QUEUE] = {
    "queue", "[CONFIG.ini]", 0, 1, "one file, CONFIG.ini, at most", HS_WORDS_CONFIG,
    "how long jobs waited in a cluster's queues, and which suits a run",
    "Reads from Slurm's accounting how long jobs waited, and prints for each partition the mean wait and the number of "
    "jobs by size: processors times time limit, in CPU-hours. With CONFIG.ini it says, too, in which partition a job that "
    "runs it would start first, and in which it would be done first."},
  [HS_COMMAND_HELP] = {
    "help", "[COMMAND]", 0, 1, "one command at most", HS_WORDS_COMMAND,
    "explain a command and its options",
    "Explains a command and its options; without a name, heatsolve as a whole."},
};

#define BIT(command) (1u << HS_COMMAND_##command)
#define CONFIGURED (BIT(RUN) | BIT(CHECK) | BIT(VERIFY) | BIT(VALIDATE) | BIT(SUBMIT))
#define ALL ((1u << HS_COMMANDS) - 1u)
#define NONE HS_WORDS_ANY, false, false, false
#define ONE(words) HS_WORDS_##words, false, false, false
#define LIST(words) HS_WORDS_##words, true, false, false
#define INSTEAD HS_WORDS_ANY, false, true, false
#define HIDDEN(words) HS_WORDS_##words, false, true, true

static const struct hs_option_row options[] = {
  {HS_OPTION_SET, "set", 0, "SECTION.KEY=VALUE", CONFIGURED | BIT(QUEUE) | BIT(BENCH), NULL, ONE(KEY),
   "override a configuration key; may be repeated, the last one wins"},
  {HS_OPTION_BACKEND, "backend", 'b', "NAME", CONFIGURED, "solver.backend", ONE(BACKEND),
   "short for --set solver.backend=NAME"},
  {HS_OPTION_THREADS, "threads", 't', "N", CONFIGURED, "solver.threads", NONE,
   "short for --set solver.threads=N"},
  {HS_OPTION_GPUS, "gpus", 0, "all|N|0,2", BIT(RUN) | BIT(VERIFY) | BIT(VALIDATE), "solver.gpus", NONE,
   "GPUs that share the grid: all, so many, or those numbers; short for --set solver.gpus"},
  {HS_OPTION_OUTPUT, "output", 'o', "FOLDER", BIT(RUN) | BIT(CHECK) | BIT(VERIFY) | BIT(SUBMIT), "output.directory", ONE(FOLDER),
   "short for --set output.directory=FOLDER"},
  {HS_OPTION_RESTART, "restart", 0, NULL, BIT(RUN), "run.restart", NONE,
   "go on from the checkpoint in the output folder; short for --set run.restart=yes"},
  {HS_OPTION_FORCE, "force", 0, NULL, BIT(RUN), NULL, NONE,
   "remove an earlier run's files from the output folder first, but no checkpoints"},
  {HS_OPTION_HELP_CONFIG, "help-config", 0, NULL, CONFIGURED, NULL, INSTEAD,
   "explain all keys of a configuration: unit, range, default; with the name of a section behind it, that one's"},
  {HS_OPTION_PRINT_CONFIG, "print-config", 0, NULL, CONFIGURED, NULL, INSTEAD,
   "print a complete configuration with the defaults"},

  {HS_OPTION_OUTPUT, "output", 'o', "FILE.png", BIT(RENDER), "output.directory", ONE(FILE),
   "name of the picture, .png, .svg or .pdf; default: FIELD.png beside the field"},
  {HS_OPTION_COLORMAP, "colormap", 0, "NAME", BIT(RENDER), "output.colormap", ONE(COLORMAP),
   "colours: viridis, inferno (the default), magma, plasma, cividis, cool-warm, gray"},
  {HS_OPTION_RANGE, "range", 0, "MIN:MAX", BIT(RENDER), "output.range_min and output.range_max", NONE,
   "temperatures (K) at the ends of the colour bar; default: the field's own"},
  {HS_OPTION_TITLE, "title", 0, "TEXT", BIT(RENDER), "output.title", NONE,
   "title above the picture; default: the run's"},
  {HS_OPTION_ISOTHERMS, "isotherms", 0, "N", BIT(RENDER), "output.isotherms", NONE,
   "number of isotherms, 0 (the default) to 100"},
  {HS_OPTION_SNAPSHOT, "snapshot", 0, "N", BIT(RENDER), NULL, NONE,
   "draw a snapshot of a run over time: its number, from 0, last, or t=TIME in s; FIELD.h5 is then its snapshots.h5"},

  {HS_OPTION_MARKDOWN, "markdown", 0, NULL, BIT(VALIDATE), NULL, NONE,
   "print the table in Markdown"},
  {HS_OPTION_JSON, "json", 0, "FILE", BIT(VALIDATE), NULL, ONE(FILE),
   "write the figures to FILE as well"},

  {HS_OPTION_SIZE, "size", 'n', "LIST", BIT(BENCH), NULL, NONE,
   "nodes of a side, or NXxNY; default: 256,1024,4096, or the size of CONFIG.ini, whose plate keeps its metres"},
  {HS_OPTION_PRECISION, "precision", 'p', "LIST", BIT(BENCH), "solver.precision", LIST(PRECISION),
   "double, single; default: both"},
  {HS_OPTION_BACKEND, "backend", 'b', "LIST", BIT(BENCH), NULL, LIST(BACKEND),
   "backends; default: all that can run here but cpu-reference"},
  {HS_OPTION_MATERIAL, "material", 'm', "LIST", BIT(BENCH), NULL, LIST(MATERIAL),
   "uniform (the default), stripes, blocks, noise: one or eight materials; map: a conductivity for every cell"},
  {HS_OPTION_FORM, "form", 'f', "LIST", BIT(BENCH), NULL, LIST(FORM),
   "plain (the default), weighted, chebyshev, rhs: sweeps of an implicit time step; multigrid: whole solutions to 1e-8 "
   "of the range of temperatures, or the tolerance of CONFIG.ini"},
  {HS_OPTION_MODE, "mode", 0, "LIST", BIT(BENCH), NULL, LIST(MODE),
   "sweep (the default), tested: with a stop test, norm: with norms in every sweep"},
  {HS_OPTION_NO_SOURCE, "no-source", 0, NULL, BIT(BENCH), NULL, NONE,
   "without the heated rectangle in the middle"},
  {HS_OPTION_WALLS, "walls", 0, "KIND", BIT(BENCH), NULL, ONE(WALLS),
   "held (the default): four temperatures; mixed: convection in the east, a heat flux in the south"},
  {HS_OPTION_CHECK_EVERY, "check-every", 'c', "N", BIT(BENCH), "solver.check_every", NONE,
   "sweeps between two stop tests; default: 256"},
  {HS_OPTION_SECONDS, "seconds", 's', "S", BIT(BENCH), NULL, NONE,
   "least time of a repeat; default: 0.1"},
  {HS_OPTION_REPEATS, "repeats", 'r', "N", BIT(BENCH), NULL, NONE,
   "repeats, of which the median counts; default: 5"},
  {HS_OPTION_THREADS, "threads", 't', "N", BIT(BENCH), NULL, NONE,
   "CPU threads at most; 0 (the default): as many as there are"},
  {HS_OPTION_GPUS, "gpus", 0, "N", BIT(BENCH), NULL, NONE,
   "GPUs that share each grid; default: 1"},
  {HS_OPTION_CSV, "csv", 0, "FILE", BIT(BENCH), NULL, ONE(FILE),
   "write the table as CSV"},
  {HS_OPTION_JSON, "json", 0, "FILE", BIT(BENCH), NULL, ONE(FILE),
   "write everything as JSON"},
  {HS_OPTION_CHART, "chart", 0, "FILE.png", BIT(BENCH), NULL, ONE(FILE),
   "draw a chart"},
  {HS_OPTION_OUTPUT, "output", 'o', "FOLDER", BIT(BENCH), NULL, ONE(FOLDER),
   "all three, as bench.csv, bench.json and bench.png in FOLDER"},

  {HS_OPTION_BACKEND, "backend", 'b', "LIST", BIT(TUNE), NULL, LIST(BACKEND),
   "backends, with commas between them; default: all that can run here"},
  {HS_OPTION_QUICK, "quick", 0, NULL, BIT(TUNE), NULL, NONE,
   "fewer sizes and shorter times"},
  {HS_OPTION_SHOW, "show", 0, NULL, BIT(TUNE), NULL, NONE,
   "print what is known of this machine, and where from"},
  {HS_OPTION_FORGET, "forget", 0, NULL, BIT(TUNE), NULL, NONE,
   "remove what was kept"},

  {HS_OPTION_NODES, "nodes", 0, "N", BIT(CHECK), NULL, NONE,
   "plan for so many nodes of a cluster that need not be there; default: 1"},
  {HS_OPTION_GPUS, "gpus", 0, "M", BIT(CHECK), NULL, NONE,
   "plan for so many GPUs (H200) on all nodes together; default, and 0: none, processes on CPUs"},
  {HS_OPTION_RANKS, "ranks", 0, "N", BIT(CHECK), NULL, NONE,
   "a plan's processes on all nodes together; default: one for each GPU, or one for each node"},
  {HS_OPTION_LATENCY, "latency", 0, "US", BIT(CHECK), NULL, NONE,
   "a plan's exchange between nodes, whatever its size, in microseconds; default: 30"},
  {HS_OPTION_BANDWIDTH, "bandwidth", 0, "GB/S", BIT(CHECK), NULL, NONE,
   "network of a node, which its GPUs share, in GB/s; default: 50"},
  {HS_OPTION_LINK_LATENCY, "link-latency", 0, "US", BIT(CHECK), NULL, NONE,
   "the same as --latency within a node; default: 30 between GPUs (NVLink), 10 between processes"},
  {HS_OPTION_LINK_BANDWIDTH, "link-bandwidth", 0, "GB/S", BIT(CHECK), NULL, NONE,
   "link of a GPU, or process, to the others of its node, in GB/s; default: 333 (NVLink), or 10"},
  {HS_OPTION_GPU_MEMORY, "gpu-memory", 0, "GB", BIT(CHECK), NULL, NONE,
   "memory of a GPU in GB; default: 141"},
  {HS_OPTION_NODE_MEMORY, "node-memory", 0, "GB", BIT(CHECK), NULL, NONE,
   "memory of a node in GB; default: not looked at"},
  {HS_OPTION_FILE_BANDWIDTH, "file-bandwidth", 0, "GB/S", BIT(CHECK), NULL, NONE,
   "at which all nodes together write files, in GB/s; default: 10"},

  {HS_OPTION_NODES, "nodes", 0, "N", BIT(SUBMIT) | BIT(QUEUE), NULL, NONE,
   "nodes of the cluster; default: 1"},
  {HS_OPTION_GPUS, "gpus", 0, "N", BIT(SUBMIT) | BIT(QUEUE), NULL, NONE,
   "GPUs of all nodes together; default: none"},
  {HS_OPTION_RANKS, "ranks", 0, "N", BIT(SUBMIT) | BIT(QUEUE), NULL, NONE,
   "processes of all nodes together; default: one, or on several nodes one for each GPU or for each node"},
  {HS_OPTION_PARTITION, "partition", 'p', "NAME", BIT(SUBMIT), NULL, NONE,
   "partition; default: the cluster's"},
  {HS_OPTION_TIME, "time", 0, "LIMIT", BIT(SUBMIT), NULL, NONE,
   "time limit as sbatch takes it, such as 90 (minutes), 1:30:00 or 2-00:00:00 (days); default: the forecast and a margin"},
  {HS_OPTION_SIGNAL, "signal", 0, "S", BIT(SUBMIT), NULL, NONE,
   "seconds before the limit at which the run is told to save; default: 120, or a quarter of a shorter limit"},
  {HS_OPTION_SBATCH, "sbatch", 0, "OPTION", BIT(SUBMIT), NULL, NONE,
   "a further option of sbatch, such as --account=NAME or --mem=64G; may be repeated"},
  {HS_OPTION_SCRIPT, "script", 0, "FILE", BIT(SUBMIT), NULL, ONE(FILE),
   "name of the script; default: job.sbatch in the output folder"},
  {HS_OPTION_DRY_RUN, "dry-run", 0, NULL, BIT(SUBMIT), NULL, NONE,
   "print the script, and neither write nor submit it"},

  {HS_OPTION_PARTITION, "partition", 'p', "LIST", BIT(QUEUE), NULL, NONE,
   "partitions, with commas between them; default: all"},
  {HS_OPTION_MEMORY, "memory", 'm', NULL, BIT(QUEUE), NULL, NONE,
   "sizes by memory times time limit, in GB-hours"},
  {HS_OPTION_CLASSES, "classes", 't', "FIRST,FACTOR", BIT(QUEUE), NULL, NONE,
   "bounds of the sizes: FIRST, FIRST times FACTOR, and that times FACTOR; default: 4,4"},
  {HS_OPTION_DAYS, "days", 0, "N", BIT(QUEUE), NULL, NONE,
   "how far back sacct looks; default: 30"},
  {HS_OPTION_FROM, "from", 0, "FILE", BIT(QUEUE), NULL, ONE(FILE),
   "read a saved output of sacct instead of calling it"},

  {HS_OPTION_QUIET, "quiet", 'q', NULL, ALL, NULL, NONE,
   "print nothing but warnings and errors"},
  {HS_OPTION_HELP, "help", 'h', NULL, ALL, NULL, INSTEAD,
   "explain the command and its options"},
  {HS_OPTION_VERSION, "version", 'V', NULL, ALL, NULL, INSTEAD,
   "print the version and what was built in"},
  {HS_OPTION_GENERATE, "generate", 0, "WHAT", BIT(RUN), NULL, HIDDEN(GENERATED),
   "print a manual page, or a script for a shell's completion"},
  {.name = NULL},
};
/* clang-format on */

_Static_assert(sizeof options / sizeof *options <= HS_OPTION_ROWS_MOST, "HS_OPTION_ROWS_MOST is too small");

const struct hs_command_row *hs_command_row(enum hs_command command)
{
  return &commands[command];
}

enum hs_command hs_command_find(const char *word)
{
  int k = 0;
  while (k < HS_COMMANDS && strcmp(word, commands[k].word) != 0) k++;
  return (enum hs_command)k;
}

const char *hs_command_nearest(const char *typed)
{
  const char *words[HS_COMMANDS];
  for (int k = 0; k < HS_COMMANDS; k++) words[k] = commands[k].word;
  return hs_text_nearest(typed, words, HS_COMMANDS);
}

bool hs_command_is_configured(enum hs_command command)
{
  return CONFIGURED >> command & 1u;
}

bool hs_option_is_configured(const struct hs_option_row *row)
{
  return (CONFIGURED & row->commands) != 0;
}

const struct hs_option_row *hs_option_rows(void)
{
  return options;
}

bool hs_option_belongs(const struct hs_option_row *row, enum hs_command command)
{
  return row->commands >> command & 1u;
}

static const char *backend_name(int k)
{
  const struct hs_backend *const *list = hs_backend_list();
  for (int before = 0; before < k; before++)
    if (!list[before]) return NULL;
  return list[k] ? list[k]->name : NULL;
}

const char *hs_word_name(enum hs_words words, int k)
{
  static const char *const precisions[] = {"double", "single", "both", NULL};
  static const char *const walls[] = {"held", "mixed", NULL};
  static const char *const generated[] = {[HS_GENERATED_MANUAL] = "heatsolve.1",
                                          [HS_GENERATED_MANUAL_CONFIG] = "heatsolve.ini.5",
                                          [HS_GENERATED_BASH] = "bash",
                                          [HS_GENERATED_ZSH] = "zsh",
                                          NULL};
  switch (words) {
  case HS_WORDS_COMMAND: return k < HS_COMMANDS ? commands[k].word : NULL;
  case HS_WORDS_BACKEND: return backend_name(k);
  case HS_WORDS_COLORMAP: return hs_colormap_name(k);
  case HS_WORDS_PRECISION: return precisions[k];
  case HS_WORDS_MATERIAL: return k < HS_RATE_PATTERNS ? hs_rate_pattern_name((enum hs_rate_pattern)k) : NULL;
  case HS_WORDS_FORM: return k < HS_RATE_FORMS ? hs_rate_form_name((enum hs_rate_form)k) : NULL;
  case HS_WORDS_MODE: return k < HS_RATE_MODES ? hs_rate_mode_name((enum hs_rate_mode)k) : NULL;
  case HS_WORDS_WALLS: return walls[k];
  case HS_WORDS_GENERATED: return generated[k];
  default: return NULL;
  }
}
