/* A kernel after which its process can no longer use the GPU: as near as a test comes to a device that is lost. */
__global__ void trap(void)
{
  asm volatile("trap;");
}

/* Returns when it has happened. */
extern "C" void test_device_lose(void)
{
  trap<<<1, 1>>>();
  (void)cudaDeviceSynchronize();
}
