#!/usr/bin/env bash
# What a run leaves in its folder, also when the folder or the disk does not play along.
#
# A file under its final name is always complete: full disks, limits on file sizes and SIGKILL are
# tried. Mounts happen in a name space of their own that vanishes with its process; where the system
# grants none, those tests are skipped.
. "${HS_TEST_SRCDIR:?}/tap.sh"

{ cat "$inputs/small.ini"; printf '\n[solver]\nmethod = jacobi\n'; } >a.ini
files='convergence.png field.h5 field.vti field.xdmf heat.csv materials.csv report.html report.json temperature.png'

listing() {
  # shellcheck disable=SC2012
  ls -A "$1" | LC_ALL=C sort | paste -sd ' '
}

# complete FOLDER: all files, each whole, and the field that of ref.
complete() {
  [ "$(listing "$1")" = "$files" ] && is_png "$1/temperature.png" && is_png "$1/convergence.png" &&
    tail -n 1 "$1/report.json" | grep -q '^}$' &&
    tail -n 1 "$1/report.html" | grep -q '^</html>$' &&
    tail -n 1 "$1/field.xdmf" | grep -q '</Xdmf>' && tail -n 1 "$1/field.vti" | grep -q '^</VTKFile>$' &&
    same_field "$1/field.h5" ref/field.h5
}

# All files
expect 'a run' 0 'out~^  files +ref/field.h5' -- a.ini -o ref
check '... leaves nine files, each of them whole' complete ref
grep -q '<Attribute Name="temperature"' ref/field.xdmf && grep -q 'field.h5:/temperature' ref/field.xdmf
result $? 'field.xdmf describes the field beside it'
# The field is twice as wide as it is high; so is the picture, but for the axes.
read -r width height < <(od -An -tu1 -j16 -N8 ref/temperature.png | awk '{ print $3 * 256 + $4, $7 * 256 + $8 }')
[ "$width" -ge 300 ] && [ "$height" -ge 150 ] && [ $((10 * width)) -gt $((14 * height)) ]
result $? "temperature.png ($width x $height pixels) shows a plate lying on its long side"
expect 'files that are not wanted' 0 out= -- -q a.ini -o few --set output.picture=no --set output.convergence=no \
  --set output.xdmf=no --set output.csv=no --set output.page=no --set output.vti=no
check '... are not written' [ "$(listing few)" = 'field.h5 report.json' ]
expect 'no file wanted at all' 0 'out~converged' -- a.ini -o none --set output.picture=no --set output.convergence=no \
  --set output.xdmf=no --set output.field=no --set output.csv=no --set output.report=no \
  --set output.page=no
check '... leaves none' [ -z "$(listing none)" ]

# Folders that hold what the run reads
mkdir own
printf '0,1\n2,3\n' > own/heat.csv
sed 's/^south = .*/south = table own\/heat.csv x/' a.ini > table.ini
expect 'a table under the name of a result' 2 out= 'err~reads own/heat.csv and would replace it' -- -q table.ini -o own
check '... is kept' [ "$(head -n 1 own/heat.csv)" = 0,1 ]
cp a.ini own/report.json
expect 'a configuration under the name of a result' 2 out= 'err~own/report.json.*--output' -- -q own/report.json -o own
check '... is kept' cmp -s a.ini own/report.json
expect '... which does no harm elsewhere' 0 out= -- -q own/report.json -o elsewhere
expect 'a run from the field that it would replace' 2 out= 'err~reads elsewhere/field.h5 and would replace it' -- \
  -q a.ini -o elsewhere --set map.initial=elsewhere/field.h5:/temperature
check '... is refused before anything is written' same_field elsewhere/field.h5 ref/field.h5
expect '... which does no harm elsewhere' 0 out= -- -q a.ini -o again-elsewhere \
  --set map.initial=elsewhere/field.h5:/temperature
ln elsewhere/field.h5 hard.h5
ln -s elsewhere/field.h5 soft.h5
ln -s elsewhere folder-link
for name in hard.h5 soft.h5 ./folder-link/../elsewhere/field.h5 "$PWD/elsewhere/field.h5"; do
  expect "a link or another path to it: $name" 2 out= 'err~would replace it by its own field.h5' -- \
    -q a.ini -o folder-link --set "map.initial=$name:/temperature"
done
for name in checkpoint.h5 snapshots.h5 line-a.csv frame-000007.png series.csv problem.png report.json; do
  rm -rf held && mkdir held
  { cat "$inputs/transient.ini"; printf '%s\n' '[probe a]' x=0 y=0 x1=0.1 y1=0 points=3; } >"held/$name"
  expect "a configuration named $name in the output folder" 2 out= "err~reads held/$name and would replace it by its own $name;" -- \
    -q "held/$name" -o held --set output.animation=series
