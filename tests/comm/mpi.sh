#!/usr/bin/env bash
# What ranks tell each other by MPI: tests/comm/test_comm under mpirun.
. "${HS_TEST_SRCDIR:?}/tap.sh"
needs_mpirun

for n in 2 3; do
  timeout 60 mpirun -n "$n" "${HS_TEST_BUILDDIR:?}/comm/test_comm" >out 2>err </dev/null
  rc=$?
  check "$n ranks" [ "$rc" -eq 0 -a "$(grep -c "^rank [0-9] of $n: all there\$" out)" -eq "$n" ]
done
finish
