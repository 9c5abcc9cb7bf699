#!/usr/bin/env bash
# Runs that are ended from outside, by signals that can be caught and by one that cannot, and go on: in the end everything
# is there as if nothing had happened.
. "${HS_TEST_SRCDIR:?}/tap.sh"

cp "$inputs/plate.ini" plate.ini
sweeps=(--set solver.method=jacobi) # which take long enough to be ended on the way
RANDOM=20
over_time=(--set time.scheme=backward_euler --set time.end=0.16 --set time.step=0.0011 --set time.snapshot_every=0.0123
  --set 'boundary.north=100*(1+t)' --set time.inner_tolerance=1e-6 "${sweeps[@]}")

# begin FOLDER ARGUMENT...: a run in the background, which is $pid.
begin() {
  local folder=$1
  shift
  "$HEATSOLVE" plate.ini -o "$folder" "$@" >out 2>err </dev/null &
  pid=$!
}

# end SIGNAL: ends it; leaves rc.
end() {
  kill -"$1" "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  rc=$?
}

# ended_and_gone_on FOLDER ARGUMENT...: until the run is done, every time on another number of threads or backend.
ended_and_gone_on() {
  local folder=$1 signals=(TERM KILL INT USR2 XCPU KILL) backends=(cpu cpu cpu-reference) k
  shift
  for ((k = 0; k < 200; k++)); do
    begin "$folder" "$@" --set run.restart=auto --set run.checkpoint_every=0.1 -b "${backends[k % 3]}" -t $((1 + k % 2))
    sleep "0.$((3 + RANDOM % 5))"
    end "${signals[k % 6]}"
    case $rc in
      75 | 137) ;;
      0) return 0 ;;
      *) return 1 ;;
    esac
  done
  return 1
}

# same_report A B: but for what tells about the machine and the clock.
same_report() {
  local told='"(backend|backend_reason|device|threads|threads_mean|started_utc|went_on_from|checkpoints|time_checkpoints_s|time_levels_s|time_estimate_s|time_solve_s|time_total_s|time_predicted_s|time_predicted_from|time_over_predicted|node_updates_per_s)"'
  diff <(grep -vE "$told" "$1/report.json") <(grep -vE "$told" "$2/report.json")
}

call -q plate.ini -o ref "${sweeps[@]}"
check 'a run that is left alone' [ $rc -eq 0 ]
ended_and_gone_on killed "${sweeps[@]}"
result $? 'a steady run that is ended again and again gets done'
check '... with the same bits' same_field ref/field.h5 killed/field.h5
check '... and the same sweeps' [ "$(json iterations ref/report.json)" = "$(json iterations killed/report.json)" ]
check '... and the same report' same_report ref killed
check '... and no checkpoint is left' [ ! -e killed/checkpoint.h5 ]
check '... nor anything else' no_leftovers killed

call -q plate.ini -o ref-time "${over_time[@]}"
ended_and_gone_on killed-time "${over_time[@]}"
result $? 'a run over time that is ended again and again gets done'
check '... with the same bits' same_field ref-time/field.h5 killed-time/field.h5
check '... and the same report' same_report ref-time killed-time
check '... and the same series, no row twice, none missing' cmp ref-time/series.csv killed-time/series.csv
check '... and all snapshots' [ "$(grep -c '<Time' ref-time/snapshots.xdmf)" = "$(grep -c '<Time' killed-time/snapshots.xdmf)" ]
call -q plate.ini -o from-a --set map.initial=ref-time/snapshots.h5:t=0.1107 --set solver.max_iterations=1
call -q plate.ini -o from-b --set map.initial=killed-time/snapshots.h5:t=0.1107 --set solver.max_iterations=1
check '... with the same fields' same_field from-a/field.h5 from-b/field.h5
check '... and nothing else is left' no_leftovers killed-time

cycles=("${over_time[@]}" --set solver.method=multigrid --set time.step=0.00055)
call -q plate.ini -o ref-cycles "${cycles[@]}"
ended_and_gone_on killed-cycles "${cycles[@]}"
result $? 'a run over time by multigrid that is ended again and again gets done'
check '... with the same bits' same_field ref-cycles/field.h5 killed-cycles/field.h5
check '... and the same report' same_report ref-cycles killed-cycles

# A steady run by multigrid keeps a point between two cycles.
steady_cycles=(--set solver.method=multigrid --set solver.criterion=error --set solver.tolerance=1e-9 --set grid.nx=601
  --set grid.ny=601 --set output.picture=no)
call -q plate.ini -o ref-steady-cycles "${steady_cycles[@]}"
for ((k = 0; k < 10; k++)); do
  rm -rf killed-steady-cycles
  begin killed-steady-cycles "${steady_cycles[@]}" -b cpu-reference
  appears killed-steady-cycles
  while kill -USR1 "$pid" 2>/dev/null && [ ! -s killed-steady-cycles/checkpoint.h5 ]; do sleep 0.01; done
  end KILL
  if [ -s killed-steady-cycles/checkpoint.h5 ]; then break; fi
