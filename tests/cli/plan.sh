#!/usr/bin/env bash
# heatsolve check for machines that are not there.
. "${HS_TEST_SRCDIR:?}/tap.sh"

cp "$inputs/small.ini" a.ini
cp "$inputs/transient.ini" t.ini
large=(--set grid.nx=1000000 --set grid.ny=1000000 --set solver.method=jacobi)

expect '10^12 nodes on 1024 GPUs' 0 'out~^grid +1000000 x 1000000 nodes, 1e\+12 in all$' \
  'out~^machine +128 nodes, 1024 GPUs in all: H200s of 141 GB$' \
  'out~^links +within a node 30 us and 333 GB/s, between nodes 30 us and 50 GB/s for each$' \
  'out~^cut +[0-9]+ x [0-9]+ parts, [0-9]+ x [0-9]+ nodes at most with ghost zones of [0-9]+$' \
  'out~^method +jacobi, double precision .asked for.$' 'out~^memory +2[0-9.]+ GB on each GPU, .*: fits$' \
  'out~^exchange +[0-9.]+ MB in 8 messages at most for a part, every [0-9]+ sweeps of a field, in ' \
  'out~^traffic +[0-9.]+ [GM]B and [0-9]+ messages a sweep, ' \
  'out~^time +.*: set-up .*, sweeps .* each\), files .* \(8 TB\)$' 'out~^efficiency +[0-9.]+ % of 1024 times one GPU' \
  'out~^limit +.' -- check a.ini --nodes 128 --gpus 1024 "${large[@]}"
check '... draws nothing, writes nothing' [ "$(ls)" = "$(printf 'a.ini\nerr\nout\nt.ini')" ]
expect 'in little memory and time' 0 -- check a.ini --nodes 128 --gpus 1024 "${large[@]}"
if (ulimit -v 400000 && "$HEATSOLVE" check a.ini --quiet) 2>/dev/null; then
  (ulimit -v 400000 -t 5 && "$HEATSOLVE" check a.ini --nodes 128 --gpus 1024 "${large[@]}" >/dev/null 2>&1)
  result $? '... of 400 MB, and 5 s'
else
  skip '... of 400 MB, and 5 s' 'the program itself needs more'
fi
expect '... and says nothing when it is quiet' 0 -- check a.ini --quiet --nodes 2 --gpus 4 "${large[@]}"
check '... indeed' [ ! -s out ]

expect 'what would hold a grid that does not fit' 0 \
  'out~^memory +.*: does not fit; [0-9]+ such nodes .[0-9]+ GPUs. would hold it$' 'out~^limit +memory' -- \
  check a.ini --nodes 2 --gpus 16 "${large[@]}"
needed=$(sed -n 's/^memory .* \([0-9]*\) such nodes (\([0-9]*\) GPUs).*/--nodes \1 --gpus \2/p' out)
# shellcheck disable=SC2086
expect '... holds it' 0 'out~^memory +.*: fits$' -- check a.ini $needed "${large[@]}"
expect '... larger GPUs, too' 0 'out~^memory +.*: fits$' -- check a.ini --nodes 2 --gpus 16 --gpu-memory 2000 "${large[@]}"
expect '... unless the nodes are too small' 0 'out~^memory +.*: does not fit; ' -- \
  check a.ini --nodes 2 --gpus 16 --gpu-memory 2000 --node-memory 1000 "${large[@]}"
expect '... or nothing would hold it' 0 'out~does not fit; not 65536 GPUs like these would hold it$' -- \
  check a.ini --nodes 2 --gpus 16 --gpu-memory 0.01 "${large[@]}"

expect 'CPUs: a process for each node' 0 'out~^machine +4 nodes, 4 processes in all, of 16 threads each$' \
  'out~^links +between nodes ' 'out~^memory +[0-9.]+ GB on the host for each part' -- \
  check a.ini --nodes 4 --gpus 0 --set grid.nx=20000 --set grid.ny=20000
expect '... or several, of other threads' 0 'out~^machine +4 nodes, 8 processes in all, of 3 threads each$' \
  'out~^links +within a node 10 us and 10 GB/s, between nodes' -- check a.ini --nodes 4 --ranks 8 -t 3 --set grid.nx=5000
expect 'one GPU has no links' 0 'out~^machine +1 node, 1 GPU in all' -- check a.ini --gpus 1
check '... no cut, no exchange' [ "$(grep -cE '^(links|cut|exchange|traffic|efficiency)' out)" -eq 0 ]
expect 'a grid that is too small for all' 0 'out~; the grid is too small for more than [0-9]+ of 512$' -- check a.ini --nodes 64 --gpus 512
expect 'links as they are told' 0 \
  'out~^links +within a node 7 us and 100 GB/s, between nodes 2.5 us and 25 GB/s for each$' -- check a.ini --nodes 2 --gpus 8 \
  --latency 2.5 --bandwidth 25 --link-latency 7 --link-bandwidth 100
expect 'slow files limit' 0 'out~^limit +files take longer' -- check a.ini --nodes 16 --gpus 128 --file-bandwidth 1e-6 \
  --set grid.nx=100000 --set grid.ny=100000 --set solver.max_iterations=1000 --set solver.method=jacobi
expect 'a run that its limit would end' 0 'out~^sweeps .*: more than max_iterations, the run would end after 1e\+06 with exit' -- \
  check a.ini --nodes 128 --gpus 1024 "${large[@]}"
expect 'time steps' 0 'out~^steps +about [0-9.e+]+ of ' 'out~^method +explicit, ' -- check t.ini --gpus 4 \
  --set time.scheme=explicit --set time.step=1e-10 --set grid.nx=20000 --set grid.ny=20000
expect 'steps that are too long for the grid' 2 'err~step = .* is too long for the explicit scheme on 20000 x 20000 nodes' -- \
  check t.ini --gpus 4 --set time.scheme=explicit --set time.step=1e-5 --set grid.nx=20000 --set grid.ny=20000
expect 'auto says why' 0 'out~^method +multigrid, .*auto, by forecast work in sweeps: multigrid ' 'out~^cycles +roughly' \
  'out~messages a cycle' -- check a.ini --gpus 2 --set grid.nx=3000 --set grid.ny=3000

for option in --latency --bandwidth --link-latency --link-bandwidth --gpu-memory --node-memory --file-bandwidth; do
  for value in -1 0 x 1e400 nan ''; do
    expect "$option \"$value\"" 2 "err~$option takes a number above 0, not \"$value\"" -- check a.ini --nodes 2 $option "$value"
  done
done
expect '--nodes 0' 2 'err~--nodes takes a whole number from 1 to ' -- check a.ini --nodes 0
expect '--gpus -1' 2 'err~--gpus takes a whole number from 0 to ' -- check a.ini --gpus -1
expect 'GPUs that nodes cannot share' 2 'err~5 GPUs cannot be shared out evenly among 2 nodes' -- check a.ini --nodes 2 --gpus 5
expect 'more than a plan is for' 2 'err~a plan is for up to 65536 GPUs or processes, not 100000' -- \
  check a.ini --nodes 100000
expect 'a backend of GPUs, and none' 2 'err~needs a GPU' -- check a.ini --nodes 2 -b cuda-blocked
expect 'GPUs, and a backend that uses none' 2 'err~the backend cpu uses no GPU; leave --gpus out' -- check a.ini --gpus 2 -b cpu
expect 'a mistake in the file is found as ever' 2 'err~nx' -- check a.ini --nodes 2 --set grid.nx=1
finish
