#!/usr/bin/env bash
# Faults in one rank of three, under mpirun: memory that the program itself asks for, a disk that is full from one call on, an
# output folder that is removed, a checkpoint that is damaged. No rank waits for the one that has failed, one sentence says
# why, and a run that is not done goes on, without a fault, to the same files. Ranks have no GPU: the CUDA runtime, which is part
# of the program, crashes where it gets no memory.
#
# usage: ranks.sh [FAULTS]     of each kind, in each run and rank: 1, or that many, evenly spaced; `all`
. "${HS_TEST_SRCDIR:?}/tap.sh"
needs_mpirun
if [ -n "${HS_FAULT_WHY:-}" ] || [ ! -r "${HS_FAULT_LIBRARY:-}" ]; then
  echo "1..0 # SKIP ${HS_FAULT_WHY:-no HS_FAULT_LIBRARY}"
  exit 0
fi
wanted=${1:-1}
RANDOM=19
cp "$inputs/plate.ini" plate.ini
declare -A counts=()

arguments=()
# scene NAME: what such a run is called with, and which of its files are the same each time.
scene() {
  arguments=(-b cpu --set grid.nx=113 --set grid.ny=41 --set run.restart=auto --set run.checkpoint_every=0.02)
  files=(temperature.png field.vti heat.csv materials.csv)
  case $1 in
    steady) arguments+=(--set solver.method=jacobi) ;;
    multigrid) arguments+=(--set solver.method=multigrid --set solver.criterion=residual) ;;
    'over time')
      arguments+=(--set solver.method=jacobi --set time.scheme=backward_euler --set time.end=0.05 --set time.step=0.0021
        --set time.snapshot_every=0.0223 --set time.inner_tolerance=1e-6 --set 'boundary.north=100*(1+t)'
        --set output.animation=apng)
      files=(series.csv animation.png heat.csv)
      ;;
  esac
  [ "$1" = 'over time' ] || arguments+=(--set output.picture=yes --set output.vti=yes --set output.flux=yes)
}

# run_with PLAN RANK: three ranks, of which one has that fault; leaves rc, out and err.
run_with() {
  local k
  local -a line=()
  for k in 0 1 2; do
    [ "$k" -eq 0 ] || line+=(:)
    line+=(-n 1)
    [ "$k" -ne "$2" ] || line+=(env "HS_FAULT=$1" "HS_FAULT_COUNTS=$work/counts" "LD_PRELOAD=$HS_FAULT_LIBRARY")
    line+=("$HEATSOLVE" plate.ini -q -o struck "${arguments[@]}")
  done
  rm -rf struck trace asked
  timeout -k 5 45 mpirun "${line[@]}" >stdout 2>err </dev/null
  rc=$?
}

# whole NAME: does the folder hold what the undisturbed run has written?
whole() {
  local file
  same_field "right-$1/field.h5" struck/field.h5 && [ -s struck/report.json ] || return 1
  for file in "${files[@]}"; do cmp -s "right-$1/$file" "struck/$file" || return 1; done
  no_leftovers struck
}

# outcome NAME: of the last run, and of going on with it: complete, warned, failed, or what is wrong.
outcome() {
  local sentences outcome=failed
  sentences=$(grep -c '^heatsolve: [^w]' err)
  if [ "$rc" -eq 0 ]; then
    whole "$1" || { echo 'wrong: not the same files' && return; }
    if grep -q '^heatsolve: warning: ' err; then echo warned; else echo complete; fi
    return
  fi
  [ "$rc" -ne 124 ] && [ "$rc" -ne 137 ] || outcome='wrong: it hung'
  [ "$rc" -le 6 ] || outcome="wrong: exit code $rc"
  [ "$sentences" -eq 1 ] || outcome="wrong: $sentences sentences"
  call plate.ini -q -o struck "${arguments[@]}"
  if [ "$rc" -ne 0 ]; then outcome="wrong: it does not go on"; elif ! whole "$1"; then outcome='wrong: it goes on to other files'; fi
  echo "$outcome"
}

# count NAME RANK CALL HOW: so many faults of a kind, among the calls of the undisturbed run; one line of TAP.
count() {
  local calls n k number bad=0 found kind kinds=''
  local -A here=()
  calls=$(awk -v call="$3" '$1 == call { print $2 }' undisturbed)
  number=$wanted
  if [ "$wanted" = all ] || [ "$calls" -lt "$wanted" ]; then number=$calls; fi
  for ((k = 0; k < number; k++)); do
    n=$((1 + (2 * k + 1) * calls / (2 * number)))
    run_with "$3:$n:$4" "$2"
    cp err said
    found=$(outcome "$1")
    here[${found%%:*}]=$((${here[${found%%:*}]:-0} + 1))
    counts["$3 $4|${found%%:*}"]=$((${counts["$3 $4|${found%%:*}"]:-0} + 1))
    [ "${found%%:*}" != wrong ] || { bad=1 && echo "# $1, rank $2, $3:$n:$4: $found: $(grep '^heatsolve' said | head -n 2)"; }
  done
  for kind in complete warned failed wrong; do [ -z "${here[$kind]:-}" ] || kinds="$kinds, ${here[$kind]} $kind"; done
  result $bad "$1, rank $2, $3 $4: $number faults$kinds"
}

rank=0
for name in steady multigrid 'over time'; do
  scene "$name"
  call plate.ini -q -o "right-$name" "${arguments[@]}"
  if [ "$wanted" = 1 ]; then ranks=$rank; else ranks='0 1'; fi # by turns
  for rank in $ranks; do
    run_with none:1:kill $rank
    cp counts undisturbed
    count "$name" $rank own ENOMEM
    count "$name" $rank own ENOMEM:stay
    count "$name" $rank disk ENOSPC:stay
  done
  rank=$((1 - rank))
done

# --- folders and checkpoints ----------------------------------------------------------------------
# removed MS: the output folder goes, so many milliseconds after the first checkpoint.
removed() {
  local pid
  rm -rf struck
  timeout -k 5 45 mpirun -n 3 "$HEATSOLVE" plate.ini -q -o struck "${arguments[@]}" >stdout 2>err </dev/null &
  pid=$!
  appears struck/checkpoint.h5
  sleep "$(printf '0.%03d' "$1")"
  rm -rf struck 2>/dev/null
  wait $pid
  rc=$?
}
bad=0
number=$((wanted == 1 ? 2 : 20))
scene 'over time'
arguments+=(--set time.end=0.2)
rm -rf 'right-over time' && call plate.ini -q -o 'right-over time' "${arguments[@]}"
for ((k = 0; k < number; k++)); do
  removed $((RANDOM % 400))
  cp err said
  found=$(outcome 'over time')
  counts["a folder that is removed|${found%%:*}"]=$((${counts["a folder that is removed|${found%%:*}"]:-0} + 1))
  [ "${found%%:*}" != wrong ] || { bad=1 && echo "# $found: $(cat said)"; }
done
result $bad "an output folder that is removed: $number times"

echo '# | fault | number | complete | warned | failed | wrong |'
for kind in 'own ENOMEM' 'own ENOMEM:stay' 'disk ENOSPC:stay' 'a folder that is removed'; do
  sum=0 row=
  for found in complete warned failed wrong; do
    row="$row ${counts["$kind|$found"]:-} |"
    sum=$((sum + ${counts["$kind|$found"]:-0}))
  done
  echo "# | $kind | $sum |$row"
done
finish
