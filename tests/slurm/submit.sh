#!/usr/bin/env bash
# heatsolve submit without a cluster: the scripts that it writes, what they do when they run, and what it says where there is
# no Slurm or Slurm refuses. jobs.sh tries the same with a real one.
. "${HS_TEST_SRCDIR:?}/tap.sh"

examples=$HS_TEST_SRCDIR/../examples/slurm
unset "${!SLURM_@}" "${!SBATCH_@}" HEATSOLVE_SLURM_LONG 2>/dev/null
cp "$inputs/plate.ini" plate.ini

# The program finds no other commands than those in bin.
mkdir bin
real=$HEATSOLVE
printf '#!/bin/bash\nPATH=%q exec %q "$@"\n' "$work/bin" "$real" >alone
chmod +x alone
HEATSOLVE=$work/alone

# command NAME: the script on standard input becomes a command in bin.
command_make() {
  { printf '#!/bin/bash\nPATH=%q\n' "$PATH"; cat; } >"bin/$1"
  chmod +x "bin/$1"
}

# The script of a job
expect 'a dry run prints a script, and needs no Slurm' 0 'out~^#SBATCH --time=00:15:00$' 'out~^# Forecast: ' \
  'out~^#SBATCH --signal=B:USR1@120$' "out~^run=.*/plate.ini --output \"\\\$output\"\)" -- submit plate.ini --dry-run -o folder
check '... and writes nothing' [ ! -e folder ]
check '... that bash can read' bash -n out
expect 'a job of many nodes is forecast by the plan, whatever fits here' 0 'out~^# Forecast: .* \(by the plan of heatsolve check\)\.$' \
  -- submit plate.ini --dry-run --nodes 16 --gpus 128 --set grid.nx=200000 --set grid.ny=200000
expect '... and of one, where the grid is too large for this machine' 0 warnings=1 'out~by the plan' 'err~fit into 1 GPU of 141 GB' \
  -- submit plate.ini --dry-run --gpus 1 --set grid.nx=260000 --set grid.ny=260000
expect '--time takes the place of the forecast' 0 'out~^#SBATCH --time=1-02:00:00$' -- submit plate.ini --dry-run --time 1-2
check '... which is not made then' [ "$(grep -c Forecast out)" -eq 0 ]
expect 'a longer run gets a longer limit' 0 'out~^#SBATCH --time=([0-9]+-)?[0-9]*[1-9]:[0-9:]*$' -- submit plate.ini --dry-run \
  --set grid.nx=1500 --set grid.ny=1000 --set solver.method=jacobi --set solver.max_iterations=1000000000
call submit plate.ini --dry-run --time 1:00:00 --nodes 3
check 'nodes have a process each' [ "$(grep -c -e '^#SBATCH --nodes=3$' -e '^#SBATCH --ntasks-per-node=1$' -e '^launch=(srun ' out)" -eq 3 ]
expect 'a limit of minutes has a signal that fits' 0 'out~^#SBATCH --signal=B:USR1@15$' -- submit plate.ini --dry-run --time 1
expect 'what else sbatch takes' 0 'out~^#SBATCH --account=a b$' 'out~^#SBATCH --mem=1G$' -- submit plate.ini --dry-run \
  --sbatch '--account=a b' --sbatch --mem=1G
expect 'threads are processors' 0 'out~^#SBATCH --cpus-per-task=3$' -- submit plate.ini --dry-run -t 3

# The examples: alike but for the names of things.
# asks FILE: what it asks for.
asks() {
  grep '^#SBATCH' "$1" | grep -vE -- '--(job-name|output|time|partition)='
}
# alike EXAMPLE OPTION...
alike() {
  call submit plate.ini --dry-run --time 1:00:00 "${@:2}"
  diff <(asks out) <(asks "$examples/$1") &&
    diff <(sed -n '/^run+=\|^launch=/,$p' out) <(sed -n '/^run+=\|^launch=/,$p' "$examples/$1") && bash -n "$examples/$1"
}
check 'examples/slurm/cpu.sbatch is what submit writes' alike cpu.sbatch
check 'examples/slurm/gpu.sbatch, too' alike gpu.sbatch --gpus 1
check 'examples/slurm/gpus.sbatch, too' alike gpus.sbatch --gpus 4
check 'examples/slurm/nodes.sbatch, too' alike nodes.sbatch --gpus 8 --nodes 2
check 'there are no others' [ "$(cd "$examples" && echo *.sbatch) " = 'cpu.sbatch gpu.sbatch gpus.sbatch nodes.sbatch ' ]

