/* Reads the kept inputs of a harness once, as `make check` does, in place of a fuzzer.
 *
 * They are the files in tests/fuzz/corpus/NAME, where NAME is what the program is called behind "fuzz_", or the files given
 * as arguments. Those whose names begin with "good" must be taken: they show that the harness gets past the first check.
 */
#include <dirent.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

enum { SIZE_MOST = 1 << 20 };

static int number;

static void say(int ok, const char *name, const char *why)
{
  printf("%s %d - %s%s\n", ok ? "ok" : "not ok", ++number, name, why);
  fflush(stdout);
}

static void file_replay(const char *path, const char *name)
{
  FILE *file = fopen(path, "rb");
  uint8_t *data = malloc(SIZE_MOST);
  size_t size;
  if (!file || !data) {
    say(0, name, " cannot be read");
  } else {
    size = fread(data, 1, SIZE_MOST, file);
    printf("# %s\n", name); /* the last words, should it crash */
    fflush(stdout);
    (void)LLVMFuzzerTestOneInput(data, size);
    printf("# %s\n", fuzz_refusal()[0] ? fuzz_refusal() : "is taken");
    say(strncmp(name, "good", 4) != 0 || !fuzz_refusal()[0], name, "");
  }
  free(data);
  if (file) fclose(file);
}

static int visible(const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

static void folder_replay(const char *folder)
{
  struct dirent **entries = NULL;
  const int count = scandir(folder, &entries, visible, alphasort);
  if (count <= 0) say(0, folder, " has no inputs");
  for (int k = 0; k < count; k++) {
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, entries[k]->d_name) < 0) abort();
    file_replay(path, entries[k]->d_name);
    free(path);
    free(entries[k]);
  }
  free(entries);
}

int main(int argc, char **argv)
{
  const char *tests = getenv("HS_TEST_SRCDIR"), *name = strstr(basename(argv[0]), "fuzz_");
  char folder[4096];
  for (int k = 1; k < argc; k++) file_replay(argv[k], basename(argv[k]));
  if (argc == 1) {
    snprintf(folder, sizeof folder, "%s/fuzz/corpus/%s", tests ? tests : "tests", name ? name + 5 : "");
    folder_replay(folder);
  }
  printf("1..%d\n", number);
  return 0;
}
