#!/usr/bin/env bash
# Every exit code of the command, and what it leaves behind: 0, 1, 2, 3, 4, 5, 6 and 75.
#
# Here are the ways in which a run can end from outside too: signals, closed streams, a missing
# device, too little memory. What needs a terminal or a device is skipped, with its reason.
. "${HS_TEST_SRCDIR:?}/tap.sh"

{ cat "$inputs/small.ini"; printf '\n[solver]\nmethod = jacobi\n'; } >a.ini
cp "$inputs/endless.ini" endless.ini

# 0 to 6
expect '0: converged' 0 'out~^  status +converged after [0-9]+ sweeps' -- a.ini -o ref
check '... without a warning' no_warning
check '... and the report says so' [ "$(json status ref/report.json)" = converged ]

cp "$inputs/transient.ini" t.ini
expect '0: completed' 0 'out~completed' -- t.ini -o over-time
check '... and the report says so' [ "$(json status over-time/report.json)" = completed ]

call -q a.ini -o warm --set boundary.north=101
expect '1: compare finds a difference' 1 'out~^same bits +no' -- compare ref/field.h5 warm/field.h5

expect '2: more memory than there is' 2 out= 'err~1000000 x 1000000 nodes needs .* memory .* smaller grid' -- \
  a.ini -o huge --set grid.nx=1000000 --set grid.ny=1000000
check '... refused before a folder is made' [ ! -e huge ]
expect '2: check refuses it as well' 2 out= 'err~nodes needs .* memory' -- \
  check a.ini --set grid.nx=1000000 --set grid.ny=1000000

expect '2: a wrong option' 2 out= 'err~unknown option' -- --wrong
sed 's/^ny = 17/nz = 17/' a.ini >wrong.ini
expect '2: a wrong key, with file, line and what is allowed' 2 out= \
  'err~wrong.ini:4: .*"nz" in \[grid\].* nx, ny' -- wrong.ini
sed 's/^ny = 17/ny = 17 rows/' a.ini >wrong.ini
expect '2: a wrong value, with file, line and what is allowed' 2 out= \
  'err~wrong.ini:4: .*"17 rows".*integer 2' -- wrong.ini
expect '2: an empty file' 2 out= 'err~/dev/null: \[grid\] lacks the key "nx"' -- /dev/null
expect '2: a file without end' 2 out= 'err~/dev/zero: ' -- /dev/zero
expect '2: a field in place of a configuration' 2 out= 'err~ref/field.h5:1: .*plain text' -- ref/field.h5

expect '3: iteration limit' 3 warnings=2 'out~NOT converged' 'err~^heatsolve: warning: .*raise solver.max_iterations' -- \
  a.ini -o limit --set solver.max_iterations=10
check '... and the report says so' [ "$(json status limit/report.json)" = iteration-limit ]
check '... after that many sweeps' [ "$(json iterations limit/report.json)" = 10 ]
expect '3: also when quiet, with its warning' 3 warnings=2 out= 'err~^heatsolve: warning: the limit of 1 sweeps' -- a.ini -q -o limit --set solver.max_iterations=1
check '... and the field is written' same_field limit/field.h5 limit/field.h5

expect '3: rounding keeps the test from being met' 3 warnings=1 'out~NOT converged: stagnated' 'err~^heatsolve: warning: rounding in single .*accept a larger' -- \
  a.ini -o stagnated --set solver.precision=single --set solver.tolerance=1e-30
check '... and the report says so' [ "$(json status stagnated/report.json)" = stagnated ]

for precision in double single; do
  large=1e308
  [ $precision = double ] || large=3e38
  expect "4: overflow in $precision precision" 4 warnings=1 'out~DIVERGED' 'err~^heatsolve: warning: the iteration diverged: .*values mean nothing$' -- a.ini -o overflow \
    --set solver.precision=$precision --set boundary.west=$large --set boundary.east=-$large --set boundary.north=$large
  check '... and the report says so' [ "$(json status overflow/report.json)" = diverged ]
done

expect '5: no such configuration' 5 out= 'err~none.ini: .*No such file' -- none.ini
ln -s nowhere dangling.ini
expect '5: a link to nowhere' 5 out= 'err~dangling.ini: .*No such file' -- dangling.ini
expect '5: a folder in place of a configuration' 5 out= 'err~ref: .*[Dd]irectory' -- ref
if [ -e /proc/self/mem ]; then
  expect '5: a file that cannot be read' 5 out= 'err~/proc/self/mem: .*cannot be (read|opened)' -- /proc/self/mem
