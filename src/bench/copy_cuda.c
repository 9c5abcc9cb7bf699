/* Copying in device memory: the driver's copy and the kernel that saves fields, whichever is faster.
 *
 * Each time is that of one copy, taken by the device's own clock (events), so that launching does not count.
 */
#include <stdlib.h>

#include "bench/copy.h"
#include "kernels.h"

enum { COPIES = 15 };

struct copying {
  void *from, *to;
  size_t bytes;
  cudaEvent_t start, stop;
};

static hs_status check(cudaError_t code, const char *doing, struct hs_error *err)
{
  if (code == cudaSuccess) return HS_OK;
  (void)cudaGetLastError();
  return hs_error_set(err, HS_ERR_DEVICE, "%s failed on the GPU: %s (%s)", doing, cudaGetErrorString(code),
                      cudaGetErrorName(code));
}

static int compare(const void *a, const void *b)
{
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* Two arrays of 1 GiB, smaller ones where that is more than a quarter of what is free. */
static cudaError_t arrays_create(struct copying *copying)
{
  size_t available = 0, total = 0;
  cudaError_t code = cudaMemGetInfo(&available, &total);
  copying->bytes = (size_t)1 << 30;
  while (copying->bytes > available / 4 && copying->bytes > (size_t)1 << 20) copying->bytes /= 2;
  if (!code) code = cudaMalloc(&copying->from, copying->bytes);
  if (!code) code = cudaMalloc(&copying->to, copying->bytes);
  if (!code) code = cudaMemset(copying->from, 0x5a, copying->bytes);
  if (!code) code = cudaMemset(copying->to, 0, copying->bytes);
  if (!code) code = cudaEventCreate(&copying->start);
  if (!code) code = cudaEventCreate(&copying->stop);
  return code;
}

static void arrays_destroy(struct copying *copying)
{
  if (copying->stop) (void)cudaEventDestroy(copying->stop);
  if (copying->start) (void)cudaEventDestroy(copying->start);
  (void)cudaFree(copying->to);
  (void)cudaFree(copying->from);
}

/* Median time of one way to copy, ms. */
static cudaError_t copy_time(const struct copying *copying, int with_kernel, float *median_ms)
{
  float times_ms[COPIES];
  cudaError_t code = cudaSuccess;
  for (int k = -2; !code && k < COPIES; k++) {
    float ms = 0.0f;
    code = cudaEventRecord(copying->start, NULL);
    if (!code)
      code = with_kernel ? hs_kernel_copy(copying->from, copying->to, copying->bytes, NULL, NULL)
                         : cudaMemcpyAsync(copying->to, copying->from, copying->bytes, cudaMemcpyDeviceToDevice, NULL);
    if (!code) code = cudaEventRecord(copying->stop, NULL);
    if (!code) code = cudaEventSynchronize(copying->stop);
    if (!code) code = cudaEventElapsedTime(&ms, copying->start, copying->stop);
    if (k >= 0) times_ms[k] = ms;
  }
  if (code) return code;
  qsort(times_ms, COPIES, sizeof *times_ms, compare);
  *median_ms = times_ms[COPIES / 2];
  return cudaSuccess;
}

hs_status hs_rate_copy_device(double *bytes_per_s, struct hs_error *err)
{
  struct copying copying = {0};
  float driver_ms = 0.0f, kernel_ms = 0.0f;
  hs_status status = check(arrays_create(&copying), "allocating arrays to copy", err);
  if (!status) status = check(copy_time(&copying, 0, &driver_ms), "copying", err);
  if (!status) status = check(copy_time(&copying, 1, &kernel_ms), "copying by a kernel", err);
  if (!status) *bytes_per_s = 2e3 * (double)copying.bytes / (double)(driver_ms < kernel_ms ? driver_ms : kernel_ms);
  arrays_destroy(&copying);
  return status;
}
