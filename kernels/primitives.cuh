/* The machine's own operations under names: the copy engine, flags between blocks that run at the same time, counters
 * between warps of a block, registers that warps trade, and a block's dynamic shared memory.
 *
 * They need a device of compute capability 8.0 or newer; older code has a trap in their place, and the backends
 * that use them refuse older devices. Host tests of kernels define HS_EMULATE and bring their own versions.
 */
#ifndef HS_KERNELS_PRIMITIVES_CUH
#define HS_KERNELS_PRIMITIVES_CUH

#include <stdint.h>

#ifndef HS_EMULATE

/* In kernels of kernel_launch_dependent: waits until the kernel before has ended and its writes are seen. What precedes the
 * call may only read what no kernel of the cycle writes. Then the next kernel may begin, and so never before the last but
 * one has ended. */
__device__ __forceinline__ void await_predecessor()
{
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

#if __CUDA_ARCH__ >= 800
#define HS_DEVICE_ASM(...) asm volatile(__VA_ARGS__)
#else
#define HS_DEVICE_ASM(...) __trap()
#endif

/* Address within the block's shared memory. */
__device__ __forceinline__ unsigned shared_address(const void *shared)
{
  return (unsigned)__cvta_generic_to_shared(shared);
}

/* A barrier in shared memory, each of whose phases a load completes (bulk_load). */
__device__ __forceinline__ void barrier_create(uint64_t *barrier)
{
  HS_DEVICE_ASM("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

/* Waits for the end of a phase; phases count 0, 1, 2, ... */
__device__ __forceinline__ void barrier_wait(uint64_t *barrier, unsigned phase)
{
  unsigned done = 0;
  do {
#if __CUDA_ARCH__ >= 900
    HS_DEVICE_ASM("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                  : "=r"(done)
                  : "r"(shared_address(barrier)), "r"(phase & 1u)
                  : "memory");
#elif __CUDA_ARCH__ >= 800
    /* phases alternate: a look at the parity by an arrival's state is not there before 9.0 */
    HS_DEVICE_ASM("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                  : "=r"(done)
                  : "r"(shared_address(barrier)), "r"(phase & 1u)
                  : "memory");
#else
    __trap();
#endif
  } while (!done);
}

/* One thread: copies `bytes` (a multiple of 16, addresses too) to shared memory and arrives at the barrier when they
 * are there. Compute capability 9.0 has an engine for it. */
__device__ __forceinline__ void bulk_load(void *shared, const void *global, int bytes, uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
  HS_DEVICE_ASM("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                : "memory");
  HS_DEVICE_ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                    shared_address(shared)),
                "l"(global), "r"(bytes), "r"(shared_address(barrier))
                : "memory");
#else
  for (int k = 0; k < bytes; k += 16)
    HS_DEVICE_ASM("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address((char *)shared + k)),
                  "l"((const char *)global + k)
                  : "memory");
  HS_DEVICE_ASM("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
#endif
}

/* One thread: begins to copy `bytes` from shared to global memory. Before, every thread that wrote them calls
 * bulk_publish, and all meet. */
__device__ __forceinline__ void bulk_store(void *global, const void *shared, int bytes)
{
#if __CUDA_ARCH__ >= 900
  HS_DEVICE_ASM("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                "r"(shared_address(shared)), "r"(bytes)
                : "memory");
#else
  for (int k = 0; k < bytes; k += 16) *(int4 *)((char *)global + k) = *(const int4 *)((const char *)shared + k);
#endif
}

__device__ __forceinline__ void bulk_publish()
{
#if __CUDA_ARCH__ >= 900
  HS_DEVICE_ASM("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* Ends a group of this thread's stores; waits until all groups but the latest N have been read from shared memory. */
__device__ __forceinline__ void bulk_commit()
{
#if __CUDA_ARCH__ >= 900
  HS_DEVICE_ASM("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

template <int N> __device__ __forceinline__ void bulk_wait()
{
#if __CUDA_ARCH__ >= 900
  HS_DEVICE_ASM("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
#endif
}

/* What other blocks wrote before they released the flag is visible after the load. */
__device__ __forceinline__ unsigned flag_load_acquire(const unsigned *flag)
{
  unsigned value = 0;
  HS_DEVICE_ASM("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__device__ __forceinline__ void flag_store_release(unsigned *flag, unsigned value)
{
  HS_DEVICE_ASM("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

/* The same between the warps of a block, for counters in shared memory. */
__device__ __forceinline__ unsigned shared_load_acquire(const unsigned *flag)
{
  unsigned value = 0;
  HS_DEVICE_ASM("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(shared_address(flag)) : "memory");
  return value;
}

__device__ __forceinline__ void shared_store_release(unsigned *flag, unsigned value)
{
  HS_DEVICE_ASM("st.release.cta.shared.u32 [%0], %1;" ::"r"(shared_address(flag)), "r"(value) : "memory");
}

/* Waits until a counter that only grows has reached at_least, and returns it. */
__device__ __forceinline__ unsigned shared_wait(const unsigned *flag, unsigned at_least)
{
  unsigned value;
  do value = shared_load_acquire(flag);
  while ((int)(value - at_least) < 0);
  return value;
}

/* The same for a warp that has time: it leaves the scheduler to others meanwhile. */
__device__ __forceinline__ void shared_wait_idle(const unsigned *flag, unsigned at_least)
{
  while ((int)(shared_load_acquire(flag) - at_least) < 0) {
#if __CUDA_ARCH__ >= 800
    __nanosleep(40);
#endif
  }
}

/* The same for data that is read by load_strong_if alone: such loads go to the second cache and start only after the
 * wait. An acquire would also empty the first cache, which then no longer holds what never changes. */
__device__ __forceinline__ void flag_wait_strong(const unsigned *flag, unsigned at_least)
{
  unsigned value = 0;
  do {
    HS_DEVICE_ASM("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  } while ((int)(value - at_least) < 0);
}

/* Loads without a branch, so that many are under way at once. */
__device__ __forceinline__ void load_strong_if(bool wanted, double &value, const double *global)
{
  HS_DEVICE_ASM("{\n.reg .pred p;\nsetp.ne.u32 p, %1, 0;\n@p ld.relaxed.gpu.global.f64 %0, [%2];\n}"
                : "+d"(value)
                : "r"((unsigned)wanted), "l"(global));
}
__device__ __forceinline__ void load_strong_if(bool wanted, float &value, const float *global)
{
  HS_DEVICE_ASM("{\n.reg .pred p;\nsetp.ne.u32 p, %1, 0;\n@p ld.relaxed.gpu.global.f32 %0, [%2];\n}"
                : "+f"(value)
                : "r"((unsigned)wanted), "l"(global));
}

/* The same for 2 or 4 elements side by side, aligned to the size of all. */
__device__ __forceinline__ void load_strong_if(bool wanted, double &a, double &b, const double *global)
{
  HS_DEVICE_ASM("{\n.reg .pred p;\nsetp.ne.u32 p, %2, 0;\n@p ld.relaxed.gpu.global.v2.f64 {%0, %1}, [%3];\n}"
                : "+d"(a), "+d"(b)
                : "r"((unsigned)wanted), "l"(global));
}
__device__ __forceinline__ void load_strong_if(bool wanted, float &a, float &b, const float *global)
{
  HS_DEVICE_ASM("{\n.reg .pred p;\nsetp.ne.u32 p, %2, 0;\n@p ld.relaxed.gpu.global.v2.f32 {%0, %1}, [%3];\n}"
                : "+f"(a), "+f"(b)
                : "r"((unsigned)wanted), "l"(global));
}
__device__ __forceinline__ void load_strong_if(bool wanted, float &a, float &b, float &c, float &d, const float *global)
{
  HS_DEVICE_ASM("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\n@p ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%5];\n}"
                : "+f"(a), "+f"(b), "+f"(c), "+f"(d)
                : "r"((unsigned)wanted), "l"(global));
}

/* Loads of what never changes, made where they stand: the compiler does not keep what they bring from one use to the
 * next, which would cost more registers than there are. */
__device__ __forceinline__ double load_constant(const double *global)
{
  double value;
  asm volatile("ld.global.nc.f64 %0, [%1];" : "=d"(value) : "l"(global));
  return value;
}
__device__ __forceinline__ float load_constant(const float *global)
{
  float value;
  asm volatile("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(global));
  return value;
}

/* A thread's place in its warp; the compiler keeps it, where it would ask for the thread's index again and again. */
__device__ __forceinline__ unsigned lane_index()
{
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

/* True in one lane of a warp that is together, always the same one; the compiler knows that it is one. */
__device__ __forceinline__ bool warp_elect()
{
#if __CUDA_ARCH__ >= 900
  unsigned elected = 0;
  HS_DEVICE_ASM("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(elected));
  return elected != 0;
#else
  return threadIdx.x % 32 == 0;
#endif
}

/* Groups of four warps trade registers: all threads of a group call it, with the number that each then has. Only
 * code for one architecture (sm_90a, sm_100a) can; in other code nothing happens, and the compiler keeps within
 * equal shares. */
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || (defined(__CUDA_ARCH_SPECIFIC__) && __CUDA_ARCH_SPECIFIC__ >= 900)
#define HS_REGISTERS_TRADED 1
#endif
template <int REGISTERS> __device__ __forceinline__ void registers_raise()
{
#ifdef HS_REGISTERS_TRADED
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}
template <int REGISTERS> __device__ __forceinline__ void registers_lower()
{
#ifdef HS_REGISTERS_TRADED
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
#endif
}

/* All lanes' bits together, in a register that the compiler knows to be common to the warp. */
__device__ __forceinline__ unsigned warp_or(unsigned bits)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(0xffffffffu, bits);
#else
  return __any_sync(0xffffffffu, bits) ? bits : 0u; /* never runs */
#endif
}

/* The block's dynamic shared memory. */
template <typename T> __device__ __forceinline__ T *dynamic_shared()
{
  extern __shared__ double2 s_dynamic[];
  return (T *)s_dynamic;
}

#endif

#endif