else
  skip '5: a file that cannot be read' 'no /proc'
fi
expect '5: a file in place of the output folder' 5 out= 'err~a.ini.*it is a file' -- a.ini -o a.ini
expect '5: an output folder below a file' 5 out= 'err~a.ini/b: Not a directory' -- a.ini -o a.ini/b
ln -s nowhere dangling
expect '5: an output folder that is a link to nowhere' 5 out= 'err~dangling: No such file or directory, it is a broken link; choose another one' -- \
  a.ini -o dangling
mkdir -p taken/field.h5
expect '5: a folder in place of field.h5' 5 'err~taken/field.h5: it exists and is a folder' -- a.ini -o taken
is_png taken/temperature.png && [ -s taken/report.json ] && ! grep -q '"field.h5"' taken/report.json
result $? '... costs no other file, and the report does not name it'

# Standard error
"$HEATSOLVE" a.ini -o mute --set solver.max_iterations=1 >out 2>/dev/full </dev/null
rc=$?
[ $rc -eq 3 ] && same_field mute/field.h5 limit/field.h5
result $? '3: a warning that cannot be written costs nothing'

# Standard output
"$HEATSOLVE" a.ini -o full >/dev/full 2>err </dev/null
rc=$?
[ $rc -eq 5 ] && grep -q '^heatsolve: standard output could not be written' err
result $? '5: standard output is full'
check '... and the files are complete' same_field full/field.h5 ref/field.h5
"$HEATSOLVE" a.ini -o closed 2>err </dev/null >&-
rc=$?
[ $rc -eq 5 ] && grep -q '^heatsolve: standard output could not be written' err
result $? '5: standard output is closed'
check '... and the files are complete' same_field closed/field.h5 ref/field.h5
for argument in --help --version --help-config --print-config backends 'check a.ini' \
  'compare ref/field.h5 ref/field.h5'; do
  # shellcheck disable=SC2086
  "$HEATSOLVE" $argument >/dev/full 2>err </dev/null
  rc=$?
  check "5: standard output is full: $argument" [ $rc -eq 5 ]
done
"$HEATSOLVE" -q a.ini -o silent </dev/null >&- 2>&-
rc=$?
[ $rc -eq 0 ] && same_field silent/field.h5 ref/field.h5
result $? '0: --quiet needs no standard output and no standard error'
"$HEATSOLVE" a.ini -o bare <&- >out 2>&-
rc=$?
[ $rc -eq 0 ] && grep -q converged out && same_field bare/field.h5 ref/field.h5
result $? '0: nor is standard input needed'

# 6
if "$HEATSOLVE" backends | grep -q '^cuda-global *yes'; then
  expect '0: cuda-global with a device' 0 'out~^  backend +cuda-global on ' -- a.ini -b cuda-global -o gpu
  check '... gives the same field' same_field gpu/field.h5 ref/field.h5
else
  expect '6: cuda-global without a device' 6 out= 'err~backend cuda-global cannot run here: .*heatsolve backends' -- \
    a.ini -b cuda-global -o gpu
  check '... makes no folder' [ ! -e gpu ]
fi

# 75

# start ARGUMENT...: runs the program in the background as $pid; it is stopped should it run away.
start() {
  (
    ulimit -t 60
    exec "$HEATSOLVE" "$@"
  ) >out 2>err </dev/null &
  pid=$!
}

# catches_signals: waits until $pid is the program and catches SIGTERM (bit 14 of the mask). The shell
# that becomes the program has handlers of its own, so it is the program that is looked at, and twice.
catches_signals() {
  local k mask seen=0
  if [ ! -r /proc/self/status ]; then sleep 2; fi
  for ((k = 0; k < 1000 && seen < 2; k++)); do
    sleep 0.005
    if [ ! -e /proc/$pid/status ]; then return; fi
    if [ ! /proc/$pid/exe -ef "$HEATSOLVE" ]; then continue; fi
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$pid/status 2>/dev/null)
    if ((0x${mask:-0} & 0x4000)); then seen=$((seen + 1)); fi
  done
}

stop() {
  kill -"$1" $pid
  wait $pid
  rc=$?
}

