/* libheatsolve: heat conduction in a plate, from a program of your own.
 *
 *     heatsolve_problem *problem = NULL;
 *     heatsolve_result *result = NULL;
 *     heatsolve_error error;
 *     heatsolve_field field = {.size = sizeof field};
 *     if (heatsolve_open("wall.ini", &problem, &error) || heatsolve_set(problem, "grid.nx", "401", &error) ||
 *         heatsolve_run(problem, NULL, &result, &error) || heatsolve_get_field(result, "temperature", &field, &error))
 *       fprintf(stderr, "%s\n", error.text);
 *     else
 *       printf("%g\n", field.values[0]);
 *     heatsolve_free(result);
 *     heatsolve_close(problem);
 *
 * A problem is what a configuration describes; its keys are those of heatsolve.ini(5). Nothing is written to disk but where
 * HEATSOLVE_FILES or heatsolve_write ask for it, nothing is printed, and no signal is caught.
 *
 * Functions that can fail return HEATSOLVE_OK (0) or another code, and then a sentence for people in *error, which may be
 * NULL; what else may be NULL is said where it may. Pointers that a function returns belong to its problem or result and
 * live as long. Text is UTF-8. All fields have row 0 in the south and column 0 in the west.
 *
 * Threads: different problems and results may be used by different threads at the same time; one of them by one thread at
 * a time, but heatsolve_cancel and heatsolve_save, which may be called by any thread and by signal handlers.
 *
 * Names and numbers here stay as they are while the library's name is libheatsolve.so.1. Later versions may add members to
 * the end of the structs with a member `size`, which the caller sets to the size that it knows.
 */
#ifndef HEATSOLVE_H
#define HEATSOLVE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Codes of failures. */
enum {
  HEATSOLVE_OK = 0,
  HEATSOLVE_ERR_USAGE,       /* a function was called with what it does not take */
  HEATSOLVE_ERR_CONFIG,      /* the configuration is wrong, or asks for something impossible */
  HEATSOLVE_ERR_IO,          /* a file or folder cannot be read or written */
  HEATSOLVE_ERR_DEVICE,      /* a GPU is missing, busy, lost or out of memory */
  HEATSOLVE_ERR_MEMORY,      /* host memory is exhausted */
  HEATSOLVE_ERR_UNSUPPORTED, /* this build or machine cannot do it */
  HEATSOLVE_ERR_INTERNAL     /* a bug in heatsolve */
};

typedef struct heatsolve_error {
  int code;
  char text[2048]; /* where, what is wrong, and what to do */
} heatsolve_error;

typedef struct heatsolve_problem heatsolve_problem;
typedef struct heatsolve_result heatsolve_result;

/* The version of the library, "0.1.0". */
const char *heatsolve_version(void);

/* --- a problem ------------------------------------------------------------------------------- */

/* Reads a configuration from a file ("-": standard input), or takes it as text, in which case files that it names are looked
 * for in the present folder; an empty text leaves everything to heatsolve_set. Keys are checked when they are used, by
 * heatsolve_check and heatsolve_run. heatsolve_close frees the problem; results do not need it any more. */
int heatsolve_open(const char *path, heatsolve_problem **problem, heatsolve_error *error);
int heatsolve_open_text(const char *text, heatsolve_problem **problem, heatsolve_error *error);
void heatsolve_close(heatsolve_problem *problem); /* NULL is accepted */

/* Sets a key, "grid.nx" or "source NAME.power", whatever the configuration says; the last call for a key wins. */
int heatsolve_set(heatsolve_problem *problem, const char *key, const char *value, heatsolve_error *error);

/* Gives numbers in place of a file that a key of [map] names. values, [rows * columns], are copied.
 *   "map.conductivity"  W/(m K), one a cell      "map.source"     W/m3, one a cell
 *   "map.initial"       K, one a node            "map.materials"  0 the background, k the k-th [material NAME], one a cell
 * Cells: nx - 1 by ny - 1 in the vertex layout, nx by ny in the cell layout. values NULL: the configuration's own again. */
int heatsolve_set_array(heatsolve_problem *problem, const char *key, const double *values, int rows, int columns,
                        heatsolve_error *error);

/* The number of a material, by its name, in arrays of map.materials: 0 for "background", k for the k-th [material NAME]. */
int heatsolve_material_index(heatsolve_problem *problem, const char *name, int *index, heatsolve_error *error);

/* What a run would do. */
typedef struct heatsolve_forecast {
  size_t size;
  char method[32], backend[32]; /* method is "" for explicit steps */
  double sweeps;                /* or cycles of multigrid; NaN where they cannot be told */
  double time_s;
  double host_bytes, device_bytes; /* memory at the peak */
} heatsolve_forecast;

