#!/usr/bin/env bash
# From a fresh clone to a first result: installs what is missing, builds in build/, solves
# configs/workshop.ini, and says where the picture, the field and the report are. It may be run
# again at any time and from any folder; what is done already is not done twice.
#
# usage: quickstart.sh [CONFIGURE ARGUMENT...]
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bash "$top/scripts/packages.sh"
bash "$top/scripts/build.sh" "$@"

build=$top/build
if [ -f "$top/config.status" ]; then build=$top; fi
output=$build/workshop
"$build/heatsolve" "$top/configs/workshop.ini" --output "$output"

cat <<TEXT

Solved $top/configs/workshop.ini:
  picture      $output/temperature.png
  convergence  $output/convergence.png
  field        $output/field.h5 (and field.xdmf for ParaView)
  report       $output/report.json
Next: $build/heatsolve --help
TEXT
