/* Ranks as threads of one process: what several processes tell each other by MPI goes through the memory of this one.
 *
 * One rank computes at a time; the next one goes on where it waits for another. So nothing that ranks share needs locks
 * (libraries that are not safe for threads do). Ranks that wait for each other in vain, or meet in different operations, end the
 * program with a sentence.
 */
#ifndef HS_TESTS_COMM_RANKS_H
#define HS_TESTS_COMM_RANKS_H

#include "comm/comm.h"

/* Calls body(comm, context) once for each of `ranks` ranks and returns when all have returned. A body must not use cmocka's
 * assertions, which are the main thread's: it notes what it finds in context, or uses test_rank_require. */
void test_ranks_run(int ranks, void (*body)(struct hs_comm *comm, void *context), void *context);

/* Ends the program unless the condition holds. */
#define test_rank_require(comm, condition) test_rank_require_at((comm), (condition), #condition, __FILE__, __LINE__)
void test_rank_require_at(const struct hs_comm *comm, bool holds, const char *condition, const char *file, int line);

#endif
