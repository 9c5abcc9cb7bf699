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
export SLURM_CONF=$SLURM_SANDBOX/slurm.conf PATH=$PATH:/usr/sbin:/sbin

# Some seconds of sweeps.
cp "$inputs/plate.ini" plate.ini
long=(--set solver.method=jacobi --set grid.nx=260 --set grid.ny=170 --threads 1)

# comes SECONDS COMMAND...: waits until the command succeeds.
comes() {
  local k
  for ((k = 0; k < 20 * $1; k++)); do
    if "${@:2}" >/dev/null 2>&1; then return 0; fi
    sleep 0.05
  done
  return 1
}

# says FOLDER TEXT [TIMES]: is it in the job's log so often?
says() {
  [ "$(grep -c -- "$2" "$1/job.log")" -ge "${3:-1}" ]
}

# submit FOLDER OPTION...: a job, whose number is $job.
submit() {
  call submit plate.ini --output "$1" --time 1 --signal 20 "${@:2}"
  job=$(sed -n 's/^job  *//p' out)
}

call -q plate.ini --output alone "${long[@]}"
check 'a run that is left alone' [ $rc -eq 0 ]

submit 'a job' "${long[@]}"
check 'a job is submitted' [ $rc -eq 0 -a -n "$job" ]
for turn in 1 2; do
  comes 20 says 'a job' "^job $job on n1, restart $((turn - 1))," && sleep 0.6
  timeout 10 scancel --signal=USR1 --batch "$job"
  comes 20 says 'a job' '^heatsolve ended with exit code 75' $turn
  result $? "... told to save, it ends with code 75, time $turn"
  check '... and leaves a checkpoint' [ -s 'a job/checkpoint.h5' ]
done
comes 30 says 'a job' '^heatsolve ended with exit code 0'
result $? '... queued again twice, it gets done'
check '... as the second restart' says 'a job' "^job $job on n1, restart 2,"
check '... in one log' [ "$(grep -c '^job ' 'a job/job.log')" -eq 3 ]
check '... with the bits of the run that was left alone' same_field alone/field.h5 'a job/field.h5'
check '... and the same sweeps' [ "$(json iterations alone/report.json)" = "$(json iterations 'a job/report.json')" ]
check '... and no checkpoint is left' [ ! -e 'a job/checkpoint.h5' ]

finish
