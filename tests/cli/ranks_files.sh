#!/usr/bin/env bash
# The files of runs by many ranks under mpirun: the same as those of one process, whatever becomes of a rank, the disk or a
# checkpoint; and any number of ranks goes on.
. "${HS_TEST_SRCDIR:?}/tap.sh"
needs_mpirun

cp "$inputs/plate.ini" plate.ini
RANDOM=22
small=(--set grid.nx=81 --set grid.ny=47 --set solver.method=jacobi)
drawn=(--set output.picture=yes --set output.vti=yes --set output.flux=yes --set output.xdmf=yes)
over_time=(--set time.scheme=backward_euler --set time.end=0.12 --set time.step=0.0021 --set time.snapshot_every=0.0223
  --set 'boundary.north=100*(1+t)' --set time.inner_tolerance=1e-6)

# ranks N ARGUMENT...: runs plate.ini by N ranks; leaves rc, out and err.
ranks() {
  local n=$1
  shift
  timeout 60 mpirun -n "$n" "$HEATSOLVE" plate.ini -q "$@" >out 2>err </dev/null
  rc=$?
}

# faulty PLAN N RANK ARGUMENT...: the same with a fault of one rank (tests/faults/inject.c).
faulty() {
  local plan=$1 n=$2 rank=$3 k
  local -a line=()
  shift 3
  for ((k = 0; k < n; k++)); do
    [ "$k" -eq 0 ] || line+=(:)
    line+=(-n 1)
    [ "$k" -ne "$rank" ] || line+=(env "HS_FAULT=$plan" "LD_PRELOAD=$HS_FAULT_LIBRARY")
    line+=("$HEATSOLVE" plate.ini -q "$@")
  done
  timeout 60 mpirun "${line[@]}" >out 2>err </dev/null
  rc=$?
}

# same_files A B FILE...: byte for byte.
same_files() {
  local a=$1 b=$2 file
  shift 2
  for file in "$@"; do
    cmp "$a/$file" "$b/$file" || return 1
  done
}

# says WORDS: the last call gave one sentence, with these words in it (^WORDS: at its beginning).
says() {
  local words=".*$1"
  [ "$(grep -c '^heatsolve: [^w]' err)" -eq 1 ] && grep -q "^heatsolve: ${words#.\*^}" err
}

# --- the same files -------------------------------------------------------------------------------
call -q plate.ini -o ref "${small[@]}" "${drawn[@]}"
call -q plate.ini -o ref-time "${small[@]}" "${over_time[@]}" --set output.animation=apng
for n in 2 3 4; do
  ranks $n -o by-$n "${small[@]}" "${drawn[@]}"
  check "$n ranks write the same field" same_field ref/field.h5 by-$n/field.h5
  check '... picture, image and tables' same_files ref by-$n temperature.png field.vti field.xdmf heat.csv materials.csv
  check '... and leave nothing else' no_leftovers by-$n
done
ranks 3 -o time-3 "${small[@]}" "${over_time[@]}" --set output.animation=apng
check 'and of a run over time the same film and series' same_files ref-time time-3 animation.png series.csv snapshots.xdmf
check '... and the same field' same_field ref-time/field.h5 time-3/field.h5

