/* Results on a plate, for tests of reports. */
#ifndef HS_TESTS_OUTPUT_SAMPLE_H
#define HS_TESTS_OUTPUT_SAMPLE_H

#include "answers/plate.h"
#include "run/result.h"

struct sample {
  struct plate plate;
  struct hs_result result;
};

/* A wall of two materials, one wall held and one with convection, a held pipe, two probes and a line. Its folder is
 * test_folder(). */
void sample_create(struct sample *sample);
void sample_destroy(struct sample *sample);

/* Four seconds of it, with a series of three rows. */
void sample_make_transient(struct sample *sample);

/* Does a text say these words? */
void assert_says(const char *text, const char *words);
void assert_says_not(const char *text, const char *words);

#endif
