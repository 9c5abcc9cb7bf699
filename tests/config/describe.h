/* Configurations as texts, for tests of what was read. */
#ifndef HS_TESTS_CONFIG_DESCRIBE_H
#define HS_TESTS_CONFIG_DESCRIBE_H

#include "support.h"

/* A complete configuration with a source in a node. */
extern const char SMALL_FILE[];

/* The folder of the tests, HS_TEST_SRCDIR. */
const char *config_folder(void);

/* Writes text into a new file; the name is owned by the caller, who removes the file. */
char *file_create(const char *text);

/* All values of a configuration as text, owned by the caller; and those of a text that is read as one. */
char *config_describe(const struct hs_config *config);
char *text_describe(const char *text);

#endif