/* Reads all keys, builds the problem, and chooses method and backend; runs nothing. forecast may be NULL. */
int heatsolve_check(heatsolve_problem *problem, heatsolve_forecast *forecast, heatsolve_error *error);

/* --- a run ----------------------------------------------------------------------------------- */

/* A look at a run in progress. */
typedef struct heatsolve_progress {
  size_t size;
  int64_t sweeps;          /* made so far; with multigrid, cycles */
  double value, tolerance; /* of what the stop test looks at; NaN before it was first evaluated */
  double time_s, end_s;    /* reached and last of a run over time; both 0 otherwise */
  double elapsed_s;
  const char *text; /* all of that in a line, with the time that is left; valid during the call */
} heatsolve_progress;

enum {
  HEATSOLVE_FILES = 1, /* writes what [output] asks for into output.directory, with checkpoints, as the command does */
  HEATSOLVE_FORCE = 2, /* with HEATSOLVE_FILES: removes an earlier run's files from that folder first */
  HEATSOLVE_SNAPSHOTS = 4 /* keeps the fields at [time] snapshots in memory, for heatsolve_get_snapshot; a run whose
                             snapshots would not fit is refused with HEATSOLVE_ERR_MEMORY */
};

typedef struct heatsolve_run_options {
  size_t size;
  unsigned flags;
  /* Called about ten times a second by the thread that called heatsolve_run. Any answer but 0 ends the run early. */
  int (*progress)(void *context, const heatsolve_progress *progress);
  /* Called for what a user should know although it does not end the run: a sentence. */
  void (*warning)(void *context, const char *sentence);
  void *context;
} heatsolve_run_options;

/* Runs the problem; options NULL: no files, no callbacks. A run that was ended early, or met a limit, gives a result too:
 * see heatsolve_status. After HEATSOLVE_ERR_IO *result may be set: then the run is done, and a file could not be written. */
int heatsolve_run(heatsolve_problem *problem, const heatsolve_run_options *options, heatsolve_result **result,
                  heatsolve_error *error);

/* Ends a problem's run, or the next one, at its next look at the clock, with the field as it is then; heatsolve_save makes a
 * run with HEATSOLVE_FILES write a checkpoint and go on. */
void heatsolve_cancel(heatsolve_problem *problem);
void heatsolve_save(heatsolve_problem *problem);

/* --- a result -------------------------------------------------------------------------------- */

void heatsolve_free(heatsolve_result *result); /* NULL is accepted */

/* "converged" or "completed"; "iteration-limit", "stagnated", "diverged", "interrupted". */
const char *heatsolve_status(const heatsolve_result *result);

/* The exit code that the command has for that. */
int heatsolve_exit_code(const heatsolve_result *result);

typedef struct heatsolve_field {
  size_t size;
  int nx, ny;
  const double *values;    /* [ny * nx] */
  const double *x_m, *y_m; /* [nx], [ny] places */
  const char *unit;
} heatsolve_field;

/* A field by its name: "temperature" at the nodes (in the unit of output.unit), "material" of the cells, counted as in
 * heatsolve_set_array, "heat_flux_x" and "heat_flux_y" in the middle of the cells, positive to the east and to the north. The
 * caller sets field->size. */
int heatsolve_get_field(heatsolve_result *result, const char *name, heatsolve_field *field, heatsolve_error *error);

/* The name of the k-th material, k = 0, 1, ...; NULL behind the last. */
const char *heatsolve_material_name(const heatsolve_result *result, int k);

/* The k-th of the kept snapshots, k = 0, 1, ...: its time and temperatures. */
int heatsolve_snapshot_count(const heatsolve_result *result);
int heatsolve_get_snapshot(heatsolve_result *result, int k, double *time_s, heatsolve_field *field,
                           heatsolve_error *error);

/* A number of the result by its name, as in `quantity` of heatsolve.ini(5): "probe.A", "side.west", "error_estimate";
 * NaN where it is not known. */
int heatsolve_get_value(heatsolve_result *result, const char *name, double *value, heatsolve_error *error);

/* The name of the k-th number, k = 0, 1, ...; NULL behind the last. */
const char *heatsolve_value_name(heatsolve_result *result, int k);

/* The report as JSON (what report.json has) or as text for people; NULL where memory is short. */
const char *heatsolve_report_json(heatsolve_result *result);
const char *heatsolve_report_text(heatsolve_result *result);

/* The k-th warning, those given to the callback included; NULL behind the last. */
const char *heatsolve_warning(const heatsolve_result *result, int k);

/* Writes the files that [output] asks for into a folder, which is made where it is missing; snapshots.h5 and what is drawn
 * from it come from a run with HEATSOLVE_FILES alone. */
int heatsolve_write(heatsolve_result *result, const char *folder, heatsolve_error *error);

#ifdef __cplusplus
}
#endif

#endif
