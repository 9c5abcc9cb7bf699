/* The device's copy bandwidth, the limit of one sweep per pass: read once, write once.
 *
 *   copy_rate [BYTES ...]      of each of the two arrays; default 2^31 and 2^30 (16384^2 double, single)
 *
 * Three copies: the driver's (cudaMemcpyAsync), the kernel that heatsolve saves fields with, and
 * best of both. Median of 21 event-timed copies after a warm-up.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels.h"

enum { REPEATS = 21 };

static void check(cudaError_t code)
{
  if (code == cudaSuccess) return;
  fprintf(stderr, "copy_rate: %s\n", cudaGetErrorString(code));
  exit(1);
}

static int compare(const void *a, const void *b)
{
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* GB/s of one way to copy, counting bytes read and written. */
static double rate(void *from, void *to, size_t bytes, int with_kernel)
{
  float times[REPEATS];
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  for (int k = -2; k < REPEATS; k++) {
    float ms;
    check(cudaEventRecord(start, NULL));
    check(with_kernel ? hs_kernel_copy(from, to, bytes, NULL, NULL)
                      : cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, NULL));
    check(cudaEventRecord(stop, NULL));
    check(cudaEventSynchronize(stop));
    check(cudaEventElapsedTime(&ms, start, stop));
    if (k >= 0) times[k] = ms;
  }
  qsort(times, REPEATS, sizeof *times, compare);
  return 2e-6 * (double)bytes / times[REPEATS / 2];
}

int main(int argc, char **argv)
{
  const size_t defaults[] = {(size_t)1 << 31, (size_t)1 << 30};
  const int count = argc > 1 ? argc - 1 : 2;
  for (int k = 0; k < count; k++) {
    const size_t bytes = argc > 1 ? (size_t)strtoull(argv[k + 1], NULL, 10) / 16 * 16 : defaults[k];
    void *from = NULL, *to = NULL;
    double driver, kernel;
    check(cudaMalloc(&from, bytes));
    check(cudaMalloc(&to, bytes));
    check(cudaMemset(from, 0x5a, bytes));
    check(cudaMemset(to, 0, bytes));
    driver = rate(from, to, bytes, 0);
    kernel = rate(from, to, bytes, 1);
    printf("%12zu bytes: driver %7.1f GB/s, kernel %7.1f GB/s, limit %7.1f GB/s\n", bytes, driver, kernel,
           driver > kernel ? driver : kernel);
    check(cudaFree(to));
    check(cudaFree(from));
  }
  return 0;
}
