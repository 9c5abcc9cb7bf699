/* A temporary folder for the files of tests, and what is in it. A program has one at a time. */
#ifndef HS_TESTS_FOLDER_H
#define HS_TESTS_FOLDER_H

/* Makes a folder under TMPDIR, or /tmp. Returns 0, or -1 with errno set, as cmocka's setups do. */
int test_folder_create(const char *name);

/* Its path, and that of a file in it; the latter is reused by the next call. */
const char *test_folder(void);
const char *test_folder_path(const char *name);

/* Removes these files (NULL ends them; some may not exist) and the folder, which must be empty then. Returns 0 or -1. */
int test_folder_remove(const char *const files[]);

/* Removes the folder with all that is in it. Returns the number of temporary files, whose names begin with a dot. */
int test_folder_remove_all(void);

/* Files in a folder. */
int test_folder_count(const char *path);

/* Writes a text to a file; reads it, or its first 65535 bytes. The caller frees the text. */
void test_file_put(const char *path, const char *text);
char *test_file_get(const char *path);

#endif