done
call -q plate.ini -o killed-steady-cycles "${steady_cycles[@]}" --restart -t 2
check 'a steady run by multigrid goes on from a checkpoint' [ $rc -eq 0 ]
check '... and says from which cycle' grep -Eq '"went_on_from": [1-9]' killed-steady-cycles/report.json
check '... with the same bits' same_field ref-steady-cycles/field.h5 killed-steady-cycles/field.h5
check '... and the same report' same_report ref-steady-cycles killed-steady-cycles

# What is said
begin one "${over_time[@]}"
appears one/snapshots.h5
sleep 0.5
end TERM
check 'a run that is ended has code 75' [ $rc -eq 75 ]
check '... leaves a checkpoint' [ -s one/checkpoint.h5 ]
check '... and says how to go on' grep -q 'can go on from one/checkpoint.h5: .* --restart' err
cp -r one two
cp -r one three
expect 'another problem is refused with the keys that differ' 2 out= \
  'err~one/checkpoint.h5 is of another problem: .*boundary.west \(1 here, 0 there\)' -- \
  plate.ini -o one --restart "${over_time[@]}" --set boundary.west=1
check '... and not with what follows from them' [ "$(grep -c 'contents of the files' err)" -eq 0 ]
expect 'another precision is refused' 2 out= 'err~solver.precision \(single here, double there\)' -- \
  plate.ini -o one --restart "${over_time[@]}" --set solver.precision=single
check '... and the checkpoint stays' cmp one/checkpoint.h5 two/checkpoint.h5
expect 'without a checkpoint there is nothing to go on from' 5 out= 'err~no checkpoint.h5 in none' -- \
  plate.ini -o none --restart
printf 'x' | dd of=two/checkpoint.h5 bs=1 seek=5000 conv=notrunc 2>/dev/null
expect 'a damaged one alone is refused' 5 out= 'err~two/checkpoint.h5 is damaged: its checksum' -- \
  plate.ini -o two --restart "${over_time[@]}"
cp one/checkpoint.h5 two/checkpoint-previous.h5
cp -r two again
begin again "${over_time[@]}" --restart --set run.checkpoint_every=0
for ((k = 0; k < 400; k++)); do
  if ((k % 40 == 20)); then kill -USR1 "$pid" 2>/dev/null; fi
  sleep 0.02
  if ! cmp -s two/checkpoint.h5 again/checkpoint.h5; then break; fi
done
end KILL
[ -s again/checkpoint.h5 ] && ! cmp -s two/checkpoint.h5 again/checkpoint.h5 && cmp -s one/checkpoint.h5 again/checkpoint-previous.h5
result $? '... and its place is taken by a new one, while the one before stays'
expect 'a damaged one is passed over for the one before' 0 warnings=1 'err~warning: two/checkpoint.h5 is damaged: .*the one before' -- \
  plate.ini -o two --restart "${over_time[@]}"
check '... with the same bits' same_field ref-time/field.h5 two/field.h5
# Another run begins in the folder, with snapshots of the same times, and is killed.
cp -r one mixed
call -q plate.ini -o others "${over_time[@]}" --set boundary.west=1
cp others/snapshots.h5 mixed/
expect 'snapshots of another problem are not gone on with' 5 out= 'err~mixed/snapshots.h5 does not begin with the' -- \
  plate.ini -o mixed --restart "${over_time[@]}"
check '... and stay as they are' cmp others/snapshots.h5 mixed/snapshots.h5
rm three/snapshots.h5
expect 'snapshots that are gone are missed' 5 out= 'err~three/snapshots.h5, in which the run has left' -- \
  plate.ini -o three --restart "${over_time[@]}"
expect 'a fresh start beside a checkpoint is not silent' 0 warnings=1 'err~warning: one/checkpoint.h5 is of an earlier run .*--restart' -- \
  plate.ini -o one "${over_time[@]}" --set time.end=0.05

# Signals
begin asked "${sweeps[@]}" --set grid.nx=900 --set grid.ny=800 --set solver.tolerance=1e-300 \
  --set solver.max_iterations=9000000000000000 --set run.checkpoint_every=0
sleep 0.7
kill -USR1 "$pid"
appears asked/checkpoint.h5
check 'SIGUSR1 has a checkpoint written' [ -s asked/checkpoint.h5 ]
check '... and the run goes on' kill -0 "$pid"
rm asked/checkpoint.h5
kill -USR1 "$pid"
appears asked/checkpoint.h5
result $? '... once more'
end TERM
check '... until it is ended' [ $rc -eq 75 ]

# A time step that takes minutes is undone.
begin long "${sweeps[@]}" --set grid.nx=1100 --set grid.ny=1000 --set time.scheme=backward_euler --set time.end=1e6 --set time.step=1e3 \
  --set time.inner_tolerance=1e-9 --set solver.max_iterations=9000000000000000 --set run.checkpoint_every=0
sleep 3
asked=$(date +%s%N)
end TERM
took=$((($(date +%s%N) - asked) / 1000000))
echo "# a long time step ended after $took ms"
[ $rc -eq 75 ] && [ $took -lt 5000 ]
result $? 'a run in a long time step ends soon'
check '... with a checkpoint' [ -s long/checkpoint.h5 ]
check '... and no step made' grep -q '"steps": 0' long/report.json

finish