# --- a rank that is killed ------------------------------------------------------------------------
# killed FOLDER ARGUMENT...: until the run is done; each time another number of ranks, of which one is killed at some moment of
# the lasts_ms that the undisturbed run takes.
killed() {
  local folder=$1 k pid victims pause_ms
  shift
  kills=0
  for ((k = 0; k < 60; k++)); do
    mpirun -n $((1 + (k + 1) % 4)) "$HEATSOLVE" plate.ini -q -o "$folder" --set run.restart=auto \
      --set run.checkpoint_every=0.05 "$@" >out 2>err </dev/null &
    pid=$!
    appears "$folder/checkpoint.h5" || true
    pause_ms=$((lasts_ms * (k < 2 ? 2 : RANDOM % 100) / 100)) # at first soon, so that some are killed for certain
    sleep "$(printf '%d.%03d' $((pause_ms / 1000)) $((pause_ms % 1000)))"
    mapfile -t victims < <(pgrep -P "$pid" -x "$(basename "$HEATSOLVE" | cut -c1-15)")
    [ ${#victims[@]} -eq 0 ] || kill -KILL "${victims[RANDOM % ${#victims[@]}]}" 2>/dev/null
    wait "$pid" 2>/dev/null
    rc=$?
    [ $rc -ne 0 ] || return 0
    kills=$((kills + 1))
  done
  return 1
}
longer=(--set solver.method=jacobi "${over_time[@]}" --set grid.nx=121 --set grid.ny=81)
began_ns=$(date +%s%N)
call -q plate.ini -o ref-long "${longer[@]}"
lasts_ms=$((($(date +%s%N) - began_ns) / 1000000))
killed torn "${longer[@]}"
result $? 'a run whose ranks are killed again and again gets done'
check "... $kills times" [ "$kills" -gt 0 ]
check '... with the same field' same_field ref-long/field.h5 torn/field.h5
check '... and the same series' cmp ref-long/series.csv torn/series.csv
check '... and nothing is left' no_leftovers torn

# --- a signal before the ranks have met -----------------------------------------------------------
# Rank 1 comes late, and rank 0 gets USR2 once it listens (a handler is bit 11 of SigCgt), or after 1.5 s.
cat >early <<'EOF'
#!/bin/bash
pid=$$
if [ "$OMPI_COMM_WORLD_RANK" -ne 0 ]; then sleep 2; exec "$@"; fi
{
  for ((k = 0; k < 15; k++)); do
    sleep 0.1
    caught=$(sed -n 's/^SigCgt:\t*//p' "/proc/$pid/status")
    [ "$(cat "/proc/$pid/comm")" = bash ] || [ $((0x$caught & 0x800)) -eq 0 ] || break
  done
  kill -USR2 "$pid"
} &
exec "$@"
EOF
timeout 60 mpirun -n 2 bash early "$HEATSOLVE" plate.ini -q -o early-output --set grid.nx=301 --set grid.ny=301 \
  --set solver.method=jacobi >out 2>err </dev/null
rc=$?
check 'a signal before the ranks have met stops the run' [ $rc -eq 75 -a -s early-output/checkpoint.h5 ]

# --- a rank that dies, or whose disk is full, at a call -------------------------------------------
often=(--set run.restart=auto --set run.checkpoint_every=0.02)
if [ -n "${HS_FAULT_WHY:-}" ] || [ ! -r "${HS_FAULT_LIBRARY:-}" ]; then
  skip 'faults at calls' "${HS_FAULT_WHY:-no HS_FAULT_LIBRARY}"
else
  bad=0
  for plan in ${HEATSOLVE_TEST_ALL:+rename:1:kill:0 rename:5:kill:0} rename:2:kill:0 pwrite:3:torn:1 pwrite:9:torn:0 fsync:2:kill:1; do
    rm -rf struck
    faulty "${plan%:*}" 3 "${plan##*:}" -o struck "${small[@]}" "${often[@]}" "${drawn[@]}"
    [ $rc -ne 0 ] || { echo "# $plan: nothing happened" && bad=1; }
    [ "$(grep -c 'has died' err)" -le 1 ] || { echo "# $plan: $(cat err)" && bad=1; }
    ranks 3 -o struck "${small[@]}" "${often[@]}" "${drawn[@]}"
    [ $rc -eq 0 ] && same_field ref/field.h5 struck/field.h5 && same_files ref struck temperature.png &&
      no_leftovers struck && continue
    bad=1
    echo "# $plan: $(cat err)"
  done
  check 'a rank is killed at a write, a flush or a rename, and others go on' [ $bad -eq 0 ]

  faulty pwrite:1:ENOSPC:stay 3 1 -o full "${small[@]}" "${often[@]}"
  check 'a disk that is full for one rank is a failure' [ $rc -eq 5 ]
  check '... in one sentence' says 'cannot write full/field.h5: No space left on device'
  check '... after a warning about checkpoints' grep -q 'warning: cannot write full/checkpoint.h5: No space' err
  check '... and no half file is left' [ ! -e full/field.h5 -a ! -e full/checkpoint.h5 ]
  check '... nor a temporary one' no_leftovers full
  check '... but the report is there' grep -q '"status": "converged"' full/report.json
fi

# --- checkpoints that are not what they were ------------------------------------------------------
mpirun -n 2 "$HEATSOLVE" plate.ini -q -o kept "${longer[@]}" --set run.checkpoint_every=0.05 >out 2>err </dev/null &
pid=$!
appears kept/checkpoint-previous.h5
pkill -KILL -P "$pid" -x "$(basename "$HEATSOLVE" | cut -c1-15)"
wait "$pid" 2>/dev/null
check 'a run that is killed keeps its checkpoints' [ -s kept/checkpoint.h5 -a -s kept/checkpoint-previous.h5 ]

# damage FILE HOW
damage() {
  local size
  size=$(stat -c %s "$1")
  case $2 in
    short) truncate -s $((size - 100)) "$1" ;;
    bit) printf '\x5a' | dd of="$1" bs=1 seek=$((size / 2)) conv=notrunc status=none ;;
    empty) : >"$1" ;;
  esac
}
for how in short bit empty; do
  rm -rf hurt && cp -r kept hurt
  damage hurt/checkpoint.h5 $how
  ranks 3 -o hurt "${longer[@]}" --restart
  check "damaged ($how): the one before serves" [ $rc -eq 0 ]
  check '... with a warning' grep -q 'warning: hurt/checkpoint.h5 is damaged: .*; the run went on from checkpoint-previous' err
  check '... and the same field' same_field ref-long/field.h5 hurt/field.h5
