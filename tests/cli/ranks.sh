#!/usr/bin/env bash
# Runs by many ranks under mpirun: the bits of one process, one voice, and an end within seconds when a rank dies.
. "${HS_TEST_SRCDIR:?}/tap.sh"
needs_mpirun
gallery=$HS_TEST_SRCDIR/../examples/gallery

# ranks N ARGUMENT...: a run by N ranks; leaves rc, out and err.
ranks() {
  local n=$1
  shift
  timeout 60 mpirun -n "$n" "$HEATSOLVE" "$@" >out 2>err </dev/null
  rc=$?
}

# one_sentence REGEX: there was one failure, of one rank, and its sentence fits.
one_sentence() {
  [ "$(grep -c '^heatsolve: [^w]' err)" -eq 1 ] && grep -qE "^heatsolve: .*$1" err
}

# same_run A B: fields of the same bits, and byte for byte what is drawn and counted from them.
same_run() {
  local file
  same_field "$1/field.h5" "$2/field.h5" || return 1
  for file in heat.csv materials.csv probes.csv series.csv temperature.png; do
    [ ! -e "$1/$file" ] || cmp "$1/$file" "$2/$file" || return 1
  done
}

# --- the same bits ----------------------------------------------------------------------------

for case in composite-wall:2 composite-wall:3 pipe:4 fin:3; do
  name=${case%:*} n=${case#*:}
  [ -d "$name" ] || call "$gallery/$name.ini" -q -o "$name"
  ranks "$n" "$gallery/$name.ini" -q -o "$name-$n"
  check "$name by $n ranks has the bits of one process" same_run "$name" "$name-$n"
done
call "$inputs/transient.ini" -q -o steps --set grid.nx=81 --set grid.ny=101
ranks 2 "$inputs/transient.ini" -q -o steps-2 --set grid.nx=81 --set grid.ny=101
check 'so have time steps' same_run steps steps-2
for method in jacobi weighted chebyshev multigrid; do
  call "$inputs/small.ini" -q -o "$method" --set grid.nx=90 --set grid.ny=75 --set solver.method=$method
  ranks 2 "$inputs/small.ini" -q -o "$method-2" --set grid.nx=90 --set grid.ny=75 --set solver.method=$method
  check "... and $method" same_run "$method" "$method-2"
done

# Four parts cut the 301 cells between periodic walls, of which coarser grids cannot have every second one.
odd=("$inputs/small.ini" --set grid.layout=cell --set grid.nx=301 --set grid.ny=31 --set boundary.west=periodic
  --set boundary.east=periodic --set solver.criterion=residual)
call "${odd[@]}" -q -o odd --set solver.method=chebyshev
ranks 4 "${odd[@]}" -o odd-4
check 'where ranks cannot make cycles, auto takes another method' [ "$rc" -eq 0 ]
check '... with its bits' same_run odd odd-4
check '... and says why' grep -q '; not multigrid: 301 x 31 nodes in 4 x 1 parts: .* an even number' out
ranks 4 "${odd[@]}" -q -o none --set solver.method=multigrid
check '... where multigrid is asked for, a sentence does' one_sentence '301 x 31 nodes in 4 x 1 parts'
check '... and names a way out' grep -q 'use another number of nodes or ranks, or' err
check '... with the code of a wrong configuration' [ "$rc" -eq 2 ]
call check "${odd[@]}" --ranks 4
check '... and a plan says the same: another method' grep -q '^method  *chebyshev.*; not multigrid: 301 x 31 nodes in 4 x 1' out
call check "${odd[@]}" --ranks 4 --set solver.method=multigrid
check '... or that sentence' [ "$rc" -eq 2 -a "$(grep -c '301 x 31 nodes in 4 x 1 parts' err)" -eq 1 ]
ranks 4 "${odd[@]}" -q -o history --set solver.criterion=error --set solver.method=chebyshev
check '... and an error is of the history, with a warning' grep -q 'warning: .*history' err

# --- processors -------------------------------------------------------------------------------

# threads_of CPUS CPUS: how many threads the first of two ranks takes, each of which may use those processors.
threads_of() {
  local -a run=("$HEATSOLVE" "$inputs/small.ini" -b cpu -o bound --force --set grid.nx=800 --set grid.ny=800
    --set solver.method=jacobi --set solver.max_iterations=100)
  env -u OMP_NUM_THREADS timeout 60 mpirun --bind-to none -n 1 taskset -c "$1" "${run[@]}" : \
    -n 1 taskset -c "$2" "${run[@]}" 2>err </dev/null | sed -n '/^  backend/s/.*, //p'
}

mapfile -t cpus < <(taskset -pc $$ | sed 's/.*: *//' | tr ',' '\n' | while IFS=- read -r a b; do seq "$a" "${b:-$a}"; done)
if [ ${#cpus[@]} -ge 2 ]; then
  two=${cpus[0]},${cpus[1]}
  check 'ranks bound to the same processors share them' [ "$(threads_of "$two" "$two")" = '1 thread' ]
  check '... and others do not' [ "$(threads_of "$two" "${cpus[0]}")" = '2 threads' ]
else
  skip 'ranks bound to the same processors share them' 'one processor'
fi

if "$HEATSOLVE" --version | grep -q '^CUDA: *[0-9]'; then
  LD_DEBUG=files LD_DEBUG_OUTPUT=loaded ranks 2 "$inputs/small.ini" -q -b cpu -o undriven
  asked='file=libcuda\.so.*dynamically loaded by .*heatsolve' # MPI may ask for it, too
  check 'ranks that are to use the CPU ask no driver' [ "$rc" -eq 0 -a -s undriven/field.h5 -a -z "$(grep -l "$asked" loaded.*)" ]
else
  skip 'ranks that are to use the CPU ask no driver' 'built without CUDA'
fi

# --- one voice --------------------------------------------------------------------------------

ranks 3 "$gallery/composite-wall.ini" -o spoken
check 'one rank prints the report' [ "$(grep -c '^  status' out)" -eq 1 ]
check '... and says how many there are' grep -q 'on 3 ranks' out
ranks 3 check "$inputs/small.ini"
check 'another command is done once' [ "$rc" -eq 0 -a "$(grep -c '^method' out)" -eq 1 ]
check '... and says so' grep -qx 'heatsolve: warning: `heatsolve check` is for one process, and 3 were started: the others do nothing' err
ranks 2 compare jacobi/field.h5 multigrid/field.h5
check '... and has an exit code' [ "$rc" -eq 1 -a "$(grep -c '^same bits' out)" -eq 1 ]
ranks 3 --version
check '... without a warning where nothing is done' [ "$rc" -eq 0 -a "$(wc -l <err)" -eq 0 -a "$(grep -c '^MPI' out)" -eq 1 ]
# Others that end before it is there would have mpirun end it.
late_first=(bash -c '[ "$OMPI_COMM_WORLD_RANK" != 0 ] || sleep 0.3; exec "$@"' late)
for _ in 1 2 3; do
  timeout 60 mpirun -n 3 "${late_first[@]}" "$HEATSOLVE" "$inputs/small.ini" --wrong >out 2>>told </dev/null
  echo "exit code $?" >>told
done
check 'a wrong option is told once, even if the first rank comes late' [ "$(grep -c '^heatsolve: unknown option' told)" -eq 3 ]
check '... with its exit code' [ "$(grep -c '^exit code 2$' told)" -eq 3 ]
OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=1 "$HEATSOLVE" --wrong >out 2>err &
sleep 0.5
kill -TERM $!
wait $!
check '... and that of the others' [ $? -eq 2 -a ! -s err ]
timeout 60 mpirun -n 1 "$HEATSOLVE" "$inputs/small.ini" -q -o none : -n 1 "$HEATSOLVE" --wrong >out 2>err </dev/null
check '... and by another rank where it alone was given one' one_sentence 'unknown option "--wrong"'
ranks 2 "$inputs/small.ini" -q -o none --set solver.tolerance=-1
check 'an error that all ranks meet is told once' one_sentence 'solver.tolerance'
check '... with its exit code' [ "$rc" -eq 2 ]
ranks 4 "$inputs/small.ini" -q -o none --set grid.nx=15 --set grid.ny=15
check 'more ranks than a grid can use are refused' one_sentence '4 ranks are too many for 15 x 15 nodes'
check '... before anything is written' [ ! -e none ]
OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=0 "$HEATSOLVE" "$inputs/small.ini" -q -o none >out 2>err </dev/null
rc=$?
check 'a launcher of another MPI is recognised' one_sentence 'the launcher speaks of 3 ranks'

# --- ranks that die or never come ---------------------------------------------------------------

long=(--set grid.nx=301 --set grid.ny=301 --set solver.method=jacobi --set solver.max_iterations=100000000
  --set solver.tolerance=1e-9 --set solver.backend=cpu-reference --set run.checkpoint_every=0.2)

# begin FOLDER: three ranks in the background, until they have saved; their process numbers are in pids.
begin() {
  timeout 60 mpirun -n 3 "$HEATSOLVE" "$inputs/small.ini" -q -o "$1" "${long[@]}" >out 2>err </dev/null &
  launcher=$!
  appears "$1/checkpoint.h5" || return 1
  ranks_find "$1"
  [ ${#pids[@]} -eq 3 ]
}

# ranks_find FOLDER: the process numbers of the ranks that write there, in pids.
ranks_find() {
  mapfile -t pids < <(pgrep -f "$HEATSOLVE $inputs/small.ini -q -o $1 " | while read -r pid; do
    [ "$(cat "/proc/$pid/comm")" != heatsolve ] || echo "$pid"
  done)
}

# ends_within SECONDS
ends_within() {
  local began=$SECONDS
  wait "$launcher"
  rc=$?
  [ $((SECONDS - began)) -le "$1" ]
}

for k in 0 2; do
  check 'three ranks at work' begin "dead-$k"
  kill -KILL "${pids[k]}"
  check "one of them is killed, and the job ends within 10 s" ends_within 10
  check '... with an exit code' [ "$rc" -ne 0 ]
  check '... and leaves nobody behind' [ -z "$(pgrep -f "$HEATSOLVE $inputs/small.ini -q -o dead-$k ")" ]
done
# Suspended for longer than rank 0 waits for others, and than a machine may be silent: the second one comes late.
HEATSOLVE_RANKS_WAIT=6 timeout 60 mpirun -n 1 "$HEATSOLVE" "$inputs/small.ini" -q -o late --set solver.method=jacobi \
  --set grid.nx=101 : -n 1 bash -c 'sleep 7; exec "$@"' late "$HEATSOLVE" "$inputs/small.ini" -q -o late \
  --set solver.method=jacobi --set grid.nx=101 >late-out 2>&1 </dev/null &
late=$!
sleep 1
ranks_find late
kill -STOP "${pids[@]}"
asleep=("${pids[@]}")
check 'three ranks at work' begin stopped
kill -STOP "${pids[1]}"
sleep 8
kill -CONT "${pids[1]}" "${asleep[@]}"
wait $late
check 'a job that is suspended while its ranks meet goes on' [ $? -eq 0 -a -s late/field.h5 ]
kill -TERM "${pids[1]}"
check 'a signal to one of them stops all' ends_within 20
check '... after saving' [ "$rc" -eq 75 ]
check '... and all have left in good order' [ -z "$(find stopped -name '.heatsolve-lock')" ]
further=$(($(json iterations stopped/report.json) + 2000))
call "$inputs/small.ini" -q -o alone "${long[@]}" --set solver.max_iterations=$further --set run.checkpoint_every=0
ranks 2 "$inputs/small.ini" -q -o stopped "${long[@]}" --set solver.max_iterations=$further --restart
check 'two ranks go on from what three have saved' [ "$rc" -eq 3 ]
check '... and have the bits of one that was never stopped' same_run alone stopped

HEATSOLVE_RANKS_WAIT=2 timeout 60 mpirun -n 1 "$HEATSOLVE" "$inputs/small.ini" -q -o none : -n 1 sleep 30 >out 2>err &
launcher=$!
check 'a rank that never comes is waited for a while' ends_within 12
check '... and a sentence says so' one_sentence '2 ranks were started, and after 2 s some of them had not come'
finish