done
input=held/report.json expect 'a configuration from standard input' 2 out= 'err~reads /dev/stdin and would replace it' -- -q - -o held
expect 'render onto the field' 2 out= 'err~elsewhere/field.h5 is read, and the picture would replace it' -- \
  render elsewhere/field.h5 -o folder-link/field.h5
check '... which is kept' same_field elsewhere/field.h5 ref/field.h5
sed '$a [expect e]\nquantity = temperature_max\nvalue = 100\nallowed = 1' a.ini >case.ini
cp case.ini case-kept.ini
expect 'validate onto its case' 2 out= 'err~case.ini is read, and --json would replace it' -- validate case.ini --json ./case.ini
sed 's/^south = .*/south = table values.csv x/' case.ini >case-table.ini
printf '0,1\n2,3\n' >values.csv
expect 'validate onto a table of its case' 2 out= 'err~values.csv is read, and --json would replace it' -- \
  validate case-table.ini --json values.csv
cmp -s case.ini case-kept.ini && [ "$(head -n 1 values.csv)" = 0,1 ]
result $? '... which are kept'
expect 'two results of bench in one file' 2 out= 'err~--csv and --json name one file' -- bench --csv b --json ./b
check '... writes none' [ ! -e b ]

# Runs over time
cp "$inputs/transient.ini" t.ini
over_time='field.h5 field.vti field.xdmf heat.csv materials.csv report.html report.json series.csv snapshots.h5 snapshots.xdmf temperature.png'
expect 'a run over time' 0 'out~completed' -- t.ini -o over-time
check '... leaves a field, its picture, tables, and snapshots' [ "$(listing over-time)" = "$over_time" ]
times=$(sed -n 's/.*<Time Value="\([^"]*\)".*/\1/p' over-time/snapshots.xdmf | paste -sd ' ')
[ "$times" = '0 0.02 0.040000000000000001 0.059999999999999998 0.080000000000000002 0.10000000000000001' ]
result $? "snapshots.xdmf tells the times ($times)"
[ "$(grep -c 'snapshots.h5:/snapshots/[0-5]<' over-time/snapshots.xdmf)" -eq 6 ]
result $? '... and where the fields are'
# differences K: what h5diff finds between the field and snapshot K.
differences() {
  h5diff -v over-time/field.h5 over-time/snapshots.h5 /temperature "/snapshots/$1" |
    sed -n '/^dataset/,/found$/s/ differences found$//p'
}
if command -v h5diff >/dev/null && command -v h5ls >/dev/null; then
  [ "$(h5ls over-time/snapshots.h5/snapshots | grep -c Dataset)" -eq 6 ]
  result $? 'snapshots.h5 holds them'
  check '... the last of them is the field' [ "$(differences 5)" = 0 ]
  check '... the one before is another' [ "$(differences 4)" -gt 100 ]
else
  skip 'snapshots.h5 holds them' 'no h5diff and h5ls'
fi
for command in render 'compare ref/field.h5'; do
  # shellcheck disable=SC2086
  expect "snapshots to ${command%% *}" 5 out= 'err~over-time/snapshots.h5: it holds the snapshots .*; give the field.h5 of a run' -- \
    $command over-time/snapshots.h5
done
expect 'all snapshots as a start' 5 out= 'err~shows all snapshots together; name one by FILE:last' -- \
  -q t.ini -o again --set map.initial=over-time/snapshots.h5:/temperature
sed '/^snapshot_every/d' t.ini >plain.ini
expect 'no snapshots asked for' 0 out= -- -q plain.ini -o plain
check '... leaves none' [ "$(listing plain | grep -c snapshots)" -eq 0 ]
expect 'an animation' 0 out= -- -q t.ini -o film --set output.animation=apng
check '... is a PNG file' is_png film/animation.png
[ "$(grep -aoE 'acTL|fcTL' film/animation.png | paste -sd ' ')" = 'acTL fcTL fcTL fcTL fcTL fcTL fcTL' ]
result $? '... of six frames'
expect 'an animation of single pictures' 0 warnings=1 out= -- -q t.ini -o film --set output.animation=series
is_png film/frame-000000.png && is_png film/frame-000005.png && [ ! -e film/frame-000006.png ]
result $? '... six of them'
cmp -s film/frame-000004.png film/frame-000005.png
check '... that differ' [ $? -eq 1 ]
expect 'tables' 0 out= -- -q t.ini -o tables --set output.csv=yes
check '... of heat flows' [ -s tables/heat.csv ]
check '... and of what was over time' [ "$(wc -l <tables/series.csv)" -eq 7 ]
no_leftovers film && no_leftovers over-time
result $? 'no temporary file is left'
# A killed run leaves what was taken.
"$HEATSOLVE" -q "$inputs/slow.ini" -o cut 2>err </dev/null &
pid=$!
for ((k = 0; k < 400; k++)); do
  if [ "$(grep -c '<Time ' cut/snapshots.xdmf 2>/dev/null)" -ge 2 ] 2>/dev/null; then break; fi
  sleep 0.05
