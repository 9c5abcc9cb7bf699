/* The operations of kernels/primitives.cuh for emulate.h: the same names, as late and strict as the device may be.
 */
#ifndef HS_TESTS_KERNELS_EMULATE_PRIMITIVES_H
#define HS_TESTS_KERNELS_EMULATE_PRIMITIVES_H

namespace emulate
{

/* Fails unless both ends of a transfer are aligned and its shared one lies in the block's memory. */
inline void transfer_check(const void *shared, const void *global, int bytes, int alignment)
{
  const Block &b = *machine.now->block;
  const char *begin = (const char *)shared;
  if ((uintptr_t)shared % alignment || (uintptr_t)global % alignment || bytes % alignment)
    fail("a copy's addresses or length are not aligned");
  if (bytes < 0 || begin < b.shared || begin + bytes > b.shared + b.shared_bytes) fail("a copy leaves shared memory");
}

/* Delivers what belongs to groups before `end`. */
inline void deliver(std::vector<Transfer> &transfers, int end)
{
  std::vector<Transfer> left;
  for (const Transfer &t : transfers) {
    if (t.group < end)
      memcpy(t.to, t.from, t.bytes);
    else
      left.push_back(t);
  }
  transfers.swap(left);
}

inline Arrival &arrival_of(const uint64_t *barrier)
{
  auto &all = machine.now->block->arrivals;
  const auto found = all.find(barrier);
  if (found == all.end()) fail("a barrier that was not created");
  return found->second;
}

} // namespace emulate

inline void barrier_create(uint64_t *barrier)
{
  emulate::machine.now->block->arrivals[barrier] = emulate::Arrival();
}
inline void bulk_load(void *shared, const void *global, int bytes, uint64_t *barrier)
{
  emulate::machine.now->where = "bulk_load";
  emulate::transfer_check(shared, global, bytes, 16);
  memset(shared, 0xff, bytes);
  emulate::arrival_of(barrier).late.push_back({shared, global, bytes, 0});
}
/* The load arrives when somebody waits for it. */
inline void barrier_wait(uint64_t *barrier, unsigned phase)
{
  emulate::Arrival &a = emulate::arrival_of(barrier);
  for (;;) {
    emulate::machine.now->where = "barrier_wait";
    if (a.late.size() > 1) emulate::fail("two loads at one barrier");
    a.phase += (unsigned)a.late.size();
    emulate::deliver(a.late, 1);
    if ((a.phase & 1) != (phase & 1)) break;
    emulate::spin("barrier_wait");
  }
  if (a.phase != phase + 1) emulate::fail("a barrier is some phases ahead of who waits there");
}

/* The source is read at the wait, or at once: both must do. */
inline void bulk_store(void *global, const void *shared, int bytes)
{
  emulate::Fiber &f = *emulate::machine.now;
  f.where = "bulk_store";
  emulate::transfer_check(shared, global, bytes, 16);
  f.stores.push_back({global, shared, bytes, f.store_group});
  if (emulate::machine.order % 2) memcpy(global, shared, bytes);
}
inline void bulk_publish()
{
}
inline void bulk_commit()
{
  emulate::machine.now->store_group++;
}
template <int N> inline void bulk_wait()
{
  emulate::Fiber &f = *emulate::machine.now;
  if (emulate::machine.order % 2)
    f.stores.erase(std::remove_if(f.stores.begin(), f.stores.end(),
                                  [&](const emulate::Transfer &t) { return t.group < f.store_group - N; }),
                   f.stores.end());
  else
    emulate::deliver(f.stores, f.store_group - N);
}

inline unsigned flag_load_acquire(const unsigned *flag)
{
  return *flag;
}
inline void flag_store_release(unsigned *flag, unsigned value)
{
  *flag = value;
}
inline void flag_wait_strong(const unsigned *flag, unsigned at_least)
{
  while ((int)(*flag - at_least) < 0) emulate::spin("flag_wait_strong");
}
inline unsigned shared_load_acquire(const unsigned *flag)
{
  return *flag;
}
inline void shared_store_release(unsigned *flag, unsigned value)
{
  *flag = value;
}
inline unsigned shared_wait(const unsigned *flag, unsigned at_least)
{
  while ((int)(*flag - at_least) < 0) emulate::spin("shared_wait");
  return *flag;
}
inline void shared_wait_idle(const unsigned *flag, unsigned at_least)
{
  while ((int)(*flag - at_least) < 0) emulate::spin("shared_wait_idle");
}
template <int N> inline void registers_raise()
{
}
template <int N> inline void registers_lower()
{
}
template <typename Real> inline Real load_constant(const Real *global)
{
  return *global;
}
inline unsigned lane_index()
{
  return threadIdx.x % 32;
}
inline bool warp_elect()
{
  return threadIdx.x % 32 == 0;
}
template <typename T> inline void load_strong_if(bool wanted, T &value, const T *global)
{
  if (wanted) value = *global;
}
template <typename T> inline void load_strong_if(bool wanted, T &a, T &b, const T *global)
{
  if (!wanted) return;
  emulate::alignment_check(global, 2 * sizeof(T));
  a = global[0];
  b = global[1];
}
template <typename T> inline void load_strong_if(bool wanted, T &a, T &b, T &c, T &d, const T *global)
{
  if (!wanted) return;
  emulate::alignment_check(global, 4 * sizeof(T));
  a = global[0];
  b = global[1];
  c = global[2];
  d = global[3];
}
inline unsigned warp_or(unsigned bits)
{
  return __reduce_or_sync(0xffffffffu, bits);
}
template <typename T> inline T *dynamic_shared()
{
  return (T *)emulate::machine.now->block->shared;
}

/* --- asynchronous copies of a thread (cuda_pipeline.h) ----------------------------------------- */

/* The destination is NaN until the wait. */
inline void __pipeline_memcpy_async(void *shared, const void *global, size_t bytes)
{
  emulate::alignment_check(shared, bytes);
  emulate::alignment_check(global, bytes);
  memset(shared, 0xff, bytes);
  emulate::machine.now->stores.push_back({shared, global, (int)bytes, 0});
}
inline void __pipeline_commit()
{
}
inline void __pipeline_wait_prior(size_t)
{
  emulate::deliver(emulate::machine.now->stores, 1);
}

/* --- launches of kernels/launch.cuh ------------------------------------------------------------ */

template <typename... Parameters, typename... Arguments>
cudaError_t kernel_launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t,
                          const Arguments &...arguments)
{
  emulate::launch_in_turn(grid, block, [&] { kernel(arguments...); });
  return cudaSuccess;
}

template <typename... Parameters, typename... Arguments>
cudaError_t kernel_launch_dependent(void (*kernel)(Parameters...), dim3 grid, dim3 block, int, cudaStream_t stream,
                                    const Arguments &...arguments)
{
  return kernel_launch(kernel, grid, block, stream, arguments...);
}

inline void await_predecessor()
{
}

#endif
