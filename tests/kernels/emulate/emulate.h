/* Runs CUDA device code on the CPU, so that kernels are tested on machines without a GPU.
 *
 * A test includes this file first, then the kernel's .cuh, which takes the definitions here for those of CUDA, and
 * the machine's operations of primitives.h for those of kernels/primitives.cuh:
 *
 *     emulate::launch(grid, block, shared_bytes, [&] { kernel<double>(arguments); });
 *
 * Every CUDA thread is a fiber with a stack of its own; all of them, of all blocks, take turns in the one thread of
 * the program. A fiber runs until it has to wait: at a barrier, for the other lanes of its warp, for a flag. Order 0
 * takes the fibers in turn; any other order takes the warps at random, and warps and whole blocks lag behind. What
 * is asynchronous is as late as it may be: a copy's destination is NaN until its wait, a store's source is read at
 * its wait (with an odd order: at once). Shared memory starts as NaN.
 *
 * So it sees: wrong indices, missing barriers and waits, values read too early or overwritten too early, alignment
 * and range of copies, writes beyond the end of shared memory, lanes of a warp that meet in different operations,
 * threads that end with stores under way, deadlock (it names who waits where).
 *
 * It does not see: the weak order of memory (a missing fence, or release without acquire), static __shared__ arrays of
 * blocks that run at the same time (there is one for all; kernel_launch runs blocks in turn), conflicts of banks,
 * registers, time. Threads change only where they wait, so a race within one stretch between two waits may go unseen.
 * The switch between fibers is x86-64 code for the System V ABI.
 *
 * Device code reaches the thread that runs by plain names (threadIdx), so the machine is one global variable.
 */
#ifndef HS_TESTS_KERNELS_EMULATE_EMULATE_H
#define HS_TESTS_KERNELS_EMULATE_EMULATE_H

#define HS_EMULATE 1

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <cuda_runtime_api.h>
#include <vector_types.h>

namespace emulate
{

static constexpr size_t STACK_BYTES = 64 << 10; /* of a fiber */
static constexpr uint64_t STACK_END = 0x68656174736f6c76, SHARED_END = 0xa5a5a5a5a5a5a5a5;
static constexpr int IDLE_ROUNDS = 2000; /* without any progress: a deadlock */

/* Equal numbers on every machine. */
struct Random {
  uint64_t state;

  unsigned next()
  {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 32);
  }
  int integer(int first, int last)
  {
    return first + (int)(next() % (unsigned)(last - first + 1));
  }
  double between(double low, double high)
  {
    return low + (high - low) * (next() / 4294967296.0);
  }
};

/* Bytes under way: of a copy until its wait, of a store until its source may be written again. */
struct Transfer {
  void *to;
  const void *from;
  int bytes, group;
};

/* Threads meet here; a generation ends when all have come. */
struct Meeting {
  unsigned generation = 0;
  int arrived = 0;
  int sum[2] = {0, 0}; /* of what threads say, by generation */
};

/* Lanes meet here and show each other a value. */
struct Gathering {
  unsigned generation = 0;
  int arrived = 0;
  const char *operation = nullptr;
  uint64_t value[2][32]; /* by generation */
};

/* A barrier in shared memory and the loads that will arrive at it. */
struct Arrival {
  unsigned phase = 0;
  std::vector<Transfer> late;
};

struct Warp {
  Gathering whole;
  std::map<unsigned, Gathering> part; /* by mask */
};

struct Block {
  uint3 index;
  char *shared = nullptr;
  size_t shared_bytes = 0;
  Meeting all;
  std::vector<Warp> warp;
  std::map<const void *, Arrival> arrivals;
};

enum State { READY, WAITING, DONE };

struct Fiber {
  void *stack_pointer = nullptr;
  char *stack = nullptr;
  Block *block = nullptr;
  uint3 thread;
  int number = 0; /* in the block */
  State state = READY;
  const unsigned *word = nullptr; /* WAITING until it differs from `value` */
  unsigned value = 0;
  bool spun = false; /* came back from a loop that waits for something */
  const char *where = "its beginning";
  std::vector<Transfer> stores;
  int store_group = 0;
};

struct Machine {
  Fiber *now = nullptr;
  void *scheduler = nullptr; /* its stack pointer */
  dim3 grid, block;
  unsigned order = 0;
  std::string label; /* what is tested, for messages */
  const std::function<void()> *kernel = nullptr;
  size_t live = 0;            /* fibers that have not ended */
  std::vector<char *> stacks; /* not in use */
};

inline Machine machine;

/* Ends the program with a failed test. */
[[noreturn]] inline void fail(const char *text)
{
  const Fiber *f = machine.now;
  printf("not ok - %s\n# %s", machine.label.c_str(), text);
  if (f)
    printf(" (block %u, %u, thread %u, %u, in %s)", f->block->index.x, f->block->index.y, f->thread.x, f->thread.y,
           f->where);
  printf("\n# order %u\n", machine.order);
  fflush(stdout);
  _exit(1);
}

