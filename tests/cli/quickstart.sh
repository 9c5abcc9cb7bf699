#!/usr/bin/env bash
# How scripts/quickstart.sh configures a fresh clone, by what nvidia-smi and nvcc say. Stand-ins for them, and for what
# installs, builds and solves, write down what they are called with.
. "${HS_TEST_SRCDIR:?}/tap.sh"

mkdir -p clone/scripts clone/build gpu nvcc tools
# The toolkit's usual folder is one that no machine has.
sed "s|/usr/local/cuda|$work/cuda|" "$HS_TEST_SRCDIR/../scripts/quickstart.sh" > clone/scripts/quickstart.sh
for tool in bash cat dirname grep; do ln -s "$(command -v $tool)" tools; done

# stand_in FILE [LINE]: a program that writes down its name and arguments, then does LINE.
stand_in() {
  printf '#!%s\n%s\n%s\n' "$(command -v bash)" "echo \"\${0##*/}\${*:+ \$*}\" >> '$work/calls'" "${2-}" > "$1"
  chmod +x "$1"
}
stand_in clone/scripts/packages.sh
stand_in clone/scripts/build.sh
stand_in clone/build/heatsolve
printf '#!%s\n%s\n' "$(command -v bash)" 'echo "GPU 0: NVIDIA H100 (UUID: GPU-0)"' > gpu/nvidia-smi
printf '#!%s\n' "$(command -v bash)" > nvcc/nvcc
chmod +x gpu/nvidia-smi nvcc/nvcc

# quickstart FOLDERS [ARGUMENT]...: with nothing in PATH but these folders and the tools.
quickstart() {
  local folders=$1
  shift
  rm -f calls
  PATH=$folders$work/tools bash clone/scripts/quickstart.sh "$@" > out 2> err
  rc=$?
}

# went NAME ARGUMENTS [SENTENCE]: passes when build.sh had ARGUMENTS, between packages and two solutions, and the last
# lines have SENTENCE; without one they have no remark at all.
went() {
  local failed=0
  printf '%s\n' packages.sh "build.sh${2:+ $2}" "heatsolve $work/clone/configs/wall.ini --output $work/clone/build/wall" \
    "heatsolve $work/clone/configs/workshop.ini --output $work/clone/build/workshop --quiet" > wanted
  [ "$rc" -eq 0 ] && diff wanted calls || failed=1
  sed '1,/^Next: /d' out > remark
  if [ $# -gt 2 ]; then grep -qF -- "$3" remark || failed=1; else [ ! -s remark ] || failed=1; fi
  result $failed "$1"
}

quickstart ''
went 'no GPU: no CUDA code, and a sentence about it' --with-cuda=no 'no NVIDIA GPU works on this machine'
quickstart "$work/nvcc:"
went 'nvcc without a GPU: the same' --with-cuda=no "this builds for GPUs all the same: $work/clone/scripts/quickstart.sh --with-cuda=yes"
quickstart "$work/gpu:$work/nvcc:"
went 'a GPU and nvcc: code for this GPU' --with-cuda-arch=native
quickstart "$work/gpu:"
went 'a GPU without nvcc: the CPU alone, and a sentence about it' '' 'this machine has a GPU, but no CUDA toolkit (nvcc)'
mkdir -p cuda/bin && cp nvcc/nvcc cuda/bin
quickstart "$work/gpu:"
went 'a GPU and nvcc in its usual folder: code for this GPU' --with-cuda-arch=native
quickstart "$work/gpu:$work/nvcc:" --with-cuda=no --prefix=/opt
went 'arguments replace the choice' '--with-cuda=no --prefix=/opt'
quickstart '' --prefix=/opt
went 'others come beside it' '--with-cuda=no --prefix=/opt' 'no NVIDIA GPU works on this machine'
touch clone/build/config.status
quickstart ''
went 'a folder that is configured stays as it is' ''
finish
