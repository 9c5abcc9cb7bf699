#!/usr/bin/env bash
# heatsolve queue: the table of a saved output of sacct, what stands in it, and what is refused.
. "${HS_TEST_SRCDIR:?}/tap.sh"

saved=$HS_TEST_SRCDIR/slurm/sacct.txt
cp "$inputs/plate.ini" plate.ini
unset "${!SLURM_@}" 2>/dev/null

# row NAME: the cells of a partition, with single blanks.
row() {
  sed -n "s/^$1  *//p" out | tr -s ' '
}

expect 'all partitions' 0 warnings=1 'out~^mean wait .number of jobs. by size in CPU-hours$' \
  'out~^partition +< 4 +4 - 16 +16 - 64 +> 64$' -- queue --from "$saved"
check '... by name' [ "$(sed -n '3,$s/ .*//p' out | tr '\n' ' ')" = 'gpu idle int medium ' ]
check '... with mean wait and number of jobs' [ "$(row medium)" = '2.0 h (3) 6.5 h (2) NA 12.0 h (1)' ]
check '... of short and long ones' [ "$(row int)" = '0.0 h (1) 0.2 h (1) NA 0.5 h (1)' ]
check '... and where nobody waited to the end' [ "$(row idle)" = 'NA NA NA NA' ]
check '... with a warning of the line that is cut off' grep -q 'warning: 1 line of sacct could not be read and is left out' err
expect '--partition names some, in its order' 0 warnings=1 -- queue -p medium,gpu,medium --from "$saved"
check '... once' [ "$(sed -n '3,$s/ .*//p' out | tr '\n' ' ')" = 'medium gpu ' ]
expect 'other classes' 0 warnings=1 'out~^partition +< 1 +1 - 10 +10 - 100 +> 100$' -- queue -t 1,10 --from "$saved"
check '... other cells' [ "$(row medium)" = '1.0 h (1) 4.5 h (4) NA 12.0 h (1)' ]
expect 'memory' 0 warnings=2 'out~^mean wait .number of jobs. by size in GB-hours$' -- queue -m -p gpu --from "$saved"
check '... of the node, of the processor and in all' [ "$(row gpu)" = '1.0 h (1) 2.0 h (1) 3.0 h (1) 4.0 h (1)' ]
check '... of jobs that tell it' grep -q 'warning: 2 jobs are left out, of which sacct does not tell the memory' err
tr '\n' '\r' <"$saved" | sed 's/\r/\r\n/g' >crlf.txt
expect 'lines of another system, and fields that end with a bar' 0 warnings=1 -- queue --from crlf.txt
check '... have the same table' [ "$(row medium)" = '2.0 h (3) 6.5 h (2) NA 12.0 h (1)' ]

# A run
expect 'which partition suits a run' 0 warnings=1 'out~^starts first +int$' 'out~^is done first +int$' -- \
  queue -p medium,gpu,int --from "$saved" plate.ini
check '... asks for a GPU where there are some' [ "$(row gpu | tail -n 1 | cut -d ' ' -f 1-4)" = '4 CPUs, 1 GPU' ]
check '... and for processors elsewhere' [ "$(row int | tail -n 1 | cut -d ' ' -f 1-2)" = '16 CPUs' ]
huge=(--set grid.nx=2000 --set grid.ny=1000 --set solver.method=jacobi --set solver.max_iterations=100000000
  --set solver.threads=1)
expect 'a long run on processors is done first on a GPU behind a longer queue' 0 warnings=1 'out~^starts first +int$' \
  'out~^is done first +gpu$' -- queue -p int,gpu --from "$saved" plate.ini "${huge[@]}"
expect 'nobody can tell where nobody waited' 0 warnings=1 'out~^starts first +unknown: no job of that size' -- \
  queue -p idle --from "$saved" plate.ini

# Refusals
expect 'an unknown partition' 2 'err~there is no partition "medum"; there are gpu, idle, int and medium$' -- \
  queue -p int,medum --from "$saved"
expect 'classes that are none' 2 'err~--classes takes a first bound above 0 and a factor above 1.*not "4"' -- queue -t 4
expect '... or go down' 2 'err~--classes takes' -- queue -t 4,0.5
expect 'a file that is not there' 5 'err~cannot read none.txt' -- queue --from none.txt
expect 'a file of something else' 2 'err~plate.ini is not what sacct prints.*no column Partition.*Save it by: sacct ' -- \
  queue --from plate.ini
: >empty.txt
expect 'an empty one' 2 'err~it is empty' -- queue --from empty.txt
head -n 1 "$saved" >head.txt
expect 'one without jobs' 0 'out~^partition' -- queue --from head.txt
expect '... has no partitions' 2 'err~there is no partition "a"; there is none' -- queue --from head.txt -p a
expect 'a configuration that is not there' 5 'err~none.ini' warnings=1 -- queue --from "$saved" none.ini
mkdir bin
printf '#!/bin/bash\nPATH=%q exec %q "$@"\n' "$work/bin" "$HEATSOLVE" >alone
chmod +x alone
HEATSOLVE=$work/alone
expect 'no Slurm' 5 'err~there is no sacct here: Slurm is not installed' -- queue
printf '#!/bin/sh\necho "sacct: error: slurmdbd: no answer" >&2\nexit 1\n' >bin/sacct
chmod +x bin/sacct
expect 'what sacct refuses is told' 5 'err~sacct failed: sacct: error: slurmdbd: no answer' -- queue

finish
