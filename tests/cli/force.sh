#!/usr/bin/env bash
# Files of different runs do not stand side by side unsaid, and --force removes those of an earlier one.
. "${HS_TEST_SRCDIR:?}/tap.sh"

cp "$inputs/small.ini" "$inputs/transient.ini" "$inputs/slow.ini" .
printf '%s\n' '[probe p]' x=0 y=0 x1=0.1 y1=0 points=3 >>transient.ini

listing() {
  # shellcheck disable=SC2012
  ls -A "$1" | LC_ALL=C sort | paste -sd ' '
}

# A transient run with frames and a line, and what is none of a run's business
fill() {
  rm -rf "$1"
  "$HEATSOLVE" -q transient.ini -o "$1" --set output.animation=series
  mkdir "$1/frame-999999.png" "$1/sub"
  printf 'mine\n' | tee "$1/notes.txt" "$1/line-mine.csv" "$1/frame-1.png" "$1/field.h5.old" "$1/problem.png" \
    "$1/sub/field.h5" >"$1/bench.csv"
}
mine='bench.csv field.h5.old frame-1.png frame-999999.png line-mine.csv notes.txt problem.png sub'
steady='convergence.png field.h5 field.vti field.xdmf heat.csv materials.csv report.html report.json temperature.png'
sorted() {
  tr ' ' '\n' <<<"$*" | LC_ALL=C sort | paste -sd ' '
}

fill shared
was=$(listing shared)
expect 'a steady run where snapshots are' 0 warnings=1 \
  'err~warning: shared holds frame-000000.png, .* and 5 more of an earlier run, which this one does not write; --force .HEATSOLVE_FORCE. removes them$' -- \
  small.ini -o shared
check '... says so and removes nothing' [ "$(listing shared)" = "$(sorted "$was" convergence.png)" ]
check '... and the report has the warning' grep -q 'shared holds frame-000000.png' shared/report.json
expect 'the same with --force' 0 'out~converged' -- small.ini -o shared --force
check '... says nothing' no_warning
check '... and leaves its own files and those of others' [ "$(listing shared)" = "$(sorted "$steady $mine")" ]
check '... those as they were' [ "$(cat shared/line-mine.csv)$(cat shared/sub/field.h5)" = minemine ]
expect 'a run that replaces all files of the one before' 0 -- small.ini -q -o shared
check '... says nothing' no_warning
expect 'a single file' 0 warnings=1 'err~shared holds convergence.png of an earlier run, .*--force .HEATSOLVE_FORCE. removes it$' -- \
  transient.ini -q -o shared

# Refused before a file is removed
fill kept
was=$(listing kept)
expect '--force where the run reads what it would remove' 2 out= \
  'err~reads kept/snapshots.h5 and would remove it' -- small.ini -o kept --force --set map.initial=kept/snapshots.h5:last
expect '--force with a configuration that is wrong' 2 -- small.ini -o kept --force --set grid.nx=0
check '... remove nothing' [ "$(listing kept)" = "$was" ]
expect 'without --force it may be read' 0 warnings=1 'err~--force .HEATSOLVE_FORCE. removes them' -- small.ini -q -o kept --set map.initial=kept/snapshots.h5:last

# A lock, and checkpoints
"$HEATSOLVE" slow.ini -q -o went >begun.out 2>begun.err </dev/null &
pid=$!
appears went/snapshots.h5
expect '--force while another run is at work' 5 'err~another run writes into' -- small.ini -o went --force
check '... touches none of its files' [ -s went/snapshots.h5 ]
for ((k = 0; k < 400; k++)); do
  if [ "$(grep -c '<Time ' went/snapshots.xdmf 2>/dev/null)" -ge 2 ] 2>/dev/null; then break; fi
  sleep 0.05
done
kill -TERM $pid
wait $pid
check 'a run that was ended has a checkpoint' [ -s went/checkpoint.h5 ]
: >went/convergence.png
"$HEATSOLVE" slow.ini -q -o went --restart --force >out 2>err </dev/null &
pid=$!
for ((k = 0; k < 400 && $(ls went | grep -c convergence) > 0; k++)); do sleep 0.05; done
kill -TERM $pid
wait $pid
rc=$?
[ $rc -eq 75 ] && [ "$(json went_on_from went/report.json)" -gt 0 ]
result $? '--restart with --force goes on'
check '... without the file that the run does not write' [ ! -e went/convergence.png ]
cp went/checkpoint.h5 saved.h5
expect '--force alone keeps a checkpoint until the run is done' 3 warnings=4 'err~checkpoint.h5 is of an earlier run' -- small.ini -q -o went --force \
  --set solver.max_iterations=1
check '... which still is that one' cmp -s saved.h5 went/checkpoint.h5
expect '--force belongs to runs' 2 'err~check. has no option --force' -- check small.ini --force
finish
