#!/usr/bin/env bash
# Slurm on this machine alone: munge, slurmctld and two nodes with stand-in GPUs, on loopback. For the tests, and for
# trying batch scripts without a cluster.
#
# The nodes n1 and n2 are two slurmd of this machine, with 8 processors and 2 GPUs each whatever it has; a GPU is a link
# to /dev/null. Partitions: short (the default, 1 min at most), long, and urgent, whose jobs preempt those of long. Jobs that
# end are kept in FOLDER/jobs.txt, which `sacct -c` reads. All is below FOLDER; no file or service of the system is touched.
#
# usage: slurm-sandbox.sh start            exit status 77, with the reason, where it cannot be
#        slurm-sandbox.sh run COMMAND...   with sbatch, squeue and so on talking to it
#        slurm-sandbox.sh stop
# environment: SLURM_SANDBOX, the FOLDER; default: /tmp/slurm-sandbox-UID
set -uo pipefail
umask 022

folder=${SLURM_SANDBOX:-/tmp/slurm-sandbox-$(id -u)}
PATH=$PATH:/usr/sbin:/sbin
export SLURM_CONF=$folder/slurm.conf
export OMPI_MCA_btl=self,tcp # both nodes are one machine, where OpenMPI would mix up their shared memory

# cannot WHY
cannot() {
  echo "slurm-sandbox.sh: no Slurm can be started here: $1" >&2
  stop
  exit 77
}

# ended PIDFILE...: ends their processes; after a second without being asked.
ended() {
  local pids k
  pids=$(cat "$@" 2>/dev/null) && [ -n "$pids" ] || return 0
  # shellcheck disable=SC2086  # numbers
  kill $pids 2>/dev/null
  for ((k = 0; k < 10; k++)); do
    # shellcheck disable=SC2086
    kill -0 $pids 2>/dev/null || break
    sleep 0.1
  done
  # shellcheck disable=SC2086
  kill -KILL $pids 2>/dev/null
  rm -f "$@"
}

stop() {
  local k
  if [ -f "$folder/slurmctld.pid" ] && timeout 5 scancel --user="$(id -un)" >/dev/null 2>&1; then
    for ((k = 0; k < 20; k++)); do # jobs that are ending have processes
      [ -n "$(timeout 5 squeue -h -t RUNNING,COMPLETING 2>/dev/null)" ] || break
      sleep 0.1
    done
  fi
  ended "$folder"/slurmd-n{1,2}.pid
  ended "$folder"/{slurmctld,munged}.pid
}

# free_port: a port of this machine on which nobody listens.
free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)) && (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

configure() {
  local host gpu
  host=$(hostname -s 2>/dev/null || hostname)
  for gpu in 0 1; do ln -sfn /dev/null "$folder/gpu$gpu"; done
  echo "Name=gpu File=$folder/gpu[0-1]" >"$folder/gres.conf"
  cat >"$folder/slurm.conf" <<CONF
ClusterName=sandbox
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=pmix
SwitchType=switch/none
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
JobCompType=jobcomp/filetxt
JobCompLoc=$folder/jobs.txt
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MinJobAge=3600
TmpFS=$folder/tmp-%n
KillWait=15
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=8 RealMemory=8000 Gres=gpu:2
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=8 RealMemory=8000 Gres=gpu:2
PartitionName=short Nodes=n1,n2 Default=YES MaxTime=1 State=UP PriorityTier=1 GraceTime=30
PartitionName=long Nodes=n1,n2 MaxTime=1-00:00:00 State=UP PriorityTier=1
PartitionName=urgent Nodes=n1,n2 MaxTime=1-00:00:00 State=UP PriorityTier=2
CONF
}

start() {
  local program node k
  for program in munged slurmctld slurmd sbatch srun; do
    command -v "$program" >/dev/null || cannot "there is no $program (Debian: packages slurm-wlm and munge)"
  done
  [ "$(id -u)" -eq 0 ] || cannot "slurmd must be started by root"
  mkdir -p "$folder" && [ -O "$folder" ] || cannot "$folder is not a folder of yours; SLURM_SANDBOX names another"
  mkdir -p "$folder/state" "$folder"/spool-n{1,2} "$folder"/tmp-n{1,2} || exit 1
  stop
  rm -rf "$folder"/state/* "$folder"/spool-n*/* "$folder"/*.log "$folder/munge.socket"*
  [ -f "$folder/munge.key" ] || (umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
  munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" --num-threads=2 2>"$folder/munged.err" ||
    cannot "munged does not start: $(tail -n 1 "$folder/munged.err")"
  configure
  slurmctld -c -i >"$folder/slurmctld.out" 2>&1 || cannot "slurmctld does not start: $(tail -n 1 "$folder/slurmctld.out")"
  for node in n1 n2; do
    slurmd -N "$node" >"$folder/slurmd-$node.out" 2>&1 || cannot "slurmd does not start: $(tail -n 1 "$folder/slurmd-$node.out")"
  done
  for ((k = 0; k < 100; k++)); do
    if [ "$(timeout 5 sinfo -h -N -p long -t idle -o %N 2>/dev/null | wc -l)" -eq 2 ]; then return 0; fi
    sleep 0.1
  done
  cannot "the nodes do not come up: $(tail -qn 1 "$folder"/slurmd-n*.log "$folder/slurmctld.log" | tr '\n' ' ')"
}

case ${1-} in
  start) start ;;
  stop) stop ;;
  run) shift; exec "$@" ;;
  *) sed -n '/^# usage/,/^set/{/^#/s/^# \{0,1\}//p;}' "$0" >&2; exit 2 ;;
esac