# A build without MPI warns of several processes, which it could not be.
call submit plate.ini --dry-run --gpus 2 --ranks 2
if "$real" --version | grep -q '^MPI: *no'; then number=1; else number=0; fi
check 'processes of their own for GPUs' grep -q '^launch=(srun --mpi=pmix ' out
check '... and a warning where there is no MPI' stderr_fits $number

# Refusals
expect 'no Slurm' 5 'err~there is no sbatch here: Slurm is not installed.*the script is .*/nowhere/job.sbatch' -- \
  submit plate.ini -o nowhere
check '... the script is kept' [ -s nowhere/job.sbatch ]
expect 'a time that is none' 2 'err~--time takes a time as sbatch does, .*not "soon"' -- submit plate.ini --time soon
expect '... and one without an end' 2 'err~--time takes' -- submit plate.ini --time UNLIMITED
expect 'a signal behind the limit' 2 'err~told to save 120 s before its end' -- submit plate.ini --time 2 --signal 120
expect 'GPUs that cannot be shared out' 2 'err~3 GPUs cannot be shared out evenly among 2 nodes' -- \
  submit plate.ini --nodes 2 --gpus 3
expect 'processes with several GPUs each' 2 'err~--ranks 2 does not go with --gpus 4' -- submit plate.ini --ranks 2 --gpus 4
expect 'a backend of GPUs without one' 2 'err~cuda-blocked needs a GPU in the job; add --gpus 1' -- \
  submit plate.ini -b cuda-blocked
expect '... with one it is taken' 0 'out~--set solver.backend=cuda-blocked\)' -- submit plate.ini -b cuda-blocked --gpus 1 --dry-run
expect 'standard input' 2 'err~a job cannot read standard input' -- submit -
expect 'a configuration that is not there' 5 'err~none.ini' -- submit none.ini
expect 'a faulty one' 2 'err~grid.nx' -- submit plate.ini --set grid.nx=1
expect 'two lines in one option' 2 'err~--sbatch takes a text of one line' -- submit plate.ini --sbatch $'--a\n--b'
expect 'an option without a value' 2 'err~--partition takes a text of one line' -- submit plate.ini --partition ''
touch file
expect 'a folder that cannot be made' 5 'err~file' -- submit plate.ini -o file/folder
expect 'a script that cannot be written' 5 'err~file/job.sbatch' -- submit plate.ini --script file/job.sbatch
check '... leaves nothing' no_leftovers .

# What sbatch and sinfo say
command_make sbatch <<<'echo "17;cluster"; printf "%s\n" "$@" >arguments'
expect 'a job is submitted' 0 'out~^job +17$' 'out~^script +.*/job.sbatch$' 'out~^time limit +00:15:00$' -- submit plate.ini -o out-1
check '... by its script' [ "$(tail -n 1 arguments)" = "$work/out-1/job.sbatch" ]
expect 'the script has another name' 0 'out~^script +.*/mine.sh$' -- submit plate.ini -o out-1 --script mine.sh
check '... indeed' cmp <(grep -v mine.sh mine.sh) <(grep -v job.sbatch out-1/job.sbatch)
expect 'quietly' 0 out= -- submit plate.ini -o out-1 -q
command_make sinfo <<<'printf "day*|1-00:00:00|(null)|128\nquick|10:00|gpu:4|8\n"'
expect 'no limit is longer than the partition allows' 0 'out~^time limit +00:10:00, the longest that the partition quick allows$' -- \
  submit plate.ini -o out-1 -p quick
