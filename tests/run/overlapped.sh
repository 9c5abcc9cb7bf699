#!/usr/bin/env bash
# Exchanges that are overlapped, by ranks under mpirun, where a thread of each rank moves the messages while it sweeps: runs of
# tests/run/test_ranks, which compares them bit by bit with those of one process.
. "${HS_TEST_SRCDIR:?}/tap.sh"
needs_mpirun

for n in 2 ${HEATSOLVE_TEST_ALL:+3} 4; do
  timeout 120 mpirun -n "$n" "${HS_TEST_BUILDDIR:?}/run/test_ranks" >out 2>err </dev/null
  rc=$?
  check "$n ranks that overlap their exchanges have the bits of one process" [ "$rc" -eq 0 ]
  check '... each of them in all runs' [ "$(grep -cE "^# rank [0-9] of $n ranks, .*, overlapped: " err)" -eq $((6 * n)) ]
done
check '... in blocks, too' grep -q '^# rank 3 of 4 ranks, 2 x 2, overlapped: ' err
finish