done
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
tail -n 1 cut/snapshots.xdmf | grep -q '</Xdmf>'
result $? 'killed: snapshots.xdmf is whole'
if command -v h5ls >/dev/null && command -v h5dump >/dev/null; then
  times=$(h5ls cut/snapshots.h5/time 2>/dev/null | sed -n 's/^time *Dataset {\([0-9]*\).*/\1/p')
  last=$((${times:-1} - 1))
  [ "${times:-0}" -ge 2 ] && h5dump -d "/snapshots/$last" cut/snapshots.h5 >dumped 2>&1 &&
    [ "$(h5ls cut/snapshots.h5/snapshots | grep -c Dataset)" -eq "$times" ]
  result $? "killed: the ${times:-no} snapshots that were taken can be read"
  [ "$(grep -c '<Time ' cut/snapshots.xdmf)" -le "${times:-0}" ]
  result $? '... and none is described that is not there'
else
  skip 'killed: the snapshots that were taken can be read' 'no h5ls and h5dump'
fi

# report.json
for key in status iterations stop_index criterion tolerance update_norm_l2 update_norm_max residual_relative_l2 \
  error_estimate_k energy_imbalance_relative temperature_min_k temperature_max_k temperature_mean_k \
  center_temperature_k backend device precision nx ny threads time_total_s time_solve_s node_updates_per_s; do
  check "report.json has $key" [ -n "$(json $key ref/report.json)" ]
done
[ "$(json stop_index ref/report.json)" -eq $(($(json iterations ref/report.json) - 1)) ]
result $? 'stop_index counts from zero'
[ "$(json nx ref/report.json) $(json ny ref/report.json) $(json precision ref/report.json)" = '33 17 double' ]
result $? 'report.json tells the grid and the precision'
[ "$(json temperature_min_k ref/report.json) $(json temperature_max_k ref/report.json)" = '0.0 100.0' ]
result $? 'report.json tells the coldest and the hottest node'
listed=$(sed -n '/"files"/,/\]/s/^    "\(.*\)",\{0,1\}$/\1/p' ref/report.json | LC_ALL=C sort | paste -sd ' ')
check 'report.json lists the files' [ "$listed" = "$files" ]

# The workshop problem from end to end
expect 'configs/workshop.ini' 0 warnings=2 'out~converged after 19008 sweeps' 'out~4.6 % of the temperature at the centre' -- \
  "$HS_TEST_SRCDIR/../configs/workshop.ini" -o workshop
[ "$(json iterations workshop/report.json) $(json stop_index workshop/report.json)" = '19008 19007' ]
result $? '... takes 19008 sweeps'
check '... has its centre at 0.15152741700107639 K' \
  [ "$(json center_temperature_k workshop/report.json)" = 0.15152741700107639 ]
expect '... has the same bits on cpu-reference' 0 'out~^same bits +yes, all 65536' 'out~^stop and norms +the same' -- \
  verify "$HS_TEST_SRCDIR/../configs/workshop.ini" --set solver.max_iterations=2000

# Threads: the same field from any number
larger=(-b cpu --set grid.nx=301 --set grid.ny=203 --set solver.max_iterations=200)
for threads in 0 1 3 64; do
  call a.ini -q "${larger[@]}" -t $threads -o threads-$threads
  [ $rc -eq 3 ] && same_field threads-0/field.h5 threads-$threads/field.h5
  result $? "the field of --threads $threads"
  swept=$(json threads threads-$threads/report.json)
  check '... with no more threads than allowed' \
    [ "$swept" -ge 1 -a "$swept" -le $((threads ? threads : 4096)) -a "$swept" -le "$(env -u OMP_NUM_THREADS nproc)" ]
done
for threads in 1 3 100; do
  OMP_NUM_THREADS=$threads call a.ini -q "${larger[@]}" -o omp
  [ $rc -eq 3 ] && same_field threads-0/field.h5 omp/field.h5
  result $? "the field with OMP_NUM_THREADS=$threads"
done