/* --- fibers ----------------------------------------------------------------------------------- */

/* Saves the registers that a call must keep, and continues where `load` was saved. */
extern "C" void hs_emulate_switch(void **save, void *load);
asm(R"(
.text
.weak hs_emulate_switch
.type hs_emulate_switch,@function
hs_emulate_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size hs_emulate_switch,.-hs_emulate_switch
)");

inline void to_scheduler()
{
  Fiber *self = machine.now;
  hs_emulate_switch(&self->stack_pointer, machine.scheduler);
}

/* Lets the others run; the caller looks again afterwards. */
inline void spin(const char *where)
{
  machine.now->where = where;
  machine.now->spun = true;
  to_scheduler();
}

inline void wait_until_changed(const unsigned *word, unsigned value, const char *where)
{
  machine.now->where = where;
  if (*word != value) return;
  machine.now->state = WAITING;
  machine.now->word = word;
  machine.now->value = value;
  to_scheduler();
}

/* Where every fiber begins. */
inline void fiber_run()
{
  (*machine.kernel)();
  Fiber *self = machine.now;
  self->where = "its end";
  if (!self->stores.empty()) fail("a thread ends with a store that nobody waited for");
  self->state = DONE;
  to_scheduler();
  abort(); /* no way back */
}

inline char *stack_take()
{
  if (!machine.stacks.empty()) {
    char *stack = machine.stacks.back();
    machine.stacks.pop_back();
    return stack;
  }
  void *stack = mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) fail("no memory for the stacks of the threads");
  memcpy(stack, &STACK_END, sizeof STACK_END);
  return (char *)stack;
}

inline void stack_give_back(char *stack)
{
  if (memcmp(stack, &STACK_END, sizeof STACK_END)) fail("a thread's stack was too small (STACK_BYTES)");
  machine.stacks.push_back(stack);
}

inline void fiber_create(Fiber &f, Block &block, int number)
{
  const dim3 &size = machine.block;
  const unsigned n = number;
  f.block = &block;
  f.number = number;
  f.thread = {n % size.x, n / size.x % size.y, n / (size.x * size.y)};
  f.stack = stack_take();
  const size_t shift = (n % 61) * 128; /* else all tops compete for the same few lines of the cache */
  void **top = (void **)(f.stack + STACK_BYTES - 64 - shift);
  *--top = nullptr; /* a return address that is never used, and the alignment of a call */
  *--top = (void *)fiber_run;
  for (int k = 0; k < 6; k++) *--top = nullptr;
  f.stack_pointer = top;
}

/* --- meetings --------------------------------------------------------------------------------- */

inline int block_threads()
{
  return int(machine.block.x * machine.block.y * machine.block.z);
}

inline int lane()
{
  return machine.now->number % 32;
}

/* All threads of the block; returns the sum of what they say. */
inline int meet(int say, const char *where)
{
  Meeting &m = machine.now->block->all;
  const unsigned generation = m.generation;
  m.sum[generation & 1] += say;
  if (++m.arrived == block_threads()) {
    m.arrived = 0;
    m.sum[(generation + 1) & 1] = 0;
    m.generation++;
  } else {
    wait_until_changed(&m.generation, generation, where);
  }
  return m.sum[generation & 1];
}

/* All lanes of mask show a value; returns the table of them. */
inline const uint64_t *gather(unsigned mask, uint64_t value, const char *operation)
{
  machine.now->where = operation;
  if (!(mask >> lane() & 1)) fail("a warp's operation by a lane that is not in its mask");
  Warp &warp = machine.now->block->warp[machine.now->number / 32];
  Gathering &g = mask == ~0u ? warp.whole : warp.part[mask];
  const unsigned generation = g.generation;
  if (g.arrived > 0 && g.operation != operation && strcmp(g.operation, operation))
    fail("lanes of a warp meet in different operations");
  g.operation = operation;
  g.value[generation & 1][lane()] = value;
  if (++g.arrived == __builtin_popcount(mask)) {
    g.arrived = 0;
    g.generation++;
  } else {
    wait_until_changed(&g.generation, generation, operation);
  }
  return g.value[generation & 1];
}

/* --- launches --------------------------------------------------------------------------------- */

/* Shared memory: all NaN, aligned as on the device, with a mark behind its end. */
inline void block_begin(Block &b, size_t shared_bytes)
{
  const size_t bytes = (shared_bytes + sizeof SHARED_END + 255) / 256 * 256;
  b.shared_bytes = shared_bytes;
  b.shared = (char *)aligned_alloc(256, bytes);
  if (!b.shared) fail("no memory for shared memory");
  memset(b.shared, 0xff, bytes);
  memcpy(b.shared + shared_bytes, &SHARED_END, sizeof SHARED_END);
  b.warp.resize((block_threads() + 31) / 32);
}

