#!/usr/bin/env bash
# Jobs of a real Slurm, two nodes on this machine: submitted by heatsolve, told to save, queued again and gone on with, to
# the field of a run that was left alone.
#
# Slurm looks at time limits every half minute, so here scancel sends the signal that --signal asks for. With
# HEATSOLVE_SLURM_LONG=1 a time limit of a minute strikes as well.
. "${HS_TEST_SRCDIR:?}/tap.sh"

sandbox=$HS_TEST_SRCDIR/../scripts/slurm-sandbox.sh
export SLURM_SANDBOX=$work/slurm
unset "${!SLURM_@}" "${!SBATCH_@}" 2>/dev/null
export SLURM_SANDBOX=$work/slurm
if ! timeout 60 bash "$sandbox" start 2>reason; then
  echo "1..0 # SKIP $(tail -n 1 reason | sed 's/^slurm-sandbox.sh: //')"
  exit 0
fi
stop_and_clean_up() {
  timeout 30 bash "$sandbox" stop
  clean_up
}
trap stop_and_clean_up EXIT
# What the script's `run` sets, too.
export SLURM_CONF=$SLURM_SANDBOX/slurm.conf PATH=$PATH:/usr/sbin:/sbin OMPI_MCA_btl=self,tcp

# Some seconds of sweeps: time to find a run and to stop it, on a busy machine too.
cp "$inputs/plate.ini" plate.ini
long=(--set solver.method=jacobi --set grid.nx=800 --set grid.ny=533 --threads 1 --set solver.tolerance=1e-3
  --set solver.balance_tolerance=1)
# The same for ranks, which take several times as long for a sweep where they share processors.
ranks_long=("${long[@]}" --set solver.tolerance=3e-3)

# partitions STATE NAME...: DOWN: jobs queue there and do not start; those that run go on.
partitions() {
  local name
  for name in "${@:2}"; do timeout 10 scontrol update "PartitionName=$name" "State=$1"; done
}

# says FOLDER TEXT [TIMES]: is it in the job's log so often?
says() {
  [ "$(grep -c -- "$2" "$1/job.log")" -ge "${3:-1}" ]
}

# submit FOLDER OPTION...: a job, whose number is $job.
submit() {
  call submit plate.ini --output "$1" "${@:2}"
  job=$(sed -n 's/^job  *//p' out)
}

# process FOLDER: the run that writes there, its first rank.
process() {
  sed 's/^process \([0-9]*\) .*/\1/' "$1/.heatsolve-lock"
}

# send SIGNAL FOLDER: to all ranks of the run that writes there. (A rank that waits for one that sleeps would keep a processor busy.)
send() {
  local pid
  for pid in $(pgrep -f "run $work/plate.ini --output $work/$2 "); do
    [ "$(cat "/proc/$pid/comm")" != "$(basename "$HEATSOLVE")" ] || kill -"$1" "$pid"
  done
}

# is_stopped FOLDER: does its run sleep? (A signal that has been sent may arrive later.)
is_stopped() {
  grep -q '^State:.*stopped' "/proc/$(process "$1")/status"
}

# begins FOLDER RESTART: waits for that turn of a job, and stops its run after some sweeps, so that it sleeps from then on.
begins() {
  comes 30 says "$1" "^job .*, restart $2," && comes 10 [ -s "$1/.heatsolve-lock" ] && sleep 0.2 && send STOP "$1" &&
    comes 10 is_stopped "$1"
}

# is_told PROCESS: does USR2 wait for it?
is_told() {
  grep -q '^ShdPnd:.*[89a-f]..$' "/proc/$1/status"
}

# tell FOLDER JOB: sends what Slurm sends before a limit, and lets the run go on. (scancel waits five seconds where a job has
# only just begun.)
tell() {
  local run
  run=$(process "$1")
  sleep 0.8
  timeout 10 scancel --signal=USR1 --batch "$2"
  comes 60 is_told "$run"
  send CONT "$1"
}

# saved FOLDER TIMES: has it ended with code 75 so often, and left a checkpoint?
saved() {
  comes 40 says "$1" '^heatsolve ended with exit code 75' "$2" && [ -s "$1/checkpoint.h5" ]
}

