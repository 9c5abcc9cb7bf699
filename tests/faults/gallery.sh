#!/usr/bin/env bash
# Runs that are ended at random moments and resumed on another backend, against the same runs left alone: the field, the
# series and all snapshots must have the same bits.
#
# usage: gallery.sh [-n MOMENTS] [-s SEED] [-b "FIRST SECOND"] [-a "ARGUMENT..."] [CONFIGURATION...]
#
# Without a configuration: every example of the gallery, 20 moments each, begun on cpu-reference and resumed on cpu; -a
# gives all runs further arguments.
# SIGKILL and SIGTERM take turns. A checkpoint is written thirty times a run. The moments are drawn from SEED.
started_in=$PWD
. "${HS_TEST_SRCDIR:?}/tap.sh"

moments=20
seed=1
first=cpu-reference
second=cpu
arguments=()
while getopts n:s:b:a: option; do
  case $option in
    n) moments=$OPTARG ;;
    s) seed=$OPTARG ;;
    b) read -r first second <<<"$OPTARG" ;;
    a) read -ra arguments <<<"$OPTARG" ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
RANDOM=$seed
configurations=("$@")
if [ $# -eq 0 ]; then configurations=("$HS_TEST_SRCDIR"/../examples/gallery/*.ini); fi
for ((k = 0; k < ${#configurations[@]}; k++)); do
  case ${configurations[k]} in
    /*) ;;
    *) configurations[k]=$started_in/${configurations[k]} ;;
  esac
done

milliseconds() {
  date +%s%3N
}

# seconds MILLISECONDS: with three decimals.
seconds() {
  printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
}

# begin FOLDER BACKEND ARGUMENT...: a run in the background, which is $pid; without the pictures, which take longer than
# the sweeps. Steady runs are by sweeps: cycles write no checkpoints.
begin() {
  local folder=$1 backend=$2
  shift 2
  if ! grep -q '^\[time\]' "$configuration"; then set -- --set solver.method=chebyshev "$@"; fi
  "$HEATSOLVE" "$configuration" -q -o "$folder" -b "$backend" --set output.picture=no \
    --set output.convergence=no --set output.animation=none "$@" ${arguments[@]+"${arguments[@]}"} >out 2>err </dev/null &
  pid=$!
}

# run FOLDER BACKEND ARGUMENT...: the same to its end; leaves rc.
run() {
  begin "$@"
  wait $pid
  rc=$?
}

# ended_at MILLISECONDS SIGNAL FOLDER: a run that is ended, unless it is done before; leaves rc.
ended_at() {
  begin "$3" "$first" --set run.checkpoint_every="$(seconds $((duration / 30 + 1)))"
  sleep "$(seconds "$1")"
  kill -"$2" $pid 2>/dev/null
  wait $pid 2>/dev/null
  rc=$?
}

# same_datasets A.h5 B.h5: by h5diff of HDF5's tools, or by h5py. Attributes name the backend and the clock.
same_datasets() {
  if command -v h5diff >/dev/null; then
    h5diff "$1" "$2" /snapshots >/dev/null 2>&1 && h5diff "$1" "$2" /time >/dev/null 2>&1
    return
  fi
  python3 - "$1" "$2" <<'PYTHON'
import sys, h5py

def datasets(path):
    found = {}
    h5py.File(path, "r").visititems(lambda name, o: found.update({name: o[()].tobytes()} if hasattr(o, "shape") else {}))
    return found

sys.exit(datasets(sys.argv[1]) != datasets(sys.argv[2]))
PYTHON
}

# same_snapshots A B: the same times, and the same bits at each.
same_snapshots() {
  cmp -s "$1/snapshots.xdmf" "$2/snapshots.xdmf" && same_datasets "$1/snapshots.h5" "$2/snapshots.h5"
}

# same_run A B
same_run() {
  same_field "$1/field.h5" "$2/field.h5" || return 1
  if [ -e "$1/series.csv" ]; then cmp -s "$1/series.csv" "$2/series.csv" || return 1; fi
  if [ -e "$1/snapshots.h5" ]; then same_snapshots "$1" "$2" || return 1; fi
  [ ! -e "$2/checkpoint.h5" ] && no_leftovers "$2"
}

# one_moment K: ends a run at a moment, resumes it, compares.
one_moment() {
  local signal=KILL
  if (($1 % 2)); then signal=TERM; fi
  local at=$(((RANDOM * 32768 + RANDOM) % duration))
  rm -rf ended
  ended_at $at $signal ended
  if [ $rc -ne 0 ]; then
    stopped=$((stopped + 1))
    if [ -e ended/checkpoint.h5 ]; then resumed=$((resumed + 1)); fi
    run ended "$second" --set run.restart=auto
  fi
  if [ $rc -eq 0 ] && same_run left ended; then return 0; fi
  echo "# $name, $signal after $at ms: rc $rc, or other bits"
  return 1
}

for configuration in "${configurations[@]}"; do
  name=$(basename "$configuration" .ini)
  rm -rf left
  began=$(milliseconds)
  run left "$first"
  duration=$(($(milliseconds) - began))
  stopped=0
  resumed=0
  wrong=0
  for ((k = 0; k < moments; k++)); do
    one_moment $k || wrong=$((wrong + 1))
  done
  echo "# $name: $duration ms on $first; ended $stopped of $moments times, resumed $resumed times on $second"
  [ $rc -eq 0 ] && [ $wrong -eq 0 ]
  result $? "$name, ended at $moments moments on $first and resumed on $second"
done
finish