expect '... where that is shorter than the forecast' 0 'out~^time limit +00:15:00$' -- submit plate.ini -o out-1
expect 'no more processors are asked for than a node has' 0 'out~^#SBATCH --cpus-per-task=8$' -- submit plate.ini -p quick --dry-run
call submit plate.ini -p quick --gpus 4 --ranks 4 --dry-run
check '... shared by its processes' grep -q '^#SBATCH --cpus-per-task=2$' out
expect '... but for those that are wanted' 0 'out~^#SBATCH --cpus-per-task=20$' -- submit plate.ini -p quick -t 20 --dry-run
command_make sbatch <<<'echo "sbatch: error: invalid partition specified: $0" >&2; exit 1'
expect 'what sbatch refuses is told' 2 'err~sbatch refused .*/job.sbatch: sbatch: error: invalid partition specified' -- \
  submit plate.ini -o out-1 -p none

for said in '' garbage '-3' 'Submitted batch job 17'; do
  command_make sbatch <<<"echo '$said'"
  expect "a job without a number: '$said'" 5 out= 'err~sbatch took .*/job.sbatch and gave no job number' -- submit plate.ini -o out-1
done

# The script runs: here a stand-in for Slurm's part, but heatsolve's own.
command_make scontrol <<<'echo "$@" >>requeued'
command_make squeue <<<'cat state'
long=(--set solver.method=jacobi --set grid.nx=240 --set grid.ny=160 -t 1)
# job FOLDER RESTART: the script in the background, which is $pid.
job() {
  PATH=$work/bin:$PATH SLURM_JOB_ID=17 SLURM_RESTART_COUNT=$2 SLURM_CPUS_PER_TASK=1 SLURM_JOB_NODELIST=n1 \
    bash "$1/job.sbatch" >>"$1/job.log" 2>&1 </dev/null &
  pid=$!
}
# listens: does the run that the script has started catch USR2? By then the script catches signals, too.
listens() {
  grep -q '^SigCgt:.*[89a-f]..$' "/proc/$(pgrep -P "$pid")/status"
}
# ended SIGNAL: sends it to the script a moment after its run has begun; leaves rc.
ended() {
  comes 60 listens
  sleep 0.5
  kill -"$1" "$pid" 2>/dev/null
  wait "$pid"
  rc=$?
}
quoted="it's a \"folder\" \$HOME"
call -q plate.ini -o alone-output "${long[@]}"
call submit plate.ini -o "$quoted" "${long[@]}" --set "output.title=it's \"\$HOME\"" --script "$quoted/job.sbatch"
job "$quoted" 0
ended USR1
check 'a script that is told of its limit ends with code 75' [ "$rc" -eq 75 -a -s "$quoted/checkpoint.h5" ]
check '... and asks for another turn' [ "$(cat requeued)" = 'requeue 17' ]
echo COMPLETING >state
job "$quoted" 1
ended TERM
check 'a script that is cancelled saves' [ "$rc" -eq 75 -a -s "$quoted/checkpoint.h5" ]
check '... and asks for nothing' [ "$(wc -l <requeued)" -eq 1 ]
echo RUNNING >state
job "$quoted" 1
ended TERM
check 'a script that is preempted saves' [ "$rc" -eq 75 -a -s "$quoted/checkpoint.h5" ]
check '... and asks for another turn' [ "$(wc -l <requeued)" -eq 2 ]
job "$quoted" 2
wait "$pid"
rc=$?
check 'a script that is left alone goes on and gets done' [ "$rc" -eq 0 -a ! -e "$quoted/checkpoint.h5" ]
check '... with the bits of a run without one' same_field alone-output/field.h5 "$quoted/field.h5"
check '... with the texts that were asked for' [ "$(json title "$quoted/report.json")" = "it's \\\"\$HOME\\\"" ]

# A run that gets nowhere: heatsolve that is stopped each time before its first sweep.
cat >nowhere/heatsolve <<'END'
#!/bin/bash
echo '  "iterations": 5,' >nowhere/report.json
trap 'exit 75' USR2
sleep 20 &
wait
END
chmod +x nowhere/heatsolve
sed "s|^heatsolve=.*|heatsolve=$work/nowhere/heatsolve|" nowhere/job.sbatch >nowhere/new && mv nowhere/new nowhere/job.sbatch
rm -f requeued
for restart in 0 1 2 3 4; do
  job nowhere $restart
  ended USR1
done
check 'three restarts without a sweep end the job' [ "$(wc -l <requeued)" -eq 3 ]
check '... which says so' grep -q '^3 restarts made no sweep: the time limit is too short' nowhere/job.log

finish
