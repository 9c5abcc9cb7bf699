#!/usr/bin/env bash
# Messages between ranks by NCCL's interface, with a stand-in for its library (tests/comm/fake_nccl.c): what is sent arrives, and
# where one rank cannot take part, all of them say so and go on without.
. "${HS_TEST_SRCDIR:?}/tap.sh"

program=${HS_TEST_BUILDDIR:?}/comm/nccl_ranks
library=$HS_TEST_BUILDDIR/comm/fake_nccl.so
why=
"$HEATSOLVE" --version | grep -q '^MPI: *[0-9]' || why='built without MPI'
command -v mpirun >/dev/null || why='there is no mpirun'
[ -r "$library" ] || why="${HS_FAULT_WHY:-no shared library}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1
[ -n "$why" ] || timeout 30 mpirun -n 2 true 2>/dev/null || why='mpirun starts no programs here'
if [ -n "$why" ]; then
  echo "1..0 # SKIP $why"
  exit 0
fi

mkdir libraries files
cp "$library" libraries/libnccl.so.2
export FAKE_NCCL_DIR=$work/files LD_LIBRARY_PATH=$work/libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# ring FAULT ARGUMENT...: three ranks, one of which may fail; leaves rc, out and err.
ring() {
  export FAKE_NCCL_FAULT=$1
  shift
  timeout 40 mpirun -n 3 "$program" "$@" >out 2>err </dev/null
  rc=$?
}

# all_say REGEX...: each line of out fits one of them, and there are three.
all_say() {
  local -a patterns=()
  local pattern
  for pattern in "$@"; do patterns+=(-e "^rank [0-9]: $pattern\$"); done
  [ "$(grep -cE "${patterns[@]}" out)" -eq 3 ]
}

ring none
check 'what is sent arrives' all_say right
check '... and the ranks end well' [ $rc -eq 0 ]
ring init:1
check 'a rank whose library cannot start: none uses it' \
  all_say 'NCCL cannot start: system error' 'NCCL has not started within 1 s'
check '... and all go on' [ $rc -eq 0 ]
ring id:0
check 'no id: none uses it' all_say 'NCCL cannot start: system error'
ring none shared 2
check 'ranks that share a GPU do not use it' all_say 'ranks share a GPU' 'NCCL cannot be used by another rank'
ring send:2
check 'a failure on the way ends all ranks' [ $rc -ne 0 -a $rc -ne 124 ]
check '... with its sentence' grep -q 'NCCL failed while exchanging ghost nodes: system error' err
: >libraries/libnccl.so.2
ring none
check 'a library that is none is not used' all_say 'NCCL was not found .*' 'NCCL cannot be used by another rank'
finish