done
rm -rf hurt && cp -r kept hurt
damage hurt/checkpoint.h5 bit
damage hurt/checkpoint-previous.h5 short
ranks 4 -o hurt "${longer[@]}" --restart
check 'both damaged: a failure of all ranks' [ $rc -eq 5 ]
check '... in one sentence' says 'checkpoint.h5 is damaged: .*; hurt/checkpoint-previous.h5 is damaged: .*Start anew'
check '... which is not that of one rank' says '^hurt/checkpoint.h5'
check '... and the folder is free' no_leftovers hurt
sed '1s/2$/1/' kept/checkpoint.h5 >old.h5
rm -rf hurt && cp -r kept hurt && cp old.h5 hurt/checkpoint.h5 && rm hurt/checkpoint-previous.h5
ranks 2 -o hurt "${longer[@]}" --restart
check 'a checkpoint of an earlier form is refused' says 'hurt/checkpoint.h5 was written by an earlier version'
ranks 2 -o kept "${longer[@]}" --set boundary.west=5 --restart
check 'a checkpoint of another problem is refused' says 'is of another problem: boundary.west'
check '... with the code of a wrong configuration' [ $rc -eq 2 ]

# --- folders --------------------------------------------------------------------------------------
: >file
ranks 3 -o file/in "${small[@]}"
check 'a folder that cannot be made is one sentence' says 'cannot create the folder file'
mkdir locked
if mount -t tmpfs -o ro tmpfs locked 2>/dev/null; then
  ranks 2 -o locked "${small[@]}"
  umount locked
  check 'so is one that cannot be written to' says 'Read-only file system'
else
  skip 'so is one that cannot be written to' 'nothing can be mounted here'
fi
"$HEATSOLVE" "$inputs/endless.ini" -q -o busy 2>/dev/null </dev/null &
pid=$!
appears busy/.heatsolve-lock
ranks 2 -o busy "${small[@]}"
check 'and one that another run writes to' says 'another run writes into the output folder busy'
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
mkdir earlier && : >earlier/series.csv
ranks 2 -o earlier "${small[@]}"
check 'files of an earlier run are told of once' [ "$(grep -c 'warning: earlier holds series.csv' err)" -eq 1 ]
ranks 3 -o earlier "${small[@]}" --force
check '... and go by --force' [ ! -e earlier/series.csv -a -s earlier/report.json ]

finish
