#!/usr/bin/env bash
# Strong and weak scaling as `heatsolve check` plans it: the tables of doc/manual/scaling.md, in Markdown.
#
# Uniform plates, plain Jacobi sweeps, H200s, 8 on a node; weak: 16384 x 16384 nodes on each GPU, strong: 65536 x 65536 in all.
#
# usage: scaling.sh HEATSOLVE [OPTION OF check]...
set -euo pipefail

heatsolve=${1:?usage: scaling.sh HEATSOLVE [OPTION]...}
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/scaling.XXXXXX")
trap 'rm -rf "$work"' EXIT
cat >"$work/plate.ini" <<'INI'
[grid]
nx = 2
ny = 2
lx = 1
ly = 1
[material]
conductivity = 1
[boundary]
west = 0
east = 1
south = 0
north = 0
[solver]
method = jacobi
criterion = update_max
INI

# row GPUS NX NY PRECISION OPTION...: "cut|sweep|efficiency in %".
row() {
  local nodes=$((($1 + 7) / 8))
  "$heatsolve" check "$work/plate.ini" --nodes "$nodes" --gpus "$1" --set grid.nx="$2" --set grid.ny="$3" \
    --set solver.precision="$4" "${@:5}" | awk '
    /^cut/ { cut = $2 " x " $4 }
    /^time/ { match($0, /\([0-9.]+ [mu]?s each/); split(substr($0, RSTART + 1), part, " "); us = part[1] * (part[2] == "ms" ? 1e3 : 1) }
    /^efficiency/ { efficiency = $2 }
    END { print cut "|" us "|" efficiency }'
}

table() {
  local gpus nx ny single double
  echo "| GPUs | grid | cut | double: G nodes/s | efficiency | single: G nodes/s | efficiency |"
  echo "|---:|---|---|---:|---:|---:|---:|"
  for gpus in 1 2 4 8 16 64 256 1024; do
    if [ "$1" = weak ]; then
      nx=16384 ny=16384
      while [ $((nx * ny / 268435456)) -lt "$gpus" ]; do
        if [ $nx -lt $ny ]; then nx=$((2 * nx)); else ny=$((2 * ny)); fi
      done
    else
      nx=65536 ny=65536
    fi
    double=$(row "$gpus" $nx $ny double "${@:2}")
    single=$(row "$gpus" $nx $ny single "${@:2}")
    awk -F'|' -v gpus="$gpus" -v nx=$nx -v ny=$ny '
      NR == 1 { cut = $1; rate = nx * ny / $2 / 1e3; efficiency = $3 }
      END {
        if (gpus == 1) { cut = ""; efficiency = $3 = "100" }
        printf "| %d | %d x %d | %s | %.0f | %.1f %% | %.0f | %.1f %% |\n", gpus, nx, ny, cut, rate, efficiency, nx * ny / $2 / 1e3, $3
      }' < <(printf '%s\n%s\n' "$double" "$single")
  done
}

echo "Weak, 16384 x 16384 nodes on each GPU:"
echo
table weak "$@"
echo
echo "Strong, 65536 x 65536 nodes in all:"
echo
table strong "$@"