# Names and places
for folder in 'a folder' 'Wärme/größer' ./deep/er/still "$PWD/absolute" deep/ "it's"; do
  expect "a folder named $folder" 0 out= -- -q a.ini -o "$folder"
  check '... is made and filled' test -s "$folder/report.json" -a -s "$folder/field.h5"
done
mkdir 'with blank'
cp a.ini 'with blank/ä.ini'
expect 'a configuration with blank and umlaut' 0 out= -- -q 'with blank/ä.ini' -o umlaut
check '... stands in the report' [ "$(json config umlaut/report.json)" = 'with blank/ä.ini' ]
expect 'a configuration by its absolute path' 0 out= -- -q "$PWD/a.ini" -o absolute
expect 'a configuration from a pipe' 0 'out~converged' -- <(cat a.ini) -o pipe
rm -rf heatsolve-output
expect 'the default folder' 0 out= -- -q a.ini
check '... is heatsolve-output' complete heatsolve-output
german=$(locale -a 2>/dev/null | grep -im1 '^de_DE')
if [ -n "$german" ]; then
  LC_ALL=$german expect 'a locale with decimal commas' 0 out= -- -q a.ini -o german
  check '... changes no number' [ "$(json temperature_max_k german/report.json)" = 100.0 ]
else
  skip 'a locale with decimal commas' 'de_DE is not installed'
fi

# A folder that all may write, and in which only a file's owner may replace it
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$HEATSOLVE"; then
  mkdir sticky
  chmod 1777 sticky
  chmod a+rx . && chmod a+r a.ini
  echo theirs >sticky/report.json
  XDG_CACHE_HOME=$work/none setpriv --reuid=65534 --regid=65534 --clear-groups "$HEATSOLVE" -q a.ini -o sticky >out 2>err
  rc=$?
  [ $rc -eq 5 ] && stderr_fits && grep -q "could not replace report.json .*another user's.*choose another" err
  result $? 'a file that could not be replaced is found before the run'
  check '... which leaves nothing' [ "$(ls -A sticky)" = report.json ]
  rm -r sticky
else
  skip 'a file that could not be replaced is found before the run' 'needs root, setpriv and a program that all may run'
fi

# A folder that is in use
cp -r ref again
echo old >again/field.h5
echo old >again/report.json
echo mine >again/notes
ln again/field.h5 old.h5
expect 'a second run into a folder' 0 out= -- -q a.ini -o again
[ "$(cat again/notes)" = mine ] && rm again/notes && complete again
result $? '... replaces the files and leaves others alone'
check '... by new ones, not by writing into the old' [ "$(cat old.h5)" = old ]
# The later one is refused, or finds the folder free where the other was quicker.
"$HEATSOLVE" -q a.ini -o both 2>one.err & one=$!
"$HEATSOLVE" -q a.ini -o both 2>two.err & two=$!
wait $one
one=$?
wait $two
two=$?
case $one,$two in
  0,0) complete both ;;
  0,5) complete both && grep -q 'another run writes into the output folder both (process' two.err ;;
  5,0) complete both && grep -q 'another run writes into the output folder both (process' one.err ;;
  *) false ;;
esac
result $? 'of two runs at once into one folder one writes, and the other does not mix with it'

# A folder that is removed during the run
# snapshots COUNT: waits until that many are described in ./gone.
snapshots() {
  local k
  for ((k = 0; k < 400; k++)); do
    if [ "$(grep -c '<Time ' gone/snapshots.xdmf 2>/dev/null || true)" -ge "$1" ] 2>/dev/null; then return; fi
    sleep 0.05
  done
}
# remove: the folder in which $pid is at work, at one moment of that.
remove() {
  kill -STOP $pid
  rm -rf gone
  kill -CONT $pid
}
"$HEATSOLVE" -q "$inputs/slow.ini" -o gone --set run.checkpoint_every=0.2 2>err </dev/null &
pid=$!
snapshots 2
remove
appears gone/snapshots.h5
result $? 'removed during a run over time: snapshots.h5 is there again'
appears gone/checkpoint.h5
result $? '... and so are checkpoints'
remove
kill -TERM $pid
wait $pid
rc=$?
[ $rc -eq 75 ] && grep -q '^heatsolve: warning: gone was removed during the run; it was made again' err
result $? '... also when it ends; a warning says so'
rows=$(($(wc -l <gone/series.csv) - 1))
[ -s gone/field.h5 ] && [ -s gone/report.json ] && [ "$(grep -c '<Time ' gone/snapshots.xdmf)" -eq $rows ]
result $? "... with all files, and all $rows snapshots described"
if command -v h5ls >/dev/null; then
  check '... which are in the file' [ "$(h5ls gone/snapshots.h5/snapshots | grep -c Dataset)" -eq $rows ]
