/* Kinds of calls that inject.c makes fail. */
#ifndef HS_TESTS_FAULTS_CALLS_H
#define HS_TESTS_FAULTS_CALLS_H

enum call {
  CALL_MEMORY, /* malloc, calloc, realloc, aligned_alloc, posix_memalign, strdup */
  CALL_OPEN,   /* open, openat, fopen, mkostemp, mkdir */
  CALL_READ,   /* pread */
  CALL_WRITE,
  CALL_PWRITE,
  CALL_TRUNCATE, /* ftruncate */
  CALL_ALLOCATE, /* posix_fallocate */
  CALL_FSYNC,
  CALL_RENAME,
  CALL_CLOSE, /* close, fclose */
  CALL_MMAP,
  CALL_THREAD, /* pthread_create */
  CALL_OWN,    /* what the program asks for without a library between: repeats itself where MPI's threads do not */
  CALL_DISK,   /* what takes room on a disk: write, pwrite, ftruncate, posix_fallocate, counted together */
  CALLS
};

static const char *const call_names[CALLS] = {"malloc", "open",   "read",  "write", "pwrite", "ftruncate", "fallocate",
                                              "fsync",  "rename", "close", "mmap",  "thread", "own",       "disk"};

#endif
