/* Holds all of a GPU's free memory but so many megabytes, until its standard input ends: another program, for
 * device_failures.sh.
 *
 * usage: hold_memory MEGABYTES
 *
 * It prints "holding" when it holds the memory. Exit status 77: there is no device, or the memory cannot be had.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

enum { SKIP = 77 };

static const size_t SMALLEST_BYTES = (size_t)2 << 20;

/* Takes pieces, each as large as can be had, until `leave` bytes are free. */
static int hold(size_t leave)
{
  size_t available, total, piece = SIZE_MAX;
  for (;;) {
    void *memory;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess) return SKIP;
    if (available < leave + SMALLEST_BYTES) return 0;
    if (piece > available - leave) piece = available - leave;
    if (cudaMalloc(&memory, piece) == cudaSuccess) continue;
    (void)cudaGetLastError();
    piece /= 2;
    if (piece < SMALLEST_BYTES) return SKIP;
  }
}

int main(int argc, char **argv)
{
  const size_t leave = argc > 1 ? strtoul(argv[1], NULL, 10) * 1000000 : 0;
  const int status = hold(leave);
  if (status) return status;
  puts("holding");
  fflush(stdout);
  while (getchar() != EOF) continue;
  return 0;
}
