
# From here on all scripts are the same.

export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK OMP_PLACES=cores OMP_PROC_BIND=close
restarts=${SLURM_RESTART_COUNT:-0}
echo "job $SLURM_JOB_ID on $SLURM_JOB_NODELIST, restart $restarts, $(date)"
mkdir -p "$output" || exit
[ "$restarts" -gt 0 ] || rm -f "$output/job.progress"

# This shell gets USR1 in time before the limit, and TERM when the job is cancelled or preempted. heatsolve gets USR2 for
# either: it saves and ends with code 75. (srun passes USR2 on to all processes; TERM would end it.)
signals=0 limit=no
trap 'signals=$((signals + 1)) limit=yes; kill -USR2 "$solver"' USR1
trap 'signals=$((signals + 1)); kill -USR2 "$solver"' TERM

# In the background, since a shell runs its traps between commands only. It goes on from a checkpoint where there is one.
"${launch[@]}" "$heatsolve" run "${run[@]}" --set run.restart=auto --set output.report=yes &
solver=$!

# A signal ends `wait` early, with a code that is not the solver's.
status=127
while
  before=$signals
  wait "$solver"
  code=$?
  if [ "$code" -ne 127 ]; then status=$code; fi
  [ "$signals" -ne "$before" ]
do :; done
echo "heatsolve ended with exit code $status, $(date)"

# A run that has saved queues again, with the same number, script and log, and goes on: at the limit, and before it where the
# job still counts as running, as when it is being preempted. One that is cancelled stays ended. So does one that has made no
# sweep in three restarts.
if [ "$status" -eq 75 ] && { [ "$limit" = yes ] || [ "$(squeue -h -j "$SLURM_JOB_ID" -o %T)" = RUNNING ]; }; then
  sweeps=$(sed -n 's/^  "iterations": \([0-9]*\).*/\1/p' "$output/report.json")
  read -r since before 2>/dev/null <"$output/job.progress"
  if [ "$sweeps" != "$before" ]; then
    echo "$restarts $sweeps" >"$output/job.progress"
  elif [ $((restarts - since)) -ge 3 ]; then
    echo "$((restarts - since)) restarts made no sweep: the time limit is too short for this problem"
    exit 75
  fi
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