inline void block_end(Block &b)
{
  if (memcmp(b.shared + b.shared_bytes, &SHARED_END, sizeof SHARED_END)) fail("a write beyond shared memory's end");
  free(b.shared);
}

[[noreturn]] inline void deadlock(const std::vector<Fiber> &fibers)
{
  std::map<std::string, int> groups;
  for (const Fiber &f : fibers)
    if (f.state != DONE)
      groups["# block " + std::to_string(f.block->index.x) + ", warp " + std::to_string(f.number / 32) + ": " +
             f.where]++;
  int shown = 0;
  for (const auto &group : groups)
    if (shown++ < 24) printf("%s, %d threads\n", group.first.c_str(), group.second);
  machine.now = nullptr;
  fail("deadlock: no thread can go on");
}

/* A warp's turn: its lanes one after another, beginning with any. */
struct Turn {
  Fiber *lanes;
  int count, block;
  int first = 0;
  bool backwards = false, lags = false;
};

inline std::vector<Turn> turns_begin(std::vector<Fiber> &fibers)
{
  const int threads = block_threads();
  std::vector<Turn> turns;
  for (size_t b = 0; b < fibers.size() / threads; b++)
    for (int t = 0; t < threads; t += 32)
      turns.push_back({&fibers[b * threads + t], std::min(32, threads - t), (int)b});
  return turns;
}

/* Another order of turns; some blocks and some warps lag behind this time. */
inline void turns_change(Random &random, std::vector<Turn> &turns)
{
  const unsigned block = random.next();
  for (size_t n = turns.size(); n > 1; n--) std::swap(turns[n - 1], turns[(uint64_t)random.next() * n >> 32]);
  for (Turn &t : turns) {
    t.first = random.integer(0, t.count - 1);
    t.backwards = random.integer(0, 1);
    t.lags = (block >> t.block % 16 & block >> (t.block % 16 + 7) & 1) || random.integer(0, 3) == 0;
  }
}

/* Runs one fiber until it waits. Did it do anything? */
inline bool fiber_step(Fiber &f)
{
  if (f.state == WAITING && *f.word != f.value) f.state = READY;
  if (f.state != READY) return false;
  machine.now = &f;
  f.spun = false;
  hs_emulate_switch(&machine.scheduler, f.stack_pointer);
  machine.now = nullptr;
  if (f.state == DONE) machine.live--;
  return !f.spun;
}

/* Runs all fibers to their ends. */
inline void schedule(std::vector<Fiber> &fibers)
{
  Random random = {88172645463325252u + machine.order};
  std::vector<Turn> turns = turns_begin(fibers);
  machine.live = fibers.size();
  for (int idle = 0; machine.live > 0;) {
    bool progress = false;
    if (machine.order) turns_change(random, turns);
    for (const Turn &t : turns)
      for (int n = 0; n < t.count && !t.lags; n++) {
        const int lane = (t.first + n) % t.count;
        if (fiber_step(t.lanes[t.backwards ? t.count - 1 - lane : lane])) progress = true;
      }
    idle = progress ? 0 : idle + 1;
    if (idle > IDLE_ROUNDS) deadlock(fibers);
  }
}

/* Runs `count` blocks of a launch from the `first`-th on, all at the same time, to their ends. */
inline void blocks_run(unsigned first, unsigned count, size_t shared_bytes)
{
  const dim3 &grid = machine.grid;
  const int threads = block_threads();
  std::vector<Block> blocks(count);
  std::vector<Fiber> fibers((size_t)count * threads);
  for (unsigned b = 0; b < count; b++) {
    const unsigned number = first + b;
    blocks[b].index = {number % grid.x, number / grid.x % grid.y, number / (grid.x * grid.y)};
    block_begin(blocks[b], shared_bytes);
    for (int t = 0; t < threads; t++) fiber_create(fibers[(size_t)b * threads + t], blocks[b], t);
  }
  schedule(fibers);
  for (Fiber &f : fibers) stack_give_back(f.stack);
  for (Block &b : blocks) block_end(b);
}

/* Runs a launch to its end, all blocks at the same time. */
inline void launch(dim3 grid, dim3 block, size_t shared_bytes, const std::function<void()> &kernel)
{
  machine.grid = grid;
  machine.block = block;
  machine.kernel = &kernel;
  blocks_run(0, grid.x * grid.y * grid.z, shared_bytes);
}

/* Runs a launch whose blocks do not wait for each other, one block after another: static __shared__ arrays may be
 * used. */
inline void launch_in_turn(dim3 grid, dim3 block, const std::function<void()> &kernel)
{
  machine.grid = grid;
  machine.block = block;
  machine.kernel = &kernel;
  for (unsigned b = 0; b < grid.x * grid.y * grid.z; b++) blocks_run(b, 1, 0);
}

} // namespace emulate

#include "device.h"
#include "primitives.h"

#endif
