/* Fuzzing: what the harnesses share.
 *
 * A harness is a program with libFuzzer's entry point, which AFL++ takes, too. It puts its input into a file and reads it
 * by the functions that a run calls. Whatever the input is, they return: HS_OK, or a failure with a sentence. `make check`
 * links replay.c instead of a fuzzer, and so reads the inputs that are kept in tests/fuzz/corpus; scripts/fuzz.sh looks for
 * new ones.
 */
#ifndef HS_TESTS_FUZZ_H
#define HS_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Path of a file in a folder of the process, which is removed when it ends; valid until the next call but three. */
const char *fuzz_path(const char *name);

/* Writes the file `name` in that folder; returns its path. */
const char *fuzz_file(const char *name, const void *data, size_t size);

/* Reads the configuration in this text, with output into that folder; ends the process where it is not valid. */
struct hs_config *fuzz_config(const char *text);

/* Two problems whose checkpoints are read: a steady one and one over time. */
enum { FUZZ_PROBLEMS = 2 };
const char *fuzz_problem(int k);

/* What became of an input: aborts where it was refused without a sentence. */
void fuzz_outcome(hs_status status, const struct hs_error *err);

/* Why the latest input was refused; "" where it was taken. */
const char *fuzz_refusal(void);

#endif
