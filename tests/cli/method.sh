#!/usr/bin/env bash
# Which method a run takes where none is named, and where it says so.
. "${HS_TEST_SRCDIR:?}/tap.sh"

cp "$inputs/small.ini" a.ini
cp "$inputs/transient.ini" t.ini

expect 'a steady run takes multigrid and says why' 0 'out~^  method +multigrid, [0-9]+ levels made in ' \
  'out~^ {25}auto, by forecast work in sweeps: multigrid [0-9]+ .[0-9]+ cycles., chebyshev [0-9,]+, jacobi [0-9,]+$' \
  -- a.ini -o run
check '... in report.json, too' [ "$(json method run/report.json)" = multigrid ]
check '... with the reason' grep -q '"method_reason": "auto, by forecast work in sweeps: multigrid ' run/report.json
expect 'check says the same' 0 'out~^method +multigrid, double precision .auto, by forecast work in sweeps: multigrid ' \
  'out~^cycles +roughly' -- check a.ini
expect 'verify takes the same on both' 0 'out~^cpu +converged after [0-9]+ cycles' 'out~^same bits +yes' \
  'out~^cpu-reference +converged after [0-9]+ cycles' -- verify a.ini -b cpu
expect 'a method that is named needs no reason' 0 'out~^  method +jacobi$' -- a.ini --set solver.method=jacobi -o named
check '... but in report.json' grep -q '"method_reason": "asked for"' named/report.json
for criterion in update_l2 update_max; do
  expect "criterion = $criterion takes jacobi" 0 'out~^  method +jacobi$' \
    "out~^ {25}auto: criterion = $criterion asks what a Jacobi sweep changes\$" 'out~stop index' \
    -- a.ini --set solver.criterion=$criterion -o $criterion
done
expect 'short steps take sweeps' 0 'out~^  method +chebyshev$' \
  'out~^ {25}auto, by forecast work in sweeps a step: chebyshev ' -- t.ini --set time.step=1e-5 --set time.end=1e-4 -o short
expect 'long steps take cycles' 0 'out~^  method +multigrid, ' 'out~ and [0-9]+ cycles$' -- \
  t.ini --set time.step=10 --set time.end=100 --set time.snapshot_every=20 -o long
expect 'explicit steps take none' 0 'out~ and [0-9]+ sweeps$' -- \
  t.ini --set time.scheme=explicit --set time.step=1e-4 -o explicit
check '... and name none' [ "$(grep -c '^  method' out)" -eq 0 ]
check '... nor does report.json' grep -q '"method": null' explicit/report.json
expect '... nor check' 0 -- check t.ini --set time.scheme=explicit --set time.step=1e-4
check '... indeed' [ "$(grep -c '^method' out)" -eq 0 ]

# A run goes on by the method of its checkpoint, whatever would be chosen now.
steps=(--set grid.nx=200 --set grid.ny=130 --set time.scheme=backward_euler --set time.step=0.05 --set time.end=2.5
  --set time.snapshot_every=1 --set time.inner_tolerance=1e-4 --set 'boundary.north=100*(1+t)' --set run.checkpoint_every=0.05)
call check t.ini "${steps[@]}"
check 'multigrid would be chosen' grep -q '^method *multigrid' out
call -q t.ini "${steps[@]}" --set solver.method=chebyshev -o whole
"$HEATSOLVE" -q t.ini "${steps[@]}" --set solver.method=chebyshev -o ended 2>err </dev/null &
pid=$!
for ((k = 0; k < 500; k++)); do
  if [ -s ended/checkpoint.h5 ]; then break; fi
  sleep 0.01
done
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
check 'a run is ended on the way' [ -s ended/checkpoint.h5 ]
cp -r ended refused
expect 'it goes on by the method that it had' 0 'out~^  method +chebyshev' 'out~^ {25}auto: that of the checkpoint$' \
  'out~^  went on ' -- t.ini "${steps[@]}" -o ended --restart
check '... with the same bits' cmp <(tail -n +2 whole/series.csv) <(tail -n +2 ended/series.csv)
expect '... in the whole field' 0 'out~^same bits +yes' -- compare whole/field.h5 ended/field.h5
expect 'a method that is named must be that one' 2 'err~solver.method .multigrid here, chebyshev there.' -- \
  t.ini "${steps[@]}" --set solver.method=multigrid -o refused --restart
finish