# done_and_same FOLDER RESTARTS ALONE: is the run done, in one log, with the result of the one that was left alone?
done_and_same() {
  comes 120 says "$1" '^heatsolve ended with exit code 0'
  result $? '... and gets done'
  check '... in one log' [ "$(grep -c '^job ' "$1/job.log")" -eq $(($2 + 1)) ]
  check '... with the bits of the run that was left alone' same_field "$3/field.h5" "$1/field.h5"
  check '... and the same sweeps' [ "$(json iterations "$3/report.json")" = "$(json iterations "$1/report.json")" ]
  check '... and no checkpoint is left' [ ! -e "$1/checkpoint.h5" ]
}

call -q plate.ini --output alone "${long[@]}"
check 'a run that is left alone' [ $rc -eq 0 ]
call -q plate.ini --output ranks-alone "${ranks_long[@]}"
check '... and one of fewer sweeps' [ $rc -eq 0 ]

if "$HEATSOLVE" --version | grep '^MPI' | grep -q '[0-9]'; then ranks=yes; else ranks=no; fi

# Two jobs at a time: of one process, and of four on two nodes with stand-ins for GPUs. Partitions are down while a job is looked
# at that has saved, or it would go on meanwhile; and the limit is far away, of which Slurm may tell a minute early.
timeout 10 scontrol update PartitionName=short MaxTime=20
partitions DOWN long short
submit 'a job' -p long "${long[@]}"
check 'a job is submitted' [ $rc -eq 0 -a -n "$job" ]
if [ $ranks = yes ]; then
  one=$job
  submit 'four ranks' --nodes 2 --gpus 4 -b cpu --time 20 --signal 20 "${ranks_long[@]}"
  check 'a job of four ranks is submitted' [ $rc -eq 0 -a -n "$job" ]
  four=$job job=$one
fi
partitions UP long
begins 'a job' 0
partitions UP short
if [ $ranks = yes ]; then begins 'four ranks' 0; fi
partitions DOWN long short
tell 'a job' "$job"
saved 'a job' 1
result $? 'a job that is told of its limit saves'
if [ $ranks = yes ]; then
  tell 'four ranks' "$four"
  saved 'four ranks' 1
  result $? '... and so do four ranks'
  check '... on both nodes' says 'four ranks' '^job .* on n\[1-2\],'
fi
partitions UP long
begins 'a job' 1
result $? 'it queues again and goes on'
partitions UP short
if [ $ranks = yes ]; then
  begins 'four ranks' 1
  result $? '... and so do they'
fi
# A more urgent job. Slurm sends CONT before TERM, so that what sleeps goes on.
partitions DOWN long short
timeout 10 sbatch --quiet -p urgent --nodes=2 --exclusive --output=/dev/null --wrap 'sleep 1' >/dev/null 2>&1
saved 'a job' 2
result $? 'it saves when it is preempted'
if [ $ranks = yes ]; then
  saved 'four ranks' 2
  result $? '... and so do four ranks'
else
  skip 'four ranks on two nodes' 'this build has no MPI'
fi
partitions UP long short
done_and_same 'a job' 2 alone
if [ $ranks = yes ]; then done_and_same 'four ranks' 2 ranks-alone; fi
timeout 10 scontrol update PartitionName=short MaxTime=1

# What users see of it
expect 'sbatch refuses a partition that is not there' 2 'err~sbatch refused .*job.sbatch: sbatch: error: .*nowhere' -- \
  submit plate.ini -p nowhere -o refused
expect 'a limit is that of the partition' 0 'out~^time limit +00:01:00, the longest that the partition short allows' -- \
  submit plate.ini -o short
call queue -p long,urgent plate.ini # what Slurm has kept of a preempted job may lack its processors, so there may be a warning
check 'queue reads what Slurm has kept' grep -qE '^long +[0-9.]+ h .[0-9]+. ' out
check '... and judges a run' grep -qE '^starts first +(long|urgent|unknown)' out
expect '... and names the partitions that there are' 2 'err~no partition "int"; there are long, short and urgent$' -- queue -p int

# A time limit. Slurm looks at them every half minute, so the run sleeps until it is told.
if [ "${HEATSOLVE_SLURM_LONG:-0}" = 1 ]; then
  submit limited --time 1 --signal 20 "${long[@]}"
  begins limited 0
  run=$(process limited)
  comes 60 is_told "$run"
  result $? "a minute's limit, and the run is told"
  send CONT limited
  saved limited 1
  result $? '... saves in time'
  done_and_same limited 1 alone
else
  skip "a minute's limit" 'it takes a minute; HEATSOLVE_SLURM_LONG=1 tries it'
fi

finish
