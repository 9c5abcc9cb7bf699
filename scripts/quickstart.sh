#!/usr/bin/env bash
# From a fresh clone to first results: installs what is missing, builds in build/, solves
# configs/wall.ini and configs/workshop.ini, and says where pictures, fields and reports are. It may
# be run again at any time and from any folder; what is done already is not done twice.
#
# A folder that is not configured yet is configured for this machine alone: with CUDA code for its
# GPUs, without any where no GPU works. An argument --with-cuda... replaces that; others come beside it.
#
# usage: quickstart.sh [CONFIGURE ARGUMENT...]
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$top/build
if [ -f "$top/config.status" ]; then build=$top; fi

has_nvcc() { command -v nvcc >/dev/null 2>&1 || [ -x /usr/local/cuda/bin/nvcc ]; }
has_gpu() { nvidia-smi -L 2>/dev/null | grep -q '^GPU '; }

note=
if [[ " $* " != *' --with-cuda'* ]] && { [ $# -gt 0 ] || [ ! -f "$build/config.status" ]; }; then
  if has_gpu && has_nvcc; then
    set -- --with-cuda-arch=native "$@"
  elif has_gpu; then
    note="It runs on the CPU alone: this machine has a GPU, but no CUDA toolkit (nvcc). With one installed:
  $top/scripts/quickstart.sh --with-cuda=yes --with-cuda-arch=native"
  else
    set -- --with-cuda=no "$@"
    note="It is built without CUDA code: no NVIDIA GPU works on this machine (nvidia-smi names none). With a CUDA toolkit,
this builds for GPUs all the same: $top/scripts/quickstart.sh --with-cuda=yes"
  fi
fi

bash "$top/scripts/packages.sh"
bash "$top/scripts/build.sh" "$@"

"$build/heatsolve" "$top/configs/wall.ini" --output "$build/wall"
printf '\nThat was configs/wall.ini. Now configs/workshop.ini, whose stop test is too weak:\n\n'
"$build/heatsolve" "$top/configs/workshop.ini" --output "$build/workshop" --quiet

cat <<TEXT

The workshop problem stops when a sweep changes little (solver.criterion = update_l2), and slow sweeps change little long
before the field is right. The wall stops when the error that is left is small enough (solver.criterion = error).

report.html (open it in a browser), temperature.png, field.h5 (field.xdmf for ParaView) and report.json are in
  $build/wall
  $build/workshop
Next: $build/heatsolve --help
TEXT
if [ -n "$note" ]; then printf '%s\n' "$note"; fi
