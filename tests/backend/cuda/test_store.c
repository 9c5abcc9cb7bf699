/* Memory that arrays of levels are cut from: none overlap, and what is given back is there again. No device is needed. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/linear/store.h"
#include "support.h"

enum { BYTES = 1 << 20, MOST = 200 };

static char memory[BYTES];

static struct hs_cuda_store *store_of(size_t bytes)
{
  struct hs_cuda_store *store;
  struct hs_error err = {0};
  test_ok(hs_cuda_store_create(bytes > 0 ? memory : NULL, bytes, &store, &err), &err);
  return store;
}

static void arrays_never_overlap(void **state)
{
  struct hs_cuda_store *store = store_of(BYTES);
  struct test_random random = {7};
  char *array[MOST] = {NULL};
  size_t bytes[MOST];
  int taken = 0;
  (void)state;
  for (int n = 0; n < 20000; n++) {
    const int k = test_random_integer(&random, 0, MOST - 1);
    if (array[k]) {
      for (size_t b = 0; b < bytes[k]; b++) assert_int_equal(array[k][b], (char)k);
      assert_true(hs_cuda_store_give(store, array[k]));
      array[k] = NULL;
      continue;
    }
    bytes[k] = (size_t)test_random_integer(&random, 1, 9000);
    array[k] = hs_cuda_store_take(store, bytes[k], test_random_integer(&random, 0, 1) == 1);
    if (!array[k]) continue;
    taken++;
    assert_true(array[k] >= memory && array[k] + bytes[k] <= memory + BYTES && (array[k] - memory) % 256 == 0);
    memset(array[k], k, bytes[k]);
  }
  assert_true(taken > 5000);
  for (int k = 0; k < MOST; k++)
    if (array[k]) assert_true(hs_cuda_store_give(store, array[k]));
  array[0] = hs_cuda_store_take(store, BYTES, false); /* all of it is there again */
  assert_ptr_equal(array[0], memory);
  assert_ptr_equal(hs_cuda_store_destroy(store), memory);
}

/* As levels do that are made anew beneath vectors that stay. */
static void the_same_sizes_find_their_places(void **state)
{
  struct hs_cuda_store *store = store_of(BYTES);
  void *first = hs_cuda_store_take(store, 300000, false), *level = hs_cuda_store_take(store, 200000, false);
  void *brief = hs_cuda_store_take(store, 400000, true), *last;
  (void)state;
  assert_non_null(brief);
  assert_null(hs_cuda_store_take(store, 400000, false)); /* that place is needed briefly */
  assert_true(hs_cuda_store_give(store, brief));
  last = hs_cuda_store_take(store, 400000, false);
  assert_non_null(last);
  assert_true(hs_cuda_store_give(store, level));
  assert_ptr_equal(hs_cuda_store_take(store, 200000, false), level);
  assert_null(hs_cuda_store_take(store, 200000, false));
  assert_false(hs_cuda_store_give(store, &store));
  assert_true(hs_cuda_store_give(store, last));
  assert_true(hs_cuda_store_give(store, first));
  (void)hs_cuda_store_destroy(store);
}

static void a_store_without_memory_has_no_arrays(void **state)
{
  struct hs_cuda_store *store = store_of(0);
  (void)state;
  assert_null(hs_cuda_store_take(store, 1, false));
  assert_null(hs_cuda_store_take(store, 1, true));
  assert_false(hs_cuda_store_give(store, memory));
  assert_null(hs_cuda_store_destroy(store));
  assert_null(hs_cuda_store_destroy(NULL));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_never_overlap),
      cmocka_unit_test(the_same_sizes_find_their_places),
      cmocka_unit_test(a_store_without_memory_has_no_arrays),
  };
  return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
