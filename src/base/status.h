/* Status and error text: how every function of heatsolve reports a failure.
 *
 * A function that can fail returns an hs_status and, when it is not HS_OK, has
 * written one sentence for the user into the caller's struct hs_error. Nothing
 * below main.c prints a failure or exits.
 */
#ifndef HS_BASE_STATUS_H
#define HS_BASE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hs_status {
  HS_OK = 0,
  HS_ERR_USAGE,       /* the command line is wrong */
  HS_ERR_CONFIG,      /* the configuration is wrong, or asks for something impossible */
  HS_ERR_IO,          /* a file or folder cannot be read or written */
  HS_ERR_DEVICE,      /* a GPU is missing, busy, lost or out of memory */
  HS_ERR_MEMORY,      /* host memory is exhausted */
  HS_ERR_UNSUPPORTED, /* this build or machine cannot do it */
  HS_ERR_INTERNAL     /* a bug in heatsolve */
} hs_status;

/* Exit codes of the command; see `heatsolve --help`. */
enum {
  HS_EXIT_OK = 0,          /* converged, or the command did what it was asked */
  HS_EXIT_DIFFERENT = 1,   /* verify, compare: the fields are not the same bits; or an internal failure */
  HS_EXIT_USAGE = 2,       /* usage or configuration */
  HS_EXIT_LIMIT = 3,       /* iteration limit reached, or stagnated by rounding, before the test held */
  HS_EXIT_DIVERGED = 4,    /* the iteration diverged or met NaN */
  HS_EXIT_IO = 5,          /* input or output */
  HS_EXIT_DEVICE = 6,      /* device */
  HS_EXIT_INTERRUPTED = 75 /* stopped by a signal after saving */
};

/* One failure: what happened, and what the user can do. */
struct hs_error {
  hs_status status;
  char text[2048];
};

#if defined(__GNUC__)
#define HS_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define HS_PRINTF(format_index, first_argument)
#endif

/* Writes status and the formatted sentence, as it may be shown (shown.h), into err (which may be NULL) and
 * returns status, so that callers write `return hs_error_set(err, ...)`. */
hs_status hs_error_set(struct hs_error *err, hs_status status, const char *format, ...) HS_PRINTF(3, 4);

/* Appends a formatted sentence to the text in err, keeping its status. */
void hs_error_append(struct hs_error *err, const char *format, ...) HS_PRINTF(2, 3);

/* The exit code that belongs to a failure. */
int hs_status_exit_code(hs_status status);

#ifdef __cplusplus
}
#endif

#endif