for signal in INT TERM HUP; do
  if [ $signal = HUP ] && ! hears_hangup; then
    skip '75: stopped by SIGHUP' 'SIGHUP is ignored here'
    continue
  fi
  rm -rf stopped
  start endless.ini -o stopped
  catches_signals
  stop $signal
  [ $rc -eq 75 ] && stderr_fits 4 && grep -q 'warning: the run was interrupted' err &&
    grep -q 'interrupted after [0-9]* sweep' out
  result $? "75: stopped by SIG$signal"
  check '... and the report says so' [ "$(json status stopped/report.json)" = interrupted ]
  same_field stopped/field.h5 stopped/field.h5 && is_png stopped/temperature.png && is_png stopped/convergence.png &&
    [ -s stopped/field.xdmf ]
  result $? '... and all files are written'
done
trap '' HUP
start -q endless.ini -o stopped
trap 'exit 1' HUP
catches_signals
kill -HUP $pid
sleep 0.3
kill -0 $pid 2>/dev/null
result $? 'a run goes on where SIGHUP is ignored, as under nohup'
stop TERM
start -q endless.ini -o long --set solver.check_every=1000000 -b cpu-reference
catches_signals
sleep 0.2
stop TERM
[ $rc -eq 75 ] && [ "$(json iterations long/report.json)" -lt 1000000 ]
result $? '75: stopped between two tests'
start verify endless.ini
catches_signals
stop TERM
check '75: verify is stopped too' [ $rc -eq 75 ]

# Runs over time
for signal in INT TERM; do
  rm -rf slow
  start "$inputs/slow.ini" -o slow
  appears slow/snapshots.xdmf
  catches_signals
  stop $signal
  [ $rc -eq 75 ] && stderr_fits 2 && [ "$(json status slow/report.json)" = interrupted ]
  result $? "75: a run over time stopped by SIG$signal"
  same_field slow/field.h5 slow/field.h5 && is_png slow/temperature.png &&
    tail -n 1 slow/snapshots.xdmf | grep -q '</Xdmf>'
  result $? '... and all files are written'
  if ! command -v h5ls >/dev/null; then
    skip '... and the snapshots can be read' 'no h5ls'
    continue
  fi
  times=$(h5ls slow/snapshots.h5/time 2>/dev/null | sed -n 's/^time *Dataset {\([0-9]*\).*/\1/p')
  groups=$(h5ls slow/snapshots.h5/snapshots 2>/dev/null | grep -c Dataset)
  [ "${times:-0}" -ge 1 ] && [ "$times" -eq "$groups" ] &&
    [ "$(grep -c '<Time ' slow/snapshots.xdmf)" -eq "$times" ]
  result $? "... and the snapshots can be read (${times:-none})"
done

# twice FIRST SECOND: batch systems send signals twice; the second one, close behind, must not cost the field.
twice() {
  rm -rf stopped
  start -q endless.ini -o stopped --set grid.nx=2000 --set grid.ny=2000
  appears stopped && sleep 0.2
  kill -"$1" $pid
  sleep 0.03
  stop "$2"
  check "a repeated signal does not cost the field: SIG$1, SIG$2" [ $rc -eq 75 ]
  check '... which is there' [ -s stopped/field.h5 ]
}
twice TERM INT
twice INT TERM
twice TERM TERM
[ ! -e stopped/field.h5 ] || same_field stopped/field.h5 stopped/field.h5
result $? '... and leaves no half file'

# Terminals
in_terminal() {
  script -qec "timeout --foreground -k 20 -s INT 0.7 '$HEATSOLVE' endless.ini -o terminal $*" /dev/null \
    >typed 2>err </dev/null
}
if has_terminal; then
  in_terminal 2>/dev/null
  grep -q $'\r[0-9]* sweeps, update_l2 .* left, [0-9]' typed # a narrow terminal cuts the end
  result $? 'a terminal shows progress'
  tr '\r' '\n' <typed >lines
  grep -qE '^ {20,}$' lines && grep -q 'interrupted after' lines
  result $? '... and has it wiped before the report'
  in_terminal --quiet
  [ -s typed ] && [ "$(grep -vc '^heatsolve: warning: ' typed)" -eq 0 ]
  result $? 'a terminal shows warnings alone with --quiet'
  in_terminal '2>progress'
  grep -q '^heatsolve: warning: ' progress && ! grep -q ' left' progress && grep -q 'interrupted after' typed
  result $? 'no progress where standard error is a file'
  script -qec "timeout --foreground -k 20 -s INT 0.7 '$HEATSOLVE' '$inputs/slow.ini' -o terminal" /dev/null \
    >typed 2>err </dev/null
  grep -q $'\rt = .* of 1000 s, [0-9]* steps, 1 sweeps/step, .* left' typed
  result $? 'a terminal shows the progress of a run over time'
else
  skip 'progress on a terminal' 'no terminal can be had'
fi

finish