fi
no_leftovers gone
result $? '... and no lock is left'
"$HEATSOLVE" -q "$inputs/endless.ini" -o gone/deep 2>err </dev/null &
pid=$!
appears gone/deep/.heatsolve-lock
sleep 0.3
remove
kill -TERM $pid
wait $pid
rc=$?
[ $rc -eq 75 ] && [ -s gone/deep/field.h5 ] && [ -s gone/deep/report.json ]
result $? 'removed during a steady run: all files are there'

# Failures on the way: no half file under a final name
cp -r ref limited
(ulimit -f 8 && "$HEATSOLVE" -q a.ini -o limited 2>err </dev/null)
rc=$?
[ $rc -eq 5 ] && grep -q '^heatsolve: cannot write limited/field.h5: File too large' err
result $? 'a limit on file sizes'
no_leftovers limited && same_field limited/field.h5 ref/field.h5 && cmp -s limited/temperature.png ref/temperature.png
result $? '... keeps the old field and picture'

# killed SECONDS: SIGKILL while field.h5 is being written over that of an earlier run. 0: in time.
killed() {
  "$HEATSOLVE" -q a.ini -o killed --set grid.nx=1500 --set grid.ny=1500 --set solver.max_iterations=1 2>/dev/null &
  pid=$!
  appears 'killed/.field.h5.*'
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
  [ $? -eq 137 ] && compgen -G 'killed/.field.h5.*' >/dev/null
}
cp -r ref killed
hit=1
for _ in 1 2 3 4 5; do
  killed
  hit=$?
  if [ $hit -eq 0 ]; then break; fi
  rm -rf killed
  cp -r ref killed
done
if [ $hit -eq 0 ]; then
  check 'killed while writing: the old field is whole' cmp -s killed/field.h5 ref/field.h5
else
  skip 'killed while writing' 'the run was always faster'
fi
rm -f killed/.field.h5.*
expect 'a run after one that was killed' 0 out= -- -q a.ini -o killed
check '... is complete' complete killed

# with_mount OPTIONS COMMAND...: runs it with a small file system mounted on ./disk, in a name space of its own.
with_mount() {
  local options=$1
  shift
  # shellcheck disable=SC2016
  unshare "${unshare_options[@]}" bash -c 'mount -t tmpfs -o "$0" heatsolve-test disk || exit 99; "$@"' "$options" "$@"
}
# on_disk ARGUMENT...: a run into ./disk; its folder is copied to ./left.
# shellcheck disable=SC2317
on_disk() {
  "$HEATSOLVE" "$@" >out 2>err </dev/null
  local code=$?
  cp -r disk left
  return $code
}
export -f on_disk
export HEATSOLVE
mkdir disk
unshare_options=(-m)
if ! with_mount size=64k true 2>/dev/null; then unshare_options=(-rm); fi
if with_mount size=64k true 2>/dev/null; then
  with_mount size=12k on_disk -q a.ini -o disk --set output.csv=no
  rc=$?
  [ $rc -eq 5 ] && grep -q '^heatsolve: cannot write disk/field.h5: No space left on device' err
  result $? 'a full disk'
  [ "$(listing left)" = report.json ] && ! grep -qE '"(field|temperature|convergence)\.' left/report.json
  result $? '... has the report alone, which names no other file'
  rm -rf left
  with_mount size=64k on_disk -q a.ini -o disk
  rc=$?
  [ $rc -eq 5 ] && no_leftovers left && same_field left/field.h5 ref/field.h5 && [ ! -e left/temperature.png ]
  result $? 'a disk with room for the field alone'
  with_mount ro,size=64k on_disk -q a.ini -o disk
  rc=$?
  [ $rc -eq 5 ] && grep -q '^heatsolve: .*disk.*Read-only file system.*output.directory or --output' err
  result $? 'a disk that is read-only'
else
  skip 'a full disk' 'no right to mount a small file system'
fi
if [ "$(id -u)" -ne 0 ]; then
  mkdir -m 555 locked
  expect 'a folder without permission to write' 5 out= 'err~locked.*Permission denied' -- -q a.ini -o locked
else
  skip 'a folder without permission to write' 'root may write everywhere'
fi
if [ -d /proc/self ]; then
  expect 'a file system that takes no files' 5 out= 'err~/proc/heatsolve' -- -q a.ini -o /proc/heatsolve
else
  skip 'a file system that takes no files' 'no /proc'
fi

finish
