#!/usr/bin/env bash
# A device that is missing, full, busy, too old or lost: a sentence and exit code 6, or with backend = auto another
# backend and a report that names both.
#
# Without a device only the first can be seen. Memory is taken by hold_memory, which holds all but so many megabytes of
# it, for seconds; so this script runs after all other tests, and not while another program uses the GPU. What cannot
# be arranged from outside is skipped, with the reason; test_device and test_fallback see to it from inside.
. "${HS_TEST_SRCDIR:?}/tap.sh"

hold=${HS_TEST_BUILDDIR:-$HS_TEST_SRCDIR}/backend/cuda/hold_memory
cp "$inputs/small.ini" a.ini
sed -e 's/^nx = .*/nx = 2001/' -e 's/^ny = .*/ny = 2001/' a.ini >long.ini
printf '[solver]\nmethod = jacobi\nthreads = 1\nmax_iterations = 1000\n' >>long.ini

has_cuda() {
  ! "$HEATSOLVE" backends | grep -q 'this build has no CUDA'
}

has_device() {
  "$HEATSOLVE" backends | grep -q '^cuda-global *yes'
}

# ask QUERY: what nvidia-smi says of the first GPU.
ask() {
  nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1
}

# falls_back NAME REGEX: auto runs on the processor, and both check and the report say why.
falls_back() {
  if ! has_cuda; then
    expect "$1: auto takes cpu" 3 warnings=2 'out~^  backend +cpu on ' -- long.ini -o auto
    check '... and does not speak of what was not built' [ -z "$(grep 'not cuda-' out)" ]
    return
  fi
  expect "$1: auto tells check" 0 "out~^backend +cpu .*; not cuda-global.*: .*($2)" -- check long.ini
  expect '... and the report, which is of cpu' 3 warnings=2 'out~^  backend +cpu on ' "out~; not cuda-global.*: .*($2)" -- \
    long.ini -o auto
  grep -qE "\"backend_reason\": .*($2)" auto/report.json && [ -s auto/field.h5 ]
  result $? '... report.json, too'
}

# Missing
missing='no CUDA device is visible|no NVIDIA driver|the NVIDIA driver supports|this build has no CUDA'
export CUDA_VISIBLE_DEVICES=
for backend in cuda-global cuda-shared cuda-resident cuda-blocked cuda-streamed; do
  expect "missing: 6: $backend" 6 out= "err~backend $backend cannot run here: ($missing)" -- \
    a.ini -b "$backend" -o missing
done
expect 'missing: 6: check' 6 out= "err~cannot run here: ($missing)" -- check a.ini -b cuda-blocked
check '... and no folder is made' [ ! -e missing ]
expect 'missing: backends tells' 0 "out~^cuda-global +no .*: ($missing)" -- backends
falls_back missing "$missing"
unset CUDA_VISIBLE_DEVICES

if ! has_device; then
  for cause in full busy 'too old' lost; do skip "$cause" 'no device'; done
  finish
  exit
fi

# holding MEGABYTES: another program leaves so much memory.
holding() {
  rm -f held stop
  mkfifo stop
  "$hold" "$1" <stop >held 2>/dev/null &
  holder=$!
  exec 9>stop
  for ((k = 0; k < 6000; k++)); do
    if grep -q holding held; then return 0; fi
    if [ ! -e /proc/$holder ]; then break; fi
    sleep 0.005
  done
  let_go
  return 1
}

let_go() {
  exec 9>&-
  wait "$holder"
}

# Full: of memory for the program itself, and of memory for the grid.
full='too little free memory|nodes need .* are free'
others=$(nvidia-smi --query-compute-apps=pid --format=csv,noheader 2>/dev/null | head -n 1)
if [ ! -x "$hold" ]; then
  skip full 'hold_memory was not built'
elif [ -n "$others" ]; then
  skip full 'another program uses the GPU'
elif ! holding 100; then
  skip full 'the memory cannot be held'
else
  for backend in cuda-global cuda-resident cuda-blocked cuda-streamed; do
    expect "full: 6: $backend" 6 out= "err~backend $backend cannot run here: .*($full|too long)" -- \
      long.ini -b "$backend" -o full
  done
  check '... and no folder is made' [ ! -e full ]
  falls_back full "$full"
  let_go
  if holding 1500; then
    for backend in cuda-global cuda-blocked; do
      expect "full: 6: $backend with a large grid" 6 out= "err~cannot run here: .*($full)" -- \
        check long.ini -b "$backend" --set grid.nx=12001 --set grid.ny=12001
    done
    expect 'full: auto names what it does not take' 0 "out~^backend +(cpu|cuda-streamed) .*; not cuda-.*($full)" -- \
      check long.ini --set grid.nx=12001 --set grid.ny=12001
    let_go
  else
    skip 'full: a large grid' 'the memory cannot be held'
  fi
  expect 'full: afterwards it runs again' 0 'out~^  backend +cuda-global on ' -- a.ini -b cuda-global -o again
fi

# Busy
mode=$(ask compute_mode)
if [ "$mode" = Exclusive_Process ] && holding 1000000000; then
  expect 'busy: 6' 6 out= 'err~cannot run here: .*another program holds the GPU' -- a.ini -b cuda-global -o busy
  falls_back busy 'another program holds the GPU'
  let_go
else
  skip busy "the compute mode is ${mode:-unknown}, and only an administrator can make it Exclusive_Process"
fi

# Too old
capability=$(ask compute_cap | tr -d .)
if [ "${capability:-90}" -lt 75 ]; then
  expect 'too old: 6' 6 out= 'err~cannot run here: .*too old' -- a.ini -b cuda-global -o old
  falls_back 'too old' 'too old'
elif [ "${capability:-90}" -lt 80 ]; then
  for backend in cuda-resident cuda-blocked; do
    expect "too old: 6: $backend" 6 out= 'err~compute capability 8.0 or newer' -- a.ini -b "$backend" -o old
  done
else
  skip 'too old' "compute capability ${capability:-unknown} is new enough"
fi

# Lost
skip lost 'no other program can take a device away; test_device loses it from inside'

finish
